/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the values of one group are distributed: count, sum, extremes, deviation, percentiles, number
 * of different ones. A few values are kept as they are; more are counted in histograms, one for
 * each sign. Decimals are counted in units that are a power of two: see spread.c.
 */
#ifndef ANALYSIS_EVENTS_SPREAD_H
#define ANALYSIS_EVENTS_SPREAD_H

#include <stele/expression.h>

#include "analysis/events/distinct.h"
#include "analysis/events/histogram.h"
#include "core/wide.h"

#define SPREAD_FEW 4u

/* How many bytes may still be allocated. */
typedef struct spread_room {
    size_t left;
    size_t exact; /* for exact numbers of different values alone: see distinct_add() */
} spread_room;

/* Distribution of values; all zeros is one without values. */
typedef struct spread {
    uint64_t count;                         /* how many values are numbers */
    uint64_t other_count;                   /* how many values are not numbers */
    uint64_t float_count;                   /* how many of `count` are decimals */
    wide_i128 sum, min, max;                /* sum and extremes of the integers */
    bool is_sum_lost;                       /* the sum does not fit in 128 bits */
    bool is_cut;                            /* there was no room for histograms */
    bool is_coarse;                         /* decimals were too far apart for histograms */
    bool is_uncounted;                      /* no memory was left to count different values */
    int8_t scale;                           /* decimals are multiplied by 2^scale to be counted */
    double float_sum, float_min, float_max; /* sum and extremes of the decimals */
    /* offset_... are sums over the distances from `first`, the first value */
    double first, offset_sum, offset_squares;
    int64_t
        /* the values, while there are at most SPREAD_FEW and all are integers of 64 bits */
        few[SPREAD_FEW];
    histogram *above, *below; /* values from 0 on, and negative values without their sign */
    distinct *different;      /* NULL: no value yet, or not asked for */
} spread;

/* Add a value. If room is exhausted, `is_cut` is set. Return false if out of memory. */
bool spread_add_int(spread *s, wide_i128 value, spread_room *room);
bool spread_add_float(spread *s, double value, spread_room *room);

/* Add a value `times` times, which may be 0. Values are counted in histograms at once, never one
   by one. */
bool spread_weigh_int(spread *s, wide_i128 value, uint64_t times, spread_room *room);
bool spread_weigh_float(spread *s, double value, uint64_t times, spread_room *room);

/* Whether two distributions can be put together so that nothing shows it: of integers, all of which
   are counted. */
bool spread_can_merge(const spread *into, const spread *from);

/* Adds the values of another distribution, which came after those that are there. The standard
   deviation is that of adding them one by one as long as the squares sum up to less than 2^53; it
   is rounded otherwise. */
bool spread_merge(spread *into, const spread *from, spread_room *room);

/* Counts a value among the different ones, by its hash. Returns false if out of memory. */
bool spread_add_hash(spread *s, uint64_t hash, spread_room *room);
void spread_free(spread *s);

static inline bool spread_has_percentiles(const spread *s)
{
    return s->count != 0 && !s->is_cut && !s->is_coarse;
}

/* Whether the values are still known one by one. */
static inline bool spread_is_exact(const spread *s)
{
    return s->above == NULL && s->below == NULL;
}

/* The value at or below which `permille` of all values are, as a multiple of 2^-scale. */
wide_i128 spread_percentile(const spread *s, unsigned permille, int *scale);

/* Converts an integer to the narrowest type that holds it. */
stele_value spread_value(wide_i128 i);

double spread_mean(const spread *s);
double spread_deviation(const spread *s);
double spread_least(const spread *s);
double spread_greatest(const spread *s);

/* Receives the values of spread_each() in groups of close ones, in rising order. */
typedef void spread_fn(void *user, double low, double high, uint64_t count);
void spread_each(const spread *s, spread_fn *fn, void *user);

/* Fast path of spread_add_int() for counts of up to 63 bits. */
static inline bool spread_add_count(spread *s, uint64_t value, spread_room *room)
{
    const wide_i128 whole = i128_of_u64(value);
    const double offset = (double)(int64_t)value - s->first;
    histogram *const h = s->above;
    const unsigned bucket = histogram_bucket(value);
    if (__builtin_expect(h == NULL || h->blocks[bucket / HISTOGRAM_BLOCK] == NULL ||
                             s->scale != 0 || s->float_count != 0,
                         0))
        return spread_add_int(s, whole, room);
    h->blocks[bucket / HISTOGRAM_BLOCK][bucket % HISTOGRAM_BLOCK]++;
    s->count++;
    if (!i128_add_checked(s->sum, whole, &s->sum))
        s->is_sum_lost = true;
    if (i128_less(whole, s->min))
        s->min = whole;
    if (i128_less(s->max, whole))
        s->max = whole;
    s->offset_sum += offset;
    s->offset_squares += offset * offset;
    return true;
}

#endif
