/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends: the format has spans as one packet, which is written when the end comes. */
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "formats/heph/trace.h"
#include "formats/heph/write/writer_state.h"
#include "model/batch.h"

/* A number that is equal for equal names, to find the begin of an end; a name that is known only in
   its batch is hashed. */
static uint64_t span_name(const heph_writer *w, const stele_batch *batch, stele_name name)
{
    stele_text text;
    if ((name & STELE_NAME_LOCAL) == 0)
        return UINT64_C(1) << 32 | name;
    text = stele_name_text(w->base.context, batch, name);
    return hash_table_hash_bytes(&w->stream_numbers, text.bytes, text.size) | UINT64_C(1) << 33;
}

/* Gives the next counter of its stream to a begin that was encoded without one. */
static void span_count(heph_writer *w, const track_target *target, uint8_t *packet)
{
    stream_target *stream = &w->streams[target->stream - 1];
    store_be32(packet + 12, stream->next++);
    stream->has_gap = false;
}

stele_status heph_span_open(heph_writer *w, const stele_batch *batch, const stele_event *event,
                            track_target *target)
{
    open_span span = {.name = span_name(w, batch, event->name)};
    heph_packet_begin(w, batch, event, target, event->time_ns);
    if (w->packet.status != STELE_OK)
        return heph_packet_put(w, STELE_KIND_BEGIN);
    if (target->excess != 0 ||
        w->packet.size > w->base.context->limits.sort_size_max - w->spans_size) {
        target->excess++;
        writer_lose(&w->base, STELE_KIND_BEGIN, "begin of too many that are open, without length",
                    false, 1);
        span_count(w, target, w->packet.bytes);
        stele_heph_encode_end(&w->packet);
        return heph_packet_put(w, STELE_KIND_BEGIN);
    }
    span.size = w->packet.size;
    span.packet = malloc(span.size);
    if (span.packet == NULL)
        return STELE_ERR_MEMORY;
    memcpy(span.packet, w->packet.bytes, span.size);
    if (!open_spans_push(&target->open, span)) {
        free(span.packet);
        return STELE_ERR_MEMORY;
    }
    w->spans_size += span.size;
    stele_heph_encoder_clear(&w->packet);
    return STELE_OK;
}

/* Makes the innermost open span of a track the current packet again, with its end and counter. */
static void span_resume(heph_writer *w, track_target *target, uint64_t end)
{
    const open_span span = open_spans_pop(&target->open);
    span_count(w, target, span.packet);
    store_be64(span.packet + w->layout - 10, end);
    stele_heph_encode_raw(&w->packet, span.packet, span.size);
    w->spans_size -= span.size;
    free(span.packet);
}

/* Closes the innermost open span of a track, which has no end of its own, with a mark. */
static stele_status span_close_with(heph_writer *w, track_target *target, int64_t end_ns,
                                    const char *mark, const char *loss)
{
    writer_lose(&w->base, STELE_KIND_BEGIN, loss, false, 1);
    span_resume(w, target, heph_packet_time(w, STELE_KIND_BEGIN, end_ns));
    attribute_write_uint(&w->attributes, mark, 1);
    stele_heph_encode_end(&w->packet);
    return heph_packet_put(w, STELE_KIND_BEGIN);
}

stele_status heph_span_close(heph_writer *w, const stele_batch *batch, const stele_event *event,
                             track_target *target)
{
    const stele_kind kind = (stele_kind)event->kind;
    const uint64_t name = event->name != 0 ? span_name(w, batch, event->name) : 0;
    stele_status status = STELE_OK;
    uint32_t first, number;
    const uint32_t count = stele_event_fields(batch, event, &first);
    if (target->excess != 0) {
        target->excess--;
        return STELE_OK;
    }
    if (!open_spans_find(&target->open, name, &number))
        return STELE_ERR_MEMORY;
    if (number == 0) {
        writer_lose(&w->base, kind, "end without a begin", true, 1);
        return STELE_OK;
    }
    while (status == STELE_OK && target->open.count != number)
        status = span_close_with(w, target, event->time_ns, "unwound",
                                 "begin without an end, closed with its caller");
    if (status != STELE_OK)
        return status;
    span_resume(w, target, heph_packet_time(w, kind, event->time_ns));
    w->attributes.kind = kind;
    w->attributes.batch = batch;
    attribute_write_fields(&w->attributes, first, count);
    stele_heph_encode_end(&w->packet);
    return heph_packet_put(w, kind);
}

stele_status heph_spans_close_all(heph_writer *w)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < w->track_count; i++) {
        while (w->tracks[i].open.count != 0 && status == STELE_OK)
            status = span_close_with(w, &w->tracks[i], w->latest_ns, "unfinished",
                                     "begin without an end, closed with the trace");
    }
    return status;
}
