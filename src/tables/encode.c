/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/encode.h"

#include "core/load.h"
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
    unsigned bits = 0; /* how many bits are held, less than 32 between values */
    thrift_varint(out, (uint64_t)groups << 1 | 1);
    to = output_reserve(out, size + 8);
    if (to == NULL)
        return;
    for (size_t i = 0; i < groups * 8; i++) {
        held |= (uint64_t)(i < count ? values[i] : 0) << bits;
        bits += width;
        if (bits < 32)
            continue;
        store_le32(to, (uint32_t)held);
        to += 4;
        held >>= 32;
        bits -= 32;
    }
    store_le32(to, (uint32_t)held);
    output_advance(out, size);
}

#define RUN_LEAST 64u /* shorter runs are packed */

/* The index of the first run of at least RUN_LEAST equal values; `count` if there is none. Only the
   end of what a run would fill is looked at, as long as it differs. */
static size_t find_run(const uint32_t *values, size_t count)
{
    size_t at = 0;
    while (at + RUN_LEAST <= count) {
        size_t begin = at + RUN_LEAST - 1;
        while (begin > at && values[begin - 1] == values[begin])
            begin--;
        if (begin == at)
            return at;
        at = begin;
    }
    return count;
}

/* How many values from the first one on are equal. */
static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

void encode_hybrid(output *out, const uint32_t *values, size_t count, unsigned width)
{
    size_t packed = 0; /* index of the first value that is not written yet */
    while (packed < count) {
        const size_t at = packed + find_run(values + packed, count - packed);
        if (at == count) {
            put_packed(out, values + packed, count - packed, width);
            return;
        }
        /* Packed values are whole groups, so the last group takes the first values of the run. */
        const size_t length = run_length(values + at, count - at);
        const size_t before = (at - packed + 7) / 8 * 8;
        if (before != 0)
            put_packed(out, values + packed, before, width);
        put_run(out, values[at], at + length - packed - before, width);
        packed = at + length;
    }
}

/* Whether all of the bits are as the first one. */
static bool are_bits_same(const uint64_t *bits, size_t count)
{
    const uint64_t first = (bits[0] & 1) != 0 ? UINT64_MAX : 0;
    uint64_t others = 0;
    for (size_t i = 0; i < count / 64; i++)
        others |= bits[i] ^ first;
    if (count % 64 != 0)
        others |= (bits[count / 64] ^ first) & ~(UINT64_MAX << (count % 64));
    return others == 0;
}

#define BITS_AT_ONCE ((size_t)1024)

/* Writes at most BITS_AT_ONCE bits as they lie. */
static void put_bits(output *out, const uint64_t *bits, size_t count)
{
    const size_t size = (count + 7) / 8;
    uint8_t *to;
    thrift_varint(out, (uint64_t)size << 1 | 1);
    to = output_reserve(out, BITS_AT_ONCE / 8);
    if (to == NULL)
        return;
    for (size_t i = 0; i < count / 64; i++)
        store_le64(to + i * 8, bits[i]);
    if (count % 64 != 0)
        store_le64(to + count / 64 * 8, bits[count / 64] & ~(UINT64_MAX << (count % 64)));
    output_advance(out, size);
}

void encode_bits(output *out, const uint64_t *bits, size_t count)
{
    if (count != 0 && are_bits_same(bits, count)) {
        put_run(out, (uint32_t)(bits[0] & 1), count, 1);
        return;
    }
    for (size_t at = 0; at < count; at += BITS_AT_ONCE)
        put_bits(out, bits + at / 64, count - at < BITS_AT_ONCE ? count - at : BITS_AT_ONCE);
}

/* ---- Differences between values ---- */

#define BLOCK      128u
#define MINI_COUNT 4u
#define MINI       (BLOCK / MINI_COUNT)

/* Packs a miniblock of MINI values of `width` bits, at most 64. */
static void put_mini(output *out, const uint64_t *values, unsigned width)
{
    const size_t size = MINI * width / 8;
    uint8_t *to = output_reserve(out, size + 8);
    uint64_t held = 0;
    unsigned bits = 0; /* how many bits are held, less than 64 between values */
    if (to == NULL)
        return;
    for (unsigned i = 0; i < MINI; i++) {
        held |= values[i] << bits;
        if (bits + width < 64) {
            bits += width;
            continue;
        }
        store_le64(to, held);
        to += 8;
        held = bits != 0 ? values[i] >> (64 - bits) : 0;
        bits = bits + width - 64;
    }
    store_le64(to, held);
    output_advance(out, size);
}

/* Writes the differences between values and those before them; the one before the first is
   values[-1]. */
static void put_block(output *out, const int64_t *values, size_t count)
{
    uint64_t steps[BLOCK];
    uint8_t widths[MINI_COUNT];
    const int64_t *const before = values - 1;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const int64_t step = (int64_t)((uint64_t)values[i] - (uint64_t)before[i]);
        steps[i] = (uint64_t)step;
        least = step < least ? step : least;
    }
    for (size_t i = 0; i < count; i++)
        steps[i] -= (uint64_t)least;
    for (size_t i = count; i < BLOCK; i++)
        steps[i] = 0;
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
        put_block(out, values + at, part);
    }
}
