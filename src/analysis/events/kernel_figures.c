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
    free(f->entries);
    hash_table_free(&f->numbers);
}

static bool is_of(const stele_kernel_row *row, const kernel_sample *s, uint32_t thread)
{
    return row->of == s->of && row->name == s->name && row->number == s->number &&
           row->thread == thread;
}

/* Finds or makes the entry of a sample that is not among the last ones. Returns NULL as entry_of()
   does. */
static __attribute__((noinline)) kernel_entry *entry_find(kernel_figures *f, const kernel_sample *s,
                                                          uint32_t thread, bool *is_other)
{
    const uint64_t what = (uint64_t)s->of << 32 | s->name;
    uint32_t hash;
    *is_other = false;
    if (!hash_table_reserve(&f->numbers))
        return NULL;
    hash = hash_table_hash_pair(&f->numbers, what, s->number << 32 | thread);
    for (uint32_t at = hash, found; (found = hash_table_next(&f->numbers, hash, &at)) != HASH_NONE;)
        if (is_of(&f->entries[found].row, s, thread))
            return &f->entries[found];
    if (f->count == f->max) {
        *is_other = true;
        return NULL;
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

/* Finds or makes the entry that a sample counts for. Returns NULL if out of memory or, with
   `*is_other` set, if the limit of entries is reached. */
static inline kernel_entry *entry_of(kernel_figures *f, const kernel_sample *s, bool *is_other)
{
    const uint32_t thread = f->by_thread ? s->thread : 0;
    const uint64_t mixed = s->name * UINT64_C(31) + s->number + s->of + thread;
    uint32_t *memo = &f->memos[mixed % KERNEL_FIGURES_MEMOS];
    kernel_entry *found = *memo != 0 ? &f->entries[*memo - 1] : NULL;
    *is_other = false;
    if (found != NULL && is_of(&found->row, s, thread))
        return found;
    found = entry_find(f, s, thread, is_other);
    if (found != NULL)
        *memo = (uint32_t)(found - f->entries) + 1;
    return found;
}

static inline bool add_duration(const kernel_figures *f, kernel_entry *to, const kernel_sample *s)
{
    const uint64_t ns = (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
    stele_kernel_row *row = &to->row;
    if (row->count == 1 || ns < row->min_ns)
        row->min_ns = ns;
    if (row->count == 1 || ns > row->max_ns) {
        row->max_ns = ns;
        row->worst_begin_ns = s->begin_ns;
        row->worst_offset = s->offset;
        row->worst_stream = s->stream;
    }
    row->total_ns += ns;
    if (f->by_thread)
        return true;
    if (to->durations == NULL)
        to->durations = calloc(1, sizeof *to->durations);
    return to->durations != NULL && histogram_add(to->durations, ns);
}

bool kernel_figures_add(kernel_figures *f, const kernel_sample *s)
{
    bool is_other;
    kernel_entry *to = entry_of(f, s, &is_other);
    if (to == NULL) {
        f->other_count += is_other;
        return is_other;
    }
    to->row.count++;
    to->row.error_count += s->is_error;
    to->row.byte_count += s->byte_count;
    return !s->is_timed || add_duration(f, to, s);
}

bool kernel_figures_leave_open(kernel_figures *f, const kernel_sample *s)
{
    bool is_other;
    kernel_entry *to = entry_of(f, s, &is_other);
    if (to != NULL)
        to->row.open_count++;
    f->other_count += is_other;
    return to != NULL || is_other;
}
