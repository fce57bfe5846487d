/* SPDX-License-Identifier: Apache-2.0 */
/* Events, fields and findings as lines of text for people. */
#ifndef STELE_TEXT_H
#define STELE_TEXT_H

#include <stele/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Gives an event as a line, as `stele cat` shows it, without padding and newline: time in seconds
 * of its clock, track, kind, duration, category and name, fields, flags. Two spaces separate those
 * that it has.
 *
 *     0.002960802  worker (17)  complete  77.866us  io:read  len=4096 path="a b"
 *
 * Control characters and bytes that are not UTF-8 are escaped. The text belongs to the context and
 * holds until the next call of a function of this header that returns a stele_text, with the same
 * context. Its size is 0 if out of memory. One thread at a time may use the context.
 */
STELE_API stele_text stele_event_line(stele_context *context, const stele_batch *batch,
                                      const stele_event *event);

/*
 * Gives a track as `stele cat` shows it: "worker (17)", "thread 17", "stream 1 / 0", "none".
 * Control characters and bytes that are not UTF-8 are escaped. The text belongs to the context and
 * holds until the next call of a function of this header that returns a stele_text, with the same
 * context. Its size is 0 if out of memory. One thread at a time may use the context.
 */
STELE_API stele_text stele_track_line(stele_context *context, uint32_t track);

/* Gives the value of a field, with its labels and members: `4096`, `"a b"`, `[1 2]`, `3 (READ)`.
   The text is owned by the context, and holds as long as that of stele_event_line(). */
STELE_API stele_text stele_field_line(stele_context *context, const stele_batch *batch,
                                      const stele_field *field);

/*
 * Writes a finding as text, with a line of its excerpt if it has one:
 *
 *     FILE:OFFSET: severity CODE title: expected X, found Y
 *
 * Control characters from the trace are escaped, so that they cannot control a terminal. With
 * `has_color`, severity and title are in colours of the terminal. Writes at most `size` bytes
 * including the final zero, and cuts longer text; returns the number of bytes without the zero.
 * `size` 0 writes nothing. May be called on any thread, and by the handler of findings.
 */
STELE_API size_t stele_diag_line(const stele_diag *diag, bool has_color, char *to, size_t size);

/* Makes a text fit to be shown: control characters, newlines included, and bytes that are not UTF-8
   become `\xHH`. `size` and the result are those of stele_diag_line(). */
STELE_API size_t stele_visible(const char *text, char *to, size_t size);

/*
 * Finds a field by its path, as filters do: "len" in the fields of the event, else in its contexts,
 * else in the context of its batch; "a.b" is a member of a structure, "list[3]" an element of an
 * array, from 0; names with other characters are in quotes: "\"http.status\"". A variant stands for
 * its selected member. The result points into the batch, with the field's labels and members after
 * it. An element of an array of numbers is written to `element` instead; if that is NULL, it is not
 * found. Returns NULL if there is no such field, or if the path is not valid, which is reported
 * (STE009). The path is parsed in each call: for one field of many events stele_segment_column() is
 * faster. One thread at a time may use the context.
 */
STELE_API const stele_field *stele_field_find(stele_context *context, const stele_batch *batch,
                                              const stele_event *event, const char *path,
                                              stele_field *element);

/* Writes nanoseconds as seconds: "12.000000345", "-0.000000001". `size` and the result are those of
   stele_diag_line(). */
STELE_API size_t stele_seconds(int64_t ns, char *to, size_t size);

/* Writes nanoseconds since 1970-01-01 UTC as a date: "2024-05-01T10:00:00.123456789Z". `size` and
   the result are those of stele_diag_line(). */
STELE_API size_t stele_wall_time(int64_t ns, char *to, size_t size);

/*
 * Returns the size of the UTF-8 character at `text`, 1 to 4 bytes; 0 if the bytes are not valid
 * UTF-8. At most `size` bytes, which is not 0, are read. `*is_control` becomes true if the
 * character controls how others are shown instead of being shown (C0, C1, line separators, marks
 * and overrides of direction), or if the result is 0.
 */
STELE_API size_t stele_character(const char *text, size_t size, bool *is_control);

#ifdef __cplusplus
}
#endif
#endif
