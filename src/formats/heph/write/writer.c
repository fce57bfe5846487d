/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as packets. Heph has one kind of event, with a start and an end. Begins and ends
 * are therefore joined, and moments become events without length, with an attribute that says what
 * they were.
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/table.h"
#include "formats/heph/trace.h"
#include "formats/heph/write/writer_state.h"
#include "model/batch.h"

/* ---- Streams and tracks ---- */

static bool stream_is_known(const heph_writer *w, uint32_t id)
{
    const uint32_t hash = hash_table_hash_u64(&w->stream_numbers, id);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&w->stream_numbers, hash, &at)) != HASH_NONE;)
        if (w->streams[number].id == id)
            return true;
    return false;
}

/* Adds a stream for a track, under the track's own number if that fits and is free. Gives its index
   + 1, or 0 if out of memory. */
static uint32_t stream_add(heph_writer *w, uint64_t number)
{
    uint32_t id = (uint32_t)number;
    if (!hash_table_reserve(&w->stream_numbers))
        return 0;
    if (w->stream_count == w->stream_capacity) {
        stream_target *grown = array_grow(w->streams, sizeof *grown, &w->stream_capacity, 16);
        if (grown == NULL)
            return 0;
        w->streams = grown;
    }
    if (number > UINT32_MAX || stream_is_known(w, id)) {
        writer_lose(&w->base, STELE_KIND_NONE, "number of a stream replaced by a free one", false,
                    1);
        do {
            id = w->id_free++;
        } while (stream_is_known(w, id));
    }
    w->streams[w->stream_count] = (stream_target){.id = id};
    hash_table_put(&w->stream_numbers, hash_table_hash_u64(&w->stream_numbers, id),
                   w->stream_count);
    return ++w->stream_count;
}

static bool tracks_reserve(heph_writer *w, uint32_t track)
{
    track_target *grown;
    if (track < w->track_count)
        return true;
    if (track > stele_track_count(w->base.context))
        return false;
    grown = array_reach(w->tracks, sizeof *grown, &w->track_count, track);
    if (grown == NULL)
        return false;
    w->tracks = grown;
    return true;
}

/* Finds where a track's events go. A track with a parent is a substream of the parent's stream, and
   any other track is the substream 0 of its own stream. Returns NULL if out of memory. */
static track_target *track_find(heph_writer *w, uint32_t number)
{
    const stele_track *track = stele_track_get(w->base.context, number);
    const uint32_t top = track != NULL && track->parent != 0 ? track->parent : number;
    const stele_track *owner = stele_track_get(w->base.context, top);
    track_target *target;
    if (!tracks_reserve(w, number) || !tracks_reserve(w, top))
        return NULL;
    target = &w->tracks[number];
    if (target->stream != 0)
        return target;
    if (w->tracks[top].own == 0)
        w->tracks[top].own = stream_add(w, owner != NULL ? owner->number : 0);
    target->stream = w->tracks[top].own;
    target->substream = top != number ? track->number : 0;
    target->is_bare = top == number && track != NULL && track->kind == STELE_TRACK_STREAM;
    if (track != NULL && track->name != 0)
        writer_lose(&w->base, STELE_KIND_NONE, "name of a track", true, 1);
    return target->stream != 0 ? target : NULL;
}

/* ---- Moments and their members ---- */

static uint64_t track_number(const heph_writer *w, uint64_t track)
{
    const stele_track *known =
        track <= UINT32_MAX ? stele_track_get(w->base.context, (uint32_t)track) : NULL;
    return known != NULL ? known->number : 0;
}

/* Writes what `value` and `id` of the event hold, if its kind gives them a meaning. */
static void write_members(heph_writer *w, const stele_event *event)
{
    attribute_writer *a = &w->attributes;
    switch (event->kind) {
    case STELE_KIND_SWITCH:
        attribute_write_uint(a, "outgoing", track_number(w, event->value));
        attribute_write_uint(a, "incoming", track_number(w, event->id));
        break;
    case STELE_KIND_WAKE: attribute_write_uint(a, "woken", track_number(w, event->id)); break;
    case STELE_KIND_LOG: attribute_write_uint(a, "severity", event->value); break;
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT: attribute_write_uint(a, "number", event->value); break;
    case STELE_KIND_OBJECT: attribute_write_uint(a, "type", event->value); /* fall through */
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END: attribute_write_uint(a, "id", event->id); break;
    default: break;
    }
}

static stele_status write_moment(heph_writer *w, const stele_batch *batch, const stele_event *event,
                                 const track_target *target)
{
    const stele_kind kind = (stele_kind)event->kind;
    const char *text = stele_kind_text(kind);
    writer_lose(&w->base, kind, "as an event without length", LOSS_FORM, 1);
    heph_packet_begin(w, batch, event, target, event->time_ns);
    attribute_write_string(&w->attributes, "kind", (stele_text){text, strlen(text)});
    write_members(w, event);
    stele_heph_encode_end(&w->packet);
    return heph_packet_put(w, kind);
}

/* ---- Options ---- */

static stele_status write_epoch(heph_writer *w, uint64_t epoch_ns)
{
    uint8_t value[8];
    store_be64(value, epoch_ns);
    stele_heph_encode_option(&w->packet, &(stele_heph_option){{"epoch", 5}, value, sizeof value});
    return heph_packet_put(w, STELE_KIND_METADATA);
}

/* Settles what the times of the trace are relative to: the zero of the clock, or the time of the
   first event if that is earlier. */
static stele_status writer_begin(heph_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    int64_t wall_ns;
    if (!w->has_begun) {
        w->has_begun = true;
        w->base_ns = event->time_ns < 0 ? event->time_ns : 0;
        if (stream != NULL && stream->clock.domain != STELE_CLOCK_NS)
            writer_lose(&w->base, STELE_KIND_NONE, "unit of the clock, which is not time", false,
                        1);
        if (w->base_ns != 0 && (stream == NULL || !stream->clock.has_wall))
            writer_lose(&w->base, STELE_KIND_NONE, "times from the first event on", LOSS_FORM, 1);
    }
    /* What has no time says nothing of the clock: a trace of options alone keeps its epoch. */
    if (w->has_epoch || stream == NULL || !stream->clock.has_wall ||
        event->kind == STELE_KIND_METADATA)
        return STELE_OK;
    w->has_epoch = true;
    if (!stele_batch_wall(batch, &stream->clock, &wall_ns) ||
        __builtin_add_overflow(wall_ns, w->base_ns, &wall_ns) || wall_ns < 0) {
        writer_lose(&w->base, STELE_KIND_NONE, "wall-clock time outside of 1970 to 2262", true, 1);
        return STELE_OK;
    }
    if (w->has_option_epoch && w->option_epoch_ns != (uint64_t)wall_ns)
        writer_lose(&w->base, STELE_KIND_METADATA, "epoch, written anew from the clock", LOSS_FORM,
                    1);
    w->epoch_ns = (uint64_t)wall_ns;
    return write_epoch(w, w->epoch_ns);
}

/* Writes an option of this format. An epoch is only remembered: the clock's is written, and
   the option's at the end if the clock has none. */
static stele_status write_option(heph_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    const stele_field *field = event->field_count != 0 ? &batch->fields[event->field_first] : NULL;
    stele_heph_option option;
    stele_text value;
    w->attributes.kind = STELE_KIND_METADATA;
    if (event->name == w->epoch_name && stream != NULL && stream->clock.has_wall) {
        const bool is_known = event->field_count == 1 && field->type == STELE_TYPE_UINT;
        if (!w->has_epoch && !w->has_option_epoch && is_known) {
            w->has_option_epoch = true;
            w->option_epoch_ns = field->u.u;
        } else if (!is_known || field->u.u != (w->has_epoch ? w->epoch_ns : w->option_epoch_ns)) {
            writer_lose(&w->base, STELE_KIND_METADATA, "epoch, written anew from the clock",
                        LOSS_FORM, 1);
        }
        return STELE_OK;
    }
    if (event->field_count != 1 || field->name != w->value_name ||
        field->type != STELE_TYPE_BYTES) {
        writer_lose(&w->base, STELE_KIND_METADATA, "metadata of another format", true, 1);
        return STELE_OK;
    }
    value = stele_field_text(w->base.context, batch, field);
    option.name =
        attribute_text(&w->attributes, stele_name_text(w->base.context, batch, event->name));
    option.value = (const uint8_t *)value.bytes;
    option.value_size = value.size;
    stele_heph_encode_option(&w->packet, &option);
    return heph_packet_put(w, STELE_KIND_METADATA);
}

/* ---- Events ---- */

/* Makes a gap in the counters for events that are known to be missing. Streams whose events bring
   their own counters have the gap already. */
static void write_lost(heph_writer *w, const stele_event *event, const track_target *target)
{
    stream_target *stream = &w->streams[target->stream - 1];
    if (stream->is_counted)
        return;
    if (event->value == 0 || event->value > INT32_MAX) {
        writer_lose(&w->base, STELE_KIND_LOST, "loss of unknown or too large a count", true, 1);
        return;
    }
    stream->next += (uint32_t)event->value;
    stream->has_gap = true;
    writer_lose(&w->base, STELE_KIND_LOST, "loss as a gap in the counters", LOSS_FORM, 1);
}

static stele_status write_event(heph_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_kind kind = (stele_kind)event->kind;
    stele_status status = writer_begin(w, batch, event);
    track_target *target;
    if (status != STELE_OK)
        return status;
    if (kind == STELE_KIND_METADATA)
        return write_option(w, batch, event);
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        writer_lose(&w->base, kind, "having no time", false, 1);
    target = track_find(w, event->track);
    if (target == NULL)
        return STELE_ERR_MEMORY;
    if (event->time_ns > w->latest_ns)
        w->latest_ns = event->time_ns;
    switch (kind) {
    case STELE_KIND_COMPLETE:
        heph_packet_begin(w, batch, event, target, (int64_t)event->id);
        stele_heph_encode_end(&w->packet);
        return heph_packet_put(w, kind);
    case STELE_KIND_BEGIN: return heph_span_open(w, batch, event, target);
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: return heph_span_close(w, batch, event, target);
    case STELE_KIND_LOST: write_lost(w, event, target); return STELE_OK;
    case STELE_KIND_BLOB:
    case STELE_KIND_INSN:
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE:
        writer_lose(&w->base, kind, "there is nothing like it", true, 1);
        return STELE_OK;
    default: return write_moment(w, batch, event, target);
    }
}

/* ---- The writer ---- */

static stele_status heph_write(stele_writer *self, const stele_segment *segment)
{
    heph_writer *w = (heph_writer *)self;
    stele_status status = STELE_OK;
    stele_event placed;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++)
        status =
            write_event(w, segment->batch, timeless_event(&self->timeless, segment, i, &placed));
    timeless_end(&self->timeless, segment);
    return status;
}

/* Writes an epoch into a trace without events, because an empty file is no trace. Readers of the
   format know no other option. */
static stele_status mark_empty(heph_writer *w)
{
    writer_lose(&w->base, STELE_KIND_NONE, "no events, so an epoch of 1970 alone", LOSS_FORM, 1);
    return write_epoch(w, 0);
}

static stele_status heph_finish(stele_writer *self)
{
    heph_writer *w = (heph_writer *)self;
    stele_status status = heph_spans_close_all(w);
    if (status == STELE_OK && w->has_option_epoch && !w->has_epoch)
        status = write_epoch(w, w->option_epoch_ns);
    else if (status == STELE_OK && output_offset(self->out) == 0)
        status = mark_empty(w);
    for (uint32_t i = 0; i < w->stream_count; i++) {
        if (w->streams[i].has_gap)
            writer_lose(&w->base, STELE_KIND_LOST, "loss after the last event", true, 1);
    }
    return status;
}

static void heph_close(stele_writer *self)
{
    heph_writer *w = (heph_writer *)self;
    for (uint32_t i = 0; i < w->track_count; i++)
        open_spans_free(&w->tracks[i].open);
    free(w->tracks);
    free(w->streams);
    hash_table_free(&w->stream_numbers);
    stele_heph_encoder_free(&w->packet);
    free(w);
}

stele_status heph_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer)
{
    static const writer_ops ops = {heph_write, heph_finish, heph_close};
    heph_writer *w;
    const char *version = options->version != NULL ? options->version : HEPH_VERSION;
    const bool is_old = strcmp(version, HEPH_VERSION_OLD) == 0;
    *writer = NULL;
    if (!is_old && strcmp(version, HEPH_VERSION) != 0) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    HEPH_VERSION ", or " HEPH_VERSION_OLD, "'%s'", version);
        return STELE_ERR_ARGUMENT;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base =
        (stele_writer){.ops = &ops, .context = context, .out = out, .timeless.is_wanted = true};
    w->layout = is_old ? STELE_HEPH_NO_SUBSTREAMS : STELE_HEPH_SUBSTREAMS;
    w->attributes.writer = &w->base;
    w->attributes.to = &w->packet;
    w->id_free = UINT32_C(1) << 31;
    w->counter_name = stele_name_intern(context, HEPH_FIELD_COUNTER, strlen(HEPH_FIELD_COUNTER));
    w->value_name = stele_name_intern(context, HEPH_FIELD_VALUE, strlen(HEPH_FIELD_VALUE));
    w->epoch_name = stele_name_intern(context, "epoch", 5);
    *writer = &w->base;
    return STELE_OK;
}
