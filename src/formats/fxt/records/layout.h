/* SPDX-License-Identifier: Apache-2.0 */
/* Words and their bit fields, written as in the specification: [least .. most significant]. */
#ifndef FXT_RECORDS_LAYOUT_H
#define FXT_RECORDS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <stele/fxt.h>

#include "core/load.h"

#define FXT_WORD 8u

static inline uint64_t fxt_mask(unsigned low, unsigned high)
{
    return (UINT64_MAX >> (63 - (high - low))) << low;
}

static inline uint64_t fxt_bits(uint64_t word, unsigned low, unsigned high)
{
    return (word & fxt_mask(low, high)) >> low;
}

/* Shifts a value to its bits; what does not fit is cut off. */
static inline uint64_t fxt_field(uint64_t value, unsigned low, unsigned high)
{
    return (value << low) & fxt_mask(low, high);
}

static inline uint64_t fxt_word(const uint8_t *at, bool is_big_endian)
{
    return is_big_endian ? load_be64(at) : load_le64(at);
}

/* Returns the size of a stream with its padding. */
static inline uint64_t fxt_padded(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

/*
 * header word of every record      header word of a large record
 * [0 .. 3]   type                  [0 .. 3]   15
 * [4 .. 15]  size in words         [4 .. 35]  size in words
 * [16 .. 63] by type               [36 .. 39] large type
 */
static inline unsigned fxt_type(uint64_t header)
{
    return (unsigned)fxt_bits(header, 0, 3);
}

static inline uint64_t fxt_size(uint64_t header)
{
    if (fxt_type(header) == STELE_FXT_LARGE)
        return fxt_bits(header, 4, 35) * FXT_WORD;
    return fxt_bits(header, 4, 15) * FXT_WORD;
}

static inline bool fxt_string_is_inline(uint16_t ref)
{
    return (ref & STELE_FXT_INLINE) != 0;
}

/* Returns the bytes of an inline string, and 0 for references. */
static inline uint32_t fxt_string_size(uint16_t ref)
{
    return fxt_string_is_inline(ref) ? ref & 0x7fffu : 0;
}

#endif
