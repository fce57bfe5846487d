/* SPDX-License-Identifier: Apache-2.0 */
/* Lost events, which gaps in the counters of a stream show: findings, and events of their own. */
#include <stdio.h>

#include "formats/heph/read/producer.h"
#include "model/batch.h"

static void report_verdict(heph_producer *p, const heph_packet *packet, counters_verdict verdict)
{
    static const heph_code codes[] = {[COUNTERS_MISPLACED] = HEP017,
                                      [COUNTERS_REPEATED] = HEP016,
                                      [COUNTERS_RESTARTED] = HEP018,
                                      [COUNTERS_STRAY] = HEP019};
    if (verdict > COUNTERS_AHEAD &&
        !producer_is_explained(p, heph_codes[codes[verdict]].severity, packet))
        producer_report(p, &heph_codes[codes[verdict]], packet->offset, packet->size, NULL,
                        "counter %u in stream %u", (unsigned)packet->event.counter,
                        (unsigned)packet->event.stream);
}

bool heph_count(heph_producer *p, const heph_packet *packet, int64_t end_ns)
{
    const stele_heph_event *event = &packet->event;
    counters_verdict verdict;
    if (!counters_add(&p->counters,
                      &(counters_event){event->stream, event->counter, packet->offset, end_ns},
                      &verdict))
        return false;
    if (verdict != COUNTERS_IN_ORDER && p->request.check)
        report_verdict(p, packet, verdict);
    if (p->counters.is_full && !p->is_counters_full_reported) {
        p->is_counters_full_reported = true;
        producer_report(p, &core_codes[STE006], packet->offset, packet->size, NULL,
                        "more than %u streams; lost events are not looked for in further ones",
                        (unsigned)p->counters.streams_max);
    }
    return true;
}

static void report_lost(heph_producer *p, const counters_gap *gap)
{
    char found[96];
    if (p->diag == NULL)
        return;
    snprintf(found, sizeof found, "counter %u missing in stream %u, %u in all",
             (unsigned)gap->first, (unsigned)gap->stream, (unsigned)gap->count);
    diag_emit(p->diag, &(stele_diag){.code = &heph_codes[HEP015],
                                     .source = p->scan.win.in->name,
                                     .offset = gap->offset,
                                     .found = found,
                                     .lost_count = gap->count});
}

bool heph_produce_lost(heph_producer *p, stele_batch *batch, const counters_gap *gap)
{
    stele_event *event;
    if (gap->is_head) {
        if (p->request.check && p->diag != NULL &&
            !diag_is_explained(p->diag, STELE_NOTE, p->scan.win.in->name, gap->offset, 0))
            producer_report(p, &heph_codes[HEP021], gap->offset, 0, "counter 0",
                            "counter %u in stream %u", (unsigned)(gap->first + gap->count),
                            (unsigned)gap->stream);
        return true;
    }
    report_lost(p, gap);
    p->base.lost_count += gap->count;
    if ((p->request.kinds & STELE_KIND_BIT(STELE_KIND_LOST)) == 0)
        return true;
    event = batch_push_event(batch);
    *event = (stele_event){
        .time_ns = gap->before_ns,
        .ticks = (uint64_t)gap->before_ns - (uint64_t)p->shift_ns,
        .value = gap->count,
        .id = (uint64_t)(gap->after_ns > gap->before_ns ? gap->after_ns : gap->before_ns),
        .offset = gap->offset,
        .name = p->lost_name,
        .field_first = batch->field_count,
        .kind = STELE_KIND_LOST};
    if ((p->request.columns & STELE_COLUMN_TRACK) == 0)
        return true;
    event->track = heph_track(p, gap->stream, 0, STELE_HEPH_NO_SUBSTREAMS);
    return event->track != 0;
}
