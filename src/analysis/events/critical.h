/* SPDX-License-Identifier: Apache-2.0 */
/* What the search for a critical path knows of each track, and functions that look it up. */
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
    /* index of the span around this one; until spans are sorted, the number in order of arrival */
    uint32_t around;
    /* A span further out, or CRITICAL_NONE: a way out past many in few steps. `jump_end_ns` is the
       latest end of this span and those it passes; `depth` is 1 for an outermost span. */
    uint32_t jump, depth;
    int64_t jump_end_ns;
} critical_span;

/* A span that is on no stack: an operation, a flow, or a pair. */
typedef struct critical_operation {
    critical_span span;
    uint64_t id, parent;
    uint32_t end_track;
    uint8_t source;  /* a stele_span_source */
    bool is_reached; /* belongs to the operation whose path is searched */
} critical_operation;

typedef struct critical_interval {
    int64_t begin_ns, end_ns;
    uint32_t track, by;
    uint32_t number; /* in order of arrival */
    uint8_t state;   /* a stele_run_state */
} critical_interval;

typedef struct critical_flow {
    int64_t begin_ns, end_ns;
    uint64_t offset;
    uint32_t stream;
    uint32_t from, track;
    stele_name name;
} critical_flow;

/* What is on a track, or in an operation and those inside it: ranges of the arrays of
   stele_critical. Its flows are those that end on the track. */
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
    /* spans and states shorter than these were left out */
    uint64_t spans_least_ns, intervals_least_ns;
    uint32_t number;      /* of the span or interval that arrived last */
    critical_line *lines; /* by track number; made when all events were added */
    uint32_t line_count;
    critical_span *own; /* spans of the operation whose path is searched, with those inside it */
    int64_t begin_ns, end_ns;
    critical_stretches path;
    stele_critical_counts counts;
};

/* ---- Lookup (critical_lines.c) ---- */

/* Sorts what was kept by track and time, and makes `lines`. Returns false if out of memory. */
bool critical_lines_make(stele_critical *c);

/* Sorts the spans of one line, outer spans before inner ones, and sets `around` of each. */
void critical_spans_nest(critical_span *spans, uint32_t count);

/* The line of a track; an empty line if nothing is known of the track. */
critical_line critical_line_of(const stele_critical *c, uint32_t track);

/* The innermost span that is open just before a time; NULL if there is none. `*low_ns` is raised
   to the time since which the result is the same. */
const critical_span *critical_span_before(const critical_line *line, int64_t time_ns,
                                          int64_t *low_ns);

/* What the thread does just before a time; NULL if that is not known. `*low_ns` is raised to the
   time since which the result is the same. */
const critical_interval *critical_interval_before(const critical_line *line, int64_t time_ns,
                                                  int64_t *low_ns);

/* How many flows of the line end at a time or earlier; flows are sorted by their end. */
uint32_t critical_flows_by(const critical_line *line, int64_t time_ns);

/* ---- Path search (critical_walk.c) ---- */

/* Finds the critical path of a span. critical_lines_make() must have succeeded. `own` is the
   line of an operation, NULL for a call. */
stele_status critical_walk(stele_critical *c, const stele_span *span, const critical_line *own);

#endif
