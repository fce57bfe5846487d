/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/write/cut.h"

#include <stdlib.h>

#include "core/array.h"

#define COPY_PART_SIZE ((size_t)64 << 10)
#define NO_GAP         UINT64_MAX

/* ---- Opening ---- */

/* Steps to the next group. */
static stele_status cut_next(xtrace_cut *cut)
{
    const stele_status status = xtrace_scan_next(&cut->scan, &cut->group);
    cut->has_group = status == STELE_OK;
    return status == STELE_END ? STELE_OK : status;
}

static stele_status cut_open_insns(xtrace_cut *cut)
{
    const stele_limits *limits = &cut->trace->base.context->limits;
    stele_status status = xtrace_input_open(cut->trace, &cut->part->insns, &cut->insns);
    output *out;
    if (status != STELE_OK || cut->insns.in == NULL)
        return status;
    if (cut->part->insns.kind == XTRACE_FILE_WHOLE && !cut->insns.in->is_seekable)
        return STELE_ERR_UNSUPPORTED;
    /* The reader of the events reports what is wrong, so this scan reports nothing. */
    status =
        xtrace_scan_open(&cut->scan, cut->insns.in, &cut->trace->tokens, NULL, limits->window_size);
    cut->is_scanned = status == STELE_OK;
    if (status == STELE_OK)
        status = xtrace_pair_insns(cut->pair, &out);
    return status == STELE_OK ? cut_next(cut) : status;
}

stele_status xtrace_cut_open(xtrace_cut *cut, const xtrace_trace *trace, const xtrace_part *part,
                             xtrace_pair *pair)
{
    stele_status status;
    *cut = (xtrace_cut){.trace = trace, .part = part, .pair = pair, .gap = NO_GAP};
    status = cut_open_insns(cut);
    if (status == STELE_OK)
        status = xtrace_snapshots_open(&cut->snapshots, trace, part, NULL);
    if (status == STELE_OK && cut->snapshots.is_open && part->snapshots.kind == XTRACE_FILE_WHOLE &&
        !cut->snapshots.from.in->is_seekable)
        status = STELE_ERR_UNSUPPORTED;
    if (status != STELE_OK)
        xtrace_cut_close(cut);
    return status;
}

void xtrace_cut_close(xtrace_cut *cut)
{
    if (cut->is_scanned)
        xtrace_scan_close(&cut->scan);
    xtrace_input_close(&cut->insns);
    xtrace_snapshots_close(&cut->snapshots);
    free(cut->pending);
    *cut = (xtrace_cut){0};
}

stele_status xtrace_cut_seek(xtrace_cut *cut, uint64_t number, uint64_t offset)
{
    stele_status status = xtrace_snapshots_seek(&cut->snapshots, number);
    if (status != STELE_OK || !cut->is_scanned)
        return status;
    xtrace_scan_seek(&cut->scan, offset);
    return cut_next(cut);
}

/* ---- Snapshots ---- */

static void cut_put_header(xtrace_cut *cut, output *out)
{
    uint8_t bytes[XTRACE_HEADER_MAX];
    const uint32_t global = cut->part->header.global_snapshot;
    if (cut->has_header)
        return;
    cut->has_header = true;
    memcpy(bytes, cut->part->header_bytes, sizeof bytes);
    if (cut->part->has_header && cut->skipped != 0)
        store_le32(bytes + 4, cut->skipped < global ? global - (uint32_t)cut->skipped : 0);
    output_write(out, bytes, cut->part->layout.header_size);
}

bool xtrace_cut_is_due(const xtrace_cut *cut)
{
    if (!cut->snapshots.has_next)
        return false;
    return !cut->has_group ||
           (cut->group.kind == XTRACE_GROUP_INSN &&
            xtrace_snapshots_are_due(&cut->snapshots, cut->group.offset + cut->group.insn,
                                     cut->group.number));
}

stele_status xtrace_cut_keep_snapshot(xtrace_cut *cut)
{
    const stele_xtrace_snapshot *next = &cut->snapshots.next;
    const size_t size = cut->part->layout.size;
    uint8_t *to;
    if (cut->pending_count == cut->pending_capacity) {
        uint8_t *grown = array_grow_size(cut->pending, size, &cut->pending_capacity, 1);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        cut->pending = grown;
    }
    to = cut->pending + size * cut->pending_count++;
    memcpy(to, cut->snapshots.win.at, size);
    if (cut->is_mended)
        /* The snapshots of a slice are all in one file, with the number 0. */
        store_le64(to, 0);
    store_le64(to + 16, next->user_count - cut->user_removed);
    store_le64(to + 24, next->total_count - cut->total_removed);
    return xtrace_snapshots_step(&cut->snapshots);
}

/* Gives the new index of a snapshot. `insn_at` is where its instruction, or what is left after it,
   is written. */
static uint64_t index_move(const xtrace_cut *cut, uint64_t index, uint64_t shift_before,
                           uint64_t insn_at)
{
    if (cut->is_mended)
        return insn_at;
    if (!cut->part->is_index_offset)
        return index;
    if (index < cut->gap)
        return index + shift_before;
    return index < insn_at - cut->shift ? insn_at : index + cut->shift;
}

static stele_status cut_put_pending(xtrace_cut *cut, uint64_t shift_before, uint64_t insn_at)
{
    const size_t size = cut->part->layout.size;
    output *out;
    stele_status status;
    if (cut->pending_count == 0)
        return STELE_OK;
    status = xtrace_pair_snapshots(cut->pair, &out);
    if (status != STELE_OK)
        return status;
    cut_put_header(cut, out);
    for (size_t i = 0; i < cut->pending_count; i++) {
        uint8_t *at = cut->pending + size * i;
        store_le64(at + 8, index_move(cut, load_le64(at + 8), shift_before, insn_at));
        output_write(out, at, size);
    }
    cut->pending_count = 0;
    return out->status;
}

stele_status xtrace_cut_finish(xtrace_cut *cut)
{
    const uint64_t end = cut->pair->insns != NULL ? output_offset(cut->pair->insns) : 0;
    const bool has_insns = cut->is_scanned;
    cut->is_mended &= has_insns;
    return cut_put_pending(cut, has_insns ? cut->shift : 0, end);
}

/* ---- Instructions ---- */

stele_status xtrace_cut_leave(xtrace_cut *cut)
{
    if (cut->gap == NO_GAP)
        cut->gap = cut->group.offset;
    if (cut->group.kind == XTRACE_GROUP_INSN) {
        cut->user_removed += cut->group.level == 0;
        cut->total_removed++;
    }
    return cut_next(cut);
}

/* Copies bytes that are not tokens, in parts. */
static stele_status cut_copy_bytes(const xtrace_cut *cut, output *out)
{
    uint64_t done = 0;
    while (done < cut->group.size) {
        const uint64_t left = cut->group.size - done;
        uint8_t *to = output_reserve(out, COPY_PART_SIZE);
        size_t got = 0;
        stele_status status;
        if (to == NULL)
            return STELE_ERR_MEMORY;
        status = input_read(cut->insns.in, cut->group.offset + done, to,
                            left < COPY_PART_SIZE ? (size_t)left : COPY_PART_SIZE, &got);
        output_advance(out, got);
        done += got;
        if (status != STELE_OK || got == 0)
            return status;
    }
    return out->status;
}

/* Writes the group with a program counter of its own. */
static void cut_put_with_pc(const xtrace_cut *cut, output *out)
{
    const xtrace_group *group = &cut->group;
    const size_t values = (size_t)xtrace_group_values(group);
    uint8_t bytes[16];
    const size_t size = stele_xtrace_token_encode(&(stele_xtrace_token){.kind = STELE_XTRACE_PCINST,
                                                                        .level = group->level,
                                                                        .pc = group->pc,
                                                                        .opcode = group->opcode},
                                                  bytes);
    output_write(out, group->bytes, group->insn);
    output_write(out, bytes, size);
    output_write(out, group->bytes + values, (size_t)group->size - values);
}

static stele_status cut_put_insn(xtrace_cut *cut, output *out)
{
    const xtrace_group *group = &cut->group;
    const uint64_t shift_before = cut->shift;
    const bool needs_pc = !group->is_pcinst && group->has_pc &&
                          (cut->gap != NO_GAP || (cut->is_mended && cut->pending_count != 0));
    stele_status status;
    cut->shift = output_offset(out) - group->offset;
    status = cut_put_pending(cut, shift_before, output_offset(out) + group->insn);
    if (status != STELE_OK)
        return status;
    if (needs_pc)
        cut_put_with_pc(cut, out);
    else
        output_write(out, group->bytes, (size_t)group->size);
    return out->status;
}

stele_status xtrace_cut_keep(xtrace_cut *cut)
{
    const xtrace_group *group = &cut->group;
    output *out;
    stele_status status = xtrace_pair_insns(cut->pair, &out);
    if (status != STELE_OK)
        return status;
    /* After a gap, values whose instruction is missing would belong to another instruction, so they
       are left out. */
    if (group->kind == XTRACE_GROUP_VALUES && cut->gap != NO_GAP && output_offset(out) != 0)
        return xtrace_cut_leave(cut);
    if (group->kind == XTRACE_GROUP_INSN) {
        status = cut_put_insn(cut, out);
    } else {
        cut->shift = output_offset(out) - group->offset;
        if (group->kind == XTRACE_GROUP_BYTES)
            status = cut_copy_bytes(cut, out);
        else
            output_write(out, group->bytes, (size_t)group->size);
    }
    cut->gap = NO_GAP;
    return status == STELE_OK ? cut_next(cut) : status;
}
