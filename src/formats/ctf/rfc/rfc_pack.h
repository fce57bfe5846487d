/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of the RFC for writing: compressed, then encrypted, then summed up. See rfc_packet.h. */
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
} rfc_packer;

/* Whether this build has all that the schemes need. */
bool rfc_packer_is_possible(const rfc_packer *p);

/*
 * Packs a content. `*stored` is what goes after the header, valid until the next call; sets the
 * header's sizes, schemes and checksum. STELE_ERR_LIMIT: beyond 4 GiB. STELE_ERR_MEMORY.
 */
stele_status rfc_pack(rfc_packer *p, stele_ctf_rfc_header *header, const uint8_t *content,
                      size_t size, const uint8_t **stored, size_t *stored_size);
void rfc_packer_free(rfc_packer *p);

#endif
