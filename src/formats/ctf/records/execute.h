/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what both the loop (execute.c) and the operations that most events do without (rare.c)
   need. */
#ifndef CTF_EXECUTE_H
#define CTF_EXECUTE_H

#include "formats/ctf/records/decoder.h"

#define RARE __attribute__((noinline))

/* ---- Numbers and entries of fields ---- */

/* Loads a number in any form from the stretch at `base`. */
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

/* Bits of the operation's number; for OP_VARIABLE, those that OP_VARINT has found. */
HOT unsigned number_width(const ctf_decoder *r, const op *o)
{
    return (o->flags & OP_VARIABLE) != 0 ? r->varint_width : o->width;
}

/* The next free entry of the batch. */
HOT stele_field *entries_end(const stele_batch *batch)
{
    return batch->fields + batch->field_count;
}

HOT void entries_set_end(stele_batch *batch, const stele_field *end)
{
    batch->field_count = (uint32_t)(end - batch->fields);
}

/* Aligns a position, which is in bits from `data`, to mask + 1 bits from the packet's start. */
HOT uint64_t aligned(const ctf_decoder *r, uint64_t pos, uint32_t mask)
{
    return pos + (-(pos + r->data_at) & mask);
}

/* ---- Threads of events ---- */

/* Makes the thread that of the event: nothing to do if the last event named the same one. */
HOT void event_thread(ctf_decoder *r, uint64_t tid, uint64_t pid)
{
    if (UNLIKELY(tid != r->tid || pid != r->pid || r->tracks[1] == 0))
        decoder_thread(r, tid, pid);
}

/* Makes the thread that of the event whose numbers the two operations load. */
HOT void event_thread_near(ctf_decoder *r, const op *o, const uint8_t *base)
{
    event_thread(r, number_load(OP_LE, &o[0], base + o[0].offset),
                 number_load(OP_LE, &o[1], base + o[1].offset));
}

/* ---- The compact and the extended header of LTTng ---- */

HOT uint64_t place_load(const op_place *at, const uint8_t *base, bool is_big_endian)
{
    const uint8_t *from = base + at->offset;
    return (is_big_endian ? load_be64(from) : load_le64(from)) >> at->shift & at->mask;
}

/* Takes id and time from a header: the clock advances, and its value before is kept. */
HOT void either_tell(ctf_decoder *r, clock_state *clock, uint64_t id, uint64_t time,
                     uint64_t time_mask)
{
    clock->before = clock->now;
    clock_advance(&clock->now, time, time_mask);
    r->id = id;
}

/* Keeps the first number of the header if an event class depends on it. */
HOT void either_keep(ctf_decoder *r, const op *o, uint64_t id)
{
    if (o->v.header.slot != SLOT_NONE)
        r->slots[o->v.header.slot] = (slot_value){.value = id, .is_set = true};
}

/* ---- Events that are appended ---- */

/* The event that is being read, and the state before it, to return to if the event is not complete.
   The batch's number of events is stored when the loop is left. */
typedef struct event_state {
    stele_event *event; /* where the event is written */
    stele_event *end;   /* end of the batch's events */
    uint32_t first;     /* index of its first entry */
    uint32_t bytes;
    uint32_t room; /* an event whose entries begin below this index has room for all of them */
} event_state;

/* Returns the index below which the entries of any event have room; see batch_is_full(). */
static inline uint32_t event_room(const ctf_decoder *r, const stele_batch *batch)
{
    const uint32_t capacity = batch->field_capacity;
    const uint32_t room = capacity >= r->entries ? capacity - r->entries + 1 : 0;
    return room < BATCH_FIELDS_FULL ? room : BATCH_FIELDS_FULL;
}

/* Fills in the event that ends at the current position. */
HOT void event_put(const ctf_decoder *r, const program *p, stele_event *event, uint32_t size,
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

/* ---- Operations that most events do without (rare.c) ---- */

/* Appends a number and its labels, and makes room for `reserve` entries more. Returns false if out
   of memory. */
RARE bool entry_push_named(ctf_decoder *r, const op *o, uint64_t value, uint32_t reserve);

/* Loads any stretch and sets r->stretch to its first byte. Returns the position after it, or
   POS_FAILED. */
RARE uint64_t stretch_any(ctf_decoder *r, const op *o, uint64_t pos);

/* Sets the thread from two numbers of 32 bits that are not those of the last event. */
RARE void event_thread_other(ctf_decoder *r, const op *o, const uint8_t *base, uint64_t pair);

/* Reads a compact or extended header anywhere. Returns the position after it, or POS_FAILED. */
RARE uint64_t event_either(ctf_decoder *r, const op *o, uint64_t pos);

/* Executes an operation that the loop does not have. Returns the position after it, or
   POS_FAILED. */
RARE uint64_t op_other(ctf_decoder *r, const program *p, const op *o, const uint8_t *base,
                       uint64_t pos);

/* Executes a branch: goes on after the operation `*at`, or sets `*at` to the one before its target.
   Returns the position, or POS_FAILED. `first` is the index of the event's first entry. */
RARE uint64_t op_branch(ctf_decoder *r, const program *p, const op **at, uint64_t pos,
                        uint32_t first);

/* Appends an event of any size, any time and any number of fields, perhaps with a CPU of its own.
   Returns false with the reason in the outcome. */
RARE bool event_push_any(ctf_decoder *r, const program *p, uint64_t pos, const event_state *at);

/* Makes room for another event. Returns false if the batch takes no more events, or the packet has
   no more. Exhausted memory is only reported when the batch is empty. */
RARE bool event_stay(const ctf_decoder *r, stele_batch *batch, event_state *at);

/* ---- Numbers with a role (roles.c) ---- */

/* Stores the number in the packet's head as its role says. */
RARE void head_role(ctf_decoder *r, const op *o, const uint8_t *base);

#endif
