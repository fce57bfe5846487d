/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/rank_test.h"

#include <math.h>

/* ---- Distributions --------------------------------------------------------------------------- */

#define FRACTION_STEPS 300u
#define FRACTION_ERROR 1e-12

/* The continued fraction of the incomplete beta function, by the method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), value;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    value = d;
    for (unsigned step = 1; step <= FRACTION_STEPS; step++) {
        const double m = step;
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1) < FRACTION_ERROR)
            break;
    }
    return value;
}

/* The incomplete beta function, from 0 to 1. */
static double beta(double a, double b, double x)
{
    double front;
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p_value(double t, double freedom)
{
    if (isinf(t))
        return 0;
    if (isinf(freedom))
        return erfc(fabs(t) / sqrt(2));
    return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* Makes the result of a difference and its standard error. If the error is 0, any difference is
   certain. */
static test_result judged(double difference, double error, double freedom)
{
    test_result result = {difference, error, 0, freedom, 1};
    if (difference == 0)
        return result;
    result.statistic = error > 0 ? difference / error : copysign(INFINITY, difference);
    result.p_value = student_p_value(result.statistic, freedom);
    return result;
}

/* ---- Test of one figure for each run --------------------------------------------------------- */

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Variance of a single value, estimated from `values`; 0 if there are fewer than two. */
static double variance_of(const double *values, size_t count)
{
    const double mean = mean_of(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sum / (double)(count - 1) : 0;
}

test_result runs_test(const double *before, size_t before_count, const double *after,
                      size_t after_count)
{
    const double n = (double)before_count, m = (double)after_count;
    double left, right, freedom;
    if (before_count == 0 || after_count == 0 || before_count + after_count < 3)
        return (test_result){.p_value = 1};
    left = variance_of(before, before_count) / n;
    right = variance_of(after, after_count) / m;
    if (before_count == 1 || after_count == 1) {
        freedom = n + m - 2;
        if (before_count == 1)
            left = right * m;
        else
            right = left * n;
    } else {
        freedom =
            (left + right) * (left + right) / (left * left / (n - 1) + right * right / (m - 1));
    }
    if (!(freedom >= 1)) /* also true if freedom is not a number because nothing varies */
        freedom = 1;
    return judged(mean_of(after, after_count) - mean_of(before, before_count), sqrt(left + right),
                  freedom);
}

/* ---- Test of ranks --------------------------------------------------------------------------- */

/* Sums over the ranks of all calls of all runs. */
typedef struct ranking {
    double counts[2]; /* number of calls of each side */
    double sums[2];   /* sum of the ranks of each side */
    double ties;      /* sum of t^3 - t over groups of t equal durations */
} ranking;

/* Ranks the calls of all runs. If `ranks` is not NULL, it gets the sum of ranks of each run. */
static ranking rank_all(const histogram *const *runs, size_t before_count, size_t count,
                        double *ranks)
{
    ranking all = {.ties = 0};
    double below = 0;
    for (size_t run = 0; run < count && ranks != NULL; run++)
        ranks[run] = 0;
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++) {
        for (unsigned i = 0; i < HISTOGRAM_BLOCK; i++) {
            double equal = 0;
            for (size_t run = 0; run < count; run++) {
                if (runs[run] != NULL && runs[run]->blocks[b] != NULL)
                    equal += (double)runs[run]->blocks[b][i];
            }
            for (size_t run = 0; run < count && equal != 0; run++) {
                const bool has = runs[run] != NULL && runs[run]->blocks[b] != NULL;
                const double calls = has ? (double)runs[run]->blocks[b][i] : 0;
                const double sum = calls * (below + (equal + 1) / 2);
                all.counts[run >= before_count] += calls;
                all.sums[run >= before_count] += sum;
                if (ranks != NULL)
                    ranks[run] += sum;
            }
            all.ties += equal * equal * equal - equal;
            below += equal;
        }
    }
    return all;
}

/* Difference of the mean ranks of both sides, divided by the number of calls. */
static double rank_difference(const ranking *all)
{
    const double total = all->counts[0] + all->counts[1];
    return (all->sums[1] / all->counts[1] - all->sums[0] / all->counts[0]) / total;
}

/* Standard error of rank_difference(), if calls are independent and all durations have one
   distribution. */
static double rank_error(const ranking *all)
{
    const double n = all->counts[0], m = all->counts[1], total = n + m;
    const double variance = n * m / 12 * (total + 1 - all->ties / (total * (total - 1)));
    return variance > 0 ? sqrt(variance) / (n * m) : 0;
}

static test_result judge_ranks(const ranking *all)
{
    const double n = all->counts[0], m = all->counts[1];
    double difference, error, corrected;
    test_result result;
    if (n == 0 || m == 0)
        return (test_result){.p_value = 1};
    difference = rank_difference(all);
    error = rank_error(all);
    if (error == 0) /* all calls take equally long */
        return (test_result){.freedom = INFINITY, .p_value = 1};
    corrected = fabs(difference) - 0.5 / (n * m);
    result = judged(corrected > 0 ? copysign(corrected, difference) : 0, error, INFINITY);
    result.difference = difference;
    return result;
}

test_result rank_test(const histogram *before, const histogram *after)
{
    const ranking all = rank_all((const histogram *[]){before, after}, 1, 2, NULL);
    return judge_ranks(&all);
}

/* The smallest two-sided p that a permutation test of this many runs can give. */
static double permutation_p_min(size_t before_count, size_t after_count)
{
    const double n = (double)before_count, m = (double)after_count;
    return fmin(1, 2 * exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1)));
}

/* Divides the sums of ranks by the number of calls, and packs those of runs that have calls.
   Returns how many these are. */
static size_t rank_means(const histogram *const *runs, size_t count, double total, double *ranks)
{
    size_t used = 0;
    for (size_t run = 0; run < count; run++) {
        const uint64_t calls = runs[run] != NULL ? histogram_count(runs[run]) : 0;
        if (calls != 0)
            ranks[used++] = ranks[run] / (double)calls / total;
    }
    return used;
}

test_result rank_test_runs(const histogram *const *runs, size_t before_count, size_t after_count,
                           double *ranks)
{
    const ranking all = rank_all(runs, before_count, before_count + after_count, ranks);
    const double total = all.counts[0] + all.counts[1];
    double *after_ranks = ranks + before_count, error;
    size_t n, m;
    test_result result;
    if (all.counts[0] == 0 || all.counts[1] == 0)
        return (test_result){.p_value = 1};
    n = rank_means(runs, before_count, total, ranks);
    m = rank_means(runs + before_count, after_count, total, after_ranks);
    if (n + m < 3)
        return judge_ranks(&all);
    result = runs_test(ranks, n, after_ranks, m);
    error = fmax(result.error, rank_error(&all));
    result = judged(result.difference, error, result.freedom);
    result.p_value = fmax(result.p_value, permutation_p_min(n, m));
    return result;
}

/* ---- Test against a factor ------------------------------------------------------------------- */

/* Makes a histogram of the durations times a factor. Returns false if out of memory. */
static bool scale(const histogram *from, double factor, histogram *to)
{
    for (unsigned b = 0; b < HISTOGRAM_BLOCKS; b++) {
        for (unsigned i = 0; from->blocks[b] != NULL && i < HISTOGRAM_BLOCK; i++) {
            const double value = (double)histogram_middle(b, i) * factor;
            const uint64_t scaled = value < 0x1p63 ? (uint64_t)(value + 0.5) : UINT64_MAX / 2;
            if (from->blocks[b][i] != 0 && !histogram_add_many(to, scaled, from->blocks[b][i]))
                return false;
        }
    }
    return true;
}

bool rank_test_beyond(const histogram *before, const histogram *after, double factor,
                      test_result *result)
{
    const double difference = rank_test(before, after).difference;
    const bool is_longer = difference > 0;
    histogram scaled = {.blocks = {NULL}};
    bool is_ok = scale(is_longer ? before : after, factor, &scaled);
    *result = is_longer ? rank_test(&scaled, after) : rank_test(before, &scaled);
    histogram_free(&scaled);
    if ((result->difference > 0) != is_longer) /* the factor reverses the difference */
        result->p_value = 1;
    result->difference = difference;
    return is_ok;
}

test_result counts_test_beyond(double before, double after, double factor)
{
    const double less = fmin(before, after), more = fmax(before, after);
    const double beyond = more - factor * less;
    test_result result =
        judged(beyond > 0 ? beyond : 0, sqrt(more + factor * factor * less), INFINITY);
    if (after < before)
        result.statistic = -result.statistic;
    result.difference = after - before;
    return result;
}
