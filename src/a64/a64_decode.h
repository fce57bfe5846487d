/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the A64 decoder share. */
#ifndef A64_A64_DECODE_H
#define A64_A64_DECODE_H

#include "a64/a64.h"

/* The `count` bits of an opcode from bit `low` on, as a number. */
static inline uint32_t field(uint32_t opcode, unsigned low, unsigned count)
{
    return opcode >> low & ((UINT32_C(1) << count) - 1);
}

static inline bool bit(uint32_t opcode, unsigned at)
{
    return (opcode >> at & 1) != 0;
}

static inline int32_t signed_field(uint32_t opcode, unsigned low, unsigned count)
{
    const uint32_t sign = UINT32_C(1) << (count - 1);
    return (int32_t)((field(opcode, low, count) ^ sign) - sign);
}

static inline bool matches(uint32_t opcode, uint32_t mask, uint32_t value)
{
    return (opcode & mask) == value;
}

/*
 * What the parts of the decoder return: the bits of an a64_code, with a group of 0.
 *
 *     63 62    56 55  48 47             40 39   32 31    16 15   8 7     0
 *     o   0    0  group  element_size_log2   size    flags    form   class
 *
 * o: the opcode has an offset. The group is added later, from the class.
 */
typedef uint64_t code;

enum {
    CODE_FORM = 8,
    CODE_FLAGS = 16,
    CODE_SIZE = 32,
    CODE_ELEMENT = 40,
    CODE_GROUP = 48,
    CODE_OFFSET = 63
};

static inline code plain_if(bool is_allocated, a64_class class)
{
    return is_allocated ? class : A64_UNALLOCATED;
}

/* The code of an instruction that has an offset. */
static inline code relative(a64_class class)
{
    return (code)1 << CODE_OFFSET | class;
}

/* The code of an access whose size does not follow from its registers. */
static inline code access_sized(a64_class class, unsigned flags, a64_form form,
                                unsigned element_size_log2, unsigned size)
{
    return (code) class | (code)form << CODE_FORM | (code)flags << CODE_FLAGS |
           (code)size << CODE_SIZE | (code)element_size_log2 << CODE_ELEMENT;
}

/* The code of an access to `count` elements or registers, one after the other. */
static inline code access(a64_class class, unsigned flags, a64_form form,
                          unsigned element_size_log2, unsigned count)
{
    return access_sized(class, flags, form, element_size_log2, count << element_size_log2);
}

static inline a64_class code_class(code of)
{
    return (a64_class)(of & 0xff);
}

/* Decoders of the parts of the encoding index. */
code a64_decode_memory(uint32_t opcode);
code a64_decode_sve_memory(uint32_t opcode);
code a64_decode_sme_memory(uint32_t opcode);
code a64_decode_vector(uint32_t opcode); /* scalar FP and SIMD */
code a64_decode_sve(uint32_t opcode);
code a64_decode_sme(uint32_t opcode);

#endif
