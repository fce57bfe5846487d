/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define BLOCKS_FIRST 2048u

stele_status insn_blocks_init(insn_blocks *blocks, bool is_part)
{
    *blocks = (insn_blocks){.is_in_head = is_part};
    if (is_part)
        blocks->head = calloc(1, sizeof *blocks->head);
    if (hash_table_make_room(&blocks->numbers, BLOCKS_FIRST) && (blocks->head != NULL || !is_part))
        return STELE_OK;
    insn_blocks_free(blocks);
    *blocks = (insn_blocks){.count = 0};
    return STELE_ERR_MEMORY;
}

void insn_blocks_free(insn_blocks *blocks)
{
    free(blocks->list);
    hash_table_free(&blocks->numbers);
    free(blocks->opcodes);
    free(blocks->head);
}

/* ---- Table of blocks ---- */

static inline uint32_t block_hash(const insn_blocks *blocks, uint64_t pc, uint32_t insn_count)
{
    return hash_table_hash_fast(&blocks->numbers, pc ^ (uint64_t)insn_count << 48);
}

static inline bool block_is(const insn_blocks *blocks, const insn_block *block, uint64_t pc,
                            uint8_t level, uint32_t insn_count, const uint32_t *opcodes)
{
    return block->pc == pc && block->insn_count == insn_count && block->level == level &&
           memcmp(blocks->opcodes + block->opcodes, opcodes, insn_count * sizeof *opcodes) == 0;
}

static bool tables_reserve(insn_blocks *blocks, uint32_t insn_count)
{
    if (blocks->count == blocks->capacity) {
        insn_block *grown = array_grow(blocks->list, sizeof *grown, &blocks->capacity, 256);
        if (grown == NULL)
            return false;
        blocks->list = grown;
    }
    if (blocks->opcode_capacity - blocks->opcode_count < insn_count) {
        uint32_t *grown = array_reserve(blocks->opcodes, sizeof *grown, &blocks->opcode_capacity,
                                        (size_t)blocks->opcode_count + INSN_BLOCK_INSNS);
        if (grown == NULL)
            return false;
        blocks->opcodes = grown;
    }
    return hash_table_reserve(&blocks->numbers);
}

static stele_status block_count(insn_blocks *blocks, uint64_t pc, uint8_t level,
                                uint32_t insn_count, const uint32_t *opcodes, uint64_t count)
{
    const uint32_t hash = block_hash(blocks, pc, insn_count);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&blocks->numbers, hash, &at)) != HASH_NONE;) {
        insn_block *block = &blocks->list[number];
        if (block_is(blocks, block, pc, level, insn_count, opcodes)) {
            block->count += count;
            return STELE_OK;
        }
    }
    if (!tables_reserve(blocks, insn_count))
        return STELE_ERR_MEMORY;
    blocks->list[blocks->count] = (insn_block){.pc = pc,
                                               .count = count,
                                               .opcodes = blocks->opcode_count,
                                               .insn_count = (uint16_t)insn_count,
                                               .level = level};
    memcpy(blocks->opcodes + blocks->opcode_count, opcodes, insn_count * sizeof *opcodes);
    blocks->opcode_count += insn_count;
    hash_table_put(&blocks->numbers, hash, blocks->count++);
    return STELE_OK;
}

/* ---- Runs of instructions ---- */

stele_status insn_blocks_cut(insn_blocks *blocks)
{
    insn_run *open = &blocks->open;
    stele_status status = STELE_OK;
    if (blocks->is_in_head)
        *blocks->head = *open;
    else if (open->insn_count != 0)
        status = block_count(blocks, open->pc, open->level, open->insn_count, open->opcodes, 1);
    blocks->is_in_head = false;
    open->insn_count = 0;
    return status;
}

static inline stele_status run_step(insn_blocks *blocks, uint64_t pc, uint32_t opcode,
                                    uint8_t level)
{
    insn_run *open = &blocks->open;
    if (open->insn_count == 0 || pc != open->pc + 4 * (uint64_t)open->insn_count ||
        level != open->level || pc % INSN_BLOCK_SIZE == 0) {
        if (open->insn_count != 0) {
            const stele_status status = insn_blocks_cut(blocks);
            if (status != STELE_OK)
                return status;
        }
        open->pc = pc;
        open->level = level;
        open->insn_count = 0;
    }
    open->opcodes[open->insn_count++] = opcode;
    return a64_can_jump(opcode) ? insn_blocks_cut(blocks) : STELE_OK;
}

stele_status insn_blocks_add(insn_blocks *blocks, const insn_batch *batch)
{
    const insn *const end = batch->insns + batch->insn_count;
    stele_status status = STELE_OK;
    for (const insn *at = batch->insns; at < end && status == STELE_OK; at++) {
        const uint8_t flags = at->flags & (INSN_HIDDEN | INSN_AFTER_DAMAGE | INSN_HAS_PC);
        if (flags != INSN_HAS_PC)
            status = insn_blocks_cut(blocks);
        if (status == STELE_OK && (flags & (INSN_HIDDEN | INSN_HAS_PC)) == INSN_HAS_PC)
            status = run_step(blocks, at->pc, at->opcode, at->level);
    }
    return status;
}

stele_status insn_blocks_join(insn_blocks *to, const insn_blocks *part)
{
    const insn_run *head = part->is_in_head ? &part->open : part->head;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < head->insn_count && status == STELE_OK; i++)
        status = run_step(to, head->pc + 4 * (uint64_t)i, head->opcodes[i], head->level);
    if (part->is_in_head || status != STELE_OK)
        return status; /* the whole part is inside of one block */
    status = insn_blocks_cut(to);
    for (size_t i = 0; i < part->count && status == STELE_OK; i++) {
        const insn_block *block = &part->list[i];
        status = block_count(to, block->pc, block->level, block->insn_count,
                             part->opcodes + block->opcodes, block->count);
    }
    to->open = part->open;
    return status;
}
