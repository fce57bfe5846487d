/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic blocks as they were executed: runs of instructions one after the other, up to one that can
 * jump, or to where the next one stands elsewhere. A block also ends where an address is a multiple
 * of 16 KiB, so that none is longer, and a trace in parts has the same ones.
 */
#ifndef ANALYSIS_INSN_INSN_BLOCKS_H
#define ANALYSIS_INSN_INSN_BLOCKS_H

#include "a64/a64.h"
#include "model/insn.h"

#define INSN_BLOCK_SIZE  (UINT64_C(16) << 10)
#define INSN_BLOCK_INSNS (INSN_BLOCK_SIZE / 4)

typedef struct insn_block {
    uint64_t pc, count; /* how often it was executed */
    uint32_t opcodes;   /* its first, in the table of opcodes */
    uint16_t insn_count;
    uint8_t level;
} insn_block;

/* The instructions of a block that has not ended. */
typedef struct insn_run {
    uint64_t pc;
    uint32_t insn_count;
    uint8_t level;
    uint32_t opcodes[INSN_BLOCK_INSNS];
} insn_run;

typedef struct insn_blocks {
    insn_block *list; /* in the order of their first execution */
    size_t count, capacity;
    uint32_t *slots; /* numbers of blocks plus 1, by hash; 0: free */
    unsigned bits;
    uint64_t factor; /* odd and random: nobody can know which blocks meet in the table */
    uint32_t *opcodes;
    size_t opcode_count, opcode_capacity;
    insn_run open;
    insn_run *head; /* of a part that is not the first: up to the end of its first block, which may
                       have begun in the part before */
    bool is_in_head;
} insn_blocks;

/* `is_part`: others stand before it. STELE_ERR_MEMORY. */
stele_status insn_blocks_init(insn_blocks *blocks, bool is_part);
void insn_blocks_free(insn_blocks *blocks);
stele_status insn_blocks_add(insn_blocks *blocks, const insn_batch *batch);

/* Ends the open block, at the end of a stream. */
stele_status insn_blocks_cut(insn_blocks *blocks);

/* Adds the blocks of the part after. */
stele_status insn_blocks_join(insn_blocks *to, const insn_blocks *part);

static inline uint64_t insn_block_total(const insn_block *block)
{
    return block->count * block->insn_count;
}

#endif
