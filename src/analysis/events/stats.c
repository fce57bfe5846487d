/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of events and calls. If rows are calls and only need what a COMPLETE event says
 * itself, COMPLETE events are rows without any engine, and only BEGIN and END events go through the
 * spans engine, or through the calls engine where it suffices (stats_calls.c).
 */
#include <stele/stats.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/stats_calls.h"
#include "analysis/events/stats_state.h"
#include "core/array.h"
#include "core/sized.h"
#include "query/filter.h"

/* ---- Rows ---- */

static void point_add(stele_stats_point_figures *to, double value)
{
    to->min = to->count == 0 || value < to->min ? value : to->min;
    to->max = to->count == 0 || value > to->max ? value : to->max;
    to->sum += value;
    to->count++;
}

static bool add_value(stele_stats *s, spread *to, const stele_value *v,
                      stele_stats_point_figures *point)
{
    spread_room *const room = &s->groups.room;
    bool is_good = true;
    switch (v->type) {
    case STELE_VALUE_MISSING: return true;
    case STELE_VALUE_INT:
    case STELE_VALUE_UINT:
    case STELE_VALUE_WIDE:
        is_good = v->type == STELE_VALUE_INT && v->u.i >= 0
                      ? spread_add_count(to, v->u.u, room)
                      : spread_add_int(to, stats_wide_of(v), room);
        if (point != NULL)
            point_add(point, i128_double(stats_wide_of(v)));
        break;
    case STELE_VALUE_FLOAT:
        is_good = spread_add_float(to, v->u.f, room);
        if (point != NULL && v->u.f == v->u.f)
            point_add(point, v->u.f);
        break;
    default: to->other_count++; break;
    }
    return is_good && (!s->has_distinct || spread_add_hash(to, stats_value_hash(v), room));
}

/* The number of the interval that a time is in, rounded down also before the origin. */
static int64_t interval_of(const stele_stats *s, int64_t time_ns)
{
    const wide_i128 distance = i128_subtract(i128_of_i64(time_ns), i128_of_i64(s->origin_ns));
    uint64_t rest;
    return (int64_t)i128_low(i128_divide_down(distance, s->groups.every_ns, &rest));
}

static void set_origin(stele_stats *s, int64_t origin_ns)
{
    s->has_origin = true;
    s->origin_ns = origin_ns;
    for (uint32_t i = 0; i < s->by.count; i++)
        expression_set_origin(s->by.items[i].e, origin_ns);
    for (uint32_t i = 0; i < s->of.count; i++)
        expression_set_origin(s->of.items[i].e, origin_ns);
    if (s->only != NULL)
        filter_set_origin(s->only, origin_ns);
}

/* The value of a counter's field, if it is a number. */
static stele_value value_of_field(const stele_field *field)
{
    stele_value v = {.name = STELE_NAME_LOCAL};
    switch (field->type) {
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
        v.type = field->u.u <= INT64_MAX ? STELE_VALUE_INT : STELE_VALUE_UINT;
        v.u.u = field->u.u;
        break;
    case STELE_TYPE_INT:
        v.type = STELE_VALUE_INT;
        v.u.i = field->u.i;
        break;
    case STELE_TYPE_FLOAT:
        v.type = STELE_VALUE_FLOAT;
        v.u.f = field->u.f;
        break;
    default: break;
    }
    return v;
}

static stele_value name_of_field(const stele_stats *s, const stele_batch *batch,
                                 const stele_field *field)
{
    return (stele_value){.type = STELE_VALUE_TEXT,
                         .name = field->name,
                         .u.text = stele_name_text(s->context, batch, field->name)};
}

/* Adds the values of a row to its group, and to the interval `point`. Returns false if out of
   memory. */
static bool add_values(stele_stats *s, stats_group *group, const stele_segment *segment,
                       uint32_t index, const stele_span *span, stats_point *point)
{
    const int64_t time_ns = segment->batch->events[segment->first + index].time_ns;
    stele_value v;
    for (uint32_t i = 0; i < s->of.count; i++) {
        if (s->row != NULL)
            v = value_of_field(s->row);
        else
            stele_expression_evaluate(s->of.items[i].e, segment, index, span, &v);
        if (group->held != NULL && !group->about.is_other &&
            !stats_held_set(&s->groups, group, i, &v, time_ns, &s->window))
            return false;
        if (group->held == NULL &&
            !add_value(s, &group->of[i], &v, point != NULL ? &point->of[i] : NULL))
            return false;
    }
    return true;
}

static stats_group *find_group(stele_stats *s, const stele_segment *segment, uint32_t index,
                               const stele_span *span)
{
    const uint32_t expressions = s->by.count - (s->row != NULL);
    for (uint32_t i = 0; i < expressions; i++)
        stele_expression_evaluate(s->by.items[i].e, segment, index, span, &s->groups.keys[i]);
    if (s->row != NULL)
        s->groups.keys[expressions] = name_of_field(s, segment->batch, s->row);
    return stats_groups_find(&s->groups);
}

static bool add_row(stele_stats *s, const stele_segment *segment, uint32_t index,
                    const stele_span *span)
{
    const stele_event *const event = &segment->batch->events[segment->first + index];
    const bool has_time = (event->flags & STELE_FLAG_NO_TIME) == 0;
    stats_point *point = NULL;
    stats_group *group;
    bool is_memory = false;
    const bool counts = !s->groups.is_held || (has_time && event->time_ns >= s->window.begin_ns &&
                                               event->time_ns < s->window.end_ns);
    if (s->groups.is_held && !has_time)
        return true;
    if (!s->has_origin && has_time)
        set_origin(s, event->time_ns);
    if (s->only != NULL && !filter_passes_span(s->only, segment->batch, event, span))
        return true;
    s->row_count += counts;
    group = s->is_by_name ? stats_groups_named(&s->groups, event->name) : NULL;
    if (group == NULL)
        group = find_group(s, segment, index, span);
    if (group == NULL)
        return false;
    group->about.row_count += counts;
    if (s->groups.every_ns != 0 && has_time && counts) {
        point = stats_group_point(&s->groups, group, interval_of(s, event->time_ns), &is_memory);
        if (is_memory)
            return false;
        if (point != NULL)
            point->about.row_count++;
    }
    return add_values(s, group, segment, index, span, point);
}

/* Fast path for durations by name, which needs no expressions. Returns false if out of memory,
   or if the group does not exist yet and the general path must be taken. */
static inline bool add_named(stele_stats *s, stele_name name, uint64_t duration_ns)
{
    stats_group *const group = stats_groups_named(&s->groups, name);
    if (group == NULL || duration_ns > INT64_MAX)
        return false;
    s->row_count++;
    group->about.row_count++;
    return spread_add_count(&group->of[0], duration_ns, &s->groups.room);
}

stele_status stats_take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    stele_stats *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        if (s->is_name_duration && spans[i].end != STELE_SPAN_ENTRY_LOST &&
            stats_groups_named(&s->groups, spans[i].name) != NULL && spans[i].name != 0) {
            if (!add_named(s, spans[i].name, stele_span_duration_ns(&spans[i])))
                return STELE_ERR_MEMORY;
        } else if (!add_row(s, segment, i, &spans[i])) {
            return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

/* ---- Events ---- */

/* Adds each number of a counter event as a row. */
static bool add_counter(stele_stats *s, const stele_segment *segment, uint32_t index)
{
    const stele_batch *batch = segment->batch;
    uint32_t first;
    const uint32_t count =
        stele_event_fields(batch, &batch->events[segment->first + index], &first);
    bool is_good = true;
    for (uint32_t at = 0; at < count && is_good;) {
        const stele_field *field = &batch->fields[first + at];
        at += stele_field_length(field);
        if ((field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) != 0 ||
            value_of_field(field).type == STELE_VALUE_MISSING)
            continue;
        s->row = field;
        is_good = add_row(s, segment, index, NULL);
    }
    s->row = NULL;
    return is_good;
}

static bool add_events(stele_stats *s, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        const uint8_t kind = event->kind;
        if (s->rows == STELE_STATS_COUNTERS) {
            if (kind == STELE_KIND_COUNTER && !add_counter(s, segment, i))
                return false;
            continue;
        }
        if ((s->kinds >> (kind & 63) & 1) != 0 && !add_row(s, segment, i, NULL))
            return false;
    }
    return true;
}

static inline bool is_direct_event(const stele_event *event)
{
    return event->kind == STELE_KIND_COMPLETE && (int64_t)event->id >= event->time_ns &&
           (event->flags & (STELE_FLAG_REPEATED | STELE_FLAG_NO_TIME)) == 0;
}

static bool add_direct(stele_stats *s, const stele_segment *segment, uint32_t index)
{
    const stele_event *const event = &segment->batch->events[segment->first + index];
    if (s->is_name_duration && s->has_origin && stats_groups_named(&s->groups, event->name) != NULL)
        return add_named(s, event->name, event->id - (uint64_t)event->time_ns);
    return add_row(s, segment, index, NULL);
}

/* Notes the latest time, and whether events are out of order for the rows: calls need the order
   of each track, operations that of all tracks. Returns false if out of memory. */
static bool note_order(stele_stats *s, const stele_segment *segment)
{
    const stele_event *event = &segment->batch->events[segment->first];
    for (const stele_event *end = event + segment->count; event < end; event++) {
        const uint32_t track = s->rows == STELE_STATS_CALLS ? event->track : 0;
        if ((event->flags & STELE_FLAG_NO_TIME) != 0)
            continue;
        if (track >= s->last_count) {
            const uint32_t count = stele_track_count(s->context) + 64;
            int64_t *grown = track < count ? array_fit(s->last_ns, sizeof *grown, count) : NULL;
            if (grown == NULL)
                return false;
            s->last_ns = grown;
            while (s->last_count < count)
                grown[s->last_count++] = INT64_MIN;
        }
        s->is_disordered |= event->time_ns < s->last_ns[track];
        s->last_ns[track] = event->time_ns;
    }
    return true;
}

/* Whether calls are enough: they have no window yet. */
static bool uses_calls(const stele_stats *s)
{
    return s->calls != NULL && !s->has_window;
}

static stele_status add_to_spans(stele_stats *s, const stele_segment *segment)
{
    s->has_begun = true;
    if (!note_order(s, segment))
        return STELE_ERR_MEMORY;
    return uses_calls(s) ? stats_calls_add(s, segment) : stele_spans_add(s->spans, segment);
}

/* Adds COMPLETE events as rows, and passes the runs of other events to the spans engine. */
static stele_status add_calls(stele_stats *s, const stele_segment *segment)
{
    const stele_event *const events = &segment->batch->events[segment->first];
    uint32_t first = 0;
    for (uint32_t i = 0; i <= segment->count; i++) {
        const bool is_end = i == segment->count;
        if (!is_end && !is_direct_event(&events[i]))
            continue;
        if (i > first) {
            const stele_segment part = {segment->batch, segment->first + first, i - first};
            const stele_status status = add_to_spans(s, &part);
            if (status != STELE_OK)
                return status;
        }
        first = i + 1;
        if (!is_end && (s->kinds & STELE_KIND_BIT(STELE_KIND_COMPLETE)) != 0 &&
            !add_direct(s, segment, i))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Notes the latest time, up to which the last interval and the last held values count. */
static void note_times(stele_stats *s, const stele_segment *segment)
{
    const stele_event *event = &segment->batch->events[segment->first];
    for (const stele_event *end = event + segment->count; event < end; event++) {
        if ((event->flags & STELE_FLAG_NO_TIME) == 0 && event->time_ns > s->time_ns)
            s->time_ns = event->time_ns;
    }
}

stele_status stele_stats_add(stele_stats *s, const stele_segment *segment)
{
    if (s->groups.every_ns != 0 || s->groups.is_held)
        note_times(s, segment);
    if (s->spans == NULL)
        return add_events(s, segment) ? STELE_OK : STELE_ERR_MEMORY;
    return s->is_direct && !s->has_window ? add_calls(s, segment) : add_to_spans(s, segment);
}

stele_status stele_stats_finish(stele_stats *s)
{
    stele_status status = s->spans == NULL ? STELE_OK
                          : uses_calls(s)  ? stele_calls_finish(s->calls)
                                           : stele_spans_finish(s->spans);
    const int64_t end_ns = s->window.end_ns != INT64_MAX ? s->window.end_ns : s->time_ns;
    if (s->groups.is_held && !stats_held_end(&s->groups, end_ns, &s->window))
        status = STELE_ERR_MEMORY;
    stats_groups_name_tracks(&s->groups);
    for (uint32_t i = 0; i < s->by.count; i++)
        stele_expression_report(s->by.items[i].e);
    for (uint32_t i = 0; i < s->of.count; i++)
        stele_expression_report(s->of.items[i].e);
    filter_report(s->only, &s->context->diag);
    return status;
}

/* ---- Settings between events ---- */

void stele_stats_set_origin(stele_stats *s, int64_t origin_ns)
{
    set_origin(s, origin_ns);
}

stele_status stele_stats_set_window(stele_stats *s, int64_t begin_ns, int64_t end_ns)
{
    s->window = (stats_window){begin_ns, end_ns};
    if (s->spans == NULL || (begin_ns == INT64_MIN && end_ns == INT64_MAX))
        return STELE_OK;
    s->has_window = true;
    return stele_spans_set_window(s->spans, begin_ns, end_ns);
}

/* ---- Results ---- */

size_t stele_stats_by_count(const stele_stats *s)
{
    return s->by.count;
}

size_t stele_stats_of_count(const stele_stats *s)
{
    return s->of.count;
}

const char *stele_stats_by_title(const stele_stats *s, size_t by)
{
    return by < s->by.count ? s->by.items[by].title : NULL;
}

const char *stele_stats_of_title(const stele_stats *s, size_t of)
{
    return of < s->of.count ? s->of.items[of].title : NULL;
}

stele_unit stele_stats_by_unit(const stele_stats *s, size_t by)
{
    return by < s->by.count ? stele_expression_unit(s->by.items[by].e) : STELE_UNIT_NONE;
}

stele_unit stele_stats_of_unit(const stele_stats *s, size_t of)
{
    return of < s->of.count ? stele_expression_unit(s->of.items[of].e) : STELE_UNIT_NONE;
}

uint64_t stele_stats_row_count(const stele_stats *s)
{
    return s->row_count;
}

int64_t stele_stats_get_origin(const stele_stats *s)
{
    return s->origin_ns;
}

bool stele_stats_get_last(const stele_stats *s, int64_t *time_ns)
{
    *time_ns = s->time_ns;
    return s->groups.every_ns != 0 && s->time_ns != INT64_MIN;
}
