/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory instructions read, write and execute: in lines of 64 bytes and in pages. */
#ifndef ANALYSIS_INSN_INSN_FOOTPRINT_H
#define ANALYSIS_INSN_INSN_FOOTPRINT_H

#include "model/insn.h"

typedef enum footprint_kind {
    FOOTPRINT_READ,
    FOOTPRINT_WRITTEN,
    FOOTPRINT_EXECUTED,
    FOOTPRINT_ANY,
    FOOTPRINT_KIND_COUNT
} footprint_kind;

typedef enum footprint_unit {
    FOOTPRINT_LINE,
    FOOTPRINT_4K,
    FOOTPRINT_64K,
    FOOTPRINT_2M,
    FOOTPRINT_UNIT_COUNT
} footprint_unit;

extern const uint64_t footprint_unit_size[FOOTPRINT_UNIT_COUNT];

typedef struct footprint_counts {
    uint64_t counts[FOOTPRINT_UNIT_COUNT][FOOTPRINT_KIND_COUNT];
} footprint_counts;

/* An interval: some consecutive instructions of one thread. */
typedef struct footprint_interval {
    uint32_t track;
    uint64_t first, insn_count; /* number of its first instruction, and how many were counted */
    uint64_t new_line_count;    /* lines that no earlier interval had */
    footprint_counts touched;
} footprint_interval;

typedef struct footprint footprint;

/* Makes an empty footprint. `interval` is the length of intervals, in instructions by their
   numbers in a thread; 0: there are none. Returns STELE_ERR_MEMORY if out of memory. */
stele_status footprint_new(uint64_t interval, footprint **out);
void footprint_free(footprint *f);

stele_status footprint_add(footprint *f, const insn_batch *batch);

/* Adds the footprint of another part, which has no intervals. */
stele_status footprint_merge(footprint *to, const footprint *from);

const footprint_counts *footprint_get(const footprint *f);

/* Ends the last interval; call it before footprint_intervals(). */
stele_status footprint_finish(footprint *f);
const footprint_interval *footprint_intervals(const footprint *f, size_t *count);

#endif
