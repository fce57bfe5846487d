/* SPDX-License-Identifier: Apache-2.0 */
/* Exact conversion of ticks to nanoseconds: floor(ticks * 10^9 / frequency), without a division. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/wide.h"

typedef struct tick_rate {
    uint64_t frequency_hz;
    uint64_t whole;     /* floor(10^9 / f) */
    uint64_t fraction;  /* floor((10^9 mod f) * 2^64 / f) */
    uint64_t ticks_max; /* the largest number of ticks whose time fits in an int64_t */
} tick_rate;

/* Prepares the conversion for a frequency. 0 is taken as 10^9: a tick is a nanosecond. */
tick_rate tick_rate_make(uint64_t frequency_hz);

/*
 * Converts ticks to nanoseconds, rounded down. Ticks beyond `ticks_max` give INT64_MAX and set
 * `*is_clamped`, which is not NULL and otherwise stays as it is.
 *
 * The estimate from the fixed-point ratio is at most one too small: the fraction is cut by less
 * than 2^-64, times fewer than 2^64 ticks. It can be too small only if its part after the binary
 * point is within `ticks` of the next whole number. Then the remainder decides; arithmetic modulo
 * 2^64 suffices for it, because the true remainder lies in [0, 2f) and f < 2^63.
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

/* Converts a signed distance in ticks as tick_rate_ns() does, rounded down (towards the past). */
int64_t tick_rate_ns_signed(const tick_rate *rate, int64_t ticks, bool *is_clamped);

/* The first tick at or after `ns`: the inverse of tick_rate_ns(), for seeking. Clamped to [0,
   UINT64_MAX]. */
uint64_t tick_rate_ticks(const tick_rate *rate, int64_t ns);

#endif
