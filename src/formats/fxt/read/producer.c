/* SPDX-License-Identifier: Apache-2.0 */
/* Makes events of single records, with their payloads, and the streams of their providers. */
#include "formats/fxt/read/producer.h"
#include "core/unset.h"
#include "formats/fxt/check.h"

/* Bytes of payload of one blob event; longer payloads become several, flagged PART. */
#define PART_SIZE ((uint64_t)64 << 10)

/* ---- Payloads of blobs and records ---- */

/* Appends one part of the payload. Returns false if out of memory. */
static bool producer_part(fxt_producer *p, stele_batch *batch, stele_event *event)
{
    const uint64_t left = p->part_size - p->part.id;
    const uint64_t want = left < PART_SIZE ? left : PART_SIZE;
    uint64_t size = want;
    if ((p->events.columns & STELE_COLUMN_FIELDS) != 0) {
        if (want != 0 && window_need(&p->walk.window, (size_t)want) < want)
            size = (uint64_t)(p->walk.window.end - p->walk.window.at);
        if (!fxt_events_payload(&p->events, batch, event, p->is_record, p->walk.window.at,
                                (uint32_t)size))
            return false;
        walk_consume(&p->walk, size);
    }
    p->part.id += size;
    p->has_parts = size == want && p->part.id < p->part_size;
    if (p->has_parts)
        event->flags |= STELE_FLAG_PART;
    if (size < want)
        event->flags |= STELE_FLAG_DAMAGED; /* the input, a pipe, ended inside of the payload */
    return true;
}

/* Begins to deliver the payload of the event that was just made: at once if all of it is loaded,
   otherwise from the window, part by part. */
static bool producer_payload(fxt_producer *p, stele_batch *batch, stele_event *event,
                             const walk_record *at, const stele_fxt_record *r)
{
    const uint8_t *payload = r->payload;
    uint64_t size = r->payload_size, before;
    p->is_record = event->kind == STELE_KIND_METADATA;
    if (p->is_record) {
        payload = at->bytes;
        size = at->size;
    }
    if (payload == NULL)
        return true;
    before = (uint64_t)(payload - at->bytes);
    if (size <= PART_SIZE && before + size <= at->loaded)
        return fxt_events_payload(&p->events, batch, event, p->is_record, payload, (uint32_t)size);
    if (size > p->walk.step - before)
        size = p->walk.step - before; /* the trace ends inside of it */
    if (event->value != 0 && !p->is_record)
        event->value = size;
    p->part = *event;
    p->part.id = 0;
    p->part.field_count = 0;
    p->part_size = size;
    walk_consume(&p->walk, before);
    return producer_part(p, batch, event);
}

bool fxt_producer_next_part(fxt_producer *p, stele_batch *batch)
{
    stele_event *event = batch_push_event(batch);
    *event = p->part;
    event->field_first = batch->field_count;
    if ((p->events.columns & STELE_COLUMN_VALUE) == 0)
        event->id = 0;
    return producer_part(p, batch, event);
}

/* ---- Records as events ---- */

/* Whether the record has a payload. Unknown records are kept whole; provider events and records
   that the model represents otherwise are not. */
static bool has_payload(const stele_event *event, const stele_fxt_record *r)
{
    if (event->kind == STELE_KIND_BLOB)
        return true;
    return event->kind == STELE_KIND_METADATA && r->fault == STELE_FXT_FAULT_SUBTYPE &&
           r->type != STELE_FXT_EVENT;
}

void fxt_producer_decode(fxt_producer *p, walk_record *at, stele_fxt_record *r)
{
    stele_fxt_decode(at->bytes, at->loaded, p->walk.is_big_endian, r);
    if (r->fault == STELE_FXT_FAULT_CUT && at->loaded < at->size && !p->walk.is_ended) {
        walk_load(&p->walk, at, WALK_LOADED_MAX);
        stele_fxt_decode(at->bytes, at->loaded, p->walk.is_big_endian, r);
    }
    walk_doubt(&p->walk, at, r);
}

static bool is_provider_record(const stele_fxt_record *r)
{
    return r->type == STELE_FXT_METADATA &&
           (r->subtype == STELE_FXT_PROVIDER_INFO || r->subtype == STELE_FXT_PROVIDER_SECTION);
}

/* Whether the record is in, or begins, a part that another producer reads. */
static bool is_others(const fxt_producer *p, const walk_record *at, const stele_fxt_record *r)
{
    if (p->only == FXT_KEY_ALL)
        return false;
    if (!is_provider_record(r) || fxt_state_refuses(&p->state, r, fxt_is_doubtful(at)))
        return p->is_foreign;
    return p->only != r->number &&
           (p->only != FXT_KEY_OTHER || fxt_map_get(&p->state.provider_by_id, 0, r->number) != 0);
}

void fxt_producer_cross(fxt_producer *p, const walk_record *at, bool is_foreign)
{
    stele_balance now = fxt_producer_walked(&p->walk);
    if (!p->is_listed)
        now.record_size -= at->extent;
    if (is_foreign) {
        p->entered = now;
    } else {
        p->foreign.record_size += now.record_size - p->entered.record_size;
        p->foreign.skipped_size += now.skipped_size - p->entered.skipped_size;
    }
    p->is_foreign = is_foreign;
    p->walk.diag = is_foreign ? NULL : p->diag;
}

uint32_t fxt_producer_stream(fxt_producer *p, fxt_provider *provider)
{
    if (provider->stream == UINT32_MAX) {
        const fxt_stream *stream = fxt_trace_stream(p->trace, provider);
        if (stream == NULL)
            return UINT32_MAX;
        provider->stream = stream->stream;
        provider->last_ns = stream->begin_ns;
    }
    return provider->stream;
}

bool fxt_producer_record(fxt_producer *p, stele_batch *batch, walk_record *at)
{
    UNSET stele_fxt_record r;
    stele_event *event;
    bool is_foreign;
    fxt_producer_decode(p, at, &r);
    is_foreign = is_others(p, at, &r);
    /* Contents of a record whose size is wrong, as the walk reports, are no faults of their own. */
    p->state.diag =
        is_foreign || (at->is_damaged && r.header != FXT_MAGIC_SWAPPED) ? NULL : p->diag;
    if (p->is_foreign && !is_provider_record(&r)) {
        p->is_first = false;
        return true;
    }
    if (!fxt_events_add(&p->events, batch, at, &r, &event))
        return false;
    if (p->is_checking && p->state.diag != NULL) /* after what keeps the record from being read */
        fxt_check_record(p->diag, p->state.source, &r, at, p->is_first);
    p->is_first = false;
    if (r.type == STELE_FXT_INITIALIZATION && !p->trace->base.is_indexed)
        return fxt_trace_note_clock(p->trace, p->state.current);
    if (event != NULL && has_payload(event, &r))
        return producer_payload(p, batch, event, at, &r);
    return true;
}
