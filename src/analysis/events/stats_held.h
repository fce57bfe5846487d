/* SPDX-License-Identifier: Apache-2.0 */
/* Values that hold until the next one of their group, such as counters, queue lengths and
   frequencies. */
#ifndef ANALYSIS_EVENTS_STATS_HELD_H
#define ANALYSIS_EVENTS_STATS_HELD_H

#include "analysis/events/stats_groups.h"

/* The window: time outside of it is not counted. */
typedef struct stats_window {
    int64_t begin_ns, end_ns;
} stats_window;

/* Sets the value of a group's expression from now on. Does nothing if it is not a number.
   Returns false if out of memory. */
bool stats_held_set(stats_groups *g, stats_group *group, uint32_t of, const stele_value *value,
                    int64_t now_ns, const stats_window *window);

/* Counts the current values of all groups up to a time. Returns false if out of memory. */
bool stats_held_end(stats_groups *g, int64_t end_ns, const stats_window *window);

#endif
