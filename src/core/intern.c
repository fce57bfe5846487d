/* SPDX-License-Identifier: Apache-2.0 */
#include "core/intern.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

#define SLOTS_FIRST 1024u

static uint32_t *intern_slot(const intern *pool, const char *bytes, size_t size, uint32_t hash)
{
    uint32_t at = hash & pool->slot_mask;
    for (;;) {
        uint32_t *slot = &pool->slots[at];
        const intern_entry *entry;
        if (*slot == 0)
            return slot;
        entry = &pool->entries[*slot - 1];
        if (entry->hash == hash && entry->size == size && memcmp(entry->bytes, bytes, size) == 0)
            return slot;
        at = (at + 1) & pool->slot_mask;
    }
}

/* Doubles the table of slots; half of them are always free. */
static bool intern_grow_slots(intern *pool)
{
    const uint32_t count = (pool->slot_mask + 1) * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < pool->count; i++) {
        uint32_t at = pool->entries[i].hash & (count - 1);
        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_mask = count - 1;
    return true;
}

static bool intern_grow_entries(intern *pool)
{
    const uint32_t capacity = pool->capacity * 2;
    intern_entry *entries = realloc(pool->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return false;
    pool->entries = entries;
    pool->capacity = capacity;
    return true;
}

bool intern_init(intern *pool, size_t size_max)
{
    *pool = (intern){.size_max = size_max, .slot_mask = SLOTS_FIRST - 1};
    pool->capacity = SLOTS_FIRST / 2;
    pool->entries = malloc(pool->capacity * sizeof *pool->entries);
    pool->slots = calloc(SLOTS_FIRST, sizeof *pool->slots);
    if (pool->entries == NULL || pool->slots == NULL || intern_add(pool, "", 0) != 0) {
        intern_free(pool);
        return false;
    }
    return true;
}

void intern_free(intern *pool)
{
    free(pool->entries);
    free(pool->slots);
    arena_free(&pool->bytes);
    *pool = (intern){0};
}

uint32_t intern_find(const intern *pool, const char *bytes, size_t size)
{
    return *intern_slot(pool, bytes, size, (uint32_t)hash_bytes(bytes, size)) - 1;
}

uint32_t intern_add(intern *pool, const char *bytes, size_t size)
{
    const uint32_t hash = (uint32_t)hash_bytes(bytes, size);
    uint32_t *slot = intern_slot(pool, bytes, size, hash);
    /* What a string costs: its bytes, its entry, and two slots at the least filling. */
    const size_t cost = size + 1 + sizeof(intern_entry) + 2 * sizeof *pool->slots;
    char *copy;
    if (*slot != 0)
        return *slot - 1;
    if (cost > pool->size_max - pool->size || size > UINT32_MAX) {
        pool->size = pool->size_max;
        return INTERN_NONE;
    }
    if (pool->count * 2 > pool->slot_mask) {
        if (!intern_grow_slots(pool))
            return INTERN_NONE;
        slot = intern_slot(pool, bytes, size, hash);
    }
    if (pool->count == pool->capacity && !intern_grow_entries(pool))
        return INTERN_NONE;
    copy = arena_copy(&pool->bytes, bytes, size);
    if (copy == NULL)
        return INTERN_NONE;
    pool->entries[pool->count] = (intern_entry){copy, (uint32_t)size, hash};
    *slot = ++pool->count;
    pool->size += cost;
    return pool->count - 1;
}
