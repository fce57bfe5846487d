/* SPDX-License-Identifier: Apache-2.0 */
/* Converts clock values to nanoseconds, prepared for many conversions. */
#ifndef CTF_CLOCKS_H
#define CTF_CLOCKS_H

#include "core/clock.h"
#include "formats/ctf/schema/schema.h"

typedef struct clock_rate {
    /* Ticks below this are nanoseconds after `zero_ns`; 0 if the conversion needs arithmetic. */
    uint64_t ns_end;
    int64_t zero_ns; /* time of tick 0, in ns from the origin; valid if `ns_end` is not 0 */
    tick_rate rate;
    int64_t base_s;  /* seconds from the origin to the clock's zero, rounded down */
    uint64_t rest;   /* ticks from `base_s` to the clock's zero; less than a second */
    int64_t base_ns; /* `base_s` in ns; valid if `fits` */
    bool fits;       /* `base_ns` does not overflow, and `rounds_twice` is false */
    /* The offset and the ticks are rounded to ns apart from each other, as some readers do. */
    bool rounds_twice;
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
