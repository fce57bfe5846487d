/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a packet: loaded as they are needed, unpacked where the RFC's packets are packed.
 */
#ifndef CTF_CONTENT_H
#define CTF_CONTENT_H

#include "formats/ctf/read/packet.h"
#include "formats/ctf/rfc/rfc_packet.h"

/* Bytes before the window's place that stay loaded: of an event before damage. */
#define CONTENT_BACK ((size_t)4 << 10)

#define CONTENT_RECENT 4u

/* Zeroed, it is ready for the first packet. */
typedef struct ctf_content {
    const ctf_packets *packets;
    const ctf_packet *packet;
    window *w;
    ctf_decoder *decoder;
    rfc_unpacker unpacker;
    const uint8_t *bytes;  /* of the whole packet, when it was unpacked; else NULL */
    uint64_t content_bits; /* of the packet as it is decoded */
    bool is_sealed;        /* it cannot be unpacked here, as was reported; elsewhere it may be */
    packet_view view;      /* what the last events were decoded from */
    uint64_t left_out;     /* bytes of the packet that hold no events that could be read */
    uint64_t recent[CONTENT_RECENT]; /* where the last events stand in the file, in rising order */
    uint32_t recent_count;
    bool is_exact;        /* damage ends a packet: nothing is searched for */
    stele_batch *trial;   /* of a search; NULL until there was one */
    uint64_t tried_count; /* places that were looked at, in all packets */
} ctf_content;

/*
 * Goes to the events of a packet, whose head `decoder` has read and at whose first byte `w` is.
 * STELE_ERR_FORMAT: they cannot be had, as was reported. STELE_ERR_READ, STELE_ERR_MEMORY.
 */
stele_status content_enter(ctf_content *content, const ctf_packets *packets, window *w,
                           const ctf_packet *packet, ctf_decoder *decoder);

/*
 * Appends events to the batch. DECODE_OK: it is full, or damage was stepped over, with some events
 * before it; DECODE_END: those were all, DECODE_BAD: the rest of the packet is lost, as was
 * reported, DECODE_MEMORY. Reading that fails leaves its status in the window and gives DECODE_BAD.
 */
decode_outcome content_events(ctf_content *content, stele_batch *batch);

/* Loads up to `want` bytes of the content from a byte of the packet on, which is not in front of
   the one that was asked for before. False when less are there. */
bool content_load(ctf_content *content, uint64_t from, uint64_t want, packet_view *view);

/*
 * After a record that cannot be read: finds out where the next one begins, reports what is
 * skipped, and goes on there (search.c). DECODE_BAD: there is none, and the rest is skipped.
 */
decode_outcome content_search(ctf_content *content);

void content_free(ctf_content *content);

#endif
