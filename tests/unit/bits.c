/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bits.h"

#include "support.h"

/* Reads a field bit by bit, as the specification defines it. */
static uint64_t reference(const uint8_t *bytes, size_t offset_bits, unsigned width, bool is_little)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const size_t at = offset_bits + i;
        const unsigned in_byte = (unsigned)(at % 8);
        if (is_little)
            value |= (uint64_t)(bytes[at / 8] >> in_byte & 1) << i;
        else
            value = value << 1 | (bytes[at / 8] >> (7 - in_byte) & 1);
    }
    return value;
}

/* Each field is at the end of an allocation of its exact size, so that AddressSanitizer sees
   reads beyond it. */
TEST(fields_are_as_read_bit_by_bit)
{
    uint64_t seed = 1;
    for (size_t size = 1; size <= 20; size++) {
        uint8_t *bytes = malloc(size);
        REQUIRE(bytes != NULL);
        random_fill(bytes, size, random_next(&seed));
        for (size_t offset = 0; offset < size * 8; offset++) {
            const uint8_t *at = bytes + offset / 8, *end = bytes + size;
            const unsigned bit = (unsigned)(offset % 8);
            for (unsigned width = 1; width <= 64 && width <= size * 8 - offset; width++) {
                CHECK_EQ_U64(bits_load_le(at, end, bit, width),
                             reference(bytes, offset, width, true));
                CHECK_EQ_U64(bits_load_be(at, end, bit, width),
                             reference(bytes, offset, width, false));
            }
        }
        free(bytes);
    }
}

TEST(the_drawing_in_the_header_is_right)
{
    /* The value is 0b10011: bits 0, 1 and 4 are set. */
    static const uint8_t little[] = {0xc0, 0x04}, big[] = {0x02, 0x60};
    CHECK_EQ_U64(bits_load_le(little, little + 2, 6, 5), 0x13);
    CHECK_EQ_U64(bits_load_be(big, big + 2, 6, 5), 0x13);
}

TEST(signs_are_extended)
{
    CHECK_EQ_I64(bits_signed(0, 1), 0);
    CHECK_EQ_I64(bits_signed(1, 1), -1);
    CHECK_EQ_I64(bits_signed(0x7f, 8), 127);
    CHECK_EQ_I64(bits_signed(0x80, 8), -128);
    CHECK_EQ_I64(bits_signed(UINT64_MAX, 64), -1);
    CHECK_EQ_I64(bits_signed(UINT64_C(1) << 63, 64), INT64_MIN);
    CHECK_EQ_I64(bits_signed(INT64_MAX, 64), INT64_MAX);
    for (unsigned width = 2; width < 64; width++) {
        CHECK_EQ_I64(bits_signed(bits_mask(width), width), -1);
        CHECK_EQ_I64(bits_signed(bits_mask(width - 1), width), (int64_t)bits_mask(width - 1));
        CHECK_EQ_I64(bits_signed(UINT64_C(1) << (width - 1), width),
                     -(int64_t)(UINT64_C(1) << (width - 1)));
    }
}
