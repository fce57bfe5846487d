/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an analysis of what kernels do, sorted. */
#include <stdlib.h>

#include "analysis/events/kernel_state.h"
#include "analysis/events/ranked.h"

static uint64_t weight(const stele_kernel_row *row, stele_kernel_order order)
{
    switch (order) {
    case STELE_KERNEL_BY_TOTAL: return row->total_ns;
    case STELE_KERNEL_BY_COUNT: return row->count;
    case STELE_KERNEL_BY_MAX: return row->max_ns;
    case STELE_KERNEL_BY_BYTES: return row->byte_count;
    default: return 0;
    }
}

static uint64_t percentile(const kernel_entry *from, unsigned permille)
{
    const uint64_t value =
        from->durations != NULL ? histogram_percentile(from->durations, permille) : 0;
    return value < from->row.max_ns ? value : from->row.max_ns;
}

stele_status stele_kernel_rows(stele_kernel *k, stele_kernel_class of, stele_kernel_order order,
                               const stele_kernel_row **rows, size_t *count)
{
    const kernel_figures *f = &k->figures;
    ranked *ranks = malloc(((size_t)f->count + 1) * sizeof *ranks);
    uint32_t shown = 0;
    free(k->rows);
    k->rows = malloc(((size_t)f->count + 1) * sizeof *k->rows);
    if (ranks == NULL || k->rows == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const stele_kernel_row *row = &f->entries[i].row;
        if (row->of == of)
            ranks[shown++] =
                (ranked){weight(row, order), stele_name_text(k->context, NULL, row->name), i, i};
    }
    qsort(ranks, shown, sizeof *ranks, ranked_compare);
    for (uint32_t i = 0; i < shown; i++) {
        kernel_entry *from = &f->entries[ranks[i].index];
        if (from->waiting_count != 0 && !kernel_entry_count_waiting(from)) {
            free(ranks);
            return STELE_ERR_MEMORY;
        }
        k->rows[i] = from->row;
        k->rows[i].p50_ns = percentile(from, 500);
        k->rows[i].p90_ns = percentile(from, 900);
        k->rows[i].p99_ns = percentile(from, 990);
    }
    free(ranks);
    *rows = k->rows;
    *count = shown;
    return STELE_OK;
}
