/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes packets without some of their events.
 *
 * Each packet is processed twice: once without an output, to find out whether it can be cut and how
 * long it becomes, and once more to write it. The head precedes the records and contains their
 * size, so it is changed between the two passes. Invariants:
 *
 * - `clocks` are what a reader of the copy has after the last record that was written, not what the
 *   original had there. A record is written with its own bits only if it gets its own time from
 *   those clocks.
 * - A record moves as a whole; inside of it only padding changes, at positions that joints mark
 *   (decode.h). If a size that the record contains would become wrong, the packet cannot be cut.
 * - Both passes decide alike: they depend on the packet, on `has_new_begin` and on `new_begin`, and
 *   the second pass begins with the values of these at the end of the first.
 */
#include "formats/ctf/write/copy_cut.h"

#include <stdlib.h>

#include "core/bits.h"
#include "formats/ctf/records/decoder.h"

/* ---- Records that are kept ---- */

/* Computes the clocks after a record that is read after the last one written, and returns whether
   all times in it come out right. */
static bool times_hold(ctf_cut *cut, const decoder_joint *joints, uint32_t count, uint64_t ticks)
{
    const ctf_clock *clock = cut->read.clock;
    /* If the record is written, `trial` becomes `clocks`: see clocks_go_on(). */
    memcpy(cut->trial, cut->clocks, cut->schema->clock_count * sizeof *cut->trial);
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i].kind != JOINT_STAMP)
            continue;
        clock_advance(&cut->trial[joints[i].number], joints[i].value, bits_mask(joints[i].width));
        /* A reader of the copy would get another value than the original one. */
        if (cut->trial[joints[i].number] != joints[i].value)
            return false;
    }
    return clock == NULL || cut->trial[clock->number] == ticks;
}

/* Returns where a bit field of `size` bits begins if it must not cross a boundary of its unit. All
   are in bits from the packet's start. */
static uint64_t unit_start(uint64_t at, uint64_t size, uint64_t unit)
{
    return at % unit + size > unit ? at + unit - at % unit : at;
}

/* A record: its bytes, which begin at bit `base` of its packet, its joints, and the bit at which it
   ends. */
typedef struct record_bits {
    const uint8_t *bytes;
    uint64_t base, end;
    const decoder_joint *joints;
    uint32_t count;
} record_bits;

/* Writes the record from one of its joints on, piece by piece. Returns false if a size in it would
   be wrong. */
static bool pieces_write(bit_writer *to, const record_bits *record, uint32_t first)
{
    uint64_t from = record->joints[first].at, payload = UINT64_MAX, payload_to = 0;
    for (uint32_t i = first; i < record->count; i++) {
        const decoder_joint *joint = &record->joints[i];
        /* `from` is the position in the original, `to->at` that in the copy: padding is skipped in
           the former and made anew in the latter. */
        bits_copy(to, record->bytes, from - record->base, joint->at - from);
        from = joint->at;
        if (joint->kind == JOINT_ALIGN) {
            from = align_up(from, joint->value);
            bits_align(to, joint->value);
        } else if (joint->kind == JOINT_UNIT) {
            from = unit_start(from, joint->value, joint->number);
            if (unit_start(to->at, joint->value, joint->number) != to->at)
                bits_align(to, joint->number);
        } else if (joint->kind == JOINT_PAYLOAD) {
            payload = from;
            payload_to = to->at;
        }
    }
    bits_copy(to, record->bytes, from - record->base, record->end - from);
    return payload == UINT64_MAX || to->at - payload_to == record->end - payload;
}

/* Returns the joint at the end of the header, which every record has. */
static uint32_t header_end(const decoder_joint *joints)
{
    uint32_t at = 0;
    while (joints[at].kind != JOINT_HEADER_END)
        at++;
    return at;
}

/* Makes the clocks after the record those from which the next record counts, by swapping the two
   arrays. */
static void clocks_go_on(ctf_cut *cut)
{
    uint64_t *const after = cut->trial;
    cut->trial = cut->clocks;
    cut->clocks = after;
}

/* Writes the long header of a record. Returns false if its class has none, or a number does not
   fit. */
static bool write_long(ctf_cut *cut, uint64_t id, uint64_t ticks)
{
    return long_header_write(&cut->long_header, cut->type->event_header, &cut->to, id, ticks);
}

/* Writes the record that was decoded last. Returns false if it cannot be written. */
static bool record_write(ctf_cut *cut, bool is_first)
{
    uint32_t count, first = 0;
    const decoder_joint *joints = decoder_joints(cut->decoder, &count);
    const packet_view *view = &cut->content.view;
    const uint64_t ticks = cut->record->events[0].ticks;
    const ctf_clock *clock = cut->read.clock;
    const record_bits record = {view->bytes, view->offset * 8, decoder_position(cut->decoder),
                                joints, count};
    /* There are three ways, each of which changes more: the record's own bits; a new begin of the
       packet, if this is its first record; a long header. */
    bool is_fine = times_hold(cut, joints, count, ticks);
    if (!is_fine && is_first && !cut->has_new_begin && cut->begin.width == WHOLE_WIDTH &&
        clock != NULL) {
        cut->has_new_begin = true;
        cut->new_begin = cut->clocks[clock->number] = ticks;
        is_fine = times_hold(cut, joints, count, ticks);
    }
    if (!is_fine && clock != NULL) {
        first = header_end(joints);
        cut->trial[clock->number] = ticks;
        is_fine = write_long(cut, decoder_event_id(cut->decoder), ticks);
    }
    clocks_go_on(cut);
    return is_fine && pieces_write(&cut->to, &record, first) && !cut->to.is_bad;
}

/*
 * Writes a record that is open where the copy begins. Its bits have the new time already, as far as
 * its header has room for it; otherwise it gets a long header. Returns false if it cannot be
 * written.
 */
static bool begin_write(ctf_cut *cut, const ctf_begins *begins, const begin_record *begin)
{
    const record_bits record = {begins->bytes.bytes + begin->bytes_at, begin->base, begin->end,
                                begins->joints + begin->joint_first, begin->joint_count};
    const ctf_clock *clock = cut->read.clock;
    const uint64_t ticks = begin->place->ticks;
    uint32_t first = 0;
    bool is_fine = true;
    if (clock == NULL)
        return false;
    memcpy(cut->trial, cut->clocks, cut->schema->clock_count * sizeof *cut->trial);
    /* begins_load() has made sure that the record has one time, on the packet's clock. */
    for (uint32_t i = 0; i < record.count; i++)
        if (record.joints[i].kind == JOINT_STAMP)
            clock_advance(&cut->trial[clock->number], ticks, bits_mask(record.joints[i].width));
    if (cut->trial[clock->number] != ticks) {
        first = header_end(record.joints);
        cut->trial[clock->number] = ticks;
        is_fine = write_long(cut, begin->id, ticks);
    }
    clocks_go_on(cut);
    return is_fine && pieces_write(&cut->to, &record, first) && !cut->to.is_bad;
}

/* ---- Heads of packets ---- */

/* Finds the numbers of the head that may change. Numbers of variable width cannot be overwritten
   and are treated as missing. */
static void places_find(ctf_cut *cut)
{
    uint32_t count;
    const decoder_joint *joints = decoder_joints(cut->decoder, &count);
    cut->content_size = cut->total_size = cut->begin = (head_place){0};
    cut->end = cut->discarded = (head_place){0};
    for (uint32_t i = 0; i < count; i++) {
        const decoder_joint *joint = &joints[i];
        /* A joint is at the end of its number. */
        const head_place place = {joint->at - joint->width, joint->width, joint->is_big_endian,
                                  joint->is_reversed};
        if (joint->kind != JOINT_ROLE || joint->is_variable)
            continue;
        if ((joint->number & CTF_ROLE_CONTENT_LENGTH) != 0)
            cut->content_size = place;
        if ((joint->number & CTF_ROLE_TOTAL_LENGTH) != 0)
            cut->total_size = place;
        if ((joint->number & CTF_ROLE_PACKET_BEGIN) != 0)
            cut->begin = place;
        if ((joint->number & CTF_ROLE_PACKET_END) != 0)
            cut->end = place;
        if ((joint->number & CTF_ROLE_DISCARDED) != 0)
            cut->discarded = place;
    }
}

/* Overwrites a number of the head. Returns false if the value does not fit, or the head has no such
   number. */
static bool place_set(uint8_t *head, const head_place *place, uint64_t value)
{
    if (place->width == 0 || value > bits_mask(place->width))
        return false;
    if (place->is_reversed)
        value = bits_reversed(value, place->width);
    if (place->is_big_endian)
        stele_ctf_bits_write_be(head, (size_t)place->at, place->width, value);
    else
        stele_ctf_bits_write_le(head, (size_t)place->at, place->width, value);
    return true;
}

/* Changes the head of a packet that only has records that are open: it ends where it begins, and no
   events were lost before it. */
static bool head_make_alone(ctf_cut *cut, copied_packet *made)
{
    made->end_ticks = cut->new_begin;
    made->discarded = 0;
    return ((cut->read.has & CTF_ROLE_PACKET_END) == 0 ||
            place_set(cut->head.bytes, &cut->end, made->end_ticks)) &&
           ((cut->read.has & CTF_ROLE_DISCARDED) == 0 ||
            place_set(cut->head.bytes, &cut->discarded, made->discarded));
}

/* Changes the head to describe the packet as cut. Returns false if it cannot. */
static bool head_change(ctf_cut *cut, const cut_packet *from, copied_packet *made)
{
    const uint64_t content_bits = cut->to.at;
    /* A packet without a content size consists of whole bytes and has no padding. */
    const uint64_t unit = cut->schema->length_unit, whole = (content_bits + 7) / 8 * 8;
    const bool has_content = (cut->read.has & CTF_ROLE_CONTENT_LENGTH) != 0;
    const bool has_total = (cut->read.has & CTF_ROLE_TOTAL_LENGTH) != 0;
    if ((!has_content && content_bits != whole) || content_bits % unit != 0)
        return false;
    made->size = whole / 8;
    made->content_bits = content_bits;
    made->begin_ticks = cut->has_new_begin ? cut->new_begin : cut->read.begin_ticks;
    made->end_ticks = cut->read.end_ticks;
    made->discarded = cut->read.discarded;
    if (from->is_alone && !head_make_alone(cut, made))
        return false;
    return (!has_content || place_set(cut->head.bytes, &cut->content_size, content_bits / unit)) &&
           (!has_total || place_set(cut->head.bytes, &cut->total_size, whole / unit)) &&
           (!cut->has_new_begin || place_set(cut->head.bytes, &cut->begin, cut->new_begin));
}

/* ---- Passes over a packet ---- */

/* Reads the head, and moves to the first event. */
static stele_status enter(ctf_cut *cut, const cut_packet *from)
{
    /* The head reaches to the first event; it may end inside of a byte. */
    const uint64_t size = (from->packet->head.events_at + 7) / 8;
    decode_outcome outcome;
    packet_view view;
    window_move(from->w, from->packet->offset, UINT64_MAX);
    if (window_need(from->w, (size_t)size) < size)
        return from->w->status != STELE_OK ? from->w->status : STELE_ERR_UNSUPPORTED;
    view = (packet_view){from->w->at, (size_t)(from->w->end - from->w->at), 0};
    decoder_reset(cut->decoder);
    decoder_set_clock_start(cut->decoder, from->packet->clock_start);
    outcome = decoder_packet(cut->decoder, &view, from->packets->file->path, from->packet->offset,
                             from->packets->type, &cut->read);
    if (outcome != DECODE_OK)
        return outcome == DECODE_MEMORY ? STELE_ERR_MEMORY : STELE_ERR_UNSUPPORTED;
    if (cut->head.size == 0 && size != 0) { /* in the second pass it has been changed already */
        uint8_t *head = byte_buffer_take(&cut->head, (size_t)size);
        if (head == NULL)
            return STELE_ERR_MEMORY;
        memcpy(head, view.bytes, (size_t)size);
    }
    places_find(cut);
    /* Up to the first event a reader of the copy and one of the original have the same clocks. */
    for (uint32_t i = 0; i < cut->schema->clock_count; i++)
        cut->clocks[i] = decoder_clock(cut->decoder, i);
    if (cut->has_new_begin && cut->read.clock != NULL)
        cut->clocks[cut->read.clock->number] = cut->new_begin;
    return from->count == 0
               ? STELE_OK
               : content_enter(&cut->content, from->packets, from->w, from->packet, cut->decoder);
}

/* Writes the kept records of the packet. */
static stele_status write_records(ctf_cut *cut, const cut_packet *from)
{
    decode_outcome outcome = DECODE_OK;
    uint64_t written = 0;
    /* One event at a time: `record` has room for one, so the decoder's joints belong to it. */
    for (uint64_t i = 0; i < from->count && outcome == DECODE_OK; i++) {
        stele_batch_clear(cut->record);
        outcome = content_events(&cut->content, cut->record);
        if (outcome == DECODE_MEMORY)
            return STELE_ERR_MEMORY;
        if (cut->record->event_count == 0)
            break;
        if ((from->kept[i / 8] >> (i % 8) & 1) != 0 && !record_write(cut, written++ == 0))
            return STELE_ERR_UNSUPPORTED;
    }
    return from->w->status;
}

/* Processes the packet once, without an output only to find out the result. */
static stele_status pass(ctf_cut *cut, const cut_packet *from, output *out)
{
    const struct ctf_targets *targets = cut->schema->targets;
    const bool is_mixed = targets->has_big && targets->has_little;
    stele_status status = enter(cut, from);
    if (status != STELE_OK)
        return status;
    cut->to = (bit_writer){.out = out,
                           /* Whole bytes are the same in both orders, so the order only matters if
                              some field is not of whole bytes. */
                           .is_big_endian = targets->has_big ||
                                            (!targets->has_little && cut->schema->is_big_endian),
                           .is_mixed = is_mixed};
    bits_copy(&cut->to, cut->head.bytes, 0, cut->read.events_at);
    for (uint32_t i = 0; i < from->begun_count; i++)
        if (!begin_write(cut, from->begins, &from->begun[i]))
            return STELE_ERR_UNSUPPORTED;
    status = write_records(cut, from);
    if (status == STELE_OK && cut->to.is_bad)
        return STELE_ERR_UNSUPPORTED;
    return status;
}

/* Writes a packet of the RFC compressed, encrypted and summed up as the original was. A packet
   without events is not packed. */
static stele_status write_packed(ctf_cut *cut, const stele_ctf_rfc_header *original,
                                 const cut_packet *from, output *out, copied_packet *made)
{
    const bool has_some = from->count != 0 || from->begun_count != 0;
    stele_ctf_rfc_header header = *original;
    uint8_t head[STELE_CTF_RFC_HEADER_SIZE];
    const uint8_t *bytes, *stored;
    size_t size, stored_size;
    output *memory;
    stele_status status = output_open_memory(&cut->trace->base.context->diag, &memory);
    if (status != STELE_OK)
        return status;
    /* The packer needs the whole content at once, so it is kept in memory. */
    cut->packer.compression = has_some ? header.compression : STELE_CTF_RFC_NO_COMPRESSION;
    cut->packer.encryption = has_some ? header.encryption : STELE_CTF_RFC_NO_ENCRYPTION;
    cut->packer.checksum = has_some ? header.checksum_scheme : STELE_CTF_RFC_NO_CHECKSUM;
    status = pass(cut, from, memory);
    bytes = output_memory(memory, &size);
    if (status == STELE_OK)
        status = memory->status;
    if (status == STELE_OK && size < sizeof head)
        status = STELE_ERR_UNSUPPORTED;
    if (status == STELE_OK) {
        header.timestamp_begin = made->begin_ticks;
        status = rfc_pack(&cut->packer, &header, bytes + sizeof head, size - sizeof head, &stored,
                          &stored_size);
    }
    if (status == STELE_OK) {
        stele_ctf_rfc_header_write(head, &header);
        output_write(out, head, sizeof head);
        output_write(out, stored, stored_size);
        made->size = header.packet_size;
        made->content_bits = made->size * 8;
    }
    output_close(memory);
    return status;
}

/* Tells whether the packet's content was compressed, encrypted or summed up. */
static bool is_packed(const stele_ctf_rfc_header *header)
{
    return header->compression != STELE_CTF_RFC_NO_COMPRESSION ||
           header->encryption != STELE_CTF_RFC_NO_ENCRYPTION ||
           header->checksum_scheme != STELE_CTF_RFC_NO_CHECKSUM;
}

/* With whole times in all event headers only the packet's own times can depend on earlier
   packets. */
bool cut_counts_on(const ctf_cut *cut, const packet_head *head)
{
    return head->counts_on && (!cut->has_whole_times ||
                               (head->has & (CTF_ROLE_PACKET_BEGIN | CTF_ROLE_PACKET_END)) != 0);
}

stele_status cut_write(ctf_cut *cut, const cut_packet *from, output *out, copied_packet *made)
{
    stele_ctf_rfc_header header;
    stele_status status;
    if (!cut->is_possible)
        return STELE_ERR_UNSUPPORTED;
    cut->head.size = 0; /* the first pass copies the head from the packet: see enter() */
    cut->has_new_begin = false;
    if (from->begun_count != 0) {
        cut->has_new_begin = (from->packet->head.has & CTF_ROLE_PACKET_BEGIN) != 0;
        cut->new_begin = from->begun[0].place->ticks;
    }
    /* The first pass finds out the size, which stands in the head and so must be known before
       anything is written. */
    status = pass(cut, from, NULL);
    if (status == STELE_OK && !head_change(cut, from, made))
        return STELE_ERR_UNSUPPORTED;
    if (status != STELE_OK)
        return status;
    made->offset = output_offset(out);
    if (cut->schema->generation == CTF_RFC && stele_ctf_rfc_header_read(cut->head.bytes, &header) &&
        is_packed(&header))
        return write_packed(cut, &header, from, out, made);
    status = pass(cut, from, out);
    /* Padding up to a whole byte, as head_change() has computed the size. */
    bits_align(&cut->to, 8);
    return status;
}

/* ---- Opening and closing ---- */

stele_status cut_open(ctf_cut *cut, const ctf_trace *trace, const ctf_schema *schema,
                      const ctf_stream_class *type, ctf_programs *programs)
{
    /* One more than there are clocks, because calloc() may give NULL for none. */
    const size_t clocks = (size_t)schema->clock_count + 1;
    *cut = (ctf_cut){.trace = trace,
                     .schema = schema,
                     .type = type,
                     .is_possible = cut_is_possible(schema, type),
                     .has_whole_times = type->event_header != NULL &&
                                        cut_times_are_sure(type->event_header, NULL)};
    memcpy(cut->packer.key, trace->key, sizeof cut->packer.key);
    cut->packer.key_size = trace->rfc.key_size;
    cut->clocks = calloc(clocks, sizeof *cut->clocks);
    cut->trial = calloc(clocks, sizeof *cut->trial);
    cut->decoder = decoder_new(programs);
    if (cut->clocks == NULL || cut->trial == NULL || cut->decoder == NULL ||
        stele_batch_new(1, &cut->record) != STELE_OK ||
        !long_header_find(&cut->long_header, schema, type, &trace->base.context->limits))
        return STELE_ERR_MEMORY;
    return STELE_OK;
}

void cut_close(ctf_cut *cut)
{
    content_free(&cut->content);
    rfc_packer_free(&cut->packer);
    decoder_free(cut->decoder);
    stele_batch_free(cut->record);
    free(cut->head.bytes);
    free(cut->clocks);
    free(cut->trial);
    *cut = (ctf_cut){0};
}
