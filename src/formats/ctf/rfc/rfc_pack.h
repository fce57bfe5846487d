/* SPDX-License-Identifier: Apache-2.0 */
/* Makes packets of the RFC: compresses and encrypts the content and computes the checksum, in this
   order. See rfc_packet.h. */
#ifndef CTF_RFC_PACK_H
#define CTF_RFC_PACK_H

#include <stele/ctf.h>

#include "core/byte_buffer.h"
#include "formats/ctf/rfc/rfc_crypto.h"

typedef struct rfc_packer {
    uint8_t compression, encryption, checksum; /* schemes: STELE_CTF_RFC_... */
    uint8_t key[RFC_KEY_MAX];
    size_t key_size;
    byte_buffer packed, encrypted;
    rfc_crypto *crypto; /* NULL: no scheme has needed it yet */
} rfc_packer;

/* Loads what the schemes need. Returns false if this build or this machine does not have it. */
bool rfc_packer_begin(rfc_packer *p);

/*
 * Packs the content of a packet. `*stored` is what has to be written after the header; it is valid
 * until the next call. Sets the sizes, schemes and checksum of the header. Returns STELE_ERR_LIMIT
 * if the packet is too large for the 32-bit sizes of the header, STELE_ERR_UNSUPPORTED as
 * rfc_packer_begin() does, or STELE_ERR_MEMORY.
 */
stele_status rfc_pack(rfc_packer *p, stele_ctf_rfc_header *header, const uint8_t *content,
                      size_t size, const uint8_t **stored, size_t *stored_size);
void rfc_packer_free(rfc_packer *p);

#endif
