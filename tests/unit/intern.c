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

/* Among so many strings some have the same hash, and are still different. */
TEST(strings_of_one_hash_are_told_apart)
{
    enum { COUNT = 400000 };
    intern pool;
    char text[32];
    uint32_t same_count = 0;
    REQUIRE(intern_init(&pool, 256 << 20));
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "%u", i);
        REQUIRE(intern_add(&pool, text, (size_t)size) == i + 1);
        CHECK(pool.count * 2 <= pool.numbers.mask + 2);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        const intern_entry *entry = &pool.entries[i];
        const uint32_t hash = hash_table_hash_bytes(&pool.numbers, entry->bytes, entry->size);
        for (uint32_t at = hash; hash_table_next(&pool.numbers, hash, &at) != i;)
            same_count++;
        REQUIRE(intern_find(&pool, entry->bytes, entry->size) == i);
    }
    CHECK(same_count > 0);
    intern_free(&pool);
}

/* Strings that would all have the same hash if the hash had no key, as they make products with
   zero. */
TEST(strings_that_were_made_to_meet_do_not)
{
    enum { COUNT = 20000 };
    const uint64_t factor = UINT64_C(0xd6e8feb86659fd93);
    intern pool;
    char text[40] = {0};
    uint32_t met_count = 0;
    REQUIRE(intern_init(&pool, 64 << 20));
    memcpy(text + 16, &factor, sizeof factor);
    for (uint32_t i = 0; i < COUNT; i++) {
        memcpy(text, &factor, sizeof factor);
        memcpy(text + 8, &i, sizeof i);
        REQUIRE(intern_add(&pool, text, sizeof text) == i + 1);
        const uint32_t hash = hash_table_hash_bytes(&pool.numbers, text, sizeof text);
        for (uint32_t at = hash; hash_table_next(&pool.numbers, hash, &at) != i + 1;)
            met_count++;
    }
    CHECK(met_count < 100);
    intern_free(&pool);
}

/* The hash of each pool has a key of its own, so the same strings do not collide in every pool. */
TEST(each_pool_has_a_key_of_its_own)
{
    intern a, b;
    REQUIRE(intern_init(&a, 1 << 20) && intern_init(&b, 1 << 20));
    CHECK(a.numbers.key.first != b.numbers.key.first);
    CHECK(a.numbers.key.second != b.numbers.key.second);
    intern_free(&a);
    intern_free(&b);
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
