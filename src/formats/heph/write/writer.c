/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as packets. Heph has one kind of event, with a start and an end. Begins and ends
 * are therefore joined, and moments become events without length, with an attribute that says what
 * they were.
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/table.h"
#include "formats/heph/trace.h"
#include "formats/heph/write/attributes.h"
#include "model/batch.h"

/* A begin whose end has not come yet: the packet up to the end of its attributes. */
typedef struct open_span {
    uint8_t *packet;
    size_t size;
} open_span;

/* Where the events of a track go. The array is indexed by the number of the track. */
typedef struct track_target {
    /* The stream that stands for the track, as its index in `streams` + 1; 0 if there is none. */
    uint32_t own;
    /* The stream of the track's events, which may be that of its parent; 0 if not yet known. */
    uint32_t stream;
    uint64_t substream;
    /* The track is a stream of the layout without substreams. */
    bool is_bare;
    /* The open spans, the innermost last. */
    open_span *spans;
    uint32_t span_count, span_capacity;
} track_target;

typedef struct stream_target {
    uint32_t id;
    /* The counter of the next event. */
    uint32_t next;
    /* The events bring their own counters. */
    bool is_counted;
    /* The counters have a gap after the last event. */
    bool has_gap;
} stream_target;

typedef struct heph_writer {
    stele_writer base;
    stele_heph_encoder packet;
    stele_heph_layout layout;
    /* The epoch from the clock, which was written; set only when `has_epoch` is. */
    uint64_t epoch_ns;
    /* The epoch that an option names; set only when `has_option_epoch` is. */
    uint64_t option_epoch_ns;
    bool has_begun, has_epoch, has_option_epoch;
    /* The time that is subtracted from every time, in ns. */
    int64_t base_ns;
    /* The latest time of all events. */
    int64_t latest_ns;
    /* The bytes that all open spans take. */
    size_t spans_size;
    stele_name counter_name, value_name, epoch_name;
    track_target *tracks;
    uint32_t track_count;
    stream_target *streams;
    uint32_t stream_count, stream_capacity;
    /* Where the search for an unused id begins. */
    uint32_t id_free;
    /* The index in `streams`, found by id. */
    hash_table stream_numbers;
    attribute_writer attributes;
} heph_writer;

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

/* ---- Packets ---- */

static stele_status packet_put(heph_writer *w, stele_kind kind)
{
    const stele_status status = w->packet.status;
    if (status == STELE_OK)
        output_write(w->base.out, w->packet.bytes, w->packet.size);
    else if (status == STELE_ERR_LIMIT)
        writer_lose(&w->base, kind, "event larger than 4 GiB", true, 1);
    stele_heph_encoder_clear(&w->packet);
    return status == STELE_ERR_LIMIT ? STELE_OK : status != STELE_OK ? status : w->base.out->status;
}

static uint64_t packet_time(heph_writer *w, stele_kind kind, int64_t time_ns)
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
        return packet_time(w, (stele_kind)event->kind, time_ns);
    if (ticks > INT64_MAX && stream != NULL && stream->clock.domain == STELE_CLOCK_NS &&
        stream->clock.frequency_hz == UINT64_C(1000000000) && stream->clock.base_ticks == 0 &&
        batch->shift_ns == 0 && w->base_ns == 0)
        return ticks;
    writer_lose(&w->base, (stele_kind)event->kind, "time beyond 2^63 ns set to that", false, 1);
    return packet_time(w, (stele_kind)event->kind, time_ns);
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

/* Writes the header, the category, the CPU and the fields of an event. The packet stays open. */
static void packet_begin(heph_writer *w, const stele_batch *batch, const stele_event *event,
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

/* ---- Spans ---- */

static stele_status span_open(heph_writer *w, const stele_batch *batch, const stele_event *event,
                              track_target *target)
{
    open_span *span;
    packet_begin(w, batch, event, target, event->time_ns);
    if (w->packet.status != STELE_OK)
        return packet_put(w, STELE_KIND_BEGIN);
    if (w->packet.size > w->base.context->limits.sort_size_max - w->spans_size) {
        writer_lose(&w->base, STELE_KIND_BEGIN, "begin of too many that are open, without length",
                    false, 1);
        stele_heph_encode_end(&w->packet);
        return packet_put(w, STELE_KIND_BEGIN);
    }
    if (target->span_count == target->span_capacity) {
        open_span *grown = array_grow(target->spans, sizeof *grown, &target->span_capacity, 8);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        target->spans = grown;
    }
    span = &target->spans[target->span_count];
    span->size = w->packet.size;
    span->packet = malloc(span->size);
    if (span->packet == NULL)
        return STELE_ERR_MEMORY;
    memcpy(span->packet, w->packet.bytes, span->size);
    target->span_count++;
    w->spans_size += span->size;
    stele_heph_encoder_clear(&w->packet);
    return STELE_OK;
}

/* Makes the innermost open span of a track the current packet again, with its end and counter. */
static void span_resume(heph_writer *w, track_target *target, uint64_t end)
{
    const open_span span = target->spans[--target->span_count];
    stream_target *stream = &w->streams[target->stream - 1];
    store_be32(span.packet + 12, stream->next++);
    stream->has_gap = false;
    store_be64(span.packet + w->layout - 10, end);
    stele_heph_encode_raw(&w->packet, span.packet, span.size);
    w->spans_size -= span.size;
    free(span.packet);
}

static stele_status span_close(heph_writer *w, const stele_batch *batch, const stele_event *event,
                               track_target *target)
{
    const stele_kind kind = (stele_kind)event->kind;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    if (target->span_count == 0) {
        writer_lose(&w->base, kind, "end without a begin", true, 1);
        return STELE_OK;
    }
    span_resume(w, target, packet_time(w, kind, event->time_ns));
    w->attributes.kind = kind;
    w->attributes.batch = batch;
    attribute_write_fields(&w->attributes, first, count);
    stele_heph_encode_end(&w->packet);
    return packet_put(w, kind);
}

/* Closes the spans that are open at the end of the trace, and counts each as a loss. */
static stele_status spans_close_all(heph_writer *w)
{
    for (uint32_t i = 0; i < w->track_count; i++) {
        while (w->tracks[i].span_count != 0) {
            stele_status status;
            writer_lose(&w->base, STELE_KIND_BEGIN, "begin without an end, closed with the trace",
                        false, 1);
            span_resume(w, &w->tracks[i], packet_time(w, STELE_KIND_BEGIN, w->latest_ns));
            attribute_write_uint(&w->attributes, "unfinished", 1);
            stele_heph_encode_end(&w->packet);
            status = packet_put(w, STELE_KIND_BEGIN);
            if (status != STELE_OK)
                return status;
        }
    }
    return STELE_OK;
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
    packet_begin(w, batch, event, target, event->time_ns);
    attribute_write_string(&w->attributes, "kind", (stele_text){text, strlen(text)});
    write_members(w, event);
    stele_heph_encode_end(&w->packet);
    return packet_put(w, kind);
}

/* ---- Options ---- */

static stele_status write_epoch(heph_writer *w, uint64_t epoch_ns)
{
    uint8_t value[8];
    store_be64(value, epoch_ns);
    stele_heph_encode_option(&w->packet, &(stele_heph_option){{"epoch", 5}, value, sizeof value});
    return packet_put(w, STELE_KIND_METADATA);
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
    return packet_put(w, STELE_KIND_METADATA);
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
        packet_begin(w, batch, event, target, (int64_t)event->id);
        stele_heph_encode_end(&w->packet);
        return packet_put(w, kind);
    case STELE_KIND_BEGIN: return span_open(w, batch, event, target);
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: return span_close(w, batch, event, target);
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
    stele_status status = spans_close_all(w);
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
    for (uint32_t i = 0; i < w->track_count; i++) {
        while (w->tracks[i].span_count != 0)
            free(w->tracks[i].spans[--w->tracks[i].span_count].packet);
        free(w->tracks[i].spans);
    }
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
