/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_strides.h"

#include <stdlib.h>

stele_status strides_init(strides *s)
{
    return keyed_init(&s->rows, sizeof(stride_row)) ? STELE_OK : STELE_ERR_MEMORY;
}

void strides_free(strides *s)
{
    keyed_free(&s->rows);
}

/* Counts a stride by the algorithm of Misra and Gries: a stride without a slot takes one from
   the count of each other stride. A stride that makes up more than one in five keeps its slot. */
static void count_stride(stride_row *row, int64_t stride)
{
    for (size_t i = 0; i < STRIDE_SLOTS; i++) {
        if (row->slots[i].count != 0 && row->slots[i].stride == stride) {
            row->slots[i].count++;
            return;
        }
    }
    for (size_t i = 0; i < STRIDE_SLOTS; i++) {
        if (row->slots[i].count == 0) {
            row->slots[i].stride = stride;
            row->slots[i].count = 1;
            return;
        }
    }
    row->is_crowded = true;
    for (size_t i = 0; i < STRIDE_SLOTS; i++)
        row->slots[i].count--;
}

static void add_access(stride_row *row, uint32_t track, const insn_access *access)
{
    const int64_t stride = (int64_t)(access->address - row->last_address);
    if (row->track != track)
        row->known = 0;
    row->access_count++;
    if (row->known != 0)
        count_stride(row, stride);
    row->repeat_count += row->known == 2 && stride == row->last_stride;
    row->known = row->known == 0 ? 1 : 2;
    row->last_stride = stride;
    row->last_address = access->address;
    row->track = track;
    row->is_store = access->is_store != 0;
    row->size_log2 = access->size_log2;
}

stele_status strides_add(strides *s, const insn_batch *batch)
{
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const insn *at = &batch->insns[i];
        stride_row *row;
        if (at->access_count == 0 || (at->flags & (INSN_HIDDEN | INSN_HAS_PC)) != INSN_HAS_PC)
            continue;
        row = keyed_find(&s->rows, sizeof *row, at->pc);
        if (row == NULL)
            return STELE_ERR_MEMORY;
        add_access(row, batch->track, insn_accesses(batch, at));
    }
    return STELE_OK;
}

int64_t strides_top(const stride_row *row, uint64_t *count)
{
    size_t top = 0;
    for (size_t i = 1; i < STRIDE_SLOTS; i++) {
        if (row->slots[i].count > row->slots[top].count)
            top = i;
    }
    *count = row->slots[top].count;
    return row->slots[top].stride;
}

static int row_compare(const void *left, const void *right)
{
    const stride_row *a = *(const stride_row *const *)left;
    const stride_row *b = *(const stride_row *const *)right;
    if (a->access_count != b->access_count)
        return a->access_count > b->access_count ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

const stride_row **strides_sorted(const strides *s)
{
    const stride_row **rows = malloc((s->rows.used + 1) * sizeof *rows);
    size_t count = 0;
    if (rows == NULL)
        return NULL;
    for (size_t i = 0; i < keyed_end(&s->rows); i++) {
        const stride_row *row = keyed_at(&s->rows, sizeof *row, i);
        if (row != NULL)
            rows[count++] = row;
    }
    qsort(rows, count, sizeof *rows, row_compare);
    return rows;
}
