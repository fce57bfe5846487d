/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes bits one after the other: pieces of records at other positions than they were read from.
 *
 * Between two calls `rest` has the `at` modulo 8 bits of the last byte, which is not full. If bytes
 * are filled from their highest bit down, the first bits are the highest of `rest`, otherwise the
 * lowest. All full bytes have been written.
 */
#include "formats/ctf/write/copy_bits.h"

#include "core/bits.h"

#define PIECE_MAX 56u /* bits that fit into a word together with up to 7 bits of `rest` */

/* Writes up to PIECE_MAX bits. All bits of `value` above them are 0. */
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
    /* More than PIECE_MAX bits are written in two pieces, the high bits first if they come
       first. */
    const unsigned second = width > PIECE_MAX ? width - PIECE_MAX : 0;
    const unsigned first = width - second;
    w->is_bad |= w->is_mixed && ((w->at | width) & 7) != 0;
    put(w, (w->is_big_endian ? value >> second : value) & bits_mask(first), first);
    if (second != 0)
        put(w, (w->is_big_endian ? value : value >> first) & bits_mask(second), second);
}

/* Loads `width` bits in the order of the writer, without reading after the last byte that they
   touch. */
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
    while (count != 0) { /* each pass copies at least one bit */
        unsigned width = count < PIECE_MAX ? (unsigned)count : PIECE_MAX;
        if (((w->at | first) & 7) == 0 && count >= 8) {
            output_write(w->out, from + first / 8, (size_t)(count / 8));
            w->at += count / 8 * 8;
            first += count / 8 * 8;
            count &= 7;
            continue;
        }
        /* Align first, so that whole bytes can be copied from there on. */
        if (((w->at ^ first) & 7) == 0 && count > 8)
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
