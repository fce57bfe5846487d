/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that executes programs. Its state is in locals: the operation, the position, the first
 * byte of the stretch, the next entry. What is rare is in functions elsewhere (rare.c, fields.c),
 * which find the number of entries in the batch and leave it there. Events follow each other
 * without leaving it. What holds in the loop:
 *
 * - `pos` counts bits from the first loaded byte of the content. Nothing is loaded after
 *   `near_end` here: so far words of eight bytes can be read without asking. Whoever comes near the
 *   end goes to a function that asks for each byte, and gives the same.
 * - `entry` is the next free entry of the batch. There is room for all that an event of a known
 *   number of entries has, because event_room() is asked before it begins; what has more, such as
 *   loops, makes room itself.
 * - Until an event is pushed nothing of it counts: the batch has its old numbers of events, fields
 *   and bytes, and event_undo() goes back to `at`. So a decoder that runs out of bytes in the
 * middle of an event can be called again with more, from the begin of that event.
 */
#include "formats/ctf/records/execute.h"
#include "core/zeros.h"

/* ---- Labels ---- */

/* A number and its labels, mostly those that were seen last; NULL if out of memory. The memo is
   found by the value alone: it may hold another value, and then the labels are looked up. */
HOT stele_field *entry_put_named(ctf_decoder *r, stele_batch *batch, stele_field *entry,
                                 const op *o, uint64_t value)
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

/* A stretch that lies far enough from the end of what is loaded: steps over it. */
HOT bool stretch_near(const ctf_decoder *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const uint64_t end = *pos + o->u.size;
    *base = r->data + (*pos >> 3);
    if (UNLIKELY(end > r->near_end))
        return false;
    *pos = end;
    return true;
}

/* ---- Values that are kept ---- */

/* Keeps a number for a length or a selector after it. */
HOT void slot_set(ctf_decoder *r, const op *o, const uint8_t *base)
{
    slot_value *slot = &r->slots[o->v.slot];
    slot->value = op_load(o, base);
    slot->is_set = true;
    slot->is_signed = (o->flags & OP_SIGNED) != 0;
}

/* Process and thread in 8 bytes side by side. Mostly the pair is that of the last event, and the
   track is known. */
HOT void event_thread_pair(ctf_decoder *r, const op *o, const uint8_t *base)
{
    const uint64_t pair = load_le64(base + o->u.pair.offset);
    if (UNLIKELY(pair != r->thread_pair || o->u.pair.form != r->thread_form))
        event_thread_other(r, o, base, pair);
}

/* The same, with an entry for each of the two. Operation `o` uses the one after it, for its head.
 */
HOT stele_field *event_thread_words(ctf_decoder *r, const op *o, const uint8_t *base,
                                    stele_field *entry)
{
    const uint8_t *from = base + o->u.pair.offset;
    entry = entry_put(entry, o[0].head, (uint64_t)(int32_t)load_le32(from));
    entry = entry_put(entry, o[1].head, (uint64_t)(int32_t)load_le32(from + 4));
    event_thread_pair(r, o, base);
    return entry;
}

/* A timestamp of fewer bits than the clock has: the clock goes on to the next value that ends in
 * it. */
HOT void event_clock(ctf_decoder *r, const op *o, const uint8_t *base)
{
    clock_advance(&r->clocks[o->v.clock].now, op_load(o, base), bits_mask(number_width(r, o)));
}

/* ---- The compact and the extended header ---- */

/* A compact header that is not near the end of what is loaded. `e` says where its numbers are;
   `is_usual`: see OP_EITHER_1. Both are constants where they can be. `*base` becomes the byte that
   the position after it is in. */
HOT bool either_near(ctf_decoder *r, const op *o, const op_either *e, bool is_big_endian,
                     bool is_usual, uint64_t *pos, const uint8_t **base)
{
    const uint64_t at = is_usual ? (*pos + 7) & ~UINT64_C(7) : aligned(r, *pos, (uint32_t)o->mask);
    const uint8_t *const from = r->data + (at >> 3);
    uint64_t word, id;
    if (UNLIKELY(at + 64 > r->near_end))
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

/* ---- Events ---- */

/* What only some headers change is kept for event_undo(), as most events change none of it. */
static void event_keep(ctf_decoder *r)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].before = r->clocks[i].now;
    r->order_before = r->order;
}

/* Where the first event begins, and how much of the batch is taken by then. */
static event_state event_enter(ctf_decoder *r, const stele_batch *batch, uint64_t pos)
{
    r->event_at = pos;
    return (event_state){batch->events + batch->event_count, batch->events + batch->event_capacity,
                         batch->field_count, batch->byte_count, event_room(r, batch)};
}

/* Goes on at the position after an event, whose entries end at `first`; false: see event_stay().
 */
HOT bool event_next(ctf_decoder *r, const stele_batch *batch, event_state *at, uint64_t pos,
                    uint32_t first)
{
    r->event_at = pos;
    at->event++;
    at->first = first;
    at->bytes = batch->byte_count;
    return LIKELY(pos != r->content_end && at->event != at->end && at->bytes < BATCH_BYTES_FULL &&
                  first < at->room);
}

/* Gives the batch the events that were pushed, and the decoder the position after them. */
static decode_outcome event_leave(ctf_decoder *r, stele_batch *batch, const event_state *at,
                                  uint64_t pos)
{
    batch->event_count = (uint32_t)(at->event - batch->events);
    batch->field_count = at->first;
    r->position = r->data_at + pos;
    return pos == r->content_end ? DECODE_END : DECODE_OK;
}

/* Goes back to the begin of an event that could not be decoded: nothing of it has happened. */
static decode_outcome event_undo(ctf_decoder *r, stele_batch *batch, const event_state *at)
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

/* Most events: see OP_DONE. False: it is another one. */
HOT bool event_push(ctf_decoder *r, const program *p, uint64_t pos, const event_state *at,
                    uint32_t end)
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
HOT const event_entry *event_look(const ctf_decoder *r)
{
    static const event_entry none;
    return LIKELY(r->id < r->id_count) ? &r->events[r->id] : &none;
}

/* ---- Strings ---- */

#define TEXT_NEAR (2 * ZEROS_SIZE) /* bytes */

/* Whether a word after so short a text can be read and written. */
HOT bool text_is_near(const ctf_decoder *r, const stele_batch *batch, uint64_t pos)
{
    return pos + (uint64_t)TEXT_NEAR * 8 <= r->near_end &&
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

/* Makes the entry of a text that was copied to the end of the batch's bytes. */
HOT void text_put(stele_batch *batch, stele_field *entry, const op *o, uint32_t size)
{
    entry_put_bytes(entry, o->head, batch->byte_count, size);
    batch->byte_count += size;
}

/* A short string that is not near the end of what is loaded, copied while its end is sought; false:
   it is another one. */
HOT bool string_copy(const ctf_decoder *r, stele_batch *batch, const op *o, uint64_t *pos,
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
HOT bool string_pass(const ctf_decoder *r, uint64_t *pos)
{
    uint32_t size;
    if (UNLIKELY(*pos + (uint64_t)ZEROS_SIZE * 8 > r->near_end))
        return false;
    size = zeros_before(zeros_find(r->data + (*pos >> 3)));
    if (UNLIKELY(size == ZEROS_SIZE))
        return false;
    *pos += ((uint64_t)size + 1) * 8;
    return true;
}

/* A text of a length, as string_copy(). */
HOT bool text_take(const ctf_decoder *r, stele_batch *batch, const op *o, uint64_t *pos,
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

/* A text of constant length within a stretch. Where the batch is nearly full, the function that can
   make it larger does it. */
HOT bool text_take_short(ctf_decoder *r, stele_batch *batch, const op *o, const uint8_t *base,
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
HOT uint64_t skip_near(ctf_decoder *r, const op *o, uint64_t pos)
{
    if (LIKELY((o->flags & OP_HAS_SLOT) != 0 && o->v.element.stride == o->v.element.size)) {
        const slot_value *slot = &r->slots[o->u.length];
        const uint64_t end = pos + slot->value * o->v.element.stride;
        if (LIKELY(slot->is_set && slot->value < SKIP_SHORT && end <= r->near_end))
            return end;
    }
    return field_skip(r, o, pos);
}

/* ---- The loop ---- */

/* Puts the number to the scratch: the position after it, POS_FAILED. */
HOT uint64_t op_varint(ctf_decoder *r, const program *p, const op **o, uint64_t pos)
{
    bool is_big;
    pos = field_varint(r, *o, pos, &is_big);
    if (is_big)
        *o = p->ops + (*o)->v.target - 1;
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

/* Goes on after the operation that this one uses. */
#define GO_ON_AFTER    \
    do {               \
        o += 2;        \
        goto *(o->go); \
    } while (0)

/* For a function that works at the position, gives the one after it, and may fail. */
#define MOVE(moved)                      \
    do {                                 \
        pos = (moved);                   \
        if (UNLIKELY(pos == POS_FAILED)) \
            goto failed;                 \
    } while (0)

/* The same for a function that finds the entries in the batch, and leaves them there. */
#define MOVE_APART(moved)              \
    do {                               \
        entries_set_end(batch, entry); \
        MOVE(moved);                   \
        entry = entries_end(batch);    \
    } while (0)

/* A compact header, and the first stretch of the event: what is known of its class says how long
   that is and which operation loads from it, so that NEED is not executed. */
#define EITHER(shape, is_big_endian, is_usual)                                         \
    do {                                                                               \
        if (UNLIKELY(!either_near(r, o, shape, is_big_endian, is_usual, &pos, &base))) \
            goto either;                                                               \
        look = event_look(r);                                                          \
        r->program = look->program;                                                    \
        if (UNLIKELY(r->program == NULL))                                              \
            goto find;                                                                 \
        if (UNLIKELY(pos + look->lead_bits > r->near_end))                             \
            goto enter;                                                                \
        pos += look->lead_bits;                                                        \
        o = look->lead;                                                                \
        goto *(o->go);                                                                 \
    } while (0)

/* The eight kinds of numbers that are most: an entry, loaded as its kind says. */
#define NUMBER(name)                                                                \
    name:                                                                           \
    entry = entry_put(entry, o->head, number_load(OP_##name, o, base + o->offset)); \
    GO_ON;

decode_outcome decoder_execute(ctf_decoder *r, program *first)
{
    static const void *const codes[] = {
#define CTF_OP(name)      &&name,
#define CTF_OP_RARE(name) &&other,
#include "formats/ctf/records/ops.def"
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

    /* Entries of numbers in a stretch, and what else is done with them. */
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
ROLE_WORD:
    store_native64((uint8_t *)r->head + o->u.size, op_load(o, base));
    r->head->has |= o->v.role;
    GO_ON;
ROLE:
    head_role(r, o, base);
    GO_ON;
EVENT_ID:
    r->id = op_load(o, base);
    GO_ON;
THREAD:
    event_thread_near(r, o, base);
    GO_ON_AFTER;
THREAD_PAIR:
    event_thread_pair(r, o, base);
    GO_ON_AFTER;
ENTRY_THREAD:
    entry = entry_put(entry, o->head, load_native64(&o->u));
    o++;
THREAD_WORDS:
    entry = event_thread_words(r, o, base, entry);
    GO_ON_AFTER;

    /* Texts and arrays, which move the position. */
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
    GO_ON_AFTER;
NUMBERS:
    MOVE(field_numbers(r, o, pos, entry));
    entry++;
    GO_ON_AFTER;
ANY_NUMBERS:
    MOVE(field_any_numbers(r, o, pos, entry));
    entry++;
    GO_ON_AFTER;
ENTRIES:
    MOVE_APART(field_entries(r, o, pos, r->program->entries));
    GO_ON_AFTER;
ANY_ENTRIES:
    MOVE_APART(field_any_entries(r, o, pos, r->program->entries));
    GO_ON_AFTER;
SKIP:
    MOVE(skip_near(r, o, pos));
    GO_ON;
VARINT:
    to = o;
    MOVE_APART(op_varint(r, r->program, &to, pos));
    o = to;
    base = r->scratch;
    GO_ON;

    /* Branches: `to` becomes the operation before the one that is next. */
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

    /* The header of an event, kept before it changes anything, and on to the program of its class.
     */
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
enter:
    o = r->program->ops;
    goto *(o->go);
find:
    entries_set_end(batch, entry);
    r->program = decoder_find_program(r, r->event_at);
    if (r->program == NULL)
        goto failed;
    program_link(r->program, codes);
    entry = entries_end(batch);
    at.room = event_room(r, batch);
    o = r->program->ops;
    goto *(o->go);

    /* The end of an event. An event of a loop may have more entries than its own number counts. */
DONE_LOOPS:
    r->loops_left = r->loops_max;
    if (UNLIKELY((uint32_t)(entry - batch->fields) - at.first >= STELE_FIELDS_MANY))
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

    /* The end of a packet's head, which is no event. */
END:
    r->position = r->data_at + pos;
    entries_set_end(batch, entry);
    return DECODE_OK;
failed:
    return event_undo(r, batch, &at);
}

#pragma GCC diagnostic pop
