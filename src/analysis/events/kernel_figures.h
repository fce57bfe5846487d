/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of figures about what kernels do, by class, name and thread. */
#ifndef ANALYSIS_EVENTS_KERNEL_FIGURES_H
#define ANALYSIS_EVENTS_KERNEL_FIGURES_H

#include <stele/kernel.h>

#include "analysis/events/histogram.h"
#include "core/table.h"

/* One thing that the kernel did. */
typedef struct kernel_sample {
    stele_kernel_class of;
    stele_name name;
    uint64_t number;
    uint32_t thread; /* number of its track; 0: none */
    bool is_timed;   /* begin_ns, end_ns, offset and stream are known */
    int64_t begin_ns, end_ns;
    uint64_t offset; /* offset of the record that says when it began */
    uint32_t stream; /* stream of the record that says when it began */
    uint64_t byte_count;
    bool is_error;
} kernel_sample;

/* How many durations of an entry wait to be counted together: the histograms of many entries are
   too large for the nearest cache. */
#define KERNEL_WAITING 8u

typedef struct kernel_entry {
    stele_kernel_row row;
    histogram *durations; /* NULL: the row is of one thread, or of things without a duration */
    uint32_t waiting_count;
    uint64_t waiting[KERNEL_WAITING]; /* durations that are not in the histogram yet */
} kernel_entry;

#define KERNEL_FIGURES_MEMOS 1024u

typedef struct kernel_figures {
    kernel_entry *entries;
    uint32_t count, capacity, max;
    hash_table numbers;
    uint32_t memos[KERNEL_FIGURES_MEMOS]; /* indexes of the entries that were found last, plus 1; 0:
                                             none */
    bool by_thread;
    uint64_t other_count;
    kernel_entry other; /* takes samples that are beyond the limit of entries */
} kernel_figures;

void kernel_figures_free(kernel_figures *f);

/* Adds a sample to a row that is not among the last ones. Returns false if out of memory. */
bool kernel_figures_add_other(kernel_figures *f, const kernel_sample *s);

/* Counts the durations of an entry that wait. Returns false if out of memory. */
bool kernel_entry_count_waiting(kernel_entry *e);

/* Counts something that began and did not end in the trace. Returns false if out of memory. */
bool kernel_figures_leave_open(kernel_figures *f, const kernel_sample *sample);

static inline bool kernel_row_is_of(const stele_kernel_row *row, const kernel_sample *s,
                                    uint32_t thread)
{
    return row->of == s->of && row->name == s->name && row->number == s->number &&
           row->thread == thread;
}

/* The place where the entry of a sample is kept, once it was found. */
static inline uint32_t *kernel_figures_memo(kernel_figures *f, const kernel_sample *s,
                                            uint32_t thread)
{
    const uint64_t mixed = s->name * UINT64_C(31) + s->number + s->of + thread;
    return &f->memos[mixed % KERNEL_FIGURES_MEMOS];
}

static inline bool kernel_entry_add_duration(const kernel_figures *f, kernel_entry *to,
                                             const kernel_sample *s)
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
    to->waiting[to->waiting_count++] = ns;
    return to->waiting_count != KERNEL_WAITING || kernel_entry_count_waiting(to);
}

/* Adds a sample to an entry. Returns false if out of memory. */
static inline bool kernel_entry_add(const kernel_figures *f, kernel_entry *to,
                                    const kernel_sample *s)
{
    to->row.count++;
    to->row.error_count += s->is_error;
    to->row.byte_count += s->byte_count;
    return !s->is_timed || kernel_entry_add_duration(f, to, s);
}

/* Adds a sample to its row. Returns false if out of memory. */
static inline bool kernel_figures_add(kernel_figures *f, const kernel_sample *s)
{
    const uint32_t thread = f->by_thread ? s->thread : 0;
    const uint32_t memo = *kernel_figures_memo(f, s, thread);
    kernel_entry *to;
    if (memo == 0)
        return kernel_figures_add_other(f, s);
    to = &f->entries[memo - 1];
    return kernel_row_is_of(&to->row, s, thread) ? kernel_entry_add(f, to, s)
                                                 : kernel_figures_add_other(f, s);
}

#endif
