/* SPDX-License-Identifier: Apache-2.0 */
/* Values that may be unknown, as replay computes with them: a64_replay.c says what holds of them.
 */
#ifndef A64_A64_REPLAY_VALUE_H
#define A64_A64_REPLAY_VALUE_H

#include <stddef.h>

#include "a64/a64_registers.h"

#define ZERO_REGISTER 31u

/* A value that may be unknown. */
typedef struct number {
    uint64_t value;
    bool is_known;
} number;

static const number unknown = {0, false};

static inline number known(uint64_t value)
{
    return (number){value, true};
}

/* A field of the opcode: `count` bits, at most 31, from bit `low` on. */
static inline uint64_t bits(uint32_t opcode, unsigned low, unsigned count)
{
    return opcode >> low & ((UINT32_C(1) << count) - 1);
}

/* A number whose lowest `count` bits are set. */
static inline uint64_t ones(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Extends the lowest `width` bits, 1 to 64, by the highest one of them. */
static inline uint64_t sign_extend(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    value &= ones(width);
    return (value ^ sign) - sign;
}

/* Rotates the lowest `width` bits to the right by less than `width`; a shift by all of them is not
   defined in C, so 0 is a case of its own. */
static inline uint64_t rotate(uint64_t value, unsigned by, unsigned width)
{
    value &= ones(width);
    return by == 0 ? value : (value >> by | value << (width - by)) & ones(width);
}

/* ---- Registers and their values ---- */

/* The value of a general register, where number 31 is the stack pointer. */
static inline number get_sp(const a64_registers *r, unsigned reg)
{
    return (number){r->x[reg], a64_is_known(r, reg)};
}

/* The value of a general register, where number 31 is the zero register. */
static inline number get(const a64_registers *r, unsigned reg)
{
    return reg == ZERO_REGISTER ? known(0) : get_sp(r, reg);
}

static inline void set_sp(a64_registers *r, unsigned reg, number n)
{
    if (n.is_known)
        a64_learn(r, reg, n.value);
    else
        a64_forget(r, reg);
}

/* Sets a general register; the zero register does not change. */
static inline void set(a64_registers *r, unsigned reg, number n)
{
    if (reg != ZERO_REGISTER)
        set_sp(r, reg, n);
}

/* Whether an instruction on integers uses X registers: bit 31, "sf" in the manual. */
static inline bool is_64(uint32_t opcode)
{
    return opcode >> 31 != 0;
}

static inline unsigned width_of(uint32_t opcode)
{
    return is_64(opcode) ? 64 : 32;
}

/* Cuts the result of an operation on W registers to 32 bits. */
static inline number fit(uint32_t opcode, number n)
{
    return is_64(opcode) ? n : (number){(uint32_t)n.value, n.is_known};
}

/* A result that is known if both of its operands are. */
static inline number both(number a, number b, uint64_t value)
{
    return (number){value, a.is_known && b.is_known};
}

/* The value of a register, extended by UXTB to SXTX and shifted left. */
static inline number extended_register(const a64_registers *r, uint32_t opcode, unsigned by)
{
    number n = get(r, (unsigned)bits(opcode, 16, 5));
    const unsigned option = (unsigned)bits(opcode, 13, 3), width = 8u << (option & 3);
    n.value = option >= 4 ? sign_extend(n.value, width) : n.value & ones(width);
    n.value <<= by;
    return n;
}

/* Replays what a load, a store or an atomic operation does to registers (a64_replay_memory.c). */
void a64_replay_memory(a64_registers *r, const a64_insn *what, const a64_record *record);

#endif
