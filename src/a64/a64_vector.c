/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies scalar floating point, SIMD, SVE and SME instructions of A64 (C4.1.90, C4.1.81,
   C4.1.1). */
#include "a64/a64_decode.h"

/* ---- Scalar floating point, by exact encodings ----------------------------------------------- */

/*
 *     31 30 29 28     24 23 22 21 20 19 18  16 15  10 9  5 4  0
 *     sf  0  S  1 1 1 1 0 ptype  1  rmode opcode  0..0   Rn   Rd     to and from integers
 */
static bool is_fp_integer(uint32_t opcode, uint32_t type)
{
    const uint32_t rmode = field(opcode, 19, 2), op = field(opcode, 16, 3);
    const bool is_wide = bit(opcode, 31);
    if (op >= 6) {
        if (rmode == 0) /* FMOV */
            return type == 3 || (type == 0 && !is_wide) || (type == 1 && is_wide);
        if (rmode == 1) /* FMOV of the upper half */
            return type == 2 && is_wide;
        return rmode == 3 && op == 6 && type == 1 && !is_wide; /* FJCVTZS */
    }
    return type != 2 && (op < 2 || rmode == 0);
}

static bool is_fp_fixed(uint32_t opcode, uint32_t type)
{
    const uint32_t op = field(opcode, 16, 5);
    return type != 2 && (bit(opcode, 31) || bit(opcode, 15)) &&
           (op == 2 || op == 3 || op == 24 || op == 25);
}

static code decode_fp_one_source(uint32_t opcode, uint32_t type)
{
    const uint32_t op = field(opcode, 15, 6);
    if (op == 6) /* BFCVT */
        return plain_if(type == 1, A64_FP_CONVERT);
    if (type == 2 || op > 19 || op == 13)
        return A64_UNALLOCATED;
    switch (op) {
    case 0: return A64_FP_MOVE;
    case 1:
    case 2: return A64_FP;
    case 3: return A64_FP_DIVIDE;
    case 4:
    case 5:
    case 7: return plain_if(op - 4 != type, A64_FP_CONVERT);
    case 16:
    case 17:
    case 18:
    case 19: return plain_if(type < 2, A64_FP_CONVERT);
    default: return A64_FP_CONVERT; /* FRINT */
    }
}

static code decode_fp_two_sources(uint32_t opcode)
{
    switch (field(opcode, 12, 4)) {
    case 0:
    case 8: return A64_FP_MULTIPLY;
    case 1: return A64_FP_DIVIDE;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: return A64_FP;
    default: return A64_UNALLOCATED;
    }
}

static code decode_fp(uint32_t opcode)
{
    const uint32_t type = field(opcode, 22, 2);
    if (bit(opcode, 29))
        return A64_UNALLOCATED;
    if (!bit(opcode, 24)) {
        if (!bit(opcode, 21))
            return plain_if(is_fp_fixed(opcode, type), A64_FP_CONVERT);
        if (field(opcode, 10, 6) == 0)
            return plain_if(is_fp_integer(opcode, type),
                            field(opcode, 16, 3) >= 6 && field(opcode, 19, 2) != 3
                                ? A64_FP_MOVE
                                : A64_FP_CONVERT);
    }
    if (bit(opcode, 31))
        return A64_UNALLOCATED;
    if (bit(opcode, 24))
        return plain_if(type != 2, A64_FP_MULTIPLY);
    if (field(opcode, 10, 5) == 16)
        return decode_fp_one_source(opcode, type);
    if (type == 2)
        return A64_UNALLOCATED;
    switch (field(opcode, 10, 2)) {
    case 1: return A64_FP_COMPARE;
    case 2: return decode_fp_two_sources(opcode);
    case 3: return A64_FP_MOVE; /* FCSEL */
    default: break;
    }
    if (field(opcode, 10, 4) == 8)
        return plain_if(matches(opcode, 0xc007, 0), A64_FP_COMPARE);
    return plain_if(field(opcode, 10, 3) == 4 && field(opcode, 5, 5) == 0, A64_FP_MOVE);
}

/* ---- SIMD, by group of encodings ------------------------------------------------------------- */

/* The class of instructions with two registers: miscellaneous (bits 21:17 = 10000 and 11100) and
   across lanes (11000). */
static a64_class two_registers_class(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 5);
    const bool is_high = bit(opcode, 23), is_across = field(opcode, 17, 5) == 0x18;
    if (is_across)
        return op >= 0x0c && op <= 0x0f ? A64_SIMD_FP : A64_SIMD;
    if (op >= 0x0c && op <= 0x0f)
        return is_high ? A64_SIMD_FP : A64_SIMD;
    if (op == 0x1c && is_high && field(opcode, 17, 5) == 0x10)
        return A64_SIMD; /* URECPE, URSQRTE */
    if (op == 0x16 || op == 0x17 || op >= 0x18)
        return A64_SIMD_FP;
    return A64_SIMD;
}

/*
 *     31 30 29 28     24 23 22 21 20 16 15   11 10 9  5 4  0
 *      0  Q  U  0 1 1 1 0 size  1   Rm   opcode  1   Rn   Rd      three of the same shape
 *      0  Q  U  0 1 1 1 0 size  1   Rm   opcode 0 0  Rn   Rd      three of different shapes
 */
static code decode_simd_wide(uint32_t opcode)
{
    if (bit(opcode, 10)) /* FMLAL and FMLSL count as FP */
        return field(opcode, 11, 5) >= 0x18 ? A64_SIMD_FP : A64_SIMD;
    if (!bit(opcode, 11)) /* PMULL of 64 bits */
        return matches(opcode, 0x20c0f000, 0x00c0e000) ? A64_CRYPTO : A64_SIMD;
    switch (field(opcode, 17, 5)) {
    case 0x14: return A64_CRYPTO; /* AES, SHA */
    case 0x10:
    case 0x18:
    case 0x1c: return two_registers_class(opcode);
    default: return A64_UNALLOCATED;
    }
}

/* Decodes copies, permutations and tables; half precision; dot products and complex numbers. */
static code decode_simd_narrow(uint32_t opcode)
{
    const uint32_t op = field(opcode, 11, 4);
    if (!bit(opcode, 10)) {
        if (bit(opcode, 15))
            return A64_UNALLOCATED;
        if (bit(opcode, 28) && bit(opcode, 30)) /* SHA with three registers */
            return A64_CRYPTO;
        return A64_SIMD_MOVE;
    }
    if (!bit(opcode, 15))
        return bit(opcode, 22) || (bit(opcode, 14) && bit(opcode, 23)) ? A64_SIMD_FP
                                                                       : A64_SIMD_MOVE;
    return op >= 8 ? A64_SIMD_FP : A64_SIMD; /* integer dot products have lower numbers */
}

/* Decodes shifts by a constant, moves of a constant, and operations by one element. */
static code decode_simd_constant(uint32_t opcode)
{
    const uint32_t op = field(opcode, 12, 4);
    const bool is_u = bit(opcode, 29);
    if (bit(opcode, 10)) {
        if (bit(opcode, 23))
            return A64_UNALLOCATED;
        if (field(opcode, 19, 4) == 0) /* ORR and BIC with a constant count as logical operations */
            return matches(opcode, 0x1000, 0x1000) && op < 12 ? A64_SIMD : A64_SIMD_MOVE;
        return field(opcode, 11, 5) >= 0x1c ? A64_SIMD_FP : A64_SIMD;
    }
    switch (op) {
    case 0x1: /* FMLA or FCMLA */
    case 0x5:
    case 0x9: return A64_SIMD_FP;
    case 0x3:
    case 0x7: return is_u ? A64_SIMD_FP : A64_SIMD;
    case 0x0: /* FMLAL, or operations of FP8 */
    case 0x4: return is_u ? A64_SIMD : A64_SIMD_FP;
    case 0x8:
    case 0xc: return is_u ? A64_SIMD_FP : A64_SIMD;
    case 0xf: return !is_u && bit(opcode, 22) ? A64_SIMD_FP : A64_SIMD;
    default: return A64_SIMD;
    }
}

code a64_decode_vector(uint32_t opcode)
{
    if (bit(opcode, 28) && !bit(opcode, 30))
        return decode_fp(opcode);
    if (bit(opcode, 31)) /* SHA3, SHA512, SM3, SM4 */
        return plain_if(matches(opcode, 0xff000000, 0xce000000), A64_CRYPTO);
    if (bit(opcode, 24))
        return decode_simd_constant(opcode);
    return bit(opcode, 21) ? decode_simd_wide(opcode) : decode_simd_narrow(opcode);
}

/* ---- SVE, by group of encodings -------------------------------------------------------------- */

/* The class of bits 31:29 = 000 with bit 24 = 0: integer arithmetic. */
static a64_class sve_integer_class(uint32_t opcode)
{
    const uint32_t op = field(opcode, 10, 6);
    if (bit(opcode, 21)) {
        if (op >= 0x30 || (op & 0x3c) == 0x14)
            return A64_SVE_PREDICATE; /* counts of elements, and RDVL, ADDVL, ADDPL */
        if (op == 0x2c || op == 0x2e)
            return A64_SVE_FP;                      /* FTSSEL, FEXPA */
        return op == 0x2f ? A64_SVE_MOVE : A64_SVE; /* MOVPRFX */
    }
    if (matches(opcode, 0x003ee000, 0x001ca000)) /* FABS, FNEG */
        return A64_SVE_FP;
    return matches(opcode, 0x003ee000, 0x00102000) ? A64_SVE_MOVE : A64_SVE;
}

/* The class of bits 31:29 = 000 with bit 24 = 1: logic with a constant, moves, permutations. */
static a64_class sve_permute_class(uint32_t opcode)
{
    if (!bit(opcode, 21))
        return bit(opcode, 20) || field(opcode, 22, 2) == 3 ? A64_SVE_MOVE : A64_SVE;
    return field(opcode, 13, 3) == 2 ? A64_SVE_PREDICATE : A64_SVE_MOVE;
}

/* The class of bits 31:29 = 001: compares, predicates, and (bits 21, 15:14 = 111) constants for
   whole vectors. */
static a64_class sve_predicate_class(uint32_t opcode)
{
    if (!matches(opcode, 0x0120c000, 0x0120c000))
        return A64_SVE_PREDICATE;
    return field(opcode, 19, 2) == 3 ? A64_SVE_MOVE : A64_SVE; /* DUP, FDUP */
}

/* The class of bits 31:29 = 010: instructions that SVE2 added. */
static a64_class sve2_class(uint32_t opcode)
{
    if (!matches(opcode, 0x01200000, 0x01200000))
        return A64_SVE;
    switch (field(opcode, 13, 3)) {
    case 4: return A64_SVE_PREDICATE; /* MATCH, NMATCH */
    case 7: return A64_CRYPTO;
    default: return A64_SVE;
    }
}

code a64_decode_sve(uint32_t opcode)
{
    if (bit(opcode, 31))
        return a64_decode_sve_memory(opcode);
    switch (field(opcode, 29, 2)) {
    case 0: return bit(opcode, 24) ? sve_permute_class(opcode) : sve_integer_class(opcode);
    case 1: return sve_predicate_class(opcode);
    case 2: return sve2_class(opcode);
    default: return A64_SVE_FP;
    }
}

/* ---- SME, by group of encodings -------------------------------------------------------------- */

code a64_decode_sme(uint32_t opcode)
{
    switch (field(opcode, 29, 2)) {
    case 0: return A64_SME_OUTER;
    case 1: return bit(opcode, 23) ? A64_SME_OUTER : a64_decode_sme_memory(opcode);
    case 2: return A64_SME;
    default: return a64_decode_sme_memory(opcode);
    }
}
