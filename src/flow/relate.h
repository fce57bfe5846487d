/* SPDX-License-Identifier: Apache-2.0 */
/* How the times of traces that are read together relate, and what bounds then mean. */
#ifndef FLOW_RELATE_H
#define FLOW_RELATE_H

#include "model/trace.h"
#include "query/filter.h"

/* A trace among others. What is not known yet is not needed, or the trace has no events. */
typedef struct related {
    stele_trace *trace;
    bool has_clock;          /* that of its first stream */
    bool has_begin, has_end; /* begin_ns, end_ns are known */
    stele_clock clock;
    int64_t begin_ns, end_ns; /* first and last time, on the trace's own scale */
    int64_t shift_ns;         /* from there to the common scale */
    int64_t offset_ns;        /* the part of it that corrects the clock, and wall-clock time */
    double drift;             /* before the shift, times are stretched: see batch_drift() */
    int64_t drift_from_ns;
} related;

/* A time of the trace's own scale on the common one, and the other way round, which with a drift
   can be a nanosecond off. */
int64_t related_common_time(const related *r, int64_t own_ns);
int64_t related_own_time(const related *r, int64_t time_ns);

/* What has to be known of every trace to use a request. */
bool request_needs_clock(const stele_request *request, size_t trace_count);
bool request_needs_begin(const stele_request *request, size_t trace_count);
bool request_needs_end(const stele_request *request);

/* Learns from the streams that an index found. */
void related_learn_index(related *r);

/* Learns from the first events of a trace that is read in file order. */
void related_learn_batch(related *r, const stele_batch *batch);

/* Finds the common scale. STELE_ERR_CLOCKS, with a finding, when there is none. */
stele_status relate(stele_context *context, related *traces, size_t count,
                    const stele_request *request);

/* Whether their clocks are known to be one: by its identity, or because both stood at the same ns
   of wall-clock time when they were zero, and tick alike. */
bool related_share_clock(const related *a, const related *b);

/* The first time of all traces on the common scale; false when it is not known of each. */
bool relate_begin(const related *traces, size_t count, int64_t *begin_ns);

/* What the bounds mean on the common scale. STELE_ERR_UNSUPPORTED and STELE_ERR_ARGUMENT, each with
   a finding. */
stele_status relate_bounds(stele_context *context, const related *traces, size_t count,
                           const stele_request *request, filter_range *range);

#endif
