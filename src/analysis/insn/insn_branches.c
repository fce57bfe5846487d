/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_branches.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define BRANCHES_FIRST 512u

stele_status insn_branches_init(insn_branches *branches)
{
    *branches = (insn_branches){.count = 0};
    a64_cache_init(&branches->classes);
    if (hash_table_make_room(&branches->numbers, BRANCHES_FIRST) &&
        hash_table_make_room(&branches->target_numbers, BRANCHES_FIRST))
        return STELE_OK;
    insn_branches_free(branches);
    *branches = (insn_branches){.count = 0};
    return STELE_ERR_MEMORY;
}

void insn_branches_free(insn_branches *branches)
{
    free(branches->list);
    free(branches->targets);
    hash_table_free(&branches->numbers);
    hash_table_free(&branches->target_numbers);
}

/* ---- Tables of branches and targets ---- */

/* Finds or makes the entry of a branch. Returns NULL if out of memory. */
static insn_branch *branch_find(insn_branches *b, const insn *at, unsigned class)
{
    const uint32_t hash = hash_table_hash_fast(&b->numbers, at->pc);
    for (uint32_t slot = hash, number;
         (number = hash_table_next(&b->numbers, hash, &slot)) != HASH_NONE;) {
        if (b->list[number].pc == at->pc && b->list[number].opcode == at->opcode)
            return &b->list[number];
    }
    if (!hash_table_reserve(&b->numbers))
        return NULL;
    if (b->count == b->capacity) {
        insn_branch *grown = array_grow(b->list, sizeof *grown, &b->capacity, 256);
        if (grown == NULL)
            return NULL;
        b->list = grown;
    }
    b->list[b->count] = (insn_branch){.pc = at->pc, .opcode = at->opcode, .class = (uint8_t) class};
    hash_table_put(&b->numbers, hash, b->count);
    return &b->list[b->count++];
}

/* Adds a target of a branch. Returns false if out of memory. */
static bool target_add(insn_branches *b, insn_branch *branch, uint64_t pc, uint32_t hash)
{
    if (!hash_table_reserve(&b->target_numbers))
        return false;
    if (b->target_count == b->target_capacity) {
        insn_target *grown = array_grow(b->targets, sizeof *grown, &b->target_capacity, 256);
        if (grown == NULL)
            return false;
        b->targets = grown;
    }
    b->targets[b->target_count] = (insn_target){
        .pc = pc, .count = 1, .branch = (uint32_t)(branch - b->list), .next = branch->target_first};
    hash_table_put(&b->target_numbers, hash, b->target_count);
    branch->target_first = ++b->target_count;
    return true;
}

/* Counts a jump to a target. Returns false if out of memory. */
static bool target_count(insn_branches *b, insn_branch *branch, uint64_t pc)
{
    const uint32_t number = (uint32_t)(branch - b->list);
    const uint32_t hash = hash_table_hash_fast(&b->target_numbers, pc ^ (uint64_t)number << 40);
    for (uint32_t slot = hash, at;
         (at = hash_table_next(&b->target_numbers, hash, &slot)) != HASH_NONE;) {
        if (b->targets[at].pc == pc && b->targets[at].branch == number) {
            b->targets[at].count++;
            return true;
        }
    }
    return target_add(b, branch, pc, hash);
}

/* ---- Following branches ---- */

/*
 * Counts the last branch. `next` is the instruction executed after it, NULL if that is not known.
 */
static stele_status settle(insn_branches *b, const insn *next)
{
    const insn *at = &b->last;
    const a64_insn *what = a64_lookup(&b->classes, at->opcode);
    const uint64_t after = at->pc + 4, direct = at->pc + (uint64_t)(int64_t)what->offset;
    const bool is_indirect = a64_is_indirect(what), is_conditional = a64_is_conditional(what);
    const bool is_seen =
        next != NULL && next->level == at->level && (next->flags & INSN_AFTER_DAMAGE) == 0;
    uint64_t target = is_seen ? next->pc : 0;
    bool is_known = is_seen;
    insn_branch *branch;
    b->has_last = false;
    if (!a64_is_branch(what))
        return STELE_OK;
    branch = branch_find(b, at, what->class);
    if (branch == NULL)
        return STELE_ERR_MEMORY;
    if (is_indirect && b->has_target)
        target = b->last_target;
    else if (!is_indirect && !is_conditional)
        target = direct;
    else if (is_conditional)
        is_known &= target == after || target == direct;
    is_known |= (is_indirect && b->has_target) || (!is_indirect && !is_conditional);
    branch->count++;
    if (!is_known) {
        branch->unknown_count++;
        return STELE_OK;
    }
    branch->taken_count += !is_conditional || target == direct;
    branch->change_count +=
        branch->count - branch->unknown_count > 1 && target != branch->last_target;
    branch->last_target = target;
    return !is_indirect || target_count(b, branch, target) ? STELE_OK : STELE_ERR_MEMORY;
}

stele_status insn_branches_add(insn_branches *branches, const insn_batch *batch)
{
    const insn *const end = batch->insns + batch->insn_count;
    stele_status status = STELE_OK;
    for (const insn *at = batch->insns; at < end && status == STELE_OK; at++) {
        if (branches->has_last)
            status = settle(branches, at);
        if (a64_can_jump(at->opcode) && (at->flags & (INSN_HIDDEN | INSN_HAS_PC)) == INSN_HAS_PC) {
            const insn_value *target = insn_value_find(batch, at, INSN_VALUE_TARGET);
            branches->last = *at;
            branches->has_last = true;
            branches->has_target = target != NULL;
            branches->last_target = target != NULL ? target->u.number : 0;
        }
    }
    return status;
}

stele_status insn_branches_end(insn_branches *branches)
{
    return branches->has_last ? settle(branches, NULL) : STELE_OK;
}
