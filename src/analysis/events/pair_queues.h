/* SPDX-License-Identifier: Apache-2.0 */
/* Begins that wait for their end, in a queue for each key: first in, first out. Memory grows
   only with the number of entries that wait at the same time. */
#ifndef ANALYSIS_EVENTS_PAIR_QUEUES_H
#define ANALYSIS_EVENTS_PAIR_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

/* Two hashes of a value with different secret keys; both are not expected to be equal for two
   values. */
typedef struct pair_key {
    uint64_t first, second;
} pair_key;

typedef struct pair_waiting {
    uint64_t id;
    int64_t time_ns;
    uint32_t queue; /* number of the queue that it is in */
    uint32_t next;  /* number of the next entry of the queue, or of the next free entry; 0: none */
    /* numbers of the next older and next younger entry of any queue; 0: none */
    uint32_t older, younger;
} pair_waiting;

typedef struct pair_queue {
    pair_key key;
    uint32_t first, last; /* numbers of the first and the last entry that waits */
    uint32_t next_free;   /* of a free queue: number of the next free one; 0: none */
} pair_queue;

/* All queues; zeros are valid and empty. Numbers of queues and entries start at 1. */
typedef struct pair_queues {
    pair_waiting *waiting;
    uint32_t waiting_count, waiting_capacity, waiting_free;
    uint32_t oldest, youngest;
    pair_queue *queues;
    uint32_t queue_count, queue_capacity, queue_free;
    hash_table numbers; /* numbers of queues, by key */
    uint32_t used;      /* how many entries wait */
} pair_queues;

void pair_queues_free(pair_queues *q);

/* Removes all entries. */
void pair_queues_clear(pair_queues *q);

/* Appends an entry to the queue of a key. Returns false if out of memory. */
bool pair_queues_push(pair_queues *q, pair_key key, uint64_t id, int64_t time_ns);

/* Removes the first entry of a key. Returns false if there is none. */
bool pair_queues_pop(pair_queues *q, pair_key key, uint64_t *id, int64_t *time_ns);

/* Removes the oldest entry of all if it came before `time_ns`. Returns false if it did not. */
bool pair_queues_expire(pair_queues *q, int64_t time_ns, uint64_t *id);

#endif
