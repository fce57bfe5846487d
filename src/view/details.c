/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about one span or one event: fields, caller, callees, flows, others of its name. */
#include <stele/text.h>

#include <stdlib.h>

#include "view/viewer.h"

#define CALLEES_MAX   64u
#define ANCESTORS_MAX 256u
#define FIELDS_MAX    1000u
#define FLOWS_MAX     64u
/* events after a span that are searched for the ends of its flows */
#define FLOW_EVENTS 200000u
#define DEPTH_ANY   UINT32_MAX /* stands for the innermost span at a moment */

/* ---- The fields of an event ------------------------------------------------------------------ */

static void put_fields(const viewer *v, stele_json *j, const stele_batch *batch, uint32_t at,
                       uint32_t count, uint32_t *shown)
{
    const uint32_t end = at + count;
    while (at < end) {
        const stele_field *field = &batch->fields[at];
        at += stele_field_length(field);
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        if ((*shown)++ < FIELDS_MAX) {
            const stele_text name = stele_name_text(v->context, batch, field->name);
            stele_text value;
            stele_json_open(j, NULL, '[');
            stele_json_shown(j, NULL, name.bytes, name.size, VIEW_NAME_MAX);
            value = stele_field_line(v->context, batch, field);
            stele_json_shown(j, NULL, value.bytes, value.size, VIEW_VALUE_MAX);
            stele_json_close(j, ']');
        }
    }
}

static void put_event(const viewer *v, stele_json *j, const stele_batch *batch,
                      const stele_event *event)
{
    const stele_text name = stele_name_text(v->context, batch, event->name);
    const stele_text category =
        stele_name_text(v->context, batch, stele_category_name(v->context, event->category));
    uint32_t at, shown = 0;
    const uint32_t count = stele_event_fields(batch, event, &at);
    stele_text track;
    stele_json_shown(j, "name", name.bytes, name.size, VIEW_VALUE_MAX);
    stele_json_shown(j, "category", category.bytes, category.size, VIEW_NAME_MAX);
    stele_json_uint(j, "track", event->track);
    track = stele_track_line(v->context, event->track);
    stele_json_shown(j, "trackTitle", track.bytes, track.size, VIEW_NAME_MAX);
    stele_json_uint_text(j, "offset", event->offset);
    stele_json_uint(j, "size", event->size);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        stele_json_uint(j, "cpu", event->cpu);
    if ((event->flags & STELE_FLAG_DAMAGED) != 0)
        stele_json_bool(j, "damaged", true);
    stele_json_open(j, "fields", '[');
    put_fields(v, j, batch, at, count, &shown);
    if ((batch->columns & STELE_COLUMN_CONTEXT) != 0)
        put_fields(v, j, batch, batch->context_first, batch->context_count, &shown);
    stele_json_close(j, ']');
    stele_json_uint(j, "fieldsLeftOut", shown > FIELDS_MAX ? shown - FIELDS_MAX : 0);
}

/* ---- Everything about a span ----------------------------------------------------------------- */

typedef struct callee {
    stele_name name;
    uint64_t count, total_ns;
} callee;

typedef struct span_search {
    viewer *v;
    const question *q;
    stele_json j;
    view_reading r;
    callee callees[CALLEES_MAX];
    size_t callee_count;
    uint64_t callee_left_out;
    bool is_operation; /* the span is on no stack, and is known by the offset of its record */
    bool is_found;     /* the span was found and written */
    bool is_seen; /* the span was found, perhaps not all of it, and the members below are set */
    uint32_t depth;
    int64_t begin_ns, end_ns;
} span_search;

static void add_callee(span_search *s, const stele_span *span)
{
    size_t i = 0;
    while (i < s->callee_count && s->callees[i].name != span->name)
        i++;
    if (i == CALLEES_MAX) {
        s->callee_left_out++;
        return;
    }
    if (i == s->callee_count)
        s->callees[s->callee_count++] = (callee){.name = span->name};
    s->callees[i].count++;
    s->callees[i].total_ns += stele_span_duration_ns(span);
}

static bool is_stacked(const stele_span *span)
{
    return span->source == STELE_SPAN_CALL || span->source == STELE_SPAN_COMPLETE ||
           span->source == STELE_SPAN_NESTED_PAIR;
}

static bool is_sought(const span_search *s, const stele_span *span)
{
    const int64_t at_ns = s->q->at_ns;
    if (span->track != s->q->track)
        return false;
    if (s->is_operation)
        return !is_stacked(span) && span->begin_offset == s->q->offset;
    return is_stacked(span) && (s->depth == DEPTH_ANY || span->depth == s->depth) &&
           span->begin_ns <= at_ns && (span->end_ns > at_ns || span->begin_ns == at_ns);
}

static void put_callees(span_search *s)
{
    stele_json *j = &s->j;
    stele_json_open(j, "callees", '[');
    for (size_t i = 0; i < s->callee_count; i++) {
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, viewer_use_name(s->v, s->callees[i].name));
        stele_json_uint(j, NULL, s->callees[i].count);
        stele_json_uint(j, NULL, s->callees[i].total_ns);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
    stele_json_uint(j, "calleesLeftOut", s->callee_left_out);
}

/* Begins the document of a span; what is around the span is added once that is known. */
static void put_span(span_search *s, const stele_segment *segment, uint32_t index,
                     const stele_span *span)
{
    stele_json *j = &s->j;
    viewer_begin_names(s->v);
    stele_json_open(j, NULL, '{');
    stele_json_bool(j, "found", true);
    put_event(s->v, j, segment->batch, &segment->batch->events[segment->first + index]);
    stele_json_int_text(j, "begin", span->begin_ns);
    stele_json_int_text(j, "end", span->end_ns);
    stele_json_uint(j, "self", span->self_ns);
    stele_json_uint(j, "depth", span->depth);
    stele_json_uint(j, "children", span->child_count);
    stele_json_text(j, "ended", stele_span_end_text((stele_span_end)span->end));
    stele_json_text(j, "source", stele_span_source_text((stele_span_source)span->source));
    stele_json_uint(j, "nameNumber", viewer_use_name(s->v, span->name));
    if (span->delta_ns != STELE_SPAN_NO_DELTA)
        stele_json_int(j, "delta", span->delta_ns);
    if (span->end_offset != STELE_SPAN_NO_OFFSET)
        stele_json_uint_text(j, "endOffset", span->end_offset);
    put_callees(s);
}

static stele_status look_at_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    span_search *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        if (is_sought(s, span)) {
            const bool is_known = span->begin_ns >= s->r.known_ns && s->depth != DEPTH_ANY;
            s->is_seen = true;
            s->depth = span->depth;
            s->begin_ns = span->begin_ns;
            s->end_ns = span->end_ns;
            s->is_found = is_known;
            if (is_known)
                put_span(s, segment, i, span);
            return STELE_END;
        }
        if (span->track != s->q->track || !is_stacked(span))
            continue;
        /* A span that ends before its caller does belongs to the next span that ends one level
           above it. */
        if (span->depth == s->depth + 1)
            add_callee(s, span);
        if (span->depth <= s->depth) {
            s->callee_count = 0;
            s->callee_left_out = 0;
        }
    }
    return STELE_OK;
}

/* Looks whether the moment is in no span: events of the track are past it and nothing open
   covers it. */
static stele_status look_at_events_of_span(void *user, const stele_segment *segment)
{
    const span_search *s = user;
    stele_span outer;
    if (s->is_operation || segment->batch->events[segment->first].time_ns <= s->q->at_ns)
        return STELE_OK;
    return stele_spans_open_at(s->r.spans, s->q->track, 0, &outer) && outer.begin_ns <= s->q->at_ns
               ? STELE_OK
               : STELE_END;
}

/* ---- What is around a span ---- */

typedef struct around {
    span_search *of;
    stele_span *spans; /* the spans around the span, by depth */
    uint32_t count;
} around;

static stele_status look_around(void *user, const stele_segment *segment, const stele_span *spans)
{
    around *a = user;
    const span_search *s = a->of;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        if (is_stacked(span) && span->track == s->q->track && span->depth < a->count &&
            span->begin_ns <= s->begin_ns && span->end_ns >= s->begin_ns)
            a->spans[span->depth] = *span;
    }
    return STELE_OK;
}

/* Writes the spans around the span: those that are open where it begins. */
static stele_status put_ancestors(span_search *s)
{
    const bool is_nested = !s->is_operation && s->depth != DEPTH_ANY;
    around a = {.of = s, .count = is_nested && s->depth < ANCESTORS_MAX ? s->depth : 0};
    view_reading r = {.q = s->q,
                      .is_whole = true,
                      .has_checkpoint = true,
                      .from_ns = s->begin_ns,
                      .span = look_around,
                      .user = &a};
    stele_status status = STELE_OK;
    stele_json_open(&s->j, "ancestors", '[');
    if (a.count != 0) {
        a.spans = calloc(a.count, sizeof *a.spans);
        status = a.spans == NULL
                     ? STELE_ERR_MEMORY
                     : viewer_read(s->v, &r, INT64_MIN,
                                   s->begin_ns < INT64_MAX ? s->begin_ns + 1 : s->begin_ns);
    }
    for (uint32_t i = 0; status == STELE_OK && i < a.count; i++) {
        if (a.spans[i].track == 0 && a.spans[i].name == 0)
            continue;
        stele_json_open(&s->j, NULL, '[');
        stele_json_uint(&s->j, NULL, viewer_use_name(s->v, a.spans[i].name));
        stele_json_int_text(&s->j, NULL, a.spans[i].begin_ns);
        stele_json_uint(&s->j, NULL, i);
        stele_json_close(&s->j, ']');
    }
    stele_json_close(&s->j, ']');
    free(a.spans);
    return status;
}

/* ---- The flows of a span ---- */

typedef struct flow_search {
    span_search *of;
    uint64_t open_count;  /* flows that began in the span and have not ended yet */
    uint64_t later_count; /* events after the span so far */
    unsigned shown_count;
    uint64_t left_out;
} flow_search;

static bool is_within(const span_search *s, int64_t time_ns)
{
    return time_ns >= s->begin_ns && time_ns <= s->end_ns;
}

static stele_status look_at_flow_events(void *user, const stele_segment *segment)
{
    flow_search *f = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->time_ns > f->of->end_ns)
            f->later_count++;
        else if (event->kind == STELE_KIND_FLOW_BEGIN && event->track == f->of->q->track)
            f->open_count += event->time_ns >= f->of->begin_ns;
    }
    return f->later_count != 0 && (f->open_count == 0 || f->later_count > FLOW_EVENTS) ? STELE_END
                                                                                       : STELE_OK;
}

/* Writes ["in" or "out", time and track of the other end, name, time of this end] of a flow. */
static void put_flow(flow_search *f, const stele_span *flow, bool is_out)
{
    span_search *s = f->of;
    stele_json *j = &s->j;
    if (f->shown_count == FLOWS_MAX) {
        f->left_out++;
        return;
    }
    f->shown_count++;
    stele_json_open(j, NULL, '[');
    stele_json_text(j, NULL, is_out ? "out" : "in");
    stele_json_int_text(j, NULL, is_out ? flow->end_ns : flow->begin_ns);
    stele_json_uint(j, NULL, is_out ? flow->end_track : flow->track);
    stele_json_uint(j, NULL, viewer_use_name(s->v, flow->name));
    stele_json_int_text(j, NULL, is_out ? flow->begin_ns : flow->end_ns);
    stele_json_close(j, ']');
}

static stele_status look_at_flows(void *user, const stele_segment *segment, const stele_span *spans)
{
    flow_search *f = user;
    const span_search *s = f->of;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *flow = &spans[i];
        if (flow->source != STELE_SPAN_FLOW || flow->end != STELE_SPAN_RETURNED)
            continue;
        if (flow->track == s->q->track && is_within(s, flow->begin_ns)) {
            f->open_count -= f->open_count != 0;
            put_flow(f, flow, true);
        }
        if (flow->end_track == s->q->track && is_within(s, flow->end_ns))
            put_flow(f, flow, false);
    }
    return STELE_OK;
}

static stele_status put_flows(span_search *s)
{
    flow_search f = {.of = s};
    const view_known *k = &s->v->known;
    const bool has_flows =
        s->q->track < k->track_capacity && (k->tracks[s->q->track].has & VIEW_HAS_FLOWS) != 0;
    view_reading r = {.q = s->q,
                      .is_whole = true,
                      .has_checkpoint = true,
                      .from_ns = s->begin_ns,
                      .span = look_at_flows,
                      .event = look_at_flow_events,
                      .user = &f};
    stele_status status = STELE_OK;
    stele_json_open(&s->j, "flows", '[');
    if (has_flows)
        status = viewer_read(s->v, &r, INT64_MIN, INT64_MAX);
    stele_json_close(&s->j, ']');
    stele_json_uint(&s->j, "flowsLeftOut", f.left_out);
    return status;
}

/* Reads from the last checkpoint before a time until the span is found. */
static stele_status look_from(span_search *s, int64_t from_ns)
{
    s->is_found = s->is_seen = false;
    s->callee_count = 0;
    s->callee_left_out = 0;
    s->r = (view_reading){.q = s->q,
                          .is_whole = true,
                          .has_checkpoint = true,
                          .from_ns = from_ns,
                          .has_fields = true,
                          .span = look_at_spans,
                          .event = look_at_events_of_span,
                          .user = s};
    return viewer_read(s->v, &s->r, INT64_MIN, INT64_MAX);
}

static void put_not_found(stele_json *j)
{
    stele_json_open(j, NULL, '{');
    stele_json_bool(j, "found", false);
    stele_json_close(j, '}');
}

stele_status answer_span(viewer *v, const question *q, stele_output *out)
{
    span_search s = {.v = v,
                     .q = q,
                     .j = {.out = out, .is_line = true},
                     .is_operation = q->name[0] != 0,
                     .depth = q->depth};
    stele_status status = look_from(&s, q->at_ns);
    /*
     * The span began before the checkpoint, or so far only its depth is known: read from its begin.
     */
    if (status == STELE_OK && s.is_seen && !s.is_found)
        status = look_from(&s, s.begin_ns);
    if (status == STELE_OK && s.is_seen && !s.is_found)
        status = look_from(&s, INT64_MIN);
    if (status != STELE_OK)
        return status;
    if (!s.is_found) {
        put_not_found(&s.j);
        return STELE_OK;
    }
    status = put_ancestors(&s);
    if (status == STELE_OK)
        status = put_flows(&s);
    viewer_put_names(v, &s.j, "names");
    stele_json_close(&s.j, '}');
    return status;
}

/* ---- Everything about a mark ----------------------------------------------------------------- */

typedef struct mark_search {
    viewer *v;
    const question *q;
    stele_json j;
    bool is_found;
} mark_search;

static stele_status look_at_events(void *user, const stele_segment *segment)
{
    mark_search *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->time_ns != s->q->at_ns || event->track != s->q->track ||
            event->offset != s->q->offset)
            continue;
        s->is_found = true;
        stele_json_open(&s->j, NULL, '{');
        stele_json_bool(&s->j, "found", true);
        put_event(s->v, &s->j, segment->batch, event);
        stele_json_text(&s->j, "kind", stele_kind_text((stele_kind)event->kind));
        stele_json_int_text(&s->j, "begin", event->time_ns);
        stele_json_uint_text(&s->j, "value", event->value);
        stele_json_uint_text(&s->j, "id", event->id);
        stele_json_close(&s->j, '}');
        return STELE_END;
    }
    return STELE_OK;
}

stele_status answer_mark(viewer *v, const question *q, stele_output *out)
{
    mark_search s = {.v = v, .q = q, .j = {.out = out, .is_line = true}};
    view_reading r = {
        .q = q, .no_start = true, .has_fields = true, .event = look_at_events, .user = &s};
    const int64_t end_ns = q->at_ns < INT64_MAX ? q->at_ns + 1 : q->at_ns;
    const stele_status status = viewer_read(v, &r, q->at_ns, end_ns);
    if (status == STELE_OK && !s.is_found)
        put_not_found(&s.j);
    return status;
}
