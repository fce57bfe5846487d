/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets out of an input, one after the other, also behind damage. Everything that walks a trace
 * (reading, indexing, copying, dumping) does so through a scan, so that all see the same packets.
 */
#ifndef HEPH_SCAN_H
#define HEPH_SCAN_H

#include "core/window.h"
#include "formats/heph/decode.h"

typedef struct heph_packet {
    const uint8_t *bytes;  /* until the next call */
    size_t bytes_size;     /* `size`, or what fits of a packet that is too large; 0 with NONE */
    uint64_t offset, size; /* in the input */
    stele_heph_kind kind;  /* NONE: bytes that are no packet */
    stele_heph_layout layout;
    bool is_damaged;
    /* By kind. The attributes of an event are all sound: those of a damaged one up to the fault. */
    stele_heph_event event;
    stele_heph_option option;
} heph_packet;

typedef struct heph_scan {
    window win;
    diag_sink *diag; /* NULL: findings are not reported */
    stele_heph_layout layout;
    uint64_t pending; /* size of the packet given last, to be stepped over */
    uint64_t skipped_size;
    uint64_t verify_size; /* bytes that may still be verified in search of packets */
} heph_scan;

/* Which of the two layouts the events of a trace have, by its first bytes. */
stele_heph_layout heph_layout_detect(const uint8_t *head, size_t size);

/* `window_size` as for window_open(). STELE_ERR_MEMORY. */
stele_status heph_scan_open(heph_scan *s, input *in, stele_heph_layout layout, diag_sink *diag,
                            size_t window_size, size_t record_size_max);
void heph_scan_close(heph_scan *s);

/* The next packet, or a run of bytes that are none; STELE_END behind the last, STELE_ERR_READ,
 * STELE_ERR_MEMORY. */
stele_status heph_scan_next(heph_scan *s, heph_packet *packet);

/* Decodes and verifies a packet of which all bytes are there. */
stele_heph_fault heph_packet_decode(heph_packet *packet, stele_heph_kind kind,
                                    stele_heph_layout layout, const uint8_t *bytes, size_t size);

#endif
