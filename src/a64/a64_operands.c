/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the registers that A64 instructions read and write: branches, system, integers, and the
   entry for all of them. */
#include "a64/a64_operands.h"
#include "a64/a64_decode.h"

/* ---- Operands of branches and system instructions -------------------------------------------- */

/* Pointer authentication uses the stack pointer as modifier unless the opcode has another one. */
static void branch_register(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_authenticated = (insn->flags & A64_IS_AUTHENTICATED) != 0;
    if (insn->class == A64_CALL_INDIRECT)
        write_x(o, 30);
    if (insn->class == A64_RETURN && is_authenticated) {
        read_x(o, 30);
        read_sp(o, 31);
        if (bit(opcode, 31) && rd(opcode) != 31)
            read_x(o, rd(opcode)); /* RETAASPPCR */
        return;
    }
    if (insn->class == A64_EXCEPTION_RETURN)
        return;
    read_x(o, rn(opcode));
    if (is_authenticated && bit(opcode, 24))
        read_sp(o, rd(opcode));
}

/* Operands of PACIASP and its like: the number of the hint says which register and which
   modifier. */
static void authentication_hint(operands o, uint32_t opcode)
{
    const uint32_t number = field(opcode, 5, 7);
    const bool is_x17 = number >= 8 && number < 16, is_strip = number == 7;
    o.reads->x |= UINT32_C(1) << (is_x17 ? 17 : 30);
    o.writes->x |= UINT32_C(1) << (is_x17 ? 17 : 30);
    if (is_x17)
        read_x(o, 16);
    else if (!is_strip && number % 2 != 0 && number < 32)
        read_sp(o, 31);
}

static void system_register(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_nzcv = (opcode & 0x1fffe0u) == 0x1b4200u; /* S3_3_C4_C2_0 */
    const bool is_pair = bit(opcode, 22);
    if (insn->class == A64_REGISTER_READ) {
        write_x(o, rd(opcode));
        if (is_pair)
            write_x(o, rd(opcode) + 1);
        o.reads->flags |= is_nzcv;
    } else {
        read_x(o, rd(opcode));
        if (is_pair)
            read_x(o, rd(opcode) + 1);
        o.writes->flags |= is_nzcv;
    }
}

static void system(operands o, uint32_t opcode, const a64_insn *insn)
{
    switch (insn->class) {
    case A64_REGISTER_READ:
    case A64_REGISTER_WRITE: system_register(o, opcode, insn); break;
    case A64_HINT:
        if (field(opcode, 12, 4) == 1) /* WFET, WFIT */
            read_x(o, rd(opcode));
        break;
    case A64_BARRIER:
    case A64_STATE_WRITE: break;
    default: /* SYS, SYSL and SYSP, TSTART and TTEST */
        if (opcode >> 24 != 0xd5 || field(opcode, 12, 8) == 0x33)
            break;
        if (bit(opcode, 21))
            write_x(o, rd(opcode));
        else
            read_x(o, rd(opcode));
        if (bit(opcode, 22) && rd(opcode) != 31)
            read_x(o, rd(opcode) + 1);
        break;
    }
}

static void branch(operands o, uint32_t opcode, const a64_insn *insn)
{
    switch (insn->class) {
    case A64_BRANCH_CONDITION: o.reads->flags = true; break;
    case A64_BRANCH_COMPARE:
    case A64_BRANCH_TEST: read_x(o, rd(opcode)); break;
    case A64_CALL: write_x(o, 30); break;
    case A64_BRANCH: break;
    default: branch_register(o, opcode, insn); break;
    }
}

/* ---- Operands of SVE: counts and loops ------------------------------------------------------- */

/* Operands of instructions that control loops over vectors: apart from predicates they use general
   registers only. Returns false for other instructions. */
static bool sve_count(operands o, uint32_t opcode)
{
    if (matches(opcode, 0xffa0f000, 0x04205000)) { /* ADDVL, ADDPL, and of streaming mode */
        read_sp(o, rm(opcode));
        write_sp(o, rd(opcode));
    } else if (matches(opcode, 0xfffff000, 0x04bf5000) || /* RDVL, RDSVL */
               matches(opcode, 0xff30fc00, 0x0420e000) || /* CNTB to CNTD */
               matches(opcode, 0xff3fc200, 0x25208000)) { /* CNTP */
        write_x(o, rd(opcode));
    } else if (matches(opcode, 0xff30f800, 0x0430e000) || /* INCB, DECB and the like */
               matches(opcode, 0xff20f000, 0x0420f000) || /* the saturating forms of these */
               matches(opcode, 0xff3efe00, 0x252c8800)) { /* INCP, DECP */
        read_x(o, rd(opcode));
        write_x(o, rd(opcode));
    } else if (matches(opcode, 0xff20e000, 0x25200000) || /* WHILELT and the like */
               matches(opcode, 0xffa0fc0f, 0x25a02000)) { /* CTERMEQ, CTERMNE */
        read_x(o, rn(opcode));
        read_x(o, rm(opcode));
        o.writes->flags = true;
    } else {
        return false;
    }
    return true;
}

/* ---- Operands of integer instructions -------------------------------------------------------- */

/* Operands of ADD and SUB: immediate, shifted, extended, with carry, of pointers. */
static void add(operands o, uint32_t opcode)
{
    const bool is_immediate = field(opcode, 26, 3) == 4,
               is_carry = bit(opcode, 28) && !is_immediate;
    const bool is_pointer = is_carry && bit(opcode, 13), sets_flags = bit(opcode, 29);
    const bool with_sp = is_immediate || is_pointer || (!is_carry && bit(opcode, 21));
    o.reads->x |= x_bit(rn(opcode), with_sp);
    o.writes->x |= x_bit(rd(opcode), with_sp && !sets_flags);
    if (!is_immediate)
        read_x(o, rm(opcode));
    o.writes->flags |= sets_flags;
    o.reads->flags |= is_carry && !is_pointer;
}

static void logical(operands o, uint32_t opcode)
{
    const bool is_immediate = field(opcode, 26, 3) == 4, sets_flags = field(opcode, 29, 2) == 3;
    read_x(o, rn(opcode));
    o.writes->x |= x_bit(rd(opcode), is_immediate && !sets_flags);
    if (!is_immediate)
        read_x(o, rm(opcode));
    o.writes->flags |= sets_flags;
}

static void authenticate(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 10, 6);
    if (opcode >> 24 == 0xd5) {
        authentication_hint(o, opcode);
    } else if (matches(opcode, 0xffe00000, 0x9ac00000)) { /* PACGA */
        read_x(o, rn(opcode));
        read_sp(o, rm(opcode));
        write_x(o, rd(opcode));
    } else if (opcode >> 24 == 0xda && op < 18) {
        read_x(o, rd(opcode));
        write_x(o, rd(opcode));
        if (op < 8)
            read_sp(o, rn(opcode));
    } else { /* AUTIASPPC and its like, which use the return address and the stack pointer */
        read_x(o, 30);
        write_x(o, 30);
        read_sp(o, 31);
        if (opcode >> 24 == 0xda)
            read_x(o, rn(opcode));
    }
}

static void tag_arithmetic(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 10, 6);
    const bool is_immediate = field(opcode, 26, 3) == 4;
    read_sp(o, rn(opcode));
    if (is_immediate) {
        write_sp(o, rd(opcode));
    } else if (op == 0) { /* SUBP, SUBPS */
        read_sp(o, rm(opcode));
        write_x(o, rd(opcode));
        o.writes->flags |= bit(opcode, 29);
    } else { /* IRG, GMI */
        read_x(o, rm(opcode));
        o.writes->x |= x_bit(rd(opcode), op == 4);
    }
}

static void flag_operation(operands o, uint32_t opcode)
{
    /* Flags that the instruction does not set keep their values. */
    o.writes->flags = o.reads->flags = true;
    if (opcode >> 24 != 0xd5)
        read_x(o, rn(opcode));
}

static void three_operands(operands o, uint32_t opcode)
{
    read_x(o, rn(opcode));
    read_x(o, rm(opcode));
    write_x(o, rd(opcode));
}

static void integer(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_immediate = field(opcode, 26, 3) == 4;
    switch (insn->class) {
    case A64_ADD: add(o, opcode); break;
    case A64_LOGICAL: logical(o, opcode); break;
    case A64_ADDRESS:
    case A64_ADDRESS_PAGE:
    case A64_MOVE:
        write_x(o, rd(opcode));
        if (insn->class == A64_MOVE && field(opcode, 29, 2) == 3)
            read_x(o, rd(opcode)); /* MOVK */
        break;
    case A64_BITFIELD:
        read_x(o, rn(opcode));
        write_x(o, rd(opcode));
        if (bit(opcode, 23) && bit(opcode, 24))
            read_x(o, rm(opcode)); /* EXTR */
        else if (field(opcode, 29, 2) == 1)
            read_x(o, rd(opcode)); /* BFM */
        break;
    case A64_BITS:
        read_x(o, rn(opcode));
        write_x(o, rd(opcode));
        break;
    case A64_MULTIPLY:
        three_operands(o, opcode);
        if ((field(opcode, 21, 3) & 3) != 2) /* all but SMULH and UMULH */
            read_x(o, ra(opcode));
        break;
    case A64_MINMAX:
        read_x(o, rn(opcode));
        write_x(o, rd(opcode));
        if (!is_immediate)
            read_x(o, rm(opcode));
        break;
    case A64_COMPARE:
        read_x(o, rn(opcode));
        if (!bit(opcode, 11))
            read_x(o, rm(opcode));
        o.reads->flags = o.writes->flags = true;
        break;
    case A64_SELECT:
        three_operands(o, opcode);
        o.reads->flags = true;
        break;
    case A64_FLAGS: flag_operation(o, opcode); break;
    case A64_AUTHENTICATE: authenticate(o, opcode); break;
    case A64_TAG: tag_arithmetic(o, opcode); break;
    default: three_operands(o, opcode); break;
    }
}

/* ---- Operands of any instruction ------------------------------------------------------------- */

bool a64_operands_find(uint32_t opcode, a64_operands *reads, a64_operands *writes)
{
    const a64_insn insn = a64_classify(opcode);
    const operands o = {reads, writes};
    *reads = *writes = (a64_operands){0};
    switch (insn.group) {
    case A64_GROUP_BRANCH: branch(o, opcode, &insn); return true;
    case A64_GROUP_EXCEPTION: return true;
    case A64_GROUP_SYSTEM: system(o, opcode, &insn); return true;
    case A64_GROUP_INTEGER: integer(o, opcode, &insn); return true;
    case A64_GROUP_FP: a64_fp_operands(o, opcode, &insn); return true;
    case A64_GROUP_SIMD:
        if (field(opcode, 25, 4) == 2) /* SVE instructions of this group */
            return false;
        a64_simd_operands(o, opcode);
        return true;
    case A64_GROUP_MEMORY:
        if (insn.class >= A64_LOAD_SVE && insn.class <= A64_STORE_SME)
            a64_scalable_operands(o, opcode, &insn);
        else
            a64_memory_operands(o, opcode, &insn);
        return true;
    case A64_GROUP_SVE: return insn.class == A64_SVE_PREDICATE && sve_count(o, opcode);
    default: return false;
    }
}
