/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic blocks as they were executed: runs of consecutive instructions up to one that can jump, or
 * after which execution continues elsewhere. A block also ends where an address is a multiple of 16
 * KiB. That bounds its length, and makes the blocks of a trace that is read in parts the same.
 */
#ifndef ANALYSIS_INSN_INSN_BLOCKS_H
#define ANALYSIS_INSN_INSN_BLOCKS_H

#include "a64/a64.h"
#include "core/table.h"
#include "model/insn.h"

#define INSN_BLOCK_SIZE  (UINT64_C(16) << 10)
#define INSN_BLOCK_INSNS (INSN_BLOCK_SIZE / 4)

typedef struct insn_block {
    uint64_t pc, count; /* count: how often the block was executed */
    uint32_t opcodes;   /* index of its first opcode in insn_blocks.opcodes */
    uint16_t insn_count;
    uint8_t level;
} insn_block;

/* The instructions so far of a block that has not ended. */
typedef struct insn_run {
    uint64_t pc;
    uint32_t insn_count;
    uint8_t level;
    uint32_t opcodes[INSN_BLOCK_INSNS];
} insn_run;

typedef struct insn_blocks {
    insn_block *list; /* in the order of their first execution */
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `list`, by program counter and number of instructions */
    uint32_t *opcodes;
    uint32_t opcode_count, opcode_capacity;
    insn_run open;
    /* instructions up to the end of the first block, for a part that is not the first: the block
       may have begun in the part before */
    insn_run *head;
    bool is_in_head;
} insn_blocks;

/* Starts with no blocks. `is_part` says that this part is not the first of its trace. Returns
   STELE_ERR_MEMORY if out of memory. */
stele_status insn_blocks_init(insn_blocks *blocks, bool is_part);
void insn_blocks_free(insn_blocks *blocks);
stele_status insn_blocks_add(insn_blocks *blocks, const insn_batch *batch);

/* Ends the current block; call it at the end of a stream. */
stele_status insn_blocks_cut(insn_blocks *blocks);

/* Adds the blocks of `part`, which comes after `to` in the trace. */
stele_status insn_blocks_join(insn_blocks *to, const insn_blocks *part);

static inline uint64_t insn_block_total(const insn_block *block)
{
    return block->count * block->insn_count;
}

#endif
