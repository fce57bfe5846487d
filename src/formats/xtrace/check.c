/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the format asks for and a reader can do without. What keeps tokens from being read is found
 * by the scan. Nothing is reported that a sound trace can hold: between two instructions at
 * different levels anything may have happened. A program counter that jumps over damage tells that
 * instructions are missing.
 */
#include <inttypes.h>

#include "formats/xtrace/trace.h"

#define INTERVAL_USUAL UINT64_C(1000000)

/* Addresses below tags and signatures of pointers. */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

#define SVC_ARGUMENTS 7u

static bool opcode_is_svc(uint32_t opcode)
{
    return (opcode & 0xffe0001fu) == 0xd4000001u;
}

/* Above user mode an exception can be taken to the same level, to one of 16 vectors that lie 128
   bytes apart (Arm ARM D1.3.1). */
static bool can_be_vector(const xtrace_group *group)
{
    return group->level != 0 && (group->pc & 0x7f) == 0;
}

/* What the tokens of the group say that later groups are judged by. */
static void check_values(xtrace_check *check, const char *name, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &check->trace->tokens;
    stele_xtrace_token token;
    unsigned argument_count = 0;
    uint64_t arguments_at = 0;
    for (size_t at = (size_t)xtrace_group_values(group), size; at < group->size; at += size) {
        size = xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
        switch (tokens->kinds[group->bytes[at]]) {
        case STELE_XTRACE_TARGET_B:
            xtrace_token_decode(tokens, group->bytes + at, size, &token);
            check->has_target = true;
            check->target = token.value;
            check->target_offset = group->offset + at;
            break;
        case STELE_XTRACE_SVCARG:
            if (argument_count == 0)
                arguments_at = at;
            argument_count += (unsigned)((size - 1) / 8);
            break;
        default: break;
        }
    }
    if (argument_count != 0 && (!opcode_is_svc(group->opcode) || argument_count != SVC_ARGUMENTS))
        diag_report(check->diag, &xtrace_codes[XTR013], name, group->offset + arguments_at, 0,
                    "a number and six arguments behind SVC", "%u values behind opcode %08" PRIx32,
                    argument_count, group->opcode);
}

static void check_order(const xtrace_check *check, const char *name, const xtrace_group *group)
{
    const xtrace_group *last = &check->last;
    if (!check->has_last || !last->has_pc || !group->has_pc || last->level != group->level ||
        can_be_vector(group) || group->has_gpr)
        return; /* registers in whole stand where the kernel was, unseen: at a signal, too */
    if (check->has_target && ((check->target ^ group->pc) & ADDRESS_MASK) != 0)
        diag_report(check->diag, &xtrace_codes[XTR007], name, check->target_offset, 9, NULL,
                    "a target of %#" PRIx64 ", and the next instruction at %#" PRIx64,
                    check->target, group->pc);
    if (!check->has_target && group->pc != last->pc + 4 && !xtrace_opcode_can_jump(last->opcode))
        diag_report(check->diag, &xtrace_codes[XTR006], name, group->offset + group->insn, 13, NULL,
                    "a program counter of %#" PRIx64 " behind opcode %08" PRIx32 " at %#" PRIx64,
                    group->pc, last->opcode, last->pc);
}

void xtrace_check_group(xtrace_check *check, const char *name, const xtrace_group *group)
{
    if (group->kind != XTRACE_GROUP_INSN) {
        check->has_target = false; /* what was branched to may be lost */
        check->has_gap |= group->kind == XTRACE_GROUP_BYTES;
        return;
    }
    check_order(check, name, group);
    check->has_target = false;
    if (group->size != xtrace_group_values(group))
        check_values(check, name, group);
    check->last = *group;
    check->last.bytes = NULL;
    check->has_last = true;
    check->user_count += group->level == 0;
}

static void check_counts(xtrace_check *check, const xtrace_snapshots *s, const char *name)
{
    const stele_xtrace_snapshot *next = &s->next;
    const uint64_t user = next->user_count - check->snapshot_user;
    const uint64_t total = next->total_count - check->snapshot_total;
    const uint64_t seen = check->user_count - check->snapshot_seen;
    const bool by_total = s->part->has_header && s->part->header.division == STELE_XTRACE_BY_TOTAL;
    const uint64_t interval = by_total ? total : user;
    if (next->user_count > next->total_count)
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 16, NULL,
                    "%" PRIu64 " instructions of user mode of %" PRIu64, next->user_count,
                    next->total_count);
    if (s->count == 0)
        return;
    if (next->user_count < check->snapshot_user || next->total_count < check->snapshot_total)
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 16, NULL,
                    "counts that are less than those of the snapshot before");
    else if (s->part->insns.kind != XTRACE_FILE_NONE && !check->has_gap && user != seen)
        diag_report(check->diag, &xtrace_codes[XTR010], name, s->offset + 16, 8, NULL,
                    "%" PRIu64 " instructions of user mode since the last snapshot, and %" PRIu64
                    " are there",
                    user, seen);
    else if (interval != INTERVAL_USUAL && !check->is_interval_reported) {
        check->is_interval_reported = true;
        diag_report(check->diag, &xtrace_codes[XTR011], name, s->offset, 0, "1000000 instructions",
                    "%" PRIu64, interval);
    }
}

void xtrace_check_snapshot(xtrace_check *check, const xtrace_snapshots *s,
                           const xtrace_group *group)
{
    const char *name = s->win.in->name;
    const uint64_t index = s->next.index;
    const bool is_place = group != NULL && group->is_pcinst &&
                          (index == group->offset || index == group->offset + group->insn);
    check_counts(check, s, name);
    if (s->part->insns.kind != XTRACE_FILE_NONE && s->part->is_index_offset && !is_place)
        diag_report(check->diag, &xtrace_codes[XTR009], name, s->offset + 8, 8,
                    "the offset of a PCINST", "%" PRIu64, index);
    check->snapshot_user = s->next.user_count;
    check->snapshot_total = s->next.total_count;
    check->snapshot_seen = check->user_count;
}
