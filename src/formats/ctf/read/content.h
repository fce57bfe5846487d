/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a packet: loaded as they are needed, unpacked where the RFC's packets are packed.
 */
#ifndef CTF_CONTENT_H
#define CTF_CONTENT_H

#include "formats/ctf/read/packet.h"
#include "formats/ctf/rfc/rfc_packet.h"

/* Zeroed, it is ready for the first packet. */
typedef struct ctf_content {
    const ctf_packets *packets;
    const ctf_packet *packet;
    window *w;
    ctf_run *run;
    rfc_unpacker unpacker;
    const uint8_t *bytes;  /* of the whole packet, when it was unpacked; else NULL */
    uint64_t content_bits; /* of the packet as it is decoded */
    bool is_sealed;        /* it cannot be unpacked here, as was reported; elsewhere it may be */
    packet_view view;      /* what the last events were decoded from */
} ctf_content;

/*
 * Goes to the events of a packet, whose head `run` has read and at whose first byte `w` is.
 * STELE_ERR_FORMAT: they cannot be had, as was reported. STELE_ERR_READ, STELE_ERR_MEMORY.
 */
stele_status content_enter(ctf_content *content, const ctf_packets *packets, window *w,
                           const ctf_packet *packet, ctf_run *run);

/*
 * Appends events to the batch. DECODE_OK: it is full, DECODE_END: those were all, DECODE_BAD: the
 * rest of the packet is lost, as was reported, DECODE_MEMORY. Reading that fails leaves its status
 * in the window and gives DECODE_BAD.
 */
decode_outcome content_events(ctf_content *content, stele_batch *batch);

/* Bytes of the packet that are not decoded. */
uint64_t content_left(const ctf_content *content);
void content_free(ctf_content *content);

#endif
