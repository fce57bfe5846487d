/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_filter.h"

#include <stdlib.h>

#include "core/array.h"

bool insn_filter_add(insn_filter *filter, uint64_t first, uint64_t last)
{
    filter->has_ranges = true;
    if (filter->range_count == filter->range_capacity) {
        insn_range *grown =
            array_grow_size(filter->ranges, sizeof *grown, &filter->range_capacity, 8);
        if (grown == NULL)
            return false;
        filter->ranges = grown;
    }
    filter->ranges[filter->range_count++] = (insn_range){first, last};
    return true;
}

static int range_compare(const void *left, const void *right)
{
    const insn_range *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

void insn_filter_sort(insn_filter *filter)
{
    size_t count = 0;
    if (filter->range_count == 0)
        return;
    qsort(filter->ranges, filter->range_count, sizeof *filter->ranges, range_compare);
    for (size_t i = 1; i < filter->range_count; i++) {
        insn_range *last = &filter->ranges[count];
        const insn_range next = filter->ranges[i];
        if (next.first > last->last)
            filter->ranges[++count] = next;
        else if (next.last > last->last)
            last->last = next.last;
    }
    filter->range_count = count + 1;
}

void insn_filter_free(insn_filter *filter)
{
    free(filter->ranges);
    *filter = (insn_filter){0};
}

/* Finds the range that contains an address. Returns an empty range if none does. */
static insn_range range_find(const insn_filter *filter, uint64_t pc)
{
    size_t low = 0, high = filter->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (filter->ranges[middle].last < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < filter->range_count && filter->ranges[low].first <= pc ? filter->ranges[low]
                                                                        : (insn_range){1, 0};
}

uint32_t insn_filter_apply(const insn_filter *filter, insn_batch *batch)
{
    const unsigned levels = filter->levels != 0 ? filter->levels : 0xfu;
    insn_range inside = {1, 0}; /* range of the last instruction; begins as an empty one */
    uint32_t count = 0;
    if (levels == 0xfu && !filter->has_ranges)
        return batch->insn_count;
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        insn *at = &batch->insns[i];
        bool passes = (levels >> at->level & 1u) != 0;
        if (passes && filter->has_ranges) {
            if (at->pc < inside.first || at->pc > inside.last)
                inside = range_find(filter, at->pc);
            passes = inside.first <= inside.last && (at->flags & INSN_HAS_PC) != 0;
        }
        if (!passes)
            at->flags |= INSN_HIDDEN;
        count += passes;
    }
    return count;
}
