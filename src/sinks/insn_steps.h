/* SPDX-License-Identifier: Apache-2.0 */
/* Gives instructions with their accesses one after another, for sinks whose files simulators
   read: they have one thread, and need to know where each instruction continues. */
#ifndef SINKS_INSN_STEPS_H
#define SINKS_INSN_STEPS_H

#include "a64/a64.h"
#include "a64/a64_replay.h"
#include "model/writer.h"

#define STEP_ACCESSES_MAX 64u /* elements of a vector of 512 bits */

typedef struct step_access {
    uint64_t address;
    uint32_t size;
    bool is_store;
    uint8_t bytes[16]; /* the first bytes of the access, little-endian; 0 beyond its end */
} step_access;

typedef struct step {
    uint64_t pc;
    uint32_t opcode;
    a64_insn insn;
    a64_operands reads, writes;
    bool has_operands;
    uint64_t next_pc; /* valid if has_next is set */
    bool has_next;
    step_access accesses[STEP_ACCESSES_MAX];
    uint32_t access_count;
    /* general registers after the instruction, as far as they are known */
    const a64_registers *after;
} step;

/* Writes an instruction. Its `next_pc` is known unless it is the last one. */
typedef void step_take_fn(stele_writer *writer, const step *at);

/* Columns that events must have. */
#define INSN_STEPS_COLUMNS                                                             \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_VALUE | STELE_COLUMN_TRACK | \
     STELE_COLUMN_FIELDS)

/* Kinds of events that something is written of. */
#define INSN_STEPS_KINDS                                                 \
    (STELE_KIND_BIT(STELE_KIND_INSN) | STELE_KIND_BIT(STELE_KIND_LOAD) | \
     STELE_KIND_BIT(STELE_KIND_STORE))

/* Makes a sink that passes the instructions of one thread to `take`, and counts other events as
   losses. Returns STELE_ERR_MEMORY if out of memory. */
stele_status insn_steps_open(stele_context *context, output *out, step_take_fn *take,
                             stele_writer **writer);

/* Whether a branch continued elsewhere than at the next instruction. */
static inline bool step_is_taken(const step *at)
{
    return a64_is_branch(&at->insn) &&
           (!a64_is_conditional(&at->insn) || (at->has_next && at->next_pc != at->pc + 4));
}

#endif
