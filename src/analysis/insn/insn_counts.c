/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_counts.h"

#include <stdlib.h>

/* Programs use some hundred opcodes, which should rarely meet in one slot. */
#define COUNTS_FIRST 2000u

bool insn_counts_init(insn_counts *counts)
{
    if (keyed_init(&counts->table, sizeof(insn_count)) &&
        keyed_make_room(&counts->table, sizeof(insn_count), COUNTS_FIRST))
        return true;
    keyed_free(&counts->table);
    return false;
}

void insn_counts_free(insn_counts *counts)
{
    keyed_free(&counts->table);
}

bool insn_counts_add_first(insn_counts *counts, uint64_t key, uint64_t count)
{
    insn_count *made = keyed_find(&counts->table, sizeof *made, key);
    if (made != NULL)
        made->count += count;
    return made != NULL;
}

bool insn_counts_merge(insn_counts *to, const insn_counts *from)
{
    for (size_t i = 0; i < keyed_end(&from->table); i++) {
        const insn_count *of = keyed_at(&from->table, sizeof *of, i);
        if (of != NULL && !insn_counts_add(to, of->key, of->count))
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
    insn_count *sorted = malloc((insn_counts_used(counts) + 1) * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < keyed_end(&counts->table); i++) {
        const insn_count *of = keyed_at(&counts->table, sizeof *of, i);
        if (of != NULL)
            sorted[count++] = *of;
    }
    qsort(sorted, count, sizeof *sorted, compare_keys);
    return sorted;
}
