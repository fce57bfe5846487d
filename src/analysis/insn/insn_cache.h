/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What caches and TLBs would do with the accesses of a trace. Each thread has all of them for
 * itself, empty at its begin.
 *
 *     instruction -> L1I -+
 *                         +-> L2 -> L3 -> memory         ITLB, DTLB -> L2 TLB -> page tables
 *     data        -> L1D -+
 *
 * Levels are neither inclusive nor exclusive: a line that misses comes into every level on its way,
 * and leaves each for itself. What is dirty goes one level down when it leaves, into which it comes
 * without being read.
 */
#ifndef ANALYSIS_INSN_INSN_CACHE_H
#define ANALYSIS_INSN_INSN_CACHE_H

#include "analysis/insn/cache.h"
#include "model/insn.h"

typedef enum insn_cache_id {
    INSN_CACHE_L1I,
    INSN_CACHE_L1D,
    INSN_CACHE_L2,
    INSN_CACHE_L3,
    INSN_CACHE_ITLB,
    INSN_CACHE_DTLB,
    INSN_CACHE_L2TLB,
    INSN_CACHE_COUNT
} insn_cache_id;

typedef struct insn_cache_config {
    struct {
        uint64_t size; /* bytes, of TLBs entries; 0: there is none. L1I, L1D, ITLB, DTLB must be */
        uint32_t ways;
        cache_policy policy;
    } of[INSN_CACHE_COUNT];
    uint32_t line_size, page_size; /* powers of two */
    bool is_write_through;         /* stores go to the next level, and no line of L1D is dirty */
    bool is_write_around;          /* a store that misses L1D brings no line into it */
    bool has_next_line;            /* a miss in L1 brings the next line, too */
    uint64_t warmup;               /* so many instructions of each thread do not count */
} insn_cache_config;

/* Instructions count each as a read of L1I and ITLB. Below L1, reads are lines that are fetched,
   and writes those that are written back or through. */
typedef struct insn_cache_counts {
    uint64_t reads, read_misses, writes, write_misses;
    uint64_t prefetches, useful_prefetches; /* asked of this level; later read or written here */
    uint64_t write_backs;                   /* dirty lines that left */
} insn_cache_counts;

typedef struct insn_cache insn_cache;

/* STELE_ERR_ARGUMENT: a size that cannot be; `*wrong` says of which. */
stele_status insn_cache_new(const insn_cache_config *config, insn_cache **out,
                            insn_cache_id *wrong);
void insn_cache_free(insn_cache *c);
void insn_cache_add(insn_cache *c, const insn_batch *batch);

/* Of all caches, after the last batch; `insn_count` are those that count. */
const insn_cache_counts *insn_cache_get(insn_cache *c, uint64_t *insn_count);

#endif
