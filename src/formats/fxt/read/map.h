/* SPDX-License-Identifier: Apache-2.0 */
/* A map from pairs of 64-bit numbers to numbers other than 0. Entries are never removed. */
#ifndef FXT_READ_MAP_H
#define FXT_READ_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

typedef struct fxt_map_entry {
    uint64_t a, b;
    uint32_t value;
} fxt_map_entry;

/* A zeroed map is empty. */
typedef struct fxt_map {
    fxt_map_entry *entries;
    hash_table numbers; /* hash table of indexes in `entries` */
    uint32_t count, capacity;
} fxt_map;

/* Returns 0 if the pair is not in the map. */
uint32_t fxt_map_get(const fxt_map *map, uint64_t a, uint64_t b);

/* Adds or replaces an entry. Returns false if out of memory. */
bool fxt_map_set(fxt_map *map, uint64_t a, uint64_t b, uint32_t value);
void fxt_map_free(fxt_map *map);

#endif
