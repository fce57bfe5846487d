/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the calls engine of <stele/analysis.h> for other analyses; none of them is public.
 */
#ifndef ANALYSIS_EVENTS_CALLS_H
#define ANALYSIS_EVENTS_CALLS_H

#include <stele/analysis.h>

#include "analysis/events/call_stack.h"
#include "model/context.h"

/* Makes every track enter the window at its begin, instead of at the first event in the window. */
void stele_calls_enter_window(stele_calls *s);

/* Leaves self and total times undefined, for receivers that look at neither. */
void stele_calls_leave_self(stele_calls *s);

/* How many calls are open on a track. */
uint32_t stele_calls_depth(const stele_calls *s, uint32_t track);

/* Whether a time is in the window. */
bool stele_calls_in_window(const stele_calls *s, int64_t time_ns);

/* Whether an event passes the filter stele_call_options.only. */
bool stele_calls_wants(const stele_calls *s, const stele_batch *batch, const stele_event *event);

/* The tree node of a path that was sampled instead of called. `names` has `count` names, the
   outermost one first. */
uint32_t stele_calls_path(stele_calls *s, uint32_t track, const stele_name *names, size_t count);

/* Pops the COMPLETE events of a track that have ended by `now_ns`, so that calls which begin
   then are not inside of them. */
void calls_expire(stele_calls *s, uint32_t track, int64_t now_ns);

/*
 * Passes over COMPLETE events in the window that no receiver wants: they end at their own end, so
 * that they change nothing but the times of their tracks. Takes events from `event` on until `end`,
 * a copy of another event, or an event that ends after `end_ns`. Returns how many it took.
 */
uint32_t calls_pass_complete(stele_calls *s, const stele_event *event, const stele_event *end,
                             int64_t end_ns);

/*
 * Sets the tree node of the top frame, which the caller has pushed. Returns false if out of memory.
 */
bool calls_set_node(stele_calls *s, const stack *of);

#endif
