/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the RFC v1.1: unpacks the content that follows the header (see <stele/ctf.h>). The
 * writer compressed it, encrypted it and computed the checksum, in this order. The RFC says no more
 * than "AES"; here that is AES-CBC with PKCS#7 padding, the 16-byte initialization vector in front
 * of the content, and as many key bits as the key has.
 */
#ifndef CTF_RFC_PACKET_H
#define CTF_RFC_PACKET_H

#include <stele/ctf.h>

#include "core/diag.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "formats/ctf/schema/text.h"

#define RFC_PACKET_MAGIC UINT32_C(0xc1fc1fc1)

/*
 * Replaces the packets in `m->text` by the texts of their events, one below the other, and sets
 * generation and session_id. Returns STELE_ERR_MEMORY, or STELE_ERR_FORMAT if no packet can be
 * read.
 */
stele_status rfc_unpack_metadata(metadata *m);

/* Unpacks packets one after the other. Zero it, then set `diag`, `name` and the options. */
typedef struct rfc_unpacker {
    diag_sink *diag;
    const char *name;   /* of the file, for findings; the caller's */
    const uint8_t *key; /* see rfc_options */
    size_t key_size;
    size_t size_max; /* most bytes of an unpacked packet */
    bool gives_part; /* of a damaged compressed content, give the part before the damage */
    /* Packets are copied as they are, so contents that cannot be unpacked are not reported. */
    bool is_copied;
    bool is_damaged;     /* the last content that was returned is damaged, which was reported */
    uint8_t *buffers[2]; /* [0]: decrypted content; [1]: decompressed content */
    size_t capacities[2];
    rfc_crypto *crypto; /* NULL: not needed yet, or not there */
    bool is_crypto_tried;
    /* Takes the findings that are not to be reported. */
    diag_sink silent;
} rfc_unpacker;

/*
 * Verifies and unpacks a packet that begins at byte `offset` of its file. header->content_size
 * bytes of it lie at `packet`. On success `*bytes` is the unchanged header followed by the unpacked
 * content, `*size` bytes together, valid until the next call; it is `packet` itself if nothing had
 * to be unpacked. A wrong checksum is reported, but the content is returned; with `gives_part` so
 * is the part of a damaged content before the damage.
 *
 * Returns, after a finding, STELE_ERR_DAMAGED, STELE_ERR_UNSUPPORTED (there is no key, a library is
 * missing in this build, or the scheme is unknown) or STELE_ERR_LIMIT (larger than size_max); or
 * STELE_ERR_MEMORY.
 */
stele_status rfc_unpack(rfc_unpacker *u, const stele_ctf_rfc_header *header, const uint8_t *packet,
                        uint64_t offset, const uint8_t **bytes, size_t *size);
void rfc_unpacker_free(rfc_unpacker *u);

#endif
