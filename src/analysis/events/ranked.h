/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts rows for output: by weight, the largest first, then by name. */
#ifndef ANALYSIS_EVENTS_RANKED_H
#define ANALYSIS_EVENTS_RANKED_H

#include "model/context.h"

/* What decides the order of one row: qsort() passes no argument on, so each element holds what
   the comparison needs. */
typedef struct ranked {
    uint64_t weight;
    stele_text name;
    uint32_t index; /* index of the row */
    uint32_t last;  /* decides if weight and name are equal */
} ranked;

static inline int ranked_compare(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    const int order = text_compare(a->name, b->name);
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (order != 0)
        return order;
    return a->last < b->last ? -1 : a->last > b->last;
}

/* ---- The first of many ---- */

/* Moves an element of a heap, whose last one in the order is at index 0, down to its place. */
static inline void ranked_sift(ranked *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        ranked moved;
        if (child + 1 < count && ranked_compare(&heap[child + 1], &heap[child]) > 0)
            child++;
        if (ranked_compare(&heap[child], &heap[at]) <= 0)
            return;
        moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static inline void ranked_make_heap(ranked *heap, size_t count)
{
    for (size_t at = count / 2; at > 0; at--)
        ranked_sift(heap, count, at - 1);
}

/* Replaces the last one in the order. */
static inline void ranked_replace_last(ranked *heap, size_t count, ranked by)
{
    heap[0] = by;
    ranked_sift(heap, count, 0);
}

#endif
