/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overviews: what the reader gives goes to the engines of calls, spans and scheduling, and what
 * those give goes to the rows of the tracks. Nothing but the lanes grows with the trace.
 */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "core/array.h"
#include "core/saturate.h"
#include "core/sized.h"

#define SIZE_USUAL     ((size_t)64 << 20)
#define STRETCHES_MAX  (1u << 16)
#define EVENTS_AT_ONCE 65536u

/* Flows are drawn between spans, and are none. */
#define KINDS_LINKED (STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_END))
#define KINDS_SCHED  STELE_KIND_BIT(STELE_KIND_SWITCH)
/* What says what a CPU runs. */
#define KINDS_CPU (STELE_KIND_BIT(STELE_KIND_SWITCH) | STELE_KIND_BIT(STELE_KIND_LOST))

#define KINDS_INSN                                                       \
    (STELE_KIND_BIT(STELE_KIND_INSN) | STELE_KIND_BIT(STELE_KIND_LOAD) | \
     STELE_KIND_BIT(STELE_KIND_STORE))

static void keep(stele_overview *o, stele_status status)
{
    if (o->status == STELE_OK)
        o->status = status;
}

/* ---- When a track is busy -------------------------------------------------------------------- */

static overview_lane *lane_new(stele_overview *o, lane_kind kind)
{
    overview_lane *made = malloc(sizeof *made);
    if (made == NULL)
        o->status = STELE_ERR_MEMORY;
    else
        lane_init(made, kind);
    return made;
}

/* Nothing can be around these stretches any more. */
static void flush_stretches(stele_overview *o, overview_node *n, uint32_t count)
{
    for (uint32_t i = 0; i < count && o->status == STELE_OK; i++) {
        const busy_stretch *s = &n->stretches[i];
        n->busy_ns += (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
        if (n->all != NULL)
            keep(o, lane_add_span(n->all, &o->store, s->begin_ns, s->end_ns, 0));
    }
    n->stretch_count -= count;
    if (n->stretch_count != 0)
        memmove(n->stretches, n->stretches + count, n->stretch_count * sizeof *n->stretches);
}

/* From here on it is not row 0 that says when the track is busy. */
static void split_busy(stele_overview *o, overview_node *n, int64_t from_ns)
{
    n->all = lane_new(o, LANE_SPANS);
    n->all_from_ns = from_ns;
    if (n->row_count != 0)
        keep(o, lane_close(&n->rows[0], &o->store));
}

static bool stretch_push(stele_overview *o, overview_node *n, busy_stretch made)
{
    if (n->stretch_count == STRETCHES_MAX)
        flush_stretches(o, n, STRETCHES_MAX / 2);
    if (n->stretch_count == n->stretch_capacity) {
        busy_stretch *grown = array_grow(n->stretches, sizeof *grown, &n->stretch_capacity, 4);
        if (grown == NULL) {
            o->status = STELE_ERR_MEMORY;
            return false;
        }
        n->stretches = grown;
    }
    n->stretches[n->stretch_count++] = made;
    return true;
}

/* A span has ended: it takes in the stretches that began in it. */
static void add_stretch(stele_overview *o, overview_node *n, const stele_call_span *call)
{
    busy_stretch made = {call->begin_ns, call->end_ns};
    while (n->stretch_count != 0 && n->stretches[n->stretch_count - 1].end_ns >= made.begin_ns) {
        const busy_stretch *last = &n->stretches[--n->stretch_count];
        if (last->begin_ns < made.begin_ns)
            made.begin_ns = last->begin_ns;
        if (last->end_ns > made.end_ns)
            made.end_ns = last->end_ns;
    }
    stretch_push(o, n, made);
}

/* The outermost span of a track has ended, and row 0 does not have it yet. */
static void end_outermost(stele_overview *o, overview_node *n, const stele_call_span *call)
{
    const busy_stretch *s = n->stretches;
    const bool is_row = call->is_wanted && n->stretch_count == 1 && s->begin_ns == call->begin_ns &&
                        s->end_ns == call->end_ns;
    if (!is_row && n->all == NULL && n->stretch_count != 0)
        split_busy(o, n, s->begin_ns);
    flush_stretches(o, n, n->stretch_count);
}

/* ---- Spans ----------------------------------------------------------------------------------- */

static void take_call(stele_overview *o, const stele_call_span *call)
{
    const uint32_t number = overview_track_node(o, o->trace_now, call->track);
    overview_node *n;
    if (number == 0)
        return;
    n = &o->nodes[number];
    if (call->is_wanted && call->end != STELE_CALL_ENTRY_LOST)
        add_stretch(o, n, call);
    if (call->depth == 0)
        end_outermost(o, n, call);
    if (call->is_wanted && call->end != STELE_CALL_ENTRY_LOST)
        overview_add_span(o, number, call->depth, call->begin_ns, call->end_ns, call->name);
}

static stele_status take_calls(void *user, const stele_call_span *calls, size_t count)
{
    stele_overview *o = user;
    for (size_t i = 0; i < count && o->status == STELE_OK; i++)
        take_call(o, &calls[i]);
    return o->status;
}

/* The row whose last operation ended last of those that ended before; a new one if there is none.
 */
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
    uint32_t number;
    overview_node *n;
    if (above == 0)
        return;
    number = overview_child_node(o, above, STELE_OVERVIEW_OPERATIONS, 0, 0, 0);
    if (number == 0)
        return;
    n = &o->nodes[number];
    n->busy_ns += stele_span_duration_ns(span);
    overview_add_span(o, number, free_row(n, span->begin_ns), span->begin_ns, span->end_ns,
                      span->name);
}

static uint32_t trace_of(const stele_overview *o, uint32_t stream)
{
    const stele_stream *of = stele_stream_get(o->context, stream);
    return of != NULL ? of->trace : o->trace_now;
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    stele_overview *o = user;
    const uint32_t trace = trace_of(o, segment->batch->stream);
    for (uint32_t i = 0; i < segment->count && o->status == STELE_OK; i++) {
        if (spans[i].source != STELE_SPAN_FLOW && spans[i].end != STELE_SPAN_ENTRY_LOST)
            take_operation(o, trace, &spans[i]);
    }
    return o->status;
}

/* What a thread is called where it runs. */
static stele_name thread_name(stele_overview *o, uint32_t track)
{
    const stele_track *of = stele_track_get(o->context, track);
    char text[32];
    stele_name name;
    if (of == NULL || of->name != 0)
        return of != NULL ? of->name : 0;
    if (track >= o->sched_name_count) {
        const uint32_t count = track + track / 2 + 64;
        stele_name *names = realloc(o->sched_names, count * sizeof *names);
        if (names == NULL) {
            o->status = STELE_ERR_MEMORY;
            return 0;
        }
        memset(names + o->sched_name_count, 0, (count - o->sched_name_count) * sizeof *names);
        o->sched_names = names;
        o->sched_name_count = count;
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
    overview_add_span(o, number, 0, interval->begin_ns, interval->end_ns,
                      thread_name(o, interval->thread));
    return o->status;
}

/* ---- Events ---------------------------------------------------------------------------------- */

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
    keep(o, lane_add(n->losses, &o->store,
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
    keep(o, lane_add_moment(&n->moments, &o->store, event->time_ns, name));
}

static void widen_range(stele_overview *o, const stele_event *event)
{
    const bool has_end = event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > event->time_ns;
    overview_widen_range(o, event->time_ns,
                         add_saturated(has_end ? (int64_t)event->id : event->time_ns, 1));
    if (event->time_ns > o->state.known_ns)
        o->state.known_ns = event->time_ns;
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
    widen_range(o, event);
    if (event->kind == STELE_KIND_LOST) {
        take_lost(o, number, event);
        return;
    }
    o->state.event_count++;
    add_event(o, &o->nodes[number], event);
    if (event->kind == STELE_KIND_COUNTER)
        overview_add_counter(o, number, batch, event);
}

/* Which kinds there are in a segment. */
static uint64_t kinds_in(const stele_segment *segment)
{
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < segment->count; i++)
        kinds |= STELE_KIND_BIT(segment->batch->events[segment->first + i].kind);
    return kinds;
}

/* Takes some events of a segment that follow each other. */
typedef stele_status take_run_fn(stele_overview *o, const stele_segment *run);

/* Gives on only what is of some kinds, and, with `has_last`, the last event of all. */
static stele_status take_runs(stele_overview *o, const stele_segment *segment, uint64_t kinds,
                              bool has_last, take_run_fn *fn)
{
    const stele_event *const events = segment->batch->events + segment->first;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK;) {
        uint32_t end = i;
        while (end < segment->count && ((STELE_KIND_BIT(events[end].kind) & kinds) != 0 ||
                                        (has_last && end + 1 == segment->count)))
            end++;
        if (end != i)
            status = fn(o, &(stele_segment){segment->batch, segment->first + i, end - i});
        i = end + 1;
    }
    return status;
}

static stele_status add_linked(stele_overview *o, const stele_segment *run)
{
    return stele_spans_add(o->spans, run);
}

static stele_status add_sched(stele_overview *o, const stele_segment *run)
{
    return stele_sched_add(o->sched, run);
}

/* Takes what is, or was made to be, spans. */
static stele_status take_paired(void *user, const stele_segment *segment)
{
    stele_overview *o = user;
    const uint64_t kinds = kinds_in(segment);
    stele_status status = STELE_OK;
    if ((kinds & STELE_CALLS_KINDS) != 0)
        status = stele_calls_add(o->calls, segment, NULL);
    if (status == STELE_OK && (kinds & KINDS_LINKED) != 0)
        status = take_runs(o, segment, KINDS_LINKED, false, add_linked);
    return status;
}

/* Scheduling is followed from the first switch on; the last event says how long that goes on. */
static stele_status take_sched(stele_overview *o, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    if (o->sched == NULL && (kinds_in(segment) & KINDS_SCHED) == 0)
        return STELE_OK;
    if (o->sched == NULL) {
        status = stele_sched_new(
            o->context, &(stele_sched_options){.on_cpu = take_running, .user = o}, &o->sched);
        if (status == STELE_OK)
            status = stele_sched_set_window(o->sched, o->range_begin_ns, o->range_end_ns);
    }
    return status == STELE_OK ? take_runs(o, segment, KINDS_CPU, true, add_sched) : status;
}

static stele_pairing *pairing_of(const stele_overview *o, uint32_t trace)
{
    for (size_t i = 0; i < o->trace_count; i++) {
        if (stele_trace_get_info(o->traces[i])->number == trace)
            return o->pairings[i];
    }
    return NULL;
}

static void take(stele_overview *o, const stele_segment *segment)
{
    const stele_event *const first = segment->batch->events + segment->first;
    const uint32_t trace = trace_of(o, segment->batch->stream);
    stele_pairing *pairing;
    o->trace_now = trace;
    for (uint32_t i = 0; i < segment->count && o->status == STELE_OK; i++)
        take_event(o, segment->batch, &first[i], trace);
    pairing = o->has_pairings ? pairing_of(o, trace) : NULL;
    if (o->status == STELE_OK)
        keep(o, pairing != NULL ? stele_pairing_add(pairing, segment, take_paired, o)
                                : take_paired(o, segment));
    if (o->status == STELE_OK)
        keep(o, take_sched(o, segment));
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Nothing is added any more. */
static void close_lanes(stele_overview *o, overview_node *n)
{
    keep(o, lane_close(&n->moments, &o->store));
    if (n->losses != NULL)
        keep(o, lane_close(n->losses, &o->store));
    if (n->all != NULL)
        keep(o, lane_close(n->all, &o->store));
    for (uint32_t i = 0; i < n->row_count; i++)
        keep(o, lane_close(&n->rows[i], &o->store));
}

static void finish(stele_overview *o)
{
    stele_status status = stele_calls_finish(o->calls);
    if (status == STELE_OK)
        status = stele_spans_finish(o->spans);
    if (status == STELE_OK && o->sched != NULL)
        status = stele_sched_finish(o->sched);
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

stele_status stele_overview_step(stele_overview *o, uint64_t event_max)
{
    uint64_t taken = 0;
    if (o->status != STELE_OK)
        return o->status;
    overview_begin_findings(o);
    if (o->is_read && !overview_step_insns(o, event_max))
        finish(o);
    while (!o->is_read && o->status == STELE_OK && (taken == 0 || taken < event_max)) {
        const stele_segment *segments;
        size_t count;
        const stele_status status = stele_reader_next_segments(o->reader, &segments, &count);
        if (status == STELE_END) {
            o->is_read = true;
            break;
        }
        keep(o, status);
        for (size_t i = 0; i < count && o->status == STELE_OK; i++) {
            taken += segments[i].count;
            take(o, &segments[i]);
        }
    }
    overview_end_findings(o);
    return o->status;
}

stele_status stele_overview_build(stele_overview *o)
{
    stele_status status = o->status;
    while (status == STELE_OK)
        status = stele_overview_step(o, EVENTS_AT_ONCE);
    return status == STELE_END ? STELE_OK : status;
}

void stele_overview_get_state(const stele_overview *o, stele_overview_state *state)
{
    stele_overview_state own = o->state;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_overview_get_stats(o, &stats);
    own.byte_count = stats.byte_count;
    own.byte_total = stats.byte_total;
    own.entry_size = overview_store_size(&o->store, &own.spilled_size);
    for (uint32_t i = 1; i < o->node_count; i++)
        own.entry_count += overview_node_entries(&o->nodes[i]);
    sized_give(state, &own, sizeof own, SIZED_FIRST(stele_overview_state, insn_count));
}

void stele_overview_get_stats(const stele_overview *o, stele_reader_stats *stats)
{
    if (o->reader != NULL)
        stele_reader_get_stats(o->reader, stats);
    else
        sized_give(stats, &o->stats, sizeof o->stats, SIZED_FIRST(stele_reader_stats, byte_total));
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* What is asked of single events, and holds for the first of a span. */
static stele_request judged_by(const stele_request *given, bool has_tracks)
{
    stele_request only = {.kinds = given->kinds,
                          .names = given->names,
                          .categories = given->categories,
                          .where = given->where};
    if (has_tracks)
        only.tracks = given->tracks;
    return only;
}

static bool asks_anything(const stele_request *only)
{
    return only->kinds != 0 || only->names.count != 0 || only->categories.count != 0 ||
           only->tracks.count != 0 || only->where != NULL;
}

static stele_status make_pairings(stele_overview *o)
{
    const stele_pairing_options options = {.kinds = STELE_SPANS_KINDS};
    for (size_t i = 0; i < o->trace_count && !o->options.no_pairs; i++) {
        const stele_status status = stele_pairing_new(o->context, &options, &o->pairings[i]);
        if (status != STELE_OK)
            return status;
        if (stele_pairing_wants(o->pairings[i], o->traces[i])) {
            o->has_pairings = true;
            continue;
        }
        stele_pairing_free(o->pairings[i]);
        o->pairings[i] = NULL;
    }
    return STELE_OK;
}

static stele_status make_engines(stele_overview *o, const stele_request *only)
{
    const bool asks = asks_anything(only);
    const stele_call_options calls = {.only = asks ? only : NULL};
    const stele_span_options spans = {.no_fields = true, .only = asks ? only : NULL};
    stele_status status = stele_calls_new(o->context, &calls, take_calls, o, &o->calls);
    if (status == STELE_OK)
        status = stele_spans_new(o->context, &spans, take_spans, o, &o->spans);
    if (status == STELE_OK && asks)
        status = filter_new(o->context, only, NULL, &o->only);
    return status;
}

static uint32_t columns_of(const stele_overview *o)
{
    uint32_t columns =
        stele_calls_columns(o->calls) | stele_spans_columns(o->spans) | STELE_COLUMN_FIELDS;
    if (o->only != NULL)
        columns |= filter_columns(o->only);
    for (size_t i = 0; i < o->trace_count; i++) {
        if (o->pairings[i] != NULL)
            columns |= stele_pairing_columns(o->pairings[i]);
    }
    return columns;
}

static stele_status open_reader(stele_overview *o, const stele_request *given)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_request request = {.struct_size = sizeof request,
                             .columns = columns_of(o),
                             .order = STELE_ORDER_TIME,
                             .align_starts = given->align_starts,
                             .check = given->check,
                             .begin = given->begin,
                             .end = given->end,
                             .from_start = true};
    stele_status status;
    if (!o->has_pairings)
        request.tracks = given->tracks;
    o->has_track_filter = given->tracks.count != 0;
    for (size_t i = 0; i < o->trace_count; i++) {
        if (!stele_trace_has_insns(o->traces[i]))
            continue;
        status = stele_trace_index(o->traces[i]);
        if (status != STELE_OK && status != STELE_ERR_UNSUPPORTED)
            return status;
        if (overview_has_insns(o, i))
            request.kinds = STELE_KINDS_ALL & ~KINDS_INSN;
    }
    status = stele_reader_open(o->context, o->traces, o->trace_count, &request, &o->reader);
    if (status != STELE_OK)
        return status;
    stele_reader_get_stats(o->reader, &stats);
    o->range_begin_ns = stats.range_begin_ns;
    o->range_end_ns = stats.range_end_ns;
    if (stats.has_begin && o->only != NULL)
        filter_set_origin(o->only, stats.begin_ns);
    if (stats.has_begin)
        stele_spans_set_origin(o->spans, stats.begin_ns);
    status = stele_calls_set_window(o->calls, o->range_begin_ns, o->range_end_ns);
    if (status == STELE_OK)
        status = stele_spans_set_window(o->spans, o->range_begin_ns, o->range_end_ns);
    return status;
}

static stele_status open_all(stele_overview *o)
{
    static const stele_request everything;
    const stele_request *given = o->options.request != NULL ? o->options.request : &everything;
    stele_request only;
    stele_status status = make_pairings(o);
    only = judged_by(given, o->has_pairings);
    if (status == STELE_OK)
        status = make_engines(o, &only);
    if (status == STELE_OK)
        status = open_reader(o, given);
    for (size_t i = 0; i < o->trace_count && status == STELE_OK; i++) {
        if (overview_track_node(o, stele_trace_get_info(o->traces[i])->number, 0) == 0)
            status = o->status;
    }
    o->options.request = NULL; /* is the caller's */
    return status;
}

stele_status overview_new(stele_context *context, stele_trace *const *traces, size_t count,
                          stele_overview **out)
{
    stele_overview *o = *out = calloc(1, sizeof *o);
    if (o == NULL)
        return STELE_ERR_MEMORY;
    o->context = context;
    o->state.known_ns = INT64_MIN;
    o->options.depth_max = OVERVIEW_DEPTH_USUAL;
    overview_store_init(&o->store, context, SIZE_USUAL);
    o->traces = calloc(count, sizeof *o->traces);
    o->pairings = calloc(count, sizeof *o->pairings);
    o->walk = calloc(1, sizeof *o->walk);
    if (o->traces == NULL || o->pairings == NULL || o->walk == NULL)
        return STELE_ERR_MEMORY;
    memcpy(o->traces, traces, count * sizeof *traces);
    o->trace_count = count;
    return STELE_OK;
}

/* Takes it from the index of the trace, or begins to read the traces. */
static stele_status open_new(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_overview_options *given, bool is_fresh,
                             stele_overview **out)
{
    stele_overview *o;
    stele_status status = overview_new(context, traces, count, out);
    if (status != STELE_OK)
        return status;
    o = *out;
    o->options = *given;
    if (given->depth_max == 0)
        o->options.depth_max = OVERVIEW_DEPTH_USUAL;
    if (given->size_max != 0)
        overview_store_init(&o->store, context, given->size_max);
    o->is_plain = overview_is_plain(o, given->request);
    if (o->is_plain && !is_fresh && overview_take_kept(o, &status))
        return STELE_OK;
    if (status != STELE_OK)
        return status;
    status = output_open_memory(&context->diag, &o->findings);
    if (status != STELE_OK)
        return status;
    overview_begin_findings(o);
    status = open_all(o);
    overview_end_findings(o);
    return status;
}

stele_status stele_overview_open(stele_context *context, stele_trace *const *traces, size_t count,
                                 const stele_overview_options *options, stele_overview **out)
{
    stele_overview_options given;
    stele_status status = STELE_ERR_ARGUMENT;
    *out = NULL;
    if (count == 0 ||
        !sized_take(&given, sizeof given, SIZED_FIRST(stele_overview_options, size_max), options))
        return status;
    status = open_new(context, traces, count, &given, given.is_fresh, out);
    if (status == STELE_ERR_FORMAT && *out != NULL && (*out)->kept != NULL) {
        stele_overview_close(*out);
        status = open_new(context, traces, count, &given, true, out);
    }
    if (status != STELE_OK) {
        stele_overview_close(*out);
        *out = NULL;
    }
    return status;
}

void stele_overview_close(stele_overview *o)
{
    if (o == NULL)
        return;
    stele_reader_close(o->reader);
    stele_insn_reader_free(o->insns);
    stele_calls_free(o->calls);
    stele_spans_free(o->spans);
    stele_sched_free(o->sched);
    filter_free(o->only);
    for (size_t i = 0; i < o->trace_count; i++)
        stele_pairing_free(o->pairings[i]);
    for (uint32_t i = 1; i < o->node_count; i++)
        overview_node_free(&o->nodes[i]);
    hash_table_free(&o->numbers);
    hash_table_free(&o->counter_numbers);
    free(o->counters);
    overview_store_free(&o->store);
    input_close(o->kept);
    output_close(o->findings);
    free(o->kept_findings);
    stele_output_close(o->title);
    free(o->traces);
    free((void *)o->pairings);
    free(o->nodes);
    free(o->track_nodes);
    free(o->sched_names);
    free(o->places);
    free(o->walk);
    free(o->edges);
    free(o);
}
