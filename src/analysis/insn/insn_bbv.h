/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic-block vectors for SimPoint: for every interval of a thread, how many instructions were
 * executed in each block. A block begins after an instruction that can jump, and where execution
 * continues at another address than the next. It is identified by its first address.
 */
#ifndef ANALYSIS_INSN_INSN_BBV_H
#define ANALYSIS_INSN_INSN_BBV_H

#include "a64/a64.h"
#include "core/keyed.h"
#include "model/insn.h"

typedef struct bbv_block {
    uint64_t pc;
    uint64_t count; /* instructions executed in the current interval */
} bbv_block;

typedef struct bbv bbv;

/* Receives an interval. `touched` has the numbers, from 0, of the blocks that were executed in
   it, in rising order. */
typedef stele_status bbv_take_fn(void *user, const bbv *vectors, const uint32_t *touched,
                                 size_t count);

struct bbv {
    uint64_t interval;
    bbv_take_fn *take;
    void *user;
    a64_cache classes;
    keyed numbers; /* numbers of blocks, by address */
    bbv_block *blocks;
    uint32_t *touched; /* blocks executed in the current interval; same capacity as `blocks` */
    size_t block_count, block_capacity, touched_count;
    uint32_t current; /* number of the current block */
    uint32_t track;
    bool has_track;
    bool is_at_begin;     /* the next instruction begins a block */
    uint64_t last_number; /* number of the last instruction in the current interval */
};

/* Starts with empty vectors. `interval` is in instructions, counted by their numbers in each
   thread. Returns STELE_ERR_MEMORY if out of memory. */
stele_status bbv_init(bbv *v, uint64_t interval, bbv_take_fn *take, void *user);
void bbv_free(bbv *v);
stele_status bbv_add(bbv *v, const insn_batch *batch);

/* Gives the last interval to the receiver; it may be shorter than the others. */
stele_status bbv_finish(bbv *v);

#endif
