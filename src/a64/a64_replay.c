/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes what instructions do to general registers, as far as a trace says what they read.
 * Invariants:
 *
 * - A register is either known, with the value that the thread really had, or unknown. What is not
 *   modelled makes the registers that it writes unknown; an instruction that may have done anything
 *   makes all of them unknown. A wrong value would be worse than none.
 * - Values are computed even of unknown numbers, whose value may be anything, and is_known says
 *   whether the result counts. So all arithmetic is unsigned and defined for every value.
 * - Writing a W register clears its upper 32 bits: fit() does so with every result.
 * - Register 31 is the zero register or the stack pointer, which depends on the instruction: get()
 *   and set() mean the former, get_sp() and set_sp() the latter.
 */
#include "a64/a64_replay.h"
#include "a64/a64_replay_value.h"

/* ---- Operands of instructions ---- */

/* Shifts or rotates a register: LSL, LSR, ASR or ROR. */
static number shift(uint32_t opcode, number n, unsigned kind, unsigned by)
{
    const unsigned width = width_of(opcode);
    const uint64_t value = n.value & ones(width);
    switch (kind) {
    case 0: n.value = value << by; break;
    case 1: n.value = value >> by; break;
    case 2: n.value = (uint64_t)((int64_t)sign_extend(value, width) >> by); break;
    default: n.value = rotate(value, by, width); break;
    }
    return fit(opcode, n);
}

/* Rm, shifted by a constant: "shift" in bits 23 and 22, "imm6" in bits 15 to 10. */
static number shifted_register(const a64_registers *r, uint32_t opcode)
{
    return shift(opcode, get(r, (unsigned)bits(opcode, 16, 5)), (unsigned)bits(opcode, 22, 2),
                 (unsigned)bits(opcode, 10, 6));
}

/* Decodes the mask of logical and bitfield operations (Arm ARM, DecodeBitMasks): a run of ones,
   rotated and repeated. Returns false if the encoding is reserved. */
static bool bit_mask(uint32_t opcode, uint64_t *mask)
{
    const uint64_t n = bits(opcode, 22, 1), imms = bits(opcode, 10, 6), immr = bits(opcode, 16, 6);
    const uint64_t sizes = n << 6 | (~imms & 0x3f);
    unsigned log = 6;
    while (log > 0 && (sizes >> log & 1) == 0)
        log--;
    if (log == 0)
        return false;
    /* The element has 2 to 64 bits; imms holds the length of its run of ones less one, and all ones
       are reserved. */
    const unsigned size = 1u << log, levels = size - 1;
    const unsigned run = (unsigned)(imms & levels), by = (unsigned)(immr & levels);
    if (run == levels)
        return false;
    *mask = rotate(ones(run + 1), by, size);
    for (unsigned i = size; i < 64; i *= 2)
        *mask |= *mask << i;
    return true;
}

/* ---- Replay of integer instructions ---- */

static number add(number a, number b, bool is_minus)
{
    return both(a, b, is_minus ? a.value - b.value : a.value + b.value);
}

/* Replays add and subtract (Arm ARM C4.1): immediate, extended register, shifted register. The
   result of those with carry is unknown. */
static void replay_add(a64_registers *r, uint32_t opcode)
{
    const unsigned rd = (unsigned)bits(opcode, 0, 5), rn = (unsigned)bits(opcode, 5, 5);
    const bool is_minus = bits(opcode, 30, 1) != 0, sets_flags = bits(opcode, 29, 1) != 0;
    const uint32_t kind = (uint32_t)bits(opcode, 24, 5);
    if (kind == 0x11 && bits(opcode, 23, 1) == 0) {
        const number immediate = known(bits(opcode, 10, 12) << (12 * bits(opcode, 22, 1)));
        /* Of the forms that set flags, Rd 31 is the zero register: CMP and CMN. */
        (sets_flags ? set : set_sp)(r, rd, fit(opcode, add(get_sp(r, rn), immediate, is_minus)));
    } else if (kind == 0x0b && bits(opcode, 21, 1) != 0) {
        const number other = extended_register(r, opcode, (unsigned)bits(opcode, 10, 3));
        (sets_flags ? set : set_sp)(r, rd, fit(opcode, add(get_sp(r, rn), other, is_minus)));
    } else if (kind == 0x0b) {
        set(r, rd, fit(opcode, add(get(r, rn), shifted_register(r, opcode), is_minus)));
    } else {
        a64_forget(r, rd); /* with carry: the flags are not known */
    }
}

/* AND and ANDS (kinds 0 and 3), ORR, EOR. */
static number logical(unsigned kind, number a, number b)
{
    switch (kind) {
    case 1: return both(a, b, a.value | b.value);
    case 2: return both(a, b, a.value ^ b.value);
    default: return both(a, b, a.value & b.value);
    }
}

/* Replays logical operations with a mask (Arm ARM C4.1), or with a register that may be inverted.
 */
static void replay_logical(a64_registers *r, uint32_t opcode)
{
    const unsigned rd = (unsigned)bits(opcode, 0, 5), kind = (unsigned)bits(opcode, 29, 2);
    const number left = get(r, (unsigned)bits(opcode, 5, 5));
    number right;
    if (bits(opcode, 23, 6) == 0x24) {
        uint64_t mask = 0;
        right = bit_mask(opcode, &mask) ? known(mask) : unknown;
        (kind == 3 ? set : set_sp)(r, rd, fit(opcode, logical(kind, left, right)));
    } else if (bits(opcode, 24, 5) == 0x0a) {
        right = shifted_register(r, opcode);
        if (bits(opcode, 21, 1) != 0)
            right.value = ~right.value;
        set(r, rd, fit(opcode, logical(kind, left, right)));
    } else {
        a64_forget(r, rd);
    }
}

/* Replays MOVN, MOVZ, MOVK. */
static void replay_move(a64_registers *r, uint32_t opcode)
{
    const unsigned rd = (unsigned)bits(opcode, 0, 5), by = (unsigned)(16 * bits(opcode, 21, 2));
    const uint64_t value = bits(opcode, 5, 16) << by;
    number n = known(value);
    if (bits(opcode, 29, 2) == 0)
        n.value = ~value;
    if (bits(opcode, 29, 2) == 3) { /* MOVK keeps the other 48 bits, which must be known */
        n = get(r, rd);
        n.value = (n.value & ~(UINT64_C(0xffff) << by)) | value;
    }
    set(r, rd, fit(opcode, n));
}

/* Replays EXTR, SBFM, BFM, UBFM: they put a field of the source at a position of the
   destination. */
static void replay_bitfield(a64_registers *r, uint32_t opcode)
{
    const unsigned rd = (unsigned)bits(opcode, 0, 5), width = width_of(opcode);
    const unsigned imms = (unsigned)bits(opcode, 10, 6), immr = (unsigned)bits(opcode, 16, 6);
    const unsigned kind = (unsigned)bits(opcode, 29, 2);
    number n = get(r, (unsigned)bits(opcode, 5, 5)), old = get(r, rd);
    if (bits(opcode, 23, 6) == 0x27) {
        const number low = get(r, (unsigned)bits(opcode, 16, 5));
        const uint64_t high = imms == 0 ? 0 : n.value << (width - imms);
        set(r, rd, fit(opcode, both(n, low, high | (low.value & ones(width)) >> imms)));
        return;
    }
    /* With imms < immr the lowest imms + 1 bits move up; else bits immr to imms move down to bit 0.
     */
    const bool is_insert = imms < immr;
    const unsigned count = is_insert ? imms + 1 : imms - immr + 1;
    const unsigned to = is_insert ? width - immr : 0;
    uint64_t field = is_insert ? n.value & ones(count) : n.value >> immr & ones(count);
    if (kind == 0)
        field = sign_extend(field, count);
    n.value = field << to;
    if (kind == 1) { /* BFM keeps the bits around the field */
        const uint64_t mask = ones(count) << to;
        n = both(n, old, (old.value & ~mask) | (n.value & mask));
    }
    set(r, rd, fit(opcode, n));
}

/* Replays LSLV, LSRV, ASRV, RORV. */
static void replay_shift(a64_registers *r, uint32_t opcode)
{
    const number by = get(r, (unsigned)bits(opcode, 16, 5));
    const number n = get(r, (unsigned)bits(opcode, 5, 5));
    const unsigned places = (unsigned)by.value & (width_of(opcode) - 1);
    const number result = shift(opcode, n, (unsigned)bits(opcode, 10, 2), places);
    set(r, (unsigned)bits(opcode, 0, 5), both(by, n, result.value));
}

/* Replays MADD, MSUB and their long forms. The upper half of a product is not computed. */
static void replay_multiply(a64_registers *r, uint32_t opcode)
{
    const unsigned kind = (unsigned)bits(opcode, 21, 3);
    const number n = get(r, (unsigned)bits(opcode, 5, 5)),
                 m = get(r, (unsigned)bits(opcode, 16, 5));
    const number a = get(r, (unsigned)bits(opcode, 10, 5));
    uint64_t left = n.value, right = m.value;
    if ((kind & 3) == 1) {
        left = kind == 1 ? sign_extend(left, 32) : left & ones(32);
        right = kind == 1 ? sign_extend(right, 32) : right & ones(32);
    }
    const uint64_t product = left * right;
    const number sum =
        both(both(n, m, 0), a, bits(opcode, 15, 1) != 0 ? a.value - product : a.value + product);
    const bool is_modelled = bits(opcode, 24, 5) == 0x1b && (kind & 3) <= 1;
    set(r, (unsigned)bits(opcode, 0, 5), is_modelled ? fit(opcode, sum) : unknown);
}

/* Replays UDIV and SDIV. Division by zero gives 0, and the smallest number divided by -1 itself:
   the latter is negated without a sign, as C does not define it. */
static void replay_divide(a64_registers *r, uint32_t opcode)
{
    const unsigned width = width_of(opcode);
    const number n = get(r, (unsigned)bits(opcode, 5, 5)),
                 m = get(r, (unsigned)bits(opcode, 16, 5));
    const uint64_t a = n.value & ones(width), b = m.value & ones(width);
    uint64_t quotient = b == 0 ? 0 : a / b;
    if (bits(opcode, 10, 1) != 0 && b != 0) {
        const int64_t left = (int64_t)sign_extend(a, width), right = (int64_t)sign_extend(b, width);
        quotient = right == -1 ? 0 - (uint64_t)left : (uint64_t)(left / right);
    }
    set(r, (unsigned)bits(opcode, 0, 5), fit(opcode, both(n, m, quotient)));
}

/* Whether a condition holds for the flags NZCV in bits 31 to 28 (Arm ARM C1.2.4). */
static bool condition_holds(unsigned condition, uint64_t flags)
{
    const bool n = (flags >> 31 & 1) != 0, z = (flags >> 30 & 1) != 0;
    const bool c = (flags >> 29 & 1) != 0, v = (flags >> 28 & 1) != 0;
    bool holds = true;
    switch (condition >> 1) {
    case 0: holds = z; break;
    case 1: holds = c; break;
    case 2: holds = n; break;
    case 3: holds = v; break;
    case 4: holds = c && !z; break;
    case 5: holds = n == v; break;
    case 6: holds = n == v && !z; break;
    default: return true;
    }
    return holds != ((condition & 1) != 0);
}

/* Replays CSEL, CSINC, CSINV, CSNEG, which do not change the flags. Their result is not known if
   the flags were not recorded. */
static void replay_select(a64_registers *r, const a64_record *record)
{
    const uint32_t opcode = record->opcode;
    number n = get(r, (unsigned)bits(opcode, 5, 5));
    if (!record->has_flags) {
        set(r, (unsigned)bits(opcode, 0, 5), unknown);
        return;
    }
    /* Where the condition does not hold, the result is Rm, inverted, incremented, or both. */
    if (!condition_holds((unsigned)bits(opcode, 12, 4), record->flags)) {
        n = get(r, (unsigned)bits(opcode, 16, 5));
        n.value = bits(opcode, 30, 1) != 0 ? ~n.value : n.value;
        n.value += bits(opcode, 10, 1);
    }
    set(r, (unsigned)bits(opcode, 0, 5), fit(opcode, n));
}

/* ---- Replay of any instruction ---- */

/* Replays an instruction on integers; those that are not modelled make Rd unknown. */
static void replay_integer(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    const uint32_t opcode = record->opcode;
    const unsigned rd = (unsigned)bits(opcode, 0, 5);
    const uint64_t offset = (uint64_t)(int64_t)what->offset;
    switch (what->class) {
    case A64_ADD: replay_add(r, opcode); break;
    case A64_LOGICAL: replay_logical(r, opcode); break;
    case A64_MOVE: replay_move(r, opcode); break;
    case A64_SHIFT: replay_shift(r, opcode); break;
    case A64_BITFIELD: replay_bitfield(r, opcode); break;
    case A64_MULTIPLY: replay_multiply(r, opcode); break;
    case A64_DIVIDE: replay_divide(r, opcode); break;
    case A64_SELECT: replay_select(r, record); break;
    case A64_ADDRESS: set(r, rd, (number){record->pc + offset, record->has_pc}); break;
    case A64_ADDRESS_PAGE:
        set(r, rd, (number){(record->pc & ~UINT64_C(0xfff)) + (offset << 12), record->has_pc});
        break;
    case A64_COMPARE:
    case A64_FLAGS: break;
    case A64_AUTHENTICATE: /* the forms among the hints change X17 or X30 */
        a64_forget(r, rd);
        a64_forget(r, 17);
        a64_forget(r, 30);
        break;
    default: a64_forget(r, rd); break;
    }
}

/* Replays an instruction of the system: Rt gets what was recorded. */
static void replay_system(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    const unsigned rt = (unsigned)bits(record->opcode, 0, 5);
    switch (what->class) {
    case A64_REGISTER_READ: set(r, rt, (number){record->system, record->has_system}); break;
    case A64_REGISTER_WRITE: /* the kernel may switch to another thread here */
        if (record->level != 0)
            a64_forget_all(r);
        break;
    case A64_STATE_WRITE: a64_forget(r, A64_SP); break; /* another stack pointer may be selected */
    case A64_SYSTEM_OTHER:
        set(r, rt, unknown);
        set(r, (rt + 1) & 31u, unknown);
        break;
    default: break;
    }
}

/* Registers that no case names stay as they are; flags are no registers here, as records carry
 * them. */
void a64_replay(a64_registers *r, const a64_insn *what, const a64_record *record)
{
    switch (what->group) {
    case A64_GROUP_BRANCH:
        if (a64_is_call(what))
            set_sp(r, 30, (number){record->pc + 4, record->has_pc});
        break;
    case A64_GROUP_EXCEPTION:
        if (what->class == A64_SUPERVISOR_CALL && record->level == 0)
            set(r, 0, (number){record->result, record->has_result});
        else if (what->class != A64_SUPERVISOR_CALL && what->class != A64_EXCEPTION_RETURN)
            a64_forget_all(r);
        break;
    case A64_GROUP_SYSTEM: replay_system(r, what, record); break;
    case A64_GROUP_MEMORY: a64_replay_memory(r, what, record); break;
    case A64_GROUP_INTEGER: replay_integer(r, what, record); break;
    /* The instruction is emulated, or newer than this decoder. */
    case A64_GROUP_NONE: a64_forget_all(r); break;
    default: a64_forget(r, (unsigned)bits(record->opcode, 0, 5)); break;
    }
}
