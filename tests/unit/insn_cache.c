/* SPDX-License-Identifier: Apache-2.0 */
/* Caches: cases small enough to be followed by hand. */
#include "insn_made.h"
#include "test.h"

#include "analysis/insn/cache.h"

/* ---- One cache ---- */

/* Asks for lines, which are loaded if missing. Returns which were hits, as one bit for each. */
static unsigned hits(cache *c, const uint64_t *numbers, size_t count)
{
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_hit = cache_find(c, numbers[i]) != NULL;
        bits |= (unsigned)is_hit << i;
        if (!is_hit)
            cache_insert(c, numbers[i], 0);
    }
    return bits;
}

static void check_hits(stele_insn_cache_policy policy, uint32_t ways, const uint64_t *numbers,
                       size_t count, unsigned expected)
{
    cache c;
    REQUIRE(cache_init(&c, ways, ways, policy) == STELE_OK);
    CHECK_EQ_U64(hits(&c, numbers, count), expected);
    cache_free(&c);
}

TEST(policies_choose_who_goes)
{
    static const uint64_t turn[] = {1, 2, 1, 3, 1, 2};
    static const uint64_t four[] = {1, 2, 3, 4, 1, 5, 2, 3, 1};
    check_hits(STELE_INSN_CACHE_LRU, 2, turn, 6, 0x14);  /* line 3 replaces 2 */
    check_hits(STELE_INSN_CACHE_FIFO, 2, turn, 6, 0x04); /* line 3 replaces 1, line 1 replaces 2 */
    check_hits(STELE_INSN_CACHE_LRU, 4, four, 9,
               0x110); /* line 5 replaces 2, 2 replaces 3, 3 replaces 4; line 1 was used */
    /* after line 1, the next to be replaced is 3 or 4: it is 3 */
    check_hits(STELE_INSN_CACHE_PLRU, 4, four, 9, 0x150);
    check_hits(STELE_INSN_CACHE_FIFO, 4, four, 9, 0x0d0);
}

TEST(random_is_the_same_every_time)
{
    uint64_t numbers[30];
    cache c;
    unsigned first;
    for (size_t i = 0; i < 30; i++)
        numbers[i] = i * 7 % 6;
    REQUIRE(cache_init(&c, 4, 4, STELE_INSN_CACHE_RANDOM) == STELE_OK);
    first = hits(&c, numbers, 30);
    cache_clear(&c);
    CHECK_EQ_U64(hits(&c, numbers, 30), first);
    CHECK(first != 0);
    cache_free(&c);
}

TEST(sets_are_apart)
{
    cache c;
    REQUIRE(cache_init(&c, 4, 1, STELE_INSN_CACHE_LRU) == STELE_OK);
    CHECK_EQ_U64(cache_insert(&c, 0, CACHE_DIRTY), 0);
    CHECK_EQ_U64(cache_insert(&c, 1, 0), 0);
    CHECK_EQ_U64(cache_insert(&c, 4, 0), cache_line_of(0) | CACHE_DIRTY);
    CHECK_EQ_U64(cache_line_number(cache_line_of(0)), 0);
    CHECK(cache_find(&c, 0) == NULL && cache_find(&c, 1) != NULL && cache_find(&c, 4) != NULL);
    cache_free(&c);
}

TEST(sizes_that_cannot_be_are_refused)
{
    static const struct {
        uint64_t lines;
        uint32_t ways;
        stele_insn_cache_policy policy;
    } wrong[] = {{0, 1, STELE_INSN_CACHE_LRU},  {8, 0, STELE_INSN_CACHE_LRU},
                 {8, 3, STELE_INSN_CACHE_LRU},  {12, 4, STELE_INSN_CACHE_LRU},
                 {6, 3, STELE_INSN_CACHE_PLRU}, {128, 128, STELE_INSN_CACHE_PLRU}};
    cache c;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_EQ_U64(cache_init(&c, wrong[i].lines, wrong[i].ways, wrong[i].policy),
                     STELE_ERR_ARGUMENT);
        cache_free(&c);
    }
    CHECK_EQ_U64(cache_init(&c, 6, 3, STELE_INSN_CACHE_FIFO), STELE_OK);
    cache_free(&c);
}

/* ---- All caches together ---- */

/* Returns caches with one set each: L1D has two lines and L2 four. */
static stele_insn_cache_config small(void)
{
    stele_insn_cache_config config = {.line_size = 64, .page_size = 4096};
    for (size_t i = 0; i < STELE_INSN_CACHE_COUNT; i++) {
        config.of[i].size = i < STELE_INSN_CACHE_ITLB ? 256 : 4;
        config.of[i].ways = 4;
    }
    config.of[STELE_INSN_CACHE_L1D].size = 128;
    config.of[STELE_INSN_CACHE_L1D].ways = 2;
    config.of[STELE_INSN_CACHE_L3].size = 0;
    return config;
}

/* Runs loads of lines, or stores if the number is negative; all instructions are at the same
   address. */
static stele_insn_cache *run(const stele_insn_cache_config *config, const int *lines, size_t count)
{
    insn_batch *batch = made_batch(1);
    stele_insn_cache_id wrong;
    stele_insn_cache *c;
    REQUIRE(stele_insn_cache_new(config, &c, &wrong) == STELE_OK);
    for (size_t i = 0; i < count; i++) {
        made_insn(batch, 0x100000, NOP);
        made_access(batch, lines[i] < 0, (uint64_t)(lines[i] < 0 ? -lines[i] : lines[i]) * 64, 3);
    }
    stele_insn_cache_add(c, batch);
    insn_batch_free(batch);
    return c;
}

/* Returns what each cache counted, in memory that is valid until the next call. */
static const stele_insn_cache_row *counts_of(stele_insn_cache *c, uint64_t *insn_count)
{
    static stele_insn_cache_row rows[STELE_INSN_CACHE_COUNT];
    stele_insn_cache_finish(c, insn_count);
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++) {
        rows[id] = (stele_insn_cache_row){.struct_size = sizeof rows[id]};
        stele_insn_cache_get(c, (stele_insn_cache_id)id, &rows[id]);
    }
    return rows;
}

static void check_counts(const stele_insn_cache_row *got, uint64_t reads, uint64_t read_misses,
                         uint64_t writes, uint64_t write_misses, uint64_t write_backs)
{
    CHECK_EQ_U64(got->read_count, reads);
    CHECK_EQ_U64(got->read_miss_count, read_misses);
    CHECK_EQ_U64(got->write_count, writes);
    CHECK_EQ_U64(got->write_miss_count, write_misses);
    CHECK_EQ_U64(got->write_back_count, write_backs);
}

static const int steps[] = {1, -1, 2, 3, 1, -4};

TEST(dirty_lines_are_written_back)
{
    const stele_insn_cache_config config = small();
    stele_insn_cache *c = run(&config, steps, 6);
    uint64_t count;
    const stele_insn_cache_row *got = counts_of(c, &count);
    CHECK_EQ_U64(count, 6);
    /* Line 1 leaves L1D dirty when line 3 comes, and comes again from L2, which still has it. */
    check_counts(&got[STELE_INSN_CACHE_L1D], 4, 4, 2, 1, 1);
    /* lines 1, 2, 3, 1, 4 of data and one of code, which is replaced when 4 comes */
    check_counts(&got[STELE_INSN_CACHE_L2], 6, 5, 1, 0, 0);
    check_counts(&got[STELE_INSN_CACHE_L1I], 6, 1, 0, 0, 0);
    check_counts(&got[STELE_INSN_CACHE_DTLB], 6, 1, 0, 0, 0);
    check_counts(&got[STELE_INSN_CACHE_ITLB], 6, 1, 0, 0, 0);
    check_counts(&got[STELE_INSN_CACHE_L2TLB], 2, 2, 0, 0, 0);
    stele_insn_cache_free(c);
}

TEST(write_through_leaves_nothing_dirty)
{
    stele_insn_cache_config config = small();
    stele_insn_cache *c;
    uint64_t count;
    const stele_insn_cache_row *got;
    config.is_write_through = true;
    c = run(&config, steps, 6);
    got = counts_of(c, &count);
    check_counts(&got[STELE_INSN_CACHE_L1D], 4, 4, 2, 1, 0);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_L2].write_count, 2);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_L2].write_miss_count, 1);
    stele_insn_cache_free(c);
}

TEST(stores_that_miss_can_go_around)
{
    static const int stores[] = {-1, -1, 1, -1, 1};
    stele_insn_cache_config config = small();
    stele_insn_cache *c;
    uint64_t count;
    const stele_insn_cache_row *got;
    config.is_write_around = true;
    c = run(&config, stores, 5);
    got = counts_of(c, &count);
    check_counts(&got[STELE_INSN_CACHE_L1D], 2, 1, 3, 2, 0);
    check_counts(&got[STELE_INSN_CACHE_L2], 2, 1, 2, 1, 0);
    stele_insn_cache_free(c);
}

TEST(the_next_line_comes_too)
{
    static const int lines[] = {1, 2, 3, 4};
    stele_insn_cache_config config = small();
    stele_insn_cache *c;
    uint64_t count;
    const stele_insn_cache_row *got;
    config.has_next_line = true;
    c = run(&config, lines, 4);
    got = counts_of(c, &count);
    check_counts(&got[STELE_INSN_CACHE_L1D], 4, 2, 0, 0, 0);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_L1D].prefetch_count, 2);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_L1D].useful_prefetch_count, 2);
    stele_insn_cache_free(c);
}

TEST(what_warms_up_does_not_count)
{
    stele_insn_cache_config config = small();
    stele_insn_cache *c;
    uint64_t count;
    config.warmup = 1;
    c = run(&config, steps, 6);
    CHECK_EQ_U64(counts_of(c, &count)[STELE_INSN_CACHE_L1D].read_count, 3);
    CHECK_EQ_U64(count, 5);
    stele_insn_cache_free(c);
    config.warmup = 6;
    c = run(&config, steps, 6);
    CHECK_EQ_U64(counts_of(c, &count)[STELE_INSN_CACHE_L1D].read_count, 0);
    CHECK_EQ_U64(count, 0);
    stele_insn_cache_free(c);
}

TEST(accesses_can_take_two_lines_and_pages)
{
    insn_batch *batch = made_batch(1);
    stele_insn_cache_config config = small();
    stele_insn_cache_id wrong;
    stele_insn_cache *c;
    uint64_t count;
    const stele_insn_cache_row *got;
    REQUIRE(stele_insn_cache_new(&config, &c, &wrong) == STELE_OK);
    made_insn(batch, 0x100000, NOP);
    made_access(batch, false, 0xffc, 3);
    stele_insn_cache_add(c, batch);
    got = counts_of(c, &count);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_L1D].read_count, 2);
    CHECK_EQ_U64(got[STELE_INSN_CACHE_DTLB].read_count, 2);
    stele_insn_cache_free(c);
    insn_batch_free(batch);
}
