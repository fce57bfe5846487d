/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: what an instruction is and does, by its 32 bits. The functions are pure, and fast enough for
 * whole traces; text is made by the disassembler (symbols/).
 *
 * The branches of the decoder are those of the Arm ARM's encoding index (C4.1). Memory accesses,
 * branches, system, integer and scalar FP instructions are distinguished from unallocated encodings
 * exactly; in the vector data processing space (SIMD, SVE, SME) unallocated encodings within a
 * group count as that group. Encodings that are constrained unpredictable (a load pair of one
 * register twice) count as what they would be otherwise.
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

/* How the address of an access is computed. */
typedef enum a64_form {
    A64_FORM_NONE,
    A64_FORM_OFFSET,   /* [Xn], [Xn, #imm] */
    A64_FORM_PRE,      /* [Xn, #imm]! */
    A64_FORM_POST,     /* [Xn], #imm; [Xn], Xm */
    A64_FORM_REGISTER, /* [Xn, Xm] */
    A64_FORM_LITERAL,
    A64_FORM_VECTOR /* a vector of addresses: gather, scatter */
} a64_form;

#define A64_IS_LOAD      0x0001u /* reads memory; a prefetch does not */
#define A64_IS_STORE     0x0002u
#define A64_IS_PAIR      0x0004u /* two registers, which are next to each other in memory */
#define A64_IS_EXCLUSIVE 0x0008u
#define A64_IS_ATOMIC    0x0010u /* reads and writes memory in one step */
#define A64_IS_ACQUIRE   0x0020u /* acquire semantics, also the weaker one of LDAPR */
#define A64_IS_RELEASE   0x0040u
#define A64_IS_VECTOR    0x0080u /* loads or stores V or Z registers */
/* A predicate can leave elements out: the size is the largest possible. */
#define A64_IS_PREDICATED 0x0100u
/* The size is the one for vectors of 128 bits, and grows with the vector length. */
#define A64_IS_SCALED        0x0200u
#define A64_IS_SIGNED        0x0400u /* a load that sign-extends */
#define A64_IS_FAULTING      0x0800u /* a first-faulting or non-faulting load */
#define A64_IS_BROADCAST     0x1000u
#define A64_IS_AUTHENTICATED 0x2000u /* authenticates the pointer before the access */
#define A64_IS_STREAMING     0x4000u /* a non-temporal access */
#define A64_IS_UNSIZED       0x8000u /* the encoding does not say how many bytes are accessed */

/* What an instruction is and does. */
typedef struct a64_insn {
    uint8_t class;  /* a64_class */
    uint8_t form;   /* a64_form */
    uint16_t flags; /* A64_IS_... */
    uint8_t size;   /* bytes of all accesses together; see also the flags */
    /* Binary logarithm of the bytes of one register or element in memory. */
    uint8_t element_size_log2;
    uint8_t group; /* a64_group */
    /* Distance of the target or operand: from the PC in bytes, of ADDRESS_PAGE from the PC's page
       in pages. */
    int32_t offset;
} a64_insn;

/* An a64_insn in two numbers: all members but the offset in `bits`, the first one lowest. A
   function can return these in registers; returning a struct of bytes takes 5 times as long. */
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

/* A cache of classified opcodes, since traces have few different ones: a lookup takes some ns less
   than classifying. */
enum { A64_CACHE_SIZE_LOG2 = 12 };

typedef struct a64_cache {
    struct a64_cache_entry {
        uint32_t opcode;
        a64_insn insn;
    } entries[1u << A64_CACHE_SIZE_LOG2];
} a64_cache;

void a64_cache_init(a64_cache *cache);

/* Classifies an opcode through the cache. The result holds until the next call. */
static inline const a64_insn *a64_lookup(a64_cache *cache, uint32_t opcode)
{
    struct a64_cache_entry *entry =
        &cache->entries[opcode * UINT32_C(0x9e3779b1) >> (32 - A64_CACHE_SIZE_LOG2)];
    if (entry->opcode != opcode)
        *entry = (struct a64_cache_entry){opcode, a64_classify(opcode)};
    return &entry->insn;
}

/* "load-pair", ...; "" if `class` is not a valid class. */
const char *a64_class_text(unsigned class);

/* "memory", ...; "" if `group` is not a valid group. */
const char *a64_group_text(unsigned group);

/* The group that a class belongs to. */
a64_group a64_class_group(unsigned class);

/* Whether an instruction is a branch: it may continue at an address that it names itself. */
static inline bool a64_is_branch(const a64_insn *what)
{
    return what->group == A64_GROUP_BRANCH;
}

/* Whether a branch may be taken or not. */
static inline bool a64_is_conditional(const a64_insn *what)
{
    return what->class >= A64_BRANCH_CONDITION && what->class <= A64_BRANCH_TEST;
}

/* Whether the next instruction can be elsewhere than after this one, apart from interrupts: the
   branches and exceptions of Arm ARM C4.1.66, recognised by their group only. */
static inline bool a64_can_jump(uint32_t opcode)
{
    return (opcode & 0x1c000000u) == 0x14000000u && opcode >> 24 != 0xd5u;
}

/* Whether a branch goes to the address in a register. */
static inline bool a64_is_indirect(const a64_insn *what)
{
    return what->class == A64_BRANCH_INDIRECT || what->class == A64_CALL_INDIRECT ||
           what->class == A64_RETURN;
}

static inline bool a64_is_call(const a64_insn *what)
{
    return what->class == A64_CALL || what->class == A64_CALL_INDIRECT;
}

/* Bytes that one access transfers at most, with vectors of `vl_bits` bits. */
static inline uint32_t a64_size(const a64_insn *what, uint32_t vl_bits)
{
    return (what->flags & A64_IS_SCALED) != 0 ? what->size * (vl_bits / 128u) : what->size;
}

/* ---- Registers that an instruction uses ------------------------------------------------------ */

/* Bit of the stack pointer in `x`; the zero register has no bit. */
#define A64_OPERAND_SP 0x80000000u

/* A set of registers. */
typedef struct a64_operands {
    uint32_t x, v; /* bit n: Xn, Vn or Zn */
    bool flags;    /* NZCV */
} a64_operands;

/*
 * Finds which registers an instruction reads and writes. A vector register of which a part keeps
 * its value counts as read, too; the base register of an access that writes its address back counts
 * as written. Predicates, ZA and ZT0 are not listed. Returns false, and empty sets, for data
 * processing of SVE (except counts and loops) and SME, and for unallocated opcodes.
 */
bool a64_operands_find(uint32_t opcode, a64_operands *reads, a64_operands *writes);

#endif
