/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the blocks of reading FDR buffers in file order out of those of the threads. Buffers are
 * walked over as they lie in the file:
 *
 *     file       | buffer of A | buffer of B     | buffer of A | ...
 *     thread A   |..grains.....:.................|..grains..   |
 *     thread B                 |..grains..|..grains..|
 *
 * A block may begin before a buffer, or inside of one where a block of its thread begins. Its times
 * are those of the grains that lie in it, or partly in it: none is left out.
 */
#include <stdlib.h>

#include "core/output.h"
#include "formats/xray/read/fdr.h"
#include "formats/xray/trace.h"
#include "model/seek.h"

/* A buffer with the place of its first byte among all bytes of its thread. */
typedef struct piece {
    const xray_range *range;
    uint64_t position, size;
    const seek_stream *stream;
} piece;

typedef struct file_walk {
    seek_index *index;
    seek_stream *to;
    seek_block block; /* the one that is being made */
    output *state;    /* where it begins */
    uint64_t block_size;
} file_walk;

static int piece_compare(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    return a->range->begin < b->range->begin ? -1 : a->range->begin > b->range->begin;
}

/* Makes the pieces in file order. Returns NULL if out of memory, or if grains are missing. */
static piece *pieces_find(const xray_trace *trace, const seek_index *index)
{
    const uint64_t size = source_input(trace->base.source)->size;
    piece *pieces = calloc(trace->range_count + 1, sizeof *pieces);
    uint64_t position = 0;
    bool is_good = pieces != NULL;
    for (size_t i = 0; i < trace->range_count && is_good; i++) {
        const xray_range *range = &trace->ranges[i];
        const bool is_last = i + 1 == trace->range_count || range[1].thread != range->thread;
        const uint32_t number = trace->threads[range->thread].stream - trace->base.stream_first;
        const seek_stream *stream = number < index->stream_count ? &index->streams[number] : NULL;
        piece *p = &pieces[i];
        *p = (piece){.range = range, .position = position, .stream = stream};
        p->size = range->end - range->begin;
        position += p->size;
        is_good = stream != NULL && range->end <= size && !range->is_cut && stream->count != 0 &&
                  stream->grain_count != 0;
        if (is_good && is_last) {
            is_good = stream->grains[stream->grain_count - 1].end == position;
            position = 0;
        }
    }
    if (!is_good) {
        free(pieces);
        return NULL;
    }
    qsort(pieces, trace->range_count, sizeof *pieces, piece_compare);
    return pieces;
}

/* Ends the block that is being made. Returns false if out of memory. */
static bool block_end(file_walk *w)
{
    const bool is_added = seek_stream_add(w->index, w->to, &w->block, w->state);
    output_clear(w->state);
    return is_added;
}

/* Begins a block, whose state the caller writes. Returns false if out of memory. */
static bool block_begin(file_walk *w, uint64_t position)
{
    if (!block_end(w))
        return false;
    w->block = (seek_block){.position = position, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
    return true;
}

static bool is_due(const file_walk *w, uint64_t position)
{
    return position - w->block.position >= w->block_size;
}

/* The first grain that ends after a position. */
static uint32_t grain_find(const seek_stream *stream, uint64_t position)
{
    uint32_t low = 0, high = stream->grain_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->grains[middle].end > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Adds what lies in a range of positions of a thread to the block. A grain without bytes is at the
   end of what was read before it. */
static void take_grains(file_walk *w, const seek_stream *stream, uint64_t begin, uint64_t end)
{
    uint32_t i = grain_find(stream, begin);
    seek_block *block = &w->block;
    for (; i < stream->grain_count; i++) {
        const seek_grain *grain = &stream->grains[i];
        const uint64_t from = i != 0 ? grain[-1].end : 0;
        if (from >= end && grain->end != end)
            break;
        block->begin_ns = grain->begin_ns < block->begin_ns ? grain->begin_ns : block->begin_ns;
        block->end_ns = grain->end_ns > block->end_ns ? grain->end_ns : block->end_ns;
        block->is_whole |= grain->is_whole;
    }
}

/* Walks over a buffer. Returns false if out of memory, or if a state cannot be known. */
static bool walk_piece(file_walk *w, const piece *p)
{
    const seek_stream *stream = p->stream;
    const uint64_t end = p->position + p->size;
    uint64_t from = p->position;
    for (uint32_t i = seek_stream_find(stream, from) + 1; i < stream->count; i++) {
        const seek_block *own = &stream->blocks[i];
        const uint64_t place = p->range->begin + (own->position - p->position);
        if (own->position >= end)
            break;
        if (!is_due(w, place))
            continue;
        take_grains(w, stream, from, own->position);
        from = own->position;
        if (!block_begin(w, place) ||
            !fdr_put_in_file(p->range, cursor_make(w->index->states + own->state, own->state_size),
                             w->state))
            return false;
    }
    take_grains(w, stream, from, end);
    return true;
}

static bool walk(file_walk *w, const piece *pieces, size_t count)
{
    uint64_t next = XRAY_HEADER_SIZE;
    fdr_put_between(next, w->state);
    for (size_t i = 0; i < count; i++) {
        if (i != 0 && is_due(w, next)) {
            if (!block_begin(w, next))
                return false;
            fdr_put_between(next, w->state);
        }
        if (pieces[i].range->begin < next || !walk_piece(w, &pieces[i]))
            return false;
        next = pieces[i].range->end;
    }
    return block_end(w);
}

bool xray_file_blocks(const stele_trace *base, seek_index *index, uint64_t block_size)
{
    const xray_trace *trace = (const xray_trace *)base;
    file_walk w = {.index = index,
                   .to = &index->streams[index->stream_count - 1],
                   .block = {.begin_ns = INT64_MAX, .end_ns = INT64_MIN},
                   .block_size = block_size};
    piece *pieces;
    bool is_made = false;
    if (trace->mode != XRAY_MODE_FDR || trace->header.version == 1 || trace->range_count == 0 ||
        trace->outside.skipped_size != 0)
        return false;
    pieces = pieces_find(trace, index);
    if (pieces != NULL && output_open_memory(&base->context->diag, &w.state) == STELE_OK) {
        is_made = walk(&w, pieces, trace->range_count);
        output_close(w.state);
    }
    free(pieces);
    if (!is_made)
        seek_stream_free(w.to);
    return is_made;
}
