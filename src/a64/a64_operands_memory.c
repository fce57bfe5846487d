/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the registers that loads and stores read and write: plain, atomic, SVE and SME. */
#include "a64/a64_decode.h"
#include "a64/a64_operands.h"

static void exclusive(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_load = insn->class == A64_LOAD_EXCLUSIVE;
    transfer_x(o, is_load, rd(opcode));
    if ((insn->flags & A64_IS_PAIR) != 0)
        transfer_x(o, is_load, ra(opcode));
    if (!is_load)
        write_x(o, rm(opcode)); /* the status: whether the store was done */
}

static void compare_and_swap(operands o, uint32_t opcode, const a64_insn *insn)
{
    const uint32_t count = (insn->flags & A64_IS_PAIR) != 0 ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        read_x(o, rd(opcode) + i);
        read_x(o, rm(opcode) + i);
        write_x(o, rm(opcode) + i);
    }
    /* Checked forms set the flags. */
    o.writes->flags |= matches(opcode, 0x3f000000, 0x19000000);
}

/* Whether an atomic access is a read-check-write one, which sets the flags by whether it was
   done. */
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

/* Adds the registers of LD1 to LD4, ST1 to ST4: several vectors, and a register that the base is
   advanced by. */
static void structure(operands o, uint32_t opcode, bool is_load)
{
    static const uint8_t whole[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
    const bool is_single = bit(opcode, 24);
    const uint32_t count = is_single ? 1 + (field(opcode, 13, 1) << 1 | field(opcode, 21, 1))
                                     : whole[field(opcode, 12, 4)];
    const uint32_t bits = v_bits(rd(opcode), count, 1);
    transfer_v(o, is_load, bits);
    if (is_load && is_single && field(opcode, 14, 2) != 3)
        o.reads->v |= bits; /* the other lanes keep their values */
    if (bit(opcode, 23))
        read_x(o, rm(opcode));
}

/* Adds the registers of memory copies and sets; their first instruction (P) sets the flags to the
   direction of the copy. */
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
            read_x(o, rd(opcode)); /* LDG keeps the other bits of the register */
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

/* Adds the registers of loads and stores of one or two general or vector registers. */
static void plain_access(operands o, uint32_t opcode, const a64_insn *insn)
{
    const bool is_load = (insn->flags & A64_IS_LOAD) != 0;
    const bool is_pair = (insn->flags & A64_IS_PAIR) != 0;
    /* LDIAPP and STILP have the number of the second register in other bits. */
    const uint32_t second = field(opcode, 27, 3) == 5 ? ra(opcode) : rm(opcode);
    if (insn->size == 64) {
        sixty_four_bytes(o, opcode, is_load);
    } else if ((insn->flags & A64_IS_VECTOR) != 0) {
        transfer_v(o, is_load, v_bits(rd(opcode), 1, 1));
        if (is_pair)
            transfer_v(o, is_load, v_bits(second, 1, 1));
        if (insn->class == A64_LOAD_ACQUIRE && field(opcode, 24, 6) == 0x0d)
            o.reads->v |= v_bits(rd(opcode), 1, 1); /* LDAP1: the other lane keeps its value */
    } else {
        transfer_x(o, is_load, rd(opcode));
        if (is_pair)
            transfer_x(o, is_load, second);
    }
}

void a64_memory_operands(operands o, uint32_t opcode, const a64_insn *insn)
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

/* Adds the registers of an SVE address with a vector: [Zn.D, Xm], [Zn.D, #imm] or [Xn, Zm.D]. The
   bits that distinguish these differ between loads and prefetches (bits 31:29 = 1x0) and stores. */
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

/* Adds two or four vectors of SME's multi-vector accesses: consecutive, or 8 or 4 apart. */
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

/* Adds the registers of accesses to ZA: slices of a tile and rows have their number in W12 to W15.
   ZT0 has none. */
static void sme_slice(operands o, uint32_t opcode, const a64_insn *insn)
{
    read_sp(o, rn(opcode));
    if (insn->form == A64_FORM_REGISTER)
        read_x(o, rm(opcode));
    if ((insn->flags & A64_IS_SCALED) != 0)
        read_x(o, 12 + field(opcode, 13, 2));
}

void a64_scalable_operands(operands o, uint32_t opcode, const a64_insn *insn)
{
    if (field(opcode, 25, 4) == 2)
        sve_memory(o, opcode, insn);
    else if (bit(opcode, 30))
        sme_slice(o, opcode, insn);
    else
        sme_vectors(o, opcode, insn);
}
