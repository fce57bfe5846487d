/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the statistics of several runs before and after a change, group by group. */
#include <stele/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/rank_test.h"
#include "analysis/events/stats_groups.h"
#include "core/sized.h"

#define LEVEL 0.05

/* A group in the results of one run. */
typedef struct member {
    const stele_stats_group *group;
    size_t number; /* number of the group in its run */
    uint32_t run;
} member;

typedef struct comparing {
    stele_stats *const *sides[2];
    size_t counts[2], run_count;
    stele_stats_figure figure;
    size_t of, by_count;
    double level;
    member *members;
    size_t member_count;
    double *values, *logs; /* a figure of one group for each run, first the runs before */
} comparing;

static stele_stats *run_of(const comparing *c, size_t run)
{
    return run < c->counts[0] ? c->sides[0][run] : c->sides[1][run - c->counts[0]];
}

/* ---- Groups of several runs ------------------------------------------------------------------ */

static int compare_texts(stele_text a, stele_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size != 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : a.size < b.size ? -1 : a.size > b.size;
}

static int compare_keys(const stele_value *a, const stele_value *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    switch (a->type) {
    case STELE_VALUE_INT: return a->u.i < b->u.i ? -1 : a->u.i > b->u.i;
    case STELE_VALUE_UINT: return a->u.u < b->u.u ? -1 : a->u.u > b->u.u;
    case STELE_VALUE_FLOAT: return a->u.f < b->u.f ? -1 : a->u.f > b->u.f;
    case STELE_VALUE_TEXT: return compare_texts(a->u.text, b->u.text);
    case STELE_VALUE_WIDE:
        if (a->u.wide.high != b->u.wide.high)
            return a->u.wide.high < b->u.wide.high ? -1 : 1;
        return a->u.wide.low < b->u.wide.low ? -1 : a->u.wide.low > b->u.wide.low;
    default: return 0;
    }
}

/* Sorts groups by their keys, so that those with the same keys are next to each other; the group
   of all others comes last. */
static int compare_groups(const stele_stats_group *a, const stele_stats_group *b, size_t by_count)
{
    if (a->is_other != b->is_other)
        return a->is_other ? 1 : -1;
    for (size_t i = 0; i < by_count && !a->is_other; i++) {
        const int order = compare_keys(&a->keys[i], &b->keys[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

static bool collect(comparing *c)
{
    size_t count = 0;
    for (size_t run = 0; run < c->run_count; run++)
        count += stele_stats_group_count(run_of(c, run));
    c->members = malloc((count + 1) * sizeof *c->members);
    c->values = calloc(c->run_count, sizeof *c->values);
    c->logs = calloc(c->run_count, sizeof *c->logs);
    if (c->members == NULL || c->values == NULL || c->logs == NULL)
        return false;
    for (size_t run = 0; run < c->run_count; run++) {
        const stele_stats *of = run_of(c, run);
        for (size_t i = 0; i < stele_stats_group_count(of); i++)
            c->members[c->member_count++] =
                (member){stele_stats_get_group(of, i), i, (uint32_t)run};
    }
    return true;
}

/* ---- Heap sort: qsort() cannot pass on the number of keys ------------------------------------ */

static bool is_before(const comparing *c, const member *a, const member *b)
{
    const int order = compare_groups(a->group, b->group, c->by_count);
    return order != 0 ? order < 0 : a->run < b->run;
}

static void sift_down(const comparing *c, size_t at, size_t count)
{
    for (;;) {
        size_t child = at * 2 + 1;
        member held;
        if (child >= count)
            return;
        if (child + 1 < count && is_before(c, &c->members[child], &c->members[child + 1]))
            child++;
        if (!is_before(c, &c->members[at], &c->members[child]))
            return;
        held = c->members[at];
        c->members[at] = c->members[child];
        c->members[child] = held;
        at = child;
    }
}

static void sort_members(const comparing *c)
{
    for (size_t at = c->member_count / 2; at-- > 0;)
        sift_down(c, at, c->member_count);
    for (size_t left = c->member_count; left-- > 1;) {
        const member first = c->members[0];
        c->members[0] = c->members[left];
        c->members[left] = first;
        sift_down(c, 0, left);
    }
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* The figure of a group in one run; NaN if the group does not have it. */
static double figure_of(const comparing *c, const member *m)
{
    stele_stats_figures f = STELE_INIT(stele_stats_figures);
    if (c->figure == STELE_STATS_COUNT && stele_stats_of_count(run_of(c, m->run)) == 0)
        return (double)m->group->row_count;
    if (!stele_stats_get_figures(run_of(c, m->run), m->number, c->of, &f))
        return NAN;
    switch (c->figure) {
    case STELE_STATS_COUNT: return (double)f.count;
    case STELE_STATS_SUM: return stats_number_of(&f.sum);
    case STELE_STATS_MIN: return stats_number_of(&f.min);
    case STELE_STATS_MAX: return stats_number_of(&f.max);
    case STELE_STATS_MEAN: return f.count != 0 || f.held_ns != 0 ? f.mean : NAN;
    case STELE_STATS_STDDEV: return f.count != 0 || f.held_ns != 0 ? f.stddev : NAN;
    case STELE_STATS_P50: return stats_number_of(&f.p50);
    case STELE_STATS_P90: return stats_number_of(&f.p90);
    case STELE_STATS_P99: return stats_number_of(&f.p99);
    case STELE_STATS_P999: return stats_number_of(&f.p999);
    case STELE_STATS_DISTINCT: return f.has_distinct ? (double)f.distinct_count : NAN;
    case STELE_STATS_LAST: return stats_number_of(&f.last);
    default: return NAN;
    }
}

/* The figure of a run that has no such group: 0 for counts and sums, and NaN otherwise. */
static double missing(const comparing *c)
{
    return c->figure == STELE_STATS_COUNT || c->figure == STELE_STATS_SUM ? 0 : NAN;
}

static double mean_of(const double *values, size_t count, uint32_t *used)
{
    double sum = 0;
    *used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            sum += values[i];
            ++*used;
        }
    }
    return *used != 0 ? sum / *used : NAN;
}

/* Copies the values that are not NaN, as logarithms if `as_logs` is set. Returns how many there
   are. */
static size_t pack(const double *values, size_t count, bool as_logs, double *to)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i]))
            to[used++] = as_logs ? log(values[i]) : values[i];
    }
    return used;
}

static test_result test(const comparing *c, bool as_logs)
{
    const size_t n = pack(c->values, c->counts[0], as_logs, c->logs);
    const size_t m = pack(c->values + c->counts[0], c->counts[1], as_logs, c->logs + n);
    return runs_test(c->logs, n, c->logs + n, m);
}

/* Tests whether the two sides differ by more than the runs of one side do. Positive values are
   compared as factors of each other, others by their difference. */
static void judge(const comparing *c, stele_stats_change *change)
{
    bool are_factors = true;
    test_result result;
    change->p_value = 1;
    if (change->before_runs == 0 || change->after_runs == 0 ||
        change->before_runs + change->after_runs < 3)
        return;
    for (size_t run = 0; run < c->run_count; run++)
        are_factors = are_factors && (isnan(c->values[run]) || c->values[run] > 0);
    result = test(c, false);
    change->has_noise = true;
    change->noise = result.error;
    if (are_factors)
        result = test(c, true);
    change->p_value = result.p_value;
    change->is_noise = result.p_value > c->level;
}

/* Makes the change of one group, whose members are those from `first` to before `end`. */
static void conclude(const comparing *c, size_t first, size_t end, stele_stats_change *change)
{
    *change = (stele_stats_change){.keys = c->members[first].group->keys,
                                   .is_other = c->members[first].group->is_other};
    for (size_t run = 0; run < c->run_count; run++)
        c->values[run] = missing(c);
    for (size_t i = first; i < end; i++)
        c->values[c->members[i].run] = figure_of(c, &c->members[i]);
    change->before = mean_of(c->values, c->counts[0], &change->before_runs);
    change->after = mean_of(c->values + c->counts[0], c->counts[1], &change->after_runs);
    change->change = change->after - change->before;
    judge(c, change);
}

/* Sorts by size of the change, the largest first. Groups without a change, because one side
   lacks them, come last. */
static int compare_changes(const void *left, const void *right)
{
    const stele_stats_change *a = left, *b = right;
    const double x = isnan(a->change) ? -1 : fabs(a->change);
    const double y = isnan(b->change) ? -1 : fabs(b->change);
    if (x != y)
        return x < y ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static stele_status compare(comparing *c, stele_stats_change **changes, size_t *count)
{
    stele_stats_change *made;
    size_t made_count = 0;
    if (!collect(c))
        return STELE_ERR_MEMORY;
    sort_members(c);
    made = malloc((c->member_count + 1) * sizeof *made);
    if (made == NULL)
        return STELE_ERR_MEMORY;
    for (size_t first = 0, end; first < c->member_count; first = end) {
        for (end = first + 1; end < c->member_count; end++) {
            if (compare_groups(c->members[first].group, c->members[end].group, c->by_count) != 0)
                break;
        }
        conclude(c, first, end, &made[made_count]);
        made[made_count].number = (uint32_t)made_count;
        made_count++;
    }
    qsort(made, made_count, sizeof *made, compare_changes);
    *changes = made;
    *count = made_count;
    return STELE_OK;
}

stele_status stele_stats_compare_runs(stele_stats *const *before, size_t before_count,
                                      stele_stats *const *after, size_t after_count,
                                      stele_stats_figure figure, size_t of,
                                      const stele_compare_options *options,
                                      stele_stats_change **changes, size_t *count)
{
    stele_compare_options given;
    comparing c = {.sides = {before, after},
                   .counts = {before_count, after_count},
                   .run_count = before_count + after_count,
                   .figure = figure,
                   .of = of};
    stele_status status;
    *changes = NULL;
    *count = 0;
    if (before_count == 0 || after_count == 0 || figure == STELE_STATS_KEY ||
        (unsigned)figure >= STELE_STATS_FIGURE_COUNT ||
        !sized_take(&given, sizeof given, SIZED_FIRST(stele_compare_options, factor), options) ||
        !(given.level >= 0 && given.level <= 1))
        return STELE_ERR_ARGUMENT;
    c.level = given.level != 0 ? given.level : LEVEL;
    c.by_count = stele_stats_by_count(before[0]);
    for (size_t run = 1; run < c.run_count; run++) {
        if (stele_stats_by_count(run_of(&c, run)) != c.by_count)
            return STELE_ERR_ARGUMENT;
    }
    status = compare(&c, changes, count);
    free(c.members);
    free(c.values);
    free(c.logs);
    return status;
}
