/* SPDX-License-Identifier: Apache-2.0 */
/* Fills and writes packets: each stream fills one, which is written to its file when it is large
   enough or when events were lost. In CTF 1.8 and 2 each packet gets an entry of LTTng's index. */
#include <stdio.h>

#include <stele/ctf.h>

#include "core/hash.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/writer_packets.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"

static size_t header_size(const ctf_writer *w)
{
    return w->generation == CTF_RFC ? STELE_CTF_RFC_HEADER_SIZE : WRITER_HEADER_SIZE;
}

/* Makes the UUID of all bytes that are to be written so far, at least one packet: the same events
   give the same UUID. */
static void choose_uuid(ctf_writer *w)
{
    uint64_t low = (uint64_t)w->base_ns;
    w->has_uuid = true;
    for (uint32_t i = 0; i < w->stream_count; i++) {
        const byte_buffer *packet = &w->streams[i].packet;
        const size_t head = packet->size < header_size(w) ? packet->size : header_size(w);
        /* A stream that has no packet yet has no bytes. */
        const uint8_t *content = head != 0 ? packet->bytes + head : packet->bytes;
        low = hash_u64(low ^ hash_bytes(content, packet->size - head));
    }
    store_le64(w->uuid, hash_u64(low));
    store_le64(w->uuid + 8, hash_u64(low + 1));
    w->uuid[6] = (uint8_t)((w->uuid[6] & 0x0f) | 0x80); /* UUID of version 8 (RFC 9562) */
    w->uuid[8] = (uint8_t)((w->uuid[8] & 0x3f) | 0x80);
}

#define INDEX_SIZE_MAX ((size_t)32 << 10) /* bytes of entries that are kept in memory */

static void index_open(ctf_writer *w, data_stream *s)
{
    uint8_t header[STELE_CTF_INDEX_HEADER_SIZE];
    char name[sizeof s->name + 16];
    snprintf(name, sizeof name, "index/%s.idx", s->name);
    w->status = output_add(w->base.out, name, &s->index_out);
    if (w->status != STELE_OK)
        return;
    stele_ctf_index_header_write(header);
    output_write(s->index_out, header, sizeof header);
}

void writer_index_write(ctf_writer *w, data_stream *s)
{
    if (s->index_out == NULL)
        index_open(w, s);
    if (w->status != STELE_OK)
        return;
    output_write(s->index_out, s->index.bytes, s->index.size);
    s->index.size = 0;
    w->status = s->index_out->status;
}

static void packet_write(ctf_writer *w, data_stream *s)
{
    const writer_packet packet = {.uuid = w->uuid,
                                  .stream_class_id = s->flags,
                                  .stream_id = (uint64_t)(s - w->streams),
                                  .begin = s->begin,
                                  .end = s->last,
                                  .size = s->packet.size,
                                  .sequence_number = s->packet_count,
                                  .discarded = s->discarded};
    uint8_t *entry = byte_buffer_take(&s->index, STELE_CTF_INDEX_ENTRY_SIZE);
    writer_packet_header(s->packet.bytes, &packet);
    output_write(s->out, s->packet.bytes, s->packet.size);
    if (entry == NULL) {
        w->status = STELE_ERR_MEMORY;
        return;
    }
    stele_ctf_index_entry_write(entry,
                                &(stele_ctf_index_entry){.offset = s->offset,
                                                         .packet_size_bits = s->packet.size * 8,
                                                         .content_size_bits = s->packet.size * 8,
                                                         .timestamp_begin = s->begin,
                                                         .timestamp_end = s->last,
                                                         .events_discarded = s->discarded,
                                                         .stream_id = s->flags,
                                                         .stream_instance_id = packet.stream_id,
                                                         .packet_seq_num = s->packet_count});
    if (s->index.size >= INDEX_SIZE_MAX)
        writer_index_write(w, s);
}

static uint32_t session_id(const ctf_writer *w)
{
    return load_le32(w->uuid);
}

void writer_rfc_write(ctf_writer *w, output *out, stele_ctf_rfc_header *header,
                      const uint8_t *content, size_t size)
{
    uint8_t bytes[STELE_CTF_RFC_HEADER_SIZE];
    const uint8_t *stored;
    size_t stored_size;
    header->session_id = session_id(w);
    header->packet_count_bits = 32;
    w->status = rfc_pack(&w->packer, header, content, size, &stored, &stored_size);
    if (w->status != STELE_OK)
        return;
    stele_ctf_rfc_header_write(bytes, header);
    output_write(out, bytes, sizeof bytes);
    output_write(out, stored, stored_size);
}

void writer_packet_end(ctf_writer *w, data_stream *s)
{
    const size_t head = header_size(w);
    if (s->packet.size == 0 || w->status != STELE_OK)
        return;
    if (!w->has_uuid)
        choose_uuid(w);
    if (w->generation == CTF_RFC) {
        stele_ctf_rfc_header header = {.packet_count = (uint32_t)s->packet_count,
                                       .timestamp_begin = s->begin,
                                       .timestamp_end = s->last,
                                       .events_discarded = (uint32_t)s->discarded_before};
        writer_rfc_write(w, s->out, &header, s->packet.bytes + head, s->packet.size - head);
    } else {
        packet_write(w, s);
    }
    s->offset += s->packet.size;
    s->packet_count++;
    s->packet.size = 0;
    if (w->status == STELE_OK)
        w->status = s->out->status;
}

bool writer_packet_start(ctf_writer *w, data_stream *s, uint64_t ticks)
{
    s->begin = s->last = ticks;
    s->discarded_before = s->discarded;
    return byte_buffer_take(&s->packet, header_size(w)) != NULL;
}

void writer_stream_end(ctf_writer *w, data_stream *s)
{
    writer_packet_end(w, s);
    if (s->discarded == s->discarded_before || w->status != STELE_OK)
        return;
    if (!writer_packet_begin(w, s, s->last))
        w->status = STELE_ERR_MEMORY;
    writer_packet_end(w, s);
}
