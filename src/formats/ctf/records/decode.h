/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns packets into events. Field classes compile into flat procedures (program.h) that a decoder
 * executes:
 *
 *    schema --schema_check()--> targets --programs_new()--> programs
 *           --decoder_packet(), decoder_events()--> events
 *
 * Programs are made lazily, one an event class, for one choice of columns; all decoders that want
 * these columns share them. A decoder holds the state of one data stream: clocks, values that later
 * fields depend on, the position in the current packet. The caller loads bytes and judges packets.
 *
 * Positions are in bits from the start of the packet, which is what alignments refer to.
 */
#ifndef CTF_DECODE_H
#define CTF_DECODE_H

#include "formats/ctf/schema/schema.h"
#include "model/batch.h"
#include "model/context.h"
#include "model/screen.h"

/* ---- Programs -------------------------------------------------------------------------------- */

typedef struct ctf_programs ctf_programs;

/* A bit of the columns, besides STELE_COLUMN_...: give fields as they were before Stele's writer
   made CTF of them (schema/marks.h). */
#define DECODE_MARKS 0x40000000u

/*
 * Makes empty programs for the streams of one trace. `trace` is the number in stele_track.source,
 * `columns` are STELE_COLUMN_... and DECODE_... bits. The schema must have passed schema_check()
 * and must outlive the programs. Returns NULL if out of memory.
 */
ctf_programs *programs_new(const ctf_schema *schema, stele_context *context, uint32_t trace,
                           uint32_t columns);
void programs_free(ctf_programs *programs);

/* Restricts programs that are made later: fields of events that `passes` rejects are not decoded,
   nor are fields whose names are not in `fields`. NULL does not restrict. */
void programs_set_wanted(ctf_programs *programs, screen *passes, const field_names *fields);

/* ---- Decoders of packets ---- */

/* The loaded bytes of a packet: `size` of them from byte `offset` of the packet on. */
typedef struct packet_view {
    const uint8_t *bytes;
    size_t size;
    uint64_t offset;
} packet_view;

typedef enum decode_outcome {
    /* decoder_packet(): the head was read; decoder_events(): the batch takes no more events. */
    DECODE_OK,
    DECODE_MORE,  /* More bytes must be loaded: see decoder_want_size(). Nothing has changed. */
    DECODE_END,   /* the content of the packet ends */
    DECODE_BAD,   /* damage, which was reported: the rest of the packet cannot be read from here */
    DECODE_MEMORY /* out of memory */
} decode_outcome;

/* What the head of a packet (packet header and context) says by roles. Sizes are in bits,
   regardless of the unit in the metadata; timestamps are full values of the clock, not wrapped. */
typedef struct packet_head {
    const ctf_stream_class *stream_class;
    uint32_t has; /* CTF_ROLE_... bits of the members that the packet has */
    uint32_t cpu;
    uint64_t magic;
    uint64_t stream_class_id;
    uint64_t stream_id;
    uint64_t total_bits;      /* TOTAL_LENGTH */
    uint64_t content_bits;    /* CONTENT_LENGTH */
    uint64_t begin_ticks;     /* PACKET_BEGIN */
    uint64_t end_ticks;       /* PACKET_END */
    uint64_t discarded;       /* value of the counter, as written, with `discarded_width` bits */
    uint64_t sequence_number; /* as written, with `sequence_width` bits */
    uint8_t discarded_width, sequence_width;
    uint8_t uuid[16];
    bool counts_on;         /* times depend on earlier packets: see decoder_set_clock_start() */
    const ctf_clock *clock; /* clock of the timestamps; NULL if the stream class has none */
    /* End of the head and begin of the first event, in bits from the packet's start. */
    uint64_t events_at;
} packet_head;

typedef struct ctf_decoder ctf_decoder;

/* Returns NULL if out of memory. */
ctf_decoder *decoder_new(ctf_programs *programs);
void decoder_free(ctf_decoder *decoder);

/* Prepares for another data stream, or another position in this one: the clock does not
   continue. */
void decoder_reset(ctf_decoder *decoder);

/*
 * Reads the head of the packet that begins at byte `file_offset` of the file `source`, and moves to
 * its first event. The view must begin at the packet's first byte. `stream_class` is that of all
 * packets of the file; with NULL the head names it. Clocks start at 0 in each packet, or see
 * decoder_set_clock_start(). Events end at content_bits of the head, else at total_bits, else at
 * decoder_set_content(). DECODE_BAD has been reported.
 *
 * If STELE_COLUMN_CONTEXT is wanted, the head's fields become context fields of the batches that
 * decoder_events() fills, so a batch must then not hold events of two packets.
 */
decode_outcome decoder_packet(ctf_decoder *decoder, const packet_view *view, const char *source,
                              uint64_t file_offset, const ctf_stream_class *stream_class,
                              packet_head *head);

/*
 * Sets the clock before the packet. In CTF 1.8 a time of fewer bits than its clock counts on from
 * the value before it in the stream, so a packet whose begin has fewer than 64 bits depends on the
 * clock after the packet before. To be called before decoder_packet(); otherwise, and always in CTF
 * 2 and the RFC, clocks start at 0 in each packet.
 */
void decoder_set_clock_start(ctf_decoder *decoder, uint64_t ticks);

/* Sets the track of events that name neither thread nor CPU, which is that of their data stream; 0
   for none. */
void decoder_set_track(ctf_decoder *decoder, uint32_t track);

/* Ends the content at this many bits from the packet's start: for packets that have no size or a
   wrong one. */
void decoder_set_content(ctf_decoder *decoder, uint64_t content_bits);

/*
 * Appends events until the batch is full (DECODE_OK), the loaded bytes (DECODE_MORE) or the content
 * (DECODE_END) end, or an event cannot be read. The view must contain the byte of
 * decoder_position(), and after DECODE_MORE more bytes than before. Of the batch only events,
 * fields, bytes and context are set.
 */
decode_outcome decoder_events(ctf_decoder *decoder, const packet_view *view, stele_batch *batch);

/* Returns where the next event begins; after DECODE_BAD, where the event that cannot be read
   begins. */
uint64_t decoder_position(const ctf_decoder *decoder);

/* After DECODE_MORE: how many bytes from decoder_position() on (after decoder_packet(): from the
   packet's start on) must at least be loaded to continue. Never reaches beyond the content. */
uint64_t decoder_want_size(const ctf_decoder *decoder);

/* Returns the clock of the stream in ticks: that of the last event, or of the packet's begin. */
uint64_t decoder_ticks(const ctf_decoder *decoder);

/* ---- Recovery from damage ---- */

/* The reason of the last DECODE_BAD. */
typedef struct decoder_problem {
    uint32_t code;        /* ctf_code */
    uint64_t offset_bits; /* in the file */
    char expected[64];    /* "" if nothing particular was expected */
    char found[160];
} decoder_problem;

/* From now on the caller reports the decoder's problems instead of the decoder, since only the
   caller knows how many bytes are skipped because of them. */
void decoder_defer(ctf_decoder *decoder);
const decoder_problem *decoder_last_problem(const ctf_decoder *decoder);

/* Makes it a problem that the next record is longer than the `loaded` bytes, the most that can be
   loaded. */
void decoder_unloadable(ctf_decoder *decoder, size_t loaded);

/* Returns the bits that event records are aligned to, or 0 if they have no header by which they
   could be recognised. */
uint64_t decoder_event_alignment(const ctf_decoder *decoder);

/* Whether the event header contains the id of the event's class. */
bool decoder_has_event_id(const ctf_decoder *decoder);

/* Decodes events from another position of the packet until the batch is full or something stops
   that, and then restores the state of the decoder. */
decode_outcome decoder_try(ctf_decoder *decoder, const packet_view *view, uint64_t position,
                           stele_batch *batch);

/* Moves to another position of the packet. */
void decoder_move(ctf_decoder *decoder, uint64_t position);

/* Sets the clock of the stream, after an event whose time is not plausible. */
void decoder_set_ticks(ctf_decoder *decoder, uint64_t ticks);

/* ---- Joints between the pieces of records ---- */

/* A bit of the columns for callers that move records, besides STELE_COLUMN_...: the decoder notes
   where the pieces of a record lie. Between two joints bits follow each other without a gap. */
#define DECODE_JOINTS 0x80000000u

typedef enum joint_kind {
    /* The record begins here; its alignment comes later. */
    JOINT_EVENT,
    /* The next bit is at a multiple of `value` bits. */
    JOINT_ALIGN,
    /* A bit field of `value` bits follows, in the next unit of `number` bits if it does not fit in
       this one. */
    JOINT_UNIT,
    /* The clock `number` has advanced to `value`; the record has its lowest `width` bits. */
    JOINT_STAMP,
    JOINT_HEADER_END, /* The event header ends here. */
    JOINT_PAYLOAD,    /* The payload begins here, and the record says its size. */
    /* In the head of a packet, a number of `width` bits with the roles `number` ends here. */
    JOINT_ROLE
} joint_kind;

/* A position in a record or in the head of a packet. */
typedef struct decoder_joint {
    joint_kind kind;
    uint8_t width; /* bits of the number, for JOINT_ROLE and JOINT_STAMP */
    /* How the number of JOINT_ROLE and JOINT_STAMP is written; `is_variable`: as LEB128. */
    bool is_big_endian, is_reversed, is_variable;
    uint32_t number;
    uint64_t at; /* position in bits from the packet's start */
    uint64_t value;
} decoder_joint;

/* Returns the joints of the last event, if the batch has room for one event, or before that those
   of the packet's head. They are valid until the next event. */
const decoder_joint *decoder_joints(const ctf_decoder *decoder, uint32_t *count);

/* The id of the last event's class, and the current value of a clock in ticks. */
uint64_t decoder_event_id(const ctf_decoder *decoder);
uint64_t decoder_clock(const ctf_decoder *decoder, uint32_t number);

/* Converts ticks to nanoseconds from the clock's origin, rounded down. Sets `*is_clamped` if the
   result does not fit. */
int64_t clock_ns(const ctf_clock *clock, uint64_t ticks, bool *is_clamped);

#endif
