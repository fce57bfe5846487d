/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "core/bytes_map.h"
#include "core/intern.h"

TEST(the_empty_string_is_number_0)
{
    intern pool;
    REQUIRE(intern_init(&pool, 1 << 20));
    CHECK_EQ_U64(intern_add(&pool, "", 0), 0);
    CHECK_EQ_U64(intern_find(&pool, "x", 1), INTERN_NONE);
    CHECK_EQ_U64(intern_add(&pool, "x", 1), 1);
    CHECK_EQ_U64(intern_find(&pool, "x", 1), 1);
    intern_free(&pool);
}

TEST(strings_may_hold_zeros_and_differ_in_length)
{
    intern pool;
    REQUIRE(intern_init(&pool, 1 << 20));
    CHECK_EQ_U64(intern_add(&pool, "a\0b", 3), 1);
    CHECK_EQ_U64(intern_add(&pool, "a\0c", 3), 2);
    CHECK_EQ_U64(intern_add(&pool, "a", 1), 3);
    CHECK_EQ_U64(intern_add(&pool, "a\0b", 3), 1);
    CHECK_EQ_STR(pool.entries[3].bytes, "a");
    CHECK_EQ_MEM(pool.entries[2].bytes, "a\0c", 4);
    intern_free(&pool);
}

TEST(many_strings_keep_their_numbers_and_places)
{
    enum { COUNT = 50000 };
    static const char *places[COUNT];
    intern pool;
    char text[32];
    REQUIRE(intern_init(&pool, 64 << 20));
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "name %u", i);
        REQUIRE(intern_add(&pool, text, (size_t)size) == i + 1);
        places[i] = pool.entries[i + 1].bytes;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "name %u", i);
        REQUIRE(intern_add(&pool, text, (size_t)size) == i + 1);
        REQUIRE(pool.entries[i + 1].bytes == places[i]);
        REQUIRE(strcmp(places[i], text) == 0);
    }
    CHECK_EQ_U64(pool.count, COUNT + 1);
    intern_free(&pool);
}

TEST(a_full_pool_still_knows_what_it_has)
{
    intern pool;
    char text[32];
    uint32_t count = 1;
    REQUIRE(intern_init(&pool, 10000));
    for (;;) {
        const int size = snprintf(text, sizeof text, "%u", count);
        if (intern_add(&pool, text, (size_t)size) == INTERN_NONE)
            break;
        REQUIRE(++count < 10000);
    }
    CHECK(pool.size >= pool.size_max);
    CHECK(pool.bytes.size <= 1 << 17);
    CHECK_EQ_U64(pool.count, count);
    CHECK_EQ_U64(intern_add(&pool, "1", 1), 1);
    CHECK_EQ_U64(intern_add(&pool, "brand new", 9), INTERN_NONE);
    intern_free(&pool);
}

/* Among so many strings some have the same hash, and must still be told apart. */
TEST(strings_of_one_hash_are_told_apart)
{
    enum { COUNT = 400000 };
    intern pool;
    char text[32];
    uint32_t same_count = 0;
    REQUIRE(intern_init(&pool, 256 << 20));
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "%u", i);
        const uint32_t slots_before = pool.slot_mask;
        REQUIRE(intern_add(&pool, text, (size_t)size) == i + 1);
        CHECK(pool.slot_mask >= slots_before && pool.count * 2 <= pool.slot_mask + 2);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        const intern_entry *entry = &pool.entries[i];
        uint32_t at = entry->hash & pool.slot_mask;
        for (; pool.slots[at] != i + 1; at = (at + 1) & pool.slot_mask)
            same_count += pool.entries[pool.slots[at] - 1].hash == entry->hash;
        REQUIRE(intern_find(&pool, entry->bytes, entry->size) == i);
    }
    CHECK(same_count > 0);
    intern_free(&pool);
}

TEST(a_map_keeps_a_number_for_each_key)
{
    bytes_map map;
    REQUIRE(bytes_map_init(&map));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 10000; i++) {
            uint32_t *number = bytes_map_at(&map, &i, sizeof i);
            REQUIRE(number != NULL);
            CHECK_EQ_U64(*number, round == 0 ? BYTES_MAP_NONE : 3 * i);
            *number = 3 * i;
        }
    }
    CHECK_EQ_U64(*bytes_map_at(&map, "", 0), BYTES_MAP_NONE);
    bytes_map_free(&map);
}
