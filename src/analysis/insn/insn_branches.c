/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_branches.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

#define BITS_FIRST 10u

stele_status insn_branches_init(insn_branches *branches)
{
    *branches = (insn_branches){
        .bits = BITS_FIRST, .target_bits = BITS_FIRST, .factor = hash_key_make().second};
    a64_cache_init(&branches->classes);
    branches->slots = calloc((size_t)1 << BITS_FIRST, sizeof *branches->slots);
    branches->target_slots = calloc((size_t)1 << BITS_FIRST, sizeof *branches->target_slots);
    if (branches->slots != NULL && branches->target_slots != NULL)
        return STELE_OK;
    insn_branches_free(branches);
    *branches = (insn_branches){.bits = 0};
    return STELE_ERR_MEMORY;
}

void insn_branches_free(insn_branches *branches)
{
    free(branches->list);
    free(branches->targets);
    free(branches->slots);
    free(branches->target_slots);
}

/* ---- Tables of branches and targets ---- */

static size_t hash(const insn_branches *b, uint64_t key, unsigned bits)
{
    return (size_t)(hash_by_factor(b->factor, key) >> (64 - bits));
}

static uint64_t target_key(uint32_t branch, uint64_t pc)
{
    return pc ^ (uint64_t)branch << 40;
}

/* Finds the slot of a branch, or a free slot where it would be added. */
static uint32_t *branch_slot(const insn_branches *b, uint64_t pc, uint32_t opcode)
{
    const size_t mask = ((size_t)1 << b->bits) - 1;
    size_t at = hash(b, pc, b->bits);
    while (b->slots[at] != 0 &&
           (b->list[b->slots[at] - 1].pc != pc || b->list[b->slots[at] - 1].opcode != opcode))
        at = (at + 1) & mask;
    return &b->slots[at];
}

static uint32_t *target_slot(const insn_branches *b, uint32_t branch, uint64_t pc)
{
    const size_t mask = ((size_t)1 << b->target_bits) - 1;
    size_t at = hash(b, target_key(branch, pc), b->target_bits);
    while (b->target_slots[at] != 0 && (b->targets[b->target_slots[at] - 1].pc != pc ||
                                        b->targets[b->target_slots[at] - 1].branch != branch))
        at = (at + 1) & mask;
    return &b->target_slots[at];
}

/* Makes room for one more entry in a table. Returns false if out of memory. */
static bool table_reserve(void *table, uint32_t used, uint32_t *capacity, size_t size)
{
    const size_t grown_count = (size_t)*capacity * 2 + 256;
    void *grown;
    if (used < *capacity)
        return true;
    memcpy(&grown, table, sizeof grown);
    grown = grown_count < UINT32_MAX ? realloc(grown, grown_count * size) : NULL;
    if (grown == NULL)
        return false;
    memcpy(table, &grown, sizeof grown);
    *capacity = (uint32_t)grown_count;
    return true;
}

static bool branches_reserve(insn_branches *b)
{
    uint32_t *slots;
    if (!table_reserve(&b->list, b->count, &b->capacity, sizeof *b->list))
        return false;
    if (b->count < (UINT32_C(1) << b->bits) / 2)
        return true;
    slots = calloc((size_t)2 << b->bits, sizeof *slots);
    if (slots == NULL)
        return false;
    free(b->slots);
    b->slots = slots;
    b->bits++;
    for (uint32_t i = 0; i < b->count; i++)
        *branch_slot(b, b->list[i].pc, b->list[i].opcode) = i + 1;
    return true;
}

static bool targets_reserve(insn_branches *b)
{
    uint32_t *slots;
    if (!table_reserve(&b->targets, b->target_count, &b->target_capacity, sizeof *b->targets))
        return false;
    if (b->target_count < (UINT32_C(1) << b->target_bits) / 2)
        return true;
    slots = calloc((size_t)2 << b->target_bits, sizeof *slots);
    if (slots == NULL)
        return false;
    free(b->target_slots);
    b->target_slots = slots;
    b->target_bits++;
    for (uint32_t i = 0; i < b->target_count; i++)
        *target_slot(b, b->targets[i].branch, b->targets[i].pc) = i + 1;
    return true;
}

/* Finds or makes the entry of a branch. Returns NULL if out of memory. */
static insn_branch *branch_find(insn_branches *b, const insn *at, unsigned class)
{
    uint32_t *slot = branch_slot(b, at->pc, at->opcode);
    if (*slot == 0) {
        if (!branches_reserve(b))
            return NULL;
        slot = branch_slot(b, at->pc, at->opcode);
        b->list[b->count] =
            (insn_branch){.pc = at->pc, .opcode = at->opcode, .class = (uint8_t) class};
        *slot = ++b->count;
    }
    return &b->list[*slot - 1];
}

/* Counts a jump to a target. Returns false if out of memory. */
static bool target_count(insn_branches *b, insn_branch *branch, uint64_t pc)
{
    const uint32_t number = (uint32_t)(branch - b->list);
    uint32_t *slot = target_slot(b, number, pc);
    if (*slot == 0) {
        if (!targets_reserve(b))
            return false;
        slot = target_slot(b, number, pc);
        b->targets[b->target_count] =
            (insn_target){.pc = pc, .branch = number, .next = branch->target_first};
        *slot = ++b->target_count;
        branch->target_first = *slot;
    }
    b->targets[*slot - 1].count++;
    return true;
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
