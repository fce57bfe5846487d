/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each track in the window of a critical path, and how that is asked for. */
#ifndef ANALYSIS_EVENTS_CRITICAL_H
#define ANALYSIS_EVENTS_CRITICAL_H

#include <stele/critical.h>

#include "model/context.h"

#define CRITICAL_NONE UINT32_MAX

typedef struct critical_span {
    int64_t begin_ns, end_ns;
    uint64_t offset;
    uint32_t stream;
    uint32_t track;
    stele_name name;
    uint32_t around; /* index of the span around it; before sorting, its number as it came */
} critical_span;

/* What is on no stack: an operation, a flow, a pair. */
typedef struct critical_operation {
    critical_span span;
    uint64_t id, parent;
    uint32_t end_track;
    uint8_t source;  /* stele_span_source */
    bool is_reached; /* it is part of the one whose path is asked for */
} critical_operation;

typedef struct critical_interval {
    int64_t begin_ns, end_ns;
    uint32_t track, by;
    uint32_t number; /* as it came */
    uint8_t state;   /* stele_run_state */
} critical_interval;

typedef struct critical_flow {
    int64_t begin_ns, end_ns;
    uint64_t offset;
    uint32_t stream;
    uint32_t from, track;
    stele_name name;
} critical_flow;

/* A track, or an operation with those in it: ranges of the arrays. Flows are those that end on it.
 */
typedef struct critical_line {
    const critical_span *spans;
    const critical_interval *intervals;
    const critical_flow *flows;
    uint32_t span_count, interval_count, flow_count;
} critical_line;

typedef struct critical_stretches {
    stele_critical_stretch *rows;
    uint32_t count, capacity;
} critical_stretches;

struct stele_critical {
    stele_context *context;
    stele_critical_options options;
    stele_spans *engine;
    stele_sched *sched;
    critical_span *spans;
    critical_operation *operations;
    critical_interval *intervals;
    critical_flow *flows;
    uint32_t span_count, span_capacity, operation_count, operation_capacity;
    uint32_t interval_count, interval_capacity, flow_count, flow_capacity;
    uint64_t spans_least_ns, intervals_least_ns; /* what is shorter is left out */
    uint32_t number;                             /* of the last span or interval that came */
    critical_line *lines;                        /* by track, once all was read */
    uint32_t line_count;
    critical_span *own; /* of the operation whose path is asked for, with those in it */
    int64_t begin_ns, end_ns;
    critical_stretches path;
    stele_critical_counts counts;
};

/* ---- Asking (critical_lines.c) ---- */

/* Sorts what was kept, by track and time. Returns false if out of memory. */
bool critical_lines_make(stele_critical *c);

/* Sorts spans of one line, the outer of two first, and finds what is around each. */
void critical_spans_nest(critical_span *spans, uint32_t count);

/* The line of a track; an empty one where nothing is known. */
critical_line critical_line_of(const stele_critical *c, uint32_t track);

/* The innermost span that is open just before a time, NULL if there is none; `*low_ns` rises to
   where that holds from. */
const critical_span *critical_span_before(const critical_line *line, int64_t time_ns,
                                          int64_t *low_ns);

/* What the thread does just before a time, NULL if that is not known; `*low_ns` as before. */
const critical_interval *critical_interval_before(const critical_line *line, int64_t time_ns,
                                                  int64_t *low_ns);

/* How many flows of the line end by a time: the last of them is the one before that index. */
uint32_t critical_flows_by(const critical_line *line, int64_t time_ns);

/* ---- Walking (critical_walk.c) ---- */

/* Makes the path of a span on lines that were made; `own` is the line of an operation, NULL for
   calls. */
stele_status critical_walk(stele_critical *c, const stele_span *span, const critical_line *own);

#endif
