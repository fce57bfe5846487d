/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers A64 instructions read and write. */
#include "a64/a64_decode.h"

typedef struct operands {
    a64_operands *reads, *writes;
} operands;

/* ---- Registers ------------------------------------------------------------------------------- */

/* Number 31 is the zero register, or by `with_sp` the stack pointer. */
static uint32_t x_bit(uint32_t number, bool with_sp)
{
    return number == 31 && !with_sp ? 0 : UINT32_C(1) << number;
}

static void read_x(operands o, uint32_t number)
{
    o.reads->x |= x_bit(number, false);
}

static void write_x(operands o, uint32_t number)
{
    o.writes->x |= x_bit(number, false);
}

static void read_sp(operands o, uint32_t number)
{
    o.reads->x |= x_bit(number, true);
}

static void write_sp(operands o, uint32_t number)
{
    o.writes->x |= x_bit(number, true);
}

/* `count` of them, each `step` after the other, around the end. */
static uint32_t v_bits(uint32_t first, uint32_t count, uint32_t step)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= UINT32_C(1) << (first + i * step) % 32;
    return bits;
}

static uint32_t rd(uint32_t opcode)
{
    return field(opcode, 0, 5);
}

static uint32_t rn(uint32_t opcode)
{
    return field(opcode, 5, 5);
}

static uint32_t ra(uint32_t opcode)
{
    return field(opcode, 10, 5);
}

static uint32_t rm(uint32_t opcode)
{
    return field(opcode, 16, 5);
}

/* ---- Branches and system --------------------------------------------------------------------- */

/* Pointer authentication uses the stack pointer where no other modifier is said. */
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

/* PACIASP and the like: which register, and which modifier, is in the hint's number. */
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
    default: /* SYS, SYSL and SYSP; TSTART and TTEST */
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

/* ---- Memory ---------------------------------------------------------------------------------- */

static void transfer_x(operands o, bool is_load, uint32_t number)
{
    if (is_load)
        write_x(o, number);
    else
        read_x(o, number);
}

static void transfer_v(operands o, bool is_load, uint32_t bits)
{
    if (is_load)
        o.writes->v |= bits;
    else
        o.reads->v |= bits;
}

static void exclusive(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_load = insn->class == A64_LOAD_EXCLUSIVE;
    transfer_x(o, is_load, rd(opcode));
    if ((insn->flags & A64_IS_PAIR) != 0)
        transfer_x(o, is_load, ra(opcode));
    if (!is_load)
        write_x(o, rm(opcode)); /* whether it was done */
}

static void compare_and_swap(operands o, uint32_t opcode, const a64_insn *insn)
{
    const uint32_t count = (insn->flags & A64_IS_PAIR) != 0 ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        read_x(o, rd(opcode) + i);
        read_x(o, rm(opcode) + i);
        write_x(o, rm(opcode) + i);
    }
    /* Checked ones tell by the flags. */
    o.writes->flags |= matches(opcode, 0x3f000000, 0x19000000);
}

/* Read-check-write tells by the flags whether it was done. */
static bool is_checked(uint32_t opcode, bool is_pair)
{
    if (is_pair)
        return field(opcode, 10, 6) >= 0x24;
    return matches(opcode, 0xbf208c00, 0x38208000) && field(opcode, 12, 3) >= 1 &&
           field(opcode, 12, 3) <= 3;
}

static void atomic(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_pair = (insn->flags & A64_IS_PAIR) != 0;
    read_x(o, rm(opcode));
    write_x(o, rd(opcode));
    if (is_pair) {
        read_x(o, rd(opcode));
        write_x(o, rm(opcode));
    }
    o.writes->flags = is_checked(opcode, is_pair);
}

/* LD1 to LD4: several registers, and a register to step by. */
static void structure(operands o, uint32_t opcode, bool is_load)
{
    static const uint8_t whole[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
    const bool is_single = bit(opcode, 24);
    const uint32_t count = is_single ? 1 + (field(opcode, 13, 1) << 1 | field(opcode, 21, 1))
                                     : whole[field(opcode, 12, 4)];
    const uint32_t bits = v_bits(rd(opcode), count, 1);
    transfer_v(o, is_load, bits);
    if (is_load && is_single && field(opcode, 14, 2) != 3)
        o.reads->v |= bits; /* the other lanes stay */
    if (bit(opcode, 23))
        read_x(o, rm(opcode));
}

/* P copies say by the flags which way they go. */
static void copy_or_set(operands o, uint32_t opcode, const a64_insn *insn)
{
    const uint32_t op = insn->class == A64_SET ? field(opcode, 14, 2) : field(opcode, 22, 2);
    const bool is_first = op == 0;
    o.reads->x |= x_bit(rd(opcode), false) | x_bit(rn(opcode), false) | x_bit(rm(opcode), false);
    o.writes->x |= x_bit(rd(opcode), false) | x_bit(rn(opcode), false);
    if (insn->class == A64_COPY)
        write_x(o, rm(opcode));
    o.writes->flags |= is_first;
    o.reads->flags |= !is_first;
}

static void tag(operands o, uint32_t opcode, const a64_insn *insn)
{
    if (insn->class == A64_LOAD_TAG) {
        write_x(o, rd(opcode));
        if (field(opcode, 22, 2) == 1)
            read_x(o, rd(opcode)); /* LDG keeps the address */
    } else if ((insn->flags & A64_IS_PAIR) != 0) {
        read_x(o, rd(opcode));
        read_x(o, ra(opcode));
    } else if (field(opcode, 10, 2) != 0) {
        read_sp(o, rd(opcode));
    } else {
        read_x(o, rd(opcode));
    }
}

static void sixty_four_bytes(operands o, uint32_t opcode, bool is_load)
{
    for (uint32_t i = 0; i < 8; i++)
        transfer_x(o, is_load, rd(opcode) + i);
    if (!is_load)
        write_x(o, rm(opcode));
}

/* One or two registers, of either kind. */
static void plain_access(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_load = (insn->flags & A64_IS_LOAD) != 0;
    const bool is_pair = (insn->flags & A64_IS_PAIR) != 0;
    /* LDIAPP and STILP have the second one elsewhere. */
    const uint32_t second = field(opcode, 27, 3) == 5 ? ra(opcode) : rm(opcode);
    if (insn->size == 64) {
        sixty_four_bytes(o, opcode, is_load);
    } else if ((insn->flags & A64_IS_VECTOR) != 0) {
        transfer_v(o, is_load, v_bits(rd(opcode), 1, 1));
        if (is_pair)
            transfer_v(o, is_load, v_bits(second, 1, 1));
        if (insn->class == A64_LOAD_ACQUIRE && field(opcode, 24, 6) == 0x0d)
            o.reads->v |= v_bits(rd(opcode), 1, 1); /* LDAP1: the other lane stays */
    } else {
        transfer_x(o, is_load, rd(opcode));
        if (is_pair)
            transfer_x(o, is_load, second);
    }
}

static void memory(operands o, uint32_t opcode, const a64_insn *insn)
{
    if (insn->form != A64_FORM_LITERAL && insn->class != A64_COPY && insn->class != A64_SET)
        read_sp(o, rn(opcode));
    if ((insn->form == A64_FORM_PRE || insn->form == A64_FORM_POST) && insn->class != A64_COPY &&
        insn->class != A64_SET)
        write_sp(o, rn(opcode));
    if (insn->form == A64_FORM_REGISTER)
        read_x(o, rm(opcode));
    switch (insn->class) {
    case A64_LOAD_EXCLUSIVE:
    case A64_STORE_EXCLUSIVE: exclusive(o, opcode, insn); break;
    case A64_COMPARE_SWAP: compare_and_swap(o, opcode, insn); break;
    case A64_ATOMIC: atomic(o, opcode, insn); break;
    case A64_LOAD_STRUCTURE:
    case A64_STORE_STRUCTURE: structure(o, opcode, insn->class == A64_LOAD_STRUCTURE); break;
    case A64_COPY:
    case A64_SET: copy_or_set(o, opcode, insn); break;
    case A64_LOAD_TAG:
    case A64_STORE_TAG: tag(o, opcode, insn); break;
    case A64_PREFETCH: /* RPRFM */
        if (insn->form == A64_FORM_OFFSET && matches(opcode, 0xffe00c00, 0xf8a00800))
            read_x(o, rm(opcode));
        break;
    default: plain_access(o, opcode, insn); break;
    }
}

/* ---- SVE and SME: memory --------------------------------------------------------------------- */

/* How many vectors a contiguous load or store of SVE transfers. */
static uint32_t sve_vector_count(uint32_t opcode, bool is_load)
{
    const uint32_t op = field(opcode, 13, 3);
    const bool is_high = bit(opcode, 20);
    if (is_load) {
        if (op == 6 || (op == 7 && !is_high))
            return 1 + field(opcode, 21, 2);
        if (op == 7 || (op == 4 && bit(opcode, 21))) /* LD2Q to LD4Q */
            return 1 + field(opcode, 23, 2);
        return 1;
    }
    if (op == 3 || (op == 7 && is_high))
        return 1 + field(opcode, 21, 2);
    return op == 0 && field(opcode, 22, 3) != 6 ? 1 + field(opcode, 22, 2) : 1; /* ST2Q to ST4Q */
}

/* [Zn.D, Xm] and [Zn.D, #imm], and [Xn, Zm.D]: by the bits that tell them apart in loads and
   prefetches (bits 31:29 = 1x0), and in stores. */
static void sve_vector_address(operands o, uint32_t opcode)
{
    const bool is_store = field(opcode, 29, 3) == 7;
    const uint32_t op = field(opcode, 13, 3);
    const bool is_base =
        is_store ? op == 1 || (op == 5 && bit(opcode, 22)) : bit(opcode, 15) && !bit(opcode, 22);
    if (!is_base) {
        read_sp(o, rn(opcode));
        o.reads->v |= v_bits(rm(opcode), 1, 1);
        return;
    }
    o.reads->v |= v_bits(rn(opcode), 1, 1);
    if (is_store ? op == 1 : !bit(opcode, 21) && op != 7)
        read_x(o, rm(opcode));
}

static void sve_memory(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_load = (insn->flags & A64_IS_LOAD) != 0;
    const bool is_contiguous = field(opcode, 29, 3) == 5 || field(opcode, 29, 3) == 7;
    if (insn->form == A64_FORM_VECTOR) {
        sve_vector_address(o, opcode);
    } else {
        read_sp(o, rn(opcode));
        if (insn->form == A64_FORM_REGISTER)
            read_x(o, rm(opcode));
    }
    if ((insn->flags & A64_IS_VECTOR) != 0)
        transfer_v(o, is_load,
                   v_bits(rd(opcode), is_contiguous ? sve_vector_count(opcode, is_load) : 1, 1));
}

/* Vectors after each other, or 8 or 4 apart. */
static void sme_vectors(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_four = bit(opcode, 15), is_strided = bit(opcode, 24);
    const uint32_t count = is_four ? 4 : 2;
    const uint32_t low = rd(opcode) & (is_four ? 3u : 7u);
    const uint32_t first = is_strided ? (rd(opcode) & 16) | low : rd(opcode) & ~(count - 1);
    read_sp(o, rn(opcode));
    if (insn->form == A64_FORM_REGISTER)
        read_x(o, rm(opcode));
    transfer_v(o, (insn->flags & A64_IS_LOAD) != 0,
               v_bits(first, count,
                      !is_strided ? 1
                      : is_four   ? 4
                                  : 8));
}

/* Slices of a tile, and rows of ZA, have their number in W12 to W15; ZT0 has none. */
static void sme_slice(operands o, uint32_t opcode, const a64_insn *insn)
{
    read_sp(o, rn(opcode));
    if (insn->form == A64_FORM_REGISTER)
        read_x(o, rm(opcode));
    if ((insn->flags & A64_IS_SCALED) != 0)
        read_x(o, 12 + field(opcode, 13, 2));
}

static void scalable_memory(operands o, uint32_t opcode, const a64_insn *insn)
{
    if (field(opcode, 25, 4) == 2)
        sve_memory(o, opcode, insn);
    else if (bit(opcode, 30))
        sme_slice(o, opcode, insn);
    else
        sme_vectors(o, opcode, insn);
}

/* ---- SVE: counts and loops ------------------------------------------------------------------- */

/* What steers a loop over vectors has general registers only, beside its predicates. */
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
               matches(opcode, 0xff20f000, 0x0420f000) || /* saturating */
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

/* ---- Integers -------------------------------------------------------------------------------- */

/* ADD, SUB: immediate, shifted, extended, with carry, of pointers. */
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
    } else { /* with the place of the signing: the return address and the stack pointer */
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
    o.writes->flags = o.reads->flags = true; /* each keeps what it does not set */
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
        if ((field(opcode, 21, 3) & 3) != 2) /* all but SMULH, UMULH */
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

/* ---- Floating point and SIMD ----------------------------------------------------------------- */

/* To, from or between the two kinds of registers. */
static bool fp_with_integer(operands o, uint32_t opcode)
{
    const uint32_t op = field(opcode, 16, 3);
    if (bit(opcode, 24) || (bit(opcode, 21) && field(opcode, 10, 6) != 0))
        return false;
    if (op == 2 || op == 3 || op == 7) {
        read_x(o, rn(opcode));
        o.writes->v |= v_bits(rd(opcode), 1, 1);
        if (op == 7 && field(opcode, 19, 2) == 1)
            o.reads->v |= v_bits(rd(opcode), 1, 1); /* FMOV of the upper half */
    } else {
        o.reads->v |= v_bits(rn(opcode), 1, 1);
        write_x(o, rd(opcode));
    }
    return true;
}

static void fp(operands o, uint32_t opcode, const a64_insn *insn)
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
        o.reads->v |= v_bits(rm(opcode), 1, 1); /* not FCMP with 0.0 */
    }
}

/* Whether the destination of three registers is also read. */
static bool accumulates_three(uint32_t opcode)
{
    const uint32_t op = bit(opcode, 10) ? field(opcode, 11, 5) : field(opcode, 12, 4);
    const bool is_u = bit(opcode, 29);
    if (bit(opcode, 10))
        return op == 0x12 || op == 0x0f || op == 0x19 || (op == 0x1d && !is_u) ||
               (op == 0x03 && is_u && field(opcode, 22, 2) != 0);
    return op == 5 || (op >= 8 && op <= 11) || ((op == 4 || op == 6) && bit(opcode, 30));
}

/* Of two: pairwise accumulation, saturating accumulation, the upper half of what gets narrow. */
static bool accumulates_two(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 5), kind = field(opcode, 17, 5);
    if (kind == 0x14)
        return bit(opcode, 28) ? op != 0 : op == 4 || op == 5; /* SHA1H does not; AESE, AESD do */
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

/* Copies between vectors, elements and integer registers. */
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

/* Bit 21 = 0: tables, permutations, copies, halves, and what came later. */
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

/* SHA3, SHA512, SM3, SM4: 0xce. */
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
    /* all of the others but RAX1, SM4EKEY and XAR */
    if (!has_fourth && op != 4 &&
        !(op == 3 && (field(opcode, 10, 6) == 0x23 || field(opcode, 10, 6) == 0x32)))
        o.reads->v |= v_bits(rd(opcode), 1, 1);
}

/* By one element: the smaller it is, the more bits of the register's number go into its index. */
static unsigned element_register_bits(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 4), size = field(opcode, 22, 2);
    const bool is_u = bit(opcode, 29);
    if (is_u && op < 8 && op % 2 != 0) /* FCMLA: pairs */
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

static void simd(operands o, uint32_t opcode)
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

/* ---- All ------------------------------------------------------------------------------------- */

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
    case A64_GROUP_FP: fp(o, opcode, &insn); return true;
    case A64_GROUP_SIMD:
        if (field(opcode, 25, 4) == 2) /* SVE's */
            return false;
        simd(o, opcode);
        return true;
    case A64_GROUP_MEMORY:
        if (insn.class >= A64_LOAD_SVE && insn.class <= A64_STORE_SME)
            scalable_memory(o, opcode, &insn);
        else
            memory(o, opcode, &insn);
        return true;
    case A64_GROUP_SVE: return insn.class == A64_SVE_PREDICATE && sve_count(o, opcode);
    default: return false;
    }
}
