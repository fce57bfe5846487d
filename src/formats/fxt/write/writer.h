/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the writer share. */
#ifndef FXT_WRITE_WRITER_H
#define FXT_WRITE_WRITER_H

#include "core/clock.h"
#include "formats/fxt/read/events.h"
#include "formats/fxt/records/encode.h"
#include "formats/fxt/write/tables.h"
#include "model/writer.h"

/* A provider of the output: its tables and its clock. */
typedef struct fxt_target {
    uint64_t key; /* trace and provider it comes from */
    uint32_t id;
    bool is_announced;
    fxt_clock clock; /* as the last initialization record has it */
    uint64_t last_ticks;
    output *stage; /* records that wait for a section of their own; NULL: there were none */
    fxt_table strings, threads;
} fxt_target;

/* What is known of a koid's name. */
typedef enum fxt_named {
    FXT_NAME_IS_NOT_KNOWN = 0,
    FXT_NAME_IS_WRITTEN,
    FXT_NAME_IS_OWED /* an event says it, which has not come so far */
} fxt_named;

typedef struct fxt_writer {
    stele_writer base;
    stele_name names[FXT_NAME_COUNT];
    fxt_target *targets;
    uint32_t target_count, target_capacity;
    fxt_map target_of; /* (0, key) -> index + 1 */
    fxt_map ids;       /* (0, id) -> 1: in use */
    fxt_map koids;     /* (0, track) -> number of its synthetic koid, from 1 */
    fxt_map named;     /* (kind, koid) -> fxt_named */
    uint32_t synthetic_count;
    uint32_t current; /* target of the last record; UINT32_MAX: none yet */
    uint32_t record;  /* number of the record being made, for the tables */
    output *to;       /* where records go: the output, or the stage of the current target */
    uint32_t section_count;
    output *text;          /* nested fields as text */
    uint64_t payload_left; /* of the large blob being written: bytes that are to come */
    uint64_t payload_size, payload_source; /* all of them; offset of its record in its source */
    bool is_started, is_exhausted, has_owed_names;
} fxt_writer;

/* One event on its way to a record. */
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
} fxt_making;

/* ---- State and what comes before the events: write_state.c ---- */

/* Writes a record. */
void fxt_writer_emit(fxt_writer *w, const stele_fxt_record *record,
                     const stele_fxt_argument *arguments);

/* A reference to a name: registered when it came before or when it `must` be, else inline. */
stele_fxt_string fxt_writer_string(fxt_making *m, stele_name name, bool must);

/* A text as an inline string, cut to what a string may have. */
stele_fxt_string fxt_inline_string(const void *bytes, size_t size, size_t size_max);

/* Writes what waits in a target's stage as a section; the target's next records follow it there. */
void fxt_writer_flush(fxt_writer *w, fxt_target *target);

/* Appends payload, and the padding after its last byte. */
void fxt_writer_put_payload(fxt_writer *w, const void *bytes, uint64_t size);

/* Parts that were announced and did not come are zeros: the record must end where it says. */
void fxt_writer_end_payload(fxt_writer *w);

/* A reference to the thread of a track, registered; names of it and its process come before. */
stele_fxt_thread fxt_writer_thread(fxt_making *m, uint32_t track);

/* Writes the names that events were to say and did not. */
void fxt_writer_end_names(fxt_writer *w);

/* The koid of a thread where only that is written; its process is given by a thread record. */
stele_fxt_thread fxt_writer_lone_thread(fxt_making *m, uint64_t track);

/* The output's provider for events of a stream: its own, or ours for what has none. */
fxt_target *fxt_writer_target(fxt_writer *w, const stele_stream *stream);

/* The event's time; the source's own ticks where they are exact, else nanoseconds. Comes last, so
   that the clock is written right before the record, wherever else state had to be written. */
void fxt_writer_set_time(fxt_making *m, uint64_t *end);

/* Counts something of the event that a record cannot hold. */
void fxt_writer_lose(fxt_making *m, const char *what, loss_extent extent);

/* ---- Fields: write_fields.c ---- */

/* Fields of the event as arguments, but for those that the record holds otherwise. */
void fxt_writer_arguments(fxt_making *m);

/* Finds a field that the reader made from something else than an argument; NULL if there is none.
 */
const stele_field *fxt_writer_field(const fxt_making *m, fxt_name name, stele_type type,
                                    uint8_t width);

#endif
