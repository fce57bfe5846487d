/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the registers that A64 instructions read and write. a64_operands.c handles branches,
   integers and the entry for all, a64_operands_memory.c loads and stores, a64_operands_simd.c
   floating point and vectors. */
#ifndef A64_OPERANDS_H
#define A64_OPERANDS_H

#include "a64/a64_decode.h"

/* The sets of registers of one instruction, to which registers are added. */
typedef struct operands {
    a64_operands *reads, *writes;
} operands;

/* The bit of a general register. Number 31 is the stack pointer if `with_sp`, else the zero
   register, which has no bit. */
static inline uint32_t x_bit(uint32_t number, bool with_sp)
{
    return number == 31 && !with_sp ? 0 : UINT32_C(1) << number;
}

static inline void read_x(operands o, uint32_t number)
{
    o.reads->x |= x_bit(number, false);
}

static inline void write_x(operands o, uint32_t number)
{
    o.writes->x |= x_bit(number, false);
}

static inline void read_sp(operands o, uint32_t number)
{
    o.reads->x |= x_bit(number, true);
}

static inline void write_sp(operands o, uint32_t number)
{
    o.writes->x |= x_bit(number, true);
}

/* Bits of `count` vector registers from `first` on, each `step` after the one before; 0 follows
   31. */
static inline uint32_t v_bits(uint32_t first, uint32_t count, uint32_t step)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= UINT32_C(1) << (first + i * step) % 32;
    return bits;
}

/* Numbers of registers in an opcode, named as the architecture names its fields. */
static inline uint32_t rd(uint32_t opcode)
{
    return field(opcode, 0, 5);
}

static inline uint32_t rn(uint32_t opcode)
{
    return field(opcode, 5, 5);
}

static inline uint32_t ra(uint32_t opcode)
{
    return field(opcode, 10, 5);
}

static inline uint32_t rm(uint32_t opcode)
{
    return field(opcode, 16, 5);
}

static inline void transfer_x(operands o, bool is_load, uint32_t number)
{
    if (is_load)
        write_x(o, number);
    else
        read_x(o, number);
}

static inline void transfer_v(operands o, bool is_load, uint32_t bits)
{
    if (is_load)
        o.writes->v |= bits;
    else
        o.reads->v |= bits;
}

/* Adds the registers of a load or store, other than of SVE and SME. */
void a64_memory_operands(operands o, uint32_t opcode, const a64_insn *insn);

/* Adds the registers of a load or store of SVE or SME. */
void a64_scalable_operands(operands o, uint32_t opcode, const a64_insn *insn);

/* Adds the registers of an instruction that computes with scalar floating point. */
void a64_fp_operands(operands o, uint32_t opcode, const a64_insn *insn);

/* Adds the registers of an instruction that computes with vectors. */
void a64_simd_operands(operands o, uint32_t opcode);

#endif
