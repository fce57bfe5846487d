/* SPDX-License-Identifier: Apache-2.0 */
/* Records as events of the model. */
#ifndef FXT_EVENTS_H
#define FXT_EVENTS_H

#include "formats/fxt/state.h"
#include "formats/fxt/walk.h"
#include "model/batch.h"
#include "model/trace.h"

/* Names of the fields that are not arguments; a list, because they are interned in a row. */
#define FXT_FIELD_NAMES(X)                                                                        \
    X(scope)                                                                                      \
    X(message) X(data) X(record) X(extension) X(undecoded) X(outgoing_state) X(outgoing_priority) \
        X(incoming_priority) X(blob_type) X(build_id) X(start) X(range) X(vaddr) X(access)        \
            X(frames) X(thread) X(process) X(global)

typedef struct fxt_field_names {
#define X(name) stele_name name;
    FXT_FIELD_NAMES(X)
#undef X
    stele_name blob_types[4], thread_states[6];
} fxt_field_names;

/* What events are made with; set up by the reader. */
typedef struct fxt_events {
    fxt_state *state;
    fxt_field_names names;
    uint32_t columns;
    uint64_t kinds;
    int64_t begin_ns, end_ns;
    uint64_t lost_count;
} fxt_events;

bool fxt_events_open(fxt_events *e, fxt_state *state, const produce_request *request);

/*
 * Appends the record's event to the batch, unless the request leaves it out; applies it to the
 * state, whether or not. Payloads of blobs are left to fxt_events_payload(). False when memory is
 * exhausted. `*event` is the event or NULL.
 */
bool fxt_events_add(fxt_events *e, stele_batch *batch, const walk_record *at,
                    const stele_fxt_record *r, stele_event **event);

/* Appends a field with payload bytes to the last event of the batch: "data" or "record". */
bool fxt_events_payload(fxt_events *e, stele_batch *batch, stele_event *event, bool is_record,
                        const uint8_t *bytes, uint32_t size);

#endif
