/* SPDX-License-Identifier: Apache-2.0 */
/* A map from pairs of 64-bit numbers to a number other than 0. Entries are never removed. */
#ifndef FXT_READ_MAP_H
#define FXT_READ_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fxt_map_entry {
    uint64_t a, b;
    uint32_t value; /* 0: free */
} fxt_map_entry;

/* A zeroed map is empty. */
typedef struct fxt_map {
    fxt_map_entry *entries; /* open addressing, at most half full */
    uint32_t count, mask;
} fxt_map;

/* 0 when it is not there. */
uint32_t fxt_map_get(const fxt_map *map, uint64_t a, uint64_t b);

/* Adds or replaces; false when memory is exhausted. */
bool fxt_map_set(fxt_map *map, uint64_t a, uint64_t b, uint32_t value);
void fxt_map_free(fxt_map *map);

#endif
