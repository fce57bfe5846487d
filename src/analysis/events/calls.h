/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls engine of <stele/analysis.h> has for other analyses. */
#ifndef ANALYSIS_EVENTS_CALLS_H
#define ANALYSIS_EVENTS_CALLS_H

#include <stele/analysis.h>

#include "analysis/events/call_stack.h"
#include "model/context.h"

/* With a window: has each track enter it now, not with its first event there. */
void stele_calls_enter_window(stele_calls *s);

/* How many calls are open on a track. */
uint32_t stele_calls_depth(const stele_calls *s, uint32_t track);

/* Whether the window has an event at this time. */
bool stele_calls_in_window(const stele_calls *s, int64_t time_ns);

/* Whether an event passes stele_call_options.only. */
bool stele_calls_wants(const stele_calls *s, const stele_batch *batch, const stele_event *event);

/* The node of a path that was not called but sampled: `count` names, the outermost first. */
uint32_t stele_calls_path(stele_calls *s, uint32_t track, const stele_name *names, size_t count);

/*
 * The stack of a track that is in the window, and follows all that begins: whoever has it may push
 * and pop frames until the next event is added. NULL: there is none yet, or events are for
 * stele_calls_add(). Not for engines with stele_call_options.only or needs_recursion.
 */
stack *calls_plain_stack(const stele_calls *s, uint32_t track);

/* Gives the COMPLETE events of a track that have ended by `now_ns`, before what begins then stands
   on the stack. */
void calls_expire(stele_calls *s, uint32_t track, int64_t now_ns);

/*
 * COMPLETE events in the window that are not to be given: they end with their own ends, whatever
 * else is open, and change nothing but what is known of their tracks. Takes those from `event` on,
 * before `end`, that are no copies of others and end by `end_ns`, and gives how many.
 */
uint32_t calls_pass_complete(stele_calls *s, const stele_event *event, const stele_event *end,
                             int64_t end_ns);

/* Sets the node of the path of the top frame, which was pushed. Returns false if out of memory. */
bool calls_set_node(stele_calls *s, const stack *of);

#endif
