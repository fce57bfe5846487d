/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to traces of CTF 1.8, CTF 2 and the RFC v1.1: folders with the metadata, a file for each
 * data stream and, but for the RFC, LTTng's index of its packets.
 *
 * A data stream is a stream of the source; those whose events have a thread or a CPU in front of
 * their fields are of other classes than those without. Everything is little-endian and
 * byte-packed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stele/ctf.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/load.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/schema/marks.h"
#include "formats/ctf/schema/spans.h"
#include "formats/ctf/write/writer.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"
#include "model/batch.h"

#define STREAMS_MAX      200u                /* open files; further streams share the last one */
#define PACKET_SIZE_MAX  ((size_t)256 << 10) /* a packet ends after it, and ... */
#define PACKET_SIZE_MIN  ((size_t)16 << 10)  /* ... earlier when there are many streams */
#define PACKETS_SIZE_MAX ((size_t)24 << 20)  /* bytes of all packets that are being filled */

typedef struct data_stream {
    char name[32];
    unsigned flags; /* SHAPE_...: its class */
    output *out;
    byte_run packet;      /* the one being filled, from its header on; empty: none */
    uint64_t begin, last; /* ticks of the packet's first and the last event */
    uint64_t packet_count;
    uint64_t discarded;        /* so far, and ... */
    uint64_t discarded_before; /* ... up to the begin of the packet */
    uint64_t offset;           /* of the packet in the file */
    byte_run index;            /* entries that are not in the index file yet */
    output *index_out;         /* NULL: there is none yet */
} data_stream;

/* A stream of the source. */
typedef struct source_target {
    uint32_t streams[SHAPE_FLAGS]; /* index + 1; 0: none */
    uint32_t recent;               /* the last one of them that an event went to */
    uint64_t lost;                 /* events, since then */
} source_target;

/* An event class: its key is in the pool of the same number. */
typedef struct writer_class {
    uint32_t id;         /* in its stream class */
    uint32_t slot_count; /* numbers with labels */
} writer_class;

#define CLASS_NONE   (UINT32_MAX - 1)
#define CLASS_MEMORY UINT32_MAX

typedef struct writer_label {
    uint32_t class_number, slot;
    uint64_t value;
    stele_name name;
    uint32_t event_number; /* that had it first, modulo 2^32 */
} writer_label;

typedef struct ctf_writer {
    stele_writer base;
    ctf_generation generation;
    shape shape;
    intern keys; /* of event classes */
    writer_class *classes;
    uint32_t class_count, class_capacity;
    size_t key_sizes[3]; /* of keys, by what they are of: CLASSES_... */
    uint32_t id_counts[SHAPE_FLAGS];
    intern label_keys; /* labels that are known */
    writer_label *labels;
    uint32_t label_count, label_capacity;
    uint32_t slots_max;      /* of any class */
    uint32_t event_number;   /* of the event at hand, modulo 2^32 */
    uint32_t *track_numbers; /* of the context's tracks in the trace that is made; 0: none yet */
    uint32_t number_count;
    uint32_t *tracks; /* those that it has, in the order of their numbers, from 1 */
    uint32_t track_count, track_capacity;
    data_stream *streams;
    uint32_t stream_count;
    source_target *sources; /* by number */
    uint32_t source_count;
    bool has_begun;
    bool has_uuid;   /* a packet was written */
    int64_t base_ns; /* time of tick 0 */
    stele_clock clock;
    uint8_t uuid[16];
    rfc_packer packer;
    rfc_layout layout;
    stele_status status;
} ctf_writer;

/* ---- Begin ---- */

static size_t header_size(const ctf_writer *w)
{
    return w->generation == CTF_RFC ? STELE_CTF_RFC_HEADER_SIZE : WRITER_HEADER_SIZE;
}

/* Of all that is to be written so far, which is a packet at least: the same events give the same
   bytes. */
static void choose_uuid(ctf_writer *w)
{
    uint64_t low = (uint64_t)w->base_ns;
    w->has_uuid = true;
    for (uint32_t i = 0; i < w->stream_count; i++) {
        const byte_run *packet = &w->streams[i].packet;
        const size_t head = packet->size < header_size(w) ? packet->size : header_size(w);
        low = hash_u64(low ^ hash_bytes(packet->bytes + head, packet->size - head));
    }
    store_le64(w->uuid, hash_u64(low));
    store_le64(w->uuid + 8, hash_u64(low + 1));
    w->uuid[6] = (uint8_t)((w->uuid[6] & 0x0f) | 0x80); /* version 8, RFC 9562 */
    w->uuid[8] = (uint8_t)((w->uuid[8] & 0x3f) | 0x80);
}

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

/* ---- Packets ---- */

#define INDEX_SIZE_MAX ((size_t)32 << 10) /* of entries that are kept */

static void index_open(ctf_writer *w, data_stream *s)
{
    uint8_t header[STELE_CTF_INDEX_HEADER_SIZE];
    char name[sizeof s->name + 16];
    snprintf(name, sizeof name, "index/%s.idx", s->name);
    w->status = output_add(w->base.out, name, &s->index_out);
    if (w->status != STELE_OK)
        return;
    stele_ctf_index_header_write(header);
    output_write(s->index_out, header, sizeof header);
}

/* Gives the entries to the index file, which few streams need before the end. */
static void index_write(ctf_writer *w, data_stream *s)
{
    if (s->index_out == NULL)
        index_open(w, s);
    if (w->status != STELE_OK)
        return;
    output_write(s->index_out, s->index.bytes, s->index.size);
    s->index.size = 0;
    w->status = s->index_out->status;
}

static void packet_write(ctf_writer *w, data_stream *s)
{
    const writer_packet packet = {.uuid = w->uuid,
                                  .stream_class_id = s->flags,
                                  .stream_id = (uint64_t)(s - w->streams),
                                  .begin = s->begin,
                                  .end = s->last,
                                  .size = s->packet.size,
                                  .sequence_number = s->packet_count,
                                  .discarded = s->discarded};
    uint8_t *entry = byte_run_take(&s->index, STELE_CTF_INDEX_ENTRY_SIZE);
    writer_packet_header(s->packet.bytes, &packet);
    output_write(s->out, s->packet.bytes, s->packet.size);
    if (entry == NULL) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    stele_ctf_index_entry_write(entry,
                                &(stele_ctf_index_entry){.offset = s->offset,
                                                         .packet_size_bits = s->packet.size * 8,
                                                         .content_size_bits = s->packet.size * 8,
                                                         .timestamp_begin = s->begin,
                                                         .timestamp_end = s->last,
                                                         .events_discarded = s->discarded,
                                                         .stream_id = s->flags,
                                                         .stream_instance_id = packet.stream_id,
                                                         .packet_seq_num = s->packet_count});
    if (s->index.size >= INDEX_SIZE_MAX)
        index_write(w, s);
}

static uint32_t session_id(const ctf_writer *w)
{
    return load_le32(w->uuid);
}

/* A packet of the RFC; its content is packed. */
static void rfc_write(ctf_writer *w, output *out, stele_ctf_rfc_header *header,
                      const uint8_t *content, size_t size)
{
    uint8_t bytes[STELE_CTF_RFC_HEADER_SIZE];
    const uint8_t *stored;
    size_t stored_size;
    header->session_id = session_id(w);
    header->packet_count_bits = 32;
    w->status = rfc_pack(&w->packer, header, content, size, &stored, &stored_size);
    if (w->status != STELE_OK)
        return;
    stele_ctf_rfc_header_write(bytes, header);
    output_write(out, bytes, sizeof bytes);
    output_write(out, stored, stored_size);
}

static void packet_end(ctf_writer *w, data_stream *s)
{
    const size_t head = header_size(w);
    if (s->packet.size == 0 || w->status != STELE_OK)
        return;
    if (!w->has_uuid)
        choose_uuid(w);
    if (w->generation == CTF_RFC) {
        stele_ctf_rfc_header header = {.packet_count = (uint32_t)s->packet_count,
                                       .timestamp_begin = s->begin,
                                       .timestamp_end = s->last,
                                       .events_discarded = (uint32_t)s->discarded_before};
        rfc_write(w, s->out, &header, s->packet.bytes + head, s->packet.size - head);
    } else {
        packet_write(w, s);
    }
    s->offset += s->packet.size;
    s->packet_count++;
    s->packet.size = 0;
    if (w->status == STELE_OK)
        w->status = s->out->status;
}

static bool packet_begin(ctf_writer *w, data_stream *s, uint64_t ticks)
{
    if (s->packet.size != 0)
        return true;
    s->begin = s->last = ticks;
    s->discarded_before = s->discarded;
    return byte_run_take(&s->packet, header_size(w)) != NULL;
}

/* The last packet. What was lost after it is given by one more, without events. */
static void stream_end(ctf_writer *w, data_stream *s)
{
    packet_end(w, s);
    if (s->discarded == s->discarded_before || w->status != STELE_OK)
        return;
    if (!packet_begin(w, s, s->last))
        w->status = STELE_ERR_MEMORY;
    packet_end(w, s);
}

/* ---- Streams ---- */

static data_stream *stream_add(ctf_writer *w, unsigned flags)
{
    data_stream *s = &w->streams[w->stream_count];
    s->flags = flags;
    snprintf(s->name, sizeof s->name, "%s_%u", writer_stream_name(flags), w->stream_count);
    w->status = output_add(w->base.out, s->name, &s->out);
    if (w->status != STELE_OK)
        return NULL;
    w->stream_count++;
    return s;
}

/* The last stream of the same flags, when there can be no more; NULL if there is none. */
static data_stream *stream_share(ctf_writer *w, unsigned flags)
{
    for (uint32_t i = w->stream_count; i-- > 0;) {
        if (w->streams[i].flags == flags) {
            writer_lose(&w->base, STELE_KIND_NONE, "stream put together with another one", false,
                        1);
            return &w->streams[i];
        }
    }
    return NULL;
}

/* Where the events of a stream of the source go; NULL if out of memory. */
static source_target *source_find(ctf_writer *w, uint32_t source)
{
    if (source >= w->source_count) {
        source_target *grown = array_reach(w->sources, sizeof *grown, &w->source_count, source);
        if (grown == NULL) {
            w->status = STELE_ERR_MEMORY;
            return NULL;
        }
        w->sources = grown;
    }
    return &w->sources[source];
}

/* Returns NULL if out of memory, or if the output failed (w->status). */
static data_stream *stream_find(ctf_writer *w, source_target *source, unsigned flags)
{
    data_stream *s = NULL;
    if (source->streams[flags] == 0) {
        if (w->stream_count >= STREAMS_MAX - SHAPE_FLAGS)
            s = stream_share(w, flags);
        if (s == NULL)
            s = stream_add(w, flags);
        if (s == NULL)
            return NULL;
        source->streams[flags] = (uint32_t)(s - w->streams) + 1;
    }
    source->recent = source->streams[flags];
    s = &w->streams[source->recent - 1];
    s->discarded += source->lost;
    source->lost = 0;
    return s;
}

/*
 * Counts lost events. They are given by the packet after them: between the end of the one before
 * and its own end (CTF 1.8, 2), or in front of its first event (RFC).
 */
static void count_lost(ctf_writer *w, source_target *source, const stele_event *event)
{
    if (event->value == 0)
        writer_lose(&w->base, STELE_KIND_LOST, "loss of unknown size as one event", false, 1);
    writer_lose(&w->base, STELE_KIND_LOST, "loss as a gap between packets", false, 1);
    source->lost += event->value != 0 ? event->value : 1;
    if (source->recent != 0)
        packet_end(w, &w->streams[source->recent - 1]);
}

/* What was lost after the last event of each stream of the source. */
static void end_sources(ctf_writer *w)
{
    for (size_t i = 0; i < w->source_count && w->status == STELE_OK; i++) {
        source_target *source = &w->sources[i];
        if (source->lost == 0)
            continue;
        if (source->recent == 0) {
            stream_find(w, source, 0);
        } else {
            w->streams[source->recent - 1].discarded += source->lost;
            source->lost = 0;
        }
    }
}

static size_t packet_size_wanted(const ctf_writer *w)
{
    const size_t share = PACKETS_SIZE_MAX / (w->stream_count != 0 ? w->stream_count : 1);
    return share > PACKET_SIZE_MAX   ? PACKET_SIZE_MAX
           : share < PACKET_SIZE_MIN ? PACKET_SIZE_MIN
                                     : share;
}

/* ---- Classes and labels ---- */

/* Classes of events with names of their own, of events that have their names as fields, and of
   those that have all fields as texts, of which there are few. */
#define CLASSES_NAMED  0u
#define CLASSES_SHAPES 1u
#define CLASSES_FLAT   2u

/* Bytes of the keys of each: a byte of them costs some 40 while the metadata is made. */
static const size_t key_size_max[] = {[CLASSES_NAMED] = (size_t)256 << 10,
                                      [CLASSES_SHAPES] = (size_t)128 << 10,
                                      [CLASSES_FLAT] = SIZE_MAX};

#define CLASSES_ANYWAY 16u /* however large they are */

/* The class of the shape's key; CLASS_NONE: there can be no more of these, CLASS_MEMORY. */
static uint32_t class_find(ctf_writer *w, unsigned level)
{
    const char *key = (const char *)w->shape.key.bytes;
    const size_t size = w->shape.key.size;
    const bool has_room =
        w->key_sizes[level] + size <= key_size_max[level] || w->class_count < CLASSES_ANYWAY;
    const uint32_t number =
        has_room ? intern_add(&w->keys, key, size) : intern_find(&w->keys, key, size);
    if (number == INTERN_NONE)
        return has_room ? CLASS_MEMORY : CLASS_NONE;
    w->key_sizes[level] += number >= w->class_count ? size : 0;
    if (number >= w->class_count) { /* 0 is the empty key, which none has */
        if (number >= w->class_capacity) {
            const uint32_t capacity = number * 2 + 64;
            writer_class *grown = realloc(w->classes, capacity * sizeof *grown);
            if (grown == NULL)
                return CLASS_MEMORY;
            w->classes = grown;
            w->class_capacity = capacity;
        }
        w->class_count = number + 1;
        w->classes[number] =
            (writer_class){.id = w->id_counts[shape_key_flags(w->shape.key.bytes)]++,
                           .slot_count = w->shape.slot_count};
        if (w->slots_max < w->shape.slot_count)
            w->slots_max = w->shape.slot_count;
    }
    return number;
}

/* Shapes the event and gives its class: by name, else by shape, else the one of its kind. */
static uint32_t class_choose(ctf_writer *w, const stele_batch *batch, const stele_event *event,
                             unsigned *flags)
{
    const shape_context context = w->shape.context;
    const unsigned own_flags = *flags;
    uint32_t number = CLASS_NONE;
    const unsigned first = (event->name & STELE_NAME_LOCAL) != 0 ? CLASSES_SHAPES : CLASSES_NAMED;
    for (unsigned level = first; level <= CLASSES_FLAT && number == CLASS_NONE; level++) {
        w->shape.names_are_fields = level != CLASSES_NAMED;
        w->shape.is_flat = level == CLASSES_FLAT;
        w->shape.context = context;
        *flags = own_flags;
        if (!shape_event(&w->shape, batch, event, flags))
            return CLASS_MEMORY;
        if (!w->shape.has_unknown_name || level == CLASSES_FLAT)
            number = class_find(w, level);
    }
    shape_count_losses(&w->shape);
    return number;
}

#define LABELS_SIZE_MAX ((size_t)2 << 20)

static bool label_add(ctf_writer *w, const writer_label *label)
{
    const uint32_t known = w->label_keys.count;
    uint8_t key[20];
    store_le32(key, label->class_number);
    store_le32(key + 4, label->slot);
    store_le64(key + 8, label->value);
    store_le32(key + 16, label->name);
    if (intern_add(&w->label_keys, (const char *)key, sizeof key) == INTERN_NONE) {
        writer_lose(&w->base, STELE_KIND_NONE, "label beyond 2 MiB of them", true, 1);
        return true;
    }
    if (w->label_keys.count == known)
        return true;
    if (w->label_count == w->label_capacity) {
        writer_label *grown = array_grow(w->labels, sizeof *grown, &w->label_capacity, 64);
        if (grown == NULL)
            return false;
        w->labels = grown;
    }
    w->labels[w->label_count++] = *label;
    return true;
}

static bool labels_add(ctf_writer *w, uint32_t class_number)
{
    for (uint32_t i = 0; i < w->shape.label_count; i++) {
        const shape_label *from = &w->shape.labels[i];
        const writer_label label = {class_number, from->slot, from->value, from->name,
                                    w->event_number};
        if (!label_add(w, &label))
            return false;
    }
    return true;
}

/* ---- Events ---- */

/* The number of a track in the trace that is made: those that it is below come first. 0: none, or
   memory (w->status). */
static uint32_t track_number(void *user, uint32_t track)
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
        track_number(w, known->parent);
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

/* What tells the thread or CPU of an event: SHAPE_... */
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
        writer_lose(&w->base, (stele_kind)event->kind, "track that is no thread or CPU", true, 1);
        return flags;
    }
}

/* What stands in front of an event's fields: SHAPE_... */
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

/* Ends count from the clock's origin when they are read. */
static void judge_end(ctf_writer *w, const stele_event *event)
{
    const int64_t offset = w->clock.has_wall ? w->clock.wall_ns : 0;
    int64_t sum;
    if (event->kind == STELE_KIND_COMPLETE &&
        __builtin_add_overflow((int64_t)event->id, offset, &sum))
        time_lose(w, event, "time beyond 64 bits of nanoseconds");
}

/* What the track and the event itself say; context fields may know better. */
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
    w->shape.context.track = track_number(w, event->track);
    if ((flags & SHAPE_CPU) != 0 && !has_cpu)
        w->shape.context.track |= SPAN_TRACK_IS_CPU;
}

#define PROCNAME_SIZE_MAX 63u

/* Up to a zero, and so long. */
static void put_procname(const ctf_writer *w, data_stream *s, stele_name name)
{
    const stele_text text = stele_name_text(w->base.context, NULL, name);
    const size_t most = text.size < PROCNAME_SIZE_MAX ? text.size : PROCNAME_SIZE_MAX;
    const char *zero = most != 0 ? memchr(text.bytes, 0, most) : NULL;
    const size_t size = zero != NULL ? (size_t)(zero - text.bytes) : most;
    uint8_t *at = byte_run_take(&s->packet, size + 1);
    if (at == NULL)
        return;
    memcpy(at, text.bytes, size);
    at[size] = 0;
}

/* Track, process and thread, CPU. */
static void put_context(const ctf_writer *w, data_stream *s, const shape_context *context)
{
    uint8_t *at;
    if ((s->flags & SHAPE_TRACK) != 0 && (at = byte_run_take(&s->packet, 4)) != NULL)
        store_le32(at, context->track);
    if ((s->flags & SHAPE_THREAD) != 0 && (at = byte_run_take(&s->packet, 16)) != NULL) {
        store_le64(at, context->pid);
        store_le64(at + 8, context->tid);
        if (w->generation != CTF_RFC)
            put_procname(w, s, context->name);
    }
    if ((s->flags & SHAPE_CPU) != 0 && (at = byte_run_take(&s->packet, 2)) != NULL)
        store_le16(at, context->cpu);
}

/* Header, context and fields of an event, whose shape is made. */
static void put_event(ctf_writer *w, data_stream *s, uint64_t ticks, uint32_t class_number)
{
    uint8_t *at;
    if (!packet_begin(w, s, ticks) ||
        !writer_event_header(&s->packet, w->generation, &w->layout, w->classes[class_number].id,
                             ticks, s->last)) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    s->last = ticks;
    put_context(w, s, &w->shape.context);
    at = byte_run_take(&s->packet, w->shape.value.size);
    if (at != NULL && w->shape.value.size != 0)
        memcpy(at, w->shape.value.bytes, w->shape.value.size);
    if (s->packet.is_lost)
        w->status = STELE_ERR_MEMORY;
    else if (s->packet.size >= packet_size_wanted(w))
        packet_end(w, s);
}

static void write_event(ctf_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_track *track;
    unsigned flags;
    source_target *source = source_find(w, batch->stream);
    data_stream *s;
    uint32_t class_number;
    if (source == NULL)
        return;
    if (!w->has_begun)
        begin(w, batch, event);
    if (event->kind == STELE_KIND_LOST) {
        count_lost(w, source, event);
        return;
    }
    if ((event->flags & STELE_FLAG_DAMAGED) != 0 && !w->shape.is_marked)
        writer_lose(&w->base, (stele_kind)event->kind, "mark of damage", true, 1);
    w->event_number++;
    flags = event_flags(w, event, &track);
    find_context(w, event, track, flags);
    judge_end(w, event);
    class_number = class_choose(w, batch, event, &flags);
    if (w->status != STELE_OK)
        return;
    if (class_number >= CLASS_NONE || !labels_add(w, class_number)) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    s = stream_find(w, source, flags);
    if (s != NULL)
        put_event(w, s, event_ticks(w, s, event), class_number);
}

/* Members of packets' heads that are made anew: what they say is in the events or in the files. */
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

static stele_status ctf_write(stele_writer *self, const stele_segment *segment)
{
    ctf_writer *w = (ctf_writer *)self;
    lose_context(w, segment->batch);
    for (uint32_t i = 0; w->status == STELE_OK && i < segment->count; i++)
        write_event(w, segment->batch, &segment->batch->events[segment->first + i]);
    return w->status;
}

/* ---- The end ---- */

static int label_compare(const void *a, const void *b)
{
    const writer_label *x = a, *y = b;
    if (x->class_number != y->class_number)
        return x->class_number < y->class_number ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* The label as a mapping of one value. */
static bool make_mapping(ctf_writer *w, ctf_schema *schema, const writer_label *label,
                         ctf_mapping *mapping)
{
    const stele_text text = stele_name_text(w->base.context, NULL, label->name);
    ctf_range *range = schema_take(schema, 1, sizeof *range);
    if (range == NULL)
        return false;
    if (w->generation == CTF_2 && !shape_is_utf8(text))
        writer_lose(&w->base, STELE_KIND_NONE, "label that is no UTF-8", false, 1);
    *range = (ctf_range){label->value, label->value, false};
    mapping->name = schema_text(schema, text.bytes, text.size);
    mapping->ranges = range;
    mapping->range_count = 1;
    return mapping->name.bytes != NULL;
}

/* Whether the labels, all of one value, are of several events: each event of this value will have
   all of them. */
static bool labels_differ(const writer_label *labels, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (labels[i].value == labels[i - 1].value &&
            labels[i].event_number != labels[i - 1].event_number)
            return true;
    return false;
}

/* The mappings of a class, slot by slot; `*next` is stepped over its labels. */
static bool make_enums(ctf_writer *w, ctf_schema *schema, uint32_t class_number, uint32_t *next,
                       shape_enum *enums)
{
    memset(enums, 0, w->classes[class_number].slot_count * sizeof *enums);
    while (*next < w->label_count && w->labels[*next].class_number == class_number) {
        const uint32_t slot = w->labels[*next].slot;
        ctf_mapping *mappings;
        uint32_t count = 0;
        while (*next + count < w->label_count &&
               w->labels[*next + count].class_number == class_number &&
               w->labels[*next + count].slot == slot)
            count++;
        mappings = schema_take(schema, count, sizeof *mappings);
        if (mappings == NULL)
            return false;
        if (labels_differ(&w->labels[*next], count))
            writer_lose(&w->base, STELE_KIND_NONE, "values with other labels at other times", false,
                        1);
        for (uint32_t i = 0; i < count; i++)
            if (!make_mapping(w, schema, &w->labels[*next + i], &mappings[i]))
                return false;
        enums[slot] = (shape_enum){mappings, count};
        *next += count;
    }
    return true;
}

/* What the fields of a class were: see schema/marks.h. */
static bool add_marks(ctf_schema *schema, const ctf_stream_class *stream,
                      const ctf_event_class *event, byte_run *marks)
{
    char name[64];
    if (marks->size == 0)
        return true;
    snprintf(name, sizeof name, MARKS_ENV "%" PRIu64 "_%" PRIu64, stream->id, event->id);
    return byte_run_take(marks, 1) != NULL && (marks->bytes[marks->size - 1] = 0) == 0 &&
           writer_schema_env(schema, name, (const char *)marks->bytes, 0);
}

static bool make_event(ctf_writer *w, ctf_schema *schema, ctf_stream_class *stream,
                       uint32_t class_number, const shape_enum *enums, byte_run *marks)
{
    const uint8_t *key = (const uint8_t *)w->keys.entries[class_number].bytes;
    ctf_event_class *event = schema_add_event(stream);
    if (event == NULL)
        return false;
    event->id = w->classes[class_number].id;
    return shape_class(&w->shape, key, schema, enums, event, marks) &&
           add_marks(schema, stream, event, marks);
}

static bool make_events(ctf_writer *w, ctf_schema *schema, ctf_stream_class *const *streams)
{
    shape_enum *enums = calloc((size_t)w->slots_max + 1, sizeof *enums);
    byte_run marks = {0};
    uint32_t next = 0;
    bool is_ok = enums != NULL;
    if (w->label_count != 0)
        qsort(w->labels, w->label_count, sizeof *w->labels, label_compare);
    for (uint32_t i = 1; i < w->class_count && is_ok; i++) {
        ctf_stream_class *stream =
            streams[shape_key_flags((const uint8_t *)w->keys.entries[i].bytes)];
        is_ok = make_enums(w, schema, i, &next, enums);
        if (is_ok && stream != NULL)
            is_ok = make_event(w, schema, stream, i, enums, &marks);
    }
    free(marks.bytes);
    free(enums);
    return is_ok;
}

#define TRACK_TEXT_SIZE 512

/* Each track as an entry of the environment: see spans.h. Returns false if out of memory. */
static bool make_tracks(ctf_writer *w, ctf_schema *schema)
{
    char key[32], text[TRACK_TEXT_SIZE];
    bool is_ok = true;
    for (uint32_t i = 0; i < w->track_count && is_ok; i++) {
        const stele_track *track = stele_track_get(w->base.context, w->tracks[i]);
        const stele_text name = stele_name_text(w->base.context, NULL, track->name);
        size_t used, taken;
        snprintf(key, sizeof key, SPAN_TRACK "%" PRIu32, i + 1);
        snprintf(text, sizeof text, "%s %" PRIu64 " %" PRIu32 "%s",
                 stele_track_kind_text(track->kind), track->number,
                 track->parent != 0 ? w->track_numbers[track->parent] : 0,
                 name.size != 0 ? " " : "");
        used = strlen(text);
        used += marks_escape(text + used, sizeof text - 1 - used, name.bytes, name.size, &taken);
        text[used] = 0;
        if (taken < name.size)
            writer_lose(&w->base, STELE_KIND_NONE, "end of a long name of a track", true, 1);
        is_ok = writer_schema_env(schema, key, text, 0);
    }
    return is_ok && (!w->shape.has_function || writer_schema_env(schema, "domain", "ust", 0));
}

static bool make_schema(ctf_writer *w, ctf_schema *schema)
{
    ctf_stream_class *streams[SHAPE_FLAGS] = {NULL};
    bool has[SHAPE_FLAGS] = {false};
    for (uint32_t i = 0; i < w->stream_count; i++)
        has[w->streams[i].flags] = true;
    if (w->stream_count == 0 && w->generation == CTF_2)
        has[0] = true; /* it asks for a data stream class at least */
    return writer_schema_make(schema, w->generation, &w->layout, w->uuid, &w->clock, w->base_ns,
                              has, streams) &&
           (w->generation == CTF_RFC || make_tracks(w, schema)) && make_events(w, schema, streams);
}

/* What the generation's metadata cannot say is lost by a name of its own. */
static void lose_metadata(void *user, ctf_text where, const char *what)
{
    ctf_writer *w = user;
    (void)where;
    writer_lose(&w->base, STELE_KIND_NONE, what, false, 1);
}

/* Packets of the RFC hold one text each. */
static void rfc_metadata_write(ctf_writer *w, schema_printer *printer, output *out)
{
    stele_ctf_rfc_header header = {.is_big_endian = false};
    const uint8_t encryption = w->packer.encryption;
    const uint8_t *bytes;
    size_t size;
    w->status = output_open_memory(&w->base.context->diag, &printer->out);
    if (w->status != STELE_OK)
        return;
    print_rfc(printer);
    output_byte(printer->out, 0);
    bytes = output_memory(printer->out, &size);
    w->status = printer->out->status;
    w->packer.encryption = STELE_CTF_RFC_NO_ENCRYPTION; /* types can be read without the key */
    if (w->status == STELE_OK)
        rfc_write(w, out, &header, bytes, size);
    w->packer.encryption = encryption;
    output_close(printer->out);
}

static void metadata_write(ctf_writer *w, const ctf_schema *schema, output *out)
{
    schema_printer printer = {.out = out, .schema = schema, .lose = lose_metadata, .user = w};
    switch (w->generation) {
    case CTF_1: print_tsdl(&printer); break;
    case CTF_2: print_json(&printer); break;
    case CTF_RFC: rfc_metadata_write(w, &printer, out); break;
    }
}

static void finish_metadata(ctf_writer *w)
{
    ctf_schema schema = {0};
    output *out;
    w->status =
        make_schema(w, &schema) ? output_add(w->base.out, "metadata", &out) : STELE_ERR_MEMORY;
    if (w->status == STELE_OK) {
        metadata_write(w, &schema, out);
        if (w->status == STELE_OK)
            w->status = out->status;
    }
    schema_free(&schema);
}

/* Tracks that no event is on, but that have a name, go after the others. */
static void number_tracks(ctf_writer *w)
{
    const stele_track *first =
        w->track_count != 0 ? stele_track_get(w->base.context, w->tracks[0]) : NULL;
    bool has_others = false;
    for (uint32_t i = 1; first != NULL && i <= stele_track_count(w->base.context); i++) {
        const stele_track *track = stele_track_get(w->base.context, i);
        if (track->source != first->source)
            has_others |= i < w->number_count && w->track_numbers[i] != 0;
        else if (track->name != 0 && track->kind != STELE_TRACK_STREAM)
            track_number(w, i);
    }
    if (has_others)
        writer_lose(&w->base, STELE_KIND_NONE, "tracks of several traces as those of one", false,
                    1);
}

/* Processes and threads have numbers only. */
static void lose_tracks(ctf_writer *w)
{
    if (w->shape.is_marked) {
        number_tracks(w);
        return;
    }
    for (uint32_t i = 1; i <= stele_track_count(w->base.context); i++) {
        const stele_track *track = stele_track_get(w->base.context, i);
        if (track != NULL && track->name != 0 && track->kind != STELE_TRACK_STREAM)
            writer_lose(&w->base, STELE_KIND_NONE, "name of a track", true, 1);
    }
}

static stele_status ctf_finish(stele_writer *self)
{
    ctf_writer *w = (ctf_writer *)self;
    lose_tracks(w);
    end_sources(w);
    for (uint32_t i = 0; i < w->stream_count; i++)
        stream_end(w, &w->streams[i]);
    if (w->status == STELE_OK)
        finish_metadata(w);
    for (uint32_t i = 0; i < w->stream_count && w->generation != CTF_RFC; i++)
        if (w->status == STELE_OK)
            index_write(w, &w->streams[i]);
    return w->status;
}

static void ctf_close(stele_writer *self)
{
    ctf_writer *w = (ctf_writer *)self;
    for (uint32_t i = 0; i < w->stream_count; i++) {
        free(w->streams[i].packet.bytes);
        free(w->streams[i].index.bytes);
    }
    free(w->streams);
    free(w->sources);
    free(w->classes);
    free(w->track_numbers);
    free(w->tracks);
    free(w->labels);
    intern_free(&w->keys);
    intern_free(&w->label_keys);
    shape_free(&w->shape);
    rfc_packer_free(&w->packer);
    free(w);
}

/* ---- Opening ---- */

static stele_status refuse(stele_context *context, const char *expected, const char *what,
                           const char *value)
{
    diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected, "%s '%s'",
                what, value);
    return STELE_ERR_ARGUMENT;
}

static stele_status key_read(stele_context *context, const char *path, rfc_packer *packer)
{
    if (!rfc_key_read(path, packer->key, &packer->key_size))
        return refuse(context, "a file of 16, 24 or 32 bytes", "key file", path);
    packer->encryption = STELE_CTF_RFC_AES;
    return STELE_OK;
}

/* What the RFC offers a choice of, each by a setting. */
static stele_status setting_take(stele_context *context, const stele_setting *setting,
                                 rfc_packer *packer, rfc_layout *layout)
{
    static const struct {
        const char *key, *expected, *words[5];
    } choices[] = {{"compress", "bzip2 or gzip", {"none", "bzip2", "gzip", NULL}},
                   {"checksum", "md5, sha1 or crc32", {"none", "md5", "sha1", "crc32", NULL}},
                   {"event-header", "type1 or type2", {"type1", "type2", NULL}},
                   {"header-alignment",
                    "natural64, natural32 or packed",
                    {"natural64", "natural32", "packed", NULL}}};
    uint8_t *const values[] = {&packer->compression, &packer->checksum, &layout->event_header,
                               &layout->packing};
    uint8_t number = 0;
    size_t i = 0;
    if (strcmp(setting->key, "to-key-file") == 0)
        return key_read(context, setting->value, packer);
    while (i < sizeof choices / sizeof *choices && strcmp(setting->key, choices[i].key) != 0)
        i++;
    if (i == sizeof choices / sizeof *choices)
        return refuse(context, "compress, checksum, event-header, header-alignment or to-key-file",
                      "setting", setting->key);
    while (choices[i].words[number] != NULL &&
           strcmp(choices[i].words[number], setting->value) != 0)
        number++;
    if (choices[i].words[number] == NULL)
        return refuse(context, choices[i].expected, setting->key, setting->value);
    *values[i] = number;
    return STELE_OK;
}

static stele_status settings_take(stele_context *context, const stele_writer_options *options,
                                  ctf_generation generation, rfc_packer *packer, rfc_layout *layout)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; i < options->setting_count && status == STELE_OK; i++)
        status = setting_take(context, &options->settings[i], packer, layout);
    if (status == STELE_OK && options->setting_count != 0 && generation != CTF_RFC)
        return refuse(context, "the version rfc, which alone has such settings", "setting",
                      options->settings[0].key);
    if (status == STELE_OK && !rfc_packer_is_possible(packer))
        return refuse(context, "a build with libbz2 and libcrypto", "setting",
                      options->settings[0].key);
    return status;
}

stele_status ctf_writer_open(stele_context *context, output *out,
                             const stele_writer_options *options, stele_writer **writer)
{
    static const writer_ops ops = {ctf_write, ctf_finish, ctf_close};
    ctf_writer *w;
    rfc_packer packer = {.key_size = 0};
    rfc_layout layout = {.event_header = RFC_TYPE_2, .packing = STELE_CTF_NATURAL_64};
    ctf_generation generation;
    stele_status status;
    *writer = NULL;
    if (!ctf_version_find(options->version, &generation))
        return refuse(context, "1.8, 2 or rfc", "version", options->version);
    status = settings_take(context, options, generation, &packer, &layout);
    if (status != STELE_OK)
        return status;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base = (stele_writer){.ops = &ops, .context = context, .out = out};
    w->generation = generation;
    w->packer = packer;
    w->layout = layout;
    w->shape.is_marked = generation != CTF_RFC;
    w->shape.track_number = track_number;
    w->shape.user = w;
    w->streams = calloc(STREAMS_MAX, sizeof *w->streams);
    if (w->streams == NULL || !intern_init(&w->keys, SIZE_MAX) ||
        !intern_init(&w->label_keys, LABELS_SIZE_MAX) || !shape_open(&w->shape, &w->base)) {
        ctf_close(&w->base);
        return STELE_ERR_MEMORY;
    }
    *writer = &w->base;
    return STELE_OK;
}
