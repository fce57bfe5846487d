/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/ranges.h"

#include <stdlib.h>

#include "core/wide.h"

static wide_i128 number(uint64_t value, bool is_signed)
{
    return is_signed ? (wide_i128)(int64_t)value : (wide_i128)value;
}

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

/* Adds what of the range values of the class can be in. */
static void table_add(range_table *table, const ctf_range *range, uint32_t index)
{
    const wide_i128 floor = table->is_signed ? (wide_i128)INT64_MIN : 0;
    const wide_i128 ceiling = table->is_signed ? (wide_i128)INT64_MAX : (wide_i128)UINT64_MAX;
    wide_i128 low = number(range->low, range->is_signed);
    wide_i128 high = number(range->high, range->is_signed);
    if (low < floor)
        low = floor;
    if (high > ceiling)
        high = ceiling;
    if (low <= high)
        table->entries[table->count++] = (range_entry){.low = biased(table, (uint64_t)low),
                                                       .high = biased(table, (uint64_t)high),
                                                       .index = index};
}

bool range_table_make(range_table *table, arena *memory, const ctf_mapping *mappings,
                      uint32_t count, const uint32_t *indexes, bool is_signed)
{
    size_t total = 0;
    uint64_t reach = 0;
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
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->entries[i].high > reach)
            reach = table->entries[i].high;
        table->entries[i].reach = reach;
    }
    return true;
}

/* How many entries begin at or before the key. */
static uint32_t entries_up_to(const range_table *table, uint64_t key)
{
    uint32_t first = 0, count = table->count;
    while (count != 0) {
        const uint32_t half = count / 2;
        if (table->entries[first + half].low <= key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

uint32_t range_table_find(const range_table *table, uint64_t value)
{
    const uint64_t key = biased(table, value);
    uint32_t found = RANGE_NONE;
    for (uint32_t i = entries_up_to(table, key); i > 0 && table->entries[i - 1].reach >= key; i--) {
        const range_entry *entry = &table->entries[i - 1];
        if (entry->high >= key && entry->index < found)
            found = entry->index;
    }
    return found;
}

/* Puts the index in its place among the hits; the last one goes when there is no room. */
static uint32_t hit_insert(uint32_t *hits, uint32_t count, uint32_t index)
{
    uint32_t at = count;
    while (at > 0 && hits[at - 1] > index)
        at--;
    if ((at > 0 && hits[at - 1] == index) || at == RANGE_HITS_MAX)
        return count;
    if (count < RANGE_HITS_MAX)
        count++;
    memmove(hits + at + 1, hits + at, (count - at - 1) * sizeof *hits);
    hits[at] = index;
    return count;
}

uint32_t range_table_find_all(const range_table *table, uint64_t value, uint32_t *hits)
{
    const uint64_t key = biased(table, value);
    uint32_t count = 0;
    for (uint32_t i = entries_up_to(table, key); i > 0 && table->entries[i - 1].reach >= key; i--) {
        if (table->entries[i - 1].high >= key)
            count = hit_insert(hits, count, table->entries[i - 1].index);
    }
    return count;
}

bool ranges_hold(const ctf_range *ranges, uint32_t count, uint64_t value, bool is_signed)
{
    const wide_i128 wide = number(value, is_signed);
    for (uint32_t i = 0; i < count; i++) {
        if (number(ranges[i].low, ranges[i].is_signed) <= wide &&
            wide <= number(ranges[i].high, ranges[i].is_signed))
            return true;
    }
    return false;
}
