/* SPDX-License-Identifier: Apache-2.0 */
/* Makes events out of packets. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/text.h"
#include "formats/heph/read/fields.h"
#include "formats/heph/read/producer.h"
#include "model/await.h"
#include "model/saved_index.h"

/* ---- Times ---- */

stele_clock heph_clock(const heph_trace *trace)
{
    stele_clock clock = {.domain = STELE_CLOCK_NS, .frequency_hz = UINT64_C(1000000000)};
    clock.has_wall = trace->has_epoch && trace->epoch_ns <= INT64_MAX;
    clock.wall_ns = clock.has_wall ? (int64_t)trace->epoch_ns : 0;
    return clock;
}

static int64_t producer_time(const heph_producer *p, uint64_t ticks, uint8_t *flags)
{
    int64_t time_ns;
    if (ticks > INT64_MAX) {
        *flags |= STELE_FLAG_CLAMPED;
        return INT64_MAX;
    }
    if (__builtin_add_overflow((int64_t)ticks, p->shift_ns, &time_ns)) {
        *flags |= STELE_FLAG_CLAMPED;
        return p->shift_ns > 0 ? INT64_MAX : INT64_MIN;
    }
    return time_ns;
}

/* Remembers the first epoch of the trace, when neither the head nor an index has shown it
   before. */
static void producer_learn_epoch(heph_producer *p, const heph_packet *packet, uint64_t epoch_ns)
{
    stele_stream *stream = context_stream(p->context, p->stream);
    p->trace->has_epoch = true;
    p->trace->epoch_ns = epoch_ns;
    if (stream != NULL)
        stream->clock = heph_clock(p->trace);
    if (p->has_events)
        producer_report(p, &heph_codes[HEP013], packet->offset, packet->size, NULL,
                        "an epoch of %" PRIu64 " ns after events", epoch_ns);
}

/* Sets the epoch that holds for the packets after it. Times are kept on the scale of the first
   epoch, so a later epoch shifts the times that follow it. */
static void producer_set_epoch(heph_producer *p, const heph_packet *packet, uint64_t epoch_ns)
{
    uint64_t first_ns, distance;
    if (!p->trace->has_epoch)
        producer_learn_epoch(p, packet, epoch_ns);
    if (p->has_epoch)
        producer_report(p, &heph_codes[HEP012], packet->offset, packet->size, NULL,
                        "another epoch, of %" PRIu64 " ns", epoch_ns);
    p->has_epoch = true;
    first_ns = p->trace->epoch_ns;
    distance = epoch_ns > first_ns ? epoch_ns - first_ns : first_ns - epoch_ns;
    if (distance > INT64_MAX)
        distance = INT64_MAX;
    p->shift_ns = epoch_ns > first_ns ? (int64_t)distance : -(int64_t)distance;
}

/* ---- Names and tracks ---- */

static inline stele_name producer_name(heph_producer *p, stele_batch *batch, stele_heph_text text)
{
    if (text.size == 0)
        return 0;
    return names_find(&p->names, p->context, batch, text.bytes, text.size, p->scan.win.in->name);
}

static inline uint32_t producer_track(heph_producer *p, const heph_packet *packet)
{
    const stele_heph_event *event = &packet->event;
    track_slot *slot = &p->tracks[(event->stream * 31u + (uint32_t)event->substream) % TRACK_SLOTS];
    if (slot->track == 0 || slot->stream != event->stream || slot->substream != event->substream ||
        slot->layout != packet->layout)
        *slot = (track_slot){event->substream, event->stream,
                             heph_track(p, event->stream, event->substream, packet->layout),
                             packet->layout};
    return slot->track;
}

/* ---- Fields ---- */

/* Adds the packet's counter as the first field of the event. */
static inline bool push_counter(const heph_producer *p, stele_batch *batch, uint32_t counter)
{
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = (stele_field){.name = p->counter_name,
                                             .type = STELE_TYPE_UINT,
                                             .width = 32,
                                             .hint = STELE_HINT_CONTEXT,
                                             .u.u = counter};
    return true;
}

typedef enum fields_end { FIELDS_ALL, FIELDS_FAULT, FIELDS_TOO_MANY, FIELDS_MEMORY } fields_end;

/* Appends one attribute, of any type. */
static fields_end push_any(heph_producer *p, stele_batch *batch, cursor *c, uint32_t first)
{
    const uint32_t fields_max = p->context->limits.fields_max;
    stele_heph_attribute attribute;
    stele_name name;
    if (heph_attribute_take(c, &attribute) != STELE_HEPH_SOUND)
        return FIELDS_FAULT;
    if (batch->field_count - first + attribute.count > fields_max)
        return FIELDS_TOO_MANY;
    name = producer_name(p, batch, attribute.name);
    return name != UINT32_MAX && push_attribute(batch, name, &attribute) ? FIELDS_ALL
                                                                         : FIELDS_MEMORY;
}

/* Appends the attributes up to the first fault, and tells what ended them. */
static inline fields_end push_attributes(heph_producer *p, stele_batch *batch,
                                         const stele_heph_event *from)
{
    static const uint8_t types[] = {[STELE_HEPH_UINT] = STELE_TYPE_UINT,
                                    [STELE_HEPH_INT] = STELE_TYPE_INT,
                                    [STELE_HEPH_FLOAT] = STELE_TYPE_FLOAT};
    const uint32_t fields_max = p->context->limits.fields_max;
    uint32_t first;
    cursor c = {from->attributes, from->attributes_end};
    if (!push_counter(p, batch, from->counter))
        return FIELDS_MEMORY;
    first = batch->field_count;
    while (c.at < c.end) {
        uint8_t type;
        const size_t size = heph_number_size(c.at, c.end, &type);
        fields_end end;
        stele_name name;
        if (size == 0 || batch->field_count - first >= fields_max) {
            if ((end = push_any(p, batch, &c, first)) != FIELDS_ALL)
                return end;
            continue;
        }
        name = producer_name(p, batch,
                             (stele_heph_text){(const char *)c.at + 2, (uint16_t)(size - 11)});
        if (name == UINT32_MAX ||
            !push_number(batch, name, types[type], load_be64(c.at + size - 8)))
            return FIELDS_MEMORY;
        c.at += size;
    }
    return FIELDS_ALL;
}

/* Makes fields of all attributes of an event. They have been verified, so all of them can be
   taken. */
static bool produce_fields(heph_producer *p, stele_batch *batch, stele_event *event,
                           const heph_packet *packet)
{
    const uint32_t first = event->field_first;
    const fields_end end = push_attributes(p, batch, &packet->event);
    if (end == FIELDS_MEMORY)
        return false;
    if (end == FIELDS_TOO_MANY) {
        event->flags |= STELE_FLAG_DAMAGED;
        producer_report(p, &core_codes[STE006], packet->offset, packet->size, NULL,
                        "more than %u fields in an event; the others are left out",
                        (unsigned)p->context->limits.fields_max);
    }
    if (batch->field_count - first >= STELE_FIELDS_MANY)
        return batch_set_fields(batch, event, first);
    event->field_count = (uint16_t)(batch->field_count - first);
    return true;
}

/* ---- Events ---- */

static uint32_t packet_event_size(const heph_packet *packet)
{
    return packet->size > UINT32_MAX ? UINT32_MAX : (uint32_t)packet->size;
}

/* Tells whether the request wants an event. It may also get events that it did not ask for. */
static bool producer_wants(const heph_producer *p, const stele_event *event)
{
    const int64_t end_ns =
        (int64_t)event->id > event->time_ns ? (int64_t)event->id : event->time_ns;
    return (p->request.kinds & STELE_KIND_BIT(STELE_KIND_COMPLETE)) != 0 &&
           end_ns >= p->request.begin_ns && is_before_end(event->time_ns, p->request.end_ns);
}

/* Produces the event of a packet. It becomes part of the batch only with the last statement. */
static bool produce_event(heph_producer *p, stele_batch *batch, const heph_packet *packet)
{
    const stele_heph_event *from = &packet->event;
    const uint32_t columns = p->request.columns;
    stele_event *event = &batch->events[batch->event_count];
    uint8_t flags = packet->is_damaged ? STELE_FLAG_DAMAGED : 0;
    const int64_t time_ns = producer_time(p, from->start, &flags);
    const int64_t end_ns = producer_time(p, from->end, &flags);
    p->last_time_ns = time_ns;
    p->has_events = true;
    if (!heph_count(p, packet, end_ns))
        return false;
    event_set(event, time_ns, from->start, from->end, (uint64_t)end_ns, packet->offset,
              packet_event_size(packet), 0, 0, batch->field_count,
              event_rest(0, 0, 0, STELE_KIND_COMPLETE, flags));
    if ((flags & STELE_FLAG_CLAMPED) != 0 && !producer_is_explained(p, STELE_WARNING, packet))
        producer_report(p, &core_codes[STE010], packet->offset, packet->size, NULL,
                        "a time of %" PRIu64 " ns",
                        from->start > from->end ? from->start : from->end);
    if (!producer_wants(p, event))
        return true;
    if ((columns & STELE_COLUMN_TRACK) != 0 && (event->track = producer_track(p, packet)) == 0)
        return false;
    if ((columns & STELE_COLUMN_NAME) != 0 &&
        (event->name = producer_name(p, batch, from->description)) == UINT32_MAX)
        return false;
    if ((columns & STELE_COLUMN_FIELDS) != 0 && !produce_fields(p, batch, event, packet))
        return false;
    batch->event_count++;
    return true;
}

/* Verifies the attributes, and appends them if they are asked for. Returns false at the first
   doubt. */
static inline bool hot_attributes(heph_producer *p, stele_batch *batch,
                                  const stele_heph_event *from, stele_name name)
{
    const uint32_t first = batch->field_count;
    const uint8_t *sound_end;
    if ((p->request.columns & STELE_COLUMN_FIELDS) == 0 ||
        !screen_passes(p->request.screen, STELE_KIND_COMPLETE, 0, name))
        return heph_event_verify(from, &sound_end) == STELE_HEPH_SOUND;
    return push_attributes(p, batch, from) == FIELDS_ALL &&
           batch->field_count - first < STELE_FIELDS_MANY;
}

/*
 * Does the work of produce_event() for an event without anything unusual, in one pass over its
 * attributes. At the first doubt it returns false and has changed nothing, so that produce_event()
 * can take over.
 */
static inline bool produce_hot_event(heph_producer *p, stele_batch *batch, heph_packet *packet,
                                     stele_status *status)
{
    const uint32_t columns = p->request.columns, field_first = batch->field_count;
    stele_event *event = &batch->events[batch->event_count];
    const stele_heph_event *from = &packet->event;
    int64_t time_ns, end_ns;
    uint32_t track = 0, name = 0;
    uint8_t flags = 0;
    if (!heph_scan_event(&p->scan, packet) || from->end < from->start)
        return false;
    time_ns = producer_time(p, from->start, &flags);
    end_ns = producer_time(p, from->end, &flags);
    if (flags != 0 ||
        ((columns & STELE_COLUMN_TRACK) != 0 && (track = producer_track(p, packet)) == 0) ||
        ((columns & STELE_COLUMN_NAME) != 0 &&
         (name = producer_name(p, batch, from->description)) == UINT32_MAX) ||
        !hot_attributes(p, batch, from, name)) {
        batch->field_count = field_first;
        return false;
    }
    heph_scan_accept(&p->scan, packet);
    event_set(
        event, time_ns, from->start, from->end, (uint64_t)end_ns, packet->offset,
        packet_event_size(packet), name, track, field_first,
        event_rest((uint16_t)(batch->field_count - field_first), 0, 0, STELE_KIND_COMPLETE, 0));
    batch->event_count++;
    p->last_time_ns = time_ns;
    p->has_events = true;
    if (!counters_add_next(&p->counters, from->stream, from->counter, end_ns) &&
        !heph_count(p, packet, end_ns))
        *status = STELE_ERR_MEMORY;
    return true;
}

/* Tells whether produce_hot_event() makes all that a request asks for. */
static bool is_hot_request(const produce_request *request)
{
    return !request->check && (request->kinds & STELE_KIND_BIT(STELE_KIND_COMPLETE)) != 0 &&
           request->begin_ns == INT64_MIN && request->end_ns == INT64_MAX;
}

/* ---- Options ---- */

static bool produce_option_fields(heph_producer *p, stele_batch *batch, stele_event *event,
                                  const stele_heph_option *option, bool is_epoch)
{
    stele_status status = STELE_OK;
    if (is_epoch) {
        if (!push_number(batch, p->value_name, STELE_TYPE_UINT, load_be64(option->value)))
            return false;
        event->field_count = 1;
        return true;
    }
    status = stele_batch_add_bytes(batch, p->value_name, STELE_TYPE_BYTES, option->value,
                                   option->value_size);
    return status == STELE_OK;
}

static bool produce_option(heph_producer *p, stele_batch *batch, const heph_packet *packet)
{
    const stele_heph_option *option = &packet->option;
    stele_event *event;
    uint64_t epoch_ns;
    const bool is_epoch = stele_heph_option_epoch(option, &epoch_ns);
    if (is_epoch)
        producer_set_epoch(p, packet, epoch_ns);
    else if (!packet->is_damaged &&
             !(p->request.check &&
               !text_is_utf8(option->name.bytes, option->name.size))) /* HEP020 */
        producer_report(p, &heph_codes[HEP011], packet->offset, packet->size, "`epoch`", "`%.*s`",
                        option->name.size < 64 ? option->name.size : 64,
                        option->name.size != 0 ? option->name.bytes : "");
    if ((p->request.kinds & STELE_KIND_BIT(STELE_KIND_METADATA)) == 0)
        return true;
    event = batch_push_event(batch);
    *event =
        (stele_event){.time_ns = p->last_time_ns,
                      .offset = packet->offset,
                      .size = packet_event_size(packet),
                      .field_first = batch->field_count,
                      .kind = STELE_KIND_METADATA,
                      .flags = STELE_FLAG_NO_TIME | (packet->is_damaged ? STELE_FLAG_DAMAGED : 0)};
    if ((p->request.columns & STELE_COLUMN_NAME) != 0 &&
        (event->name = producer_name(p, batch, option->name)) == UINT32_MAX)
        return false;
    return (p->request.columns & STELE_COLUMN_FIELDS) == 0 ||
           produce_option_fields(p, batch, event, option, is_epoch);
}

/* ---- The producer ---- */

static bool produce_packet(heph_producer *p, stele_batch *batch, const heph_packet *packet)
{
    if (p->request.check && packet->kind != STELE_HEPH_NONE && p->diag != NULL)
        heph_check_packet(p->diag, p->scan.win.in->name, packet);
    switch (packet->kind) {
    case STELE_HEPH_EVENT: return produce_event(p, batch, packet);
    case STELE_HEPH_METADATA: return produce_option(p, batch, packet);
    default: return true;
    }
}

static stele_status heph_fill(producer *self, stele_batch *batch)
{
    heph_producer *p = (heph_producer *)self;
    stele_status status = STELE_OK;
    heph_packet packet;
    counters_gap gap;
    stele_batch_clear(batch);
    self->is_dry = false;
    batch->stream = p->stream;
    batch->columns = p->request.columns;
    while (status == STELE_OK && !batch_is_full(batch)) {
        if (counters_take_lost(&p->counters, &gap)) {
            if (!heph_produce_lost(p, batch, &gap))
                status = STELE_ERR_MEMORY;
            continue;
        }
        if (heph_scan_offset(&p->scan) >= self->stop)
            break;
        if (p->is_finished) {
            status = STELE_END;
            break;
        }
        if (p->is_hot && produce_hot_event(p, batch, &packet, &status))
            continue;
        if (!producer_await(self, &p->scan.win, batch, heph_scan_want(&p->scan)))
            break;
        status = heph_scan_next(&p->scan, &packet);
        if (status == STELE_OK && !produce_packet(p, batch, &packet))
            status = STELE_ERR_MEMORY;
        if (status == STELE_END) {
            p->is_finished = true;
            status = counters_finish(&p->counters) ? STELE_OK : STELE_ERR_MEMORY;
        }
    }
    self->balance.skipped_size = p->scan.skipped_size;
    self->position = heph_scan_offset(&p->scan);
    self->balance.record_size = self->position - p->scan.skipped_size;
    return status == STELE_END && batch->event_count != 0 ? STELE_OK : status;
}

static void heph_producer_close(producer *self)
{
    heph_producer *p = (heph_producer *)self;
    heph_scan_close(&p->scan);
    counters_free(&p->counters);
    free(p);
}

/* ---- Marks and seeking ---- */

#define FLAG_EVENTS 1u
#define FLAG_EPOCH  2u

static bool heph_mark(const producer *self, output *out)
{
    const heph_producer *p = (const heph_producer *)self;
    if (p->counters.lost_at != p->counters.lost_count || p->is_finished)
        return false;
    saved_put_u64(out, (p->has_events ? FLAG_EVENTS : 0) | (p->has_epoch ? FLAG_EPOCH : 0));
    saved_put_i64(out, p->shift_ns);
    saved_put_i64(out, p->last_time_ns);
    saved_put_u64(out, p->scan.verify_size);
    counters_put(&p->counters, out);
    return true;
}

static bool heph_seek(producer *self, uint64_t position, cursor *state)
{
    heph_producer *p = (heph_producer *)self;
    uint64_t flags, verify_size;
    int64_t shift_ns, last_time_ns;
    if (position > p->scan.win.in->size || !saved_take_u64(state, &flags) ||
        !saved_take_i64(state, &shift_ns) || !saved_take_i64(state, &last_time_ns) ||
        !saved_take_u64(state, &verify_size) || !counters_take(&p->counters, state))
        return false;
    p->has_events = (flags & FLAG_EVENTS) != 0;
    p->has_epoch = (flags & FLAG_EPOCH) != 0;
    p->shift_ns = shift_ns;
    p->last_time_ns = last_time_ns;
    p->is_counters_full_reported |= p->counters.is_full;
    p->scan.verify_size = verify_size;
    heph_scan_seek(&p->scan, position);
    self->position = position;
    return true;
}

stele_status heph_producer_new(heph_trace *trace, const produce_request *request, diag_sink *diag,
                               uint32_t stream, producer **out)
{
    static const producer_ops ops = {
        .fill = heph_fill, .close = heph_producer_close, .mark = heph_mark, .seek = heph_seek};
    stele_context *context = trace->base.context;
    heph_producer *p = calloc(1, sizeof *p);
    const stele_stream *about = stele_stream_get(context, stream);
    stele_status status;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base.ops = &ops;
    p->base.stop = UINT64_MAX;
    p->trace = trace;
    p->context = context;
    p->diag = diag;
    p->request = *request;
    p->is_hot = is_hot_request(request);
    p->stream = stream;
    p->last_time_ns = about != NULL && about->has_range ? about->begin_ns : 0;
    counters_init(&p->counters, context->limits.providers_max);
    status = heph_scan_open(&p->scan, source_input(trace->base.source), trace->layout, diag,
                            request->window_size, context->limits.record_size_max);
    p->counter_name = stele_name_intern(context, HEPH_FIELD_COUNTER, strlen(HEPH_FIELD_COUNTER));
    p->value_name = stele_name_intern(context, HEPH_FIELD_VALUE, strlen(HEPH_FIELD_VALUE));
    p->lost_name = stele_name_intern(context, "lost", 4);
    if (status != STELE_OK || p->counter_name == UINT32_MAX || p->value_name == UINT32_MAX ||
        p->lost_name == UINT32_MAX) {
        heph_producer_close(&p->base);
        return STELE_ERR_MEMORY;
    }
    *out = &p->base;
    return STELE_OK;
}
