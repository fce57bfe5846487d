/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of strings with numbers from 0 (the empty string) in the order of their coming. The bytes
 * never move, so a text stays valid as long as the pool.
 */
#ifndef CORE_INTERN_H
#define CORE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/table.h"

typedef struct intern_entry {
    const char *bytes;
    uint32_t size;
} intern_entry;

typedef struct intern {
    arena bytes;
    intern_entry *entries;
    hash_table numbers; /* of the entries */
    uint32_t count, capacity;
    size_t size, size_max; /* of the bytes and the tables together */
} intern;

#define INTERN_NONE UINT32_MAX

/* False when memory is exhausted. */
bool intern_init(intern *pool, size_t size_max);
void intern_free(intern *pool);

/* The number of the string, made if new; INTERN_NONE when the pool is full (see size_max) or memory
   is exhausted: pool->size < pool->size_max tells which. */
uint32_t intern_add(intern *pool, const char *bytes, size_t size);

/* The number of the string, INTERN_NONE when it is not there. */
uint32_t intern_find(const intern *pool, const char *bytes, size_t size);

#endif
