/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how far instructions step through memory from one execution to the next. */
#ifndef ANALYSIS_INSN_INSN_STRIDES_H
#define ANALYSIS_INSN_INSN_STRIDES_H

#include "core/keyed.h"
#include "model/insn.h"

#define STRIDE_SLOTS 4u

/* An instruction that accesses memory. If it has several accesses, the first one counts. */
typedef struct stride_row {
    uint64_t key; /* address of the instruction */
    uint64_t access_count;
    /* strides that equal the one before, which a stride prefetcher predicts */
    uint64_t repeat_count;
    uint64_t last_address;
    int64_t last_stride;
    uint32_t track; /* thread of the last execution: strides are within one thread */
    uint8_t known;  /* 1: last_address is valid; 2: last_stride is valid as well */
    bool is_store;
    uint8_t size_log2;
    bool is_crowded; /* there were more strides than slots, so counts are lower bounds */
    struct {
        int64_t stride;
        uint64_t count;
    } slots[STRIDE_SLOTS];
} stride_row;

typedef struct strides {
    keyed rows;
} strides;

stele_status strides_init(strides *s);
void strides_free(strides *s);
stele_status strides_add(strides *s, const insn_batch *batch);

/* The most frequent stride in bytes. `*count` is its lower bound, 0 if there is none. */
int64_t strides_top(const stride_row *row, uint64_t *count);

/* Pointers to the rows, those with most accesses first. The caller frees the array. Returns NULL
   if out of memory. */
const stride_row **strides_sorted(const strides *s);

#endif
