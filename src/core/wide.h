/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers by functions, so that they exist on every target. gcc and clang have the types
   on 64-bit targets, where each function is one or two instructions; elsewhere two words represent
   them (core/wide_words.h). All arithmetic is modulo 2^128. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Tests define WIDE_WORDS to use the two words on every target. */
#if defined(__SIZEOF_INT128__) && !defined(WIDE_WORDS)

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_i128;

/* ---- Unsigned integers ---- */

static inline wide_u128 u128_make(uint64_t high, uint64_t low)
{
    return (wide_u128)high << 64 | low;
}

static inline uint64_t u128_low(wide_u128 a)
{
    return (uint64_t)a;
}

static inline uint64_t u128_high(wide_u128 a)
{
    return (uint64_t)(a >> 64);
}

static inline wide_u128 u128_multiply(uint64_t a, uint64_t b)
{
    return (wide_u128)a * b;
}

static inline wide_u128 u128_add(wide_u128 a, wide_u128 b)
{
    return a + b;
}

/* Divides, rounded down; `*rest` becomes the remainder. The divisor is not 0. */
static inline wide_u128 u128_divide(wide_u128 a, uint64_t divisor, uint64_t *rest)
{
    const wide_u128 quotient = a / divisor;
    *rest = (uint64_t)(a - quotient * divisor);
    return quotient;
}

/* Divides by a number of 128 bits, rounded down; the divisor is not 0. */
static inline wide_u128 u128_divide_wide(wide_u128 a, wide_u128 divisor, wide_u128 *rest)
{
    *rest = a % divisor;
    return a / divisor;
}

static inline double u128_double(wide_u128 a)
{
    return (double)a;
}

/* Shifts by 0 to 127 bits. */
static inline wide_u128 u128_shift_right(wide_u128 a, unsigned bits)
{
    return a >> bits;
}

static inline wide_u128 u128_shift_left(wide_u128 a, unsigned bits)
{
    return a << bits;
}

/* ---- Signed integers in two's complement ---- */

static inline wide_i128 i128_make(int64_t high, uint64_t low)
{
    return (wide_i128)((wide_u128)(uint64_t)high << 64 | low);
}

static inline uint64_t i128_low(wide_i128 a)
{
    return (uint64_t)a;
}

static inline int64_t i128_high(wide_i128 a)
{
    return (int64_t)(a >> 64);
}

static inline wide_i128 i128_add(wide_i128 a, wide_i128 b)
{
    return (wide_i128)((wide_u128)a + (wide_u128)b);
}

static inline wide_i128 i128_negate(wide_i128 a)
{
    return (wide_i128) - (wide_u128)a;
}

static inline wide_i128 i128_multiply(int64_t a, uint64_t b)
{
    return (wide_i128)a * (wide_i128)b;
}

static inline bool i128_less(wide_i128 a, wide_i128 b)
{
    return a < b;
}

#else
#include "core/wide_words.h"
#endif

/* ---- Functions that both representations share ---- */

static inline bool u128_fits_u64(wide_u128 a)
{
    return u128_high(a) == 0;
}

static inline wide_i128 i128_of_i64(int64_t a)
{
    return i128_make(a < 0 ? -1 : 0, (uint64_t)a);
}

static inline wide_i128 i128_of_u64(uint64_t a)
{
    return i128_make(0, a);
}

/* Converts a value of 64 bits, which `is_signed` says how to take. */
static inline wide_i128 i128_of_bits(uint64_t bits, bool is_signed)
{
    return is_signed ? i128_of_i64((int64_t)bits) : i128_of_u64(bits);
}

static inline wide_i128 i128_subtract(wide_i128 a, wide_i128 b)
{
    return i128_add(a, i128_negate(b));
}

static inline bool i128_equals(wide_i128 a, wide_i128 b)
{
    return i128_low(a) == i128_low(b) && i128_high(a) == i128_high(b);
}

static inline bool i128_is_negative(wide_i128 a)
{
    return i128_high(a) < 0;
}

static inline bool i128_is_zero(wide_i128 a)
{
    return ((uint64_t)i128_high(a) | i128_low(a)) == 0;
}

/* The absolute value; that of the least number is 2^127. */
static inline wide_u128 i128_magnitude(wide_i128 a)
{
    const wide_i128 size = i128_is_negative(a) ? i128_negate(a) : a;
    return u128_make((uint64_t)i128_high(size), i128_low(size));
}

static inline wide_i128 i128_of_magnitude(wide_u128 size, bool is_negative)
{
    const wide_i128 a = i128_make((int64_t)u128_high(size), u128_low(size));
    return is_negative ? i128_negate(a) : a;
}

static inline double i128_double(wide_i128 a)
{
    const double size = u128_double(i128_magnitude(a));
    return i128_is_negative(a) ? -size : size;
}

/* Compares as qsort() needs it: the result is less than, equal to or greater than 0. */
static inline int i128_compare(wide_i128 a, wide_i128 b)
{
    return i128_less(b, a) - i128_less(a, b);
}

static inline bool i128_fits_i64(wide_i128 a)
{
    return i128_high(a) == ((int64_t)i128_low(a) < 0 ? -1 : 0);
}

/* The nearest number that fits in 64 bits. */
static inline int64_t i128_clamp_i64(wide_i128 a)
{
    if (i128_fits_i64(a))
        return (int64_t)i128_low(a);
    return i128_high(a) < 0 ? INT64_MIN : INT64_MAX;
}

/* Divides, rounded down (towards the past); 0 <= `*rest` < divisor. The divisor is not 0. */
static inline wide_i128 i128_divide_down(wide_i128 a, uint64_t divisor, uint64_t *rest)
{
    const bool is_negative = i128_is_negative(a);
    const wide_u128 whole = u128_divide(i128_magnitude(a), divisor, rest);
    const wide_i128 quotient = i128_of_magnitude(whole, is_negative);
    if (!is_negative || *rest == 0)
        return quotient;
    *rest = divisor - *rest;
    return i128_subtract(quotient, i128_of_u64(1));
}

/* Converts a double with -2^127 <= a < 2^127, rounded towards zero. */
static inline wide_i128 i128_of_double(double a)
{
    const double size = a < 0 ? -a : a;
    const uint64_t high = (uint64_t)(size / 0x1p64);
    const wide_i128 made = i128_make((int64_t)high, (uint64_t)(size - (double)high * 0x1p64));
    return a < 0 ? i128_negate(made) : made;
}

/* ---- Checked arithmetic: false if 128 bits cannot hold the result ---- */

static inline bool i128_add_checked(wide_i128 a, wide_i128 b, wide_i128 *sum)
{
    *sum = i128_add(a, b);
    return i128_is_negative(a) != i128_is_negative(b) ||
           i128_is_negative(*sum) == i128_is_negative(a);
}

static inline bool i128_subtract_checked(wide_i128 a, wide_i128 b, wide_i128 *difference)
{
    *difference = i128_subtract(a, b);
    return i128_is_negative(a) == i128_is_negative(b) ||
           i128_is_negative(*difference) == i128_is_negative(a);
}

/* Multiplies. Unless one factor has a magnitude of one word, the product has more than two words
   and does not fit. A product of -2^127 counts as too large. */
static inline bool i128_multiply_checked(wide_i128 a, wide_i128 b, wide_i128 *product)
{
    const wide_u128 x = i128_magnitude(a), y = i128_magnitude(b);
    /* Upper word of the factor that has two words. */
    const uint64_t high = u128_high(x) | u128_high(y);
    const uint64_t other = u128_high(x) != 0 ? u128_low(y) : u128_low(x);
    const wide_u128 low = u128_multiply(u128_low(x), u128_low(y));
    const wide_u128 cross = u128_multiply(high, other);
    const wide_u128 top = u128_add(cross, u128_make(0, u128_high(low)));
    *product = i128_of_magnitude(u128_make(u128_low(top), u128_low(low)),
                                 i128_is_negative(a) != i128_is_negative(b));
    return (u128_high(x) == 0 || u128_high(y) == 0) && u128_high(top) == 0 &&
           u128_low(top) >> 63 == 0;
}

#endif
