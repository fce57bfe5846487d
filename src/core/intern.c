/* SPDX-License-Identifier: Apache-2.0 */
#include "core/intern.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define ENTRIES_FIRST 512u

static uint32_t intern_look(const intern *pool, const char *bytes, size_t size, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&pool->numbers, hash, &at)) != HASH_NONE;) {
        const intern_entry *entry = &pool->entries[number];
        if (entry->size == size && memcmp(entry->bytes, bytes, size) == 0)
            return number;
    }
    return INTERN_NONE;
}

static bool intern_grow_entries(intern *pool)
{
    intern_entry *entries =
        array_grow(pool->entries, sizeof *entries, &pool->capacity, ENTRIES_FIRST);
    if (entries == NULL)
        return false;
    pool->entries = entries;
    return true;
}

bool intern_init(intern *pool, size_t size_max)
{
    *pool = (intern){.size_max = size_max, .capacity = ENTRIES_FIRST};
    pool->entries = malloc(pool->capacity * sizeof *pool->entries);
    if (pool->entries == NULL || !hash_table_make_room(&pool->numbers, ENTRIES_FIRST) ||
        intern_add(pool, "", 0) != 0) {
        intern_free(pool);
        return false;
    }
    return true;
}

void intern_free(intern *pool)
{
    free(pool->entries);
    hash_table_free(&pool->numbers);
    arena_free(&pool->bytes);
    *pool = (intern){0};
}

uint32_t intern_find(const intern *pool, const char *bytes, size_t size)
{
    return intern_look(pool, bytes, size, hash_table_hash_bytes(&pool->numbers, bytes, size));
}

/* Adds a string that the pool does not have. */
static uint32_t intern_put(intern *pool, const char *bytes, size_t size, uint32_t hash)
{
    char *copy;
    if (size > UINT32_MAX || !hash_table_reserve(&pool->numbers))
        return INTERN_NONE;
    if (pool->count == pool->capacity && !intern_grow_entries(pool))
        return INTERN_NONE;
    copy = arena_copy(&pool->bytes, bytes, size);
    if (copy == NULL)
        return INTERN_NONE;
    pool->entries[pool->count] = (intern_entry){copy, (uint32_t)size};
    hash_table_put(&pool->numbers, hash, pool->count);
    return pool->count++;
}

static uint32_t intern_take(intern *pool, const char *bytes, size_t size, bool is_limited)
{
    const uint32_t hash = hash_table_hash_bytes(&pool->numbers, bytes, size);
    /* Bytes that a string costs: its own, its entry, and two slots, as many as it takes if the
       table is least full. */
    const size_t cost = size + 1 + sizeof(intern_entry) + 2 * sizeof(hash_table_slot);
    const size_t left = pool->size_max - pool->size;
    uint32_t number = intern_look(pool, bytes, size, hash);
    if (number != INTERN_NONE)
        return number;
    if (is_limited && cost > left) {
        pool->size = pool->size_max;
        return INTERN_NONE;
    }
    number = intern_put(pool, bytes, size, hash);
    if (number != INTERN_NONE)
        pool->size += cost < left ? cost : left;
    return number;
}

uint32_t intern_add(intern *pool, const char *bytes, size_t size)
{
    return intern_take(pool, bytes, size, true);
}

uint32_t intern_add_always(intern *pool, const char *bytes, size_t size)
{
    return intern_take(pool, bytes, size, false);
}
