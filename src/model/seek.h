/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where reading can begin in the middle of a trace. Each stream is divided into blocks. Of each
 * block the index has the range of time of its events, and the state of a producer where the block
 * begins. A producer that takes over that state (producer_ops.seek) gives the same events as one
 * that has read everything before.
 *
 * flow/seek.c skips blocks with it; docs/index.md describes how it is stored in a file.
 */
#ifndef MODEL_SEEK_H
#define MODEL_SEEK_H

#include "core/cursor.h"
#include "model/trace.h"

/* Least size of a block in bytes; blocks are larger if their states would take more than 1 /
   SEEK_STATE_SHARE of it. */
#define SEEK_BLOCK_SIZE  ((uint64_t)256 << 10)
#define SEEK_STATE_SHARE 128u

/* A block of a stream. */
typedef struct seek_block {
    uint64_t position;        /* position of the producer at its start; rises from block to block */
    int64_t begin_ns, end_ns; /* of all its events; INT64_MAX and INT64_MIN: it has none */
    size_t state;             /* offset of the producer's state in seek_index.states */
    uint32_t state_size;
    /* Never skipped: it has something that is reported, counted or shown regardless of the range of
       time that is asked for. */
    bool is_whole;
    /* How many of the calls that were open where the block before begins, counted from the
       outermost, are still open where this one begins. */
    uint32_t kept;
    /* Index in seek_stream.opened of the first call that began in the block before and is open
       where this one begins; the range ends at the next block's opened_first. */
    uint32_t opened_first;
} seek_block;

/* What is in a part of a stream that is much shorter than a block. */
typedef struct seek_grain {
    uint64_t end;             /* position after it; the next one begins there */
    int64_t begin_ns, end_ns; /* as those of a block */
    bool is_whole;            /* as that of a block */
} seek_grain;

/* The blocks of a stream. */
typedef struct seek_stream {
    seek_block *blocks;
    uint32_t count, capacity;
    uint64_t *opened; /* places of the events that began calls: see seek_block.opened_first */
    uint32_t opened_count, opened_capacity;
    bool knows_open; /* it is known which calls are open where blocks begin */
    /* While blocks are built, for trace_ops.file_blocks: some grains make a block. */
    seek_grain *grains;
    uint32_t grain_count, grain_capacity;
} seek_stream;

/* Depth of open calls that a builder follows; deeper calls make them unknown. */
#define SEEK_DEPTH_MAX 4096u

/* The blocks of all streams of a trace. */
typedef struct seek_index {
    /* By number of the stream in its trace; the last one is that of PRODUCE_ALL. */
    seek_stream *streams;
    uint32_t stream_count; /* of the trace, and one more */
    uint8_t *states;
    size_t state_size, state_capacity;
} seek_index;

/* Makes an index without blocks, for a trace with `stream_count` streams. Returns NULL if out of
   memory. */
seek_index *seek_index_new(uint32_t stream_count);
void seek_index_free(seek_index *index);

/* Frees the blocks of a stream, which has none then. */
void seek_stream_free(seek_stream *stream);

/* Returns the blocks of a stream of the trace, or of PRODUCE_ALL; NULL if there are none that
   help. */
const seek_stream *seek_index_of(const stele_trace *trace, uint32_t stream);

/* Whether a block can have events from begin_ns up to, not including, end_ns, or is never
   skipped. */
static inline bool seek_block_is_wanted(const seek_block *b, int64_t begin_ns, int64_t end_ns)
{
    return b->is_whole || (b->begin_ns <= b->end_ns && b->end_ns >= begin_ns &&
                           is_before_end(b->begin_ns, end_ns));
}

/* Whether filters pass an event regardless of the range of time that is asked for. */
static inline bool seek_event_is_always(const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) != 0 &&
           (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA);
}

/*
 * Walks over the calls that are open where block `*at` begins, those that began last first. Sets
 * `*at` to the number of an earlier block in which some of them began; `places` and `count` are
 * their places, in the order of the stream. `*depth` is SEEK_DEPTH_MAX in the first call. Returns
 * false if there are no more.
 */
bool seek_stream_opened(const seek_stream *stream, uint32_t *at, uint32_t *depth,
                        const uint64_t **places, uint32_t *count);

/* Returns the number of the last block that begins at or before a position; the stream has at least
   one. */
uint32_t seek_stream_find(const seek_stream *stream, uint64_t position);

/* ---- Building blocks ------------------------------------------------------------------------- */

/* Makes blocks from the batches of a producer of one stream, which must deliver all kinds, without
   bounds. If memory is exhausted, the stream just gets no blocks. */
typedef struct seek_builder {
    seek_index *index;
    seek_stream *stream;
    const producer *from;
    const diag_sink *diag; /* the sink that the producer reports to */
    output *state;
    uint64_t block_size, distance; /* bytes from the last block to the next one, at least */
    uint64_t reported_count, lost_count, missing_count, skipped_size;
    struct seek_call *calls; /* calls that are open */
    uint32_t depth, capacity;
    uint32_t kept; /* of the calls that were open where the last block begins, how many still are */
    uint32_t track;      /* track of all calls of the stream; 0: none so far */
    int64_t last_ns;     /* time of the last event of a call */
    bool has_lengths;    /* the stream has COMPLETE events */
    uint64_t grain_size; /* bytes of a grain, at least; 0: no grains are wanted */
} seek_builder;

/* Begins building. Blocks have at least `block_size` bytes: SEEK_BLOCK_SIZE, or less to try every
   possible position, in which case states may take as much as they need. Errors:
   STELE_ERR_MEMORY. */
stele_status seek_builder_open(seek_builder *b, seek_index *index, uint32_t stream,
                               uint64_t block_size, const producer *from, diag_sink *diag);

/*
 * Begins the last block of a stream of complete events again, and brings the producer there.
 * STELE_ERR_UNSUPPORTED: calls are open there, or the producer does not take the state.
 * STELE_ERR_MEMORY.
 */
stele_status seek_builder_resume(seek_builder *b, seek_index *index, uint32_t stream,
                                 producer *from, diag_sink *diag);

/* Has the stream get grains, too. Called once, before anything is taken. */
void seek_builder_want_grains(seek_builder *b);

/* Called before the producer fills a batch, if others report findings as well: only those of the
   producer count. */
void seek_builder_await(seek_builder *b);

/* Takes a batch that the producer has filled. */
void seek_builder_take(seek_builder *b, const stele_batch *batch);

/* Ends building after the last batch: findings that the producer reported at its end belong to the
   last block. */
void seek_builder_close(seek_builder *b);

/* Adds a block to a stream, with the position and times that are given, and the state that `state`
   has. Returns false if out of memory. */
bool seek_stream_add(seek_index *index, seek_stream *stream, const seek_block *block,
                     const output *state);

/* Frees the grains of all streams. */
void seek_index_free_grains(seek_index *index);

/* Reads all streams of an indexed trace once, without reporting anything, and makes their blocks,
   unless it has some. STELE_ERR_UNSUPPORTED: its producers cannot write their states. */
stele_status seek_build(stele_trace *trace, uint64_t block_size);

/* ---- Blocks as bytes of an index file -------------------------------------------------------- */

/* Writes the blocks of all streams with their states. */
void seek_index_put(const seek_index *index, output *out);

/* Write and read which calls are open at the blocks of an index; seek_opened_take() needs the same
   blocks. If the bytes are not valid it returns false, and open calls are unknown. */
void seek_opened_put(const seek_index *index, output *out);
bool seek_opened_take(seek_index *index, cursor *from);
void seek_opened_forget(seek_index *index);

/* Reads the blocks that seek_index_put() wrote. Returns NULL if they are not valid, or, with
   `*status` set, if out of memory. */
seek_index *seek_index_take(cursor *from, uint32_t stream_count, stele_status *status);

#endif
