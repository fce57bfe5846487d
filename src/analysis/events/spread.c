/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms count integers from 0 on. Decimals are multiplied by a power of two that brings the
 * first of them to the middle of the range that a histogram counts without losing precision, 2^6 to
 * 2^63. A value outside of that range leaves the group without percentiles.
 */
#include "analysis/events/spread.h"

#include <math.h>
#include <stdlib.h>

#define SCALE_MIDDLE 34 /* middle of the exponents 6 to 62 */

/* ---- Limit of memory ---- */

static bool room_take(spread_room *room, size_t size)
{
    if (size > room->left)
        return false;
    room->left -= size;
    return true;
}

static void histogram_drop(histogram **h, spread_room *room)
{
    if (*h == NULL)
        return;
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++)
        room->left += (*h)->blocks[b] != NULL ? HISTOGRAM_BLOCK * sizeof(uint64_t) : 0;
    room->left += sizeof **h;
    histogram_free(*h);
    free(*h);
    *h = NULL;
}

static bool cut(spread *s, spread_room *room)
{
    histogram_drop(&s->above, room);
    histogram_drop(&s->below, room);
    s->is_cut = true;
    return true;
}

/* ---- Histograms ---- */

static bool count_in(spread *s, histogram **h, uint64_t value, uint64_t times, spread_room *room)
{
    if (*h == NULL) {
        if (!room_take(room, sizeof **h))
            return cut(s, room);
        *h = calloc(1, sizeof **h);
        if (*h == NULL)
            return false;
    }
    if ((*h)->blocks[histogram_bucket(value) / HISTOGRAM_BLOCK] == NULL &&
        !room_take(room, HISTOGRAM_BLOCK * sizeof(uint64_t)))
        return cut(s, room);
    return histogram_add_many(*h, value, times);
}

static bool count_scaled(spread *s, bool is_negative, uint64_t value, uint64_t times,
                         spread_room *room)
{
    return s->is_cut || count_in(s, is_negative ? &s->below : &s->above, value, times, room);
}

/* Whether a shift to the right by `bits` loses any bit that is set. */
static bool is_cut_off(wide_u128 a, unsigned bits)
{
    const wide_u128 back = u128_shift_left(u128_shift_right(a, bits), bits);
    return u128_low(back) != u128_low(a) || u128_high(back) != u128_high(a);
}

static bool count_int(spread *s, wide_i128 value, uint64_t times, spread_room *room)
{
    const bool is_negative = i128_is_negative(value);
    const wide_u128 magnitude = i128_magnitude(value);
    const unsigned left = s->scale > 0 ? (unsigned)s->scale : 0;
    const unsigned right = s->scale < 0 ? (unsigned)-s->scale : 0;
    const wide_u128 scaled = u128_shift_right(magnitude, right);
    const uint64_t low = u128_low(scaled), most = left < 64 ? UINT64_MAX >> left : 0;
    if (!u128_fits_u64(scaled) || low > most) {
        s->is_coarse = true;
        return true;
    }
    if (right != 0 && low < 2 * HISTOGRAM_BLOCK && is_cut_off(magnitude, right)) {
        s->is_coarse = true;
        return true;
    }
    return count_scaled(s, is_negative, left < 64 ? low << left : 0, times, room);
}

static bool count_float(spread *s, double value, uint64_t times, spread_room *room)
{
    const double scaled = ldexp(fabs(value), s->scale);
    if (scaled >= 0x1p63 || (scaled < 2 * HISTOGRAM_BLOCK && scaled != floor(scaled))) {
        s->is_coarse = true;
        return true;
    }
    return count_scaled(s, value < 0, (uint64_t)scaled, times, room);
}

/* Adds the values that were kept one by one to the histograms. */
static bool count_few(spread *s, uint64_t count, spread_room *room)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!count_int(s, i128_of_i64(s->few[i]), 1, room))
            return false;
    }
    return true;
}

/* ---- Adding of values ---- */

static void note(spread *s, double value)
{
    if (s->count == 0)
        s->first = value;
    s->offset_sum += value - s->first;
    s->offset_squares += (value - s->first) * (value - s->first);
}

bool spread_add_int(spread *s, wide_i128 value, spread_room *room)
{
    const uint64_t before = s->count;
    const bool were_few = before <= SPREAD_FEW && spread_is_exact(s) && s->float_count == 0 &&
                          !s->is_cut && !s->is_coarse;
    note(s, i128_double(value));
    if (before == s->float_count)
        s->min = s->max = value;
    s->min = i128_less(value, s->min) ? value : s->min;
    s->max = i128_less(s->max, value) ? value : s->max;
    if (!i128_add_checked(s->sum, value, &s->sum))
        s->is_sum_lost = true;
    s->count++;
    if (!were_few)
        return count_int(s, value, 1, room);
    if (before < SPREAD_FEW && i128_fits_i64(value)) {
        s->few[before] = (int64_t)i128_low(value);
        return true;
    }
    return count_few(s, before, room) && count_int(s, value, 1, room);
}

/* Sets the scale so that the first decimal is in the middle of what a histogram can count. */
static void set_scale(spread *s, double value)
{
    int exponent;
    if (!isfinite(value))
        return;
    frexp(value, &exponent);
    exponent = SCALE_MIDDLE - (value != 0 ? exponent : 0);
    s->scale = (int8_t)(exponent > 120 ? 120 : exponent < -120 ? -120 : exponent);
}

bool spread_add_float(spread *s, double value, spread_room *room)
{
    const uint64_t before = s->count;
    if (isnan(value)) {
        s->other_count++;
        return true;
    }
    note(s, value);
    if (s->float_count == 0)
        s->float_min = s->float_max = value;
    s->float_min = value < s->float_min ? value : s->float_min;
    s->float_max = value > s->float_max ? value : s->float_max;
    s->float_sum += value;
    s->float_count++;
    s->count++;
    if (before == 0) {
        set_scale(s, value);
    } else if (s->float_count == 1 && spread_is_exact(s) &&
               !count_few(s, before < SPREAD_FEW ? before : SPREAD_FEW, room)) {
        return false;
    }
    if (!isfinite(value)) {
        s->is_coarse = true;
        return true;
    }
    return count_float(s, value, 1, room);
}

/* ---- Adding of a value many times ---- */

static void note_many(spread *s, double value, uint64_t times)
{
    const double n = (double)times;
    if (s->count == 0)
        s->first = value;
    s->offset_sum += (value - s->first) * n;
    s->offset_squares += (value - s->first) * (value - s->first) * n;
}

bool spread_weigh_int(spread *s, wide_i128 value, uint64_t times, spread_room *room)
{
    wide_i128 sum;
    if (times == 0)
        return true;
    note_many(s, i128_double(value), times);
    if (s->count == s->float_count)
        s->min = s->max = value;
    s->min = i128_less(value, s->min) ? value : s->min;
    s->max = i128_less(s->max, value) ? value : s->max;
    if (!i128_multiply_checked(value, i128_of_u64(times), &sum) ||
        !i128_add_checked(s->sum, sum, &s->sum))
        s->is_sum_lost = true;
    s->count += times;
    return count_int(s, value, times, room);
}

bool spread_weigh_float(spread *s, double value, uint64_t times, spread_room *room)
{
    if (times == 0 || isnan(value))
        return true;
    note_many(s, value, times);
    if (s->float_count == 0)
        s->float_min = s->float_max = value;
    s->float_min = value < s->float_min ? value : s->float_min;
    s->float_max = value > s->float_max ? value : s->float_max;
    s->float_sum += value * (double)times;
    if (s->count == 0)
        set_scale(s, value);
    s->float_count += times;
    s->count += times;
    if (!isfinite(value)) {
        s->is_coarse = true;
        return true;
    }
    return count_float(s, value, times, room);
}

static bool make_different(spread *s, spread_room *room)
{
    s->is_uncounted = s->is_uncounted || !room_take(room, sizeof *s->different + DISTINCT_SIZE);
    if (s->is_uncounted)
        return true;
    s->different = calloc(1, sizeof *s->different);
    return s->different != NULL;
}

bool spread_add_hash(spread *s, uint64_t hash, spread_room *room)
{
    if (s->different == NULL && !make_different(s, room))
        return false;
    return s->is_uncounted || distinct_add(s->different, hash, &room->exact);
}

/* ---- Adding of whole distributions ---- */

static bool is_plain(const spread *s)
{
    return s->float_count == 0 && !s->is_sum_lost && !s->is_cut && !s->is_coarse &&
           !s->is_uncounted && (s->different == NULL || !s->different->is_short);
}

bool spread_can_merge(const spread *into, const spread *from)
{
    return is_plain(into) && is_plain(from);
}

static bool merge_histogram(spread *into, histogram **to, const histogram *from, spread_room *room)
{
    for (unsigned i = 0; from != NULL && i < HISTOGRAM_BLOCKS * HISTOGRAM_BLOCK; i++) {
        const uint64_t *block = from->blocks[i / HISTOGRAM_BLOCK];
        const uint64_t count = block != NULL ? block[i % HISTOGRAM_BLOCK] : 0;
        if (count != 0 && !into->is_cut &&
            !count_in(into, to, histogram_bucket_low(i), count, room))
            return false;
    }
    return true;
}

/* Counts the values of `from`, which `into->count` does not include yet. */
static bool merge_counts(spread *into, const spread *from, spread_room *room)
{
    const bool are_few = spread_is_exact(into) && spread_is_exact(from);
    if (are_few && into->count + from->count <= SPREAD_FEW) {
        for (uint64_t i = 0; i < from->count; i++)
            into->few[into->count + i] = from->few[i];
        return true;
    }
    if (spread_is_exact(into) && !count_few(into, into->count, room))
        return false;
    for (uint64_t i = 0; spread_is_exact(from) && i < from->count; i++) {
        if (!count_int(into, i128_of_i64(from->few[i]), 1, room))
            return false;
    }
    return merge_histogram(into, &into->above, from->above, room) &&
           merge_histogram(into, &into->below, from->below, room);
}

/* Brings the distances of `from` to the first value of `into`. */
static void merge_offsets(spread *into, const spread *from)
{
    const double n = (double)from->count;
    const double between = into->count != 0 ? from->first - into->first : 0;
    if (into->count == 0)
        into->first = from->first;
    into->offset_sum += from->offset_sum + n * between;
    into->offset_squares +=
        from->offset_squares + 2 * between * from->offset_sum + n * between * between;
}

static bool merge_different(spread *into, const spread *from, spread_room *room)
{
    if (from->different == NULL)
        return true;
    if (into->different == NULL && !make_different(into, room))
        return false;
    return into->is_uncounted || distinct_merge(into->different, from->different, &room->exact);
}

bool spread_merge(spread *into, const spread *from, spread_room *room)
{
    if (!merge_different(into, from, room))
        return false;
    into->other_count += from->other_count;
    if (from->count == 0)
        return true;
    if (!merge_counts(into, from, room))
        return false;
    merge_offsets(into, from);
    into->min = into->count == 0 || i128_less(from->min, into->min) ? from->min : into->min;
    into->max = into->count == 0 || i128_less(into->max, from->max) ? from->max : into->max;
    if (!i128_add_checked(into->sum, from->sum, &into->sum))
        into->is_sum_lost = true;
    into->count += from->count;
    return true;
}

void spread_free(spread *s)
{
    if (s->above != NULL)
        histogram_free(s->above);
    if (s->below != NULL)
        histogram_free(s->below);
    if (s->different != NULL)
        distinct_free(s->different);
    free(s->above);
    free(s->below);
    free(s->different);
}

/* ---- Results ---- */

static int order_values(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The rank of a percentile, from 1 on: at least `permille` of all values are at or below the
   value of that rank. */
static uint64_t rank_of(uint64_t count, unsigned permille)
{
    const uint64_t rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;
    return rank == 0 ? 1 : rank;
}

wide_i128 spread_percentile(const spread *s, unsigned permille, int *scale)
{
    const uint64_t rank = rank_of(s->count, permille);
    const uint64_t negative = s->below != NULL ? histogram_count(s->below) : 0;
    int64_t few[SPREAD_FEW];
    *scale = s->scale;
    if (spread_is_exact(s)) {
        for (uint64_t i = 0; i < s->count; i++)
            few[i] = s->few[i];
        qsort(few, (size_t)s->count, sizeof *few, order_values);
        return i128_of_i64(few[rank - 1]);
    }
    /* Histograms of negative values count from 0 downwards, so the rank is reversed. */
    if (rank <= negative)
        return i128_negate(i128_of_u64(histogram_ranked(s->below, negative - rank + 1)));
    return i128_of_u64(histogram_ranked(s->above, rank - negative));
}

double spread_mean(const spread *s)
{
    if (s->count == 0)
        return 0;
    return s->float_count == 0 && !s->is_sum_lost ? i128_double(s->sum) / (double)s->count
                                                  : s->first + s->offset_sum / (double)s->count;
}

double spread_deviation(const spread *s)
{
    const double n = (double)s->count;
    const double variance = n > 0 ? (s->offset_squares - s->offset_sum * s->offset_sum / n) / n : 0;
    return variance > 0 ? sqrt(variance) : 0;
}

double spread_least(const spread *s)
{
    if (s->float_count == 0)
        return i128_double(s->min);
    return s->float_count == s->count || s->float_min < i128_double(s->min) ? s->float_min
                                                                            : i128_double(s->min);
}

double spread_greatest(const spread *s)
{
    if (s->float_count == 0)
        return i128_double(s->max);
    return s->float_count == s->count || s->float_max > i128_double(s->max) ? s->float_max
                                                                            : i128_double(s->max);
}

static void each_bucket(const spread *s, const histogram *h, bool is_negative, spread_fn *fn,
                        void *user)
{
    const unsigned last = HISTOGRAM_BLOCKS * HISTOGRAM_BLOCK - 1;
    for (unsigned i = 0; h != NULL && i <= last; i++) {
        const unsigned bucket = is_negative ? last - i : i;
        const uint64_t *block = h->blocks[bucket / HISTOGRAM_BLOCK];
        const uint64_t count = block != NULL ? block[bucket % HISTOGRAM_BLOCK] : 0;
        double low, high;
        if (count == 0)
            continue;
        low = ldexp((double)histogram_bucket_low(bucket), -s->scale);
        high = ldexp((double)histogram_bucket_top(bucket), -s->scale);
        fn(user, is_negative ? -high : low, is_negative ? -low : high, count);
    }
}

void spread_each(const spread *s, spread_fn *fn, void *user)
{
    if (spread_is_exact(s)) {
        int64_t few[SPREAD_FEW];
        for (uint64_t i = 0; i < s->count; i++)
            few[i] = s->few[i];
        qsort(few, (size_t)s->count, sizeof *few, order_values);
        for (uint64_t i = 0; i < s->count; i++)
            fn(user, (double)few[i], (double)few[i], 1);
        return;
    }
    each_bucket(s, s->below, true, fn, user);
    each_bucket(s, s->above, false, fn, user);
}

stele_value spread_value(wide_i128 i)
{
    stele_value v = {.type = STELE_VALUE_WIDE, .name = STELE_NAME_LOCAL};
    if (i128_fits_i64(i)) {
        v.type = STELE_VALUE_INT;
        v.u.i = (int64_t)i128_low(i);
    } else if (i128_high(i) == 0) {
        v.type = STELE_VALUE_UINT;
        v.u.u = i128_low(i);
    } else {
        v.u.wide.low = i128_low(i);
        v.u.wide.high = i128_high(i);
    }
    return v;
}
