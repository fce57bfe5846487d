/* SPDX-License-Identifier: Apache-2.0 */
/* Results of statistics: figures, order of groups, bins and intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/stats_state.h"
#include "core/sized.h"
#include "core/wide.h"

size_t stele_stats_group_count(const stele_stats *s)
{
    const stats_groups *g = &s->groups;
    return g->count + (g->other != NULL);
}

static const stats_group *group_at(const stele_stats *s, size_t group)
{
    const stats_groups *g = &s->groups;
    return group < g->count ? g->items[group] : group == g->count ? g->other : NULL;
}

const stele_stats_group *stele_stats_get_group(const stele_stats *s, size_t group)
{
    const stats_group *found = group_at(s, group);
    return found != NULL ? &found->about : NULL;
}

uint64_t stele_stats_other_count(const stele_stats *s)
{
    return distinct_count(&s->groups.other_keys);
}

uint64_t stele_stats_cut_rows(const stele_stats *s)
{
    return s->groups.cut_rows;
}

uint64_t stele_stats_left_out(const stele_stats *s)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    const uint64_t call_count = s->calls != NULL ? stele_calls_get_counts(s->calls)->cut_count : 0;
    if (s->spans != NULL)
        stele_spans_get_counts(s->spans, &counts);
    return call_count + counts.cut_count + counts.refused_count;
}

uint64_t stele_stats_cut_groups(const stele_stats *s)
{
    const stats_groups *g = &s->groups;
    uint64_t count = 0;
    for (size_t i = 0; i < stele_stats_group_count(s); i++) {
        bool is_cut = false;
        for (uint32_t of = 0; of < g->of_count; of++)
            is_cut |= group_at(s, i)->of[of].is_cut;
        count += is_cut;
    }
    return count;
}

static stele_value value_of_float(double f)
{
    return (stele_value){.type = STELE_VALUE_FLOAT, .name = STELE_NAME_LOCAL, .u.f = f};
}

/*
 * A percentile, cut to the least and the greatest value: histograms can only give it approximately.
 */
static stele_value value_of_percentile(const spread *of, unsigned permille)
{
    const bool is_float = of->float_count != 0;
    int scale;
    wide_i128 i = spread_percentile(of, permille, &scale);
    double f;
    if (!is_float) {
        i = i128_less(i, of->min) ? of->min : i128_less(of->max, i) ? of->max : i;
        return spread_value(i);
    }
    f = ldexp(i128_double(i), -scale);
    f = f < spread_least(of) ? spread_least(of) : f;
    return value_of_float(f > spread_greatest(of) ? spread_greatest(of) : f);
}

static void give_extremes(stele_stats_figures *to, const spread *of)
{
    if (of->float_count == 0) {
        to->min = spread_value(of->min);
        to->max = spread_value(of->max);
        if (!of->is_sum_lost)
            to->sum = spread_value(of->sum);
        return;
    }
    to->min = value_of_float(spread_least(of));
    to->max = value_of_float(spread_greatest(of));
    to->sum = value_of_float(of->float_sum + i128_double(of->sum));
}

/* Fills in the figures of values that hold. Their spread counts nanoseconds instead of rows. */
static void give_held(stele_stats_figures *to, const stats_held *held, const spread *of)
{
    const double seconds = (i128_double(of->sum) + of->float_sum) / 1e9;
    to->is_held = true;
    to->held_ns = of->count;
    to->count = held->count;
    to->last = held->last;
    to->sum = of->count != 0 ? value_of_float(seconds) : (stele_value){.type = STELE_VALUE_MISSING};
    if (held->has_extremes) {
        to->min = held->least;
        to->max = held->greatest;
    }
    if (of->count == 0 && held->is_there)
        to->mean = stats_number_of(&held->last);
    to->are_percentiles_exact = false;
}

bool stele_stats_get_figures(const stele_stats *s, size_t group, size_t of,
                             stele_stats_figures *figures)
{
    const stats_group *found = group_at(s, group);
    stele_stats_figures own = {.struct_size = sizeof own};
    const spread *from;
    if (found == NULL || of >= s->groups.of_count)
        return false;
    from = &found->of[of];
    own.count = from->count;
    own.other_count = from->other_count;
    if (from->count != 0) {
        give_extremes(&own, from);
        own.mean = spread_mean(from);
        own.stddev = spread_deviation(from);
    }
    own.has_percentiles = spread_has_percentiles(from);
    if (own.has_percentiles) {
        own.are_percentiles_exact = spread_is_exact(from);
        own.p50 = value_of_percentile(from, 500);
        own.p90 = value_of_percentile(from, 900);
        own.p99 = value_of_percentile(from, 990);
        own.p999 = value_of_percentile(from, 999);
    }
    if (found->held != NULL)
        give_held(&own, &found->held[of], from);
    own.has_distinct = from->different != NULL;
    if (own.has_distinct) {
        own.is_distinct_exact = distinct_is_exact(from->different);
        own.distinct_count = distinct_count(from->different);
        /* An estimate may be more than there are values. */
        if (own.distinct_count > own.count + own.other_count)
            own.distinct_count = own.count + own.other_count;
    }
    sized_give(figures, &own, sizeof own, SIZED_FIRST(stele_stats_figures, distinct_count));
    return true;
}

/* ---- Order of groups ---- */

typedef struct rank {
    stats_group *group;
    double figure; /* NaN: the group does not have it */
    size_t number; /* index of the group in the order by keys */
} rank;

static double figure_of(const stele_stats *s, size_t group, stele_stats_figure figure, size_t of)
{
    stele_stats_figures f = STELE_INIT(stele_stats_figures);
    if (figure == STELE_STATS_COUNT)
        return (double)group_at(s, group)->about.row_count;
    if (!stele_stats_get_figures(s, group, of, &f))
        return (double)NAN;
    switch (figure) {
    case STELE_STATS_SUM: return stats_number_of(&f.sum);
    case STELE_STATS_MIN: return stats_number_of(&f.min);
    case STELE_STATS_MAX: return stats_number_of(&f.max);
    case STELE_STATS_MEAN: return f.count != 0 ? f.mean : (double)NAN;
    case STELE_STATS_STDDEV: return f.count != 0 ? f.stddev : (double)NAN;
    case STELE_STATS_P50: return stats_number_of(&f.p50);
    case STELE_STATS_P90: return stats_number_of(&f.p90);
    case STELE_STATS_P99: return stats_number_of(&f.p99);
    case STELE_STATS_P999: return stats_number_of(&f.p999);
    case STELE_STATS_LAST: return stats_number_of(&f.last);
    case STELE_STATS_DISTINCT: return f.has_distinct ? (double)f.distinct_count : (double)NAN;
    default: return (double)NAN;
    }
}

static int order_texts(stele_text a, stele_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size != 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int order_keys(const stats_groups *g, const stats_group *a, const stats_group *b)
{
    for (uint32_t i = 0; i < g->by_count; i++) {
        const stele_value *x = &a->about.keys[i], *y = &b->about.keys[i];
        const double f = stats_number_of(x), h = stats_number_of(y);
        int order = (x->type == STELE_VALUE_TEXT) - (y->type == STELE_VALUE_TEXT);
        if (order == 0 && x->type == STELE_VALUE_TEXT)
            order = order_texts(x->u.text, y->u.text);
        else if (order == 0)
            order = isnan(f) || isnan(h) ? !isnan(h) - !isnan(f) : (f > h) - (f < h);
        if (order != 0)
            return order;
    }
    return 0;
}

static int order_ranks(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    if (isnan(x->figure) || isnan(y->figure)) {
        if (isnan(x->figure) != isnan(y->figure))
            return isnan(x->figure) ? 1 : -1;
    } else if (x->figure != y->figure) {
        return x->figure < y->figure ? 1 : -1;
    }
    return x->number < y->number ? -1 : 1;
}

/* Sorts groups by their keys by merging, with the help of `room`, because qsort() cannot pass on
   the number of keys. */
static void sort_keys(const stats_groups *g, rank *ranks, rank *room, size_t count)
{
    const size_t half = count / 2;
    size_t a = 0, b = half, to = 0;
    if (count < 2)
        return;
    sort_keys(g, ranks, room, half);
    sort_keys(g, ranks + half, room, count - half);
    while (a < half && b < count)
        room[to++] = order_keys(g, ranks[b].group, ranks[a].group) < 0 ? ranks[b++] : ranks[a++];
    while (a < half)
        room[to++] = ranks[a++];
    while (b < count)
        room[to++] = ranks[b++];
    memcpy(ranks, room, count * sizeof *ranks);
}

void stele_stats_sort(stele_stats *s, stele_stats_figure figure, size_t of, bool is_reversed)
{
    stats_groups *g = &s->groups;
    const size_t count = g->count;
    rank *ranks = calloc(count * 2 + 1, sizeof *ranks);
    if (ranks == NULL)
        return; /* out of memory: the groups are complete, but not in this order */
    for (size_t i = 0; i < count; i++) {
        const double f = figure == STELE_STATS_KEY ? 0 : figure_of(s, i, figure, of);
        ranks[i] = (rank){g->items[i], is_reversed ? -f : f, i};
    }
    if (figure == STELE_STATS_KEY)
        sort_keys(g, ranks, ranks + count, count);
    else
        qsort(ranks, count, sizeof *ranks, order_ranks);
    for (size_t i = 0; i < count; i++)
        g->items[figure == STELE_STATS_KEY && is_reversed ? count - 1 - i : i] = ranks[i].group;
    free(ranks);
}

/* ---- Bins ---- */

typedef struct binning {
    stele_stats_bin *bins;
    size_t count, capacity, linear_count;
    double low, width; /* low bound of the first linear bin, and width of all */
    bool is_whole;     /* all values are whole numbers */
} binning;

/* Adds empty bins between those with values as long as there is room. Whole numbers always have
   room. */
static void fill_gap(binning *b, double from)
{
    double low = b->count != 0 ? b->bins[b->count - 1].high : from;
    if (!b->is_whole || low < 1)
        return;
    for (; low < from && b->count < b->capacity; low *= 2)
        b->bins[b->count++] = (stele_stats_bin){low, low * 2, 0};
}

static void add_log2(void *user, double low, double high, uint64_t count)
{
    binning *b = user;
    double from, to;
    int exponent;
    const double value = fabs(low) < fabs(high) ? low : high; /* the bound that is nearer to 0 */
    if (value == 0) {
        from = 0;
        to = 1;
    } else {
        frexp(value, &exponent);
        from = ldexp(value < 0 ? -1 : 1, exponent - (value < 0 ? 0 : 1));
        to = ldexp(value < 0 ? -1 : 1, exponent - (value < 0 ? 1 : 0));
    }
    if (b->count == 0 || b->bins[b->count - 1].low != from) {
        fill_gap(b, from);
        if (b->count == b->capacity)
            return;
        b->bins[b->count++] = (stele_stats_bin){from, to, 0};
    }
    b->bins[b->count - 1].count += count;
}

static void add_linear(void *user, double low, double high, uint64_t count)
{
    binning *b = user;
    const double middle = low + (high - low) / 2;
    const double place = (middle - b->low) / b->width;
    const size_t last = b->linear_count - 1;
    const size_t index = place <= 0 ? 0 : place >= (double)last ? last : (size_t)place;
    b->bins[index].count += count;
}

/* Makes linear bins. If all values are whole numbers, the bins have whole widths. */
static void make_linear(binning *b, const spread *of)
{
    const double low = spread_least(of), high = spread_greatest(of);
    double width = (high - low) / (double)b->linear_count;
    if (of->float_count == 0)
        width = floor((high - low) / (double)b->linear_count) + 1;
    if (width <= 0)
        width = 1;
    b->low = low;
    b->width = width;
    b->count = b->linear_count;
    for (size_t i = 0; i < b->count; i++)
        b->bins[i] = (stele_stats_bin){low + width * (double)i, low + width * (double)(i + 1), 0};
}

size_t stele_stats_get_bins(const stele_stats *s, size_t group, size_t of, size_t linear_count,
                            stele_stats_bin *bins, size_t capacity)
{
    const stats_group *found = group_at(s, group);
    binning b = {.bins = bins, .capacity = capacity, .linear_count = linear_count};
    if (found == NULL || of >= s->groups.of_count || linear_count > capacity ||
        !spread_has_percentiles(&found->of[of]))
        return 0;
    if (linear_count == 0) {
        b.is_whole = found->of[of].float_count == 0;
        spread_each(&found->of[of], add_log2, &b);
        return b.count;
    }
    make_linear(&b, &found->of[of]);
    spread_each(&found->of[of], add_linear, &b);
    while (b.count > 0 && b.bins[b.count - 1].count == 0)
        b.count--;
    return b.count;
}

/* ---- Intervals ---- */

bool stele_stats_get_point(const stele_stats *s, size_t group, size_t index,
                           stele_stats_point *point, stele_stats_point_figures *figures)
{
    const stats_groups *g = &s->groups;
    const stats_group *found = group_at(s, group);
    const stats_point *at;
    if (found == NULL || index >= found->point_count)
        return false;
    at = (const stats_point *)(const void *)(found->points + index * g->point_size);
    *point = at->about;
    if (figures != NULL)
        memcpy(figures, at->of, g->of_count * sizeof *figures);
    return true;
}
