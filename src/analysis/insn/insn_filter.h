/* SPDX-License-Identifier: Apache-2.0 */
/* Selects instructions of a batch by exception level and address. */
#ifndef ANALYSIS_INSN_INSN_FILTER_H
#define ANALYSIS_INSN_INSN_FILTER_H

#include "model/insn.h"

typedef stele_insn_range insn_range;

/* The filter; all zeros is one that every instruction passes. */
typedef struct insn_filter {
    uint8_t levels;     /* bit n stands for level n; 0: all levels pass */
    bool has_ranges;    /* only addresses in one of the ranges pass */
    insn_range *ranges; /* sorted and disjoint, see insn_filter_sort(); owned */
    size_t range_count, range_capacity;
} insn_filter;

/* Adds the addresses from `first` to `last`, both included. Returns false if out of memory. */
bool insn_filter_add(insn_filter *filter, uint64_t first, uint64_t last);

/* Sorts and joins the ranges; call it once after the last insn_filter_add(). */
void insn_filter_sort(insn_filter *filter);
void insn_filter_free(insn_filter *filter);

/* Sets INSN_HIDDEN for instructions that do not pass. An instruction whose program counter is
   not known is in no range. Returns how many pass. */
uint32_t insn_filter_apply(const insn_filter *filter, insn_batch *batch);

#endif
