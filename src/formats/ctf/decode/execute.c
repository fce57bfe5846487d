/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that executes programs. Its state is in locals: the operation, the position, the first
 * byte of the stretch, the next entry. What is rare is in functions elsewhere, which find the
 * number of entries in the batch and leave it there. Events follow each other without leaving it.
 */
#include "core/zeros.h"
#include "formats/ctf/decode/run.h"

/* ---- Numbers ---- */

/* A number in any form. */
HOT uint64_t op_load(const op *o, const uint8_t *base)
{
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    const uint8_t *from = base + o->offset;
    uint64_t value;
    if (LIKELY((o->flags & (OP_BIG_ENDIAN | OP_WIDE | OP_REVERSED)) == 0))
        return number_load(OP_LE, o, from);
    if ((o->flags & OP_WIDE) == 0)
        value = (is_big_endian ? load_be64(from) : load_le64(from)) >> o->shift & o->mask;
    else
        value = is_big_endian ? bits_load_be(from, from + BITS_SPAN_MAX, o->shift, o->width)
                              : bits_load_le(from, from + BITS_SPAN_MAX, o->shift, o->width);
    if (UNLIKELY((o->flags & OP_REVERSED) != 0))
        value = bits_reversed(value, o->width);
    return (value ^ o->sign) - o->sign;
}

/* ---- Entries ---- */

HOT stele_field *entries_end(const stele_batch *batch)
{
    return batch->fields + batch->field_count;
}

HOT void entries_set_end(stele_batch *batch, const stele_field *end)
{
    batch->field_count = (uint32_t)(end - batch->fields);
}

static void entry_push(stele_batch *batch, uint64_t head, uint64_t value)
{
    entry_put(batch_push_field(batch), head, value);
}

static __attribute__((noinline)) bool entry_push_named(ctf_run *r, const op *o, uint64_t value,
                                                       uint32_t reserve)
{
    entry_push(r->batch, o->head, value);
    if (labels_push(r->programs, o->u.labels, value, reserve, r->batch))
        return true;
    run_exhausted(r);
    return false;
}

/* A number and its labels, mostly those that were seen last; NULL: memory. */
HOT stele_field *entry_put_named(ctf_run *r, stele_batch *batch, stele_field *entry, const op *o,
                                 uint64_t value)
{
    const label_memo *memo = &o->u.labels->memos[value % LABEL_MEMOS];
    const stele_field label = {.type = STELE_TYPE_NAME};
    if (UNLIKELY(memo->value != value)) {
        entries_set_end(batch, entry);
        return entry_push_named(r, o, value, r->program->entries) ? entries_end(batch) : NULL;
    }
    entry_put(entry, o->head, value);
    entry->label_count = (uint8_t)memo->count;
    for (uint32_t i = 0; i < LABELS_KEPT; i++) /* there is room for all, whether they are or not */
        entry_put(entry + 1 + i, load_native64(&label), memo->names[i]);
    return entry + 1 + memo->count;
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
    if (UNLIKELY(tid != r->tid || pid != r->pid || r->tracks[1] == 0))
        run_thread(r, tid, pid);
}

/* The numbers of two operations. */
HOT void event_thread_near(ctf_run *r, const op *o, const uint8_t *base)
{
    event_thread(r, number_load(OP_LE, &o[0], base + o[0].offset),
                 number_load(OP_LE, &o[1], base + o[1].offset));
}

static __attribute__((noinline)) void event_thread_other(ctf_run *r, const op *o,
                                                         const uint8_t *base, uint64_t pair)
{
    event_thread_near(r, o, base);
    r->thread_pair = pair;
    r->thread_form = r->tracks[1] != 0 ? o->u.pair.form : 0;
}

/* Mostly the pair is that of the last event. */
HOT void event_thread_pair(ctf_run *r, const op *o, const uint8_t *base)
{
    const uint64_t pair = load_le64(base + o->u.pair.offset);
    if (UNLIKELY(pair != r->thread_pair || o->u.pair.form != r->thread_form))
        event_thread_other(r, o, base, pair);
}

HOT stele_field *event_thread_words(ctf_run *r, const op *o, const uint8_t *base,
                                    stele_field *entry)
{
    const uint8_t *from = base + o->u.pair.offset;
    entry = entry_put(entry, o[0].head, (uint64_t)(int32_t)load_le32(from));
    entry = entry_put(entry, o[1].head, (uint64_t)(int32_t)load_le32(from + 4));
    event_thread_pair(r, o, base);
    return entry;
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
    clock_advance(&r->clocks[o->v.clock].now, op_load(o, base), bits_mask(number_width(r, o)));
}

/* ---- The compact and the extended header ---- */

HOT uint64_t place_load(const op_place *at, const uint8_t *base, bool is_big_endian)
{
    const uint8_t *from = base + at->offset;
    return (is_big_endian ? load_be64(from) : load_le64(from)) >> at->shift & at->mask;
}

/* What the header says. */
HOT void either_tell(ctf_run *r, clock_state *clock, uint64_t id, uint64_t time, uint64_t time_mask)
{
    clock->before = clock->now;
    clock_advance(&clock->now, time, time_mask);
    r->id = id;
}

/* ... and what its first number is, where an event class wants that. */
HOT void either_keep(ctf_run *r, const op *o, uint64_t id)
{
    if (o->v.header.slot != SLOT_NONE)
        r->slots[o->v.header.slot] = (slot_value){.value = id, .is_set = true};
}

/* Any header: the position behind it, POS_FAILED. */
static __attribute__((noinline)) uint64_t event_either(ctf_run *r, const op *o, uint64_t pos)
{
    const op_either *const e = o->u.either;
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    clock_state *const clock = &r->clocks[o->v.header.clock];
    const uint8_t *base;
    uint64_t id;
    pos = aligned(r, pos, (uint32_t)o->mask);
    if (pos > r->end || e->compact_size > r->end - pos)
        return run_past_end(r, pos, e->compact_size);
    base = pos + e->extended_size >= r->near_end
               ? stretch_copy(r, pos, (e->extended_size + 7) / 8, false, false)
               : r->data + (pos >> 3);
    id = place_load(&e->id, base, is_big_endian);
    either_keep(r, o, id);
    if (id != e->escape) {
        either_tell(r, clock, id, place_load(&e->compact_time, base, is_big_endian),
                    e->compact_time.mask);
        return pos + e->compact_size;
    }
    if (e->extended_size > r->end - pos)
        return run_past_end(r, pos, e->extended_size);
    either_tell(r, clock, place_load(&e->extended_id, base, is_big_endian),
                place_load(&e->extended_time, base, is_big_endian), e->extended_time.mask);
    return pos + e->extended_size;
}

/* The header and what a program may step over behind it end so far away from it. */
#define LEAD_NEAR ((STRETCH_SIZE_MAX + 16) * 8) /* bits */

/* A compact header that is not near the end of what is loaded. `e` says where its numbers are;
   `is_usual`: see OP_EITHER_1. Both are constants where they can be. `*base` becomes the byte that
   the position behind it is in. */
HOT bool either_near(ctf_run *r, const op *o, const op_either *e, bool is_big_endian, bool is_usual,
                     uint64_t *pos, const uint8_t **base)
{
    const uint64_t at = is_usual ? (*pos + 7) & ~UINT64_C(7) : aligned(r, *pos, (uint32_t)o->mask);
    const uint8_t *const from = r->data + (at >> 3);
    uint64_t word, id;
    if (UNLIKELY(at + LEAD_NEAR >= r->near_end))
        return false;
    word = is_big_endian ? load_be64(from) : load_le64(from);
    id = word >> e->id.shift & e->id.mask;
    if (UNLIKELY(id == e->escape))
        return false;
    if (!is_usual)
        either_keep(r, o, id);
    either_tell(r, &r->clocks[is_usual ? 0 : o->v.header.clock], id, word >> e->compact_time.shift,
                e->compact_time.mask);
    *base = from + (e->compact_size >> 3);
    *pos = at + e->compact_size;
    return true;
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
    case CTF_ROLE_PACKET_BEGIN: head->begin_ticks = value; break;
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
    if (__builtin_mul_overflow(count, (uint64_t)o->offset, &bits))
        bits = UINT64_MAX;
    if (pos > r->end || bits > r->end - pos) {
        run_past_end(r, pos, bits);
        return false;
    }
    if (!run_count_elements(r, pos, count))
        return false;
    *failed = false;
    if (is_wanted) {
        stele_field *entry = batch_push_field(r->batch);
        memcpy(entry, &o->head, sizeof o->head);
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

/* What only some headers change. */
static void event_keep(ctf_run *r)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].before = r->clocks[i].now;
    r->order_before = r->order;
}

/* The event that is being read: what there was before it, to go back to when it is not all there.
   The number of events in the batch is told when the loop is left. */
typedef struct event_state {
    stele_event *event; /* where it goes */
    stele_event *end;   /* behind the last place */
    uint32_t first;     /* its first entry */
    uint32_t bytes;
    uint32_t room; /* an event that begins below has room for its entries */
} event_state;

/* The room for the entries of any event; see batch_is_full(). */
static uint32_t event_room(const ctf_run *r, const stele_batch *batch)
{
    const uint32_t capacity = batch->field_capacity;
    const uint32_t room = capacity >= r->entries ? capacity - r->entries + 1 : 0;
    return room < BATCH_FIELDS_FULL ? room : BATCH_FIELDS_FULL;
}

static event_state event_enter(ctf_run *r, const stele_batch *batch, uint64_t pos)
{
    r->event_at = pos;
    return (event_state){batch->events + batch->event_count, batch->events + batch->event_capacity,
                         batch->field_count, batch->byte_count, event_room(r, batch)};
}

/* Goes on at the position behind an event, whose entries end at `first`; false: see event_stay().
 */
HOT bool event_next(ctf_run *r, const stele_batch *batch, event_state *at, uint64_t pos,
                    uint32_t first)
{
    r->event_at = pos;
    at->event++;
    at->first = first;
    at->bytes = batch->byte_count;
    return LIKELY(pos != r->content_end && at->event != at->end && at->bytes < BATCH_BYTES_FULL &&
                  first < at->room);
}

/* Makes room for another event; false when that was the last one that the batch takes or the packet
   has. Where memory is exhausted that is told when the batch is empty. */
static __attribute__((noinline)) bool event_stay(const ctf_run *r, stele_batch *batch,
                                                 event_state *at)
{
    batch->event_count = (uint32_t)(at->event - batch->events);
    batch->field_count = at->first;
    if (r->event_at == r->content_end || batch_is_full(batch) ||
        !batch_reserve_fields(batch, r->entries))
        return false;
    at->room = event_room(r, batch);
    return true;
}

/* Behind the last event. */
static decode_outcome event_leave(ctf_run *r, stele_batch *batch, const event_state *at,
                                  uint64_t pos)
{
    batch->event_count = (uint32_t)(at->event - batch->events);
    batch->field_count = at->first;
    r->position = r->data_at + pos;
    return pos == r->content_end ? DECODE_END : DECODE_OK;
}

static decode_outcome event_undo(ctf_run *r, stele_batch *batch, const event_state *at)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].now = r->clocks[i].before;
    r->order = r->order_before;
    r->frame_count = 0;
    r->loops_left = r->loops_max;
    r->event_size = r->payload_end = UINT64_MAX;
    batch->byte_count = at->bytes;
    event_leave(r, batch, at, r->event_at);
    return r->outcome;
}

/* Fills in the event that ends at the position. */
HOT void event_put(const ctf_run *r, const program *p, stele_event *event, uint32_t size,
                   int64_t time_ns, uint64_t ticks, uint32_t track, uint32_t first, uint64_t rest)
{
    event->time_ns = time_ns;
    event->ticks = ticks;
    event->value = event->id = 0;
    event->offset = r->data_offset + (r->event_at >> 3);
    event->size = size;
    event->name = p->name;
    event->track = track;
    event->field_first = first;
    store_native64(&event->field_count, rest);
}

/* One of any size, any time, any number of fields, perhaps with a CPU of its own; false: the
   outcome says why. */
static __attribute__((noinline)) bool event_push_any(ctf_run *r, const program *p, uint64_t pos,
                                                     const event_state *at)
{
    const uint64_t begin = r->event_at, ticks = *r->clock;
    const uint64_t size = ((pos + 7) >> 3) - (begin >> 3);
    uint64_t rest = p->rest | r->rest;
    uint32_t track = r->tracks[p->has_thread];
    bool is_clamped = false;
    int64_t time_ns;
    if (pos <= begin) {
        run_bad(r, CTF454, pos, "one bit or more", "the event class describes none");
        return false;
    }
    if (ticks < r->last_ticks)
        run_time_back(r, begin, ticks);
    r->last_ticks = ticks;
    r->loops_left = r->loops_max;
    time_ns = clock_rate_ns(r->rate, ticks, &is_clamped);
    if (is_clamped)
        rest |= event_rest(0, 0, 0, 0, STELE_FLAG_CLAMPED);
    if (p->cpu_slot != SLOT_NONE) {
        rest |= run_cpu(r, p);
        if (!p->has_thread)
            track = r->event_track;
    }
    event_put(r, p, at->event, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, time_ns, ticks,
              track, at->first, rest);
    if (batch_set_fields(r->batch, at->event, at->first))
        return true;
    run_exhausted(r);
    return false;
}

/* Most events: see OP_DONE. False: it is another one. */
HOT bool event_push(ctf_run *r, const program *p, uint64_t pos, const event_state *at, uint32_t end)
{
    const uint64_t ticks = *r->clock;
    if (UNLIKELY(ticks < r->last_ticks || ticks >= r->ns_end))
        return false;
    r->last_ticks = ticks;
    event_put(r, p, at->event, (uint32_t)((pos + 7) >> 3) - (uint32_t)(r->event_at >> 3),
              (int64_t)(r->zero_ns + ticks), ticks, r->tracks[p->has_thread], at->first,
              p->rest | r->rest | event_rest((uint16_t)(end - at->first), 0, 0, 0, 0));
    return true;
}

/* The program of the event class; one without: it is to be looked for. */
HOT const event_entry *event_look(const ctf_run *r)
{
    static const event_entry none;
    return LIKELY(r->id < r->id_count) ? &r->events[r->id] : &none;
}

/* ---- Strings ---- */

#define TEXT_NEAR (2 * ZEROS_SIZE) /* bytes */

/* Whether a word behind so short a text can be read and written. */
HOT bool text_is_near(const ctf_run *r, const stele_batch *batch, uint64_t pos)
{
    return pos + (uint64_t)TEXT_NEAR * 8 < r->near_end &&
           batch->byte_capacity - batch->byte_count >= TEXT_NEAR;
}

/* Copies up to the first zero, or `length` bytes, and looks for the zero meanwhile: the size. */
HOT uint32_t text_copy(uint8_t *to, const uint8_t *from, uint32_t length)
{
    uint32_t size = zeros_before(zeros_copy(to, from));
    if (size == ZEROS_SIZE && length > ZEROS_SIZE)
        size += zeros_before(zeros_copy(to + ZEROS_SIZE, from + ZEROS_SIZE));
    return size < length ? size : length;
}

HOT void text_put(stele_batch *batch, stele_field *entry, const op *o, uint32_t size)
{
    entry_put_bytes(entry, o->head, batch->byte_count, size);
    batch->byte_count += size;
}

/* A short string that is not near the end of what is loaded, copied while its end is sought; false:
   it is another one. */
HOT bool string_copy(const ctf_run *r, stele_batch *batch, const op *o, uint64_t *pos,
                     stele_field *entry)
{
    uint32_t size;
    if (UNLIKELY(!text_is_near(r, batch, *pos)))
        return false;
    size = text_copy(batch->bytes + batch->byte_count, r->data + (*pos >> 3), TEXT_NEAR);
    if (UNLIKELY(size == TEXT_NEAR))
        return false;
    text_put(batch, entry, o, size);
    *pos += ((uint64_t)size + 1) * 8;
    return true;
}

/* The same without a copy, of a shorter one. */
HOT bool string_pass(const ctf_run *r, uint64_t *pos)
{
    uint32_t size;
    if (UNLIKELY(*pos + (uint64_t)ZEROS_SIZE * 8 >= r->near_end))
        return false;
    size = zeros_before(zeros_find(r->data + (*pos >> 3)));
    if (UNLIKELY(size == ZEROS_SIZE))
        return false;
    *pos += ((uint64_t)size + 1) * 8;
    return true;
}

/* A text of a length, as string_copy(). */
HOT bool text_take(const ctf_run *r, stele_batch *batch, const op *o, uint64_t *pos,
                   stele_field *entry)
{
    const bool has_slot = (o->flags & OP_HAS_SLOT) != 0;
    const uint64_t length = has_slot ? r->slots[o->u.length].value : o->u.length;
    if (UNLIKELY((has_slot && !r->slots[o->u.length].is_set) || length > TEXT_NEAR ||
                 !text_is_near(r, batch, *pos)))
        return false;
    text_put(batch, entry, o,
             text_copy(batch->bytes + batch->byte_count, r->data + (*pos >> 3), (uint32_t)length));
    *pos += length * 8;
    return true;
}

/* The same of one of a stretch, in words, as what follows a stretch need not be loaded. */
HOT uint32_t text_copy_short(uint8_t *to, const uint8_t *from, uint32_t length)
{
    const uint64_t zeros = zeros_copy_words(to, from, length);
    const uint32_t size = zeros != 0 ? (uint32_t)__builtin_ctzll(zeros) : length;
    return size < length ? size : length;
}

HOT bool text_take_short(ctf_run *r, stele_batch *batch, const op *o, const uint8_t *base,
                         stele_field *entry)
{
    if (UNLIKELY(batch->byte_capacity - batch->byte_count < TEXT_NEAR)) {
        entries_set_end(batch, entry);
        return field_short_text(r, o, base + o->offset);
    }
    text_put(
        batch, entry, o,
        text_copy_short(batch->bytes + batch->byte_count, base + o->offset, (uint32_t)o->u.length));
    return true;
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
    case OP_ANY_TEXT: return field_text(r, o, pos);
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
    case OP_OTHER: entry_push(r->batch, o->head, op_load(o, base)); break;
    case OP_BOOL: entry_push(r->batch, o->head, op_load(o, base) != 0); break;
    case OP_FLOAT:
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
HOT uint64_t op_varint(ctf_run *r, const program *p, const op **o, uint64_t pos)
{
    bool is_big;
    pos = field_varint(r, *o, pos, &is_big);
    if (is_big)
        *o = p->ops + (*o)->v.target - 1;
    return pos;
}

/* Whether to go on behind the operation or at its target: the position, POS_FAILED. */
static __attribute__((noinline)) uint64_t op_branch(ctf_run *r, const program *p, const op **at,
                                                    uint64_t pos, uint32_t first)
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

/* Tells each operation where its code is. */
static void program_link(program *p, const void *const *codes)
{
    for (uint32_t i = 0; i < p->count && !p->is_linked; i++)
        p->ops[i].go = codes[p->ops[i].code];
    p->is_linked = true;
}

/*
 * Each operation goes to the code of the next one itself, so that the processor can tell from the
 * one what mostly follows it. Labels as values are what gcc and clang have beyond C; they are the
 * reason that this function is long: it has some lines for each operation, and nothing else.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define GO_ON goto *(++o)->go

/* ... past the one that an operation uses, too. */
#define GO_ON_BEHIND   \
    do {               \
        o += 2;        \
        goto *(o->go); \
    } while (0)

/* What works at the position, and may fail. */
#define MOVE(moved)                      \
    do {                                 \
        pos = (moved);                   \
        if (UNLIKELY(pos == POS_FAILED)) \
            goto failed;                 \
    } while (0)

/* ... in a function that finds the entries in the batch, and leaves them there. */
#define MOVE_APART(moved)              \
    do {                               \
        entries_set_end(batch, entry); \
        MOVE(moved);                   \
        entry = entries_end(batch);    \
    } while (0)

/* A compact header, and the first stretch behind it. */
#define EITHER(shape, is_big_endian, is_usual)                                         \
    do {                                                                               \
        if (UNLIKELY(!either_near(r, o, shape, is_big_endian, is_usual, &pos, &base))) \
            goto either;                                                               \
        look = event_look(r);                                                          \
        r->program = look->program;                                                    \
        if (UNLIKELY(r->program == NULL))                                              \
            goto find;                                                                 \
        pos += look->lead_bits;                                                        \
        o = look->lead;                                                                \
        goto *(o->go);                                                                 \
    } while (0)

#define NUMBER(name)                                                                \
    name:                                                                           \
    entry = entry_put(entry, o->head, number_load(OP_##name, o, base + o->offset)); \
    GO_ON;

decode_outcome run_execute(ctf_run *r, program *first)
{
    static const void *const codes[] = {
#define CTF_OP(name)      &&name,
#define CTF_OP_RARE(name) &&other,
#include "formats/ctf/decode/ops.def"
#undef CTF_OP
#undef CTF_OP_RARE
    };
    stele_batch *const batch = r->batch;
    const event_entry *look;
    const op *o = first->ops, *to;
    const uint8_t *base = r->scratch;
    stele_field *entry = entries_end(batch);
    uint64_t pos = r->position - r->data_at;
    event_state at = event_enter(r, batch, pos);
    uint32_t end;
    r->first = r->program = first;
    r->loops_left = r->loops_max;
    event_keep(r);
    program_link(first, codes);
    goto *(o->go);

NEED_ALIGNED:
    pos = aligned(r, pos, o->v.need.mask);
NEED:
    if (UNLIKELY(!stretch_near(r, o, &pos, &base)))
        goto NEED_SHIFTED;
    GO_ON;
NEED_SHIFTED:
    MOVE(stretch_any(r, o, pos));
    base = r->stretch;
    GO_ON;
    NUMBER(U8)
    NUMBER(U16)
    NUMBER(U32)
    NUMBER(U64)
    NUMBER(S8)
    NUMBER(S16)
    NUMBER(S32)
    NUMBER(BINARY32)
    NUMBER(LE)
    NUMBER(BE)
NAMED:
    entry = entry_put_named(r, batch, entry, o, op_load(o, base));
    if (UNLIKELY(entry == NULL))
        goto failed;
    GO_ON;
ENTRY:
    entry = entry_put(entry, o->head, load_native64(&o->u));
    GO_ON;
SLOT:
    slot_set(r, o, base);
    GO_ON;
SLOT_ENTRY:
    r->slots[o->v.slot] =
        (slot_value){entry[-1].u.u, .is_set = true, .is_signed = (o->flags & OP_SIGNED) != 0};
    GO_ON;
CLOCK:
    event_clock(r, o, base);
    GO_ON;
EVENT_ID:
    r->id = op_load(o, base);
    GO_ON;
THREAD:
    event_thread_near(r, o, base);
    GO_ON_BEHIND;
THREAD_PAIR:
    event_thread_pair(r, o, base);
    GO_ON_BEHIND;
ENTRY_THREAD:
    entry = entry_put(entry, o->head, load_native64(&o->u));
    o++;
THREAD_WORDS:
    entry = event_thread_words(r, o, base, entry);
    GO_ON_BEHIND;
STRING_COPY:
    if (UNLIKELY(!string_copy(r, batch, o, &pos, entry)))
        goto string;
    entry++;
    GO_ON;
STRING_PASS:
    if (UNLIKELY(!string_pass(r, &pos)))
        goto string;
    GO_ON;
string:
    MOVE_APART(field_string(r, o, pos));
    GO_ON;
TEXT:
    if (UNLIKELY(!text_take(r, batch, o, &pos, entry)))
        goto text;
    entry++;
    GO_ON;
text:
    MOVE_APART(field_text(r, o, pos));
    GO_ON;
SHORT_TEXT:
    if (UNLIKELY(!text_take_short(r, batch, o, base, entry)))
        goto failed;
    entry++;
    GO_ON;
SHORT_NUMBERS:
    if (UNLIKELY(!field_short_numbers(r, o, base, entry)))
        goto failed;
    entry++;
    GO_ON_BEHIND;
NUMBERS:
    MOVE(field_numbers(r, o, pos, entry));
    entry++;
    GO_ON_BEHIND;
ANY_NUMBERS:
    MOVE(field_any_numbers(r, o, pos, entry));
    entry++;
    GO_ON_BEHIND;
ENTRIES:
    MOVE_APART(field_entries(r, o, pos, r->program->entries));
    GO_ON_BEHIND;
ANY_ENTRIES:
    MOVE_APART(field_any_entries(r, o, pos, r->program->entries));
    GO_ON_BEHIND;
SKIP:
    MOVE(skip_near(r, o, pos));
    GO_ON;
VARINT:
    to = o;
    MOVE_APART(op_varint(r, r->program, &to, pos));
    o = to;
    base = r->scratch;
    GO_ON;
JUMP:
LOOP:
NEXT:
CHOOSE:
WHETHER:
    to = o;
    MOVE_APART(op_branch(r, r->program, &to, pos, at.first));
    o = to;
    GO_ON;
other:
    MOVE_APART(op_other(r, r->program, o, base, pos));
    GO_ON;
KEEP:
    event_keep(r);
    r->program = r->first;
    GO_ON;
EITHER_1:
    EITHER(&either_1, false, true);
EITHER_2:
    EITHER(&either_2, false, true);
EITHER_LE:
    EITHER(o->u.either, false, false);
EITHER_BE:
    EITHER(o->u.either, true, false);
either:
    MOVE(event_either(r, o, pos));
DISPATCH:
    r->program = event_look(r)->program;
    if (UNLIKELY(r->program == NULL))
        goto find;
    o = r->program->ops;
    goto *(o->go);
find:
    entries_set_end(batch, entry);
    r->program = run_find_program(r, r->event_at);
    if (r->program == NULL)
        goto failed;
    program_link(r->program, codes);
    entry = entries_end(batch);
    at.room = event_room(r, batch);
    o = r->program->ops;
    goto *(o->go);
DONE_LOOPS:
    r->loops_left = r->loops_max;
    if (UNLIKELY(entry - batch->fields - at.first >= STELE_FIELDS_MANY))
        goto DONE_ANY;
DONE:
    end = (uint32_t)(entry - batch->fields);
    if (LIKELY(event_push(r, r->program, pos, &at, end)))
        goto done;
DONE_ANY:
    entries_set_end(batch, entry);
    if (!event_push_any(r, r->program, pos, &at))
        goto failed;
    entry = entries_end(batch);
    end = batch->field_count;
done:
    if (UNLIKELY(!event_next(r, batch, &at, pos, end))) {
        if (!event_stay(r, batch, &at))
            return event_leave(r, batch, &at, pos);
        entry = entries_end(batch);
    }
    o = r->first->ops;
    goto *(o->go);
END:
    r->position = r->data_at + pos;
    entries_set_end(batch, entry);
    return DECODE_OK;
failed:
    return event_undo(r, batch, &at);
}

#pragma GCC diagnostic pop
