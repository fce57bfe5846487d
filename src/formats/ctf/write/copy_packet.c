/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a packet once it is known which of its events are kept. Packets of which all are
 * kept are copied byte by byte, those of which some are kept are cut (copy_cut.h). Of packets of
 * which nothing is kept:
 *
 *     before the first one that is kept     left out; but if that one has a counter of discarded
 *                                           events, the head of the one before it stays, for the
 *                                           counter to count from
 *     between those that are kept           left out, unless packets are numbered: then the head
 *                                           stays, since a gap would mean that packets are lost
 *     after the last one                    left out
 *
 * So what is read as lost was lost when the trace was recorded. Packets without events are copied
 * where nothing is left out beside them. Where the caller keeps everything, packets that cannot be
 * unpacked here (a key or a library is missing) are copied, too: nothing has to be understood of
 * them.
 */
#include "formats/ctf/write/copy_packet.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"
#include "formats/ctf/write/copy_files.h"
#include "formats/ctf/write/copy_scan.h"

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

/* Writes the events that are marked, or only the head, with what is open before them.
   STELE_ERR_UNSUPPORTED: as cut_write(). */
static stele_status copy_cut(ctf_copier *c, uint32_t begun_count)
{
    const bool is_scanned = c->seen_count != NOT_SCANNED;
    const cut_packet from = {.w = &c->walk.current->w,
                             .packets = &c->walk.current->packets,
                             .packet = c->packet,
                             .kept = c->bits.bytes,
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

/* A packet with events that cannot be taken out of it. */
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
    c->begun_count = 0;
    if (count != 0 && !c->is_doubtful && !cut_counts_on(&c->cut, &c->packet->head))
        status = copy_cut(c, count);
    if (status == STELE_OK)
        begins_settle(&c->begins, c->stream->number);
    return status;
}

static stele_status settle_kept(ctf_copier *c)
{
    stele_status status = copy_scan_rest(c);
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
        status = copy_scan_rest(c); /* nothing, packed, is something */
        *is_empty = c->seen_count == 0 && c->outcome == DECODE_END && !packet->is_cut;
    }
    return status;
}

bool copy_stays_sealed(const ctf_copier *c)
{
    return c->base.keeps_all && c->content.is_sealed && !c->packet->is_cut;
}

static stele_status copy_sealed(ctf_copier *c)
{
    if (c->sealed_count++ == 0) {
        c->sealed_at = c->packet->offset;
        c->sealed_file = current_file(c);
    }
    c->has_kept = c->was_copied = true;
    return copy_whole(c);
}

/* Of a packet of which nothing is kept. */
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
