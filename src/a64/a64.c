/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes branches, system and integer instructions, and passes others to the decoder of their
   group. */
#include <stddef.h>

#include "a64/a64_decode.h"

static const uint8_t groups[A64_CLASS_COUNT] = {
#define A64_CLASS(id, group, text) A64_GROUP_##group,
#include "a64/a64.def"
#undef A64_CLASS
};

static const char *const class_texts[A64_CLASS_COUNT] = {
#define A64_CLASS(id, group, text) text,
#include "a64/a64.def"
#undef A64_CLASS
};

const char *a64_class_text(unsigned class)
{
    return class < A64_CLASS_COUNT ? class_texts[class] : "";
}

const char *a64_group_text(unsigned group)
{
    static const char *const texts[A64_GROUP_COUNT] = {
        "none", "branch", "exception", "system", "memory", "integer", "fp", "simd", "sve", "sme"};
    return group < A64_GROUP_COUNT ? texts[group] : "";
}

a64_group a64_class_group(unsigned class)
{
    return class < A64_CLASS_COUNT ? (a64_group)groups[class] : A64_GROUP_NONE;
}

/* ---- Data processing, immediate (C4.1.86) ---------------------------------------------------- */

/*
 *     31 30  29 28      24 23 22 21   16 15  10 9  5 4  0
 *     sf opc     1 0 0 1 0  0 N   immr    imms   Rn   Rd       logical
 *
 * N:imms gives the size of an element, and how many of its bits are ones: not all of them.
 */
static bool is_bit_mask(uint32_t opcode)
{
    const uint32_t imms = field(opcode, 10, 6);
    uint32_t size = bit(opcode, 22) ? 64 : 32;
    if (bit(opcode, 22) && !bit(opcode, 31))
        return false;
    if (!bit(opcode, 22)) {
        while (size > 1 && (imms & size) != 0)
            size >>= 1;
    }
    return size > 1 && (imms & (size - 1)) != size - 1;
}

/* Decodes ADDG and SUBG, or SMAX, UMAX, SMIN and UMIN with a constant. */
static code decode_tag_or_minmax(uint32_t opcode)
{
    if (bit(opcode, 22))
        return plain_if(matches(opcode, 0x60300000, 0), A64_MINMAX);
    return plain_if(matches(opcode, 0xa000c000, 0x80000000), A64_TAG);
}

static code decode_extract(uint32_t opcode)
{
    const bool is_wide = bit(opcode, 31);
    if (matches(opcode, 0xffc0001f, 0xf380001f)) /* AUTIASPPC, AUTIBSPPC */
        return A64_AUTHENTICATE;
    return plain_if(matches(opcode, 0x60200000, 0) && bit(opcode, 22) == is_wide &&
                        (is_wide || !bit(opcode, 15)),
                    A64_BITFIELD);
}

static code decode_immediate(uint32_t opcode)
{
    const bool is_wide = bit(opcode, 31);
    const uint32_t opc = field(opcode, 29, 2);
    switch (field(opcode, 23, 3)) {
    case 0:
    case 1: return relative(bit(opcode, 31) ? A64_ADDRESS_PAGE : A64_ADDRESS);
    case 2: return A64_ADD;
    case 3: return decode_tag_or_minmax(opcode);
    case 4: return plain_if(is_bit_mask(opcode), A64_LOGICAL);
    case 5: return plain_if(opc != 1 && (is_wide || !bit(opcode, 22)), A64_MOVE);
    case 6:
        return plain_if(opc != 3 && bit(opcode, 22) == is_wide &&
                            (is_wide || matches(opcode, 0x00208000, 0)),
                        A64_BITFIELD);
    default: return decode_extract(opcode);
    }
}

/* ---- Branches, exceptions, system (C4.1.87) -------------------------------------------------- */

static code decode_exception(uint32_t opcode)
{
    const uint32_t low = field(opcode, 0, 5);
    switch (field(opcode, 21, 3)) {
    case 0: return plain_if(low >= 1 && low <= 3, (a64_class)(A64_SUPERVISOR_CALL + (int)low - 1));
    case 1:
    case 2: return plain_if(low == 0, A64_BREAKPOINT);
    case 3: return plain_if(low == 0, A64_SYSTEM_OTHER); /* TCANCEL */
    case 5: return plain_if(low >= 1 && low <= 3, A64_BREAKPOINT);
    default: return A64_UNALLOCATED;
    }
}

/* Decodes a hint. PACIASP and its like are hints, so that older processors skip them. */
static code decode_hint(uint32_t opcode)
{
    const uint32_t number = field(opcode, 5, 7);
    const bool is_pauth = number == 7 || (number >= 8 && number < 16 && number % 2 == 0) ||
                          (number >= 24 && number < 32) || number == 39;
    return is_pauth ? A64_AUTHENTICATE : A64_HINT;
}

/*
 *     31                22 21 20 19 18 16 15 12 11  8 7  5 4  0
 *      1 1 0 1 0 1 0 1 0 0  L  op0   op1   CRn   CRm   op2   Rt
 */
static code decode_system_operation(uint32_t opcode)
{
    const uint32_t crn = field(opcode, 12, 4), crm = field(opcode, 8, 4);
    if (bit(opcode, 21))
        return A64_SYSTEM_OTHER;
    if (matches(opcode, 0xffffff00, 0xd50b7400) && (bit(opcode, 5) ^ bit(opcode, 7)) &&
        !bit(opcode, 6))
        return access(A64_ZERO_BLOCK, A64_IS_STORE | A64_IS_UNSIZED, A64_FORM_OFFSET, 0, 0);
    if (crn == 8 || crn == 9)
        return A64_TLB;
    if (crn != 7)
        return A64_SYSTEM_OTHER;
    switch (crm) {
    case 8:
    case 9: return A64_TRANSLATE;
    case 0:
    case 2:
    case 3:
    case 7: return A64_SYSTEM_OTHER; /* branch prediction and records, guarded control stacks */
    default: return A64_CACHE;
    }
}

/* Decodes instructions with op0 = 0 that use no register: barriers. */
static code decode_barrier(uint32_t opcode)
{
    const uint32_t crm = field(opcode, 8, 4);
    if (!matches(opcode, 0xfffff01f, 0xd503301f))
        return A64_UNALLOCATED;
    switch (field(opcode, 5, 3)) {
    case 0: return A64_UNALLOCATED;
    case 1: return plain_if((crm & 3) == 2, A64_BARRIER); /* DSB nXS */
    case 3: return plain_if(crm == 0, A64_SYSTEM_OTHER);  /* TCOMMIT */
    case 7: return plain_if(crm == 0, A64_BARRIER);       /* SB */
    default: return A64_BARRIER;
    }
}

static code decode_state(uint32_t opcode)
{
    const uint32_t crn = field(opcode, 12, 4), op1 = field(opcode, 16, 3);
    const uint32_t op2 = field(opcode, 5, 3);
    if (field(opcode, 19, 3) != 0)
        return matches(opcode, 0xfffffee0, 0xd5233060) ? A64_SYSTEM_OTHER /* TSTART, TTEST */
                                                       : A64_UNALLOCATED;
    if (crn == 1 && op1 == 3) /* WFET, WFIT */
        return plain_if(field(opcode, 8, 4) == 0 && op2 < 2, A64_HINT);
    if (crn == 2 && op1 == 3 && field(opcode, 0, 5) == 31)
        return decode_hint(opcode);
    if (crn == 4 && field(opcode, 0, 5) == 31)
        return op1 != 0 || op2 > 2 ? A64_STATE_WRITE
                                   : plain_if(field(opcode, 8, 4) == 0, A64_FLAGS);
    return decode_barrier(opcode);
}

static code decode_system(uint32_t opcode)
{
    const uint32_t rt = field(opcode, 0, 5);
    const bool is_even = rt % 2 == 0;
    switch (field(opcode, 19, 5)) { /* bits 23:22: pairs of registers; bit 21: L; bits 20:19: op0 */
    case 0x00:
    case 0x04: return decode_state(opcode);
    case 0x01:
    case 0x05: return decode_system_operation(opcode);
    case 0x02:
    case 0x03: return A64_REGISTER_WRITE;
    case 0x06:
    case 0x07: return A64_REGISTER_READ;
    case 0x09: /* SYSP, TLBIP */
        return plain_if(is_even || rt == 31,
                        field(opcode, 13, 3) == 4 ? A64_TLB : A64_SYSTEM_OTHER);
    case 0x0a:
    case 0x0b: return plain_if(is_even, A64_REGISTER_WRITE); /* MSRR */
    case 0x0e:
    case 0x0f: return plain_if(is_even, A64_REGISTER_READ); /* MRRS */
    default: return A64_UNALLOCATED;
    }
}

/*
 * Decodes branches to registers:
 *
 *     31           25 24 21 20 16 15   10 9  5 4  0
 *      1 1 0 1 0 1 1   opc  1..1   op3    Rn   op4
 *
 * op3 = 2 and 3 authenticate; op4 is then the modifier, 31 where the opcode implies it.
 */
static code decode_branch_register(uint32_t opcode)
{
    static const uint8_t classes[16] = {
        A64_BRANCH_INDIRECT,  A64_CALL_INDIRECT,    A64_RETURN,      A64_UNALLOCATED,
        A64_EXCEPTION_RETURN, A64_EXCEPTION_RETURN, A64_UNALLOCATED, A64_UNALLOCATED,
        A64_BRANCH_INDIRECT,  A64_CALL_INDIRECT,    A64_UNALLOCATED, A64_UNALLOCATED,
        A64_UNALLOCATED,      A64_UNALLOCATED,      A64_UNALLOCATED, A64_UNALLOCATED};
    const uint32_t opc = field(opcode, 21, 4), op3 = field(opcode, 10, 6);
    const uint32_t rn = field(opcode, 5, 5), op4 = field(opcode, 0, 5);
    const code class = classes[opc];
    if (field(opcode, 16, 5) != 31)
        return A64_UNALLOCATED;
    if (op3 == 0)
        return plain_if(opc < 8 && op4 == 0 && (opc < 4 || rn == 31), (a64_class) class);
    if (op3 >> 1 == 1 && opc != 5 &&
        (opc >= 8 || (opc == 2 && rn == 31) || (op4 == 31 && (opc < 2 || rn == 31))))
        return class | (code)A64_IS_AUTHENTICATED << CODE_FLAGS;
    return A64_UNALLOCATED;
}

static code decode_branch(uint32_t opcode)
{
    switch (field(opcode, 24, 8)) {
    case 0x34:
    case 0x35:
    case 0xb4:
    case 0xb5: return relative(A64_BRANCH_COMPARE);
    case 0x36:
    case 0x37:
    case 0xb6:
    case 0xb7: return relative(A64_BRANCH_TEST);
    case 0x54: return relative(A64_BRANCH_CONDITION);
    case 0x55: /* RETAASPPC, RETABSPPC: the label is where the return address was signed */
        if (!matches(opcode, 0xffc0001f, 0x5500001f))
            return A64_UNALLOCATED;
        return access(A64_RETURN, A64_IS_AUTHENTICATED, A64_FORM_NONE, 0, 0);
    case 0xd4: return decode_exception(opcode);
    case 0xd5: return decode_system(opcode);
    case 0xd6:
    case 0xd7: return decode_branch_register(opcode);
    default:
        if (matches(opcode, 0x7c000000, 0x14000000))
            return relative(bit(opcode, 31) ? A64_CALL : A64_BRANCH);
        return A64_UNALLOCATED;
    }
}

/* ---- Data processing, register (C4.1.88) ----------------------------------------------------- */

static code decode_logical_or_add(uint32_t opcode)
{
    const bool is_add = bit(opcode, 24), is_amount_right = bit(opcode, 31) || !bit(opcode, 15);
    if (!is_add)
        return plain_if(is_amount_right, A64_LOGICAL);
    if (bit(opcode, 21)) /* ADD, SUB with an extended register */
        return plain_if(field(opcode, 22, 2) == 0 && field(opcode, 10, 3) <= 4, A64_ADD);
    return plain_if(field(opcode, 22, 2) != 3 && is_amount_right, A64_ADD);
}

static code decode_carry_or_flags(uint32_t opcode)
{
    if (matches(opcode, 0xfc00, 0))
        return A64_ADD;                          /* ADC, SBC */
    if (matches(opcode, 0xa000e000, 0x80002000)) /* ADDPT, SUBPT */
        return A64_ADD;
    return plain_if(matches(opcode, 0xe0007c10, 0xa0000400) ||   /* RMIF */
                        matches(opcode, 0xffffbc1f, 0x3a00080d), /* SETF8, SETF16 */
                    A64_FLAGS);
}

static code decode_two_sources(uint32_t opcode)
{
    const bool is_wide = bit(opcode, 31);
    const uint32_t op = field(opcode, 10, 6);
    if (bit(opcode, 29))
        return plain_if(is_wide && op == 0, A64_TAG); /* SUBPS */
    switch (op) {
    case 0x00: /* SUBP */
    case 0x04: /* IRG */
    case 0x05: return plain_if(is_wide, A64_TAG);
    case 0x02:
    case 0x03: return A64_DIVIDE;
    case 0x08:
    case 0x09:
    case 0x0a:
    case 0x0b: return A64_SHIFT;
    case 0x0c: return plain_if(is_wide, A64_AUTHENTICATE); /* PACGA */
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x14:
    case 0x15:
    case 0x16: return plain_if(!is_wide, A64_CHECKSUM);
    case 0x13:
    case 0x17: return plain_if(is_wide, A64_CHECKSUM);
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1b: return A64_MINMAX;
    default: return A64_UNALLOCATED;
    }
}

/* Whether an opcode with op2 = 00001 is an instruction of pointer authentication. */
static bool is_authentication(uint32_t opcode)
{
    const uint32_t op = field(opcode, 10, 6), rn = field(opcode, 5, 5), rd = field(opcode, 0, 5);
    if (op < 8)
        return true;
    if (op < 18) /* with a modifier of zero, and XPACI, XPACD */
        return rn == 31;
    if (op == 0x24 || op == 0x25) /* AUTIASPPC, AUTIBSPPC with a register */
        return rd == 30;
    return (op == 0x20 || op == 0x21 || op == 0x22 || op == 0x23 || op == 0x28 || op == 0x29 ||
            op == 0x2c || op == 0x2d || op == 0x2e || op == 0x2f) &&
           rn == 31 && rd == 30;
}

static code decode_one_source(uint32_t opcode)
{
    const bool is_wide = bit(opcode, 31);
    const uint32_t op = field(opcode, 10, 6);
    if (bit(opcode, 29))
        return A64_UNALLOCATED;
    if (field(opcode, 16, 5) == 1)
        return plain_if(is_wide && is_authentication(opcode), A64_AUTHENTICATE);
    return plain_if(field(opcode, 16, 5) == 0 && op <= 8 && (is_wide || op != 3), A64_BITS);
}

static code decode_three_sources(uint32_t opcode)
{
    const bool is_wide = bit(opcode, 31);
    if (field(opcode, 29, 2) != 0)
        return A64_UNALLOCATED;
    switch (field(opcode, 21, 3)) {
    case 0: return A64_MULTIPLY;
    case 1:
    case 3: /* MADDPT, MSUBPT */
    case 5: return plain_if(is_wide, A64_MULTIPLY);
    case 2:
    case 6: return plain_if(is_wide && !bit(opcode, 15), A64_MULTIPLY);
    default: return A64_UNALLOCATED;
    }
}

static code decode_register(uint32_t opcode)
{
    if (!bit(opcode, 28))
        return decode_logical_or_add(opcode);
    switch (field(opcode, 21, 4)) {
    case 0: return decode_carry_or_flags(opcode);
    case 2: return plain_if(matches(opcode, 0x20000410, 0x20000000), A64_COMPARE);
    case 4: return plain_if(matches(opcode, 0x20000800, 0), A64_SELECT);
    case 6: return bit(opcode, 30) ? decode_one_source(opcode) : decode_two_sources(opcode);
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15: return decode_three_sources(opcode);
    default: return A64_UNALLOCATED;
    }
}

/* ---- All instructions (C4.1) ----------------------------------------------------------------- */

static inline code decode(uint32_t opcode)
{
    switch (field(opcode, 25, 4)) {
    case 0x0:
        if (bit(opcode, 31))
            return a64_decode_sme(opcode);
        return plain_if(opcode >> 16 == 0, A64_UNDEFINED);
    case 0x2: return a64_decode_sve(opcode);
    case 0x8:
    case 0x9: return decode_immediate(opcode);
    case 0xa:
    case 0xb: return decode_branch(opcode);
    case 0x4:
    case 0x6:
    case 0xc:
    case 0xe: return a64_decode_memory(opcode);
    case 0x5:
    case 0xd: return decode_register(opcode);
    case 0x7:
    case 0xf: return a64_decode_vector(opcode);
    default: return A64_UNALLOCATED;
    }
}

/* The offset of an instruction that has one. ADR and ADRP have its two low bits in other bits of
   the opcode. */
static int32_t decode_offset(uint32_t opcode, a64_class class)
{
    switch (class) {
    case A64_BRANCH:
    case A64_CALL: return 4 * signed_field(opcode, 0, 26);
    case A64_BRANCH_TEST: return 4 * signed_field(opcode, 5, 14);
    case A64_ADDRESS:
    case A64_ADDRESS_PAGE: return 4 * signed_field(opcode, 5, 19) + (int32_t)field(opcode, 29, 2);
    default: return 4 * signed_field(opcode, 5, 19);
    }
}

a64_code a64_decode(uint32_t opcode)
{
    const code found = decode(opcode);
    const a64_class class = code_class(found);
    return (a64_code){.bits = found | (code)groups[class] << CODE_GROUP,
                      .offset = found >> CODE_OFFSET != 0 ? decode_offset(opcode, class) : 0};
}

void a64_cache_init(a64_cache *cache)
{
    for (size_t i = 0; i < sizeof cache->entries / sizeof cache->entries[0]; i++)
        cache->entries[i] = (struct a64_cache_entry){0, a64_classify(0)};
}
