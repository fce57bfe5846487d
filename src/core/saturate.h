/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and differences that stop at the end of the range instead of overflowing. */
#ifndef CORE_SATURATE_H
#define CORE_SATURATE_H

#include <stdint.h>

static inline int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t subtract_saturated(int64_t a, int64_t b)
{
    int64_t difference;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return b < 0 ? INT64_MAX : INT64_MIN;
}

#endif
