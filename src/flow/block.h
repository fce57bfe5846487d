/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ordering holds: some hundred events in order of (time, stream, sequence). A block is filled
 * by a producer, or put together from segments of any streams; then a batch stands for each of its
 * streams, and all of them share the block's storage.
 */
#ifndef FLOW_BLOCK_H
#define FLOW_BLOCK_H

#include "model/batch.h"

typedef struct block {
    stele_batch *storage; /* the events of all views, their fields and payloads */
    stele_batch *views;   /* one for each stream, or run of events with a context */
    uint64_t *keys;       /* by event: flow_key(), where the batch came in order */
    bool has_keys;
    uint32_t *owners; /* by event: its view; only where there is more than one */
    uint32_t view_count, view_capacity;
    uint32_t at;             /* next event to go out */
    uint32_t order;          /* of coming, among blocks that are merged */
    size_t size;             /* of its memory when it was sealed */
    struct spilled_run *run; /* where its successor is read from; NULL: it has none */
    struct block *next;      /* in a pool */
} block;

/* Room for sorting, kept from block to block. */
typedef struct block_sorter {
    struct sort_entry *entries;
    uint32_t capacity;
} block_sorter;

/* Blocks that are free for use. */
typedef struct block_pool {
    block *free;
    uint32_t events; /* capacity of each */
} block_pool;

/* An empty block; NULL when memory is exhausted. */
block *pool_take(block_pool *pool);
void pool_give(block_pool *pool, block *b);
void pool_free(block_pool *pool);
void block_free(block *b);

/* A block in a run on disk is full earlier than a batch, as many are in memory at once. */
bool block_is_full(const block *b);

/* Moves events from the front of the segment into the block until it is full. Returns false if out
 * of memory. */
bool block_append(block *b, stele_segment *segment);

/* Ends filling, by a producer or by block_append(). Returns false if out of memory. */
bool block_seal(block *b);

/* Makes room for as many views as there are to be. Returns false if out of memory. */
bool block_reserve_views(block *b, uint32_t count);

/* Puts the events of a sealed block in order. Returns false if out of memory. */
bool block_sort(block *b, block_sorter *sorter, bool by_end);
void block_sorter_free(block_sorter *sorter);

/* The batch that the event is given out in. */
static inline const stele_batch *block_view(const block *b, uint32_t event)
{
    return &b->views[b->view_count == 1 ? 0 : b->owners[event]];
}

/* The end of the events from `at` on that are given out in the same batch. */
static inline uint32_t block_view_end(const block *b)
{
    uint32_t end = b->at + 1;
    if (b->view_count == 1)
        return b->storage->event_count;
    while (end < b->storage->event_count && b->owners[end] == b->owners[b->at])
        end++;
    return end;
}

#endif
