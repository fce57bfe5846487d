/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram that takes little memory while it has few values: the buckets of the first values
 * stand in it, those of some hundred values in a list, and more values in a histogram. What it
 * says is the same in each form.
 */
#ifndef ANALYSIS_EVENTS_TALLY_H
#define ANALYSIS_EVENTS_TALLY_H

#include "analysis/events/histogram.h"

#define TALLY_FEW  7u    /* values whose buckets stand in the tally itself */
#define TALLY_SOME 0xfeu /* form: a list of buckets */
#define TALLY_FULL 0xffu /* form: a histogram */

typedef struct tally_list tally_list;

/* A zeroed tally is empty. */
typedef struct tally {
    uint16_t form; /* TALLY_SOME, TALLY_FULL, or how many values there are */
    uint16_t first[3];
    union {
        uint16_t next[TALLY_FEW - 3];
        tally_list *list;
        histogram *full;
    } u;
} tally;

/* Counts a value of a bucket that cannot be counted in place. Returns false if out of memory. */
bool tally_grow(tally *t, unsigned bucket);

/* Counts a value. Returns false if out of memory. */
static inline bool tally_add(tally *t, uint64_t value)
{
    const unsigned bucket = histogram_bucket(value);
    uint64_t *block;
    if (__builtin_expect(t->form != TALLY_FULL, 0))
        return tally_grow(t, bucket);
    block = t->u.full->blocks[bucket / HISTOGRAM_BLOCK];
    if (__builtin_expect(block == NULL, 0))
        return tally_grow(t, bucket);
    block[bucket % HISTOGRAM_BLOCK]++;
    return true;
}

/* How many values the tally has. */
uint64_t tally_count(const tally *t);

/* As histogram_percentile(). */
uint64_t tally_percentile(const tally *t, unsigned permille);

/* Adds the counts to a histogram. Returns false if out of memory. */
bool tally_merge(histogram *into, const tally *from);

/* Adds the counts of another tally. Returns false if out of memory. */
bool tally_join(tally *into, const tally *from);
void tally_free(tally *t);

#endif
