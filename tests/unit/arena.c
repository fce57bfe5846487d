/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "core/arena.h"

TEST(pieces_are_aligned_and_keep_what_was_written)
{
    arena a = {0};
    uint8_t *pieces[500];
    for (size_t i = 0; i < 500; i++) {
        /* Small pieces, and every tenth piece too large to share a block. */
        const size_t size = i % 10 == 9 ? 40000 : i % 37;
        pieces[i] = arena_take(&a, size);
        REQUIRE(pieces[i] != NULL);
        CHECK_EQ_U64((uintptr_t)pieces[i] % 8, 0);
        memset(pieces[i], (int)i & 0xff, size);
    }
    for (size_t i = 0; i < 500; i++) {
        const size_t size = i % 10 == 9 ? 40000 : i % 37;
        for (size_t at = 0; at < size; at++)
            REQUIRE(pieces[i][at] == (i & 0xff));
    }
    arena_free(&a);
    CHECK_EQ_U64(a.size, 0);
}

TEST(a_copy_ends_with_a_zero)
{
    arena a = {0};
    CHECK_EQ_MEM(arena_copy(&a, "ab\0c", 4), "ab\0c", 5);
    CHECK_EQ_MEM(arena_copy(&a, NULL, 0), "", 1);
    arena_free(&a);
}

TEST(an_empty_piece_is_no_failure)
{
    arena a = {0};
    CHECK(arena_take(&a, 0) != NULL);
    arena_free(&a);
}

TEST(an_impossible_size_fails_and_changes_nothing)
{
    arena a = {0};
    CHECK(arena_take(&a, SIZE_MAX) == NULL);
    CHECK(arena_take(&a, SIZE_MAX / 2) == NULL);
    CHECK_EQ_U64(a.size, 0);
    CHECK(arena_copy(&a, "x", 1) != NULL);
    arena_free(&a);
}

TEST(a_large_piece_does_not_waste_the_block_in_use)
{
    arena a = {0};
    uint8_t *first = arena_take(&a, 8);
    CHECK(arena_take(&a, 100000) != NULL);
    CHECK(arena_take(&a, 8) == first + 8);
    arena_free(&a);
}
