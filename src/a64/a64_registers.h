/* SPDX-License-Identifier: Apache-2.0 */
/* General registers whose values may be unknown, and what was recorded of an executed instruction.
 */
#ifndef A64_A64_REGISTERS_H
#define A64_A64_REGISTERS_H

#include "a64/a64.h"

#define A64_SP 31u /* number of the stack pointer */

typedef struct a64_registers {
    uint64_t x[32]; /* X0 to X30, then the stack pointer */
    uint32_t known; /* bit n: x[n] is known */
} a64_registers;

/* Bytes that an instruction read or wrote. */
typedef struct a64_access {
    uint64_t address;
    const uint8_t *bytes; /* little-endian; NULL: not known */
    uint32_t size;
    bool is_store;
} a64_access;

/* What was recorded of an executed instruction. The has_... members tell which others are known. */
typedef struct a64_record {
    uint32_t opcode;
    uint8_t level; /* exception level */
    bool has_pc, has_status, has_system, has_flags, has_result;
    uint64_t pc;
    uint64_t status; /* result of an exclusive store: 0 is success */
    uint64_t system; /* value that MRS read */
    uint64_t flags;  /* NZCV in bits 31 to 28 */
    uint64_t result; /* result of a system call that returned to the next instruction */
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

#endif
