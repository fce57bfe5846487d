/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of durations in the manner of HDR: values below 64 are counted one by one, larger
 * ones in 32 buckets for each power of two, so that a percentile is at most 1/32 (3.2%) above the
 * value it stands for, and never below. Blocks of 32 buckets come as they are needed: at most
 * 59 of them, 15 KB.
 */
#ifndef ANALYSIS_EVENTS_HISTOGRAM_H
#define ANALYSIS_EVENTS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BLOCK  32u
#define HISTOGRAM_BLOCKS 60u

typedef struct histogram {
    uint64_t *blocks[HISTOGRAM_BLOCKS];
} histogram;

/* Allocates the block that a value falls in; false when memory is exhausted. */
bool histogram_grow(histogram *h, uint64_t value);

/*
 * The bucket of a value, over all blocks: values below 64 fall in those of their own number; a
 * value with its highest bit at position p >= 6 falls in block p - 4, in the bucket that the five
 * bits below the highest name.
 */
static inline unsigned histogram_bucket(uint64_t value)
{
    const unsigned shift = 58u - (unsigned)__builtin_clzll(value | HISTOGRAM_BLOCK);
    return shift * HISTOGRAM_BLOCK + (unsigned)(value >> shift);
}

static inline bool histogram_add(histogram *h, uint64_t value)
{
    const unsigned bucket = histogram_bucket(value);
    uint64_t *const block = h->blocks[bucket / HISTOGRAM_BLOCK];
    if (__builtin_expect(block == NULL, 0))
        return histogram_grow(h, value);
    block[bucket % HISTOGRAM_BLOCK]++;
    return true;
}

/* Adds a value so many times; false when memory is exhausted. */
bool histogram_add_many(histogram *h, uint64_t value, uint64_t count);

/* The middle of the values that fall in a bucket of a block. */
uint64_t histogram_middle(unsigned block, unsigned bucket);

/* Adds the counts of another; false when memory is exhausted. */
bool histogram_merge(histogram *into, const histogram *from);

/* How many values were added. */
uint64_t histogram_count(const histogram *h);

/* The smallest bucket's upper end below which `permille` of the values lie; 0 when empty. */
uint64_t histogram_percentile(const histogram *h, unsigned permille);
void histogram_free(histogram *h);

/* The largest value of the bucket in which the value of this rank is, from 1 on; 0 when empty. */
uint64_t histogram_ranked(const histogram *h, uint64_t rank);

/* The least and the largest value that fall in a bucket. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_top(unsigned bucket);

#endif
