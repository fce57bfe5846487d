/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which ranges of integers hold a value: labels of enumerations, options of variants. */
#ifndef CTF_RANGES_H
#define CTF_RANGES_H

#include <stdbool.h>

#include "core/arena.h"
#include "formats/ctf/schema/schema.h"

/* Ends are biased so that signed values, too, compare as unsigned ones. */
typedef struct range_entry {
    uint64_t low, high;
    uint64_t reach; /* the largest `high` of the tree that has this entry as its root */
    uint32_t index; /* of the mapping */
} range_entry;

typedef struct range_table {
    range_entry *entries; /* by `low`: a balanced tree, whose root is the middle one */
    uint32_t count;
    bool is_signed; /* of the values */
} range_table;

#define RANGE_NONE     UINT32_MAX
#define RANGE_HITS_MAX 255u

/* The table of mappings with ranges, for values of a signed or unsigned class. What no such value
   can be in is left out. `indexes` says what each mapping stands for (RANGE_NONE: for nothing),
   NULL: for itself. Returns false if out of memory. */
bool range_table_make(range_table *table, arena *memory, const ctf_mapping *mappings,
                      uint32_t count, const uint32_t *indexes, bool is_signed);

/* The first mapping that holds the value (two's complement when signed); RANGE_NONE. */
uint32_t range_table_find(const range_table *table, uint64_t value);

/* The mappings that hold the value, in their order, each once; at most RANGE_HITS_MAX. */
uint32_t range_table_find_all(const range_table *table, uint64_t value, uint32_t *hits);

/* Whether a value of either kind lies in one of the ranges. */
bool ranges_hold(const ctf_range *ranges, uint32_t count, uint64_t value, bool is_signed);

#endif
