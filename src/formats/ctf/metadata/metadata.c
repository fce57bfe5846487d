/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/metadata.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/rfc/rfc_packet.h"
#include "formats/ctf/schema/targets.h"

#define RECORD_SEPARATOR '\x1e' /* precedes each fragment of CTF 2 (RFC 7464) */

/* ---- Reading of the stream ---- */

static stele_status read_all(metadata *m, input *in)
{
    const size_t size_max = m->limits->metadata_size_max < UINT32_MAX - 1
                                ? m->limits->metadata_size_max
                                : UINT32_MAX - 1; /* offsets in the text have 32 bits */
    size_t capacity = in->has_size && in->size < size_max ? (size_t)in->size + 1 : (size_t)64 << 10;
    for (;;) {
        size_t got;
        stele_status status;
        char *grown = array_fit(m->text, 1, capacity + 1);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        m->text = grown;
        status = input_read(in, m->size, m->text + m->size, capacity - m->size, &got);
        if (status != STELE_OK)
            return status;
        m->size += got;
        m->text[m->size] = 0;
        if (m->size > size_max) {
            diag_report(m->diag, &ctf_codes[CTF002], m->name, size_max, 0, NULL,
                        "more than %zu bytes", size_max);
            return STELE_ERR_LIMIT;
        }
        if (m->size < capacity)
            return STELE_OK;
        capacity = capacity > size_max / 2 ? size_max + 1 : capacity * 2;
    }
}

/* ---- Packets of CTF 1.8 (section 7.1) and CTF 2 ----
 *
 *    0  u32  magic 0x75d11d57, which tells the byte order
 *    4  u8   UUID of the trace [16]
 *   20  u32  checksum
 *   24  u32  content size in bits, with this header
 *   28  u32  packet size in bits, with padding
 *   32  u8   compression scheme    33  u8  encryption scheme    34  u8  checksum scheme
 *   35  u8   major version         36  u8  minor version
 *   37       text
 */
#define PACKET_MAGIC       UINT32_C(0x75d11d57)
#define PACKET_HEADER_SIZE 37
#define LOOKED_AT          32u /* bytes of a text that is_text() examines */

static uint32_t packet_u32(const metadata *m, const uint8_t *at)
{
    return m->is_big_endian ? load_be32(at) : load_le32(at);
}

/* What is wrong with a packet's header. */
typedef struct packet_fault {
    uint64_t offset;
    const char *expected; /* NULL if nothing is wrong */
    char found[64];
} packet_fault;

__attribute__((format(printf, 4, 5))) static void
fault_set(packet_fault *fault, uint64_t offset, const char *expected, const char *found, ...)
{
    va_list args;
    va_start(args, found);
    vsnprintf(fault->found, sizeof fault->found, found, args);
    va_end(args);
    fault->offset = offset;
    fault->expected = expected;
}

static bool is_version(unsigned major, unsigned minor)
{
    return (major == 1 && minor == 8) || (major == 2 && minor == 0);
}

/* Remembers version and UUID, which are the same in all packets, and compares those of this packet
   with the first. */
static packet_fault packet_identity(metadata *m, const uint8_t *at, uint64_t offset)
{
    packet_fault fault = {.expected = NULL};
    if (!m->has_uuid) {
        memcpy(m->uuid, at + 4, sizeof m->uuid);
        m->has_uuid = true;
        m->major = at[35];
        m->minor = at[36];
    }
    if (packet_u32(m, at) != PACKET_MAGIC)
        fault_set(&fault, offset, "magic number 0x75d11d57", "0x%08" PRIx32, packet_u32(m, at));
    else if (memcmp(m->uuid, at + 4, sizeof m->uuid) != 0)
        fault_set(&fault, offset + 4, "the UUID of the first packet", "another one");
    else if (at[35] != m->major || at[36] != m->minor)
        fault_set(&fault, offset + 35, "the version of the first packet", "%u.%u", at[35], at[36]);
    else if (at[32] != 0)
        fault_set(&fault, offset + 32, "no compression (0)", "compression scheme %u", at[32]);
    else if (at[33] != 0)
        fault_set(&fault, offset + 33, "no encryption (0)", "encryption scheme %u", at[33]);
    else if (at[34] != 0)
        fault_set(&fault, offset + 34, "no checksum (0)", "checksum scheme %u", at[34]);
    if (is_version(at[35], at[36]) && !is_version(m->major, m->minor)) {
        m->major = at[35];
        m->minor = at[36];
    }
    return fault;
}

/* A packet of metadata text. Offsets are in bytes from the start of the file. */
typedef struct text_packet {
    size_t text_at, text_size;
    size_t end; /* end of the padding */
} text_packet;

/* Reads the packet's sizes. Returns what is wrong with them. */
static packet_fault packet_sizes(const metadata *m, const uint8_t *at, uint64_t offset,
                                 text_packet *packet)
{
    const uint32_t content_bits = packet_u32(m, at + 24), packet_bits = packet_u32(m, at + 28);
    packet_fault fault = {.expected = NULL};
    if (content_bits < PACKET_HEADER_SIZE * 8)
        fault_set(&fault, offset + 24, "a content size of at least the header's 296 bits",
                  "%" PRIu32, content_bits);
    else if (content_bits % 8 != 0)
        fault_set(&fault, offset + 24, "a content size of whole bytes", "%" PRIu32 " bits",
                  content_bits);
    else if (packet_bits % 8 != 0)
        fault_set(&fault, offset + 28, "a packet size of whole bytes", "%" PRIu32 " bits",
                  packet_bits);
    else if (packet_bits < content_bits)
        fault_set(&fault, offset + 28, "a packet size of at least the content's",
                  "%" PRIu32 " bits for a content of %" PRIu32, packet_bits, content_bits);
    packet->text_size = content_bits / 8 - PACKET_HEADER_SIZE;
    packet->end = packet->text_at - PACKET_HEADER_SIZE + packet_bits / 8;
    return fault;
}

/* Returns the offset of the next packet at or after `from`, or the end of the file if there is
   none. */
static size_t next_packet(const metadata *m, size_t from)
{
    while (from + PACKET_HEADER_SIZE <= m->size &&
           packet_u32(m, (const uint8_t *)m->text + from) != PACKET_MAGIC)
        from++;
    return from + PACKET_HEADER_SIZE <= m->size ? from : m->size;
}

/* Sets the end of a packet whose sizes are wrong: it reaches to the next packet, and its text ends
   before the zeros. */
static void take_to_next(const metadata *m, text_packet *packet, size_t next)
{
    packet->end = next;
    packet->text_size = packet->end - packet->text_at;
    while (packet->text_size != 0 && m->text[packet->text_at + packet->text_size - 1] == '\0')
        packet->text_size--;
}

/* Whether the first bytes of the packet look like text. One of them may be damaged. */
static bool is_text(const metadata *m, const text_packet *packet)
{
    unsigned others = 0;
    for (size_t i = 0; i < packet->text_size && i < LOOKED_AT; i++) {
        const uint8_t byte = (uint8_t)m->text[packet->text_at + i];
        others += byte < ' ' && (byte < '\t' || byte > '\r') && byte != RECORD_SEPARATOR;
    }
    return others < 2;
}

static void report_packet(metadata *m, const packet_fault *fault, size_t skipped)
{
    m->error_count++;
    m->skipped_size += skipped;
    diag_report(m->diag, &ctf_codes[CTF003], m->name, fault->offset, skipped, fault->expected, "%s",
                fault->found);
}

/*
 * Finds the packet at an offset where there is room for its header. With one fault in the header
 * nothing is lost: wrong sizes are found in another way, and a content that is text is not
 * compressed, whatever the header says. With two faults it is not taken as a packet and is skipped.
 * `*next` remembers where the last search found the next packet.
 */
static text_packet packet_at(metadata *m, size_t offset, size_t *next)
{
    const uint8_t *header = (const uint8_t *)m->text + offset;
    text_packet packet = {.text_at = offset + PACKET_HEADER_SIZE};
    const packet_fault identity = packet_identity(m, header, offset);
    packet_fault sizes = packet_sizes(m, header, offset, &packet);
    bool is_taken;
    if (*next < packet.text_at)
        *next = next_packet(m, packet.text_at);
    if (sizes.expected == NULL && packet.end > *next && *next != m->size)
        fault_set(&sizes, offset + 28, "a packet that ends before the next one", "%zu bytes",
                  packet.end - offset);
    if (sizes.expected == NULL && packet.end > m->size)
        fault_set(&sizes, offset, "a whole packet", "%zu of %zu bytes after its header",
                  m->size - packet.text_at, packet.end - packet.text_at);
    is_taken = identity.expected == NULL || sizes.expected == NULL;
    if (sizes.expected != NULL && is_taken)
        take_to_next(m, &packet, *next);
    is_taken = is_taken && is_text(m, &packet);
    if (!is_taken) {
        packet.text_size = 0;
        packet.end = *next;
    }
    if (identity.expected != NULL || sizes.expected != NULL)
        report_packet(m, identity.expected != NULL ? &identity : &sizes,
                      is_taken ? 0 : *next - offset);
    return packet;
}

/* Moves the texts of all packets together, in place. */
static stele_status unpack(metadata *m)
{
    size_t size = 0, at = 0, next = 0;
    m->is_packetized = true;
    m->is_big_endian = load_be32(m->text) == PACKET_MAGIC;
    while (at < m->size) {
        text_packet packet;
        if (m->size - at < PACKET_HEADER_SIZE) {
            metadata_damage(m, at, "a packet header of 37 bytes", "%zu bytes", m->size - at);
            break;
        }
        packet = packet_at(m, at, &next);
        if (packet.text_size != 0 && !metadata_add_piece(m, size, packet.text_at))
            return STELE_ERR_MEMORY;
        memmove(m->text + size, m->text + packet.text_at, packet.text_size);
        size += packet.text_size;
        at = packet.end;
    }
    m->size = size;
    m->text[size] = 0;
    return STELE_OK;
}

/* ---- Recognition of the generation ---- */

/* Reads the version in "/" "* CTF 1.8", with which plain text begins. */
static void read_signature(metadata *m)
{
    unsigned major, minor;
    if (sscanf(m->text, "/* CTF %9u.%9u", &major, &minor) == 2) {
        m->major = major;
        m->minor = minor;
    }
}

/* Steps over everything that is not a word or a brace of TSDL or the RFC, such as comments and
   texts. */
static const char *skip_other(const char *at, const char *end)
{
    if (*at == '/' && end - at > 1 && at[1] == '*') {
        const char *stop = strstr(at + 2, "*/");
        return stop != NULL ? stop + 2 : end;
    }
    if (*at == '/' && end - at > 1 && at[1] == '/')
        return at + strcspn(at, "\n");
    if (*at == '"')
        for (at++; at < end && *at != '"'; at++)
            at += *at == '\\' && end - at > 1;
    return at < end ? at + 1 : end;
}

#define RECOGNIZE_SIZE ((size_t)64 << 10)

typedef enum text_kind { TEXT_OF_ANY, TEXT_OF_RFC, TEXT_OF_TSDL } text_kind;

static bool is_one_of(ctf_text word, const char *const *words)
{
    while (*words != NULL && !ctf_text_is(word, *words))
        words++;
    return *words != NULL;
}

/* Which generation a word belongs to that begins a declaration outside of all blocks. */
static text_kind kind_of_block(ctf_text word)
{
    static const char *const rfc[] = {"type", "abstract_type", "section", NULL};
    static const char *const tsdl[] = {"typealias", "typedef", "stream",   "clock", "env",
                                       "struct",    "variant", "callsite", "enum",  NULL};
    return is_one_of(word, rfc) ? TEXT_OF_RFC : is_one_of(word, tsdl) ? TEXT_OF_TSDL : TEXT_OF_ANY;
}

/* Which generation the attribute "WORD = ..." in a block belongs to; `at` is the '='. CTF 1.8 has
   ":=" before types. */
static text_kind kind_of_attribute(ctf_text word, const char *at)
{
    static const char *const rfc[] = {"parent",      "elem_type", "length_type",
                                      "header_type", "section",   "unit_size",
                                      "event_size",  "fields",    NULL};
    if (at[-1] == ':')
        return TEXT_OF_TSDL;
    if (ctf_text_is(word, "minor"))
        return strtoul(at + 1, NULL, 10) == 8 ? TEXT_OF_TSDL : TEXT_OF_RFC;
    return is_one_of(word, rfc) ? TEXT_OF_RFC : TEXT_OF_ANY;
}

/* Whether the text is the RFC's. The first block or attribute that only one of the RFC and CTF 1.8
   has decides. */
static bool is_rfc_text(const metadata *m)
{
    const char *at = m->text;
    const char *end = at + (m->size < RECOGNIZE_SIZE ? m->size : RECOGNIZE_SIZE);
    ctf_text last = {NULL, 0};
    text_kind kind = TEXT_OF_ANY;
    uint32_t depth = 0;
    bool begins = true; /* the next word begins a declaration */
    while (at < end && kind == TEXT_OF_ANY) {
        const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                       "0123456789");
        if (size != 0)
            last = (ctf_text){at, (uint32_t)size};
        if (size != 0 && begins && depth == 0)
            kind = kind_of_block(last);
        else if (*at == '=' && depth != 0)
            kind = kind_of_attribute(last, at);
        begins = *at == ';' || *at == '}' || (begins && (*at == '/' || strchr(" \t\r\n", *at)));
        depth += *at == '{';
        depth -= *at == '}' && depth > 0;
        at = size != 0 ? at + size : skip_other(at, end);
    }
    return kind == TEXT_OF_RFC;
}

/* Whether the version is one that can be read. Packets and plain text of CTF 1.8 have one,
   otherwise it is 0. */
static bool version_fits(const metadata *m)
{
    if (m->generation == CTF_2)
        return !m->is_packetized || (m->major == 2 && m->minor == 0);
    return m->major == 0 || (m->major == 1 && m->minor == 8);
}

/* Whether the trace block seems to say minor version 8, which the comment before it does not. */
static bool says_minor_8(const metadata *m)
{
    const char *at = strstr(m->text, "minor");
    return at != NULL && at[5 + strspn(at + 5, " \t=")] == '8';
}

static stele_status recognize(metadata *m)
{
    if (m->size > 1 && m->text[1] == '{' && memchr(m->text, RECORD_SEPARATOR, m->size) != NULL) {
        m->generation = CTF_2; /* regardless of what precedes the first fragment */
    } else if (m->size > 0 && (*m->text == RECORD_SEPARATOR || *m->text == '{')) {
        m->generation = CTF_2;
    } else {
        if (!m->is_packetized)
            read_signature(m);
        m->generation = !m->is_packetized && m->major == 0 && is_rfc_text(m) ? CTF_RFC : CTF_1;
    }
    if (version_fits(m))
        return STELE_OK;
    m->error_count += m->is_packetized || !says_minor_8(m);
    diag_report(m->diag, &ctf_codes[CTF004], m->name, m->is_packetized ? 35 : 0, 0,
                "version 1.8, or 2.0 with JSON text", "%" PRIu32 ".%" PRIu32, m->major, m->minor);
    return m->is_packetized || !says_minor_8(m) ? STELE_ERR_FORMAT : STELE_OK;
}

/* Corrects the first magic number if one byte of it is damaged. Text has no zeros, so zeros in the
   first bytes show that these are packets. */
static void mend_magic(metadata *m, uint32_t magic)
{
    if (m->size < PACKET_HEADER_SIZE || memchr(m->text, '\0', PACKET_HEADER_SIZE) == NULL)
        return;
    for (int is_big = 0; is_big < 2; is_big++) {
        const uint32_t is = is_big != 0 ? load_be32(m->text) : load_le32(m->text);
        const uint32_t wrong = is ^ magic;
        unsigned bytes = 0;
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes += (wrong >> shift & 0xff) != 0;
        if (bytes != 1)
            continue;
        metadata_damage(
            m, 0, magic == PACKET_MAGIC ? "magic number 0x75d11d57" : "magic number 0xc1fc1fc1",
            "0x%08" PRIx32, is);
        m->skipped_size = 0;
        for (unsigned i = 0; i < 4; i++)
            m->text[i] = (char)(magic >> (is_big != 0 ? 24 - 8 * i : 8 * i));
        return;
    }
}

static bool begins_with(const metadata *m, uint32_t magic)
{
    return m->size >= 4 && (load_le32(m->text) == magic || load_be32(m->text) == magic);
}

stele_status metadata_read(metadata *m, diag_sink *diag, const stele_limits *limits, input *in)
{
    return metadata_read_rfc(m, diag, limits, in, NULL);
}

stele_status metadata_read_rfc(metadata *m, diag_sink *diag, const stele_limits *limits, input *in,
                               const rfc_options *options)
{
    stele_status status;
    *m = (metadata){.diag = diag, .limits = limits, .name = in->name, .misnamed_place = SIZE_MAX};
    if (options != NULL)
        m->rfc = *options;
    status = read_all(m, in);
    m->stored_size = m->size;
    if (status == STELE_OK) {
        mend_magic(m, PACKET_MAGIC);
        mend_magic(m, RFC_PACKET_MAGIC);
    }
    if (status == STELE_OK && begins_with(m, RFC_PACKET_MAGIC))
        return rfc_unpack_metadata(m);
    if (status == STELE_OK && begins_with(m, PACKET_MAGIC))
        status = unpack(m);
    if (status == STELE_OK && m->size == 0) {
        m->error_count++;
        diag_report(diag, &ctf_codes[CTF001], m->name, 0, 0, NULL, "no metadata in it");
        status = STELE_ERR_FORMAT;
    }
    return status == STELE_OK ? recognize(m) : status;
}

/* Reads the text again into the same memory, without findings. If the file has changed, its new
   content is shown. */
static bool recall(metadata *m)
{
    diag_sink silent = {.fn = NULL};
    metadata again = {.diag = &silent, .limits = m->limits, .name = m->name, .text = m->text};
    stele_status status = input_read(m->in, 0, m->text, m->stored_size, &again.size);
    m->text[again.size] = 0;
    if (status == STELE_OK)
        mend_magic(&again, PACKET_MAGIC);
    if (status == STELE_OK && m->is_packetized && again.size >= 4)
        status = unpack(&again);
    m->text[m->size] = 0;
    free(again.pieces);
    return status == STELE_OK;
}

void metadata_keep_input(metadata *m, input *in)
{
    if (!in->is_seekable || in->memory != NULL || m->generation == CTF_RFC)
        return;
    m->in = in;
    m->recall = recall;
}

bool metadata_parse(metadata *m, ctf_schema *schema)
{
    bool is_fine;
    switch (m->generation) {
    case CTF_RFC: is_fine = rfc_parse(m, schema); break;
    case CTF_1: is_fine = tsdl_parse(m, schema); break;
    default: is_fine = json_parse(m, schema); break;
    }
    return is_fine && schema_finish(schema) && schema_check(m, schema);
}
