/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of <stele/insn.h>: numbers that may change here, between versions, are mapped to
   stable ones. */
#include <stele/insn.h>

#include <string.h>

#include "a64/a64.h"

_Static_assert((int)STELE_A64_GROUP_COUNT == (int)A64_GROUP_COUNT &&
                   (int)STELE_A64_GROUP_SME == (int)A64_GROUP_SME &&
                   (int)STELE_A64_GROUP_MEMORY == (int)A64_GROUP_MEMORY,
               "the groups are the public ones");
_Static_assert((int)STELE_A64_FORM_VECTOR == (int)A64_FORM_VECTOR &&
                   (int)STELE_A64_FORM_REGISTER == (int)A64_FORM_REGISTER,
               "the forms are the public ones");
_Static_assert(STELE_A64_IS_LOAD == A64_IS_LOAD && STELE_A64_IS_UNSIZED == A64_IS_UNSIZED &&
                   STELE_A64_IS_VECTOR == A64_IS_VECTOR && STELE_A64_IS_SIGNED == A64_IS_SIGNED,
               "the flags are the public ones");
_Static_assert(STELE_A64_REGISTER_SP == A64_OPERAND_SP, "the stack pointer is the public one");

/* Copies a result to a caller whose struct may be of an older version. A size of 0 means the first
   version, which is the present one. */
static void give(void *to, const void *own, size_t own_size)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size == 0 || size > own_size)
        size = own_size;
    if (size > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}

static stele_a64_branch branch_of(const a64_insn *insn)
{
    switch (insn->class) {
    case A64_BRANCH: return STELE_A64_BRANCH_DIRECT;
    case A64_BRANCH_CONDITION:
    case A64_BRANCH_COMPARE:
    case A64_BRANCH_TEST: return STELE_A64_BRANCH_CONDITIONAL;
    case A64_BRANCH_INDIRECT: return STELE_A64_BRANCH_INDIRECT;
    case A64_CALL: return STELE_A64_BRANCH_CALL;
    case A64_CALL_INDIRECT: return STELE_A64_BRANCH_CALL_INDIRECT;
    case A64_RETURN: return STELE_A64_BRANCH_RETURN;
    default: return STELE_A64_BRANCH_NONE;
    }
}

/* Whether the offset of an instruction is a distance in bytes from the PC. */
static bool has_target(const a64_insn *insn)
{
    return insn->class == A64_BRANCH || a64_is_conditional(insn) || insn->class == A64_CALL ||
           insn->class == A64_LOAD_LITERAL || insn->class == A64_ADDRESS;
}

void stele_a64_classify(uint32_t opcode, stele_a64_insn *insn)
{
    const a64_insn found = a64_classify(opcode);
    const stele_a64_insn own = {.struct_size = sizeof own,
                                .class_text = a64_class_text(found.class),
                                .group = (stele_a64_group)found.group,
                                .branch = branch_of(&found),
                                .form = (stele_a64_form)found.form,
                                .flags = found.flags,
                                .size = found.size,
                                .element_size = found.size != 0 ? 1u << found.element_size_log2 : 0,
                                .offset = found.offset,
                                .class_number = found.class,
                                .has_target = has_target(&found),
                                .has_page_target = found.class == A64_ADDRESS_PAGE};
    give(insn, &own, sizeof own);
}

const char *stele_a64_class_text(uint32_t class_number)
{
    return a64_class_text(class_number);
}

const char *stele_a64_group_text(stele_a64_group group)
{
    return a64_group_text((unsigned)group);
}

bool stele_a64_find_registers(uint32_t opcode, stele_a64_registers *reads,
                              stele_a64_registers *writes)
{
    a64_operands read = {0}, written = {0};
    const bool is_known = a64_operands_find(opcode, &read, &written);
    const stele_a64_registers own_reads = {sizeof own_reads, read.x, read.v, read.flags};
    const stele_a64_registers own_writes = {sizeof own_writes, written.x, written.v, written.flags};
    give(reads, &own_reads, sizeof own_reads);
    give(writes, &own_writes, sizeof own_writes);
    return is_known;
}
