/* SPDX-License-Identifier: Apache-2.0 */
/* Adds events, calls and spans to the lanes of an overview. */
#ifndef ANALYSIS_EVENTS_OVERVIEW_TAKE_H
#define ANALYSIS_EVENTS_OVERVIEW_TAKE_H

#include "analysis/events/calls.h"
#include "analysis/events/overview.h"
#include "core/saturate.h"

/* Kinds of events that are paired by a key. Flows are arrows between spans, not spans, and are
   left out. */
#define OVERVIEW_KINDS_LINKED \
    (STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_END))
#define OVERVIEW_KINDS_SCHED STELE_KIND_BIT(STELE_KIND_SWITCH)
/* Kinds of events that say which thread a CPU runs. */
#define OVERVIEW_KINDS_CPU (STELE_KIND_BIT(STELE_KIND_SWITCH) | STELE_KIND_BIT(STELE_KIND_LOST))

#define OVERVIEW_KINDS_INSN                                              \
    (STELE_KIND_BIT(STELE_KIND_INSN) | STELE_KIND_BIT(STELE_KIND_LOAD) | \
     STELE_KIND_BIT(STELE_KIND_STORE))

/* When a COMPLETE event ends, or when another one happens. */
static inline int64_t overview_end_of(const stele_event *event)
{
    const bool has_end = event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > event->time_ns;
    return has_end ? (int64_t)event->id : event->time_ns;
}

/* What events a segment has. */
typedef struct overview_seen {
    uint64_t kinds;  /* as bits */
    bool has_switch; /* one has the name that kernels give to switches */
} overview_seen;

static inline void overview_see_event(const stele_overview *o, overview_seen *seen,
                                      const stele_event *event)
{
    seen->kinds |= STELE_KIND_BIT(event->kind);
    seen->has_switch |= event->name == o->switch_name;
}

/* Notes that a segment begins before a time that others have come to, where that is not flagged. */
static inline void overview_note_step_back(stele_overview *o, const stele_segment *segment,
                                           int64_t last_ns)
{
    const stele_event *const first = segment->batch->events + segment->first;
    if (o->is_by_streams && segment->count != 0 && first->time_ns < last_ns &&
        (first->flags & (STELE_FLAG_NO_TIME | STELE_FLAG_LATE)) == 0)
        o->has_gone_back = true;
}

/* Kinds of events that are more than moments of their tracks. */
#define OVERVIEW_KINDS_NOT_PLAIN \
    (STELE_KIND_BIT(STELE_KIND_LOST) | STELE_KIND_BIT(STELE_KIND_COUNTER))

/* Whether an event is taken like nearly all: it counts for its track, and is a moment there. */
static inline bool overview_is_plain_event(const stele_overview *o, const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) == 0 && event->time_ns >= o->range_begin_ns &&
           (STELE_KIND_BIT(event->kind) & OVERVIEW_KINDS_NOT_PLAIN) == 0;
}

/*
 * Takes plain events, of which the first is given: what they have in common is counted once for all
 * of them. Returns the first event that it did not take.
 */
const stele_event *overview_take_moments(stele_overview *o, const stele_event *event,
                                         const stele_event *end, uint32_t trace,
                                         overview_seen *seen);

/*
 * Takes mere moments from the start of segments, which are in the order of time. Those of many
 * streams have one or two events each, so that what is done once for each segment counts. Returns
 * how many segments were taken as a whole; of the next one, the first `*part` events were taken.
 */
size_t overview_take_mere_moments(stele_overview *o, const stele_segment *segments, size_t count,
                                  uint32_t *part);

/* Receives ended calls from the calls engine. */
stele_status overview_take_calls(void *user, const stele_call_span *calls, size_t count);

/* Receives ended spans from the spans engine. */
stele_status overview_take_spans(void *user, const stele_segment *segment, const stele_span *spans);

/* Takes segments of the reader. */
void overview_take(stele_overview *o, const stele_segment *segments, size_t count);

/* Ends open spans and closes all lanes. */
void overview_finish(stele_overview *o);

#endif
