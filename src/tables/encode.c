/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/encode.h"

#include "tables/thrift.h"

/* ---- Runs and packed bits ---- */

static void put_run(output *out, uint32_t value, size_t count, unsigned width)
{
    thrift_varint(out, (uint64_t)count << 1);
    for (unsigned bit = 0; bit < width; bit += 8)
        output_byte(out, (uint8_t)(value >> bit));
}

/* Packs values in groups of 8; the last group is filled up with zeros. */
static void put_packed(output *out, const uint32_t *values, size_t count, unsigned width)
{
    const size_t groups = (count + 7) / 8, size = groups * width;
    uint8_t *to;
    uint64_t held = 0;
    unsigned bits = 0;
    thrift_varint(out, (uint64_t)groups << 1 | 1);
    to = output_reserve(out, size + 8);
    if (to == NULL)
        return;
    for (size_t i = 0; i < groups * 8; i++) {
        held |= (uint64_t)(i < count ? values[i] : 0) << bits;
        for (bits += width; bits >= 8; bits -= 8) {
            *to++ = (uint8_t)held;
            held >>= 8;
        }
    }
    output_advance(out, size);
}

/* How many values from the first one on are equal. */
static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

#define RUN_LEAST 64u /* shorter runs are packed */

void encode_hybrid(output *out, const uint32_t *values, size_t count, unsigned width)
{
    size_t at = 0, packed = 0; /* index of the first value that is not written yet */
    while (at < count) {
        const size_t length = run_length(values + at, count - at);
        if (length < RUN_LEAST) {
            at += length;
            continue;
        }
        /* Packed values are whole groups, so the last group takes the first values of the run. */
        const size_t before = (at - packed + 7) / 8 * 8;
        if (at != packed)
            put_packed(out, values + packed, before, width);
        packed += at != packed ? before : 0;
        put_run(out, values[at], at + length - packed, width);
        at = packed = at + length;
    }
    if (packed != count)
        put_packed(out, values + packed, count - packed, width);
}

void encode_bits(output *out, const uint64_t *bits, size_t from, size_t count)
{
    uint32_t chunk[1024];
    bool is_same = true;
    const uint32_t first = (uint32_t)(bits[from / 64] >> (from % 64) & 1);
    for (size_t i = 0; i < count && is_same; i++)
        is_same = (bits[(from + i) / 64] >> ((from + i) % 64) & 1) == first;
    if (is_same && count != 0) {
        put_run(out, first, count, 1);
        return;
    }
    for (size_t at = 0; at < count; at += 1024) {
        const size_t part = count - at < 1024 ? count - at : 1024;
        for (size_t i = 0; i < part; i++)
            chunk[i] = (uint32_t)(bits[(from + at + i) / 64] >> ((from + at + i) % 64) & 1);
        put_packed(out, chunk, part, 1);
    }
}

/* ---- Differences between values ---- */

#define BLOCK      128u
#define MINI_COUNT 4u
#define MINI       (BLOCK / MINI_COUNT)

/* Packs a miniblock of MINI values of `width` bits, at most 64. */
static void put_mini(output *out, const uint64_t *values, unsigned width)
{
    const size_t size = MINI * width / 8;
    uint8_t *to = output_reserve(out, size + 16);
    size_t bit = 0;
    if (to == NULL)
        return;
    memset(to, 0, size + 8);
    for (unsigned i = 0; i < MINI; i++, bit += width) {
        const unsigned shift = bit & 7;
        uint8_t *at = to + bit / 8;
        uint64_t low = 0;
        for (unsigned b = 0; b < 8; b++)
            low |= (uint64_t)at[b] << (8 * b);
        low |= values[i] << shift;
        for (unsigned b = 0; b < 8; b++)
            at[b] = (uint8_t)(low >> (8 * b));
        if (shift + width > 64)
            at[8] |= (uint8_t)(values[i] >> (64 - shift));
    }
    output_advance(out, size);
}

static void put_block(output *out, const int64_t *values, int64_t before, size_t count)
{
    uint64_t steps[BLOCK];
    uint8_t widths[MINI_COUNT];
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        steps[i] = (uint64_t)values[i] - (uint64_t)(i == 0 ? before : values[i - 1]);
        if ((int64_t)steps[i] < least)
            least = (int64_t)steps[i];
    }
    for (size_t i = 0; i < BLOCK; i++)
        steps[i] = i < count ? steps[i] - (uint64_t)least : 0;
    for (unsigned m = 0; m < MINI_COUNT; m++) {
        uint64_t all = 0;
        for (unsigned i = 0; i < MINI; i++)
            all |= steps[m * MINI + i];
        widths[m] = (uint8_t)encode_width(all);
    }
    thrift_varint(out, thrift_zigzag(least));
    output_write(out, widths, sizeof widths);
    for (unsigned m = 0; m * MINI < count; m++)
        put_mini(out, steps + m * MINI, widths[m]);
}

void encode_delta(output *out, const int64_t *values, size_t count)
{
    thrift_varint(out, BLOCK);
    thrift_varint(out, MINI_COUNT);
    thrift_varint(out, count);
    thrift_varint(out, thrift_zigzag(count != 0 ? values[0] : 0));
    for (size_t at = 1; at < count; at += BLOCK) {
        const size_t part = count - at < BLOCK ? count - at : BLOCK;
        put_block(out, values + at, values[at - 1], part);
    }
}
