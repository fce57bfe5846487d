/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the RFC v1.1: what happens to the content after the header (see <stele/ctf.h>). It
 * was compressed, then encrypted, then summed up. AES is AES-CBC with PKCS#7 padding, its 16-byte
 * initialization vector in front of the content, and as many key bits as there are in the key: the
 * RFC says no more than "AES".
 */
#ifndef CTF_RFC_PACKET_H
#define CTF_RFC_PACKET_H

#include <stele/ctf.h>

#include "core/diag.h"
#include "formats/ctf/schema/text.h"

#define RFC_PACKET_MAGIC UINT32_C(0xc1fc1fc1)

/*
 * Replaces the packets of the RFC in `text` by the texts of their events, one below the other, and
 * sets the generation and session_id. STELE_ERR_MEMORY, STELE_ERR_FORMAT: nothing can be read.
 */
stele_status rfc_unpack_metadata(metadata *m);

/* Unpacks one packet after the other; a zeroed one with diag and name set is ready. */
typedef struct rfc_unpacker {
    diag_sink *diag;
    const char *name;   /* of the file, for findings; the caller's */
    const uint8_t *key; /* see rfc_options */
    size_t key_size;
    size_t size_max;     /* bytes of an unpacked packet */
    bool gives_part;     /* of a damaged compressed content what stands before the damage */
    bool is_copied;      /* as it is, so that it is not told what cannot be unpacked here */
    bool is_damaged;     /* the last content that was given, as was reported */
    uint8_t *buffers[2]; /* decrypted; unpacked */
    size_t capacities[2];
    diag_sink silent;
} rfc_unpacker;

/*
 * Verifies and unpacks a packet, of which header->content_size bytes lie at `packet`; it began at
 * `offset` of its file. `*bytes` is the header, as it was, and the unpacked content, `*size` bytes
 * together, valid until the next call: `packet` itself when there is nothing to unpack. A wrong
 * checksum is reported, and the content is given nevertheless; so is, on demand, a part of it.
 * Reported: STELE_ERR_DAMAGED, STELE_ERR_UNSUPPORTED (no key, a part is missing, an unknown
 * scheme), STELE_ERR_LIMIT (beyond size_max). STELE_ERR_MEMORY.
 */
stele_status rfc_unpack(rfc_unpacker *u, const stele_ctf_rfc_header *header, const uint8_t *packet,
                        uint64_t offset, const uint8_t **bytes, size_t *size);
void rfc_unpacker_free(rfc_unpacker *u);

#endif
