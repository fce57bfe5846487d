/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits one after the other: pieces of records at other places than they were read from.
 *
 * Between two calls `rest` has the `at` modulo 8 bits of the byte that is not full: those
 * that came first on top where bytes fill from their highest bit down, else at the bottom. All full
 * bytes were written.
 */
#include "formats/ctf/write/copy_bits.h"

#include "core/bits.h"

#define PIECE_MAX 56u /* bits that fit beside those of a byte that is not full */

/* Puts up to PIECE_MAX bits, which with those of `rest` fit in one word; `value` has no others. */
static void put(bit_writer *w, uint64_t value, unsigned width)
{
    unsigned held = (unsigned)(w->at & 7) + width;
    uint64_t bits = w->is_big_endian ? w->rest << width | value : w->rest | value << (w->at & 7);
    uint8_t bytes[8];
    size_t count = 0;
    w->at += width;
    for (; held >= 8; held -= 8) {
        bytes[count++] = (uint8_t)(w->is_big_endian ? bits >> (held - 8) : bits);
        if (!w->is_big_endian)
            bits >>= 8;
    }
    w->rest = held != 0 ? bits & bits_mask(held) : 0;
    if (w->out != NULL && count != 0)
        output_write(w->out, bytes, count);
}

void bits_write(bit_writer *w, uint64_t value, unsigned width)
{
    /* What does not fit in one piece goes in two: the high bits first where they come first. */
    const unsigned second = width > PIECE_MAX ? width - PIECE_MAX : 0;
    const unsigned first = width - second;
    w->is_bad |= w->is_mixed && ((w->at | width) & 7) != 0;
    put(w, (w->is_big_endian ? value >> second : value) & bits_mask(first), first);
    if (second != 0)
        put(w, (w->is_big_endian ? value : value >> first) & bits_mask(second), second);
}

static uint64_t load(const bit_writer *w, const uint8_t *from, uint64_t first, unsigned width)
{
    const uint8_t *at = from + first / 8, *end = from + (first + width + 7) / 8;
    const unsigned bit = (unsigned)(first & 7);
    return w->is_big_endian ? bits_load_be(at, end, bit, width) : bits_load_le(at, end, bit, width);
}

void bits_copy(bit_writer *w, const uint8_t *from, uint64_t first, uint64_t count)
{
    w->is_bad |= w->is_mixed && ((w->at | first | count) & 7) != 0;
    if (w->out == NULL) {
        w->at += count;
        return;
    }
    while (count != 0) { /* each turn copies some bits */
        unsigned width = count < PIECE_MAX ? (unsigned)count : PIECE_MAX;
        if (((w->at | first) & 7) == 0 && count >= 8) {
            output_write(w->out, from + first / 8, (size_t)(count / 8));
            w->at += count / 8 * 8;
            first += count / 8 * 8;
            count &= 7;
            continue;
        }
        if (((w->at ^ first) & 7) == 0 && count > 8) /* whole bytes from there on */
            width = 8 - (unsigned)(first & 7);
        put(w, load(w, from, first, width), width);
        first += width;
        count -= width;
    }
}

void bits_align(bit_writer *w, uint64_t alignment)
{
    uint64_t left = (0 - w->at) & (alignment - 1);
    w->is_bad |= w->is_mixed && left != 0 && (w->at & 7) != 0;
    while (left != 0) {
        const unsigned width = left < PIECE_MAX ? (unsigned)left : PIECE_MAX;
        put(w, 0, width);
        left -= width;
    }
}
