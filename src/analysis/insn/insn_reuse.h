/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distances of data: how many other lines were accessed since a line was accessed last. A
 * fully associative cache of N lines that replaces the least recently used one hits if the distance
 * is below N. Distances are counted for each thread separately.
 */
#ifndef ANALYSIS_INSN_INSN_REUSE_H
#define ANALYSIS_INSN_INSN_REUSE_H

#include "model/insn.h"

/* bucket 0: distance 0; bucket n: distances from 2^(n-1) to below 2^n */
#define REUSE_BUCKET_COUNT 65u

typedef struct reuse_counts {
    uint64_t access_count; /* accesses to lines; one across lines counts for each */
    uint64_t cold_count;   /* accesses to a line for the first time */
    uint64_t buckets[REUSE_BUCKET_COUNT];
} reuse_counts;

typedef struct reuse reuse;

/* Makes an empty table. Only one of `sample` lines, chosen by a hash of the address, is
   followed, and counts are scaled up; 1 is exact. Returns STELE_ERR_MEMORY if out of memory. */
stele_status reuse_new(unsigned line_log2, uint64_t sample, reuse **out);
void reuse_free(reuse *r);
stele_status reuse_add(reuse *r, const insn_batch *batch);
const reuse_counts *reuse_get(const reuse *r);

#endif
