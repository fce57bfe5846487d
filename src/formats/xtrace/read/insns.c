/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Produces instructions for model/insn.h. Almost all tokens are walked as they lie in the window
 * (insns_walk.c). Where something is unusual (all registers, vectors of a system call, damage, the
 * end), one group is taken from the scan, so that both see the same instructions.
 */
#include <stdlib.h>

#include "formats/xtrace/read/insns.h"

/* ---- Parts of a stream ----------------------------------------------------------------------- */

/* Finds where the snapshot with this number stands among the instructions; UINT64_MAX when that is
   not known. */
static stele_status snapshot_place(const insns *p, const xtrace_input *snapshots, uint64_t number,
                                   uint64_t *place)
{
    const stele_xtrace_layout *layout = &p->trace->parts[p->part].layout;
    uint8_t bytes[8], token = 0;
    size_t got;
    stele_status status = input_read(snapshots->in, layout->header_size + number * layout->size + 8,
                                     bytes, sizeof bytes, &got);
    *place = got == sizeof bytes ? load_le64(bytes) : UINT64_MAX;
    if (status == STELE_OK && *place < p->from.in->size)
        status = input_read(p->from.in, *place, &token, 1, &got);
    if (p->trace->tokens.kinds[token] != STELE_XTRACE_PCINST)
        *place = UINT64_MAX;
    return status;
}

/* Finds where part `number` of the request's parts begins, which is at a snapshot; UINT64_MAX when
   there is no such part. */
static stele_status part_begin(const insns *p, const xtrace_input *snapshots, uint32_t number,
                               uint64_t *begin)
{
    const stele_xtrace_layout *layout = &p->trace->parts[p->part].layout;
    const uint64_t count = (snapshots->in->size - layout->header_size) / layout->size;
    const uint64_t first = count * number / p->request.part_count;
    *begin = number == 0 ? 0 : UINT64_MAX;
    return first == 0 ? STELE_OK : snapshot_place(p, snapshots, first, begin);
}

/* Tells whether the stream can be read in parts. They need places in the stream that can be found
   without reading it. */
static bool can_part(const insns *p, const xtrace_input *snapshots)
{
    const xtrace_part *part = &p->trace->parts[p->part];
    return snapshots->in != NULL && snapshots->in->is_seekable && snapshots->in->has_size &&
           part->has_layout && part->is_index_offset && p->from.in->is_seekable &&
           p->from.in->has_size && snapshots->in->size >= part->layout.header_size;
}

/* Moves to the request's part of the open stream; it ends where the next part begins. */
static stele_status enter_part(insns *p)
{
    const uint32_t count = p->request.part_count;
    uint32_t number = p->request.part;
    uint64_t begin = number == 0 ? 0 : UINT64_MAX;
    xtrace_input snapshots;
    stele_status status =
        xtrace_input_open(p->trace, &p->trace->parts[p->part].snapshots, &snapshots);
    p->stop = UINT64_MAX;
    if (status == STELE_OK && can_part(p, &snapshots)) {
        status = part_begin(p, &snapshots, number, &begin);
        while (status == STELE_OK && begin != UINT64_MAX && p->stop == UINT64_MAX &&
               ++number < count)
            status = part_begin(p, &snapshots, number, &p->stop);
    }
    p->is_absent = begin == UINT64_MAX;
    p->base.is_astray |= p->stop < begin && !p->is_absent;
    xtrace_input_close(&snapshots);
    if (begin != 0 && !p->is_absent)
        window_move(&p->scan.win, begin, UINT64_MAX);
    p->begin = p->is_absent ? 0 : begin;
    return status;
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Accounts for the bytes of the streams so far. */
static stele_balance balance_now(const insns *p)
{
    stele_balance sum = p->balance;
    const stele_balance snapshots = xtrace_snapshots_balance(&p->snapshots);
    /* All parts look at the same snapshots, so only the first one counts them. */
    if (p->request.part == 0)
        balance_add(&sum, &snapshots);
    if (p->from.in != NULL && !p->is_absent) {
        const stele_balance scanned = xtrace_scan_balance(&p->scan, p->begin);
        balance_add(&sum, &scanned);
    }
    return sum;
}

static void stream_close(insns *p)
{
    p->balance = p->base.balance = balance_now(p);
    if (p->from.in != NULL)
        xtrace_scan_close(&p->scan);
    p->scan = (xtrace_scan){0};
    xtrace_input_close(&p->from);
    xtrace_snapshots_close(&p->snapshots);
    p->is_open = false;
}

/* Passes over what the request leaves out at the start of the stream, as far as an index leads. */
static stele_status enter_range(insns *p)
{
    const xtrace_part *part = &p->trace->parts[p->part];
    xtrace_place place;
    if ((p->request.insn_begin == 0 && p->request.snapshot_begin == 0) ||
        !xtrace_find_place(p->trace, part, p->request.insn_begin, p->request.snapshot_begin,
                           &place) ||
        place.count == 0)
        return STELE_OK;
    xtrace_scan_enter(&p->scan, &place);
    p->begin = place.offset;
    p->flags = 0;
    if (place.snapshot_count != 0)
        p->snapshot = place.snapshot_count - 1;
    return p->snapshots.is_open ? xtrace_snapshots_seek(&p->snapshots, place.snapshot_count)
                                : STELE_OK;
}

static stele_status stream_open(insns *p)
{
    const xtrace_part *part = &p->trace->parts[p->part];
    stele_status status = xtrace_input_open(p->trace, &part->insns, &p->from);
    p->is_open = true;
    p->flags = INSN_DISCONTINUOUS;
    p->snapshot = INSN_SNAPSHOT_FIRST;
    p->begin = 0;
    p->stop = UINT64_MAX;
    p->is_absent = false;
    if (status != STELE_OK || p->from.in == NULL)
        return status;
    status =
        xtrace_scan_open(&p->scan, p->from.in, &p->trace->tokens, p->diag, p->request.window_size);
    if (status != STELE_OK)
        xtrace_input_close(&p->from);
    if (status == STELE_OK && p->request.part_count > 1)
        status = enter_part(p);
    if (status == STELE_OK && p->request.wants_snapshots)
        status = xtrace_snapshots_open(&p->snapshots, p->trace, part, p->diag);
    return status == STELE_OK && p->request.part_count <= 1 ? enter_range(p) : status;
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

/* Tells whether the next snapshot was taken before the instruction at this offset. */
static bool snapshot_is_due(const insns *p, uint64_t offset, uint64_t number)
{
    const xtrace_snapshots *s = &p->snapshots;
    if (!s->has_next)
        return false;
    return s->part->is_index_offset ? s->next.index <= offset : s->next.total_count <= number;
}

/* Takes all snapshots that are due. */
static stele_status take_snapshots(insns *p, uint64_t offset, uint64_t number)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && snapshot_is_due(p, offset, number)) {
        p->snapshot = p->snapshots.count;
        p->flags |= INSN_AT_SNAPSHOT;
        status = xtrace_snapshots_step(&p->snapshots);
    }
    return status;
}

/* ---- One group of the scan ------------------------------------------------------------------- */

static uint64_t group_token_count(const insns *p, const xtrace_group *group)
{
    size_t end;
    return xtrace_tokens_count(&p->trace->tokens, group->bytes, (size_t)group->size, SIZE_MAX,
                               &end);
}

/* Fills in the instruction of one group. Damage, and values without an instruction, give none. */
static stele_status fill_group(insns *p, insn_batch *batch)
{
    const uint64_t next_pc = p->scan.pc;
    xtrace_group group;
    insn *to = batch->insns;
    stele_status status = xtrace_scan_next(&p->scan, &group);
    if (status != STELE_OK)
        return status;
    if (group.kind == XTRACE_GROUP_BYTES)
        p->flags |= INSN_AFTER_DAMAGE | INSN_DISCONTINUOUS;
    if (group.kind == XTRACE_GROUP_VALUES)
        p->base.stray_count += group_token_count(p, &group);
    if (group.kind != XTRACE_GROUP_INSN)
        return STELE_OK;
    status = take_snapshots(p, group.offset + group.insn, group.number);
    batch->number = group.number;
    batch->offset = group.offset;
    batch->bytes = group.bytes;
    batch->bytes_size = (uint32_t)group.size;
    *to = (insn){.pc = group.pc,
                 .opcode = group.opcode,
                 .offset = group.insn,
                 .level = group.level,
                 .flags = p->flags};
    to->flags |= group.has_pc ? INSN_HAS_PC : 0;
    to->flags |= group.pc != next_pc ? INSN_DISCONTINUOUS : 0;
    p->flags = 0;
    batch->insn_count = 1;
    return insns_push_group(p, batch, to, &group) ? status : STELE_ERR_MEMORY;
}

/* ---- Filling --------------------------------------------------------------------------------- */

static const uint8_t *nearer(const uint8_t *end, const window *w, uint64_t offset)
{
    const uint64_t here = window_offset(w);
    const uint64_t left = offset > here ? offset - here : 0;
    return left < (uint64_t)(end - w->at) ? w->at + left : end;
}

static uint32_t fewer(uint32_t count, uint64_t other)
{
    return other < count ? (uint32_t)other : count;
}

/*
 * Finds the limits of the walk; returns false when there can be none. A walk begins where the
 * program counter is known or comes next, with more than the margin in the window. It ends in front
 * of whatever the request or a snapshot cuts.
 */
static bool walk_limits_find(insns *p, const insn_batch *batch, walk_limits *limits)
{
    window *w = &p->scan.win;
    const xtrace_snapshots *s = &p->snapshots;
    const uint64_t number = p->scan.count;
    if (window_need(w, WALK_MARGIN + 1) <= WALK_MARGIN ||
        (!p->scan.has_pc && p->trace->tokens.kinds[*w->at] != STELE_XTRACE_PCINST))
        return false;
    limits->token_end = w->end - WALK_MARGIN;
    limits->at_end = nearer(limits->token_end, w, p->stop);
    limits->insn_count = fewer(batch->insn_capacity, p->request.insn_end - number);
    if (number < p->request.insn_begin)
        limits->insn_count = fewer(limits->insn_count, p->request.insn_begin - number);
    if (s->has_next && s->part->is_index_offset)
        limits->at_end = nearer(limits->at_end, w, s->next.index);
    else if (s->has_next)
        limits->insn_count = fewer(limits->insn_count, s->next.total_count - number);
    return true;
}

/* Tells whether the request leaves out the last snapshot and what follows it. */
static bool is_before_range(const insns *p)
{
    return p->request.snapshot_begin != 0 &&
           (p->snapshot == INSN_SNAPSHOT_FIRST || p->snapshot < p->request.snapshot_begin);
}

static bool is_after_range(const insns *p)
{
    return p->snapshot != INSN_SNAPSHOT_FIRST && p->snapshot >= p->request.snapshot_end;
}

/* Tells whether the end of the request's part of the stream is reached. */
static bool part_is_over(insns *p)
{
    const uint64_t offset = window_offset(&p->scan.win);
    if (offset < p->stop)
        return p->is_absent;
    p->base.is_astray |= offset > p->stop || (p->flags & INSN_AFTER_DAMAGE) != 0;
    return true;
}

/* Keeps the number of instructions of a stream that was read from its begin to its end. Parts are
   read at the same time, so they leave the trace as it is. */
static void note_count(const insns *p)
{
    xtrace_part *part = &p->trace->parts[p->part];
    if (p->request.part_count > 1 || p->begin != 0 || p->trace->is_by_order)
        return;
    part->insn_count = p->scan.count;
    part->is_counted = true;
}

/* Does one step of the open stream, which may give no instruction. Gives STELE_END after the last
   one. */
static stele_status stream_step(insns *p, insn_batch *batch)
{
    window *w = &p->scan.win;
    walk_limits limits;
    stele_status status;
    w->at += p->scan.pending;
    p->scan.pending = 0;
    if (part_is_over(p) || p->scan.count >= p->request.insn_end)
        return STELE_END;
    status = take_snapshots(p, window_offset(w), p->scan.count);
    if (status == STELE_OK && walk_limits_find(p, batch, &limits))
        insns_walk(p, batch, &limits);
    if (status == STELE_OK && batch->insn_count == 0)
        status = fill_group(p, batch);
    if (status == STELE_END)
        note_count(p);
    if (status != STELE_OK)
        return status;
    batch->snapshot = p->snapshot;
    if (batch->number < p->request.insn_begin || is_before_range(p))
        batch->insn_count = 0;
    return is_after_range(p) ? STELE_END : STELE_OK;
}

/* Counts the snapshots that are left after the last instruction. */
static stele_status stream_finish(insns *p)
{
    stele_status status = STELE_OK;
    p->base.ends_with_snapshot = p->snapshots.has_next && p->stop == UINT64_MAX && !p->is_absent;
    while (status == STELE_OK && p->snapshots.has_next)
        status = xtrace_snapshots_step(&p->snapshots);
    p->base.snapshot_count = p->snapshots.count;
    stream_close(p);
    p->part++;
    return status;
}

static stele_status insns_fill(insn_producer *self, insn_batch *batch)
{
    insns *p = (insns *)self;
    stele_status status = STELE_OK;
    while (status == STELE_OK && batch->insn_count == 0) {
        batch->access_count = batch->value_count = 0;
        if (p->part == p->part_end)
            return STELE_END;
        batch->stream = p->trace->parts[p->part].stream;
        batch->track = p->trace->parts[p->part].track;
        if (!p->is_open)
            status = stream_open(p);
        if (status == STELE_OK)
            status = p->from.in != NULL ? stream_step(p, batch) : STELE_END;
        self->balance = balance_now(p);
        if (status == STELE_END) {
            batch->insn_count = 0;
            status = stream_finish(p);
        }
    }
    return status;
}

static void insns_close(insn_producer *self)
{
    insns *p = (insns *)self;
    if (p->is_open)
        stream_close(p);
    free(p);
}

/* Finds the streams of the request. A saved index helps only when a range is asked for, and only if
   there is one. */
static stele_status find_streams(xtrace_trace *trace, const insn_request *request)
{
    if (request->part_count <= 1 && (request->insn_begin != 0 || request->snapshot_begin != 0) &&
        trace->parts[0].stream == UINT32_MAX) {
        const stele_status status = trace_load_index(&trace->base);
        if (status != STELE_OK)
            return status;
    }
    return xtrace_streams_add(trace) ? STELE_OK : STELE_ERR_MEMORY;
}

stele_status xtrace_produce_insns(stele_trace *self, const insn_request *request,
                                  insn_producer **out)
{
    static const insn_producer_ops ops = {insns_fill, insns_close};
    xtrace_trace *trace = (xtrace_trace *)self;
    insns *p = calloc(1, sizeof *p);
    *out = NULL;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base.ops = &ops;
    p->trace = trace;
    p->request = *request;
    p->request.wants_snapshots |=
        request->snapshot_begin != 0 || request->snapshot_end != UINT64_MAX;
    if (request->window_size == 0)
        p->request.window_size = self->context->limits.window_size;
    p->diag = request->diag != NULL ? request->diag : &self->context->diag;
    const stele_status found = find_streams(trace, request);
    if (found != STELE_OK) {
        free(p);
        return found;
    }
    xtrace_streams_find(trace, request->stream, &p->part, &p->part_end);
    /* Parts are filled at the same time, and opening a stream changes the context, so the stream is
       opened here. */
    if (request->part_count > 1 && p->part != p->part_end) {
        const stele_status status = stream_open(p);
        if (status != STELE_OK) {
            insns_close(&p->base);
            return status;
        }
    }
    *out = &p->base;
    return STELE_OK;
}
