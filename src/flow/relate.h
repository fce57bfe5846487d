/* SPDX-License-Identifier: Apache-2.0 */
/* Relates the times of traces that are read together, and converts bounds to their common scale. */
#ifndef FLOW_RELATE_H
#define FLOW_RELATE_H

#include "model/trace.h"
#include "query/filter.h"

/* What is known of one of several traces. Members that are not known are not needed, or the trace
   has no events. */
typedef struct related {
    stele_trace *trace;
    bool has_clock;          /* `clock` is known: that of its first stream */
    bool has_begin, has_end; /* begin_ns, end_ns are known */
    stele_clock clock;
    int64_t begin_ns, end_ns; /* first and last time, on the trace's own scale */
    int64_t shift_ns;         /* added to times of the trace's own scale to get the common one */
    /* The part of shift_ns that corrects the clock, and wall-clock time with it. */
    int64_t offset_ns;
    double drift; /* how much times are stretched before the shift: see batch_drift() */
    int64_t drift_from_ns;
} related;

/* Convert a time of the trace's own scale to the common one, and back; with a drift the latter can
   be a nanosecond off. */
int64_t related_common_time(const related *r, int64_t own_ns);
int64_t related_own_time(const related *r, int64_t time_ns);

/* What must be known of every trace to use a request: its clock, its begin, its end. */
bool request_needs_clock(const stele_request *request, size_t trace_count);
bool request_needs_begin(const stele_request *request, size_t trace_count);
bool request_needs_end(const stele_request *request);

/* Sets clock, begin and end from the streams that an index found. */
void related_learn_index(related *r);

/* Sets clock and begin from the first events of a trace that is read in the order of the file. */
void related_learn_batch(related *r, const stele_batch *batch);

/* Finds the common scale of the traces. STELE_ERR_CLOCKS, with a finding: there is none. */
stele_status relate(stele_context *context, related *traces, size_t count,
                    const stele_request *request);

/* Whether two traces have one clock: by its identity, or because both clocks were zero at the same
   wall-clock time and have the same rate. */
bool related_share_clock(const related *a, const related *b);

/* Gives the first time of all traces on the common scale. Returns false if it is not known of
   each. */
bool relate_begin(const related *traces, size_t count, int64_t *begin_ns);

/* Converts the bounds of a request to a range on the common scale. Errors, each with a finding:
   STELE_ERR_UNSUPPORTED, STELE_ERR_ARGUMENT. */
stele_status relate_bounds(stele_context *context, const related *traces, size_t count,
                           const stele_request *request, filter_range *range);

#endif
