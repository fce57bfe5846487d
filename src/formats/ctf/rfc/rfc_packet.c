/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/rfc/rfc_packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/unpack.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "stele_config.h"

/* Returns libcrypto, which is loaded when the first packet needs it, or NULL if it is not there. */
static const rfc_crypto *crypto_of(rfc_unpacker *u)
{
    if (!u->is_crypto_tried)
        u->crypto = rfc_crypto_open();
    u->is_crypto_tried = true;
    return u->crypto;
}

/* ---- Checksums of contents ---- */

/* Compares a checksum with the one in the header. A digest is a sequence of bytes, and the RFC does
   not say in which byte order its first four become a number: both are accepted. */
static bool is_sum(unsigned scheme, uint32_t sum, uint32_t written)
{
    return written == sum || (scheme != STELE_CTF_RFC_CRC32 && written == __builtin_bswap32(sum));
}

static void checksum_verify(rfc_unpacker *u, const stele_ctf_rfc_header *header,
                            const uint8_t *content, size_t size, uint64_t offset)
{
    static const char *const names[] = {"", "md5", "sha1", "crc32"};
    const unsigned scheme = header->checksum_scheme;
    uint32_t sum;
    if (scheme == STELE_CTF_RFC_NO_CHECKSUM)
        return;
    if (scheme > STELE_CTF_RFC_CRC32)
        diag_report(u->diag, &ctf_codes[CTF313], u->name, offset + 47, 1, "checksum scheme 0 to 3",
                    "%u", scheme);
    else if (!rfc_checksum(rfc_checksum_needs_crypto(scheme) ? crypto_of(u) : NULL, scheme, content,
                           size, &sum))
        diag_report(u->diag, &ctf_codes[CTF313], u->name, offset + 47, 1, NULL,
                    "%s, and no libcrypto", names[scheme]);
    else if ((u->is_damaged = !is_sum(scheme, sum, header->checksum)))
        diag_report(u->diag, &ctf_codes[CTF310], u->name, offset + 16, 4, NULL,
                    "%s 0x%08x of a content with 0x%08x", names[scheme], header->checksum, sum);
}

/* ---- Unpacking of contents ---- */

/* Bytes of the content from byte `from` on, at least 1: contents that cannot be unpacked are lost
   as a whole. */
static uint64_t rest_size(const stele_ctf_rfc_header *header, uint32_t from)
{
    return header->content_size > from ? header->content_size - from : 1;
}

static bool buffer_reserve(rfc_unpacker *u, int i, size_t size)
{
    uint8_t *grown;
    if (u->capacities[i] >= size)
        return true;
    grown = array_fit(u->buffers[i], 1, size);
    if (grown == NULL)
        return false;
    u->buffers[i] = grown;
    u->capacities[i] = size;
    return true;
}

/* Returns where to report contents that may be sound, but cannot be unpacked here. Copies of
   packets do not unpack them, so for a copier nothing is reported. */
static diag_sink *sealed_diag(rfc_unpacker *u)
{
    return u->is_copied ? &u->silent : u->diag;
}

static stele_status decrypt(rfc_unpacker *u, const stele_ctf_rfc_header *header, uint64_t offset,
                            const uint8_t **content, size_t *size)
{
    const char *why = NULL;
    if (header->encryption > STELE_CTF_RFC_AES || u->key_size == 0 || crypto_of(u) == NULL) {
        diag_report(sealed_diag(u), &ctf_codes[CTF312], u->name, offset + 46, rest_size(header, 46),
                    header->encryption > STELE_CTF_RFC_AES ? "encryption scheme 0 or 1" : NULL,
                    header->encryption > STELE_CTF_RFC_AES ? "another one"
                    : u->key_size == 0                     ? "AES, and no key"
                                                           : "AES, and no libcrypto");
        return STELE_ERR_UNSUPPORTED;
    }
    if (!buffer_reserve(u, 0, STELE_CTF_RFC_HEADER_SIZE + *size))
        return STELE_ERR_MEMORY;
    if (!rfc_decrypt(u->crypto, u->key, u->key_size, *content, *size,
                     u->buffers[0] + STELE_CTF_RFC_HEADER_SIZE, size, &why)) {
        diag_report(sealed_diag(u), &ctf_codes[CTF311], u->name, offset + STELE_CTF_RFC_HEADER_SIZE,
                    header->content_size - STELE_CTF_RFC_HEADER_SIZE,
                    "AES-CBC after its 16-byte vector", "%s", why);
        return STELE_ERR_DAMAGED;
    }
    *content = u->buffers[0] + STELE_CTF_RFC_HEADER_SIZE;
    return STELE_OK;
}

/* Returns the codec of a compression scheme, or NULL if this build has none. */
static const unpack_codec *codec_of(uint8_t compression)
{
#ifdef STELE_HAVE_BZ2
    if (compression == STELE_CTF_RFC_BZIP2)
        return &unpack_bzip2;
#endif
    return compression == STELE_CTF_RFC_GZIP ? &unpack_gzip : NULL;
}

/* Makes sure that buffers[1] has free room after the first `used` bytes. Its capacity doubles each
   time, up to the limit. */
static stele_status more_room(rfc_unpacker *u, size_t used)
{
    size_t wanted = u->capacities[1] < 4096 ? 8192 : u->capacities[1] * 2;
    if (used < u->capacities[1])
        return STELE_OK;
    if (used >= u->size_max)
        return STELE_ERR_LIMIT;
    if (wanted > u->size_max)
        wanted = u->size_max;
    return buffer_reserve(u, 1, wanted) ? STELE_OK : STELE_ERR_MEMORY;
}

/* Decompresses the whole content into buffers[1], leaving room for the header in front. */
static stele_status decoder_codec(rfc_unpacker *u, const unpack_codec *codec, void *state,
                                  unpack_span *span, size_t *used)
{
    unpack_result result = UNPACK_MORE;
    *used = STELE_CTF_RFC_HEADER_SIZE;
    while (result == UNPACK_MORE || span->from != span->from_end) {
        const uint8_t *from = span->from;
        const size_t before = *used;
        const stele_status status = more_room(u, *used);
        if (status != STELE_OK)
            return status;
        span->to = u->buffers[1] + *used;
        span->to_end = u->buffers[1] + u->capacities[1];
        result = codec->step(state, span);
        *used = (size_t)(span->to - u->buffers[1]);
        if (result == UNPACK_NO_MEMORY)
            return STELE_ERR_MEMORY;
        if (result == UNPACK_TOO_LARGE)
            return STELE_ERR_LIMIT;
        if (result == UNPACK_DAMAGED)
            return STELE_ERR_DAMAGED;
        if (span->from == from && *used == before && *used < u->capacities[1]) {
            span->why = "the end of it is missing";
            return result == UNPACK_BETWEEN ? STELE_OK : STELE_ERR_DAMAGED;
        }
    }
    return STELE_OK;
}

static stele_status decompress(rfc_unpacker *u, const stele_ctf_rfc_header *header, uint64_t offset,
                               const uint8_t **content, size_t *size)
{
    const unpack_codec *codec = codec_of(header->compression);
    unpack_span span = {.from = *content, .from_end = *content + *size};
    stele_status status;
    size_t used;
    void *state;
    if (codec == NULL) {
        diag_report(sealed_diag(u), &ctf_codes[CTF312], u->name, offset + 45, rest_size(header, 45),
                    "a compression scheme known here", "%u", header->compression);
        return STELE_ERR_UNSUPPORTED;
    }
    state = codec->open();
    if (state == NULL)
        return STELE_ERR_MEMORY;
    status = decoder_codec(u, codec, state, &span, &used);
    codec->close(state);
    if (status == STELE_ERR_MEMORY)
        return status; /* there may be no buffer */
    if (status == STELE_ERR_LIMIT)
        diag_report(sealed_diag(u), &ctf_codes[CTF311], u->name, offset, header->packet_size, NULL,
                    "more than the limit of %zu bytes in it", u->size_max);
    else if (status == STELE_ERR_DAMAGED)
        diag_report(u->diag, &ctf_codes[CTF311], u->name, offset + STELE_CTF_RFC_HEADER_SIZE,
                    header->content_size - STELE_CTF_RFC_HEADER_SIZE, codec->name, "%s",
                    span.why != NULL ? span.why : "not valid");
    *content = u->buffers[1] + STELE_CTF_RFC_HEADER_SIZE;
    *size = used - STELE_CTF_RFC_HEADER_SIZE;
    u->is_damaged |= status == STELE_ERR_DAMAGED;
    return status == STELE_ERR_DAMAGED && u->gives_part && *size != 0 ? STELE_OK : status;
}

stele_status rfc_unpack(rfc_unpacker *u, const stele_ctf_rfc_header *header, const uint8_t *packet,
                        uint64_t offset, const uint8_t **bytes, size_t *size)
{
    const uint8_t *content = packet + STELE_CTF_RFC_HEADER_SIZE;
    size_t content_size = header->content_size - STELE_CTF_RFC_HEADER_SIZE;
    stele_status status = STELE_OK;
    u->is_damaged = false;
    checksum_verify(u, header, content, content_size, offset);
    if (header->encryption != STELE_CTF_RFC_NO_ENCRYPTION)
        status = decrypt(u, header, offset, &content, &content_size);
    if (status == STELE_OK && header->compression != STELE_CTF_RFC_NO_COMPRESSION)
        status = decompress(u, header, offset, &content, &content_size);
    if (status != STELE_OK)
        return status;
    *bytes = content - STELE_CTF_RFC_HEADER_SIZE;
    *size = content_size + STELE_CTF_RFC_HEADER_SIZE;
    /* Decompression and decryption leave room for the header in front of the content. */
    if (*bytes != packet)
        memcpy((uint8_t *)(uintptr_t)*bytes, packet, STELE_CTF_RFC_HEADER_SIZE);
    return STELE_OK;
}

void rfc_unpacker_free(rfc_unpacker *u)
{
    free(u->buffers[0]);
    free(u->buffers[1]);
    rfc_crypto_close(u->crypto);
    *u = (rfc_unpacker){0};
}

/* ---- Metadata in packets (section 7) ---- */

typedef struct unpacked_text {
    char *bytes;
    size_t size, capacity;
    size_t zeros; /* how many of the last bytes are line ends that replace zeros */
} unpacked_text;

/*
 * Prepares for the text of the next packet. If a packet ends within a declaration, even within a
 * word, the next packet continues it, so the zero at the end of the string between them must not
 * become a line end.
 */
static void text_join(unpacked_text *text)
{
    const size_t size = text->size - text->zeros;
    if (size != 0 && strchr(";}", text->bytes[size - 1]) == NULL)
        text->size = size;
}

/* Appends the strings of a packet to the text. The zeros after them become line ends. */
static stele_status text_append(metadata *m, unpacked_text *text, const uint8_t *content,
                                size_t size, uint64_t offset)
{
    if (size > m->limits->metadata_size_max - text->size) {
        m->error_count++;
        diag_report(m->diag, &ctf_codes[CTF002], m->name, offset, 0, NULL, "more than %zu bytes",
                    m->limits->metadata_size_max);
        return STELE_ERR_FORMAT;
    }
    if (text->capacity - text->size < size + 1) {
        char *grown = array_reserve_size(text->bytes, 1, &text->capacity, text->size + size + 1);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        text->bytes = grown;
    }
    if (text->zeros != 0)
        text_join(text);
    if (!metadata_add_piece(m, text->size, offset))
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < size; i++)
        text->bytes[text->size + i] = content[i] != '\0' ? (char)content[i] : '\n';
    text->size += size;
    text->zeros = 0;
    while (text->zeros < size && content[size - 1 - text->zeros] == '\0')
        text->zeros++;
    return STELE_OK;
}

#define LOOKED_AT 32u /* bytes of a content that is_text() examines */

/* Whether the first bytes of the content look like text. One of them may be damaged. */
static bool is_text(const stele_ctf_rfc_header *header, const uint8_t *packet, size_t left)
{
    const uint8_t *at = packet + STELE_CTF_RFC_HEADER_SIZE;
    const size_t size = header->content_size < left ? header->content_size : left;
    unsigned others = 0;
    for (size_t i = 0; i < LOOKED_AT && i + STELE_CTF_RFC_HEADER_SIZE < size; i++)
        others += at[i] >= 0x7f || (at[i] < ' ' && at[i] != 0 && (at[i] < '\t' || at[i] > '\r'));
    return left >= STELE_CTF_RFC_HEADER_SIZE && others < 2;
}

static bool is_packed(const stele_ctf_rfc_header *header)
{
    return header->compression != STELE_CTF_RFC_NO_COMPRESSION ||
           header->encryption != STELE_CTF_RFC_NO_ENCRYPTION;
}

static uint64_t next_packet(const metadata *m, const uint8_t *packet, size_t left)
{
    size_t at = STELE_CTF_RFC_HEADER_SIZE;
    stele_ctf_rfc_header header;
    while (at + STELE_CTF_RFC_HEADER_SIZE <= left &&
           !(stele_ctf_rfc_header_read(packet + at, &header) &&
             header.is_big_endian == m->is_big_endian && header.session_id == m->session_id))
        at++;
    return at + STELE_CTF_RFC_HEADER_SIZE <= left ? at : left;
}

static bool sizes_are_sound(metadata *m, uint64_t offset, const stele_ctf_rfc_header *header,
                            size_t left)
{
    const uint8_t *packet = (const uint8_t *)m->text + offset;
    if (header->content_size < STELE_CTF_RFC_HEADER_SIZE)
        return metadata_damage(m, offset + 8, "a content_size of at least the header's 48 bytes",
                               "%" PRIu32, header->content_size);
    if (header->content_size > header->packet_size)
        return metadata_damage(m, offset + 12, "a packet_size of at least the content_size",
                               "%" PRIu32 " for a content of %" PRIu32, header->packet_size,
                               header->content_size);
    if (header->packet_size > left && next_packet(m, packet, left) != left)
        return metadata_damage(m, offset + 12, "a packet that ends before the next one",
                               "%" PRIu32 " bytes", header->packet_size);
    return true;
}

/* Mends sizes that cannot be right: the packet ends where the next one begins, or with the file,
   and it has no padding unless its content size is plausible. */
static void sizes_mend(const metadata *m, const uint8_t *packet, size_t left,
                       stele_ctf_rfc_header *header)
{
    const uint64_t size = next_packet(m, packet, left);
    header->packet_size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    if (header->content_size < STELE_CTF_RFC_HEADER_SIZE ||
        header->content_size > header->packet_size)
        header->content_size = header->packet_size;
}

/* Reads the header of a packet. Returns false if no packet can begin here, which has been
   reported. */
static bool packet_header(metadata *m, uint64_t offset, const uint8_t *packet, size_t left,
                          stele_ctf_rfc_header *header)
{
    const size_t skipped = m->skipped_size;
    const bool is_first = offset == 0;
    if (left < STELE_CTF_RFC_HEADER_SIZE)
        return metadata_damage(m, offset, "a packet header of 48 bytes", "%zu bytes", left);
    if (!stele_ctf_rfc_header_read(packet, header))
        return metadata_damage(m, offset, "the magic number c1fc1fc1 or c11ffcc1", "%08" PRIx32,
                               load_be32(packet));
    if (is_first) {
        m->is_big_endian = header->is_big_endian;
        m->session_id = header->session_id;
    }
    if (header->is_big_endian != m->is_big_endian)
        return metadata_damage(m, offset, "the byte order of the first packet", "the other one");
    if (header->session_id != m->session_id) {
        metadata_damage(m, offset + 4, "the session of the first packet", "0x%08" PRIx32,
                        header->session_id);
        m->skipped_size = skipped;
    }
    if (is_packed(header) && is_text(header, packet, left)) {
        metadata_damage(m, offset + 45, "no compression and no encryption of what is text",
                        "schemes %u and %u", header->compression, header->encryption);
        m->skipped_size = skipped;
        header->compression = STELE_CTF_RFC_NO_COMPRESSION;
        header->encryption = STELE_CTF_RFC_NO_ENCRYPTION;
    }
    if (!sizes_are_sound(m, offset, header, left)) {
        sizes_mend(m, packet, left, header);
        m->skipped_size = skipped;
    }
    return true;
}

/* Appends the complete declarations of a packet that is cut by the end of the file. */
static stele_status append_cut(metadata *m, unpacked_text *text, const stele_ctf_rfc_header *header,
                               const uint8_t *packet, size_t left, uint64_t offset)
{
    size_t size = header->content_size < left ? header->content_size : left;
    metadata_damage(m, offset, "the whole packet", "%zu of its %" PRIu32 " bytes", left,
                    header->packet_size);
    while (size > STELE_CTF_RFC_HEADER_SIZE && packet[size - 1] != '\0')
        size--;
    m->skipped_size = is_packed(header) ? left : left - size;
    if (is_packed(header) || size == STELE_CTF_RFC_HEADER_SIZE)
        return STELE_OK;
    return text_append(m, text, packet + STELE_CTF_RFC_HEADER_SIZE,
                       size - STELE_CTF_RFC_HEADER_SIZE, offset + STELE_CTF_RFC_HEADER_SIZE);
}

/* Appends the text of the packet at `*offset`, and moves `*offset` after it. Returns STELE_END if
   no more packets can be found. */
static stele_status append_packet(metadata *m, rfc_unpacker *u, unpacked_text *text, size_t *offset)
{
    const uint64_t from = *offset;
    const uint8_t *packet = (const uint8_t *)m->text + from, *bytes;
    const size_t left = m->size - *offset;
    stele_ctf_rfc_header header;
    stele_status status;
    size_t size;
    if (!packet_header(m, from, packet, left, &header))
        return STELE_END;
    if (header.packet_size > left) {
        *offset = m->size;
        return append_cut(m, text, &header, packet, left, from);
    }
    *offset += header.packet_size;
    status = rfc_unpack(u, &header, packet, from, &bytes, &size);
    if (status == STELE_OK)
        return text_append(m, text, bytes + STELE_CTF_RFC_HEADER_SIZE,
                           size - STELE_CTF_RFC_HEADER_SIZE, from + STELE_CTF_RFC_HEADER_SIZE);
    m->error_count += status != STELE_ERR_MEMORY;
    m->skipped_size += header.packet_size;
    return status;
}

/* Whether the first packet looks like metadata: packets of data streams have the same magic
   number. */
static bool is_metadata(const metadata *m)
{
    stele_ctf_rfc_header header;
    if (m->size < STELE_CTF_RFC_HEADER_SIZE || !stele_ctf_rfc_header_read(m->text, &header))
        return true; /* damage of the header is reported elsewhere */
    if (is_text(&header, (const uint8_t *)m->text, m->size))
        return true;
    return is_packed(&header) && header.compression <= STELE_CTF_RFC_GZIP &&
           header.encryption <= STELE_CTF_RFC_AES;
}

stele_status rfc_unpack_metadata(metadata *m)
{
    rfc_unpacker u = {.diag = m->diag,
                      .name = m->name,
                      .key = m->rfc.key,
                      .key_size = m->rfc.key_size,
                      .size_max = m->limits->metadata_size_max};
    unpacked_text text = {0};
    stele_status status = STELE_OK;
    size_t offset = 0;
    m->is_packetized = true;
    m->generation = CTF_RFC;
    if (!is_metadata(m)) {
        m->error_count++;
        diag_report(m->diag, &ctf_codes[CTF001], m->name, STELE_CTF_RFC_HEADER_SIZE, 0,
                    "metadata as text; of a data stream, its directory with the metadata",
                    "a packet of something else");
        return STELE_ERR_FORMAT;
    }
    while (offset < m->size && status == STELE_OK)
        status = append_packet(m, &u, &text, &offset);
    rfc_unpacker_free(&u);
    if (status == STELE_END && text.size != 0)
        status = STELE_OK;
    if (status == STELE_OK && text.bytes != NULL) {
        free(m->text);
        m->text = text.bytes;
        m->size = text.size;
        m->text[m->size] = '\0';
        return STELE_OK;
    }
    free(text.bytes);
    return status == STELE_ERR_MEMORY ? status : STELE_ERR_FORMAT;
}
