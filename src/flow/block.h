/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks are what ordering works on: some hundred events in order of (time, stream, sequence). A
   block is filled by a producer, or with segments of any streams; it then has a view, which is a
   batch, for each stream, and all views share the block's storage. */
#ifndef FLOW_BLOCK_H
#define FLOW_BLOCK_H

#include "model/batch.h"

typedef struct block {
    stele_batch *storage; /* events of all views, with their fields and payloads */
    stele_batch *views;   /* one for each stream, or for each run of events with the same context */
    uint64_t *keys;       /* flow_key() of each event; valid with has_keys */
    /* The batch came in order, so `keys` are those of the events. */
    bool has_keys;
    uint32_t *owners; /* index of each event's view; used if there is more than one view */
    uint32_t view_count, view_capacity;
    uint32_t at;             /* index of the next event to be delivered */
    uint32_t order;          /* number in the order of coming, which decides ties between blocks */
    size_t size;             /* bytes of its memory at block_seal() */
    struct spilled_run *run; /* the run from which the block is filled again; NULL: none */
    struct block *next;      /* next free block of the pool */
} block;

/* Memory for sorting, kept from block to block. */
typedef struct block_sorter {
    struct sort_entry *entries;
    uint32_t capacity;
} block_sorter;

/* Blocks that are free for reuse. */
typedef struct block_pool {
    block *free;
    uint32_t events; /* capacity of each block for events */
} block_pool;

/* Takes an empty block from the pool, or makes one. Returns NULL if out of memory. */
block *pool_take(block_pool *pool);
void pool_give(block_pool *pool, block *b);
void pool_free(block_pool *pool);
void block_free(block *b);

/* Whether a block that goes to disk is full. It is full earlier than a batch, since a block of each
   run is in memory at once. */
bool block_is_full(const block *b);

/* Moves events from the front of the segment into the block until that is full. Returns false if
   out of memory. */
bool block_append(block *b, stele_segment *segment);

/* Ends filling of a block, by a producer or by block_append(). Returns false if out of memory. */
bool block_seal(block *b);

/* Makes room for `count` views in all. Returns false if out of memory. */
bool block_reserve_views(block *b, uint32_t count);

/* Sorts the events of a sealed block. Returns false if out of memory. */
bool block_sort(block *b, block_sorter *sorter, bool by_end);
void block_sorter_free(block_sorter *sorter);

/* The batch in which an event of the block is delivered. */
static inline const stele_batch *block_view(const block *b, uint32_t event)
{
    return &b->views[b->view_count == 1 ? 0 : b->owners[event]];
}

/* The end of the events from `at` on that are delivered in the same batch. */
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
