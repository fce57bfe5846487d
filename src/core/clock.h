/* SPDX-License-Identifier: Apache-2.0 */
/* Exact conversion of ticks to nanoseconds: floor(ticks * 10^9 / frequency), without division. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/wide.h"

typedef struct tick_rate {
    uint64_t frequency_hz;
    uint64_t whole;     /* floor(10^9 / f) */
    uint64_t fraction;  /* floor((10^9 mod f) * 2^64 / f) */
    uint64_t ticks_max; /* the largest whose time fits in an int64_t */
} tick_rate;

/* A frequency of 0 is taken as 10^9: a tick is a nanosecond. */
tick_rate tick_rate_make(uint64_t frequency_hz);

/*
 * The estimate from the fixed-point ratio is at most one too small: the fraction is cut by less
 * than 2^-64, times fewer than 2^64 ticks. Only where what follows the point is within `ticks` of
 * the next whole number can it be that; then the remainder shows it, and arithmetic modulo 2^64 is
 * enough to see it because the true remainder lies in [0, 2f) and f < 2^63. Ticks beyond
 * `ticks_max` give INT64_MAX; `*is_clamped`, not NULL, is then set and else left alone.
 */
static inline int64_t tick_rate_ns(const tick_rate *rate, uint64_t ticks, bool *is_clamped)
{
    const wide_u128 product = u128_multiply(ticks, rate->fraction);
    uint64_t ns;
    if (__builtin_expect(ticks > rate->ticks_max, 0)) {
        *is_clamped = true;
        return INT64_MAX;
    }
    ns = ticks * rate->whole + u128_high(product);
    if (__builtin_expect(u128_low(product) > ~ticks, 0))
        ns += ticks * UINT64_C(1000000000) - ns * rate->frequency_hz >= rate->frequency_hz;
    return (int64_t)ns;
}

/* The same for a signed distance in ticks, rounded down (towards the past). */
int64_t tick_rate_ns_signed(const tick_rate *rate, int64_t ticks, bool *is_clamped);

/* The first tick at or after `ns`: the inverse, for seeking. Clamped to [0, UINT64_MAX]. */
uint64_t tick_rate_ticks(const tick_rate *rate, int64_t ns);

#endif
