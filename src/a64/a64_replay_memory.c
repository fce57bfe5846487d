/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what loads, stores and atomic operations do to general registers, and which addresses
   they access. */
#include "a64/a64_replay.h"
#include "a64/a64_replay_value.h"

/* Bytes of all accesses in one direction form one sequence, in the order in which they were
   recorded, little-endian: an instruction may be recorded as several accesses. */
bool a64_accessed(const a64_record *record, bool is_store, unsigned offset, unsigned size,
                  uint64_t *value)
{
    bool is_seen = true;
    unsigned got = 0;
    *value = 0;
    for (unsigned i = 0; i < record->access_count; i++) {
        const a64_access *access = &record->accesses[i];
        for (uint32_t k = 0; access->is_store == is_store && k < access->size; k++) {
            if (offset != 0) {
                offset--;
            } else if (got < size) {
                is_seen &= access->bytes != NULL;
                *value |= is_seen ? (uint64_t)access->bytes[k] << (8 * got) : 0;
                got++;
            }
        }
    }
    return is_seen && got == size;
}

/* A number of at most 8 bytes that was loaded; unknown if the trace has no data for it. */
static number loaded(const a64_record *record, unsigned offset, unsigned size)
{
    number n;
    n.is_known = a64_accessed(record, false, offset, size, &n.value);
    return n;
}

/* Extends a loaded value as the instruction does. LDRSB and its like have a 32-bit form, chosen by
   bit 22; LDPSW and LDRSW have none. */
static number extend_loaded(const a64_insn *what, uint32_t opcode, number n, unsigned size)
{
    if ((what->flags & A64_IS_SIGNED) == 0)
        return n;
    n.value = sign_extend(n.value, 8 * size);
    if (size < 4 && bits(opcode, 22, 2) == 3)
        n.value = (uint32_t)n.value;
    return n;
}

/* Replays a load to one or two general registers. */
static void replay_load(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    const unsigned count = (what->flags & A64_IS_PAIR) != 0 ? 2 : 1;
    const unsigned size = what->size / count;
    const unsigned regs[] = {(unsigned)bits(record->opcode, 0, 5),
                             (unsigned)bits(record->opcode, 10, 5)};
    for (unsigned i = 0; i < count; i++) {
        const number n = size <= 8 ? loaded(record, i * size, size) : unknown;
        set(r, regs[i], extend_loaded(what, record->opcode, n, size));
    }
    /* LD64B loads eight registers, of which only the first is modelled. */
    for (unsigned i = 1; size > 8 && i < size / 8; i++)
        set(r, (regs[0] + i) & 31u, unknown);
}

/* Replays an atomic access: Rt gets the old value of the memory. A pair of registers becomes
   unknown. */
static void replay_atomic(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    const bool is_swap = what->class == A64_COMPARE_SWAP;
    const unsigned rt = (unsigned)bits(record->opcode, is_swap ? 16 : 0, 5);
    const bool is_pair = (what->flags & A64_IS_PAIR) != 0 || what->size > 8;
    set(r, rt, is_pair ? unknown : loaded(record, 0, what->size));
    if (is_pair) {
        set(r, (rt + 1) & 31u, unknown);
        set(r, (unsigned)bits(record->opcode, 16, 5), unknown);
    }
}

/* The constant of an access in bytes: of a pair in units of one register, otherwise unscaled. */
static int64_t base_step(const a64_insn *what, uint32_t opcode)
{
    if ((what->flags & A64_IS_PAIR) != 0)
        return (int64_t)sign_extend(bits(opcode, 15, 7), 7) * (what->size / 2);
    return (int64_t)sign_extend(bits(opcode, 12, 9), 9);
}

/* Whether the base register of an access changes only by the constant of its pre- or post-indexed
   form. */
static bool has_plain_base(const a64_insn *what)
{
    switch (what->class) {
    case A64_LOAD:
    case A64_LOAD_PAIR:
    case A64_STORE:
    case A64_STORE_PAIR:
    case A64_LOAD_FP:
    case A64_LOAD_PAIR_FP:
    case A64_STORE_FP:
    case A64_STORE_PAIR_FP: return (what->flags & (A64_IS_AUTHENTICATED | A64_IS_UNSIZED)) == 0;
    default: return false;
    }
}

bool a64_address(const a64_registers *r, const a64_insn *what, const a64_record *record,
                 uint64_t *address)
{
    const uint32_t opcode = record->opcode;
    number n = get_sp(r, (unsigned)bits(opcode, 5, 5)), offset = known(0);
    if (!has_plain_base(what))
        return false;
    switch (what->form) {
    case A64_FORM_POST: break;
    case A64_FORM_PRE: offset.value = (uint64_t)base_step(what, opcode); break;
    case A64_FORM_OFFSET:
        if ((what->flags & A64_IS_PAIR) != 0 || bits(opcode, 24, 1) == 0)
            offset.value = (uint64_t)base_step(what, opcode);
        else
            offset.value = bits(opcode, 10, 12) * what->size;
        break;
    case A64_FORM_REGISTER: {
        unsigned log = 0;
        while (1u << log < what->size)
            log++;
        offset = extended_register(r, opcode, bits(opcode, 12, 1) != 0 ? log : 0);
        break;
    }
    default: return false;
    }
    *address = n.value + offset.value;
    return n.is_known && offset.is_known;
}

/* Replays the change of the base in pre- and post-indexed forms. It becomes unknown for accesses
   without a plain base. */
static void replay_base(a64_registers *r, const a64_insn *what, uint32_t opcode)
{
    const unsigned rn = (unsigned)bits(opcode, 5, 5);
    number n = get_sp(r, rn);
    if (what->form != A64_FORM_PRE && what->form != A64_FORM_POST)
        return;
    n.value += (uint64_t)base_step(what, opcode);
    n.is_known &= has_plain_base(what);
    set_sp(r, rn, n);
}

/* Replays what an access does to general registers. The base changes first: where an opcode loads
   its own base, which the architecture leaves open, the loaded value stays. */
void a64_replay_memory(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    const uint32_t opcode = record->opcode;
    replay_base(r, what, opcode);
    switch (what->class) {
    case A64_LOAD:
    case A64_LOAD_LITERAL:
    case A64_LOAD_PAIR:
    case A64_LOAD_ACQUIRE:
    case A64_LOAD_EXCLUSIVE:
        if ((what->flags & A64_IS_VECTOR) == 0)
            replay_load(r, what, record);
        break;
    case A64_STORE_EXCLUSIVE:
        set(r, (unsigned)bits(opcode, 16, 5),
            (number){record->status & ones(32), record->has_status});
        break;
    case A64_ATOMIC:
    case A64_COMPARE_SWAP: replay_atomic(r, what, record); break;
    case A64_STORE: /* ST64BV writes a status */
        if ((what->flags & (A64_IS_LOAD | A64_IS_UNSIZED)) != 0 || what->size > 16)
            set(r, (unsigned)bits(opcode, 16, 5), unknown);
        break;
    case A64_LOAD_TAG: set(r, (unsigned)bits(opcode, 0, 5), unknown); break;
    case A64_COPY:
    case A64_SET:
        set(r, (unsigned)bits(opcode, 0, 5), unknown);
        set(r, (unsigned)bits(opcode, 5, 5), unknown);
        set(r, (unsigned)bits(opcode, 16, 5), unknown);
        break;
    default: break;
    }
}
