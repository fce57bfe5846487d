/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pair_queues.h"

#include <stdlib.h>

#include "core/array.h"

void pair_queues_free(pair_queues *q)
{
    free(q->waiting);
    free(q->queues);
    hash_table_free(&q->numbers);
    *q = (pair_queues){.used = 0};
}

void pair_queues_clear(pair_queues *q)
{
    q->waiting_count = q->waiting_free = q->oldest = q->youngest = q->used = 0;
    q->queue_count = q->queue_free = 0;
    hash_table_clear(&q->numbers);
}

/* ---- Queues of keys ---- */

/* The hash of a key, which is made of hashes with secret keys. */
static uint32_t key_hash(pair_key key)
{
    return (uint32_t)key.first;
}

static uint32_t queue_find(const pair_queues *q, pair_key key)
{
    for (uint32_t at = key_hash(key), number;
         (number = hash_table_next(&q->numbers, key_hash(key), &at)) != HASH_NONE;) {
        if (q->queues[number].key.first == key.first && q->queues[number].key.second == key.second)
            return number;
    }
    return 0;
}

/* Makes a queue for a key. Returns its number, 0 if out of memory. */
static uint32_t queue_add(pair_queues *q, pair_key key)
{
    uint32_t made = q->queue_free;
    if (!hash_table_reserve(&q->numbers))
        return 0;
    if (made != 0) {
        q->queue_free = q->queues[made].next_free;
    } else {
        if (q->queue_count + 1 >= q->queue_capacity) {
            pair_queue *queues = array_grow(q->queues, sizeof *queues, &q->queue_capacity, 64);
            if (queues == NULL)
                return 0;
            q->queues = queues;
        }
        made = ++q->queue_count;
    }
    q->queues[made] = (pair_queue){.key = key};
    hash_table_put(&q->numbers, key_hash(key), made);
    return made;
}

static void queue_remove(pair_queues *q, uint32_t number)
{
    hash_table_remove(&q->numbers, key_hash(q->queues[number].key), number);
    q->queues[number].next_free = q->queue_free;
    q->queue_free = number;
}

/* ---- Entries that wait ---- */

/* Takes a free entry or makes one. Returns its number, 0 if out of memory. */
static uint32_t waiting_take(pair_queues *q)
{
    const uint32_t freed = q->waiting_free;
    if (freed != 0) {
        q->waiting_free = q->waiting[freed].next;
        return freed;
    }
    if (q->waiting_count + 1 >= q->waiting_capacity) {
        pair_waiting *waiting = array_grow(q->waiting, sizeof *waiting, &q->waiting_capacity, 64);
        if (waiting == NULL)
            return 0;
        q->waiting = waiting;
    }
    return ++q->waiting_count;
}

bool pair_queues_push(pair_queues *q, pair_key key, uint64_t id, int64_t time_ns)
{
    const uint32_t made = waiting_take(q);
    uint32_t number = made != 0 ? queue_find(q, key) : 0;
    pair_queue *queue;
    if (made == 0)
        return false;
    if (number == 0 && (number = queue_add(q, key)) == 0) {
        q->waiting[made].next = q->waiting_free;
        q->waiting_free = made;
        return false;
    }
    queue = &q->queues[number];
    q->waiting[made] = (pair_waiting){id, time_ns, number, 0, q->youngest, 0};
    if (q->youngest != 0)
        q->waiting[q->youngest].younger = made;
    else
        q->oldest = made;
    q->youngest = made;
    if (queue->first == 0)
        queue->first = made;
    else
        q->waiting[queue->last].next = made;
    queue->last = made;
    q->used++;
    return true;
}

/* Removes an entry, which must be the first of its queue. */
static void take_out(pair_queues *q, uint32_t number)
{
    pair_waiting *taken = &q->waiting[number];
    pair_queue *queue = &q->queues[taken->queue];
    queue->first = taken->next;
    if (queue->first == 0)
        queue_remove(q, taken->queue);
    *(taken->older != 0 ? &q->waiting[taken->older].younger : &q->oldest) = taken->younger;
    *(taken->younger != 0 ? &q->waiting[taken->younger].older : &q->youngest) = taken->older;
    taken->next = q->waiting_free;
    q->waiting_free = number;
    q->used--;
}

bool pair_queues_pop(pair_queues *q, pair_key key, uint64_t *id, int64_t *time_ns)
{
    const uint32_t number = queue_find(q, key);
    const pair_waiting *first;
    if (number == 0)
        return false;
    first = &q->waiting[q->queues[number].first];
    *id = first->id;
    *time_ns = first->time_ns;
    take_out(q, q->queues[number].first);
    return true;
}

bool pair_queues_expire(pair_queues *q, int64_t time_ns, uint64_t *id)
{
    if (q->oldest == 0 || q->waiting[q->oldest].time_ns >= time_ns)
        return false;
    *id = q->waiting[q->oldest].id;
    take_out(q, q->oldest); /* the oldest entry of all is the first of its queue */
    return true;
}
