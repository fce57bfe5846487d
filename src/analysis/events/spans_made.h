/* SPDX-License-Identifier: Apache-2.0 */
/* The events that the spans engine gives, with the span of each. */
#ifndef ANALYSIS_EVENTS_SPANS_MADE_H
#define ANALYSIS_EVENTS_SPANS_MADE_H

#include <stele/spans.h>

#include "core/table.h"
#include "model/context.h"

#define SPANS_MADE 256u

/* The name of a field, and the name that it gets if it comes from the end of a span. */
typedef struct end_name {
    stele_name name, made;
} end_name;

typedef struct spans_made {
    stele_context *context;
    stele_span_fn *fn;
    void *user;
    stele_batch *batch;
    stele_span spans[SPANS_MADE]; /* spans of the events of `batch`, by index */
    /* sizes of the batch's arrays before the last event was added, for spans_made_undo() */
    uint32_t fields_before, bytes_before, names_before;
    end_name *end_names;
    uint32_t end_name_count, end_name_capacity;
    hash_table end_name_numbers;
} spans_made;

/* An event with its batch; if `event` is NULL there is no event. */
typedef struct spans_end {
    const stele_batch *batch;
    const stele_event *event;
} spans_end;

stele_status spans_made_init(spans_made *m, stele_context *context, stele_span_fn *fn, void *user);
void spans_made_free(spans_made *m);

/* Appends a span. At least one of `begin` and `end` has an event. With `has_fields` the fields
   of both are added. */
stele_status spans_made_add(spans_made *m, const stele_span *span, spans_end begin, spans_end end,
                            bool has_fields);

/* Removes the span that was added last and not given yet. */
void spans_made_undo(spans_made *m);

/* Gives the spans that were added; there must be at least one. */
stele_status spans_made_give(spans_made *m);

/* Gives the spans that were added, if any. Segments of merged tracks have few events, many of
   which end nothing. */
static inline stele_status spans_made_flush(spans_made *m)
{
    return m->batch->event_count == 0 ? STELE_OK : spans_made_give(m);
}

#endif
