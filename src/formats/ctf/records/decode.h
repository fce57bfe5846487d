/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets to events. Field classes compile into flat procedures (program.h) that a decoder
 * executes:
 *
 *     schema --schema_check()--> targets --programs_new()--> programs --decoder_packet(),
 * decoder_events()
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

/* Among the columns, beside STELE_COLUMN_...: fields as they were before Stele's writer made CTF of
   them (schema/marks.h). */
#define DECODE_MARKS 0x40000000u

/* For the streams of one trace (`trace` as in stele_track.source) and STELE_COLUMN_... `columns`.
   The schema must have passed schema_check() and outlive the programs. Returns NULL if out of
   memory. */
ctf_programs *programs_new(const ctf_schema *schema, stele_context *context, uint32_t trace,
                           uint32_t columns);
void programs_free(ctf_programs *programs);

/* Before any of them was made: fields of events that do not pass are only stepped over, and so are
   those of other names. NULL: all. */
void programs_set_wanted(ctf_programs *programs, screen *passes, const field_names *fields);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The loaded bytes of a packet: `size` of them from byte `offset` of the packet on. */
typedef struct packet_view {
    const uint8_t *bytes;
    size_t size;
    uint64_t offset;
} packet_view;

typedef enum decode_outcome {
    DECODE_OK,    /* the packet's head is read; or: the batch takes no more events */
    DECODE_MORE,  /* the loaded bytes do not suffice; nothing happened. See decoder_want_size(). */
    DECODE_END,   /* the content of the packet ends */
    DECODE_BAD,   /* damage, which was reported: nothing after it in the packet can be read */
    DECODE_MEMORY /* memory is exhausted */
} decode_outcome;

/* What the head of a packet (packet header and context) says by roles. Sizes are in bits whatever
   the unit of the metadata; timestamps are full values of the clock, unwrapped. */
typedef struct packet_head {
    const ctf_stream_class *stream_class;
    uint32_t has; /* CTF_ROLE_...: which of the members below were there */
    uint32_t cpu;
    uint64_t magic;
    uint64_t stream_class_id;
    uint64_t stream_id;
    uint64_t total_bits;      /* TOTAL_LENGTH */
    uint64_t content_bits;    /* CONTENT_LENGTH */
    uint64_t begin_ticks;     /* PACKET_BEGIN */
    uint64_t end_ticks;       /* PACKET_END */
    uint64_t discarded;       /* DISCARDED: as written, of a counter of `discarded_width` bits */
    uint64_t sequence_number; /* SEQUENCE_NUMBER, as written, of `sequence_width` bits */
    uint8_t discarded_width, sequence_width;
    uint8_t uuid[16];
    bool counts_on;         /* times depend on the packets before: see decoder_set_clock_start() */
    const ctf_clock *clock; /* of the timestamps; NULL: the stream class has none */
    uint64_t events_at;     /* where the head ends */
} packet_head;

typedef struct ctf_decoder ctf_decoder;

/* Returns NULL if out of memory. */
ctf_decoder *decoder_new(ctf_programs *programs);
void decoder_free(ctf_decoder *decoder);

/* Goes to another data stream, or another place of this one: time does not go on from before. */
void decoder_reset(ctf_decoder *decoder);

/*
 * Reads the head of the packet that begins at byte `file_offset` of the file `source`, and goes to
 * its first event. Clocks start from 0 in each packet, or see decoder_set_clock_start(). The view
 * begins at the packet's first byte. `stream_class` is that of all its packets; NULL: the head says
 * which. What follows is bounded by content_bits, else total_bits, else by decoder_set_content().
 * DECODE_BAD is reported.
 *
 * Where STELE_COLUMN_CONTEXT is wanted, the head's fields become context fields of the batches that
 * decoder_events() fills, so a batch must then not hold events of two packets.
 */
decode_outcome decoder_packet(ctf_decoder *decoder, const packet_view *view, const char *source,
                              uint64_t file_offset, const ctf_stream_class *stream_class,
                              packet_head *head);

/*
 * In CTF 1.8 a time of fewer bits than its clock counts on from the value before it in the stream,
 * so that a packet whose begin has fewer than 64 bits needs the clock as it stood after the packet
 * before. That is given here, before decoder_packet(); without it packets start from 0, as they do
 * in CTF 2 and the RFC whatever is given.
 */
void decoder_set_clock_start(ctf_decoder *decoder, uint64_t ticks);

/* The track of events that name neither thread nor CPU: that of their data stream. 0: none. */
void decoder_set_track(ctf_decoder *decoder, uint32_t track);

/* The content ends there: where a size is not said or not true. */
void decoder_set_content(ctf_decoder *decoder, uint64_t content_bits);

/*
 * Appends events until the batch is full (DECODE_OK), the loaded bytes or the packet's content end,
 * or something cannot be read. The view must hold the byte of decoder_position(), and more than
 * before after DECODE_MORE. Sets no member of the batch besides its tables and context.
 */
decode_outcome decoder_events(ctf_decoder *decoder, const packet_view *view, stele_batch *batch);

/* Where the next event begins; after DECODE_BAD, that could not be read. */
uint64_t decoder_position(const ctf_decoder *decoder);

/* After DECODE_MORE: at least so many bytes from decoder_position() on must be loaded to get on
   (from the packet's start on after decoder_packet()); no more than the content has. */
uint64_t decoder_want_size(const ctf_decoder *decoder);

/* The clock of the stream as it stands, in ticks: of the last event, or the packet's begin. */
uint64_t decoder_ticks(const ctf_decoder *decoder);

/* ---- Damage ---------------------------------------------------------------------------------- */

/* What DECODE_BAD was for. */
typedef struct decoder_problem {
    uint32_t code;        /* ctf_code */
    uint64_t offset_bits; /* in the file */
    char expected[64];    /* "": nothing to expect */
    char found[160];
} decoder_problem;

/* From here on, whoever calls the decoder reports its problems, as only the caller can tell how
   much is skipped because of them. */
void decoder_defer(ctf_decoder *decoder);
const decoder_problem *decoder_last_problem(const ctf_decoder *decoder);

/* The next record is longer than what can be loaded at once, `loaded` bytes: a problem. */
void decoder_unloadable(ctf_decoder *decoder, size_t loaded);

/* Bits that event records are aligned to; 0: they have no header to know them by. */
uint64_t decoder_event_alignment(const ctf_decoder *decoder);

/* Whether the header of an event says its class. */
bool decoder_has_event_id(const ctf_decoder *decoder);

/* Decodes events from another position of the packet on, until the batch is full or something ends
   that; the decoder is then as it was before. */
decode_outcome decoder_try(ctf_decoder *decoder, const packet_view *view, uint64_t position,
                           stele_batch *batch);

/* Goes on at another position of the packet. */
void decoder_move(ctf_decoder *decoder, uint64_t position);

/* Sets the clock of the stream, where the last time of an event is not to be believed. */
void decoder_set_ticks(ctf_decoder *decoder, uint64_t ticks);

/* ---- Joints ---------------------------------------------------------------------------------- */

/*
 * For those who move records: with DECODE_JOINTS among the columns, beside STELE_COLUMN_..., a
 * decoder notes where the pieces of a record lie. Between two joints bits follow each other without
 * a gap.
 */
#define DECODE_JOINTS 0x80000000u

typedef enum joint_kind {
    JOINT_EVENT, /* the record begins, not aligned yet */
    JOINT_ALIGN, /* the next bit is at a multiple of `value` bits */
    JOINT_UNIT,  /* `value` bits follow, in the next unit of `number` bits if not in this one */
    JOINT_STAMP, /* the clock `number` has advanced to `value`, by its lowest `width` bits */
    JOINT_HEADER_END, /* of the event header */
    JOINT_PAYLOAD,    /* a payload begins whose size the record says */
    JOINT_ROLE        /* of a packet's head: a number of `width` bits ends, of the roles `number` */
} joint_kind;

typedef struct decoder_joint {
    joint_kind kind;
    uint8_t width;
    bool is_big_endian, is_reversed, is_variable; /* of JOINT_ROLE, JOINT_STAMP; LEB128 */
    uint32_t number;
    uint64_t at; /* bits from the packet's start */
    uint64_t value;
} decoder_joint;

/* Of the last event, in a batch for one; before that, of the packet's head. */
const decoder_joint *decoder_joints(const ctf_decoder *decoder, uint32_t *count);

/* The id of the last event's class, and a clock as it stands. */
uint64_t decoder_event_id(const ctf_decoder *decoder);
uint64_t decoder_clock(const ctf_decoder *decoder, uint32_t number);

/* Nanoseconds from the clock's origin, rounded down; sets `*is_clamped` when they do not fit. */
int64_t clock_ns(const ctf_clock *clock, uint64_t ticks, bool *is_clamped);

#endif
