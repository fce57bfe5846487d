/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bit fields of 1 to 64 bits at any bit of a byte. In little-endian order a field's lowest bit
 * comes first and bytes fill from bit 0 up; in big-endian order its highest bit comes first and
 * bytes fill from bit 7 down (CTF 1.8.3, section 4.1.3):
 *
 *     5 bits at bit 6      byte 0   byte 1                byte 0   byte 1
 *     little-endian        10......  .....432   big-endian  ......43  210.....
 *
 * The caller has made sure that the field ends before `end`; nothing after that is read.
 */
#ifndef CORE_BITS_H
#define CORE_BITS_H

#include <stddef.h>

#include "core/load.h"

#define BITS_SPAN_MAX 9 /* bytes that 64 bits can touch */

static inline uint64_t bits_mask(unsigned width)
{
    return UINT64_MAX >> (64 - width);
}

/* Returns where to load from: `at` itself, or, if fewer than BITS_SPAN_MAX bytes are left before
   `end`, a copy of them with zeros after. */
static inline const uint8_t *bits_span(const uint8_t *at, const uint8_t *end, uint8_t *copy)
{
    if (__builtin_expect(end - at >= BITS_SPAN_MAX, 1))
        return at;
    memset(copy, 0, BITS_SPAN_MAX);
    memcpy(copy, at, (size_t)(end - at));
    return copy;
}

/* Loads the little-endian field of `width` bits that begins at bit `bit` (0 to 7) of the byte at
   `at`. */
static inline uint64_t bits_load_le(const uint8_t *at, const uint8_t *end, unsigned bit,
                                    unsigned width)
{
    uint8_t copy[BITS_SPAN_MAX];
    const uint8_t *from = bits_span(at, end, copy);
    uint64_t value = load_le64(from) >> bit;
    if (bit + width > 64)
        value |= (uint64_t)from[8] << (64 - bit);
    return value & bits_mask(width);
}

/* Loads the big-endian field of `width` bits that begins at bit `bit` (0 to 7) of the byte at
   `at`. */
static inline uint64_t bits_load_be(const uint8_t *at, const uint8_t *end, unsigned bit,
                                    unsigned width)
{
    uint8_t copy[BITS_SPAN_MAX];
    const uint8_t *from = bits_span(at, end, copy);
    uint64_t value = load_be64(from) << bit;
    if (bit + width > 64)
        value |= (uint64_t)from[8] >> (8 - bit);
    return value >> (64 - width);
}

/* The two's complement number that a value of `width` bits stands for. */
static inline int64_t bits_signed(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

#endif
