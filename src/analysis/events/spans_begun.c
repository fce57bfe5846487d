/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of calls that begin and end in the same segment, as nearly all calls do in most traces.
 * Their begin events are used in the batch itself. A call is copied to a slot, which takes time,
 * only if it is still open at an event of another kind or at the end of the segment.
 */
#include "analysis/events/spans_state.h"

#include <stdlib.h>

#include "analysis/events/calls.h"
#include "core/array.h"

static bool reserve(stele_spans *s, size_t count)
{
    begun_call *grown;
    if (count <= s->begun_capacity)
        return true;
    grown = array_fit(s->begun, sizeof *grown, count);
    if (grown == NULL) {
        s->status = STELE_ERR_MEMORY;
        return false;
    }
    s->begun = grown;
    s->begun_capacity = (uint32_t)count;
    return true;
}

static open_data data_of(const begun_call *call)
{
    return (open_data){.id = call->id,
                       .child_count = call->child_count,
                       .delta_ns = call->delta_ns,
                       .source =
                           call->event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL};
}

/* Gives the span of the frame `top`, which the event `end` ends. */
static __attribute__((noinline)) void give(stele_spans *s, const stack *of, const frame *top,
                                           const begun_call *call, const stele_event *end)
{
    const open_data data = data_of(call);
    const uint32_t depth = (uint32_t)(top - of->frames) - 1, around = top[-1].tag;
    const int64_t until_ns = end->time_ns > top->begin_ns ? end->time_ns : top->begin_ns;
    const uint64_t whole = (uint64_t)until_ns - (uint64_t)top->begin_ns;
    const bool is_tail = end->kind == STELE_KIND_TAIL_EXIT;
    stele_span span = {.begin_ns = top->begin_ns,
                       .end_ns = until_ns,
                       .self_ns = whole > top->child_ns ? whole - top->child_ns : 0,
                       .depth = depth,
                       .node = top->node,
                       .root = of->frames[1].name,
                       .end = is_tail ? STELE_SPAN_TAIL : STELE_SPAN_RETURNED};
    s->now.event = end;
    spans_set_begin(s, &span, call->event, s->now.batch->stream, &data);
    spans_take_end(&span, s->now);
    if (call - 1 != s->begun)
        span.parent = call[-1].id;
    else if (around != 0)
        span.parent = s->open[around].id;
    if (span.parent != 0)
        span.caller = top[-1].name;
    spans_give(
        s, &span,
        (spans_end){opened_is_plain(s->now.batch, call->event) ? &opened_no_batch : s->now.batch,
                    call->event},
        s->now);
}

/* Copies the calls that are still open to slots. Adds the children counted in the first entry of
   `begun` to the call around them, which has a slot already. */
static void settle(stele_spans *s, stack *of, uint32_t base, const begun_call *last)
{
    const uint32_t around = of->frames[base].tag;
    if (around != 0)
        s->open[around].child_count += s->begun->child_count;
    for (const begun_call *call = s->begun + 1; call <= last; call++) {
        const open_data data = data_of(call);
        of->frames[base + (uint32_t)(call - s->begun)].tag = spans_keep(s, call->event, &data);
    }
}

const stele_event *spans_take_begun(stele_spans *s, stack *of, const stele_event *event,
                                    const stele_event *end)
{
    const uint32_t track = event->track, base = of->depth;
    begun_call *last;
    frame *top = stack_top(of);
    uint64_t id = s->id;
    if (!reserve(s, (size_t)(end - event) + 1))
        return event;
    last = s->begun;
    last->child_count = 0;
    for (;
         event != end && event->track == track && spans_is_usual(s, event) && s->status == STELE_OK;
         event++) {
        const stele_name name = spans_global_name(event->name);
        const int64_t time_ns = event->time_ns;
        if (event->kind == STELE_KIND_BEGIN) {
            if (top == &of->frames[of->capacity] || (top->is_timed && top->end_ns <= time_ns))
                break;
            frame_set(++top, time_ns, name, true);
            *++last = (begun_call){event, ++id, 0, spans_delta(s, track, name, time_ns)};
            if (s->options.has_paths) {
                of->depth = (uint32_t)(top - of->frames);
                if (!calls_set_node(s->calls, of))
                    s->status = STELE_ERR_MEMORY;
            }
        } else {
            const bool is_tail = event->kind == STELE_KIND_TAIL_EXIT;
            uint64_t whole;
            if (last == s->begun || (event->kind != STELE_KIND_END && !is_tail) ||
                !is_exit_of(top, name) || time_ns > top[-1].end_ns)
                break;
            whole = time_ns > top->begin_ns ? (uint64_t)time_ns - (uint64_t)top->begin_ns : 0;
            top[-1].child_ns += whole;
            last[-1].child_count++;
            if (!spans_is_short(s, whole, top->begin_ns))
                give(s, of, top, last, event);
            else
                spans_count(s, last->event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL,
                            is_tail ? STELE_SPAN_TAIL : STELE_SPAN_RETURNED,
                            (uint32_t)(top - of->frames) - 1);
            top--;
            last--;
        }
        if (time_ns > s->last_ns)
            s->last_ns = time_ns;
        if (time_ns > of->last_ns)
            of->last_ns = time_ns;
    }
    s->id = id;
    of->depth = (uint32_t)(top - of->frames);
    settle(s, of, base, last);
    return event;
}
