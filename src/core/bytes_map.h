/* SPDX-License-Identifier: Apache-2.0 */
/* A map from keys, which are any bytes, to numbers. */
#ifndef CORE_BYTES_MAP_H
#define CORE_BYTES_MAP_H

#include "core/intern.h"

typedef struct bytes_map {
    intern keys;
    uint32_t *values; /* indexed by the numbers of the keys */
    uint32_t capacity;
} bytes_map;

/* Makes an empty map. Returns false if out of memory; nothing needs to be freed then. */
bool bytes_map_init(bytes_map *map);
void bytes_map_free(bytes_map *map);

/* Returns where the number of a key is stored, which is BYTES_MAP_NONE until it is set. The pointer
   holds until the next call. Returns NULL if out of memory. */
uint32_t *bytes_map_at(bytes_map *map, const void *key, size_t size);

#define BYTES_MAP_NONE UINT32_MAX

#endif
