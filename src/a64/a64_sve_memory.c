/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes loads, stores and prefetches of SVE (C4.1.81 on: bits 31:29 from 100) and SME. */
#include "a64/a64_decode.h"

#define Q_SIZE_LOG2 4u /* log2 of the bytes of a 128-bit element */

/* The code of an access to whole vectors, whose elements have 2^memory bytes in memory and
   2^element in a register. */
static code vectors(a64_class class, unsigned flags, a64_form form, uint32_t memory,
                    uint32_t element, uint32_t register_count)
{
    return access_sized(class, flags | A64_IS_VECTOR | A64_IS_SCALED, form, memory,
                        register_count * 16u >> (element - memory));
}

static code prefetch(bool is_allocated, a64_form form)
{
    return is_allocated ? access(A64_PREFETCH_SVE, A64_IS_PREDICATED, form, 0, 0) : A64_UNALLOCATED;
}

/* Decodes LDR and STR of a vector, or of a predicate, which is an eighth as long. */
static code whole_register(uint32_t opcode, bool is_load)
{
    const unsigned flags = A64_IS_SCALED | (is_load ? A64_IS_LOAD : A64_IS_STORE);
    const a64_class class = is_load ? A64_LOAD_SVE : A64_STORE_SVE;
    if (bit(opcode, 13))
        return A64_UNALLOCATED;
    if (bit(opcode, 14))
        return access(class, flags | A64_IS_VECTOR, A64_FORM_OFFSET, 0, 16);
    return bit(opcode, 4) ? (code)A64_UNALLOCATED : access(class, flags, A64_FORM_OFFSET, 0, 2);
}

/* Dtype of contiguous and broadcasting loads: log2 of an element's bytes in memory and in the
   register, and whether it is sign-extended. */
static const struct dtype {
    uint8_t memory, element;
    bool is_signed;
} dtypes[16] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {2, 3, 1}, {1, 1, 0},
                {1, 2, 0}, {1, 3, 0}, {1, 3, 1}, {1, 2, 1}, {2, 2, 0}, {2, 3, 0},
                {0, 3, 1}, {0, 2, 1}, {0, 1, 1}, {3, 3, 0}};

/* ---- Bits 31:29 = 100 and 110: gathers ------------------------------------------------------- */

static code gather(uint32_t opcode, uint32_t memory, uint32_t element, a64_form form)
{
    const bool is_unsigned = bit(opcode, 14);
    if (memory > element || (!is_unsigned && memory == element))
        return A64_UNALLOCATED;
    return vectors(A64_GATHER,
                   A64_IS_LOAD | A64_IS_PREDICATED | (is_unsigned ? 0u : A64_IS_SIGNED) |
                       (bit(opcode, 13) ? A64_IS_FAULTING : 0u),
                   form, memory, element, 1);
}

/* Decodes 32-bit gathers with bit 15 set: a vector of addresses, or LD1R. */
static code decode_gather_32_high(uint32_t opcode)
{
    const uint32_t memory = field(opcode, 23, 2), op = field(opcode, 13, 2);
    const struct dtype *type = &dtypes[field(opcode, 23, 2) << 2 | op];
    switch (field(opcode, 21, 2)) {
    case 0:
        if (op == 2) /* prefetch with a scalar base and a scalar offset */
            return prefetch(!bit(opcode, 4) && field(opcode, 16, 5) != 31, A64_FORM_REGISTER);
        if (op == 3)
            return prefetch(!bit(opcode, 4), A64_FORM_VECTOR);
        if (memory == 3 || (op == 0 && memory == 2))
            return A64_UNALLOCATED;
        return vectors(A64_GATHER,
                       A64_IS_LOAD | A64_IS_PREDICATED | A64_IS_STREAMING |
                           (op == 0 ? A64_IS_SIGNED : 0u),
                       A64_FORM_VECTOR, memory, 2, 1);
    case 1: return gather(opcode, memory, 2, A64_FORM_VECTOR);
    default:
        return access(A64_LOAD_SVE,
                      A64_IS_LOAD | A64_IS_VECTOR | A64_IS_PREDICATED | A64_IS_BROADCAST |
                          (type->is_signed ? A64_IS_SIGNED : 0u),
                      A64_FORM_OFFSET, type->memory, 1);
    }
}

/*     31        25 24 23 22 21 20 16 15 14 13 12 10 9  5 4  0
 *      1 0 0 0 0 1 0  opc xs  s   Zm   0  U  ff  Pg   Rn   Zt     [Xn, Zm.S]                  */
static code decode_gather_32(uint32_t opcode)
{
    const uint32_t memory = field(opcode, 23, 2);
    const bool is_scaled = bit(opcode, 21);
    if (bit(opcode, 15))
        return decode_gather_32_high(opcode);
    if (memory == 3) {
        if (!bit(opcode, 22))
            return whole_register(opcode, true);
        return prefetch(!bit(opcode, 4), A64_FORM_OFFSET);
    }
    if (memory == 0 && is_scaled)
        return prefetch(!bit(opcode, 4), A64_FORM_VECTOR);
    return gather(opcode, memory, 2, A64_FORM_VECTOR);
}

static code decode_gather_64_high(uint32_t opcode)
{
    const uint32_t memory = field(opcode, 23, 2), op = field(opcode, 13, 2);
    switch (field(opcode, 21, 2)) {
    case 0:
        if (op == 3)
            return prefetch(!bit(opcode, 4), A64_FORM_VECTOR);
        if (op == 1) /* LD1Q */
            return memory == 0 ? vectors(A64_GATHER, A64_IS_LOAD | A64_IS_PREDICATED,
                                         A64_FORM_VECTOR, Q_SIZE_LOG2, Q_SIZE_LOG2, 1)
                               : A64_UNALLOCATED;
        if (op == 0 && memory == 3)
            return A64_UNALLOCATED;
        return vectors(A64_GATHER,
                       A64_IS_LOAD | A64_IS_PREDICATED | A64_IS_STREAMING |
                           (op == 0 ? A64_IS_SIGNED : 0u),
                       A64_FORM_VECTOR, memory, 3, 1);
    case 3:
        if (memory == 0)
            return prefetch(!bit(opcode, 4), A64_FORM_VECTOR);
        break;
    default: break;
    }
    return gather(opcode, memory, 3, A64_FORM_VECTOR);
}

static code decode_gather_64(uint32_t opcode)
{
    const uint32_t memory = field(opcode, 23, 2);
    if (bit(opcode, 15))
        return decode_gather_64_high(opcode);
    if (memory == 0 && bit(opcode, 21))
        return prefetch(!bit(opcode, 4), A64_FORM_VECTOR);
    return gather(opcode, memory, 3, A64_FORM_VECTOR);
}

/* ---- Bits 31:29 = 101: contiguous loads ------------------------------------------------------ */

static code contiguous(uint32_t opcode, a64_form form, unsigned flags)
{
    const struct dtype *type = &dtypes[field(opcode, 21, 4)];
    return vectors(A64_LOAD_SVE,
                   A64_IS_LOAD | A64_IS_PREDICATED | flags | (type->is_signed ? A64_IS_SIGNED : 0u),
                   form, type->memory, type->element, 1);
}

/* Decodes LD1RQ and LD1RO, which load 16 or 32 bytes and repeat them in the whole vector. */
static code decode_replicate(uint32_t opcode, a64_form form)
{
    const uint32_t size = field(opcode, 23, 2), op = field(opcode, 21, 2);
    if (op > 1 || (form == A64_FORM_REGISTER && field(opcode, 16, 5) == 31))
        return A64_UNALLOCATED;
    return access(A64_LOAD_SVE, A64_IS_LOAD | A64_IS_VECTOR | A64_IS_PREDICATED | A64_IS_BROADCAST,
                  form, size, (op == 0 ? 16u : 32u) >> size);
}

/* Decodes LDNT1 and LD2 to LD4. */
static code decode_several(uint32_t opcode, a64_form form)
{
    const uint32_t size = field(opcode, 23, 2), more = field(opcode, 21, 2);
    if (form == A64_FORM_REGISTER && field(opcode, 16, 5) == 31)
        return A64_UNALLOCATED;
    return vectors(A64_LOAD_SVE,
                   A64_IS_LOAD | A64_IS_PREDICATED | (more == 0 ? A64_IS_STREAMING : 0u), form,
                   size, size, 1 + more);
}

/* Decodes loads of 128-bit elements: LD1W and LD1D (zero-extending), LD2Q to LD4Q. */
static code decode_quads(uint32_t opcode, bool is_several, a64_form form)
{
    const uint32_t op = field(opcode, 21, 4), count = field(opcode, 23, 2) + 1;
    if (form == A64_FORM_REGISTER && field(opcode, 16, 5) == 31)
        return A64_UNALLOCATED;
    if (!is_several)
        return vectors(A64_LOAD_SVE, A64_IS_LOAD | A64_IS_PREDICATED, form, op == 8 ? 2 : 3,
                       Q_SIZE_LOG2, 1);
    return vectors(A64_LOAD_SVE, A64_IS_LOAD | A64_IS_PREDICATED, form, Q_SIZE_LOG2, Q_SIZE_LOG2,
                   count);
}

static code decode_contiguous(uint32_t opcode)
{
    const uint32_t op = field(opcode, 21, 4);
    const bool high = bit(opcode, 20);
    switch (field(opcode, 13, 3)) {
    case 0: return decode_replicate(opcode, A64_FORM_REGISTER);
    case 1:
        if (high)
            return op == 8 || op == 12 ? decode_quads(opcode, false, A64_FORM_OFFSET)
                                       : A64_UNALLOCATED;
        return decode_replicate(opcode, A64_FORM_OFFSET);
    case 2:
        return field(opcode, 16, 5) == 31 ? A64_UNALLOCATED
                                          : contiguous(opcode, A64_FORM_REGISTER, 0);
    case 3:
        return contiguous(opcode, field(opcode, 16, 5) == 31 ? A64_FORM_OFFSET : A64_FORM_REGISTER,
                          A64_IS_FAULTING);
    case 4:
        if (op == 8 || op == 12)
            return decode_quads(opcode, false, A64_FORM_REGISTER);
        return op % 4 == 1 && op != 1 ? decode_quads(opcode, true, A64_FORM_REGISTER)
                                      : A64_UNALLOCATED;
    case 5: return contiguous(opcode, A64_FORM_OFFSET, high ? A64_IS_FAULTING : 0u);
    case 6: return decode_several(opcode, A64_FORM_REGISTER);
    default:
        if (high)
            return op % 4 == 0 && op != 0 ? decode_quads(opcode, true, A64_FORM_OFFSET)
                                          : A64_UNALLOCATED;
        return decode_several(opcode, A64_FORM_OFFSET);
    }
}

/* ---- Bits 31:29 = 111: stores ---------------------------------------------------------------- */

static code scatter(uint32_t memory, uint32_t element, unsigned flags)
{
    if (memory > element)
        return A64_UNALLOCATED;
    return vectors(A64_SCATTER, A64_IS_STORE | A64_IS_PREDICATED | flags, A64_FORM_VECTOR, memory,
                   element, 1);
}

static code store_contiguous(uint32_t opcode, a64_form form)
{
    const uint32_t memory = field(opcode, 23, 2), element = field(opcode, 21, 2);
    if (form == A64_FORM_REGISTER && field(opcode, 16, 5) == 31)
        return A64_UNALLOCATED;
    if (element >= memory)
        return vectors(A64_STORE_SVE, A64_IS_STORE | A64_IS_PREDICATED, form, memory, element, 1);
    if ((memory == 2 && element == 0) || (memory == 3 && element == 2))
        return vectors(A64_STORE_SVE, A64_IS_STORE | A64_IS_PREDICATED, form, memory, Q_SIZE_LOG2,
                       1);
    return A64_UNALLOCATED;
}

/* Decodes STNT1 and ST2 to ST4. */
static code store_several(uint32_t opcode, a64_form form)
{
    const uint32_t size = field(opcode, 23, 2), more = field(opcode, 21, 2);
    if (form == A64_FORM_REGISTER && field(opcode, 16, 5) == 31)
        return A64_UNALLOCATED;
    return vectors(A64_STORE_SVE,
                   A64_IS_STORE | A64_IS_PREDICATED | (more == 0 ? A64_IS_STREAMING : 0u), form,
                   size, size, 1 + more);
}

/* Decodes ST2Q to ST4Q, which have the number of vectors in other bits than the loads. */
static code store_quads(uint32_t opcode)
{
    const uint32_t more = field(opcode, 22, 2);
    const bool is_register = bit(opcode, 21);
    if (bit(opcode, 24) || more == 0 ||
        (is_register ? field(opcode, 16, 5) == 31 : bit(opcode, 20)))
        return A64_UNALLOCATED;
    return vectors(A64_STORE_SVE, A64_IS_STORE | A64_IS_PREDICATED,
                   is_register ? A64_FORM_REGISTER : A64_FORM_OFFSET, Q_SIZE_LOG2, Q_SIZE_LOG2,
                   1 + more);
}

static code decode_store(uint32_t opcode)
{
    const uint32_t memory = field(opcode, 23, 2), op = field(opcode, 21, 2);
    switch (field(opcode, 13, 3)) {
    case 0:
        return matches(opcode, 0x01c00000, 0x01800000) ? whole_register(opcode, false)
                                                       : store_quads(opcode);
    case 1: /* a vector of addresses plus a scalar */
        if (op == 1)
            return memory == 0 ? scatter(Q_SIZE_LOG2, Q_SIZE_LOG2, 0) : A64_UNALLOCATED;
        return op == 3 ? A64_UNALLOCATED : scatter(memory, op == 0 ? 3 : 2, A64_IS_STREAMING);
    case 2:
        return matches(opcode, 0x01c00000, 0x01800000)
                   ? whole_register(opcode, false)
                   : store_contiguous(opcode, A64_FORM_REGISTER);
    case 3: return store_several(opcode, A64_FORM_REGISTER);
    case 4:
    case 6:
        if (memory == 0 && (op & 1) != 0)
            return A64_UNALLOCATED; /* offsets of bytes have no scaled form */
        return scatter(memory, op < 2 ? 3 : 2, 0);
    case 5:
        if (memory == 0 && op == 1)
            return A64_UNALLOCATED;
        return scatter(memory, op == 3 ? 2 : 3, 0);
    default:
        return bit(opcode, 20) ? store_several(opcode, A64_FORM_OFFSET)
                               : store_contiguous(opcode, A64_FORM_OFFSET);
    }
}

code a64_decode_sve_memory(uint32_t opcode)
{
    switch (field(opcode, 29, 2)) {
    case 0: return decode_gather_32(opcode);
    case 1: return decode_contiguous(opcode);
    case 2: return decode_gather_64(opcode);
    default: return decode_store(opcode);
    }
}

/* ---- SME: tiles, ZA, ZT0 and multi-vector accesses ------------------------------------------- */

/*     31         25 24 23 22 21 20 16 15 14 13 12 10 9  5 4  3    0
 *      1 1 1 0 0 0 0  Q msz   st  Rm   V  Rs     Pg   Rn   0  tile    slices of a tile         */
static code decode_slice(uint32_t opcode)
{
    const bool is_store = bit(opcode, 21), is_quad = bit(opcode, 24);
    const a64_class class = is_store ? A64_STORE_SME : A64_LOAD_SME;
    const unsigned flags = is_store ? A64_IS_STORE : A64_IS_LOAD;
    const uint32_t size = field(opcode, 22, 2);
    if (bit(opcode, 4))
        return A64_UNALLOCATED;
    if (!is_quad || size == 3)
        return access_sized(class, flags | A64_IS_PREDICATED | A64_IS_SCALED,
                            field(opcode, 16, 5) == 31 ? A64_FORM_OFFSET : A64_FORM_REGISTER,
                            is_quad ? Q_SIZE_LOG2 : size, 16);
    if (matches(opcode, 0x00df9c10, 0)) /* LDR, STR of a row of ZA */
        return access(class, flags | A64_IS_SCALED, A64_FORM_OFFSET, 0, 16);
    if (matches(opcode, 0x00dffc1f, 0x001f8000)) /* LDR and STR of ZT0 */
        return access(class, flags, A64_FORM_OFFSET, 0, 64);
    return A64_UNALLOCATED;
}

/*     31         25 24 23 22 21 20 16 15 14 13 12 10 9  5 4   1 0
 *      1 0 1 0 0 0 0  st 0  im  S  Rm   4  msz   PN   Rn   Zt    N    two or four vectors      */
static code decode_vectors(uint32_t opcode)
{
    const bool is_store = bit(opcode, 21), is_four = bit(opcode, 15),
               is_immediate = bit(opcode, 22);
    const uint32_t size = field(opcode, 13, 2);
    const bool is_strided = bit(opcode, 24), is_once = bit(opcode, is_strided ? 3 : 0);
    if ((is_immediate && bit(opcode, 20)) || (is_four && bit(opcode, is_strided ? 2 : 1)))
        return A64_UNALLOCATED;
    return vectors(is_store ? A64_STORE_SVE : A64_LOAD_SVE,
                   A64_IS_PREDICATED | (is_store ? A64_IS_STORE : A64_IS_LOAD) |
                       (is_once ? A64_IS_STREAMING : 0u),
                   is_immediate ? A64_FORM_OFFSET : A64_FORM_REGISTER, size, size, is_four ? 4 : 2);
}

code a64_decode_sme_memory(uint32_t opcode)
{
    return bit(opcode, 30) ? decode_slice(opcode) : decode_vectors(opcode);
}
