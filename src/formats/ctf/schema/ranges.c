/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/ranges.h"

#include <stdlib.h>

#include "core/wide.h"

static uint64_t biased(const range_table *table, uint64_t value)
{
    return table->is_signed ? value ^ (UINT64_C(1) << 63) : value;
}

static int entry_compare(const void *a, const void *b)
{
    const range_entry *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds the part of the range that values of the class can be in. */
static void table_add(range_table *table, const ctf_range *range, uint32_t index)
{
    const wide_i128 least = i128_of_i64(table->is_signed ? INT64_MIN : 0);
    const wide_i128 most = table->is_signed ? i128_of_i64(INT64_MAX) : i128_of_u64(UINT64_MAX);
    wide_i128 low = i128_of_bits(range->low, range->is_signed);
    wide_i128 high = i128_of_bits(range->high, range->is_signed);
    if (i128_less(low, least))
        low = least;
    if (i128_less(most, high))
        high = most;
    if (!i128_less(high, low))
        table->entries[table->count++] = (range_entry){.low = biased(table, i128_low(low)),
                                                       .high = biased(table, i128_low(high)),
                                                       .index = index};
}

/* Computes `reach` of the entries, which form a tree: the middle entry is the root, and the entries
   on each side of it are the branches. Returns the largest end of all. */
static uint64_t tree_make(range_entry *entries, uint32_t count)
{
    const uint32_t half = count / 2;
    uint64_t left, right, reach;
    if (count == 0)
        return 0;
    left = tree_make(entries, half);
    right = tree_make(entries + half + 1, count - half - 1);
    reach = left > right ? left : right;
    return entries[half].reach = entries[half].high > reach ? entries[half].high : reach;
}

bool range_table_make(range_table *table, arena *memory, const ctf_mapping *mappings,
                      uint32_t count, const uint32_t *indexes, bool is_signed)
{
    size_t total = 0;
    *table = (range_table){.is_signed = is_signed};
    for (uint32_t i = 0; i < count; i++)
        total += mappings[i].range_count;
    if (total > UINT32_MAX)
        return false;
    table->entries = arena_take(memory, total * sizeof *table->entries + 1);
    if (table->entries == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = indexes != NULL ? indexes[i] : i;
        for (uint32_t k = 0; index != RANGE_NONE && k < mappings[i].range_count; k++)
            table_add(table, &mappings[i].ranges[k], index);
    }
    qsort(table->entries, table->count, sizeof *table->entries, entry_compare);
    tree_make(table->entries, table->count);
    return true;
}

/* A search for the mappings of one value. */
typedef struct range_search {
    uint64_t key;
    uint32_t first; /* lowest index found so far */
    uint32_t *hits; /* NULL if only the lowest index is wanted */
    uint32_t count;
} range_search;

/* Inserts the index into the sorted hits, unless it is there. If they are full, the last one is
   dropped. */
static void hit_insert(range_search *search, uint32_t index)
{
    uint32_t *hits = search->hits, at = search->count;
    while (at > 0 && hits[at - 1] > index)
        at--;
    if ((at > 0 && hits[at - 1] == index) || at == RANGE_HITS_MAX)
        return;
    if (search->count < RANGE_HITS_MAX)
        search->count++;
    memmove(hits + at + 1, hits + at, (search->count - at - 1) * sizeof *hits);
    hits[at] = index;
}

/* Finds the entries that hold the key. Branches all of whose ranges end below it are skipped. */
static void tree_search(const range_entry *entries, uint32_t count, range_search *search)
{
    while (count != 0 && entries[count / 2].reach >= search->key) {
        const uint32_t half = count / 2;
        const range_entry *root = &entries[half];
        if (root->low > search->key) {
            count = half;
            continue;
        }
        tree_search(entries, half, search);
        if (root->high >= search->key && search->hits != NULL)
            hit_insert(search, root->index);
        else if (root->high >= search->key && root->index < search->first)
            search->first = root->index;
        entries += half + 1;
        count -= half + 1;
    }
}

uint32_t range_table_find(const range_table *table, uint64_t value)
{
    range_search search = {.key = biased(table, value), .first = RANGE_NONE};
    tree_search(table->entries, table->count, &search);
    return search.first;
}

uint32_t range_table_find_all(const range_table *table, uint64_t value, uint32_t *hits)
{
    range_search search = {.key = biased(table, value), .hits = hits};
    tree_search(table->entries, table->count, &search);
    return search.count;
}

bool ranges_hold(const ctf_range *ranges, uint32_t count, uint64_t value, bool is_signed)
{
    const wide_i128 wide = i128_of_bits(value, is_signed);
    for (uint32_t i = 0; i < count; i++) {
        if (!i128_less(wide, i128_of_bits(ranges[i].low, ranges[i].is_signed)) &&
            !i128_less(i128_of_bits(ranges[i].high, ranges[i].is_signed), wide))
            return true;
    }
    return false;
}
