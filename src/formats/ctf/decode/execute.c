/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that executes programs. Its state (operation, position, first byte of the stretch) is in
 * locals; what is rare is in functions elsewhere. Events follow each other without leaving it.
 */
#include "formats/ctf/decode/run.h"

/* ---- Numbers ---- */

HOT uint64_t place_load(const op_place *at, const uint8_t *base, bool is_big_endian)
{
    const uint8_t *from = base + at->offset;
    return (is_big_endian ? load_be64(from) : load_le64(from)) >> at->shift & at->mask;
}

/* A number in any form. */
HOT uint64_t op_load(const op *o, const uint8_t *base)
{
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    const uint8_t *from = base + o->offset;
    uint64_t value;
    if (LIKELY((o->flags & (OP_BIG_ENDIAN | OP_WIDE | OP_REVERSED)) == 0))
        return ((load_le64(from) >> o->shift & o->mask) ^ o->sign) - o->sign;
    if ((o->flags & OP_WIDE) == 0)
        value = (is_big_endian ? load_be64(from) : load_le64(from)) >> o->shift & o->mask;
    else
        value = is_big_endian ? bits_load_be(from, from + BITS_SPAN_MAX, o->shift, o->width)
                              : bits_load_le(from, from + BITS_SPAN_MAX, o->shift, o->width);
    if (UNLIKELY((o->flags & OP_REVERSED) != 0))
        value = bits_reversed(value, o->width);
    return (value ^ o->sign) - o->sign;
}

HOT void entry_push(stele_batch *batch, uint64_t head, uint64_t value)
{
    uint8_t *entry = (uint8_t *)&batch->fields[batch->field_count++];
    _Static_assert(sizeof(stele_field) == 16, "an entry is two words");
    store_native64(entry, head);
    store_native64(entry + 8, value);
}

/* The entries behind the operation, the last of which it gives. */
HOT const op *entries_push(stele_batch *batch, const op *o, const uint8_t *base, number_form form)
{
    const op *const last = o + o->v.count;
    uint8_t *entry = (uint8_t *)&batch->fields[batch->field_count];
    batch->field_count += o->v.count;
    do {
        o++;
        store_native64(entry, o->head);
        store_native64(entry + 8, number_load(o, base, form));
        entry += sizeof(stele_field);
    } while (o != last);
    return last;
}

/* ---- Stretches ---- */

/* The bytes that the stretch at the position touches, from bit 0 of a byte on. */
static __attribute__((noinline)) const uint8_t *
stretch_copy(ctf_run *r, uint64_t pos, uint32_t touched, bool is_shifted, bool is_big_endian)
{
    const uint8_t *from = r->data + (pos >> 3);
    const size_t left = r->data_size - (size_t)(pos >> 3);
    const unsigned bit = (unsigned)(pos & 7);
    memset(r->scratch, 0, sizeof r->scratch);
    if (!is_shifted || bit == 0) {
        memcpy(r->scratch, from, touched < left ? touched : left);
        return r->scratch;
    }
    for (uint32_t i = 0; i < touched && i < left; i++) {
        const unsigned low = from[i], high = i + 1 < left ? from[i + 1] : 0;
        r->scratch[i] = (uint8_t)(is_big_endian ? low << bit | high >> (8 - bit)
                                                : low >> bit | high << (8 - bit));
    }
    return r->scratch;
}

HOT uint64_t aligned(const ctf_run *r, uint64_t pos, uint32_t mask)
{
    return pos + (-(pos + r->data_at) & mask);
}

/* A stretch that lies far enough from the end of what is loaded: steps over it. */
HOT bool stretch_near(const ctf_run *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const uint64_t end = *pos + o->u.size;
    *base = r->data + (*pos >> 3);
    if (UNLIKELY(end >= r->near_end))
        return false;
    *pos = end;
    return true;
}

/* Any stretch: its first byte goes to r->stretch. The position behind it, POS_FAILED. */
static __attribute__((noinline)) uint64_t stretch_any(ctf_run *r, const op *o, uint64_t pos)
{
    const uint32_t touched = o->v.need.touched;
    const bool is_shifted = o->code == OP_NEED_SHIFTED;
    pos = aligned(r, pos, o->v.need.mask);
    if (pos > r->end || o->u.size > r->end - pos)
        return run_past_end(r, pos, o->u.size);
    if (touched == 0)
        r->stretch = r->scratch;
    else if (!is_shifted && (pos >> 3) + touched + BITS_SPAN_MAX <= r->data_size)
        r->stretch = r->data + (pos >> 3);
    else
        r->stretch = stretch_copy(r, pos, touched, is_shifted, (o->flags & OP_BIG_ENDIAN) != 0);
    return pos + o->u.size;
}

/* ---- Values that are kept ---- */

HOT void slot_set(ctf_run *r, const op *o, const uint8_t *base)
{
    slot_value *slot = &r->slots[o->v.slot];
    slot->value = op_load(o, base);
    slot->is_set = true;
    slot->is_signed = (o->flags & OP_SIGNED) != 0;
}

HOT void event_thread(ctf_run *r, uint64_t tid, uint64_t pid)
{
    if (UNLIKELY(tid != r->tid || pid != r->pid || r->thread == 0))
        run_thread(r, tid, pid);
}

HOT void event_thread_near(ctf_run *r, const op *o, const uint8_t *base)
{
    event_thread(r, number_load(&o[0], base, NUMBER_LE), number_load(&o[1], base, NUMBER_LE));
}

static __attribute__((noinline)) void event_thread_other(ctf_run *r, const op *o,
                                                         const uint8_t *base, uint64_t pair)
{
    event_thread_near(r, o + 1, base);
    r->thread_pair = pair;
    r->thread_form = r->thread != 0 ? o->width : 0;
}

/* Behind OP_NEED_THREAD: mostly the pair is that of the last event. */
HOT void event_thread_pair(ctf_run *r, const op *o, const uint8_t *base)
{
    const uint64_t pair = load_le64(base + o->offset);
    if (UNLIKELY(pair != r->thread_pair || o->width != r->thread_form))
        event_thread_other(r, o, base, pair);
}

static void event_thread_slots(ctf_run *r, const op *o)
{
    const uint32_t pid = o->v.thread.pid;
    event_thread(r, r->slots[o->v.thread.tid].value,
                 pid != SLOT_NONE ? r->slots[pid].value : UINT64_MAX);
}

HOT unsigned number_width(const ctf_run *r, const op *o)
{
    return (o->flags & OP_VARIABLE) != 0 ? r->varint_width : o->width;
}

HOT void event_clock(ctf_run *r, const op *o, const uint8_t *base)
{
    clock_advance(&r->clocks[o->v.clock], op_load(o, base), bits_mask(number_width(r, o)));
}

/* ---- The compact and the extended header ---- */

/* The bytes of the header where the loaded ones may end in it; NULL: even the compact one is not
   all there. */
static __attribute__((noinline)) const uint8_t *either_copy(ctf_run *r, const op_either *e,
                                                            uint64_t pos)
{
    if (pos > r->end || e->compact_size > r->end - pos) {
        run_past_end(r, pos, e->compact_size);
        return NULL;
    }
    return stretch_copy(r, pos, e->touched, false, false);
}

/* The position behind the header, POS_FAILED. */
HOT uint64_t event_either(ctf_run *r, const op_either *e, uint64_t pos, bool is_big_endian)
{
    const op_place *time_at = &e->compact_time;
    uint32_t size = e->compact_size;
    const uint8_t *base;
    uint64_t id;
    pos = aligned(r, pos, e->mask);
    base = r->data + (pos >> 3);
    if (UNLIKELY(pos + e->extended_size >= r->near_end)) {
        base = either_copy(r, e, pos);
        if (base == NULL)
            return POS_FAILED;
    }
    id = place_load(&e->id, base, is_big_endian);
    r->slots[e->slot].value = id;
    r->slots[e->slot].is_set = true;
    if (UNLIKELY(id == e->escape)) {
        time_at = &e->extended_time;
        size = e->extended_size;
        if (size > r->end - pos)
            return run_past_end(r, pos, size);
        id = place_load(&e->extended_id, base, is_big_endian);
    }
    r->id = id;
    clock_advance(&r->clocks[e->clock], place_load(time_at, base, is_big_endian), time_at->mask);
    return pos + size;
}

/* ---- What the head of a packet says ---- */

static void head_role(ctf_run *r, const op *o, uint64_t value)
{
    packet_head *head = r->head;
    head->has |= o->v.role;
    switch (o->v.role) {
    case CTF_ROLE_PACKET_MAGIC: head->magic = value; break;
    case CTF_ROLE_STREAM_CLASS_ID: head->stream_class_id = value; break;
    case CTF_ROLE_STREAM_ID: head->stream_id = value; break;
    case CTF_ROLE_TOTAL_LENGTH: head->total_bits = value; break;
    case CTF_ROLE_CONTENT_LENGTH: head->content_bits = value; break;
    case CTF_ROLE_CPU: head->cpu = (uint32_t)value; break;
    case CTF_ROLE_PACKET_BEGIN:
        head->begin_ticks = value;
        r->begin_width = number_width(r, o);
        break;
    case CTF_ROLE_PACKET_END:
        head->end_ticks = value;
        r->end_width = number_width(r, o);
        break;
    case CTF_ROLE_DISCARDED:
        head->discarded = value;
        head->discarded_width = o->width;
        break;
    case CTF_ROLE_SEQUENCE_NUMBER:
        head->sequence_number = value;
        head->sequence_width = o->width;
        break;
    default: break;
    }
}

/* ---- Runs, loops, branches ---- */

static void frame_open(ctf_run *r, const op *o)
{
    r->frames[r->frame_count++].field = r->batch->field_count;
    entry_push(r->batch, o->head, load_native64(&o->u));
}

static void frame_close(ctf_run *r)
{
    const uint32_t field = r->frames[--r->frame_count].field;
    r->batch->fields[field].u.run.length = r->batch->field_count - field - 1;
}

/* Whether the loop is entered; false also when that failed (see `*failed`). */
static bool loop_begin(ctf_run *r, const op *o, uint64_t pos, bool *failed)
{
    const bool is_wanted = (o->flags & OP_WANTED) != 0;
    uint64_t count, bits;
    *failed = true;
    if (!field_length(r, o, pos, &count))
        return false;
    if (__builtin_mul_overflow(count, (uint64_t)o->offset, &bits) || pos > r->end ||
        bits > r->end - pos) {
        run_past_end(r, pos, bits);
        return false;
    }
    if (!run_count_elements(r, pos, count))
        return false;
    *failed = false;
    if (is_wanted) {
        stele_field *entry = &r->batch->fields[r->batch->field_count];
        entry_push(r->batch, o->head, 0);
        entry->u.run.length = 0;
        entry->u.run.count = (uint32_t)count;
    }
    if (count == 0)
        return false;
    r->frames[r->frame_count++] = (run_frame){
        .field = r->batch->field_count - 1, .left = (uint32_t)count, .is_wanted = is_wanted};
    return true;
}

/* Whether the limits and memory let another element be read. */
static bool loop_has_room(ctf_run *r, const program *p, uint64_t pos, uint32_t first)
{
    const uint32_t fields_max = r->context->limits.fields_max;
    if (UNLIKELY(r->batch->field_count - first > fields_max)) {
        run_bad(r, CTF456, pos, NULL, "more fields than the limit of %u", (unsigned)fields_max);
        return false;
    }
    if (UNLIKELY(!batch_reserve_fields(r->batch, p->entries))) {
        run_exhausted(r);
        return false;
    }
    return true;
}

/* Whether there is another element. */
static bool loop_next(ctf_run *r)
{
    run_frame *frame = &r->frames[r->frame_count - 1];
    if (--frame->left != 0)
        return true;
    if (frame->is_wanted)
        frame_close(r);
    else
        r->frame_count--;
    return false;
}

static void slot_pick(ctf_run *r, const program *p, const op *o)
{
    slot_value *to = &r->slots[o->v.slot];
    to->is_set = false;
    for (uint32_t i = 0; i < o->u.picks.count && !to->is_set; i++)
        *to = r->slots[p->picks[o->u.picks.first + i]];
}

/* The option's first operation; OP_NONE: the outcome says why. */
static uint32_t option_choose(ctf_run *r, const op_choices *choices, uint64_t pos)
{
    const slot_value *tag = &r->slots[choices->slot];
    uint32_t option = RANGE_NONE;
    if (tag->is_set && (tag->is_signed == choices->is_signed || (int64_t)tag->value >= 0))
        option = range_table_find(&choices->table, tag->value);
    if (option != RANGE_NONE)
        return choices->targets[option];
    if (!tag->is_set)
        run_bad(r, CTF452, pos, "a field that selects the variant's option", "it is not there");
    else if (tag->is_signed)
        run_bad(r, CTF452, pos, "a value that selects an option of the variant", "%lld",
                (long long)tag->value);
    else
        run_bad(r, CTF452, pos, "a value that selects an option of the variant", "%llu",
                (unsigned long long)tag->value);
    return OP_NONE;
}

static bool condition_holds(ctf_run *r, const op_condition *condition, uint64_t pos, bool *failed)
{
    const slot_value *selector = &r->slots[condition->slot];
    *failed = !selector->is_set;
    if (*failed)
        run_bad(r, CTF452, pos, "a field that says whether the next one is there",
                "it is not there itself");
    if (condition->is_bool)
        return selector->value != 0;
    return ranges_hold(condition->ranges, condition->range_count, selector->value,
                       selector->is_signed);
}

/* ---- Events ---- */

/* Notes where the payload of an event whose size is known ends. */
static uint64_t payload_begin(ctf_run *r, uint64_t pos)
{
    if (r->event_size == UINT64_MAX)
        return pos;
    if (pos > r->end || r->event_size > (r->end - pos) / 8)
        return run_past_end(r, pos,
                            r->event_size < UINT64_MAX / 8 ? r->event_size * 8 : UINT64_MAX);
    r->payload_end = pos + r->event_size * 8;
    return pos;
}

/* Goes to the end of a payload whose size is known. */
static uint64_t payload_end(ctf_run *r, uint64_t pos)
{
    const uint64_t end = r->payload_end;
    r->event_size = r->payload_end = UINT64_MAX;
    if (end == UINT64_MAX)
        return pos;
    if (pos > end)
        return run_bad(r, CTF450, pos, "fields within the size that the event says",
                       "they are %llu bits longer", (unsigned long long)(pos - end));
    return end;
}

/* What there was before the event, to go back to when it is not all there. */
typedef struct event_mark {
    uint32_t fields, bytes, names;
    bit_order order;
} event_mark;

HOT event_mark event_begin(ctf_run *r, const stele_batch *batch, uint64_t pos)
{
    r->clocks_before[0] = r->clocks[0]; /* there is room, also where there is no clock */
    for (uint32_t i = 1; UNLIKELY(i < r->clock_count); i++)
        r->clocks_before[i] = r->clocks[i];
    r->event_at = pos;
    r->loops_left = r->loops_max;
    return (event_mark){batch->field_count, batch->byte_count, batch->name_count, r->order};
}

static decode_outcome event_undo(ctf_run *r, event_mark mark)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i] = r->clocks_before[i];
    r->position = r->data_at + r->event_at;
    r->order = mark.order;
    r->frame_count = 0;
    r->event_size = r->payload_end = UINT64_MAX;
    r->batch->field_count = mark.fields;
    r->batch->byte_count = mark.bytes;
    r->batch->name_count = mark.names;
    return r->outcome;
}

/* A time that is not the clock's value in nanoseconds; r->is_clamped: it does not fit. */
static __attribute__((noinline)) int64_t event_time_far(ctf_run *r, uint64_t ticks)
{
    r->is_clamped = false;
    return clock_rate_ns(r->rate, ticks, &r->is_clamped);
}

/* Appends the event that ends at the position; false: the outcome says why. */
HOT bool event_push(ctf_run *r, stele_batch *batch, const program *p, uint64_t pos,
                    uint32_t field_first)
{
    const uint64_t at = r->event_at, ticks = *r->clock;
    const uint64_t size = ((pos + 7) >> 3) - (at >> 3);
    const uint32_t fields = batch->field_count - field_first;
    stele_event *event = &batch->events[batch->event_count];
    uint64_t rest = p->rest | r->rest | event_rest((uint16_t)fields, 0, 0, 0, 0);
    uint32_t track = p->has_thread ? r->thread : r->track;
    int64_t time_ns = (int64_t)((uint64_t)r->rate->zero_ns + ticks);
    if (UNLIKELY(pos <= at)) {
        run_bad(r, CTF454, pos, "one bit or more", "the event class describes none");
        return false;
    }
    if (UNLIKELY(ticks < r->last_ticks))
        run_time_back(r, at, ticks);
    r->last_ticks = ticks;
    if (UNLIKELY(ticks >= r->rate->ns_end)) {
        time_ns = event_time_far(r, ticks);
        rest |= event_rest(0, 0, 0, 0, r->is_clamped ? STELE_FLAG_CLAMPED : 0);
    }
    if (UNLIKELY(p->cpu_slot != SLOT_NONE)) {
        rest |= run_cpu(r, p);
        track = p->has_thread ? r->thread : r->event_track;
    }
    event_set(event, time_ns, ticks, 0, 0, r->data_offset + (at >> 3),
              size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, p->name, track, field_first, rest);
    if (UNLIKELY(fields >= STELE_FIELDS_MANY) && !batch_set_fields(batch, event, field_first)) {
        run_exhausted(r);
        return false;
    }
    batch->event_count++;
    return true;
}

/* Goes to the program of the event class: the position, POS_FAILED. */
HOT uint64_t event_enter(ctf_run *r, const stele_batch *batch, const program **p, const op **o,
                         uint64_t pos)
{
    const stream_programs *own = r->own;
    const program *found = LIKELY(r->id < own->id_count) ? own->events[r->id] : NULL;
    if (UNLIKELY(found == NULL || batch->field_capacity - batch->field_count < found->entries)) {
        found = run_find_program(r, r->event_at);
        if (found == NULL)
            return POS_FAILED;
    }
    *p = found;
    *o = found->ops - 1; /* before its first one */
    return pos;
}

/* The same behind the compact or extended header. */
HOT uint64_t event_enter_either(ctf_run *r, const stele_batch *batch, const program **p,
                                const op **o, uint64_t pos, bool is_big_endian)
{
    pos = event_either(r, (*o)->u.either, pos, is_big_endian);
    return LIKELY(pos != POS_FAILED) ? event_enter(r, batch, p, o, pos) : POS_FAILED;
}

/* Behind the last event that the batch takes or the packet has. */
HOT decode_outcome event_leave(ctf_run *r, uint64_t pos)
{
    r->position = r->data_at + pos;
    return pos == r->content_end ? DECODE_END : DECODE_OK;
}

/* ---- Strings ---- */

#define STRING_SHORT 64u /* bytes */

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* The highest bit of the first byte that is zero, and perhaps of some behind it. */
HOT uint64_t zeros_of(uint64_t word)
{
    return (word - ONES) & ~word & HIGHS;
}

/* A short string that is not near the end of what is loaded, copied while its end is sought. */
HOT uint64_t string_copy(ctf_run *r, stele_batch *batch, const op *o, uint64_t pos)
{
    const uint8_t *const from = r->data + (pos >> 3);
    uint8_t *const to = batch->bytes + batch->byte_count;
    if (UNLIKELY(pos + STRING_SHORT * 8 >= r->near_end ||
                 batch->byte_capacity - batch->byte_count < STRING_SHORT))
        return field_string(r, o, pos);
    for (uint32_t at = 0; at < STRING_SHORT; at += 8) {
        const uint64_t word = load_le64(from + at), zeros = zeros_of(word);
        store_le64(to + at, word);
        if (zeros != 0) {
            const uint32_t size = at + (uint32_t)__builtin_ctzll(zeros) / 8;
            stele_field *entry = batch_push_field(batch);
            memcpy(entry, &o->head, sizeof o->head);
            entry->u.bytes.offset = batch->byte_count;
            entry->u.bytes.size = size;
            batch->byte_count += size;
            return pos + ((uint64_t)size + 1) * 8;
        }
    }
    return field_string(r, o, pos);
}

/* The same without a copy. */
HOT uint64_t string_pass(ctf_run *r, const op *o, uint64_t pos)
{
    const uint8_t *const from = r->data + (pos >> 3);
    if (UNLIKELY(pos + STRING_SHORT * 8 >= r->near_end))
        return field_string(r, o, pos);
    for (uint32_t at = 0; at < STRING_SHORT; at += 8) {
        const uint64_t zeros = zeros_of(load_le64(from + at));
        if (zeros != 0)
            return pos + 8 * (uint64_t)at + ((uint64_t)__builtin_ctzll(zeros) & ~UINT64_C(7)) + 8;
    }
    return field_string(r, o, pos);
}

/* ---- Elements that nobody wants ---- */

#define SKIP_SHORT (1u << 24) /* elements: so many of any size are less than 2^56 bits */

/* Mostly there are as many as a field said, they follow each other, and end before the end. */
HOT uint64_t skip_near(ctf_run *r, const op *o, uint64_t pos)
{
    if (LIKELY((o->flags & OP_HAS_SLOT) != 0 && o->v.element.stride == o->v.element.size)) {
        const slot_value *slot = &r->slots[o->u.length];
        const uint64_t end = pos + slot->value * o->v.element.stride;
        if (LIKELY(slot->is_set && slot->value < SKIP_SHORT && end < r->near_end))
            return end;
    }
    return field_skip(r, o, pos);
}

/* ---- The loop ---- */

/* Fields at the position: the position behind them, POS_FAILED. */
HOT uint64_t op_field(ctf_run *r, const op *o, uint64_t pos)
{
    switch (o->code) {
    case OP_BIG: return field_big(r, o, pos);
    case OP_BIG_FLOAT: return field_big_float(r, o, pos);
    case OP_UUID: return field_uuid(r, pos);
    case OP_STRING: return field_string(r, o, pos);
    case OP_TEXT: return field_text(r, o, pos);
    case OP_BLOB: return field_blob(r, o, pos);
    case OP_UNIT: return field_unit(r, o, pos);
    case OP_JOINT: return joint_note(r, o, pos) ? pos : run_exhausted(r);
    case OP_ORDER: return field_order(r, o, pos);
    case OP_PAYLOAD: return payload_begin(r, pos);
    default: return payload_end(r, pos); /* OP_PAYLOAD_END */
    }
}

/* What most events do not need: the position behind it, POS_FAILED. */
static __attribute__((noinline)) uint64_t op_other(ctf_run *r, const program *p, const op *o,
                                                   const uint8_t *base, uint64_t pos)
{
    uint64_t value;
    switch (o->code) {
    case OP_EMIT: entry_push(r->batch, o->head, op_load(o, base)); break;
    case OP_EMIT_TEXT: return field_emit_text(r, o, base + o->offset) ? pos : POS_FAILED;
    case OP_EMIT_NAMED:
        value = op_load(o, base);
        entry_push(r->batch, o->head, value);
        if (!labels_push(r->programs, o->u.labels, value, p->entries, r->batch))
            return run_exhausted(r);
        break;
    case OP_EMIT_BOOL: entry_push(r->batch, o->head, op_load(o, base) != 0); break;
    case OP_EMIT_FLOAT:
        value = store_double(float_of_bits(op_load(o, base), o->u.format));
        entry_push(r->batch, o->head, value);
        break;
    case OP_ROLE: head_role(r, o, op_load(o, base)); break;
    case OP_EVENT_SIZE: r->event_size = op_load(o, base); break;
    case OP_OPEN: frame_open(r, o); break;
    case OP_CLOSE: frame_close(r); break;
    case OP_PICK: slot_pick(r, p, o); break;
    case OP_UNSET: r->slots[o->v.slot].is_set = false; break;
    case OP_THREAD_SLOTS: event_thread_slots(r, o); break;
    default: return op_field(r, o, pos);
    }
    return pos;
}

/* Puts the number to the scratch: the position behind it, POS_FAILED. */
HOT uint64_t op_varint(ctf_run *r, const program *p, const op **o, const uint8_t **base,
                       uint64_t pos)
{
    bool is_big;
    pos = field_varint(r, *o, pos, &is_big);
    *base = r->scratch;
    if (is_big)
        *o = p->ops + (*o)->v.target - 1;
    return pos;
}

/* Whether to go on behind the operation or at its target: the position, POS_FAILED. */
HOT uint64_t op_branch(ctf_run *r, const program *p, const op **at, uint64_t pos, uint32_t first)
{
    const op *const o = *at;
    bool goes_on = false, is_bad = false;
    uint32_t target = o->v.target;
    switch (o->code) {
    case OP_JUMP: break;
    case OP_LOOP: goes_on = loop_begin(r, o, pos, &is_bad); break;
    case OP_NEXT:
        is_bad = !loop_has_room(r, p, pos, first);
        goes_on = !is_bad && !loop_next(r);
        break;
    case OP_CHOOSE:
        target = option_choose(r, o->u.choices, pos);
        is_bad = target == OP_NONE;
        break;
    default: /* OP_WHETHER */ goes_on = condition_holds(r, o->u.condition, pos, &is_bad); break;
    }
    if (UNLIKELY(is_bad))
        return POS_FAILED;
    if (!goes_on)
        *at = p->ops + target - 1;
    return pos;
}

decode_outcome run_execute(ctf_run *r, const program *first)
{
    stele_batch *const batch = r->batch;
    const program *p = first;
    const op *o = p->ops;
    const uint8_t *base = r->scratch;
    uint64_t pos = r->position - r->data_at;
    event_mark mark = event_begin(r, batch, pos);
    for (;; o++) {
        switch (o->code) {
        case OP_NEED_THREAD:
            if (UNLIKELY(!stretch_near(r, o, &pos, &base)))
                goto far;
            event_thread_pair(r, o, base);
            o += 2;
            continue;
        case OP_NEED_BYTES:
            if (UNLIKELY(!stretch_near(r, o, &pos, &base)))
                goto far;
            o = entries_push(batch, o + 1, base, NUMBER_BYTES);
            continue;
        case OP_NEED_ALIGNED: pos = aligned(r, pos, o->v.need.mask); __attribute__((fallthrough));
        case OP_NEED:
            if (LIKELY(stretch_near(r, o, &pos, &base)))
                continue;
            __attribute__((fallthrough));
        case OP_NEED_SHIFTED:
        far:
            pos = stretch_any(r, o, pos);
            base = r->stretch;
            break;
        case OP_EMIT_BYTES: o = entries_push(batch, o, base, NUMBER_BYTES); continue;
        case OP_EMIT_LE: o = entries_push(batch, o, base, NUMBER_LE); continue;
        case OP_EMIT_BE: o = entries_push(batch, o, base, NUMBER_BE); continue;
        case OP_ENTRY: entry_push(batch, o->head, load_native64(&o->u)); continue;
        case OP_SLOT: slot_set(r, o, base); continue;
        case OP_THREAD: event_thread_near(r, o++, base); continue;
        case OP_CLOCK: event_clock(r, o, base); continue;
        case OP_EVENT_ID: r->id = op_load(o, base); continue;
        case OP_STRING_COPY: pos = string_copy(r, batch, o, pos); break;
        case OP_STRING_PASS: pos = string_pass(r, o, pos); break;
        case OP_NUMBERS: pos = field_numbers(r, o++, pos); break;
        case OP_ENTRIES: pos = field_entries(r, o++, pos, p->entries); break;
        case OP_SKIP: pos = skip_near(r, o, pos); break;
        case OP_VARINT: pos = op_varint(r, p, &o, &base, pos); break;
        case OP_JUMP:
        case OP_LOOP:
        case OP_NEXT:
        case OP_CHOOSE:
        case OP_WHETHER: pos = op_branch(r, p, &o, pos, mark.fields); break;
        case OP_EITHER_LE: pos = event_enter_either(r, batch, &p, &o, pos, false); break;
        case OP_EITHER_BE: pos = event_enter_either(r, batch, &p, &o, pos, true); break;
        case OP_DISPATCH: pos = event_enter(r, batch, &p, &o, pos); break;
        case OP_DONE:
            if (UNLIKELY(!event_push(r, batch, p, pos, mark.fields)))
                return event_undo(r, mark);
            if (pos == r->content_end || batch_is_full(batch))
                return event_leave(r, pos);
            mark = event_begin(r, batch, pos);
            p = first;
            o = p->ops - 1;
            continue;
        case OP_END: event_leave(r, pos); return DECODE_OK;
        default: pos = op_other(r, p, o, base, pos); break;
        }
        if (UNLIKELY(pos == POS_FAILED))
            return event_undo(r, mark);
    }
}
