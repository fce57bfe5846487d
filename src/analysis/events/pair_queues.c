/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pair_queues.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

void pair_queues_free(pair_queues *q)
{
    free(q->waiting);
    free(q->queues);
    free(q->slots);
    *q = (pair_queues){.used = 0};
}

void pair_queues_clear(pair_queues *q)
{
    q->waiting_count = q->waiting_free = q->oldest = q->youngest = q->used = 0;
    q->queue_count = q->queue_free = q->queue_used = 0;
    if (q->slots != NULL)
        memset(q->slots, 0, ((size_t)q->slot_mask + 1) * sizeof *q->slots);
}

/* ---- Queues of keys ---- */

static uint32_t queue_find(const pair_queues *q, pair_key key)
{
    uint32_t at = q->slots != NULL ? q->slots[key.first & q->slot_mask] : 0;
    while (at != 0 &&
           (q->queues[at].key.first != key.first || q->queues[at].key.second != key.second))
        at = q->queues[at].next;
    return at;
}

/* Grows the hash table: it has as many slots as there can be queues. */
static bool slots_grow(pair_queues *q)
{
    const uint32_t count = q->slots == NULL ? 256 : (q->slot_mask + 1) * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; q->slots != NULL && i <= q->slot_mask; i++) {
        for (uint32_t at = q->slots[i], next; at != 0; at = next) {
            pair_queue *queue = &q->queues[at];
            next = queue->next;
            queue->next = slots[queue->key.first & (count - 1)];
            slots[queue->key.first & (count - 1)] = at;
        }
    }
    free(q->slots);
    q->slots = slots;
    q->slot_mask = count - 1;
    return true;
}

/* Makes a queue for a key. Returns its number, 0 if out of memory. */
static uint32_t queue_add(pair_queues *q, pair_key key)
{
    uint32_t made = q->queue_free, *slot;
    if ((q->slots == NULL || q->queue_used > q->slot_mask) && !slots_grow(q))
        return 0;
    if (made != 0) {
        q->queue_free = q->queues[made].next;
    } else {
        if (q->queue_count + 1 >= q->queue_capacity) {
            pair_queue *queues = array_grow(q->queues, sizeof *queues, &q->queue_capacity, 64);
            if (queues == NULL)
                return 0;
            q->queues = queues;
        }
        made = ++q->queue_count;
    }
    slot = &q->slots[key.first & q->slot_mask];
    q->queues[made] = (pair_queue){.key = key, .next = *slot};
    *slot = made;
    q->queue_used++;
    return made;
}

static void queue_remove(pair_queues *q, uint32_t number)
{
    uint32_t *at = &q->slots[q->queues[number].key.first & q->slot_mask];
    while (*at != number)
        at = &q->queues[*at].next;
    *at = q->queues[number].next;
    q->queues[number].next = q->queue_free;
    q->queue_free = number;
    q->queue_used--;
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
