/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock values to nanoseconds from the clock's origin: exactly
 * floor((offset_s * f + offset_cycles + ticks) * 10^9 / f).
 *
 * Clocks that round twice give what babeltrace2 gives for clocks of other frequencies than 1 GHz:
 * the offset and the ticks become ns each, by way of floating point, which is up to some ns too
 * early.
 */
#include "formats/ctf/records/clocks.h"

#include "core/wide.h"
#include "formats/ctf/records/decode.h"

#define NS_PER_S 1000000000

clock_rate clock_rate_make(const ctf_clock *clock)
{
    const wide_i128 total = i128_add(i128_multiply(clock->offset_s, clock->frequency_hz),
                                     i128_of_i64(clock->offset_cycles));
    clock_rate rate = {.rate = tick_rate_make(clock->frequency_hz)};
    /* Beyond 64 bits of seconds no time fits in 64 bits of nanoseconds. */
    rate.base_s = i128_clamp_i64(i128_divide_down(total, clock->frequency_hz, &rate.rest));
    rate.rounds_twice = clock->rounds_twice && clock->frequency_hz != NS_PER_S;
    rate.fits = clock->frequency_hz <= INT64_MAX && !rate.rounds_twice &&
                !__builtin_mul_overflow(rate.base_s, (int64_t)NS_PER_S, &rate.base_ns);
    if (clock->frequency_hz == NS_PER_S && rate.fits &&
        !__builtin_add_overflow(rate.base_ns, (int64_t)rate.rest, &rate.zero_ns))
        rate.ns_end = (uint64_t)(rate.zero_ns > 0 ? INT64_MAX - rate.zero_ns : INT64_MAX);
    return rate;
}

/* The order of the operations counts. False: beyond 64 bits. */
static bool round_twice(const clock_rate *rate, uint64_t ticks, int64_t *ns)
{
    const double f = (double)rate->rate.frequency_hz;
    const double rest_ns = 1e9 * (double)rate->rest / f, ticks_ns = 1e9 * (double)ticks / f;
    return ticks_ns < 0x1p63 && !__builtin_mul_overflow(rate->base_s, (int64_t)NS_PER_S, ns) &&
           !__builtin_add_overflow(*ns, (int64_t)rest_ns, ns) &&
           !__builtin_add_overflow(*ns, (int64_t)ticks_ns, ns);
}

int64_t clock_rate_ns_far(const clock_rate *rate, uint64_t ticks, bool *is_clamped)
{
    const wide_u128 scaled =
        u128_add(u128_multiply(rate->rest, NS_PER_S), u128_multiply(ticks, NS_PER_S));
    uint64_t rest;
    const wide_u128 part = u128_divide(scaled, rate->rate.frequency_hz, &rest);
    const wide_i128 ns = i128_add(i128_multiply(rate->base_s, NS_PER_S),
                                  i128_make((int64_t)u128_high(part), u128_low(part)));
    int64_t rounded;
    if (rate->rounds_twice && round_twice(rate, ticks, &rounded))
        return rounded;
    *is_clamped |= !i128_fits_i64(ns);
    return i128_clamp_i64(ns);
}

int64_t clock_ns(const ctf_clock *clock, uint64_t ticks, bool *is_clamped)
{
    const clock_rate rate = clock_rate_make(clock);
    return clock_rate_ns(&rate, ticks, is_clamped);
}
