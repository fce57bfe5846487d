/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records into events of the model. */
#ifndef FXT_READ_EVENTS_H
#define FXT_READ_EVENTS_H

#include "formats/fxt/read/state.h"
#include "formats/fxt/records/walk.h"
#include "model/batch.h"
#include "model/trace.h"

/* The magic number if a trace of the other byte order was appended to this one. */
#define FXT_MAGIC_SWAPPED UINT64_C(0x1000044678541600)

/*
 * Names of fields that are not arguments, and of labels. A field that the writer must distinguish
 * from an argument of the same name has a width that arguments of its type do not have, or a label.
 */
typedef enum fxt_name {
    FXT_NAME_SCOPE,
    FXT_NAME_MESSAGE,
    FXT_NAME_DATA,
    FXT_NAME_RECORD,
    FXT_NAME_EXTENSION,
    FXT_NAME_UNDECODED,
    FXT_NAME_OUTGOING_STATE,
    FXT_NAME_OUTGOING_PRIORITY,
    FXT_NAME_INCOMING_PRIORITY,
    FXT_NAME_BLOB_TYPE,
    FXT_NAME_BUILD_ID,
    FXT_NAME_START,
    FXT_NAME_RANGE,
    FXT_NAME_VADDR,
    FXT_NAME_ACCESS,
    FXT_NAME_FRAMES,
    FXT_NAME_THREAD,
    FXT_NAME_PROCESS,
    FXT_NAME_GLOBAL,
    FXT_NAME_UNKNOWN,
    FXT_NAME_CPU, /* of the argument that the writer makes of the CPU of an event */
    FXT_NAME_COUNT
} fxt_name;

extern const char *const fxt_name_texts[FXT_NAME_COUNT];

#define FXT_CPU_TRACKS 256u /* CPUs whose tracks are remembered */

/* What events are made with; the reader sets it up. */
typedef struct fxt_events {
    fxt_state *state;
    stele_name names[FXT_NAME_COUNT];
    /* Names of the types of blobs and of the states of threads. */
    stele_name blob_types[4], thread_states[6];
    uint32_t columns;
    uint64_t kinds;
    uint32_t cpu_tracks[FXT_CPU_TRACKS]; /* tracks by number of the CPU; 0 if not known yet */
    int64_t begin_ns, end_ns;
    uint64_t lost_count;
    screen *screen; /* Which events have fields that are needed; NULL if all do. */
    bool is_hot;    /* the request allows the hot path */
} fxt_events;

/* Prepares for making the events that a request asks for. */
void fxt_events_open(fxt_events *e, fxt_state *state, const produce_request *request,
                     bool is_big_endian);

/*
 * Appends the record's event to the batch, unless the request leaves it out, and applies the record
 * to the state in any case. Payloads of blobs are left to fxt_events_payload(). `*event` is the
 * event, or NULL if it was left out. Returns false if out of memory.
 */
bool fxt_events_add(fxt_events *e, stele_batch *batch, const walk_record *at,
                    const stele_fxt_record *r, stele_event **event);

/* Appends all events up to the first unusual record, a full batch, or the end of the loaded bytes,
   straight from the walk. Returns false if there was none. */
bool fxt_events_add_hot(fxt_events *e, stele_batch *batch, record_walk *k);

/* Zeroes the columns that were not asked for. */
static inline void fxt_events_clear_columns(stele_event *event, uint32_t columns)
{
    if ((columns & STELE_COLUMN_NAME) == 0)
        event->name = event->category = 0;
    if ((columns & STELE_COLUMN_TRACK) == 0)
        event->track = 0;
    if ((columns & STELE_COLUMN_VALUE) == 0)
        event->value = event->id = 0;
}

/* Appends a field with payload bytes to the last event of the batch: "record" if `is_record`, else
   "data". Returns false if out of memory. */
bool fxt_events_payload(fxt_events *e, stele_batch *batch, stele_event *event, bool is_record,
                        const uint8_t *bytes, uint32_t size);

#endif
