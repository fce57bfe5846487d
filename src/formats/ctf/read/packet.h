/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of one data stream file, one after the other. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "formats/ctf/trace.h"

typedef struct ctf_packet {
    packet_head head;
    uint64_t offset;       /* of its first byte in the file */
    uint64_t size;         /* bytes to the next packet; fewer are there when it is cut */
    uint64_t content_bits; /* from its first bit; not beyond the end of the file */
    uint64_t clock_start;  /* as it was given to decoder_set_clock_start() */
    bool is_cut;           /* the file ends before the packet does */
    bool is_resized;       /* it says sizes that cannot be */
} ctf_packet;

/* Bytes of the packet that are of use; those after them are padding. */
static inline uint64_t ctf_packet_content_size(const ctf_packet *packet)
{
    return packet->content_bits / 8 + (packet->content_bits % 8 != 0);
}

typedef struct ctf_packets {
    const ctf_trace *trace;
    const ctf_file *file;
    const ctf_subtrace *subtrace; /* whose schema holds */
    ctf_decoder *decoder;         /* stands at the first event of the last packet */
    const ctf_stream_class *type; /* of packets that do not say; NULL: there are several */
    uint64_t size;                /* of the file */
    uint64_t skipped;             /* bytes that were no packets, so far */
    uint64_t last_offset;         /* of the packet before the next one, and ... */
    uint64_t padding_at;          /* ... of the end of its content; 0: none was read */
    uint64_t clock;               /* as the last packet left it: see packets_leave() */
    bool is_quiet;                /* what is wrong was reported before */
    bool is_searching;            /* after damage: what could be a packet must be of this trace */
    bool is_stranger;             /* a packet of another trace was met */
} ctf_packets;

/* Sets up for a file whose input has the size `size`. */
void packets_init(ctf_packets *packets, const ctf_trace *trace, const ctf_file *file,
                  ctf_decoder *decoder, uint64_t size);

/*
 * The packet at the window's place, or the next one that can be read after it; the window is then
 * at its first byte. STELE_END: there are no more. The caller steps over the packet.
 */
stele_status packets_next(ctf_packets *packets, window *w, ctf_packet *packet);

/* All events of the last packet were decoded, up to a clock of `ticks`: where the packet does not
   say its end, the next one counts on from there. */
void packets_leave(ctf_packets *packets, const ctf_packet *packet, uint64_t ticks);

#endif
