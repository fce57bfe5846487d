/* SPDX-License-Identifier: Apache-2.0 */
/* Counts numbers such as opcodes and addresses in a hash table that is fast enough for thousands
   of millions of them. */
#ifndef ANALYSIS_INSN_INSN_COUNTS_H
#define ANALYSIS_INSN_INSN_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"

typedef struct insn_count {
    uint64_t key, count; /* count 0: the slot is free */
} insn_count;

typedef struct insn_counts {
    insn_count *slots;
    size_t used, mask; /* mask: number of slots, a power of two, minus 1 */
    uint64_t factor;   /* odd and random, so that no input can be made whose keys collide */
    unsigned shift;    /* 64 minus the number of bits in mask */
} insn_counts;

/* Makes an empty table. This and the other functions return false if out of memory. */
bool insn_counts_init(insn_counts *counts);
void insn_counts_free(insn_counts *counts);

/* Makes room for one more key. Returns false if out of memory. */
bool insn_counts_grow(insn_counts *counts);
bool insn_counts_merge(insn_counts *to, const insn_counts *from);

/* A copy of the `used` counts, sorted by key, which the caller frees. Returns NULL if out of
   memory. */
insn_count *insn_counts_sorted(const insn_counts *counts);

static inline insn_count *insn_counts_slot(const insn_counts *counts, uint64_t key)
{
    size_t i = (size_t)(hash_by_factor(counts->factor, key) >> counts->shift);
    while (counts->slots[i].key != key && counts->slots[i].count != 0)
        i = (i + 1) & counts->mask;
    return &counts->slots[i];
}

static inline bool insn_counts_add(insn_counts *counts, uint64_t key, uint64_t count)
{
    insn_count *slot = insn_counts_slot(counts, key);
    if (__builtin_expect(slot->count == 0, 0)) {
        if (!insn_counts_grow(counts))
            return false;
        slot = insn_counts_slot(counts, key);
        slot->key = key;
        counts->used++;
    }
    slot->count += count;
    return true;
}

#endif
