/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on two words, compared with the compiler's own 128-bit integers if it has them. */
#define WIDE_WORDS
#include "core/wide.h"

#include "test.h"

static bool u128_is(wide_u128 a, uint64_t high, uint64_t low)
{
    return u128_high(a) == high && u128_low(a) == low;
}

static bool i128_is(wide_i128 a, int64_t high, uint64_t low)
{
    return i128_high(a) == high && i128_low(a) == low;
}

TEST(products_by_hand)
{
    CHECK(u128_is(u128_multiply(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1, 1));
    CHECK(u128_is(u128_multiply(UINT64_C(10000000000), UINT64_C(10000000000)), 5,
                  UINT64_C(7766279631452241920)));
    CHECK(i128_is(i128_multiply(INT64_MIN, 2), -1, 0));
    CHECK(i128_is(i128_multiply(-1, UINT64_MAX), -1, 1));
}

TEST(quotients_by_hand)
{
    uint64_t rest;
    CHECK(u128_is(u128_divide(u128_make(5, UINT64_C(7766279631452241921)), 10000000000, &rest), 0,
                  UINT64_C(10000000000)));
    CHECK_EQ_U64(rest, 1);
    CHECK(u128_is(u128_divide(u128_make(UINT64_MAX, UINT64_MAX), UINT64_MAX, &rest), 1, 1));
    CHECK_EQ_U64(rest, 0);
    CHECK(i128_is(i128_divide_down(i128_of_i64(-7), 2, &rest), -1, (uint64_t)-4));
    CHECK_EQ_U64(rest, 1);
    CHECK(i128_is(i128_divide_down(i128_of_i64(-8), 2, &rest), -1, (uint64_t)-4));
    CHECK_EQ_U64(rest, 0);
}

TEST(clamping)
{
    CHECK_EQ_I64(i128_clamp_i64(i128_of_i64(INT64_MIN)), INT64_MIN);
    CHECK_EQ_I64(i128_clamp_i64(i128_of_u64((uint64_t)INT64_MAX + 1)), INT64_MAX);
    CHECK_EQ_I64(i128_clamp_i64(i128_add(i128_of_i64(INT64_MIN), i128_of_i64(-1))), INT64_MIN);
    CHECK(!i128_fits_i64(i128_of_u64(UINT64_MAX)));
    CHECK(i128_fits_i64(i128_of_i64(-1)));
}

TEST(doubles)
{
    CHECK(u128_double(u128_make(1, 0)) == 0x1p64);
    CHECK(u128_double(u128_make(1, 1)) == 0x1p64);
    CHECK(u128_double(u128_make(UINT64_MAX, UINT64_MAX)) == 0x1p128);
    /* Just above the middle of two doubles, because of the lowest bit alone. */
    CHECK(u128_double(u128_make(UINT64_C(1) << 63 | 1 << 10, 1)) == 0x1p127 + 0x1p75);
    CHECK(u128_double(u128_make(UINT64_C(1) << 63 | 1 << 10, 0)) == 0x1p127);
    CHECK(i128_is(i128_of_double(-0x1p127), INT64_MIN, 0));
    CHECK(i128_is(i128_of_double(-1), -1, UINT64_MAX));
    CHECK(i128_is(i128_of_double(0x1.fffffffffffffp126), INT64_MAX - 1023 + 0, 0));
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 native_u128;
__extension__ typedef __int128 native_i128;

/* Numbers near the ends of words and halves of words, tried with all sums of two of them. */
static const uint64_t borders[] = {0,
                                   1,
                                   2,
                                   9,
                                   1000000000,
                                   UINT32_MAX - 1,
                                   UINT32_MAX,
                                   UINT64_C(1) << 32,
                                   (UINT64_C(1) << 32) + 1,
                                   (UINT64_C(1) << 53) + 1,
                                   INT64_MAX,
                                   UINT64_C(1) << 63,
                                   (UINT64_C(1) << 63) + 1,
                                   UINT64_MAX - 1,
                                   UINT64_MAX};

#define BORDERS (sizeof borders / sizeof *borders)

static bool is_u(wide_u128 a, native_u128 b)
{
    return u128_is(a, (uint64_t)(b >> 64), (uint64_t)b);
}

static bool is_i(wide_i128 a, native_i128 b)
{
    return i128_is(a, (int64_t)(b >> 64), (uint64_t)b);
}

static native_i128 divide_down(native_i128 a, uint64_t divisor)
{
    const native_i128 d = (native_i128)divisor;
    return a / d - (a % d < 0);
}

static void compare_pair(uint64_t a, uint64_t b)
{
    CHECK(is_u(u128_multiply(a, b), (native_u128)a * b));
    CHECK(is_i(i128_multiply((int64_t)a, b), (native_i128)(int64_t)a * (native_i128)b));
    CHECK(is_i(i128_of_bits(a, true), (int64_t)a));
    CHECK(is_i(i128_of_bits(a, false), (native_i128)a));
}

/* Compares checked operations. -2^127 as a product is refused, unlike by the compiler. */
static void compare_checked(const uint64_t words[4])
{
    const wide_i128 i = i128_make((int64_t)words[0], words[1]);
    const wide_i128 j = i128_make((int64_t)words[2], words[3]);
    const native_i128 x = (native_i128)((native_u128)words[0] << 64 | words[1]);
    const native_i128 y = (native_i128)((native_u128)words[2] << 64 | words[3]);
    const native_u128 p = x < 0 ? -(native_u128)x : (native_u128)x;
    const native_u128 q = y < 0 ? -(native_u128)y : (native_u128)y;
    native_i128 expected;
    wide_i128 result;
    const bool fits = p == 0 || q <= (~(native_u128)0 >> 1) / p;
    CHECK(i128_add_checked(i, j, &result) == !__builtin_add_overflow(x, y, &expected));
    CHECK(is_i(result, expected));
    CHECK(i128_subtract_checked(i, j, &result) == !__builtin_sub_overflow(x, y, &expected));
    CHECK(is_i(result, expected));
    CHECK(i128_multiply_checked(i, j, &result) == fits);
    if (fits)
        CHECK(is_i(result, (x < 0) != (y < 0) ? (native_i128) - (p * q) : (native_i128)(p * q)));
}

/* Compares operations on two numbers of two words; the divisor is one word of the second. */
static void compare_wide(const uint64_t words[4])
{
    const native_u128 a = (native_u128)words[0] << 64 | words[1];
    const native_u128 b = (native_u128)words[2] << 64 | words[3];
    const native_i128 x = (native_i128)a, y = (native_i128)b;
    const wide_u128 u = u128_make(words[0], words[1]), v = u128_make(words[2], words[3]);
    const wide_i128 i = i128_make((int64_t)words[0], words[1]);
    const wide_i128 j = i128_make((int64_t)words[2], words[3]);
    uint64_t rest;
    CHECK(is_u(u128_add(u, v), a + b));
    CHECK(u128_double(u) == (double)a);
    CHECK(is_i(i128_add(i, j), (native_i128)(a + b)));
    CHECK(is_i(i128_subtract(i, j), (native_i128)(a - b)));
    CHECK(is_i(i128_negate(i), (native_i128)-a));
    CHECK(i128_less(i, j) == (x < y));
    CHECK(i128_equals(i, j) == (x == y));
    CHECK(i128_compare(i, j) == (x > y) - (x < y));
    compare_checked(words);
    CHECK(i128_double(i) == (double)x);
    if (b != 0) {
        wide_u128 wide_rest;
        CHECK(is_u(u128_divide_wide(u, v, &wide_rest), a / b));
        CHECK(is_u(wide_rest, a % b));
    }
    if (words[3] == 0)
        return;
    CHECK(is_u(u128_divide(u, words[3], &rest), a / words[3]));
    CHECK_EQ_U64(rest, (uint64_t)(a % words[3]));
    CHECK(is_i(i128_divide_down(i, words[3], &rest), divide_down(x, words[3])));
    CHECK_EQ_U64(rest, (uint64_t)(a - (native_u128)divide_down(x, words[3]) * words[3]));
}

TEST(as_native)
{
    for (size_t at = 0; at < BORDERS * BORDERS * BORDERS * BORDERS; at++) {
        const uint64_t words[] = {borders[at / BORDERS / BORDERS / BORDERS],
                                  borders[at / BORDERS / BORDERS % BORDERS],
                                  borders[at / BORDERS % BORDERS], borders[at % BORDERS]};
        compare_wide(words);
        if (at < BORDERS * BORDERS)
            compare_pair(words[2], words[3]);
    }
}

/* Returns the next number of a fixed sequence with numbers of all sizes. */
static uint64_t number_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> (*state * 11 >> 58);
}

TEST(as_native_random)
{
    uint64_t state = 88172645463325252;
    for (int i = 0; i < 100000; i++) {
        const uint64_t words[] = {number_next(&state), number_next(&state), number_next(&state),
                                  number_next(&state)};
        const double number = (double)(native_i128)((native_u128)words[0] << 64 | words[1]);
        compare_wide(words);
        compare_pair(words[0], words[1]);
        if (number < 0x1p127)
            CHECK(is_i(i128_of_double(number), (native_i128)number));
    }
}

#endif

TEST(shifts_pass_from_one_half_to_the_other)
{
    const wide_u128 a = u128_make(UINT64_C(0x8000000000000001), UINT64_C(0xc000000000000003));
    CHECK(u128_is(u128_shift_right(a, 0), u128_high(a), u128_low(a)));
    CHECK(u128_is(u128_shift_right(a, 1), UINT64_C(0x4000000000000000),
                  UINT64_C(0xe000000000000001)));
    CHECK(u128_is(u128_shift_right(a, 64), 0, u128_high(a)));
    CHECK(u128_is(u128_shift_right(a, 127), 0, 1));
    CHECK(u128_is(u128_shift_left(a, 0), u128_high(a), u128_low(a)));
    CHECK(u128_is(u128_shift_left(a, 1), 3, UINT64_C(0x8000000000000006)));
    CHECK(u128_is(u128_shift_left(a, 64), u128_low(a), 0));
    CHECK(u128_is(u128_shift_left(a, 127), UINT64_C(0x8000000000000000), 0));
}
