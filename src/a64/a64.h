/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: what an instruction is and does, by its 32 bits. Pure functions, made for whole traces; text
 * is the disassembler's business (symbols/).
 *
 * The branches of the decoder are those of the Arm ARM's encoding index (C4.1). Memory accesses,
 * branches, system, integer and scalar FP instructions are distinguished from unallocated encodings
 * exactly; in the vector data processing space (SIMD, SVE, SME) holes of a group count as that
 * group. Encodings that are constrained unpredictable (a load pair of one register twice) are what
 * they would be otherwise.
 */
#ifndef A64_A64_H
#define A64_A64_H

#include <stdbool.h>
#include <stdint.h>

typedef enum a64_class {
#define A64_CLASS(id, group, text) A64_##id,
#include "a64/a64.def"
#undef A64_CLASS
    A64_CLASS_COUNT
} a64_class;

typedef enum a64_group {
    A64_GROUP_NONE,
    A64_GROUP_BRANCH,
    A64_GROUP_EXCEPTION,
    A64_GROUP_SYSTEM,
    A64_GROUP_MEMORY,
    A64_GROUP_INTEGER,
    A64_GROUP_FP,
    A64_GROUP_SIMD,
    A64_GROUP_SVE,
    A64_GROUP_SME,
    A64_GROUP_COUNT
} a64_group;

/* How the address of an access is made. */
typedef enum a64_form {
    A64_FORM_NONE,
    A64_FORM_OFFSET,   /* [Xn], [Xn, #imm] */
    A64_FORM_PRE,      /* [Xn, #imm]! */
    A64_FORM_POST,     /* [Xn], #imm; [Xn], Xm */
    A64_FORM_REGISTER, /* [Xn, Xm] */
    A64_FORM_LITERAL,
    A64_FORM_VECTOR /* a vector of addresses: gather, scatter */
} a64_form;

#define A64_IS_LOAD          0x0001u /* reads memory; a prefetch does not */
#define A64_IS_STORE         0x0002u
#define A64_IS_PAIR          0x0004u /* two registers, one after the other */
#define A64_IS_EXCLUSIVE     0x0008u
#define A64_IS_ATOMIC        0x0010u /* reads and writes as one */
#define A64_IS_ACQUIRE       0x0020u /* also LDAPR's weaker kind */
#define A64_IS_RELEASE       0x0040u
#define A64_IS_VECTOR        0x0080u /* transfers V or Z registers */
#define A64_IS_PREDICATED    0x0100u /* elements may be left out: the size is the largest possible */
#define A64_IS_SCALED        0x0200u /* the size is that of a vector length of 128 bits */
#define A64_IS_SIGNED        0x0400u /* sign-extends */
#define A64_IS_FAULTING      0x0800u /* first-faulting or non-faulting */
#define A64_IS_BROADCAST     0x1000u
#define A64_IS_AUTHENTICATED 0x2000u /* authenticates a pointer */
#define A64_IS_STREAMING     0x4000u /* non-temporal */
#define A64_IS_UNSIZED       0x8000u /* how much it accesses is not in the encoding */

typedef struct a64_insn {
    uint8_t class;             /* a64_class */
    uint8_t form;              /* a64_form */
    uint16_t flags;            /* A64_... */
    uint8_t size;              /* of all that it accesses, in bytes, see also flags */
    uint8_t element_size_log2; /* of one register or element in memory */
    uint8_t group;             /* a64_group */
    int32_t offset;            /* of what lies at a constant place: from the PC in bytes; of
                                  ADDRESS_PAGE: from the PC's page in pages */
} a64_insn;

/* An a64_insn but for its offset in one number, the first member lowest: a function can give that
   in registers, which for a struct of bytes takes 5 times as long. */
typedef struct a64_code {
    uint64_t bits;
    int64_t offset;
} a64_code;

a64_code a64_decode(uint32_t opcode);

static inline a64_insn a64_classify(uint32_t opcode)
{
    const a64_code code = a64_decode(opcode);
    return (a64_insn){.class = (uint8_t)code.bits,
                      .form = (uint8_t)(code.bits >> 8),
                      .flags = (uint16_t)(code.bits >> 16),
                      .size = (uint8_t)(code.bits >> 32),
                      .element_size_log2 = (uint8_t)(code.bits >> 40),
                      .group = (uint8_t)(code.bits >> 48),
                      .offset = (int32_t)code.offset};
}

/* Traces are made of few opcodes: their classes at some ns each instead of some 6. */
enum { A64_CACHE_SIZE_LOG2 = 12 };

typedef struct a64_cache {
    struct a64_cache_entry {
        uint32_t opcode;
        a64_insn insn;
    } entries[1u << A64_CACHE_SIZE_LOG2];
} a64_cache;

void a64_cache_init(a64_cache *cache);

/* Holds until the next call. */
static inline const a64_insn *a64_lookup(a64_cache *cache, uint32_t opcode)
{
    struct a64_cache_entry *entry =
        &cache->entries[opcode * UINT32_C(0x9e3779b1) >> (32 - A64_CACHE_SIZE_LOG2)];
    if (entry->opcode != opcode)
        *entry = (struct a64_cache_entry){opcode, a64_classify(opcode)};
    return &entry->insn;
}

/* "load-pair"; "" out of range. */
const char *a64_class_text(unsigned class);

/* "memory"; "" out of range. */
const char *a64_group_text(unsigned group);

/* The group of a class. */
a64_group a64_class_group(unsigned class);

/* What may go on elsewhere than after it, to a place that it says itself. */
static inline bool a64_is_branch(const a64_insn *what)
{
    return what->group == A64_GROUP_BRANCH;
}

/* May be taken or not. */
static inline bool a64_is_conditional(const a64_insn *what)
{
    return what->class >= A64_BRANCH_CONDITION && what->class <= A64_BRANCH_TEST;
}

/* Whether the next instruction can be elsewhere than after this one, interrupts left aside: the
   branches and exceptions of Arm ARM C4.1.66, without looking at more than their group. */
static inline bool a64_can_jump(uint32_t opcode)
{
    return (opcode & 0x1c000000u) == 0x14000000u && opcode >> 24 != 0xd5u;
}

/* Goes to where a register says. */
static inline bool a64_is_indirect(const a64_insn *what)
{
    return what->class == A64_BRANCH_INDIRECT || what->class == A64_CALL_INDIRECT ||
           what->class == A64_RETURN;
}

static inline bool a64_is_call(const a64_insn *what)
{
    return what->class == A64_CALL || what->class == A64_CALL_INDIRECT;
}

/* Bytes that one access transfers at most with vectors of `vl_bits`. */
static inline uint32_t a64_size(const a64_insn *what, uint32_t vl_bits)
{
    return (what->flags & A64_IS_SCALED) != 0 ? what->size * (vl_bits / 128u) : what->size;
}

/* ---- Registers ------------------------------------------------------------------------------- */

#define A64_OPERAND_SP \
    0x80000000u /* in bit 31 of x: the stack pointer; the zero register is never listed */

typedef struct a64_operands {
    uint32_t x, v; /* bit n: Xn, Vn or Zn */
    bool flags;    /* NZCV */
} a64_operands;

/*
 * Which registers it reads and writes: a vector of which a part stays is also read. What writes an
 * address back also writes its register. Predicates, ZA and ZT0 are not listed. False, and nothing
 * listed, for data processing of SVE (but counts and loops) and SME, and for what is unallocated.
 */
bool a64_operands_find(uint32_t opcode, a64_operands *reads, a64_operands *writes);

#endif
