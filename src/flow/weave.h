/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weaves sorted blocks into one sequence of segments, ordered by (time, stream, sequence). The
 * blocks are in a heap by their next events. The root delivers all events that go before the heads
 * of all other blocks; their end is found by galloping, so that blocks that overlap little cost
 * nearly nothing for each event.
 */
#ifndef FLOW_WEAVE_H
#define FLOW_WEAVE_H

#include "flow/block.h"

/* An entry of the heap: a block, by its next event. */
typedef struct weave_head {
    int64_t key;  /* event_key() of the next event */
    uint64_t tie; /* decides between equal keys; no two blocks have the same */
    block *block;
} weave_head;

typedef struct weave {
    weave_head *heads; /* a heap: heads[0] comes first */
    uint32_t count, capacity;
    block_pool *pool; /* where blocks go whose events were all delivered */
    block *spent;     /* the root's block, if all of its events were delivered */
    /* flow_key() of the events of the batch delivered last, if they are known; else NULL. */
    const uint64_t *keys;
    size_t size; /* memory of the blocks, in bytes */
    uint64_t event_count;
    bool by_end;
} weave;

void weave_free(weave *w);

/* Adds a block, which the weave then owns, also if the call fails. Returns false if out of
   memory. */
bool weave_push(weave *w, block *b);

/* Gives the next events, none of them later than `limit_ns`; they hold until the next call. Returns
   STELE_END if there are none. Blocks of runs are read from files here, so that errors of reading
   are possible. */
stele_status weave_next(weave *w, int64_t limit_ns, stele_segment *segment);

#endif
