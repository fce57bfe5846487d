/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for its end, by a key: the first that came is the first to go. Memory is that of what
 * waits at a time.
 */
#ifndef ANALYSIS_EVENTS_PAIR_QUEUES_H
#define ANALYSIS_EVENTS_PAIR_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hash.h"

/* Two hashes by different keys: that two values have both alike is not to be expected. */
typedef struct pair_key {
    uint64_t first, second;
} pair_key;

typedef struct pair_waiting {
    uint64_t id;
    int64_t time_ns;
    uint32_t queue;          /* number of its queue */
    uint32_t next;           /* the next of its queue, or the next free one; 0: none */
    uint32_t older, younger; /* among all; 0: none */
} pair_waiting;

typedef struct pair_queue {
    pair_key key;
    uint32_t first, last; /* numbers of those that wait */
    uint32_t next;        /* queue of the same slot, or the next free one; 0: none */
} pair_queue;

/* Zeros are empty. Numbers run from 1. */
typedef struct pair_queues {
    pair_waiting *waiting;
    uint32_t waiting_count, waiting_capacity, waiting_free;
    uint32_t oldest, youngest;
    pair_queue *queues;
    uint32_t queue_count, queue_capacity, queue_free, queue_used;
    uint32_t *slots; /* by hash: the first queue */
    uint32_t slot_mask;
    uint32_t used; /* that wait */
} pair_queues;

void pair_queues_free(pair_queues *q);

/* Forgets all that waits. */
void pair_queues_clear(pair_queues *q);

/* Returns false if out of memory. */
bool pair_queues_push(pair_queues *q, pair_key key, uint64_t id, int64_t time_ns);

/* Takes the first of a key out; false: nothing waits. */
bool pair_queues_pop(pair_queues *q, pair_key key, uint64_t *id, int64_t *time_ns);

/* Takes the oldest of all out if it came before `time_ns`; else false. */
bool pair_queues_expire(pair_queues *q, int64_t time_ns, uint64_t *id);

#endif
