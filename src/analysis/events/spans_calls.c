/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of calls, which are on the stack of their track. */
#include "analysis/events/spans_state.h"

#include "analysis/events/call_stack.h"
#include "analysis/events/calls.h"
#include "analysis/events/calls_state.h"

/* ---- Spans of calls that ended ---- */

static bool has_call_begun(const stele_spans *s, uint32_t tag)
{
    return tag != 0 && s->open[tag].source != STELE_SPAN_COMPLETE;
}

/* The slot of the call around one that has ended: one that ended with it, among `after` to
   `end`, or one that is still open. Returns 0 if there is none. */
static uint32_t slot_around(const stele_spans *s, const stele_call_span *call,
                            const stele_call_span *after, const stele_call_span *end)
{
    stele_call_span around;
    if (call->depth == 0)
        return 0;
    for (; after != end && after->track == call->track && after->depth >= call->depth; after++)
        ;
    if (after != end && after->track == call->track && after->depth == call->depth - 1)
        return after->tag;
    return stele_calls_open_at(s->calls, call->track, call->depth - 1, &around) ? around.tag : 0;
}

static stele_name root_of(const stele_spans *s, const stele_call_span *call,
                          const stele_call_span *end)
{
    stele_call_span root;
    for (const stele_call_span *after = call; after != end && after->track == call->track; after++)
        if (after->depth == 0)
            return after->name;
    return stele_calls_open_at(s->calls, call->track, 0, &root) ? root.name : call->name;
}

/* Gives the span of a call that has ended; `around` is the slot of the call around it. */
static void give_call(stele_spans *s, stele_span *span, uint32_t slot, uint32_t around,
                      spans_end by)
{
    spans_take_begin(s, span, slot);
    span->end_track = span->track;
    span->end_stream = span->stream;
    if (by.event != NULL)
        spans_take_end(span, by);
    else
        span->end_offset =
            span->source == STELE_SPAN_COMPLETE ? span->begin_offset : STELE_SPAN_NO_OFFSET;
    if (around != 0) {
        span->parent = s->open[around].id;
        span->caller = spans_global_name(opened_event(&s->opened, around)->name);
    }
    spans_give(s, span, spans_begin_or_none(s, slot), by);
}

static void give_lost(stele_spans *s, stele_span *span, uint32_t around)
{
    spans_take_lost_begin(s, span, s->now);
    span->source = s->now.event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL;
    span->pair = (uint32_t)s->now.event->value;
    if (around != 0) {
        span->parent = s->open[around].id;
        span->caller = spans_global_name(opened_event(&s->opened, around)->name);
    }
    spans_give(s, span, (spans_end){NULL, NULL}, s->now);
}

static void close_call(stele_spans *s, const stele_call_span *call, const stele_call_span *end)
{
    const uint32_t around = slot_around(s, call, call + 1, end);
    const bool is_lost = call->end == STELE_CALL_ENTRY_LOST;
    stele_span span;
    if (around != 0)
        s->open[around].child_count++;
    if (!is_lost && spans_is_short(s, stele_call_duration_ns(call), call->begin_ns)) {
        spans_count(s, s->open[call->tag].source, call->end, call->depth);
        return;
    }
    span = (stele_span){.begin_ns = call->begin_ns,
                        .end_ns = call->end_ns,
                        .self_ns = call->self_ns,
                        .depth = call->depth,
                        .node = call->node,
                        .root = root_of(s, call, end),
                        .end = call->end};
    if (is_lost)
        give_lost(s, &span, around);
    else
        give_call(s, &span, call->tag, around,
                  has_call_begun(s, call->tag) && call->end <= STELE_CALL_TAIL
                      ? s->now
                      : (spans_end){NULL, NULL});
}

stele_status spans_close_calls(void *user, const stele_call_span *calls, size_t count)
{
    stele_spans *s = user;
    const stele_call_span *const end = calls + count;
    for (const stele_call_span *call = calls; call != end && s->status == STELE_OK; call++) {
        const int64_t begin_ns =
            call->tag != 0 ? opened_event(&s->opened, call->tag)->time_ns : call->begin_ns;
        if ((call->tag != 0 || call->end == STELE_CALL_ENTRY_LOST) &&
            !spans_is_before(s, begin_ns, call->end_ns))
            close_call(s, call, end);
        if (call->tag != 0)
            opened_remove(&s->opened, call->tag);
    }
    return s->status;
}

bool stele_spans_open_at(const stele_spans *s, uint32_t track, uint32_t depth, stele_span *span)
{
    stele_call_span call, around;
    if (!stele_calls_open_at(s->calls, track, depth, &call) || call.tag == 0)
        return false;
    *span = (stele_span){.begin_ns = call.begin_ns,
                         .end_ns = call.end_ns,
                         .self_ns = call.self_ns,
                         .end_offset = STELE_SPAN_NO_OFFSET,
                         .end_track = track,
                         .depth = depth,
                         .end = STELE_SPAN_OPEN};
    spans_take_begin(s, span, call.tag);
    if (depth != 0 && stele_calls_open_at(s->calls, track, depth - 1, &around) && around.tag != 0) {
        span->parent = s->open[around.tag].id;
        span->caller = around.name;
    }
    if (stele_calls_open_at(s->calls, track, 0, &around))
        span->root = around.name;
    return true;
}

/* Gives the begin of the span in a slot. */
static void give_begin(stele_spans *s, uint32_t slot, uint32_t track, uint32_t depth)
{
    const spans_end begin = spans_begin_of(s, slot);
    stele_span span;
    if (!stele_spans_open_at(s, track, depth, &span))
        return;
    span.end_ns = span.begin_ns;
    span.self_ns = 0;
    if (s->status == STELE_OK)
        s->status = spans_made_add(&s->made, &span, begin, (spans_end){NULL, NULL}, s->has_fields);
    if (s->status == STELE_OK)
        s->made.batch->events[s->made.batch->event_count - 1].kind = STELE_KIND_BEGIN;
}

/* Whether the begin of an open call was given, and with it those of all calls around it. */
static bool is_begin_given(const stele_spans *s, const stele_call_span *call)
{
    return call->tag == 0 ||
           (s->open[call->tag].is_given && call->begin_ns < s->now.event->time_ns);
}

/* Gives the begins of spans after the current event has begun one, or has moved the window on.
   They are at the top of the stack, or begin at this time. */
static void give_begins(stele_spans *s)
{
    const uint32_t track = s->now.event->track, depth_end = stele_calls_depth(s->calls, track);
    uint32_t depth = depth_end;
    stele_call_span call;
    while (depth != 0 && stele_calls_open_at(s->calls, track, depth - 1, &call) &&
           !is_begin_given(s, &call))
        depth--;
    for (; depth < depth_end; depth++) {
        if (!stele_calls_open_at(s->calls, track, depth, &call) || call.tag == 0 ||
            s->open[call.tag].is_given)
            continue;
        s->open[call.tag].is_given = true;
        give_begin(s, call.tag, track, depth);
    }
}

/* ---- Fast path for calls that nest ---- */

/* Pops the top frame, which ends before its caller does. */
static void close_top(stele_spans *s, stack *of, int64_t time_ns, stele_span_end how, spans_end by)
{
    const frame *top = stack_top(of);
    const uint32_t slot = top->tag, around = top[-1].tag;
    const int64_t until_ns = time_ns > top->begin_ns ? time_ns : top->begin_ns;
    const uint64_t whole = (uint64_t)until_ns - (uint64_t)top->begin_ns;
    of->depth--;
    of->timed_depth -= top->is_timed;
    of->frames[of->depth].child_ns += whole;
    if (until_ns <= s->begin_ns &&
        spans_is_before(s, opened_event(&s->opened, slot)->time_ns, until_ns)) {
        opened_remove(&s->opened, slot);
        return;
    }
    if (around != 0)
        s->open[around].child_count++;
    if (spans_is_short(s, whole, top->begin_ns)) {
        spans_count(s, s->open[slot].source, (uint8_t)how, of->depth);
    } else {
        stele_span span = {.begin_ns = top->begin_ns,
                           .end_ns = until_ns,
                           .self_ns = whole > top->child_ns ? whole - top->child_ns : 0,
                           .depth = of->depth,
                           .node = top->node,
                           .root = of->frames[1].name,
                           .end = (uint8_t)how};
        give_call(s, &span, slot, around, by);
    }
    opened_remove(&s->opened, slot);
}

/* Pushes a call, or a COMPLETE event that ends at `end_ns`. */
static void open_top(stele_spans *s, stack *of, stele_span_source from, int64_t end_ns)
{
    const stele_event *event = s->now.event;
    const uint32_t slot = spans_open(s, from);
    frame *top;
    if (slot == 0)
        return;
    of->depth++;
    top = stack_top(of);
    frame_set(top, event->time_ns, spans_global_name(event->name), true);
    top->tag = slot;
    top->end_ns = end_ns;
    if (from == STELE_SPAN_COMPLETE) {
        top->is_timed = true;
        of->timed_depth++;
    }
    if (s->options.has_paths && !calls_set_node(s->calls, of))
        s->status = STELE_ERR_MEMORY;
}

/* Pops COMPLETE events that have ended. Returns false at one that ends after the span around it,
   which the calls engine must handle. */
static bool expire(stele_spans *s, stack *of, int64_t now_ns)
{
    while (of->depth != 0 && stack_top(of)->is_timed && stack_top(of)->end_ns <= now_ns) {
        const frame *top = stack_top(of);
        if (top->end_ns > top[-1].end_ns)
            return false;
        close_top(s, of, top->end_ns, STELE_SPAN_RETURNED, (spans_end){NULL, NULL});
    }
    return true;
}

/* How many events after a COMPLETE one are looked at to find out that nothing begins in it. */
#define LEAF_LOOKED_AT 8

/* Whether it is certain that no call begins or ends on the track of a COMPLETE event, which ends at
   `end_ns`, before that. */
static bool is_leaf(const stele_event *event, const stele_event *end, int64_t end_ns)
{
    const stele_event *const last = end - event > LEAF_LOOKED_AT ? event + LEAF_LOOKED_AT : end;
    for (const stele_event *next = event + 1; next < last; next++) {
        if (next->track != event->track)
            continue;
        if (next->time_ns >= end_ns)
            return true;
        if ((STELE_CALLS_KINDS & STELE_KIND_BIT(next->kind)) != 0)
            return false;
    }
    return false;
}

/* Takes a COMPLETE event that nests, has nothing in it, and is too short for the receiver: it is
   counted, and needs no frame. Returns false without any change for other events. */
static bool take_short(stele_spans *s, stack *of, const stele_event *event, const stele_event *end)
{
    frame *top = stack_top(of);
    const int64_t end_ns =
        (int64_t)event->id > event->time_ns ? (int64_t)event->id : event->time_ns;
    const uint64_t whole = (uint64_t)end_ns - (uint64_t)event->time_ns;
    if (!spans_is_short(s, whole, event->time_ns) || event->time_ns < s->begin_ns ||
        end_ns > s->end_ns || end_ns > top->end_ns || of->depth == of->capacity ||
        s->options.has_paths || !is_leaf(event, end, end_ns))
        return false;
    s->id++;
    spans_delta(s, event->track, spans_global_name(event->name), event->time_ns);
    top->child_ns += whole;
    if (top->tag != 0)
        s->open[top->tag].child_count++;
    spans_count(s, STELE_SPAN_COMPLETE, STELE_SPAN_RETURNED, of->depth);
    if (end_ns > of->last_ns)
        of->last_ns = end_ns;
    return true;
}

/* Takes an event if it nests. Returns false without any change if it does not. */
static bool take_nested(stele_spans *s, stack *of, const stele_event *event)
{
    const frame *top = stack_top(of);
    int64_t end_ns;
    switch (event->kind) {
    case STELE_KIND_BEGIN:
        if (of->depth == of->capacity)
            return false;
        open_top(s, of, event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL, INT64_MAX);
        end_ns = event->time_ns;
        break;
    case STELE_KIND_COMPLETE:
        end_ns = (int64_t)event->id > event->time_ns ? (int64_t)event->id : event->time_ns;
        if (of->depth == of->capacity || end_ns > top->end_ns)
            return false;
        open_top(s, of, STELE_SPAN_COMPLETE, end_ns);
        break;
    default:
        end_ns = event->time_ns;
        if (of->depth == 0 || !is_exit_of(top, spans_global_name(event->name)) ||
            end_ns > top[-1].end_ns)
            return false;
        close_top(s, of, end_ns,
                  event->kind == STELE_KIND_TAIL_EXIT ? STELE_SPAN_TAIL : STELE_SPAN_RETURNED,
                  s->now);
    }
    if (end_ns > of->last_ns)
        of->last_ns = end_ns;
    return true;
}

/* ---- Other events of calls ---- */

/* Passes an event to the calls engine. It is not inlined, so that the fast path need not save
   registers for it. */
static __attribute__((noinline)) void take_call(stele_spans *s)
{
    const stele_event *event = s->now.event;
    const stele_segment one = {s->now.batch, (uint32_t)(event - s->now.batch->events), 1};
    const uint64_t cut_count = stele_calls_get_counts(s->calls)->cut_count;
    uint32_t slot = 0;
    calls_expire(s->calls, event->track, event->time_ns);
    if (event->kind == STELE_KIND_COMPLETE)
        slot = spans_open(s, STELE_SPAN_COMPLETE);
    else if (event->kind == STELE_KIND_BEGIN)
        slot = spans_open(s, event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL);
    stele_calls_tag(s->calls, slot);
    if (s->status == STELE_OK)
        s->status = stele_calls_add(s->calls, &one, NULL);
    if (slot != 0 && stele_calls_get_counts(s->calls)->cut_count != cut_count)
        opened_remove(&s->opened, slot);
    else if (s->options.has_begins && event->time_ns >= s->begin_ns)
        give_begins(s);
}

const stele_event *spans_take_calls(stele_spans *s, const stele_event *event,
                                    const stele_event *end)
{
    const bool can_nest = !s->options.has_begins && s->options.timeout_ns == 0;
    stack *of = can_nest ? calls_plain_stack(s->calls, event->track) : NULL;
    const stele_event *at = event;
    while (of != NULL && at != end && s->status == STELE_OK && at->track == event->track &&
           spans_is_usual(s, at)) {
        const stele_event *next = at;
        s->now.event = at;
        if (!expire(s, of, at->time_ns))
            break;
        if (at->kind == STELE_KIND_BEGIN)
            next = spans_take_begun(s, of, at, end);
        if (next == at) {
            if ((at->kind != STELE_KIND_COMPLETE || !take_short(s, of, at, end)) &&
                !take_nested(s, of, at))
                break;
            if (at->time_ns > s->last_ns)
                s->last_ns = at->time_ns;
            next++;
        }
        at = next;
    }
    if (at != event || s->status != STELE_OK)
        return at;
    take_call(s);
    return event + 1;
}
