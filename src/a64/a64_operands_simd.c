/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the registers that floating point and vector instructions read and write. */
#include "a64/a64_decode.h"
#include "a64/a64_operands.h"

/* Adds the registers of conversions and moves between floating point and integer registers. Returns
   false for other instructions. */
static bool fp_with_integer(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 16, 3);
    if (bit(opcode, 24) || (bit(opcode, 21) && field(opcode, 10, 6) != 0))
        return false;
    if (op == 2 || op == 3 || op == 7) {
        read_x(o, rn(opcode));
        o.writes->v |= v_bits(rd(opcode), 1, 1);
        if (op == 7 && field(opcode, 19, 2) == 1)
            o.reads->v |= v_bits(rd(opcode), 1, 1); /* FMOV to the upper half keeps the lower one */
    } else {
        o.reads->v |= v_bits(rn(opcode), 1, 1);
        write_x(o, rd(opcode));
    }
    return true;
}

void a64_fp_operands(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool has_second = field(opcode, 10, 2) != 0;
    if (fp_with_integer(o, opcode))
        return;
    if (insn->class != A64_FP_COMPARE)
        o.writes->v |= v_bits(rd(opcode), 1, 1);
    else
        o.writes->flags = true;
    if (!bit(opcode, 24) && field(opcode, 10, 3) == 4) /* FMOV of a constant */
        return;
    o.reads->v |= v_bits(rn(opcode), 1, 1);
    if (bit(opcode, 24)) {
        o.reads->v |= v_bits(rm(opcode), 1, 1) | v_bits(ra(opcode), 1, 1);
    } else if (has_second) {
        o.reads->v |= v_bits(rm(opcode), 1, 1);
        o.reads->flags |= field(opcode, 10, 2) != 2; /* FCCMP, FCSEL */
    } else if (insn->class == A64_FP_COMPARE && !bit(opcode, 3)) {
        o.reads->v |= v_bits(rm(opcode), 1, 1); /* FCMP with 0.0 has no second register */
    }
}

/* Whether an instruction with three registers also reads its destination. */
static bool accumulates_three(uint32_t opcode)
{
    const uint32_t op = bit(opcode, 10) ? field(opcode, 11, 5) : field(opcode, 12, 4);
    const bool is_u = bit(opcode, 29);
    if (bit(opcode, 10))
        return op == 0x12 || op == 0x0f || op == 0x19 || (op == 0x1d && !is_u) ||
               (op == 0x03 && is_u && field(opcode, 22, 2) != 0);
    return op == 5 || (op >= 8 && op <= 11) || ((op == 4 || op == 6) && bit(opcode, 30));
}

/* Whether an instruction with two registers also reads its destination: pairwise and saturating
   accumulation, and narrowing to the upper half. */
static bool accumulates_two(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 5), kind = field(opcode, 17, 5);
    if (kind == 0x14)
        /* SHA1H does not read it; AESE and AESD do. */
        return bit(opcode, 28) ? op != 0 : op == 4 || op == 5;
    if (kind != 0x10)
        return false;
    return op == 3 || op == 6 ||
           (bit(opcode, 30) && !bit(opcode, 28) && (op == 0x12 || op == 0x14 || op == 0x16));
}

static bool accumulates_constant(uint32_t opcode)
{
    const uint32_t op = field(opcode, 11, 5);
    if (field(opcode, 19, 4) == 0) /* ORR, BIC */
        return bit(opcode, 12) && field(opcode, 12, 4) < 12;
    return op == 0x02 || op == 0x06 || ((op == 0x08 || op == 0x0a) && bit(opcode, 29)) ||
           (op >= 0x10 && op <= 0x13 && bit(opcode, 30) && !bit(opcode, 28));
}

static bool accumulates_element(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 4);
    const bool is_u = bit(opcode, 29);
    return op < 8 || op == 0xe || op == 0xf || ((op == 8 || op == 0xc || op == 0xd) && is_u);
}

/* Adds the registers of copies between vectors, elements and integer registers. */
static void simd_copy(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 11, 4);
    const bool is_insert = bit(opcode, 29) || op == 3;
    if (!bit(opcode, 29) && (op == 5 || op == 7)) { /* SMOV, UMOV */
        o.reads->v |= v_bits(rn(opcode), 1, 1);
        write_x(o, rd(opcode));
        return;
    }
    if (!bit(opcode, 29) && (op == 1 || op == 3))
        read_x(o, rn(opcode));
    else
        o.reads->v |= v_bits(rn(opcode), 1, 1);
    o.writes->v |= v_bits(rd(opcode), 1, 1);
    if (is_insert)
        o.reads->v |= v_bits(rd(opcode), 1, 1);
}

/* Adds the registers of instructions with bit 21 = 0: tables, permutations, copies, half precision,
   and later additions. */
static void simd_narrow(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 11, 4);
    uint32_t table_size = 1;
    const bool is_table = field(opcode, 10, 2) == 0 && !bit(opcode, 28) && !bit(opcode, 29) &&
                          field(opcode, 22, 2) == 0;
    if (bit(opcode, 10) && !bit(opcode, 15) && field(opcode, 22, 2) == 0) {
        simd_copy(o, opcode);
        return;
    }
    if (is_table)
        table_size = 1 + field(opcode, 13, 2);
    else if (matches(opcode, 0xffe09c00, 0x4e401000)) /* LUTI4 of 16 bits */
        table_size = 2;
    o.reads->v |= v_bits(rn(opcode), table_size, 1) | v_bits(rm(opcode), 1, 1);
    o.writes->v |= v_bits(rd(opcode), 1, 1);
    if ((is_table && bit(opcode, 12)) || (!bit(opcode, 10) && bit(opcode, 28)) ||
        (bit(opcode, 15) && bit(opcode, 10) && op != 0xc && op != 0xe) ||
        (bit(opcode, 10) && !bit(opcode, 15) && op == 1 && !bit(opcode, 29)))
        o.reads->v |= v_bits(rd(opcode), 1, 1);
}

/* Adds the registers of SHA3, SHA512, SM3 and SM4 instructions, whose highest byte is 0xce. */
static void crypto_wide(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 21, 3);
    const bool has_fourth = op < 3 && !bit(opcode, 15), has_third = op != 6;
    o.reads->v |= v_bits(rn(opcode), 1, 1);
    o.writes->v |= v_bits(rd(opcode), 1, 1);
    if (has_third)
        o.reads->v |= v_bits(rm(opcode), 1, 1);
    if (has_fourth)
        o.reads->v |= v_bits(ra(opcode), 1, 1);
    /* All others except RAX1, SM4EKEY and XAR. */
    if (!has_fourth && op != 4 &&
        !(op == 3 && (field(opcode, 10, 6) == 0x23 || field(opcode, 10, 6) == 0x32)))
        o.reads->v |= v_bits(rd(opcode), 1, 1);
}

/* Bits of the number of the register that has the element, in instructions by one element: the
   smaller the element, the more of them are used for its index instead. */
static unsigned element_register_bits(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 4), size = field(opcode, 22, 2);
    const bool is_u = bit(opcode, 29);
    if (is_u && op < 8 && op % 2 != 0) /* FCMLA works on pairs of elements */
        return 5;
    switch (op) {
    case 0x0:
        if (is_u) /* MLA */
            return size == 1 ? 4 : 5;
        if (size == 0) /* FDOT of four bytes */
            return 5;
        if (size == 3) /* FMLALB, FMLALT of bytes */
            return 3;
        return 4;
    case 0x4: return is_u && size == 2 ? 5 : 4;
    case 0x8:
        if (is_u)
            return size < 2 ? 3 : 4; /* FMLALL of bytes, FMLAL2 */
        return size == 2 ? 5 : 4;
    case 0xc: return is_u || size != 2 ? 4 : 5;
    case 0xe: return 5;
    case 0xf: return size == 3 || (is_u && size == 1) ? 4 : 5;
    case 0x1:
    case 0x5:
    case 0x9: return size == 0 || (is_u && size == 1) ? 4 : 5;
    case 0x3:
    case 0x7: return size == 1 ? 4 : 5;
    default: return size == 1 ? 4 : 5;
    }
}

void a64_simd_operands(operands o, uint32_t opcode)
{
    const uint32_t d = v_bits(rd(opcode), 1, 1), n = v_bits(rn(opcode), 1, 1);
    bool is_accumulated = false;
    if (bit(opcode, 31)) {
        crypto_wide(o, opcode);
        return;
    }
    if (!bit(opcode, 24) && !bit(opcode, 21)) {
        simd_narrow(o, opcode);
        return;
    }
    o.writes->v |= d;
    if (!bit(opcode, 24)) {
        const bool is_three = bit(opcode, 10) || !bit(opcode, 11);
        is_accumulated = is_three ? accumulates_three(opcode) : accumulates_two(opcode);
        o.reads->v |= n | (is_three ? v_bits(rm(opcode), 1, 1) : 0);
    } else if (bit(opcode, 10)) {
        is_accumulated = accumulates_constant(opcode);
        o.reads->v |= field(opcode, 19, 4) == 0 ? 0 : n;
    } else {
        is_accumulated = accumulates_element(opcode);
        o.reads->v |= n | v_bits(field(opcode, 16, element_register_bits(opcode)), 1, 1);
    }
    if (is_accumulated)
        o.reads->v |= d;
}
