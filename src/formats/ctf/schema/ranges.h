/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which ranges of integers hold a value: labels of enumerations, options of variants. */
#ifndef CTF_RANGES_H
#define CTF_RANGES_H

#include <stdbool.h>

#include "core/arena.h"
#include "formats/ctf/schema/schema.h"

/* A range of a mapping. `low` and `high` are biased, so that signed values, too, can be compared as
   unsigned ones. */
typedef struct range_entry {
    uint64_t low, high;
    uint64_t reach; /* largest `high` in the subtree whose root is this entry */
    uint32_t index; /* index of the mapping that the range belongs to */
} range_entry;

typedef struct range_table {
    /* A balanced tree sorted by `low`: its root is the middle entry, its branches are the halves
       beside it. */
    range_entry *entries;
    uint32_t count;
    bool is_signed; /* the values that are looked up are signed */
} range_table;

#define RANGE_NONE     UINT32_MAX /* index for values that no range holds */
#define RANGE_HITS_MAX 255u       /* most mappings that range_table_find_all() returns */

/*
 * Makes the table of the mappings for values of a signed or unsigned class. Ranges that no such
 * value can be in are left out. `indexes` says what to return for each mapping (RANGE_NONE: leave
 * the mapping out); with NULL it is the mapping's own index. Returns false if out of memory.
 */
bool range_table_make(range_table *table, arena *memory, const ctf_mapping *mappings,
                      uint32_t count, const uint32_t *indexes, bool is_signed);

/* Returns the first mapping that holds the value (two's complement when signed), or RANGE_NONE. */
uint32_t range_table_find(const range_table *table, uint64_t value);

/* Writes the mappings that hold the value to `hits`, in ascending order, each once, and returns
   their count, at most RANGE_HITS_MAX. */
uint32_t range_table_find_all(const range_table *table, uint64_t value, uint32_t *hits);

/* Whether one of the ranges, signed or unsigned, contains the value. */
bool ranges_hold(const ctf_range *ranges, uint32_t count, uint64_t value, bool is_signed);

#endif
