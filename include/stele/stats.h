/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics: rows are grouped by the values of expressions, and figures of other values are
 * computed for each group. A row is an event, or a call. It takes one pass, with bounded memory:
 *
 *     stele_stats_options options = STELE_INIT(stele_stats_options);
 *     options.by = "name, arg.fd";
 *     options.of = "dur, arg.len";
 *     status = stele_stats_new(context, &options, &stats);
 *     request.kinds = stele_stats_kinds(stats);
 *     request.columns = stele_stats_columns(stats);
 *     request.order = stele_stats_request_order(stats);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_stats_add(stats, &segment);
 *     if (status == STELE_END)
 *         status = stele_stats_finish(stats);
 *     for (size_t i = 0; i < stele_stats_group_count(stats); i++)
 *         stele_stats_get_figures(stats, i, 0, &figures);
 *
 * Rules about units, threads, ownership and errors are those of <stele/analysis.h>.
 */
#ifndef STELE_STATS_H
#define STELE_STATS_H

#include <stele/analysis.h>
#include <stele/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_stats stele_stats;

/* What a row of the statistics is. */
typedef enum stele_stats_rows {
    /* Calls if an expression uses `dur` or another value that only spans have, else events. */
    STELE_STATS_AUTO = 0,
    STELE_STATS_EVENTS, /* every event except LOST events */
    STELE_STATS_CALLS,  /* calls, as a profile counts them: begin and end, or complete */
    STELE_STATS_SPANS,  /* calls, asynchronous operations and flows */
    /* Every number of COUNTER events, grouped by process, counter and number. `by` and `of` must be
       NULL; `is_held` is implied. */
    STELE_STATS_COUNTERS
} stele_stats_rows;

/* What is counted, of which rows, and by what; zeros give the defaults. Texts and lists are copied.
 */
typedef struct stele_stats_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Expressions that rows are grouped by, separated by commas, each "EXPR" or "TITLE=EXPR". NULL:
       all rows are one group. */
    const char *by;
    /* Expressions, as in `by`, whose values figures are computed of. NULL: rows are only counted.
     */
    const char *of;
    stele_stats_rows rows; /* what is a row */
    /* Which rows count: names, categories and the expression apply to the row, kinds to the events
       that it is made of. NULL: all. */
    const stele_request *only;
    bool has_distinct; /* count different values, too: see stele_stats_figures.is_distinct_exact */
    /* Of events: a value holds until the next value of its group, the last one until the end, and
       figures are weighted by time. */
    bool is_held;
    uint64_t every_ns; /* compute figures for each interval of so many ns, too; 0: none */
    /* Groups; rows of later ones are counted together. 0: the limit of the context. */
    uint32_t groups_max;
    /* Bytes that groups take; when they are used up, new groups are counted together, and
       percentiles of others may be missing. 0: the limit of the context. */
    size_t size_max;
    uint64_t timeout_ns; /* of spans: see stele_span_options.timeout_ns */
} stele_stats_options;

/* Makes the statistics. The caller frees them with stele_stats_free(). Errors: STELE_ERR_ARGUMENT
   with a finding (STE009) for an expression that cannot be used; STELE_ERR_MEMORY. */
STELE_API stele_status stele_stats_new(stele_context *context, const stele_stats_options *options,
                                       stele_stats **out);
STELE_API void stele_stats_free(stele_stats *s);

/* What a row is: never STELE_STATS_AUTO. */
STELE_API stele_stats_rows stele_stats_get_rows(const stele_stats *s);

/* Kinds, columns and order to request from a reader. */
STELE_API uint64_t stele_stats_kinds(const stele_stats *s);
STELE_API uint32_t stele_stats_columns(const stele_stats *s);
STELE_API stele_order stele_stats_request_order(const stele_stats *s);

/*
 * Statistics of parts of a trace can be put together as long as stele_stats_can_merge() is true of
 * them: rows are events, or calls each of which is one event, and nothing asks for time.
 * stele_stats_merge() adds the rows of a part as if they had been added one by one; only the
 * standard deviation may be rounded differently, where squares sum up to 2^53 or more. Both were
 * made with the same options; `from` can only be freed after that. Errors: STELE_ERR_MEMORY;
 * STELE_ERR_UNSUPPORTED: decimals, or rows beyond a limit, whose figures depend on the order in
 * which they are added. `into` can then only be cleared.
 */
STELE_API bool stele_stats_can_merge(const stele_stats *s);
STELE_API stele_status stele_stats_merge(stele_stats *into, stele_stats *from,
                                         const stele_part_map *map);

/*
 * Reading events as they are stored is faster than in the order of stele_stats_request_order(), and
 * gives the same result if each track is in the order of time. If stele_stats_can_try() is true, a
 * caller can try it. If stele_stats_is_disordered() becomes true at any time, the caller must call
 * stele_stats_clear() and read the traces again in that order.
 */
STELE_API bool stele_stats_can_try(const stele_stats *s);
STELE_API bool stele_stats_is_disordered(const stele_stats *s);
STELE_API stele_status stele_stats_clear(stele_stats *s);

/* Sets the time from which the word `time` and intervals count; by default they count from the
   first event. To be called before events are added. */
STELE_API void stele_stats_set_origin(stele_stats *s, int64_t origin_ns);

/* Sets a range of time to which calls, and values that hold, are limited: see
   stele_calls_set_window(). */
STELE_API stele_status stele_stats_set_window(stele_stats *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment, in the order of stele_stats_request_order(). */
STELE_API stele_status stele_stats_add(stele_stats *s, const stele_segment *segment);

/* Ends what is open, and reports (STE014) fields that no row had. The results are then complete. */
STELE_API stele_status stele_stats_finish(stele_stats *s);

/* ---- Results of statistics ------------------------------------------------------------------- */

/* Figures that a group can be sorted by. */
typedef enum stele_stats_figure {
    STELE_STATS_COUNT, /* number of rows of the group */
    STELE_STATS_SUM,
    STELE_STATS_MIN,
    STELE_STATS_MAX,
    STELE_STATS_MEAN,
    STELE_STATS_STDDEV,
    STELE_STATS_P50,
    STELE_STATS_P90,
    STELE_STATS_P99,
    STELE_STATS_P999,
    STELE_STATS_DISTINCT,
    STELE_STATS_KEY,  /* the values that the group is made by; only for stele_stats_sort() */
    STELE_STATS_LAST, /* the last value, of values that hold */
    STELE_STATS_FIGURE_COUNT
} stele_stats_figure;

/* The number of expressions in `by` and in `of`, their titles and their units. */
STELE_API size_t stele_stats_by_count(const stele_stats *s);
STELE_API size_t stele_stats_of_count(const stele_stats *s);
STELE_API const char *stele_stats_by_title(const stele_stats *s, size_t by);
STELE_API const char *stele_stats_of_title(const stele_stats *s, size_t of);
STELE_API stele_unit stele_stats_by_unit(const stele_stats *s, size_t by);
STELE_API stele_unit stele_stats_of_unit(const stele_stats *s, size_t of);

/* A group of rows. */
typedef struct stele_stats_group {
    const stele_value *keys; /* values of the `by` expressions; MISSING: the rows have no value */
    uint64_t row_count;
    bool is_other; /* stands for all groups beyond the limits; its keys are MISSING */
} stele_stats_group;

/* Give the number of groups, and a group by index, from 0; the group with is_other is the last one.
   The latter returns NULL past the end. */
STELE_API size_t stele_stats_group_count(const stele_stats *s);
STELE_API const stele_stats_group *stele_stats_get_group(const stele_stats *s, size_t group);

/* About how many groups the group with is_other stands for: within 3.3% in two of three cases. 0:
   there is none. */
STELE_API uint64_t stele_stats_other_count(const stele_stats *s);

/* The number of rows in all groups together. */
STELE_API uint64_t stele_stats_row_count(const stele_stats *s);

/* Sorts the groups by a figure of expression `of`, the largest first, but keys in ascending order;
   `is_reversed` reverses the order. Groups without the figure come last, and equal groups in the
   order in which they first occurred. */
STELE_API void stele_stats_sort(stele_stats *s, stele_stats_figure figure, size_t of,
                                bool is_reversed);

/* Figures of the numbers that one expression gives in one group. */
typedef struct stele_stats_figures {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    uint64_t count;     /* rows for which the expression gives a number */
    /* Rows for which the expression gives something else: a text, a structure. */
    uint64_t other_count;
    /* Exact for integers up to 128 bits; MISSING beyond that, or without a number. */
    stele_value sum;
    stele_value min, max; /* MISSING without a number */
    double mean, stddev;  /* of the population: the divisor of the variance is `count` */
    bool has_percentiles; /* the percentiles are valid, since memory sufficed for them */
    /* Otherwise they are at most 3.2% too far from 0, and never beyond max. */
    bool are_percentiles_exact;
    stele_value p50, p90, p99, p999;
    bool has_distinct; /* distinct_count is valid: the options asked for it, and memory sufficed */
    /* Up to 1,000 values, as long as memory is left for them. Otherwise distinct_count is within
       3.3% in two of three cases, the same in each run. */
    bool is_distinct_exact;
    uint64_t distinct_count; /* different values, of all types */
    /* Mean, stddev and percentiles are weighted by time, and `sum` is the sum of each value times
       the seconds for which it held. */
    bool is_held;
    uint64_t held_ns; /* for how long there was a value */
    stele_value last; /* the last value that held; MISSING without is_held */
} stele_stats_figures;

/* Gives the figures of expression `of` in a group, both by index from 0. Returns false past the
   end. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API bool stele_stats_get_figures(const stele_stats *s, size_t group, size_t of,
                                       stele_stats_figures *figures);

/* A range of values, and how many values are in it. */
typedef struct stele_stats_bin {
    double low, high; /* the range is from `low` up to, not including, `high` */
    uint64_t count;
} stele_stats_bin;

/*
 * Gives the values of a group in bins, in ascending order, without empty ones at both ends: powers
 * of two, or `linear_count` bins of equal width from the least to the greatest value. A value
 * within 3.2% of a border may be counted in the bin beyond it. `bins` has room for `capacity` bins.
 * Returns how many there are; 0 if percentiles are missing.
 */
STELE_API size_t stele_stats_get_bins(const stele_stats *s, size_t group, size_t of,
                                      size_t linear_count, stele_stats_bin *bins, size_t capacity);

/* An interval of time in which a group has rows. */
typedef struct stele_stats_point {
    int64_t interval; /* number of the interval, which begins at origin + interval * every_ns */
    uint64_t row_count;
} stele_stats_point;

/* Figures of one expression in one interval. */
typedef struct stele_stats_point_figures {
    uint64_t count; /* rows for which the expression gives a number */
    double sum, min, max;
} stele_stats_point_figures;

/* The time at which interval 0 begins, in ns. */
STELE_API int64_t stele_stats_get_origin(const stele_stats *s);

/* Gives the latest time of the events that were added, in ns: the last interval is covered up to
   there. Returns false if no intervals were asked for, or no event had a time. */
STELE_API bool stele_stats_get_last(const stele_stats *s, int64_t *time_ns);

/* Gives the intervals of a group that have rows, in their order; `index` from 0. Returns false past
   the last one. `figures`, which may be NULL, has room for one element for each expression in
   `of`. */
STELE_API bool stele_stats_get_point(const stele_stats *s, size_t group, size_t index,
                                     stele_stats_point *point, stele_stats_point_figures *figures);

/* Count what was left out because of the limits: groups without percentiles, and rows that are in
   no interval. */
STELE_API uint64_t stele_stats_cut_groups(const stele_stats *s);
STELE_API uint64_t stele_stats_cut_rows(const stele_stats *s);

/* How many calls and operations are in no row: they were open beyond the limits of the context. */
STELE_API uint64_t stele_stats_left_out(const stele_stats *s);

/* ---- Comparison: what changed between the statistics of runs --------------------------------- */

/* What changed of one figure of a group. */
typedef struct stele_stats_change {
    /* Of the group, as in stele_stats_group; they belong to one of the runs. */
    const stele_value *keys;
    bool is_other;  /* the group stands for all groups beyond the limits */
    bool has_noise; /* noise and p_value are known, because a side has several runs */
    bool is_noise;  /* p_value is above the level: the change may be chance */
    /* How many runs of each side have the figure. Of a count or a sum it is all of them, since a
       missing group counts as 0. */
    uint32_t before_runs, after_runs;
    uint32_t number;      /* of the group, in the order of the keys */
    double before, after; /* mean of the figure over the runs of a side; NaN: no run has it */
    double change;        /* `after` minus `before`; NaN: one side does not have the figure */
    double noise; /* standard error of `change`, computed from the differences between runs */
    /* Probability of such a change between runs of one program, by Welch's test, of the logarithms
       if all figures are above 0; 1 if it is not known. */
    double p_value;
} stele_stats_change;

/*
 * Compares a figure of expression `of`, group by group, between some runs before a change and some
 * runs after it. The handles must be finished, and made with the same `by` and `of` and in the same
 * context. The largest change comes first. For a group that only one side has, counts and sums are
 * taken as 0 on the other side, and other figures come last. The caller frees the changes with
 * free(); their keys hold as long as the handles. Only `level` of the options is used. Errors:
 * STELE_ERR_ARGUMENT, also for a side without a run; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_stats_compare_runs(stele_stats *const *before, size_t before_count,
                                                stele_stats *const *after, size_t after_count,
                                                stele_stats_figure figure, size_t of,
                                                const stele_compare_options *options,
                                                stele_stats_change **changes, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
