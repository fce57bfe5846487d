/* SPDX-License-Identifier: Apache-2.0 */
/* Branches: how often they were executed and taken, and where indirect ones went. */
#ifndef ANALYSIS_INSN_INSN_BRANCHES_H
#define ANALYSIS_INSN_INSN_BRANCHES_H

#include "a64/a64.h"
#include "model/insn.h"

typedef struct insn_branch {
    uint64_t pc;
    uint64_t count, taken_count; /* taken: of conditional ones, those that jumped */
    uint64_t change_count;       /* went elsewhere than the time before */
    uint64_t unknown_count;      /* an exception, damage or the end came in between */
    uint64_t last_target;
    uint32_t opcode;
    uint32_t target_first; /* number of its last new target plus 1; 0: none */
    uint8_t class;         /* a64_class */
} insn_branch;

typedef struct insn_target {
    uint64_t pc, count;
    uint32_t branch; /* number of the branch */
    uint32_t next;   /* of the same branch, as target_first */
} insn_target;

typedef struct insn_branches {
    insn_branch *list; /* in the order of their first execution */
    insn_target *targets;
    uint32_t count, capacity, target_count, target_capacity;
    uint32_t *slots, *target_slots; /* numbers plus 1, by hash */
    unsigned bits, target_bits;
    uint64_t factor; /* odd and random: nobody can know which branches meet in the tables */
    insn last;       /* a branch, until it is known where it went; valid with has_last */
    uint64_t last_target;
    bool has_last, has_target;
    a64_cache classes;
} insn_branches;

/* STELE_ERR_MEMORY. */
stele_status insn_branches_init(insn_branches *branches);
void insn_branches_free(insn_branches *branches);

/* Wants values: where they hold a target, that counts also if an exception comes in between. */
stele_status insn_branches_add(insn_branches *branches, const insn_batch *batch);

/* At the end of a stream. */
stele_status insn_branches_end(insn_branches *branches);

#endif
