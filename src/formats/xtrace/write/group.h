/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing instructions with what belongs to them: tokens are collected until the next instruction
 * comes, and then written in their order, with a program counter where one is needed.
 */
#ifndef XTRACE_WRITE_GROUP_H
#define XTRACE_WRITE_GROUP_H

#include <stele/xtrace.h>

#include "core/output.h"

typedef struct xtrace_entry {
    size_t at, size; /* in the bytes of the tokens */
    size_t next;     /* with the same first byte; SIZE_MAX: none */
    bool is_done;
} xtrace_entry;

typedef struct xtrace_groups {
    /* The instruction at hand: */
    uint8_t *bytes;
    size_t byte_count, byte_capacity;
    xtrace_entry *entries;
    size_t entry_count, entry_capacity;
    uint8_t *order; /* first bytes of its tokens as they stood in the trace that was read */
    size_t order_size, order_capacity;
    stele_xtrace_token insn; /* NONE: there is none at hand */
    size_t insn_at;          /* how many entries stand before it */
    /* What was written: */
    uint64_t size, user_count, total_count;
    bool has_pc;         /* of the next instruction without its own */
    bool is_block_start; /* after a branch */
    bool has_order;      /* TIME tokens */
    uint8_t level;
    uint64_t pc;
} xtrace_groups;

void xtrace_groups_free(xtrace_groups *g);

static inline bool xtrace_groups_is_pending(const xtrace_groups *g)
{
    return g->insn.kind != STELE_XTRACE_NONE;
}

/* A token before or after the instruction. Returns false if out of memory. */
bool xtrace_groups_add(xtrace_groups *g, const stele_xtrace_token *token);

/* The instruction: a PCINST, which is written as INST where that is enough; or an INST when its
   program counter is not known. */
bool xtrace_groups_add_insn(xtrace_groups *g, const stele_xtrace_token *insn);

/* Where the order of tokens is to be another one; PCINST among them asks for that. */
bool xtrace_groups_set_order(xtrace_groups *g, const uint8_t *order, size_t size);

/* Writes what is at hand; `*index` is where the instruction stands. STELE_ERR_MEMORY. */
stele_status xtrace_groups_put(xtrace_groups *g, bool needs_pc, output *out, uint64_t *index);

#endif
