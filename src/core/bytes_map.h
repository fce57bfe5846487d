/* SPDX-License-Identifier: Apache-2.0 */
/* A number for each key of bytes. */
#ifndef CORE_BYTES_MAP_H
#define CORE_BYTES_MAP_H

#include "core/intern.h"

typedef struct bytes_map {
    intern keys;
    uint32_t *values; /* by key */
    uint32_t capacity;
} bytes_map;

/* False when memory is exhausted; what was made of it is freed. */
bool bytes_map_init(bytes_map *map);
void bytes_map_free(bytes_map *map);

/* Where the key's number is kept, BYTES_MAP_NONE until it is set; until the next call. NULL when
   memory is exhausted. */
uint32_t *bytes_map_at(bytes_map *map, const void *key, size_t size);

#define BYTES_MAP_NONE UINT32_MAX

#endif
