/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of an instrumentation map, for the parts that fill it. */
#ifndef SYMBOLS_SLED_MAP_H
#define SYMBOLS_SLED_MAP_H

#include "core/arena.h"
#include "symbols/sleds.h"

struct stele_sled_map {
    stele_sled *sleds;
    size_t count, capacity;
    stele_sled_function *functions; /* by id */
    size_t function_capacity;
    uint32_t function_count;
    arena texts;
};

/* Appends a sled. Returns false if out of memory. */
bool stele_sled_map_add(stele_sled_map *map, const stele_sled *entry);

/* Sets the name of a function. Returns false if out of memory. */
bool stele_sled_map_name(stele_sled_map *map, uint32_t id, uint64_t address, const char *name);

#endif
