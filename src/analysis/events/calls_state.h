/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of the calls engine: frames are pushed and popped by calls_frames.c, tracks and their
 * window begin and end in calls_tracks.c, and calls.c takes the events. Analyses that push and pop
 * plain calls themselves use calls_plain_stack().
 */
#ifndef ANALYSIS_EVENTS_CALLS_STATE_H
#define ANALYSIS_EVENTS_CALLS_STATE_H

#include <stele/analysis.h>

#include <stddef.h>
#include <string.h>

#include "analysis/events/call_stack.h"
#include "analysis/events/call_tree.h"
#include "model/context.h"
#include "query/filter.h"

#define CALLS_PENDING 128u
/* How many frames below the top are searched for one that ends before the frame above it. */
#define CALLS_OVERLAP_MAX 256u

/* Takes an exit that ends no call on the stack, instead of a call whose entry is missing. */
typedef void calls_missed_fn(void *user, stele_calls *s, stack *of, uint32_t track, int64_t time_ns,
                             stele_name name, stele_call_end how);

struct stele_calls {
    stele_context *context;
    stele_call_options options;
    filter *only; /* NULL: all calls are wanted */
    stele_call_fn *fn;
    void *user;
    int64_t begin_ns, end_ns; /* bounds of the window */
    uint32_t tag;
    stack *tracks; /* stacks, by track number */
    uint32_t track_count;
    stele_call_span pending[CALLS_PENDING];
    uint32_t pending_count;
    stele_status status; /* the first failure: of the receiver, or STELE_ERR_MEMORY */
    bool has_no_self;    /* the receiver looks neither at self nor at total times */
    call_tree tree;
    stele_call_counts counts;
    calls_missed_fn *missed; /* NULL: no exit is taken */
    void *missed_user;
};

/* Gives the calls that ended to the receiver. */
void calls_flush(stele_calls *s);

/* Enters the frames from `first` on in the table of names: those frames are new or have moved.
   Does nothing unless options.needs_recursion is set. */
void calls_index_frames(stele_calls *s, stack *of, uint32_t first);

/* Grows a stack, which is empty at first. Returns false if out of memory. */
bool calls_grow_frames(stele_calls *s, stack *of);

/* Pushes a frame. `end_ns` is NULL where the end is not known. Returns false if the stack has
   reached its limit, or if out of memory. */
bool calls_open_top(stele_calls *s, stack *of, int64_t begin_ns, const int64_t *end_ns,
                    stele_name name, bool is_wanted);

/* Pops the top frame, as a call that ended at `end_ns`. */
void calls_close_top(stele_calls *s, stack *of, uint32_t track, int64_t end_ns, stele_call_end how);

/*
 * Accounts for a call that ends after the frame around it, which well-formed traces do not have:
 * `top` was popped. Its time is subtracted from the self time of the frames around it as long as
 * they last, and is added to the total of its own name where no frame around it has that name:
 * returns that total.
 */
uint64_t calls_charge_overlap(stack *of, const frame *top, int64_t end_ns);

/* Takes an exit, which ends the top frame, a frame below it, or a call whose entry is missing. */
void calls_take_end(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                    stele_call_end how);

/* Pushes a COMPLETE event. One that begins with the top frame and ends later goes below that
   frame: tracers that write events when they end write the inner one first. */
void calls_take_complete(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                         bool is_wanted);

/* Begins a track that had no event yet. Returns NULL if out of memory. */
stack *calls_begin_track(stele_calls *s, uint32_t track, int64_t time_ns);

/* Starts a track's window: calls that are open begin anew at its begin. */
void calls_enter_window(stele_calls *s, stack *of, uint32_t track);

/* Ends the calls that are open on a track: at the end of the window, or if that is unlimited at
   the track's last time. */
void calls_finish_track(stele_calls *s, stack *of, uint32_t track);

/* Makes a node that call_tree_find() did not find. Returns `parent` if out of memory, which
   becomes the engine's status. */
uint32_t calls_add_node(stele_calls *s, uint32_t parent, stele_name name);

/* The node for a call of `name` from `parent`; made if needed. */
static inline uint32_t calls_node_child(stele_calls *s, uint32_t parent, stele_name name)
{
    const uint32_t known = call_tree_find(&s->tree, parent, name);
    return known != HASH_NONE ? known : calls_add_node(s, parent, name);
}

/* The stack of the track of an event, made if needed. Returns NULL if out of memory. */
static inline stack *calls_track(stele_calls *s, uint32_t track, int64_t time_ns)
{
    if (track < s->track_count && s->tracks[track].frames != NULL)
        return &s->tracks[track];
    return calls_begin_track(s, track, time_ns);
}

_Static_assert(offsetof(frame, node) - offsetof(frame, name) == sizeof(stele_name) &&
                   offsetof(stele_call_span, node) - offsetof(stele_call_span, name) ==
                       sizeof(stele_name),
               "names and nodes are copied together");

/*
 * Fills in the call of the top frame of a stack of `depth`. It ends at `end_ns`, or when it began
 * if that is later, which happens where events are out of order. Returns its duration in
 * nanoseconds.
 */
static inline uint64_t calls_set_span(stele_call_span *span, const frame *from, int64_t end_ns,
                                      uint32_t depth, uint32_t track, stele_call_end how)
{
    const int64_t until_ns = end_ns > from->begin_ns ? end_ns : from->begin_ns;
    const uint64_t whole = (uint64_t)until_ns - (uint64_t)from->begin_ns;
    span->begin_ns = from->begin_ns;
    span->end_ns = until_ns;
    span->self_ns = whole > from->child_ns ? whole - from->child_ns : 0;
    span->total_ns = from->is_repeated ? 0 : whole;
    /* Both in one step: some compilers collect four members in a vector first, which is slower. */
    memcpy((char *)span + offsetof(stele_call_span, name),
           (const char *)from + offsetof(frame, name), sizeof from->name + sizeof from->node);
    span->track = track;
    span->tag = from->tag;
    span->depth = depth - 1;
    span->end = (uint8_t)how;
    span->is_wanted = from->is_wanted;
    return whole;
}

/* Pops the COMPLETE events that have ended by `now_ns`. */
static inline void calls_expire_top(stele_calls *s, stack *of, uint32_t track, int64_t now_ns)
{
    while (of->depth != 0 && stack_top(of)->is_timed && stack_top(of)->end_ns <= now_ns)
        calls_close_top(s, of, track, stack_top(of)->end_ns, STELE_CALL_RETURNED);
}

/*
 * The stack of a track that has entered the window. The caller may push and pop frames until the
 * next event is added. Returns NULL if the track has no such stack, or if its events must go
 * through stele_calls_add(). Not for engines with stele_call_options.only or needs_recursion.
 */
static inline stack *calls_plain_stack(const stele_calls *s, uint32_t track)
{
    stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    return of != NULL && of->frames != NULL && !of->is_before && of->cut_depth == 0 ? of : NULL;
}

/* Counts calls that were pushed to or popped from a stack of calls_plain_stack(): how many began,
   how many returned, how many ended by a tail call, and the greatest depth of the stack. */
static inline void calls_count(stele_calls *s, uint32_t begin_count, uint32_t return_count,
                               uint32_t tail_count, uint32_t depth_max)
{
    s->counts.call_count += begin_count;
    s->counts.by_end[STELE_CALL_RETURNED] += return_count;
    s->counts.by_end[STELE_CALL_TAIL] += tail_count;
    if (depth_max > s->counts.depth_max)
        s->counts.depth_max = depth_max;
}

#endif
