/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the ranges that hold a value: the tree compared with looking at all of them. */
#include "formats/ctf/schema/ranges.h"

#include "made.h"
#include "test.h"

#define MAPPINGS_MAX 300u

typedef struct labels {
    ctf_range ranges[MAPPINGS_MAX][2];
    ctf_mapping mappings[MAPPINGS_MAX];
    uint32_t count;
    arena memory;
    range_table table;
} labels;

static labels all;

/* Makes ranges that meet, overlap and contain each other, also below zero, and some over all
   values. */
static void labels_make(uint64_t *seed, bool is_signed)
{
    all.count = random_below(seed, MAPPINGS_MAX);
    for (uint32_t i = 0; i < all.count; i++) {
        ctf_mapping *mapping = &all.mappings[i];
        *mapping = (ctf_mapping){.ranges = all.ranges[i], .range_count = 1 + i % 2};
        for (uint32_t k = 0; k < 2; k++) {
            const uint64_t low = random_below(seed, 400) - (is_signed ? 200u : 0u);
            const uint64_t most = is_signed ? INT64_MAX : UINT64_MAX;
            all.ranges[i][k] = (ctf_range){
                low, random_below(seed, 50) == 0 ? most : low + random_below(seed, 20), is_signed};
            if (is_signed && (int64_t)all.ranges[i][k].high < (int64_t)low)
                all.ranges[i][k].high = low;
        }
    }
    CHECK(range_table_make(&all.table, &all.memory, all.mappings, all.count, NULL, is_signed));
}

static void value_check(uint64_t value, bool is_signed)
{
    uint32_t hits[RANGE_HITS_MAX + 1], wanted[MAPPINGS_MAX], count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (ranges_hold(all.ranges[i], all.mappings[i].range_count, value, is_signed))
            wanted[count++] = i;
    CHECK_EQ_U64(range_table_find(&all.table, value), count != 0 ? wanted[0] : RANGE_NONE);
    count = count < RANGE_HITS_MAX ? count : RANGE_HITS_MAX;
    CHECK_EQ_U64(range_table_find_all(&all.table, value, hits), count);
    CHECK_EQ_MEM(hits, wanted, count * sizeof *hits);
}

TEST(the_tree_finds_what_a_look_at_all_finds)
{
    uint64_t seed = 1;
    for (unsigned round = 0; round < 60; round++) {
        const bool is_signed = round % 2 != 0;
        labels_make(&seed, is_signed);
        for (uint64_t value = 0; value < 450; value++)
            value_check(value - (is_signed ? 225 : 0), is_signed);
        value_check(UINT64_MAX, is_signed);
        value_check(INT64_MAX, is_signed);
        arena_free(&all.memory);
    }
}

TEST(of_many_hits_the_first_ones_are_given)
{
    uint32_t hits[RANGE_HITS_MAX + 1];
    for (uint32_t i = 0; i < MAPPINGS_MAX; i++) {
        all.ranges[i][0] = (ctf_range){MAPPINGS_MAX - i, 1000, false};
        all.mappings[i] = (ctf_mapping){.ranges = all.ranges[i], .range_count = 1};
    }
    CHECK(range_table_make(&all.table, &all.memory, all.mappings, MAPPINGS_MAX, NULL, false));
    CHECK_EQ_U64(range_table_find_all(&all.table, 1000, hits), RANGE_HITS_MAX);
    CHECK_EQ_U64(hits[0], 0);
    CHECK_EQ_U64(hits[RANGE_HITS_MAX - 1], RANGE_HITS_MAX - 1);
    CHECK_EQ_U64(range_table_find(&all.table, 1001), RANGE_NONE);
    arena_free(&all.memory);
}

/* One label is for all values, and one for each value: no label is looked at in vain. */
TEST(a_range_around_many_others_costs_nothing)
{
    enum { COUNT = 60000, LOOK_UPS = 1000000 };
    static ctf_range ranges[COUNT];
    static ctf_mapping mappings[COUNT];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        ranges[i] = i == 0 ? (ctf_range){0, UINT64_MAX, false} : (ctf_range){i, i, false};
        mappings[i] = (ctf_mapping){.ranges = &ranges[i], .range_count = 1};
    }
    CHECK(range_table_make(&all.table, &all.memory, mappings, COUNT, NULL, false));
    for (uint64_t i = 0; i < LOOK_UPS; i++) {
        uint32_t hits[RANGE_HITS_MAX + 1];
        sum += range_table_find_all(&all.table, i * 7919 % COUNT, hits);
    }
    CHECK(sum > 2 * LOOK_UPS - 100 && sum <= 2 * LOOK_UPS);
    arena_free(&all.memory);
}
