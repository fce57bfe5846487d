/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks out of events of any format: BEGIN, END, TAIL_EXIT and COMPLETE events in the order
 * of time of each track become closed calls, in one pass and in memory that grows with the depth
 * of the stacks only (and, on request, with the number of distinct call paths).
 */
#ifndef ANALYSIS_EVENTS_CALLS_H
#define ANALYSIS_EVENTS_CALLS_H

#include <stele/reader.h>

#include "model/context.h"

typedef enum stele_call_end {
    STELE_CALL_RETURNED, /* by END, or the end of a COMPLETE event */
    STELE_CALL_TAIL,     /* left by a tail call: what comes next on its level was called by it */
    STELE_CALL_UNWOUND,  /* a caller ended first: an exception, or a lost exit; ends with the caller
                          */
    STELE_CALL_OPEN,     /* the trace ended before it did; ends with what is last on its track */
    STELE_CALL_ENTRY_LOST /* an exit without entry: when it began is not known, begin_ns is end_ns
                           */
} stele_call_end;

/* One call of a function, or one span of any other kind. */
typedef struct stele_call_span {
    int64_t begin_ns, end_ns;
    uint64_t self_ns;  /* without the calls made by it */
    uint64_t total_ns; /* without what is covered by calls of the same name further out */
    stele_name name;   /* never a local one: those are 0 */
    uint32_t node;     /* of its path in the tree; 0 without a tree */
    uint32_t track;
    uint32_t depth; /* 0 is outermost */
    uint32_t
        tag; /* with stele_call_options.has_tags: stele_calls_tag() at its first event; else 0 */
    uint8_t end;    /* stele_call_end */
    bool is_wanted; /* passes stele_call_options.only */
} stele_call_span;

static inline uint64_t stele_call_duration_ns(const stele_call_span *span)
{
    return (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
}

/*
 * A path of calls. Node 0 is the root, above all outermost calls. Recursion is folded: a name is on
 * a path 32 times at most, and what is deeper counts where it is there last. A path is 1,024 names
 * long at most; what is deeper counts at its end.
 */
#define STELE_CALL_REPEATS_MAX 32u
#define STELE_CALL_PATH_MAX    1024u

typedef struct stele_call_node {
    uint32_t parent;
    stele_name name;
    uint16_t depth;        /* names above it, with its own */
    uint16_t repeats;      /* of them, those that are its own */
    uint64_t folded_count; /* calls that were folded into it */
} stele_call_node;

typedef struct stele_call_counts {
    uint64_t call_count;
    uint64_t by_end[STELE_CALL_ENTRY_LOST + 1];
    uint64_t overlap_count; /* COMPLETE events that neither nest nor follow one another */
    uint64_t cut_count;     /* calls deeper than the limit, not followed */
    uint32_t depth_max;
    uint64_t repeated_count;   /* events that are copies of others, left out */
    uint64_t node_other_count; /* calls on paths beyond the limits of the tree */
    uint64_t folded_count;     /* calls of recursion that is folded in the tree */
} stele_call_counts;

typedef struct stele_call_options {
    bool has_tree;        /* give each call the node of its path */
    bool has_track_roots; /* each track has a subtree of its own, named after the track */
    bool needs_recursion; /* else total_ns is the duration */
    bool has_tags;        /* calls keep what stele_calls_tag() said last when they began */
    uint32_t depth_max;   /* 0: the limit of the context */
    uint32_t nodes_max;   /* 0: 1,048,576 */
    /* Calls are wanted whose first event passes the names, categories, kinds and expression of this
       request (a missing one: all are). The others still count as callees of their callers. */
    const stele_request *only;
} stele_call_options;

typedef struct stele_calls stele_calls;

/* Receives closed calls, those of inner calls before those of outer ones. */
typedef stele_status stele_call_fn(void *user, const stele_call_span *spans, size_t count);

/* STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, reported, for an expression that cannot be used. */
stele_status stele_calls_new(stele_context *context, const stele_call_options *options,
                             stele_call_fn *fn, void *user, stele_calls **out);
void stele_calls_free(stele_calls *s);

/*
 * Only what lies in [begin_ns, end_ns) counts, INT64_MIN and INT64_MAX being open ends. Events from
 * before, which are to be added too, tell which calls are open then: these begin with the window.
 * What has not ended in it ends with it. To be called before the first event of a trace; what is
 * open of those before it ends.
 */
stele_status stele_calls_set_window(stele_calls *s, int64_t begin_ns, int64_t end_ns);

/* With a window: has each track enter it now, not with its first event there. */
void stele_calls_enter_window(stele_calls *s);

/* Whether the window has an event at this time. */
bool stele_calls_in_window(const stele_calls *s, int64_t time_ns);

/* Of calls that begin from now on; see stele_call_span.tag. */
void stele_calls_tag(stele_calls *s, uint32_t tag);

/* The open calls of a track, the outermost at depth 0; false at the depth where none is. What
   they last and how they end is not known yet. */
bool stele_calls_open_at(const stele_calls *s, uint32_t track, uint32_t depth,
                         stele_call_span *span);

/* `others`, which may be NULL, tells whether there are events of other kinds in the segment. */
stele_status stele_calls_add(stele_calls *s, const stele_segment *segment, bool *others);

/* Closes what is open. More may be added then, of other traces. */
stele_status stele_calls_finish(stele_calls *s);

/* Whether an event passes stele_call_options.only. */
bool stele_calls_wants(const stele_calls *s, const stele_batch *batch, const stele_event *event);

/* The node of a path that was not called but sampled: `count` names, the outermost first. */
uint32_t stele_calls_path(stele_calls *s, uint32_t track, const stele_name *names, size_t count);

const stele_call_counts *stele_calls_get_counts(const stele_calls *s);
const stele_call_node *stele_calls_node(const stele_calls *s, uint32_t node);
uint32_t stele_calls_node_count(const stele_calls *s);

/* Columns to ask for. */
uint32_t stele_calls_columns(const stele_calls *s);
#define STELE_CALLS_KINDS                                                \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) | \
     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) | STELE_KIND_BIT(STELE_KIND_COMPLETE))

#endif
