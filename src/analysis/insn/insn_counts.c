/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_counts.h"

#include <stdlib.h>

#include "core/hash.h"

#define BITS_FIRST 12u

static bool table_make(insn_counts *counts, unsigned bits)
{
    counts->slots = calloc((size_t)1 << bits, sizeof *counts->slots);
    counts->used = 0;
    counts->mask = ((size_t)1 << bits) - 1;
    counts->shift = 64 - bits;
    counts->factor = hash_key_make().second;
    return counts->slots != NULL;
}

bool insn_counts_init(insn_counts *counts)
{
    return table_make(counts, BITS_FIRST);
}

void insn_counts_free(insn_counts *counts)
{
    free(counts->slots);
    *counts = (insn_counts){0};
}

/* Doubles the table before more than half of its slots are used. */
bool insn_counts_grow(insn_counts *counts)
{
    insn_counts grown;
    if (counts->used < counts->mask / 2)
        return true;
    if (!table_make(&grown, 64 - counts->shift + 1))
        return false;
    for (size_t i = 0; i <= counts->mask; i++) {
        if (counts->slots[i].count != 0)
            *insn_counts_slot(&grown, counts->slots[i].key) = counts->slots[i];
    }
    grown.used = counts->used;
    free(counts->slots);
    *counts = grown;
    return true;
}

bool insn_counts_merge(insn_counts *to, const insn_counts *from)
{
    for (size_t i = 0; i <= from->mask; i++) {
        const insn_count *slot = &from->slots[i];
        if (slot->count != 0 && !insn_counts_add(to, slot->key, slot->count))
            return false;
    }
    return true;
}

static int compare_keys(const void *left, const void *right)
{
    const insn_count *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

insn_count *insn_counts_sorted(const insn_counts *counts)
{
    insn_count *sorted = malloc((counts->used + 1) * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i <= counts->mask; i++) {
        if (counts->slots[i].count != 0)
            sorted[count++] = counts->slots[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_keys);
    return sorted;
}
