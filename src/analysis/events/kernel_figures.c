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

kernel_entry *kernel_figures_find(kernel_figures *f, const kernel_sample *s, uint32_t thread)
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

bool kernel_figures_leave_open(kernel_figures *f, const kernel_sample *s)
{
    kernel_entry *to = kernel_figures_entry(f, s);
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
