/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/spread.h"

#include <math.h>
#include <stdlib.h>

#include "core/hash.h"
#include "test.h"

static spread_room room;

static void add(spread *s, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        REQUIRE(spread_add_int(s, i128_of_i64(values[i]), &room));
}

static double percentile(const spread *s, unsigned permille)
{
    int scale;
    const wide_i128 value = spread_percentile(s, permille, &scale);
    return ldexp(i128_double(value), -scale);
}

TEST(few_values_are_exact)
{
    static const int64_t values[] = {70, -3, INT64_MAX, 0};
    spread s = {.count = 0};
    room.left = 1 << 20;
    add(&s, values, 4);
    CHECK(spread_is_exact(&s) && spread_has_percentiles(&s));
    CHECK(percentile(&s, 500) == 0 && percentile(&s, 250) == -3 && percentile(&s, 750) == 70);
    CHECK((int64_t)i128_low(s.min) == -3 && (int64_t)i128_low(s.max) == INT64_MAX &&
          room.left == 1 << 20);
    spread_free(&s);
}

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

#define MANY 5000u

/* Integers of all sizes and both signs, compared with a sorted array. */
TEST(percentiles_are_within_their_error)
{
    static int64_t values[MANY];
    static const unsigned permilles[] = {1, 100, 500, 900, 990, 999, 1000};
    spread s = {.count = 0};
    wide_i128 sum = i128_of_i64(0);
    double squares = 0;
    srand(7);
    room.left = 1 << 20;
    for (unsigned i = 0; i < MANY; i++) {
        values[i] = (int64_t)((uint64_t)rand() << 31 ^ (uint64_t)rand()) >> (rand() % 62);
        values[i] = rand() % 3 == 0 ? -values[i] : values[i];
        sum = i128_add(sum, i128_of_i64(values[i]));
    }
    add(&s, values, MANY);
    qsort(values, MANY, sizeof *values, order);
    CHECK(i128_equals(s.sum, sum) && (int64_t)i128_low(s.min) == values[0] &&
          (int64_t)i128_low(s.max) == values[MANY - 1]);
    for (size_t i = 0; i < sizeof permilles / sizeof *permilles; i++) {
        const size_t rank = (MANY * permilles[i] + 999) / 1000;
        const double wanted = (double)values[rank - 1], got = percentile(&s, permilles[i]);
        CHECK(fabs(got - wanted) <= fabs(wanted) * 0.032 && fabs(got) >= fabs(wanted));
    }
    for (unsigned i = 0; i < MANY; i++)
        squares += pow((double)values[i] - i128_double(sum) / MANY, 2);
    CHECK(fabs(spread_mean(&s) - i128_double(sum) / MANY) < fabs(i128_double(sum) / MANY) * 1e-9);
    CHECK(fabs(spread_deviation(&s) / sqrt(squares / MANY) - 1) < 1e-6);
    spread_free(&s);
}

TEST(decimals_are_counted_in_powers_of_two)
{
    spread s = {.count = 0};
    room.left = 1 << 20;
    for (unsigned i = 1; i <= 1000; i++)
        REQUIRE(spread_add_float(&s, i * 1e-7, &room));
    CHECK(spread_has_percentiles(&s));
    CHECK(fabs(percentile(&s, 500) / 500e-7 - 1) < 0.032);
    CHECK(fabs(percentile(&s, 990) / 990e-7 - 1) < 0.032);
    CHECK(fabs(spread_mean(&s) / 500.5e-7 - 1) < 1e-9);
    REQUIRE(spread_add_float(&s, 1e300, &room));
    CHECK(!spread_has_percentiles(&s));
    REQUIRE(spread_add_float(&s, (double)NAN, &room));
    CHECK_EQ_U64(s.other_count, 1);
    CHECK_EQ_U64(s.count, 1001);
    spread_free(&s);
}

TEST(without_room_the_other_figures_stay)
{
    spread s = {.count = 0};
    room.left = 600;
    for (int64_t i = 0; i < 100000; i++)
        REQUIRE(spread_add_int(&s, i128_of_i64(i * i), &room));
    CHECK(s.is_cut && !spread_has_percentiles(&s) && s.above == NULL);
    CHECK_EQ_U64(s.count, 100000);
    CHECK_EQ_U64(i128_low(s.max), UINT64_C(99999) * 99999);
    CHECK_EQ_U64(room.left, 600);
    spread_free(&s);
}

TEST(sums_beyond_their_size_are_lost_and_not_wrong)
{
    const wide_i128 large = i128_make(INT64_C(1) << 62, 0);
    spread s = {.count = 0};
    room.left = 1 << 20;
    for (unsigned i = 0; i < 8; i++)
        REQUIRE(spread_add_int(&s, large, &room));
    CHECK(s.is_sum_lost && i128_equals(s.max, large) && !spread_has_percentiles(&s));
    spread_free(&s);
}

/* Adds the hashes of the numbers from `first` to before `end`, each of them twice. */
static bool add_different(distinct *d, unsigned first, unsigned end, size_t *left)
{
    for (unsigned i = first; i < end; i++) {
        const uint64_t hash = hash_u64(hash_u64(i) + i);
        if (!distinct_add(d, hash, left) || !distinct_add(d, hash, left))
            return false;
    }
    return true;
}

static const unsigned different_counts[] = {0,   1,   16,   17,   63,   64,    65,     100,
                                            512, 999, 1000, 1001, 1024, 10000, 100000, 1000000};

TEST(different_values_are_counted_exactly_while_they_are_few)
{
    for (size_t c = 0; c < sizeof different_counts / sizeof *different_counts; c++) {
        const unsigned count = different_counts[c];
        size_t left = 1 << 20;
        distinct d = {.few_count = 0};
        REQUIRE(add_different(&d, 0, count, &left));
        CHECK(fabs((double)distinct_count(&d) - count) <= count * 0.1);
        CHECK((count <= 1000) == distinct_is_exact(&d));
        CHECK(count > 1000 || distinct_count(&d) == count);
        /* What a table took is given back. */
        CHECK(count <= 1000 || left == 1 << 20);
        CHECK(left >= (1 << 20) - 2049 * 8 && !d.is_short);
        distinct_free(&d);
    }
}

TEST(a_hash_of_0_is_a_value_like_others)
{
    size_t left = 0;
    distinct d = {.few_count = 0};
    REQUIRE(distinct_add(&d, 0, &left) && distinct_add(&d, 0, &left));
    CHECK_EQ_U64(distinct_count(&d), 1);
    REQUIRE(add_different(&d, 10, 50, &left) && distinct_add(&d, 0, &left));
    CHECK_EQ_U64(distinct_count(&d), 41);
    distinct_free(&d);
}

TEST(without_room_different_values_are_estimated)
{
    size_t left = 1000;
    distinct d = {.few_count = 0};
    REQUIRE(add_different(&d, 0, 63, &left));
    CHECK(distinct_is_exact(&d) && distinct_count(&d) == 63);
    REQUIRE(add_different(&d, 63, 65, &left));
    CHECK(!distinct_is_exact(&d) && d.is_short && left == 1000);
    REQUIRE(add_different(&d, 65, 500, &left));
    CHECK(fabs((double)distinct_count(&d) - 500) < 50);
    distinct_free(&d);
}

TEST(different_values_of_parts_are_as_those_of_the_whole)
{
    const size_t kinds = sizeof different_counts / sizeof *different_counts;
    for (size_t c = 0; c < kinds * kinds; c++) {
        const unsigned first = different_counts[c / kinds], second = different_counts[c % kinds];
        /* The second half of the first part is also in the other one. */
        const unsigned begin = first / 2, end = begin + second;
        size_t left = 1 << 20;
        distinct whole = {.few_count = 0}, a = {.few_count = 0}, b = {.few_count = 0};
        if (first > 10000 || second > 10000)
            continue;
        REQUIRE(add_different(&whole, 0, first, &left) && add_different(&whole, begin, end, &left));
        REQUIRE(add_different(&a, 0, first, &left) && add_different(&b, begin, end, &left));
        REQUIRE(distinct_merge(&a, &b, &left));
        CHECK_EQ_U64(distinct_count(&a), distinct_count(&whole));
        CHECK(distinct_is_exact(&a) == distinct_is_exact(&whole));
        distinct_free(&whole);
        distinct_free(&a);
        distinct_free(&b);
    }
}
