/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/records/scan.h"

#include <inttypes.h>

#include "formats/heph/codes.h"

const stele_code heph_codes[HEPH_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/heph/codes.def"
#undef STELE_CODE
};

/* When bytes are searched for packets, at most this many bytes are verified for each byte searched,
   plus an allowance at the start. That keeps the search linear whatever the input holds. */
#define VERIFY_BYTES_PER_BYTE 4u
#define VERIFY_BYTES_FIRST    ((uint64_t)1 << 20)

/* After this many packets with faults, the layout is decided by the packets that were sound. */
#define DETECT_DAMAGE_MAX 64

/* The size of the packet that holds the option `epoch`. */
#define HEPH_EPOCH_SIZE 23u

/* The search looks this far before it gives up bytes that are not a packet. */
#define SKIP_PART_MAX ((size_t)64 << 10)

static uint32_t packet_size_min(stele_heph_kind kind)
{
    return kind == STELE_HEPH_METADATA ? STELE_HEPH_METADATA_HEADER_SIZE
                                       : (uint32_t)STELE_HEPH_NO_SUBSTREAMS;
}

static inline stele_heph_fault event_packet_decode(heph_packet *packet, stele_heph_layout layout,
                                                   const uint8_t *bytes, size_t size)
{
    stele_heph_fault fault;
    packet->kind = STELE_HEPH_EVENT;
    packet->layout = layout;
    fault = heph_event_decode(bytes, size, layout, &packet->event);
    if (fault == STELE_HEPH_SOUND)
        fault = heph_event_verify(&packet->event, &packet->event.attributes_end);
    return fault;
}

stele_heph_fault heph_packet_decode(heph_packet *packet, stele_heph_kind kind,
                                    stele_heph_layout layout, const uint8_t *bytes, size_t size)
{
    stele_heph_fault fault;
    uint64_t epoch;
    if (kind == STELE_HEPH_EVENT)
        return event_packet_decode(packet, layout, bytes, size);
    packet->kind = kind;
    packet->layout = layout;
    fault = heph_option_decode(bytes, size, &packet->option);
    if (fault == STELE_HEPH_SOUND && packet->option.name.size == 5 &&
        memcmp(packet->option.name.bytes, "epoch", 5) == 0 &&
        !stele_heph_option_epoch(&packet->option, &epoch))
        fault = STELE_HEPH_FAULT_VALUE;
    return fault;
}

stele_heph_layout heph_layout_detect(const uint8_t *head, size_t size)
{
    cursor c = cursor_make(head, size);
    int newer = 0, older = 0, damaged = 0;
    while (cursor_left(&c) >= HEPH_HEADER_SIZE && damaged < DETECT_DAMAGE_MAX) {
        uint32_t packet_size;
        const stele_heph_kind kind = heph_packet_kind(c.at, &packet_size);
        heph_packet packet;
        if (kind == STELE_HEPH_NONE) {
            c.at++;
            continue;
        }
        if (packet_size > cursor_left(&c)) {
            damaged++;
            c.at++;
        } else if (heph_packet_decode(&packet, kind, STELE_HEPH_SUBSTREAMS, c.at, packet_size) ==
                   STELE_HEPH_SOUND) {
            newer += kind == STELE_HEPH_EVENT;
            c.at += packet_size;
        } else if (heph_packet_decode(&packet, kind, STELE_HEPH_NO_SUBSTREAMS, c.at, packet_size) ==
                   STELE_HEPH_SOUND) {
            older++;
            c.at += packet_size;
        } else {
            damaged++;
            c.at++;
        }
    }
    return older > newer ? STELE_HEPH_NO_SUBSTREAMS : STELE_HEPH_SUBSTREAMS;
}

stele_status heph_scan_open(heph_scan *s, input *in, stele_heph_layout layout, diag_sink *diag,
                            size_t window_size, size_t record_size_max)
{
    *s = (heph_scan){.diag = diag, .layout = layout, .verify_size = VERIFY_BYTES_FIRST};
    if (record_size_max > UINT32_MAX)
        record_size_max = UINT32_MAX;
    return window_open(&s->win, in, 0, UINT64_MAX, window_size, record_size_max);
}

void heph_scan_close(heph_scan *s)
{
    window_close(&s->win);
}

void heph_scan_seek(heph_scan *s, uint64_t offset)
{
    window_move(&s->win, offset, UINT64_MAX);
    s->pending = 0;
}

/* Gives the largest number of bytes that can be looked at together. */
static size_t scan_reach(const heph_scan *s)
{
    return s->win.buffer != NULL ? s->win.capacity_max : (size_t)UINT32_MAX;
}

#define scan_report(s, code, offset, size, ...)                                        \
    do {                                                                               \
        if ((s)->diag != NULL)                                                         \
            diag_report((s)->diag, &heph_codes[code], (s)->win.in->name, offset, size, \
                        __VA_ARGS__);                                                  \
    } while (0)

/* ---- Damage ---- */

/* Tells whether these bytes, which are all that there are, begin a packet. The end of the trace may
   cut the magic number. */
static bool is_packet_start(const uint8_t *bytes, size_t size)
{
    static const uint8_t magics[2][4] = {{0xc1, 0xfc, 0x1f, 0xb7}, {0x75, 0xd1, 0x1d, 0x4d}};
    const size_t count = size < sizeof magics[0] ? size : sizeof magics[0];
    return memcmp(bytes, magics[0], count) == 0 || memcmp(bytes, magics[1], count) == 0;
}

/* Tells whether the packet at `at[index]` ends where another one begins, or where the trace ends.
   The bytes from `at` on stay within reach. */
static bool packet_leads_on(heph_scan *s, size_t index)
{
    window *w = &s->win;
    uint32_t size;
    const stele_heph_kind kind = heph_packet_kind(w->at + index, &size);
    const uint64_t target = window_offset(w) + index + size;
    const size_t after = index + size, want = after + 4;
    size_t left = (size_t)(w->end - w->at), got;
    uint8_t next[4];
    if (size < packet_size_min(kind) || (w->in->has_size && target > w->stop))
        return false;
    if (left < want && w->in->is_seekable)
        return input_read(w->in, target, next, sizeof next, &got) == STELE_OK &&
               is_packet_start(next, got);
    if (left < want) {
        /* Only half of the reach is used, so that the window moves its bytes only after as many
           have gone by. */
        if (want > scan_reach(s) / 2)
            return false;
        left = window_need(w, want);
    }
    return left >= after && is_packet_start(w->at + after, left - after);
}

/* Tells whether all bytes of the packet at `at[index]` are there and without a fault. */
static bool packet_is_sound(heph_scan *s, size_t index)
{
    const window *w = &s->win;
    uint32_t size;
    const stele_heph_kind kind = heph_packet_kind(w->at + index, &size);
    heph_packet packet;
    if (size < packet_size_min(kind) || size > (size_t)(w->end - w->at) - index ||
        size > s->verify_size)
        return false;
    s->verify_size -= size;
    return heph_packet_decode(&packet, kind, s->layout, w->at + index, size) == STELE_HEPH_SOUND;
}

/*
 * Looks for a packet that begins in `at[from]` to `at[limit - 1]`, and keeps all bytes from `at`
 * on. Gives its index in `*index`. If there is none, returns false and gives the index up to which
 * there is certainly none.
 */
static bool scan_find(heph_scan *s, size_t from, size_t limit, size_t *index)
{
    window *w = &s->win;
    size_t i = from;
    if (limit > scan_reach(s))
        limit = scan_reach(s);
    for (; i < limit; i++) {
        uint32_t size;
        size_t left = (size_t)(w->end - w->at);
        if (left < i + HEPH_HEADER_SIZE) {
            left = window_need(w, i + HEPH_HEADER_SIZE);
            if (left < i + HEPH_HEADER_SIZE) {
                *index = left < limit ? left : limit;
                return false;
            }
        }
        s->verify_size += VERIFY_BYTES_PER_BYTE;
        if (heph_packet_kind(w->at + i, &size) == STELE_HEPH_NONE)
            continue;
        if (packet_leads_on(s, i) || packet_is_sound(s, i)) {
            *index = i;
            return true;
        }
    }
    *index = i;
    return false;
}

/* Steps over bytes that are not a packet, up to the next one or the end. */
static void scan_skip(heph_scan *s, heph_packet *packet)
{
    window *w = &s->win;
    const uint64_t offset = window_offset(w);
    const size_t there = (size_t)(w->end - w->at);
    uint8_t first[4] = {0};
    size_t index, from = 1;
    bool is_found;
    memcpy(first, w->at, there < sizeof first ? there : sizeof first);
    do {
        is_found = scan_find(s, from, SKIP_PART_MAX, &index);
        w->at += index;
        from = 0;
    } while (!is_found && window_need(w, 1) != 0);
    *packet = (heph_packet){.bytes = w->at, .offset = offset, .size = window_offset(w) - offset};
    s->skipped_size += packet->size;
    scan_report(s, HEP001, offset, packet->size, "c1fc1fb7 or 75d11d4d, which begin a packet",
                "%02x%02x%02x%02x, and %" PRIu64 " bytes to the next packet", first[0], first[1],
                first[2], first[3], packet->size);
}

/* Reports what is wrong inside of a packet, and where. */
static void scan_report_fault(heph_scan *s, const heph_packet *packet, stele_heph_fault fault)
{
    const uint64_t attribute =
        packet->offset + (uint64_t)(packet->event.attributes_end - packet->bytes);
    const uint64_t end = packet->offset + packet->size;
    if (packet->kind == STELE_HEPH_METADATA && fault != STELE_HEPH_FAULT_HEADER) {
        scan_report(s, HEP010, packet->offset, packet->size,
                    fault == STELE_HEPH_FAULT_NAME ? "a name inside of the packet"
                                                   : "a value of 8 bytes for `epoch`",
                    "a packet of %" PRIu64 " bytes", packet->size);
        return;
    }
    switch (fault) {
    case STELE_HEPH_SOUND: break;
    case STELE_HEPH_FAULT_HEADER:
        scan_report(s, HEP004, packet->offset, packet->size,
                    packet->kind == STELE_HEPH_METADATA  ? "10 bytes or more"
                    : s->layout == STELE_HEPH_SUBSTREAMS ? "42 bytes or more"
                                                         : "34 bytes or more",
                    "%" PRIu64 " bytes", packet->size);
        break;
    case STELE_HEPH_FAULT_DESCRIPTION:
        scan_report(s, HEP005, packet->offset, packet->size, NULL,
                    "a description longer than the %u bytes left",
                    (unsigned)packet->event.description.size);
        break;
    case STELE_HEPH_FAULT_TYPE:
        scan_report(s, HEP007, attribute, end - attribute, "01 to 04, or 81 to 84",
                    "another type in an attribute, %" PRIu64 " bytes before the packet's end",
                    end - attribute);
        break;
    case STELE_HEPH_FAULT_NAME:
    case STELE_HEPH_FAULT_VALUE:
        scan_report(s, HEP006, attribute, end - attribute, NULL,
                    "a %s that needs more than the %" PRIu64 " bytes left in the packet",
                    fault == STELE_HEPH_FAULT_NAME ? "name" : "value", end - attribute);
        break;
    }
}

/* Decodes what there is of a damaged packet. Returns false when it is too little to give an event
   or an option. */
static bool scan_give_damaged(heph_scan *s, heph_packet *packet, stele_heph_kind kind,
                              uint32_t size_said, bool is_cut)
{
    const window *w = &s->win;
    const bool is_too_large = packet->size > packet->bytes_size;
    stele_heph_fault fault;
    packet->bytes = w->at;
    packet->is_damaged = true;
    fault = heph_packet_decode(packet, kind, s->layout, w->at, packet->bytes_size);
    if (is_too_large)
        scan_report(s, HEP008, packet->offset, packet->size, NULL, "a packet of %u bytes",
                    (unsigned)size_said);
    else if (is_cut)
        scan_report(s, HEP002, packet->offset, packet->size, NULL,
                    "%" PRIu64 " bytes of a packet of %u", packet->size, (unsigned)size_said);
    else if (packet->size != size_said)
        scan_report(s, HEP003, packet->offset, packet->size, NULL,
                    "a size of %u, and another end of the packet after %" PRIu64 " bytes",
                    (unsigned)size_said, packet->size);
    /* Contents that do not fit a size that was mended are no faults of their own. */
    if (!is_too_large && (is_cut ? fault == STELE_HEPH_FAULT_TYPE : packet->size == size_said))
        scan_report_fault(s, packet, fault);
    if (kind == STELE_HEPH_METADATA)
        return fault == STELE_HEPH_SOUND || fault == STELE_HEPH_FAULT_VALUE;
    return packet->bytes_size >= (size_t)s->layout - 2;
}

/*
 * Handles a packet whose size or contents are wrong. The packet is taken to end where its size
 * leads to another packet, unless a packet is found inside of it. Otherwise it ends at the next
 * packet that is found, or else where its size says, if that is inside of the trace.
 */
static void scan_mend(heph_scan *s, heph_packet *packet, stele_heph_kind kind, uint32_t size)
{
    window *w = &s->win;
    const size_t reach = scan_reach(s);
    const size_t there = window_need(w, size < reach ? size : reach);
    const stele_heph_layout other =
        s->layout == STELE_HEPH_SUBSTREAMS ? STELE_HEPH_NO_SUBSTREAMS : STELE_HEPH_SUBSTREAMS;
    size_t index;
    bool leads, is_found, is_cut = false;
    *packet =
        (heph_packet){.bytes = w->at, .bytes_size = size, .offset = window_offset(w), .size = size};
    if (kind == STELE_HEPH_EVENT && there >= size &&
        heph_packet_decode(packet, kind, other, w->at, size) == STELE_HEPH_SOUND) {
        scan_report(s, HEP009, packet->offset, size, NULL, "an event with a header of %d bytes",
                    (int)other);
        return;
    }
    leads = packet_leads_on(s, 0);
    if (size > reach && there >= reach && (leads || !w->in->is_seekable) &&
        heph_packet_decode(packet, kind, s->layout, w->at, there) != STELE_HEPH_FAULT_TYPE) {
        packet->bytes_size = there;
    } else {
        is_found = scan_find(s, HEPH_HEADER_SIZE, leads ? size : SIZE_MAX, &index);
        if (is_found || (!leads && (size < packet_size_min(kind) || size > index)))
            packet->size = index;
        packet->bytes_size = (size_t)packet->size;
        is_cut = !is_found && size > index && window_need(w, index + 1) == index;
    }
    if (!scan_give_damaged(s, packet, kind, size, is_cut)) {
        s->skipped_size += packet->size;
        packet->kind = STELE_HEPH_NONE;
    }
}

/*
 * Tells whether an option has swallowed the packets after it. The value of an option can be any
 * bytes, so a damaged size can make it hold the packets that follow. That is so when its end leads
 * nowhere and a packet is found inside of it.
 */
static bool option_holds_packet(heph_scan *s, uint32_t size)
{
    size_t index;
    return size != HEPH_EPOCH_SIZE && !packet_leads_on(s, 0) &&
           scan_find(s, HEPH_HEADER_SIZE, size, &index);
}

/* ---- Scanning ---- */

size_t heph_scan_want(const heph_scan *s)
{
    const window *w = &s->win;
    const uint64_t left = (uint64_t)(w->end - w->at);
    uint32_t size;
    stele_heph_kind kind;
    if (left < HEPH_HEADER_SIZE || s->pending > left - HEPH_HEADER_SIZE)
        return (size_t)s->pending + HEPH_HEADER_SIZE;
    kind = heph_packet_kind(w->at + s->pending, &size);
    if (kind == STELE_HEPH_NONE)
        return (size_t)s->pending + HEPH_HEADER_SIZE;
    /* After an option of an unusual size, the next header is needed too, because it tells whether
       the option is one. */
    return (size_t)s->pending + size +
           (kind == STELE_HEPH_METADATA && size != HEPH_EPOCH_SIZE ? HEPH_HEADER_SIZE : 0);
}

stele_status heph_scan_next(heph_scan *s, heph_packet *packet)
{
    window *w = &s->win;
    stele_heph_fault fault;
    stele_heph_kind kind;
    uint32_t size;
    size_t there;
    if (s->pending <= (uint64_t)(w->end - w->at))
        w->at += s->pending;
    else
        window_skip(w, s->pending);
    s->pending = 0;
    there = window_need(w, HEPH_HEADER_SIZE);
    if (there == 0)
        return w->status != STELE_OK ? w->status : STELE_END;
    kind = there < HEPH_HEADER_SIZE ? STELE_HEPH_NONE : heph_packet_kind(w->at, &size);
    if (kind == STELE_HEPH_NONE) {
        scan_skip(s, packet);
        return STELE_OK;
    }
    there = window_need(w, size);
    fault = there < size || (kind == STELE_HEPH_METADATA && option_holds_packet(s, size))
                ? STELE_HEPH_FAULT_HEADER
            : kind == STELE_HEPH_EVENT ? event_packet_decode(packet, s->layout, w->at, size)
                                       : heph_packet_decode(packet, kind, s->layout, w->at, size);
    if (fault != STELE_HEPH_SOUND) {
        scan_mend(s, packet, kind, size);
    } else {
        packet->bytes = w->at;
        packet->bytes_size = (size_t)size;
        packet->size = size;
        packet->offset = window_offset(w);
        packet->is_damaged = false;
    }
    s->pending = packet->size;
    return w->status != STELE_OK && w->status != STELE_ERR_READ ? w->status : STELE_OK;
}
