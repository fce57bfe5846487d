/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that most events do without, and the unusual cases of the others.
 *
 * - The loop (execute.c) keeps position, entries and the current operation in local variables.
 *   Functions here get them as arguments and return the position after the operation, or POS_FAILED
 *   with the reason in the outcome.
 * - An event that fails is undone as a whole by event_undo(), so nothing here has to take back what
 *   it appended or set.
 * - A frame is open from OP_OPEN to OP_CLOSE, or from OP_LOOP to the last OP_NEXT.
 *   decoder_prepare() has made room for as many frames as the program nests.
 */
#include "formats/ctf/records/execute.h"

/* ---- Entries of numbers ---- */

/* Appends an entry; the caller knows that there is room. */
static void entry_push(stele_batch *batch, uint64_t head, uint64_t value)
{
    entry_put(batch_push_field(batch), head, value);
}

/* A value may have many labels, so labels_push() makes room for them and for the `reserve` entries
   that may follow without a check. */
bool entry_push_named(ctf_decoder *r, const op *o, uint64_t value, uint32_t reserve)
{
    entry_push(r->batch, o->head, value);
    if (labels_push(r->programs, o->u.labels, value, reserve, r->batch))
        return true;
    decoder_exhausted(r);
    return false;
}

/* ---- Stretches and headers near the end of the loaded bytes ---- */

/* Copies the bytes that the stretch at the position touches to the scratch, so that its first bit
   becomes bit 0 of a byte. */
static const uint8_t *stretch_copy(ctf_decoder *r, uint64_t pos, uint32_t touched, bool is_shifted,
                                   bool is_big_endian)
{
    const uint8_t *from = r->data + (pos >> 3);
    const size_t left = r->data_size - (size_t)(pos >> 3);
    const unsigned bit = (unsigned)(pos & 7);
    /* Loads of words may reach beyond the last byte that is there: they must find zeros then. */
    memset(r->scratch, 0, sizeof r->scratch);
    if (!is_shifted || bit == 0) {
        memcpy(r->scratch, from, touched < left ? touched : left);
        return r->scratch;
    }
    /* Each byte is made of two: in little-endian order of the upper bits of the first and the lower
       bits of the second, in big-endian order the other way round. */
    for (uint32_t i = 0; i < touched && i < left; i++) {
        const unsigned low = from[i], high = i + 1 < left ? from[i + 1] : 0;
        r->scratch[i] = (uint8_t)(is_big_endian ? low << bit | high >> (8 - bit)
                                                : low >> bit | high << (8 - bit));
    }
    return r->scratch;
}

/* Checks that all bits of the stretch are loaded. Its bytes are used where they lie, unless they
   begin inside a byte, or are so near the end that a load could reach beyond it. */
uint64_t stretch_any(ctf_decoder *r, const op *o, uint64_t pos)
{
    const uint32_t touched = o->v.need.touched;
    const bool is_shifted = o->code == OP_NEED_SHIFTED;
    pos = aligned(r, pos, o->v.need.mask);
    if (pos > r->end || o->u.size > r->end - pos)
        return decoder_past_end(r, pos, o->u.size);
    /* A stretch that nothing loads from needs no bytes, only the check. */
    if (touched == 0)
        r->stretch = r->scratch;
    else if (!is_shifted && (pos >> 3) + touched + BITS_SPAN_MAX <= r->data_size)
        r->stretch = r->data + (pos >> 3);
    else
        r->stretch = stretch_copy(r, pos, touched, is_shifted, (o->flags & OP_BIG_ENDIAN) != 0);
    return pos + o->u.size;
}

/* Reads the header in either form, and near the end of the loaded bytes. */
uint64_t event_either(ctf_decoder *r, const op *o, uint64_t pos)
{
    const op_either *const e = o->u.either;
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    clock_state *const clock = &r->clocks[o->v.header.clock];
    const uint8_t *base;
    uint64_t id;
    pos = aligned(r, pos, (uint32_t)o->mask);
    if (pos > r->end || e->compact_size > r->end - pos)
        return decoder_past_end(r, pos, e->compact_size);
    /* The compact header is all there; the extended one is checked once the id has selected it. A
       copy near the end has zeros for bytes that are missing. */
    base = pos + e->extended_size > r->near_end
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
        return decoder_past_end(r, pos, e->extended_size);
    either_tell(r, clock, place_load(&e->extended_id, base, is_big_endian),
                place_load(&e->extended_time, base, is_big_endian), e->extended_time.mask);
    return pos + e->extended_size;
}

/* ---- Threads of events ---- */

void event_thread_other(ctf_decoder *r, const op *o, const uint8_t *base, uint64_t pair)
{
    event_thread_near(r, o, base);
    /* A thread without a track must be asked for again, so its pair is not remembered. */
    r->thread_pair = pair;
    r->thread_form = r->tracks[1] != 0 ? o->u.pair.form : 0;
}

static void event_thread_slots(ctf_decoder *r, const op *o)
{
    const uint32_t pid = o->v.thread.pid;
    event_thread(r, r->slots[o->v.thread.tid].value,
                 pid != SLOT_NONE ? r->slots[pid].value : UINT64_MAX);
}

/* ---- Runs of entries, loops, branches ---- */

/* Begins a run of entries. The frame keeps the index of the run's entry, as entries move when their
   array grows. */
static void frame_open(ctf_decoder *r, const op *o)
{
    r->frames[r->frame_count++].field = r->batch->field_count;
    entry_push(r->batch, o->head, load_native64(&o->u));
}

/* Ends a run: its length is the number of entries that were appended since it was opened. */
static void frame_close(ctf_decoder *r)
{
    const uint32_t field = r->frames[--r->frame_count].field;
    r->batch->fields[field].u.run.length = r->batch->field_count - field - 1;
}

/* Begins a loop and returns whether it has elements. Also returns false if the length is not valid,
   which sets `*failed`. */
static bool loop_begin(ctf_decoder *r, const op *o, uint64_t pos, bool *failed)
{
    const bool is_wanted = (o->flags & OP_WANTED) != 0;
    uint64_t count, bits;
    *failed = true;
    if (!field_length(r, o, pos, &count))
        return false;
    /* o->offset is the least size of an element in bits: a length that is larger than the packet
       allows is found here, before the first element is read and before room is made for any. */
    if (__builtin_mul_overflow(count, (uint64_t)o->offset, &bits))
        bits = UINT64_MAX;
    if (pos > r->end || bits > r->end - pos) {
        decoder_past_end(r, pos, bits);
        return false;
    }
    if (!decoder_count_elements(r, pos, count))
        return false;
    *failed = false;
    if (is_wanted) {
        stele_field *entry = batch_push_field(r->batch);
        memcpy(entry, &o->head, sizeof o->head);
        entry->u.run.length = 0;
        entry->u.run.count = (uint32_t)count;
    }
    if (count == 0) /* the entry of an empty array is complete, and no frame is opened */
        return false;
    r->frames[r->frame_count++] = (decoder_frame){
        .field = r->batch->field_count - 1, .left = (uint32_t)count, .is_wanted = is_wanted};
    return true;
}

/* Whether limit and memory allow another element. Checked between elements, as the program's
   `entries` counts the entries of one element only. */
static bool loop_has_room(ctf_decoder *r, const program *p, uint64_t pos, uint32_t first)
{
    const uint32_t fields_max = r->context->limits.fields_max;
    if (UNLIKELY(r->batch->field_count - first > fields_max)) {
        decoder_bad(r, CTF456, pos, NULL, "more fields than the limit of %u", (unsigned)fields_max);
        return false;
    }
    if (UNLIKELY(!batch_reserve_fields(r->batch, p->entries))) {
        decoder_exhausted(r);
        return false;
    }
    return true;
}

/* Counts an element; closes the loop and returns false after the last one. */
static bool loop_next(ctf_decoder *r)
{
    decoder_frame *frame = &r->frames[r->frame_count - 1];
    if (--frame->left != 0)
        return true;
    if (frame->is_wanted)
        frame_close(r);
    else
        r->frame_count--;
    return false;
}

/* Copies the slot that is set to the one that the user reads: a length or selector may be one of
   several fields in different options of variants, of which one is there. */
static void slot_pick(ctf_decoder *r, const program *p, const op *o)
{
    slot_value *to = &r->slots[o->v.slot];
    to->is_set = false;
    for (uint32_t i = 0; i < o->u.picks.count && !to->is_set; i++)
        *to = r->slots[p->picks[o->u.picks.first + i]];
}

/* Returns the first operation of the selected option, or OP_NONE if no option is selected, which is
   damage: the size of the variant is unknown then. */
static uint32_t option_choose(ctf_decoder *r, const op_choices *choices, uint64_t pos)
{
    const slot_value *tag = &r->slots[choices->slot];
    uint32_t option = RANGE_NONE;
    /* The ranges are compared as unsigned bits, in which a negative number is large: a tag of the
       other signedness only fits if its sign bit is clear. */
    if (tag->is_set && (tag->is_signed == choices->is_signed || (int64_t)tag->value >= 0))
        option = range_table_find(&choices->table, tag->value);
    if (option != RANGE_NONE)
        return choices->targets[option];
    if (!tag->is_set)
        decoder_bad(r, CTF452, pos, "a field that selects the variant's option", "it is not there");
    else if (tag->is_signed)
        decoder_bad(r, CTF452, pos, "a value that selects an option of the variant", "%lld",
                    (long long)tag->value);
    else
        decoder_bad(r, CTF452, pos, "a value that selects an option of the variant", "%llu",
                    (unsigned long long)tag->value);
    return OP_NONE;
}

/* Whether the optional field is there. `*failed` if the selector itself is not there. */
static bool condition_holds(ctf_decoder *r, const op_condition *condition, uint64_t pos,
                            bool *failed)
{
    const slot_value *selector = &r->slots[condition->slot];
    *failed = !selector->is_set;
    if (*failed)
        decoder_bad(r, CTF452, pos, "a field that says whether the next one is there",
                    "it is not there itself");
    if (condition->is_bool)
        return selector->value != 0;
    return ranges_hold(condition->ranges, condition->range_count, selector->value,
                       selector->is_signed);
}

/* A branch that is taken sets `*at` to the operation before the target, as the loop steps to the
   next one. */
uint64_t op_branch(ctf_decoder *r, const program *p, const op **at, uint64_t pos, uint32_t first)
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

/* ---- Payloads whose size the event header says ---- */

/* Notes where the payload ends, if the header of the event says its size. */
static uint64_t payload_begin(ctf_decoder *r, uint64_t pos)
{
    if (r->event_size == UINT64_MAX)
        return pos;
    if (pos > r->end || r->event_size > (r->end - pos) / 8)
        return decoder_past_end(r, pos,
                                r->event_size < UINT64_MAX / 8 ? r->event_size * 8 : UINT64_MAX);
    r->payload_end = pos + r->event_size * 8;
    return pos;
}

/* Moves to the end of the payload if its size is known: bytes that the class does not describe are
   stepped over. */
static uint64_t payload_end(ctf_decoder *r, uint64_t pos)
{
    const uint64_t end = r->payload_end;
    r->event_size = r->payload_end = UINT64_MAX; /* the next event's header says its own size */
    if (end == UINT64_MAX)
        return pos;
    if (pos > end)
        return decoder_bad(r, CTF450, pos, "fields within the size that the event says",
                           "they are %llu bits longer", (unsigned long long)(pos - end));
    return end;
}

/* ---- Dispatch to the functions of rare operations ---- */

/* Decodes a field at the position. Returns the position after it, or POS_FAILED. */
static uint64_t op_field(ctf_decoder *r, const op *o, uint64_t pos)
{
    switch (o->code) {
    case OP_BIG: return field_big(r, o, pos);
    case OP_BIG_FLOAT: return field_big_float(r, o, pos);
    case OP_UUID: return field_uuid(r, pos);
    case OP_STRING: return field_string(r, o, pos);
    case OP_ANY_TEXT: return field_text(r, o, pos);
    case OP_BLOB: return field_blob(r, o, pos);
    case OP_UNIT: return field_unit(r, o, pos);
    case OP_JOINT: return joint_note(r, o, pos) ? pos : decoder_exhausted(r);
    case OP_ORDER: return field_order(r, o, pos);
    case OP_PAYLOAD: return payload_begin(r, pos);
    default: return payload_end(r, pos); /* OP_PAYLOAD_END */
    }
}

uint64_t op_other(ctf_decoder *r, const program *p, const op *o, const uint8_t *base, uint64_t pos)
{
    uint64_t value;
    switch (o->code) {
    case OP_OTHER: entry_push(r->batch, o->head, op_load(o, base)); break;
    case OP_BOOL: entry_push(r->batch, o->head, op_load(o, base) != 0); break;
    case OP_FLOAT:
        value = store_double(float_of_bits(op_load(o, base), o->u.format));
        entry_push(r->batch, o->head, value);
        break;
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

/* ---- Unusual events ---- */

/* Also pushes what event_push() does not: times that decrease or do not fit, events of any size,
   many fields, a CPU of its own. */
bool event_push_any(ctf_decoder *r, const program *p, uint64_t pos, const event_state *at)
{
    const uint64_t begin = r->event_at, ticks = *r->clock;
    const uint64_t size = ((pos + 7) >> 3) - (begin >> 3);
    uint64_t rest = p->rest | r->rest;
    uint32_t track = r->tracks[p->has_thread];
    bool is_clamped = false;
    int64_t time_ns;
    /* An event without a single bit would be decoded again and again at the same position. */
    if (pos <= begin) {
        decoder_bad(r, CTF454, pos, "one bit or more", "the event class describes none");
        return false;
    }
    if (ticks < r->last_ticks)
        decoder_time_back(r, begin, ticks);
    r->last_ticks = ticks;
    r->loops_left = r->loops_max;
    time_ns = clock_rate_ns(r->rate, ticks, &is_clamped);
    if (is_clamped)
        rest |= event_rest(0, 0, 0, 0, STELE_FLAG_CLAMPED);
    if (p->cpu_slot != SLOT_NONE) {
        rest |= decoder_cpu(r, p);
        if (!p->has_thread)
            track = r->event_track;
    }
    event_put(r, p, at->event, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, time_ns, ticks,
              track, at->first, rest);
    if (batch_set_fields(r->batch, at->event, at->first))
        return true;
    decoder_exhausted(r);
    return false;
}

bool event_stay(const ctf_decoder *r, stele_batch *batch, event_state *at)
{
    batch->event_count = (uint32_t)(at->event - batch->events);
    batch->field_count = at->first;
    /* Entries may only move between two events, so room for the next event is made here. */
    if (r->event_at == r->content_end || batch_is_full(batch) ||
        !batch_reserve_fields(batch, r->entries))
        return false;
    at->room = event_room(r, batch);
    return true;
}
