/* SPDX-License-Identifier: Apache-2.0 */
#include "core/clock.h"

#define NS_PER_S UINT64_C(1000000000)

tick_rate tick_rate_make(uint64_t frequency_hz)
{
    tick_rate rate;
    wide_u128 ticks_max;
    uint64_t rest;
    if (frequency_hz == 0)
        frequency_hz = NS_PER_S;
    /* A counter with 2^63 Hz or more is not real; a frequency below that lets the correction in
       tick_rate_ns() work modulo 2^64. */
    if (frequency_hz > INT64_MAX)
        frequency_hz = INT64_MAX;
    rate.frequency_hz = frequency_hz;
    rate.whole = NS_PER_S / frequency_hz;
    rate.fraction =
        u128_low(u128_divide(u128_make(NS_PER_S % frequency_hz, 0), frequency_hz, &rest));
    /* ticks_max is the largest t with floor(t * 10^9 / f) <= INT64_MAX, that is t * 10^9 < 2^63 *
       f. */
    ticks_max = u128_add(u128_make(frequency_hz >> 1, frequency_hz << 63),
                         u128_make(UINT64_MAX, UINT64_MAX)); /* minus 1 */
    ticks_max = u128_divide(ticks_max, NS_PER_S, &rest);
    rate.ticks_max = u128_fits_u64(ticks_max) ? u128_low(ticks_max) : UINT64_MAX;
    return rate;
}

int64_t tick_rate_ns_signed(const tick_rate *rate, int64_t ticks, bool *is_clamped)
{
    uint64_t distance;
    int64_t ns;
    if (ticks >= 0)
        return tick_rate_ns(rate, (uint64_t)ticks, is_clamped);
    distance = (uint64_t)0 - (uint64_t)ticks;
    ns = tick_rate_ns(rate, distance, is_clamped);
    /* Rounding down is away from zero here, unless the distance is a whole number of
       nanoseconds. */
    if (distance * NS_PER_S != (uint64_t)ns * rate->frequency_hz && ns != INT64_MAX)
        ns++;
    return -ns;
}

uint64_t tick_rate_ticks(const tick_rate *rate, int64_t ns)
{
    wide_u128 ticks;
    uint64_t rest;
    if (ns <= 0)
        return 0;
    ticks = u128_add(u128_multiply((uint64_t)ns, rate->frequency_hz), u128_make(0, NS_PER_S - 1));
    ticks = u128_divide(ticks, NS_PER_S, &rest);
    return u128_fits_u64(ticks) ? u128_low(ticks) : UINT64_MAX;
}
