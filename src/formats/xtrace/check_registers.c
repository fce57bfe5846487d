/* SPDX-License-Identifier: Apache-2.0 */
/* Checks accesses against what their instruction does, and registers, which are replayed, against
   what is recorded of them. */
#include <inttypes.h>

#include "formats/xtrace/check.h"

/* The bits of an address below the tag. */
#define ADDRESS_MASK  ((UINT64_C(1) << 56) - 1)
#define ZERO_REGISTER 31u
/* The most elements of a vector: 2048 bits in elements of 128. */
#define VECTORS_MAX 16u

/* ---- Accesses ---- */

static uint64_t accesses_size(const xtrace_facts *f)
{
    return f->access_end - f->access_offset;
}

/* How many bytes an instruction reads or writes. If it is predicated, or the opcode does not tell,
   these are upper bounds. */
typedef struct sizes {
    uint64_t read_max, written_max;
    bool is_exact;
} sizes;

static bool may_access(const a64_insn *what)
{
    return what->group == A64_GROUP_MEMORY || what->class == A64_ZERO_BLOCK;
}

static sizes sizes_of(const a64_insn *what)
{
    const uint16_t vague = A64_IS_PREDICATED | A64_IS_SCALED | A64_IS_FAULTING;
    sizes s = {.is_exact = (what->flags & vague) == 0 && what->class != A64_LOAD_TAG &&
                           what->class != A64_STORE_TAG};
    uint64_t size = what->size;
    if ((what->flags & A64_IS_SCALED) != 0)
        size *= VECTORS_MAX;
    s.read_max = (what->flags & A64_IS_LOAD) != 0 ? size : 0;
    s.written_max = (what->flags & A64_IS_STORE) != 0 ? size : 0;
    return s;
}

/* Tells whether the sizes of the accesses fit the instruction. A conditional store, or one after a
   comparison, may be missing, and an exclusive store may be made by a comparison, which reads. */
static bool sizes_fit(const sizes *s, const a64_insn *what, const xtrace_facts *f)
{
    const bool may_fail = (what->flags & (A64_IS_EXCLUSIVE | A64_IS_ATOMIC)) != 0;
    const uint64_t read_max = what->class == A64_STORE_EXCLUSIVE ? s->written_max : s->read_max;
    if (f->read_size > read_max || f->written_size > s->written_max)
        return false;
    if (!s->is_exact)
        return true;
    return (f->read_size == read_max || (may_fail && f->read_size == 0)) &&
           (f->written_size == s->written_max || (may_fail && f->written_size == 0));
}

/* Returns false if the accesses are not those of the instruction. */
static bool check_sizes(xtrace_check *check, const char *name, const a64_insn *what)
{
    const xtrace_facts *f = &check->facts;
    const sizes s = sizes_of(what);
    /* Branches write to the stack of calls if there is one. */
    if (what->group == A64_GROUP_BRANCH || what->group == A64_GROUP_NONE ||
        what->group == A64_GROUP_EXCEPTION || (what->flags & A64_IS_UNSIZED) != 0 || f->is_partial)
        return true;
    if (!may_access(what))
        diag_report(check->diag, &xtrace_codes[XTR017], name, f->access_offset, accesses_size(f),
                    "none: the instruction does not access memory", "opcode %08" PRIx32,
                    f->record.opcode);
    else if (!sizes_fit(&s, what, f))
        diag_report(check->diag, &xtrace_codes[XTR017], name, f->access_offset, accesses_size(f),
                    NULL,
                    "%" PRIu64 " bytes read and %" PRIu64 " written by opcode %08" PRIx32
                    ", which has %" PRIu64 " and %" PRIu64,
                    f->read_size, f->written_size, f->record.opcode, s.read_max, s.written_max);
    else
        return true;
    xtrace_check_doubt(check, f->access_offset);
    return false;
}

/* Returns false if the registers make another address. */
static bool check_address(xtrace_check *check, const char *name, const a64_insn *what)
{
    const xtrace_facts *f = &check->facts;
    uint64_t address;
    if (!a64_address(&check->registers, what, &f->record, &address) ||
        ((address ^ f->accesses[0].address) & ADDRESS_MASK) == 0)
        return true;
    diag_report(check->diag, &xtrace_codes[XTR018], name, f->access_offset, accesses_size(f), NULL,
                "an access at %#" PRIx64 ", and registers that make %#" PRIx64
                " for opcode %08" PRIx32,
                f->accesses[0].address, address, f->record.opcode);
    /* Any of the registers may be the wrong one. */
    a64_forget_all(&check->registers);
    return false;
}

/* Checks that plain stores write what their registers hold. */
static void check_stored(xtrace_check *check, const char *name, const a64_insn *what)
{
    const xtrace_facts *f = &check->facts;
    const unsigned count = (what->flags & A64_IS_PAIR) != 0 ? 2 : 1, size = what->size / count;
    const unsigned regs[] = {f->record.opcode & 31u, f->record.opcode >> 10 & 31u};
    if ((what->class != A64_STORE && what->class != A64_STORE_PAIR &&
         what->class != A64_STORE_RELEASE) ||
        (what->flags & (A64_IS_VECTOR | A64_IS_UNSIZED)) != 0 || size == 0 || size > 8)
        return;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t mask = UINT64_MAX >> (64 - 8 * size);
        const uint64_t held = regs[i] == ZERO_REGISTER ? 0 : check->registers.x[regs[i]] & mask;
        uint64_t stored;
        if ((regs[i] != ZERO_REGISTER && !a64_is_known(&check->registers, regs[i])) ||
            !a64_accessed(&f->record, true, i * size, size, &stored) || stored == held)
            continue;
        diag_report(check->diag, &xtrace_codes[XTR023], name, f->access_offset, accesses_size(f),
                    NULL, "%#" PRIx64 " by opcode %08" PRIx32 ", and %#" PRIx64 " in register %u",
                    stored, f->record.opcode, held, regs[i]);
        if (regs[i] != ZERO_REGISTER)
            a64_forget(&check->registers, regs[i]);
    }
}

void xtrace_check_accesses(xtrace_check *check, const char *name, const a64_insn *what)
{
    if (check->facts.record.access_count == 0)
        return;
    /* What the wrong access stores, and where, are no faults of their own. */
    if (check_sizes(check, name, what) && check_address(check, name, what))
        check_stored(check, name, what);
}

/* ---- Snapshots ---- */

void xtrace_check_registers(xtrace_check *check, const xtrace_snapshots *s)
{
    a64_registers *r = &check->registers;
    bool is_reported = false;
    for (unsigned i = 0; i < STELE_XTRACE_GPR_COUNT; i++) {
        const uint64_t value = load_le64(s->next.x + 8 * (size_t)i);
        /* When number 31 is the zero register, it tells nothing of the stack pointer. */
        if (i == A64_SP && value == 0) {
            a64_forget(r, i);
            continue;
        }
        if (a64_is_known(r, i) && r->x[i] != value && !is_reported) {
            is_reported = true;
            diag_report(check->diag, &xtrace_codes[XTR016], s->win.in->name,
                        s->offset + 32 + 8 * (uint64_t)i, 8, NULL,
                        "%#" PRIx64 " in register %u, and instructions that leave %#" PRIx64, value,
                        i, r->x[i]);
        }
        a64_learn(r, i, value);
    }
}
