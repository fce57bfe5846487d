/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed structures of packet headers and of index files as bytes: see <stele/ctf.h>. */
#include <stele/ctf.h>

#include "core/load.h"

#define LOAD(bits, at) (header->is_big_endian ? load_be##bits(at) : load_le##bits(at))
#define STORE(bits, at, value) \
    (header->is_big_endian ? store_be##bits(at, value) : store_le##bits(at, value))

bool stele_ctf_rfc_header_read(const void *from, stele_ctf_rfc_header *header)
{
    const uint8_t *bytes = from;
    header->is_big_endian = load_be32(bytes) == STELE_CTF_RFC_MAGIC;
    if (LOAD(32, bytes) != STELE_CTF_RFC_MAGIC)
        return false;
    header->session_id = LOAD(32, bytes + 4);
    header->content_size = LOAD(32, bytes + 8);
    header->packet_size = LOAD(32, bytes + 12);
    header->checksum = LOAD(32, bytes + 16);
    header->packet_count = LOAD(32, bytes + 20);
    header->timestamp_begin = LOAD(64, bytes + 24);
    header->timestamp_end = LOAD(64, bytes + 32);
    header->events_discarded = LOAD(32, bytes + 40);
    header->packet_count_bits = bytes[44];
    header->compression = bytes[45];
    header->encryption = bytes[46];
    header->checksum_scheme = bytes[47];
    return true;
}

void stele_ctf_rfc_header_write(void *to, const stele_ctf_rfc_header *header)
{
    uint8_t *bytes = to;
    STORE(32, bytes, STELE_CTF_RFC_MAGIC);
    STORE(32, bytes + 4, header->session_id);
    STORE(32, bytes + 8, header->content_size);
    STORE(32, bytes + 12, header->packet_size);
    STORE(32, bytes + 16, header->checksum);
    STORE(32, bytes + 20, header->packet_count);
    STORE(64, bytes + 24, header->timestamp_begin);
    STORE(64, bytes + 32, header->timestamp_end);
    STORE(32, bytes + 40, header->events_discarded);
    bytes[44] = header->packet_count_bits;
    bytes[45] = header->compression;
    bytes[46] = header->encryption;
    bytes[47] = header->checksum_scheme;
}

void stele_ctf_index_header_write(void *to)
{
    uint8_t *bytes = to;
    store_be32(bytes, STELE_CTF_INDEX_MAGIC);
    store_be32(bytes + 4, 1);
    store_be32(bytes + 8, 1);
    store_be32(bytes + 12, STELE_CTF_INDEX_ENTRY_SIZE);
}

void stele_ctf_index_entry_read(const void *from, stele_ctf_index_entry *entry)
{
    const uint8_t *bytes = from;
    entry->offset = load_be64(bytes);
    entry->packet_size_bits = load_be64(bytes + 8);
    entry->content_size_bits = load_be64(bytes + 16);
    entry->timestamp_begin = load_be64(bytes + 24);
    entry->timestamp_end = load_be64(bytes + 32);
    entry->events_discarded = load_be64(bytes + 40);
    entry->stream_id = load_be64(bytes + 48);
    entry->stream_instance_id = load_be64(bytes + 56);
    entry->packet_seq_num = load_be64(bytes + 64);
}

void stele_ctf_index_entry_write(void *to, const stele_ctf_index_entry *entry)
{
    uint8_t *bytes = to;
    store_be64(bytes, entry->offset);
    store_be64(bytes + 8, entry->packet_size_bits);
    store_be64(bytes + 16, entry->content_size_bits);
    store_be64(bytes + 24, entry->timestamp_begin);
    store_be64(bytes + 32, entry->timestamp_end);
    store_be64(bytes + 40, entry->events_discarded);
    store_be64(bytes + 48, entry->stream_id);
    store_be64(bytes + 56, entry->stream_instance_id);
    store_be64(bytes + 64, entry->packet_seq_num);
}
