/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace that grows in looks at its folder. A look lists the files with their sizes; all
 * whole packets up to there are read, in the order of their begins, and then the next look follows.
 * If only data streams grew, the trace stays open. If metadata grew or files were added, it is
 * opened again, which costs as much as opening it does, and reading continues from the saved states
 * of files and streams.
 */
#include "formats/ctf/read/live.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/follow.h"
#include "core/path.h"
#include "formats/ctf/read/known.h"
#include "formats/ctf/read/look.h"
#include "formats/ctf/read/producer.h"

/* Least time between two looks, in ms, at a folder that grows all the time. */
#define LOOK_REST_MS 50

/* A stream that has packets to read. */
typedef struct live_part {
    ctf_producer *from;
    uint32_t known;   /* number of the stream in ctf_known.streams */
    int64_t begin_ns; /* no event before this time will come from the stream */
} live_part;

typedef struct ctf_live {
    producer base;
    ctf_trace *first; /* the trace that the caller opened */
    ctf_trace *look;  /* the trace of the last look: either `first`, or one that this struct owns */
    ctf_known *known; /* that of `first` */
    produce_request request;
    follow follow;
    live_part *parts;
    uint32_t part_count, part_capacity;
    uint64_t look_number;
    /* When the folder was listed, and when its metadata last changed. */
    int64_t looked_ms, metadata_ms;
    uint64_t metadata_size;
    bool has_empty;  /* there are metadata files of 0 bytes, which still have to be written */
    producer passed; /* balance and counts of parts that were read */
    bool is_last;    /* nothing more is waited for: cut packets are read as they are */
} ctf_live;

/* ---- Parts: streams that have packets to read ---- */

static void add_figures(producer *sum, const producer *more)
{
    sum->lost_count += more->lost_count;
    sum->missing_count += more->missing_count;
    balance_add(&sum->balance, &more->balance);
}

static void part_close(live_part *part)
{
    producer *from = &part->from->base;
    from->ops->close(from);
}

/* Closes a part whose packets were all read, and saves the stream's state for the next look. */
static void part_end(ctf_live *live, live_part *part)
{
    known_stream *known = &live->known->streams[part->known];
    known->losses = part->from->losses;
    known->clock = part->from->walk.clock;
    known->is_read = false;
    add_figures(&live->passed, &part->from->base);
    part_close(part);
    *part = live->parts[--live->part_count];
}

/* Opens the next packet of the part, or closes the part if it has no more. */
static stele_status part_next(ctf_live *live, live_part *part)
{
    known_stream *known = &live->known->streams[part->known];
    const stele_status status = ctf_producer_packet(part->from);
    const packet_head *head;
    bool is_clamped = false;
    if (status == STELE_END) {
        part_end(live, part);
        return STELE_OK;
    }
    if (status != STELE_OK)
        return status;
    head = &part->from->packet->head;
    part->begin_ns = known->end_ns;
    if (head->clock == NULL)
        return STELE_OK;
    if ((head->has & CTF_ROLE_PACKET_BEGIN) != 0)
        part->begin_ns = clock_ns(head->clock, head->begin_ticks, &is_clamped);
    if (part->from->loss.events != 0 || part->from->loss.packets != 0) {
        const int64_t lost_ns = clock_ns(head->clock, part->from->loss.begin_ticks, &is_clamped);
        if (lost_ns < part->begin_ns)
            part->begin_ns = lost_ns;
    }
    if ((head->has & CTF_ROLE_PACKET_END) != 0)
        known->end_ns = clock_ns(head->clock, head->end_ticks, &is_clamped);
    else if (part->begin_ns > known->end_ns)
        known->end_ns = part->begin_ns;
    return STELE_OK;
}

static stele_status part_open(ctf_live *live, uint32_t stream, uint32_t number)
{
    known_stream *known = &live->known->streams[number];
    live_part *part;
    stele_status status;
    if (live->part_count == live->part_capacity) {
        live_part *grown = array_grow(live->parts, sizeof *grown, &live->part_capacity, 16);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        live->parts = grown;
    }
    part = &live->parts[live->part_count];
    *part = (live_part){.known = number};
    status = ctf_producer_new(live->look, &live->request, stream, stream + 1, &part->from);
    if (status != STELE_OK)
        return status;
    live->part_count++;
    known->is_read = true;
    status = ctf_producer_begin(part->from, &known->losses, known->clock);
    return status == STELE_OK ? part_next(live, part) : status;
}

/* ---- Looks at the folder ---- */

static void look_close(ctf_live *live)
{
    ctf_trace *look = live->look;
    live->look = NULL;
    if (look == NULL || look == live->first)
        return;
    look->base.ops->close(&look->base);
    source_close(look->base.source);
    free(look);
}

/* Opens the trace again from a listing of its folder, which it takes over. Returns STELE_END if the
   metadata are being written, and keeps the trace of the last look. */
static stele_status look_open(ctf_live *live, source *from)
{
    stele_context *context = live->first->base.context;
    const bool can_wait =
        !live->is_last &&
        (live->has_empty || follow_now_ms() - live->metadata_ms < LOOK_METADATA_MS);
    uint64_t size;
    ctf_trace *look;
    stele_status status;
    if (can_wait && !look_is_sound(live->first, from, &size)) {
        source_close(from);
        return STELE_END;
    }
    look_close(live);
    look = calloc(1, sizeof *look);
    if (look == NULL) {
        source_close(from);
        return STELE_ERR_MEMORY;
    }
    look_take_settings(look, live->first);
    look->base.source = from;
    look->is_growing = !live->is_last;
    live->look = look;
    known_listen(live->known, &context->diag);
    status = ctf_collect(look);
    if (status == STELE_OK)
        status = ctf_group(look);
    known_leave(live->known, &context->diag);
    return status;
}

/* Starts again from 0 if the file is shorter than what was read of it: it was written again. */
static void judge_size(const ctf_live *live, known_file *known, const char *path, uint64_t size)
{
    if (size >= known->done)
        return;
    diag_report(&live->first->base.context->diag, &core_codes[STE024], path, known->done, 0,
                "a file that grows", "it became shorter; it is read anew from its begin");
    known->done = 0;
}

/* Notes the sizes of all files, and which of them have grown. */
static stele_status look_at_files(ctf_live *live)
{
    ctf_trace *look = live->look;
    live->look_number++;
    for (uint32_t i = 0; i < look->file_count; i++) {
        ctf_file *file = &look->files[i];
        const uint64_t size = source_member_at(look->base.source, file->member)->size;
        known_file *known;
        file->known = known_file_of(live->known, file->path);
        if (file->known == CTF_NONE)
            return STELE_ERR_MEMORY;
        known = &live->known->files[file->known];
        judge_size(live, known, file->path, size);
        if (known->size != size || (live->is_last && known->done < size))
            known->changed = live->look_number;
        known->size = size;
    }
    return STELE_OK;
}

/* Opens a part for each stream one of whose files grew. */
static stele_status look_at_streams(ctf_live *live)
{
    const ctf_trace *look = live->look;
    stele_status status = look_at_files(live);
    for (uint32_t i = 0; status == STELE_OK && i < look->stream_count; i++) {
        const ctf_stream *stream = &look->streams[i];
        bool has_grown = false;
        for (uint32_t k = 0; k < stream->file_count; k++) {
            const known_file *known = &live->known->files[look->files[stream->files[k]].known];
            has_grown |= known->changed == live->look_number && known->done < known->size;
        }
        if (has_grown)
            status = part_open(live, i, stream->known);
    }
    return status;
}

static bool is_metadata(const source_member *member)
{
    return strcmp(path_base(member->name), "metadata") == 0;
}

/* Notes when the metadata grew. */
static void look_at_metadata(ctf_live *live, const source *now)
{
    uint64_t size = 0;
    live->has_empty = false;
    for (size_t i = 0; i < source_member_count(now); i++)
        if (is_metadata(source_member_at(now, i))) {
            /* So that an additional empty file changes the sum, too. */
            size += source_member_at(now, i)->size + 1;
            live->has_empty |= source_member_at(now, i)->size == 0;
        }
    if (size != live->metadata_size)
        live->metadata_ms = live->looked_ms;
    live->metadata_size = size;
}

/* Whether the trace must be opened again: files were added or removed, or metadata grew. */
static bool is_other(const ctf_live *live, const source *now)
{
    const source *from = live->look->base.source;
    const size_t count = source_member_count(now);
    if (count != source_member_count(from) || live->is_last)
        return true;
    for (size_t i = 0; i < count; i++) {
        const source_member *a = source_member_at(from, i), *b = source_member_at(now, i);
        if (strcmp(a->name, b->name) != 0)
            return true;
        if (a->size != b->size && is_metadata(a))
            return true;
    }
    for (uint32_t i = 0; i < live->look->file_count; i++) {
        const ctf_file *file = &live->look->files[i];
        if (file->first.stream_class == NULL &&
            source_member_at(from, file->member)->size != source_member_at(now, file->member)->size)
            return true;
    }
    return false;
}

static stele_status watch_folders(ctf_live *live)
{
    const ctf_trace *look = live->look;
    follow_add(&live->follow, source_path(look->base.source));
    for (uint32_t i = 0; i < look->subtrace_count; i++) {
        char *path = look->subtraces[i].path != NULL ? strdup(look->subtraces[i].path) : NULL;
        if (path == NULL)
            return look->subtraces[i].path == NULL ? STELE_OK : STELE_ERR_MEMORY;
        if (path_base(path) != path)
            path[path_base(path) - path - 1] = '\0';
        follow_add(&live->follow, path);
        free(path);
    }
    return STELE_OK;
}

/* Lists the folder without findings, as it may be moved at this moment. */
static stele_status list_folder(ctf_live *live, source **now)
{
    stele_context *context = live->first->base.context;
    const diag_sink told = context->diag;
    stele_status status;
    context->diag.fn = NULL;
    status = source_open_growing(&context->diag, source_path(live->first->base.source), now);
    context->diag = told;
    return status;
}

static stele_status look_again(ctf_live *live)
{
    source *now;
    stele_status status = list_folder(live, &now);
    live->looked_ms = follow_now_ms();
    if (status != STELE_OK)
        return status == STELE_ERR_READ ? STELE_OK : status;
    look_at_metadata(live, now);
    if (is_other(live, now)) {
        status = look_open(live, now);
        if (status != STELE_OK)
            return status == STELE_END ? STELE_OK : status;
        status = watch_folders(live);
    } else {
        source_take_sizes(live->look->base.source, now);
        source_close(now);
    }
    status = status == STELE_OK ? look_at_streams(live) : status;
    if (live->part_count != 0)
        follow_see(&live->follow);
    return status;
}

/* ---- The producer of all streams ---- */

static live_part *first_part(ctf_live *live)
{
    live_part *best = live->parts;
    for (uint32_t i = 1; i < live->part_count; i++)
        if (live->parts[i].begin_ns < best->begin_ns)
            best = &live->parts[i];
    return best;
}

/* Tells the ordering of events up to which time no more events will come. */
static void set_bounds(ctf_live *live)
{
    producer *base = &live->base;
    base->has_bounds = true;
    base->ready_ns = base->quiet_ns = INT64_MAX;
    for (uint32_t i = 0; i < live->part_count; i++)
        if (live->parts[i].begin_ns < base->ready_ns)
            base->ready_ns = live->parts[i].begin_ns;
    for (uint32_t i = 0; i < live->known->stream_count; i++) {
        const known_stream *known = &live->known->streams[i];
        if (!known->is_read && known->end_ns < base->quiet_ns)
            base->quiet_ns = known->end_ns;
    }
}

/* Fills the batch with events of the part whose next packet begins first. */
static stele_status fill_part(ctf_live *live, stele_batch *batch)
{
    live_part *part = first_part(live);
    producer *from = &part->from->base;
    const stele_status status = from->ops->fill(from, batch);
    if (status != STELE_OK)
        return status;
    if (part->from->packet == NULL)
        return part_next(live, part);
    if (batch->event_count != 0 && batch->events[batch->event_count - 1].time_ns > part->begin_ns)
        part->begin_ns = batch->events[batch->event_count - 1].time_ns;
    return STELE_OK;
}

/* Sleeps until the folder may have changed. Returns false if the caller does not want to wait
   longer. */
static bool wait_for_more(ctf_live *live, int64_t until_ms)
{
    const diag_sink *diag = &live->first->base.context->diag;
    const int64_t now_ms = follow_now_ms();
    const int64_t rest_ms = live->looked_ms + LOOK_REST_MS - now_ms;
    if (until_ms != 0 && now_ms >= until_ms)
        return false;
    if (rest_ms > 0)
        follow_rest(rest_ms);
    if (!follow_sleep(&live->follow, diag, until_ms != 0 ? until_ms - now_ms : 0))
        live->is_last = true;
    return true;
}

static stele_status live_fill(producer *base, stele_batch *batch)
{
    ctf_live *live = (ctf_live *)base;
    const int64_t patience_ms = live->first->base.context->diag.patience_ms;
    const int64_t until_ms = patience_ms > 0 ? follow_now_ms() + patience_ms : 0;
    stele_status status = STELE_OK;
    stele_batch_clear(batch);
    batch->columns = live->request.columns & (STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW);
    base->is_dry = false;
    while (status == STELE_OK && batch->event_count == 0) {
        const bool was_last = live->is_last;
        if (live->part_count != 0) {
            status = fill_part(live, batch);
            continue;
        }
        if (was_last)
            status = STELE_END;
        else if (wait_for_more(live, until_ms))
            status = look_again(live);
        else
            base->is_dry = true;
        if (base->is_dry)
            break;
    }
    base->is_dry |= status == STELE_OK && live->part_count == 0;
    base->lost_count = live->passed.lost_count;
    base->missing_count = live->passed.missing_count;
    base->balance = live->passed.balance;
    for (uint32_t i = 0; i < live->part_count; i++)
        add_figures(base, &live->parts[i].from->base);
    set_bounds(live);
    return status;
}

static void live_close(producer *base)
{
    ctf_live *live = (ctf_live *)base;
    while (live->part_count != 0)
        part_close(&live->parts[--live->part_count]);
    free(live->parts);
    look_close(live);
    follow_end(&live->follow);
    free(live);
}

stele_status ctf_live_produce(ctf_trace *trace, const produce_request *request, producer **out)
{
    static const producer_ops ops = {.fill = live_fill, .close = live_close};
    ctf_live *live = calloc(1, sizeof *live);
    stele_status status;
    *out = NULL;
    if (live == NULL)
        return STELE_ERR_MEMORY;
    live->base.ops = &ops;
    live->first = live->look = trace;
    live->known = trace->known;
    live->request = *request;
    follow_begin(&live->follow, trace->base.options.idle_ns / 1000000);
    known_listen(live->known, &trace->base.context->diag);
    status = ctf_group(trace);
    known_leave(live->known, &trace->base.context->diag);
    if (status == STELE_OK)
        status = watch_folders(live);
    if (status == STELE_OK)
        status = look_at_streams(live);
    if (status == STELE_OK)
        *out = &live->base;
    else
        live_close(&live->base);
    return status;
}
