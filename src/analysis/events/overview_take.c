/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds an overview: the reader's events go to the engines of calls, spans and scheduling, and
   their results to the rows of tracks. Nothing but the lanes grows with the trace. */
#include <stdlib.h>
#include <string.h>

#include "analysis/events/overview.h"
#include "analysis/events/overview_take.h"
#include "analysis/events/sched.h"
#include "analysis/events/spans_state.h"
#include "core/array.h"
#include "core/saturate.h"
#include "core/sized.h"

#define STRETCHES_MAX (1u << 16)

static overview_lane *lane_new(stele_overview *o, lane_kind kind)
{
    overview_lane *made = malloc(sizeof *made);
    if (made == NULL)
        o->status = STELE_ERR_MEMORY;
    else
        lane_init(made, kind);
    return made;
}

/* Adds a busy stretch to the lanes: no span that is still open can be around it. */
static inline void flush_stretch(stele_overview *o, overview_node *n, const busy_stretch *s)
{
    n->busy_ns += (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
    if (n->all != NULL)
        overview_keep_status(o, lane_add_span(n->all, &o->store, s->begin_ns, s->end_ns, 0));
}

/* Adds the first `count` busy stretches to the lanes: no span that is still open can be around
   them. */
static void flush_stretches(stele_overview *o, overview_node *n, uint32_t count)
{
    for (uint32_t i = 0; i < count && o->status == STELE_OK; i++)
        flush_stretch(o, n, &n->stretches[i]);
    n->stretch_count -= count;
    if (n->stretch_count != 0)
        memmove(n->stretches, n->stretches + count, n->stretch_count * sizeof *n->stretches);
}

/* Starts the lane `all`: from `from_ns` on row 0 does not show when the track is busy. */
static void split_busy(stele_overview *o, overview_node *n, int64_t from_ns)
{
    n->all = lane_new(o, LANE_SPANS);
    n->all_from_ns = from_ns;
    if (n->row_count != 0)
        overview_keep_status(o, lane_close(&n->rows[0], &o->store));
}

/* Before another stretch is added: enlarges a full array, or, at STRETCHES_MAX, adds the first half
   of the stretches to the lane. Returns false if out of memory. */
static bool stretches_grow(stele_overview *o, overview_node *n)
{
    busy_stretch *grown;
    if (n->stretch_count == STRETCHES_MAX) {
        flush_stretches(o, n, STRETCHES_MAX / 2);
        return true;
    }
    grown = array_grow(n->stretches, sizeof *grown, &n->stretch_capacity, 4);
    if (grown == NULL) {
        o->status = STELE_ERR_MEMORY;
        return false;
    }
    n->stretches = grown;
    return true;
}

static inline void stretch_push(stele_overview *o, overview_node *n, busy_stretch made)
{
    if (n->stretch_count != n->stretch_capacity || stretches_grow(o, n))
        n->stretches[n->stretch_count++] = made;
}

/* Adds a span to a row and counts it. A span of a row that cannot be made is only counted. */
static inline void add_span(stele_overview *o, overview_node *n, uint32_t row, int64_t begin_ns,
                            int64_t end_ns, stele_name name)
{
    overview_lane *lane = row < n->row_count ? &n->rows[row] : overview_row(o, n, row);
    n->span_count++;
    o->state.span_count++;
    overview_widen(n, begin_ns, end_ns);
    if (lane != NULL)
        overview_keep_status(o, lane_add_span(lane, &o->store, begin_ns, end_ns, name));
    else
        o->state.cut_count++;
}

/* Adds a span that has ended to the busy stretches. It replaces those that began inside of it. If
   it is an outermost one, and nothing else is left, it is busy time of its row. */
static inline void add_stretch(stele_overview *o, overview_node *n, const stele_call_span *call)
{
    busy_stretch made = {call->begin_ns, call->end_ns};
    while (n->stretch_count != 0 && n->stretches[n->stretch_count - 1].end_ns >= made.begin_ns) {
        const busy_stretch *last = &n->stretches[--n->stretch_count];
        if (last->begin_ns < made.begin_ns)
            made.begin_ns = last->begin_ns;
        if (last->end_ns > made.end_ns)
            made.end_ns = last->end_ns;
    }
    if (call->depth == 0 && n->stretch_count == 0 && made.begin_ns == call->begin_ns &&
        made.end_ns == call->end_ns)
        flush_stretch(o, n, &made);
    else
        stretch_push(o, n, made);
}

/* Updates when the track is busy, after its outermost span has ended and before that span is
   added to row 0, which does not say all of it. */
static void end_outermost(stele_overview *o, overview_node *n)
{
    if (n->all == NULL && n->stretch_count != 0)
        split_busy(o, n, n->stretches[0].begin_ns);
    flush_stretches(o, n, n->stretch_count);
}

/* Takes a call of a track, but for counting it and widening the range of the track. */
static inline stele_status take_call(stele_overview *o, overview_node *n,
                                     const stele_call_span *call)
{
    const uint32_t depth = call->depth;
    stele_status status = STELE_OK;
    overview_lane *lane;
    add_stretch(o, n, call);
    if (depth == 0 && n->stretch_count != 0)
        end_outermost(o, n);
    lane = depth < n->row_count ? &n->rows[depth] : overview_row(o, n, depth);
    if (lane != NULL)
        status = lane_add_span(lane, &o->store, call->begin_ns, call->end_ns, call->name);
    else
        o->state.cut_count++;
    if (call->end == STELE_CALL_OPEN)
        overview_note_open(n, depth, call->begin_ns, call->end_ns);
    return status;
}

/* Takes the calls of one track, of which the first is given. Returns how many it took. */
static size_t take_calls(stele_overview *o, const stele_call_span *calls, size_t count)
{
    const uint32_t track = calls[0].track, number = overview_track_node(o, o->trace_now, track);
    overview_node *n = &o->nodes[number];
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    uint64_t taken = 0;
    size_t i = 0;
    if (number == 0)
        return 1;
    for (; i < count && calls[i].track == track && o->status == STELE_OK; i++) {
        const stele_call_span *call = &calls[i];
        if (!call->is_wanted || call->end == STELE_CALL_ENTRY_LOST) {
            if (call->depth == 0 && n->stretch_count != 0)
                end_outermost(o, n);
            continue;
        }
        taken++;
        begin_ns = call->begin_ns < begin_ns ? call->begin_ns : begin_ns;
        end_ns = call->end_ns > end_ns ? call->end_ns : end_ns;
        overview_keep_status(o, take_call(o, n, call));
    }
    n->span_count += taken;
    o->state.span_count += taken;
    if (taken != 0)
        overview_widen(n, begin_ns, end_ns);
    return i;
}

stele_status overview_take_calls(void *user, const stele_call_span *calls, size_t count)
{
    stele_overview *o = user;
    for (size_t i = 0; i < count && o->status == STELE_OK;)
        i += take_calls(o, &calls[i], count - i);
    return o->status;
}

/* The row for an operation that begins at `begin_ns`: of the rows that are free then the one
   that became free last, or a new one. */
static uint32_t free_row(const overview_node *n, int64_t begin_ns)
{
    uint32_t best = n->row_count;
    for (uint32_t i = 0; i < n->row_count; i++) {
        if (n->rows[i].last_ns <= begin_ns &&
            (best == n->row_count || n->rows[i].last_ns > n->rows[best].last_ns))
            best = i;
    }
    return best;
}

static void take_operation(stele_overview *o, uint32_t trace, const stele_span *span)
{
    const stele_track *track = stele_track_get(o->context, span->track);
    const uint32_t above = overview_track_node(
        o, trace, track != NULL && track->parent != 0 ? track->parent : span->track);
    uint32_t number, row;
    overview_node *n;
    if (above == 0)
        return;
    number = overview_child_node(o, above, STELE_OVERVIEW_OPERATIONS, 0, 0, 0);
    if (number == 0)
        return;
    n = &o->nodes[number];
    n->busy_ns += stele_span_duration_ns(span);
    row = free_row(n, span->begin_ns);
    add_span(o, n, row, span->begin_ns, span->end_ns, span->name);
    if (span->end == STELE_SPAN_OPEN)
        overview_note_open(n, row, span->begin_ns, span->end_ns);
}

static uint32_t trace_of(const stele_overview *o, uint32_t stream)
{
    const stele_stream *of;
    if (o->trace_count == 1)
        return o->trace_now;
    of = stele_stream_get(o->context, stream);
    return of != NULL ? of->trace : o->trace_now;
}

stele_status overview_take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    stele_overview *o = user;
    const uint32_t trace = trace_of(o, segment->batch->stream);
    for (uint32_t i = 0; i < segment->count && o->status == STELE_OK; i++) {
        if (spans[i].source != STELE_SPAN_FLOW && spans[i].end != STELE_SPAN_ENTRY_LOST)
            take_operation(o, trace, &spans[i]);
    }
    return o->status;
}

/* The name of a thread where a CPU runs it: its own, or one made of its number. */
static stele_name thread_name(stele_overview *o, uint32_t track)
{
    const stele_track *of = stele_track_get(o->context, track);
    char text[32];
    stele_name name;
    if (of == NULL || of->name != 0)
        return of != NULL ? of->name : 0;
    if (track >= o->sched_name_count) {
        stele_name *names = array_reach(o->sched_names, sizeof *names, &o->sched_name_count, track);
        if (names == NULL) {
            o->status = STELE_ERR_MEMORY;
            return 0;
        }
        o->sched_names = names;
    }
    if (o->sched_names[track] == 0) {
        const int size =
            snprintf(text, sizeof text, "%s %" PRIu64, stele_track_kind_text(of->kind), of->number);
        name = stele_name_intern(o->context, text, (size_t)size);
        o->sched_names[track] = name != UINT32_MAX ? name : 0;
    }
    return o->sched_names[track];
}

static stele_status take_running(void *user, const stele_cpu_interval *interval)
{
    stele_overview *o = user;
    uint32_t above, number;
    if (interval->state != STELE_CPU_BUSY || interval->cpu == 0)
        return o->status;
    above = overview_track_node(o, o->trace_now, interval->cpu);
    number = above != 0 ? overview_child_node(o, above, STELE_OVERVIEW_SCHED, 0, 0, 0) : 0;
    if (number == 0)
        return o->status;
    o->nodes[number].busy_ns += (uint64_t)interval->end_ns - (uint64_t)interval->begin_ns;
    add_span(o, &o->nodes[number], 0, interval->begin_ns, interval->end_ns,
             thread_name(o, interval->thread));
    return o->status;
}

static void take_lost(stele_overview *o, uint32_t number, const stele_event *event)
{
    overview_node *n = &o->nodes[number];
    const int64_t given_ns = (int64_t)event->id;
    const int64_t end_ns = event->id != 0 && given_ns > event->time_ns ? given_ns : event->time_ns;
    if (n->losses == NULL)
        n->losses = lane_new(o, LANE_LOSSES);
    if (n->losses == NULL)
        return;
    n->lost_count += event->value;
    o->state.lost_count += event->value;
    overview_widen(n, event->time_ns, end_ns);
    overview_keep_status(o, lane_add(n->losses, &o->store,
                                     &(lane_entry){.begin_ns = event->time_ns,
                                                   .end_ns = end_ns,
                                                   .count = 1,
                                                   .sum = event->value,
                                                   .is_closed = end_ns == event->time_ns}));
}

static inline void add_event(stele_overview *o, overview_node *n, const stele_event *event)
{
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    n->event_count++;
    overview_widen(n, event->time_ns, event->time_ns);
    overview_keep_status(o, lane_add_moment(&n->moments, &o->store, event->time_ns, name));
}

static void take_event(stele_overview *o, const stele_batch *batch, const stele_event *event,
                       uint32_t trace)
{
    uint32_t number;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0) {
        o->state.event_count += event->kind != STELE_KIND_LOST;
        o->state.untimed_count += event->kind != STELE_KIND_LOST;
        return;
    }
    if (event->time_ns < o->range_begin_ns ||
        (o->only != NULL && !filter_passes(o->only, batch, event)))
        return;
    number = overview_track_node(o, trace, event->track);
    if (number == 0)
        return;
    overview_widen_range(o, event->time_ns, add_saturated(overview_end_of(event), 1));
    if (event->time_ns > o->state.known_ns)
        o->state.known_ns = event->time_ns;
    if (event->kind == STELE_KIND_LOST) {
        take_lost(o, number, event);
        return;
    }
    o->state.event_count++;
    add_event(o, &o->nodes[number], event);
    if (event->kind == STELE_KIND_COUNTER)
        overview_add_counter(o, number, batch, event);
}

static overview_seen take_events(stele_overview *o, const stele_segment *segment, uint32_t trace)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    overview_seen seen = {0, false};
    while (event != end && o->status == STELE_OK) {
        if (o->only == NULL && overview_is_plain_event(o, event)) {
            event = overview_take_moments(o, event, end, trace, &seen);
        } else {
            overview_see_event(o, &seen, event);
            take_event(o, segment->batch, event++, trace);
        }
    }
    return seen;
}

/* The kinds of events in a segment, as bits. */
static uint64_t kinds_in(const stele_segment *segment)
{
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < segment->count; i++)
        kinds |= STELE_KIND_BIT(segment->batch->events[segment->first + i].kind);
    return kinds;
}

/* Whether an event of a kernel trace says that a CPU switches to another thread. It stands on the
   track of its CPU, and threads move between CPUs, so all must come in the order of time. */
static inline bool is_kernel_switch(const stele_overview *o, const stele_event *event)
{
    return event->kind == STELE_KIND_INSTANT && event->name == o->switch_name && event->name != 0 &&
           !o->is_by_streams;
}

/* Whether an event says what a CPU does. */
static inline bool is_of_cpu(const stele_overview *o, const stele_event *event)
{
    return (STELE_KIND_BIT(event->kind) & OVERVIEW_KINDS_CPU) != 0 || is_kernel_switch(o, event);
}

/* Gives the engine of scheduling the events of CPUs. The last event of each segment says how long
   the current state lasts. */
static stele_status add_sched(stele_overview *o, const stele_segment *segment)
{
    const stele_event *const events = segment->batch->events + segment->first;
    const uint32_t count = segment->count;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < count && status == STELE_OK; i++) {
        const uint32_t first = i;
        while (i < count && is_of_cpu(o, &events[i]))
            i++;
        if (i != first)
            status = stele_sched_add(
                o->sched, &(stele_segment){segment->batch, segment->first + first, i - first});
    }
    if (count != 0 && status == STELE_OK && !is_of_cpu(o, &events[count - 1]))
        sched_pass(o->sched, segment->batch, &events[count - 1]);
    return status;
}

/*
 * Whether events of these kinds cannot be followed, because time has stepped back. Operations and
 * switches involve several tracks and need the order of time. Formats whose streams are threads
 * have neither.
 */
static inline bool is_out_of_order(const stele_overview *o, uint64_t kinds)
{
    return o->has_gone_back && (kinds & (OVERVIEW_KINDS_LINKED | OVERVIEW_KINDS_SCHED)) != 0;
}

/* Takes events of these kinds that are spans by themselves or were paired to spans. */
static stele_status take_spans(stele_overview *o, const stele_segment *segment, uint64_t kinds)
{
    stele_status status = is_out_of_order(o, kinds) ? STELE_ERR_UNSUPPORTED : STELE_OK;
    if (status == STELE_OK && (kinds & STELE_CALLS_KINDS) != 0)
        status = stele_calls_add(o->calls, segment, NULL);
    if (status == STELE_OK && (kinds & OVERVIEW_KINDS_LINKED) != 0)
        status = spans_add_kinds(o->spans, segment, OVERVIEW_KINDS_LINKED);
    return status;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    return take_spans(user, segment, kinds_in(segment));
}

static bool has_switch(const stele_overview *o, const stele_segment *segment)
{
    const stele_event *const events = segment->batch->events + segment->first;
    for (uint32_t i = 0; i < segment->count; i++) {
        if ((STELE_KIND_BIT(events[i].kind) & OVERVIEW_KINDS_SCHED) != 0 ||
            is_kernel_switch(o, &events[i]))
            return true;
    }
    return false;
}

/* Follows scheduling, from the first switch on. */
static stele_status take_sched(stele_overview *o, const stele_segment *segment,
                               const overview_seen *seen)
{
    const bool may_switch = (seen->kinds & OVERVIEW_KINDS_SCHED) != 0 || seen->has_switch;
    stele_status status = STELE_OK;
    if (o->sched == NULL && (!may_switch || !has_switch(o, segment)))
        return STELE_OK;
    if (o->sched == NULL) {
        status = stele_sched_new(
            o->context, &(stele_sched_options){.on_cpu = take_running, .user = o}, &o->sched);
        if (status == STELE_OK)
            status = stele_sched_set_window(o->sched, o->range_begin_ns, o->range_end_ns);
    }
    return status == STELE_OK ? add_sched(o, segment) : status;
}

static stele_pairing *pairing_of(const stele_overview *o, uint32_t trace)
{
    for (size_t i = 0; i < o->trace_count; i++) {
        if (stele_trace_get_info(o->traces[i])->number == trace)
            return o->pairings[i];
    }
    return NULL;
}

static void take_segment(stele_overview *o, const stele_segment *segment)
{
    const uint32_t trace = trace_of(o, segment->batch->stream);
    stele_pairing *pairing;
    overview_seen seen;
    o->trace_now = trace;
    overview_note_step_back(o, segment, o->state.known_ns);
    seen = take_events(o, segment, trace);
    pairing = o->has_pairings ? pairing_of(o, trace) : NULL;
    if (o->status == STELE_OK)
        overview_keep_status(o, pairing != NULL
                                    ? stele_pairing_add(pairing, segment, take_paired, o)
                                    : take_spans(o, segment, seen.kinds));
    if (o->status == STELE_OK)
        overview_keep_status(o, take_sched(o, segment, &seen));
}

void overview_take(stele_overview *o, const stele_segment *segments, size_t count)
{
    for (size_t i = 0; i < count && o->status == STELE_OK; i++) {
        uint32_t part = 0;
        if (o->trace_count == 1 && o->only == NULL && o->sched == NULL && !o->has_pairings)
            i += overview_take_mere_moments(o, &segments[i], count - i, &part);
        if (i < count && o->status == STELE_OK)
            take_segment(o, &(stele_segment){segments[i].batch, segments[i].first + part,
                                             segments[i].count - part});
    }
}

/* Closes the lanes of a node, to which nothing is added after this. */
static void close_lanes(stele_overview *o, overview_node *n)
{
    overview_keep_status(o, lane_close(&n->moments, &o->store));
    if (n->losses != NULL)
        overview_keep_status(o, lane_close(n->losses, &o->store));
    if (n->all != NULL)
        overview_keep_status(o, lane_close(n->all, &o->store));
    for (uint32_t i = 0; i < n->row_count; i++)
        overview_keep_status(o, lane_close(&n->rows[i], &o->store));
}

void overview_finish(stele_overview *o)
{
    stele_status status = stele_calls_finish(o->calls);
    if (status == STELE_OK)
        status = stele_spans_finish(o->spans);
    if (status == STELE_OK && o->sched != NULL)
        status = stele_sched_finish(o->sched);
    filter_report(o->only, &o->context->diag);
    for (uint32_t i = 1; i < o->node_count && status == STELE_OK && o->status == STELE_OK; i++) {
        overview_node *n = &o->nodes[i];
        if (n->stretch_count != 0 && n->all == NULL)
            split_busy(o, n, n->stretches[0].begin_ns);
        flush_stretches(o, n, n->stretch_count);
        close_lanes(o, n);
    }
    if (o->status == STELE_OK)
        o->status = status == STELE_OK ? STELE_END : status;
    o->state.is_complete = o->status == STELE_END;
}
