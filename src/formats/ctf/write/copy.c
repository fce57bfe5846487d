/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copier of CTF. Kept events arrive in the order in which they were read, stream by stream.
 * copy_stream.c copies a stream, copy_scan.c and copy_packet.c a packet of it; what belongs to no
 * stream is copied at the end.
 */
#include <stdlib.h>

#include "formats/ctf/write/copy.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_files.h"
#include "formats/ctf/write/copy_metadata.h"
#include "formats/ctf/write/copy_scan.h"
#include "formats/ctf/write/copy_stream.h"

/* ---- Streams by number ---- */

static const ctf_stream *copy_stream_of(const ctf_copier *c, uint32_t number)
{
    if (c->stream != NULL && c->stream->number == number)
        return c->stream;
    for (uint32_t i = 0; i < c->trace->stream_count; i++)
        if (c->trace->streams[i].number == number)
            return &c->trace->streams[i];
    return NULL;
}

/* ---- Metadata, and files without packets ---- */

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

/* Reports an alignment of the RFC that was found by trying packets, with the option that sets it:
   the copy may have too few packets to find it. */
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
    stele_status status = c->stream != NULL ? copy_stream_finish(c) : STELE_OK;
    for (uint32_t i = 0; i < c->trace->stream_count && status == STELE_OK; i++) {
        if (c->is_done[i])
            continue;
        /* Streams of which nothing is kept may still have packets that stay. */
        status = copy_stream_begin(c, &c->trace->streams[i], NULL);
        if (status == STELE_OK)
            status = copy_stream_finish(c);
    }
    for (uint32_t i = 0; i < c->trace->file_count && status == STELE_OK; i++)
        status = copy_empty(c, &c->trace->files[i]);
    for (uint32_t i = 0; i < c->trace->subtrace_count && status == STELE_OK; i++)
        status = copy_metadata(c, &c->trace->subtraces[i]);
    tell_alignment(c);
    return status;
}

/* ---- Operations of the copier ---- */

/* Suppresses findings: the reader of the events has reported what is wrong with the packets. */
static void hush(ctf_copier *c)
{
    c->told = c->trace->base.context->diag;
    c->trace->base.context->diag.fn = NULL;
}

/* Lets findings be reported again after hush(). */
static void speak(const ctf_copier *c)
{
    c->trace->base.context->diag = c->told;
}

/* Counts packets whose times differ in the generation of the copy: in CTF 2 clocks begin at 0 in
   each packet, in CTF 1.8 they count on. */
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
    const ctf_stream *stream = copy_stream_of(c, batch->stream);
    const stele_status status = stream != NULL ? copy_go_to(c, stream, &place) : STELE_ERR_ARGUMENT;
    if (status != STELE_OK)
        return status;
    /* copy_go_to() ends at a later packet if the file no longer has this one. */
    if (c->packet == NULL || c->packet->offset != place.offset) {
        c->missing_count++;
        return STELE_OK;
    }
    note_time(c, batch, event);
    c->is_wanted = true;
    /* Lost events are no records: the counter in the packet's head stands for them. */
    return event->kind != STELE_KIND_LOST ? copy_scan_to(c, event->offset) : STELE_OK;
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

/* Notes an event that is open where the copy begins. */
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
    copy_stream_close(c);
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
    static const copier_ops ops = {ctf_keep, ctf_copier_finish, ctf_copier_close, ctf_copier_begin,
                                   NULL};
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
