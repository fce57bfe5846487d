/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the events of a packet. Its content is loaded piece by piece, and unpacked if it is a
   compressed or encrypted packet of the RFC. */
#ifndef CTF_CONTENT_H
#define CTF_CONTENT_H

#include "formats/ctf/read/packet.h"
#include "formats/ctf/rfc/rfc_packet.h"

/* Bytes before the window's position that stay loaded, for a search that begins before damage. */
#define CONTENT_BACK ((size_t)4 << 10)

#define CONTENT_RECENT 4u /* events whose positions are remembered */

/* The content of the current packet. A zeroed one is ready for the first packet. */
typedef struct ctf_content {
    const ctf_packets *packets;
    const ctf_packet *packet;
    window *w;
    ctf_decoder *decoder;
    rfc_unpacker unpacker;
    const uint8_t *bytes;  /* the whole unpacked packet; NULL if it is read from the window */
    uint64_t content_bits; /* size of the packet's header and content as decoded, in bits */
    /* the packet cannot be unpacked here, which was reported; other builds or keys may be able
       to */
    bool is_sealed;
    packet_view view;                /* the bytes that the last events were decoded from */
    uint64_t left_out;               /* bytes of the packet whose events could not be read */
    uint64_t recent[CONTENT_RECENT]; /* offsets in the file of the last events, ascending */
    uint32_t recent_count;
    bool is_exact;        /* damage ends the packet: no search for further events is made */
    stele_batch *trial;   /* batch for events that a search tries; NULL until the first search */
    uint64_t tried_count; /* positions that searches have tried, in all packets */
} ctf_content;

/*
 * Enters a packet whose head `decoder` has read. `w` must be at the packet's first byte. Returns
 * STELE_ERR_FORMAT if its events cannot be read, which was reported, STELE_ERR_READ or
 * STELE_ERR_MEMORY.
 */
stele_status content_enter(ctf_content *content, const ctf_packets *packets, window *w,
                           const ctf_packet *packet, ctf_decoder *decoder);

/*
 * Appends events to the batch. Returns DECODE_OK if the batch is full or if damage was skipped
 * after some events, DECODE_END after the last event, DECODE_BAD if the rest of the packet is lost,
 * which was reported, or DECODE_MEMORY. If reading fails, its status is left in the window and
 * DECODE_BAD is returned.
 */
decode_outcome content_events(ctf_content *content, stele_batch *batch);

/* Loads up to `want` bytes from byte `from` of the packet on. `from` must never decrease within a
   packet. Returns false if the packet has fewer bytes there. */
bool content_load(ctf_content *content, uint64_t from, uint64_t want, packet_view *view);

/*
 * Called after a record that cannot be read. Finds the next position at which events can be read,
 * reports the bytes that are skipped, and moves the decoder there (search.c). Returns DECODE_BAD if
 * no such position was found and the rest of the packet is skipped.
 */
decode_outcome content_search(ctf_content *content);

void content_free(ctf_content *content);

#endif
