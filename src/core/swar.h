/* SPDX-License-Identifier: Apache-2.0 */
/* SWAR: operations on the eight bytes of a word at once; the first byte is the lowest. */
#ifndef CORE_SWAR_H
#define CORE_SWAR_H

#include "core/load.h"

#define SWAR_SIZE       8
#define SWAR_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define SWAR_HIGH_BITS  SWAR_EACH(0x80)

/* Marks, by its high bit, each byte that is below `limit` (128 at most). Correct up to and
   including the first marked byte. */
static inline uint64_t swar_below(uint64_t word, uint8_t limit)
{
    return (word - SWAR_EACH(limit)) & ~word & SWAR_HIGH_BITS;
}

/* Marks, by its high bit, each byte that equals `byte`, which is below 128. Correct up to and
   including the first marked byte. */
static inline uint64_t swar_equal(uint64_t word, uint8_t byte)
{
    return swar_below(word ^ SWAR_EACH(byte), 1);
}

/* How many bytes come before the first one that is marked by its high bit. */
static inline size_t swar_before(uint64_t marks)
{
    return marks == 0 ? SWAR_SIZE : (size_t)__builtin_ctzll(marks) / 8;
}

/* Loads fewer than eight bytes, with `fill` for the missing ones; no byte after them is read. */
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
