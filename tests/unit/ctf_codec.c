/* SPDX-License-Identifier: Apache-2.0 */
#include <stele/ctf.h>

#include <stdlib.h>

#include "test.h"

struct payload {
    uint64_t when;
    uint16_t what;
    STELE_CTF_HEADER_END;
};

TEST(ctf_header_sizeof_leaves_the_padding_out)
{
    CHECK_EQ_U64(stele_ctf_header_sizeof(struct payload), 10);
    CHECK(sizeof(struct payload) > 10);
}

/* Reads a field bit by bit, as the RFC describes it. */
static uint64_t read_slowly(const uint8_t *bytes, size_t offset, unsigned width, bool is_big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const size_t at = offset + i;
        const uint64_t bit = bytes[at / 8] >> (is_big ? 7 - at % 8 : at % 8) & 1;
        value |= bit << (is_big ? width - 1 - i : i);
    }
    return value;
}

static void check_field(size_t offset, unsigned width, bool is_big)
{
    /* Exactly the bytes of the field, so that sanitizers see accesses beyond it. */
    const size_t size = (offset + width + 7) / 8;
    uint8_t *bytes = malloc(size), before[10];
    uint64_t value, seed = width * 31 + offset;
    REQUIRE(bytes != NULL && size <= sizeof before);
    for (size_t i = 0; i < size; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        before[i] = bytes[i] = (uint8_t)(seed >> 56);
    }
    value = (is_big ? stele_ctf_bits_read_be : stele_ctf_bits_read_le)(bytes, offset, width);
    CHECK_EQ_U64(value, read_slowly(bytes, offset, width, is_big));
    (is_big ? stele_ctf_bits_write_be : stele_ctf_bits_write_le)(bytes, offset, width, ~value);
    CHECK_EQ_U64(read_slowly(bytes, offset, width, is_big), ~value & UINT64_MAX >> (64 - width));
    for (size_t at = 0; at < size * 8; at++) {
        if (at < offset || at >= offset + width)
            CHECK_EQ_U64(read_slowly(bytes, at, 1, is_big), read_slowly(before, at, 1, is_big));
    }
    free(bytes);
}

/* Reading gives the bits that are there; writing changes them and leaves the bits around them. */
TEST(ctf_bits_of_all_widths_at_all_offsets)
{
    for (unsigned width = 1; width <= 64; width++) {
        for (size_t offset = 0; offset < 16; offset++) {
            check_field(offset, width, false);
            check_field(offset, width, true);
        }
    }
}

/* Consecutive integers of mixed sizes, as section 4.1.5 places them. */
TEST(ctf_bits_follow_each_other)
{
    static const unsigned widths[] = {3, 1, 12, 64, 5, 27, 7, 33, 1, 63};
    for (int is_big = 0; is_big < 2; is_big++) {
        uint8_t bytes[27] = {0};
        size_t at = 0;
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            const uint64_t value = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
            (is_big ? stele_ctf_bits_write_be : stele_ctf_bits_write_le)(bytes, at, widths[i],
                                                                         value);
            at += widths[i];
        }
        REQUIRE(at == sizeof bytes * 8);
        at = 0;
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            const uint64_t value = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
            CHECK_EQ_U64(read_slowly(bytes, at, widths[i], is_big),
                         value & UINT64_MAX >> (64 - widths[i]));
            CHECK_EQ_U64(
                (is_big ? stele_ctf_bits_read_be : stele_ctf_bits_read_le)(bytes, at, widths[i]),
                value & UINT64_MAX >> (64 - widths[i]));
            at += widths[i];
        }
    }
}

TEST(ctf_bits_none)
{
    uint8_t bytes[2] = {0x5a, 0xa5};
    stele_ctf_bits_write_le(bytes, 3, 0, UINT64_MAX);
    stele_ctf_bits_write_be(bytes, 3, 0, UINT64_MAX);
    CHECK(bytes[0] == 0x5a && bytes[1] == 0xa5);
    CHECK_EQ_U64(stele_ctf_bits_read_le(bytes, 3, 0), 0);
    CHECK_EQ_U64(stele_ctf_bits_read_be(bytes, 16, 0), 0);
    CHECK_EQ_I64(stele_ctf_bits_signed(0, 0), 0);
}

/* Bit fields are "derived from the bitfield implementation in GCC": the same as the compiler's,
   if they fit a unit. */
TEST(ctf_bits_are_those_of_the_compiler)
{
    struct fields {
        unsigned a : 5;
        unsigned b : 12;
        unsigned c : 15;
    } fields = {.a = 0x15, .b = 0xabc, .c = 0x5a5a};
    const bool is_big = *(const uint8_t *)&(uint16_t){1} == 0;
    uint8_t bytes[sizeof fields];
    memcpy(bytes, &fields, sizeof fields);
    CHECK_EQ_U64(read_slowly(bytes, 0, 5, is_big), 0x15);
    CHECK_EQ_U64(read_slowly(bytes, 5, 12, is_big), 0xabc);
    CHECK_EQ_U64((is_big ? stele_ctf_bits_read_be : stele_ctf_bits_read_le)(bytes, 17, 15), 0x5a5a);
}

struct padded {
    uint8_t kind;
    uint32_t value;
    uint8_t last;
    STELE_CTF_HEADER_END;
};

struct nothing {
    STELE_CTF_HEADER_END;
};

/* Padding before members counts, as the compiler lays them out. */
TEST(ctf_header_sizeof_of_others)
{
    static const char room[stele_ctf_header_sizeof(struct padded)]; /* usable as a constant */
    CHECK_EQ_U64(sizeof room, 9);
    CHECK_EQ_U64(stele_ctf_header_sizeof(struct nothing), 0);
}

TEST(ctf_rfc_header_of_another_magic)
{
    uint8_t bytes[STELE_CTF_RFC_HEADER_SIZE];
    stele_ctf_rfc_header header = {.session_id = 5};
    for (int is_big = 0; is_big < 2; is_big++) {
        header.is_big_endian = is_big;
        stele_ctf_rfc_header_write(bytes, &header);
        for (size_t i = 0; i < 4; i++) {
            stele_ctf_rfc_header read = {.session_id = 6};
            bytes[i] ^= 1;
            CHECK(!stele_ctf_rfc_header_read(bytes, &read));
            CHECK_EQ_U64(read.session_id, 6);
            bytes[i] ^= 1;
        }
    }
}

TEST(ctf_bits_signed)
{
    CHECK_EQ_I64(stele_ctf_bits_signed(1, 1), -1);
    CHECK_EQ_I64(stele_ctf_bits_signed(0x0f, 5), 15);
    CHECK_EQ_I64(stele_ctf_bits_signed(0x10, 5), -16);
    CHECK_EQ_I64(stele_ctf_bits_signed(UINT64_MAX, 64), -1);
    CHECK_EQ_I64(stele_ctf_bits_signed(UINT64_C(1) << 63, 64), INT64_MIN);
}

TEST(ctf_index_entries)
{
    const stele_ctf_index_entry entry = {1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX};
    stele_ctf_index_entry read;
    uint8_t bytes[STELE_CTF_INDEX_ENTRY_SIZE], header[STELE_CTF_INDEX_HEADER_SIZE];
    static const uint8_t expected[] = {0xc1, 0xf1, 0xdc, 0xc1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 72};
    stele_ctf_index_header_write(header);
    CHECK_EQ_MEM(header, expected, sizeof header);
    stele_ctf_index_entry_write(bytes, &entry);
    CHECK_EQ_U64(bytes[15], 2);
    stele_ctf_index_entry_read(bytes, &read);
    CHECK_EQ_MEM(&read, &entry, sizeof read);
}
