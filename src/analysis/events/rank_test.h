/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether calls of some runs last longer than those of others: the rank test of Mann and Whitney,
 * over histograms. All calls are put in order of their durations, equal ones share the mean of
 * their ranks, and what is compared is the mean rank of each side. A few very long calls, as
 * preemption makes them, move it as little as any other call.
 *
 *     mean rank after - mean rank before
 *     ---------------------------------- + 1/2  =  share of the pairs of a call before and a call
 *               number of calls                    after in which the one after lasts longer
 *
 * Calls of one run are not independent of each other: they share caches, frequency and where the
 * program was put in memory. So where a side has several runs, the error of the mean rank comes
 * from how the runs differ.
 */
#ifndef ANALYSIS_EVENTS_RANK_TEST_H
#define ANALYSIS_EVENTS_RANK_TEST_H

#include "analysis/events/histogram.h"

/* A difference between two sides, and how sure it is. */
typedef struct test_result {
    double difference; /* after minus before */
    double error;      /* standard error of the difference; 0: none is known */
    double statistic;  /* difference / error, of Student's distribution; 0 without an error */
    double freedom;    /* its degrees of freedom; INFINITY: of the normal distribution */
    double p_value;    /* of as large a difference by chance; 1 without an error */
} test_result;

/* The chance that Student's statistic is as far from 0 as `t` or farther. */
double student_p_value(double t, double freedom);

/*
 * Compares the means of one figure a run (Welch's test). Where one side has one run only, the
 * spread of the other stands for both. Runs with no value are not among them.
 */
test_result runs_test(const double *before, size_t before_count, const double *after,
                      size_t after_count);

/*
 * Compares durations, a histogram for each run, those of the side before first; NULL and empty ones
 * are of runs that have no such call. `ranks` has room for as many numbers. The error is never
 * below what it would be if all calls were independent, and p never below what a permutation of the
 * runs can show.
 */
test_result rank_test_runs(const histogram *const *runs, size_t before_count, size_t after_count,
                           double *ranks);

/* Compares two histograms as if all calls were independent, with continuity correction. */
test_result rank_test(const histogram *before, const histogram *after);

/*
 * The same against all changes by less than a factor, of 1 or more: p is the chance of such a
 * difference if durations differ by that factor. Two runs of one program may differ as much, and
 * one run does not show how much. The difference is that without the factor. Returns false if out
 * of memory.
 */
bool rank_test_beyond(const histogram *before, const histogram *after, double factor,
                      test_result *result);

/* The same for numbers of calls, as if each came by chance: a count's variance is the count. */
test_result counts_test_beyond(double before, double after, double factor);

#endif
