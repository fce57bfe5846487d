/* SPDX-License-Identifier: Apache-2.0 */
/* Values that hold until the next one of their group: counters, lengths of queues, frequencies. */
#ifndef ANALYSIS_EVENTS_STATS_HELD_H
#define ANALYSIS_EVENTS_STATS_HELD_H

#include "analysis/events/stats_groups.h"

/* The time that counts. */
typedef struct stats_window {
    int64_t begin_ns, end_ns;
} stats_window;

/* An expression of a group has another value from now on. What is no number changes nothing.
   Returns false if out of memory. */
bool stats_held_set(stats_groups *g, stats_group *group, uint32_t of, const stele_value *value,
                    int64_t now_ns, const stats_window *window);

/* Values hold up to a time. Returns false if out of memory. */
bool stats_held_end(stats_groups *g, int64_t end_ns, const stats_window *window);

#endif
