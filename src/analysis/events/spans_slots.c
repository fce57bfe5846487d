/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of open spans, which keep what is needed from the event that began each. */
#include "analysis/events/spans_state.h"

#include "core/array.h"

#define DELTA_MAX (1u << 20)

/* ---- Begin of spans ---- */

/* The part of spans_delta() for a cached entry `*near` that is for another name or track. */
int64_t spans_find_delta(stele_spans *s, uint32_t *near, uint32_t track, stele_name name,
                         int64_t begin_ns)
{
    uint32_t hash;
    if (!hash_table_reserve(&s->last_numbers)) {
        s->status = STELE_ERR_MEMORY;
        return STELE_SPAN_NO_DELTA;
    }
    hash = hash_table_hash_pair(&s->last_numbers, track, name);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&s->last_numbers, hash, &at)) != HASH_NONE;) {
        if (s->lasts[number].track != track || s->lasts[number].name != name)
            continue;
        *near = number + 1;
        return last_begin_renew(&s->lasts[number], begin_ns);
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

uint32_t spans_keep(stele_spans *s, const stele_event *event, const open_data *data)
{
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
    s->open[slot] = *data;
    return slot;
}

uint32_t spans_open(stele_spans *s, stele_span_source from)
{
    const stele_event *event = s->now.event;
    const open_data open = {
        .id = ++s->id,
        .delta_ns = spans_delta(s, event->track, spans_global_name(event->name), event->time_ns),
        .source = (uint8_t)from};
    return spans_keep(s, event, &open);
}

/* ---- End of spans ---- */

void spans_take_lost_begin(stele_spans *s, stele_span *span, spans_end end)
{
    span->id = ++s->id;
    span->delta_ns = STELE_SPAN_NO_DELTA;
    span->begin_offset = STELE_SPAN_NO_OFFSET;
    span->name = spans_global_name(end.event->name);
    span->category = stele_category_name(s->context, end.event->category);
    span->track = end.event->track;
    span->stream = end.batch->stream;
    spans_take_end(span, end);
}

/* The kind of event with which spans of a source begin. */
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

/* Removes the span that was made last if the filter does not pass it. */
static void judge(stele_spans *s, const stele_span *span)
{
    stele_batch *batch = s->made.batch;
    if (s->only == NULL && s->kinds == 0)
        return;
    if (!is_wanted(s, batch, &batch->events[batch->event_count - 1], span))
        spans_made_undo(&s->made);
}

/* Whether a span goes on after the window. What is open at its end does; an event that has both
   times says so itself. */
static bool is_end_cut(const stele_spans *s, const stele_span *span, const stele_event *begin)
{
    return s->end_ns != INT64_MAX &&
           (span->end == STELE_SPAN_OPEN || (begin != NULL && begin->kind == STELE_KIND_COMPLETE &&
                                             (int64_t)begin->id > s->end_ns));
}

void spans_give(stele_spans *s, stele_span *span, spans_end begin, spans_end end)
{
    spans_count(s, span->source, span->end, span->depth);
    if (s->status != STELE_OK || spans_is_short(s, stele_span_duration_ns(span), span->begin_ns))
        return;
    span->is_begin_cut = begin.event != NULL && begin.event->time_ns < s->begin_ns;
    span->is_end_cut = is_end_cut(s, span, begin.event);
    s->status = spans_made_add(&s->made, span, begin, end, s->has_fields);
    if (s->status == STELE_OK)
        judge(s, span);
}
