/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hash.h"

#include "support.h"

/* Every byte and the size change the hash, and nothing after the bytes is read, as
   AddressSanitizer checks. */
TEST(every_byte_matters)
{
    for (size_t size = 0; size <= 100; size++) {
        uint8_t *bytes = malloc(size + (size == 0));
        REQUIRE(bytes != NULL);
        random_fill(bytes, size, size + 1);
        const uint64_t hash = hash_bytes(bytes, size);
        CHECK_EQ_U64(hash_bytes(bytes, size), hash);
        for (size_t at = 0; at < size; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                bytes[at] ^= (uint8_t)(1u << bit);
                CHECK(hash_bytes(bytes, size) != hash);
                bytes[at] ^= (uint8_t)(1u << bit);
            }
        }
        if (size != 0)
            CHECK(hash_bytes(bytes, size - 1) != hash);
        free(bytes);
    }
}

/* Checks the lowest bits, which tables use. If 65,536 names fall randomly on 65,536 slots, about
   1/e of the slots are empty: 24,109, with a standard deviation of about 80. */
static void check_spread(const char *format)
{
    enum { SLOTS = 1 << 16 };
    static uint8_t taken[SLOTS];
    unsigned empty = 0;
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < SLOTS; i++) {
        char name[64];
        snprintf(name, sizeof name, format, i);
        taken[hash_bytes(name, strlen(name)) & (SLOTS - 1)] = 1;
    }
    for (unsigned i = 0; i < SLOTS; i++)
        empty += !taken[i];
    CHECK(empty > 23700 && empty < 24500);
}

TEST(names_that_are_alike_spread_over_the_slots)
{
    check_spread("%d");
    check_spread("event%d");
    check_spread("a_long_prefix_of_a_name_%08x");
    check_spread("%08x_and_a_long_end_of_a_name");
}

TEST(numbers_in_sequence_spread_over_the_slots)
{
    enum { SLOTS = 1 << 16 };
    for (unsigned shift = 0; shift <= 44; shift += 4) {
        static uint8_t taken[SLOTS];
        unsigned empty = 0;
        memset(taken, 0, sizeof taken);
        for (uint64_t i = 0; i < SLOTS; i++)
            taken[hash_u64(i << shift) & (SLOTS - 1)] = 1;
        for (unsigned i = 0; i < SLOTS; i++)
            empty += !taken[i];
        CHECK(empty > 23000 && empty < 25300);
    }
}

/* Numbers and pairs with few bits set are spread as if at random, whatever the key is. */
TEST(every_key_spreads_numbers_in_sequence)
{
    enum { SLOTS = 1 << 14 };
    for (unsigned round = 0; round < 40; round++) {
        const hash_key key = hash_key_make();
        static uint8_t taken[SLOTS], taken_pairs[SLOTS];
        unsigned empty = 0, empty_pairs = 0;
        memset(taken, 0, sizeof taken);
        memset(taken_pairs, 0, sizeof taken_pairs);
        for (uint64_t i = 0; i < SLOTS; i++) {
            taken[hash_keyed_u64(key, i << (round % 45)) & (SLOTS - 1)] = 1;
            taken_pairs[hash_keyed_pair(key, i & 127, i >> 7) & (SLOTS - 1)] = 1;
        }
        for (unsigned i = 0; i < SLOTS; i++) {
            empty += !taken[i];
            empty_pairs += !taken_pairs[i];
        }
        CHECK(empty > 5700 && empty < 6400);
        CHECK(empty_pairs > 5700 && empty_pairs < 6400);
    }
}
