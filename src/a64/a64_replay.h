/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What general registers hold, as far as it follows from the instructions that were executed, what
 * they loaded, and what was recorded of them. What cannot be known becomes unknown; nothing is
 * guessed.
 */
#ifndef A64_A64_REPLAY_H
#define A64_A64_REPLAY_H

#include "a64/a64.h"

#define A64_SP 31u /* as number of a register */

typedef struct a64_registers {
    uint64_t x[32]; /* X0 to X30, then the stack pointer */
    uint32_t known; /* a bit each */
} a64_registers;

/* A run of bytes that was read or written. */
typedef struct a64_access {
    uint64_t address;
    const uint8_t *bytes; /* little-endian; NULL: not known */
    uint32_t size;
    bool is_store;
} a64_access;

/* What was recorded of an executed instruction. */
typedef struct a64_record {
    uint32_t opcode;
    uint8_t level; /* exception level */
    bool has_pc, has_status, has_system, has_flags, has_result;
    uint64_t pc;
    uint64_t status; /* of an exclusive store: 0 is success */
    uint64_t system; /* what MRS read */
    uint64_t flags;  /* NZCV in bits 28 to 31 */
    uint64_t result; /* of a system call that returned to the next instruction */
    const a64_access *accesses;
    unsigned access_count;
} a64_record;

static inline bool a64_is_known(const a64_registers *r, unsigned reg)
{
    return (r->known >> reg & 1u) != 0;
}

static inline void a64_learn(a64_registers *r, unsigned reg, uint64_t value)
{
    r->x[reg] = value;
    r->known |= UINT32_C(1) << reg;
}

static inline void a64_forget(a64_registers *r, unsigned reg)
{
    r->known &= ~(UINT32_C(1) << reg);
}

static inline void a64_forget_all(a64_registers *r)
{
    r->known = 0;
}

/* Executes an instruction; `what` is what a64_classify() says of it. */
void a64_replay(a64_registers *r, const a64_insn *what, const a64_record *record);

/* `size` bytes, 8 at most, from `offset` of all that an instruction read or wrote; false when they
   are not there, or not known. */
bool a64_accessed(const a64_record *record, bool is_store, unsigned offset, unsigned size,
                  uint64_t *value);

/* Where the first access of an instruction goes; false when that is not known. */
bool a64_address(const a64_registers *r, const a64_insn *what, const a64_record *record,
                 uint64_t *address);

#endif
