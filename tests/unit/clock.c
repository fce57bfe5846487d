/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "core/clock.h"

/* Real and awkward tick rates, all of which every test tries. */
static const uint64_t frequencies[] = {1,
                                       3,
                                       32768,
                                       999999999,
                                       1000000000,
                                       1000000001,
                                       1193182,
                                       2400000000,
                                       24000000,
                                       19200000,
                                       2899886000,
                                       3000000000,
                                       UINT64_C(1) << 32,
                                       4294967291,
                                       7777777777,
                                       54321987654321,
                                       INT64_MAX - 24,
                                       (uint64_t)INT64_MAX};

#define EACH_FREQUENCY(f)                                                                         \
    (const uint64_t *f = frequencies; f < frequencies + sizeof frequencies / sizeof *frequencies; \
     f++)

/*
 * State of a fixed sequence of numbers of all sizes (xorshift, shifted right by a varying amount).
 */
static uint64_t number_state = 88172645463325252;

static uint64_t number_next(void)
{
    number_state ^= number_state << 13;
    number_state ^= number_state >> 7;
    number_state ^= number_state << 17;
    return number_state >> (number_state * 11 >> 58);
}

/* Converts ticks by division, as the definition says; the fast way must give the same. */
static wide_u128 ns_by_division(uint64_t ticks, uint64_t frequency_hz)
{
    uint64_t rest;
    return u128_divide(u128_multiply(ticks, 1000000000), frequency_hz, &rest);
}

static bool is_below(wide_u128 a, int64_t ns)
{
    return u128_fits_u64(a) && u128_low(a) < (uint64_t)ns;
}

static void check_ns(const tick_rate *rate, uint64_t ticks)
{
    bool is_clamped = false;
    const int64_t got = tick_rate_ns(rate, ticks, &is_clamped);
    const wide_u128 expected = ns_by_division(ticks, rate->frequency_hz);
    const bool fits = u128_fits_u64(expected) && u128_low(expected) <= INT64_MAX;
    CHECK_EQ_I64(got, fits ? (int64_t)u128_low(expected) : INT64_MAX);
    CHECK_EQ_U64(is_clamped, !fits);
}

TEST(ticks_become_the_exact_floor_of_nanoseconds)
{
    for
        EACH_FREQUENCY(f)
        {
            const tick_rate rate = tick_rate_make(*f);
            for (int i = 0; i < 100000; i++)
                check_ns(&rate, number_next());
        }
}

TEST(the_edges_are_exact)
{
    for
        EACH_FREQUENCY(f)
        {
            const tick_rate rate = tick_rate_make(*f);
            check_ns(&rate, 0);
            check_ns(&rate, 1);
            check_ns(&rate, *f - 1);
            check_ns(&rate, *f);
            check_ns(&rate, *f + 1);
            check_ns(&rate, rate.ticks_max - 1);
            check_ns(&rate, rate.ticks_max);
            if (rate.ticks_max < UINT64_MAX)
                check_ns(&rate, rate.ticks_max + 1);
            check_ns(&rate, UINT64_MAX);
        }
}

TEST(no_frequency_means_nanoseconds)
{
    const tick_rate rate = tick_rate_make(0);
    bool is_clamped = false;
    CHECK_EQ_I64(tick_rate_ns(&rate, 123456789012345, &is_clamped), 123456789012345);
    CHECK(!is_clamped);
}

TEST(negative_ticks_round_towards_the_past)
{
    for
        EACH_FREQUENCY(f)
        {
            const tick_rate rate = tick_rate_make(*f);
            for (int i = 0; i < 10000; i++) {
                const uint64_t distance = number_next() >> 1;
                const wide_u128 product = u128_multiply(distance, 1000000000);
                uint64_t rest;
                const wide_u128 up =
                    u128_divide(u128_add(product, u128_make(0, *f - 1)), *f, &rest);
                bool is_clamped = false;
                if (u128_fits_u64(up) && u128_low(up) < INT64_MAX)
                    CHECK_EQ_I64(tick_rate_ns_signed(&rate, -(int64_t)distance, &is_clamped),
                                 -(int64_t)u128_low(up));
            }
        }
}

TEST(the_inverse_is_the_first_tick_that_is_not_before)
{
    for
        EACH_FREQUENCY(f)
        {
            const tick_rate rate = tick_rate_make(*f);
            for (int i = 0; i < 10000; i++) {
                const int64_t ns = (int64_t)(number_next() >> 1);
                const uint64_t ticks = tick_rate_ticks(&rate, ns);
                if (ticks == UINT64_MAX)
                    continue;
                CHECK(!is_below(ns_by_division(ticks, *f), ns));
                CHECK(ticks == 0 || is_below(ns_by_division(ticks - 1, *f), ns));
            }
            CHECK_EQ_U64(tick_rate_ticks(&rate, -5), 0);
        }
}

TEST(any_frequency_is_exact)
{
    for (int i = 0; i < 1000000; i++) {
        const uint64_t frequency_hz = number_next() >> 1;
        const tick_rate rate = tick_rate_make(frequency_hz);
        CHECK_EQ_U64(rate.frequency_hz, frequency_hz != 0 ? frequency_hz : 1000000000);
        check_ns(&rate, number_next());
        check_ns(&rate, rate.ticks_max);
    }
}

TEST(times_out_of_range_are_clamped_on_both_sides)
{
    const tick_rate rate = tick_rate_make(1);
    const int64_t last = INT64_MAX / 1000000000;
    bool is_clamped = false;
    CHECK_EQ_I64(tick_rate_ns_signed(&rate, -last, &is_clamped), -last * 1000000000);
    CHECK(!is_clamped);
    CHECK_EQ_I64(tick_rate_ns_signed(&rate, -last - 1, &is_clamped), -INT64_MAX);
    CHECK(is_clamped);
    is_clamped = false;
    CHECK_EQ_I64(tick_rate_ns_signed(&rate, INT64_MIN, &is_clamped), -INT64_MAX);
    CHECK(is_clamped);
    is_clamped = false;
    CHECK_EQ_I64(tick_rate_ns_signed(&rate, last + 1, &is_clamped), INT64_MAX);
    CHECK(is_clamped);
    CHECK_EQ_U64(tick_rate_ticks(&rate, INT64_MIN), 0);
    const tick_rate fast = tick_rate_make((uint64_t)INT64_MAX);
    CHECK_EQ_U64(tick_rate_ticks(&fast, INT64_MAX), UINT64_MAX);
}
