/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/correlations.h"

#include <stdlib.h>

void correlations_free(correlations *c)
{
    free(c->slots);
}

static uint32_t slot_home(const correlations *c, uint64_t id)
{
    return (uint32_t)hash_keyed_u64(c->key, id) & (c->slot_count - 1);
}

/* Finds the slot of an id, or the free slot where it would be added. */
static correlation *slot_of(const correlations *c, uint64_t id)
{
    uint32_t slot = slot_home(c, id);
    while (c->slots[slot].open_count != 0 && c->slots[slot].id != id)
        slot = (slot + 1) & (c->slot_count - 1);
    return &c->slots[slot];
}

static bool slots_grow(correlations *c)
{
    const correlations before = *c;
    const uint32_t count = before.slot_count == 0 ? 64 : before.slot_count * 2;
    correlation *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    if (before.slots == NULL)
        c->key = hash_key_make();
    c->slots = slots;
    c->slot_count = count;
    for (uint32_t i = 0; i < before.slot_count; i++) {
        if (before.slots[i].open_count != 0)
            *slot_of(c, before.slots[i].id) = before.slots[i];
    }
    free(before.slots);
    return true;
}

correlation *correlations_find(const correlations *c, uint64_t id)
{
    correlation *entry = c->slot_count != 0 ? slot_of(c, id) : NULL;
    return entry != NULL && entry->open_count != 0 ? entry : NULL;
}

stele_status correlations_open(correlations *c, const stele_event *event)
{
    const stele_name name = (event->name & STELE_NAME_LOCAL) == 0 ? event->name : 0;
    correlation *entry = correlations_find(c, event->id);
    if (entry != NULL) {
        if (entry->open_count < UINT32_MAX)
            entry->open_count++;
        return STELE_OK;
    }
    if (c->count == CORRELATIONS_MAX)
        return STELE_ERR_LIMIT;
    if (c->count >= c->slot_count / 2 && !slots_grow(c))
        return STELE_ERR_MEMORY;
    *slot_of(c, event->id) = (correlation){event->id, event->offset, event->size, 1, name};
    c->count++;
    return STELE_OK;
}

/* Ends one event of the entry. When the slot becomes free, entries after it that were displaced
   past it move up, so that searches still find them. */
void correlations_close(correlations *c, correlation *entry)
{
    const uint32_t mask = c->slot_count - 1;
    uint32_t hole = (uint32_t)(entry - c->slots);
    if (--entry->open_count != 0)
        return;
    c->count--;
    for (uint32_t at = (hole + 1) & mask; c->slots[at].open_count != 0; at = (at + 1) & mask) {
        const uint32_t home = slot_home(c, c->slots[at].id);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            c->slots[hole] = c->slots[at];
            c->slots[at].open_count = 0;
            hole = at;
        }
    }
}

static int compare_offsets(const void *a, const void *b)
{
    const correlation *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void correlations_sort(correlations *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->slot_count; i++) {
        if (c->slots[i].open_count != 0)
            c->slots[count++] = c->slots[i];
    }
    if (count > 0)
        qsort(c->slots, count, sizeof *c->slots, compare_offsets);
}
