/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What indexing found out about the packets of each file, as a section of a saved index. The heads
 * of the first packets, of which streams are made, are read again. docs/index.md has the layout.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/ctf/trace.h"
#include "model/saved_index.h"

#define HAS_END          0x01u
#define HAS_FIRST        0x02u
#define HAS_LAST         0x04u
#define IS_FIRST_UNKNOWN 0x08u
#define IS_LAST_OPEN     0x10u
#define IS_ORDERED       0x20u
#define ALL_FLAGS        0x3fu

/* Bytes between two positions where reading can begin, at least: an index stays small also where
   packets are. */
#define SEEK_DISTANCE 1024u

/* Whether times and packets are as the trace itself has them, without settings that change them:
   such an index serves all later openings, which may have other settings. */
static bool is_as_written(const ctf_trace *trace)
{
    return trace->known == NULL && !trace->is_growing && !trace->has_packing &&
           trace->rfc.key_size == 0 && trace->clock_frequency_hz == 0 &&
           trace->clock_offset_ns == 0 && !trace->rounds_twice && !trace->restarts_clocks;
}

/* ---- Writing ---- */

static unsigned flags_of(const ctf_found *found)
{
    return (found->has_end ? HAS_END : 0) | (found->has_first_event ? HAS_FIRST : 0) |
           (found->has_last_event ? HAS_LAST : 0) |
           (found->is_first_unknown ? IS_FIRST_UNKNOWN : 0) |
           (found->is_last_open ? IS_LAST_OPEN : 0) | (found->is_ordered ? IS_ORDERED : 0);
}

static int64_t distance(uint64_t from, uint64_t to)
{
    return (int64_t)(to - from);
}

/* Returns how many of the positions of a file one is saved of, so that those lie SEEK_DISTANCE
   apart. */
static uint32_t stride_of(const ctf_file *file)
{
    const uint32_t count = file->found.seek_count;
    uint32_t stride = 1;
    while (stride < count && file->size / count * (uint64_t)stride < SEEK_DISTANCE)
        stride *= 2;
    return stride;
}

static void put_seeks(const ctf_found *found, uint32_t stride, output *out)
{
    ctf_seek before = {0};
    saved_put_u64(out, (found->seek_count + (uint64_t)stride - 1) / stride);
    for (uint32_t i = 0; i < found->seek_count; i += stride) {
        const ctf_seek *at = &found->seeks[i];
        saved_put_u64(out, at->offset - before.offset);
        saved_put_i64(out, distance(before.begin, at->begin));
        saved_put_i64(out, distance(before.clock, at->clock));
        saved_put_i64(out, distance(before.lost, at->lost));
        before = *at;
    }
}

static void put_file(const ctf_file *file, output *out)
{
    const ctf_found *found = &file->found;
    const uint32_t stride = stride_of(file);
    saved_put_u64(out, flags_of(found));
    saved_put_u64(out, file->size);
    saved_put_u64(out, found->packet_count);
    if (found->packet_count == 0)
        return;
    saved_put_u64(out, found->seek_step * stride);
    saved_put_u64(out, found->end_ticks);
    saved_put_u64(out, found->lost);
    saved_put_i64(out, found->first_event_ns);
    saved_put_i64(out, found->last_event_ns);
    for (unsigned i = 0; i < CTF_LAST_KEPT; i++) {
        saved_put_u64(out, found->last[i].offset);
        saved_put_u64(out, found->last[i].content_bits);
        saved_put_u64(out, found->last[i].clock);
    }
    put_seeks(found, stride, out);
}

stele_status ctf_save_index(stele_trace *base, output *out)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    if (trace->file_count == 0 || !is_as_written(trace))
        return STELE_ERR_UNSUPPORTED;
    saved_put_u64(out, trace->file_count);
    for (uint32_t i = 0; i < trace->file_count; i++)
        put_file(&trace->files[i], out);
    return out->status;
}

/* ---- Reading ---- */

/* What was saved of a file. */
typedef struct saved_file {
    uint64_t size;
    ctf_found found;
} saved_file;

/* Takes one position where reading can begin; they rise. */
static bool take_seek(cursor *from, uint64_t file_size, const ctf_seek *before, ctf_seek *at)
{
    uint64_t offset;
    int64_t begin, clock, lost;
    if (!saved_take_u64(from, &offset) || !saved_take_i64(from, &begin) ||
        !saved_take_i64(from, &clock) || !saved_take_i64(from, &lost) ||
        offset >= file_size - before->offset)
        return false;
    *at = (ctf_seek){.offset = before->offset + offset,
                     .begin = before->begin + (uint64_t)begin,
                     .clock = before->clock + (uint64_t)clock,
                     .lost = before->lost + (uint64_t)lost};
    return true;
}

/* Returns STELE_ERR_FORMAT if the positions are not valid. */
static stele_status take_seeks(cursor *from, uint64_t file_size, ctf_found *found)
{
    ctf_seek before = {0};
    uint32_t count;
    if (!saved_take_u32(from, &count) || count > CTF_SEEKS_MAX || count > found->packet_count ||
        count > cursor_left(from) || file_size == 0)
        return STELE_ERR_FORMAT;
    if (count == 0)
        return STELE_OK;
    found->seeks = malloc(count * sizeof *found->seeks);
    if (found->seeks == NULL)
        return STELE_ERR_MEMORY;
    found->seek_capacity = count;
    for (uint32_t i = 0; i < count; i++) {
        ctf_seek *at = &found->seeks[found->seek_count];
        if (!take_seek(from, file_size, &before, at) || (i != 0 && at->offset == before.offset))
            return STELE_ERR_FORMAT;
        at->number = i * found->seek_step;
        before = *at;
        found->seek_count++;
    }
    return STELE_OK;
}

static bool take_last(cursor *from, uint64_t file_size, ctf_found *found)
{
    for (unsigned i = 0; i < CTF_LAST_KEPT; i++) {
        ctf_place_bits *last = &found->last[i];
        if (!saved_take_u64(from, &last->offset) || !saved_take_u64(from, &last->content_bits) ||
            !saved_take_u64(from, &last->clock) || last->offset > file_size)
            return false;
    }
    return true;
}

static stele_status take_file(cursor *from, saved_file *file)
{
    ctf_found *found = &file->found;
    uint64_t flags;
    if (!saved_take_u64(from, &flags) || flags > ALL_FLAGS || !saved_take_u64(from, &file->size) ||
        !saved_take_u64(from, &found->packet_count))
        return STELE_ERR_FORMAT;
    found->has_end = (flags & HAS_END) != 0;
    found->has_first_event = (flags & HAS_FIRST) != 0;
    found->has_last_event = (flags & HAS_LAST) != 0;
    found->is_first_unknown = (flags & IS_FIRST_UNKNOWN) != 0;
    found->is_last_open = (flags & IS_LAST_OPEN) != 0;
    found->is_ordered = (flags & IS_ORDERED) != 0;
    if (found->packet_count == 0)
        return STELE_OK;
    if (!saved_take_u64(from, &found->seek_step) || !saved_take_u64(from, &found->end_ticks) ||
        !saved_take_u64(from, &found->lost) || !saved_take_i64(from, &found->first_event_ns) ||
        !saved_take_i64(from, &found->last_event_ns) || !take_last(from, file->size, found))
        return STELE_ERR_FORMAT;
    return take_seeks(from, file->size, found);
}

static void files_free(saved_file *files, uint32_t count)
{
    for (uint32_t i = 0; files != NULL && i < count; i++)
        free(files[i].found.seeks);
    free(files);
}

/* Takes what was saved of all files; to be freed with files_free(). */
static stele_status take_files(const ctf_trace *trace, cursor *from, saved_file **out)
{
    stele_status status = STELE_OK;
    uint32_t count;
    *out = NULL;
    if (!saved_take_u32(from, &count) || count != trace->file_count || count == 0)
        return STELE_ERR_FORMAT;
    *out = calloc(count, sizeof **out);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; status == STELE_OK && i < count; i++)
        status = take_file(from, &(*out)[i]);
    return status == STELE_OK && cursor_left(from) != 0 ? STELE_ERR_FORMAT : status;
}

/* Whether the files have the sizes that were saved; called when their first packets were read. */
static bool sizes_fit(const ctf_trace *trace, const saved_file *saved)
{
    for (uint32_t i = 0; i < trace->file_count; i++) {
        if (trace->files[i].size != saved[i].size)
            return false;
    }
    return true;
}

/* Exchanges what indexing found out about a file for what was saved. */
static void file_set(ctf_file *file, saved_file *saved)
{
    const ctf_found before = file->found;
    file->found = saved->found;
    saved->found = before;
}

stele_status ctf_load_index(stele_trace *base, const uint8_t *bytes, size_t size)
{
    ctf_trace *trace = (ctf_trace *)base;
    cursor from = cursor_make(bytes, size);
    saved_file *saved;
    stele_status status;
    if (!is_as_written(trace))
        return STELE_ERR_UNSUPPORTED;
    status = take_files(trace, &from, &saved);
    if (status == STELE_OK)
        status = ctf_find_first(trace);
    if (status == STELE_OK && !sizes_fit(trace, saved))
        status = STELE_ERR_FORMAT;
    for (uint32_t i = 0; status == STELE_OK && i < trace->file_count; i++)
        file_set(&trace->files[i], &saved[i]);
    files_free(saved, trace->file_count);
    return status == STELE_OK ? ctf_publish(trace) : status;
}
