/* SPDX-License-Identifier: Apache-2.0 */
/* Adds events, calls and spans to the lanes of an overview. */
#ifndef ANALYSIS_EVENTS_OVERVIEW_TAKE_H
#define ANALYSIS_EVENTS_OVERVIEW_TAKE_H

#include "analysis/events/calls.h"
#include "analysis/events/overview.h"

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

/* Sets o->status unless it has an error already. */
static inline void overview_keep_status(stele_overview *o, stele_status status)
{
    if (o->status == STELE_OK)
        o->status = status;
}

/* Receives ended calls from the calls engine. */
stele_status overview_take_calls(void *user, const stele_call_span *calls, size_t count);

/* Receives ended spans from the spans engine. */
stele_status overview_take_spans(void *user, const stele_segment *segment, const stele_span *spans);

/* Takes segments of the reader. */
void overview_take(stele_overview *o, const stele_segment *segments, size_t count);

/* Ends open spans and closes all lanes. */
void overview_finish(stele_overview *o);

#endif
