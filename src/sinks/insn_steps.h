/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with their accesses, one after the other, for sinks that are read by simulators:
   they know one thread, and want to know where each instruction goes next. */
#ifndef SINKS_INSN_STEPS_H
#define SINKS_INSN_STEPS_H

#include "a64/a64.h"
#include "a64/a64_replay.h"
#include "model/writer.h"

#define STEP_ACCESSES_MAX 64u /* the elements of a vector of 512 bits */

typedef struct step_access {
    uint64_t address;
    uint32_t size;
    bool is_store;
    uint8_t bytes[16]; /* the first of them, little-endian; 0 after the access */
} step_access;

typedef struct step {
    uint64_t pc;
    uint32_t opcode;
    a64_insn insn;
    a64_operands reads, writes;
    bool has_operands;
    uint64_t next_pc; /* with has_next */
    bool has_next;
    step_access accesses[STEP_ACCESSES_MAX];
    uint32_t access_count;
    const a64_registers *after; /* what general registers hold after it, as far as that is known */
} step;

/* Writes an instruction, whose next one is known unless it is the last. */
typedef void step_take_fn(stele_writer *writer, const step *at);

/* Columns that events need for it. */
#define INSN_STEPS_COLUMNS                                                             \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_VALUE | STELE_COLUMN_TRACK | \
     STELE_COLUMN_FIELDS)

/* A sink that writes instructions of one thread, and counts what is none. STELE_ERR_MEMORY. */
stele_status insn_steps_open(stele_context *context, output *out, step_take_fn *take,
                             stele_writer **writer);

/* Whether it went elsewhere than to the instruction after it. */
static inline bool step_is_taken(const step *at)
{
    return a64_is_branch(&at->insn) &&
           (!a64_is_conditional(&at->insn) || (at->has_next && at->next_pc != at->pc + 4));
}

#endif
