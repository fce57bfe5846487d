/* SPDX-License-Identifier: Apache-2.0 */
#include "model/seek.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/batch.h"
#include "model/saved_index.h"

seek_index *seek_index_new(uint32_t stream_count)
{
    seek_index *index = calloc(1, sizeof *index);
    if (index == NULL)
        return NULL;
    index->stream_count = stream_count + 1;
    index->streams = calloc(index->stream_count, sizeof *index->streams);
    if (index->streams != NULL)
        return index;
    free(index);
    return NULL;
}

void seek_index_free(seek_index *index)
{
    if (index == NULL)
        return;
    for (uint32_t i = 0; i < index->stream_count; i++)
        free(index->streams[i].blocks);
    free(index->streams);
    free(index->states);
    free(index);
}

bool seek_index_is_useful(const seek_index *index)
{
    for (uint32_t i = 0; index != NULL && i < index->stream_count; i++) {
        if (index->streams[i].count > 1)
            return true;
    }
    return false;
}

const seek_stream *seek_index_of(const stele_trace *trace, uint32_t stream)
{
    const seek_index *index = trace->seek;
    uint32_t number = stream - trace->stream_first;
    if (index == NULL)
        return NULL;
    if (stream == PRODUCE_ALL)
        number = trace->stream_count == 1 && !trace->ops->seeks_in_file_order
                     ? 0
                     : index->stream_count - 1;
    return number < index->stream_count && index->streams[number].count > 1
               ? &index->streams[number]
               : NULL;
}

uint32_t seek_stream_find(const seek_stream *stream, uint64_t position)
{
    uint32_t low = 0, high = stream->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->blocks[middle].position <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Building ---- */

static uint64_t reported_count(const diag_sink *diag)
{
    return diag->counts[0] + diag->counts[1] + diag->counts[2];
}

static void stream_drop(seek_builder *b)
{
    free(b->stream->blocks);
    *b->stream = (seek_stream){0};
}

/* The state that was just made, copied to all others. */
static bool index_add_state(seek_index *index, output *made, seek_block *block)
{
    size_t size;
    const uint8_t *bytes = output_memory(made, &size);
    if (made->status != STELE_OK || size > UINT32_MAX)
        return false;
    while (index->state_capacity - index->state_size < size) {
        uint8_t *grown = array_grow_size(index->states, 1, &index->state_capacity, 4096);
        if (grown == NULL)
            return false;
        index->states = grown;
    }
    if (size != 0)
        memcpy(index->states + index->state_size, bytes, size);
    block->state = index->state_size;
    block->state_size = (uint32_t)size;
    index->state_size += size;
    return true;
}

/* A block begins where the producer is; what it has reported belongs to the one before. */
static bool block_begin(seek_builder *b)
{
    seek_stream *stream = b->stream;
    seek_block block = {.position = b->from->position, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
    if (stream->count == stream->capacity) {
        seek_block *grown = array_grow(stream->blocks, sizeof *grown, &stream->capacity, 64);
        if (grown == NULL)
            return false;
        stream->blocks = grown;
    }
    if (!index_add_state(b->index, b->state, &block))
        return false;
    stream->blocks[stream->count++] = block;
    b->distance = b->block_size;
    if (b->block_size == SEEK_BLOCK_SIZE &&
        b->distance < (uint64_t)block.state_size * SEEK_STATE_SHARE)
        b->distance = (uint64_t)block.state_size * SEEK_STATE_SHARE;
    return true;
}

stele_status seek_builder_open(seek_builder *b, seek_index *index, uint32_t stream,
                               uint64_t block_size, const producer *from, diag_sink *diag)
{
    *b = (seek_builder){.index = index,
                        .stream = &index->streams[stream],
                        .from = from,
                        .diag = diag,
                        .block_size = block_size};
    b->reported_count = reported_count(diag);
    const stele_status status = output_open_memory(diag, &b->state);
    if (status != STELE_OK)
        return status;
    if (from->ops->mark == NULL || !block_begin(b))
        stream_drop(b);
    return STELE_OK;
}

/* Whether an event is shown whatever range is asked for, as a filter judges. */
static bool has_no_range(const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) != 0 &&
           (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA);
}

static void block_take(seek_block *block, const stele_batch *batch)
{
    int64_t begin_ns = block->begin_ns, end_ns = block->end_ns;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        const bool has_end = event->kind == STELE_KIND_COMPLETE ||
                             (event->kind == STELE_KIND_LOST && event->id != 0);
        const int64_t last_ns =
            has_end && (int64_t)event->id > event->time_ns ? (int64_t)event->id : event->time_ns;
        begin_ns = event->time_ns < begin_ns ? event->time_ns : begin_ns;
        end_ns = last_ns > end_ns ? last_ns : end_ns;
        block->is_whole |= has_no_range(event);
    }
    block->begin_ns = begin_ns;
    block->end_ns = end_ns;
}

/* What a producer counts and reports is the same whatever range is asked for. */
static void block_note(seek_builder *b, seek_block *block)
{
    const producer *from = b->from;
    const uint64_t reported = reported_count(b->diag);
    block->is_whole |=
        from->lost_count != b->lost_count || from->missing_count != b->missing_count ||
        from->balance.skipped_size != b->skipped_size || reported != b->reported_count;
    b->lost_count = from->lost_count;
    b->missing_count = from->missing_count;
    b->skipped_size = from->balance.skipped_size;
    b->reported_count = reported;
}

void seek_builder_take(seek_builder *b, const stele_batch *batch)
{
    seek_stream *stream = b->stream;
    seek_block *block;
    if (stream->count == 0)
        return;
    block = &stream->blocks[stream->count - 1];
    block_take(block, batch);
    block_note(b, block);
    if (b->from->position < block->position || b->from->position - block->position < b->distance)
        return;
    output_clear(b->state);
    if (b->from->ops->mark(b->from, b->state) && !block_begin(b))
        stream_drop(b);
}

void seek_builder_close(seek_builder *b)
{
    if (b->stream->count != 0)
        block_note(b, &b->stream->blocks[b->stream->count - 1]);
    output_close(b->state);
    b->state = NULL;
}

static stele_status build_stream(stele_trace *trace, seek_index *index, uint32_t number,
                                 uint64_t block_size, stele_batch *batch)
{
    stele_context *context = trace->context;
    const produce_request request = {
        .stream = number < trace->stream_count ? trace->stream_first + number : PRODUCE_ALL,
        .columns = STELE_COLUMN_TIME | STELE_COLUMN_VALUE,
        .kinds = STELE_KINDS_ALL,
        .begin_ns = INT64_MIN,
        .end_ns = INT64_MAX,
        .window_size = context->limits.window_size};
    seek_builder b;
    producer *from;
    stele_status status = trace->ops->produce(trace, &request, &from);
    if (status != STELE_OK)
        return status;
    status = from->ops->mark == NULL
                 ? STELE_ERR_UNSUPPORTED
                 : seek_builder_open(&b, index, number, block_size, from, &context->diag);
    if (status == STELE_OK) {
        while ((status = from->ops->fill(from, batch)) == STELE_OK)
            seek_builder_take(&b, batch);
        seek_builder_close(&b);
    }
    from->ops->close(from);
    return status == STELE_END ? STELE_OK : status;
}

stele_status seek_build(stele_trace *trace, uint64_t block_size)
{
    stele_context *context = trace->context;
    const diag_sink diag = context->diag;
    const stele_balance balance = trace->balance;
    seek_index *index;
    stele_batch *batch;
    stele_status status = STELE_OK;
    if (trace->seek != NULL)
        return STELE_OK;
    index = seek_index_new(trace->stream_count);
    if (index == NULL ||
        stele_batch_new(block_size < SEEK_BLOCK_SIZE ? 1 : 0, &batch) != STELE_OK) {
        seek_index_free(index);
        return STELE_ERR_MEMORY;
    }
    context->diag.fn = NULL;
    const uint32_t count = index->stream_count - !trace->ops->seeks_in_file_order;
    for (uint32_t i = 0; i < count && status == STELE_OK; i++)
        status = build_stream(trace, index, i, block_size, batch);
    memcpy(context->diag.counts, diag.counts, sizeof diag.counts);
    context->diag.fn = diag.fn;
    trace->balance = balance;
    stele_batch_free(batch);
    if (status == STELE_OK)
        trace->seek = index;
    else
        seek_index_free(index);
    return status;
}

/* ---- As bytes ---- */

/* Times are written by what they differ from the ones before. */
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

/* Blocks without events have no times. */
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

/* A block has two bytes at least. */
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
    /* All states are less than the bytes that they are in. */
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
