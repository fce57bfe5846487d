/* SPDX-License-Identifier: Apache-2.0 */
/* How far instructions step through memory: from one execution of an instruction to its next. */
#ifndef ANALYSIS_INSN_INSN_STRIDES_H
#define ANALYSIS_INSN_INSN_STRIDES_H

#include "analysis/insn/keyed.h"
#include "model/insn.h"

#define STRIDE_SLOTS 4u

/* An instruction that accesses memory; of several accesses the first counts. */
typedef struct stride_row {
    uint64_t key; /* its address + 1 */
    uint64_t access_count;
    uint64_t repeat_count; /* strides that were the same as the one before: what a stride prefetcher
                              foresees */
    uint64_t last_address;
    int64_t last_stride;
    uint32_t track; /* of the last execution: threads step for themselves */
    uint8_t known;  /* 1: the last address, 2: the last stride, too */
    bool is_store;
    uint8_t size_log2;
    bool is_crowded; /* there were more strides than slots: counts are at least that */
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

/* The most frequent stride; count 0: there is none. */
int64_t strides_top(const stride_row *row, uint64_t *count);

/* Pointers to the rows, those of most accesses first; to be freed. Returns NULL if out of memory.
 */
const stride_row **strides_sorted(const strides *s);

#endif
