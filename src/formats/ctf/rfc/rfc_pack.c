/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/rfc/rfc_pack.h"

#include <stdlib.h>
#include <zlib.h>

#include "formats/ctf/rfc/rfc_crypto.h"
#include "stele_config.h"

#ifdef STELE_HAVE_BZ2
#include <bzlib.h>
#endif

bool rfc_packer_begin(rfc_packer *p)
{
#ifndef STELE_HAVE_BZ2
    if (p->compression == STELE_CTF_RFC_BZIP2)
        return false;
#endif
    if (p->encryption == STELE_CTF_RFC_NO_ENCRYPTION && !rfc_checksum_needs_crypto(p->checksum))
        return true;
    if (p->crypto == NULL)
        p->crypto = rfc_crypto_open();
    return p->crypto != NULL;
}

#define GZIP_WRAPPER 16 /* for deflateInit2(): a gzip header and trailer */

static stele_status pack_gzip(byte_buffer *to, const uint8_t *from, size_t size)
{
    z_stream stream = {.next_in = (z_const Bytef *)from, .avail_in = (uInt)size};
    int code;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WRAPPER + MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return STELE_ERR_MEMORY;
    stream.avail_out = (uInt)deflateBound(&stream, size);
    stream.next_out = byte_buffer_take(to, stream.avail_out);
    code = stream.next_out != NULL ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
    to->size = stream.total_out;
    deflateEnd(&stream);
    return code == Z_STREAM_END ? STELE_OK : STELE_ERR_MEMORY;
}

#ifdef STELE_HAVE_BZ2

static stele_status pack_bzip2(byte_buffer *to, const uint8_t *from, size_t size)
{
    unsigned room = (unsigned)(size + size / 100 + 600); /* the bound that bzip2's manual gives */
    char *at = (char *)byte_buffer_take(to, room);
    if (at == NULL || BZ2_bzBuffToBuffCompress(at, &room, (char *)(uintptr_t)from, (unsigned)size,
                                               9, 0, 0) != BZ_OK)
        return STELE_ERR_MEMORY;
    to->size = room;
    return STELE_OK;
}

#else

static stele_status pack_bzip2(byte_buffer *to, const uint8_t *from, size_t size)
{
    (void)to, (void)from, (void)size;
    return STELE_ERR_UNSUPPORTED;
}

#endif

static stele_status encrypt(rfc_packer *p, const uint8_t **content, size_t *size)
{
    uint8_t *to;
    p->encrypted.size = 0;
    to = byte_buffer_take(&p->encrypted, *size + 2 * RFC_AES_BLOCK);
    if (to == NULL || !rfc_encrypt(p->crypto, p->key, p->key_size, *content, *size, to, size))
        return STELE_ERR_MEMORY;
    *content = to;
    return STELE_OK;
}

stele_status rfc_pack(rfc_packer *p, stele_ctf_rfc_header *header, const uint8_t *content,
                      size_t size, const uint8_t **stored, size_t *stored_size)
{
    /* Leaves room for data that compression or encryption makes larger. */
    const size_t size_max = INT32_MAX - ((size_t)64 << 20);
    stele_status status = size > size_max       ? STELE_ERR_LIMIT
                          : rfc_packer_begin(p) ? STELE_OK
                                                : STELE_ERR_UNSUPPORTED;
    header->compression = p->compression;
    header->encryption = p->encryption;
    header->checksum_scheme = p->checksum;
    if (status == STELE_OK && p->compression != STELE_CTF_RFC_NO_COMPRESSION) {
        p->packed.size = 0;
        status = p->compression == STELE_CTF_RFC_GZIP ? pack_gzip(&p->packed, content, size)
                                                      : pack_bzip2(&p->packed, content, size);
        content = p->packed.bytes;
        size = p->packed.size;
    }
    if (status == STELE_OK && p->encryption != STELE_CTF_RFC_NO_ENCRYPTION)
        status = encrypt(p, &content, &size);
    if (status == STELE_OK && p->checksum != STELE_CTF_RFC_NO_CHECKSUM &&
        !rfc_checksum(p->crypto, p->checksum, content, size, &header->checksum))
        status = STELE_ERR_UNSUPPORTED;
    header->content_size = header->packet_size = (uint32_t)(STELE_CTF_RFC_HEADER_SIZE + size);
    *stored = content;
    *stored_size = size;
    return status;
}

void rfc_packer_free(rfc_packer *p)
{
    free(p->packed.bytes);
    free(p->encrypted.bytes);
    rfc_crypto_close(p->crypto);
    p->crypto = NULL;
}
