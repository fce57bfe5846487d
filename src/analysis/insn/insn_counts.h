/* SPDX-License-Identifier: Apache-2.0 */
/* Counts numbers such as opcodes and addresses in a hash table that is fast enough for thousands
   of millions of them. */
#ifndef ANALYSIS_INSN_INSN_COUNTS_H
#define ANALYSIS_INSN_INSN_COUNTS_H

#include "core/keyed.h"

typedef struct insn_count {
    uint64_t key, count;
} insn_count;

typedef struct insn_counts {
    keyed table; /* of insn_count; what is not in it yet has count 0 */
} insn_counts;

/* Makes an empty table. This and the other functions return false if out of memory. */
bool insn_counts_init(insn_counts *counts);
void insn_counts_free(insn_counts *counts);
bool insn_counts_merge(insn_counts *to, const insn_counts *from);

/* How many different keys were counted. */
static inline size_t insn_counts_used(const insn_counts *counts)
{
    return counts->table.used;
}

/* Returns a copy of all counts, sorted by key, which the caller frees, or NULL if out of memory. */
insn_count *insn_counts_sorted(const insn_counts *counts);

/* Counts a key that has no count yet. */
bool insn_counts_add_first(insn_counts *counts, uint64_t key, uint64_t count);

static inline bool insn_counts_add(insn_counts *counts, uint64_t key, uint64_t count)
{
    insn_count *slot = keyed_slot(&counts->table, sizeof *slot, key);
    if (__builtin_expect(slot->count == 0, 0))
        return insn_counts_add_first(counts, key, count);
    slot->count += count;
    return true;
}

#endif
