/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/histogram.h"

#include <stdlib.h>

bool histogram_add_many(histogram *h, uint64_t value, uint64_t count)
{
    const unsigned bucket = histogram_bucket(value);
    uint64_t **block = &h->blocks[bucket / HISTOGRAM_BLOCK];
    if (*block == NULL)
        *block = calloc(HISTOGRAM_BLOCK, sizeof **block);
    if (*block == NULL)
        return false;
    (*block)[bucket % HISTOGRAM_BLOCK] += count;
    return true;
}

bool histogram_grow(histogram *h, uint64_t value)
{
    return histogram_add_many(h, value, 1);
}

bool histogram_merge(histogram *into, const histogram *from)
{
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++) {
        if (from->blocks[b] == NULL)
            continue;
        if (into->blocks[b] == NULL)
            into->blocks[b] = calloc(HISTOGRAM_BLOCK, sizeof *into->blocks[b]);
        if (into->blocks[b] == NULL)
            return false;
        for (unsigned i = 0; i < HISTOGRAM_BLOCK; i++)
            into->blocks[b][i] += from->blocks[b][i];
    }
    return true;
}

uint64_t histogram_bucket_top(unsigned bucket)
{
    const unsigned block = bucket / HISTOGRAM_BLOCK;
    if (block < 2)
        return bucket;
    return ((uint64_t)(HISTOGRAM_BLOCK + bucket % HISTOGRAM_BLOCK + 1) << (block - 1)) - 1;
}

uint64_t histogram_bucket_low(unsigned bucket)
{
    return bucket == 0 ? 0 : histogram_bucket_top(bucket - 1) + 1;
}

uint64_t histogram_middle(unsigned block, unsigned bucket)
{
    const uint64_t width = block < 2 ? 1 : UINT64_C(1) << (block - 1);
    return histogram_bucket_top(block * HISTOGRAM_BLOCK + bucket) - width / 2;
}

uint64_t histogram_count(const histogram *h)
{
    uint64_t count = 0;
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++) {
        for (unsigned i = 0; h->blocks[b] != NULL && i < HISTOGRAM_BLOCK; i++)
            count += h->blocks[b][i];
    }
    return count;
}

uint64_t histogram_ranked(const histogram *h, uint64_t rank)
{
    uint64_t seen = 0;
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++) {
        if (h->blocks[b] == NULL)
            continue;
        for (unsigned i = 0; i < HISTOGRAM_BLOCK; i++) {
            seen += h->blocks[b][i];
            if (seen >= rank && seen != 0)
                return histogram_bucket_top(b * HISTOGRAM_BLOCK + i);
        }
    }
    return 0;
}

uint64_t histogram_rank(uint64_t count, unsigned permille)
{
    return count / 1000 * permille + (count % 1000 * permille + 999) / 1000;
}

uint64_t histogram_percentile(const histogram *h, unsigned permille)
{
    return histogram_ranked(h, histogram_rank(histogram_count(h), permille));
}

void histogram_free(histogram *h)
{
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++)
        free(h->blocks[b]);
    *h = (histogram){0};
}
