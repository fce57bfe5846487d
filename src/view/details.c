/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about one span or one event: fields, caller, callees, neighbours of its name. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/viewer.h"

#define CALLEES_MAX   64u
#define ANCESTORS_MAX 256u
#define FIELDS_MAX    1000u

/* ---- Fields ---------------------------------------------------------------------------------- */

static void put_fields(viewer *v, stele_output *out, const stele_batch *batch, uint32_t at,
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
            stele_output_text(out, *shown > 1 ? ",[" : "[");
            view_put_text(out, name.bytes, name.size, VIEW_NAME_MAX);
            value = stele_field_line(v->context, batch, field);
            stele_output_byte(out, ',');
            view_put_text(out, value.bytes, value.size, VIEW_VALUE_MAX);
            stele_output_byte(out, ']');
        }
    }
}

static void put_event(viewer *v, stele_output *out, const stele_batch *batch,
                      const stele_event *event)
{
    const stele_text name = stele_name_text(v->context, batch, event->name);
    const stele_text category =
        stele_name_text(v->context, batch, stele_category_name(v->context, event->category));
    uint32_t at, shown = 0;
    const uint32_t count = stele_event_fields(batch, event, &at);
    stele_text track;
    stele_output_text(out, "\"name\":");
    view_put_text(out, name.bytes, name.size, VIEW_VALUE_MAX);
    stele_output_text(out, ",\"category\":");
    view_put_text(out, category.bytes, category.size, VIEW_NAME_MAX);
    stele_output_printf(out, ",\"track\":%u,\"trackTitle\":", (unsigned)event->track);
    track = stele_track_line(v->context, event->track);
    view_put_text(out, track.bytes, track.size, VIEW_NAME_MAX);
    stele_output_printf(out, ",\"offset\":\"%" PRIu64 "\",\"size\":%" PRIu32, event->offset,
                        event->size);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        stele_output_printf(out, ",\"cpu\":%u", (unsigned)event->cpu);
    if ((event->flags & STELE_FLAG_DAMAGED) != 0)
        stele_output_text(out, ",\"damaged\":true");
    stele_output_text(out, ",\"fields\":[");
    put_fields(v, out, batch, at, count, &shown);
    if ((batch->columns & STELE_COLUMN_CONTEXT) != 0)
        put_fields(v, out, batch, batch->context_first, batch->context_count, &shown);
    stele_output_printf(out, "],\"fieldsLeftOut\":%u",
                        shown > FIELDS_MAX ? (unsigned)(shown - FIELDS_MAX) : 0u);
}

/* ---- A span ---------------------------------------------------------------------------------- */

typedef struct callee {
    stele_name name;
    uint64_t count, total_ns;
} callee;

typedef struct span_search {
    viewer *v;
    const question *q;
    stele_output *out;
    view_reading r;
    callee callees[CALLEES_MAX];
    size_t callee_count;
    uint64_t callee_left_out;
    bool is_operation; /* one that stands on no stack, known by the offset of its record */
    bool is_found;
    int64_t begin_ns; /* of what was found, but is not known in full */
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
    return is_stacked(span) && span->depth == s->q->depth && span->begin_ns <= at_ns &&
           (span->end_ns > at_ns || span->begin_ns == at_ns);
}

static void put_ancestors(span_search *s, const stele_span *span)
{
    stele_span outer;
    bool is_first = true;
    stele_output_text(s->out, ",\"ancestors\":[");
    for (uint32_t depth = 0; is_stacked(span) && depth < span->depth && depth < ANCESTORS_MAX;
         depth++) {
        if (!stele_spans_open_at(s->r.spans, span->track, depth, &outer))
            break;
        stele_output_printf(s->out, "%s[%u,\"%" PRId64 "\",%u]", is_first ? "" : ",",
                            (unsigned)viewer_use_name(s->v, outer.name), outer.begin_ns,
                            (unsigned)depth);
        is_first = false;
    }
    stele_output_byte(s->out, ']');
}

static void put_callees(span_search *s)
{
    stele_output_text(s->out, ",\"callees\":[");
    for (size_t i = 0; i < s->callee_count; i++)
        stele_output_printf(s->out, "%s[%u,%" PRIu64 ",%" PRIu64 "]", i != 0 ? "," : "",
                            (unsigned)viewer_use_name(s->v, s->callees[i].name),
                            s->callees[i].count, s->callees[i].total_ns);
    stele_output_printf(s->out, "],\"calleesLeftOut\":%" PRIu64, s->callee_left_out);
}

static void put_span(span_search *s, const stele_segment *segment, uint32_t index,
                     const stele_span *span)
{
    stele_output *out = s->out;
    viewer_begin_names(s->v);
    stele_output_text(out, "{\"found\":true,");
    put_event(s->v, out, segment->batch, &segment->batch->events[segment->first + index]);
    stele_output_printf(out,
                        ",\"begin\":\"%" PRId64 "\",\"end\":\"%" PRId64 "\",\"self\":%" PRIu64
                        ",\"depth\":%u,\"children\":%" PRIu64,
                        span->begin_ns, span->end_ns, span->self_ns, (unsigned)span->depth,
                        span->child_count);
    stele_output_printf(out, ",\"ended\":\"%s\",\"source\":\"%s\",\"nameNumber\":%u",
                        stele_span_end_text((stele_span_end)span->end),
                        stele_span_source_text((stele_span_source)span->source),
                        (unsigned)viewer_use_name(s->v, span->name));
    if (span->delta_ns != STELE_SPAN_NO_DELTA)
        stele_output_printf(out, ",\"delta\":%" PRId64, span->delta_ns);
    if (span->end_offset != STELE_SPAN_NO_OFFSET)
        stele_output_printf(out, ",\"endOffset\":\"%" PRIu64 "\"", span->end_offset);
    put_ancestors(s, span);
    put_callees(s);
    stele_output_byte(out, ',');
    viewer_put_names(s->v, out);
    stele_output_text(out, "}\n");
}

static stele_status look_at_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    span_search *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        if (is_sought(s, span)) {
            s->begin_ns = span->begin_ns;
            s->is_found = span->begin_ns >= s->r.known_ns;
            if (s->is_found)
                put_span(s, segment, i, span);
            return STELE_END;
        }
        if (span->track != s->q->track || !is_stacked(span))
            continue;
        /* What ends before its caller belongs to the next one that ends one level above. */
        if (span->depth == s->q->depth + 1)
            add_callee(s, span);
        if (span->depth <= s->q->depth) {
            s->callee_count = 0;
            s->callee_left_out = 0;
        }
    }
    return STELE_OK;
}

stele_status answer_span(viewer *v, const question *q, stele_output *out)
{
    span_search s = {.v = v, .q = q, .out = out, .is_operation = q->name[0] != 0};
    stele_status status;
    s.r = (view_reading){
        .q = q, .is_whole = true, .has_fields = true, .span = look_at_spans, .user = &s};
    status = viewer_read(v, &s.r, INT64_MIN, INT64_MAX);
    if (status == STELE_OK && !s.is_found)
        stele_output_text(out, "{\"found\":false}\n");
    return status;
}

/* ---- A mark ---------------------------------------------------------------------------------- */

typedef struct mark_search {
    viewer *v;
    const question *q;
    stele_output *out;
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
        stele_output_text(s->out, "{\"found\":true,");
        put_event(s->v, s->out, segment->batch, event);
        stele_output_printf(s->out,
                            ",\"kind\":\"%s\",\"begin\":\"%" PRId64 "\",\"value\":\"%" PRIu64
                            "\",\"id\":\"%" PRIu64 "\"}\n",
                            stele_kind_text((stele_kind)event->kind), event->time_ns, event->value,
                            event->id);
        return STELE_END;
    }
    return STELE_OK;
}

stele_status answer_mark(viewer *v, const question *q, stele_output *out)
{
    mark_search s = {.v = v, .q = q, .out = out};
    view_reading r = {
        .q = q, .no_start = true, .has_fields = true, .event = look_at_events, .user = &s};
    const int64_t end_ns = q->at_ns < INT64_MAX ? q->at_ns + 1 : q->at_ns;
    const stele_status status = viewer_read(v, &r, q->at_ns, end_ns);
    if (status == STELE_OK && !s.is_found)
        stele_output_text(out, "{\"found\":false}\n");
    return status;
}
