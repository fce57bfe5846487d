/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_writes.h"

#include "a64/a64.h"

#define REGISTER_ZERO 31u

typedef struct writes {
    insn_write *list;
    size_t count;
} writes;

static void add(writes *w, unsigned reg, uint64_t value)
{
    if (w->count < INSN_WRITES_MAX)
        w->list[w->count++] = (insn_write){value, (uint8_t)reg};
}

/* Adds a write to a register, unless it is 31, which is the zero register here. */
static void add_x(writes *w, unsigned reg, uint64_t value)
{
    if (reg != REGISTER_ZERO)
        add(w, reg, value);
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* The value that a register gets from `size` bytes at `offset` of an access. LDRSB and similar
   loads have a 32-bit form, bit 22 of the opcode; LDPSW and LDRSW have none. */
static uint64_t loaded(const insn_batch *batch, const insn_access *access, unsigned offset,
                       unsigned size, const a64_insn *what, uint32_t opcode)
{
    const uint8_t *bytes = insn_access_bytes(batch, access) + offset;
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    if ((what->flags & A64_IS_SIGNED) == 0)
        return value;
    value = (uint64_t)sign_extend(value, 8 * size);
    return size < 4 && (opcode >> 22 & 3u) == 3 ? (uint32_t)value : value;
}

/* Adds the registers that a load fills. Loads of pairs are recorded as one access or as two. */
static void add_loads(writes *w, const insn_batch *batch, const insn *at, const a64_insn *what)
{
    const insn_access *accesses = insn_accesses(batch, at);
    const unsigned count = (what->flags & A64_IS_PAIR) != 0 ? 2 : 1;
    const unsigned size = what->size / count;
    const unsigned regs[] = {at->opcode & 31u, at->opcode >> 10 & 31u};
    if ((what->flags & (A64_IS_VECTOR | A64_IS_UNSIZED | A64_IS_STORE | A64_IS_SCALED)) != 0 ||
        size > 8)
        return;
    for (unsigned i = 0, offset = 0, k = 0; i < count && k < at->access_count; i++) {
        const unsigned there = 1u << accesses[k].size_log2;
        if (accesses[k].is_store || offset + size > there)
            return;
        add_x(w, regs[i], loaded(batch, &accesses[k], offset, size, what, at->opcode));
        offset += size;
        k += offset == there;
        offset = offset == there ? 0 : offset;
    }
}

/* Adds the base register of pre- and post-indexed accesses, which a constant of 9 bits changes;
   for pairs it has 7 bits, in units of the register's size. */
static void add_base(writes *w, const insn_batch *batch, const insn *at, const a64_insn *what)
{
    const unsigned base = at->opcode >> 5 & 31u;
    const bool is_pair = (what->flags & A64_IS_PAIR) != 0;
    const bool is_structure =
        what->class == A64_LOAD_STRUCTURE || what->class == A64_STORE_STRUCTURE;
    const uint64_t address = at->access_count != 0 ? insn_accesses(batch, at)->address : 0;
    int64_t step = 0;
    if (at->access_count == 0 || is_structure || what->group != A64_GROUP_MEMORY ||
        (what->form != A64_FORM_PRE && what->form != A64_FORM_POST))
        return;
    if (what->form == A64_FORM_POST)
        step = is_pair ? sign_extend(at->opcode >> 15 & 0x7fu, 7) * (what->size / 2)
                       : sign_extend(at->opcode >> 12 & 0x1ffu, 9);
    add(w, base, address + (uint64_t)step);
}

static uint64_t moved(uint32_t opcode)
{
    const bool is_64 = opcode >> 31 != 0, is_not = (opcode >> 29 & 3u) == 0;
    uint64_t value = (uint64_t)(opcode >> 5 & 0xffffu) << (16 * (opcode >> 21 & 3u));
    value = is_not ? ~value : value;
    return is_64 ? value : (uint32_t)value;
}

static void add_value(writes *w, const insn_batch *batch, const insn *at, insn_value_kind kind,
                      unsigned reg)
{
    const insn_value *value = insn_value_find(batch, at, kind);
    if (value != NULL)
        add_x(w, reg, value->u.number);
}

size_t insn_writes(const insn_batch *batch, const insn *at, insn_write list[INSN_WRITES_MAX])
{
    const a64_insn what = a64_classify(at->opcode);
    const bool has_pc = (at->flags & INSN_HAS_PC) != 0;
    const unsigned rd = at->opcode & 31u;
    writes w = {list, 0};
    switch (what.class) {
    case A64_LOAD:
    case A64_LOAD_LITERAL:
    case A64_LOAD_PAIR:
    case A64_LOAD_ACQUIRE:
    case A64_LOAD_EXCLUSIVE: add_loads(&w, batch, at, &what); break;
    case A64_STORE_EXCLUSIVE:
        add_value(&w, batch, at, INSN_VALUE_STXR, at->opcode >> 16 & 31u);
        break;
    case A64_REGISTER_READ: add_value(&w, batch, at, INSN_VALUE_SYSTEM, rd); break;
    case A64_SUPERVISOR_CALL: add_value(&w, batch, at, INSN_VALUE_RESULT, 0); break;
    case A64_MOVE:
        if ((at->opcode >> 29 & 3u) != 3) /* MOVK keeps the other bits, which are not known */
            add_x(&w, rd, moved(at->opcode));
        break;
    case A64_ADDRESS:
        if (has_pc)
            add_x(&w, rd, at->pc + (uint64_t)(int64_t)what.offset);
        break;
    case A64_ADDRESS_PAGE:
        if (has_pc)
            add_x(&w, rd, (at->pc & ~UINT64_C(0xfff)) + ((uint64_t)(int64_t)what.offset << 12));
        break;
    case A64_CALL:
    case A64_CALL_INDIRECT:
        if (has_pc)
            add(&w, 30, at->pc + 4);
        break;
    default: break;
    }
    add_base(&w, batch, at, &what);
    return w.count;
}
