/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that are open at one time, as a stack for each track. All stacks share one pool, so that
 * memory is that of the open spans, however they are spread over tracks.
 */
#ifndef ANALYSIS_EVENTS_STACKS_H
#define ANALYSIS_EVENTS_STACKS_H

#include <stele/event.h>

typedef struct open_span {
    int64_t begin_ns;
    int64_t end_ns;  /* INT64_MAX: not known yet */
    uint64_t id;     /* of the event that opened it */
    uint64_t offset; /* of that event */
    uint32_t size;   /* of that event */
    stele_name name;
    uint32_t below; /* number of the span below in its stack; 0: none */
} open_span;

typedef struct stacks {
    open_span *spans; /* by number from 1; the free ones form a list through `below` */
    uint32_t *tops;   /* by track, 0: empty */
    uint32_t span_count, span_capacity, span_free;
    uint32_t track_count;
    uint32_t open_count, open_max;
} stacks;

void stacks_init(stacks *s, uint32_t open_max);
void stacks_free(stacks *s);

/* Puts a span on top of its track's stack. STELE_ERR_LIMIT when `open_max` are open already. */
stele_status stacks_push(stacks *s, uint32_t track, const open_span *span);

/* Takes the top off, which must be there. */
void stacks_pop(stacks *s, uint32_t track);

/* Valid until the next push; NULL when the stack is empty, or nothing is below. */
static inline open_span *stacks_top(const stacks *s, uint32_t track)
{
    const uint32_t top = track < s->track_count ? s->tops[track] : 0;
    return top != 0 ? &s->spans[top] : NULL;
}

static inline open_span *stacks_below(const stacks *s, const open_span *span)
{
    return span->below != 0 ? &s->spans[span->below] : NULL;
}

#endif
