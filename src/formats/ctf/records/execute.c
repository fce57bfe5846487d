/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that executes programs. Its state is in local variables: the operation, the position,
 * the first byte of the stretch, the next entry. Rare work is done by functions elsewhere (rare.c,
 * fields.c), which find the number of entries in the batch and leave it there. Events follow each
 * other without leaving the loop. Invariants:
 *
 * - `pos` is in bits from the first loaded byte, r->data. Words of 8 bytes may be loaded at any
 *   position up to `near_end` without a check. An operation that comes nearer to the end calls a
 *   function that checks each byte and gives the same result.
 * - `entry` is the next free entry of the batch. There is room for all entries of an event whose
 *   number of entries is known, because event_room() is asked before it begins; operations that may
 *   need more, such as loops, make room themselves.
 * - Until an event is pushed, the batch keeps its old numbers of events, fields and bytes, and
 *   event_undo() restores the state in `at`. So when the loaded bytes end inside an event, the
 *   decoder can be called again with more bytes, from the begin of that event.
 */
#include "formats/ctf/records/execute.h"
#include "formats/ctf/records/execute_event.h"
#include "formats/ctf/records/execute_header.h"
#include "formats/ctf/records/execute_text.h"

/* ---- Labels of numbers ---- */

/* Appends a number and its labels. Returns NULL if out of memory. The memo in the value's slot
   usually has the labels of this value; if it has those of another one, they are looked up. */
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
    /* The entries have room for LABELS_KEPT labels, so all are copied without a branch. */
    for (uint32_t i = 0; i < LABELS_KEPT; i++)
        entry_put(entry + 1 + i, load_native64(&label), memo->names[i]);
    return entry + 1 + memo->count;
}

/* ---- Stretches of bits ---- */

/* Steps over a stretch that ends before `near_end`, and sets `*base` to its first byte. Returns
   false if it does not. */
HOT bool stretch_near(const ctf_decoder *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const uint64_t end = *pos + o->u.size;
    *base = r->data + (*pos >> 3);
    if (UNLIKELY(end > r->near_end))
        return false;
    *pos = end;
    return true;
}

/* ---- Values that later operations need ---- */

/* Stores a number in the slot from which a length or selector after it takes it. */
HOT void slot_set(ctf_decoder *r, const op *o, const uint8_t *base)
{
    slot_value *slot = &r->slots[o->v.slot];
    slot->value = op_load(o, base);
    slot->is_set = true;
    slot->is_signed = (o->flags & OP_SIGNED) != 0;
}

/* Sets the thread from the numbers of process and thread, which lie side by side in 8 bytes. If the
   bytes are equal to those of the last event, the thread is the same and nothing is to do. */
HOT void event_thread_pair(ctf_decoder *r, const op *o, const uint8_t *base)
{
    const uint64_t pair = load_le64(base + o->u.pair.offset);
    if (UNLIKELY(pair != r->thread_pair || o->u.pair.form != r->thread_form))
        event_thread_other(r, o, base, pair);
}

/* Like event_thread_pair(), and appends an entry for each of the two numbers. Operation o[1] is not
   executed: it holds the head of the second entry. */
HOT stele_field *event_thread_words(ctf_decoder *r, const op *o, const uint8_t *base,
                                    stele_field *entry)
{
    const uint8_t *from = base + o->u.pair.offset;
    entry = entry_put(entry, o[0].head, (uint64_t)(int32_t)load_le32(from));
    entry = entry_put(entry, o[1].head, (uint64_t)(int32_t)load_le32(from + 4));
    event_thread_pair(r, o, base);
    return entry;
}

/* Advances the clock to its next value whose lowest bits are those of the timestamp, which may have
   fewer bits than the clock. */
HOT void event_clock(ctf_decoder *r, const op *o, const uint8_t *base)
{
    clock_advance(&r->clocks[o->v.clock].now, op_load(o, base), bits_mask(number_width(r, o)));
}

/* ---- Elements that are not needed ---- */

/* Below this number of elements, of at most 2^32 bits each, their size is below 2^56. */
#define SKIP_SHORT (1u << 24)

/* Returns the position after elements that are not needed. Usually their number is in a slot, they
   have no gaps between them, and they end before `near_end`; field_skip() does the rest. */
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

/* ---- The loop over operations ---- */

/*
 * Puts a LEB128 number into the scratch. Returns the position after it, or POS_FAILED. A number of
 * more than 64 bits has got its entry already, so `*o` then skips the operations that append one.
 */
HOT uint64_t op_varint(ctf_decoder *r, const program *p, const op **o, uint64_t pos)
{
    bool is_big;
    pos = field_varint(r, *o, pos, &is_big);
    if (is_big)
        *o = p->ops + (*o)->v.target - 1;
    return pos;
}

/* Sets the address of the code of each operation. A program is linked once, before it is first
   executed. */
static void program_link(program *p, const void *const *codes)
{
    for (uint32_t i = 0; i < p->count && !p->is_linked; i++)
        p->ops[i].go = codes[p->ops[i].code];
    p->is_linked = true;
}

/*
 * Each operation jumps to the code of the next one itself, so that the processor learns which
 * operation usually follows each. Labels as values are an extension of gcc and clang; with them the
 * function must be long, as it has some lines for each operation and nothing else.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define GO_ON goto *(++o)->go

/* Goes on after an operation that uses the members of the next one, which is not executed. */
#define GO_ON_AFTER    \
    do {               \
        o += 2;        \
        goto *(o->go); \
    } while (0)

/* For a function that works at the position and returns the one after it, or POS_FAILED. */
#define MOVE(moved)                      \
    do {                                 \
        pos = (moved);                   \
        if (UNLIKELY(pos == POS_FAILED)) \
            goto failed;                 \
    } while (0)

/* For a function that appends entries to the batch by itself: stores `entry` in the batch before
   the call, and reads it again afterwards, as the entries may have moved. */
#define MOVE_APART(moved)              \
    do {                               \
        entries_set_end(batch, entry); \
        MOVE(moved);                   \
        entry = entries_end(batch);    \
    } while (0)

/* Goes on from a header to the first stretch of its event. The event class says how long that is
   and which operation loads from it, so that NEED is not executed. */
#define LEAD                                               \
    do {                                                   \
        look = event_look(r);                              \
        r->program = look->program;                        \
        if (UNLIKELY(r->program == NULL))                  \
            goto find;                                     \
        if (UNLIKELY(pos + look->lead_bits > r->near_end)) \
            goto enter;                                    \
        pos += look->lead_bits;                            \
        o = look->lead;                                    \
        goto *(o->go);                                     \
    } while (0)

#define HEADER(is_near)           \
    do {                          \
        if (UNLIKELY(!(is_near))) \
            goto either;          \
        LEAD;                     \
    } while (0)

#define EITHER(shape, is_big_endian, is_usual) \
    HEADER(either_near(r, o, shape, is_big_endian, is_usual, &pos, &base))

/* The usual kinds of numbers: appends an entry, loaded as the kind says. */
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
    /* The state of the loop; the comment at the begin of this file says what holds for it. */
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
/* Reached by goto, too: stretch_any() checks the end and copies bits that are not at the begin of a
   byte or too near the end. */
NEED_SHIFTED:
    MOVE(stretch_any(r, o, pos));
    base = r->stretch;
    GO_ON;

    /* Numbers of a stretch: `base` stays the stretch's first byte until the next NEED or VARINT. */
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
    /* Falls through to THREAD_WORDS, whose operation is the next one. */
    entry = entry_put(entry, o->head, load_native64(&o->u));
    o++;
THREAD_WORDS:
    entry = event_thread_words(r, o, base, entry);
    GO_ON_AFTER;

    /* Texts and arrays, which move the position. They are tried inline first; on failure nothing
       has changed and a function in fields.c repeats the operation. */
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
    /* VARINT has put the number there: the operations after it load it from offset 0. */
    base = r->scratch;
    GO_ON;

    /* Branches set `to` to the operation before the next one, as GO_ON steps to the one after
       it. */
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

    /* Event headers. KEEP saves the state before the header changes it; DISPATCH and EITHER_...
       enter the program of the event's class. */
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
STAMPED:
    HEADER(stamped_near(r, o, &pos, &base));
STAMPED_64:
    HEADER(stamped_64_near(r, o, &pos, &base));
either:
    if (LIKELY(extended_near(r, o, &pos, &base)))
        LEAD;
    MOVE(event_either(r, o, pos));
DISPATCH:
    r->program = event_look(r)->program;
    if (UNLIKELY(r->program == NULL))
        goto find;
enter:
    o = r->program->ops;
    goto *(o->go);
/* The program is not made yet, or ids are not dense and it has to be searched for. A new program
   may need more room than event_room() knew, so the room is computed again. */
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

    /* The end of an event. One with loops may have more entries than its field_count can hold;
       event_push_any() then adds an entry that counts them. */
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
    /* Not full and not at the end is the usual case, decided by one condition. */
    if (UNLIKELY(!event_next(r, batch, &at, pos, end))) {
        if (!event_stay(r, batch, &at))
            return event_leave(r, batch, &at, pos);
        entry = entries_end(batch);
    }
    o = r->first->ops;
    goto *(o->go);

    /* The end of a packet's head, whose fields are entries but no event. */
END:
    r->position = r->data_at + pos;
    entries_set_end(batch, entry);
    return DECODE_OK;
failed:
    return event_undo(r, batch, &at);
}

#pragma GCC diagnostic pop
