/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of events: the header with its counter and times, and the attributes of the event. */
#include "core/load.h"
#include "formats/heph/trace.h"
#include "formats/heph/write/writer_state.h"
#include "model/batch.h"

stele_status heph_packet_put(heph_writer *w, stele_kind kind)
{
    const stele_status status = w->packet.status;
    if (status == STELE_OK)
        output_write(w->base.out, w->packet.bytes, w->packet.size);
    else if (status == STELE_ERR_LIMIT)
        writer_lose(&w->base, kind, "event larger than 4 GiB", true, 1);
    stele_heph_encoder_clear(&w->packet);
    return status == STELE_ERR_LIMIT ? STELE_OK : status != STELE_OK ? status : w->base.out->status;
}

uint64_t heph_packet_time(heph_writer *w, stele_kind kind, int64_t time_ns)
{
    const uint64_t since = (uint64_t)time_ns - (uint64_t)w->base_ns;
    if (time_ns >= w->base_ns)
        return since;
    writer_lose(&w->base, kind, "time before the epoch set to 0", false, 1);
    return 0;
}

/* Gives a time of an event as its trace has it. Beyond 2^63 ns the model's own time is clamped, and
   the ticks hold what the packet said if they count nanoseconds. */
static uint64_t written_time(heph_writer *w, const stele_batch *batch, const stele_event *event,
                             int64_t time_ns, uint64_t ticks)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    if (time_ns != INT64_MAX || (event->flags & STELE_FLAG_CLAMPED) == 0)
        return heph_packet_time(w, (stele_kind)event->kind, time_ns);
    if (ticks > INT64_MAX && stream != NULL && stream->clock.domain == STELE_CLOCK_NS &&
        stream->clock.frequency_hz == UINT64_C(1000000000) && stream->clock.base_ticks == 0 &&
        batch->shift_ns == 0 && w->base_ns == 0)
        return ticks;
    writer_lose(&w->base, (stele_kind)event->kind, "time beyond 2^63 ns set to that", false, 1);
    return heph_packet_time(w, (stele_kind)event->kind, time_ns);
}

/* Gives the first field if it is the counter of an event of this format. */
static const stele_field *find_counter(const heph_writer *w, const stele_batch *batch,
                                       const stele_event *event)
{
    uint32_t first;
    const stele_field *field;
    if (event->kind != STELE_KIND_COMPLETE || stele_event_fields(batch, event, &first) == 0)
        return NULL;
    field = &batch->fields[first];
    return field->name == w->counter_name && field->type == STELE_TYPE_UINT && field->width == 32 &&
                   field->hint == STELE_HINT_CONTEXT && field->label_count == 0
               ? field
               : NULL;
}

static uint32_t packet_counter(heph_writer *w, stream_target *stream, const stele_batch *batch,
                               const stele_event *event)
{
    const stele_field *given = find_counter(w, batch, event);
    const uint32_t counter = given != NULL ? (uint32_t)given->u.u : stream->next;
    stream->is_counted = stream->is_counted || given != NULL;
    stream->next = counter + 1;
    stream->has_gap = false;
    return counter;
}

void heph_packet_begin(heph_writer *w, const stele_batch *batch, const stele_event *event,
                       const track_target *target, int64_t end_ns)
{
    stream_target *stream = &w->streams[target->stream - 1];
    attribute_writer *a = &w->attributes;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_kind kind = (stele_kind)event->kind;
    const uint32_t has_counter = find_counter(w, batch, event) != NULL;
    a->kind = kind;
    a->batch = batch;
    stele_heph_encode_event(
        &w->packet,
        &(stele_heph_event){
            .stream = stream->id,
            .counter = kind == STELE_KIND_BEGIN ? 0 : packet_counter(w, stream, batch, event),
            .substream = target->substream,
            .start = written_time(w, batch, event, event->time_ns, event->ticks),
            .end = written_time(w, batch, event, end_ns,
                                kind == STELE_KIND_COMPLETE ? event->value : event->ticks),
            .description = attribute_text(a, stele_name_text(w->base.context, batch, event->name))},
        w->layout);
    if (w->layout == STELE_HEPH_SUBSTREAMS && target->is_bare)
        writer_lose(&w->base, kind, "no substream, now substream 0", LOSS_FORM, 1);
    if (w->layout == STELE_HEPH_NO_SUBSTREAMS && !target->is_bare)
        writer_lose(&w->base, kind, "substream", true, 1);
    if (event->category != 0) {
        const stele_name category = stele_category_name(w->base.context, event->category);
        writer_lose(&w->base, kind, "category as an attribute", LOSS_FORM, 1);
        attribute_write_string(a, "category", stele_name_text(w->base.context, batch, category));
    }
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0) {
        writer_lose(&w->base, kind, "CPU as an attribute", LOSS_FORM, 1);
        attribute_write_uint(a, "cpu", event->cpu);
    }
    attribute_write_fields(a, batch->context_first, batch->context_count);
    attribute_write_fields(a, first + has_counter, count - has_counter);
}
