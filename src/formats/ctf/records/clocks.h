/* SPDX-License-Identifier: Apache-2.0 */
/* Clock values to nanoseconds, prepared for many conversions. */
#ifndef CTF_CLOCKS_H
#define CTF_CLOCKS_H

#include "core/clock.h"
#include "formats/ctf/schema/schema.h"

typedef struct clock_rate {
    uint64_t ns_end; /* below it a tick is a nanosecond from zero_ns on; 0: none is */
    int64_t zero_ns; /* of tick 0 */
    tick_rate rate;
    int64_t base_s;    /* seconds from the origin to the clock's zero, rounded down */
    uint64_t rest;     /* ... and cycles, less than a second */
    int64_t base_ns;   /* base_s in ns, when it fits */
    bool fits;         /* it does, and ... */
    bool rounds_twice; /* ... this is not so */
} clock_rate;

clock_rate clock_rate_make(const ctf_clock *clock);
int64_t clock_rate_ns_far(const clock_rate *rate, uint64_t ticks, bool *is_clamped);

static inline int64_t clock_rate_ns(const clock_rate *rate, uint64_t ticks, bool *is_clamped)
{
    uint64_t sum;
    int64_t ns;
    if (ticks < rate->ns_end)
        return rate->zero_ns + (int64_t)ticks;
    if (__builtin_expect(rate->fits && !__builtin_add_overflow(rate->rest, ticks, &sum) &&
                             sum <= rate->rate.ticks_max,
                         1)) {
        ns = tick_rate_ns(&rate->rate, sum, is_clamped);
        if (__builtin_expect(!__builtin_add_overflow(rate->base_ns, ns, &ns), 1))
            return ns;
    }
    return clock_rate_ns_far(rate, ticks, is_clamped);
}

#endif
