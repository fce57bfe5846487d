/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distances of data: how many other lines were touched since a line was touched last. A fully
 * associative cache of N lines that replaces the least recently used one hits what has a distance
 * below N. Each thread counts for itself.
 */
#ifndef ANALYSIS_INSN_INSN_REUSE_H
#define ANALYSIS_INSN_INSN_REUSE_H

#include "model/insn.h"

#define REUSE_BUCKET_COUNT 65u /* 0: distance 0; n: from 2^(n-1) to below 2^n */

typedef struct reuse_counts {
    uint64_t access_count; /* lines touched, each time */
    uint64_t cold_count;   /* for the first time */
    uint64_t buckets[REUSE_BUCKET_COUNT];
} reuse_counts;

typedef struct reuse reuse;

/* Looks at one of `sample` lines, by a hash of its address, and scales what it finds; 1: exact. */
stele_status reuse_new(unsigned line_log2, uint64_t sample, reuse **out);
void reuse_free(reuse *r);
stele_status reuse_add(reuse *r, const insn_batch *batch);
const reuse_counts *reuse_get(const reuse *r);

#endif
