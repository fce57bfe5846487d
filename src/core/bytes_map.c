/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bytes_map.h"

#include <stdlib.h>

#include "core/array.h"

bool bytes_map_init(bytes_map *map)
{
    *map = (bytes_map){0};
    return intern_init(&map->keys, SIZE_MAX);
}

void bytes_map_free(bytes_map *map)
{
    intern_free(&map->keys);
    free(map->values);
    *map = (bytes_map){0};
}

uint32_t *bytes_map_at(bytes_map *map, const void *key, size_t size)
{
    const uint32_t number = intern_add(&map->keys, key, size);
    if (number == INTERN_NONE)
        return NULL;
    if (number >= map->capacity) {
        const uint32_t capacity = map->keys.capacity;
        uint32_t *grown = array_fit(map->values, sizeof *grown, capacity);
        if (grown == NULL)
            return NULL;
        while (map->capacity < capacity)
            grown[map->capacity++] = BYTES_MAP_NONE;
        map->values = grown;
    }
    return &map->values[number];
}
