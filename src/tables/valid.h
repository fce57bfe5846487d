/* SPDX-License-Identifier: Apache-2.0 */
/* Bitmaps of valid values: bit 0 of the first word stands for the first value. */
#ifndef TABLES_VALID_H
#define TABLES_VALID_H

#include <stele/tables.h>

/* Copies the bits of `count` rows after those of the first `at`. Bits after the last one have
   any value. */
static inline void valid_append(uint64_t *to, size_t at, const uint64_t *from, size_t count)
{
    if (at % 64 == 0) {
        memcpy(to + at / 64, from, stele_valid_words(count) * sizeof *to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << ((at + i) % 64);
        if ((from[i / 64] >> (i % 64) & 1) != 0)
            to[(at + i) / 64] |= bit;
        else
            to[(at + i) / 64] &= ~bit;
    }
}

/* How many of the first `count` values are null. */
static inline size_t valid_count_nulls(const uint64_t *valid, size_t count)
{
    size_t there = 0;
    for (size_t i = 0; i < count / 64; i++)
        there += (size_t)__builtin_popcountll(valid[i]);
    if (count % 64 != 0)
        there += (size_t)__builtin_popcountll(valid[count / 64] & ~(UINT64_MAX << (count % 64)));
    return count - there;
}

#endif
