/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the packets in an input, one after the other, even after damage. Everything that walks a
 * trace (reading, indexing, copying, dumping) does so through a scan, so that all of it sees the
 * same packets.
 */
#ifndef HEPH_RECORDS_SCAN_H
#define HEPH_RECORDS_SCAN_H

#include "core/window.h"
#include "formats/heph/records/decode.h"

typedef struct heph_packet {
    /* The bytes of the packet; they are valid until the next call. */
    const uint8_t *bytes;
    /* Equals `size`, or is what fits of a packet that is too large; 0 when `kind` is
       STELE_HEPH_NONE. */
    size_t bytes_size;
    /* The place of the packet in the input, and its size there. */
    uint64_t offset, size;
    /* STELE_HEPH_NONE stands for a run of bytes that are not a packet. */
    stele_heph_kind kind;
    stele_heph_layout layout;
    bool is_damaged;
    /* Which of these is set depends on `kind`. The attributes of an event are all sound: of a
       damaged event, only those in front of the fault are given. */
    stele_heph_event event;
    stele_heph_option option;
} heph_packet;

typedef struct heph_scan {
    window win;
    /* The sink that findings go to; with NULL they are not reported. */
    diag_sink *diag;
    stele_heph_layout layout;
    /* The size of the packet that was given last, which is still to be stepped over. */
    uint64_t pending;
    uint64_t skipped_size;
    /* How many bytes may still be verified in search of packets. */
    uint64_t verify_size;
} heph_scan;

/* Tells from the first bytes of a trace which of the two layouts its events have. */
stele_heph_layout heph_layout_detect(const uint8_t *head, size_t size);

/* Opens a scan of an input. `window_size` means the same as for window_open(). Returns
   STELE_ERR_MEMORY if out of memory. */
stele_status heph_scan_open(heph_scan *s, input *in, stele_heph_layout layout, diag_sink *diag,
                            size_t window_size, size_t record_size_max);
void heph_scan_close(heph_scan *s);

/* Continues the scan at an offset where a packet begins. */
void heph_scan_seek(heph_scan *s, uint64_t offset);

/* Gives the next packet, or a run of bytes that are not a packet. Returns STELE_END after the last
   one, and otherwise STELE_OK, STELE_ERR_READ or STELE_ERR_MEMORY. */
stele_status heph_scan_next(heph_scan *s, heph_packet *packet);

/*
 * Tells how many bytes from the window's place on heph_scan_next() will look at, as far as that is
 * known. When not even the header of the next packet is loaded, it counts the bytes up to the end
 * of that header.
 */
size_t heph_scan_want(const heph_scan *s);

/*
 * Gives the next packet if it is an event with all bytes loaded and nothing wrong in front of its
 * attributes; the attributes are not verified. The caller calls heph_scan_accept() to go on after
 * the packet; without that call, heph_scan_next() looks at the packet again.
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

/* Gives the offset where the packets that were given end, or where the input ends. */
static inline uint64_t heph_scan_offset(const heph_scan *s)
{
    return window_offset(&s->win) + s->pending;
}

/* Takes the packet that heph_scan_event() gave, so that the scan goes on after it. */
static inline void heph_scan_accept(heph_scan *s, const heph_packet *packet)
{
    s->win.at = packet->bytes;
    s->pending = packet->size;
}

/* Decodes and verifies a packet whose bytes are all there. */
stele_heph_fault heph_packet_decode(heph_packet *packet, stele_heph_kind kind,
                                    stele_heph_layout layout, const uint8_t *bytes, size_t size);

#endif
