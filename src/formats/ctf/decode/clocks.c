/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock values to nanoseconds from the clock's origin: exactly
 * floor((offset_s * f + offset_cycles + ticks) * 10^9 / f).
 */
#include "formats/ctf/decode/program.h"

#define NS_PER_S 1000000000

clock_rate clock_rate_make(const ctf_clock *clock)
{
    const wide_i128 f = (wide_i128)clock->frequency_hz;
    const wide_i128 total = (wide_i128)clock->offset_s * f + clock->offset_cycles;
    wide_i128 seconds = total / f, cycles = total % f;
    clock_rate rate = {.rate = tick_rate_make(clock->frequency_hz)};
    if (cycles < 0) {
        cycles += f;
        seconds--;
    }
    /* Beyond 64 bits of seconds no time fits in 64 bits of nanoseconds. */
    if (seconds > INT64_MAX)
        seconds = INT64_MAX;
    if (seconds < INT64_MIN)
        seconds = INT64_MIN;
    rate.base_s = (int64_t)seconds;
    rate.rest = (uint64_t)cycles;
    rate.fits = clock->frequency_hz <= INT64_MAX &&
                !__builtin_mul_overflow(rate.base_s, (int64_t)NS_PER_S, &rate.base_ns);
    rate.is_ns = clock->frequency_hz == NS_PER_S && rate.fits &&
                 !__builtin_add_overflow(rate.base_ns, (int64_t)rate.rest, &rate.zero_ns);
    return rate;
}

int64_t clock_rate_ns_far(const clock_rate *rate, uint64_t ticks, bool *is_clamped)
{
    const wide_i128 sum = (wide_i128)rate->rest + ticks;
    const wide_i128 ns =
        (wide_i128)rate->base_s * NS_PER_S + sum * NS_PER_S / (wide_i128)rate->rate.frequency_hz;
    if (ns <= INT64_MAX && ns >= INT64_MIN)
        return (int64_t)ns;
    *is_clamped = true;
    return ns < 0 ? INT64_MIN : INT64_MAX;
}

int64_t clock_ns(const ctf_clock *clock, uint64_t ticks, bool *is_clamped)
{
    const clock_rate rate = clock_rate_make(clock);
    return clock_rate_ns(&rate, ticks, is_clamped);
}
