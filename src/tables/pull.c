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
