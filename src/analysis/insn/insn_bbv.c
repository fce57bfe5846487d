/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_bbv.h"

#include <stdlib.h>

#include "core/array.h"

#define NO_PC UINT64_MAX /* key of the block of instructions whose program counter is not known */

typedef struct number {
    uint64_t key; /* address, or NO_PC, which is none because addresses are even */
    uint64_t block;
} number;

stele_status bbv_init(bbv *v, uint64_t interval, bbv_take_fn *take, void *user)
{
    *v = (bbv){.interval = interval, .take = take, .user = user, .is_at_begin = true};
    a64_cache_init(&v->classes);
    return keyed_init(&v->numbers, sizeof(number)) ? STELE_OK : STELE_ERR_MEMORY;
}

void bbv_free(bbv *v)
{
    keyed_free(&v->numbers);
    free(v->blocks);
    free(v->touched);
}

static bool blocks_reserve(bbv *v)
{
    const size_t capacity = v->block_capacity * 2 + 1024;
    bbv_block *blocks;
    uint32_t *touched;
    if (v->block_count < v->block_capacity)
        return true;
    blocks = array_fit(v->blocks, sizeof *blocks, capacity);
    if (blocks != NULL)
        v->blocks = blocks;
    touched = array_fit(v->touched, sizeof *touched, capacity);
    if (touched != NULL)
        v->touched = touched;
    if (blocks == NULL || touched == NULL || capacity > UINT32_MAX)
        return false;
    v->block_capacity = capacity;
    return true;
}

/* Makes the block that begins at an address the current one. Returns false if out of memory. */
static bool block_reach(bbv *v, uint64_t pc)
{
    number *found = keyed_find(&v->numbers, sizeof *found, pc);
    if (found == NULL || !blocks_reserve(v))
        return false;
    if (found->block == 0) {
        v->blocks[v->block_count] = (bbv_block){.pc = pc};
        found->block = ++v->block_count;
    }
    v->current = (uint32_t)(found->block - 1);
    return true;
}

static int number_compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

stele_status bbv_finish(bbv *v)
{
    stele_status status = STELE_OK;
    if (v->touched_count != 0) {
        qsort(v->touched, v->touched_count, sizeof *v->touched, number_compare);
        status = v->take(v->user, v, v->touched, v->touched_count);
    }
    for (size_t i = 0; i < v->touched_count; i++)
        v->blocks[v->touched[i]].count = 0;
    v->touched_count = 0;
    return status;
}

/* Whether an instruction can be followed by another one than the next in memory. */
static bool ends_block(bbv *v, uint32_t opcode)
{
    const a64_insn *is = a64_lookup(&v->classes, opcode);
    return is->group == A64_GROUP_BRANCH || is->group == A64_GROUP_EXCEPTION;
}

static stele_status add_insn(bbv *v, const insn *at)
{
    if ((v->is_at_begin || (at->flags & INSN_DISCONTINUOUS) != 0) &&
        !block_reach(v, (at->flags & INSN_HAS_PC) != 0 ? at->pc : NO_PC))
        return STELE_ERR_MEMORY;
    if (v->blocks[v->current].count++ == 0)
        v->touched[v->touched_count++] = v->current;
    v->is_at_begin = ends_block(v, at->opcode);
    return STELE_OK;
}

stele_status bbv_add(bbv *v, const insn_batch *batch)
{
    stele_status status = STELE_OK;
    if (!v->has_track || v->track != batch->track) {
        status = bbv_finish(v);
        v->track = batch->track;
        v->has_track = v->is_at_begin = true;
        v->last_number = batch->number / v->interval;
    }
    for (uint32_t i = 0; i < batch->insn_count && status == STELE_OK; i++) {
        const uint64_t interval = (batch->number + i) / v->interval;
        if (interval != v->last_number) {
            status = bbv_finish(v);
            v->last_number = interval;
        }
        if (status == STELE_OK && (batch->insns[i].flags & INSN_HIDDEN) == 0)
            status = add_insn(v, &batch->insns[i]);
    }
    return status;
}
