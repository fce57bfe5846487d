/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of events of any format: what a trace holds, calls and where their time goes, whether
 * the events fit each other. Each analysis is a handle that takes segments from a reader:
 *
 *     stele_profile_options options = STELE_INIT(stele_profile_options);
 *     stele_request request = {.kinds = STELE_PROFILE_KINDS, .order = STELE_ORDER_STREAMS};
 *     const stele_profile_row *rows;
 *     size_t count;
 *     stele_profile *profile;
 *     status = stele_profile_new(context, &options, &profile);
 *     request.columns = stele_profile_columns(profile);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_profile_add(profile, &segment);
 *     if (status == STELE_END)
 *         status = stele_profile_finish(profile);
 *     status = stele_profile_rows(profile, STELE_PROFILE_BY_SELF, &rows, &count);
 *
 * Times and durations are in nanoseconds, times on the scale of stele_event.time_ns. One thread at
 * a time uses an analysis and the context that it was made with; different contexts are
 * independent. The context must outlive the analysis. A `_new` function sets its result to NULL
 * when it fails; a `_free` function takes NULL. A function that returns a status can return
 * STELE_ERR_MEMORY; after that the analysis can only be freed.
 *
 * Structs that the library returns, in arrays or by a pointer, are owned by the library. Under one
 * so-name, those in arrays keep their size; those without `struct_size` that are returned by a
 * pointer to one can grow at their end.
 */
#ifndef STELE_ANALYSIS_H
#define STELE_ANALYSIS_H

#include <stele/output.h>
#include <stele/parts.h>
#include <stele/reader.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Calls: spans out of begins and ends ----------------------------------------------------- */

/*
 * BEGIN, END, TAIL_EXIT and COMPLETE events in the order of time of each track become closed calls,
 * in one pass. Memory grows with the depth of the stacks only and, on request, with the number of
 * different call paths.
 */
typedef struct stele_calls stele_calls;

/* How a call ended. */
typedef enum stele_call_end {
    STELE_CALL_RETURNED, /* ended by END, or at the end of a COMPLETE event */
    STELE_CALL_TAIL,     /* ended by a tail call: it called the next call on its level */
    /* Its caller ended first, because of an exception or a lost exit; the call ends with its
       caller. */
    STELE_CALL_UNWOUND,
    /* The trace ended before the call did; the call ends at the last event of its track. */
    STELE_CALL_OPEN,
    /* There is an exit without entry: when the call began is not known, begin_ns equals end_ns. */
    STELE_CALL_ENTRY_LOST
} stele_call_end;

/* One call of a function, or a span of another kind that lies on the stack of its track. */
typedef struct stele_call_span {
    int64_t begin_ns, end_ns;
    uint64_t self_ns;  /* duration without the calls that it made */
    uint64_t total_ns; /* duration without the parts that outer calls of the same name cover */
    stele_name name;   /* 0 instead of names with STELE_NAME_LOCAL */
    uint32_t node;     /* node of the call's path in the tree; 0 without a tree */
    uint32_t track;
    uint32_t depth; /* open calls around it; 0: it is outermost */
    /* With stele_call_options.has_tags: the tag that stele_calls_tag() had set when the call began;
       else 0. */
    uint32_t tag;
    uint8_t end;    /* stele_call_end: how the call ended */
    bool is_wanted; /* its first event passes stele_call_options.only */
} stele_call_span;

/* Nanoseconds from the begin of a call to its end. */
static inline uint64_t stele_call_duration_ns(const stele_call_span *span)
{
    return (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
}

/*
 * A path of calls is a node of a tree. Node 0 is the root, above all outermost calls. Recursion is
 * folded: a name is on a path STELE_CALL_REPEATS_MAX times at most, and deeper calls of it count
 * for the node where it is last. A path is STELE_CALL_PATH_MAX names long at most, and deeper calls
 * count for its last node.
 */
#define STELE_CALL_REPEATS_MAX 32u
#define STELE_CALL_PATH_MAX    1024u

typedef struct stele_call_node {
    uint32_t parent;
    stele_name name;
    uint16_t depth;        /* number of names on the path, the node's own included */
    uint16_t repeats;      /* how many names on the path equal the node's own */
    uint64_t folded_count; /* calls that count here because of folded recursion */
} stele_call_node;

/* How many calls an engine made, and what was unusual about them. */
typedef struct stele_call_counts {
    uint64_t call_count;
    uint64_t by_end[STELE_CALL_ENTRY_LOST + 1]; /* calls by stele_call_end */
    uint64_t overlap_count; /* COMPLETE events that neither nest nor follow one another */
    /* Calls that were not followed, because depth_max of the options was reached. */
    uint64_t cut_count;
    uint32_t depth_max;        /* the largest number of open calls on a track */
    uint64_t repeated_count;   /* events left out because they are copies of others */
    uint64_t node_other_count; /* calls on paths that have no node, because nodes_max was reached */
    uint64_t folded_count;     /* calls of recursion that is folded in the tree */
    uint64_t carried_count;    /* calls that were open when the window began, and begin with it */
} stele_call_counts;

/* Which calls an engine makes, and how; zeros give the defaults. */
typedef struct stele_call_options {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_tree;        /* make the tree, and give each call the node of its path */
    bool has_track_roots; /* each track has a subtree of its own, named after the track */
    bool needs_recursion; /* total_ns leaves out recursion; otherwise it is the duration */
    bool has_tags;        /* calls get a tag: see stele_calls_tag() */
    uint32_t depth_max;   /* open calls of a track that are followed; 0: the limit of the context */
    uint32_t nodes_max;   /* nodes that the tree can have; 0: 1,048,576 */
    /* Sets is_wanted of calls whose first event passes the names, categories, tracks, kinds and
       expression of this request. It is copied. NULL: all calls are wanted. Other calls still count
       as callees of their callers. */
    const stele_request *only;
} stele_call_options;

/* Receives calls that have ended, inner calls before outer ones. A status other than STELE_OK ends
   the current call with the engine, which returns it. The spans hold during the call. */
typedef stele_status stele_call_fn(void *user, const stele_call_span *spans, size_t count);

/* Makes an engine that passes its calls to `fn`. `options` may be NULL. The caller frees it with
   stele_calls_free(). Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with a finding, for an
   expression that cannot be used. */
STELE_API stele_status stele_calls_new(stele_context *context, const stele_call_options *options,
                                       stele_call_fn *fn, void *user, stele_calls **out);
STELE_API void stele_calls_free(stele_calls *s);

/*
 * Sets the window: only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open
 * ends. Earlier events are to be added, too: they say which calls are open when the window begins,
 * which then begin with it. Calls that are open at its end end with it. To be called before the
 * first event of a trace; calls that earlier traces left open end.
 */
STELE_API stele_status stele_calls_set_window(stele_calls *s, int64_t begin_ns, int64_t end_ns);

/* Sets the tag (stele_call_span.tag) of calls that begin from now on. */
STELE_API void stele_calls_tag(stele_calls *s, uint32_t tag);

/* Gives an open call of a track: the outermost has depth 0. Returns false if no call of this depth
   is open. Its end and durations are not known yet. */
STELE_API bool stele_calls_open_at(const stele_calls *s, uint32_t track, uint32_t depth,
                                   stele_call_span *span);

/* Takes the events of a segment; those of each track must come in the order of time. `others`,
   which may be NULL, becomes true if the segment has events of kinds that are not in
   STELE_CALLS_KINDS. */
STELE_API stele_status stele_calls_add(stele_calls *s, const stele_segment *segment, bool *others);

/* Ends calls that are still open. Events of other traces may be added afterwards. */
STELE_API stele_status stele_calls_finish(stele_calls *s);

/* Gives the counts so far; the pointer holds as long as the engine. */
STELE_API const stele_call_counts *stele_calls_get_counts(const stele_calls *s);

/* Reports (STE014) names, categories, tracks and fields that the filter asks for and no call had.
   To be called when the events of all traces were added. */
STELE_API void stele_calls_report(const stele_calls *s);

/* Gives a node of the tree, by number from 0. It holds until the next event is added. */
STELE_API const stele_call_node *stele_calls_node(const stele_calls *s, uint32_t node);
STELE_API uint32_t stele_calls_node_count(const stele_calls *s);

/* The columns and kinds to request from a reader. */
STELE_API uint32_t stele_calls_columns(const stele_calls *s);
#define STELE_CALLS_KINDS                                                \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) | \
     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) | STELE_KIND_BIT(STELE_KIND_COMPLETE))

/* ---- Profile: where the time goes, by name --------------------------------------------------- */

typedef struct stele_profile stele_profile;

/* Which calls a profile counts, and by what; zeros give the defaults. */
typedef struct stele_profile_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_track;      /* figures for each name on each track */
    /* Calls from depth_min up to, not including, depth_end count; depth_end 0: no limit. */
    uint32_t depth_min, depth_end;
    uint64_t duration_min_ns;  /* shorter calls do not count */
    const stele_request *only; /* which calls are wanted: see stele_call_options.only */
    bool has_self_spread;      /* keep the spread of self times, for stele_profile_compare_runs() */
    /* Make a row for each path of calls: its name has the names of the path with ";" between them;
       of a very long path, only the last ones. Must not be combined with by_track. */
    bool by_path;
} stele_profile_options;

/* The figures of all calls of one name, on one track or on all. */
typedef struct stele_profile_row {
    stele_name name;
    uint32_t track;      /* number of the track; 0: all tracks */
    uint64_t count;      /* calls with a known duration */
    uint64_t lost_count; /* exits whose entry is missing; in no other figure */
    /* Of `count`: calls left open by an exception or the end of the trace. */
    uint64_t unended_count;
    uint64_t total_ns; /* durations of all calls, without those inside of a call of the same name */
    uint64_t self_ns;  /* durations of all calls, without the calls that they made */
    uint64_t sum_ns;   /* durations of all calls: the mean is sum_ns / count */
    double self_squares; /* sum of the squares of the calls' self times */
    bool is_sampled; /* from samples of the tracer: only count, self_ns and total_ns are valid */
    uint64_t min_ns, max_ns;         /* of the shortest and the longest call; exact */
    uint64_t p50_ns, p90_ns, p99_ns; /* percentiles: at most 3.2% too large, never above max_ns */
} stele_profile_row;

/* Orders of rows: by name ascending, by the others descending. */
typedef enum stele_profile_order {
    STELE_PROFILE_BY_SELF,
    STELE_PROFILE_BY_TOTAL,
    STELE_PROFILE_BY_COUNT,
    STELE_PROFILE_BY_MAX,
    STELE_PROFILE_BY_MEAN,
    STELE_PROFILE_BY_NAME
} stele_profile_order;

/* `options` may be NULL. The caller frees the handle with stele_profile_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_profile_new(stele_context *context,
                                         const stele_profile_options *options, stele_profile **out);
STELE_API void stele_profile_free(stele_profile *p);

/* Takes the events of a segment. Events of each track must come in the order of time. */
STELE_API stele_status stele_profile_add(stele_profile *p, const stele_segment *segment);

/* Sets a range of time to which the profile is limited: see stele_calls_set_window(). */
STELE_API stele_status stele_profile_set_window(stele_profile *p, int64_t begin_ns, int64_t end_ns);

/* Ends calls that are still open. The rows are then complete. */
STELE_API stele_status stele_profile_finish(stele_profile *p);

/* Makes the profile one of a part of a trace, which is only good for stele_profile_merge(). To be
   called before the first event. All events of the part are then to be added, of all kinds, in the
   order in which they are stored; their fields are not needed. Returns STELE_ERR_UNSUPPORTED for
   options that select calls or depths, or make rows of paths. */
STELE_API stele_status stele_profile_set_part(stele_profile *p);

/* Adds the profile of a part, with the calls that cross the bounds of parts: `into` is then as if
   all events had been added to it. Parts are added in their order, and `from` cannot be used any
   more except to be freed. Errors: STELE_ERR_MEMORY; STELE_ERR_UNSUPPORTED: the result would
   differ, or is not known to be the same (samples, tracks that are not in the order of time, times
   far from others, spans that cross the bounds). */
STELE_API stele_status stele_profile_merge(stele_profile *into, stele_profile *from,
                                           const stele_part_map *map);

/* Receives one row, which holds during the call. */
typedef stele_status stele_profile_row_fn(void *user, const stele_profile_row *row);

/* Gives the first `limit` rows of an order one by one, all of them if that is 0. The rows are
   not all in memory at a time. Errors: STELE_ERR_ARGUMENT: the order does not exist;
   STELE_ERR_MEMORY; what `fn` returns. */
STELE_API stele_status stele_profile_each_row(const stele_profile *p, stele_profile_order order,
                                              size_t limit, stele_profile_row_fn *fn, void *user);

/* How many rows there are, and the sum of their self times. */
STELE_API size_t stele_profile_row_count(const stele_profile *p);
STELE_API uint64_t stele_profile_self_ns(const stele_profile *p);

/* The kinds and columns to request from a reader. */
#define STELE_PROFILE_KINDS (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_SAMPLE))
STELE_API uint32_t stele_profile_columns(const stele_profile *p);

/* Mean duration of the calls in nanoseconds, rounded down, and so never above the longest. 0 if
   there are none. */
static inline uint64_t stele_profile_mean_ns(const stele_profile_row *row)
{
    return row->count != 0 ? row->sum_ns / row->count : 0;
}

/* Gives the rows in an order. They are owned by the profile and hold until the next call with it.
   Errors: STELE_ERR_ARGUMENT: the order does not exist; STELE_ERR_MEMORY. */
STELE_API stele_status stele_profile_rows(stele_profile *p, stele_profile_order order,
                                          const stele_profile_row **rows, size_t *count);

/* How many SAMPLE events were added. Their times are in units of the tracer. */
STELE_API uint64_t stele_profile_sample_count(const stele_profile *p);

/* Gives the counts of the profile's calls so far; the pointer holds as long as the profile. */
STELE_API const stele_call_counts *stele_profile_get_counts(const stele_profile *p);

/* Reports (STE014) names, categories, tracks and fields that the filter asks for and no call had.
   To be called when the events of all traces were added. */
STELE_API void stele_profile_report(const stele_profile *p);

/* ---- Comparison: what changed between profiles, by name -------------------------------------- */

/* What changed of one name, or of all names together. */
typedef struct stele_compare_change {
    /* Figures of an average run of each side; count 0: no run has the name, which is still set.
       Percentiles, min_ns and max_ns are of the calls of all runs. */
    stele_profile_row before, after;
    int64_t self_change_ns;           /* change of the self time of all calls of a run */
    uint32_t before_runs, after_runs; /* how many runs have calls of the name */
    bool has_noise;                   /* noise_ns is known, because a side has several runs */
    /* Standard error of self_change_ns, computed from the differences between runs. */
    double noise_ns;
    /* Of all pairs of a call before and a call after, the share in which the call after lasts
       longer; equal ones count half. 0.5: no difference, or a side has no calls. */
    double longer_share;
    double rank_statistic; /* distance of longer_share from 0.5, in standard errors */
    double rank_p_value;   /* probability of such a longer_share between runs of one program */
    /* Test statistic of the self time of a run; with one run on each side, of the number of
       calls. */
    double amount_statistic;
    double amount_p_value; /* probability of such an amount_statistic between runs of one program */
    double p_value;        /* twice the smaller one of rank_p_value and amount_p_value, at most 1 */
    bool is_noise;         /* p_value is above the level: the change may be chance */
} stele_compare_change;

/* How two profiles are compared; zeros give the defaults. */
typedef struct stele_compare_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    double level;       /* share of the names that may count as changed by chance; 0: 0.05 */
    double factor;      /* ratio, from 1, by which two runs of one program may differ; 0: 1.5 */
} stele_compare_options;

/*
 * Compares finished profiles of one context, each of one run of a program: `before` are runs before
 * a change, `after` runs after it. The changes are sorted by the change of self time, the largest
 * first; the caller frees them with free(). `whole`, which may be NULL, receives the change of all
 * names together, without ranks.
 *
 * Two tests judge a name. Do its calls last longer? They are ranked by self time (by duration where
 * stele_profile_options.has_self_spread is not set), and the mean ranks of both sides are compared,
 * as Mann and Whitney do. Is there more of it? The logarithm of its self time in a run is compared.
 * Calls of one run are not independent of each other, so the errors of both tests come from the
 * differences between runs. With one run on each side these are not known: calls are taken as
 * independent, only a change beyond `factor` counts, and the second test is of the number of calls.
 * Profiles by track cannot be compared. Errors: STELE_ERR_ARGUMENT: a side is empty, or the options
 * cannot be used; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_profile_compare_runs(const stele_context *context,
                                                  stele_profile *const *before, size_t before_count,
                                                  stele_profile *const *after, size_t after_count,
                                                  const stele_compare_options *options,
                                                  stele_compare_change **changes, size_t *count,
                                                  stele_compare_change *whole);

/* What changed of one name between two profiles. */
typedef struct stele_compare_row {
    /* Count 0: a side does not have the name, which is still set in both. */
    stele_profile_row before, after;
    int64_t self_change_ns; /* change of the self time of all calls */
    bool has_noise;         /* noise_ns is known: each side has no calls, or two or more */
    /* Standard error of self_change_ns, for calls that are independent of each other. */
    double noise_ns;
    bool is_noise; /* the change may be chance: see stele_compare_change.is_noise */
} stele_compare_row;

/* Compares one profile on each side, as stele_profile_compare_runs() does with the default options.
   The caller frees the rows with free(). */
STELE_API stele_status stele_profile_compare(const stele_context *context, stele_profile *before,
                                             stele_profile *after, stele_compare_row **rows,
                                             size_t *count);

/* ---- Paths: who was called by whom, with figures --------------------------------------------- */

/* Call paths of one trace or of two that are compared. */
typedef struct stele_paths stele_paths;

/* Which paths are counted, and in what; zeros give the defaults. */
typedef struct stele_path_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_track;      /* each track has a subtree, named after it */
    /* Calls from depth_min up to, not including, depth_end count; depth_end 0: no limit. */
    uint32_t depth_min, depth_end;
    uint64_t duration_min_ns;  /* shorter calls do not count */
    const stele_request *only; /* which calls are wanted: see stele_call_options.only */
    /* Count times at which threads do not run, instead of calls. The path of each wait is what is
       open on its thread, the system call that it is in, and the state ("[sleeping]"), as far as
       switches and wake-ups say it. `only` then selects tracks. All events, also those of
       STELE_SCHED_KINDS, must come in the order of time. */
    bool off_cpu;
} stele_path_options;

/* The figures of one path. */
typedef struct stele_path_figures {
    uint64_t count;       /* calls of exactly this path */
    uint64_t self_ns;     /* self time of these calls: their time without callees */
    uint64_t total_count; /* calls of this path and of all longer ones */
    uint64_t total_ns;    /* self times of this path and of all longer ones */
} stele_path_figures;

/* Sides of a tree: figures of two traces that are compared are kept as side 0 and side 1. */
#define STELE_PATH_SIDES 2u

/* One path of calls. Node 0 is the root, above all outermost calls. Parents come before their
   children. */
typedef struct stele_path_node {
    stele_name name;
    uint32_t parent;       /* number of the parent node */
    uint32_t child;        /* the first child; 0: none */
    uint32_t sibling;      /* the next child of the parent; 0: none */
    uint32_t depth;        /* number of names on the path; 0: the root */
    uint64_t folded_count; /* calls of deeper recursion that count here */
    stele_path_figures sides[STELE_PATH_SIDES];
} stele_path_node;

/* A tree of paths. The caller sets `struct_size`, as STELE_INIT does. */
typedef struct stele_path_tree {
    size_t struct_size;           /* sizeof this struct, or 0: see <stele/version.h> */
    const stele_path_node *nodes; /* owned by the stele_paths */
    uint32_t count;               /* number of nodes, with the root */
    uint32_t depth_max;           /* the largest depth of a node */
    bool is_sampled;              /* the figures are of samples: times are in units of the tracer */
} stele_path_tree;

/* `options` may be NULL. The caller frees the handle with stele_paths_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_paths_new(stele_context *context, const stele_path_options *options,
                                       stele_paths **out);
STELE_API void stele_paths_free(stele_paths *p);

/* The columns to request from a reader; the kinds are STELE_PROFILE_KINDS. */
STELE_API uint32_t stele_paths_columns(const stele_paths *p);

/* Takes the events of a segment. Events of each track must come in the order of time. */
STELE_API stele_status stele_paths_add(stele_paths *p, const stele_segment *segment);

/* Sets a range of time to which the paths are limited: see stele_calls_set_window(). */
STELE_API stele_status stele_paths_set_window(stele_paths *p, int64_t begin_ns, int64_t end_ns);

/* Ends calls that are still open. Events that are added from now on count for this side, 0 or 1. */
STELE_API stele_status stele_paths_turn(stele_paths *p, unsigned side);

/* Ends calls that are still open, and gives the tree. Children are sorted by total time, or with
   `by_count` by number of calls, the largest first. The tree holds until the next call with the
   paths. */
STELE_API stele_status stele_paths_tree(stele_paths *p, bool by_count, stele_path_tree *tree);

/* Gives the counts of the calls so far; the pointer holds as long as the paths. */
STELE_API const stele_call_counts *stele_paths_get_counts(const stele_paths *p);

/* Reports (STE014) names, categories, tracks and fields that the filter asks for and no call had.
   To be called when the events of all traces were added. */
STELE_API void stele_paths_report(const stele_paths *p);

/* How a tree of paths is written for other programs. Zeros give the defaults. */
typedef struct stele_path_form {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* The children of the root are tracks, as with stele_path_options.by_track; otherwise paths are
       those of all threads together. */
    bool has_tracks;
    /* What times are counted in, such as "instructions". NULL: nanoseconds, or the tracer's units
       if the tree has is_sampled. */
    const char *unit;
} stele_path_form;

/* Writes the paths of side 0 as a profile of pprof (profile.proto of Protocol Buffers, not
   compressed). Each path has the number of its calls and their self time, and with tracks the label
   "thread". `form` may be NULL. Returns the status of the output, or STELE_ERR_MEMORY. */
STELE_API stele_status stele_path_tree_write_pprof(stele_context *context,
                                                   const stele_path_tree *tree,
                                                   const stele_path_form *form, stele_output *out);

/* Writes which calls are open on each track over time, for viewers that show a profile in the order
   of time. Calls are those of stele_calls; each takes a few bytes of a temporary file, so that
   memory grows with the number of tracks and of different paths only. */
typedef struct stele_stack_times stele_stack_times;

/* The file formats that a stele_stack_times can write. */
typedef enum stele_stack_form {
    STELE_STACK_SPEEDSCOPE, /* speedscope's own format, with an evented profile for each track */
    /* A processed profile of the Firefox Profiler, version 47: a thread for each track, a sample
       for each stretch of time with one stack. */
    STELE_STACK_FIREFOX
} stele_stack_form;

/* How stacks over time are made; zeros give the defaults. */
typedef struct stele_stack_times_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_stack_form form;
    const char *title; /* title of the profile; must outlive the object; NULL: "" */
} stele_stack_times_options;

/* `options` may be NULL. The caller frees the object with stele_stack_times_free(). Returns
   STELE_ERR_MEMORY. */
STELE_API stele_status stele_stack_times_new(stele_context *context,
                                             const stele_stack_times_options *options,
                                             stele_stack_times **out);
STELE_API void stele_stack_times_free(stele_stack_times *times);

/* The columns to request from a reader; the kinds are STELE_CALLS_KINDS. */
STELE_API uint32_t stele_stack_times_columns(const stele_stack_times *times);

/* Takes the events of a segment. Events of each track must come in the order of time. Errors:
   STELE_ERR_MEMORY, STELE_ERR_WRITE (the temporary file). */
STELE_API stele_status stele_stack_times_add(stele_stack_times *times,
                                             const stele_segment *segment);

/* Sets a range of time to which the profile is limited: see stele_calls_set_window(). */
STELE_API stele_status stele_stack_times_set_window(stele_stack_times *times, int64_t begin_ns,
                                                    int64_t end_ns);

/* Says that times of the calls are not nanoseconds, but numbers of instructions or ticks. A profile
   of speedscope then has figures without a unit; the Firefox Profiler knows times only, and shows
   one as a nanosecond. */
STELE_API void stele_stack_times_set_counted(stele_stack_times *times);

/* Ends calls that are still open, and writes the profile; its times count from the first call. The
   output stays the caller's. Returns the status of the output, STELE_ERR_MEMORY, or STELE_ERR_READ
   (the temporary file). */
STELE_API stele_status stele_stack_times_write(stele_stack_times *times, stele_output *out);

/* Gives the counts of the calls so far; the pointer holds as long as the object. */
STELE_API const stele_call_counts *stele_stack_times_get_counts(const stele_stack_times *times);

/* Gives the next node of a walk over the subtree of `root`, parents first; 0 at the end. */
static inline uint32_t stele_path_next(const stele_path_tree *tree, uint32_t node, uint32_t root)
{
    if (tree->nodes[node].child != 0)
        return tree->nodes[node].child;
    while (node != root && tree->nodes[node].sibling == 0)
        node = tree->nodes[node].parent;
    return node == root ? 0 : tree->nodes[node].sibling;
}

/* ---- Call graph: who calls whom -------------------------------------------------------------- */

/* A function of a call graph: all calls of one name. */
typedef struct stele_graph_function {
    stele_name name;
    uint32_t active; /* 0 in the result; used while the graph is made */
    uint64_t count, self_ns;
    uint64_t total_ns; /* recursive calls count once */
} stele_graph_function;

/* Calls of one function by another. */
typedef struct stele_graph_edge {
    uint32_t from, to; /* indexes of the caller and the callee in the functions */
    uint32_t active;   /* 0 in the result; used while the graph is made */
    uint64_t count;    /* calls of `to` by `from` */
    uint64_t total_ns; /* time of these calls; recursive calls count once */
} stele_graph_edge;

/* A call graph: the functions and edges of a tree of paths. */
typedef struct stele_callgraph stele_callgraph;

/* Makes a call graph of side 0 of a tree: sums up paths with the same last function, and with the
   same last two. The tree is not used afterwards. The caller frees the graph with
   stele_callgraph_free(). */
STELE_API stele_status stele_callgraph_new(const stele_context *context,
                                           const stele_path_tree *tree, stele_callgraph **out);
STELE_API void stele_callgraph_free(stele_callgraph *graph);

/* Give the functions, or the edges, sorted by total time, largest first, then by number of calls
   and name. They are owned by the graph. */
STELE_API const stele_graph_function *stele_callgraph_functions(const stele_callgraph *graph,
                                                                uint32_t *count);
STELE_API const stele_graph_edge *stele_callgraph_edges(const stele_callgraph *graph,
                                                        uint32_t *count);

/*
 * Writes a graph in the format of Callgrind, as KCachegrind and callgrind_annotate read it: each
 * function with its self time, each edge with its number of calls and their total time. `unit` is
 * what times are counted in, such as "instructions"; NULL: nanoseconds. Returns the status of the
 * output, or STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_callgraph_write_callgrind(const stele_context *context,
                                                       const stele_callgraph *graph,
                                                       const char *unit, stele_output *out);

/* ---- Check: do the events fit each other? ---------------------------------------------------- */

/* Checks nesting, pairing and order of events. Its memory grows with what is open at a time. */
typedef struct stele_check stele_check;

/* The columns to request from a reader; fields are not needed. */
#define STELE_CHECK_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/* Makes a check, whose findings go to the context's handler. `source` is the input's name in the
   findings; it is copied. */
STELE_API stele_status stele_check_new(stele_context *context, const char *source,
                                       stele_check **out);
STELE_API void stele_check_free(stele_check *check);

/* Takes the events of a segment, all of one trace and in the order of time. */
STELE_API stele_status stele_check_add(stele_check *check, const stele_segment *segment);

/* Reports spans, asynchronous operations and flows that are still open. To be called after the last
   event. */
STELE_API stele_status stele_check_finish(stele_check *check);

/* How many of the events so far say that others were lost (STELE_KIND_LOST). */
STELE_API uint64_t stele_check_loss_count(const stele_check *check);

/* ---- Summary: what a trace holds, in figures ------------------------------------------------- */

/* Counts events by kind, name and track. Its memory does not grow with the trace, except for the
   names. */
typedef struct stele_summary stele_summary;

/* The events of one name. */
typedef struct stele_summary_name {
    stele_name name;
    uint8_t kind; /* stele_kind of the first event with this name */
    uint64_t count;
} stele_summary_name;

/* The events of one track. */
typedef struct stele_summary_track {
    uint32_t track;
    uint64_t count;
    int64_t first_ns, last_ns; /* first_ns > last_ns: none of its events has a time */
} stele_summary_track;

/* Figures of all events of a summary. */
typedef struct stele_summary_totals {
    uint64_t event_count; /* LOST events are neither here nor in the other figures */
    uint64_t kind_counts[STELE_KIND_COUNT];
    /* Events with names beyond the limit of names. If not 0, counts by name are approximate, and
       are to be shown so. */
    uint64_t other_name_count;
    bool has_time;
    /* Time of the first event, and the end of the last one, except events whose time is far from
       that of all others. */
    int64_t begin_ns, end_ns;
    uint64_t begin_ticks, end_ticks;
    uint64_t unresolved_count; /* events with STELE_FLAG_UNRESOLVED */
    uint64_t damaged_count;    /* events with STELE_FLAG_DAMAGED */
    uint64_t clamped_count;    /* events with STELE_FLAG_CLAMPED */
    uint64_t lost_count;       /* sum of the counts of all LOST events */
    uint64_t lost_event_count; /* number of LOST events */
} stele_summary_totals;

/* The columns to request from a reader; fields are not needed. */
#define STELE_SUMMARY_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/* Makes a summary. `source` is the path that findings are reported with, and must outlive the
   summary. */
STELE_API stele_status stele_summary_new(stele_context *context, const char *source,
                                         stele_summary **out);
STELE_API void stele_summary_free(stele_summary *s);

/* Removes all events, so that the summary can be used again. */
STELE_API void stele_summary_clear(stele_summary *s);
STELE_API stele_status stele_summary_add(stele_summary *s, const stele_segment *segment);

/* Many events of one kind and track, without names, which a caller adds at once. */
typedef struct stele_summary_run {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_kind kind;
    uint32_t track;
    uint64_t count;
    int64_t begin_ns, end_ns;        /* times of the first and the last event */
    uint64_t begin_ticks, end_ticks; /* ticks of the first and the last event */
} stele_summary_run;

/* Counts the events of a run. STELE_ERR_ARGUMENT: the run has members that this library does not
   know. */
STELE_API stele_status stele_summary_add_run(stele_summary *s, const stele_summary_run *run);

/* Adds what a summary of a part has counted, which is then as if `into` had counted it. Parts are
   added in their order, and `from` cannot be used any more except to be freed. Errors:
   STELE_ERR_MEMORY; STELE_ERR_UNSUPPORTED: events have times so far from others that only all of
   them in a row can tell outliers, or names beyond the limit. */
STELE_API stele_status stele_summary_merge(stele_summary *into, stele_summary *from,
                                           const stele_part_map *map);

/* Gives the totals. To be called after the last event. Reports (STE015) events whose time is far
   from that of all others, which the range of times leaves out. The totals hold until the next
   event is added. */
STELE_API const stele_summary_totals *stele_summary_get_totals(stele_summary *s);

/* Gives the names sorted by number of events, the largest first, equal ones by number of the name.
   They hold until the next call with the summary. */
STELE_API stele_status stele_summary_names(stele_summary *s, const stele_summary_name **names,
                                           size_t *count);

/* Gives the tracks sorted by number of events, the largest first, equal ones by number of the
   track. They hold until the next call with the summary. */
STELE_API stele_status stele_summary_tracks(stele_summary *s, const stele_summary_track **tracks,
                                            size_t *count);

/* ---- Tail: the last events of a trace -------------------------------------------------------- */

/* Keeps copies of the last events, in memory that is bounded by their number. */
typedef struct stele_tail stele_tail;

/* Makes a tail that keeps the last `count` events. The caller frees it with stele_tail_free(). */
STELE_API stele_status stele_tail_new(uint64_t count, stele_tail **out);
STELE_API void stele_tail_free(stele_tail *t);
STELE_API stele_status stele_tail_add(stele_tail *t, const stele_segment *segment);

/* Gives the oldest events that are kept, and removes them. Returns false if there are no more. The
   segment holds until the next call. After the first call nothing may be added any more. */
STELE_API bool stele_tail_take(stele_tail *t, stele_segment *segment);

/* ---- Near: events with their neighbours ------------------------------------------------------ */

/* Passes on the events that are wanted and their neighbours. Its memory does not grow with the
   trace. */
typedef struct stele_near stele_near;

/* Zeros pass on all events. */
typedef struct stele_near_options {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t before, after; /* how many events before and after a wanted one are passed on, too */
    /* Events are wanted that pass the names, categories, tracks, kinds and the expression of this
       request. It is copied. NULL: all are wanted. */
    const stele_request *only;
    /* "BEGIN:END", as for stele_pairing_add_pair(): passes on only events from one with the first
       name to the next one with the second, both included. Copied. NULL: no such limit. */
    const char *between;
} stele_near_options;

/* Receives a segment, which holds during the call. A status other than STELE_OK ends the current
   call of the library, which returns it. */
typedef stele_status stele_segment_fn(void *user, const stele_segment *segment);

/* Makes a handle that passes events to `fn`, each once and in their order. `options` may be NULL.
   The caller frees it with stele_near_free(). Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with
   a finding, for an expression or names that cannot be used. */
STELE_API stele_status stele_near_new(stele_context *context, const stele_near_options *options,
                                      stele_segment_fn *fn, void *user, stele_near **out);
STELE_API void stele_near_free(stele_near *n);

/* Takes the events of a segment. The order in which events are added decides which are
   neighbours. */
STELE_API stele_status stele_near_add(stele_near *n, const stele_segment *segment);

/* The columns that the handle itself needs from a reader, in addition to those that the caller
   shows. */
STELE_API uint32_t stele_near_columns(const stele_near *n);

/* Reports (STE014) names, categories, tracks and fields that are wanted and no event had. To be
   called when the events of all traces were added. */
STELE_API void stele_near_report(const stele_near *n);

/* ---- Picture: events for programs that draw spans -------------------------------------------- */

/*
 * Completes events by what the calls engine finds out, so that a program that draws them needs no
 * stack. Every begin gets its end, at its position in the nesting and with the name, the category
 * and, unless the end has fields of its own, the fields of the begin. An end whose begin is missing
 * becomes an instant.
 *
 * With a window, spans that are open when it begins get a begin there, and spans that have not
 * ended end with it: the picture of a window equals that part of the picture of the whole trace.
 * Fields whose names begin with "stele." say what was added.
 */
typedef struct stele_picture stele_picture;

/* Receives the events, in the order in which they were added. A segment holds during the call. A
   status other than STELE_OK ends the current call with the picture, which returns it. */
typedef stele_status stele_picture_fn(void *user, const stele_segment *segment);

STELE_API stele_status stele_picture_new(stele_context *context, stele_picture_fn *fn, void *user,
                                         stele_picture **out);
STELE_API void stele_picture_free(stele_picture *p);

/*
 * Sets the window: only events in [begin_ns, end_ns) are passed on; INT64_MIN and INT64_MAX are
 * open ends. Earlier events are to be added, too: they say which spans, asynchronous operations and
 * flows are open when the window begins, and which threads run. To be called before the first
 * event.
 */
STELE_API stele_status stele_picture_set_window(stele_picture *p, int64_t begin_ns, int64_t end_ns);

/* Sets whether ends are passed on as they are. By default an end without fields of its own gets the
   name, the category and the fields of its begin, for programs that match ends to begins by them.
   To be called before the first event. */
STELE_API void stele_picture_set_plain_ends(stele_picture *p, bool has_plain_ends);

/* Takes the events of a segment, in the order of time. */
STELE_API stele_status stele_picture_add(stele_picture *p, const stele_segment *segment);

/* Ends spans, operations and flows that are still open. To be called after the last event. */
STELE_API stele_status stele_picture_finish(stele_picture *p);

/* Gives the counts of the calls so far; the pointer holds as long as the picture. */
STELE_API const stele_call_counts *stele_picture_get_counts(const stele_picture *p);

/* ---- What is open when a request begins or ends ---------------------------------------------- */

/*
 * Gives the begins of spans, asynchronous operations, flows and running threads that are open where
 * the request begins, for writers of a part of traces: each as a segment of one event whose time is
 * that begin, those of a track from the outermost to the innermost. A COMPLETE event that reaches
 * over the begin is in the request itself, and not given. With `has_marks` each event has a field
 * `stele.before_ns`: how much earlier it happened.
 *
 * Reads the traces from their start up to the begin, so they must be such that can be read twice
 * (`is_seekable` of stele_trace_info). Errors are those of stele_reader_open() and
 * stele_reader_next(), and what `fn` returns.
 */
STELE_API stele_status stele_give_open(stele_context *context, stele_trace *const *traces,
                                       size_t count, const stele_request *request, bool has_marks,
                                       stele_segment_fn *fn, void *user);

/*
 * Gives an END for each span that was begun and is open where the request ends, if that is a time
 * before the last event: each as a segment of one event whose time is that end, those of a track
 * from the innermost to the outermost. With `has_marks` each event has a field `stele.unfinished`,
 * which is true. What was begun otherwise (asynchronous operations, flows, pairs of moments) is not
 * ended. Reads the traces from their start up to the end; everything else is as in
 * stele_give_open().
 */
STELE_API stele_status stele_give_ends(stele_context *context, stele_trace *const *traces,
                                       size_t count, const stele_request *request, bool has_marks,
                                       stele_segment_fn *fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
