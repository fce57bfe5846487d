/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the rules that can be proven from one instruction to the next, for the path of the program
 * counter, system calls and snapshots. The rules about registers and accesses are in
 * check_registers.c.
 */
#include "formats/xtrace/check.h"

#include <inttypes.h>
#include <stdlib.h>

#define INTERVAL_USUAL UINT64_C(1000000)

/* The bits of an address below the tag and the signature of a pointer. */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

#define SVC_ARGUMENTS 7u

xtrace_check *xtrace_check_new(const xtrace_trace *trace, const xtrace_part *part, diag_sink *diag)
{
    xtrace_check *check = calloc(1, sizeof *check);
    if (check == NULL)
        return NULL;
    check->trace = trace;
    check->part = part;
    check->diag = diag;
    return check;
}

/* ---- Facts of an instruction ---- */

static void take_access(xtrace_facts *f, const stele_xtrace_token *token, uint64_t offset)
{
    const bool is_store = token->kind == STELE_XTRACE_STORE;
    if (f->record.access_count == 0)
        f->access_offset = offset;
    f->access_end = offset + 9 + token->payload_size;
    *(is_store ? &f->written_size : &f->read_size) += token->payload_size;
    if (f->record.access_count == XTRACE_CHECK_ACCESSES) {
        f->is_partial = true;
        return;
    }
    /* What a collector did not see of devices' memory is recorded as zeros. */
    const bool is_device = f->record.level != 0 && token->value == 0;
    f->accesses[f->record.access_count++] = (a64_access){.address = token->address,
                                                         .bytes = is_device ? NULL : token->payload,
                                                         .size = (uint32_t)token->payload_size,
                                                         .is_store = is_store};
}

static void take_arguments(xtrace_facts *f, const stele_xtrace_token *token, uint64_t offset)
{
    if (!f->has_arguments)
        f->arguments_offset = offset;
    f->has_arguments = true;
    f->argument_count += (unsigned)(token->payload_size / 8);
}

static void take_token(xtrace_facts *f, const stele_xtrace_token *token, uint64_t offset)
{
    a64_record *r = &f->record;
    switch (token->kind) {
    case STELE_XTRACE_LOAD:
    case STELE_XTRACE_STORE: take_access(f, token, offset); break;
    case STELE_XTRACE_STXR:
        r->has_status = true;
        r->status = token->value;
        break;
    case STELE_XTRACE_MRS:
        r->has_system = true;
        r->system = token->value;
        break;
    case STELE_XTRACE_MISC_FLAGS:
        r->has_flags = true;
        r->flags = token->value;
        break;
    case STELE_XTRACE_SVCARG: take_arguments(f, token, offset); break;
    case STELE_XTRACE_SVCRET:
        r->has_result = f->has_result = true;
        r->result = token->value;
        f->result_offset = offset;
        break;
    case STELE_XTRACE_SYSCALL_VEC:
        f->has_vectors = true;
        f->vectors_offset = offset;
        f->vectors_size = XTRACE_VEC_HEAD + token->payload_size;
        break;
    case STELE_XTRACE_TARGET_B:
        f->has_target = true;
        f->target = token->value;
        f->target_offset = offset;
        break;
    case STELE_XTRACE_TIME:
        if (!f->has_order) {
            f->order_first = token->value;
            f->order_offset = offset;
        }
        f->has_order = true;
        f->order_last = token->value;
        break;
    case STELE_XTRACE_ALLGPR: f->registers = token->payload; break;
    default: break;
    }
}

static void take_facts(xtrace_check *check, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &check->trace->tokens;
    xtrace_facts *f = &check->facts;
    f->record = (a64_record){.opcode = group->opcode,
                             .level = group->level,
                             .has_pc = group->has_pc,
                             .pc = group->pc,
                             .accesses = f->accesses};
    f->registers = NULL;
    f->read_size = f->written_size = 0;
    f->argument_count = 0;
    f->has_order = false;
    f->is_partial = f->has_target = f->has_arguments = f->has_vectors = f->has_result = false;
    for (size_t at = 0, size; at < group->size; at += size) {
        stele_xtrace_token token;
        size = xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
        xtrace_token_decode(tokens, group->bytes + at, size, &token);
        take_token(f, &token, group->offset + at);
    }
}

/* ---- The path of the program counter ---- */

/* Tells whether an instruction can be an exception vector. Above user mode, an exception can be
   taken to the same level, to one of 16 vectors that lie 128 bytes apart (Arm ARM D1.3.1). */
static bool can_be_vector(const xtrace_group *group)
{
    return group->level != 0 && (group->pc & 0x7f) == 0;
}

/* Tells whether the last instruction can lead to this one by itself. */
static bool follows(const xtrace_check *check, const xtrace_group *group)
{
    const a64_insn *what = &check->last_what;
    const uint64_t next = check->last.pc + 4;
    switch (what->group) {
    case A64_GROUP_BRANCH:
        if (a64_is_indirect(what))
            return true;
        return group->pc == check->last.pc + (uint64_t)(int64_t)what->offset ||
               (a64_is_conditional(what) && group->pc == next);
    case A64_GROUP_EXCEPTION:
    case A64_GROUP_NONE: return true;
    default: return group->pc == next;
    }
}

static void check_way(const xtrace_check *check, const char *name, const xtrace_group *group)
{
    const xtrace_group *last = &check->last;
    if (!last->has_pc || !group->has_pc || last->level != group->level || group->has_gpr ||
        can_be_vector(group))
        return;
    if (check->has_target && ((check->target ^ group->pc) & ADDRESS_MASK) != 0)
        diag_report(check->diag, &xtrace_codes[XTR007], name, check->target_offset, 9, NULL,
                    "a target of %#" PRIx64 ", and the next instruction at %#" PRIx64,
                    check->target, group->pc);
    else if (!check->has_target && !follows(check, group))
        diag_report(check->diag, &xtrace_codes[XTR006], name, group->offset + group->insn, 13, NULL,
                    "a program counter of %#" PRIx64 " after opcode %08" PRIx32 " at %#" PRIx64,
                    group->pc, last->opcode, last->pc);
    else
        return;
    if (check->doubt_left != 0)
        diag_report(check->diag, &xtrace_codes[XTR024], name, check->doubt_offset,
                    group->offset - check->doubt_offset, NULL,
                    "a value that does not fit, and a jump after it");
}

/* Tells whether the registers before this instruction are those after the last one. */
static bool goes_on(const xtrace_check *check, const xtrace_group *group)
{
    const xtrace_group *last = &check->last;
    return check->has_last && last->has_pc && group->has_pc && last->level == group->level &&
           !group->has_gpr && follows(check, group) &&
           (!check->has_target || ((check->target ^ group->pc) & ADDRESS_MASK) == 0);
}

/* ---- System calls ---- */

/* Checks that a result has a call before it. This does not hold for a core, which runs many
   threads. A trace may also begin within a call. */
static void check_result(const xtrace_check *check, const char *name)
{
    const xtrace_facts *f = &check->facts;
    if (f->has_result && check->has_calls && check->open_count == 0 && !check->part->is_core)
        diag_report(check->diag, &xtrace_codes[XTR019], name, f->result_offset, 9,
                    "a system call without a result before it", "a result");
}

static void check_call(xtrace_check *check, const char *name, const xtrace_group *group,
                       bool is_call)
{
    const xtrace_facts *f = &check->facts;
    if (f->has_arguments && (!is_call || f->argument_count != SVC_ARGUMENTS))
        diag_report(check->diag, &xtrace_codes[XTR013], name, f->arguments_offset, 0,
                    "a number and six arguments after SVC", "%u values after opcode %08" PRIx32,
                    f->argument_count, group->opcode);
    if (f->has_vectors && !(is_call && f->has_arguments && f->vectors_offset > f->arguments_offset))
        diag_report(check->diag, &xtrace_codes[XTR019], name, f->vectors_offset, f->vectors_size,
                    "the arguments of a system call before them", "vectors");
    if (is_call) {
        check->has_calls = true;
        check->open_count++;
    }
    check_result(check, name);
    if (f->has_result && check->open_count != 0)
        check->open_count--;
}

/* ---- Tokens of an instruction ---- */

/* Tells whether an instruction of this class can have such a value. Instructions that are not known
   can have any. */
static bool value_fits(stele_xtrace_kind kind, const a64_insn *what)
{
    if (what->group == A64_GROUP_NONE)
        return true;
    switch (kind) {
    case STELE_XTRACE_STXR: return what->class == A64_STORE_EXCLUSIVE;
    case STELE_XTRACE_MRS:
        return what->class == A64_REGISTER_READ || what->class == A64_REGISTER_WRITE ||
               what->class == A64_STATE_WRITE || what->class == A64_SYSTEM_OTHER;
    case STELE_XTRACE_DC: return what->class == A64_ZERO_BLOCK || what->class == A64_CACHE;
    case STELE_XTRACE_TARGET_B: return a64_is_indirect(what) || what->class == A64_EXCEPTION_RETURN;
    default: return true;
    }
}

/* Tells whether other tokens, among them an instruction, fill a long token from the end of a
   shorter one up to its own end. */
static bool is_filled(const stele_xtrace_tokens *tokens, const uint8_t *at, size_t size)
{
    for (size_t begin = 5; begin < 14; begin += 4) {
        size_t end;
        const size_t count = xtrace_tokens_count(tokens, at + begin, size - begin, SIZE_MAX, &end);
        if (end == size - begin && count > 2)
            return true;
    }
    return false;
}

static void check_tokens(xtrace_check *check, const char *name, const xtrace_group *group,
                         const a64_insn *what)
{
    const stele_xtrace_tokens *tokens = &check->trace->tokens;
    for (size_t at = 0, size; at < group->size; at += size) {
        const stele_xtrace_kind kind = (stele_xtrace_kind)tokens->kinds[group->bytes[at]];
        size = xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
        if (!value_fits(kind, what)) {
            diag_report(check->diag, &xtrace_codes[XTR025], name, group->offset + at, size, NULL,
                        "%s after opcode %08" PRIx32, stele_xtrace_kind_text(kind), group->opcode);
            xtrace_check_doubt(check, group->offset + at);
        }
        if ((kind == STELE_XTRACE_ALLGPR || kind == STELE_XTRACE_SYSCALL_VEC) &&
            is_filled(tokens, group->bytes + at, size) &&
            !diag_is_explained(check->diag, STELE_WARNING, name, group->offset + at, size))
            diag_report(check->diag, &xtrace_codes[XTR024], name, group->offset + at, size, NULL,
                        "a token %02x of %zu bytes, which others fill", group->bytes[at], size);
    }
}

/* ---- Instructions ---- */

static void check_order(xtrace_check *check, const char *name)
{
    const xtrace_facts *f = &check->facts;
    if (!f->has_order)
        return;
    if (check->has_order && f->order_first < check->order)
        diag_report(check->diag, &xtrace_codes[XTR022], name, f->order_offset, 0, NULL,
                    "%" PRIu64 " after %" PRIu64, f->order_first, check->order);
    check->has_order = true;
    check->order = f->order_last;
}

/* Handles a group that is not an instruction. What damage left out may have been anything, and a
   jump over it tells that something is missing. */
static void check_other(xtrace_check *check, const xtrace_group *group)
{
    check->has_target = check->has_calls = false;
    check->doubt_left = 0;
    check->has_gap |= group->kind == XTRACE_GROUP_BYTES;
    a64_forget_all(&check->registers);
}

void xtrace_check_group(xtrace_check *check, const char *name, const xtrace_group *group)
{
    const xtrace_facts *f = &check->facts;
    const a64_insn what = a64_classify(group->opcode);
    if (group->kind != XTRACE_GROUP_INSN) {
        check_other(check, group);
        return;
    }
    if (check->has_last)
        check_way(check, name, group);
    check->doubt_left -= check->doubt_left != 0;
    if (!check->is_at_snapshot && !goes_on(check, group))
        a64_forget_all(&check->registers);
    check->is_at_snapshot = false;
    take_facts(check, group);
    for (unsigned i = 0; f->registers != NULL && i < STELE_XTRACE_GPR_COUNT; i++)
        a64_learn(&check->registers, i, load_le64(f->registers + 8 * (size_t)i));
    check_call(check, name, group, what.class == A64_SUPERVISOR_CALL);
    check_order(check, name);
    check_tokens(check, name, group, &what);
    xtrace_check_accesses(check, name, &what);
    a64_replay(&check->registers, &what, &f->record);
    check->last = *group;
    check->last.bytes = NULL;
    check->last_what = what;
    check->has_last = true;
    check->has_target = f->has_target;
    check->target = f->target;
    check->target_offset = f->target_offset;
    check->user_count += group->level == 0;
}

/* ---- Snapshots ---- */

static bool check_rise(const xtrace_check *check, const xtrace_snapshots *s, const char *name)
{
    const stele_xtrace_snapshot *next = &s->next;
    const uint64_t user = next->user_count - check->snapshot_user;
    const uint64_t seen = check->user_count - check->snapshot_seen;
    if (next->user_count > next->total_count) {
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 16, NULL,
                    "%" PRIu64 " instructions of user mode of %" PRIu64, next->user_count,
                    next->total_count);
        return false;
    }
    if (s->count == 0)
        return false;
    if (next->user_count < check->snapshot_user || next->total_count < check->snapshot_total)
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 16, NULL,
                    "counts that are less than those of the snapshot before");
    else if (s->part->insns.kind != XTRACE_FILE_NONE && !check->has_gap && user != seen)
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 8, NULL,
                    "%" PRIu64 " instructions of user mode since the last snapshot, and %" PRIu64
                    " are there",
                    user, seen);
    else
        return true;
    return false;
}

/* Checks that snapshots are at equal distances, counted in instructions of user mode or in all
   instructions. */
static void check_interval(xtrace_check *check, const xtrace_snapshots *s, const char *name)
{
    const bool by_total = s->part->has_header && s->part->header.division == STELE_XTRACE_BY_TOTAL;
    const uint64_t interval = by_total ? s->next.total_count - check->snapshot_total
                                       : s->next.user_count - check->snapshot_user;
    if (interval != INTERVAL_USUAL && !check->is_interval_reported) {
        check->is_interval_reported = true;
        diag_report(check->diag, &xtrace_codes[XTR011], name, s->offset, 0, "1000000 instructions",
                    "%" PRIu64, interval);
    }
    if (s->count > 1 && interval != check->interval && !check->is_change_reported) {
        check->is_change_reported = true;
        if (!diag_is_explained(check->diag, STELE_WARNING, name, s->offset + (by_total ? 24 : 16),
                               8))
            diag_report(check->diag, &xtrace_codes[XTR020], name, s->offset + (by_total ? 24 : 16),
                        8, NULL, "%" PRIu64 " instructions after %" PRIu64, interval,
                        check->interval);
    }
    check->interval = interval;
}

void xtrace_check_snapshot(xtrace_check *check, const xtrace_snapshots *s,
                           const xtrace_group *group)
{
    const char *name = s->win.in->name;
    const uint64_t index = s->next.index;
    const bool is_place = group != NULL && group->is_pcinst &&
                          (index == group->offset || index == group->offset + group->insn);
    if (check_rise(check, s, name))
        check_interval(check, s, name);
    if (s->next.vl_bits != s->part->layout.vl_bits)
        diag_report(check->diag, &xtrace_codes[XTR021], name, s->offset + s->part->layout.size - 8,
                    8, NULL, "%" PRIu64 " bits, and %" PRIu32 " before", s->next.vl_bits,
                    s->part->layout.vl_bits);
    if (s->part->insns.kind != XTRACE_FILE_NONE && s->part->is_index_offset && !is_place) {
        diag_report(check->diag, &xtrace_codes[XTR009], name, s->offset + 8, 8,
                    "the offset of a PCINST", "%" PRIu64, index);
        /* Otherwise it is not known which instructions the registers belong to. */
    } else {
        if (group == NULL || !goes_on(check, group))
            a64_forget_all(&check->registers);
        xtrace_check_registers(check, s);
        check->is_at_snapshot = true;
    }
    check->snapshot_user = s->next.user_count;
    check->snapshot_total = s->next.total_count;
    check->snapshot_seen = check->user_count;
}
