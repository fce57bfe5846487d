/* SPDX-License-Identifier: Apache-2.0 */
/* The encodings of Parquet, read back by the words of its specification, bit by bit. */
#include "tables/encode.h"

#include "core/diag.h"
#include "support.h"

#define COUNT_MAX 2500u

static uint64_t roll(void)
{
    static uint64_t state;
    return random_next(&state);
}

static uint64_t take_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            break;
    }
    return value;
}

static uint64_t take_zigzag(const uint8_t **at)
{
    const uint64_t value = take_varint(at);
    return (value >> 1) ^ (0 - (value & 1));
}

static uint64_t bits_at(const uint8_t *bytes, size_t bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)(bytes[(bit + i) / 8] >> ((bit + i) % 8) & 1) << i;
    return value;
}

/* Checks that the bytes are runs and packed groups of these values, and nothing else. */
static void check_hybrid(const output *out, const uint32_t *values, size_t count, unsigned width)
{
    size_t size, row = 0;
    const uint8_t *at = output_memory(out, &size), *const end = at + size;
    while (row < count && at < end) {
        const uint64_t head = take_varint(&at), number = head >> 1;
        const bool is_packed = (head & 1) != 0;
        const size_t rows = (size_t)number * (is_packed ? 8 : 1);
        const size_t bytes = is_packed ? (size_t)number * width : (width + 7) / 8;
        REQUIRE(bytes <= (size_t)(end - at));
        for (size_t i = 0; i < rows; i++, row++) {
            const uint64_t found = bits_at(at, is_packed ? i * width : 0, width);
            REQUIRE(found == (row < count ? values[row] : 0));
        }
        at += bytes;
    }
    CHECK(row >= count && at == end);
}

static void check_delta(const output *out, const int64_t *values, size_t count)
{
    size_t size, row = 1;
    const uint8_t *at = output_memory(out, &size), *const end = at + size;
    const uint64_t block = take_varint(&at), parts = take_varint(&at);
    uint64_t value;
    CHECK_EQ_U64(take_varint(&at), count);
    value = take_zigzag(&at);
    CHECK_EQ_U64(value, (uint64_t)values[0]);
    while (row < count) {
        const uint64_t least = take_zigzag(&at);
        const uint8_t *const widths = at;
        at += parts;
        for (uint64_t part = 0; part < parts && row < count; part++) {
            const unsigned width = widths[part];
            const size_t rows = (size_t)(block / parts);
            for (size_t i = 0; i < rows && row < count; i++, row++) {
                value += least + bits_at(at, i * width, width);
                REQUIRE(value == (uint64_t)values[row]);
            }
            at += rows * width / 8;
        }
    }
    CHECK(at == end);
}

static output *open_output(void)
{
    static diag_sink quiet;
    output *out = NULL;
    CHECK(output_open_memory(&quiet, &out) == STELE_OK);
    return out;
}

/* Values with runs of up to `run_max` equal ones. */
static void make_runs(uint32_t *values, size_t count, unsigned width, size_t run_max)
{
    size_t left = 0;
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++, left--) {
        if (left == 0) {
            left = 1 + (size_t)(roll() % run_max);
            value = (uint32_t)(roll() & ((UINT64_C(1) << width) - 1));
        }
        values[i] = value;
    }
}

TEST(runs_and_packed_values_are_those_given)
{
    static uint32_t values[COUNT_MAX];
    output *out = open_output();
    for (unsigned width = 1; width <= 32; width++) {
        for (size_t run_max = 1; run_max <= 256; run_max *= 4) {
            const size_t count = 1 + (size_t)(roll() % COUNT_MAX);
            make_runs(values, count, width, run_max);
            output_clear(out);
            encode_hybrid(out, values, count, width);
            check_hybrid(out, values, count, width);
        }
    }
    output_close(out);
}

TEST(bits_of_a_bitmap_are_those_given)
{
    static uint64_t bits[COUNT_MAX / 64 + 1];
    static uint32_t values[COUNT_MAX];
    output *out = open_output();
    for (size_t count = 1; count < COUNT_MAX; count += 61) {
        make_runs(values, count, 1, count % 3 == 0 ? 3 : COUNT_MAX);
        memset(bits, count % 2 == 0 ? 0xff : 0, sizeof bits); /* those after the last one, too */
        for (size_t i = 0; i < count; i++) {
            const uint64_t bit = UINT64_C(1) << (i % 64);
            bits[i / 64] = values[i] != 0 ? bits[i / 64] | bit : bits[i / 64] & ~bit;
        }
        output_clear(out);
        encode_bits(out, bits, count);
        check_hybrid(out, values, count, 1);
    }
    output_close(out);
}

TEST(differences_give_the_numbers_again)
{
    static int64_t values[COUNT_MAX];
    output *out = open_output();
    for (unsigned width = 0; width <= 64; width++) {
        const size_t count = 1 + (size_t)(roll() % COUNT_MAX);
        for (size_t i = 0; i < count; i++) {
            const uint64_t step = width != 0 ? roll() >> (64 - width) : 0;
            values[i] = (int64_t)((i != 0 ? (uint64_t)values[i - 1] : 0) + step);
        }
        output_clear(out);
        encode_delta(out, values, count);
        check_delta(out, values, count);
    }
    output_close(out);
}
