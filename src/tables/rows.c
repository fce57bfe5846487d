/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of rows: events, their fields, and lists that are complete once everything was read. */
#include <stdlib.h>

#include "core/array.h"
#include "core/saturate.h"
#include "tables/tables.h"

stele_status rows_of_events(stele_scan *s, size_t room, rows *r)
{
    return scan_take_events(s, room, r);
}

/* ---- Rows of fields ---- */

static bool is_number(const stele_field *field)
{
    return field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_FLOAT;
}

/* The event that is being taken, some of whose fields were taken already. */
static const stele_event *event_at_hand(const stele_scan *s)
{
    const stele_segment *segment = &s->segments[s->segment_at];
    return &segment->batch->events[segment->first + s->event_at];
}

/* Takes fields of the current event as rows. Returns false if there is no more room. */
static bool take_fields(stele_scan *s, const stele_batch *batch, bool numbers, size_t room, rows *r)
{
    const stele_event *event = event_at_hand(s);
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    while (s->field_at < count) {
        const stele_field *field = &batch->fields[first + s->field_at];
        if (r->count == room)
            return false;
        s->field_at += stele_field_length(field);
        if (!field_is_shown(field) || (numbers && !is_number(field)))
            continue;
        s->row_events[r->count] = *event;
        s->row_fields[r->count++] = field;
    }
    s->field_at = 0;
    s->event_at++;
    return true;
}

/* Takes rows of one batch only, because they point into it. */
static stele_status take_rows(stele_scan *s, bool numbers, size_t room, rows *r)
{
    r->events = s->row_events;
    r->fields = s->row_fields;
    while (r->count == 0) {
        if (s->segment_at == s->segment_count) {
            const stele_status status = scan_pull(s);
            if (status != STELE_OK)
                return status;
        }
        r->batch = s->segments[s->segment_at].batch;
        while (s->event_at < s->segments[s->segment_at].count) {
            if (!take_fields(s, r->batch, numbers, room, r))
                return STELE_OK;
        }
        s->segment_at++;
        s->event_at = 0;
    }
    return STELE_OK;
}

stele_status rows_of_fields(stele_scan *s, size_t room, rows *r)
{
    return take_rows(s, false, room, r);
}

stele_status rows_of_numbers(stele_scan *s, size_t room, rows *r)
{
    return take_rows(s, true, room, r);
}

/* ---- Rows of lists ---- */

static void widen(range_row *row, const stele_event *event)
{
    row->count++;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    if (!row->has_time || event->time_ns < row->begin_ns)
        row->begin_ns = event->time_ns;
    if (!row->has_time || event->time_ns > row->end_ns)
        row->end_ns = event->time_ns;
    row->has_time = true;
}

/* The range of times of a track or stream, by its number. Returns NULL if out of memory. */
static range_row *range_at(stele_scan *s, uint32_t number)
{
    if (number >= s->range_count) {
        range_row *grown = array_reach(s->ranges, sizeof *grown, &s->range_count, number);
        if (grown == NULL)
            return NULL;
        s->ranges = grown;
    }
    return &s->ranges[number];
}

/* Reads all events, and notes the range of each track or stream. */
static stele_status read_all(stele_scan *s, bool by_track)
{
    stele_status status;
    rows r;
    while ((status = scan_take_events(s, SIZE_MAX, &r)) == STELE_OK) {
        for (size_t i = 0; i < r.count; i++) {
            range_row *row = range_at(s, by_track ? r.events[i].track : r.batch->stream);
            if (row == NULL)
                return STELE_ERR_MEMORY;
            widen(row, &r.events[i]);
        }
    }
    return status;
}

/* Takes tracks of one kind as rows; kind NONE stands for all. */
static stele_status list_tracks(stele_scan *s, stele_track_kind kind, size_t room, rows *r)
{
    const uint32_t count = stele_track_count(s->context);
    if (s->item_at == 0) {
        const stele_status status = read_all(s, true);
        if (status != STELE_END)
            return status;
        s->item_at = 1;
        return list_tracks(s, kind, room, r);
    }
    for (; s->item_at <= count && r->count < room; s->item_at++) {
        const stele_track *track = stele_track_get(s->context, s->item_at);
        if (track != NULL && (kind == STELE_TRACK_NONE || track->kind == kind))
            s->row_items[r->count++] = s->item_at;
    }
    r->items = s->row_items;
    return r->count != 0 ? STELE_OK : STELE_END;
}

stele_status rows_of_tracks(stele_scan *s, size_t room, rows *r)
{
    return list_tracks(s, STELE_TRACK_NONE, room, r);
}

stele_status rows_of_threads(stele_scan *s, size_t room, rows *r)
{
    return list_tracks(s, STELE_TRACK_THREAD, room, r);
}

stele_status rows_of_processes(stele_scan *s, size_t room, rows *r)
{
    return list_tracks(s, STELE_TRACK_PROCESS, room, r);
}

static stele_status list_up_to(stele_scan *s, uint32_t count, size_t room, rows *r)
{
    while (s->item_at < count && r->count < room)
        s->row_items[r->count++] = s->item_at++;
    r->items = s->row_items;
    return r->count != 0 ? STELE_OK : STELE_END;
}

stele_status rows_of_traces(stele_scan *s, size_t room, rows *r)
{
    return list_up_to(s, (uint32_t)s->trace_count, room, r);
}

stele_status rows_of_streams(stele_scan *s, size_t room, rows *r)
{
    if (s->end == STELE_OK) {
        const stele_status status = read_all(s, false);
        if (status != STELE_END)
            return status;
    }
    return list_up_to(s, stele_stream_count(s->context), room, r);
}

/* ---- Rows of findings ---- */

/* Copies a text that may be NULL. Returns false if out of memory. */
static bool keep(const char *text, char **to)
{
    *to = text != NULL ? strdup(text) : NULL;
    return text == NULL || *to != NULL;
}

static void keep_finding(stele_scan *s, const stele_diag *diag)
{
    finding_row row = {.code = diag->code,
                       .offset = diag->offset,
                       .size = diag->size,
                       .lost_count = diag->lost_count};
    if (s->finding_count == s->finding_capacity) {
        finding_row *grown = array_grow(s->findings, sizeof *grown, &s->finding_capacity, 16);
        if (grown == NULL) {
            s->is_out_of_memory = true;
            return;
        }
        s->findings = grown;
    }
    if (!keep(diag->source, &row.source) || !keep(diag->expected, &row.expected) ||
        !keep(diag->found, &row.found))
        s->is_out_of_memory = true;
    s->findings[s->finding_count++] = row;
}

void scan_free_findings(stele_scan *s)
{
    for (uint32_t i = 0; i < s->finding_count; i++) {
        free(s->findings[i].source);
        free(s->findings[i].expected);
        free(s->findings[i].found);
    }
    s->finding_count = s->finding_at = 0;
}

/* Receives findings for the scan, and passes them on to the context's own handler. */
typedef struct listener {
    stele_scan *scan;
    diag_sink before;
} listener;

static void listen(void *user, const stele_diag *diag)
{
    listener *l = user;
    keep_finding(l->scan, diag);
    if (l->before.fn != NULL)
        l->before.fn(l->before.user, diag);
}

/* Reads on until there are new findings. Those from before were delivered and are freed. */
static stele_status find_more(stele_scan *s)
{
    diag_sink *sink = &s->context->diag;
    listener l = {s, *sink};
    stele_status status = STELE_OK;
    scan_free_findings(s);
    sink->fn = listen;
    sink->user = &l;
    while (status == STELE_OK && s->finding_count == 0)
        status = scan_pull(s);
    sink->fn = l.before.fn;
    sink->user = l.before.user;
    return s->is_out_of_memory ? STELE_ERR_MEMORY : s->finding_count != 0 ? STELE_OK : status;
}

stele_status rows_of_findings(stele_scan *s, size_t room, rows *r)
{
    if (s->finding_at == s->finding_count) {
        const stele_status status = find_more(s);
        if (status != STELE_OK)
            return status;
    }
    while (s->finding_at < s->finding_count && r->count < room)
        s->row_items[r->count++] = s->finding_at++;
    r->items = s->row_items;
    return STELE_OK;
}
