/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/write/tables.h"

#include <stdlib.h>

#include "core/array.h"

/* Most keys that are remembered; further ones count as new each time. */
#define SEEN_MAX (64u << 10)

uint32_t fxt_table_find(fxt_table *table, uint32_t key, uint32_t record)
{
    uint32_t *const recent = &table->recent[key & (TABLE_RECENT - 1)];
    uint32_t index = *recent;
    if (index == 0 || table->slots[index].key != key) {
        index = fxt_map_get(&table->index_of, 0, key);
        if (index == 0 || index == TABLE_SEEN)
            return 0;
        *recent = index;
    }
    table->slots[index].record = record;
    table->slots[index].is_recent = true;
    return index;
}

bool fxt_table_see(fxt_table *table, uint32_t key, bool *is_exhausted)
{
    if (fxt_map_get(&table->index_of, 0, key) != 0)
        return true;
    if (table->index_of.count < SEEN_MAX && !fxt_map_set(&table->index_of, 0, key, TABLE_SEEN))
        *is_exhausted = true;
    return false;
}

/* Returns a free index, or one that was not used recently, or 0 if out of memory. */
static uint32_t table_take(fxt_table *table, uint32_t record)
{
    if (table->count < table->capacity_max) {
        if (table->count + 1 >= table->capacity) {
            fxt_slot *slots = array_grow(table->slots, sizeof *slots, &table->capacity, 64);
            if (slots == NULL)
                return 0;
            table->slots = slots;
        }
        return ++table->count;
    }
    for (;;) {
        fxt_slot *slot;
        table->hand = table->hand % table->count + 1;
        slot = &table->slots[table->hand];
        if (!slot->is_recent && slot->record != record) {
            /* Its string was met before, so it is registered when it comes again. */
            return fxt_map_set(&table->index_of, 0, slot->key, TABLE_SEEN) ? table->hand : 0;
        }
        slot->is_recent = false;
    }
}

uint32_t fxt_table_add(fxt_table *table, uint32_t key, uint32_t record)
{
    const uint32_t index = table_take(table, record);
    if (index == 0 || !fxt_map_set(&table->index_of, 0, key, index))
        return 0;
    table->slots[index] = (fxt_slot){key, record, true};
    return index;
}

void fxt_table_free(fxt_table *table)
{
    fxt_map_free(&table->index_of);
    free(table->slots);
}
