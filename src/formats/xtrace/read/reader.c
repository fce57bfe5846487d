/* SPDX-License-Identifier: Apache-2.0 */
/* Makes events out of groups of tokens and of snapshots. Each thread or core is a stream of the
   model. */
#include <stdlib.h>

#include "core/path.h"
#include "formats/xtrace/check.h"
#include "formats/xtrace/trace.h"
#include "model/batch.h"
#include "model/saved_index.h"

/* The step of the current group that comes next. */
typedef enum stage { STAGE_NEXT, STAGE_SNAPSHOTS, STAGE_INSN, STAGE_VALUES, STAGE_END } stage;

typedef struct xtrace_producer {
    producer base;
    xtrace_trace *trace;
    stele_context *context;
    produce_request request;
    /* The first part, the open one, and where they end. */
    size_t part_first, part, part_end;
    bool is_open;
    xtrace_input insns;
    xtrace_scan scan;
    xtrace_snapshots snapshots;
    /* The check; NULL when it is not asked for. */
    xtrace_check *check;
    xtrace_maker maker;
    stage stage;
    xtrace_group group;
    /* The place of the next value in the group. */
    uint64_t at;
    /* The balance of the parts before. */
    stele_balance balance;
    bool wants_values;
    /* Instructions may be passed over where the request leaves them out. */
    bool can_pass;
    /* The request leaves out all instructions and their accesses. */
    bool passes_all;
} xtrace_producer;

/* ---- Parts ---- */

/* Accounts for the bytes of the parts so far. */
static stele_balance balance_now(const xtrace_producer *p)
{
    stele_balance sum = p->balance;
    const stele_balance snapshots = xtrace_snapshots_balance(&p->snapshots);
    balance_add(&sum, &snapshots);
    if (p->insns.in != NULL) {
        const stele_balance scanned = xtrace_scan_balance(&p->scan, 0);
        balance_add(&sum, &scanned);
    }
    return sum;
}

static void part_close(xtrace_producer *p)
{
    p->balance = balance_now(p);
    if (p->insns.in != NULL)
        xtrace_scan_close(&p->scan);
    p->scan = (xtrace_scan){0};
    xtrace_input_close(&p->insns);
    xtrace_snapshots_close(&p->snapshots);
    free(p->check);
    p->check = NULL;
    p->is_open = false;
}

static bool dialect_is_standard(const stele_xtrace_dialect *dialect)
{
    return dialect->time_size == 8 && dialect->svcarg_size == 8 && !dialect->has_levels;
}

static stele_status part_open(xtrace_producer *p)
{
    const xtrace_part *part = &p->trace->parts[p->part];
    stele_status status = xtrace_input_open(p->trace, &part->insns, &p->insns);
    p->is_open = true;
    p->stage = p->insns.in != NULL ? STAGE_NEXT : STAGE_END;
    if (status == STELE_OK && p->insns.in != NULL) {
        status = xtrace_scan_open(&p->scan, p->insns.in, &p->trace->tokens, &p->context->diag,
                                  p->request.window_size);
        if (status != STELE_OK)
            xtrace_input_close(&p->insns);
    }
    if (status == STELE_OK)
        status = xtrace_snapshots_open(&p->snapshots, p->trace, part, &p->context->diag);
    p->maker = (xtrace_maker){.order = part->order_first,
                              .order_begin = part->order_first,
                              .trace = p->trace,
                              .part = part,
                              .kinds = p->request.kinds,
                              .columns = p->request.columns,
                              .wants_order = (p->request.columns & STELE_COLUMN_RAW) != 0 &&
                                             dialect_is_standard(&p->trace->dialect)};
    if (status == STELE_OK && p->request.check) {
        p->check = xtrace_check_new(p->trace, part, &p->context->diag);
        status = p->check != NULL ? STELE_OK : STELE_ERR_MEMORY;
    }
    return status;
}

/* ---- Events ---- */

/* Tells whether the next snapshot was taken before the group's instruction. */
static bool snapshot_is_due(const xtrace_producer *p)
{
    const xtrace_snapshots *s = &p->snapshots;
    if (!s->has_next)
        return false;
    if (p->stage == STAGE_END)
        return true;
    if (p->group.kind != XTRACE_GROUP_INSN)
        return false;
    return xtrace_snapshots_are_due(s, p->group.offset + p->group.insn, p->group.number);
}

/* Produces the event of a snapshot. If there are no instructions, the snapshot's own count tells
   its place. */
static stele_status produce_snapshot(xtrace_producer *p, stele_batch *batch)
{
    xtrace_snapshots *s = &p->snapshots;
    uint64_t number = p->insns.in == NULL     ? s->next.total_count
                      : p->stage == STAGE_END ? p->scan.count
                                              : p->group.number;
    if (number < p->maker.snapshot_number)
        number = p->maker.snapshot_number;
    p->maker.snapshot_number = number;
    if (p->check != NULL)
        xtrace_check_snapshot(p->check, s, p->stage == STAGE_END ? NULL : &p->group);
    if (!xtrace_make_snapshot(&p->maker, batch, s, number))
        return STELE_ERR_MEMORY;
    return xtrace_snapshots_step(s);
}

static bool produce_head(xtrace_producer *p, stele_batch *batch)
{
    if (p->check != NULL)
        xtrace_check_group(p->check, p->insns.in->name, &p->group);
    xtrace_make_begin(&p->maker, &p->group);
    p->at = xtrace_group_values(&p->group);
    p->stage = p->wants_values && p->at != p->group.size ? STAGE_VALUES : STAGE_NEXT;
    return p->group.kind == XTRACE_GROUP_BYTES ? xtrace_make_lost(&p->maker, batch, &p->group)
                                               : xtrace_make_insn(&p->maker, batch, &p->group);
}

/* Tells whether nothing that is asked for comes from this instruction on. When time is the order of
   accesses, every instruction may still hold an access in the range. */
static bool is_after(const xtrace_producer *p, uint64_t number)
{
    const int64_t end_ns = p->request.end_ns;
    return !p->trace->is_by_order && p->check == NULL && end_ns != INT64_MAX &&
           (end_ns <= 0 || number >= (uint64_t)end_ns);
}

/* Gives the number of the instruction up to which all may be passed over. */
static uint64_t pass_all_end(const produce_request *r)
{
    return r->end_ns == INT64_MAX ? UINT64_MAX : r->end_ns > 0 ? (uint64_t)r->end_ns : 0;
}

/* Takes the next group that the request does not leave out. When time is the order of accesses,
   every instruction may hold the next access. Gives STELE_END where the bounds end. */
static stele_status produce_next(xtrace_producer *p)
{
    const xtrace_snapshots *s = &p->snapshots;
    const produce_request *r = &p->request;
    const uint64_t pass_end = p->passes_all     ? pass_all_end(r)
                              : r->begin_ns > 0 ? (uint64_t)r->begin_ns
                                                : r->begin_ticks;
    stele_status status;
    if (p->can_pass && p->scan.count < pass_end) {
        uint64_t count_end = pass_end, offset_end = UINT64_MAX;
        /* The ticks of accesses with an order are that order. */
        const uint32_t stops = (p->passes_all ? 1u << STELE_XTRACE_SVCRET : 0u) |
                               (r->begin_ticks != 0 ? 1u << STELE_XTRACE_TIME : 0u);
        if (s->has_next && s->part->is_index_offset)
            offset_end = s->next.index;
        else if (s->has_next && s->next.total_count < count_end)
            count_end = s->next.total_count;
        if (offset_end > p->base.stop)
            offset_end = p->base.stop;
        xtrace_scan_pass(&p->scan, count_end, offset_end, stops);
    }
    status = xtrace_scan_next(&p->scan, &p->group);
    p->stage = status == STELE_END ? STAGE_END : STAGE_SNAPSHOTS;
    if (status == STELE_OK && p->group.kind == XTRACE_GROUP_INSN && is_after(p, p->group.number))
        return STELE_END;
    return status == STELE_END ? STELE_OK : status;
}

/* Does one step of the current group. Gives STELE_END after the last snapshot. */
static stele_status produce_step(xtrace_producer *p, stele_batch *batch)
{
    switch (p->stage) {
    case STAGE_NEXT: return produce_next(p);
    case STAGE_SNAPSHOTS:
        if (snapshot_is_due(p))
            return produce_snapshot(p, batch);
        p->stage = STAGE_INSN;
        return STELE_OK;
    case STAGE_INSN: return produce_head(p, batch) ? STELE_OK : STELE_ERR_MEMORY;
    case STAGE_VALUES:
        if (!xtrace_make_values(&p->maker, batch, &p->group, &p->at))
            return STELE_ERR_MEMORY;
        if (p->at == p->group.size)
            p->stage = STAGE_NEXT;
        return STELE_OK;
    case STAGE_END: break;
    }
    return snapshot_is_due(p) ? produce_snapshot(p, batch) : STELE_END;
}

/* Gives the offset up to which groups were given. */
static uint64_t position_now(const xtrace_producer *p)
{
    return window_offset(&p->scan.win) + p->scan.pending;
}

static stele_status xtrace_fill(producer *self, stele_batch *batch)
{
    xtrace_producer *p = (xtrace_producer *)self;
    stele_status status = STELE_OK;
    stele_batch_clear(batch);
    if (p->part == p->part_end)
        return STELE_END;
    batch->stream = p->trace->parts[p->part].stream;
    batch->columns = p->request.columns;
    if (!p->is_open)
        status = part_open(p);
    while (status == STELE_OK && !batch_is_full(batch) &&
           !(p->stage == STAGE_NEXT && position_now(p) >= self->stop))
        status = produce_step(p, batch);
    if (p->insns.in != NULL && p->part_first + 1 == p->part_end)
        self->position = position_now(p);
    self->balance = balance_now(p);
    if (status == STELE_END) {
        part_close(p);
        p->part++;
        status = STELE_OK;
    }
    return status;
}

/* ---- Marks and seeking ---- */

static bool xtrace_mark(const producer *self, output *out)
{
    const xtrace_producer *p = (const xtrace_producer *)self;
    if (p->part_first + 1 != p->part_end || !p->is_open || p->insns.in == NULL ||
        p->stage != STAGE_NEXT || p->scan.is_continued || p->group.kind != XTRACE_GROUP_INSN)
        return false;
    xtrace_place_put(&(xtrace_place){.count = p->scan.count,
                                     .pc = p->scan.pc,
                                     .has_pc = p->scan.has_pc,
                                     .is_lost_reported = p->scan.is_lost_reported,
                                     .snapshot_count = p->snapshots.count,
                                     .snapshot_number = p->maker.snapshot_number},
                     out);
    saved_put_u64(out, p->maker.order);
    saved_put_u64(out, p->maker.order_begin);
    saved_put_u64(out, p->maker.call);
    return true;
}

/* Tells whether the order is known that events have reached at a place. It depends on the accesses
   that are wanted, so it is known when the request wants all of them or none. */
static bool knows_order(const xtrace_producer *p)
{
    const uint64_t accesses = STELE_KIND_BIT(STELE_KIND_LOAD) | STELE_KIND_BIT(STELE_KIND_STORE);
    const uint64_t wanted = p->request.kinds & accesses;
    return !p->trace->is_by_order || wanted == 0 || wanted == accesses;
}

static bool xtrace_seek(producer *self, uint64_t position, cursor *state)
{
    xtrace_producer *p = (xtrace_producer *)self;
    xtrace_place place = {.offset = position};
    uint64_t order, order_begin, call;
    if (!xtrace_place_take(&place, state) || !saved_take_u64(state, &order) ||
        !saved_take_u64(state, &order_begin) || !saved_take_u64(state, &call) || p->request.check ||
        p->part + 1 != p->part_end || !knows_order(p) ||
        (!p->is_open && part_open(p) != STELE_OK) || p->insns.in == NULL ||
        xtrace_snapshots_seek(&p->snapshots, place.snapshot_count) != STELE_OK)
        return false;
    xtrace_scan_enter(&p->scan, &place);
    if (is_after(p, place.count))
        p->part = p->part_end;
    p->stage = STAGE_NEXT;
    p->maker.snapshot_number = place.snapshot_number;
    p->maker.order =
        (p->request.kinds & STELE_KIND_BIT(STELE_KIND_LOAD)) != 0 ? order : order_begin;
    p->maker.order_begin = order_begin;
    p->maker.call = call;
    self->position = position;
    return true;
}

static void xtrace_producer_close(producer *self)
{
    xtrace_producer *p = (xtrace_producer *)self;
    if (p->is_open)
        part_close(p);
    free(p);
}

/* Counts the instructions of a part. */
static stele_status part_count(const xtrace_trace *trace, const xtrace_part *part, uint64_t *count)
{
    const size_t window_size = trace->base.context->limits.window_size;
    xtrace_input from;
    xtrace_group group;
    xtrace_scan scan;
    stele_status status = xtrace_input_open(trace, &part->insns, &from);
    *count = 0;
    if (status != STELE_OK || from.in == NULL)
        return status;
    status = xtrace_scan_open(&scan, from.in, &trace->tokens, NULL, window_size);
    if (status == STELE_OK) {
        do {
            xtrace_scan_pass(&scan, UINT64_MAX, UINT64_MAX, 0);
            status = xtrace_scan_next(&scan, &group);
        } while (status == STELE_OK);
        *count = scan.count;
        xtrace_scan_close(&scan);
    }
    xtrace_input_close(&from);
    return status == STELE_END ? STELE_OK : status;
}

stele_status xtrace_index(stele_trace *self)
{
    xtrace_trace *trace = (xtrace_trace *)self;
    xtrace_streams_keep(trace);
    for (size_t i = 0; i < trace->part_count; i++) {
        const xtrace_part *part = &trace->parts[i];
        uint64_t count = part->is_counted ? part->insn_count : 0;
        const stele_status status =
            trace->is_by_order || part->is_counted ? STELE_OK : part_count(trace, part, &count);
        if (status != STELE_OK)
            return status;
        if (!xtrace_stream_add(trace, &trace->parts[i], count))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

bool xtrace_streams_add(xtrace_trace *trace)
{
    for (size_t i = 0; i < trace->part_count; i++) {
        if (trace->parts[i].stream == UINT32_MAX && !xtrace_stream_add(trace, &trace->parts[i], 0))
            return false;
    }
    return true;
}

void xtrace_streams_find(const xtrace_trace *trace, uint32_t stream, size_t *first, size_t *end)
{
    *first = 0;
    *end = trace->part_count;
    if (stream == PRODUCE_ALL)
        return;
    while (*first < *end && trace->parts[*first].stream != stream)
        ++*first;
    if (*first < *end)
        *end = *first + 1;
}

stele_status xtrace_produce(stele_trace *self, const produce_request *request, producer **out)
{
    static const producer_ops ops = {.fill = xtrace_fill,
                                     .close = xtrace_producer_close,
                                     .mark = xtrace_mark,
                                     .seek = xtrace_seek};
    const uint64_t values = STELE_KIND_BIT(STELE_KIND_LOAD) | STELE_KIND_BIT(STELE_KIND_STORE) |
                            STELE_KIND_BIT(STELE_KIND_SYSCALL) |
                            STELE_KIND_BIT(STELE_KIND_METADATA);
    const uint64_t insns = STELE_KIND_BIT(STELE_KIND_INSN) | STELE_KIND_BIT(STELE_KIND_LOAD) |
                           STELE_KIND_BIT(STELE_KIND_STORE);
    xtrace_trace *trace = (xtrace_trace *)self;
    xtrace_producer *p;
    *out = NULL;
    if (!xtrace_streams_add(trace))
        return STELE_ERR_MEMORY;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base.ops = &ops;
    p->base.stop = UINT64_MAX;
    p->trace = trace;
    p->context = self->context;
    p->request = *request;
    p->wants_values = (request->kinds & values) != 0;
    p->can_pass = !trace->is_by_order && !request->check;
    p->passes_all = p->can_pass && (request->kinds & insns) == 0;
    xtrace_streams_find(trace, request->stream, &p->part_first, &p->part_end);
    p->part = p->part_first;
    *out = &p->base;
    return STELE_OK;
}
