/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/map.h"

#include <stdlib.h>

#include "core/hash.h"

#define ENTRIES_FIRST 64u

static fxt_map_entry *map_entry(const fxt_map *map, uint64_t a, uint64_t b)
{
    uint32_t at = (uint32_t)hash_mix(hash_u64(a), b ^ UINT64_C(0x9e3779b97f4a7c15)) & map->mask;
    for (;; at = (at + 1) & map->mask) {
        fxt_map_entry *entry = &map->entries[at];
        if (entry->value == 0 || (entry->a == a && entry->b == b))
            return entry;
    }
}

static bool map_grow(fxt_map *map)
{
    const uint32_t capacity = map->entries == NULL ? ENTRIES_FIRST : (map->mask + 1) * 2;
    const fxt_map old = *map;
    fxt_map_entry *entries = calloc(capacity, sizeof *entries);
    if (entries == NULL)
        return false;
    map->entries = entries;
    map->mask = capacity - 1;
    for (uint32_t i = 0; old.entries != NULL && i <= old.mask; i++) {
        if (old.entries[i].value != 0)
            *map_entry(map, old.entries[i].a, old.entries[i].b) = old.entries[i];
    }
    free(old.entries);
    return true;
}

uint32_t fxt_map_get(const fxt_map *map, uint64_t a, uint64_t b)
{
    return map->entries != NULL ? map_entry(map, a, b)->value : 0;
}

bool fxt_map_set(fxt_map *map, uint64_t a, uint64_t b, uint32_t value)
{
    fxt_map_entry *entry;
    if ((map->entries == NULL || map->count * 2 > map->mask) && !map_grow(map))
        return false;
    entry = map_entry(map, a, b);
    map->count += entry->value == 0;
    *entry = (fxt_map_entry){a, b, value};
    return true;
}

void fxt_map_free(fxt_map *map)
{
    free(map->entries);
    *map = (fxt_map){0};
}
