/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the events of a scan, segment by segment. */
#include "tables/tables.h"

stele_status scan_pull(stele_scan *s)
{
    if (s->end != STELE_OK)
        return s->end;
    s->segment_at = s->event_at = 0;
    s->segment_count = 0;
    s->end = stele_reader_next_segments(s->reader, &s->segments, &s->segment_count);
    return s->end;
}

stele_status scan_take_events(stele_scan *s, size_t room, rows *r)
{
    const stele_segment *segment;
    while (s->segment_at == s->segment_count || s->segments[s->segment_at].count == s->event_at) {
        stele_status status = STELE_OK;
        if (s->segment_at < s->segment_count)
            s->segment_at++;
        s->event_at = 0;
        if (s->segment_at == s->segment_count)
            status = scan_pull(s);
        if (status != STELE_OK)
            return status;
    }
    segment = &s->segments[s->segment_at];
    r->batch = segment->batch;
    r->events = segment->batch->events + segment->first + s->event_at;
    r->count = segment->count - s->event_at;
    if (r->count > room)
        r->count = room;
    s->event_at += (uint32_t)r->count;
    return STELE_OK;
}

/* Events with more entries are searched one by one. */
#define FLAT_MAX 6u

uint32_t rows_flat_most(const rows *r)
{
    const stele_field *fields = r->batch->fields + r->events[0].field_first;
    uint32_t most = 0, end = r->events[0].field_first, has_members = 0;
    bool is_apart = false;
    for (size_t i = 0; i < r->count; i++) {
        const uint32_t count = r->events[i].field_count;
        is_apart |= (count != 0) & (r->events[i].field_first != end);
        most = count > most ? count : most;
        end += count;
    }
    /* The entries of events that follow one another do, too; only then are all of them looked at.
     */
    if (most > FLAT_MAX || is_apart)
        return 0;
    for (uint32_t i = 0; i < end - r->events[0].field_first; i++)
        has_members |= (fields[i].type >= STELE_TYPE_RUN_FIRST) & (fields[i].u.run.length != 0);
    return has_members != 0 ? 0 : most;
}
