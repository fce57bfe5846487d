/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers of two words, for compilers without a type of their own: see core/wide.h. */
#ifndef CORE_WIDE_WORDS_H
#define CORE_WIDE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wide_u128 {
    uint64_t high, low;
} wide_u128;

/* The sign is the highest bit of the upper word, so that adding and comparing need no special
   case. */
typedef struct wide_i128 {
    int64_t high;
    uint64_t low;
} wide_i128;

static inline wide_u128 u128_make(uint64_t high, uint64_t low)
{
    return (wide_u128){high, low};
}

static inline uint64_t u128_low(wide_u128 a)
{
    return a.low;
}

static inline uint64_t u128_high(wide_u128 a)
{
    return a.high;
}

/*
 * Multiplies with halves of 32 bits:
 *
 *     a1 a0 * b1 b0 =           a0*b0
 *                          a1*b0          the middle takes the upper half of a0*b0
 *                          a0*b1          first, so that no sum exceeds 64 bits
 *                     a1*b1
 */
static inline wide_u128 u128_multiply(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32);
    const uint64_t other = a0 * b1 + (uint32_t)middle;
    return u128_make(a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low);
}

static inline wide_u128 u128_add(wide_u128 a, wide_u128 b)
{
    const uint64_t low = a.low + b.low;
    return u128_make(a.high + b.high + (low < a.low), low);
}

/* Divides bit by bit, since division by wide numbers is rare. Before each step the remainder is
   below the divisor; if doubling it shifts out the highest bit, it exceeds any divisor. */
static inline wide_u128 u128_divide(wide_u128 a, uint64_t divisor, uint64_t *rest)
{
    const uint64_t high = a.high / divisor;
    uint64_t low = 0, left = a.high % divisor;
    if (left == 0) {
        *rest = a.low % divisor;
        return u128_make(high, a.low / divisor);
    }
    for (int i = 63; i >= 0; i--) {
        const uint64_t out = left >> 63;
        left = left << 1 | (a.low >> i & 1);
        low <<= 1;
        if (out != 0 || left >= divisor) {
            left -= divisor;
            low |= 1;
        }
    }
    *rest = left;
    return u128_make(high, low);
}

/* Divides by a number that may have two words; the quotient then has one word, which is found bit
   by bit. */
static inline wide_u128 u128_divide_wide(wide_u128 a, wide_u128 divisor, wide_u128 *rest)
{
    wide_u128 left = {0, a.high};
    uint64_t quotient = 0;
    if (divisor.high == 0) {
        left = u128_divide(a, divisor.low, &quotient);
        *rest = (wide_u128){0, quotient};
        return left;
    }
    for (int i = 63; i >= 0; i--) {
        const uint64_t out = left.high >> 63;
        left.high = left.high << 1 | left.low >> 63;
        left.low = left.low << 1 | (a.low >> i & 1);
        quotient <<= 1;
        if (out != 0 || left.high > divisor.high ||
            (left.high == divisor.high && left.low >= divisor.low)) {
            left.high -= divisor.high + (left.low < divisor.low);
            left.low -= divisor.low;
            quotient |= 1;
        }
    }
    *rest = left;
    return (wide_u128){0, quotient};
}

/* Rounds to nearest only once: all bits below the 64 that are kept are combined into the lowest
   one, which decides ties. */
static inline double u128_double(wide_u128 a)
{
    uint64_t top = a.high;
    int shift;
    double result;
    if (top == 0)
        return (double)a.low;
    shift = __builtin_clzll(top);
    if (shift != 0)
        top = top << shift | a.low >> (64 - shift);
    top |= a.low << shift != 0;
    result = (double)top;
    for (; shift < 64; shift++)
        result *= 2;
    return result;
}

/* Shifts by 0 to 127 bits. */
static inline wide_u128 u128_shift_right(wide_u128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return u128_make(0, a.high >> (bits - 64));
    return u128_make(a.high >> bits, a.low >> bits | a.high << (64 - bits));
}

static inline wide_u128 u128_shift_left(wide_u128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return u128_make(a.low << (bits - 64), 0);
    return u128_make(a.high << bits | a.low >> (64 - bits), a.low << bits);
}

static inline wide_i128 i128_make(int64_t high, uint64_t low)
{
    return (wide_i128){high, low};
}

static inline uint64_t i128_low(wide_i128 a)
{
    return a.low;
}

static inline int64_t i128_high(wide_i128 a)
{
    return a.high;
}

static inline wide_i128 i128_add(wide_i128 a, wide_i128 b)
{
    const uint64_t low = a.low + b.low;
    return i128_make((int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low)), low);
}

static inline wide_i128 i128_negate(wide_i128 a)
{
    return i128_make((int64_t)(~(uint64_t)a.high + (a.low == 0)), 0 - a.low);
}

static inline wide_i128 i128_multiply(int64_t a, uint64_t b)
{
    const wide_u128 size = u128_multiply(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, b);
    const wide_i128 product = i128_make((int64_t)size.high, size.low);
    return a < 0 ? i128_negate(product) : product;
}

static inline bool i128_less(wide_i128 a, wide_i128 b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

#endif
