/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the values of one group spread: count, sum, extremes, deviation, percentiles, different ones.
 * Few values are kept as they are; more are counted in histograms, one for each sign. Decimals are
 * counted in units that are a power of two: see spread.c.
 */
#ifndef ANALYSIS_EVENTS_SPREAD_H
#define ANALYSIS_EVENTS_SPREAD_H

#include <stele/expression.h>

#include "analysis/events/distinct.h"
#include "analysis/events/histogram.h"
#include "core/wide.h"

#define SPREAD_FEW 4u

/* Bytes that may still be taken. */
typedef struct spread_room {
    size_t left;
} spread_room;

/* A zeroed one is empty. */
typedef struct spread {
    uint64_t count;                           /* numbers */
    uint64_t other_count;                     /* values that are none */
    uint64_t float_count;                     /* of `count`: decimals */
    wide_i128 sum, min, max;                  /* of integers */
    bool is_sum_lost;                         /* it does not fit */
    bool is_cut;                              /* there was no room for histograms */
    bool is_coarse;                           /* decimals were too far apart for them */
    int8_t scale;                             /* values are counted times 2^scale */
    double float_sum, float_min, float_max;   /* of decimals */
    double first, offset_sum, offset_squares; /* distances from the first value */
    int64_t
        few[SPREAD_FEW]; /* the values, while all are integers of 64 bits and no more than this */
    histogram *above, *below; /* of values from 0 on, and of negative ones without their sign */
    distinct *different;      /* NULL: not asked for, or none yet */
} spread;

/* Returns false if out of memory. What there is no room for is left out, and `is_cut` says so. */
bool spread_add_int(spread *s, wide_i128 value, spread_room *room);
bool spread_add_float(spread *s, double value, spread_room *room);

/* The same so many times, which may be 0; `few` and exactness are not for those. */
bool spread_weigh_int(spread *s, wide_i128 value, uint64_t times, spread_room *room);
bool spread_weigh_float(spread *s, double value, uint64_t times, spread_room *room);
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

/* The value at or below which `permille` of all lie, as a multiple of 2^-scale. */
wide_i128 spread_percentile(const spread *s, unsigned permille, int *scale);

/* A number as the narrowest value that holds it. */
stele_value spread_value(wide_i128 i);

double spread_mean(const spread *s);
double spread_deviation(const spread *s);
double spread_least(const spread *s);
double spread_greatest(const spread *s);

/* Hands out the values in groups of those that are close, in rising order. */
typedef void spread_fn(void *user, double low, double high, uint64_t count);
void spread_each(const spread *s, spread_fn *fn, void *user);

/* A value that comes often: as spread_add_int(), for those that are counts of 63 bits. */
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
