/* SPDX-License-Identifier: Apache-2.0 */
/* Writes events of the model as event records: thread, process and CPU precede their fields, and
   times are ticks that never decrease within a data stream. */
#include "formats/ctf/write/writer_events.h"
#include "core/array.h"
#include "core/load.h"
#include "formats/ctf/schema/spans.h"
#include "formats/ctf/write/writer_choice.h"
#include "formats/ctf/write/writer_packets.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_streams.h"
#include "model/batch.h"

static void begin(ctf_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    w->has_begun = true;
    w->base_ns = event->time_ns < 0 ? event->time_ns : 0;
    if (stream != NULL) {
        w->clock = stream->clock;
        w->clock.has_wall = stele_batch_wall(batch, &stream->clock, &w->clock.wall_ns);
    }
    if (w->clock.domain == STELE_CLOCK_TICKS || w->clock.domain == STELE_CLOCK_INSNS)
        writer_lose(&w->base, STELE_KIND_NONE, "ticks of unknown length as nanoseconds", false, 1);
    if (w->clock.has_wall && w->generation == CTF_RFC)
        writer_lose(&w->base, STELE_KIND_NONE, "wall-clock time", true, 1);
}

uint32_t writer_track_number(void *user, uint32_t track)
{
    ctf_writer *w = user;
    const stele_track *known = stele_track_get(w->base.context, track);
    if (known == NULL)
        return 0;
    if (track >= w->number_count) {
        uint32_t *grown = array_reach(w->track_numbers, sizeof *grown, &w->number_count, track);
        if (grown == NULL) {
            w->status = STELE_ERR_MEMORY;
            return 0;
        }
        w->track_numbers = grown;
    }
    if (w->track_numbers[track] != 0)
        return w->track_numbers[track];
    if (known->parent < track)
        writer_track_number(w, known->parent);
    if (w->track_count == w->track_capacity) {
        uint32_t *grown = array_grow(w->tracks, sizeof *grown, &w->track_capacity, 64);
        if (grown == NULL) {
            w->status = STELE_ERR_MEMORY;
            return 0;
        }
        w->tracks = grown;
    }
    w->tracks[w->track_count++] = track;
    return w->track_numbers[track] = w->track_count;
}

/* Returns the SHAPE_... bits for the thread and CPU of an event. */
static unsigned thread_flags(ctf_writer *w, const stele_event *event, const stele_track **track)
{
    unsigned flags = (event->flags & STELE_FLAG_HAS_CPU) != 0 ? SHAPE_CPU : 0;
    *track = stele_track_get(w->base.context, event->track);
    if (*track == NULL)
        return flags;
    switch ((*track)->kind) {
    case STELE_TRACK_THREAD: return flags | SHAPE_THREAD;
    case STELE_TRACK_CPU: return flags | SHAPE_CPU;
    case STELE_TRACK_STREAM: return flags;
    default:
        if (w->shape.is_marked)
            return flags;
        writer_lose(&w->base, (stele_kind)event->kind, "track that is not a thread or CPU", true,
                    1);
        return flags;
    }
}

/* Returns the SHAPE_... bits of all that precedes an event's fields. */
static unsigned event_flags(ctf_writer *w, const stele_event *event, const stele_track **track)
{
    const unsigned flags = thread_flags(w, event, track);
    return w->shape.is_marked && *track != NULL ? flags | SHAPE_TRACK : flags;
}

static void time_lose(ctf_writer *w, const stele_event *event, const char *what)
{
    writer_lose(&w->base, (stele_kind)event->kind, what, false, 1);
}

static uint64_t event_ticks(ctf_writer *w, const data_stream *s, const stele_event *event)
{
    const uint64_t ticks = (uint64_t)event->time_ns - (uint64_t)w->base_ns;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0) {
        if (!w->shape.is_marked)
            time_lose(w, event, "having no time");
        return event->time_ns >= w->base_ns && ticks >= s->last ? ticks : s->last;
    }
    if ((event->flags & STELE_FLAG_CLAMPED) != 0)
        time_lose(w, event, "time beyond 64 bits of nanoseconds");
    if (event->time_ns >= w->base_ns && ticks >= s->last)
        return ticks;
    time_lose(w, event, "time before that of an earlier event");
    return s->last;
}

/* Counts an end that does not fit: when read, it counts from the clock's origin. */
static void judge_end(ctf_writer *w, const stele_event *event)
{
    const int64_t offset = w->clock.has_wall ? w->clock.wall_ns : 0;
    int64_t sum;
    if (event->kind == STELE_KIND_COMPLETE &&
        __builtin_add_overflow((int64_t)event->id, offset, &sum))
        time_lose(w, event, "time beyond 64 bits of nanoseconds");
}

/* Sets the context from the track and the event; the event's context fields may replace it. */
static void find_context(ctf_writer *w, const stele_event *event, const stele_track *track,
                         unsigned flags)
{
    const stele_track *process =
        track != NULL ? stele_track_get(w->base.context, track->parent) : NULL;
    const bool has_cpu = (event->flags & STELE_FLAG_HAS_CPU) != 0;
    w->shape.context =
        (shape_context){.pid = process != NULL ? process->number : 0,
                        .tid = track != NULL ? track->number : 0,
                        .cpu = has_cpu || track == NULL ? event->cpu : (uint16_t)track->number,
                        .name = process != NULL && process->name != 0 ? process->name
                                : track != NULL                       ? track->name
                                                                      : 0};
    if ((flags & SHAPE_TRACK) == 0)
        return;
    w->shape.context.track = writer_track_number(w, event->track);
    if ((flags & SHAPE_CPU) != 0 && !has_cpu)
        w->shape.context.track |= SPAN_TRACK_IS_CPU;
}

#define PROCNAME_SIZE_MAX 63u

/* Appends the name of the process up to its first zero, and at most PROCNAME_SIZE_MAX bytes. */
static void put_procname(const ctf_writer *w, data_stream *s, stele_name name)
{
    const stele_text text = stele_name_text(w->base.context, NULL, name);
    const size_t most = text.size < PROCNAME_SIZE_MAX ? text.size : PROCNAME_SIZE_MAX;
    const char *zero = most != 0 ? memchr(text.bytes, 0, most) : NULL;
    const size_t size = zero != NULL ? (size_t)(zero - text.bytes) : most;
    uint8_t *at = byte_buffer_take(&s->packet, size + 1);
    if (at == NULL)
        return;
    memcpy(at, text.bytes, size);
    at[size] = 0;
}

/* Appends the context: track, process and thread, CPU. */
static void put_context(const ctf_writer *w, data_stream *s, const shape_context *context)
{
    uint8_t *at;
    if ((s->flags & SHAPE_TRACK) != 0 && (at = byte_buffer_take(&s->packet, 4)) != NULL)
        store_le32(at, context->track);
    if ((s->flags & SHAPE_THREAD) != 0 && (at = byte_buffer_take(&s->packet, 16)) != NULL) {
        store_le64(at, context->pid);
        store_le64(at + 8, context->tid);
        if (w->generation != CTF_RFC)
            put_procname(w, s, context->name);
    }
    if ((s->flags & SHAPE_CPU) != 0 && (at = byte_buffer_take(&s->packet, 2)) != NULL)
        store_le16(at, context->cpu);
}

/* Appends header, context and fields of an event, whose shape is made. */
static void put_event(ctf_writer *w, data_stream *s, uint64_t ticks, uint32_t class_number)
{
    uint8_t *at;
    if (!writer_packet_begin(w, s, ticks) ||
        !writer_event_header(&s->packet, w->generation, &w->layout, w->classes[class_number].id,
                             ticks, s->last)) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    s->last = ticks;
    put_context(w, s, &w->shape.context);
    at = byte_buffer_take(&s->packet, w->shape.value.size);
    if (at != NULL && w->shape.value.size != 0)
        memcpy(at, w->shape.value.bytes, w->shape.value.size);
    if (s->packet.is_lost)
        w->status = STELE_ERR_MEMORY;
    else if (writer_packet_is_full(w, s))
        writer_packet_end(w, s);
}

static void write_event(ctf_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_track *track;
    unsigned flags;
    source_target *source = writer_source_find(w, batch->stream);
    data_stream *s;
    uint32_t class_number;
    if (source == NULL)
        return;
    if (!w->has_begun)
        begin(w, batch, event);
    if (event->kind == STELE_KIND_LOST) {
        writer_count_lost(w, source, event);
        return;
    }
    if ((event->flags & STELE_FLAG_DAMAGED) != 0 && !w->shape.is_marked)
        writer_lose(&w->base, (stele_kind)event->kind, "mark of damage", true, 1);
    w->event_number++;
    flags = event_flags(w, event, &track);
    find_context(w, event, track, flags);
    judge_end(w, event);
    class_number = writer_class_choose(w, batch, event, &flags);
    if (w->status != STELE_OK)
        return;
    if (class_number >= CLASS_NONE || !writer_labels_add(w, class_number)) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    s = writer_stream_find(w, source, flags);
    if (s != NULL)
        put_event(w, s, event_ticks(w, s, event), class_number);
}

/* Whether the member of a packet's head is made anew, as events or files say the same. */
static bool is_made_anew(stele_text name)
{
    static const char *const names[] = {"magic",
                                        "uuid",
                                        "stream_id",
                                        "stream_instance_id",
                                        "timestamp_begin",
                                        "timestamp_end",
                                        "content_size",
                                        "packet_size",
                                        "packet_seq_num",
                                        "events_discarded",
                                        "cpu_id",
                                        "session_id",
                                        "checksum",
                                        "section_packet_count",
                                        "section_packet_count_bits",
                                        "compression_scheme",
                                        "encryption_scheme",
                                        "checksum_scheme"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.size == strlen(names[i]) && memcmp(name.bytes, names[i], name.size) == 0)
            return true;
    return false;
}

static void lose_context(ctf_writer *w, const stele_batch *batch)
{
    const stele_field *first = batch->fields + batch->context_first;
    for (uint32_t at = 0; at < batch->context_count; at += stele_field_length(first + at)) {
        const stele_field *head = first + at;
        const stele_field *members = head + 1 + head->label_count;
        if (head->type != STELE_TYPE_STRUCT || (head->hint & STELE_HINT_RAW) != 0)
            continue;
        for (uint32_t i = 0; i < head->u.run.length; i += stele_field_length(members + i))
            if (!is_made_anew(stele_name_text(w->base.context, batch, members[i].name)))
                writer_lose(&w->base, STELE_KIND_NONE, "context of a packet", true, 1);
    }
}

stele_status writer_put_segment(stele_writer *self, const stele_segment *segment)
{
    ctf_writer *w = (ctf_writer *)self;
    stele_event placed;
    lose_context(w, segment->batch);
    for (uint32_t i = 0; w->status == STELE_OK && i < segment->count; i++)
        write_event(w, segment->batch, timeless_event(&self->timeless, segment, i, &placed));
    timeless_end(&self->timeless, segment);
    return w->status;
}
