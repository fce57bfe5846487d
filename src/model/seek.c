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

static void stream_free(seek_stream *stream)
{
    free(stream->blocks);
    free(stream->opened);
    *stream = (seek_stream){0};
}

void seek_index_free(seek_index *index)
{
    if (index == NULL)
        return;
    for (uint32_t i = 0; i < index->stream_count; i++)
        stream_free(&index->streams[i]);
    free(index->streams);
    free(index->states);
    free(index);
}

const seek_stream *seek_index_of(const stele_trace *trace, uint32_t stream)
{
    const seek_index *index = trace->seek;
    uint32_t number = stream - trace->stream_first;
    if (index == NULL)
        return NULL;
    /* With one stream the blocks of PRODUCE_ALL are those of the stream, unless the format has
       others. One block alone does not help: there is nothing to skip. */
    if (stream == PRODUCE_ALL)
        number = trace->stream_count == 1 && !trace->ops->seeks_in_file_order
                     ? 0
                     : index->stream_count - 1;
    return number < index->stream_count && index->streams[number].count > 1
               ? &index->streams[number]
               : NULL;
}

bool seek_stream_opened(const seek_stream *stream, uint32_t *at, uint32_t *depth,
                        const uint64_t **places, uint32_t *count)
{
    for (; *at > 0; --*at) {
        const seek_block *block = &stream->blocks[*at];
        const uint32_t end = *at + 1 < stream->count ? block[1].opened_first : stream->opened_count;
        /* Walking back, `*depth` is how many of the outermost calls are still wanted: those not yet
           given. A block has `kept` calls from before, and `own` that began in the block before
           it. */
        const uint32_t own = end - block->opened_first;
        const uint32_t there = block->kept + own < *depth ? block->kept + own : *depth;
        *depth = block->kept < there ? block->kept : there;
        if (there > *depth) {
            *places = stream->opened + block->opened_first;
            *count = there - *depth;
            --*at;
            return true;
        }
    }
    return false;
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

/* ---- Building blocks ---- */

static uint64_t reported_count(const diag_sink *diag)
{
    return diag->counts[0] + diag->counts[1] + diag->counts[2];
}

/* Adds the state that the producer has just written to those of the index. Returns false if out of
   memory. */
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

/* ---- Calls that are open at blocks ---- */

/* An open call. Its place is the offset in the input of the event that began it. */
typedef struct seek_call {
    uint64_t place;
    stele_name name;
} seek_call;

/* Marks as unknown what is open at the stream's blocks: the order of its events, or which call an
   exit ends, is ambiguous. */
static void forget_open(seek_builder *b)
{
    seek_stream *stream = b->stream;
    free(stream->opened);
    stream->opened = NULL;
    stream->opened_count = stream->opened_capacity = 0;
    stream->knows_open = false;
}

/* Pushes a call. Returns false if it is too deep to follow, or if out of memory. */
static bool call_begin(seek_builder *b, const stele_event *event)
{
    if (b->depth == SEEK_DEPTH_MAX)
        return false;
    if (b->depth == b->capacity) {
        seek_call *grown = array_grow(b->calls, sizeof *grown, &b->capacity, 64);
        if (grown == NULL)
            return false;
        b->calls = grown;
    }
    b->calls[b->depth++] = (seek_call){event->offset, event->name};
    return true;
}

/* Ends the innermost call. Returns false if the exit has another name: it may end an outer call,
   which only a reader with all names can decide. */
static bool call_end(seek_builder *b, const stele_event *event)
{
    if (b->depth == 0)
        return true;
    if (event->name != 0 && b->calls[b->depth - 1].name != event->name)
        return false;
    b->depth--;
    /* `kept` is the lowest depth since the last block began: calls below it stayed open all the
       time. */
    b->kept = b->depth < b->kept ? b->depth : b->kept;
    return true;
}

/* Whether an event of a call is unambiguous: of the one track of the stream, in the order of time,
   without doubtful flags, and not mixed with COMPLETE events. */
static bool is_plain_call(seek_builder *b, const stele_event *event)
{
    const unsigned doubts = STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED;
    if (b->track == 0)
        b->track = event->track;
    if ((event->flags & doubts) != 0 || (event->name & STELE_NAME_LOCAL) != 0 ||
        event->track != b->track || event->time_ns < b->last_ns || b->has_lengths)
        return false;
    b->last_ns = event->time_ns;
    return true;
}

/* Follows an event. Returns false if open calls are unknown from here on: kinds whose spans do not
   nest on a stack cannot be followed. */
static bool follow_event(seek_builder *b, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_BEGIN: return is_plain_call(b, event) && call_begin(b, event);
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: return is_plain_call(b, event) && call_end(b, event);
    case STELE_KIND_COMPLETE: b->has_lengths = true; return b->track == 0;
    case STELE_KIND_METADATA:
    case STELE_KIND_OBJECT: return true;
    default: return false;
    }
}

/* Follows the events of a batch, and gives up for the whole stream at the first ambiguous one. */
static void follow(seek_builder *b, const stele_batch *batch)
{
    for (uint32_t i = 0; i < batch->event_count; i++) {
        if (!follow_event(b, &batch->events[i])) {
            forget_open(b);
            return;
        }
    }
}

/* Stores which calls are open where a block begins; each takes about three bytes in a file. Gives
   up if they take too much. */
static void note_open(seek_builder *b, seek_block *block)
{
    seek_stream *stream = b->stream;
    block->kept = b->kept;
    block->opened_first = stream->opened_count;
    for (; stream->knows_open && b->kept < b->depth; b->kept++) {
        if (stream->opened_count > block->position / 384 + SEEK_DEPTH_MAX) {
            forget_open(b);
            return;
        }
        if (stream->opened_count == stream->opened_capacity) {
            uint64_t *grown =
                array_grow(stream->opened, sizeof *grown, &stream->opened_capacity, 64);
            if (grown == NULL) {
                forget_open(b);
                return;
            }
            stream->opened = grown;
        }
        stream->opened[stream->opened_count++] = b->calls[b->kept].place;
    }
}

/* ---- Blocks of a stream ---- */

/* Sets how far the next block is from the last one, at least. */
static void set_distance(seek_builder *b, const seek_block *block)
{
    b->distance = b->block_size;
    if (b->block_size == SEEK_BLOCK_SIZE &&
        b->distance < (uint64_t)block->state_size * SEEK_STATE_SHARE)
        b->distance = (uint64_t)block->state_size * SEEK_STATE_SHARE;
}

/* Begins a block at the producer's position. What the producer has reported so far belongs to the
   block before. */
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
    note_open(b, &block);
    stream->blocks[stream->count++] = block;
    set_distance(b, &block);
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
    b->last_ns = INT64_MIN;
    b->stream->knows_open = true;
    const stele_status status = output_open_memory(diag, &b->state);
    if (status != STELE_OK)
        return status;
    if (from->ops->mark == NULL || !block_begin(b))
        stream_free(b->stream);
    return STELE_OK;
}

stele_status seek_builder_resume(seek_builder *b, seek_index *index, uint32_t stream,
                                 producer *from, diag_sink *diag)
{
    seek_stream *of = &index->streams[stream];
    seek_block *last = of->count != 0 ? &of->blocks[of->count - 1] : NULL;
    cursor state;
    if (last == NULL || from->ops->seek == NULL || of->opened_count != 0)
        return STELE_ERR_UNSUPPORTED;
    state = cursor_make(index->states + last->state, last->state_size);
    if (!from->ops->seek(from, last->position, &state) || cursor_left(&state) != 0)
        return STELE_ERR_UNSUPPORTED;
    *b = (seek_builder){.index = index,
                        .stream = of,
                        .from = from,
                        .diag = diag,
                        .block_size = SEEK_BLOCK_SIZE,
                        .reported_count = reported_count(diag),
                        .lost_count = from->lost_count,
                        .missing_count = from->missing_count,
                        .skipped_size = from->balance.skipped_size,
                        .last_ns = INT64_MIN,
                        .has_lengths = true};
    set_distance(b, last);
    last->begin_ns = INT64_MAX;
    last->end_ns = INT64_MIN;
    last->is_whole = false;
    return output_open_memory(diag, &b->state);
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
        block->is_whole |= seek_event_is_always(event);
    }
    block->begin_ns = begin_ns;
    block->end_ns = end_ns;
}

/* Marks a block as whole, which is then never skipped, if the producer counted or reported anything
   in it: that must not depend on the range of time that is asked for. */
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
    if (stream->knows_open)
        follow(b, batch);
    if (b->from->position < block->position || b->from->position - block->position < b->distance)
        return;
    output_clear(b->state);
    if (b->from->ops->mark(b->from, b->state) && !block_begin(b))
        stream_free(b->stream);
}

void seek_builder_close(seek_builder *b)
{
    if (b->stream->count != 0)
        block_note(b, &b->stream->blocks[b->stream->count - 1]);
    output_close(b->state);
    free(b->calls);
    b->state = NULL;
    b->calls = NULL;
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

/* ---- Blocks as bytes of an index file ---- */

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
