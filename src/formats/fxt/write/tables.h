/* SPDX-License-Identifier: Apache-2.0 */
/* The string and thread tables of a provider that is written: which index stands for what, and
   which is replaced when all are used (by the "clock" approximation of least recently used). */
#ifndef FXT_WRITE_TABLES_H
#define FXT_WRITE_TABLES_H

#include <stddef.h>

#include "formats/fxt/read/map.h"

typedef struct fxt_slot {
    uint32_t key;    /* name or track; 0 if the slot is free */
    uint32_t record; /* number of the last record that used it */
    bool is_recent;  /* used since the hand passed it last */
} fxt_slot;

#define TABLE_RECENT 64u /* a power of two */

typedef struct fxt_table {
    fxt_map index_of; /* maps (0, key) to its index, or to TABLE_SEEN */
    fxt_slot *slots;  /* indexes begin at 1 */
    /* By the last bits of a key: an index that such a key had when it was looked for last; the slot
       says whether it still has it. */
    uint32_t recent[TABLE_RECENT];
    uint32_t count, capacity, capacity_max;
    uint32_t hand; /* the slot that is considered next for replacement */
    bool has_cut;  /* a key stands for a string of which only the beginning was written */
} fxt_table;

#define TABLE_SEEN UINT32_MAX /* the key was met, but has no index */

/* Returns the index of a key, or 0 if it has none, and marks it as used by record number
   `record`. */
uint32_t fxt_table_find(fxt_table *table, uint32_t key, uint32_t record);

/* Whether the key was met before; remembers it. Sets `*is_exhausted` if out of memory. */
bool fxt_table_see(fxt_table *table, uint32_t key, bool *is_exhausted);

/* Gives the key an index that the record does not use itself. Returns 0 if out of memory. */
uint32_t fxt_table_add(fxt_table *table, uint32_t key, uint32_t record);
void fxt_table_free(fxt_table *table);

#endif
