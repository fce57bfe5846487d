/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes at once: the bytes of a word, the first in the lowest bits, looked at together. */
#ifndef CORE_SWAR_H
#define CORE_SWAR_H

#include "core/load.h"

#define SWAR_SIZE       8
#define SWAR_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define SWAR_HIGH_BITS  SWAR_EACH(0x80)

/* The high bit of each byte that is below `limit` (128 at most), right up to the first of them. */
static inline uint64_t swar_below(uint64_t word, uint8_t limit)
{
    return (word - SWAR_EACH(limit)) & ~word & SWAR_HIGH_BITS;
}

/* The same of each that equals `byte`, which is below 128. */
static inline uint64_t swar_equal(uint64_t word, uint8_t byte)
{
    return swar_below(word ^ SWAR_EACH(byte), 1);
}

/* How many bytes stand before the first that is marked by its high bit. */
static inline size_t swar_before(uint64_t marks)
{
    return marks == 0 ? SWAR_SIZE : (size_t)__builtin_ctzll(marks) / 8;
}

/* Fewer than eight bytes, with `fill` after them; no other byte is read. */
static inline uint64_t swar_load_few(const uint8_t *at, size_t size, uint8_t fill)
{
    uint64_t word;
    if (size == 0)
        return SWAR_EACH(fill);
    if (size >= 4)
        word = load_le32(at) | (uint64_t)load_le32(at + size - 4) << (size - 4) * 8;
    else
        word = at[0] | (uint64_t)at[size / 2] << size / 2 * 8 |
               (uint64_t)at[size - 1] << (size - 1) * 8;
    return word | SWAR_EACH(fill) << size * 8;
}

#endif
