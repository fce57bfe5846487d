/* SPDX-License-Identifier: Apache-2.0 */
/* Copying bits to other bit offsets. */
#include "formats/ctf/write/copy_bits.h"

#include "test.h"

static unsigned bit_of(const uint8_t *bytes, uint64_t at, bool is_big)
{
    return (unsigned)(bytes[at / 8] >> (is_big ? 7 - at % 8 : at % 8)) & 1;
}

static uint8_t byte_of(unsigned at)
{
    return (uint8_t)(at * 151u + 43u);
}

/* Checks a copy of bits after any number of bits: each bit is the same, and zeros fill the last
   byte. */
static void copy_is_the_same(unsigned first, unsigned count, unsigned before, bool is_big)
{
    bit_writer w = {.is_big_endian = is_big}, counted = {.at = before};
    uint8_t from[24];
    const uint8_t *to;
    size_t size;
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = byte_of(i);
    CHECK(output_open_memory(NULL, &w.out) == STELE_OK);
    if (before != 0)
        bits_write(&w, UINT64_MAX, before);
    bits_copy(&w, from, first, count);
    bits_copy(&counted, from, first, count);
    CHECK_EQ_U64(w.at, before + count);
    CHECK_EQ_U64(w.at, counted.at);
    bits_align(&w, 8);
    to = output_memory(w.out, &size);
    CHECK_EQ_U64(size, (before + count + 7) / 8);
    for (unsigned i = 0; i < size * 8; i++) {
        const unsigned is = bit_of(to, i, is_big);
        const unsigned was = i < before           ? 1
                             : i < before + count ? bit_of(from, first + i - before, is_big)
                                                  : 0;
        wrong += is != was;
    }
    CHECK_EQ_U64(wrong, 0);
    output_close(w.out);
}

TEST(ctf_copy_of_bits_at_any_place)
{
    for (unsigned first = 0; first < 17; first++)
        for (unsigned count = 0; count < 150; count += count < 20 ? 1 : 13)
            for (unsigned before = 0; before < 9; before++) {
                copy_is_the_same(first, count, before, false);
                copy_is_the_same(first, count, before, true);
            }
}

TEST(ctf_copy_of_numbers_of_64_bits)
{
    static const uint8_t little[] = {0x05, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0xf0, 0x0d};
    static const uint8_t big[] = {0x5d, 0xf0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x00};
    for (int is_big = 0; is_big < 2; is_big++) {
        bit_writer w = {.is_big_endian = is_big != 0};
        const uint8_t *bytes;
        size_t size;
        CHECK(output_open_memory(NULL, &w.out) == STELE_OK);
        bits_write(&w, 5, 4);
        bits_write(&w, UINT64_C(0xdf0123456789abc0), 64);
        bits_align(&w, 8);
        bytes = output_memory(w.out, &size);
        CHECK_EQ_U64(size, 9);
        CHECK_EQ_MEM(bytes, is_big != 0 ? big : little, sizeof big);
        CHECK(!w.is_bad);
        output_close(w.out);
    }
}

/* With bits of both orders, a record can only be moved by whole bytes. */
TEST(ctf_copy_of_mixed_bits_only_by_bytes)
{
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    bit_writer w = {.is_mixed = true};
    bits_copy(&w, bytes, 8, 16);
    bits_align(&w, 64);
    CHECK(!w.is_bad);
    bits_copy(&w, bytes, 0, 3);
    CHECK(w.is_bad);
}
