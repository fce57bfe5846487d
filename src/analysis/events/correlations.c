/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/correlations.h"

#include <stdlib.h>

#include "core/array.h"

void correlations_free(correlations *c)
{
    free(c->entries);
    hash_table_free(&c->numbers);
}

correlation *correlations_find(const correlations *c, uint64_t id)
{
    const uint32_t hash = hash_table_hash_u64(&c->numbers, id);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&c->numbers, hash, &at)) != HASH_NONE;) {
        if (c->entries[number].id == id)
            return &c->entries[number];
    }
    return NULL;
}

stele_status correlations_open(correlations *c, const stele_event *event)
{
    const stele_name name = (event->name & STELE_NAME_LOCAL) == 0 ? event->name : 0;
    correlation *entry = correlations_find(c, event->id);
    if (entry != NULL) {
        if (entry->open_count < UINT32_MAX)
            entry->open_count++;
        return STELE_OK;
    }
    if (c->count == CORRELATIONS_MAX)
        return STELE_ERR_LIMIT;
    if (!hash_table_reserve(&c->numbers))
        return STELE_ERR_MEMORY;
    if (c->count == c->capacity) {
        entry = array_grow(c->entries, sizeof *entry, &c->capacity, 32);
        if (entry == NULL)
            return STELE_ERR_MEMORY;
        c->entries = entry;
    }
    c->entries[c->count] = (correlation){event->id, event->offset, event->size, 1, name};
    hash_table_put(&c->numbers, hash_table_hash_u64(&c->numbers, event->id), c->count++);
    return STELE_OK;
}

/* Ends one event of the entry. The last entry moves to where none is open any more. */
void correlations_close(correlations *c, correlation *entry)
{
    const uint32_t number = (uint32_t)(entry - c->entries);
    if (--entry->open_count != 0)
        return;
    hash_table_remove(&c->numbers, hash_table_hash_u64(&c->numbers, entry->id), number);
    if (number == --c->count)
        return;
    *entry = c->entries[c->count];
    hash_table_renumber(&c->numbers, hash_table_hash_u64(&c->numbers, entry->id), c->count, number);
}

static int compare_offsets(const void *a, const void *b)
{
    const correlation *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void correlations_sort(correlations *c)
{
    if (c->count > 0)
        qsort(c->entries, c->count, sizeof *c->entries, compare_offsets);
}
