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
 *     status = stele_profile_finish(profile);
 *     status = stele_profile_rows(profile, STELE_PROFILE_BY_SELF, &rows, &count);
 *
 * Times and durations are in nanoseconds, times on the scale of stele_event.time_ns. One thread at
 * a time uses an analysis and the context that it was made with; different contexts are
 * independent. The context must outlive the analysis. A `_new` sets its result to NULL when it
 * fails; a `_free` takes NULL. A function that returns a status can return STELE_ERR_MEMORY; after
 * that the analysis can only be freed.
 *
 * Structs that are given out in arrays or by a pointer are owned by the library. Those of arrays
 * keep their size under one so-name; those without `struct_size` that are given by a pointer to one
 * can grow at their end.
 */
#ifndef STELE_ANALYSIS_H
#define STELE_ANALYSIS_H

#include <stele/output.h>
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
    STELE_CALL_RETURNED, /* by END, or the end of a COMPLETE event */
    STELE_CALL_TAIL,     /* left by a tail call: what comes next on its level was called by it */
    STELE_CALL_UNWOUND,  /* a caller ended first: an exception, or a lost exit; the call ends with
                            its caller */
    STELE_CALL_OPEN, /* the trace ended before the call did; it ends with what is last on its track
                      */
    STELE_CALL_ENTRY_LOST /* an exit without entry: when the call began is not known, begin_ns is
                             end_ns */
} stele_call_end;

/* One call of a function, or one span of any other kind. */
typedef struct stele_call_span {
    int64_t begin_ns, end_ns;
    uint64_t self_ns;  /* duration without the calls made by it */
    uint64_t total_ns; /* duration without what is covered by calls of the same name further out */
    stele_name name;   /* never a local one: those are 0 */
    uint32_t node;     /* node of its path in the tree; 0 without a tree */
    uint32_t track;
    uint32_t depth; /* open calls around it; 0 is outermost */
    uint32_t tag;   /* with stele_call_options.has_tags what stele_calls_tag() said at its first
                       event; else 0 */
    uint8_t end;    /* stele_call_end */
    bool is_wanted; /* its first event passes stele_call_options.only */
} stele_call_span;

/* Nanoseconds from the begin of a call to its end. */
static inline uint64_t stele_call_duration_ns(const stele_call_span *span)
{
    return (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
}

/*
 * A path of calls is a node of a tree. Node 0 is the root, above all outermost calls. Recursion is
 * folded: a name is on a path 32 times at most, and what is deeper counts where the name is there
 * last. A path is 1,024 names long at most; what is deeper counts at its end.
 */
#define STELE_CALL_REPEATS_MAX 32u
#define STELE_CALL_PATH_MAX    1024u

typedef struct stele_call_node {
    uint32_t parent;
    stele_name name;
    uint16_t depth;        /* names on the path, its own among them */
    uint16_t repeats;      /* how many of them are its own name */
    uint64_t folded_count; /* calls that were folded into it */
} stele_call_node;

/* What was unusual. */
typedef struct stele_call_counts {
    uint64_t call_count;
    uint64_t by_end[STELE_CALL_ENTRY_LOST + 1]; /* calls by stele_call_end */
    uint64_t overlap_count; /* COMPLETE events that neither nest nor follow one another */
    uint64_t cut_count;     /* calls deeper than the limit, not followed */
    uint32_t depth_max;
    uint64_t repeated_count;   /* events that are copies of others, left out */
    uint64_t node_other_count; /* calls on paths beyond the limits of the tree */
    uint64_t folded_count;     /* calls of recursion that is folded in the tree */
} stele_call_counts;

/* Zeros give the defaults. */
typedef struct stele_call_options {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_tree;        /* each call gets the node of its path */
    bool has_track_roots; /* each track has a subtree of its own, named after the track */
    bool needs_recursion; /* total_ns leaves out recursion; else it is the duration */
    bool has_tags;        /* calls keep what stele_calls_tag() said last when they began */
    uint32_t depth_max;   /* open calls of a track that are followed; 0: the limit of the context */
    uint32_t nodes_max;   /* nodes of the tree; 0: 1,048,576 */
    /* Calls are wanted whose first event passes the names, categories, tracks, kinds and expression
       of this request, which is copied. NULL: all are. The others still count as callees of their
       callers. */
    const stele_request *only;
} stele_call_options;

/* Receives closed calls, those of inner calls before those of outer ones. Any status but STELE_OK
   ends what is being done, and is what that returns. The spans hold for the call. */
typedef stele_status stele_call_fn(void *user, const stele_call_span *spans, size_t count);

/* Makes an engine that gives its calls to `fn`. Returns STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, with
   a finding, for an expression that cannot be used. */
STELE_API stele_status stele_calls_new(stele_context *context, const stele_call_options *options,
                                       stele_call_fn *fn, void *user, stele_calls **out);
STELE_API void stele_calls_free(stele_calls *s);

/*
 * Only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open ends. Events from
 * before, which are to be added too, say which calls are open then: these begin with the window.
 * What has not ended in the window ends with it. To be called before the first event of a trace;
 * what is open of those before it ends.
 */
STELE_API stele_status stele_calls_set_window(stele_calls *s, int64_t begin_ns, int64_t end_ns);

/* Sets the tag of calls that begin from now on: see stele_call_span.tag. */
STELE_API void stele_calls_tag(stele_calls *s, uint32_t tag);

/* The open calls of a track, the outermost at depth 0; false at the depth where there is none. How
   long they last and how they end is not known yet. */
STELE_API bool stele_calls_open_at(const stele_calls *s, uint32_t track, uint32_t depth,
                                   stele_call_span *span);

/* Takes the events of a segment. `others`, which may be NULL, is set to whether there are events of
   other kinds than STELE_CALLS_KINDS in it. */
STELE_API stele_status stele_calls_add(stele_calls *s, const stele_segment *segment, bool *others);

/* Closes what is open. Events of other traces may be added afterwards. */
STELE_API stele_status stele_calls_finish(stele_calls *s);

/* What was unusual so far; holds as long as the engine. */
STELE_API const stele_call_counts *stele_calls_get_counts(const stele_calls *s);

/* Nodes of the tree, from 0. A node holds until the next event is added. */
STELE_API const stele_call_node *stele_calls_node(const stele_calls *s, uint32_t node);
STELE_API uint32_t stele_calls_node_count(const stele_calls *s);

/* The columns and kinds to request from a reader. */
STELE_API uint32_t stele_calls_columns(const stele_calls *s);
#define STELE_CALLS_KINDS                                                \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) | \
     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) | STELE_KIND_BIT(STELE_KIND_COMPLETE))

/* ---- Profile: where the time goes, by name --------------------------------------------------- */

typedef struct stele_profile stele_profile;

/* Zeros give the defaults. */
typedef struct stele_profile_options {
    size_t struct_size;            /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_track;                 /* figures for each name on each track */
    uint32_t depth_min, depth_end; /* depths of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;      /* calls that last less are not counted */
    const stele_request *only;     /* which calls are wanted: see stele_call_options.only */
    bool has_self_spread;          /* keeps how self times are spread, for comparisons */
    bool by_path; /* figures for each path of calls: names are those of the path with ";" between
                     them, of a very long one the last. Not together with by_track */
} stele_profile_options;

typedef struct stele_profile_row {
    stele_name name;
    uint32_t track;          /* 0: of all tracks */
    uint64_t count;          /* calls with a known duration */
    uint64_t lost_count;     /* exits whose entry is missing: in no other figure */
    uint64_t unended_count;  /* of `count`: left open by an exception or the end of the trace */
    uint64_t total_ns;       /* from entry to exit, a recursive call only where it is outermost */
    uint64_t self_ns;        /* without calls made by it */
    uint64_t sum_ns;         /* of all durations, so that the mean is sum_ns / count */
    double self_squares;     /* sum of the squares of the calls' self times */
    bool is_sampled;         /* summed up by the tracer: `count`, `self_ns` and `total_ns` only */
    uint64_t min_ns, max_ns; /* exact */
    uint64_t p50_ns, p90_ns, p99_ns; /* percentiles: at most 3.2% too large, never above max_ns */
} stele_profile_row;

/* The largest come first; names rise. */
typedef enum stele_profile_order {
    STELE_PROFILE_BY_SELF,
    STELE_PROFILE_BY_TOTAL,
    STELE_PROFILE_BY_COUNT,
    STELE_PROFILE_BY_MAX,
    STELE_PROFILE_BY_MEAN,
    STELE_PROFILE_BY_NAME
} stele_profile_order;

/* Returns STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_profile_new(stele_context *context,
                                         const stele_profile_options *options, stele_profile **out);
STELE_API void stele_profile_free(stele_profile *p);

/* Takes the events of a segment. Events of each track must come in the order of time. */
STELE_API stele_status stele_profile_add(stele_profile *p, const stele_segment *segment);

/* Only a range of time counts: see stele_calls_set_window(). */
STELE_API stele_status stele_profile_set_window(stele_profile *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open; rows are complete from then on. */
STELE_API stele_status stele_profile_finish(stele_profile *p);

/* The kinds and columns to request from a reader. */
#define STELE_PROFILE_KINDS (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_SAMPLE))
STELE_API uint32_t stele_profile_columns(const stele_profile *p);

/* Mean duration of the calls in nanoseconds, rounded down: never above the longest. 0 where there
   are none. */
static inline uint64_t stele_profile_mean_ns(const stele_profile_row *row)
{
    return row->count != 0 ? row->sum_ns / row->count : 0;
}

/* The rows in an order. They are owned by the profile and hold until the next call with it. */
STELE_API stele_status stele_profile_rows(stele_profile *p, stele_profile_order order,
                                          const stele_profile_row **rows, size_t *count);

/* How many samples were added. Times of samples are in units of the tracer. */
STELE_API uint64_t stele_profile_sample_count(const stele_profile *p);

/* What was unusual so far; holds as long as the profile. */
STELE_API const stele_call_counts *stele_profile_get_counts(const stele_profile *p);

/* ---- Comparison: what changed between profiles, by name -------------------------------------- */

/* What changed of one name, or of all together. */
typedef struct stele_compare_change {
    stele_profile_row before, after;  /* of a run on average; a missing one has count 0. The name is
                                         in both. Percentiles, min_ns and max_ns are of all calls */
    int64_t self_change_ns;           /* of all calls of a run together */
    uint32_t before_runs, after_runs; /* runs with such calls */
    bool has_noise;                   /* a side has several runs, so that noise_ns is known */
    double noise_ns;         /* standard error of self_change_ns, from how the runs differ */
    double longer_share;     /* of all pairs of a call before and a call after, the share in which
                                the one after lasts longer, equal ones counting half: 0.5 means no
                                difference, and also that a side has no calls */
    double rank_statistic;   /* standard errors between longer_share and 0.5 */
    double rank_p_value;     /* the chance of such a difference between runs of one program */
    double amount_statistic; /* the rank statistic of the self time of a run; with one run on each
                                side for the number of calls */
    double amount_p_value;
    double p_value; /* twice the smaller one of both, at most 1 */
    bool is_noise;  /* p_value is above the level: the change may as well be chance */
} stele_compare_change;

/* Zeros give the defaults. */
typedef struct stele_compare_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    double level;       /* share of the names that may be taken for changed by chance; 0: 0.05 */
    double factor;      /* by which two runs of one program may differ, from 1; 0: 1.5 */
} stele_compare_options;

/*
 * Compares finished profiles of one context, each of one run of a program: those of some runs
 * before a change with those of some runs after it. The changes come with the largest change of
 * self time first, and the caller frees them with free(). `whole`, which may be NULL, gets what
 * changed of all names together; it has no ranks.
 *
 * Two tests judge a name. Do its calls last longer? They are ranked by self time (by duration where
 * stele_profile_options.has_self_spread is not set), and the mean ranks of both sides are compared,
 * as Mann and Whitney do. Is there more of it? The logarithm of its self time in a run is compared.
 * Calls of one run are not independent of each other, so that the error of both comes from how runs
 * differ. One run on each side does not show that: there, calls are taken as independent, and only
 * what is beyond `factor` counts as a change; the second test is then of the number of calls.
 * Profiles by track cannot be compared. STELE_ERR_ARGUMENT: a side is empty, or the options cannot
 * be used.
 */
STELE_API stele_status stele_profile_compare_runs(const stele_context *context,
                                                  stele_profile *const *before, size_t before_count,
                                                  stele_profile *const *after, size_t after_count,
                                                  const stele_compare_options *options,
                                                  stele_compare_change **changes, size_t *count,
                                                  stele_compare_change *whole);

typedef struct stele_compare_row {
    stele_profile_row before, after; /* a missing one has count 0; the name is in both */
    int64_t self_change_ns;          /* of all calls together */
    bool has_noise;  /* there are two calls or more on each side that has any: noise_ns is known */
    double noise_ns; /* standard error of the change if calls were independent of each other */
    bool is_noise;   /* the change may as well be chance: see stele_compare_change.is_noise */
} stele_compare_row;

/* The same of one profile on each side, with the default options. The caller frees the rows with
   free(). */
STELE_API stele_status stele_profile_compare(const stele_context *context, stele_profile *before,
                                             stele_profile *after, stele_compare_row **rows,
                                             size_t *count);

/* ---- Paths: who was called by whom, with figures --------------------------------------------- */

/* Call paths of one trace or of two that are compared. */
typedef struct stele_paths stele_paths;

/* Zeros give the defaults. */
typedef struct stele_path_options {
    size_t struct_size;            /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_track;                 /* each track is a subtree, named after it */
    uint32_t depth_min, depth_end; /* depths of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;      /* calls that last less are not counted */
    const stele_request *only;     /* which calls are wanted: see stele_call_options.only */
    bool off_cpu; /* count where threads do not run instead of calls: each wait, by what is open on
                     its thread, the system call that it is in, and the state ("[sleeping]"), as far
                     as switches and wake-ups tell. `only` then says on which tracks. All events
                     must come in the order of time, of STELE_SCHED_KINDS, too */
} stele_path_options;

typedef struct stele_path_figures {
    uint64_t count;       /* calls of exactly this path */
    uint64_t self_ns;     /* their time without callees */
    uint64_t total_count; /* calls of this path and of all longer ones */
    uint64_t total_ns;    /* self times of this path and of all longer ones */
} stele_path_figures;

/* A tree has figures for two traces that are compared: side 0 and side 1. */
#define STELE_PATH_SIDES 2u

/* Node 0 is the root, above all outermost calls. Parents stand before their children. */
typedef struct stele_path_node {
    stele_name name;
    uint32_t parent;
    uint32_t child;        /* the first child; 0: none */
    uint32_t sibling;      /* the next child of the parent; 0: none */
    uint32_t depth;        /* 0 is the root */
    uint64_t folded_count; /* calls of deeper recursion that count here */
    stele_path_figures sides[STELE_PATH_SIDES];
} stele_path_node;

/* The caller sets `struct_size`, as STELE_INIT does. */
typedef struct stele_path_tree {
    size_t struct_size;           /* sizeof this struct, or 0: see <stele/version.h> */
    const stele_path_node *nodes; /* owned by the paths */
    uint32_t count;               /* of nodes, with the root */
    uint32_t depth_max;           /* of a node */
    bool is_sampled;              /* times are in units of the tracer */
} stele_path_tree;

/* Returns STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_paths_new(stele_context *context, const stele_path_options *options,
                                       stele_paths **out);
STELE_API void stele_paths_free(stele_paths *p);

/* The columns to request from a reader; the kinds are STELE_PROFILE_KINDS. */
STELE_API uint32_t stele_paths_columns(const stele_paths *p);

/* Takes the events of a segment. Events of each track must come in the order of time. */
STELE_API stele_status stele_paths_add(stele_paths *p, const stele_segment *segment);

/* Only a range of time counts: see stele_calls_set_window(). */
STELE_API stele_status stele_paths_set_window(stele_paths *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open. What is added from now on counts for this side, 0 or 1. */
STELE_API stele_status stele_paths_turn(stele_paths *p, unsigned side);

/* Closes what is open, and gives the tree: children with more time, or with more calls, come first.
   The tree holds until the next call with the paths. */
STELE_API stele_status stele_paths_tree(stele_paths *p, bool by_count, stele_path_tree *tree);

/* What was unusual so far; holds as long as the paths. */
STELE_API const stele_call_counts *stele_paths_get_counts(const stele_paths *p);

/* How paths are written for other programs. Zeros give the defaults. */
typedef struct stele_path_form {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_tracks;    /* the children of the root are tracks, as with stele_path_options.by_track;
                           else paths are those of all threads together */
    const char *unit;   /* of what times are, "instructions"; NULL: nanoseconds, or units of the
                           tracer where the tree says so */
} stele_path_form;

/*
 * Writes the paths of side 0 as a profile of pprof (profile.proto of Protocol Buffers, not packed):
 * each has the number of its calls and their own time, and with tracks the label "thread". `form`
 * may be NULL. Returns what the output's status is, or STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_path_tree_write_pprof(stele_context *context,
                                                   const stele_path_tree *tree,
                                                   const stele_path_form *form, stele_output *out);

/*
 * Which calls are open on each track, from when to when, for viewers that show a profile in the
 * order of time. Calls are those of stele_calls; what is kept of each lies in a temporary file, so
 * that memory grows with the number of tracks and of different paths only.
 */
typedef struct stele_stack_times stele_stack_times;

typedef enum stele_stack_form {
    STELE_STACK_SPEEDSCOPE, /* speedscope's own format: an evented profile for each track */
    STELE_STACK_FIREFOX     /* a processed profile of the Firefox Profiler, of version 47: a thread
                               for each track, a sample for each stretch of time with one stack */
} stele_stack_form;

/* Zeros give the defaults. */
typedef struct stele_stack_times_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_stack_form form;
    const char *title; /* what the profile is called; must outlive the object; NULL: "" */
} stele_stack_times_options;

/* Returns STELE_ERR_MEMORY. */
STELE_API stele_status stele_stack_times_new(stele_context *context,
                                             const stele_stack_times_options *options,
                                             stele_stack_times **out);
STELE_API void stele_stack_times_free(stele_stack_times *times);

/* The columns to request from a reader; the kinds are STELE_CALLS_KINDS. */
STELE_API uint32_t stele_stack_times_columns(const stele_stack_times *times);

/* Takes the events of a segment. Events of each track must come in the order of time. Errors:
   STELE_ERR_MEMORY, STELE_ERR_WRITE of the temporary file. */
STELE_API stele_status stele_stack_times_add(stele_stack_times *times,
                                             const stele_segment *segment);

/* Only a range of time counts: see stele_calls_set_window(). */
STELE_API stele_status stele_stack_times_set_window(stele_stack_times *times, int64_t begin_ns,
                                                    int64_t end_ns);

/* Closes what is open, and writes the profile; times are counted from the first call. The output
   stays the caller's. Errors: what the output's status is, STELE_ERR_MEMORY, STELE_ERR_READ. */
STELE_API stele_status stele_stack_times_write(stele_stack_times *times, stele_output *out);

/* What was unusual so far; holds as long as the object. */
STELE_API const stele_call_counts *stele_stack_times_get_counts(const stele_stack_times *times);

/* The next node of a walk over the subtree of `root`, parents first; 0 at its end. */
static inline uint32_t stele_path_next(const stele_path_tree *tree, uint32_t node, uint32_t root)
{
    if (tree->nodes[node].child != 0)
        return tree->nodes[node].child;
    while (node != root && tree->nodes[node].sibling == 0)
        node = tree->nodes[node].parent;
    return node == root ? 0 : tree->nodes[node].sibling;
}

/* ---- Call graph: who calls whom -------------------------------------------------------------- */

typedef struct stele_graph_function {
    stele_name name;
    uint32_t active; /* 0: used while the graph is made only */
    uint64_t count, self_ns;
    uint64_t total_ns; /* recursion counts once */
} stele_graph_function;

typedef struct stele_graph_edge {
    uint32_t from, to; /* numbers of functions */
    uint32_t active;   /* 0: used while the graph is made only */
    uint64_t count;    /* calls of `to` by `from` */
    uint64_t total_ns; /* time of these calls; recursion counts once */
} stele_graph_edge;

/* The functions and edges of a tree of paths. */
typedef struct stele_callgraph stele_callgraph;

/* Puts the paths of side 0 of a tree together by function, and by caller and function. The tree is
   not needed any more afterwards. */
STELE_API stele_status stele_callgraph_new(const stele_context *context,
                                           const stele_path_tree *tree, stele_callgraph **out);
STELE_API void stele_callgraph_free(stele_callgraph *graph);

/* Functions, and edges, by total time, largest first, then by number of calls and name. They are
   owned by the graph. */
STELE_API const stele_graph_function *stele_callgraph_functions(const stele_callgraph *graph,
                                                                uint32_t *count);
STELE_API const stele_graph_edge *stele_callgraph_edges(const stele_callgraph *graph,
                                                        uint32_t *count);

/*
 * Writes a graph in the format of Callgrind, as KCachegrind and callgrind_annotate read it: each
 * function has its own time, and its calls their number and what they take in all. `unit` is what
 * times are, "instructions"; NULL: nanoseconds. Returns what the output's status is, or
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_callgraph_write_callgrind(const stele_context *context,
                                                       const stele_callgraph *graph,
                                                       const char *unit, stele_output *out);

/* ---- Check: do the events fit each other? ---------------------------------------------------- */

/* Judges nesting, pairing and order, in memory of what is open at a time. */
typedef struct stele_check stele_check;

/* The columns to request from a reader: no fields. */
#define STELE_CHECK_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/* Findings go to the context's handler; `source`, which is copied, names the input in them. */
STELE_API stele_status stele_check_new(stele_context *context, const char *source,
                                       stele_check **out);
STELE_API void stele_check_free(stele_check *check);

/* Takes the events of a segment, all of one trace and in the order of time. */
STELE_API stele_status stele_check_add(stele_check *check, const stele_segment *segment);

/* Reports what only the end can show: spans, asynchronous operations and flows left open. */
STELE_API stele_status stele_check_finish(stele_check *check);

/* ---- Summary: what a trace holds, in figures ------------------------------------------------- */

/* Memory is fixed but for the names. */
typedef struct stele_summary stele_summary;

typedef struct stele_summary_name {
    stele_name name;
    uint8_t kind; /* stele_kind of the first event with this name */
    uint64_t count;
} stele_summary_name;

typedef struct stele_summary_track {
    uint32_t track;
    uint64_t count;
    int64_t first_ns, last_ns; /* first > last: none of its events has a time */
} stele_summary_track;

typedef struct stele_summary_totals {
    uint64_t event_count; /* without LOST events, which no other figure holds either */
    uint64_t kind_counts[STELE_KIND_COUNT];
    uint64_t other_name_count; /* events with names beyond the limit: counts by name are then
                                  approximate, and are to be shown so */
    bool has_time;
    int64_t begin_ns, end_ns; /* first time, last time or end of a complete event, of all events
                                 whose time is not far from all others */
    uint64_t begin_ticks, end_ticks;
    uint64_t unresolved_count, damaged_count, clamped_count;
    uint64_t lost_count;       /* sum of the LOST events' counts */
    uint64_t lost_event_count; /* LOST events: marks of loss */
} stele_summary_totals;

/* The columns to request from a reader: no fields. */
#define STELE_SUMMARY_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/* `source` is the path that findings are reported with; it must outlive the summary. */
STELE_API stele_status stele_summary_new(stele_context *context, const char *source,
                                         stele_summary **out);
STELE_API void stele_summary_free(stele_summary *s);

/* Forgets all events. */
STELE_API void stele_summary_clear(stele_summary *s);
STELE_API stele_status stele_summary_add(stele_summary *s, const stele_segment *segment);

/* Many events of one kind and track, without names, that need no look each. */
typedef struct stele_summary_run {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_kind kind;
    uint32_t track;
    uint64_t count;
    int64_t begin_ns, end_ns;        /* times of the first and the last event */
    uint64_t begin_ticks, end_ticks; /* ticks of the first and the last event */
} stele_summary_run;

/* Counts such events. STELE_ERR_ARGUMENT: the run has members that this library does not know. */
STELE_API stele_status stele_summary_add_run(stele_summary *s, const stele_summary_run *run);

/* The totals; to be called once all events were added. Reports those whose time is far from all
   others (STE015), which the range of times leaves out. They hold until the next event is added. */
STELE_API const stele_summary_totals *stele_summary_get_totals(stele_summary *s);

/* Names by number of events, most first; those with equal counts by number of the name. They hold
   until the next call with the summary. */
STELE_API stele_status stele_summary_names(stele_summary *s, const stele_summary_name **names,
                                           size_t *count);

/* Tracks by number of events, most first; those with equal counts by number of the track. They hold
   until the next call with the summary. */
STELE_API stele_status stele_summary_tracks(stele_summary *s, const stele_summary_track **tracks,
                                            size_t *count);

/* ---- Tail: the last events ------------------------------------------------------------------- */

/* Keeps copies of the last events, in memory that is bounded by their number. */
typedef struct stele_tail stele_tail;

/* Keeps the last `count` events of what is added. */
STELE_API stele_status stele_tail_new(uint64_t count, stele_tail **out);
STELE_API void stele_tail_free(stele_tail *t);
STELE_API stele_status stele_tail_add(stele_tail *t, const stele_segment *segment);

/* Takes out the oldest events that are kept; false when there are no more. The segment holds until
   the next call. Nothing may be added any more. */
STELE_API bool stele_tail_take(stele_tail *t, stele_segment *segment);

/* ---- Near: events with those around them ----------------------------------------------------- */

/* Gives the events that are wanted, and those around them, in memory that does not grow. */
typedef struct stele_near stele_near;

/* Zeros give all events. */
typedef struct stele_near_options {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t before, after; /* how many others are given before and after one that is wanted */
    /* Events are wanted that pass the names, categories, tracks, kinds and the expression of this
       request, which is copied. NULL: all are. */
    const stele_request *only;
    /* "BEGIN:END", as stele_pairing_add_pair() takes it: nothing but what stands from an event of
       the first name to the next one of the second, both of them included. Copied; NULL: all. */
    const char *between;
} stele_near_options;

/* Receives a segment, which holds for the call. Any status but STELE_OK ends what is being done,
   and is what that returns. */
typedef stele_status stele_segment_fn(void *user, const stele_segment *segment);

/* Makes one that gives its events to `fn`, each once and in their order. Returns STELE_ERR_MEMORY;
   STELE_ERR_ARGUMENT, with a finding, for an expression or names that cannot be used. */
STELE_API stele_status stele_near_new(stele_context *context, const stele_near_options *options,
                                      stele_segment_fn *fn, void *user, stele_near **out);
STELE_API void stele_near_free(stele_near *n);

/* Takes the events of a segment, in the order in which they are neighbours. */
STELE_API stele_status stele_near_add(stele_near *n, const stele_segment *segment);

/* The columns to request from a reader, beside those that are shown. */
STELE_API uint32_t stele_near_columns(const stele_near *n);

/* ---- Picture: events for those who draw spans ------------------------------------------------ */

/*
 * What the calls engine finds out is put into the events themselves, so that whoever draws them
 * needs no stack: every begin has its end, at its place in the nesting and with the name, the
 * category and, unless it has fields of its own, the fields of the begin. An end whose begin is
 * missing becomes an instant.
 *
 * With a window, what is open when it begins is given there anew, and what has not ended ends with
 * it: a picture of the window is that stretch of the picture of the whole. Fields that begin with
 * "stele." say what was made.
 */
typedef struct stele_picture stele_picture;

/* Receives the events, in the order in which they were added. A segment holds for the call. Any
   status but STELE_OK ends what is being done, and is what that returns. */
typedef stele_status stele_picture_fn(void *user, const stele_segment *segment);

STELE_API stele_status stele_picture_new(stele_context *context, stele_picture_fn *fn, void *user,
                                         stele_picture **out);
STELE_API void stele_picture_free(stele_picture *p);

/*
 * Only what lies in [begin_ns, end_ns) is given; INT64_MIN and INT64_MAX are open ends. Events from
 * before are to be added, too: they say which spans, asynchronous operations and flows are open
 * then, and which threads run. To be called before the first event.
 */
STELE_API stele_status stele_picture_set_window(stele_picture *p, int64_t begin_ns, int64_t end_ns);

/* Whether ends are given as they are. Else, by default, an end without fields of its own has the
   name, the category and the fields of its begin, for those who find the begin by them. To be
   called before the first event. */
STELE_API void stele_picture_set_plain_ends(stele_picture *p, bool has_plain_ends);

/* Takes the events of a segment, in the order of time. */
STELE_API stele_status stele_picture_add(stele_picture *p, const stele_segment *segment);

/* Ends what is open. */
STELE_API stele_status stele_picture_finish(stele_picture *p);

/* What was unusual among the calls that were given; holds as long as the picture. */
STELE_API const stele_call_counts *stele_picture_get_counts(const stele_picture *p);

#ifdef __cplusplus
}
#endif
#endif
