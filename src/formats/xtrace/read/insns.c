/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Produces instructions for model/insn.h. Almost all tokens are walked here, as they lie in the
 * window. Where something is unusual (all registers, vectors of a system call, damage, the end),
 * one group is taken from the scan, so that both see the same instructions.
 */
#include <stdlib.h>

#include "formats/xtrace/trace.h"
#include "model/insn.h"

/* Every token that the walk steps over is shorter than this. */
#define WALK_MARGIN 512u

/* In an INST or PCINST these bits equal 1, and bit 3 tells the two apart. */
#define WALK_OPENING_MASK 0x37u
#define WALK_HAS_PC       0x08u
#define WALK_STORE        0x08u
/* The logarithm of STELE_XTRACE_VALUE_MAX, 256 bytes. */
#define WALK_LOG2_MAX 8u

typedef struct insns {
    insn_producer base;
    xtrace_trace *trace;
    insn_request request;
    diag_sink *diag;
    /* The open part of the trace, and where the parts end. */
    size_t part, part_end;
    bool is_open;
    /* The stream has no part with the number that the request wants. */
    bool is_absent;
    /* The flags of the next instruction, for what stands before it. */
    uint8_t flags;
    xtrace_input from;
    xtrace_scan scan;
    xtrace_snapshots snapshots;
    /* The number of the last snapshot; INSN_SNAPSHOT_FIRST when there is none yet. */
    uint64_t snapshot;
    /* Where the request's part of this stream begins. */
    uint64_t begin;
    /* Where that part ends. */
    uint64_t stop;
    /* The balance of the streams before. */
    stele_balance balance;
} insns;

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

/* ---- Values of an instruction ---- */

static insn_value *push_value(insn_batch *batch, insn *to, insn_value_kind kind)
{
    insn_value *value;
    if (batch->value_count == batch->value_capacity && !insn_batch_grow_values(batch, 256))
        return NULL;
    value = &batch->values[batch->value_count++];
    *value = (insn_value){.kind = (uint8_t)kind, .access = to->access_count};
    to->value_count++;
    return value;
}

/* Adds a token that is no access as values of the instruction. Returns false when memory is
   exhausted. */
static bool push_token(insn_batch *batch, insn *to, const stele_xtrace_token *token)
{
    static const uint8_t kinds[] = {[STELE_XTRACE_STXR] = INSN_VALUE_STXR,
                                    [STELE_XTRACE_MRS] = INSN_VALUE_SYSTEM,
                                    [STELE_XTRACE_SVCARG] = INSN_VALUE_ARGUMENT,
                                    [STELE_XTRACE_SVCRET] = INSN_VALUE_RESULT,
                                    [STELE_XTRACE_DC] = INSN_VALUE_DC,
                                    [STELE_XTRACE_TARGET_B] = INSN_VALUE_TARGET,
                                    [STELE_XTRACE_ALLGPR] = INSN_VALUE_GPRS,
                                    [STELE_XTRACE_MISC_FLAGS] = INSN_VALUE_NZCV,
                                    [STELE_XTRACE_SYSCALL_VEC] = INSN_VALUE_VECTORS,
                                    [STELE_XTRACE_TIME] = INSN_VALUE_ORDER,
                                    [STELE_XTRACE_SKIPPED] = INSN_VALUE_UNKNOWN};
    const insn_value_kind kind = (insn_value_kind)kinds[token->kind];
    const bool is_bytes =
        kind == INSN_VALUE_GPRS || kind == INSN_VALUE_VECTORS || kind == INSN_VALUE_UNKNOWN;
    const size_t step = kind == INSN_VALUE_ARGUMENT ? 8 : SIZE_MAX;
    for (size_t at = 0; at == 0 || at < token->payload_size; at += step) {
        insn_value *value = push_value(batch, to, kind);
        if (value == NULL)
            return false;
        if (is_bytes) {
            value->u.bytes.offset = (uint32_t)(token->payload - batch->bytes);
            value->u.bytes.size = (uint32_t)token->payload_size;
        } else {
            value->u.number = at == 0 ? token->value : load_le64(token->payload + at);
        }
        if (step == SIZE_MAX)
            break;
    }
    return true;
}

static bool push_access(insn_batch *batch, insn *to, const stele_xtrace_token *token)
{
    if (batch->access_count == batch->access_capacity && !insn_batch_grow_accesses(batch, 256))
        return false;
    batch->accesses[batch->access_count++] =
        (insn_access){.address = token->address,
                      .data = (uint32_t)(token->payload - batch->bytes),
                      .size_log2 = (uint8_t)__builtin_ctzll(token->payload_size),
                      .is_store = token->kind == STELE_XTRACE_STORE};
    to->access_count++;
    return true;
}

/* ---- One group of the scan ------------------------------------------------------------------- */

static bool push_group_values(insns *p, insn_batch *batch, insn *to, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &p->trace->tokens;
    bool is_fine = true;
    for (size_t at = 0, size; is_fine && at < group->size; at += size) {
        stele_xtrace_token token;
        size = xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
        if (at == group->insn)
            continue;
        xtrace_token_decode(tokens, group->bytes + at, size, &token);
        if (token.kind == STELE_XTRACE_LOAD || token.kind == STELE_XTRACE_STORE)
            is_fine = !p->request.wants_accesses || push_access(batch, to, &token);
        else if (p->request.wants_values)
            is_fine = push_token(batch, to, &token);
    }
    return is_fine;
}

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
    return push_group_values(p, batch, to, &group) ? status : STELE_ERR_MEMORY;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The limits of the walk. */
typedef struct walk_limits {
    /* No instruction begins here or later. */
    const uint8_t *at_end;
    /* No token begins here or later. */
    const uint8_t *token_end;
    uint32_t insn_count;
} walk_limits;

/* Takes a token after an instruction that is neither INST, PCINST nor an access. Gives its size, or
   0 when the token is not for the walk or its values do not fit. */
static size_t walk_value(const insns *p, insn_batch *batch, insn *to, const uint8_t *at)
{
    const stele_xtrace_tokens *tokens = &p->trace->tokens;
    const size_t size = tokens->sizes[*at];
    stele_xtrace_token token;
    if (size == 0 || size > WALK_MARGIN || tokens->kinds[*at] == STELE_XTRACE_SYSCALL_VEC)
        return 0;
    if (!p->request.wants_values)
        return size;
    if (batch->value_capacity - batch->value_count < 8)
        return 0;
    xtrace_token_decode(tokens, at, size, &token);
    push_token(batch, to, &token);
    return size;
}

/*
 * Takes what belongs to an instruction, from `at` on. Gives the end of it, or NULL when it is not
 * for the walk. Sizes are constants behind branches where that is possible, so that a predicted
 * path need not wait for the byte that was just loaded.
 */
static inline __attribute__((always_inline)) const uint8_t *
walk_values(const insns *p, insn_batch *batch, insn *to, const uint8_t *at,
            const walk_limits *limits, const bool wants_accesses)
{
    while ((*at & WALK_OPENING_MASK) != XTRACE_CLASS_INST) {
        const unsigned log2 = *at >> 4;
        if (at >= limits->token_end)
            return NULL;
        if ((*at & 7u) == XTRACE_CLASS_MEM && log2 <= WALK_LOG2_MAX) {
            if (wants_accesses) {
                if (batch->access_count == batch->access_capacity)
                    return NULL;
                batch->accesses[batch->access_count++] =
                    (insn_access){.address = load_le64(at + 1),
                                  .data = (uint32_t)(at + 9 - batch->bytes),
                                  .size_log2 = (uint8_t)log2,
                                  .is_store = (*at & WALK_STORE) != 0};
                to->access_count++;
            }
            at += log2 == 3 ? 17 : 9 + ((size_t)1 << log2);
        } else {
            size_t size;
            if (p->trace->tokens.kinds[*at] == STELE_XTRACE_ALLGPR)
                break;
            size = walk_value(p, batch, to, at);
            if (size == 0)
                return NULL;
            at += size;
        }
    }
    return at;
}

/* Walks over tokens from the window's place on, as long as they are the usual ones: INST and
   PCINST, and the accesses and values after them. The batch then ends between two instructions. */
static inline __attribute__((always_inline)) void
walk(insns *p, insn_batch *batch, const walk_limits *limits, const bool wants_accesses)
{
    const uint8_t *at = batch->bytes, *next;
    insn *to = batch->insns, *const to_end = to + limits->insn_count;
    uint64_t pc = p->scan.pc;
    for (; at < limits->at_end && to < to_end; at = next, to++) {
        const uint8_t token = *at;
        uint64_t own_pc = pc;
        size_t opcode = 1;
        if ((token & WALK_OPENING_MASK) != XTRACE_CLASS_INST)
            break;
        if ((token & WALK_HAS_PC) != 0) {
            own_pc = load_le64(at + 1);
            opcode = 9;
            if (!xtrace_pc_can_be(own_pc))
                break;
        }
        *to = (insn){.pc = own_pc,
                     .opcode = load_le32(at + opcode),
                     .offset = (uint32_t)(at - batch->bytes),
                     .access_first = batch->access_count,
                     .value_first = batch->value_count,
                     .level = token >> 6,
                     .flags = own_pc == pc ? INSN_HAS_PC : INSN_HAS_PC | INSN_DISCONTINUOUS};
        next = walk_values(p, batch, to, at + opcode + 4, limits, wants_accesses);
        if (next == NULL || (size_t)(next - at) > XTRACE_GROUP_SIZE_MAX) {
            batch->access_count = to->access_first;
            batch->value_count = to->value_first;
            break;
        }
        pc = own_pc + 4;
    }
    batch->insn_count = (uint32_t)(to - batch->insns);
    batch->bytes_size = (uint32_t)(at - batch->bytes);
    p->scan.win.at = at;
    p->scan.pc = pc;
    p->scan.count += batch->insn_count;
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

static void fill_walk(insns *p, insn_batch *batch, const walk_limits *limits)
{
    batch->bytes = p->scan.win.at;
    batch->offset = window_offset(&p->scan.win);
    batch->number = p->scan.count;
    if (p->request.wants_accesses)
        walk(p, batch, limits, true);
    else
        walk(p, batch, limits, false);
    if (batch->insn_count == 0)
        return;
    batch->insns[0].flags |= p->flags;
    p->flags = 0;
    p->scan.has_pc = true;
}

/* Tells whether the request leaves out the last snapshot and what follows it. */
static bool is_before_range(const insns *p)
{
    return p->request.snapshot_begin != 0 &&
           (p->snapshot == INSN_SNAPSHOT_FIRST || p->snapshot < p->request.snapshot_begin);
}

static bool is_behind_range(const insns *p)
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
        fill_walk(p, batch, &limits);
    if (status == STELE_OK && batch->insn_count == 0)
        status = fill_group(p, batch);
    if (status != STELE_OK)
        return status;
    batch->snapshot = p->snapshot;
    if (batch->number < p->request.insn_begin || is_before_range(p))
        batch->insn_count = 0;
    return is_behind_range(p) ? STELE_END : STELE_OK;
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
