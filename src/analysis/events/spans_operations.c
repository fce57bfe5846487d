/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of operations, flows and pairs, which are found by a key. */
#include "analysis/events/spans_state.h"

/* How many open operations with the key of an end are compared, which bounds the cost. */
#define LOOKED_AT 256u

static stele_span_source source_of(const stele_event *event)
{
    if (event->value != 0)
        return STELE_SPAN_PAIR;
    return event->kind == STELE_KIND_ASYNC_BEGIN || event->kind == STELE_KIND_ASYNC_END
               ? STELE_SPAN_ASYNC
               : STELE_SPAN_FLOW;
}

/*
 * Finds the operation that an end belongs to: the latest one with the same process, category and
 * name; else without regard to the name; else without the category; else one of another process
 * with the name.
 */
static opened_link *find_begin(stele_spans *s, const stele_event *end, uint64_t key, uint32_t scope)
{
    opened_link *found = NULL;
    unsigned best = 0, looked = 0;
    for (opened_link *link = opened_link_first(&s->opened, key); link != NULL && looked < LOOKED_AT;
         link = opened_link_next(&s->opened, link), looked++) {
        const stele_event *begin = opened_event(&s->opened, link->slot);
        if (begin->value != end->value)
            continue; /* one belongs to the trace, the other to a pair */
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
    slot = spans_open(s, from);
    if (slot == 0)
        return;
    s->open[slot].root = spans_global_name(s->now.event->name);
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

/* The slot of an operation's parent if that is still open, 0 otherwise. A slot that was used
   again has a higher id than the child. */
static uint32_t operation_around(const stele_spans *s, uint32_t slot, uint64_t id)
{
    return slot != 0 && s->opened.slots[slot].is_used && s->open[slot].id < id ? slot : 0;
}

/* Gives the span of the operation in a slot; `around` is the slot of the operation around it. */
static void give_operation(stele_spans *s, stele_span *span, uint32_t slot, uint32_t around,
                           spans_end by)
{
    const uint64_t whole = stele_span_duration_ns(span), child_ns = s->open[slot].child_ns;
    spans_take_begin(s, span, slot);
    span->end_track = span->track;
    span->end_stream = span->stream;
    if (by.event != NULL)
        spans_take_end(span, by);
    span->self_ns = whole > child_ns ? whole - child_ns : 0;
    if (around != 0) {
        span->parent = s->open[around].id;
        span->caller = spans_global_name(opened_event(&s->opened, around)->name);
    }
    spans_give(s, span, spans_begin_or_none(s, slot), by);
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
    if (!spans_is_before(s, begin->time_ns, time_ns)) {
        s->counts.carried_count += begin->time_ns < s->begin_ns;
        if (around != 0) {
            s->open[around].child_count++;
            s->open[around].child_ns += whole;
        }
        if (spans_is_short(s, whole, span.begin_ns))
            spans_count(s, open->source, span.end, open->depth);
        else
            give_operation(s, &span, slot, around, by);
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
    spans_take_lost_begin(s, &span, s->now);
    span.root = span.name;
    span.pair = (uint32_t)event->value;
    spans_give(s, &span, (spans_end){NULL, NULL}, s->now);
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

/* Ends pairs that have been open longer than the timeout. Called four times in each timeout. */
void spans_sweep(stele_spans *s, int64_t now_ns)
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

void spans_take_operation(stele_spans *s)
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

void spans_finish_operations(stele_spans *s, int64_t last_ns)
{
    if (s->options.timeout_ns != 0)
        spans_sweep(s, last_ns);
    for (uint32_t i = s->opened.link_count; i != 0; i--) {
        if (s->opened.links[i].slot != 0)
            close_operation(s, &s->opened.links[i], last_ns, STELE_SPAN_OPEN,
                            (spans_end){NULL, NULL});
    }
}
