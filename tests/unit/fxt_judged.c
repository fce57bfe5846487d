/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/judged.h"

#include <stdlib.h>

#include "core/hash.h"
#include "test.h"

#define SIZE    ((size_t)400 << 10) /* positions of the test */
#define QUERIES 20000u

typedef struct made {
    judged judged;
    uint8_t *good;  /* the right answer for each position */
    uint8_t *known; /* whether it was judged */
    uint64_t seed;
    uint64_t judged_count;
} made;

static uint64_t next(made *m, uint64_t below)
{
    return (m->seed = hash_u64(m->seed + 1)) % below;
}

/* Searches as the walk does, and compares with what a search of all positions finds. */
static void search(made *m, uint64_t from, uint64_t stop, uint8_t pattern)
{
    uint64_t wanted = from;
    bool is_good = false;
    while (wanted < stop && ((pattern >> wanted % 8 & 1) == 0 || !m->good[wanted]))
        wanted++;
    for (; from < stop; from++) {
        from = judged_next(&m->judged, JUDGED_ASKEW, from, stop, pattern, &is_good);
        if (is_good || from == stop)
            break;
        CHECK((pattern >> from % 8 & 1) != 0);
        CHECK(!m->known[from]);
        m->known[from] = 1;
        m->judged_count++;
        judged_set(&m->judged, JUDGED_ASKEW, from, m->good[from] != 0);
        if (m->good[from])
            break;
    }
    CHECK_EQ_U64(from, wanted);
    CHECK_EQ_U64(is_good && from < stop ? m->good[from] : 1, 1);
}

TEST(each_position_is_judged_once)
{
    made m = {.seed = 7};
    uint64_t base = 0;
    m.good = calloc(SIZE, 1);
    m.known = calloc(SIZE, 1);
    REQUIRE(m.good != NULL && m.known != NULL);
    for (size_t i = 0; i < SIZE / 5000; i++)
        m.good[next(&m, SIZE)] = 1;
    for (unsigned i = 0; i < QUERIES && base < SIZE - JUDGED_SIZE; i++) {
        const uint64_t from = next(&m, 4000), size = next(&m, JUDGED_SIZE - 64 - from);
        judged_move(&m.judged, base);
        /* The walk asks for the same positions again and again. */
        search(&m, base + from, base + from + size,
               next(&m, 4) == 0 ? (uint8_t)(next(&m, 255) + 1) : 0xfe);
        base += next(&m, 40);
    }
    CHECK(base > SIZE / 2);
    CHECK(m.judged_count < base + JUDGED_SIZE);
    free(m.good);
    free(m.known);
}

TEST(kinds_are_apart_and_earlier_positions_are_forgotten)
{
    judged *j = calloc(1, sizeof *j);
    bool is_good;
    REQUIRE(j != NULL);
    judged_move(j, 1000);
    judged_set(j, JUDGED_ONE_TO_END, 1003, true);
    judged_set(j, JUDGED_ONE_TO_END, 1002, false);
    CHECK_EQ_U64(judged_next(j, JUDGED_ONE_TO_END, 1002, 1010, 0xff, &is_good), 1003);
    CHECK(is_good);
    CHECK_EQ_U64(judged_next(j, JUDGED_TWO_TO_END, 1002, 1010, 0xff, &is_good), 1002);
    CHECK(!is_good);
    judged_move(j, 1000 + JUDGED_SIZE); /* the same bit stands for a position here */
    CHECK_EQ_U64(
        judged_next(j, JUDGED_ONE_TO_END, 1002 + JUDGED_SIZE, 1010 + JUDGED_SIZE, 0xff, &is_good),
        1002 + JUDGED_SIZE);
    judged_set(j, JUDGED_ONE_TO_END, 1003 + JUDGED_SIZE, true);
    judged_move(j, 500); /* another stretch begins */
    CHECK_EQ_U64(judged_next(j, JUDGED_ONE_TO_END, 1002, 1010, 0xff, &is_good), 1002);
    CHECK_EQ_U64(judged_next(j, JUDGED_ONE_TO_END, 1002, 1002, 0xff, &is_good), 1002);
    free(j);
}
