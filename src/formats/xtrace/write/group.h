/* SPDX-License-Identifier: Apache-2.0 */
/* Writes instructions with what belongs to them. Tokens are collected until the next instruction
   comes, and are then written in their order, with a program counter where one is needed. */
#ifndef XTRACE_WRITE_GROUP_H
#define XTRACE_WRITE_GROUP_H

#include <stele/xtrace.h>

#include "core/output.h"

typedef struct xtrace_entry {
    /* The place of the token in `bytes`, and its size. */
    size_t at, size;
    /* The next entry with the same first byte; SIZE_MAX when there is none. */
    size_t next;
    bool is_done;
} xtrace_entry;

typedef struct xtrace_groups {
    /* The current instruction with its tokens. */
    uint8_t *bytes;
    size_t byte_count, byte_capacity;
    xtrace_entry *entries;
    size_t entry_count, entry_capacity;
    /* The first bytes of its tokens, in the order of the trace that was read. */
    uint8_t *order;
    size_t order_size, order_capacity;
    /* The instruction; STELE_XTRACE_NONE when there is none. */
    stele_xtrace_token insn;
    /* The number of entries in front of it. */
    size_t insn_at;
    /* What has been written so far. */
    uint64_t size, user_count, total_count;
    /* The program counter of the next instruction without its own is known. */
    bool has_pc;
    /* The next instruction follows a branch. */
    bool is_block_start;
    /* There were TIME tokens. */
    bool has_order;
    uint8_t level;
    uint64_t pc;
} xtrace_groups;

void xtrace_groups_free(xtrace_groups *g);

static inline bool xtrace_groups_is_pending(const xtrace_groups *g)
{
    return g->insn.kind != STELE_XTRACE_NONE;
}

/* Adds a token before or after the instruction. Returns false if out of memory. */
bool xtrace_groups_add(xtrace_groups *g, const stele_xtrace_token *token);

/* Adds the instruction: as a PCINST, which is written as INST where that is enough, or as an INST
   when its program counter is not known. */
bool xtrace_groups_add_insn(xtrace_groups *g, const stele_xtrace_token *insn);

/* Sets another order for the tokens. A PCINST in it asks for one to be written. */
bool xtrace_groups_set_order(xtrace_groups *g, const uint8_t *order, size_t size);

/* Writes the current instruction; `*index` becomes the place where it stands. Returns
   STELE_ERR_MEMORY if out of memory. */
stele_status xtrace_groups_put(xtrace_groups *g, bool needs_pc, output *out, uint64_t *index);

#endif
