/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The string and thread tables of a provider that is being written: which index stands for what,
 * and which is given up when all are taken (the "clock" approximation of least recently used).
 */
#ifndef FXT_WRITE_TABLES_H
#define FXT_WRITE_TABLES_H

#include <stddef.h>

#include "formats/fxt/read/map.h"

typedef struct fxt_slot {
    uint32_t key;    /* name or track; 0: free */
    uint32_t record; /* number of the record that used it last */
    bool is_recent;
} fxt_slot;

typedef struct fxt_table {
    fxt_map index_of; /* (0, key) -> index, or TABLE_SEEN */
    fxt_slot *slots;  /* from index 1 */
    uint32_t count, capacity, capacity_max;
    uint32_t hand;
} fxt_table;

#define TABLE_SEEN UINT32_MAX

/* Index of a key, 0 when it has none; marks it as used by record number `record`. */
uint32_t fxt_table_find(fxt_table *table, uint32_t key, uint32_t record);

/* True when the key was met before; remembers it. `*is_exhausted` is set without memory. */
bool fxt_table_see(fxt_table *table, uint32_t key, bool *is_exhausted);

/* Gives the key an index; never one that the record uses. 0 when memory is exhausted. */
uint32_t fxt_table_add(fxt_table *table, uint32_t key, uint32_t record);
void fxt_table_free(fxt_table *table);

#endif
