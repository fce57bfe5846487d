/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two profiles, by name. */
#ifndef ANALYSIS_EVENTS_COMPARE_H
#define ANALYSIS_EVENTS_COMPARE_H

#include "analysis/events/profile.h"

typedef struct stele_compare_row {
    stele_profile_row before, after; /* a missing one has count 0; the name is in both */
    int64_t self_change_ns;          /* of all calls together */
    bool has_noise;  /* two calls or more on each side that has any: noise_ns is known */
    double noise_ns; /* standard error of the change, from how the calls differ */
    bool is_noise;   /* the change is within twice of that */
} stele_compare_row;

/*
 * The rows of two profiles, which are finished and of the same context, with the largest change of
 * self time first; to be freed with free(). A call's self time varies; if calls are independent of
 * each other, the sum of n of them has n times their variance, and so the difference of two sums
 * has a known standard error. STELE_ERR_MEMORY.
 */
stele_status stele_profile_compare(const stele_context *context, stele_profile *before,
                                   stele_profile *after, stele_compare_row **rows, size_t *count);

#endif
