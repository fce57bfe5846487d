/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of strings, which have numbers in the order in which they were added, from 0 (the empty
   string). The bytes never move, so a text holds as long as the pool. */
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
    hash_table numbers; /* maps strings to indexes of `entries` */
    uint32_t count, capacity;
    size_t size, size_max; /* bytes of the strings and the tables together */
} intern;

#define INTERN_NONE UINT32_MAX

/* Makes a pool whose strings and tables may take `size_max` bytes. Returns false if out of
   memory. */
bool intern_init(intern *pool, size_t size_max);
void intern_free(intern *pool);

/* Returns the number of a string, which is added if new. Returns INTERN_NONE if out of memory, or
   if the pool is full: then size has reached size_max. */
uint32_t intern_add(intern *pool, const char *bytes, size_t size);

/* As intern_add(), of a string that is added even if the pool is full. */
uint32_t intern_add_always(intern *pool, const char *bytes, size_t size);

/* Returns the number of a string; INTERN_NONE if the pool does not have it. */
uint32_t intern_find(const intern *pool, const char *bytes, size_t size);

#endif
