/* SPDX-License-Identifier: Apache-2.0 */
/* How instructions use memory: cases small enough to be counted by hand. */
#include "insn_made.h"
#include "test.h"

#include <stdlib.h>

#include "analysis/insn/insn_footprint.h"
#include "analysis/insn/insn_reuse.h"
#include "analysis/insn/insn_sharing.h"
#include "analysis/insn/insn_strides.h"

/* ---- Footprint of memory ---- */

TEST(lines_and_pages_are_counted_once)
{
    insn_batch *batch = made_batch(1);
    footprint *f;
    const uint64_t(*of)[FOOTPRINT_KIND_COUNT];
    REQUIRE(footprint_new(0, &f) == STELE_OK);
    made_insn(batch, 0x1000, NOP);
    made_insn(batch, 0x1004, NOP);
    made_access(batch, false, 0x8000, 3);
    made_access(batch, true, 0x8008, 3);
    made_access(batch, false, 0xffc, 3); /* two lines and two pages: 0xfc0, 0x1000 */
    made_insn(batch, 0x1040, NOP);
    /* address 0x34000000008000 with tag 12 */
    made_access(batch, true, UINT64_C(0x1234000000008000), 0);
    CHECK_EQ_U64(footprint_add(f, batch), STELE_OK);
    CHECK_EQ_U64(footprint_add(f, batch), STELE_OK);
    of = footprint_get(f)->counts;
    CHECK_EQ_U64(of[FOOTPRINT_LINE][FOOTPRINT_READ], 3);
    CHECK_EQ_U64(of[FOOTPRINT_LINE][FOOTPRINT_WRITTEN], 2);
    CHECK_EQ_U64(of[FOOTPRINT_LINE][FOOTPRINT_EXECUTED], 2);
    CHECK_EQ_U64(of[FOOTPRINT_LINE][FOOTPRINT_ANY], 5);
    CHECK_EQ_U64(of[FOOTPRINT_4K][FOOTPRINT_READ], 3);
    CHECK_EQ_U64(of[FOOTPRINT_4K][FOOTPRINT_ANY], 4);
    CHECK_EQ_U64(of[FOOTPRINT_64K][FOOTPRINT_ANY], 2);
    CHECK_EQ_U64(of[FOOTPRINT_2M][FOOTPRINT_ANY], 2);
    CHECK_EQ_U64(of[FOOTPRINT_2M][FOOTPRINT_EXECUTED], 1);
    footprint_free(f);
    insn_batch_free(batch);
}

TEST(hidden_instructions_count_nowhere)
{
    insn_batch *batch = made_batch(1);
    footprint *f;
    REQUIRE(footprint_new(0, &f) == STELE_OK);
    made_load(batch, 0x8000);
    batch->insns[0].flags |= INSN_HIDDEN;
    CHECK_EQ_U64(footprint_add(f, batch), STELE_OK);
    CHECK_EQ_U64(footprint_get(f)->counts[FOOTPRINT_LINE][FOOTPRINT_ANY], 0);
    footprint_free(f);
    insn_batch_free(batch);
}

TEST(intervals_begin_anew)
{
    insn_batch *batch = made_batch(1);
    const footprint_interval *intervals;
    footprint *f;
    size_t count;
    REQUIRE(footprint_new(2, &f) == STELE_OK);
    made_load(batch, 0x8000);
    made_load(batch, 0x8040);
    made_load(batch, 0x8000);
    CHECK_EQ_U64(footprint_add(f, batch), STELE_OK);
    batch->track = 2; /* another thread, whose numbers begin at 0 */
    CHECK_EQ_U64(footprint_add(f, batch), STELE_OK);
    CHECK_EQ_U64(footprint_finish(f), STELE_OK);
    intervals = footprint_intervals(f, &count);
    REQUIRE(count == 4);
    CHECK_EQ_U64(intervals[0].touched.counts[FOOTPRINT_LINE][FOOTPRINT_READ], 2);
    CHECK_EQ_U64(intervals[0].new_line_count, 3); /* with the line of the code */
    CHECK_EQ_U64(intervals[1].first, 2);
    CHECK_EQ_U64(intervals[1].insn_count, 1);
    CHECK_EQ_U64(intervals[1].new_line_count, 0);
    CHECK_EQ_U64(intervals[1].touched.counts[FOOTPRINT_LINE][FOOTPRINT_READ], 1);
    CHECK_EQ_U64(intervals[1].touched.counts[FOOTPRINT_4K][FOOTPRINT_ANY], 2);
    CHECK_EQ_U64(intervals[2].track, 2);
    CHECK_EQ_U64(intervals[2].first, 0);
    footprint_free(f);
    insn_batch_free(batch);
}

TEST(parts_together_are_the_whole)
{
    insn_batch *first = made_batch(1), *second = made_batch(1);
    footprint *whole, *part;
    REQUIRE(footprint_new(0, &whole) == STELE_OK && footprint_new(0, &part) == STELE_OK);
    made_load(first, 0x8000);
    made_load(second, 0x8000);
    made_load(second, 0x9000);
    CHECK_EQ_U64(footprint_add(whole, first), STELE_OK);
    CHECK_EQ_U64(footprint_add(part, second), STELE_OK);
    CHECK_EQ_U64(footprint_merge(whole, part), STELE_OK);
    CHECK_EQ_U64(footprint_get(whole)->counts[FOOTPRINT_LINE][FOOTPRINT_READ], 2);
    CHECK_EQ_U64(footprint_get(whole)->counts[FOOTPRINT_4K][FOOTPRINT_ANY], 3);
    CHECK_EQ_U64(footprint_get(whole)->counts[FOOTPRINT_64K][FOOTPRINT_ANY], 1);
    footprint_free(whole);
    footprint_free(part);
    insn_batch_free(first);
    insn_batch_free(second);
}

/* ---- Reuse distances ---- */

TEST(distances_are_other_lines_touched_since)
{
    insn_batch *batch = made_batch(1);
    const reuse_counts *counts;
    reuse *r;
    REQUIRE(reuse_new(6, 1, &r) == STELE_OK);
    made_load(batch, 0x0);  /* first access to the line */
    made_load(batch, 0x8);  /* distance 0 */
    made_load(batch, 0x40); /* first access to the line */
    made_load(batch, 0x80); /* first access to the line */
    made_load(batch, 0x80); /* distance 0 */
    made_load(batch, 0x10); /* distance 2 */
    made_load(batch, 0x40); /* distance 2 */
    made_load(batch, 0x10); /* distance 1 */
    CHECK_EQ_U64(reuse_add(r, batch), STELE_OK);
    counts = reuse_get(r);
    CHECK_EQ_U64(counts->access_count, 8);
    CHECK_EQ_U64(counts->cold_count, 3);
    CHECK_EQ_U64(counts->buckets[0], 2);
    CHECK_EQ_U64(counts->buckets[1], 1);
    CHECK_EQ_U64(counts->buckets[2], 2);
    reuse_free(r);
    insn_batch_free(batch);
}

/* Repeated loads of so many lines that the row of positions is compacted and grows. */
TEST(distances_hold_over_many_lines)
{
    const uint64_t line_count = 100000;
    insn_batch *batch = made_batch(1);
    reuse *r;
    REQUIRE(reuse_new(6, 1, &r) == STELE_OK);
    for (uint64_t i = 0; i < 3 * line_count; i++) {
        made_load(batch, i % line_count * 64);
        if (batch->insn_count == batch->insn_capacity || i + 1 == 3 * line_count) {
            REQUIRE(reuse_add(r, batch) == STELE_OK);
            batch->insn_count = batch->access_count = 0;
        }
    }
    CHECK_EQ_U64(reuse_get(r)->cold_count, line_count);
    CHECK_EQ_U64(reuse_get(r)->buckets[17], 2 * line_count); /* 99,999 other lines in between */
    reuse_free(r);
    insn_batch_free(batch);
}

TEST(a_sample_stands_for_all)
{
    insn_batch *batch = made_batch(1);
    reuse *r;
    REQUIRE(reuse_new(6, 4, &r) == STELE_OK);
    for (uint64_t i = 0; i < 400000; i++) {
        made_load(batch, i % 40000 * 64);
        if (batch->insn_count == batch->insn_capacity || i + 1 == 400000) {
            REQUIRE(reuse_add(r, batch) == STELE_OK);
            batch->insn_count = batch->access_count = 0;
        }
    }
    CHECK(reuse_get(r)->cold_count > 38000 && reuse_get(r)->cold_count < 42000);
    CHECK_EQ_U64(reuse_get(r)->buckets[16], 9 * reuse_get(r)->cold_count);
    reuse_free(r);
    insn_batch_free(batch);
}

TEST(threads_reuse_for_themselves)
{
    insn_batch *batch = made_batch(1);
    reuse *r;
    REQUIRE(reuse_new(6, 1, &r) == STELE_OK);
    made_load(batch, 0x0);
    CHECK_EQ_U64(reuse_add(r, batch), STELE_OK);
    batch->track = 2;
    CHECK_EQ_U64(reuse_add(r, batch), STELE_OK);
    CHECK_EQ_U64(reuse_get(r)->cold_count, 2);
    reuse_free(r);
    insn_batch_free(batch);
}

/* ---- Strides of accesses ---- */

TEST(strides_are_from_execution_to_execution)
{
    static const uint64_t addresses[] = {100, 108, 116, 124, 50, 58};
    insn_batch *batch = made_batch(1);
    strides s;
    const stride_row **rows;
    uint64_t count;
    REQUIRE(strides_init(&s) == STELE_OK);
    for (size_t i = 0; i < 6; i++)
        made_load(batch, addresses[i]);
    CHECK_EQ_U64(strides_add(&s, batch), STELE_OK);
    rows = strides_sorted(&s);
    REQUIRE(rows != NULL && s.rows.used == 1);
    CHECK_EQ_U64(rows[0]->access_count, 6);
    CHECK_EQ_U64(rows[0]->repeat_count, 2); /* of the strides 8 8 8 -74 8 */
    CHECK_EQ_I64(strides_top(rows[0], &count), 8);
    CHECK_EQ_U64(count, 4);
    CHECK(!rows[0]->is_crowded);
    free(rows);
    strides_free(&s);
    insn_batch_free(batch);
}

TEST(the_most_frequent_stride_outlives_many_others)
{
    insn_batch *batch = made_batch(1);
    strides s;
    const stride_row **rows;
    uint64_t address = 1 << 20, count;
    REQUIRE(strides_init(&s) == STELE_OK);
    for (uint64_t i = 0; i < 600; i++) {
        address += i % 2 == 0 ? 64 : 1000 + i;
        made_load(batch, address);
    }
    CHECK_EQ_U64(strides_add(&s, batch), STELE_OK);
    rows = strides_sorted(&s);
    REQUIRE(rows != NULL);
    CHECK_EQ_I64(strides_top(rows[0], &count), 64);
    CHECK(rows[0]->is_crowded && count <= 299);
    free(rows);
    strides_free(&s);
    insn_batch_free(batch);
}

/* ---- Sharing of lines ---- */

/* Adds one access of a thread. */
static void share_bytes(sharing *s, uint32_t track, bool is_store, uint64_t address,
                        uint8_t size_log2)
{
    insn_batch *batch = made_batch(track);
    made_insn(batch, 0x1000, NOP);
    made_access(batch, is_store, address, size_log2);
    REQUIRE(sharing_add(s, batch) == STELE_OK);
    insn_batch_free(batch);
}

static void share(sharing *s, uint32_t track, bool is_store, uint64_t address)
{
    share_bytes(s, track, is_store, address, 3);
}

TEST(lines_are_shared_in_five_ways)
{
    sharing s;
    sharing_counts counts;
    sharing_line *lines;
    size_t count;
    REQUIRE(sharing_init(&s) == STELE_OK);
    share(&s, 1, true, 0x000);
    share(&s, 1, false, 0x040);
    share(&s, 1, true, 0x080);
    share(&s, 1, true, 0x0c0);
    share(&s, 1, true, 0x100);
    share(&s, 2, false, 0x040);
    share(&s, 2, false, 0x080);
    share(&s, 2, true, 0x0c0);
    share(&s, 2, true, 0x108);
    CHECK_EQ_U64(sharing_count(&s, &counts), STELE_OK);
    for (size_t i = 0; i < SHARING_KIND_COUNT; i++)
        CHECK_EQ_U64(counts.lines[i], 1);
    CHECK_EQ_U64(counts.reads[SHARING_ONE_WRITER], 1);
    CHECK_EQ_U64(counts.writes[SHARING_FALSE], 2);
    CHECK_EQ_U64(s.thread_count, 2);
    lines = sharing_contended(&s, &count);
    REQUIRE(lines != NULL);
    CHECK_EQ_U64(count, 3);
    free(lines);
    sharing_free(&s);
}

static sharing_kind kind_of_line(const sharing *s)
{
    size_t count;
    sharing_line *lines = sharing_contended(s, &count);
    sharing_kind kind;
    REQUIRE(lines != NULL && count == 1);
    kind = lines[0].kind;
    free(lines);
    return kind;
}

/* Two threads count in neighbouring fields, `distance` bytes apart. Each reads the other's field
   once for each `period` of its own accesses; 0: never. Returns how they share the line. */
static sharing_kind kind_of_neighbours(bool is_mixed, uint64_t distance, unsigned period)
{
    sharing s;
    sharing_kind kind;
    REQUIRE(sharing_init(&s) == STELE_OK);
    for (unsigned i = 0; i < 400; i++) {
        const uint32_t track = (is_mixed ? i % 2 : i / 200) + 1;
        const unsigned turn = is_mixed ? i / 2 : i % 200;
        const uint64_t own = track == 1 ? 0x100 : 0x100 + distance;
        const uint64_t other = track == 1 ? 0x100 + distance : 0x100;
        share_bytes(&s, track, turn % 2 != 0, own, 2);
        if (period != 0 && turn % period == period - 1)
            share_bytes(&s, track, false, other, 2);
    }
    kind = kind_of_line(&s);
    sharing_free(&s);
    return kind;
}

/* What counts is who uses which bytes how often, not a single access and not who came first. */
TEST(lines_are_judged_by_all_of_their_use)
{
    sharing s;
    for (unsigned is_mixed = 0; is_mixed < 2; is_mixed++) {
        for (uint64_t distance = 4; distance <= 32; distance += 4) {
            CHECK_EQ_U64(kind_of_neighbours(is_mixed, distance, 0), SHARING_FALSE);
            CHECK_EQ_U64(kind_of_neighbours(is_mixed, distance, 200), SHARING_FALSE);
            CHECK_EQ_U64(kind_of_neighbours(is_mixed, distance, 2), SHARING_MANY_WRITERS);
        }
        CHECK_EQ_U64(kind_of_neighbours(is_mixed, 0, 0), SHARING_MANY_WRITERS);
    }
    /* One thread writes often; another one reads that, and sometimes something of its own. */
    REQUIRE(sharing_init(&s) == STELE_OK);
    for (unsigned i = 0; i < 100; i++)
        share(&s, 1, true, 0x100);
    share(&s, 2, false, 0x100);
    CHECK_EQ_U64(kind_of_line(&s), SHARING_ONE_WRITER);
    share(&s, 2, true, 0x120);
    CHECK_EQ_U64(kind_of_line(&s), SHARING_MANY_WRITERS);
    sharing_free(&s);
}

TEST(threads_beyond_64_count_as_one)
{
    sharing s;
    REQUIRE(sharing_init(&s) == STELE_OK);
    for (uint32_t i = 0; i < 70; i++)
        share(&s, i + 1, true, 0x40 * (uint64_t)i);
    CHECK_EQ_U64(s.thread_count, 64);
    CHECK_EQ_U64(s.grouped_count, 6);
    sharing_free(&s);
}
