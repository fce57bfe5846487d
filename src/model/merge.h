/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging by a heap of heads: each sorted input stands in it with its next event. The input at the
 * root gives all events that go before the head of every other one, which is found by galloping,
 * so that inputs that overlap little cost next to nothing an event.
 */
#ifndef MODEL_MERGE_H
#define MODEL_MERGE_H

#include "model/batch.h"

typedef struct merge_head {
    int64_t key;  /* event_key() of the next event */
    uint64_t tie; /* orders equal keys; no two inputs have the same */
    void *input;
} merge_head;

/* heads[0] comes first. A zeroed heap is empty. */
typedef struct merge_heap {
    merge_head *heads;
    uint32_t count, capacity;
} merge_heap;

void merge_free(merge_heap *heap);

/* Makes room for one more; false when memory is exhausted. */
bool merge_reserve(merge_heap *heap);

/* Adds an input; the room must be there. */
void merge_push(merge_heap *heap, merge_head head);

/* Removes the root. */
void merge_pop(merge_heap *heap);

/* Puts another head in the root's place. */
void merge_replace(merge_heap *heap, merge_head head);

/*
 * The end of the events from `first` on (sorted, all with the root's tie, the first of them the
 * root's head) that go before all other heads and whose keys are at most `limit`.
 */
uint32_t merge_run(const merge_heap *heap, const stele_event *events, uint32_t first, uint32_t end,
                   int64_t limit, bool by_end);

#endif
