/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/copy_begins.h"

#include <stdlib.h>
#include <string.h>

#include <stele/ctf.h>

#include "core/array.h"
#include "core/bits.h"
#include "formats/ctf/read/content.h"
#include "formats/ctf/read/spans.h"
#include "formats/ctf/read/walk.h"
#include "formats/ctf/records/clocks.h"
#include "formats/ctf/records/decoder.h"

#define BYTES_MAX ((size_t)16 << 20) /* bytes of all records; further events are not begun */

/* ---- Events that are open ---- */

/* Returns the first tick at or after a time, by halving: the conversion rounds down, so it cannot
   be inverted directly. */
static uint64_t ticks_at(const ctf_clock *clock, int64_t time_ns)
{
    const clock_rate rate = clock_rate_make(clock);
    uint64_t low = 0, high = UINT64_MAX;
    /* The answer is in [low, high]. Clamped times compare as the latest time, which keeps the
       order. */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        bool is_clamped = false;
        if (clock_rate_ns(&rate, middle, &is_clamped) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the stream with this number in the context, or NULL if there is none. */
static const ctf_stream *stream_of(const ctf_trace *trace, uint32_t number)
{
    for (uint32_t i = 0; i < trace->stream_count; i++)
        if (trace->streams[i].number == number)
            return &trace->streams[i];
    return NULL;
}

bool begins_note(ctf_begins *begins, const ctf_trace *trace, const stele_batch *batch,
                 const stele_event *event)
{
    const ctf_stream *stream = stream_of(trace, batch->stream);
    const ctf_clock *clock = stream != NULL ? stream->type->clock : NULL;
    if (begins->place_count == begins->place_capacity) {
        begin_place *grown = array_grow(begins->places, sizeof *grown, &begins->place_capacity, 16);
        if (grown == NULL)
            return false;
        begins->places = grown;
    }
    begins->places[begins->place_count++] = (begin_place){
        /* At first, the record goes back to the stream that it comes from; gather_tracks() may
           change `to`. */
        .from = batch->stream,
        .to = batch->stream,
        .file = batch->file,
        .track = event->track,
        .packet = batch->packet,
        .offset = event->offset,
        /* The batch's time was shifted for the reader; ticks are those of the clock itself. */
        .ticks = clock != NULL ? ticks_at(clock, event->time_ns - batch->shift_ns) : 0,
        .kind = event->kind,
    };
    return true;
}

/* ---- The streams that records are written to ---- */

/* Index of a place, to sort places by track. */
typedef struct track_place {
    uint32_t track, index;
} track_place;

/* By track, and within a track from the innermost place to the outermost. */
static int track_compare(const void *left, const void *right)
{
    const track_place *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return a->index > b->index ? -1 : a->index < b->index;
}

/* Only spans of a track nest; flows and the like have no order to keep. */
static bool is_of_stack(const begin_place *place)
{
    return place->kind == STELE_KIND_BEGIN && place->track != 0;
}

/* Sends the records of each track's spans to the stream of the innermost one. Going outwards, each
   place takes over the stream of the one inside of it, as long as classes of streams agree. */
static stele_status gather_tracks(ctf_begins *begins, const ctf_trace *trace)
{
    track_place *by_track = malloc(begins->place_count * sizeof *by_track);
    if (by_track == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < begins->place_count; i++)
        by_track[i] = (track_place){begins->places[i].track, i};
    /* After sorting, the places of one track are neighbours, and the one before each place is
       inside of it. */
    qsort(by_track, begins->place_count, sizeof *by_track, track_compare);
    for (uint32_t i = 1; i < begins->place_count; i++) {
        const begin_place *inner = &begins->places[by_track[i - 1].index];
        begin_place *place = &begins->places[by_track[i].index];
        const ctf_stream *from = stream_of(trace, place->from), *to = stream_of(trace, inner->to);
        /* A record can only move to a stream of its own class, as another class has other ids and
           other fields. */
        if (is_of_stack(place) && is_of_stack(inner) && place->track == inner->track &&
            from != to && from != NULL && to != NULL && from->type == to->type)
            place->to = inner->to;
    }
    free(by_track);
    return STELE_OK;
}

/* ---- Records with a new time ---- */

/* Returns the joint of the only time in the record's header, or NULL if there is none, there are
   several, or it cannot be overwritten in place. */
static const decoder_joint *find_stamp(const decoder_joint *joints, uint32_t count,
                                       const ctf_clock *clock)
{
    const decoder_joint *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        /* Only stamps matter here; the other joints hold no time. */
        if (joints[i].kind != JOINT_STAMP)
            continue;
        if (found != NULL || joints[i].is_variable || joints[i].width == 0 || clock == NULL ||
            joints[i].number != clock->number)
            return NULL;
        found = &joints[i];
    }
    return found;
}

/* Overwrites the time that ends at the joint, whose position is after the number. */
static void set_stamp(uint8_t *bytes, uint64_t base, const decoder_joint *stamp, uint64_t ticks)
{
    /* `base` is the position of the first byte in `bytes`, so this is a bit offset into it. */
    const size_t at = (size_t)(stamp->at - stamp->width - base);
    uint64_t value = ticks & bits_mask(stamp->width);
    /* In reversed bit order, the lowest bit of the number is stored at the highest position. */
    if (stamp->is_reversed)
        value = bits_reversed(value, stamp->width);
    if (stamp->is_big_endian)
        stele_ctf_bits_write_be(bytes, at, stamp->width, value);
    else
        stele_ctf_bits_write_le(bytes, at, stamp->width, value);
}

/* Makes room for one record and its joints. Returns false if out of memory. */
static bool make_room(ctf_begins *begins, uint32_t joints)
{
    if (begins->record_count == begins->record_capacity) {
        begin_record *grown =
            array_grow(begins->records, sizeof *grown, &begins->record_capacity, 16);
        if (grown == NULL)
            return false;
        begins->records = grown;
    }
    /* One step may be too small for a record with many fields, hence the loop. */
    while (begins->joint_capacity - begins->joint_count < joints) {
        decoder_joint *grown =
            array_grow(begins->joints, sizeof *grown, &begins->joint_capacity, 64);
        if (grown == NULL)
            return false;
        begins->joints = grown;
    }
    return true;
}

/* Keeps the record that was decoded last, with the new time, if its time can be overwritten.
   Records that cannot are left out without an error: begins_count() counts them. */
static stele_status take_record(ctf_begins *begins, const begin_place *place,
                                const ctf_content *content)
{
    uint32_t count;
    const decoder_joint *joints = decoder_joints(content->decoder, &count);
    const packet_view *view = &content->view;
    /* The record is kept from the begin of its first byte, so that its bits stay at the same
       positions within their bytes. */
    const uint64_t first = joints[0].at / 8 - view->offset,
                   end = decoder_position(content->decoder);
    const size_t size = (size_t)((end + 7) / 8 - view->offset - first);
    const ctf_clock *clock = content->packet->head.clock;
    const decoder_joint *stamp = find_stamp(joints, count, clock);
    begin_record *record;
    uint8_t *bytes;
    /* Without a stamp the copy would show the event at its old time, before the cut begins. */
    if (stamp == NULL || size > BYTES_MAX - begins->bytes.size)
        return STELE_OK;
    if (!make_room(begins, count))
        return STELE_ERR_MEMORY;
    /* `record_count` rises only at the end, so that a failure below leaves no half-made record. */
    record = &begins->records[begins->record_count];
    *record = (begin_record){.place = place,
                             .bytes_at = begins->bytes.size,
                             .joint_first = begins->joint_count,
                             .joint_count = count,
                             .base = (view->offset + first) * 8,
                             .end = end,
                             .id = decoder_event_id(content->decoder)};
    bytes = byte_buffer_take(&begins->bytes, size);
    if (bytes == NULL)
        return STELE_ERR_MEMORY;
    memcpy(bytes, view->bytes + first, size);
    set_stamp(bytes, record->base, stamp, place->ticks);
    for (uint32_t i = 0; i < count; i++)
        begins->joints[begins->joint_count++] = joints[i];
    begins->record_count++;
    return STELE_OK;
}

/* ---- Reading the records ---- */

/* The state while records are read. */
typedef struct loading {
    ctf_begins *begins;
    ctf_trace *trace;
    ctf_programs *programs;
    ctf_decoder *decoder;
    ctf_walk walk;
    ctf_content content;
    stele_batch *batch; /* has room for one event, so that joints are those of that event */
    bool is_marked;     /* Stele wrote the trace: the tracks of events are what it says */
} loading;

/* Whether the record alone puts the event on its track. If other events of the trace say that a
   CPU's event belongs to a thread, its copy would be an event of the CPU. */
static bool is_on_track(const loading *l, const begin_place *place, const stele_event *event)
{
    return l->is_marked || place->kind != STELE_KIND_BEGIN || event->track == place->track;
}

/* Takes the records at the places in one packet, which are sorted by offset. Both sequences ascend,
   so each place is compared with an event once. */
static stele_status load_packet(loading *l, const ctf_packet *packet, const begin_place *const *at,
                                const begin_place *const *end)
{
    decode_outcome outcome = DECODE_OK;
    /* Enters the packet. A packet whose content cannot be unpacked has no records to take, which is
       no error of the copy. */
    stele_status status = content_enter(&l->content, &l->walk.current->packets, &l->walk.current->w,
                                        packet, l->decoder);
    if (status != STELE_OK)
        return status == STELE_ERR_FORMAT ? STELE_OK : status;
    while (status == STELE_OK && outcome == DECODE_OK && at != end) {
        const stele_event *event = &l->batch->events[0];
        stele_batch_clear(l->batch);
        outcome = content_events(&l->content, l->batch);
        if (outcome == DECODE_MEMORY)
            return STELE_ERR_MEMORY;
        /* The decoder may stop without an event, for example at the end of the packet. */
        if (l->batch->event_count == 0)
            continue;
        /* A place that no event begins at is skipped, and counted as not begun. */
        while (at != end && (*at)->offset < event->offset)
            at++;
        if (at == end || (*at)->offset != event->offset)
            continue;
        if (is_on_track(l, *at, event))
            status = take_record(l->begins, *at, &l->content);
        at++;
    }
    return status == STELE_OK ? l->walk.current->w.status : status;
}

/* Returns the index of the first place in the packet or after it. */
static uint32_t find_packet(const begin_place *const *places, uint32_t count, uint32_t file,
                            uint64_t packet)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const begin_place *place = places[middle];
        if (place->file < file || (place->file == file && place->packet < packet))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads the packets of a stream that contain places. A repeated packet is skipped, as its records
   were read the first time. */
static stele_status load_packets(loading *l, const begin_place *const *places, uint32_t count)
{
    const ctf_packet *packet;
    stele_status status = STELE_OK;
    while (status == STELE_OK && (status = ctf_walk_next(&l->walk, &packet)) == STELE_OK) {
        const uint32_t file = (uint32_t)(l->walk.current->file - l->trace->files);
        /* The places are sorted, so those in this packet are a range of them. */
        const uint32_t first = find_packet(places, count, file, packet->offset);
        const uint32_t end = find_packet(places, count, file, packet->offset + 1);
        if (first != end && !l->walk.is_repeat)
            status = load_packet(l, packet, places + first, places + end);
    }
    return status == STELE_END ? STELE_OK : status;
}

/* Reads the records of all places of one stream. */
static stele_status load_stream(loading *l, const ctf_stream *stream,
                                const begin_place *const *places, uint32_t count)
{
    const walk_options options = {.window_size = l->trace->base.context->limits.window_size,
                                  .begin_ns = INT64_MIN,
                                  .end_ns = INT64_MAX,
                                  .repeats = true};
    const ctf_subtrace *subtrace = &l->trace->subtraces[stream->subtrace];
    stele_status status = STELE_ERR_MEMORY;
    /* If the trace is to be shown as it was written, the marks of Stele's writer are not
       evaluated. */
    l->is_marked = !l->trace->shows_as_written && spans_are_marked(&subtrace->schema);
    l->programs =
        programs_new(&subtrace->schema, l->trace->base.context, l->trace->base.info.number,
                     STELE_COLUMN_TIME | STELE_COLUMN_TRACK | (uint32_t)DECODE_JOINTS);
    /* Any failure up to here is one of memory, which `status` stands for. */
    if (l->programs != NULL && (l->decoder = decoder_new(l->programs)) != NULL &&
        stele_batch_new(1, &l->batch) == STELE_OK) {
        decoder_set_track(l->decoder, stream->track);
        status = ctf_walk_open(&l->walk, l->trace, stream, l->programs, l->decoder, &options);
    }
    if (status == STELE_OK)
        status = load_packets(l, places, count);
    ctf_walk_close(&l->walk);
    content_free(&l->content);
    stele_batch_free(l->batch);
    decoder_free(l->decoder);
    programs_free(l->programs);
    /* The next stream starts with an empty state. */
    *l = (loading){.begins = l->begins, .trace = l->trace};
    return status;
}

/* By the position in the trace: stream, file, packet, offset. */
static int place_compare(const void *left, const void *right)
{
    const begin_place *a = *(const begin_place *const *)left;
    const begin_place *b = *(const begin_place *const *)right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->packet != b->packet)
        return a->packet < b->packet ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Reads the streams one after the other, each once for all of its places. */
static stele_status load_streams(ctf_begins *begins, ctf_trace *trace, const begin_place **places)
{
    loading l = {.begins = begins, .trace = trace};
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < begins->place_count; i++)
        places[i] = &begins->places[i];
    qsort(places, begins->place_count, sizeof(const begin_place *), place_compare);
    for (uint32_t i = 0, end; i < begins->place_count && status == STELE_OK; i = end) {
        const ctf_stream *stream = stream_of(trace, places[i]->from);
        /* The places of one stream are neighbours after sorting. */
        for (end = i; end < begins->place_count && places[end]->from == places[i]->from;)
            end++;
        if (stream != NULL)
            status = load_stream(&l, stream, places + i, end - i);
    }
    return status;
}

/* By the stream that they are written to, and then in the order in which they were noted. */
static int record_compare(const void *left, const void *right)
{
    const begin_record *a = left, *b = right;
    if (a->place->to != b->place->to)
        return a->place->to < b->place->to ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

stele_status begins_load(ctf_begins *begins, ctf_trace *trace)
{
    const begin_place **places;
    stele_status status;
    if (begins->is_loaded || begins->place_count == 0)
        return STELE_OK;
    /* Set first, so that an error is not repeated for each stream. */
    begins->is_loaded = true;
    /* Records point into the table of places, so no more places may be noted from here on. */
    status = gather_tracks(begins, trace);
    places = malloc(begins->place_count * sizeof(const begin_place *));
    if (places == NULL)
        return STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = load_streams(begins, trace, places);
    free(places);
    if (begins->record_count != 0)
        qsort(begins->records, begins->record_count, sizeof *begins->records, record_compare);
    return status;
}

/* ---- Access to the records ---- */

const begin_record *begins_of(const ctf_begins *begins, uint32_t stream, uint32_t *count)
{
    uint32_t first = 0, end;
    /* The records are sorted by stream, so those of one stream are a range of them. */
    while (first < begins->record_count && begins->records[first].place->to != stream)
        first++;
    for (end = first; end < begins->record_count && begins->records[end].place->to == stream;)
        end++;
    *count = end - first;
    return end != first ? &begins->records[first] : NULL;
}

void begins_settle(ctf_begins *begins, uint32_t stream)
{
    for (uint32_t i = 0; i < begins->record_count; i++)
        if (begins->records[i].place->to == stream)
            begins->places[begins->records[i].place - begins->places].is_settled = true;
}

void begins_count(const ctf_begins *begins, loss_table *losses)
{
    for (uint32_t i = 0; i < begins->place_count; i++) {
        const begin_place *place = &begins->places[i];
        losses_add(losses, (stele_kind)place->kind,
                   place->is_settled ? COPIER_BEGUN : COPIER_NOT_BEGUN, LOSS_FORM, 1);
    }
}

void begins_free(ctf_begins *begins)
{
    free(begins->places);
    free(begins->records);
    free(begins->joints);
    free(begins->bytes.bytes);
    *begins = (ctf_begins){0};
}
