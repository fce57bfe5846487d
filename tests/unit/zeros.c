/* SPDX-License-Identifier: Apache-2.0 */
#include "core/zeros.h"

#include <string.h>

#include "support.h"

/* Checks all three ways to find zeros against looking at one byte after the other. */
static void check_zeros(const uint8_t from[ZEROS_SIZE])
{
    uint8_t to[ZEROS_SIZE], to_words[ZEROS_SIZE];
    unsigned first = 0;
    while (first < ZEROS_SIZE && from[first] != 0)
        first++;
    CHECK_EQ_U64(zeros_before(zeros_copy(to, from)), first);
    CHECK_EQ_U64(zeros_before((uint32_t)zeros_copy_words(to_words, from, ZEROS_SIZE)), first);
    CHECK_EQ_U64(zeros_before(zeros_find(from)), first);
    CHECK(memcmp(to, from, ZEROS_SIZE) == 0);
    CHECK(memcmp(to_words, from, ZEROS_SIZE) == 0);
}

TEST(the_first_zero_is_found_wherever_it_is)
{
    static const uint8_t others[] = {1, 0x7f, 0x80, 0x81, 0xff};
    for (size_t other = 0; other < sizeof others; other++) {
        for (unsigned first = 0; first <= ZEROS_SIZE; first++) {
            uint8_t bytes[ZEROS_SIZE];
            memset(bytes, others[other], sizeof bytes);
            if (first < ZEROS_SIZE)
                bytes[first] = 0;
            check_zeros(bytes);
            for (unsigned second = first + 1; second < ZEROS_SIZE; second++) {
                bytes[second] = (uint8_t)(second % 2);
                check_zeros(bytes);
            }
        }
    }
}

TEST(texts_of_up_to_64_bytes_are_copied_in_words)
{
    uint8_t from[64 + 8], to[64 + 8];
    for (unsigned size = 0; size <= 64; size++) {
        for (unsigned zero = 0; zero < size; zero++) {
            memset(from, 0x80, sizeof from);
            memset(to, 0, sizeof to);
            from[zero] = 0;
            CHECK_EQ_U64((unsigned)__builtin_ctzll(zeros_copy_words(to, from, size)), zero);
            CHECK(memcmp(to, from, size) == 0);
            for (unsigned i = (size + 7) / 8 * 8; i < sizeof to; i++)
                CHECK_EQ_U64(to[i], 0);
        }
    }
}

TEST(random_bytes_are_looked_through_alike)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint8_t bytes[ZEROS_SIZE];
        random_fill(bytes, sizeof bytes, seed);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] &= (uint8_t)(seed % 8 + 1);
        check_zeros(bytes);
    }
}
