/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the RFC v1.1: the fixed header of section 5, and what happens to the content behind
 * it. All in the byte order of the machine that traced, which the magic number tells:
 *
 *      0 magic c1fc1fc1        4 session_id      8 content_size   12 packet_size
 *     16 checksum             20 section_packet_count
 *     24 timestamp_begin (64)                   32 timestamp_end (64)
 *     40 events_discarded     44 section_packet_count_bits, compression, encryption, checksum
 *        (8 bits each)                          48 content
 *
 * Sizes are bytes as stored and include the header. The content was compressed, then encrypted,
 * then summed up. AES is AES-CBC with PKCS#7 padding, its 16-byte initialization vector in front of
 * the content, and as many key bits as there are in the key: the RFC says no more than "AES".
 */
#ifndef CTF_RFC_PACKET_H
#define CTF_RFC_PACKET_H

#include "core/diag.h"
#include "formats/ctf/metadata.h"

#define RFC_HEADER_SIZE 48
#define RFC_MAGIC       UINT32_C(0xc1fc1fc1)

enum { RFC_NO_COMPRESSION, RFC_BZIP2, RFC_GZIP };
enum { RFC_NO_ENCRYPTION, RFC_AES };
enum { RFC_NO_CHECKSUM, RFC_MD5, RFC_SHA1, RFC_CRC32 };

typedef struct rfc_header {
    bool is_big_endian;
    uint32_t session_id, content_size, packet_size, checksum, packet_count;
    uint64_t timestamp_begin, timestamp_end;
    uint32_t events_discarded;
    uint8_t packet_count_bits, compression, encryption, checksum_scheme;
} rfc_header;

/* 48 bytes. False: the magic number is another one. */
bool rfc_header_read(const uint8_t *bytes, rfc_header *header);
void rfc_header_write(uint8_t *bytes, const rfc_header *header);

/* Whether the sizes of a header can be, with `left` bytes from its start to the end of the file. */
bool rfc_header_is_sane(const rfc_header *header, uint64_t left);

/* Unpacks one packet after the other; a zeroed one with diag and name set is ready. */
typedef struct rfc_unpacker {
    diag_sink *diag;
    const char *name;   /* of the file, for findings; the caller's */
    const uint8_t *key; /* see rfc_options */
    size_t key_size;
    size_t size_max;     /* bytes of an unpacked packet */
    uint8_t *buffers[2]; /* decrypted; unpacked */
    size_t capacities[2];
} rfc_unpacker;

/*
 * Verifies and unpacks a packet, of which header->content_size bytes lie at `packet`; it began at
 * `offset` of its file. `*bytes` is the header, as it was, and the unpacked content, `*size` bytes
 * together, valid until the next call: `packet` itself when there is nothing to unpack. A wrong
 * checksum is reported, and the content is given nevertheless.
 * Reported: STELE_ERR_DAMAGED, STELE_ERR_UNSUPPORTED (no key, a part is missing, an unknown
 * scheme), STELE_ERR_LIMIT (beyond size_max). STELE_ERR_MEMORY.
 */
stele_status rfc_unpack(rfc_unpacker *u, const rfc_header *header, const uint8_t *packet,
                        uint64_t offset, const uint8_t **bytes, size_t *size);
void rfc_unpacker_free(rfc_unpacker *u);

#endif
