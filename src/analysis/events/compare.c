/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the profiles of two sides, each of which may have several runs. */
#include <stele/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/profile.h"
#include "analysis/events/rank_test.h"
#include "analysis/events/ranked.h"
#include "core/sized.h"
#include "model/context.h"

#define LEVEL  0.05
#define FACTOR 1.5

/* State of one comparison. Its runs are those of `before`, then those of `after`. */
typedef struct comparing {
    const stele_context *context;
    stele_profile *const *sides[2];
    size_t counts[2], run_count;
    stele_compare_options options;
    size_t name_count;
    uint32_t *by_name; /* index in `changes`, by name; UINT32_MAX: no profile has the name */
    stele_compare_change *changes;
    size_t count;
    double *selves;            /* self times of each change, one number for each run */
    histogram *made;           /* the self times of the change that is judged, by run */
    const histogram **spreads; /* those; NULL: the run does not have the call */
    double *logs, *ranks;
} comparing;

static stele_profile *run_of(const comparing *c, size_t run)
{
    return run < c->counts[0] ? c->sides[0][run] : c->sides[1][run - c->counts[0]];
}

static stele_profile_row *side_of(stele_compare_change *change, bool is_after)
{
    return is_after ? &change->after : &change->before;
}

/* ---- Sums over runs -------------------------------------------------------------------------- */

static void add_row(stele_profile_row *to, const stele_profile_row *row)
{
    const bool is_first = to->count == 0 && to->lost_count == 0;
    if (row->count != 0 && (is_first || row->min_ns < to->min_ns))
        to->min_ns = row->min_ns;
    if (row->max_ns > to->max_ns)
        to->max_ns = row->max_ns;
    to->count += row->count;
    to->lost_count += row->lost_count;
    to->unended_count += row->unended_count;
    to->total_ns += row->total_ns;
    to->self_ns += row->self_ns;
    to->sum_ns += row->sum_ns;
    to->self_squares += row->self_squares;
    to->is_sampled = to->is_sampled || row->is_sampled;
}

static uint64_t share_of(uint64_t sum, size_t runs)
{
    const uint64_t mean = sum / runs + (sum % runs * 2 >= runs);
    return mean != 0 ? mean : sum != 0;
}

/* Turns sums over several runs into averages for one run. */
static void average(stele_profile_row *row, size_t runs)
{
    if (runs == 1)
        return;
    row->count = share_of(row->count, runs);
    row->lost_count = share_of(row->lost_count, runs);
    row->unended_count = share_of(row->unended_count, runs);
    row->total_ns = share_of(row->total_ns, runs);
    row->self_ns = share_of(row->self_ns, runs);
    row->sum_ns = share_of(row->sum_ns, runs);
    row->self_squares /= (double)runs;
}

/* Sets the percentiles from the calls of all runs of a side. */
static bool spread_row(const comparing *c, bool is_after, stele_profile_row *row)
{
    static const unsigned permille[] = {500, 900, 990};
    uint64_t *const to[] = {&row->p50_ns, &row->p90_ns, &row->p99_ns};
    histogram all = {.blocks = {NULL}};
    bool is_ok = true;
    for (size_t run = 0; run < c->counts[is_after] && is_ok; run++) {
        is_ok = profile_add_durations(c->sides[is_after][run], row->name, &all);
    }
    for (size_t i = 0; i < sizeof to / sizeof to[0] && is_ok; i++) {
        const uint64_t value = histogram_percentile(&all, permille[i]);
        *to[i] = value < row->max_ns ? value : row->max_ns;
    }
    histogram_free(&all);
    return is_ok;
}

/* Numbers the names that occur in the profiles, in the order in which they are first seen. */
static stele_status number_names(comparing *c)
{
    memset(c->by_name, 0xff, c->name_count * sizeof *c->by_name);
    for (size_t run = 0; run < c->run_count; run++) {
        const stele_profile_row *rows;
        size_t count;
        if (stele_profile_rows(run_of(c, run), STELE_PROFILE_BY_NAME, &rows, &count) != STELE_OK)
            return STELE_ERR_MEMORY;
        for (size_t i = 0; i < count; i++) {
            if (c->by_name[rows[i].name] == UINT32_MAX)
                c->by_name[rows[i].name] = (uint32_t)c->count++;
        }
    }
    return STELE_OK;
}

/* Adds the rows of all runs to `changes`, name by name. */
static stele_status gather(comparing *c)
{
    for (size_t run = 0; run < c->run_count; run++) {
        const bool is_after = run >= c->counts[0];
        const stele_profile_row *rows;
        size_t count;
        if (stele_profile_rows(run_of(c, run), STELE_PROFILE_BY_NAME, &rows, &count) != STELE_OK)
            return STELE_ERR_MEMORY;
        for (size_t i = 0; i < count; i++) {
            const uint32_t at = c->by_name[rows[i].name];
            stele_compare_change *change = &c->changes[at];
            add_row(side_of(change, is_after), &rows[i]);
            change->before.name = change->after.name = rows[i].name;
            *(is_after ? &change->after_runs : &change->before_runs) += 1;
            c->selves[at * c->run_count + run] += (double)rows[i].self_ns;
        }
    }
    return STELE_OK;
}

/* ---- Statistical tests ----------------------------------------------------------------------- */

static bool is_single(const comparing *c)
{
    return c->run_count == 2;
}

/* Tests how the self times of the runs differ, both as nanoseconds and as factors. */
static void judge_amount(comparing *c, stele_compare_change *change, const double *selves)
{
    const size_t n = c->counts[0];
    test_result result;
    if (is_single(c)) {
        result = counts_test_beyond((double)change->before.count, (double)change->after.count,
                                    c->options.factor);
    } else {
        result = runs_test(selves, n, selves + n, c->counts[1]);
        change->has_noise = true;
        change->noise_ns = result.error;
        for (size_t run = 0; run < c->run_count; run++)
            c->logs[run] = log1p(selves[run]);
        result = runs_test(c->logs, n, c->logs + n, c->counts[1]);
    }
    change->amount_statistic = result.statistic;
    change->amount_p_value = result.p_value;
}

/* Collects the self times of a name in each run. Returns false if out of memory. */
static bool make_spreads(comparing *c, stele_name name)
{
    bool is_ok = true;
    for (size_t run = 0; run < c->run_count && is_ok; run++) {
        c->spreads[run] = profile_has(run_of(c, run), name) ? &c->made[run] : NULL;
        is_ok = profile_add_selves(run_of(c, run), name, &c->made[run]);
    }
    return is_ok;
}

static bool test_ranks(comparing *c, test_result *result)
{
    if (!is_single(c))
        *result = rank_test_runs(c->spreads, c->counts[0], c->counts[1], c->ranks);
    else if (c->spreads[0] == NULL || c->spreads[1] == NULL)
        *result = (test_result){.p_value = 1};
    else
        return rank_test_beyond(c->spreads[0], c->spreads[1], c->options.factor, result);
    return true;
}

static bool judge_ranks(comparing *c, stele_compare_change *change)
{
    test_result result;
    const bool is_ok = make_spreads(c, change->before.name) && test_ranks(c, &result);
    for (size_t run = 0; run < c->run_count; run++)
        histogram_free(&c->made[run]);
    if (!is_ok)
        return false;
    change->longer_share = 0.5 + result.difference;
    change->rank_statistic = result.statistic;
    change->rank_p_value = result.p_value;
    return true;
}

static void conclude(const comparing *c, stele_compare_change *change)
{
    average(&change->before, c->counts[0]);
    average(&change->after, c->counts[1]);
    change->self_change_ns = (int64_t)(change->after.self_ns - change->before.self_ns);
    change->p_value = fmin(1, 2 * fmin(change->rank_p_value, change->amount_p_value));
    change->is_noise = change->p_value > c->options.level;
}

static bool judge(comparing *c, size_t at)
{
    stele_compare_change *change = &c->changes[at];
    if (!spread_row(c, false, &change->before) || !spread_row(c, true, &change->after) ||
        !judge_ranks(c, change))
        return false;
    judge_amount(c, change, &c->selves[at * c->run_count]);
    conclude(c, change);
    return true;
}

/* Tests the sum over all names. Must run while `changes` still holds sums, before they become
   averages. */
static void judge_whole(comparing *c, stele_compare_change *whole)
{
    *whole = (stele_compare_change){.longer_share = 0.5, .rank_p_value = 1};
    for (size_t i = 0; i < c->count; i++) {
        add_row(&whole->before, &c->changes[i].before);
        add_row(&whole->after, &c->changes[i].after);
    }
    for (size_t run = 0; run < c->run_count; run++) {
        double sum = 0;
        for (size_t i = 0; i < c->count; i++)
            sum += c->selves[i * c->run_count + run];
        c->ranks[run] = sum;
    }
    whole->before_runs = (uint32_t)c->counts[0];
    whole->after_runs = (uint32_t)c->counts[1];
    judge_amount(c, whole, c->ranks);
    conclude(c, whole);
    whole->p_value = whole->amount_p_value; /* the sum has no other test than that of its amount */
    whole->is_noise = whole->p_value > c->options.level;
}

/* ---- Comparison of several runs -------------------------------------------------------------- */

static uint64_t weight_of(const stele_compare_change *change)
{
    return change->self_change_ns < 0 ? 0 - (uint64_t)change->self_change_ns
                                      : (uint64_t)change->self_change_ns;
}

/* Returns the changes sorted by size, the largest first; NULL if out of memory. */
static stele_compare_change *sorted(const comparing *c)
{
    ranked *ranks = malloc((c->count + 1) * sizeof *ranks);
    stele_compare_change *result = malloc((c->count + 1) * sizeof *result);
    if (ranks == NULL || result == NULL) {
        free(ranks);
        free(result);
        return NULL;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const stele_compare_change *change = &c->changes[i];
        ranks[i] = (ranked){weight_of(change),
                            stele_name_text(c->context, NULL, change->before.name), i, i};
    }
    qsort(ranks, c->count, sizeof *ranks, ranked_compare);
    for (size_t i = 0; i < c->count; i++)
        result[i] = c->changes[ranks[i].index];
    free(ranks);
    return result;
}

static bool options_take(comparing *c, const stele_compare_options *options)
{
    stele_compare_options *own = &c->options;
    if (!sized_take(own, sizeof *own, SIZED_FIRST(stele_compare_options, factor), options))
        return false;
    if (own->level == 0)
        own->level = LEVEL;
    if (own->factor == 0)
        own->factor = FACTOR;
    return own->level > 0 && own->level <= 1 && own->factor >= 1 && isfinite(own->factor);
}

static stele_status allocate(comparing *c)
{
    c->changes = calloc(c->count + 1, sizeof *c->changes);
    c->selves = calloc((c->count + 1) * c->run_count, sizeof *c->selves);
    c->made = calloc(c->run_count, sizeof *c->made);
    c->spreads = calloc(c->run_count, sizeof *c->spreads);
    c->logs = calloc(c->run_count, sizeof *c->logs);
    c->ranks = calloc(c->run_count, sizeof *c->ranks);
    return c->changes == NULL || c->selves == NULL || c->made == NULL || c->spreads == NULL ||
                   c->logs == NULL || c->ranks == NULL
               ? STELE_ERR_MEMORY
               : STELE_OK;
}

static stele_status compare(comparing *c, stele_compare_change **changes,
                            stele_compare_change *whole)
{
    stele_status status = STELE_ERR_MEMORY;
    c->by_name = malloc(c->name_count * sizeof *c->by_name);
    if (c->by_name != NULL)
        status = number_names(c);
    if (status == STELE_OK)
        status = allocate(c);
    if (status == STELE_OK)
        status = gather(c);
    if (status == STELE_OK && whole != NULL)
        judge_whole(c, whole);
    for (size_t i = 0; i < c->count && status == STELE_OK; i++)
        status = judge(c, i) ? STELE_OK : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        *changes = sorted(c);
    free(c->by_name);
    free(c->changes);
    free(c->selves);
    free(c->made);
    free(c->spreads);
    free(c->logs);
    free(c->ranks);
    return status == STELE_OK && *changes == NULL ? STELE_ERR_MEMORY : status;
}

stele_status stele_profile_compare_runs(const stele_context *context, stele_profile *const *before,
                                        size_t before_count, stele_profile *const *after,
                                        size_t after_count, const stele_compare_options *options,
                                        stele_compare_change **changes, size_t *count,
                                        stele_compare_change *whole)
{
    comparing c = {.context = context,
                   .sides = {before, after},
                   .counts = {before_count, after_count},
                   .run_count = before_count + after_count,
                   .name_count = stele_name_count(context)};
    stele_status status;
    *changes = NULL;
    *count = 0;
    if (before_count == 0 || after_count == 0 || !options_take(&c, options))
        return STELE_ERR_ARGUMENT;
    status = compare(&c, changes, whole);
    if (status == STELE_OK)
        *count = c.count;
    return status;
}

/* ---- Comparison of one run on each side ------------------------------------------------------ */

/* Variance of the sum of all self times, on the assumption that calls are independent. */
static double sum_variance(const stele_profile_row *row)
{
    const double count = (double)row->count, sum = (double)row->self_ns;
    const double squares = row->self_squares - sum * sum / count;
    return row->count < 2 || squares < 0 ? 0 : squares / (count - 1) * count;
}

static stele_compare_row row_of(const stele_compare_change *change)
{
    const stele_profile_row *before = &change->before, *after = &change->after;
    stele_compare_row row = {.before = *before,
                             .after = *after,
                             .self_change_ns = change->self_change_ns,
                             .is_noise = change->is_noise};
    row.has_noise = before->count != 1 && after->count != 1 && !before->is_sampled &&
                    !after->is_sampled && before->count + after->count != 0;
    if (row.has_noise)
        row.noise_ns = sqrt(sum_variance(before) + sum_variance(after));
    return row;
}

stele_status stele_profile_compare(const stele_context *context, stele_profile *before,
                                   stele_profile *after, stele_compare_row **rows, size_t *count)
{
    stele_compare_change *changes;
    stele_status status =
        stele_profile_compare_runs(context, &before, 1, &after, 1, NULL, &changes, count, NULL);
    *rows = NULL;
    if (status != STELE_OK)
        return status;
    *rows = malloc((*count + 1) * sizeof **rows);
    for (size_t i = 0; *rows != NULL && i < *count; i++)
        (*rows)[i] = row_of(&changes[i]);
    free(changes);
    if (*rows != NULL)
        return STELE_OK;
    *count = 0;
    return STELE_ERR_MEMORY;
}
