/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/histogram.h"

#include <stdlib.h>

#include "support.h"

#define VALUES 20000u

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Returns the sorted value that `permille` of all values are at or below. */
static uint64_t exact(const uint64_t *values, size_t count, unsigned permille)
{
    const size_t rank = (count * permille + 999) / 1000;
    return values[rank > 0 ? rank - 1 : 0];
}

static void check_values(uint64_t *values, size_t count)
{
    histogram h = {.blocks = {NULL}};
    for (size_t i = 0; i < count; i++)
        REQUIRE(histogram_add(&h, values[i]));
    qsort(values, count, sizeof *values, compare);
    CHECK_EQ_U64(histogram_count(&h), count);
    for (unsigned permille = 0; permille <= 1000; permille += 10) {
        const uint64_t want = exact(values, count, permille);
        const uint64_t got = histogram_percentile(&h, permille);
        CHECK(got >= want);
        CHECK(got - want <= want / 32);
    }
    histogram_free(&h);
}

TEST(percentiles_are_never_below_and_at_most_a_32nd_above)
{
    static uint64_t values[VALUES];
    uint64_t seed = 1;
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        for (size_t i = 0; i < VALUES; i++)
            values[i] = random_next(&seed) >> (64 - bits);
        check_values(values, VALUES);
        check_values(values, 1);
        check_values(values, 3);
    }
    for (size_t i = 0; i < VALUES; i++) /* values of very different sizes */
        values[i] = random_next(&seed) >> random_next(&seed) % 64;
    check_values(values, VALUES);
}

TEST(every_value_has_a_bucket_of_its_own_up_to_64)
{
    for (uint64_t value = 0; value < 64; value++) {
        histogram h = {.blocks = {NULL}};
        REQUIRE(histogram_add(&h, value));
        CHECK_EQ_U64(histogram_percentile(&h, 500), value);
        histogram_free(&h);
    }
}

TEST(the_largest_value_fits)
{
    histogram h = {.blocks = {NULL}};
    REQUIRE(histogram_add(&h, UINT64_MAX));
    CHECK_EQ_U64(histogram_percentile(&h, 990), UINT64_MAX);
    CHECK_EQ_U64(histogram_percentile(&(histogram){.blocks = {NULL}}, 500), 0);
    histogram_free(&h);
}

TEST(merged_histograms_are_as_one)
{
    histogram all = {.blocks = {NULL}}, parts[2] = {{.blocks = {NULL}}, {.blocks = {NULL}}};
    uint64_t seed = 5;
    for (unsigned i = 0; i < VALUES; i++) {
        const uint64_t value = random_next(&seed) >> random_next(&seed) % 64;
        REQUIRE(histogram_add(&all, value) && histogram_add(&parts[i % 2], value));
    }
    REQUIRE(histogram_merge(&parts[0], &parts[1]));
    CHECK_EQ_U64(histogram_count(&parts[0]), histogram_count(&all));
    for (unsigned permille = 0; permille <= 1000; permille++)
        CHECK_EQ_U64(histogram_percentile(&parts[0], permille),
                     histogram_percentile(&all, permille));
    histogram_free(&all);
    histogram_free(&parts[0]);
    histogram_free(&parts[1]);
}
