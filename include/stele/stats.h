/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics: rows are grouped by the values of expressions, and figures are made of other values
 * of the rows of each group. A row is an event, or a call. In one pass, with bounded memory:
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
 *     status = stele_stats_finish(stats);
 *     for (size_t i = 0; i < stele_stats_group_count(stats); i++)
 *         stele_stats_get_figures(stats, i, 0, &figures);
 *
 * What holds for all analyses is said in <stele/analysis.h>: units, threads, ownership, errors.
 */
#ifndef STELE_STATS_H
#define STELE_STATS_H

#include <stele/analysis.h>
#include <stele/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_stats stele_stats;

/* What is a row. */
typedef enum stele_stats_rows {
    STELE_STATS_AUTO = 0, /* calls where an expression looks at `dur` or at what only spans have;
                             else events */
    STELE_STATS_EVENTS,   /* every event but marks of loss */
    STELE_STATS_CALLS,    /* begin and end, complete: what a profile counts */
    STELE_STATS_SPANS,    /* calls, and asynchronous operations and flows */
    STELE_STATS_COUNTERS  /* every number of COUNTER events, grouped by process, counter and number:
                             `by` and `of` are NULL; values hold */
} stele_stats_rows;

/* Zeros give the defaults. Texts and lists are copied. */
typedef struct stele_stats_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *by;     /* expressions, separated by commas, each "EXPR" or "TITLE=EXPR"; NULL: all
                           rows are one group */
    const char
        *of; /* expressions, as in `by`, which figures are made of; NULL: rows are only counted */
    stele_stats_rows rows; /* what is a row */
    /* Which rows: names, categories and the expression are judged by the row, kinds by the events
       that it is made of. NULL: all. */
    const stele_request *only;
    bool has_distinct;   /* how many different values there are is estimated */
    bool is_held;        /* of events: a value holds until the next one of its group, the last one
                            until the end, and figures are by time */
    uint64_t every_ns;   /* figures of each interval of this length, too; 0: none */
    uint32_t groups_max; /* groups; what comes later is counted together; 0: as the
                            limits of the context say */
    size_t size_max; /* bytes that groups take; 0: the same. When they are used up, new groups are
                        counted together, and percentiles of others may be missing */
    uint64_t timeout_ns; /* of spans: see stele_span_options */
} stele_stats_options;

/* Errors: STELE_ERR_ARGUMENT with a finding (STE009) for an expression that cannot be used;
   STELE_ERR_MEMORY. */
STELE_API stele_status stele_stats_new(stele_context *context, const stele_stats_options *options,
                                       stele_stats **out);
STELE_API void stele_stats_free(stele_stats *s);

/* What a row is, after STELE_STATS_AUTO was decided. */
STELE_API stele_stats_rows stele_stats_get_rows(const stele_stats *s);

/* Kinds, columns and order to request from a reader. */
STELE_API uint64_t stele_stats_kinds(const stele_stats *s);
STELE_API uint32_t stele_stats_columns(const stele_stats *s);
STELE_API stele_order stele_stats_request_order(const stele_stats *s);

/*
 * To read events as they stand is faster than to read them in that order, and as good where each
 * track's are in the order of time. If stele_stats_can_try() holds, that can be tried: should
 * stele_stats_is_disordered() hold at any time, what there is must be dropped by
 * stele_stats_clear(), and the traces be read again in the order.
 */
STELE_API bool stele_stats_can_try(const stele_stats *s);
STELE_API bool stele_stats_is_disordered(const stele_stats *s);
STELE_API stele_status stele_stats_clear(stele_stats *s);

/* Where the word `time` and intervals count from; without it, from the first event. To be called
   before events are added. */
STELE_API void stele_stats_set_origin(stele_stats *s, int64_t origin_ns);

/* Of calls, and of values that hold: only a range of time counts, see stele_calls_set_window(). */
STELE_API stele_status stele_stats_set_window(stele_stats *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment, in the order that stele_stats_request_order() names. */
STELE_API stele_status stele_stats_add(stele_stats *s, const stele_segment *segment);

/* Ends what is open, and reports (STE014) fields that no row had. Results are complete from then
   on. */
STELE_API stele_status stele_stats_finish(stele_stats *s);

/* ---- Results --------------------------------------------------------------------------------- */

typedef enum stele_stats_figure {
    STELE_STATS_COUNT, /* rows of the group */
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
    STELE_STATS_KEY,  /* the values that the group is made by; of stele_stats_sort() only */
    STELE_STATS_LAST, /* of values that hold: the last one */
    STELE_STATS_FIGURE_COUNT
} stele_stats_figure;

/* How many expressions there are, their titles and units. */
STELE_API size_t stele_stats_by_count(const stele_stats *s);
STELE_API size_t stele_stats_of_count(const stele_stats *s);
STELE_API const char *stele_stats_by_title(const stele_stats *s, size_t by);
STELE_API const char *stele_stats_of_title(const stele_stats *s, size_t of);
STELE_API stele_unit stele_stats_by_unit(const stele_stats *s, size_t by);
STELE_API stele_unit stele_stats_of_unit(const stele_stats *s, size_t of);

typedef struct stele_stats_group {
    const stele_value *keys; /* one for each expression that groups; MISSING where a row had none */
    uint64_t row_count;
    bool is_other; /* all groups that there was no room for; its keys are MISSING */
} stele_stats_group;

/* Groups, from 0; the group of all others is the last one. NULL past the end. */
STELE_API size_t stele_stats_group_count(const stele_stats *s);
STELE_API const stele_stats_group *stele_stats_get_group(const stele_stats *s, size_t group);

/* How many groups are in that of all others: within 3.3% in two of three cases. 0: none. */
STELE_API uint64_t stele_stats_other_count(const stele_stats *s);

/* Rows in all groups together. */
STELE_API uint64_t stele_stats_row_count(const stele_stats *s);

/* Puts the groups in the order of a figure of expression `of`, the largest first (keys rise);
   `is_reversed` turns that around. Groups without the figure come last, and of equals the one that
   came up first stands first. */
STELE_API void stele_stats_sort(stele_stats *s, stele_stats_figure figure, size_t of,
                                bool is_reversed);

/* Figures of the numbers that an expression gives in a group. */
typedef struct stele_stats_figures {
    size_t struct_size;   /* sizeof this struct: see <stele/version.h> */
    uint64_t count;       /* rows where it gives a number */
    uint64_t other_count; /* rows where it gives something else: a text, a structure */
    stele_value sum;      /* exact for integers up to 128 bits; MISSING beyond and without any */
    stele_value min, max; /* MISSING without any */
    double mean, stddev;  /* stddev is that of the values themselves: divided by count */
    bool has_percentiles; /* there was room for them */
    bool are_percentiles_exact; /* else they are at most 3.2% too far from 0, never beyond max */
    stele_value p50, p90, p99, p999;
    bool has_distinct;       /* it was asked for, and there was room */
    bool is_distinct_exact;  /* else it is within 3.3% in two of three cases */
    uint64_t distinct_count; /* different values, of all types */
    bool is_held;            /* mean, stddev and percentiles are by time, and `sum` is that of each
                                value times the seconds for which it held */
    uint64_t held_ns;        /* for how long there was a value */
    stele_value last;        /* MISSING where values do not hold */
} stele_stats_figures;

/* Figures of expression `of` in a group. The caller sets `struct_size`, as STELE_INIT does. False
   past the end. */
STELE_API bool stele_stats_get_figures(const stele_stats *s, size_t group, size_t of,
                                       stele_stats_figures *figures);

/* A stretch of values and how many there are. */
typedef struct stele_stats_bin {
    double low, high; /* values from `low` to below `high` */
    uint64_t count;
} stele_stats_bin;

/*
 * The values of a group in bins, in their order, without empty ones at both ends: powers of two, or
 * `linear_count` of equal width from the least to the greatest. A value may be counted in the bin
 * beside its own where it is within 3.2% of the border. `bins` has room for `capacity`; returns how
 * many there are, 0 where percentiles are missing.
 */
STELE_API size_t stele_stats_get_bins(const stele_stats *s, size_t group, size_t of,
                                      size_t linear_count, stele_stats_bin *bins, size_t capacity);

/* Figures of one interval of time. */
typedef struct stele_stats_point {
    int64_t interval; /* number: it begins at origin + interval * every_ns */
    uint64_t row_count;
} stele_stats_point;

/* Of one expression in one interval. */
typedef struct stele_stats_point_figures {
    uint64_t count; /* numbers */
    double sum, min, max;
} stele_stats_point_figures;

/* Where interval 0 begins. */
STELE_API int64_t stele_stats_get_origin(const stele_stats *s);

/* The intervals of a group that have rows, in their order; false past the end. `figures`, which may
   be NULL, has room for one of each expression `of`. */
STELE_API bool stele_stats_get_point(const stele_stats *s, size_t group, size_t index,
                                     stele_stats_point *point, stele_stats_point_figures *figures);

/* What was left out because there was no room: percentiles of so many groups, so many rows of
   intervals. */
STELE_API uint64_t stele_stats_cut_groups(const stele_stats *s);
STELE_API uint64_t stele_stats_cut_rows(const stele_stats *s);

/* ---- Comparison: what changed between the statistics of runs --------------------------------- */

/* What changed of one figure of a group. */
typedef struct stele_stats_change {
    const stele_value *keys; /* of the group, as stele_stats_group has them; of one of the runs */
    bool is_other;           /* all groups that there was no room for */
    bool has_noise;          /* a side has several runs, so that noise and p_value are known */
    bool is_noise;           /* p_value is above the level: the change may as well be chance */
    uint32_t before_runs, after_runs; /* runs with the figure. Of a count or a sum: all, for what is
                                         not there is 0 */
    uint32_t number;                  /* of the group, in the order of their keys */
    double before, after;             /* the figure, on average over those runs; NaN: none has it */
    double change;                    /* after minus before; NaN: one side does not have it */
    double noise;   /* standard error of `change`, from how runs of a side differ */
    double p_value; /* the chance of such a change between runs of one program: Welch's test, of the
                       figures' logarithms where all are above 0; 1 where it is not known */
} stele_stats_change;

/*
 * Compares a figure of expression `of`, group by group, between some runs before a change and some
 * runs after it. The handles, whose results are complete, were made with the same lists and in the
 * same context. The largest change comes first; of what is on one side only, counts and sums are
 * taken as 0 on the other, and other figures come last. The caller frees the changes with free();
 * their keys hold as long as the handles. Of the options, the level counts. Errors:
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
