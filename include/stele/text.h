/* SPDX-License-Identifier: Apache-2.0 */
/* Events, fields and findings as lines of text for people. */
#ifndef STELE_TEXT_H
#define STELE_TEXT_H

#include <stele/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An event as `stele cat` shows it, without padding and newline: time in seconds of its clock,
 * track, kind, duration, category and name, fields, flags, with two spaces between what is there.
 *
 *     0.002960802  worker (17)  complete  77.866us  io:read  len=4096 path="a b"
 *
 * Control characters and what is not UTF-8 are escaped. The text belongs to the context and holds
 * until the next call of a function of this header that gives a stele_text, with the same context.
 * Its size is 0 when memory is exhausted. As all that takes a context, on one thread at a time.
 */
STELE_API stele_text stele_event_line(stele_context *context, const stele_batch *batch,
                                      const stele_event *event);

/*
 * A track by its number, as `stele cat` shows it: "worker (17)", "thread 17", "stream 1 / 0",
 * "none". Control characters and what is not UTF-8 are escaped. The text belongs to the context and
 * holds until the next call of a function of this header that gives a stele_text, with the same
 * context. Its size is 0 when memory is exhausted. On one thread at a time.
 */
STELE_API stele_text stele_track_line(stele_context *context, uint32_t track);

/* The value of a field, with its labels and members: `4096`, `"a b"`, `[1 2]`, `3 (READ)`. The text
   is owned, and holds, as that of stele_event_line(). */
STELE_API stele_text stele_field_line(stele_context *context, const stele_batch *batch,
                                      const stele_field *field);

/*
 * A finding, with a line of its excerpt where it has one:
 *
 *     FILE:OFFSET: severity CODE title: expected X, found Y
 *
 * Nothing that stood in the trace can steer a terminal. With `has_color`, severity and title have
 * the terminal's colours. Writes at most `size` bytes with the final zero, and cuts what is longer;
 * returns the bytes without it. `size` 0 writes nothing. Any thread; may be called by the handler
 * of findings.
 */
STELE_API size_t stele_diag_line(const stele_diag *diag, bool has_color, char *to, size_t size);

/* Makes any text fit for people: what is not UTF-8, and control characters, newlines among them,
   become
   `\xHH`. Size and result as of stele_diag_line(). */
STELE_API size_t stele_visible(const char *text, char *to, size_t size);

/*
 * A field found by name, as filters find it: "len" in the fields of the event, else in its
 * contexts, else in what holds for its batch; "a.b" a member of a structure, "list[3]" an element
 * of an array, from 0; names with other characters in quotes, "\"http.status\"". A variant stands
 * for the member that is selected. NULL: there is none, or the path cannot be used, which is
 * reported (STE009). What is found lies in the batch, with its labels and members after it; but an
 * element of an array of numbers is put into `element`, which may be NULL: then there is none.
 * Reads the path anew each time: for one field of many events stele_segment_column() is faster. On
 * one thread at a time, as all that takes a context.
 */
STELE_API const stele_field *stele_field_find(stele_context *context, const stele_batch *batch,
                                              const stele_event *event, const char *path,
                                              stele_field *element);

/* Nanoseconds as seconds: "12.000000345", "-0.000000001". Size and result as of
   stele_diag_line(). */
STELE_API size_t stele_seconds(int64_t ns, char *to, size_t size);

/* Nanoseconds since 1970-01-01 UTC as a date: "2024-05-01T10:00:00.123456789Z". Size and result as
   of stele_diag_line(). */
STELE_API size_t stele_wall_time(int64_t ns, char *to, size_t size);

/*
 * The bytes of the UTF-8 character at `text`, 1 to 4; 0 when what stands there is not one. At most
 * `size` bytes, which is not 0, are looked at. `is_control` says whether it controls how others are
 * shown instead of being shown (C0, C1, line separators, marks and overrides of direction), which
 * also holds for a byte that is not a character.
 */
STELE_API size_t stele_character(const char *text, size_t size, bool *is_control);

#ifdef __cplusplus
}
#endif
#endif
