/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics that are being made, for stats.c, which adds rows, and stats_results.c, which reads
   what came of them. */
#ifndef ANALYSIS_EVENTS_STATS_STATE_H
#define ANALYSIS_EVENTS_STATS_STATE_H

#include <stele/spans.h>

#include "analysis/events/stats_groups.h"
#include "analysis/events/stats_held.h"
#include "query/expression_list.h"
#include "query/filter.h"

struct stele_stats {
    stele_context *context;
    expression_list by, of;
    filter *only; /* NULL: all rows */
    uint64_t kinds;
    stele_stats_rows rows;
    bool has_distinct, has_origin, has_window;
    bool is_direct;        /* complete events are rows without the engine of spans */
    bool is_by_name;       /* by `name` alone */
    bool is_name_duration; /* by `name`, of `dur`, and nothing else */
    bool is_of_calls;      /* by `name`, of `dur` and `self`, and nothing else */
    bool uses_time;        /* where time begins must be known */
    bool is_disordered;
    stats_window window;    /* of values that hold */
    int64_t time_ns;        /* the latest one that was seen */
    const stele_field *row; /* of counters: the number at hand */
    int64_t *last_ns;       /* by number of the track: time of the last event that makes calls */
    uint32_t last_count;
    int64_t origin_ns;
    uint64_t row_count, timeout_ns;
    stele_spans *spans; /* NULL: rows are events */
    stele_calls *calls; /* in place of them, while there is no window; NULL: they do not suffice */
    bool is_self[EXPRESSION_LIST_MAX]; /* by expression of what: of calls it is `self`, not `dur` */
    const stele_batch *call_batch;     /* of the event at hand, while they are added one by one */
    const stele_event *call_event;
    stats_groups groups;
};

#endif
