/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/kernel_figures.h"

#include <stdlib.h>

#include "core/array.h"

void kernel_figures_free(kernel_figures *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->entries[i].durations != NULL)
            histogram_free(f->entries[i].durations);
        free(f->entries[i].durations);
    }
    if (f->other.durations != NULL)
        histogram_free(f->other.durations);
    free(f->other.durations);
    free(f->entries);
    hash_table_free(&f->numbers);
}

static kernel_entry *entry_find(kernel_figures *f, const kernel_sample *s, uint32_t thread)
{
    const uint64_t what = (uint64_t)s->of << 32 | s->name;
    uint32_t hash;
    if (!hash_table_reserve(&f->numbers))
        return NULL;
    hash = hash_table_hash_pair(&f->numbers, what, s->number << 32 | thread);
    for (uint32_t at = hash, found; (found = hash_table_next(&f->numbers, hash, &at)) != HASH_NONE;)
        if (kernel_row_is_of(&f->entries[found].row, s, thread))
            return &f->entries[found];
    if (f->count == f->max) {
        f->other_count++;
        return &f->other;
    }
    if (f->count == f->capacity) {
        kernel_entry *grown = array_grow(f->entries, sizeof *grown, &f->capacity, 64);
        if (grown == NULL)
            return NULL;
        f->entries = grown;
    }
    f->entries[f->count] = (kernel_entry){
        .row = {.of = (uint8_t)s->of, .name = s->name, .number = s->number, .thread = thread}};
    hash_table_put(&f->numbers, hash, f->count);
    return &f->entries[f->count++];
}

/* Finds or makes the entry that a sample counts for. Returns NULL if out of memory. */
static kernel_entry *entry_of(kernel_figures *f, const kernel_sample *s)
{
    const uint32_t thread = f->by_thread ? s->thread : 0;
    kernel_entry *found = entry_find(f, s, thread);
    if (found != NULL && found != &f->other)
        *kernel_figures_memo(f, s, thread) = (uint32_t)(found - f->entries) + 1;
    return found;
}

bool kernel_figures_add_other(kernel_figures *f, const kernel_sample *s)
{
    kernel_entry *to = entry_of(f, s);
    return to != NULL && kernel_entry_add(f, to, s);
}

bool kernel_figures_leave_open(kernel_figures *f, const kernel_sample *s)
{
    kernel_entry *to = entry_of(f, s);
    if (to != NULL)
        to->row.open_count++;
    return to != NULL;
}

bool kernel_entry_count_waiting(kernel_entry *e)
{
    bool is_good = true;
    if (e->durations == NULL)
        e->durations = calloc(1, sizeof *e->durations);
    for (uint32_t i = 0; e->durations != NULL && i < e->waiting_count; i++)
        is_good &= histogram_add(e->durations, e->waiting[i]);
    e->waiting_count = 0;
    return e->durations != NULL && is_good;
}
