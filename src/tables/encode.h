/* SPDX-License-Identifier: Apache-2.0 */
/* The encodings of values in the pages of Parquet. */
#ifndef TABLES_ENCODE_H
#define TABLES_ENCODE_H

#include "core/output.h"

/* How many bits numbers up to `max` need; 0 for 0. */
static inline unsigned encode_width(uint64_t max)
{
    return max == 0 ? 0 : 64 - (unsigned)__builtin_clzll(max);
}

/* Writes numbers of `width` bits, at most 32, in Parquet's hybrid of runs and packed bits. */
void encode_hybrid(output *out, const uint32_t *values, size_t count, unsigned width);

/* Writes the first `count` bits of a bitmap in Parquet's hybrid of runs and packed bits. */
void encode_bits(output *out, const uint64_t *bits, size_t count);

/* Writes numbers in the encoding DELTA_BINARY_PACKED. Differences wrap around. */
void encode_delta(output *out, const int64_t *values, size_t count);

#endif
