/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes, by name: the contents of `stele profile`. Calls in, figures out. */
#ifndef ANALYSIS_EVENTS_PROFILE_H
#define ANALYSIS_EVENTS_PROFILE_H

#include "analysis/events/calls.h"

typedef struct profile profile;

typedef struct profile_options {
    bool by_track;                 /* figures for each name on each track */
    uint32_t depth_min, depth_end; /* of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;
    const stele_request *only; /* as call_options.only */
} profile_options;

typedef struct profile_row {
    stele_name name;
    uint32_t track;          /* 0: of all tracks */
    uint64_t count;          /* calls with a known duration */
    uint64_t lost_count;     /* exits whose entry is missing: in no other figure */
    uint64_t unended_count;  /* of `count`: left open by an exception or the end of the trace */
    uint64_t total_ns;       /* from entry to exit, a recursive call only where it is outermost */
    uint64_t self_ns;        /* without calls made by it */
    uint64_t sum_ns;         /* of all durations, so that the mean is sum_ns / count */
    double self_squares;     /* sum of the squares of the calls' self times */
    bool is_sampled;         /* summed up by the tracer: `count`, `self_ns` and `total_ns` only */
    uint64_t min_ns, max_ns; /* exact */
    uint64_t p50_ns, p90_ns, p99_ns; /* at most 3.2% too large, never above max_ns */
} profile_row;

typedef enum profile_order {
    PROFILE_BY_SELF,
    PROFILE_BY_TOTAL,
    PROFILE_BY_COUNT,
    PROFILE_BY_MAX,
    PROFILE_BY_MEAN,
    PROFILE_BY_NAME
} profile_order;

/* STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
stele_status profile_new(stele_context *context, const profile_options *options, profile **out);
void profile_free(profile *p);
stele_status profile_add(profile *p, const stele_segment *segment);

/* As calls_set_window(). */
stele_status profile_set_window(profile *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open; rows are complete from then on. */
stele_status profile_finish(profile *p);

/* The kinds and columns to ask for. */
#define PROFILE_KINDS (CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_SAMPLE))
uint32_t profile_columns(const profile *p);

/* Mean duration of the calls. */
static inline double profile_mean_ns(const profile_row *row)
{
    return row->count != 0 ? (double)row->sum_ns / (double)row->count : 0;
}

/* The rows in an order, largest first (names rising); owned by the profile. STELE_ERR_MEMORY. */
stele_status profile_rows(profile *p, profile_order order, const profile_row **rows, size_t *count);
/* Times of samples are in units of the tracer. */
uint64_t profile_sample_count(const profile *p);
const call_counts *profile_get_counts(const profile *p);

#endif
