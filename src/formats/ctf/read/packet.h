/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the packets of one data stream file, one after the other. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "formats/ctf/trace.h"

typedef struct ctf_packet {
    packet_head head;
    uint64_t offset; /* bytes from the start of the file to the packet's first byte */
    uint64_t size;   /* bytes to the next packet; the file has fewer of them if `is_cut` */
    /* Bits of header and content from the packet's first bit, within the file. */
    uint64_t content_bits;
    uint64_t clock_start; /* the ticks that decoder_set_clock_start() was given */
    bool is_cut;          /* the file ends before the packet */
    bool is_resized;      /* the packet's own sizes are impossible and were replaced */
} ctf_packet;

/* Bytes of the packet before its padding, the last one perhaps in part. */
static inline uint64_t ctf_packet_content_size(const ctf_packet *packet)
{
    return packet->content_bits / 8 + (packet->content_bits % 8 != 0);
}

typedef struct ctf_packets {
    const ctf_trace *trace;
    const ctf_file *file;
    const ctf_subtrace *subtrace; /* the subtrace whose schema is used */
    ctf_decoder *decoder;         /* after packets_next(): at the first event of that packet */
    /* Class of packets that do not name theirs; NULL if the trace has several. */
    const ctf_stream_class *type;
    uint64_t size;        /* of the file, in bytes */
    uint64_t skipped;     /* bytes so far that belong to no packet */
    uint64_t last_offset; /* offset of the last packet */
    /* End of the content of the last packet, in bytes from the file's start; 0 before the first. */
    uint64_t padding_at;
    uint64_t clock;    /* after the last packet, in ticks: see packets_leave() */
    bool is_quiet;     /* faults of packets are not reported, because another reader did */
    bool is_searching; /* after damage: a packet that is found must be of this trace */
    bool is_stranger;  /* a packet of another trace was found */
} ctf_packets;

/* Adds the next packet of a file to what is found out about it. Returns false if out of memory. */
bool ctf_found_add(ctf_found *found, const ctf_packet *packet);

/* Prepares for reading a file whose size is `size` bytes. */
void packets_init(ctf_packets *packets, const ctf_trace *trace, const ctf_file *file,
                  ctf_decoder *decoder, uint64_t size);

/*
 * Reads the head of the packet at the window's position, or else of the next packet that can be
 * read. The window is then at its first byte, and the caller moves it over the packet. Returns
 * STELE_END if there are no more packets.
 */
stele_status packets_next(ctf_packets *packets, window *w, ctf_packet *packet);

/* Called when all events of the last packet were decoded, with the clock after them: if the packet
   has no end time, the clock of the next one counts on from there. */
void packets_leave(ctf_packets *packets, const ctf_packet *packet, uint64_t ticks);

#endif
