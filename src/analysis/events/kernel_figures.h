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

typedef struct kernel_entry {
    stele_kernel_row row;
    histogram *durations; /* NULL: the row is of one thread, or of things without a duration */
} kernel_entry;

#define KERNEL_FIGURES_MEMOS 64u

typedef struct kernel_figures {
    kernel_entry *entries;
    uint32_t count, capacity, max;
    hash_table numbers;
    uint32_t memos[KERNEL_FIGURES_MEMOS]; /* indexes of the entries that were found last, plus 1; 0:
                                             none */
    bool by_thread;
    uint64_t other_count;
} kernel_figures;

void kernel_figures_free(kernel_figures *f);

/* Adds a sample to its row. Returns false if out of memory. */
bool kernel_figures_add(kernel_figures *f, const kernel_sample *sample);

/* Counts something that began and did not end in the trace. Returns false if out of memory. */
bool kernel_figures_leave_open(kernel_figures *f, const kernel_sample *sample);

#endif
