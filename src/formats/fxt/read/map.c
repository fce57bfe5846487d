/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/map.h"

#include <stdlib.h>

#include "core/array.h"

static fxt_map_entry *map_entry(const fxt_map *map, uint64_t a, uint64_t b, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&map->numbers, hash, &at)) != HASH_NONE;)
        if (map->entries[number].a == a && map->entries[number].b == b)
            return &map->entries[number];
    return NULL;
}

/* Most maps are asked for `b` alone, which has a cheaper hash. */
static uint32_t hash_of(const fxt_map *map, uint64_t a, uint64_t b)
{
    return a == 0 ? hash_table_hash_fast(&map->numbers, b)
                  : hash_table_hash_pair(&map->numbers, a, b);
}

uint32_t fxt_map_get(const fxt_map *map, uint64_t a, uint64_t b)
{
    const fxt_map_entry *entry = map_entry(map, a, b, hash_of(map, a, b));
    return entry != NULL ? entry->value : 0;
}

bool fxt_map_set(fxt_map *map, uint64_t a, uint64_t b, uint32_t value)
{
    fxt_map_entry *entry;
    uint32_t hash;
    if (!hash_table_reserve(&map->numbers))
        return false;
    hash = hash_of(map, a, b);
    entry = map_entry(map, a, b, hash);
    if (entry != NULL) {
        entry->value = value;
        return true;
    }
    if (map->count == map->capacity) {
        fxt_map_entry *grown = array_grow(map->entries, sizeof *grown, &map->capacity, 32);
        if (grown == NULL)
            return false;
        map->entries = grown;
    }
    map->entries[map->count] = (fxt_map_entry){a, b, value};
    hash_table_put(&map->numbers, hash, map->count++);
    return true;
}

void fxt_map_free(fxt_map *map)
{
    free(map->entries);
    hash_table_free(&map->numbers);
    *map = (fxt_map){0};
}
