/* SPDX-License-Identifier: Apache-2.0 */
/* Finds zero bytes that end texts, in 32 bytes at once: no branch depends on the length of a short
   text, which processors predict badly. */
#ifndef CORE_ZEROS_H
#define CORE_ZEROS_H

#include "core/swar.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ZEROS_SIZE 32u

#if defined(__SSE2__)
/* Copies 16 bytes and finds their zeros, as zeros_copy_words() does. */
static inline uint32_t zeros_copy_half(uint8_t *to, const uint8_t *from)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, bytes);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
}
#endif

/* Copies `size` bytes, 64 at most, in words: up to 7 more are read and written. In the result bit i
   is set if byte i is zero; correct up to and including the first such bit. */
static inline uint64_t zeros_copy_words(uint8_t *to, const uint8_t *from, unsigned size)
{
    uint64_t zeros = 0;
#if defined(__SSE2__)
    if (size == ZEROS_SIZE / 2) /* as names of threads have in events of Linux */
        return zeros_copy_half(to, from);
#endif
    for (unsigned i = 0; i < size; i += SWAR_SIZE) {
        const uint64_t word = load_le64(from + i);
        /* The lowest bit of each byte that is zero. */
        const uint64_t marks = swar_equal(word, 0) >> 7;
        store_le64(to + i, word);
        zeros |= (marks * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return zeros;
}

/* Copies 32 bytes and finds their zeros, as zeros_copy_words() does. */
static inline uint32_t zeros_copy(uint8_t *to, const uint8_t *from)
{
#if defined(__SSE2__)
    const uint32_t low = zeros_copy_half(to, from);
    return low | zeros_copy_half(to + ZEROS_SIZE / 2, from + ZEROS_SIZE / 2) << ZEROS_SIZE / 2;
#else
    return (uint32_t)zeros_copy_words(to, from, ZEROS_SIZE);
#endif
}

/* Finds the zeros of 32 bytes, as zeros_copy_words() does, without a copy. */
static inline uint32_t zeros_find(const uint8_t *from)
{
    uint8_t unused[ZEROS_SIZE];
    return zeros_copy(unused, from);
}

/* How many bytes come before the first zero. */
static inline unsigned zeros_before(uint32_t zeros)
{
    return zeros == 0 ? ZEROS_SIZE : (unsigned)__builtin_ctz(zeros);
}

#endif
