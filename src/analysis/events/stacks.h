/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of the spans that are open on each track. All stacks share one pool, so that memory
   depends only on the number of open spans, not on how they are spread over tracks. */
#ifndef ANALYSIS_EVENTS_STACKS_H
#define ANALYSIS_EVENTS_STACKS_H

#include <stele/event.h>

typedef struct open_span {
    int64_t begin_ns;
    int64_t end_ns;  /* INT64_MAX: not known yet */
    uint64_t id;     /* id of the event that opened it */
    uint64_t offset; /* offset in bytes of the event that opened it */
    uint32_t size;   /* size in bytes of the event that opened it */
    stele_name name;
    uint32_t below; /* number of the span below in its stack; 0: none */
} open_span;

typedef struct stacks {
    open_span *spans; /* by number from 1; the free ones form a list through `below` */
    uint32_t *tops;   /* number of the top span, by track; 0: the stack is empty */
    uint32_t span_count, span_capacity, span_free;
    uint32_t track_count;
    uint32_t open_count, open_max;
} stacks;

void stacks_init(stacks *s, uint32_t open_max);
void stacks_free(stacks *s);

/* Grows the tables for a track and a span where they must, and takes the span's number. Returns 0
   if out of memory. */
uint32_t stacks_make_span(stacks *s, uint32_t track);

/* Pushes a span on the stack of a track; the caller fills in all of it but `below`. `*span` is
   valid until the next push. Returns STELE_ERR_LIMIT if `open_max` spans are open already, or
   STELE_ERR_MEMORY. */
static inline stele_status stacks_push(stacks *s, uint32_t track, open_span **span)
{
    uint32_t number = s->span_free;
    if (s->open_count == s->open_max)
        return STELE_ERR_LIMIT;
    if (number != 0 && track < s->track_count)
        s->span_free = s->spans[number].below;
    else if ((number = stacks_make_span(s, track)) == 0)
        return STELE_ERR_MEMORY;
    *span = &s->spans[number];
    (*span)->below = s->tops[track];
    s->tops[track] = number;
    s->open_count++;
    return STELE_OK;
}

/* Pops the top span, which must exist. */
static inline void stacks_pop(stacks *s, uint32_t track)
{
    const uint32_t number = s->tops[track];
    s->tops[track] = s->spans[number].below;
    s->spans[number].below = s->span_free;
    s->span_free = number;
    s->open_count--;
}

/* The top span of a track, and the span below another one. Valid until the next push; NULL if
   there is none. */
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
