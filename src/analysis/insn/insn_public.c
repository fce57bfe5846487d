/* SPDX-License-Identifier: Apache-2.0 */
/* The analyses of executed instructions of <stele/insn_analysis.h>: handles around the internal
   tables, and conversion of rows to public structs. */
#include <stele/insn_analysis.h>

#include <stdlib.h>

#include "analysis/insn/handle.h"
#include "analysis/insn/insn_blocks.h"
#include "analysis/insn/insn_branches.h"
#include "analysis/insn/insn_calls.h"
#include "analysis/insn/insn_mix.h"
#include "analysis/insn/insn_writes.h"
#include "core/sized.h"

/* ---- Instruction mix ---- */

struct stele_insn_mix {
    insn_mix mix;
    insn_count *rows; /* sorted rows; NULL: they must be made anew */
};

_Static_assert((int)STELE_INSN_MIX_OPCODE == (int)INSN_MIX_OPCODE &&
                   (int)STELE_INSN_MIX_PC == (int)INSN_MIX_PC,
               "the keys are the public ones");

stele_status stele_insn_mix_new(stele_insn_mix_key key, stele_insn_mix **out)
{
    stele_insn_mix *made = calloc(1, sizeof *made);
    *out =
        handle_keep(made, made != NULL && insn_mix_init(&made->mix, (insn_mix_key)key) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_mix_free(stele_insn_mix *mix)
{
    if (mix == NULL)
        return;
    insn_mix_free(&mix->mix);
    free(mix->rows);
    free(mix);
}

static void mix_forget_rows(stele_insn_mix *mix)
{
    free(mix->rows);
    mix->rows = NULL;
}

stele_status stele_insn_mix_add(stele_insn_mix *mix, const stele_insn_batch *batch)
{
    mix_forget_rows(mix);
    return insn_mix_add(&mix->mix, batch);
}

stele_status stele_insn_mix_merge(stele_insn_mix *to, const stele_insn_mix *from)
{
    mix_forget_rows(to);
    return insn_counts_merge(&to->mix.counts, &from->mix.counts) ? STELE_OK : STELE_ERR_MEMORY;
}

static int compare_counts(const void *left, const void *right)
{
    const insn_count *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

stele_status stele_insn_mix_rows(stele_insn_mix *mix, size_t *count)
{
    *count = insn_counts_used(&mix->mix.counts);
    if (mix->rows == NULL) {
        mix->rows = insn_counts_sorted(&mix->mix.counts);
        if (mix->rows != NULL && *count != 0)
            qsort(mix->rows, *count, sizeof *mix->rows, compare_counts);
    }
    return mix->rows != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

bool stele_insn_mix_get(const stele_insn_mix *mix, size_t index, stele_insn_mix_row *row)
{
    stele_insn_mix_row own = {.struct_size = sizeof own};
    if (mix->rows == NULL || index >= insn_counts_used(&mix->mix.counts))
        return false;
    if (mix->mix.key == INSN_MIX_PC) {
        own.pc = mix->rows[index].key;
    } else {
        own.opcode = insn_mix_opcode(mix->rows[index].key);
        own.level = (uint8_t)insn_mix_level(mix->rows[index].key);
    }
    own.count = mix->rows[index].count;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_mix_row, pc));
    return true;
}

/* ---- Basic blocks ---- */

struct stele_insn_blocks {
    insn_blocks blocks;
    const insn_block **rows; /* sorted rows; NULL: they must be made anew */
};

stele_status stele_insn_blocks_new(bool is_part, stele_insn_blocks **out)
{
    stele_insn_blocks *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && insn_blocks_init(&made->blocks, is_part) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_blocks_free(stele_insn_blocks *self)
{
    if (self == NULL)
        return;
    insn_blocks_free(&self->blocks);
    free(self->rows);
    free(self);
}

static void blocks_forget_rows(stele_insn_blocks *self)
{
    free(self->rows);
    self->rows = NULL;
}

stele_status stele_insn_blocks_add(stele_insn_blocks *self, const stele_insn_batch *batch)
{
    blocks_forget_rows(self);
    return insn_blocks_add(&self->blocks, batch);
}

stele_status stele_insn_blocks_end_stream(stele_insn_blocks *self)
{
    blocks_forget_rows(self);
    return insn_blocks_cut(&self->blocks);
}

stele_status stele_insn_blocks_merge(stele_insn_blocks *to, const stele_insn_blocks *part)
{
    blocks_forget_rows(to);
    return insn_blocks_join(&to->blocks, &part->blocks);
}

static int compare_blocks(const void *left, const void *right)
{
    const insn_block *a = *(const insn_block *const *)left, *b = *(const insn_block *const *)right;
    const uint64_t x = insn_block_total(a), y = insn_block_total(b);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return a->insn_count < b->insn_count ? -1 : a->insn_count > b->insn_count;
}

stele_status stele_insn_blocks_rows(stele_insn_blocks *self, size_t *count)
{
    *count = self->blocks.count;
    if (self->rows != NULL)
        return STELE_OK;
    self->rows = malloc((*count + 1) * sizeof *self->rows);
    if (self->rows == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < *count; i++)
        self->rows[i] = &self->blocks.list[i];
    qsort(self->rows, *count, sizeof *self->rows, compare_blocks);
    return STELE_OK;
}

bool stele_insn_blocks_get(const stele_insn_blocks *self, size_t index, stele_insn_block_row *row)
{
    stele_insn_block_row own = {.struct_size = sizeof own};
    const insn_block *block;
    if (self->rows == NULL || index >= self->blocks.count)
        return false;
    block = self->rows[index];
    own.pc = block->pc;
    own.count = block->count;
    own.opcodes = self->blocks.opcodes + block->opcodes;
    own.insn_count = block->insn_count;
    own.level = block->level;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_block_row, level));
    return true;
}

/* ---- Branches and their targets ---- */

typedef struct branch_row {
    const insn_branch *branch;
    size_t target_first, target_count;
} branch_row;

struct stele_insn_branches {
    insn_branches branches;
    branch_row *rows; /* sorted rows; NULL: they must be made anew */
    const insn_target **targets;
};

stele_status stele_insn_branches_new(stele_insn_branches **out)
{
    stele_insn_branches *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && insn_branches_init(&made->branches) == STELE_OK);
    return handle_status(*out);
}

static void branches_forget_rows(stele_insn_branches *self)
{
    free(self->rows);
    free(self->targets);
    self->rows = NULL;
    self->targets = NULL;
}

void stele_insn_branches_free(stele_insn_branches *self)
{
    if (self == NULL)
        return;
    branches_forget_rows(self);
    insn_branches_free(&self->branches);
    free(self);
}

stele_status stele_insn_branches_add(stele_insn_branches *self, const stele_insn_batch *batch)
{
    branches_forget_rows(self);
    return insn_branches_add(&self->branches, batch);
}

stele_status stele_insn_branches_end_stream(stele_insn_branches *self)
{
    branches_forget_rows(self);
    return insn_branches_end(&self->branches);
}

static int compare_branches(const void *left, const void *right)
{
    const insn_branch *a = ((const branch_row *)left)->branch;
    const insn_branch *b = ((const branch_row *)right)->branch;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int compare_targets(const void *left, const void *right)
{
    const insn_target *a = *(const insn_target *const *)left;
    const insn_target *b = *(const insn_target *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Makes the rows, with the targets of each branch next to each other and sorted. */
static void make_branch_rows(stele_insn_branches *self)
{
    const insn_branches *b = &self->branches;
    size_t count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        branch_row *row = &self->rows[i];
        *row = (branch_row){.branch = &b->list[i], .target_first = count};
        for (uint32_t t = b->list[i].target_first; t != 0; t = b->targets[t - 1].next)
            self->targets[count++] = &b->targets[t - 1];
        row->target_count = count - row->target_first;
        qsort(self->targets + row->target_first, row->target_count, sizeof *self->targets,
              compare_targets);
    }
    qsort(self->rows, b->count, sizeof *self->rows, compare_branches);
}

stele_status stele_insn_branches_rows(stele_insn_branches *self, size_t *count)
{
    *count = self->branches.count;
    if (self->rows != NULL)
        return STELE_OK;
    self->rows = malloc((*count + 1) * sizeof *self->rows);
    self->targets = malloc((self->branches.target_count + (size_t)1) * sizeof *self->targets);
    if (self->rows == NULL || self->targets == NULL) {
        branches_forget_rows(self);
        return STELE_ERR_MEMORY;
    }
    make_branch_rows(self);
    return STELE_OK;
}

bool stele_insn_branches_get(const stele_insn_branches *self, size_t index,
                             stele_insn_branch_row *row)
{
    stele_insn_branch_row own = {.struct_size = sizeof own};
    stele_a64_insn what = STELE_INIT(stele_a64_insn);
    const insn_branch *from;
    if (self->rows == NULL || index >= self->branches.count)
        return false;
    from = self->rows[index].branch;
    stele_a64_classify(from->opcode, &what);
    own.pc = from->pc;
    own.count = from->count;
    own.taken_count = from->taken_count;
    own.change_count = from->change_count;
    own.unknown_count = from->unknown_count;
    own.opcode = from->opcode;
    own.branch = what.branch;
    own.target_count = self->rows[index].target_count;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_branch_row, target_count));
    return true;
}

bool stele_insn_branches_get_target(const stele_insn_branches *self, size_t index, size_t target,
                                    stele_insn_target_row *row)
{
    stele_insn_target_row own = {.struct_size = sizeof own};
    const insn_target *from;
    if (self->rows == NULL || index >= self->branches.count ||
        target >= self->rows[index].target_count)
        return false;
    from = self->targets[self->rows[index].target_first + target];
    own.pc = from->pc;
    own.count = from->count;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_target_row, count));
    return true;
}

/* ---- Calls of functions ---- */

struct stele_insn_calls {
    insn_calls calls;
};

_Static_assert(STELE_INSN_CALLS_DEPTH_MAX == INSN_CALLS_DEPTH_MAX, "the depth is the public one");

stele_status stele_insn_calls_new(const stele_insn_calls_options *options, stele_insn_calls **out)
{
    stele_insn_calls_options own;
    stele_insn_calls *made;
    *out = NULL;
    if (!sized_take(&own, sizeof own, SIZED_FIRST(stele_insn_calls_options, emit_user), options) ||
        own.name == NULL || own.emit == NULL)
        return STELE_ERR_ARGUMENT;
    made = calloc(1, sizeof *made);
    if (made == NULL ||
        insn_calls_init(&made->calls, &(insn_calls_options){own.name, own.name_user, own.emit,
                                                            own.emit_user}) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    *out = made;
    return STELE_OK;
}

void stele_insn_calls_free(stele_insn_calls *self)
{
    if (self == NULL)
        return;
    insn_calls_free(&self->calls);
    free(self);
}

stele_status stele_insn_calls_add(stele_insn_calls *self, const stele_insn_batch *batch)
{
    return insn_calls_add(&self->calls, batch);
}

stele_status stele_insn_calls_end_stream(stele_insn_calls *self)
{
    return insn_calls_end(&self->calls);
}

uint64_t stele_insn_calls_cut_count(const stele_insn_calls *self)
{
    return self->calls.cut_count;
}

/* ---- Writes to registers ---- */

_Static_assert(STELE_INSN_WRITES_MAX == INSN_WRITES_MAX && STELE_INSN_SP == INSN_SP,
               "the numbers are the public ones");

size_t stele_insn_find_writes(const stele_insn_batch *batch, const stele_insn *at,
                              stele_insn_write list[STELE_INSN_WRITES_MAX])
{
    return insn_writes(batch, at, list);
}
