/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies packets of which all events are kept byte by byte, and cuts those of which some are
 * (copy_cut.h). Of packets of which nothing is kept:
 *
 *     before the first one that is kept     left out; but if that one has a counter of discarded
 *                                           events, the head of the one before it stays, for the
 *                                           counter to count from
 *     between those that are kept           left out, unless packets are numbered: then the head
 *                                           stays, since a gap would mean that packets are lost
 *     after the last one                   left out
 *
 * So what is read as lost was lost when the trace was recorded. Packets without events are copied
 * where nothing is left out beside them. Where the caller keeps everything, packets that cannot be
 * unpacked here (a key or a library is missing) are copied, too: nothing has to be understood of
 * them. What is open where the copy begins is begun there (copy_begins.h), in front of the first
 * event that is kept of its stream. A stream whose times count from the events before cannot be
 * cut: it is copied as it is, with a note.
 */
#include "formats/ctf/write/copy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/ctf/read/walk.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"
#include "formats/ctf/write/copy_metadata.h"
#include "model/batch.h"

#define SCAN_EVENTS 256u
#define FILES_OPEN  16u /* outputs of one stream; beyond, those that are complete are closed */
#define NOT_SCANNED UINT64_MAX

typedef struct file_copy {
    output *out;
    index_copy *index;
} file_copy;

/* Where a packet is: file, offset. */
typedef struct packet_place {
    uint32_t file;
    uint64_t offset;
} packet_place;

typedef struct ctf_copier {
    copier base;
    ctf_trace *trace;
    output *out;
    diag_sink told;      /* where findings go; what the reader tells is not told again */
    stele_status status; /* the first error: nothing can go on after it */
    file_copy *files;
    bool *is_done;                           /* by stream */
    bool is_part;                            /* something was left out */
    int64_t shift_ns;                        /* of the times of all events that are kept */
    ctf_programs **programs, **cut_programs; /* by subtrace */
    stele_batch *batch;
    ctf_content content;
    ctf_begins begins; /* of what is open where the copy begins */
    /* The stream */
    const ctf_stream *stream; /* NULL: between streams */
    ctf_decoder *decoder;
    ctf_walk walk;
    ctf_cut cut;
    const begin_record *begun; /* that go before the first event that is kept */
    uint32_t begun_count;
    bool has_kept; /* a packet was kept */
    bool is_last;  /* none will be */
    bool is_gap;   /* before the first packet that is kept, something is left out */
    bool is_head_wanted;
    packet_place head;   /* of the last packet before the first one that is kept */
    bool was_copied;     /* the last packet that was no repetition */
    unsigned time_bits;  /* see copy_times_differ() */
    uint64_t last_ticks; /* of the last event that was kept */
    uint64_t extra_count, whole_count, missing_count, sealed_count;
    uint64_t whole_at; /* the first packet that had to be copied as it is */
    uint32_t whole_file;
    uint64_t sealed_at; /* the first one that was copied although it cannot be unpacked */
    uint32_t sealed_file;
    /* The packet */
    const ctf_packet *packet; /* NULL: between packets */
    bool is_wanted;
    uint32_t batch_at;
    decode_outcome outcome;
    byte_buffer bits; /* of its events that are kept */
    uint64_t seen_count, kept_count;
    uint64_t last_offset;
    bool is_doubtful; /* of events that share a byte one is kept and one is not */
} ctf_copier;

static uint32_t current_file(const ctf_copier *c)
{
    return (uint32_t)(c->walk.current->file - c->trace->files);
}

/* ---- The events of a packet ---- */

static void scan_reset(ctf_copier *c)
{
    stele_batch_clear(c->batch);
    c->outcome = DECODE_OK;
    c->bits.size = 0;
    c->batch_at = 0;
    c->kept_count = 0;
    c->seen_count = NOT_SCANNED;
    c->is_wanted = c->is_doubtful = false;
    c->content.unpacker.is_damaged = c->content.is_sealed = false;
}

static stele_status scan_begin(ctf_copier *c)
{
    stele_status status;
    c->seen_count = 0;
    status = content_enter(&c->content, &c->walk.current->packets, &c->walk.current->w, c->packet,
                           c->decoder);
    if (status == STELE_ERR_FORMAT)
        c->outcome = DECODE_BAD;
    return status == STELE_ERR_FORMAT ? STELE_OK : status;
}

/* STELE_END: there is none. */
static stele_status scan_next(ctf_copier *c, const stele_event **event)
{
    const stele_status status = c->seen_count == NOT_SCANNED ? scan_begin(c) : STELE_OK;
    if (status != STELE_OK)
        return status;
    while (c->batch_at == c->batch->event_count) {
        if (c->outcome != DECODE_OK)
            return STELE_END;
        stele_batch_clear(c->batch);
        c->batch_at = 0;
        c->outcome = content_events(&c->content, c->batch);
        if (c->outcome == DECODE_MEMORY)
            return STELE_ERR_MEMORY;
        if (c->walk.current->w.status != STELE_OK)
            return c->walk.current->w.status;
    }
    *event = &c->batch->events[c->batch_at++];
    return STELE_OK;
}

/* Notes whether the event is kept. */
static bool scan_mark(ctf_copier *c, uint64_t offset, bool is_kept)
{
    const uint64_t number = c->seen_count++;
    if (number % 8 == 0) {
        uint8_t *more = byte_buffer_take(&c->bits, 1);
        if (more == NULL)
            return false;
        *more = 0;
    }
    if (is_kept)
        c->bits.bytes[number / 8] |= (uint8_t)(1u << number % 8);
    if (number != 0 && c->last_offset == offset)
        c->is_doubtful |=
            is_kept != ((c->bits.bytes[(number - 1) / 8] >> (number - 1) % 8 & 1) != 0);
    c->kept_count += is_kept;
    c->last_offset = offset;
    return true;
}

/* Goes on to the event at an offset, which is kept. */
static stele_status scan_to(ctf_copier *c, uint64_t offset)
{
    const stele_event *event = NULL;
    stele_status status;
    do {
        status = scan_next(c, &event);
        if (status == STELE_END) {
            c->missing_count++;
            return STELE_OK;
        }
        if (status == STELE_OK && !scan_mark(c, event->offset, event->offset == offset))
            status = STELE_ERR_MEMORY;
    } while (status == STELE_OK && event->offset != offset);
    return status;
}

static stele_status scan_rest(ctf_copier *c)
{
    const stele_event *event = NULL;
    stele_status status;
    while ((status = scan_next(c, &event)) == STELE_OK)
        if (!scan_mark(c, event->offset, false))
            return STELE_ERR_MEMORY;
    return status == STELE_END ? STELE_OK : status;
}

/* ---- Files ---- */

static void file_seal(file_copy *file)
{
    if (file->out != NULL)
        output_seal(file->out);
    index_copy_close(file->index);
    file->index = NULL;
}

static bool is_open_file(const ctf_walk *walk, const ctf_file *file)
{
    for (uint32_t i = 0; i < walk->open_count; i++)
        if (walk->open[i]->file == file)
            return true;
    return false;
}

/* Closes the files of the stream whose packets have all been seen, or all. */
static void seal_files(ctf_copier *c, bool all)
{
    for (uint32_t i = 0; i < c->stream->file_count; i++) {
        const uint32_t number = c->stream->files[i];
        if (all || !is_open_file(&c->walk, &c->trace->files[number]))
            file_seal(&c->files[number]);
    }
}

static stele_status open_file(ctf_copier *c, file_copy **opened)
{
    const uint32_t number = current_file(c);
    const ctf_file *file = &c->trace->files[number];
    stele_status status = STELE_OK;
    *opened = &c->files[number];
    if ((*opened)->out != NULL)
        return STELE_OK;
    if (c->stream->file_count > FILES_OPEN)
        seal_files(c, false);
    status = copy_add(c->out, c->base.folder, file->name, &(*opened)->out);
    if (status == STELE_OK)
        status = index_copy_open(c->trace, file, c->out, c->base.folder, &(*opened)->index);
    return status;
}

static stele_status copy_range(window *w, uint64_t offset, uint64_t size, output *out)
{
    window_move(w, offset, UINT64_MAX);
    while (size != 0) {
        size_t loaded = window_need(w, 1);
        if (loaded == 0)
            break;
        if (loaded > size)
            loaded = (size_t)size;
        output_write(out, w->at, loaded);
        size -= loaded;
        if (!window_skip(w, loaded))
            break;
    }
    return w->status != STELE_OK ? w->status : out->status;
}

/* ---- Packets ---- */

static stele_status copy_whole(ctf_copier *c)
{
    const ctf_packet *packet = c->packet;
    copied_packet made = {.size = packet->size,
                          .content_bits = packet->content_bits,
                          .begin_ticks = packet->head.begin_ticks,
                          .end_ticks = packet->head.end_ticks,
                          .discarded = packet->head.discarded};
    file_copy *file;
    stele_status status = open_file(c, &file);
    if (status != STELE_OK)
        return status;
    made.offset = output_offset(file->out);
    status = copy_range(&c->walk.current->w, packet->offset, packet->size, file->out);
    if (status == STELE_OK && file->index != NULL)
        status = index_copy_add(file->index, packet, &made);
    return status;
}

/* Writes the events that are marked, or only the head, with what is open before them.
   STELE_ERR_UNSUPPORTED: as cut_write(). */
static stele_status copy_cut(ctf_copier *c, uint32_t begun_count)
{
    const bool is_scanned = c->seen_count != NOT_SCANNED;
    const cut_packet from = {.w = &c->walk.current->w,
                             .packets = &c->walk.current->packets,
                             .packet = c->packet,
                             .kept = c->bits.bytes,
                             .count = is_scanned ? c->seen_count : 0,
                             .begins = &c->begins,
                             .begun = c->begun,
                             .begun_count = begun_count,
                             .is_alone = begun_count != 0 && !is_scanned};
    copied_packet made;
    file_copy *file;
    stele_status status = open_file(c, &file);
    if (status == STELE_OK)
        status = cut_write(&c->cut, &from, file->out, &made);
    if (status == STELE_OK && file->index != NULL)
        status = index_copy_add(file->index, c->packet, &made);
    return status == STELE_OK ? file->out->status : status;
}

/* A packet with events that cannot be taken out of it. */
static stele_status copy_with_others(ctf_copier *c)
{
    if (c->whole_count++ == 0) {
        c->whole_at = c->packet->offset;
        c->whole_file = current_file(c);
    }
    c->extra_count += c->seen_count - c->kept_count;
    return copy_whole(c);
}

/* Writes the packet at hand with what is open before it. STELE_ERR_UNSUPPORTED: it cannot be, and
   is to be written without. */
static stele_status copy_begun(ctf_copier *c)
{
    const uint32_t count = c->begun_count;
    stele_status status = STELE_ERR_UNSUPPORTED;
    c->begun_count = 0;
    if (count != 0 && !c->is_doubtful && !cut_counts_on(&c->cut, &c->packet->head))
        status = copy_cut(c, count);
    if (status == STELE_OK)
        begins_settle(&c->begins, c->stream->number);
    return status;
}

static stele_status settle_kept(ctf_copier *c)
{
    stele_status status = scan_rest(c);
    const bool is_whole = c->kept_count == c->seen_count && c->outcome == DECODE_END &&
                          !c->packet->is_cut && !c->packet->is_resized &&
                          !c->content.unpacker.is_damaged;
    c->has_kept = true;
    c->was_copied = false;
    if (status == STELE_OK)
        status = copy_begun(c);
    else
        return status;
    if (status != STELE_ERR_UNSUPPORTED) {
        c->is_part = true;
        return status;
    }
    c->was_copied = is_whole;
    if (is_whole)
        return copy_whole(c);
    c->is_part = true;
    status = c->is_doubtful || cut_counts_on(&c->cut, &c->packet->head) ? STELE_ERR_UNSUPPORTED
                                                                        : copy_cut(c, 0);
    return status == STELE_ERR_UNSUPPORTED ? copy_with_others(c) : status;
}

static stele_status is_empty_packet(ctf_copier *c, bool *is_empty)
{
    const ctf_packet *packet = c->packet;
    stele_status status = STELE_OK;
    *is_empty = packet->content_bits <= packet->head.events_at && !packet->is_cut;
    if (!*is_empty && c->walk.current->packets.subtrace->schema.generation == CTF_RFC) {
        status = scan_rest(c); /* nothing, packed, is something */
        *is_empty = c->seen_count == 0 && c->outcome == DECODE_END && !packet->is_cut;
    }
    return status;
}

/* Of a packet that was scanned: whether it stays because only unpacking it failed. */
static bool stays_sealed(const ctf_copier *c)
{
    return c->base.keeps_all && c->content.is_sealed && !c->packet->is_cut;
}

static stele_status copy_sealed(ctf_copier *c)
{
    if (c->sealed_count++ == 0) {
        c->sealed_at = c->packet->offset;
        c->sealed_file = current_file(c);
    }
    c->has_kept = c->was_copied = true;
    return copy_whole(c);
}

/* Of a packet of which nothing is kept. */
static stele_status settle_left(ctf_copier *c)
{
    const bool is_numbered = (c->packet->head.has & CTF_ROLE_SEQUENCE_NUMBER) != 0;
    bool is_empty;
    stele_status status = is_empty_packet(c, &is_empty);
    if (status != STELE_OK)
        return status;
    if (stays_sealed(c))
        return copy_sealed(c);
    c->was_copied = is_empty && (c->has_kept || !c->is_gap);
    if (c->was_copied)
        return copy_whole(c);
    if (!c->cut.is_possible || cut_counts_on(&c->cut, &c->packet->head)) {
        status = scan_rest(c);
        return status == STELE_OK ? copy_with_others(c) : status;
    }
    c->is_part = true;
    c->bits.size = 0;
    c->seen_count = NOT_SCANNED;
    if (c->has_kept ? is_numbered
                    : c->is_head_wanted && c->head.offset == c->packet->offset &&
                          c->head.file == current_file(c))
        status = copy_cut(c, 0);
    return status == STELE_ERR_UNSUPPORTED ? STELE_OK : status;
}

/* What is left of the packet at hand is decided now. */
static stele_status settle(ctf_copier *c)
{
    stele_status status = STELE_OK;
    if (c->walk.is_repeat) {
        if (c->was_copied)
            status = copy_whole(c);
    } else if (c->is_wanted) {
        status = settle_kept(c);
    } else {
        status = settle_left(c);
    }
    c->packet = NULL;
    return status;
}

/* ---- Streams ---- */

static stele_status programs_get(const ctf_copier *c, ctf_programs **programs, uint32_t columns)
{
    const ctf_subtrace *subtrace = &c->trace->subtraces[c->stream->subtrace];
    ctf_programs **own = &programs[subtrace->number];
    if (*own == NULL)
        *own = programs_new(&subtrace->schema, c->trace->base.context, c->trace->base.info.number,
                            columns);
    return *own != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status walk_begin(ctf_copier *c)
{
    const walk_options options = {.window_size = c->trace->base.context->limits.window_size,
                                  .begin_ns = INT64_MIN,
                                  .end_ns = INT64_MAX,
                                  .repeats = true};
    ctf_walk_close(&c->walk);
    return ctf_walk_open(&c->walk, c->trace, c->stream, c->programs[c->stream->subtrace],
                         c->decoder, &options);
}

static stele_status walk_next(ctf_copier *c)
{
    const stele_status status = ctf_walk_next(&c->walk, &c->packet);
    if (status != STELE_OK)
        c->packet = NULL;
    scan_reset(c);
    return status;
}

static bool is_at(const ctf_copier *c, const packet_place *place)
{
    return c->packet != NULL && place != NULL && current_file(c) == place->file &&
           c->packet->offset >= place->offset;
}

/* Learns what stands before the first packet that is kept (NULL: before the end). */
static stele_status learn_lead(ctf_copier *c, const packet_place *first)
{
    stele_status status = walk_begin(c);
    c->is_gap = c->is_head_wanted = false;
    while (status == STELE_OK && (status = walk_next(c)) == STELE_OK && !is_at(c, first)) {
        bool is_empty = c->walk.is_repeat;
        if (!is_empty)
            status = is_empty_packet(c, &is_empty);
        c->is_gap |= !is_empty && !stays_sealed(c);
        c->head = (packet_place){current_file(c), c->packet->offset};
    }
    if (status == STELE_OK)
        c->is_head_wanted = c->is_gap && (c->packet->head.has & CTF_ROLE_DISCARDED) != 0 &&
                            c->packet->head.discarded != 0;
    c->packet = NULL;
    return status == STELE_END ? STELE_OK : status;
}

/* Of a stream of which nothing is kept: what is open gets a packet of its own, with the head of the
   last one that has events of it. */
static stele_status begin_alone(ctf_copier *c)
{
    const begin_place *last = c->begun[0].place;
    stele_status status = walk_begin(c);
    for (uint32_t i = 1; i < c->begun_count; i++)
        if (c->begun[i].place->from == c->stream->number &&
            (last->from != c->stream->number || c->begun[i].place->packet > last->packet))
            last = c->begun[i].place;
    while (status == STELE_OK && (status = walk_next(c)) == STELE_OK)
        if (current_file(c) == last->file && c->packet->offset == last->packet &&
            !c->walk.is_repeat)
            break;
    if (status == STELE_OK)
        status = copy_begun(c);
    c->packet = NULL;
    return status == STELE_END || status == STELE_ERR_UNSUPPORTED ? STELE_OK : status;
}

static stele_status begin_opened(ctf_copier *c, bool has_events)
{
    stele_status status = begins_load(&c->begins, c->trace);
    c->begun = begins_of(&c->begins, c->stream->number, &c->begun_count);
    return status == STELE_OK && c->begun_count != 0 && !has_events ? begin_alone(c) : status;
}

static stele_status stream_begin(ctf_copier *c, const ctf_stream *stream, const packet_place *first)
{
    const ctf_schema *schema = &c->trace->subtraces[stream->subtrace].schema;
    stele_status status;
    c->stream = stream;
    c->is_done[stream - c->trace->streams] = true;
    c->has_kept = c->was_copied = false;
    c->time_bits = copy_times_differ(schema, stream->type, c->base.version);
    c->last_ticks = 0;
    c->extra_count = c->whole_count = c->missing_count = c->sealed_count = 0;
    status = programs_get(c, c->programs, 0);
    if (status == STELE_OK)
        status = programs_get(c, c->cut_programs, STELE_COLUMN_TIME | DECODE_JOINTS);
    if (status == STELE_OK)
        status =
            cut_open(&c->cut, c->trace, schema, stream->type, c->cut_programs[stream->subtrace]);
    if (status == STELE_OK) {
        c->decoder = decoder_new(c->programs[stream->subtrace]);
        status = c->decoder != NULL ? learn_lead(c, first) : STELE_ERR_MEMORY;
    }
    if (status == STELE_OK)
        status = begin_opened(c, first != NULL);
    return status == STELE_OK ? walk_begin(c) : status;
}

static void stream_close(ctf_copier *c)
{
    if (c->stream != NULL)
        seal_files(c, true);
    ctf_walk_close(&c->walk);
    cut_close(&c->cut);
    decoder_free(c->decoder);
    c->decoder = NULL;
    c->stream = NULL;
    c->packet = NULL;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void tell_whole(const ctf_copier *c)
{
    const char *wanted = c->cut.is_possible ? "events that stand by themselves in their packet"
                                            : "times that do not count from the events before";
    const char *path = c->trace->files[c->whole_file].path;
    if (c->extra_count != 0)
        ctf_report(c->trace, CTF480, path, c->whole_at * 8, 0, 0, wanted,
                   "%" PRIu64 " packet%s, with %" PRIu64 " event%s not asked for", c->whole_count,
                   plural(c->whole_count), c->extra_count, plural(c->extra_count));
    else
        ctf_report(c->trace, CTF480, path, c->whole_at * 8, 0, 0, wanted,
                   "%" PRIu64 " packet%s, with what is damaged in them", c->whole_count,
                   plural(c->whole_count));
}

static void stream_tell(ctf_copier *c)
{
    c->trace->base.context->diag = c->told;
    if (c->whole_count != 0)
        tell_whole(c);
    if (c->sealed_count != 0)
        ctf_report(c->trace, CTF483, c->trace->files[c->sealed_file].path, c->sealed_at * 8, 0, 0,
                   "packets that can be unpacked here", "%" PRIu64 " copied without being read",
                   c->sealed_count);
    if (c->missing_count != 0)
        ctf_report(c->trace, CTF481, c->trace->files[c->stream->files[0]].path, CTF_NO_PLACE, 0,
                   c->missing_count, "each packet where it was read", "%" PRIu64 " events",
                   c->missing_count);
    c->trace->base.context->diag.fn = NULL;
}

/* After the last packet that is kept, those without events stay, up to the first one with some;
   where everything is kept, any may be sealed. */
static stele_status stream_finish(ctf_copier *c)
{
    bool is_empty = true;
    stele_status status = c->packet != NULL ? settle(c) : STELE_OK;
    while (status == STELE_OK && (c->has_kept || !c->is_gap || c->base.keeps_all) &&
           (status = walk_next(c)) == STELE_OK) {
        if (!c->walk.is_repeat)
            status = is_empty_packet(c, &is_empty);
        if (status == STELE_OK && !is_empty && c->cut.is_possible && !c->base.keeps_all)
            break;
        if (status == STELE_OK)
            status = settle(c);
    }
    c->is_part |= status == STELE_OK;
    if (status == STELE_OK || status == STELE_END)
        stream_tell(c);
    stream_close(c);
    return status == STELE_END ? STELE_OK : status;
}

/* Goes to the packet that an event is of; it may be that it is not found. */
static stele_status go_to(ctf_copier *c, const ctf_stream *stream, const packet_place *place)
{
    stele_status status = STELE_OK;
    if (stream != c->stream) {
        if (c->stream != NULL)
            status = stream_finish(c);
        if (status == STELE_OK && c->is_done[stream - c->trace->streams])
            status = STELE_ERR_ARGUMENT;
        if (status == STELE_OK)
            status = stream_begin(c, stream, place);
    }
    while (status == STELE_OK && !is_at(c, place)) {
        if (c->packet != NULL)
            status = settle(c);
        if (status == STELE_OK)
            status = walk_next(c);
    }
    return status == STELE_END ? STELE_OK : status;
}

static const ctf_stream *stream_of(const ctf_copier *c, uint32_t number)
{
    if (c->stream != NULL && c->stream->number == number)
        return c->stream;
    for (uint32_t i = 0; i < c->trace->stream_count; i++)
        if (c->trace->streams[i].number == number)
            return &c->trace->streams[i];
    return NULL;
}

/* ---- The rest of the trace ---- */

static stele_status copy_member(ctf_copier *c, size_t member, const char *name)
{
    input *in = NULL;
    output *out;
    window w;
    stele_status status = ctf_open_member(c->trace, member, &in);
    if (status != STELE_OK)
        return status;
    status = window_open(&w, in, 0, UINT64_MAX, c->trace->base.context->limits.window_size, 1);
    if (status == STELE_OK) {
        status = copy_add(c->out, c->base.folder, name, &out);
        if (status == STELE_OK) {
            status = copy_range(&w, 0, UINT64_MAX, out);
            output_seal(out);
        }
        window_close(&w);
    }
    ctf_close_member(member, in);
    return status;
}

/* Files that hold nothing are files of the trace, too. */
static stele_status copy_empty(ctf_copier *c, const ctf_file *file)
{
    const source *from = c->trace->base.source;
    stele_status status;
    if (source_member_at(from, file->member)->size != 0 ||
        !ctf_schema_subtrace(c->trace, file->subtrace)->is_open)
        return STELE_OK;
    status = copy_member(c, file->member, file->name);
    if (status == STELE_OK && file->index_member != CTF_WHOLE)
        status =
            copy_member(c, file->index_member, source_member_at(from, file->index_member)->name);
    return status;
}

static stele_status copy_metadata(ctf_copier *c, const ctf_subtrace *subtrace)
{
    const char *name =
        subtrace->metadata_member != CTF_WHOLE
            ? source_member_at(c->trace->base.source, subtrace->metadata_member)->name
            : "metadata";
    output *out;
    stele_status status;
    if (!subtrace->is_open)
        return STELE_OK;
    if (!copy_metadata_changes(c->trace, subtrace, c->base.version, c->shift_ns))
        return copy_member(c, subtrace->metadata_member, name);
    status = copy_add(c->out, c->base.folder, name, &out);
    if (status == STELE_OK)
        status = copy_metadata_print(c->trace, subtrace, c->base.version, c->shift_ns,
                                     &c->base.losses, out);
    if (status == STELE_OK)
        status = output_seal(out);
    return status;
}

/* Where the RFC's alignment was found by looking at packets, there may be too few of them now. */
static void tell_alignment(ctf_copier *c)
{
    static const char *const words[] = {
        [STELE_CTF_NATURAL_32] = "--rfc-alignment=natural32 when the copy is read",
        [STELE_CTF_PACKED] = "--rfc-alignment=packed when the copy is read"};
    for (uint32_t i = 0; i < c->trace->subtrace_count && c->is_part && !c->trace->has_packing;
         i++) {
        const ctf_subtrace *subtrace = &c->trace->subtraces[i];
        if (!subtrace->is_open || subtrace->text.generation != CTF_RFC ||
            subtrace->text.rfc.packing == STELE_CTF_NATURAL_64)
            continue;
        c->trace->base.context->diag = c->told;
        ctf_report(c->trace, CTF482, subtrace->text.name, CTF_NO_PLACE, 0, 0,
                   words[subtrace->text.rfc.packing], "an alignment that only the packets tell");
        c->trace->base.context->diag.fn = NULL;
    }
}

static stele_status finish(ctf_copier *c)
{
    stele_status status = c->stream != NULL ? stream_finish(c) : STELE_OK;
    for (uint32_t i = 0; i < c->trace->stream_count && status == STELE_OK; i++) {
        if (c->is_done[i])
            continue;
        status = stream_begin(c, &c->trace->streams[i], NULL);
        if (status == STELE_OK)
            status = stream_finish(c);
    }
    for (uint32_t i = 0; i < c->trace->file_count && status == STELE_OK; i++)
        status = copy_empty(c, &c->trace->files[i]);
    for (uint32_t i = 0; i < c->trace->subtrace_count && status == STELE_OK; i++)
        status = copy_metadata(c, &c->trace->subtraces[i]);
    tell_alignment(c);
    return status;
}

/* ---- The copier ---- */

/* What is wrong with packets has been reported by whoever read the events. */
static void hush(ctf_copier *c)
{
    c->told = c->trace->base.context->diag;
    c->trace->base.context->diag.fn = NULL;
}

static void speak(const ctf_copier *c)
{
    c->trace->base.context->diag = c->told;
}

/* Counts packets whose times the generation of the copy tells otherwise: in CTF 2 clocks begin at 0
   with each of them, in CTF 1.8 they go on. */
static void note_time(ctf_copier *c, const stele_batch *batch, const stele_event *event)
{
    c->shift_ns = batch->shift_ns;
    if (c->time_bits == 0 || (event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    if (!c->is_wanted && (c->trace->subtraces[c->stream->subtrace].schema.generation == CTF_1
                              ? event->ticks >> c->time_bits != 0
                              : event->ticks < c->last_ticks))
        losses_add(&c->base.losses, STELE_KIND_NONE,
                   "packet whose times begin at 0 in CTF 2, and go on in CTF 1.8", false, 1);
    c->last_ticks = event->ticks;
}

static stele_status keep(ctf_copier *c, const stele_batch *batch, const stele_event *event)
{
    const packet_place place = {batch->file, batch->packet};
    const ctf_stream *stream = stream_of(c, batch->stream);
    const stele_status status = stream != NULL ? go_to(c, stream, &place) : STELE_ERR_ARGUMENT;
    if (status != STELE_OK)
        return status;
    if (c->packet == NULL || c->packet->offset != place.offset) {
        c->missing_count++;
        return STELE_OK;
    }
    note_time(c, batch, event);
    c->is_wanted = true;
    /* Of what is lost the head of the packet tells. */
    return event->kind != STELE_KIND_LOST ? scan_to(c, event->offset) : STELE_OK;
}

static stele_status ctf_keep(copier *base, const stele_batch *batch, const stele_event *event)
{
    ctf_copier *c = (ctf_copier *)base;
    hush(c);
    if (c->status == STELE_OK)
        c->status = keep(c, batch, event);
    speak(c);
    return c->status;
}

/* An event that is open where the copy begins. */
static stele_status ctf_copier_begin(copier *base, const stele_batch *batch,
                                     const stele_event *event, uint64_t before_ns)
{
    ctf_copier *c = (ctf_copier *)base;
    (void)before_ns;
    return begins_note(&c->begins, c->trace, batch, event) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status ctf_copier_finish(copier *base)
{
    ctf_copier *c = (ctf_copier *)base;
    hush(c);
    if (c->status == STELE_OK)
        c->status = finish(c);
    begins_count(&c->begins, &base->losses);
    speak(c);
    return c->status;
}

static void ctf_copier_close(copier *base)
{
    ctf_copier *c = (ctf_copier *)base;
    stream_close(c);
    for (uint32_t i = 0; i < c->trace->subtrace_count; i++) {
        if (c->programs != NULL)
            programs_free(c->programs[i]);
        if (c->cut_programs != NULL)
            programs_free(c->cut_programs[i]);
    }
    content_free(&c->content);
    begins_free(&c->begins);
    c->trace->copier = NULL;
    stele_batch_free(c->batch);
    free(c->bits.bytes);
    free(c->programs);
    free(c->cut_programs);
    free(c->files);
    free(c->is_done);
    free(c);
}

stele_status ctf_copier_open(stele_trace *base, output *out, copier **result)
{
    static const copier_ops ops = {ctf_keep, ctf_copier_finish, ctf_copier_close, ctf_copier_begin};
    ctf_trace *trace = (ctf_trace *)base;
    const input *whole = source_input(base->source);
    ctf_copier *c;
    stele_status status = trace->is_grouped ? STELE_OK : stele_trace_index(base);
    *result = NULL;
    if (status != STELE_OK)
        return status;
    if (whole != NULL && !whole->is_seekable)
        return STELE_ERR_UNSUPPORTED;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    *c = (ctf_copier){.base.ops = &ops, .trace = trace, .out = out};
    c->files = calloc((size_t)trace->file_count + 1, sizeof *c->files);
    c->is_done = calloc((size_t)trace->stream_count + 1, sizeof *c->is_done);
    c->programs = calloc(trace->subtrace_count, sizeof *c->programs);
    c->cut_programs = calloc(trace->subtrace_count, sizeof *c->cut_programs);
    if (c->files == NULL || c->is_done == NULL || c->programs == NULL || c->cut_programs == NULL ||
        stele_batch_new(SCAN_EVENTS, &c->batch) != STELE_OK) {
        ctf_copier_close(&c->base);
        return STELE_ERR_MEMORY;
    }
    trace->copier = *result = &c->base;
    return STELE_OK;
}
