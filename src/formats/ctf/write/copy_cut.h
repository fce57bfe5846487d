/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets with some of their events left out. Records keep their own bits; what changes is
 *
 *     | head | e1 | e2 | e3 | e4 | padding |      sizes in the head, the padding,
 *     | head | e2 | e4 | padding |                alignment between the fields of records,
 *
 * and what tells the times of events, where it counts from an event that is gone: then the packet
 * begins with its first event, or the record gets the extended header of its class.
 */
#ifndef CTF_COPY_CUT_H
#define CTF_COPY_CUT_H

#include "formats/ctf/read/content.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_bits.h"
#include "formats/ctf/write/copy_index.h"

/* A number of a packet's head that may be written anew. */
typedef struct head_place {
    uint64_t at;
    uint8_t width; /* 0: there is none */
    bool is_big_endian, is_reversed;
} head_place;

/* The header of a class's events that holds whole ids and times. */
typedef struct long_header {
    bool is_there;
    uint32_t option; /* of the variant that holds it */
    uint64_t escape; /* the id that says so */
} long_header;

typedef struct ctf_cut {
    const ctf_trace *trace;
    const ctf_schema *schema;
    const ctf_stream_class *type;
    bool is_possible;     /* of packets of this class */
    bool has_whole_times; /* in all headers of its events: they need nothing before them */
    ctf_decoder *decoder; /* notes joints */
    stele_batch *record;
    ctf_content content;
    long_header long_header;
    /* The packet */
    byte_buffer head;
    head_place content_size, total_size, begin, end, discarded;
    packet_head read;
    bool has_new_begin;
    uint64_t new_begin;
    uint64_t *clocks; /* as whoever reads the copy has them: after the last record, ... */
    uint64_t *trial;  /* ... and after the next one */
    bit_writer to;
    rfc_packer packer;
} ctf_cut;

/* What a packet is and where its bytes are: the file's window is moved. */
typedef struct cut_packet {
    window *w;
    const ctf_packets *packets;
    const ctf_packet *packet;
    const uint8_t *kept; /* a bit for each event, the lowest one of a byte first */
    uint64_t count;      /* of these bits; what is after is left out */
    /* What goes before these: the packet then begins with the first of it. */
    const ctf_begins *begins;
    const begin_record *begun;
    uint32_t begun_count;
    bool is_alone; /* nothing else is kept of the stream: the packet ends there, too */
} cut_packet;

/* For packets of one class, with programs that have DECODE_JOINTS and STELE_COLUMN_TIME among their
   columns. STELE_ERR_MEMORY; to be closed in any case. */
stele_status cut_open(ctf_cut *cut, const ctf_trace *trace, const ctf_schema *schema,
                      const ctf_stream_class *type, ctf_programs *programs);
void cut_close(ctf_cut *cut);

/* Whether what the packet says of times needs the packets before it. */
bool cut_counts_on(const ctf_cut *cut, const packet_head *head);

/*
 * Writes what is kept of a packet, and tells its size. STELE_ERR_UNSUPPORTED: that would not read
 * the same; nothing was written. STELE_ERR_READ, STELE_ERR_MEMORY.
 */
stele_status cut_write(ctf_cut *cut, const cut_packet *from, output *out, copied_packet *made);

#endif
