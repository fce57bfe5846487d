/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of statistics, for stats_make.c, which makes them, stats.c, which adds rows, and
 * stats_results.c, which gives the results.
 */
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
    filter *only; /* the request's filter; NULL: all rows count */
    uint64_t kinds;
    stele_stats_rows rows;
    bool has_distinct, has_origin, has_window;
    bool is_direct;        /* COMPLETE events are rows without the spans engine */
    bool is_by_name;       /* the only key is `name` */
    bool is_name_duration; /* the only key is `name`, and the only expression is `dur` */
    bool is_of_calls; /* rows are grouped by `name`, and expressions are only `dur` and `self` */
    bool uses_time;   /* expressions need the begin of time */
    bool is_disordered;
    bool has_begun;         /* events went to an engine that follows what begins and ends */
    stats_window window;    /* the window in which values that hold are counted */
    int64_t time_ns;        /* the latest time of all events */
    const stele_field *row; /* the current row, if rows are the numbers of counters */
    int64_t *last_ns;       /* time of the last event of calls, by number of the track */
    uint32_t last_count;
    int64_t origin_ns;
    uint64_t row_count, timeout_ns;
    stele_spans *spans; /* engine that makes the rows; NULL: rows are events */
    /* engine that makes the rows in place of `spans`; NULL: it does not suffice */
    stele_calls *calls;
    bool is_self[EXPRESSION_LIST_MAX]; /* whether each expression is `self` of calls, not `dur` */
    /* batch of the current event, while calls are added one by one */
    const stele_batch *call_batch;
    const stele_event *call_event;
    stats_groups groups;
};

/* Takes the spans that end in a segment as rows. `user` is the stele_stats. */
stele_status stats_take_spans(void *user, const stele_segment *segment, const stele_span *spans);

#endif
