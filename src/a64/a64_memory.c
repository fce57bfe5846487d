/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes loads and stores of A64 (C4.1.89), for which bits 27 and 25 are 1 and 0. */
#include "a64/a64_decode.h"

/*
 * The fields of a load or store:
 *
 *     31  30 29  28 27 26 25 24  23 22 21
 *     size    op     1  V  0      opc
 *
 * `size` is usually log2 of the bytes of an access; V: FP and SIMD registers.
 */

/* ---- SIMD structures: LD1 to LD4, ST1 to ST4 ------------------------------------------------- */

static code structure(bool is_load, a64_form form, uint32_t size, uint32_t count)
{
    return access(is_load ? A64_LOAD_STRUCTURE : A64_STORE_STRUCTURE,
                  A64_IS_VECTOR | (is_load ? A64_IS_LOAD : A64_IS_STORE), form, size, count);
}

/*     31 30 29         24 23 22 21 20 16 15   12 11 10 9  5 4  0
 *      0  Q  0 0 1 1 0 0  P  L  0   Rm   opcode   size  Rn   Rt                               */
static code decode_structures(uint32_t opcode)
{
    /* Number of registers by opcode; 0: unallocated. Only LD1 and ST1 take single elements of 64
       bits. */
    static const uint8_t register_counts[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2, 0, 0, 0, 0, 0};
    const uint32_t op = field(opcode, 12, 4), size = field(opcode, 10, 2),
                   count = register_counts[op];
    const bool is_post = bit(opcode, 23), is_wide = bit(opcode, 30);
    if (count == 0 || bit(opcode, 21) || (!is_post && field(opcode, 16, 5) != 0) ||
        (!is_wide && size == 3 && op % 4 == 0))
        return A64_UNALLOCATED;
    return structure(bit(opcode, 22), is_post ? A64_FORM_POST : A64_FORM_OFFSET, size,
                     count * ((is_wide ? 16u : 8u) >> size));
}

/*     31 30 29         24 23 22 21 20 16 15   13 12 11 10 9  5 4  0
 *      0  Q  0 0 1 1 0 1  P  L  R   Rm   opcode  S  size   Rn   Rt                            */
static code decode_single_structure(uint32_t opcode)
{
    const bool is_post = bit(opcode, 23), is_load = bit(opcode, 22), s = bit(opcode, 12);
    const uint32_t count = 1 + (field(opcode, 13, 1) << 1 | field(opcode, 21, 1));
    const uint32_t rm = field(opcode, 16, 5), low = field(opcode, 10, 2);
    const uint32_t scale = field(opcode, 14, 2);
    const a64_form form = is_post ? A64_FORM_POST : A64_FORM_OFFSET;
    if (!is_post && rm == 1 && matches(opcode, 0x0020fc00, 0x00008400)) /* LDAP1, STL1 */
        return access(is_load ? A64_LOAD_ACQUIRE : A64_STORE_RELEASE,
                      A64_IS_VECTOR |
                          (is_load ? A64_IS_LOAD | A64_IS_ACQUIRE : A64_IS_STORE | A64_IS_RELEASE),
                      A64_FORM_OFFSET, 3, 1);
    if ((!is_post && rm != 0) || (scale == 1 && (low & 1) != 0) ||
        (scale == 2 && (low > 1 || (low == 1 && s))) || (scale == 3 && (!is_load || s)))
        return A64_UNALLOCATED;
    if (scale == 3) /* one structure, loaded to all lanes */
        return structure(is_load, form, low, count) | (code)A64_IS_BROADCAST << CODE_FLAGS;
    return structure(is_load, form, scale == 2 && low == 1 ? 3 : scale, count);
}

/* ---- Exclusives, ordered, compare and swap --------------------------------------------------- */

static unsigned order_flags(bool is_acquire, bool is_release)
{
    return (is_acquire ? A64_IS_ACQUIRE : 0u) | (is_release ? A64_IS_RELEASE : 0u);
}

static code decode_exclusive(uint32_t opcode, bool is_pair)
{
    const bool is_load = bit(opcode, 22), is_ordered = bit(opcode, 15);
    const unsigned order = order_flags(is_load && is_ordered, !is_load && is_ordered);
    return access(is_load ? A64_LOAD_EXCLUSIVE : A64_STORE_EXCLUSIVE,
                  A64_IS_EXCLUSIVE | order | (is_load ? A64_IS_LOAD : A64_IS_STORE) |
                      (is_pair ? A64_IS_PAIR : 0u),
                  A64_FORM_OFFSET, field(opcode, 30, 2), is_pair ? 2 : 1);
}

static code compare_swap(uint32_t size, uint32_t count, unsigned order)
{
    return access(A64_COMPARE_SWAP,
                  A64_IS_LOAD | A64_IS_STORE | A64_IS_ATOMIC | order |
                      (count == 2 ? A64_IS_PAIR : 0u),
                  A64_FORM_OFFSET, size, count);
}

/*     31 30 29         24 23 22 21 20 16 15 14 10 9  5 4  0
 *     size   0 0 1 0 0 0  o2 L  o1  Rs   o0  Rt2   Rn   Rt                                    */
static code decode_exclusive_or_ordered(uint32_t opcode)
{
    const bool is_load = bit(opcode, 22), o0 = bit(opcode, 15);
    const uint32_t size = field(opcode, 30, 2), rt2 = field(opcode, 10, 5);
    switch ((uint32_t)bit(opcode, 23) << 1 | (uint32_t)bit(opcode, 21)) {
    case 0: return decode_exclusive(opcode, false);
    case 1:
        if (size >= 2)
            return decode_exclusive(opcode, true);
        if (rt2 != 31 || bit(opcode, 16) || bit(opcode, 0))
            return A64_UNALLOCATED;
        return compare_swap(size + 2, 2, order_flags(is_load, o0));
    case 2: /* with o0 = 0: LDLAR and STLLR, which order within limited regions */
        return is_load ? access(A64_LOAD_ACQUIRE, A64_IS_LOAD | A64_IS_ACQUIRE, A64_FORM_OFFSET,
                                size, 1)
                       : access(A64_STORE_RELEASE, A64_IS_STORE | A64_IS_RELEASE, A64_FORM_OFFSET,
                                size, 1);
    default: return rt2 != 31 ? A64_UNALLOCATED : compare_swap(size, 1, order_flags(is_load, o0));
    }
}

/* ---- Bits 29:28 = 01, bit 24 = 1: tags, copies, newer ones ----------------------------------- */

/*     31             24 23 22 21 20  12 11 10 9  5 4  0
 *      1 1 0 1 1 0 0 1  opc    1  imm9   op2   Rn   Rt      tags alone, or with zeros          */
static code decode_tags(uint32_t opcode)
{
    static const uint8_t forms[4] = {A64_FORM_OFFSET, A64_FORM_POST, A64_FORM_OFFSET, A64_FORM_PRE};
    const uint32_t opc = field(opcode, 22, 2), op2 = field(opcode, 10, 2);
    const bool is_zeroing = (opc & 1) != 0;
    if (op2 != 0) /* STG, STZG, ST2G, STZ2G */
        return access(A64_STORE_TAG, is_zeroing ? A64_IS_STORE : 0u, (a64_form)forms[op2], 4,
                      is_zeroing ? 1 + opc / 2 : 0);
    if (opc == 1)
        return access(A64_LOAD_TAG, 0, A64_FORM_OFFSET, 4, 0); /* LDG */
    if (field(opcode, 12, 9) != 0)
        return A64_UNALLOCATED;
    return access(opc == 3 ? A64_LOAD_TAG : A64_STORE_TAG, /* STZGM, STGM, LDGM */
                  opc == 0 ? A64_IS_STORE | A64_IS_UNSIZED : 0u, A64_FORM_OFFSET, 4, 0);
}

/*     31 30 29   27 26 25 24 23 22 21 20 16 15 12 11 10 9  5 4  0
 *      0  0  0 1 1  o0  0  1  op1   0   Rs   op2   0  1  Rn   Rd                              */
static code decode_copy_or_set(uint32_t opcode)
{
    const uint32_t op1 = field(opcode, 22, 2), op2 = field(opcode, 12, 4);
    const uint32_t rs = field(opcode, 16, 5), rn = field(opcode, 5, 5), rd = field(opcode, 0, 5);
    if (field(opcode, 30, 2) != 0 || rd == 31 || rn == rd || rs == rd || rs == rn)
        return A64_UNALLOCATED;
    if (op1 != 3) {
        if (rs == 31)
            return A64_UNALLOCATED;
        return access(A64_COPY, A64_IS_LOAD | A64_IS_STORE | A64_IS_UNSIZED, A64_FORM_POST, 0, 0);
    }
    if (op2 >= 12)
        return A64_UNALLOCATED;
    return access(A64_SET, A64_IS_STORE | A64_IS_UNSIZED, A64_FORM_POST, 0, 0);
}

/* Decodes RCWCAS and RCWCASP; RCWCLRP, RCWSWPP, RCWSETP; LDCLRP, LDSETP, SWPP. RCW means read,
   check, write. */
static code decode_wide_atomic(uint32_t opcode)
{
    const unsigned order = order_flags(bit(opcode, 23), bit(opcode, 22));
    const uint32_t op = field(opcode, 10, 6), rt = field(opcode, 0, 5), rt2 = field(opcode, 16, 5);
    const bool is_checked = bit(opcode, 30);
    code insn = access(A64_ATOMIC, A64_IS_LOAD | A64_IS_STORE | A64_IS_ATOMIC | A64_IS_PAIR | order,
                       A64_FORM_OFFSET, 3, 2);
    if (bit(opcode, 31))
        return A64_UNALLOCATED;
    switch (op) {
    case 0x02: return compare_swap(3, 1, order);
    case 0x03: return rt % 2 == 0 && rt2 % 2 == 0 ? compare_swap(3, 2, order) : A64_UNALLOCATED;
    case 0x04:
    case 0x0c:
    case 0x20: return is_checked || rt == 31 || rt2 == 31 ? A64_UNALLOCATED : insn;
    case 0x24:
    case 0x28:
    case 0x2c: return rt == 31 || rt2 == 31 ? A64_UNALLOCATED : insn;
    default: return A64_UNALLOCATED;
    }
}

/* Decodes LDAPR and STLR with write-back, LDIAPP and STILP: size = 1x. */
static code decode_ordered_pair(uint32_t opcode)
{
    const bool is_load = bit(opcode, 22);
    const unsigned flags = is_load ? A64_IS_LOAD | A64_IS_ACQUIRE : A64_IS_STORE | A64_IS_RELEASE;
    const a64_class class = is_load ? A64_LOAD_ACQUIRE : A64_STORE_RELEASE;
    const a64_form moving = is_load ? A64_FORM_POST : A64_FORM_PRE;
    const uint32_t size = field(opcode, 30, 2);
    if (size < 2)
        return A64_UNALLOCATED;
    if (bit(opcode, 23))
        return matches(opcode, 0x001ff000, 0) ? access(class, flags, moving, size, 1)
                                              : A64_UNALLOCATED;
    if (field(opcode, 13, 3) != 0)
        return A64_UNALLOCATED;
    return access(class, flags | A64_IS_PAIR, bit(opcode, 12) ? A64_FORM_OFFSET : moving, size, 2);
}

/* Decodes LDAPUR and STLUR: [Xn, #imm9]. */
static code decode_ordered_unscaled(uint32_t opcode, bool is_vector)
{
    uint32_t size = field(opcode, 30, 2);
    const uint32_t opc = field(opcode, 22, 2);
    const bool is_load = is_vector ? (opc & 1) != 0 : opc != 0;
    unsigned flags = is_load ? A64_IS_LOAD | A64_IS_ACQUIRE : A64_IS_STORE | A64_IS_RELEASE;
    if (is_vector) {
        if (opc >= 2 && size != 0)
            return A64_UNALLOCATED;
        size = opc >= 2 ? 4 : size;
        flags |= A64_IS_VECTOR;
    } else if (opc >= 2) {
        if (size == 3 || (size == 2 && opc == 3))
            return A64_UNALLOCATED;
        flags |= A64_IS_SIGNED;
    }
    return access(is_load ? A64_LOAD_ACQUIRE : A64_STORE_RELEASE, flags, A64_FORM_OFFSET, size, 1);
}

static code decode_extension(uint32_t opcode)
{
    const bool is_vector = bit(opcode, 26);
    const uint32_t low = field(opcode, 10, 2), size = field(opcode, 30, 2);
    if (bit(opcode, 21)) {
        if (is_vector)
            return A64_UNALLOCATED;
        return size == 3 ? decode_tags(opcode) : decode_wide_atomic(opcode);
    }
    switch (low) {
    case 0: return is_vector ? A64_UNALLOCATED : decode_ordered_unscaled(opcode, false);
    case 1: return decode_copy_or_set(opcode);
    case 2: return is_vector ? decode_ordered_unscaled(opcode, true) : decode_ordered_pair(opcode);
    default: /* GCSSTR, GCSSTTR */
        return matches(opcode, 0xffffec00, 0xd91f0c00)
                   ? access(A64_STORE, A64_IS_STORE, A64_FORM_OFFSET, 3, 1)
                   : A64_UNALLOCATED;
    }
}

/* ---- Literals and pairs ---------------------------------------------------------------------- */

/*     31 30 29     27 26 25 24 23    5 4  0
 *      opc  0 1 1      V  0  0  imm19   Rt                                                    */
static code decode_literal(uint32_t opcode)
{
    const code offset = (code)1 << CODE_OFFSET;
    const uint32_t opc = field(opcode, 30, 2);
    if (bit(opcode, 26))
        return opc == 3 ? (code)A64_UNALLOCATED
                        : offset | access(A64_LOAD_LITERAL, A64_IS_LOAD | A64_IS_VECTOR,
                                          A64_FORM_LITERAL, opc + 2, 1);
    if (opc == 3)
        return offset | access(A64_PREFETCH, 0, A64_FORM_LITERAL, 0, 0);
    return offset | access(A64_LOAD_LITERAL, A64_IS_LOAD | (opc == 2 ? A64_IS_SIGNED : 0u),
                           A64_FORM_LITERAL, opc == 1 ? 3 : 2, 1);
}

/*     31 30 29   27 26 25 24 23 22 21  15 14 10 9  5 4  0
 *      opc   1 0 1  V  0  mode   L  imm7   Rt2   Rn   Rt                                      */
static code decode_pair(uint32_t opcode)
{
    static const uint8_t forms[4] = {A64_FORM_OFFSET, A64_FORM_POST, A64_FORM_OFFSET, A64_FORM_PRE};
    const uint32_t opc = field(opcode, 30, 2), mode = field(opcode, 23, 2);
    const bool is_load = bit(opcode, 22), is_vector = bit(opcode, 26);
    unsigned flags = A64_IS_PAIR | (is_load ? A64_IS_LOAD : A64_IS_STORE) |
                     (mode == 0 ? A64_IS_STREAMING : 0u) | (is_vector ? A64_IS_VECTOR : 0u);
    uint32_t size = is_vector ? opc + 2 : opc == 2 ? 3 : 2;
    if (opc == 3 || (opc == 1 && mode == 0 && !is_vector))
        return A64_UNALLOCATED;
    if (opc == 1 && !is_vector) {
        if (!is_load) /* STGP */
            return access(A64_STORE_TAG, flags, (a64_form)forms[mode], 3, 2);
        flags |= A64_IS_SIGNED;
    }
    if (is_vector)
        return access(is_load ? A64_LOAD_PAIR_FP : A64_STORE_PAIR_FP, flags, (a64_form)forms[mode],
                      size, 2);
    return access(is_load ? A64_LOAD_PAIR : A64_STORE_PAIR, flags, (a64_form)forms[mode], size, 2);
}

/* ---- Bits 29:28 = 11: one register, and atomics ---------------------------------------------- */

/* Decodes a load or store of one register by size and opc, regardless of the form of its
   address. */
static code decode_register_access(uint32_t opcode, a64_form form)
{
    uint32_t size = field(opcode, 30, 2);
    const uint32_t opc = field(opcode, 22, 2);
    bool is_load = opc != 0;
    if (bit(opcode, 26)) {
        if (opc >= 2 && size != 0)
            return A64_UNALLOCATED;
        is_load = (opc & 1) != 0;
        return access(is_load ? A64_LOAD_FP : A64_STORE_FP,
                      A64_IS_VECTOR | (is_load ? A64_IS_LOAD : A64_IS_STORE), form,
                      opc >= 2 ? 4 : size, 1);
    }
    if (opc >= 2 && size == 3) {
        if (opc == 3)
            return A64_UNALLOCATED;
        return access(A64_PREFETCH, 0, form, 0, 0);
    }
    if (opc == 3 && size == 2)
        return A64_UNALLOCATED;
    return access(is_load ? A64_LOAD : A64_STORE,
                  (is_load ? A64_IS_LOAD : A64_IS_STORE) | (opc >= 2 ? A64_IS_SIGNED : 0u), form,
                  size, 1);
}

/*     31 30 29     27 26 25 24 23 22 21 20 16 15 14 12 11 10 9  5 4  0
 *     size   1 1 1     V  0  0  A  R  1   Rs   o3  opc   0  0  Rn   Rt                        */
static code decode_atomic(uint32_t opcode)
{
    const uint32_t size = field(opcode, 30, 2), rs = field(opcode, 16, 5), rt = field(opcode, 0, 5);
    const unsigned order = order_flags(bit(opcode, 23), bit(opcode, 22));
    const unsigned both = A64_IS_LOAD | A64_IS_STORE | A64_IS_ATOMIC | order;
    /* Allowed registers of LD64B and ST64B. */
    const bool is_block = size == 3 && order == 0 && rt % 2 == 0 && rt < 24;
    if (bit(opcode, 26))
        return A64_UNALLOCATED;
    switch (field(opcode, 12, 4)) {
    case 9: /* RCWCLR and ST64B, RCWSWP and ST64BV0, RCWSET and ST64BV */
    case 10:
    case 11:
        if (size < 2)
            return access(A64_ATOMIC, both, A64_FORM_OFFSET, 3, 1);
        return is_block && (field(opcode, 12, 4) != 9 || rs == 31)
                   ? access(A64_STORE, A64_IS_STORE, A64_FORM_OFFSET, 3, 8)
                   : A64_UNALLOCATED;
    case 12: /* LDAPR */
        return order == A64_IS_ACQUIRE ? access(A64_LOAD_ACQUIRE, A64_IS_LOAD | A64_IS_ACQUIRE,
                                                A64_FORM_OFFSET, size, 1)
                                       : A64_UNALLOCATED;
    case 13: /* LD64B */
        return is_block && rs == 31 ? access(A64_LOAD, A64_IS_LOAD, A64_FORM_OFFSET, 3, 8)
                                    : A64_UNALLOCATED;
    case 14:
    case 15: return A64_UNALLOCATED;
    default: return access(A64_ATOMIC, both, A64_FORM_OFFSET, size, 1);
    }
}

static code decode_register_offset(uint32_t opcode)
{
    const code insn = decode_register_access(opcode, A64_FORM_REGISTER);
    if (!bit(opcode, 14))
        return A64_UNALLOCATED;
    if (code_class(insn) == A64_PREFETCH && field(opcode, 3, 2) == 3)
        /* RPRFM: Xm describes the range, not an offset. */
        return access(A64_PREFETCH, 0, A64_FORM_OFFSET, 0, 0);
    return insn;
}

static code decode_one_register(uint32_t opcode)
{
    static const uint8_t forms[4] = {A64_FORM_OFFSET, A64_FORM_POST, A64_FORM_OFFSET, A64_FORM_PRE};
    const uint32_t low = field(opcode, 10, 2);
    if (bit(opcode, 24))
        return decode_register_access(opcode, A64_FORM_OFFSET);
    if (bit(opcode, 21)) {
        if (low == 0)
            return decode_atomic(opcode);
        if (low == 2)
            return decode_register_offset(opcode);
        if (!matches(opcode, 0xc4000000, 0xc0000000))
            return A64_UNALLOCATED;
        return access(A64_LOAD, A64_IS_LOAD | A64_IS_AUTHENTICATED,
                      low == 3 ? A64_FORM_PRE : A64_FORM_OFFSET, 3, 1); /* LDRAA, LDRAB */
    }
    if ((low == 2 && bit(opcode, 26)) || (low != 0 && matches(opcode, 0xc4800000, 0xc0800000)))
        /* There are no unprivileged vectors, and prefetches have the unscaled form only. */
        return A64_UNALLOCATED;
    return decode_register_access(opcode, (a64_form)forms[low]);
}

code a64_decode_memory(uint32_t opcode)
{
    switch (field(opcode, 28, 2)) {
    case 0:
        if (bit(opcode, 26)) {
            if (bit(opcode, 31))
                return A64_UNALLOCATED;
            return bit(opcode, 24) ? decode_single_structure(opcode) : decode_structures(opcode);
        }
        return bit(opcode, 24) ? A64_UNALLOCATED : decode_exclusive_or_ordered(opcode);
    case 1: return bit(opcode, 24) ? decode_extension(opcode) : decode_literal(opcode);
    case 2: return decode_pair(opcode);
    default: return decode_one_register(opcode);
    }
}
