/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes events of the model out of the tokens of an instruction and of snapshots:
 *
 *     INSN           value: opcode, id: program counter; tokens that are not events are fields
 *     LOAD, STORE    value: the first 8 bytes, id: address; a field holds all bytes
 *     SYSCALL        value: its number; arguments, vectors and result as fields
 *     SNAPSHOT       value: its number; all registers as fields
 *
 * The time of each event is the number of the instruction.
 */
#include "formats/xtrace/trace.h"
#include "model/batch.h"

static inline bool wants(const xtrace_maker *m, stele_kind kind)
{
    return (m->kinds & STELE_KIND_BIT(kind)) != 0;
}

/* ---- Fields ---- */

static bool push_number(stele_batch *batch, stele_name name, uint8_t type, uint8_t width,
                        uint8_t hint, uint64_t value)
{
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) =
        (stele_field){.name = name, .type = type, .width = width, .hint = hint, .u.u = value};
    return true;
}

static bool push_hex(stele_batch *batch, stele_name name, uint64_t value)
{
    return push_number(batch, name, STELE_TYPE_UINT, 64, STELE_HINT_HEX, value);
}

static bool push_bytes(stele_batch *batch, stele_name name, const uint8_t *bytes, size_t size)
{
    stele_field *field;
    if (!batch_reserve_fields(batch, 1) || !batch_reserve_bytes(batch, (uint32_t)size))
        return false;
    field = batch_push_field(batch);
    *field = (stele_field){.name = name, .type = STELE_TYPE_BYTES};
    field->u.bytes.offset = batch_push_bytes(batch, bytes, (uint32_t)size);
    field->u.bytes.size = (uint32_t)size;
    return true;
}

/* Adds an array of `count` numbers of 8 bytes, which are `stride` bytes apart. */
static bool push_array(stele_batch *batch, stele_name name, const uint8_t *from, uint32_t count,
                       size_t stride)
{
    uint32_t offset;
    uint8_t *to = batch_push_array(batch, count, &offset);
    stele_field *field;
    if (to == NULL || !batch_reserve_fields(batch, 1))
        return false;
    for (size_t i = 0; i < count; i++)
        store_native64(to + 8 * i, load_le64(from + stride * i));
    field = batch_push_field(batch);
    *field =
        (stele_field){.name = name, .type = STELE_TYPE_UINTS, .width = 64, .hint = STELE_HINT_HEX};
    field->u.bytes.offset = offset;
    field->u.bytes.size = count * 8u;
    return true;
}

static stele_event *push_event(const xtrace_maker *m, stele_batch *batch, stele_kind kind,
                               uint64_t number, uint64_t offset, uint64_t size)
{
    const uint64_t time = m->trace->is_by_order ? m->order : number;
    stele_event *event = batch_push_event(batch);
    *event = (stele_event){.time_ns = time < INT64_MAX ? (int64_t)time : INT64_MAX,
                           .ticks = time,
                           .flags = time > INT64_MAX ? STELE_FLAG_CLAMPED : 0,
                           .offset = offset,
                           .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                           .track = m->part->track,
                           .field_first = batch->field_count,
                           .kind = (uint8_t)kind};
    return event;
}

/* Adds an event of a group. An event without an instruction of its own gets the number of the one
   before it. */
static stele_event *push_group_event(const xtrace_maker *m, stele_batch *batch, stele_kind kind,
                                     const xtrace_group *group, uint64_t at, uint64_t size)
{
    const bool is_insn = group->kind == XTRACE_GROUP_INSN;
    const uint64_t number = is_insn || group->number == 0 ? group->number : group->number - 1;
    stele_event *event = push_event(m, batch, kind, number, group->offset + at, size);
    event->category = is_insn ? m->trace->names.categories[group->level] : 0;
    event->flags |= group->kind == XTRACE_GROUP_VALUES ? STELE_FLAG_UNRESOLVED : 0;
    return event;
}

static inline void end_fields(const stele_batch *batch, stele_event *event)
{
    event->field_count = (uint16_t)(batch->field_count - event->field_first);
}

static inline bool next_token(const xtrace_maker *m, const xtrace_group *group, uint64_t at,
                              stele_xtrace_token *token, size_t *size)
{
    if (at == group->size)
        return false;
    *size = xtrace_token_size(&m->trace->tokens, group->bytes + at, (size_t)(group->size - at));
    xtrace_token_decode(&m->trace->tokens, group->bytes + at, *size, token);
    return true;
}

static inline bool is_access(stele_xtrace_kind kind)
{
    return kind == STELE_XTRACE_LOAD || kind == STELE_XTRACE_STORE;
}

static inline bool is_call(stele_xtrace_kind kind)
{
    return kind == STELE_XTRACE_SVCARG || kind == STELE_XTRACE_SVCRET ||
           kind == STELE_XTRACE_SYSCALL_VEC;
}

/* ---- The order of accesses ---- */

/* Takes over the order of an access. In a thread the order rises; when it does not, the event is
   still placed no earlier than what has been delivered. */
static inline void order_reach(xtrace_maker *m, uint64_t order)
{
    if (order > m->order)
        m->order = order;
}

/* An instruction takes the order of its first access. */
void xtrace_make_begin(xtrace_maker *m, const xtrace_group *group)
{
    stele_xtrace_token token;
    size_t size;
    if (!m->trace->is_by_order || group->bytes == NULL)
        return;
    for (uint64_t at = 0; next_token(m, group, at, &token, &size); at += size) {
        if (token.kind == STELE_XTRACE_TIME) {
            order_reach(m, token.value);
            if (token.value > m->order_begin)
                m->order_begin = token.value;
            return;
        }
    }
}

/* ---- Instructions ---- */

/* Adds a token that tells something of the instruction itself as a field; other tokens add none. */
static bool push_token(const xtrace_maker *m, stele_batch *batch, const stele_xtrace_token *token)
{
    const stele_name name = m->trace->names.values[token->kind];
    switch (token->kind) {
    case STELE_XTRACE_ALLGPR:
        return push_array(batch, name, token->payload, STELE_XTRACE_GPR_COUNT, 8);
    case STELE_XTRACE_TIME: return push_number(batch, name, STELE_TYPE_UINT, 64, 0, token->value);
    case STELE_XTRACE_SKIPPED: return push_bytes(batch, name, token->payload, token->payload_size);
    default: return name == 0 || push_hex(batch, name, token->value);
    }
}

/* Tells whether the token at `next` is a memory access; an order in front of it belongs to that
   access. */
static bool is_access_at(const xtrace_maker *m, const xtrace_group *group, uint64_t next)
{
    return next < group->size &&
           is_access((stele_xtrace_kind)m->trace->tokens.kinds[group->bytes[next]]);
}

/* Adds the first bytes of all tokens as a raw field, which tells their order. This is only done in
   the standard dialect. */
static bool push_order(const xtrace_maker *m, stele_batch *batch, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &m->trace->tokens;
    stele_field field = {
        .name = m->trace->names.tokens, .type = STELE_TYPE_BYTES, .hint = STELE_HINT_RAW};
    field.u.bytes.offset = batch->byte_count;
    for (size_t at = 0; at < group->size;) {
        if (!batch_reserve_bytes(batch, 1))
            return false;
        batch->bytes[batch->byte_count++] = group->bytes[at];
        at += xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
    }
    field.u.bytes.size = batch->byte_count - field.u.bytes.offset;
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = field;
    return true;
}

static bool push_insn_fields(const xtrace_maker *m, stele_batch *batch, const xtrace_group *group)
{
    stele_xtrace_token token;
    size_t size;
    if (!push_number(batch, m->trace->names.opcode, STELE_TYPE_UINT, 32, STELE_HINT_HEX,
                     group->opcode))
        return false;
    for (uint64_t at = 0; next_token(m, group, at, &token, &size); at += size) {
        if (token.kind == STELE_XTRACE_TIME && is_access_at(m, group, at + size))
            continue;
        if (!push_token(m, batch, &token))
            return false;
    }
    return !m->wants_order || push_order(m, batch, group);
}

bool xtrace_make_insn(xtrace_maker *m, stele_batch *batch, const xtrace_group *group)
{
    stele_event *event;
    if (group->kind != XTRACE_GROUP_INSN || !wants(m, STELE_KIND_INSN))
        return true;
    event = push_group_event(m, batch, STELE_KIND_INSN, group, 0, group->size);
    event->value = group->opcode;
    event->id = group->pc;
    if (!group->has_pc)
        event->flags |= STELE_FLAG_UNRESOLVED;
    if ((m->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    return push_insn_fields(m, batch, group) && batch_set_fields(batch, event, event->field_first);
}

/* Makes an event of its own out of a token whose instruction is missing. */
static bool make_stray(const xtrace_maker *m, stele_batch *batch, const xtrace_group *group,
                       uint64_t at, size_t size, const stele_xtrace_token *token)
{
    stele_event *event;
    if (!wants(m, STELE_KIND_METADATA))
        return true;
    event = push_group_event(m, batch, STELE_KIND_METADATA, group, at, size);
    event->name = m->trace->names.stray;
    event->value = token->value;
    event->id = (uint64_t)token->kind;
    if ((m->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (!push_token(m, batch, token))
        return false;
    end_fields(batch, event);
    return true;
}

bool xtrace_make_lost(xtrace_maker *m, stele_batch *batch, const xtrace_group *group)
{
    stele_event *event;
    if (!wants(m, STELE_KIND_LOST))
        return true;
    event = push_group_event(m, batch, STELE_KIND_LOST, group, 0, group->size);
    event->name = m->trace->names.lost;
    event->id = (uint64_t)event->time_ns;
    return true;
}

/* ---- Memory accesses ---- */

static bool make_access(xtrace_maker *m, stele_batch *batch, const xtrace_group *group, uint64_t at,
                        uint64_t end, const stele_xtrace_token *token,
                        const stele_xtrace_token *order)
{
    const xtrace_names *names = &m->trace->names;
    const stele_kind kind = token->kind == STELE_XTRACE_LOAD ? STELE_KIND_LOAD : STELE_KIND_STORE;
    stele_event *event;
    if (!wants(m, kind))
        return true;
    if (order != NULL)
        order_reach(m, order->value);
    event = push_group_event(m, batch, kind, group, at, end - at);
    event->value = token->value;
    event->id = token->address;
    if (order != NULL)
        event->ticks = order->value;
    if ((m->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (token->payload_size > 8) {
        if (!push_bytes(batch, names->data, token->payload, token->payload_size))
            return false;
    } else if (!push_number(batch, names->data, STELE_TYPE_UINT, (uint8_t)(8 * token->payload_size),
                            STELE_HINT_HEX, token->value)) {
        return false;
    }
    if (order != NULL &&
        !push_number(batch, names->values[STELE_XTRACE_TIME], STELE_TYPE_UINT, 64, 0, order->value))
        return false;
    end_fields(batch, event);
    return true;
}

/* ---- System calls ---- */

/* Adds all arguments that are there: the call's number, then x0 to x5. */
static bool push_arguments(xtrace_maker *m, stele_batch *batch, const stele_xtrace_token *token,
                           unsigned *count)
{
    for (size_t i = 0; i + 8 <= token->payload_size; i += 8) {
        const uint64_t value = load_le64(token->payload + i);
        if (*count == 0)
            m->call = value;
        else if (*count <= 6 && (m->columns & STELE_COLUMN_FIELDS) != 0 &&
                 !push_hex(batch, m->trace->names.arguments[*count - 1], value))
            return false;
        ++*count;
    }
    return true;
}

static bool push_call_token(xtrace_maker *m, stele_batch *batch, const stele_xtrace_token *token,
                            unsigned *argument_count)
{
    const xtrace_names *names = &m->trace->names;
    const uint32_t vectors = (uint32_t)(token->payload_size / XTRACE_IOVEC);
    if (token->kind == STELE_XTRACE_SVCARG)
        return push_arguments(m, batch, token, argument_count);
    if ((m->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (token->kind == STELE_XTRACE_SVCRET)
        return push_number(batch, names->result, STELE_TYPE_INT, 64, 0, token->value);
    return push_array(batch, names->iov_base, token->payload, vectors, XTRACE_IOVEC) &&
           push_array(batch, names->iov_length, token->payload + 8, vectors, XTRACE_IOVEC);
}

/* Makes one event of a run of tokens of one call, from `*at` on. A result that comes later becomes
   an event of its own. */
static bool make_call(xtrace_maker *m, stele_batch *batch, const xtrace_group *group, uint64_t *at)
{
    const uint64_t begin = *at;
    stele_event *event = NULL;
    stele_xtrace_token token;
    unsigned argument_count = 0;
    size_t size;
    if (wants(m, STELE_KIND_SYSCALL))
        event = push_group_event(m, batch, STELE_KIND_SYSCALL, group, begin, 0);
    while (next_token(m, group, *at, &token, &size) && is_call(token.kind)) {
        /* A call has seven arguments at most, so an eighth one begins another call. */
        if (token.kind == STELE_XTRACE_SVCARG && argument_count >= 7)
            break;
        if (event != NULL && !push_call_token(m, batch, &token, &argument_count))
            return false;
        *at += size;
        if (token.kind == STELE_XTRACE_SVCRET)
            break;
    }
    if (event == NULL)
        return true;
    event->size = (uint32_t)(*at - begin);
    event->value = m->call;
    end_fields(batch, event);
    return true;
}

/* Makes one event of an order and the access after it. */
static bool make_ordered(xtrace_maker *m, stele_batch *batch, const xtrace_group *group,
                         uint64_t *at, size_t size, const stele_xtrace_token *order)
{
    const uint64_t begin = *at;
    stele_xtrace_token access;
    size_t access_size;
    next_token(m, group, begin + size, &access, &access_size);
    *at = begin + size + access_size;
    return make_access(m, batch, group, begin, *at, &access, order);
}

bool xtrace_make_values(xtrace_maker *m, stele_batch *batch, const xtrace_group *group,
                        uint64_t *at)
{
    stele_xtrace_token token;
    bool is_fine = true;
    size_t size;
    while (is_fine && !batch_is_full(batch) && next_token(m, group, *at, &token, &size)) {
        const uint64_t begin = *at;
        if (is_call(token.kind)) {
            is_fine = make_call(m, batch, group, at);
        } else if (token.kind == STELE_XTRACE_TIME && is_access_at(m, group, begin + size)) {
            is_fine = make_ordered(m, batch, group, at, size, &token);
        } else {
            *at += size;
            if (is_access(token.kind))
                is_fine = make_access(m, batch, group, begin, *at, &token, NULL);
            else if (group->kind == XTRACE_GROUP_VALUES)
                is_fine = make_stray(m, batch, group, begin, size, &token);
        }
    }
    return is_fine;
}

/* ---- Snapshots ---- */

/* Adds the raw fields that the format's own writer needs besides. */
static bool push_snapshot_raw(const xtrace_maker *m, stele_batch *batch, const xtrace_part *part)
{
    const uint32_t first = batch->field_count;
    if (!push_bytes(batch, m->trace->names.header, part->header_bytes, part->layout.header_size) ||
        !push_number(batch, m->trace->names.fp_size, STELE_TYPE_UINT, 64, 0,
                     part->layout.fp_size) ||
        (part->layout.fp_padding != 0 &&
         !push_number(batch, m->trace->names.fp_padding, STELE_TYPE_UINT, 64, 0,
                      part->layout.fp_padding)))
        return false;
    for (uint32_t i = first; i < batch->field_count; i++)
        batch->fields[i].hint |= STELE_HINT_RAW;
    return true;
}

static bool push_snapshot(const xtrace_maker *m, stele_batch *batch, const xtrace_snapshots *s)
{
    const stele_xtrace_snapshot *snapshot = &s->next;
    const stele_xtrace_layout *layout = &s->part->layout;
    const xtrace_names *names = &m->trace->names;
    bool is_fine =
        push_number(batch, names->file_number, STELE_TYPE_UINT, 64, 0, snapshot->file_number) &&
        push_number(batch, names->index, STELE_TYPE_UINT, 64, 0, snapshot->index) &&
        push_number(batch, names->user_count, STELE_TYPE_UINT, 64, 0, snapshot->user_count) &&
        push_number(batch, names->total_count, STELE_TYPE_UINT, 64, 0, snapshot->total_count) &&
        push_array(batch, names->x, snapshot->x, STELE_XTRACE_GPR_COUNT, 8) &&
        push_bytes(batch, names->z, snapshot->z, 32 * (size_t)layout->z_stride) &&
        push_bytes(batch, names->p, snapshot->p, (size_t)layout->p_count * layout->p_stride) &&
        push_bytes(batch, names->ffr, snapshot->ffr, layout->p_stride) &&
        push_bytes(batch, names->za, snapshot->za, layout->za_size);
    for (size_t i = 0; is_fine && i < STELE_XTRACE_SYSTEM_COUNT; i++)
        is_fine = push_hex(batch, names->system[i], snapshot->system[i]);
    is_fine = is_fine && push_number(batch, names->vl, STELE_TYPE_UINT, 64, 0, snapshot->vl_bits);
    return is_fine &&
           ((m->columns & STELE_COLUMN_RAW) == 0 || push_snapshot_raw(m, batch, s->part));
}

bool xtrace_make_snapshot(xtrace_maker *m, stele_batch *batch, const xtrace_snapshots *s,
                          uint64_t number)
{
    stele_event *event;
    if (!wants(m, STELE_KIND_SNAPSHOT))
        return true;
    event = push_event(m, batch, STELE_KIND_SNAPSHOT, number, s->offset, s->part->layout.size);
    event->value = s->count;
    if ((m->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (!push_snapshot(m, batch, s))
        return false;
    end_fields(batch, event);
    return true;
}
