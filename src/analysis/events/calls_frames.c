/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the calls engine: pushed by entries, popped by exits, and made into calls. */
#include "analysis/events/calls_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

uint32_t calls_add_node(stele_calls *s, uint32_t parent, stele_name name)
{
    uint32_t node = parent;
    if (!call_tree_add(&s->tree, parent, name, &s->counts, &node))
        s->status = STELE_ERR_MEMORY;
    return node;
}

void calls_flush(stele_calls *s)
{
    const uint32_t count = s->pending_count;
    s->pending_count = 0;
    if (count != 0 && s->status == STELE_OK)
        s->status = s->fn(s->user, s->pending, count);
}

/* ---- Names that are on the stack more than once ---- */

/* Makes the table of names anew, for the frames that are on the stack now. */
static void outermost_renew(stele_calls *s, stack *of)
{
    hash_table_clear(&of->outermost);
    if (!hash_table_make_room(&of->outermost, of->depth < 32 ? 64 : (size_t)of->depth * 2)) {
        s->status = STELE_ERR_MEMORY;
        return;
    }
    for (uint32_t i = 1; i <= of->depth; i++)
        of->frames[i].is_repeated = is_further_out(of, i, of->frames[i].name);
}

void calls_index_frames(stele_calls *s, stack *of, uint32_t first)
{
    if (!s->options.needs_recursion)
        return;
    if (of->outermost.count >= outermost_room(of))
        outermost_renew(s, of);
    for (uint32_t i = first; i <= of->depth && of->outermost.slots != NULL; i++)
        of->frames[i].is_repeated = is_further_out(of, i, of->frames[i].name);
}

/* ---- Pushing and popping of frames ---- */

uint64_t calls_charge_overlap(stack *of, const frame *top, int64_t end_ns)
{
    const uint32_t floor = of->depth > CALLS_OVERLAP_MAX ? of->depth - CALLS_OVERLAP_MAX : 0;
    int64_t from_ns = top->begin_ns, named_ns = top->begin_ns;
    for (uint32_t i = of->depth; i > floor; i--) {
        frame *const below = &of->frames[i];
        const int64_t until_ns = below->end_ns < end_ns ? below->end_ns : end_ns;
        if (until_ns > from_ns) {
            below->child_ns += (uint64_t)until_ns - (uint64_t)from_ns;
            from_ns = until_ns;
        }
        if (below->name == top->name && until_ns > named_ns)
            named_ns = until_ns;
    }
    if (floor == 0)
        of->frames[0].child_ns += (uint64_t)end_ns - (uint64_t)from_ns;
    return (uint64_t)end_ns - (uint64_t)(top->is_repeated ? named_ns : top->begin_ns);
}

/* Counts the call that was made last; calls are given on when no place is left for another. */
static inline void keep_call(stele_calls *s, stele_call_end how)
{
    s->counts.by_end[how]++;
    if (++s->pending_count == CALLS_PENDING)
        calls_flush(s);
}

/* Whether the call that a frame was made into is none of the window. */
static inline bool is_outside(stele_calls *s, const stack *of, const frame *from,
                              const stele_call_span *call)
{
    if (s->options.has_tags)
        return false;
    if (of->is_before)
        return true;
    /* The call ended when the window began, so it is not counted as one of the window. */
    if (from->is_carried && call->end_ns == call->begin_ns) {
        s->counts.call_count--;
        return true;
    }
    return false;
}

void calls_close_top(stele_calls *s, stack *of, uint32_t track, int64_t end_ns, stele_call_end how)
{
    frame *const top = stack_top(of);
    stele_call_span *const call = &s->pending[s->pending_count];
    const uint64_t whole =
        calls_set_span(call, top, end_ns < s->end_ns ? end_ns : s->end_ns, of->depth--, track, how);
    of->timed_depth -= top->is_timed;
    if (is_outside(s, of, top, call))
        return;
    if (call->end_ns <= top[-1].end_ns)
        top[-1].child_ns += whole;
    else if (!s->has_no_self)
        call->total_ns = calls_charge_overlap(of, top, call->end_ns);
    keep_call(s, how);
}

bool calls_grow_frames(stele_calls *s, stack *of)
{
    uint32_t capacity = of->capacity == 0 ? 64 : of->capacity * 2;
    frame *frames;
    if (capacity > s->options.depth_max)
        capacity = s->options.depth_max;
    frames = array_fit(of->frames, sizeof *frames, (size_t)capacity + 1);
    if (frames == NULL) {
        s->status = STELE_ERR_MEMORY;
        return false;
    }
    of->frames = frames;
    of->capacity = capacity;
    return true;
}

bool calls_open_top(stele_calls *s, stack *of, int64_t begin_ns, const int64_t *end_ns,
                    stele_name name, bool is_wanted)
{
    frame *top;
    if (of->depth == of->capacity) {
        if (of->depth >= s->options.depth_max) {
            s->counts.cut_count++;
            return false;
        }
        if (!calls_grow_frames(s, of))
            return false;
    }
    of->depth++;
    top = stack_top(of);
    frame_set(top, begin_ns, name, is_wanted);
    top->tag = s->tag;
    if (end_ns != NULL) {
        top->is_timed = true;
        top->end_ns = *end_ns;
        of->timed_depth++;
    }
    if (s->options.has_tree && !of->is_before)
        top->node = calls_node_child(s, top[-1].node, name);
    if (s->options.needs_recursion && of->outermost.count < outermost_room(of))
        top->is_repeated = is_further_out(of, of->depth, name);
    else
        calls_index_frames(s, of, of->depth);
    if (of->depth > s->counts.depth_max)
        s->counts.depth_max = of->depth;
    return true;
}

/* ---- COMPLETE events that outlast a call around them ---- */

/* Renews what is known of frames from `first` on that moved. */
static void frames_moved(stele_calls *s, stack *of, uint32_t first)
{
    for (uint32_t i = first; i <= of->depth; i++)
        of->frames[i].is_indexed = false;
    calls_index_frames(s, of, first);
}

/* What a call and the frames that outlast it have in common, in the total of its name. */
static uint64_t shared_total(const stack *of, uint32_t first, const frame *closed, int64_t end_ns)
{
    for (uint32_t i = first; i <= of->depth; i++) {
        const frame *over = &of->frames[i];
        if (over->name == closed->name && over->begin_ns < end_ns)
            return (uint64_t)end_ns - (uint64_t)over->begin_ns;
    }
    return 0;
}

/*
 * Ends the call at `at`; the frames above it are of COMPLETE events that end later, and stay. The
 * time that they share with it counts as theirs.
 */
static void close_under(stele_calls *s, stack *of, uint32_t track, uint32_t at, int64_t end_ns,
                        stele_call_end how)
{
    const uint32_t depth = of->depth;
    const frame *const over = &of->frames[at + 1];
    const int64_t alone_ns = over->begin_ns < end_ns ? over->begin_ns : end_ns;
    stele_call_span *const call = &s->pending[s->pending_count];
    frame closed = of->frames[at];
    closed.child_ns += end_ns > alone_ns ? (uint64_t)end_ns - (uint64_t)alone_ns : 0;
    calls_set_span(call, &closed, end_ns < s->end_ns ? end_ns : s->end_ns, at, track, how);
    memmove(&of->frames[at], over, (depth - at) * sizeof *over);
    of->moved_depth = depth > of->moved_depth ? depth : of->moved_depth;
    of->depth = at - 1;
    if (is_outside(s, of, &closed, call)) {
        of->depth = depth - 1;
        frames_moved(s, of, at);
        return;
    }
    if (alone_ns > of->frames[at - 1].end_ns) {
        if (!s->has_no_self)
            calls_charge_overlap(of, &closed, alone_ns);
    } else if (alone_ns > closed.begin_ns) {
        of->frames[at - 1].child_ns += (uint64_t)alone_ns - (uint64_t)closed.begin_ns;
    }
    of->depth = depth - 1;
    if (!closed.is_repeated)
        call->total_ns -= shared_total(of, at, &closed, call->end_ns);
    frames_moved(s, of, at);
    keep_call(s, how);
}

/* Ends frames above the one at `at`, which ends at `time_ns`: those that have no end of their own,
   or an earlier one. Returns how many stay, at the top. */
static uint32_t close_above(stele_calls *s, stack *of, uint32_t track, uint32_t at, int64_t time_ns)
{
    uint32_t staying = 0;
    for (uint32_t i = of->depth; i > at; i--) {
        const frame *above = &of->frames[i];
        const bool has_ended = above->is_timed && above->end_ns <= time_ns;
        const stele_call_end how = has_ended ? STELE_CALL_RETURNED : STELE_CALL_UNWOUND;
        s->counts.overlap_count += above->is_timed && !has_ended;
        if (above->is_timed && !has_ended && staying < CALLS_OVERLAP_MAX)
            staying++;
        else if (staying != 0)
            close_under(s, of, track, i, has_ended ? above->end_ns : time_ns, how);
        else
            calls_close_top(s, of, track, has_ended ? above->end_ns : time_ns, how);
    }
    return staying;
}

/* Whether the COMPLETE event at the top began with the call below it and outlasts that: then it is
   around it, as long as nothing took its time. */
static bool is_around(const stack *of, uint32_t at)
{
    const frame *top = stack_top(of);
    return of->depth == at + 1 && top->begin_ns == of->frames[at].begin_ns && top->child_ns == 0;
}

/* Puts the top frame below the call that began with it. */
static void put_below(stele_calls *s, stack *of)
{
    const uint32_t at = of->depth - 1;
    const frame call = of->frames[at];
    of->frames[at] = of->frames[at + 1];
    of->frames[at + 1] = call;
    frames_moved(s, of, at);
    for (uint32_t i = at; s->options.has_tree && !of->is_before && i <= of->depth; i++)
        of->frames[i].node = calls_node_child(s, of->frames[i - 1].node, of->frames[i].name);
}

/* Handles an exit that does not end the top frame. It ends a frame below, whose callees were
   left by an exception, or a call whose entry is missing. */
static void end_elsewhere(stele_calls *s, stack *of, uint32_t track, int64_t time_ns,
                          stele_name name, stele_call_end how)
{
    const uint32_t at = call_stack_find(of, name);
    if (at != 0) {
        const bool stays = close_above(s, of, track, at, time_ns) != 0;
        if (stays && is_around(of, at)) {
            s->counts.overlap_count--;
            put_below(s, of);
            calls_close_top(s, of, track, time_ns, how);
        } else if (stays) {
            close_under(s, of, track, at, time_ns, how);
        } else {
            calls_close_top(s, of, track, time_ns, how);
        }
        return;
    }
    if (s->missed != NULL) {
        s->missed(s->missed_user, s, of, track, time_ns, name, how);
        return;
    }
    /* The entry is missing. Calls on the stack may have ended as well, but nothing says so: they
       stay. */
    if (calls_open_top(s, of, time_ns, NULL, name, true))
        calls_close_top(s, of, track, time_ns, STELE_CALL_ENTRY_LOST);
}

void calls_take_end(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                    stele_call_end how)
{
    if (of->cut_depth != 0) {
        of->cut_depth--;
        return;
    }
    if (of->depth != 0 && is_exit_of(stack_top(of), name))
        calls_close_top(s, of, event->track, event->time_ns, how);
    else
        end_elsewhere(s, of, event->track, event->time_ns, name, how);
}

/* Whether the COMPLETE event at `at` began with the frame below it and ends later. */
static inline bool goes_below(const stack *of, uint32_t at, int64_t end_ns)
{
    const frame *below = &of->frames[at - 1];
    return at != 1 && below->begin_ns == of->frames[at].begin_ns && below->end_ns < end_ns;
}

/* Moves the COMPLETE event at the top below frames that began with it and end before it. Returns
   its new index. */
static uint32_t settle(stele_calls *s, stack *of)
{
    const frame moved = *stack_top(of);
    uint32_t at = of->depth;
    for (; goes_below(of, at, moved.end_ns); at--) {
        of->frames[at] = of->frames[at - 1];
        of->frames[at - 1] = moved;
    }
    frames_moved(s, of, at);
    for (uint32_t i = at; s->options.has_tree && !of->is_before && i <= of->depth; i++)
        of->frames[i].node = calls_node_child(s, of->frames[i - 1].node, of->frames[i].name);
    return at;
}

void calls_take_complete(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                         bool is_wanted)
{
    const int64_t given_ns = (int64_t)event->id;
    const int64_t end_ns = given_ns > event->time_ns ? given_ns : event->time_ns;
    uint32_t at;
    if (end_ns > of->last_ns)
        of->last_ns = end_ns;
    if (!calls_open_top(s, of, event->time_ns, &end_ns, name, is_wanted))
        return;
    at = of->depth;
    if (goes_below(of, at, end_ns))
        at = settle(s, of);
    s->counts.overlap_count += of->frames[at - 1].end_ns < end_ns;
}
