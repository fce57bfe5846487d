/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how often branches were executed and taken, and where indirect ones went. */
#ifndef ANALYSIS_INSN_INSN_BRANCHES_H
#define ANALYSIS_INSN_INSN_BRANCHES_H

#include "a64/a64.h"
#include "core/table.h"
#include "model/insn.h"

typedef struct insn_branch {
    uint64_t pc;
    uint64_t count, taken_count; /* taken_count: how often it jumped, for a conditional branch */
    uint64_t change_count;       /* how often it went elsewhere than the time before */
    /* how often the next instruction was not known, because of an exception, damage or the end */
    uint64_t unknown_count;
    uint64_t last_target;
    uint32_t opcode;
    uint32_t target_first; /* number plus 1 of the target that was added last; 0: none */
    uint8_t class;         /* an a64_class */
} insn_branch;

typedef struct insn_target {
    uint64_t pc, count;
    uint32_t branch; /* number of the branch that jumped there */
    uint32_t next;   /* number plus 1 of the branch's target that was added before; 0: none */
} insn_target;

typedef struct insn_branches {
    insn_branch *list; /* in the order of their first execution */
    insn_target *targets;
    uint32_t count, capacity, target_count, target_capacity;
    hash_table numbers;        /* indexes of `list`, by program counter */
    hash_table target_numbers; /* indexes of `targets`, by branch and program counter */
    /* the last branch, until the instruction after it is known; valid if has_last is set */
    insn last;
    uint64_t last_target;
    bool has_last, has_target;
    a64_cache classes;
} insn_branches;

/* Starts with no branches. Returns STELE_ERR_MEMORY if out of memory. */
stele_status insn_branches_init(insn_branches *branches);
void insn_branches_free(insn_branches *branches);

/* Adds the branches of a batch, which should have values: the target of an indirect branch that
   is a value counts even if an exception comes next. */
stele_status insn_branches_add(insn_branches *branches, const insn_batch *batch);

/* Counts the last branch; call it at the end of a stream. */
stele_status insn_branches_end(insn_branches *branches);

#endif
