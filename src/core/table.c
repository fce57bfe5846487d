/* SPDX-License-Identifier: Apache-2.0 */
#include "core/table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 16u

bool hash_table_make_room(hash_table *t, size_t count)
{
    size_t slots = t->slots != NULL ? (size_t)t->mask + 1 : SLOTS_FIRST;
    hash_table old = *t;
    if (count > UINT32_MAX / 4)
        return false;
    while (slots / 2 < count)
        slots *= 2;
    if (t->slots != NULL && slots == (size_t)t->mask + 1)
        return true;
    t->slots = calloc(slots, sizeof *t->slots);
    if (t->slots == NULL) {
        *t = old;
        return false;
    }
    if (old.slots == NULL)
        t->key = hash_key_make();
    t->mask = (uint32_t)(slots - 1);
    t->count = 0;
    for (uint32_t i = 0; old.slots != NULL && i <= old.mask; i++) {
        if (old.slots[i].number != 0)
            hash_table_put(t, old.slots[i].hash, old.slots[i].number - 1);
    }
    free(old.slots);
    return true;
}

void hash_table_remove(hash_table *t, uint32_t hash, uint32_t number)
{
    uint32_t hole = hash & t->mask;
    while (t->slots[hole].number != number + 1 || t->slots[hole].hash != hash)
        hole = (hole + 1) & t->mask;
    t->slots[hole].number = 0;
    t->count--;
    /* Numbers after the hole that were displaced past it move up, so that searches, which end at a
       free slot, still find them. */
    for (uint32_t at = (hole + 1) & t->mask; t->slots[at].number != 0; at = (at + 1) & t->mask) {
        if (((at - t->slots[at].hash) & t->mask) >= ((at - hole) & t->mask)) {
            t->slots[hole] = t->slots[at];
            t->slots[at].number = 0;
            hole = at;
        }
    }
}

void hash_table_clear(hash_table *t)
{
    if (t->count != 0)
        memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);
    t->count = 0;
}

void hash_table_free(hash_table *t)
{
    free(t->slots);
    *t = (hash_table){.slots = NULL};
}
