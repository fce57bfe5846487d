/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies one data stream: its packets from the first to the last, each settled when the next one is
 * reached. What is open where the copy begins is begun before the first event that is kept
 * (copy_begins.h). A stream whose times count from earlier events cannot be cut: its packets are
 * copied as they are, which is reported.
 */
#include <inttypes.h>

#include "formats/ctf/read/walk.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"
#include "formats/ctf/write/copy_files.h"
#include "formats/ctf/write/copy_metadata.h"
#include "formats/ctf/write/copy_packet.h"
#include "formats/ctf/write/copy_scan.h"
#include "formats/ctf/write/copy_stream.h"

/* Makes the programs of the stream's subtrace for some columns, once. */
static stele_status programs_get(const ctf_copier *c, ctf_programs **programs, uint32_t columns)
{
    const ctf_subtrace *subtrace = &c->trace->subtraces[c->stream->subtrace];
    /* Each subtrace has a schema of its own, and so its own programs, which all of its streams
       share. */
    ctf_programs **own = &programs[subtrace->number];
    if (*own == NULL)
        *own = programs_new(&subtrace->schema, c->trace->base.context, c->trace->base.info.number,
                            columns);
    return *own != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

/* Begins a walk over all packets of the stream, from the first. */
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

/* Moves to the next packet, or sets `packet` to NULL after the last one, and forgets what was
   scanned of the packet before. */
static stele_status walk_next(ctf_copier *c)
{
    const stele_status status = ctf_walk_next(&c->walk, &c->packet);
    if (status != STELE_OK)
        c->packet = NULL;
    copy_scan_reset(c);
    return status;
}

/* Whether the current packet is the one at the place, or a later one in its file. */
static bool is_at(const ctf_copier *c, const packet_place *place)
{
    return c->packet != NULL && place != NULL && current_file(c) == place->file &&
           c->packet->offset >= place->offset;
}

/* Finds out what precedes the first packet that is kept (NULL: the end of the stream), and then
   needs a new walk. */
static stele_status learn_lead(ctf_copier *c, const packet_place *first)
{
    stele_status status = walk_begin(c);
    /* Events are left out unless every packet before `first` is empty or stays sealed. A repetition
       counts as empty, because its events were seen before. */
    c->is_gap = c->is_head_wanted = false;
    while (status == STELE_OK && (status = walk_next(c)) == STELE_OK && !is_at(c, first)) {
        bool is_empty = c->walk.is_repeat;
        if (!is_empty)
            status = copy_is_empty_packet(c, &is_empty);
        c->is_gap |= !is_empty && !copy_stays_sealed(c);
        c->head = (packet_place){current_file(c), c->packet->offset};
    }
    if (status == STELE_OK)
        /* The head of the last packet before `first` is kept without events if it counts lost
           events, so that the copy still shows from where later losses count. */
        c->is_head_wanted = c->is_gap && (c->packet->head.has & CTF_ROLE_DISCARDED) != 0 &&
                            c->packet->head.discarded != 0;
    c->packet = NULL;
    return status == STELE_END ? STELE_OK : status;
}

/* Of a stream of which nothing is kept: what is open gets a packet of its own, with the head of the
   last one that has events of it. */
static stele_status begin_alone(ctf_copier *c)
{
    /* Finds the last of the stream's own packets that began something. A place in another stream
       counts only until one of this stream is found. */
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

/* Loads the records of what is open where the copy begins. If the stream has events to keep, they
   are written before the first of these. */
static stele_status begin_opened(ctf_copier *c, bool has_events)
{
    stele_status status = begins_load(&c->begins, c->trace);
    c->begun = begins_of(&c->begins, c->stream->number, &c->begun_count);
    return status == STELE_OK && c->begun_count != 0 && !has_events ? begin_alone(c) : status;
}

stele_status copy_stream_begin(ctf_copier *c, const ctf_stream *stream, const packet_place *first)
{
    const ctf_schema *schema = &c->trace->subtraces[stream->subtrace].schema;
    stele_status status;
    c->stream = stream;
    /* This state belongs to one stream, so it starts anew with each. */
    c->is_done[stream - c->trace->streams] = true;
    c->has_kept = c->was_copied = false;
    c->time_bits = copy_times_differ(schema, stream->type, c->base.version);
    c->last_ticks = 0;
    c->extra_count = c->whole_count = c->missing_count = c->sealed_count = 0;
    status = programs_get(c, c->programs, 0);
    if (status == STELE_OK)
        /* To cut a packet, the times of its events and its joints must be known, which programs for
           plain copying do not give. */
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
    /* The walk above has passed the first packets, so that copying needs a new one. */
    return status == STELE_OK ? walk_begin(c) : status;
}

void copy_stream_close(ctf_copier *c)
{
    if (c->stream != NULL)
        copy_seal_files(c, true);
    ctf_walk_close(&c->walk);
    cut_close(&c->cut);
    decoder_free(c->decoder);
    c->decoder = NULL;
    c->stream = NULL;
    c->packet = NULL;
}

/* Reports packets that had to be copied whole, although not all of their events are kept or
   something in them is damaged. */
static void report_whole(const ctf_copier *c)
{
    const char *wanted = c->cut.is_possible ? "events that stand by themselves in their packet"
                                            : "times that do not count from the events before";
    const char *path = c->trace->files[c->whole_file].path;
    if (c->extra_count != 0)
        ctf_report(c->trace, CTF480, path, c->whole_at * 8, 0, 0, wanted,
                   "%" PRIu64 " packets, with %" PRIu64 " events not asked for", c->whole_count,
                   c->extra_count);
    else
        ctf_report(c->trace, CTF480, path, c->whole_at * 8, 0, 0, wanted,
                   "%" PRIu64 " packets, with what is damaged in them", c->whole_count);
}

/*
 * Reports what could not be copied as asked, once for the whole stream and with the first place.
 * The context's sink is silent while a stream is copied, because the reader of the events reports
 * what is wrong in packets, so it is replaced here.
 */
static void stream_tell(ctf_copier *c)
{
    c->trace->base.context->diag = c->told;
    if (c->whole_count != 0)
        report_whole(c);
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

stele_status copy_stream_finish(ctf_copier *c)
{
    /*
     * Continues after the last packet that was kept. Empty packets are copied up to the next one
     * with events. If packets cannot be cut, or everything is kept, this goes on to the end of the
     * stream.
     */
    bool is_empty = true;
    stele_status status = c->packet != NULL ? copy_settle(c) : STELE_OK;
    while (status == STELE_OK && (c->has_kept || !c->is_gap || c->base.keeps_all) &&
           (status = walk_next(c)) == STELE_OK) {
        if (!c->walk.is_repeat)
            status = copy_is_empty_packet(c, &is_empty);
        if (status == STELE_OK && !is_empty && c->cut.is_possible && !c->base.keeps_all)
            break;
        if (status == STELE_OK)
            status = copy_settle(c);
    }
    c->is_part |= status == STELE_OK;
    if (status == STELE_OK || status == STELE_END)
        stream_tell(c);
    copy_stream_close(c);
    return status == STELE_END ? STELE_OK : status;
}

stele_status copy_go_to(ctf_copier *c, const ctf_stream *stream, const packet_place *place)
{
    stele_status status = STELE_OK;
    if (stream != c->stream) {
        if (c->stream != NULL)
            status = copy_stream_finish(c);
        if (status == STELE_OK && c->is_done[stream - c->trace->streams])
            status = STELE_ERR_ARGUMENT;
        if (status == STELE_OK)
            status = copy_stream_begin(c, stream, place);
    }
    /* Each packet on the way is settled before the walk leaves it. */
    while (status == STELE_OK && !is_at(c, place)) {
        if (c->packet != NULL)
            status = copy_settle(c);
        if (status == STELE_OK)
            status = walk_next(c);
    }
    return status == STELE_END ? STELE_OK : status;
}
