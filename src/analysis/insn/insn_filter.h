/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions of a batch are looked at: by level and address. */
#ifndef ANALYSIS_INSN_INSN_FILTER_H
#define ANALYSIS_INSN_INSN_FILTER_H

#include "model/insn.h"

typedef stele_insn_range insn_range;

/* Zeros let all pass. */
typedef struct insn_filter {
    uint8_t levels;     /* bit n: level n; 0: all of them */
    bool has_ranges;    /* only what lies in one of the ranges */
    insn_range *ranges; /* sorted and disjoint, see insn_filter_sort(); owned */
    size_t range_count, range_capacity;
} insn_filter;

/* Returns false if out of memory. */
bool insn_filter_add(insn_filter *filter, uint64_t first, uint64_t last);

/* After the last range. */
void insn_filter_sort(insn_filter *filter);
void insn_filter_free(insn_filter *filter);

/* Flags what does not pass as INSN_HIDDEN. Instructions without a program counter lie in no range.
   Gives how many pass. */
uint32_t insn_filter_apply(const insn_filter *filter, insn_batch *batch);

#endif
