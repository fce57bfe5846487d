/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one data stream while its packets are decoded. */
#ifndef CTF_DECODER_H
#define CTF_DECODER_H

#include "formats/ctf/records/program.h"

#define HOT                 static inline __attribute__((always_inline))
#define LIKELY(condition)   __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

/* Returned instead of a position if decoding fails; `outcome` has the reason. */
#define POS_FAILED UINT64_MAX

/* Room for a stretch and the 8 or 9 bytes that are loaded from its last byte. */
#define SCRATCH_SIZE (STRETCH_SIZE_MAX + 16)

/* A run of entries or a loop over elements that is open. */
typedef struct decoder_frame {
    uint32_t field; /* index in the batch of the run's entry */
    uint32_t left;  /* elements of the loop that are left */
    bool is_wanted; /* the elements get entries */
} decoder_frame;

#define TRACKS_KEPT 64u /* slots of the table of tracks by thread */

/* The track of a thread, in a table by hash. */
typedef struct kept_track {
    uint64_t tid, pid;
    uint32_t track; /* 0 if the slot is free */
} kept_track;

/* Times of a clock in ticks. */
typedef struct clock_state {
    /* `before` is the time before the current event, to return to if it cannot be decoded. */
    uint64_t now, before;
} clock_state;

struct ctf_decoder {
    ctf_programs *programs;
    stele_context *context;
    /* The current packet. */
    const char *source;
    uint64_t file_offset;
    const ctf_stream_class *stream_class;
    stream_programs *own;
    uint32_t stream;   /* number of the stream class */
    uint64_t position; /* position of the next event, in bits from the packet's start */
    /* End of the content in bits from the packet's start; UINT64_MAX if it is not known. */
    uint64_t content_bits;
    uint64_t want_size;    /* see decoder_want_size() */
    uint32_t stream_track; /* track of packets that name no CPU */
    uint32_t event_track;  /* track of events that name no thread: see decoder_cpu() */
    /* [0]: track of events that name no thread; [1]: of the thread that was named last. */
    uint32_t tracks[2];
    uint64_t tid, pid; /* numbers of the thread that was named last */
    /* The 8 bytes in which OP_THREAD_PAIR found both numbers of that thread; equal bytes name it
       again. */
    uint64_t thread_pair;
    /* Form of these bytes, see thread_form(); 0 if OP_THREAD_PAIR did not find them. */
    uint32_t thread_form;
    uint64_t rest;        /* CPU and flags that every event gets: see event_rest() */
    uint64_t clock_start; /* ticks: see decoder_set_clock_start() */
    const uint64_t
        /* The clock that gives events their times; one that stands still if they have none. */
        *clock;
    const clock_rate *rate;
    /* The rate's values while a tick is a nanosecond; `ns_end` is 0 if events may be of any
       size. */
    uint64_t ns_end, zero_ns;
    /* The loaded bytes. Positions inside of the loop are in bits from `data`. */
    const uint8_t *data;
    size_t data_size;
    uint64_t data_at;     /* position of `data`, in bits from the packet's start */
    uint64_t data_offset; /* position of `data`, in bytes from the file's start */
    uint64_t end;         /* end of the content, or of the loaded bytes if they end before */
    uint64_t content_end; /* end of the content, whether it is loaded or not */
    /* Fields that end here or before can be loaded in words of 8 bytes from where they lie. */
    uint64_t near_end;
    /* Copies of members of `own`, for the programs of event classes. */
    const event_entry *events;
    uint64_t id_count;
    uint32_t entries;
    /* The event or the head that is being decoded. */
    packet_head *head;
    stele_batch *batch;
    program *first;      /* program of the event header, or of the head */
    program *program;    /* program of the event's class, once its header is read */
    uint64_t event_at;   /* begin of the event, in bits from `data` */
    uint64_t id;         /* id of the event's class */
    uint64_t event_size; /* bytes of the payload that the header says; UINT64_MAX if it does not */
    /* End of that payload, in bits from `data`; UINT64_MAX if it is not known. */
    uint64_t payload_end;
    /* Array elements that this event may still have, and that any event may have. */
    uint64_t loops_left, loops_max;
    /* Bits of the last LEB128 number, and of the time at the packet's end. */
    unsigned varint_width, end_width;
    const uint8_t *stretch; /* where the bytes of the last stretch are: set by stretch_any() */
    bit_order order;
    uint32_t frame_count;
    decode_outcome outcome;
    /* Values that are kept from field to field. */
    uint32_t clock_count;
    clock_state *clocks;    /* indexed by the number of the clock */
    uint64_t *marks;        /* copies of the clocks, to restore after a trial: see decoder_try() */
    bit_order order_before; /* `order` before the event, to return to if it cannot be decoded */
    uint64_t last_ticks;    /* time of the last event */
    slot_value *slots;
    uint32_t slot_count;
    decoder_frame *frames;
    uint32_t frame_capacity;
    stele_batch *head_batch; /* has the context fields of the packet */
    program *local; /* Program of an event class with names that are known in one batch only. */
    const stele_batch *local_batch;      /* the batch that `local` is for */
    uint64_t local_serial, batch_serial; /* serial number of that batch, and of the current one */
    kept_track threads[TRACKS_KEPT];
    kept_track cpu_track; /* the CPU whose track was used last; `tid` is its number */
    decoder_joint *joints;
    uint32_t joint_count, joint_capacity;
    uint8_t scratch[SCRATCH_SIZE];
    /* Rarely used, and so kept apart from what every event needs. */
    decoder_problem problem; /* the reason of the last DECODE_BAD */
    bool defers;             /* see decoder_defer() */
};

/* Advances the clock by less than 2^n ticks so that its lowest n bits, those of the mask, are
   `value`. */
static inline void clock_advance(uint64_t *clock, uint64_t value, uint64_t mask)
{
    *clock += (value - *clock) & mask;
}

/* Reverses the order of the value's `width` bits. */
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

/* Loads a number in the way of `code`, which is a constant where this is called, so that only a few
   instructions remain. */
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

/* Writes an entry as the two words that it consists of, and returns the next one. */
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

/* ---- Outcomes that end decoding (outcome.c) ---- */

/* Sets the outcome when `bits` bits from the position on are not all there: DECODE_MORE if they may
   be loaded, otherwise damage. Returns POS_FAILED. */
uint64_t decoder_past_end(ctf_decoder *r, uint64_t pos, uint64_t bits);

/* Notes or reports damage at the position. Returns POS_FAILED. */
__attribute__((format(printf, 5, 6))) uint64_t decoder_bad(ctf_decoder *r, ctf_code code,
                                                           uint64_t pos, const char *expected,
                                                           const char *found, ...);
uint64_t decoder_exhausted(ctf_decoder *r);

/* Counts array elements of the event against the limit. Returns false if there are too many, which
   was reported. */
bool decoder_count_elements(ctf_decoder *r, uint64_t pos, uint64_t count);

/* Makes room for so many slots and frames. Returns false if out of memory. */
bool decoder_reserve(ctf_decoder *r, uint32_t slots, uint32_t depth);

/* Makes room for the slots, frames and entries that a program needs. Returns false if out of
   memory. */
static inline bool decoder_prepare(ctf_decoder *r, const program *p)
{
    const bool has_room = r->slot_count >= p->slots && r->frame_capacity >= p->depth;
    return (LIKELY(has_room) || decoder_reserve(r, p->slots, p->depth)) &&
           batch_reserve_fields(r->batch, p->entries);
}

/* Copies members of `own` that another decoder of the same stream class may have changed. */
static inline void decoder_look_up(ctf_decoder *r)
{
    r->events = r->own->events;
    r->id_count = r->own->id_count;
    r->entries = r->own->entries;
}

/* Returns the program of the event class r->id and makes room for its entries, or NULL with the
   reason in the outcome. */
program *decoder_find_program(ctf_decoder *r, uint64_t at);

/* Makes r->tracks[1] the track of the thread. `pid` is UINT64_MAX if the process is not known. */
void decoder_thread(ctf_decoder *r, uint64_t tid, uint64_t pid);

/* Returns flag and number (see event_rest()) of the CPU that the event's context names, if its
   packet names none. Sets r->event_track, the track of an event without a thread. */
uint64_t decoder_cpu(ctf_decoder *r, const program *p);

/* Returns the track of the CPU. */
uint32_t decoder_cpu_track(ctf_decoder *r, uint32_t cpu);

/* Sets the clock that gives events their times; NULL if they have none. */
void decoder_set_clock(ctf_decoder *r, const ctf_clock *clock);

/* Sets the loaded bytes, of a packet whose content's size may not be known. */
void decoder_load(ctf_decoder *r, const packet_view *view);

/* Reports a text that contains bytes that are not characters of its encoding, which is not
   damage. */
void decoder_unsound(ctf_decoder *r, const uint8_t *text);

/* Reports that time decreased from the event before, which is not damage. */
void decoder_time_back(ctf_decoder *r, uint64_t event_at, uint64_t ticks);

/* ---- The loop over operations (execute.c) ---- */

/* Executes programs from r->position on: that of a head once, or those of events until something
   ends that. */
decode_outcome decoder_execute(ctf_decoder *r, program *first);

/* ---- Notes of joints (joints.c) ---- */

/* Appends a joint. Returns false if out of memory. */
bool joint_note(ctf_decoder *r, const op *o, uint64_t pos);

/* ---- Operations of whole fields (fields.c): they return the position after, or POS_FAILED ---- */

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

/* Decodes an array of numbers into one entry; the caller has made room for the entry. */
uint64_t field_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry);
uint64_t field_any_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry);

/* Decodes an array of numbers that lies in a stretch. Returns false if out of memory. */
bool field_short_numbers(ctf_decoder *r, const op *o, const uint8_t *base, stele_field *entry);

/* Gives the length of an array, text or BLOB. Returns false with the reason in the outcome. */
bool field_length(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *length);

/* Converts a floating point number with any split of exponent and mantissa (see op.u.format) to the
   nearest double. */
double float_of_bits(uint64_t bits, uint32_t format);

#endif
