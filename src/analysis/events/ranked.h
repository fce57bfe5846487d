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

#endif
