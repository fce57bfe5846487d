/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the writer share. */
#ifndef FXT_WRITE_WRITER_H
#define FXT_WRITE_WRITER_H

#include "core/clock.h"
#include "formats/fxt/read/events.h"
#include "formats/fxt/records/encode.h"
#include "formats/fxt/write/tables.h"
#include "model/writer.h"

/* A provider of the output, with its tables and its clock. */
typedef struct fxt_target {
    uint64_t key; /* number of the trace and id of the provider that its events come from */
    uint32_t id;
    bool is_announced;
    fxt_clock clock; /* clock of the last initialization record */
    uint64_t last_ticks;
    output *stage; /* Records that wait for a section of their own; NULL if there were none yet. */
    fxt_table strings, threads;
} fxt_target;

/* Whether the name of a koid has been written. */
typedef enum fxt_named {
    FXT_NAME_IS_NOT_KNOWN = 0,
    FXT_NAME_IS_WRITTEN,
    FXT_NAME_IS_OWED /* an event with the name is still to come */
} fxt_named;

/* The large blob that is being written: its event, and how much of its payload is to come. */
typedef struct fxt_payload {
    uint64_t size, left; /* in bytes, without the padding */
    int64_t time_ns;
    stele_name name;
    uint32_t stream, track;
} fxt_payload;

typedef struct fxt_writer {
    stele_writer base;
    stele_name names[FXT_NAME_COUNT];
    uint64_t own_names; /* bit (name mod 64) is set if a field that is not an argument may have the
                           name */
    fxt_target *targets;
    uint32_t target_count, target_capacity;
    fxt_map target_of; /* maps (0, key) to index + 1 */
    fxt_map ids;       /* maps (0, id) to 1 if the id is used */
    fxt_map koids;     /* maps (0, track) to the number of its synthetic koid, from 1 */
    fxt_map named;     /* maps (kind, koid) to fxt_named */
    uint32_t synthetic_count;
    uint32_t current; /* target of the last record; UINT32_MAX before the first */
    uint32_t record;  /* number of the record that is made, for the tables */
    output *to; /* where records are written: the output, or the stage of the current target */
    uint32_t section_count;
    output *text; /* nested fields as text */
    fxt_payload payload;
    bool is_started, is_exhausted, has_owed_names;
    bool is_inline; /* records refer to no other records, and have the ticks of their events */
} fxt_writer;

/* One event while its record is made. */
typedef struct fxt_making {
    fxt_writer *w;
    fxt_target *target;
    const stele_batch *batch;
    const stele_event *event;
    stele_fxt_record record;
    stele_fxt_argument arguments[STELE_FXT_ARGUMENTS_MAX];
    size_t left; /* bytes that arguments may still take */
    const uint8_t *extension;
    uint32_t extension_size;
    bool keeps_cpu; /* an argument says the CPU of the event */
} fxt_making;

/* Notes by their names which fields are no arguments (write_fields.c). */
void fxt_writer_note_own_fields(fxt_writer *w);

/* ---- State, and what precedes events (write_state.c) ---- */

/* Writes a record. */
void fxt_writer_emit(fxt_writer *w, const stele_fxt_record *record,
                     const stele_fxt_argument *arguments);

/* Returns a reference to a name: registered if the name came before or `must` be, otherwise
   inline. */
stele_fxt_string fxt_writer_string(fxt_making *m, stele_name name, bool must);

/* Returns a text as an inline string, cut to at most `size_max` bytes. */
stele_fxt_string fxt_inline_string(const void *bytes, size_t size, size_t size_max);

/* Writes the records in a target's stage as a section. Further records of the target follow
   there. */
void fxt_writer_flush(fxt_writer *w, fxt_target *target);

/* Appends payload bytes, and the padding after the last one. */
void fxt_writer_put_payload(fxt_writer *w, const void *bytes, uint64_t size);

/* Fills the rest of a payload whose parts did not all come with zeros: the record must end where
   its size says. */
void fxt_writer_end_payload(fxt_writer *w);

/* Returns a reference to the thread of a track, which is registered. Its name and that of its
   process are written before. */
stele_fxt_thread fxt_writer_thread(fxt_making *m, uint32_t track);

/* Writes names that events should have had but did not. */
void fxt_writer_end_names(fxt_writer *w);

/* Returns the koid of a thread, for records that only have that. A thread record gives its
   process. */
stele_fxt_thread fxt_writer_lone_thread(fxt_making *m, uint64_t track);

/* Remembers that the output names an object: of a type of kernel objects, or a userspace object of
   the event's process. */
void fxt_writer_names_object(fxt_making *m, uint64_t type, uint64_t number);

/* Returns whether readers of the output give an argument of the event, a pointer or a koid, the
   name of an object as its label. */
bool fxt_writer_has_named(const fxt_making *m, bool is_pointer, uint64_t number);

/* The output's provider for events of a stream: its own, or ours for what has none. */
fxt_target *fxt_writer_target(fxt_writer *w, const stele_stream *stream);

/* Sets the event's time: the source's own ticks if they are exact, otherwise nanoseconds. To be
   called last, so that the clock is written directly before the record, after all other state. */
void fxt_writer_set_time(fxt_making *m, uint64_t *end);

/* Counts something of the event that a record cannot hold. */
void fxt_writer_lose(fxt_making *m, const char *what, loss_extent extent);

/* ---- Fields as arguments (write_fields.c) ---- */

/* Adds the event's fields as arguments, except those that the record holds in another way. */
void fxt_writer_arguments(fxt_making *m);

/* Adds the CPU of the event as an argument after them. */
void fxt_writer_cpu(fxt_making *m);

/* Returns a field that the reader has made from something else than an argument, or NULL. */
const stele_field *fxt_writer_field(const fxt_making *m, fxt_name name, stele_type type,
                                    uint8_t width);

#endif
