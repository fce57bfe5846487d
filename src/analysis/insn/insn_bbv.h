/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic-block vectors for SimPoint: for every interval of so many instructions of a thread, how
 * many of them were executed in each block. A block begins where the instruction before it can jump
 * or stands elsewhere; it is known by its first address, and ends at the next such place.
 */
#ifndef ANALYSIS_INSN_INSN_BBV_H
#define ANALYSIS_INSN_INSN_BBV_H

#include "a64/a64.h"
#include "analysis/insn/keyed.h"
#include "model/insn.h"

typedef struct bbv_block {
    uint64_t pc;
    uint64_t count; /* instructions in the present interval */
} bbv_block;

typedef struct bbv bbv;

/* Takes an interval: `touched` are the numbers of its blocks, sorted, from 0. */
typedef stele_status bbv_take_fn(void *user, const bbv *vectors, const uint32_t *touched,
                                 size_t count);

struct bbv {
    uint64_t interval;
    bbv_take_fn *take;
    void *user;
    a64_cache classes;
    keyed numbers; /* of blocks, by address */
    bbv_block *blocks;
    uint32_t *touched; /* in the present interval; as long as `blocks` */
    size_t block_count, block_capacity, touched_count;
    uint32_t current; /* the block at hand */
    uint32_t track;
    bool has_track;
    bool is_at_begin;     /* the next instruction begins a block */
    uint64_t last_number; /* of the interval at hand */
};

/* Intervals are counted by the instructions' numbers in their thread. */
stele_status bbv_init(bbv *v, uint64_t interval, bbv_take_fn *take, void *user);
void bbv_free(bbv *v);
stele_status bbv_add(bbv *v, const insn_batch *batch);

/* Gives the last interval, which may be shorter. */
stele_status bbv_finish(bbv *v);

#endif
