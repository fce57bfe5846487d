/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out which events of a packet are kept in its copy. Events are decoded only as far as
 * necessary.
 *
 * - The bit of an event in `bits` is that of its number in the packet. `seen_count` events have a
 *   bit, and events after them are not kept.
 * - The caller asks for events in their order, so the scan never goes back. If an event is not
 *   found, the scan has reached the end of the packet, and the event is counted as missing.
 * - A packet of which no event is asked for is not scanned (NOT_SCANNED).
 */
#include "formats/ctf/write/copy_scan.h"

void copy_scan_reset(ctf_copier *c)
{
    stele_batch_clear(c->batch);
    c->outcome = DECODE_OK;
    c->bits.size = 0;
    c->batch_at = 0;
    c->kept_count = 0;
    c->seen_count = NOT_SCANNED;
    c->is_wanted = c->is_doubtful = false;
    c->content.unpacker.is_damaged = c->content.is_sealed = false;
}

/* Enters the packet. Damage is not an error here: the reader has reported it, and no event
   follows. */
static stele_status scan_begin(ctf_copier *c)
{
    stele_status status;
    c->seen_count = 0;
    status = content_enter(&c->content, &c->walk.current->packets, &c->walk.current->w, c->packet,
                           c->decoder);
    if (status == STELE_ERR_FORMAT)
        c->outcome = DECODE_BAD;
    return status == STELE_ERR_FORMAT ? STELE_OK : status;
}

/* Gives the next event of the packet. Returns STELE_END after the last one. */
static stele_status scan_next(ctf_copier *c, const stele_event **event)
{
    const stele_status status = c->seen_count == NOT_SCANNED ? scan_begin(c) : STELE_OK;
    if (status != STELE_OK)
        return status;
    while (c->batch_at == c->batch->event_count) {
        if (c->outcome != DECODE_OK)
            return STELE_END;
        stele_batch_clear(c->batch);
        c->batch_at = 0;
        c->outcome = content_events(&c->content, c->batch);
        if (c->outcome == DECODE_MEMORY)
            return STELE_ERR_MEMORY;
        if (c->walk.current->w.status != STELE_OK)
            return c->walk.current->w.status;
    }
    *event = &c->batch->events[c->batch_at++];
    return STELE_OK;
}

/* Adds the bit of the next event. Returns false if out of memory. */
static bool scan_mark(ctf_copier *c, uint64_t offset, bool is_kept)
{
    const uint64_t number = c->seen_count++;
    if (number % 8 == 0) {
        uint8_t *more = byte_buffer_take(&c->bits, 1);
        if (more == NULL)
            return false;
        *more = 0;
    }
    if (is_kept)
        c->bits.bytes[number / 8] |= (uint8_t)(1u << number % 8);
    /* The caller names events by their byte, so if two begin in the same byte, it is not sure which
       one is meant. */
    if (number != 0 && c->last_offset == offset)
        c->is_doubtful |=
            is_kept != ((c->bits.bytes[(number - 1) / 8] >> (number - 1) % 8 & 1) != 0);
    c->kept_count += is_kept;
    c->last_offset = offset;
    return true;
}

stele_status copy_scan_to(ctf_copier *c, uint64_t offset)
{
    const stele_event *event = NULL;
    stele_status status;
    do {
        status = scan_next(c, &event);
        if (status == STELE_END) {
            c->missing_count++;
            return STELE_OK;
        }
        if (status == STELE_OK && !scan_mark(c, event->offset, event->offset == offset))
            status = STELE_ERR_MEMORY;
        /* Each pass consumes an event, so the loop ends with the packet. */
    } while (status == STELE_OK && event->offset != offset);
    return status;
}

stele_status copy_scan_rest(ctf_copier *c)
{
    const stele_event *event = NULL;
    stele_status status;
    while ((status = scan_next(c, &event)) == STELE_OK)
        if (!scan_mark(c, event->offset, false))
            return STELE_ERR_MEMORY;
    return status == STELE_END ? STELE_OK : status;
}
