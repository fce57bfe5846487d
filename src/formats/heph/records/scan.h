/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets out of an input, one after the other, also after damage. Everything that walks a trace
 * (reading, indexing, copying, dumping) does so through a scan, so that all see the same packets.
 */
#ifndef HEPH_RECORDS_SCAN_H
#define HEPH_RECORDS_SCAN_H

#include "core/window.h"
#include "formats/heph/records/decode.h"

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

/* Goes on at an offset where a packet begins. */
void heph_scan_seek(heph_scan *s, uint64_t offset);

/* The next packet, or a run of bytes that are none; STELE_END after the last, STELE_ERR_READ,
 * STELE_ERR_MEMORY. */
stele_status heph_scan_next(heph_scan *s, heph_packet *packet);

/* How many bytes from the window's place on heph_scan_next() looks at, as far as that is known:
   where fewer are loaded than the header of the next packet, those up to there. */
size_t heph_scan_want(const heph_scan *s);

/*
 * The next packet, if it is an event with all bytes loaded and nothing wrong in front of its
 * attributes. Those are not verified: heph_scan_accept() goes on after it, and without that
 * heph_scan_next() looks at it again.
 */
static inline bool heph_scan_event(const heph_scan *s, heph_packet *packet)
{
    const window *w = &s->win;
    const uint64_t left = (uint64_t)(w->end - w->at);
    const uint8_t *at;
    uint32_t size;
    if (left < HEPH_HEADER_SIZE || s->pending > left - HEPH_HEADER_SIZE)
        return false;
    at = w->at + s->pending;
    if (heph_packet_kind(at, &size) != STELE_HEPH_EVENT || size > left - s->pending)
        return false;
    packet->bytes = at;
    packet->bytes_size = size;
    packet->size = size;
    packet->offset = window_offset_of(w, at);
    packet->kind = STELE_HEPH_EVENT;
    packet->layout = s->layout;
    packet->is_damaged = false;
    return heph_event_decode(at, size, s->layout, &packet->event) == STELE_HEPH_SOUND;
}

/* Up to where the packets that were given reach, or where the input ends. */
static inline uint64_t heph_scan_offset(const heph_scan *s)
{
    return window_offset(&s->win) + s->pending;
}

static inline void heph_scan_accept(heph_scan *s, const heph_packet *packet)
{
    s->win.at = packet->bytes;
    s->pending = packet->size;
}

/* Decodes and verifies a packet of which all bytes are there. */
stele_heph_fault heph_packet_decode(heph_packet *packet, stele_heph_kind kind,
                                    stele_heph_layout layout, const uint8_t *bytes, size_t size);

#endif
