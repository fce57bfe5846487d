/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/calls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls_state.h"
#include "core/sized.h"

/* The largest limit that an option can set: numbers of frames have 32 bits. */
#define DEPTH_MAX (1u << 28)
#define NODES_MAX (1u << 20)

stele_status stele_calls_set_window(stele_calls *s, int64_t begin_ns, int64_t end_ns)
{
    const bool is_open = begin_ns == INT64_MIN && end_ns == INT64_MAX;
    const bool was_open = s->begin_ns == INT64_MIN && s->end_ns == INT64_MAX;
    const stele_status status = is_open && was_open ? STELE_OK : stele_calls_finish(s);
    s->begin_ns = begin_ns;
    s->end_ns = end_ns;
    for (uint32_t i = 0; i < s->track_count; i++)
        s->tracks[i].is_before = begin_ns != INT64_MIN;
    return status;
}

bool stele_calls_in_window(const stele_calls *s, int64_t time_ns)
{
    return time_ns >= s->begin_ns && (time_ns < s->end_ns || s->end_ns == INT64_MAX);
}

void stele_calls_tag(stele_calls *s, uint32_t tag)
{
    s->tag = tag;
}

bool stele_calls_open_at(const stele_calls *s, uint32_t track, uint32_t depth,
                         stele_call_span *span)
{
    const stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    if (of == NULL || depth >= of->depth)
        return false;
    calls_set_span(span, &of->frames[depth + 1], of->frames[depth + 1].end_ns, depth + 1, track,
                   STELE_CALL_OPEN);
    return true;
}

void stele_calls_leave_self(stele_calls *s)
{
    s->has_no_self = true;
}

uint32_t stele_calls_depth(const stele_calls *s, uint32_t track)
{
    return track < s->track_count ? s->tracks[track].depth : 0;
}

bool calls_set_node(stele_calls *s, const stack *of)
{
    frame *const top = stack_top(of);
    top->node = calls_node_child(s, top[-1].node, top->name);
    return s->status == STELE_OK;
}

void calls_expire(stele_calls *s, uint32_t track, int64_t now_ns)
{
    const stele_call_counts counts = s->counts;
    stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    if (of == NULL || of->timed_depth == 0)
        return;
    if (of->is_before && now_ns >= s->begin_ns)
        calls_enter_window(s, of, track);
    calls_expire_top(s, of, track, now_ns);
    if (of->is_before)
        s->counts = counts;
    calls_flush(s);
}

uint32_t calls_pass_complete(stele_calls *s, const stele_event *event, const stele_event *end,
                             int64_t end_ns)
{
    uint32_t count = 0;
    for (; event != end && event->kind == STELE_KIND_COMPLETE &&
           (event->flags & STELE_FLAG_REPEATED) == 0 && event->time_ns >= s->begin_ns &&
           (int64_t)event->id <= end_ns;
         event++) {
        const int64_t given_ns = (int64_t)event->id;
        const int64_t until_ns = given_ns > event->time_ns ? given_ns : event->time_ns;
        stack *of = calls_track(s, event->track, event->time_ns);
        if (of == NULL)
            break;
        if (of->is_before)
            calls_enter_window(s, of, event->track);
        if (until_ns > of->last_ns)
            of->last_ns = until_ns;
        count++;
    }
    s->counts.call_count += count;
    s->counts.by_end[STELE_CALL_RETURNED] += count;
    return count;
}

/* ---- Adding of events ---- */

/* Makes the filter of calls from those parts of a request that apply to calls, not to single
   events. */
static stele_status make_filter(stele_calls *s, const stele_request *only)
{
    stele_request request;
    stele_status status;
    if (only == NULL)
        return STELE_OK;
    request = (stele_request){.kinds = only->kinds != 0 ? only->kinds : STELE_KINDS_ALL,
                              .names = only->names,
                              .categories = only->categories,
                              .tracks = only->tracks,
                              .where = only->where};
    status = filter_new(s->context, &request, NULL, &s->only);
    if (status == STELE_OK && filter_is_open(s->only, STELE_KINDS_ALL)) {
        filter_free(s->only);
        s->only = NULL;
    }
    return status;
}

static stele_status prepare(stele_calls *s, stele_context *context)
{
    stele_status status;
    s->context = context;
    s->begin_ns = INT64_MIN;
    s->end_ns = INT64_MAX;
    if (s->options.depth_max == 0)
        s->options.depth_max = context->limits.call_depth_max;
    if (s->options.depth_max > DEPTH_MAX)
        s->options.depth_max = DEPTH_MAX;
    if (s->options.nodes_max == 0)
        s->options.nodes_max = NODES_MAX;
    status = make_filter(s, s->options.only);
    if (status == STELE_OK && s->options.has_tree &&
        !call_tree_begin(&s->tree, s->options.nodes_max))
        status = STELE_ERR_MEMORY;
    return status;
}

stele_status stele_calls_new(stele_context *context, const stele_call_options *options,
                             stele_call_fn *fn, void *user, stele_calls **out)
{
    stele_calls *s = calloc(1, sizeof *s);
    stele_status status = SIZED_BEGIN(s, stele_calls, stele_call_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(s, context);
    if (status != STELE_OK) {
        stele_calls_free(s);
        return status;
    }
    s->fn = fn;
    s->user = user;
    *out = s;
    return STELE_OK;
}

void stele_calls_free(stele_calls *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->track_count; i++) {
        free(s->tracks[i].frames);
        hash_table_free(&s->tracks[i].outermost);
        hash_table_free(&s->tracks[i].deep.names);
    }
    filter_free(s->only);
    free(s->tracks);
    call_tree_free(&s->tree);
    free(s);
}

bool stele_calls_wants(const stele_calls *s, const stele_batch *batch, const stele_event *event)
{
    return s->only == NULL || filter_passes(s->only, batch, event);
}

static inline stele_name name_of(const stele_event *event)
{
    return (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
}

static void take(stele_calls *s, stack *of, const stele_batch *batch, const stele_event *event)
{
    const stele_name name = name_of(event);
    calls_expire_top(s, of, event->track, event->time_ns);
    switch (event->kind) {
    case STELE_KIND_BEGIN:
        s->counts.call_count++;
        of->cut_depth +=
            !calls_open_top(s, of, event->time_ns, NULL, name, stele_calls_wants(s, batch, event));
        break;
    case STELE_KIND_END: calls_take_end(s, of, event, name, STELE_CALL_RETURNED); break;
    case STELE_KIND_TAIL_EXIT: calls_take_end(s, of, event, name, STELE_CALL_TAIL); break;
    default:
        s->counts.call_count++;
        calls_take_complete(s, of, event, name, stele_calls_wants(s, batch, event));
    }
    if (event->time_ns > of->last_ns)
        of->last_ns = event->time_ns;
}

/*
 * Takes an event before the window. It changes which calls are open, but counts and gives nothing.
 */
static void take_before(stele_calls *s, stack *of, const stele_batch *batch,
                        const stele_event *event)
{
    const stele_call_counts counts = s->counts;
    take(s, of, batch, event);
    s->counts = counts;
}

static inline bool is_repeated(const stele_event *event)
{
    return (event->flags & STELE_FLAG_REPEATED) != 0;
}

/*
 * Fast path for entries, and exits that end the top frame, on a stack without COMPLETE events:
 * nearly all events of most traces. State is kept in local variables, because the compiler must
 * assume that stores to frames and spans change the rest. Returns the first event that it did not
 * take.
 */
static const stele_event *take_plain(stele_calls *s, stack *of, const stele_event *event,
                                     const stele_event *end)
{
    const bool has_tree = s->options.has_tree, needs_recursion = s->options.needs_recursion;
    const uint32_t track = event->track, room = CALLS_PENDING - s->pending_count;
    uint32_t depth = of->depth, depth_max = depth;
    frame *top = stack_top(of);
    stele_call_span *span = &s->pending[s->pending_count];
    const stele_event *const first = event;
    const uint32_t names_max = needs_recursion ? outermost_room(of) : UINT32_MAX;
    int64_t last_ns = of->last_ns;
    uint64_t call_count, tail_count = 0;
    if ((size_t)(end - event) > room)
        end = event + room;
    for (; event != end && event->track == track && !is_repeated(event); event++) {
        const stele_name name = event->name;
        const int64_t time_ns = event->time_ns;
        if ((name & STELE_NAME_LOCAL) != 0)
            break;
        if (event->kind == STELE_KIND_BEGIN) {
            if (depth == of->capacity || of->outermost.count >= names_max)
                break;
            depth++;
            frame_set(++top, time_ns, name, true);
            if (needs_recursion)
                top->is_repeated = is_further_out(of, depth, name);
            if (has_tree)
                top->node = calls_node_child(s, top[-1].node, name);
            depth_max = depth > depth_max ? depth : depth_max;
        } else {
            const bool is_tail = event->kind == STELE_KIND_TAIL_EXIT;
            if ((event->kind != STELE_KIND_END && !is_tail) || depth == 0 || !is_exit_of(top, name))
                break;
            top[-1].child_ns += calls_set_span(span, top, time_ns, depth, track,
                                               is_tail ? STELE_CALL_TAIL : STELE_CALL_RETURNED);
            tail_count += is_tail;
            span++;
            top--;
            depth--;
        }
        last_ns = time_ns > last_ns ? time_ns : last_ns;
    }
    of->depth = depth;
    of->last_ns = last_ns;
    if (depth_max > s->counts.depth_max)
        s->counts.depth_max = depth_max;
    call_count = (uint64_t)(span - &s->pending[s->pending_count]);
    s->counts.call_count += (uint64_t)(event - first) - call_count;
    s->counts.by_end[STELE_CALL_TAIL] += tail_count;
    s->counts.by_end[STELE_CALL_RETURNED] += call_count - tail_count;
    s->pending_count = (uint32_t)(span - s->pending);
    if (s->pending_count == CALLS_PENDING)
        calls_flush(s);
    return event;
}

/* The stack that take_mixed() works on. Its depth, and what else changes with each event, is in
   local variables, because the compiler must assume that stores to frames and spans change the
   rest. */
typedef struct mixed_stack {
    stack *of;
    uint32_t track, depth, timed_depth;
    int64_t last_ns;
    uint32_t span_count; /* how many calls are pending */
} mixed_stack;

static inline bool takes_mixed(const stack *of)
{
    return of->frames != NULL && !of->is_before && of->cut_depth == 0;
}

static inline void mixed_begin(mixed_stack *m, stack *of, uint32_t track)
{
    m->of = of;
    m->track = track;
    m->depth = of->depth;
    m->timed_depth = of->timed_depth;
    m->last_ns = of->last_ns;
}

static inline void mixed_end(const mixed_stack *m)
{
    m->of->depth = m->depth;
    m->of->timed_depth = m->timed_depth;
    m->of->last_ns = m->last_ns;
}

/* Goes on with the stack of another track. Returns false if that cannot be. */
static inline bool mixed_go_to(const stele_calls *s, mixed_stack *m, uint32_t track)
{
    stack *const next = track < s->track_count ? &s->tracks[track] : NULL;
    if (next == NULL || !takes_mixed(next))
        return false;
    mixed_end(m);
    mixed_begin(m, next, track);
    return true;
}

static inline __attribute__((always_inline)) void
mixed_pop(stele_calls *s, mixed_stack *m, int64_t end_ns, bool is_timed, stele_call_end how)
{
    frame *const top = &m->of->frames[m->depth];
    stele_call_span *const call = &s->pending[m->span_count++];
    const uint64_t whole = calls_set_span(call, top, end_ns, m->depth--, m->track, how);
    m->timed_depth -= is_timed;
    if (call->end_ns <= top[-1].end_ns) {
        top[-1].child_ns += whole;
    } else if (!s->has_no_self) {
        m->of->depth = m->depth;
        call->total_ns = calls_charge_overlap(m->of, top, call->end_ns);
    }
}

/* Pops the COMPLETE events that have ended by `now_ns`; the end of other frames is INT64_MAX, which
   `now_ns` is not. Returns false if no place is left for the calls that come of it. */
static inline bool mixed_expire(stele_calls *s, mixed_stack *m, int64_t now_ns)
{
    for (const frame *top = &m->of->frames[m->depth]; top->end_ns <= now_ns; top--) {
        if (m->span_count == CALLS_PENDING)
            return false;
        mixed_pop(s, m, top->end_ns, true, STELE_CALL_RETURNED);
    }
    return true;
}

/*
 * Fast path for COMPLETE events, and for entries and exits among them, where all of the time counts
 * and no paths are made. The call of a COMPLETE event is given when an event begins at its end or
 * later. Passes over events of other kinds. Returns the first event that it did not take: one that
 * begins with the call around it and ends later is left to calls_take_complete(), and an exit that
 * does not end the top frame to calls_take_end().
 */
static const stele_event *take_mixed(stele_calls *s, stack *of, const stele_event *event,
                                     const stele_event *end, bool *has_others)
{
    uint64_t overlap_count = 0, call_count = 0, tail_count = 0;
    uint32_t depth_max = 0;
    mixed_stack m = {.span_count = s->pending_count};
    mixed_begin(&m, of, event->track);
    for (; event != end; event++) {
        const int64_t begin_ns = event->time_ns, given_ns = (int64_t)event->id;
        frame *top;
        if ((STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) == 0) {
            *has_others = true;
            continue;
        }
        if (is_repeated(event) || (event->name & STELE_NAME_LOCAL) != 0 ||
            (event->track != m.track && !mixed_go_to(s, &m, event->track)) ||
            begin_ns == INT64_MAX || !mixed_expire(s, &m, begin_ns))
            break;
        top = &m.of->frames[m.depth];
        if (event->kind == STELE_KIND_COMPLETE) {
            const int64_t end_ns = given_ns > begin_ns ? given_ns : begin_ns;
            if (m.depth == m.of->capacity || (top->begin_ns == begin_ns && top->end_ns < end_ns))
                break;
            overlap_count += top->end_ns < end_ns;
            frame_set(++top, begin_ns, event->name, true);
            top->end_ns = end_ns;
            top->is_timed = true;
            m.timed_depth++;
            m.last_ns = end_ns > m.last_ns ? end_ns : m.last_ns;
        } else if (event->kind == STELE_KIND_BEGIN) {
            if (m.depth == m.of->capacity)
                break;
            frame_set(++top, begin_ns, event->name, true);
        } else {
            const bool is_tail = event->kind == STELE_KIND_TAIL_EXIT;
            if (m.depth == 0 || !is_exit_of(top, event->name) || m.span_count == CALLS_PENDING)
                break;
            mixed_pop(s, &m, begin_ns, false, is_tail ? STELE_CALL_TAIL : STELE_CALL_RETURNED);
            tail_count += is_tail;
            m.last_ns = begin_ns > m.last_ns ? begin_ns : m.last_ns;
            continue;
        }
        call_count++;
        m.last_ns = begin_ns > m.last_ns ? begin_ns : m.last_ns;
        m.depth++;
        depth_max = m.depth > depth_max ? m.depth : depth_max;
    }
    mixed_end(&m);
    if (depth_max > s->counts.depth_max)
        s->counts.depth_max = depth_max;
    s->counts.overlap_count += overlap_count;
    s->counts.call_count += call_count;
    s->counts.by_end[STELE_CALL_TAIL] += tail_count;
    s->counts.by_end[STELE_CALL_RETURNED] += m.span_count - s->pending_count - tail_count;
    s->pending_count = m.span_count;
    if (m.span_count == CALLS_PENDING)
        calls_flush(s);
    return event;
}

stele_status stele_calls_add(stele_calls *s, const stele_segment *segment, bool *others)
{
    const bool is_plain = !s->options.has_tree && !s->options.needs_recursion &&
                          s->begin_ns == INT64_MIN && s->end_ns == INT64_MAX;
    bool has_others = false;
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    while (event != end && s->status == STELE_OK) {
        const stele_event *next = event;
        stack *of;
        if ((STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) == 0) {
            has_others = true;
            event++;
            continue;
        }
        if (is_repeated(event)) {
            s->counts.repeated_count++;
            event++;
            continue;
        }
        of = calls_track(s, event->track, event->time_ns);
        if (of == NULL)
            break;
        if (of->is_before && event->time_ns >= s->begin_ns)
            calls_enter_window(s, of, event->track);
        if (of->is_before) {
            take_before(s, of, segment->batch, event++);
            continue;
        }
        if (s->only == NULL && of->cut_depth == 0 && s->tag == 0) {
            if (is_plain && (event->kind == STELE_KIND_COMPLETE || of->timed_depth != 0))
                next = take_mixed(s, of, event, end, &has_others);
            else if (of->timed_depth == 0)
                next = take_plain(s, of, event, end);
        }
        if (next == event)
            take(s, of, segment->batch, next++);
        event = next;
    }
    calls_flush(s);
    if (others != NULL)
        *others = has_others;
    return s->status;
}

stele_status stele_calls_finish(stele_calls *s)
{
    for (uint32_t i = 0; i < s->track_count; i++) {
        stack *of = &s->tracks[i];
        of->cut_depth = 0;
        calls_finish_track(s, of, i);
    }
    calls_flush(s);
    return s->status;
}

uint32_t stele_calls_path(stele_calls *s, uint32_t track, const stele_name *names, size_t count)
{
    const stack *of = calls_track(s, track, 0);
    uint32_t node = of != NULL ? of->frames[0].node : 0;
    for (size_t i = 0; i < count; i++)
        node = calls_node_child(s, node, names[i]);
    return node;
}

uint32_t stele_calls_columns(const stele_calls *s)
{
    const uint32_t columns =
        STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE;
    return s->only != NULL ? columns | filter_columns(s->only) : columns;
}

const stele_call_counts *stele_calls_get_counts(const stele_calls *s)
{
    return &s->counts;
}

void stele_calls_report(const stele_calls *s)
{
    filter_report(s->only, &s->context->diag);
}

const stele_call_node *stele_calls_node(const stele_calls *s, uint32_t node)
{
    return node < s->tree.count ? &s->tree.nodes[node] : NULL;
}

uint32_t stele_calls_node_count(const stele_calls *s)
{
    return s->tree.count;
}
