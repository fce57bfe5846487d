/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of seek.h as bytes of an index file, which docs/index.md describes. The bytes may be
 * damaged: nothing is believed before it is checked, counts are compared with the bytes that are
 * left, so that no number of a file makes a large allocation, and positions must rise from block to
 * block. A file that fails is not used at all.
 */
#include "model/seek.h"

#include <stdlib.h>

#include "model/saved_index.h"

/* Times are written as differences to the times before. */
static void put_time(output *out, int64_t *before, int64_t time_ns)
{
    saved_put_i64(out, (int64_t)((uint64_t)time_ns - (uint64_t)*before));
    *before = time_ns;
}

static bool take_time(cursor *from, int64_t *before, int64_t *time_ns)
{
    int64_t distance;
    if (!saved_take_i64(from, &distance))
        return false;
    *time_ns = *before = (int64_t)((uint64_t)*before + (uint64_t)distance);
    return true;
}

/* Flags in the lowest bits of a block's number; a block without events has no times. */
#define FLAG_WHOLE 1u
#define FLAG_TIMES 2u
#define FLAG_BITS  2u

void seek_index_put(const seek_index *index, output *out)
{
    for (uint32_t i = 0; i < index->stream_count; i++) {
        const seek_stream *stream = &index->streams[i];
        seek_block last = {0};
        saved_put_u64(out, stream->count);
        for (uint32_t k = 0; k < stream->count; k++) {
            const seek_block *b = &stream->blocks[k];
            const bool has_times = b->begin_ns <= b->end_ns;
            saved_put_u64(out, b->position - last.position);
            saved_put_u64(out, (uint64_t)b->state_size << FLAG_BITS |
                                   (b->is_whole ? FLAG_WHOLE : 0) | (has_times ? FLAG_TIMES : 0));
            last.position = b->position;
            if (has_times) {
                put_time(out, &last.begin_ns, b->begin_ns);
                put_time(out, &last.end_ns, b->end_ns);
            }
            output_write(out, index->states + b->state, b->state_size);
        }
    }
}

/* Writes for each stream whether open calls are known, and for each block how many calls stay open,
   how many are new, and where those began, as differences to the places before. */
void seek_opened_put(const seek_index *index, output *out)
{
    for (uint32_t i = 0; i < index->stream_count; i++) {
        const seek_stream *stream = &index->streams[i];
        uint64_t last = 0;
        saved_put_u64(out, stream->knows_open);
        for (uint32_t k = 0; stream->knows_open && k < stream->count; k++) {
            const seek_block *b = &stream->blocks[k];
            const uint32_t end = k + 1 < stream->count ? b[1].opened_first : stream->opened_count;
            saved_put_u64(out, b->kept);
            saved_put_u64(out, end - b->opened_first);
            for (uint32_t at = b->opened_first; at < end; at++) {
                saved_put_i64(out, (int64_t)(stream->opened[at] - last));
                last = stream->opened[at];
            }
        }
    }
}

static bool take_opened(seek_stream *stream, cursor *from)
{
    uint64_t last = 0;
    uint32_t depth = 0;
    stream->opened = malloc((cursor_left(from) + 1) * sizeof *stream->opened);
    if (stream->opened == NULL)
        return false;
    for (uint32_t k = 0; k < stream->count; k++) {
        seek_block *b = &stream->blocks[k];
        uint32_t count;
        if (!saved_take_u32(from, &b->kept) || !saved_take_u32(from, &count) || b->kept > depth ||
            count > cursor_left(from) || count > SEEK_DEPTH_MAX - b->kept)
            return false;
        b->opened_first = stream->opened_count;
        for (depth = b->kept + count; count > 0; count--) {
            int64_t distance;
            if (!saved_take_i64(from, &distance))
                return false;
            stream->opened[stream->opened_count++] = last += (uint64_t)distance;
        }
    }
    return true;
}

void seek_opened_forget(seek_index *index)
{
    for (uint32_t i = 0; i < index->stream_count; i++)
        index->streams[i].knows_open = false;
}

bool seek_opened_take(seek_index *index, cursor *from)
{
    for (uint32_t i = 0; i < index->stream_count; i++) {
        seek_stream *stream = &index->streams[i];
        uint64_t is_known;
        if (!saved_take_u64(from, &is_known) || (is_known != 0 && !take_opened(stream, from)))
            return false;
        stream->knows_open = is_known != 0;
    }
    return cursor_left(from) == 0;
}

static bool take_block(seek_index *index, seek_block *b, seek_block *last, cursor *from)
{
    uint64_t distance, flags;
    const uint8_t *state;
    if (!saved_take_u64(from, &distance) || !saved_take_u64(from, &flags) ||
        distance > UINT64_MAX - last->position || flags >> FLAG_BITS > UINT32_MAX)
        return false;
    last->position += distance;
    *b = (seek_block){.position = last->position,
                      .begin_ns = INT64_MAX,
                      .end_ns = INT64_MIN,
                      .state = index->state_size,
                      .state_size = (uint32_t)(flags >> FLAG_BITS),
                      .is_whole = (flags & FLAG_WHOLE) != 0};
    if ((flags & FLAG_TIMES) != 0 && (!take_time(from, &last->begin_ns, &b->begin_ns) ||
                                      !take_time(from, &last->end_ns, &b->end_ns)))
        return false;
    state = cursor_take(from, b->state_size);
    if (state == NULL)
        return false;
    memcpy(index->states + index->state_size, state, b->state_size);
    index->state_size += b->state_size;
    return true;
}

/* Reads the blocks of a stream. A block has at least two bytes, which bounds their number. */
static bool take_stream(seek_index *index, seek_stream *stream, cursor *from, stele_status *status)
{
    seek_block last = {0};
    uint32_t count;
    if (!saved_take_u32(from, &count) || count > cursor_left(from) / 2)
        return false;
    stream->blocks = malloc(((size_t)count + 1) * sizeof *stream->blocks);
    if (stream->blocks == NULL) {
        *status = STELE_ERR_MEMORY;
        return false;
    }
    stream->capacity = count + 1;
    for (; stream->count < count; stream->count++) {
        seek_block *b = &stream->blocks[stream->count];
        if (!take_block(index, b, &last, from) ||
            (stream->count != 0 && b->position <= b[-1].position))
            return false;
    }
    return true;
}

seek_index *seek_index_take(cursor *from, uint32_t stream_count, stele_status *status)
{
    seek_index *index = NULL;
    bool is_sound = true;
    *status = STELE_OK;
    if (stream_count >= cursor_left(from))
        return NULL;
    index = seek_index_new(stream_count);
    /* All states together are smaller than the bytes that contain them. */
    if (index != NULL)
        index->states = malloc(cursor_left(from) + 1);
    if (index == NULL || index->states == NULL) {
        seek_index_free(index);
        *status = STELE_ERR_MEMORY;
        return NULL;
    }
    index->state_capacity = cursor_left(from) + 1;
    for (uint32_t i = 0; i < index->stream_count && is_sound; i++)
        is_sound = take_stream(index, &index->streams[i], from, status);
    if (is_sound)
        return index;
    seek_index_free(index);
    return NULL;
}
