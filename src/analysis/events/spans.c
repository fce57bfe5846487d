/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls engine says what ends when; copies of the events that began it are kept for as long as
 * it is open. What is not on a stack is found again by its key.
 */
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "analysis/events/opened.h"
#include "analysis/events/spans_made.h"
#include "core/array.h"
#include "core/sized.h"
#include "query/filter.h"

#define DELTA_MAX (1u << 20)
/* How many open operations of one key are looked at for the one that an end belongs to. */
#define LOOKED_AT 256u

#define SPANS_KINDS_LINKED (STELE_SPANS_KINDS & ~STELE_CALLS_KINDS)

/* What is known of an open span, by the slot of its event. */
typedef struct open_data {
    uint64_t id;
    uint64_t child_count;
    uint64_t child_ns; /* of operations */
    int64_t delta_ns;
    uint32_t parent; /* slot of the operation around; 0: none */
    uint32_t depth;  /* of operations */
    stele_name root; /* of operations */
    uint8_t source;
    bool is_given; /* its begin was */
} open_data;

/* When the last span of a name on a track began. */
typedef struct last_begin {
    uint32_t track;
    stele_name name;
    int64_t begin_ns;
} last_begin;

struct stele_spans {
    stele_context *context;
    stele_span_options options;
    stele_calls *calls;
    filter *only;      /* NULL: all spans are given */
    uint64_t kinds;    /* of begins that are wanted; 0: all */
    uint64_t least_ns; /* shorter spans are not given */
    bool has_origin;
    bool has_fields; /* they are given, or looked at */
    opened opened;   /* by the tags of the open calls, and by keys */
    open_data *open; /* by slot */
    uint32_t open_capacity;
    last_begin *lasts;
    uint32_t last_count, last_capacity;
    hash_table last_numbers;  /* by track and name */
    int64_t begin_ns, end_ns; /* of the window */
    int64_t last_ns;          /* the latest time so far */
    int64_t sweep_ns;         /* when timeouts are to be looked for again */
    uint64_t id;              /* of the span that began last */
    spans_end now;            /* the event at hand; no event: the end of the trace */
    stele_span_counts counts;
    stele_status status;
    spans_made made;
};

/* ---- What begins ---- */

static inline stele_name global_name(stele_name name)
{
    return (name & STELE_NAME_LOCAL) != 0 ? 0 : name;
}

/* Since the span before of this name on this track began, which is this one from now on. */
static int64_t take_delta(stele_spans *s, uint32_t track, stele_name name, int64_t begin_ns)
{
    uint32_t hash;
    int64_t delta_ns;
    if (!hash_table_reserve(&s->last_numbers)) {
        s->status = STELE_ERR_MEMORY;
        return STELE_SPAN_NO_DELTA;
    }
    hash = hash_table_hash_pair(&s->last_numbers, track, name);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&s->last_numbers, hash, &at)) != HASH_NONE;) {
        last_begin *last = &s->lasts[number];
        if (last->track != track || last->name != name)
            continue;
        delta_ns = (int64_t)((uint64_t)begin_ns - (uint64_t)last->begin_ns);
        last->begin_ns = begin_ns;
        return delta_ns;
    }
    if (s->last_count == DELTA_MAX) {
        s->counts.no_delta_count++;
        return STELE_SPAN_NO_DELTA;
    }
    if (s->last_count == s->last_capacity) {
        last_begin *lasts = array_grow(s->lasts, sizeof *lasts, &s->last_capacity, 256);
        if (lasts == NULL) {
            s->status = STELE_ERR_MEMORY;
            return STELE_SPAN_NO_DELTA;
        }
        s->lasts = lasts;
    }
    s->lasts[s->last_count] = (last_begin){track, name, begin_ns};
    hash_table_put(&s->last_numbers, hash, s->last_count++);
    return STELE_SPAN_NO_DELTA;
}

/* Keeps the event at hand, which begins a span; 0: memory. */
static uint32_t open_span(stele_spans *s, stele_span_source from)
{
    const stele_event *event = s->now.event;
    const uint32_t slot = opened_add_late(&s->opened, s->now.batch, event);
    while (slot != 0 && slot >= s->open_capacity) {
        open_data *open = array_grow(s->open, sizeof *open, &s->open_capacity, 256);
        if (open == NULL) {
            s->status = STELE_ERR_MEMORY;
            return 0;
        }
        s->open = open;
    }
    if (slot == 0) {
        s->status = STELE_ERR_MEMORY;
        return 0;
    }
    s->open[slot] = (open_data){
        .id = ++s->id,
        .delta_ns = take_delta(s, event->track, global_name(event->name), event->time_ns),
        .source = (uint8_t)from};
    return slot;
}

/* ---- What ends ---- */

static spans_end begin_of(const stele_spans *s, uint32_t slot)
{
    return (spans_end){opened_batch(&s->opened, slot), opened_event(&s->opened, slot)};
}

/* What the event that began a span says; begin_ns is that of the window at least. */
static void take_begin(const stele_spans *s, stele_span *span, uint32_t slot)
{
    const stele_event *event = opened_event(&s->opened, slot);
    const open_data *open = &s->open[slot];
    span->id = open->id;
    span->child_count = open->child_count;
    span->delta_ns = open->delta_ns;
    span->begin_offset = event->offset;
    span->name = global_name(event->name);
    span->category = stele_category_name(s->context, event->category);
    span->track = event->track;
    span->stream = s->opened.slots[slot].stream;
    span->begin_cpu = event->cpu;
    span->has_begin_cpu = (event->flags & STELE_FLAG_HAS_CPU) != 0;
    span->source = open->source;
    if (open->source >= STELE_SPAN_NESTED_PAIR)
        span->pair = (uint32_t)event->value;
}

/* What the event that ended it says. */
static void take_end(stele_span *span, spans_end end)
{
    span->end_offset = end.event->offset;
    span->end_track = end.event->track;
    span->end_stream = end.batch->stream;
    span->end_cpu = end.event->cpu;
    span->has_end_cpu = (end.event->flags & STELE_FLAG_HAS_CPU) != 0;
}

/* Of a span without an event that began it: everything is that of its end. */
static void take_lost_begin(stele_spans *s, stele_span *span, spans_end end)
{
    span->id = ++s->id;
    span->delta_ns = STELE_SPAN_NO_DELTA;
    span->begin_offset = STELE_SPAN_NO_OFFSET;
    span->name = global_name(end.event->name);
    span->category = stele_category_name(s->context, end.event->category);
    span->track = end.event->track;
    span->stream = end.batch->stream;
    take_end(span, end);
}

/* The kind of the events that spans of a source begin with. */
static stele_kind begin_kind(uint8_t from)
{
    static const uint8_t kinds[STELE_SPAN_SOURCE_COUNT] = {
        STELE_KIND_BEGIN,      STELE_KIND_COMPLETE, STELE_KIND_ASYNC_BEGIN,
        STELE_KIND_FLOW_BEGIN, STELE_KIND_BEGIN,    STELE_KIND_ASYNC_BEGIN};
    return (stele_kind)kinds[from];
}

static bool is_wanted(stele_spans *s, const stele_batch *batch, const stele_event *event,
                      const stele_span *span)
{
    return (s->kinds == 0 || (s->kinds & STELE_KIND_BIT(begin_kind(span->source))) != 0) &&
           filter_passes_span(s->only, batch, event, span);
}

/* Takes back what was made last if it is not wanted. */
static void judge(stele_spans *s, const stele_span *span)
{
    stele_batch *batch = s->made.batch;
    if (s->only == NULL && s->kinds == 0)
        return;
    if (!is_wanted(s, batch, &batch->events[batch->event_count - 1], span))
        spans_made_undo(&s->made);
}

static inline void count(stele_spans *s, uint8_t from, uint8_t end, uint32_t depth)
{
    s->counts.span_count++;
    s->counts.by_source[from]++;
    s->counts.by_end[end]++;
    if (depth + 1 > s->counts.depth_max)
        s->counts.depth_max = depth + 1;
}

static void give(stele_spans *s, const stele_span *span, uint32_t slot, spans_end end)
{
    const spans_end begin = slot != 0 ? begin_of(s, slot) : (spans_end){NULL, NULL};
    count(s, span->source, span->end, span->depth);
    if (s->status != STELE_OK || stele_span_duration_ns(span) < s->least_ns)
        return;
    s->status = spans_made_add(&s->made, span, begin, end, s->has_fields);
    if (s->status == STELE_OK)
        judge(s, span);
}

/* Whether a span ended before the window, of which an event at hand says what is open then. */
static bool is_before(const stele_spans *s, int64_t begin_ns, int64_t end_ns)
{
    return end_ns < s->begin_ns || (end_ns == s->begin_ns && begin_ns < s->begin_ns);
}

/* ---- Calls ---- */

static bool has_call_begun(const stele_spans *s, uint32_t tag)
{
    return tag != 0 && s->open[tag].source != STELE_SPAN_COMPLETE;
}

/* The slot of the call around one that has ended, which ended with it or is open; 0: none. `after`
   are the calls that ended after it. */
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

static void close_call(stele_spans *s, const stele_call_span *call, const stele_call_span *end)
{
    const uint32_t around = slot_around(s, call, call + 1, end);
    const bool is_lost = call->end == STELE_CALL_ENTRY_LOST;
    if (!is_lost && stele_call_duration_ns(call) < s->least_ns) {
        /* It is in no row, and all that is known of it is that it was there. */
        if (around != 0)
            s->open[around].child_count++;
        count(s, s->open[call->tag].source, call->end, call->depth);
        return;
    }
    stele_span span = {.begin_ns = call->begin_ns,
                       .end_ns = call->end_ns,
                       .self_ns = call->self_ns,
                       .end_offset = STELE_SPAN_NO_OFFSET,
                       .depth = call->depth,
                       .node = call->node,
                       .end = call->end};
    spans_end by = {NULL, NULL};
    if (is_lost) {
        by = s->now;
        take_lost_begin(s, &span, by);
        span.source = by.event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL;
        span.pair = (uint32_t)by.event->value;
    } else {
        take_begin(s, &span, call->tag);
        span.end_track = span.track;
        span.end_stream = span.stream;
        if (has_call_begun(s, call->tag) && call->end <= STELE_CALL_TAIL) {
            by = s->now;
            take_end(&span, by);
        } else if (span.source == STELE_SPAN_COMPLETE) {
            span.end_offset = span.begin_offset;
        }
    }
    if (around != 0) {
        span.parent = s->open[around].id;
        span.caller = global_name(opened_event(&s->opened, around)->name);
        s->open[around].child_count++;
    }
    span.root = root_of(s, call, end);
    give(s, &span, is_lost ? 0 : call->tag, by);
}

static stele_status take_calls(void *user, const stele_call_span *calls, size_t count)
{
    stele_spans *s = user;
    const stele_call_span *const end = calls + count;
    for (const stele_call_span *call = calls; call != end && s->status == STELE_OK; call++) {
        const int64_t begin_ns =
            call->tag != 0 ? opened_event(&s->opened, call->tag)->time_ns : call->begin_ns;
        if ((call->tag != 0 || call->end == STELE_CALL_ENTRY_LOST) &&
            !is_before(s, begin_ns, call->end_ns))
            close_call(s, call, end);
        if (call->tag != 0)
            opened_remove(&s->opened, call->tag);
    }
    return s->status;
}

/* Says that the span of a slot begins. */
static void give_begin(stele_spans *s, uint32_t slot, uint32_t track, uint32_t depth)
{
    const spans_end begin = begin_of(s, slot);
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

/* Whether the begin of an open call was given, and those of all below it. */
static bool is_begin_given(const stele_spans *s, const stele_call_span *call)
{
    return call->tag == 0 ||
           (s->open[call->tag].is_given && call->begin_ns < s->now.event->time_ns);
}

/* The event at hand has begun a span, or has moved the window to where others begin. What is new is
   on top, or begins now. */
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

static void take_call(stele_spans *s)
{
    const stele_event *event = s->now.event;
    const stele_segment one = {s->now.batch, (uint32_t)(event - s->now.batch->events), 1};
    const uint64_t cut_count = stele_calls_get_counts(s->calls)->cut_count;
    uint32_t slot = 0;
    if (event->kind == STELE_KIND_COMPLETE)
        slot = open_span(s, STELE_SPAN_COMPLETE);
    else if (event->kind == STELE_KIND_BEGIN)
        slot = open_span(s, event->value != 0 ? STELE_SPAN_NESTED_PAIR : STELE_SPAN_CALL);
    stele_calls_tag(s->calls, slot);
    if (s->status == STELE_OK)
        s->status = stele_calls_add(s->calls, &one, NULL);
    if (slot != 0 && stele_calls_get_counts(s->calls)->cut_count != cut_count)
        opened_remove(&s->opened, slot);
    else if (s->options.has_begins && event->time_ns >= s->begin_ns)
        give_begins(s);
}

/* ---- Operations, flows and pairs ---- */

static stele_span_source source_of(const stele_event *event)
{
    if (event->value != 0)
        return STELE_SPAN_PAIR;
    return event->kind == STELE_KIND_ASYNC_BEGIN || event->kind == STELE_KIND_ASYNC_END
               ? STELE_SPAN_ASYNC
               : STELE_SPAN_FLOW;
}

/* Which operation an end belongs to: the latest of its process, category and name, else without the
   name, else without the category, else of another process with the name. */
static opened_link *find_begin(stele_spans *s, const stele_event *end, uint64_t key, uint32_t scope)
{
    opened_link *found = NULL;
    unsigned best = 0, looked = 0;
    for (opened_link *link = opened_link_first(&s->opened, key); link != NULL && looked < LOOKED_AT;
         link = opened_link_next(&s->opened, link), looked++) {
        const stele_event *begin = opened_event(&s->opened, link->slot);
        if (begin->value != end->value)
            continue; /* one is of the trace, the other one of a pair */
        const unsigned fit = (link->scope == scope ? 4u : 0) +
                             (begin->category == end->category ? 2u : 0) +
                             (begin->name == end->name ? 1u : 0);
        if (found == NULL || fit > best) {
            found = link;
            best = fit;
        }
        if (best == 7)
            break;
    }
    return found;
}

static void begin_operation(stele_spans *s, uint64_t key, uint32_t scope)
{
    const stele_span_source from = source_of(s->now.event);
    opened_link *around = opened_link_first(&s->opened, key);
    uint32_t slot, parent = 0;
    if (s->opened.link_used >= s->options.open_max) {
        s->counts.refused_count++;
        return;
    }
    if (from == STELE_SPAN_ASYNC && around != NULL && around->scope == scope)
        parent = around->slot;
    slot = open_span(s, from);
    if (slot == 0)
        return;
    s->open[slot].root = global_name(s->now.event->name);
    if (parent != 0) {
        s->open[slot].parent = parent;
        s->open[slot].depth = s->open[parent].depth + 1;
        s->open[slot].root = s->open[parent].root;
    }
    if (!opened_link_add(&s->opened, key, scope, slot)) {
        opened_remove(&s->opened, slot);
        s->status = STELE_ERR_MEMORY;
    }
}

/* Whether the parent of an operation is still open. */
static uint32_t operation_around(const stele_spans *s, uint32_t slot, uint64_t id)
{
    return slot != 0 && s->opened.slots[slot].is_used && s->open[slot].id < id ? slot : 0;
}

static void close_operation(stele_spans *s, opened_link *link, int64_t time_ns, stele_span_end how,
                            spans_end by)
{
    const uint32_t slot = link->slot;
    const stele_event *begin = opened_event(&s->opened, slot);
    const open_data *open = &s->open[slot];
    const uint32_t around = operation_around(s, open->parent, open->id);
    const int64_t from_ns = begin->time_ns > s->begin_ns ? begin->time_ns : s->begin_ns;
    const int64_t until_ns = time_ns < s->end_ns ? time_ns : s->end_ns;
    stele_span span = {.begin_ns = from_ns,
                       .end_ns = until_ns > from_ns ? until_ns : from_ns,
                       .end_offset = STELE_SPAN_NO_OFFSET,
                       .depth = open->depth,
                       .root = open->root,
                       .end = (uint8_t)how};
    const uint64_t whole = stele_span_duration_ns(&span);
    if (!is_before(s, begin->time_ns, time_ns)) {
        take_begin(s, &span, slot);
        span.end_track = span.track;
        span.end_stream = span.stream;
        if (by.event != NULL)
            take_end(&span, by);
        span.self_ns = whole > open->child_ns ? whole - open->child_ns : 0;
        if (around != 0) {
            span.parent = s->open[around].id;
            span.caller = global_name(opened_event(&s->opened, around)->name);
            s->open[around].child_count++;
            s->open[around].child_ns += whole;
        }
        give(s, &span, slot, by);
    }
    opened_link_remove(&s->opened, link);
}

static void lose_operation(stele_spans *s)
{
    const stele_event *event = s->now.event;
    stele_span span = {.begin_ns = event->time_ns,
                       .end_ns = event->time_ns,
                       .end = STELE_SPAN_ENTRY_LOST,
                       .source = (uint8_t)source_of(event)};
    if (event->time_ns < s->begin_ns)
        return;
    take_lost_begin(s, &span, s->now);
    span.root = span.name;
    span.pair = (uint32_t)event->value;
    give(s, &span, 0, s->now);
}

static bool has_timed_out(const stele_spans *s, const stele_event *begin, int64_t now_ns)
{
    return s->options.timeout_ns != 0 && begin->value != 0 && now_ns > begin->time_ns &&
           (uint64_t)now_ns - (uint64_t)begin->time_ns > s->options.timeout_ns;
}

static void close_timed_out(stele_spans *s, opened_link *link)
{
    const int64_t begin_ns = opened_event(&s->opened, link->slot)->time_ns;
    close_operation(s, link, (int64_t)((uint64_t)begin_ns + s->options.timeout_ns),
                    STELE_SPAN_TIMEOUT, (spans_end){NULL, NULL});
}

/* Now and then: pairs that have been open for too long. */
static void sweep(stele_spans *s, int64_t now_ns)
{
    const uint64_t step = s->options.timeout_ns / 4 + 1;
    for (uint32_t i = 1; i <= s->opened.link_count; i++) {
        opened_link *link = &s->opened.links[i];
        if (link->slot != 0 && has_timed_out(s, opened_event(&s->opened, link->slot), now_ns))
            close_timed_out(s, link);
    }
    if (__builtin_add_overflow(now_ns, step > INT64_MAX ? INT64_MAX : (int64_t)step, &s->sweep_ns))
        s->sweep_ns = INT64_MAX;
}

static void take_operation(stele_spans *s)
{
    const stele_event *event = s->now.event;
    const uint64_t key = opened_key(&s->opened, event);
    const uint32_t scope = opened_scope(&s->opened, event->track);
    opened_link *link;
    switch (event->kind) {
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_FLOW_BEGIN: begin_operation(s, key, scope); return;
    default: link = find_begin(s, event, key, scope);
    }
    if (link != NULL && has_timed_out(s, opened_event(&s->opened, link->slot), event->time_ns)) {
        close_timed_out(s, link);
        link = NULL;
    }
    if (link != NULL)
        close_operation(s, link, event->time_ns, STELE_SPAN_RETURNED, s->now);
    else if (event->kind != STELE_KIND_FLOW_STEP)
        lose_operation(s);
    if (event->kind == STELE_KIND_FLOW_STEP)
        begin_operation(s, key, scope);
}

/* ---- The flow of events ---- */

static bool is_after(const stele_spans *s, const stele_event *event)
{
    return event->time_ns >= s->end_ns && s->end_ns != INT64_MAX;
}

stele_status stele_spans_add(stele_spans *s, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    const uint64_t steps = s->options.has_steps ? STELE_KIND_BIT(STELE_KIND_FLOW_STEP) : 0;
    const uint64_t linked = SPANS_KINDS_LINKED | steps;
    for (; event != end && s->status == STELE_OK; event++) {
        const uint64_t kind = STELE_KIND_BIT(event->kind);
        if (((STELE_CALLS_KINDS | linked) & kind) == 0 || is_after(s, event))
            continue;
        if ((event->flags & STELE_FLAG_REPEATED) != 0) {
            s->counts.repeated_count++;
            continue;
        }
        s->now = (spans_end){segment->batch, event};
        if (!s->has_origin)
            stele_spans_set_origin(s, event->time_ns);
        if (event->time_ns > s->last_ns)
            s->last_ns = event->time_ns;
        if (s->options.timeout_ns != 0 && event->time_ns >= s->sweep_ns)
            sweep(s, event->time_ns);
        if ((linked & kind) != 0)
            take_operation(s);
        else
            take_call(s);
    }
    if (s->status == STELE_OK && !opened_settle(&s->opened))
        s->status = STELE_ERR_MEMORY;
    if (s->status == STELE_OK)
        s->status = spans_made_flush(&s->made);
    return s->status;
}

stele_status stele_spans_finish(stele_spans *s)
{
    const int64_t last_ns = s->end_ns != INT64_MAX ? s->end_ns : s->last_ns;
    s->now = (spans_end){NULL, NULL};
    if (s->status != STELE_OK)
        return s->status;
    s->status = stele_calls_finish(s->calls);
    if (s->options.timeout_ns != 0)
        sweep(s, last_ns);
    for (uint32_t i = s->opened.link_count; i != 0; i--) {
        if (s->opened.links[i].slot != 0)
            close_operation(s, &s->opened.links[i], last_ns, STELE_SPAN_OPEN,
                            (spans_end){NULL, NULL});
    }
    if (s->status == STELE_OK)
        s->status = spans_made_flush(&s->made);
    s->last_ns = s->sweep_ns = INT64_MIN;
    return s->status;
}

void stele_spans_set_least(stele_spans *s, uint64_t duration_ns)
{
    s->least_ns = duration_ns;
}

void stele_spans_set_origin(stele_spans *s, int64_t origin_ns)
{
    s->has_origin = true;
    if (s->only != NULL)
        filter_set_origin(s->only, origin_ns);
}

const stele_call_node *stele_spans_node(const stele_spans *s, uint32_t node)
{
    return stele_calls_node(s->calls, node);
}

stele_status stele_spans_set_window(stele_spans *s, int64_t begin_ns, int64_t end_ns)
{
    const stele_status status = stele_calls_set_window(s->calls, begin_ns, end_ns);
    s->begin_ns = begin_ns;
    s->end_ns = end_ns;
    return status;
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
    take_begin(s, span, call.tag);
    if (depth != 0 && stele_calls_open_at(s->calls, track, depth - 1, &around) && around.tag != 0) {
        span->parent = s->open[around.tag].id;
        span->caller = around.name;
    }
    if (stele_calls_open_at(s->calls, track, 0, &around))
        span->root = around.name;
    return true;
}

void stele_spans_get_counts(const stele_spans *s, stele_span_counts *counts)
{
    const stele_call_counts *calls = stele_calls_get_counts(s->calls);
    stele_span_counts own = s->counts;
    own.overlap_count = calls->overlap_count;
    own.cut_count = calls->cut_count;
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_span_counts, depth_max));
}

uint32_t stele_spans_columns(const stele_spans *s)
{
    return stele_calls_columns(s->calls) | (s->has_fields ? STELE_COLUMN_FIELDS : 0) |
           (s->only != NULL ? filter_columns(s->only) : 0);
}

static stele_status make_filter(stele_spans *s)
{
    const stele_request *given = s->options.only;
    stele_request request;
    stele_status status;
    s->has_fields = !s->options.no_fields;
    if (given == NULL)
        return STELE_OK;
    request = (stele_request){.names = given->names,
                              .categories = given->categories,
                              .tracks = given->tracks,
                              .where = given->where};
    s->kinds = given->kinds;
    s->options.only = NULL; /* is the caller's */
    status = filter_new_spans(s->context, &request, &s->only);
    if (status == STELE_OK)
        s->has_fields = s->has_fields || (filter_columns(s->only) & STELE_COLUMN_FIELDS) != 0;
    return status;
}

static stele_status prepare(stele_spans *s, stele_context *context, stele_span_fn *fn, void *user)
{
    stele_status status;
    s->context = context;
    s->begin_ns = s->last_ns = s->sweep_ns = INT64_MIN;
    s->end_ns = INT64_MAX;
    if (s->options.open_max == 0)
        s->options.open_max = context->limits.open_max;
    opened_init(&s->opened, context);
    status = make_filter(s);
    if (status == STELE_OK)
        status = spans_made_init(&s->made, context, fn, user);
    if (status == STELE_OK)
        status = stele_calls_new(context,
                                 &(stele_call_options){.has_tags = true,
                                                       .has_tree = s->options.has_paths,
                                                       .depth_max = s->options.depth_max},
                                 take_calls, s, &s->calls);
    return status;
}

stele_status stele_spans_new(stele_context *context, const stele_span_options *options,
                             stele_span_fn *fn, void *user, stele_spans **out)
{
    stele_spans *s = calloc(1, sizeof *s);
    stele_status status = SIZED_BEGIN(s, stele_spans, stele_span_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(s, context, fn, user);
    if (status != STELE_OK) {
        stele_spans_free(s);
        return status;
    }
    *out = s;
    return STELE_OK;
}

void stele_spans_free(stele_spans *s)
{
    if (s == NULL)
        return;
    filter_free(s->only);
    stele_calls_free(s->calls);
    opened_free(&s->opened);
    spans_made_free(&s->made);
    hash_table_free(&s->last_numbers);
    free(s->lasts);
    free(s->open);
    free(s);
}
