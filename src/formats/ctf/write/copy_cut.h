/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes packets without some of their events. Records keep their own bits; what changes is
 *
 *    | head | e1 | e2 | e3 | e4 | padding |      sizes in the head, the padding,
 *    | head | e2 | e4 | padding |                alignment between the fields of records,
 *
 * and the times of events that count from an event which is left out: then the packet begins with
 * its first event, or the record gets the extended header of its class.
 */
#ifndef CTF_COPY_CUT_H
#define CTF_COPY_CUT_H

#include "formats/ctf/read/content.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_bits.h"
#include "formats/ctf/write/copy_index.h"
#include "formats/ctf/write/copy_long.h"

/* A number in a packet's head that may have to change. */
typedef struct head_place {
    uint64_t at;   /* in bits from the packet's start */
    uint8_t width; /* in bits; 0 if the head does not have the number */
    bool is_big_endian, is_reversed;
} head_place;

typedef struct ctf_cut {
    const ctf_trace *trace;
    const ctf_schema *schema;
    const ctf_stream_class *type;
    bool is_possible; /* packets of this class can be cut */
    /* All headers of its events have whole times, which depend on nothing before them. */
    bool has_whole_times;
    ctf_decoder *decoder; /* notes the joints of records */
    stele_batch *record;
    ctf_content content;
    long_header long_header;
    /* The current packet. */
    byte_buffer head;
    head_place content_size, total_size, begin, end, discarded;
    packet_head read;
    /* The packet begins with its first event, and its head gets this time. */
    bool has_new_begin;
    uint64_t new_begin;
    uint64_t *clocks; /* clocks of a reader of the copy after the last record */
    uint64_t *trial;  /* clocks of a reader of the copy after the next record */
    bit_writer to;
    rfc_packer packer;
} ctf_cut;

/* A packet to be cut, and where its bytes are. Cutting it moves the file's window. */
typedef struct cut_packet {
    window *w;
    const ctf_packets *packets;
    const ctf_packet *packet;
    const uint8_t *kept; /* a bit for each event, from the lowest bit of each byte up */
    uint64_t count;      /* number of these bits; later events are left out */
    /* Records that precede the kept ones; the packet then begins with the first of them. */
    const ctf_begins *begins;
    const begin_record *begun;
    uint32_t begun_count;
    bool is_alone; /* the packet only has `begun` records, as nothing else of the stream is kept */
} cut_packet;

/*
 * Prepares for packets of one class. The columns of the programs must include DECODE_JOINTS and
 * STELE_COLUMN_TIME. Returns STELE_ERR_MEMORY if out of memory; cut_close() must be called in any
 * case.
 */
stele_status cut_open(ctf_cut *cut, const ctf_trace *trace, const ctf_schema *schema,
                      const ctf_stream_class *type, ctf_programs *programs);
void cut_close(ctf_cut *cut);

/* Whether the times in the packet depend on the packets before it. */
bool cut_counts_on(const ctf_cut *cut, const packet_head *head);

/*
 * Writes the kept events of a packet, and gives the size of the new packet. Returns
 * STELE_ERR_UNSUPPORTED if it would be read differently, and has written nothing then,
 * STELE_ERR_READ or STELE_ERR_MEMORY.
 */
stele_status cut_write(ctf_cut *cut, const cut_packet *from, output *out, copied_packet *made);

#endif
