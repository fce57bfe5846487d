/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the spans, flows and states of threads in the window of a critical path; see
   <stele/critical.h>. */
#include "analysis/events/critical.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"

#define SPANS_DEFAULT 524288u
#define FLOWS_DEFAULT 262144u

const char *stele_critical_state_text(stele_critical_state state)
{
    switch (state) {
    case STELE_CRITICAL_IN: return "in";
    case STELE_CRITICAL_FLOW: return "flow";
    case STELE_CRITICAL_IDLE: return "idle";
    default: return stele_run_state_text((stele_run_state)state);
    }
}

const char *stele_critical_way_text(stele_critical_way way)
{
    static const char *const texts[STELE_CRITICAL_WAY_COUNT] = {"goes-on", "flow", "wake", "begin",
                                                                "wait"};
    return way < STELE_CRITICAL_WAY_COUNT ? texts[way] : "none";
}

/* ---- Leaving out short spans and states ------------------------------------------------------ */

/*
 * The first members of critical_span and critical_interval, so that one function can measure both.
 */
typedef struct times {
    int64_t begin_ns, end_ns;
} times;

static uint64_t duration(const void *item)
{
    times of;
    memcpy(&of, item, sizeof of);
    return (uint64_t)of.end_ns - (uint64_t)of.begin_ns;
}

/* Removes about the shorter half of the items: all that are shorter than a power of two. Returns
   that power in nanoseconds. */
static uint64_t leave_out_short(stele_critical *c, void *items, size_t size, uint32_t *count)
{
    unsigned char *const first = items, *const end = first + size * *count;
    unsigned char *to = first;
    uint32_t classes[65] = {0}, shorter = 0;
    unsigned number = 0;
    uint64_t least_ns;
    for (const unsigned char *item = first; item != end; item += size) {
        const uint64_t ns = duration(item);
        classes[ns == 0 ? 0 : 64 - __builtin_clzll(ns)]++;
    }
    while (number < 64 && (number == 0 || shorter < *count / 2))
        shorter += classes[number++];
    least_ns = UINT64_C(1) << (number - 1);
    for (const unsigned char *item = first; item != end; item += size) {
        if (duration(item) >= least_ns) {
            memmove(to, item, size);
            to += size;
        }
    }
    c->counts.short_count += (size_t)(end - to) / size;
    *count = (uint32_t)((size_t)(to - first) / size);
    return least_ns;
}

static void *room(void *items, size_t size, uint32_t count, uint32_t *capacity)
{
    return count < *capacity ? items : array_grow(items, size, capacity, 1024);
}

/* ---- Spans and states that are kept ---------------------------------------------------------- */

static stele_status keep_call(stele_critical *c, const stele_span *span)
{
    critical_span *spans;
    if (stele_span_duration_ns(span) < c->spans_least_ns) {
        c->counts.short_count++;
        return STELE_OK;
    }
    if (c->span_count == c->options.span_max)
        c->spans_least_ns = leave_out_short(c, c->spans, sizeof *c->spans, &c->span_count);
    spans = room(c->spans, sizeof *spans, c->span_count, &c->span_capacity);
    if (spans == NULL)
        return STELE_ERR_MEMORY;
    c->spans = spans;
    spans[c->span_count++] = (critical_span){.begin_ns = span->begin_ns,
                                             .end_ns = span->end_ns,
                                             .offset = span->begin_offset,
                                             .stream = span->stream,
                                             .track = span->track,
                                             .name = span->name,
                                             .around = c->number++};
    return STELE_OK;
}

static stele_status keep_flow(stele_critical *c, const stele_span *span)
{
    critical_flow *flows;
    c->counts.flow_count++;
    if (c->flow_count == c->options.flow_max) {
        c->counts.flow_other_count++;
        return STELE_OK;
    }
    flows = room(c->flows, sizeof *flows, c->flow_count, &c->flow_capacity);
    if (flows == NULL)
        return STELE_ERR_MEMORY;
    c->flows = flows;
    flows[c->flow_count++] = (critical_flow){.begin_ns = span->begin_ns,
                                             .end_ns = span->end_ns,
                                             .offset = span->begin_offset,
                                             .stream = span->stream,
                                             .from = span->track,
                                             .track = span->end_track,
                                             .name = span->name};
    return STELE_OK;
}

static stele_status keep_operation(stele_critical *c, const stele_span *span)
{
    critical_operation *operations;
    if (c->operation_count == c->options.span_max) {
        c->counts.short_count++;
        return STELE_OK;
    }
    operations =
        room(c->operations, sizeof *operations, c->operation_count, &c->operation_capacity);
    if (operations == NULL)
        return STELE_ERR_MEMORY;
    c->operations = operations;
    operations[c->operation_count++] = (critical_operation){.span = {.begin_ns = span->begin_ns,
                                                                     .end_ns = span->end_ns,
                                                                     .offset = span->begin_offset,
                                                                     .stream = span->stream,
                                                                     .track = span->track,
                                                                     .name = span->name},
                                                            .id = span->id,
                                                            .parent = span->parent,
                                                            .end_track = span->end_track,
                                                            .source = span->source};
    return STELE_OK;
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    stele_critical *c = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_span *span = &spans[i];
        if (span->end == STELE_SPAN_ENTRY_LOST)
            continue;
        if (span->source == STELE_SPAN_FLOW) {
            if (span->end == STELE_SPAN_RETURNED)
                status = keep_flow(c, span);
            continue;
        }
        c->counts.span_count++;
        if (span->source == STELE_SPAN_ASYNC || span->source == STELE_SPAN_PAIR)
            status = keep_operation(c, span);
        else if (span->end_ns > span->begin_ns)
            status = keep_call(c, span);
    }
    return status;
}

static stele_status take_interval(void *user, const stele_thread_interval *interval)
{
    stele_critical *c = user;
    critical_interval *intervals;
    c->counts.state_count++;
    if (duration(interval) < c->intervals_least_ns) {
        c->counts.short_count++;
        return STELE_OK;
    }
    if (c->interval_count == c->options.span_max)
        c->intervals_least_ns =
            leave_out_short(c, c->intervals, sizeof *c->intervals, &c->interval_count);
    intervals = room(c->intervals, sizeof *intervals, c->interval_count, &c->interval_capacity);
    if (intervals == NULL)
        return STELE_ERR_MEMORY;
    c->intervals = intervals;
    intervals[c->interval_count++] = (critical_interval){.begin_ns = interval->begin_ns,
                                                         .end_ns = interval->end_ns,
                                                         .track = interval->thread,
                                                         .by = interval->by,
                                                         .number = c->number++,
                                                         .state = interval->state};
    return STELE_OK;
}

static void count_losses(stele_critical *c, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    for (uint32_t i = 0; i < segment->count; i++)
        c->counts.lost_count += event[i].kind == STELE_KIND_LOST &&
                                event[i].time_ns >= c->begin_ns && event[i].time_ns < c->end_ns;
}

stele_status stele_critical_add_spans(stele_critical *c, const stele_segment *segment)
{
    return stele_spans_add(c->engine, segment);
}

/* Adds scheduling events. Those after the window say nothing about it and are left out. */
stele_status stele_critical_add_sched(stele_critical *c, const stele_segment *segment)
{
    const stele_event *events = segment->batch->events + segment->first;
    stele_segment in_window = *segment;
    count_losses(c, segment);
    while (c->end_ns != INT64_MAX && in_window.count != 0 &&
           events[in_window.count - 1].time_ns > c->end_ns &&
           (events[in_window.count - 1].flags & STELE_FLAG_NO_TIME) == 0)
        in_window.count--;
    return in_window.count != 0 ? stele_sched_add(c->sched, &in_window) : STELE_OK;
}

stele_status stele_critical_add(stele_critical *c, const stele_segment *segment)
{
    const stele_status status = stele_critical_add_spans(c, segment);
    return status == STELE_OK ? stele_critical_add_sched(c, segment) : status;
}

stele_status stele_critical_finish(stele_critical *c)
{
    stele_status status = stele_spans_finish(c->engine);
    if (status == STELE_OK)
        status = stele_sched_finish(c->sched);
    if (status == STELE_OK && c->lines == NULL && !critical_lines_make(c))
        status = STELE_ERR_MEMORY;
    return status;
}

/* ---- Path of a span -------------------------------------------------------------------------- */

static int operation_compare(const void *left, const void *right)
{
    const critical_operation *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static critical_operation *operation_find(stele_critical *c, uint64_t id)
{
    const critical_operation wanted = {.id = id};
    return c->operation_count == 0 ? NULL
                                   : bsearch(&wanted, c->operations, c->operation_count,
                                             sizeof wanted, operation_compare);
}

static bool is_same(const critical_operation *operation, const stele_span *span)
{
    return operation->span.begin_ns == span->begin_ns && operation->span.end_ns == span->end_ns &&
           operation->span.track == span->track && operation->span.name == span->name &&
           operation->source == span->source && operation->span.offset == span->begin_offset &&
           operation->span.stream == span->stream;
}

/* Makes the line of an operation: its own span, and those of the operations in it. Returns false
   if out of memory. */
static bool own_make(stele_critical *c, const stele_span *span, critical_line *own)
{
    uint32_t count = 0;
    bool is_found = false;
    free(c->own);
    c->own = malloc(((size_t)c->operation_count + 1) * sizeof *c->own);
    if (c->own == NULL)
        return false;
    c->own[count++] = (critical_span){.begin_ns = span->begin_ns,
                                      .end_ns = span->end_ns,
                                      .offset = span->begin_offset,
                                      .stream = span->stream,
                                      .track = span->track,
                                      .name = span->name,
                                      .around = UINT32_MAX};
    if (c->operation_count != 0)
        qsort(c->operations, c->operation_count, sizeof *c->operations, operation_compare);
    /* Operations are sorted by number. One inside another began later and so has a higher
       number, which makes one pass enough. */
    for (uint32_t i = 0; i < c->operation_count; i++) {
        critical_operation *operation = &c->operations[i];
        const critical_operation *around =
            operation->parent != 0 ? operation_find(c, operation->parent) : NULL;
        const bool is_it = !is_found && is_same(operation, span);
        operation->is_reached = is_it || (around != NULL && around->is_reached);
        is_found = is_found || is_it;
        if (operation->is_reached && !is_it && operation->span.end_ns > operation->span.begin_ns) {
            c->own[count] = operation->span;
            c->own[count++].around = i;
        }
    }
    critical_spans_nest(c->own, count);
    *own = (critical_line){.spans = c->own, .span_count = count};
    return true;
}

stele_status stele_critical_path(stele_critical *c, const stele_span *span,
                                 const stele_critical_stretch **rows, size_t *count)
{
    const bool is_call = span->source != STELE_SPAN_ASYNC && span->source != STELE_SPAN_FLOW &&
                         span->source != STELE_SPAN_PAIR;
    critical_line own;
    stele_status status;
    *rows = NULL;
    *count = 0;
    if (c->lines == NULL)
        return STELE_ERR_ARGUMENT;
    if (!is_call && !own_make(c, span, &own))
        return STELE_ERR_MEMORY;
    status = critical_walk(c, span, is_call ? NULL : &own);
    if (status != STELE_OK)
        return status;
    *rows = c->path.rows;
    *count = c->path.count;
    return STELE_OK;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

stele_status stele_critical_set_window(stele_critical *c, int64_t begin_ns, int64_t end_ns)
{
    stele_status status = stele_spans_set_window(c->engine, begin_ns, end_ns);
    if (status == STELE_OK)
        status = stele_sched_set_window(c->sched, begin_ns, end_ns);
    c->begin_ns = begin_ns;
    c->end_ns = end_ns;
    return status;
}

void stele_critical_get_counts(const stele_critical *c, stele_critical_counts *counts)
{
    stele_critical_counts own = c->counts;
    own.short_ns =
        c->spans_least_ns > c->intervals_least_ns ? c->spans_least_ns : c->intervals_least_ns;
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_critical_counts, flow_other_count));
}

uint32_t stele_critical_columns(const stele_critical *c)
{
    return stele_spans_columns(c->engine) | stele_sched_columns(c->sched);
}

static stele_status make_engines(stele_critical *c)
{
    stele_span_options spans = STELE_INIT(stele_span_options);
    stele_sched_options sched = STELE_INIT(stele_sched_options);
    stele_status status;
    spans.no_fields = true;
    spans.has_steps = true;
    sched.on_thread = take_interval;
    sched.user = c;
    status = stele_spans_new(c->context, &spans, take_spans, c, &c->engine);
    return status == STELE_OK ? stele_sched_new(c->context, &sched, &c->sched) : status;
}

stele_status stele_critical_new(stele_context *context, const stele_critical_options *options,
                                stele_critical **out)
{
    stele_critical *c = calloc(1, sizeof *c);
    stele_status status;
    *out = NULL;
    if (c == NULL)
        return STELE_ERR_MEMORY;
    if (!sized_take(&c->options, sizeof c->options, SIZED_FIRST(stele_critical_options, flow_max),
                    options)) {
        free(c);
        return STELE_ERR_ARGUMENT;
    }
    c->context = context;
    c->begin_ns = INT64_MIN;
    c->end_ns = INT64_MAX;
    if (c->options.span_max == 0)
        c->options.span_max = SPANS_DEFAULT;
    if (c->options.flow_max == 0)
        c->options.flow_max = FLOWS_DEFAULT;
    status = make_engines(c);
    if (status != STELE_OK) {
        stele_critical_free(c);
        return status;
    }
    *out = c;
    return STELE_OK;
}

void stele_critical_free(stele_critical *c)
{
    if (c == NULL)
        return;
    stele_spans_free(c->engine);
    stele_sched_free(c->sched);
    free(c->spans);
    free(c->operations);
    free(c->intervals);
    free(c->flows);
    free(c->lines);
    free(c->own);
    free(c->path.rows);
    free(c);
}
