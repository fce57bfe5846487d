/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/rfc/rfc_packet.h"

#include <stdlib.h>

#include "core/unpack.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "stele_config.h"

bool rfc_header_is_sane(const stele_ctf_rfc_header *header, uint64_t left)
{
    return header->content_size >= STELE_CTF_RFC_HEADER_SIZE && header->packet_size <= left &&
           header->content_size <= header->packet_size;
}

/* ---- Checksum ---- */

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
    else if (!rfc_checksum(scheme, content, size, &sum))
        diag_report(u->diag, &ctf_codes[CTF313], u->name, offset + 47, 1, NULL,
                    "%s, and no libcrypto", names[scheme]);
    else if (sum != header->checksum)
        diag_report(u->diag, &ctf_codes[CTF310], u->name, offset + 16, 4, NULL,
                    "%s 0x%08x of a content with 0x%08x", names[scheme], header->checksum, sum);
}

/* ---- Unpacking ---- */

static bool buffer_reserve(rfc_unpacker *u, int i, size_t size)
{
    uint8_t *grown;
    if (u->capacities[i] >= size)
        return true;
    grown = realloc(u->buffers[i], size);
    if (grown == NULL)
        return false;
    u->buffers[i] = grown;
    u->capacities[i] = size;
    return true;
}

static stele_status decrypt(rfc_unpacker *u, const stele_ctf_rfc_header *header, uint64_t offset,
                            const uint8_t **content, size_t *size)
{
    const char *why = NULL;
    if (header->encryption > STELE_CTF_RFC_AES || u->key_size == 0 || !rfc_has_crypto()) {
        diag_report(u->diag, &ctf_codes[CTF312], u->name, offset + 46, 1,
                    header->encryption > STELE_CTF_RFC_AES ? "encryption scheme 0 or 1" : NULL,
                    header->encryption > STELE_CTF_RFC_AES ? "another one"
                    : u->key_size == 0                     ? "AES, and no key"
                                                           : "AES, and no libcrypto");
        return STELE_ERR_UNSUPPORTED;
    }
    if (!buffer_reserve(u, 0, STELE_CTF_RFC_HEADER_SIZE + *size))
        return STELE_ERR_MEMORY;
    if (!rfc_decrypt(u->key, u->key_size, *content, *size,
                     u->buffers[0] + STELE_CTF_RFC_HEADER_SIZE, size, &why)) {
        diag_report(u->diag, &ctf_codes[CTF311], u->name, offset + STELE_CTF_RFC_HEADER_SIZE,
                    header->content_size - STELE_CTF_RFC_HEADER_SIZE,
                    "AES-CBC behind its 16-byte vector", "%s", why);
        return STELE_ERR_DAMAGED;
    }
    *content = u->buffers[0] + STELE_CTF_RFC_HEADER_SIZE;
    return STELE_OK;
}

/* The codec of a scheme; NULL: there is none in this build. */
static const unpack_codec *codec_of(uint8_t compression)
{
#ifdef STELE_HAVE_BZ2
    if (compression == STELE_CTF_RFC_BZIP2)
        return &unpack_bzip2;
#endif
    return compression == STELE_CTF_RFC_GZIP ? &unpack_gzip : NULL;
}

/* Room for more behind what was unpacked: twice as much each time, up to the limit. */
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

/* Runs the codec over the whole content, behind room for the header in buffers[1]. */
static stele_status run_codec(rfc_unpacker *u, const unpack_codec *codec, void *state,
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
        diag_report(u->diag, &ctf_codes[CTF312], u->name, offset + 45, 1,
                    "a compression scheme known here", "%u", header->compression);
        return STELE_ERR_UNSUPPORTED;
    }
    state = codec->open();
    if (state == NULL)
        return STELE_ERR_MEMORY;
    status = run_codec(u, codec, state, &span, &used);
    codec->close(state);
    if (status == STELE_ERR_LIMIT)
        diag_report(u->diag, &ctf_codes[CTF311], u->name, offset, header->packet_size, NULL,
                    "more than the limit of %zu bytes in it", u->size_max);
    else if (status == STELE_ERR_DAMAGED)
        diag_report(u->diag, &ctf_codes[CTF311], u->name, offset + STELE_CTF_RFC_HEADER_SIZE,
                    header->content_size - STELE_CTF_RFC_HEADER_SIZE, codec->name, "%s",
                    span.why != NULL ? span.why : "not valid");
    if (status != STELE_OK)
        return status;
    *content = u->buffers[1] + STELE_CTF_RFC_HEADER_SIZE;
    *size = used - STELE_CTF_RFC_HEADER_SIZE;
    return STELE_OK;
}

stele_status rfc_unpack(rfc_unpacker *u, const stele_ctf_rfc_header *header, const uint8_t *packet,
                        uint64_t offset, const uint8_t **bytes, size_t *size)
{
    const uint8_t *content = packet + STELE_CTF_RFC_HEADER_SIZE;
    size_t content_size = header->content_size - STELE_CTF_RFC_HEADER_SIZE;
    stele_status status = STELE_OK;
    checksum_verify(u, header, content, content_size, offset);
    if (header->encryption != STELE_CTF_RFC_NO_ENCRYPTION)
        status = decrypt(u, header, offset, &content, &content_size);
    if (status == STELE_OK && header->compression != STELE_CTF_RFC_NO_COMPRESSION)
        status = decompress(u, header, offset, &content, &content_size);
    if (status != STELE_OK)
        return status;
    *bytes = content - STELE_CTF_RFC_HEADER_SIZE;
    *size = content_size + STELE_CTF_RFC_HEADER_SIZE;
    if (*bytes != packet) /* room for it is in front of what was unpacked */
        memcpy((uint8_t *)(uintptr_t)*bytes, packet, STELE_CTF_RFC_HEADER_SIZE);
    return STELE_OK;
}

void rfc_unpacker_free(rfc_unpacker *u)
{
    free(u->buffers[0]);
    free(u->buffers[1]);
    *u = (rfc_unpacker){0};
}

/* ---- Metadata: section 7 ---- */

typedef struct unpacked_text {
    char *bytes;
    size_t size, capacity;
} unpacked_text;

/* Appends the strings of a packet, their zeros made line ends. */
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
        const size_t capacity = (text->size + size) * 2 + 1;
        char *grown = realloc(text->bytes, capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        text->bytes = grown;
        text->capacity = capacity;
    }
    if (!metadata_add_piece(m, text->size, offset))
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < size; i++)
        text->bytes[text->size + i] = content[i] != '\0' ? (char)content[i] : '\n';
    text->size += size;
    return STELE_OK;
}

static void packet_report(metadata *m, const stele_code *code, uint64_t offset,
                          const char *expected, const char *found)
{
    m->error_count += code->severity == STELE_ERROR;
    diag_report(m->diag, code, m->name, offset, STELE_CTF_RFC_HEADER_SIZE, expected, "%s", found);
}

/* One packet at `*offset`, which is stepped over it. STELE_END: no more can be found. */
static stele_status append_packet(metadata *m, rfc_unpacker *u, unpacked_text *text, size_t *offset)
{
    const uint8_t *packet = (const uint8_t *)m->text + *offset, *bytes;
    const size_t left = m->size - *offset;
    stele_ctf_rfc_header header;
    stele_status status;
    size_t size;
    if (left < STELE_CTF_RFC_HEADER_SIZE || !stele_ctf_rfc_header_read(packet, &header) ||
        !rfc_header_is_sane(&header, left)) {
        packet_report(m, &ctf_codes[CTF003], *offset, "a packet with sizes that can be",
                      left < STELE_CTF_RFC_HEADER_SIZE ? "fewer bytes than a header"
                                                       : "another header");
        return STELE_END;
    }
    if (*offset == 0) {
        m->is_big_endian = header.is_big_endian;
        m->session_id = header.session_id;
    } else if (header.session_id != m->session_id) {
        packet_report(m, &ctf_codes[CTF003], *offset + 4, "the session of the first packet",
                      "another one");
        return STELE_END;
    }
    status = rfc_unpack(u, &header, packet, *offset, &bytes, &size);
    if (status == STELE_OK)
        status = text_append(m, text, bytes + STELE_CTF_RFC_HEADER_SIZE,
                             size - STELE_CTF_RFC_HEADER_SIZE, *offset + STELE_CTF_RFC_HEADER_SIZE);
    else if (status != STELE_ERR_MEMORY)
        m->error_count++;
    *offset += header.packet_size;
    return status;
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
