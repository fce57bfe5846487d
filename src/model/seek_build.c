/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the blocks of seek.h from the batches of a producer. Invariants:
 *
 * - The last block of the stream is the open one: its range of time and is_whole grow with every
 *   batch, and are final when the next block begins or the builder is closed.
 * - A block begins only between two batches, where the producer can write its state: what is
 *   counted or reported up to there belongs to the block before.
 * - `calls` has the calls that are open at the producer's position; the outermost `kept` of them
 *   were open where the last block began, too. Once a stream's order is ambiguous, knows_open is
 *   false and stays so: a wrong answer would be worse than reading from the start.
 */
#include "model/seek.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/batch.h"

static uint64_t reported_count(const diag_sink *diag)
{
    return diag->counts[0] + diag->counts[1] + diag->counts[2];
}

/* Adds the state that the producer has just written to those of the index. Returns false if out of
   memory. */
static bool index_add_state(seek_index *index, const output *made, seek_block *block)
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

/* A block has about so many grains. */
#define GRAINS 16u

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

/* Whether an event of a call is unambiguous: of the one track of the stream, not before the last
   one, and without doubtful flags. */
static inline bool is_clear(const stele_event *event, uint32_t track, int64_t last_ns)
{
    const unsigned doubts = STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED;
    return (event->flags & doubts) == 0 && (event->name & STELE_NAME_LOCAL) == 0 &&
           event->track == track && event->time_ns >= last_ns;
}

/* Whether an event of a call is unambiguous, which it is not where COMPLETE events are, too. */
static bool is_plain_call(seek_builder *b, const stele_event *event)
{
    if (b->track == 0)
        b->track = event->track;
    if (!is_clear(event, b->track, b->last_ns) || b->has_lengths)
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

/*
 * Follows entries and exits as follow_event() does, with what changes in local variables, as long
 * as there is room and nothing is ambiguous. Returns the first event that it did not take.
 */
static const stele_event *follow_calls(seek_builder *b, const stele_event *event,
                                       const stele_event *end)
{
    seek_call *const calls = b->calls;
    const uint32_t track = b->track;
    const uint32_t room = b->capacity < SEEK_DEPTH_MAX ? b->capacity : SEEK_DEPTH_MAX;
    uint32_t depth = b->depth, kept = b->kept;
    int64_t last_ns = b->last_ns;
    for (; event != end && is_clear(event, track, last_ns); event++) {
        if (event->kind == STELE_KIND_BEGIN && depth < room) {
            calls[depth++] = (seek_call){event->offset, event->name};
        } else if ((event->kind == STELE_KIND_END || event->kind == STELE_KIND_TAIL_EXIT) &&
                   depth != 0 && (event->name == 0 || calls[depth - 1].name == event->name)) {
            depth--;
            kept = depth < kept ? depth : kept;
        } else {
            break;
        }
        last_ns = event->time_ns;
    }
    b->depth = depth;
    b->kept = kept;
    b->last_ns = last_ns;
    return event;
}

/* Follows the events of a batch, and gives up for the whole stream at the first ambiguous one.
   Returns whether all are plain entries and exits, in the order of time. */
static bool follow(seek_builder *b, const stele_batch *batch)
{
    const stele_event *event = batch->events, *const end = event + batch->event_count;
    bool are_plain = true;
    while (event != end) {
        if (!b->has_lengths)
            event = follow_calls(b, event, end);
        if (event == end)
            break;
        are_plain = false;
        if (!follow_event(b, event++)) {
            forget_open(b);
            break;
        }
    }
    return are_plain && batch->event_count != 0;
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

bool seek_stream_add(seek_index *index, seek_stream *stream, const seek_block *block,
                     const output *state)
{
    seek_block made = *block;
    if (stream->count == stream->capacity) {
        seek_block *grown = array_grow(stream->blocks, sizeof *grown, &stream->capacity, 64);
        if (grown == NULL)
            return false;
        stream->blocks = grown;
    }
    if (!index_add_state(index, state, &made))
        return false;
    stream->blocks[stream->count++] = made;
    return true;
}

/* Begins a block at the producer's position. What the producer has reported so far belongs to the
   block before. */
static bool block_begin(seek_builder *b)
{
    const seek_block block = {
        .position = b->from->position, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
    seek_block *made;
    if (!seek_stream_add(b->index, b->stream, &block, b->state))
        return false;
    made = &b->stream->blocks[b->stream->count - 1];
    note_open(b, made);
    set_distance(b, made);
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
        seek_stream_free(b->stream);
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

/* Finds what a batch has. */
static inline seek_grain grain_of(const stele_batch *batch)
{
    const uint64_t have_end = STELE_KIND_BIT(STELE_KIND_COMPLETE) | STELE_KIND_BIT(STELE_KIND_LOST);
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    bool is_whole = false;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        const int64_t time_ns = event->time_ns;
        begin_ns = time_ns < begin_ns ? time_ns : begin_ns;
        end_ns = time_ns > end_ns ? time_ns : end_ns;
        if ((have_end & STELE_KIND_BIT(event->kind)) != 0 && (int64_t)event->id > end_ns &&
            (event->kind == STELE_KIND_COMPLETE || event->id != 0))
            end_ns = (int64_t)event->id;
        is_whole |= seek_event_is_always(event);
    }
    return (seek_grain){0, begin_ns, end_ns, is_whole};
}

/* Finds what a batch of complete events has. Returns false if it has others, or none. */
static inline bool grain_of_complete(const stele_batch *batch, seek_grain *found)
{
    const stele_event *event = batch->events, *const end = event + batch->event_count;
    int64_t begin_ns = INT64_MAX, last_ns = INT64_MIN, end_ns = INT64_MIN;
    for (; event != end && event->kind == STELE_KIND_COMPLETE; event++) {
        begin_ns = event->time_ns < begin_ns ? event->time_ns : begin_ns;
        last_ns = event->time_ns > last_ns ? event->time_ns : last_ns;
        end_ns = (int64_t)event->id > end_ns ? (int64_t)event->id : end_ns;
    }
    *found = (seek_grain){.begin_ns = begin_ns, .end_ns = end_ns > last_ns ? end_ns : last_ns};
    return event == end && batch->event_count != 0;
}

/* Whether the producer counted or reported anything since the last call. Where it did, the block is
   never skipped: that must not depend on the range of time that is asked for. */
static bool has_noted(seek_builder *b)
{
    const producer *from = b->from;
    const uint64_t reported = reported_count(b->diag);
    const bool has = from->lost_count != b->lost_count || from->missing_count != b->missing_count ||
                     from->balance.skipped_size != b->skipped_size || reported != b->reported_count;
    b->lost_count = from->lost_count;
    b->missing_count = from->missing_count;
    b->skipped_size = from->balance.skipped_size;
    b->reported_count = reported;
    return has;
}

/* Adds a batch, which ends at a position, to the last grain of the stream, or begins one. Returns
   false if out of memory. */
static bool grains_add(seek_builder *b, uint64_t position, const seek_grain *more)
{
    seek_stream *stream = b->stream;
    const seek_block *block = &stream->blocks[stream->count - 1];
    seek_grain *last = stream->grain_count != 0 ? &stream->grains[stream->grain_count - 1] : NULL;
    const uint64_t begin = stream->grain_count > 1 ? last[-1].end : 0;
    if (last == NULL || last->end <= block->position || last->end - begin >= b->grain_size) {
        if (stream->grain_count == stream->grain_capacity) {
            seek_grain *grown =
                array_grow(stream->grains, sizeof *grown, &stream->grain_capacity, 64);
            if (grown == NULL)
                return false;
            stream->grains = grown;
        }
        last = &stream->grains[stream->grain_count++];
        *last = (seek_grain){.begin_ns = INT64_MAX, .end_ns = INT64_MIN};
    }
    last->end = position;
    last->begin_ns = more->begin_ns < last->begin_ns ? more->begin_ns : last->begin_ns;
    last->end_ns = more->end_ns > last->end_ns ? more->end_ns : last->end_ns;
    last->is_whole |= more->is_whole;
    return true;
}

/* Adds what was found in a batch to the last block, and to the grains if they are wanted. */
static void block_add(seek_builder *b, const seek_grain *more)
{
    seek_stream *stream = b->stream;
    seek_block *block = &stream->blocks[stream->count - 1];
    block->begin_ns = more->begin_ns < block->begin_ns ? more->begin_ns : block->begin_ns;
    block->end_ns = more->end_ns > block->end_ns ? more->end_ns : block->end_ns;
    block->is_whole |= more->is_whole;
    if (b->grain_size != 0 && !grains_add(b, b->from->position, more))
        b->grain_size = stream->grain_count = 0; /* file_blocks() finds that they are too few */
}

void seek_builder_want_grains(seek_builder *b)
{
    b->grain_size = b->block_size / GRAINS + 1;
}

void seek_builder_await(seek_builder *b)
{
    b->reported_count = reported_count(b->diag);
}

void seek_builder_take(seek_builder *b, const stele_batch *batch)
{
    seek_stream *stream = b->stream;
    const seek_block *block;
    seek_grain found;
    if (stream->count == 0)
        return;
    block = &stream->blocks[stream->count - 1];
    if (b->has_lengths && b->track == 0 && grain_of_complete(batch, &found))
        found.is_whole = false;
    else if (stream->knows_open && follow(b, batch))
        found = (seek_grain){.begin_ns = batch->events[0].time_ns,
                             .end_ns = batch->events[batch->event_count - 1].time_ns};
    else
        found = grain_of(batch);
    found.is_whole |= has_noted(b);
    block_add(b, &found);
    if (b->from->position < block->position || b->from->position - block->position < b->distance)
        return;
    output_clear(b->state);
    if (b->from->ops->mark(b->from, b->state) && !block_begin(b))
        seek_stream_free(b->stream);
}

void seek_builder_close(seek_builder *b)
{
    const seek_grain end = {.begin_ns = INT64_MAX, .end_ns = INT64_MIN, .is_whole = has_noted(b)};
    if (b->stream->count != 0)
        block_add(b, &end);
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
        if (trace->ops->file_blocks != NULL)
            seek_builder_want_grains(&b);
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
    for (uint32_t i = 0; i < count && status == STELE_OK; i++) {
        if (i < trace->stream_count || trace->ops->file_blocks == NULL ||
            !trace->ops->file_blocks(trace, index, block_size))
            status = build_stream(trace, index, i, block_size, batch);
    }
    seek_index_free_grains(index);
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
