/* SPDX-License-Identifier: Apache-2.0 */
/* The events that the spans engine gives out, with what is known of each beside them. */
#ifndef ANALYSIS_EVENTS_SPANS_MADE_H
#define ANALYSIS_EVENTS_SPANS_MADE_H

#include <stele/spans.h>

#include "core/table.h"
#include "model/context.h"

#define SPANS_MADE 256u

/* A name and that of it which the field of an end gets. */
typedef struct end_name {
    stele_name name, made;
} end_name;

typedef struct spans_made {
    stele_context *context;
    stele_span_fn *fn;
    void *user;
    stele_batch *batch;
    stele_span spans[SPANS_MADE];                       /* of the events of the batch */
    uint32_t fields_before, bytes_before, names_before; /* the last one was added */
    end_name *end_names;
    uint32_t end_name_count, end_name_capacity;
    hash_table end_name_numbers;
} spans_made;

/* An event with its batch; a NULL event: there is none. */
typedef struct spans_end {
    const stele_batch *batch;
    const stele_event *event;
} spans_end;

stele_status spans_made_init(spans_made *m, stele_context *context, stele_span_fn *fn, void *user);
void spans_made_free(spans_made *m);

/* Appends a span. One of both ends is there at least; the fields are those of both, if wanted. */
stele_status spans_made_add(spans_made *m, const stele_span *span, spans_end begin, spans_end end,
                            bool has_fields);

/* Takes the last one back, which was not given out. */
void spans_made_undo(spans_made *m);

/* Gives out what was added, which is something. */
stele_status spans_made_give(spans_made *m);

/* Merged tracks come in runs of a few events, of which many end nothing. */
static inline stele_status spans_made_flush(spans_made *m)
{
    return m->batch->event_count == 0 ? STELE_OK : spans_made_give(m);
}

#endif
