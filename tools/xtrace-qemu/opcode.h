/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder must know of an A64 instruction. */
#ifndef XTRACE_QEMU_OPCODE_H
#define XTRACE_QEMU_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum opcode_trait {
    OPCODE_JUMPS = 1 << 0,    /* a branch or SVC: the next instruction begins a block */
    OPCODE_INDIRECT = 1 << 1, /* BR, BLR, RET and their kind */
    OPCODE_SVC = 1 << 2,
    OPCODE_SYSREG = 1 << 3,       /* MRS, MSR of a register */
    OPCODE_SETS_TPIDR = 1 << 4,   /* MSR TPIDR_EL0 */
    OPCODE_FLAGS = 1 << 5,        /* NZCV is recorded: conditional select, MRS RNDR */
    OPCODE_ZEROES = 1 << 6,       /* DC ZVA, DC GZVA */
    OPCODE_MARK = 1 << 7,         /* HINT 9 */
    OPCODE_MEMORY = 1 << 8,       /* may access memory */
    OPCODE_EXCLUSIVE = 1 << 9,    /* STXR, STXP and their kind */
    OPCODE_ATOMIC = 1 << 10,      /* LDADD, SWP and their kind */
    OPCODE_SWAP_IF = 1 << 11,     /* CAS, CASP */
    OPCODE_VECTOR = 1 << 12,      /* SVE and SME accesses of elements */
    OPCODE_FIRST_FAULT = 1 << 13, /* of those, the ones that stop at a fault: LDFF1, LDNF1 */
};

/* Accesses of these do not come from QEMU: it reports them as others than they are, or not at all.
 */
#define OPCODE_PLANNED (OPCODE_EXCLUSIVE | OPCODE_ATOMIC | OPCODE_SWAP_IF | OPCODE_VECTOR)

uint32_t opcode_traits(uint32_t opcode);

/* Bits `at` and above of an opcode. */
static inline unsigned opcode_field(uint32_t opcode, unsigned at, unsigned count)
{
    return opcode >> at & ((1u << count) - 1);
}

/* Where a direct branch goes when it is taken; false for other instructions. */
bool opcode_branch_target(uint32_t opcode, uint64_t pc, uint64_t *target);

/* The register that an indirect branch takes its target from. */
unsigned opcode_target_register(uint32_t opcode);

/* The target is signed (BRAA, RETAB and their kind). */
bool opcode_target_is_signed(uint32_t opcode);

/* Of STXR, STXP, atomics and CAS, CASP: log2 of the bytes that are accessed. */
unsigned opcode_access_log2(uint32_t opcode);

#endif
