/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted blocks as one sequence of segments: by (time, stream, sequence). The blocks stand in a
 * heap with their next events. The one at the root gives all events that go before the head of
 * every other one, which is found by galloping, so that blocks that overlap little cost next to
 * nothing an event.
 */
#ifndef FLOW_WEAVE_H
#define FLOW_WEAVE_H

#include "flow/block.h"

typedef struct weave_head {
    int64_t key;  /* event_key() of the next event */
    uint64_t tie; /* orders equal keys; no two blocks have the same */
    block *block;
} weave_head;

typedef struct weave {
    weave_head *heads; /* heads[0] comes first */
    uint32_t count, capacity;
    block_pool *pool;     /* where blocks go that are done with */
    block *spent;         /* the root, when all of its events were given out */
    const uint64_t *keys; /* of the batch that was given out last, if they are at hand, or NULL */
    size_t size;          /* of the blocks' memory */
    uint64_t event_count;
    bool by_end;
} weave;

void weave_free(weave *w);

/* Owns the block from now on, also when it fails. Returns false if out of memory. */
bool weave_push(weave *w, block *b);

/*
 * The next events, none of them later than `limit_ns`; they hold until the next call. STELE_END
 * when there are none. Blocks of a run are followed by its next one, so that reading can fail.
 */
stele_status weave_next(weave *w, int64_t limit_ns, stele_segment *segment);

#endif
