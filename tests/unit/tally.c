/* SPDX-License-Identifier: Apache-2.0 */
/* A tally says what a histogram of the same values says, however many it has. */
#include "analysis/events/tally.h"

#include "core/hash.h"
#include "support.h"

#define VALUES 2000u

/* Makes a value of at most `bits` bits. */
static uint64_t value_at(unsigned index, unsigned bits)
{
    return hash_u64(index) >> (64 - bits);
}

static void check_same(const tally *t, const histogram *h)
{
    histogram merged = {.blocks = {NULL}};
    CHECK_EQ_U64(tally_count(t), histogram_count(h));
    REQUIRE(tally_merge(&merged, t));
    for (unsigned permille = 0; permille <= 1000; permille += 50) {
        const uint64_t want = histogram_percentile(h, permille);
        CHECK_EQ_U64(tally_percentile(t, permille), want);
        CHECK_EQ_U64(histogram_percentile(&merged, permille), want);
    }
    histogram_free(&merged);
}

/* Adds values of so many bits one by one: few bits have few buckets, many bits many. */
static void check_bits(unsigned bits)
{
    tally t = {.form = 0};
    histogram h = {.blocks = {NULL}};
    check_same(&t, &h);
    for (unsigned i = 0; i < VALUES; i++) {
        REQUIRE(tally_add(&t, value_at(i, bits)));
        REQUIRE(histogram_add(&h, value_at(i, bits)));
        if (i < 300 || i % 100 == 0)
            check_same(&t, &h);
    }
    CHECK_EQ_U64(t.form, TALLY_FULL);
    tally_free(&t);
    histogram_free(&h);
    CHECK_EQ_U64(tally_count(&t), 0);
}

TEST(it_says_what_a_histogram_says)
{
    check_bits(1);
    check_bits(4);
    check_bits(12);
    check_bits(40);
    check_bits(64);
}

TEST(few_values_take_no_memory_beside_it)
{
    tally t = {.form = 0};
    for (unsigned i = 0; i < TALLY_FEW; i++)
        REQUIRE(tally_add(&t, UINT64_MAX - i));
    CHECK_EQ_U64(t.form, TALLY_FEW);
    CHECK(sizeof t <= 16);
    CHECK_EQ_U64(tally_percentile(&t, 500), UINT64_MAX);
    REQUIRE(tally_add(&t, 1));
    CHECK_EQ_U64(t.form, TALLY_SOME);
    CHECK_EQ_U64(tally_percentile(&t, 100), 1);
    tally_free(&t);
}
