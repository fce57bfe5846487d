/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies, cuts or leaves out a packet once it is known which of its events are kept. If all are
 * kept, the packet is copied byte by byte; if some are, it is cut (copy_cut.h). If none is kept:
 *
 *    before the first packet with kept     left out; but if that packet has a counter of discarded
 *    events                                events, the head of the one before it stays, for the
 *                                          counter to count from
 *    between packets with kept events      left out, unless packets are numbered: then the head
 *                                          stays, since a gap would mean that packets are lost
 *    after the last one                    left out
 *
 * So losses in the copy are those of the recording. Packets without events are copied if nothing is
 * left out beside them. If the caller keeps everything, packets that cannot be unpacked here,
 * because a key or a library is missing, are copied, too: for that nothing has to be understood.
 */
#include "formats/ctf/write/copy_packet.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"
#include "formats/ctf/write/copy_files.h"
#include "formats/ctf/write/copy_scan.h"

/* Copies all bytes of the packet, and its entry in the index. */
static stele_status copy_whole(ctf_copier *c)
{
    const ctf_packet *packet = c->packet;
    copied_packet made = {.size = packet->size,
                          .content_bits = packet->content_bits,
                          .begin_ticks = packet->head.begin_ticks,
                          .end_ticks = packet->head.end_ticks,
                          .discarded = packet->head.discarded};
    file_copy *file;
    stele_status status = copy_open_file(c, &file);
    if (status != STELE_OK)
        return status;
    made.offset = output_offset(file->out);
    status = copy_range(&c->walk.current->w, packet->offset, packet->size, file->out);
    if (status == STELE_OK && file->index != NULL)
        status = index_copy_add(file->index, packet, &made);
    return status;
}

/* Writes the packet with its marked events, or only its head, and the first `begun_count` records
   that are open before them. Returns STELE_ERR_UNSUPPORTED as cut_write() does. */
static stele_status copy_cut(ctf_copier *c, uint32_t begun_count)
{
    const bool is_scanned = c->seen_count != NOT_SCANNED;
    const cut_packet from = {.w = &c->walk.current->w,
                             .packets = &c->walk.current->packets,
                             .packet = c->packet,
                             .kept = c->bits.bytes,
                             /* A packet that was not scanned keeps no event. */
                             .count = is_scanned ? c->seen_count : 0,
                             .begins = &c->begins,
                             .begun = c->begun,
                             .begun_count = begun_count,
                             .is_alone = begun_count != 0 && !is_scanned};
    copied_packet made;
    file_copy *file;
    stele_status status = copy_open_file(c, &file);
    if (status == STELE_OK)
        status = cut_write(&c->cut, &from, file->out, &made);
    if (status == STELE_OK && file->index != NULL)
        status = index_copy_add(file->index, c->packet, &made);
    return status == STELE_OK ? file->out->status : status;
}

/* Copies a packet that cannot be cut, with events that should not be kept, and counts it. */
static stele_status copy_with_others(ctf_copier *c)
{
    if (c->whole_count++ == 0) {
        c->whole_at = c->packet->offset;
        c->whole_file = current_file(c);
    }
    c->extra_count += c->seen_count - c->kept_count;
    return copy_whole(c);
}

stele_status copy_begun(ctf_copier *c)
{
    const uint32_t count = c->begun_count;
    stele_status status = STELE_ERR_UNSUPPORTED;
    /* Tried once only: they belong before the first event that is kept. */
    c->begun_count = 0;
    if (count != 0 && !c->is_doubtful && !cut_counts_on(&c->cut, &c->packet->head))
        status = copy_cut(c, count);
    if (status == STELE_OK)
        begins_settle(&c->begins, c->stream->number);
    return status;
}

/* Settles a packet some of whose events are kept. */
static stele_status settle_kept(ctf_copier *c)
{
    stele_status status = copy_scan_rest(c);
    /* Only a sound packet is copied byte by byte; the copy must not have damage. */
    const bool is_whole = c->kept_count == c->seen_count && c->outcome == DECODE_END &&
                          !c->packet->is_cut && !c->packet->is_resized &&
                          !c->content.unpacker.is_damaged;
    c->has_kept = true;
    c->was_copied = false;
    if (status == STELE_OK)
        status = copy_begun(c);
    else
        return status;
    if (status != STELE_ERR_UNSUPPORTED) {
        c->is_part = true;
        return status;
    }
    c->was_copied = is_whole;
    if (is_whole)
        return copy_whole(c);
    c->is_part = true;
    status = c->is_doubtful || cut_counts_on(&c->cut, &c->packet->head) ? STELE_ERR_UNSUPPORTED
                                                                        : copy_cut(c, 0);
    return status == STELE_ERR_UNSUPPORTED ? copy_with_others(c) : status;
}

stele_status copy_is_empty_packet(ctf_copier *c, bool *is_empty)
{
    const ctf_packet *packet = c->packet;
    stele_status status = STELE_OK;
    *is_empty = packet->content_bits <= packet->head.events_at && !packet->is_cut;
    if (!*is_empty && c->walk.current->packets.subtrace->schema.generation == CTF_RFC) {
        status = copy_scan_rest(c); /* a compressed or encrypted content of nothing has a size */
        *is_empty = c->seen_count == 0 && c->outcome == DECODE_END && !packet->is_cut;
    }
    return status;
}

bool copy_stays_sealed(const ctf_copier *c)
{
    return c->base.keeps_all && c->content.is_sealed && !c->packet->is_cut;
}

/* Copies a packet that cannot be unpacked here, and counts it. */
static stele_status copy_sealed(ctf_copier *c)
{
    if (c->sealed_count++ == 0) {
        c->sealed_at = c->packet->offset;
        c->sealed_file = current_file(c);
    }
    c->has_kept = c->was_copied = true;
    return copy_whole(c);
}

/* Settles a packet none of whose events are kept. */
static stele_status settle_left(ctf_copier *c)
{
    const bool is_numbered = (c->packet->head.has & CTF_ROLE_SEQUENCE_NUMBER) != 0;
    bool is_empty;
    stele_status status = copy_is_empty_packet(c, &is_empty);
    if (status != STELE_OK)
        return status;
    if (copy_stays_sealed(c))
        return copy_sealed(c);
    c->was_copied = is_empty && (c->has_kept || !c->is_gap);
    if (c->was_copied)
        return copy_whole(c);
    /* Later events count their times from these, so the packet must stay. */
    if (!c->cut.is_possible || cut_counts_on(&c->cut, &c->packet->head)) {
        status = copy_scan_rest(c);
        return status == STELE_OK ? copy_with_others(c) : status;
    }
    c->is_part = true;
    c->bits.size = 0;
    c->seen_count = NOT_SCANNED;
    if (c->has_kept ? is_numbered
                    : c->is_head_wanted && c->head.offset == c->packet->offset &&
                          c->head.file == current_file(c))
        status = copy_cut(c, 0);
    return status == STELE_ERR_UNSUPPORTED ? STELE_OK : status;
}

stele_status copy_settle(ctf_copier *c)
{
    stele_status status = STELE_OK;
    if (c->walk.is_repeat) {
        /* A repetition stays if the packet that it repeats was copied whole. */
        if (c->was_copied)
            status = copy_whole(c);
    } else if (c->is_wanted) {
        status = settle_kept(c);
    } else {
        status = settle_left(c);
    }
    c->packet = NULL;
    return status;
}
