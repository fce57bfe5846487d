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

/* A difference between two sides, with its significance. */
typedef struct test_result {
    double difference; /* value after minus value before */
    double error;      /* standard error of the difference; 0: not known */
    /* difference / error, which has Student's distribution; 0 if the error is not known */
    double statistic;
    /* degrees of freedom of the statistic; INFINITY: it has the normal distribution */
    double freedom;
    double p_value; /* chance of a difference at least as large; 1 if the error is not known */
} test_result;

/* The chance that Student's statistic with so many degrees of freedom is as far from 0 as `t`,
   or farther. */
double student_p_value(double t, double freedom);

/* Compares the means of one figure for each run (Welch's test). If one side has a single run,
   the variance of the other is used for both. The caller leaves out runs without the figure. */
test_result runs_test(const double *before, size_t before_count, const double *after,
                      size_t after_count);

/*
 * Compares durations. `runs` has a histogram for each run, first the runs before, then those after;
 * NULL and empty ones are runs without such calls. `ranks` has room for as many numbers. The error
 * is at least what it would be if all calls were independent, and p at least what a permutation
 * test of the runs can give.
 */
test_result rank_test_runs(const histogram *const *runs, size_t before_count, size_t after_count,
                           double *ranks);

/* Compares two histograms as if all calls were independent, with continuity correction. */
test_result rank_test(const histogram *before, const histogram *after);

/*
 * Like rank_test(), but p is the chance of such a difference if durations really differ by
 * `factor`, 1 or more: two runs of the same program may differ that much, and a single run does not
 * show how much. The difference is the one without the factor. Returns false if out of memory.
 */
bool rank_test_beyond(const histogram *before, const histogram *after, double factor,
                      test_result *result);

/* Tests numbers of calls against a factor, like rank_test_beyond(), as if each call came by
   chance: the variance of a count is the count. */
test_result counts_test_beyond(double before, double after, double factor);

#endif
