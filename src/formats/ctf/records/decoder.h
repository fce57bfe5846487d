/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one data stream while its packets are decoded. */
#ifndef CTF_DECODER_H
#define CTF_DECODER_H

#include "formats/ctf/records/program.h"

#define HOT                 static inline __attribute__((always_inline))
#define LIKELY(condition)   __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

#define POS_FAILED UINT64_MAX /* instead of a position: the outcome says why */

/* Loads of 8 bytes, or 9, at the last byte of a stretch stay inside. */
#define SCRATCH_SIZE (STRETCH_SIZE_MAX + 16)

/* A run or loop that is open. */
typedef struct decoder_frame {
    uint32_t field; /* index of its entry */
    uint32_t left;  /* elements */
    bool is_wanted; /* there is an entry */
} decoder_frame;

#define TRACKS_KEPT 64u

typedef struct kept_track {
    uint64_t tid, pid;
    uint32_t track; /* 0: free */
} kept_track;

typedef struct clock_state {
    uint64_t now, before; /* before the event */
} clock_state;

struct ctf_decoder {
    ctf_programs *programs;
    stele_context *context;
    /* The packet */
    const char *source;
    uint64_t file_offset;
    const ctf_stream_class *stream_class;
    stream_programs *own;
    uint32_t stream;       /* number of the stream class */
    uint64_t position;     /* of the next event, in bits from the packet's start */
    uint64_t content_bits; /* UINT64_MAX: not known */
    uint64_t want_size;
    uint32_t stream_track; /* of packets that name no CPU */
    uint32_t event_track;  /* see decoder_cpu() */
    uint32_t tracks[2];    /* of events that name no thread; of the thread that was named last */
    uint64_t tid, pid;     /* that thread */
    uint64_t thread_pair;  /* the bytes of both numbers, where OP_THREAD_PAIR found them ... */
    uint32_t thread_form;  /* ... in this form; 0: it did not */
    uint64_t rest;         /* see event_rest(): CPU and flags of every event */
    uint64_t clock_start;  /* see decoder_set_clock_start() */
    const uint64_t
        *clock; /* that gives events their times; one that stands still: they have none */
    const clock_rate *rate;
    uint64_t ns_end, zero_ns; /* of the rate; 0: events may be of any size */
    /* What is loaded; positions inside the loop are in bits from `data` */
    const uint8_t *data;
    size_t data_size;
    uint64_t data_at;     /* bits from the packet's start */
    uint64_t data_offset; /* bytes from the file's start */
    uint64_t end;         /* of the content or of what is loaded */
    uint64_t content_end; /* of the content, loaded or not */
    uint64_t near_end;    /* what ends there or before can be loaded where it lies, in words */
    /* The programs of event classes, as they stand in `own` */
    const event_entry *events;
    uint64_t id_count;
    uint32_t entries;
    /* The event, or the head */
    packet_head *head;
    stele_batch *batch;
    program *first;    /* of the event header, or of the head */
    program *program;  /* of the event, once its header is read */
    uint64_t event_at; /* where it begins, in bits from `data` */
    uint64_t id;
    uint64_t event_size; /* bytes; UINT64_MAX: not said */
    uint64_t payload_end;
    uint64_t loops_left, loops_max; /* elements that it may still have, and any event */
    unsigned varint_width, end_width;
    const uint8_t *stretch; /* see stretch_any() */
    bit_order order;
    uint32_t frame_count;
    decode_outcome outcome;
    /* Values */
    uint32_t clock_count;
    clock_state *clocks; /* by number */
    uint64_t *marks;     /* the clocks before a trial: see decoder_try() */
    bit_order order_before;
    uint64_t last_ticks; /* of the last event */
    slot_value *slots;
    uint32_t slot_count;
    decoder_frame *frames;
    uint32_t frame_capacity;
    stele_batch *head_batch; /* the context fields of the packet */
    program *local;          /* of an event class whose names are known in one batch only */
    const stele_batch *local_batch;
    uint64_t local_serial, batch_serial;
    kept_track threads[TRACKS_KEPT];
    kept_track cpu_track; /* `tid`: the CPU's number */
    decoder_joint *joints;
    uint32_t joint_count, joint_capacity;
    uint8_t scratch[SCRATCH_SIZE];
    /* Of rare use, so apart from what every event needs */
    decoder_problem problem; /* of the last DECODE_BAD */
    bool defers;             /* see decoder_defer() */
};

/* The clock's lowest bits, those of the mask, become `value`: it advanced by less than these bits
   can count. */
static inline void clock_advance(uint64_t *clock, uint64_t value, uint64_t mask)
{
    *clock += (value - *clock) & mask;
}

/* The bits of a value from the other end. */
static inline uint64_t bits_reversed(uint64_t value, unsigned width)
{
    uint64_t turned = 0;
    for (unsigned i = 0; i < width; i++)
        turned |= (value >> i & 1) << (width - 1 - i);
    return turned;
}

static inline double float_of_binary32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* A number that is loaded as `code` says, a constant: a few instructions. */
HOT uint64_t number_load(op_code code, const op *o, const uint8_t *at)
{
    switch (code) {
    case OP_U8: return at[0];
    case OP_U16: return load_le16(at);
    case OP_U32: return load_le32(at);
    case OP_U64: return load_le64(at);
    case OP_S8: return (uint64_t)(int8_t)at[0];
    case OP_S16: return (uint64_t)(int16_t)load_le16(at);
    case OP_S32: return (uint64_t)(int32_t)load_le32(at);
    case OP_BINARY32: return store_double(float_of_binary32(load_le32(at)));
    case OP_BE: return ((load_be64(at) >> o->shift & o->mask) ^ o->sign) - o->sign;
    default: /* OP_LE */ return ((load_le64(at) >> o->shift & o->mask) ^ o->sign) - o->sign;
    }
}

/* An entry of the tape, written as the two words that it is. */
HOT stele_field *entry_put(stele_field *entry, uint64_t head, uint64_t value)
{
    _Static_assert(sizeof *entry == 16, "an entry is two words");
    store_native64(entry, head);
    store_native64(&entry->u, value);
    return entry + 1;
}

HOT stele_field *entry_put_bytes(stele_field *entry, uint64_t head, uint32_t offset, uint32_t size)
{
    store_native64(entry, head);
    entry->u.bytes.offset = offset;
    entry->u.bytes.size = size;
    return entry + 1;
}

/* ---- Outcomes (outcome.c) ---- */

/* Says that so many bits are needed at the position: DECODE_MORE when they may come, else damage.
   Gives POS_FAILED. */
uint64_t decoder_past_end(ctf_decoder *r, uint64_t pos, uint64_t bits);

/* Damage at the position; gives POS_FAILED. */
__attribute__((format(printf, 5, 6))) uint64_t decoder_bad(ctf_decoder *r, ctf_code code,
                                                           uint64_t pos, const char *expected,
                                                           const char *found, ...);
uint64_t decoder_exhausted(ctf_decoder *r);

/* Whether the event may have so many elements more; else that was reported. */
bool decoder_count_elements(ctf_decoder *r, uint64_t pos, uint64_t count);

/* Room for slots and frames; false if out of memory. */
bool decoder_reserve(ctf_decoder *r, uint32_t slots, uint32_t depth);

/* Room for what a program needs. */
static inline bool decoder_prepare(ctf_decoder *r, const program *p)
{
    const bool has_room = r->slot_count >= p->slots && r->frame_capacity >= p->depth;
    return (LIKELY(has_room) || decoder_reserve(r, p->slots, p->depth)) &&
           batch_reserve_fields(r->batch, p->entries);
}

/* What another decoder of the same stream class may have changed since. */
static inline void decoder_look_up(ctf_decoder *r)
{
    r->events = r->own->events;
    r->id_count = r->own->id_count;
    r->entries = r->own->entries;
}

/* The program of the event class r->id, with room for its entries; NULL: the outcome says why. */
program *decoder_find_program(ctf_decoder *r, uint64_t at);

/* Lets r->thread be the track of the thread; `pid` UINT64_MAX: of a process that is not known. */
void decoder_thread(ctf_decoder *r, uint64_t tid, uint64_t pid);

/* Flag and number (see event_rest()) of the CPU that the context of an event names, where its
   packet names none; r->event_track becomes the track of an event without a thread. */
uint64_t decoder_cpu(ctf_decoder *r, const program *p);

/* The track of the CPU. */
uint32_t decoder_cpu_track(ctf_decoder *r, uint32_t cpu);

/* The clock that gives events their times; NULL: they have none. */
void decoder_set_clock(ctf_decoder *r, const ctf_clock *clock);

/* Goes to what is loaded, of a packet whose content's size is known or not. */
void decoder_load(ctf_decoder *r, const packet_view *view);

/* A text in the packet has what is no character of its encoding: a finding, and no damage. */
void decoder_unsound(ctf_decoder *r, const uint8_t *text);

/* Time went back from the event before: a finding, and no damage. */
void decoder_time_back(ctf_decoder *r, uint64_t event_at, uint64_t ticks);

/* ---- The loop (execute.c) ---- */

/* Executes from r->position on: a head's program once, or events until something ends that. */
decode_outcome decoder_execute(ctf_decoder *r, program *first);

/* ---- Joints (joints.c) ---- */

/* Returns false if out of memory. */
bool joint_note(ctf_decoder *r, const op *o, uint64_t pos);

/* ---- Operations that are fields of their own (fields.c): the position after, or POS_FAILED ----
 */

uint64_t field_string(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_text(ctf_decoder *r, const op *o, uint64_t pos);
bool field_short_text(ctf_decoder *r, const op *o, const uint8_t *from);
uint64_t field_blob(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_entries(ctf_decoder *r, const op *o, uint64_t pos, uint32_t reserve);
uint64_t field_any_entries(ctf_decoder *r, const op *o, uint64_t pos, uint32_t reserve);
uint64_t field_skip(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_varint(ctf_decoder *r, const op *o, uint64_t pos, bool *is_big);
uint64_t field_big(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_big_float(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_uuid(ctf_decoder *r, uint64_t pos);
uint64_t field_order(ctf_decoder *r, const op *o, uint64_t pos);
uint64_t field_unit(const ctf_decoder *r, const op *o, uint64_t pos);

/* An array of numbers in one entry, which has room there. */
uint64_t field_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry);
uint64_t field_any_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry);

/* One of a stretch; false if out of memory. */
bool field_short_numbers(ctf_decoder *r, const op *o, const uint8_t *base, stele_field *entry);

/* The length of an array, text or blob; false: the outcome says why. */
bool field_length(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *length);

/* A number of any split of exponent and mantissa (see op.u.format) as a double, rounded to the
   nearest. */
double float_of_bits(uint64_t bits, uint32_t format);

#endif
