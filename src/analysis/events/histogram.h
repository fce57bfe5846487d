/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of durations as HDR histograms have it: values below 64 are counted one by one,
 * larger ones in 32 buckets for each power of two. A percentile is at most 1/32 (3.2%) above the
 * exact value and never below it. Blocks of 32 buckets are allocated as needed: at most 59 blocks,
 * 15 KB.
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

/* Counts a value whose block does not exist yet, which it allocates. Returns false if out of
   memory. */
bool histogram_grow(histogram *h, uint64_t value);

/*
 * The number of a value's bucket, over all blocks. Values below 64 have the bucket of their own
 * number. A value whose highest bit is at position p >= 6 falls in block p - 4; the five bits below
 * the highest one select the bucket in the block.
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

/* Adds a value `count` times. Returns false if out of memory. */
bool histogram_add_many(histogram *h, uint64_t value, uint64_t count);

/* The middle of the values that fall in a bucket of a block. */
uint64_t histogram_middle(unsigned block, unsigned bucket);

/* Adds the counts of another histogram. Returns false if out of memory. */
bool histogram_merge(histogram *into, const histogram *from);

/* The rank of a percentile among `count` values, counted from 1: at least `permille` thousandths of
   the values are at it or below it. */
uint64_t histogram_rank(uint64_t count, unsigned permille);

/* How many values the histogram has. */
uint64_t histogram_count(const histogram *h);

/* The largest value of the bucket in which the percentile lies: at least `permille` thousandths
   of the values are not above it. Returns 0 if the histogram is empty. */
uint64_t histogram_percentile(const histogram *h, unsigned permille);
void histogram_free(histogram *h);

/* The largest value of the bucket that holds the value of this rank, counted from 1. Returns 0
   if the histogram is empty. */
uint64_t histogram_ranked(const histogram *h, uint64_t rank);

/* The smallest (low) and the largest (top) value that fall in a bucket. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_top(unsigned bucket);

#endif
