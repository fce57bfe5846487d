/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes, by name: the contents of `stele profile`. Calls in, figures out. */
#ifndef ANALYSIS_EVENTS_PROFILE_H
#define ANALYSIS_EVENTS_PROFILE_H

#include "analysis/events/calls.h"

typedef struct stele_profile stele_profile;

typedef struct stele_profile_options {
    bool by_track;                 /* figures for each name on each track */
    uint32_t depth_min, depth_end; /* of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;
    const stele_request *only; /* as stele_call_options.only */
} stele_profile_options;

typedef struct stele_profile_row {
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
} stele_profile_row;

typedef enum stele_profile_order {
    STELE_PROFILE_BY_SELF,
    STELE_PROFILE_BY_TOTAL,
    STELE_PROFILE_BY_COUNT,
    STELE_PROFILE_BY_MAX,
    STELE_PROFILE_BY_MEAN,
    STELE_PROFILE_BY_NAME
} stele_profile_order;

/* STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
stele_status stele_profile_new(stele_context *context, const stele_profile_options *options,
                               stele_profile **out);
void stele_profile_free(stele_profile *p);
stele_status stele_profile_add(stele_profile *p, const stele_segment *segment);

/* As stele_calls_set_window(). */
stele_status stele_profile_set_window(stele_profile *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open; rows are complete from then on. */
stele_status stele_profile_finish(stele_profile *p);

/* The kinds and columns to ask for. */
#define STELE_PROFILE_KINDS (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_SAMPLE))
uint32_t stele_profile_columns(const stele_profile *p);

/* Mean duration of the calls, rounded down: never above the longest. */
static inline uint64_t stele_profile_mean_ns(const stele_profile_row *row)
{
    return row->count != 0 ? row->sum_ns / row->count : 0;
}

/* The rows in an order, largest first (names rising); owned by the profile. STELE_ERR_MEMORY. */
stele_status stele_profile_rows(stele_profile *p, stele_profile_order order,
                                const stele_profile_row **rows, size_t *count);
/* Times of samples are in units of the tracer. */
uint64_t stele_profile_sample_count(const stele_profile *p);
const stele_call_counts *stele_profile_get_counts(const stele_profile *p);

#endif
