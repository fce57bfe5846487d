/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where reading can go on in the middle of a trace. Each stream is cut into blocks; of each block
 * it is known when its events are, and what state a producer is in where the block begins. A
 * producer that takes that state over (producer_ops.seek) gives the same events as one that has
 * read all that stands before.
 *
 * flow/seek.c passes over blocks by it, and docs/index.md has how it is kept in a file.
 */
#ifndef MODEL_SEEK_H
#define MODEL_SEEK_H

#include "core/cursor.h"
#include "model/trace.h"

/* Blocks are at least so long, and longer where their states would take more than a part of it. */
#define SEEK_BLOCK_SIZE  ((uint64_t)256 << 10)
#define SEEK_STATE_SHARE 128u

typedef struct seek_block {
    uint64_t position;        /* of the producer at its start; rises from block to block */
    int64_t begin_ns, end_ns; /* of all its events; INT64_MAX, INT64_MIN: it has none */
    size_t state;             /* place of the producer's state among the index' states */
    uint32_t state_size;
    bool is_whole; /* never passed over: it holds what is reported, counted or shown whatever range
                      of time is asked for */
    uint32_t kept; /* of the calls that are open where the block before begins, so many of the
                      outermost are open where this one begins; */
    uint32_t opened_first; /* and these, from here to those of the next block, began in that one */
} seek_block;

typedef struct seek_stream {
    seek_block *blocks;
    uint32_t count, capacity;
    uint64_t *opened; /* places of events that began calls, see seek_block.opened_first */
    uint32_t opened_count, opened_capacity;
    bool knows_open; /* what is open where a block begins is known */
} seek_stream;

/* Calls deeper than that are not followed. */
#define SEEK_DEPTH_MAX 4096u

typedef struct seek_index {
    seek_stream *streams;  /* by number of the stream in its trace, and one more: of PRODUCE_ALL */
    uint32_t stream_count; /* of all of these */
    uint8_t *states;
    size_t state_size, state_capacity;
} seek_index;

/* Without blocks, for a trace of so many streams. Returns NULL if out of memory. */
seek_index *seek_index_new(uint32_t stream_count);
void seek_index_free(seek_index *index);

/* The blocks of a stream of the trace, or of PRODUCE_ALL; NULL: there are none of use. */
const seek_stream *seek_index_of(const stele_trace *trace, uint32_t stream);

/* Whether a block can hold events from begin_ns up to, and without, end_ns. */
static inline bool seek_block_is_wanted(const seek_block *b, int64_t begin_ns, int64_t end_ns)
{
    return b->is_whole || (b->begin_ns <= b->end_ns && b->end_ns >= begin_ns &&
                           is_before_end(b->begin_ns, end_ns));
}

/* Whether an event is shown whatever range is asked for, as a filter judges. */
static inline bool seek_event_is_always(const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) != 0 &&
           (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA);
}

/*
 * Calls that are open where block `at` begins, the ones that began last first: gives the number of
 * the block before `at` that some of them began in, their places in the order of the stream, and
 * how many they are; `*depth` is SEEK_DEPTH_MAX at first. False: there are no more.
 */
bool seek_stream_opened(const seek_stream *stream, uint32_t *at, uint32_t *depth,
                        const uint64_t **places, uint32_t *count);

/* The number of the last block that begins at or before a position; the stream has one. */
uint32_t seek_stream_find(const seek_stream *stream, uint64_t position);

/* ---- Building -------------------------------------------------------------------------------- */

/*
 * Makes blocks of what a producer of one stream gives, which is asked for all kinds and has no
 * bounds. Where memory is exhausted the stream only has no blocks.
 */
typedef struct seek_builder {
    seek_index *index;
    seek_stream *stream;
    const producer *from;
    const diag_sink *diag; /* that the producer reports to */
    output *state;
    uint64_t block_size, distance; /* of the next block from the last one, at least */
    uint64_t reported_count, lost_count, missing_count, skipped_size;
    struct seek_call *calls; /* that are open */
    uint32_t depth, capacity;
    uint32_t kept;    /* of those that were open where the last block begins */
    uint32_t track;   /* of all calls; 0: there was none yet */
    int64_t last_ns;  /* of the last event of a call */
    bool has_lengths; /* there were COMPLETE events */
} seek_builder;

/* Blocks are at least of a size: SEEK_BLOCK_SIZE, or less where every place is to be tried, and
   then states may take as much as they need. STELE_ERR_MEMORY. */
stele_status seek_builder_open(seek_builder *b, seek_index *index, uint32_t stream,
                               uint64_t block_size, const producer *from, diag_sink *diag);

/* After each batch that the producer filled. */
void seek_builder_take(seek_builder *b, const stele_batch *batch);

/* After the last one: what the producer reported at its end counts for the last block. */
void seek_builder_close(seek_builder *b);

/*
 * Reads all streams of an indexed trace once, without reporting anything, and makes their blocks,
 * unless there are some. STELE_ERR_UNSUPPORTED: its producers have no states.
 */
stele_status seek_build(stele_trace *trace, uint64_t block_size);

/* ---- As bytes -------------------------------------------------------------------------------- */

void seek_index_put(const seek_index *index, output *out);

/* What is open at blocks, and back, for an index of the same blocks; false where that is not sound:
   it is then not known. */
void seek_opened_put(const seek_index *index, output *out);
bool seek_opened_take(seek_index *index, cursor *from);
void seek_opened_forget(seek_index *index);

/* NULL where they are not sound or, with `*status`, memory is exhausted. */
seek_index *seek_index_take(cursor *from, uint32_t stream_count, stele_status *status);

#endif
