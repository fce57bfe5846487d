/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools for those who write or read CTF by hand: sizes of structures without padding at their end,
 * bit fields, the fixed headers of the RFC's packets and of LTTng's index files, and translation of
 * metadata. "RFC" is the Common Trace Format Proposal v1.1 of 2010.
 *
 * All functions but stele_ctf_translate() allocate nothing, keep no state and may be called from
 * any thread, on memory of the caller's that no other thread changes. A function fails only as its
 * own comment says.
 */
#ifndef STELE_CTF_H
#define STELE_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/context.h>
#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Structures without padding at their end: RFC, section 6.3.1 and appendix A.1 -------------
 *
 *     struct payload { uint64_t when; uint16_t what; STELE_CTF_HEADER_END; };
 *     stele_ctf_header_sizeof(struct payload) == 10, where sizeof gives 16
 *
 * The first is the last member of a structure (one char, which takes no more room than its padding
 * would as a rule); the second is the size in bytes, a constant, of all that stands before it.
 */
#define STELE_CTF_HEADER_END char stele_ctf_end_field

#define stele_ctf_header_sizeof(type) offsetof(type, stele_ctf_end_field)

/* ---- Bit fields: RFC, section 4.1.5 ------------------------------------------------------------
 *
 * Integers of 1 to 64 bits that begin at any bit. In little-endian order (le) fields fill a byte
 * from its lowest bit up and the field's lowest bit comes first; in big-endian order (be) they fill
 * it from its highest bit down and the field's highest bit comes first:
 *
 *     5 bits at bit 6      byte 0   byte 1                byte 0   byte 1
 *     little-endian        10......  .....432   big-endian  ......43  210.....
 *
 * Fields may cross any boundary of bytes and units. `bytes` need not be aligned; no byte outside of
 * the field's own is touched, and writing keeps the other bits of its bytes. `offset_bits` counts
 * from the start of `bytes`; `width` is 0 to 64: of 0 bits, nothing is written and 0 is read.
 */

/* Reads a little-endian field as an unsigned number; stele_ctf_bits_signed() gives it a sign. */
static inline uint64_t stele_ctf_bits_read_le(const void *bytes, size_t offset_bits, unsigned width)
{
    const uint8_t *at = (const uint8_t *)bytes + offset_bits / 8;
    unsigned bit = (unsigned)(offset_bits % 8), done = 0;
    uint64_t value = 0;
    while (done < width) {
        const unsigned count = 8 - bit < width - done ? 8 - bit : width - done;
        value |= (uint64_t)((unsigned)*at++ >> bit & ((1u << count) - 1)) << done;
        done += count;
        bit = 0;
    }
    return value;
}

/* Reads a big-endian field as an unsigned number; stele_ctf_bits_signed() gives it a sign. */
static inline uint64_t stele_ctf_bits_read_be(const void *bytes, size_t offset_bits, unsigned width)
{
    const uint8_t *at = (const uint8_t *)bytes + offset_bits / 8;
    unsigned bit = (unsigned)(offset_bits % 8), left = width;
    uint64_t value = 0;
    while (left > 0) {
        const unsigned count = 8 - bit < left ? 8 - bit : left;
        value = value << count | ((unsigned)*at++ >> (8 - bit - count) & ((1u << count) - 1));
        left -= count;
        bit = 0;
    }
    return value;
}

/* Writes the lowest `width` bits of the value as a little-endian field. */
static inline void stele_ctf_bits_write_le(void *bytes, size_t offset_bits, unsigned width,
                                           uint64_t value)
{
    uint8_t *at = (uint8_t *)bytes + offset_bits / 8;
    unsigned bit = (unsigned)(offset_bits % 8), done = 0;
    while (done < width) {
        const unsigned count = 8 - bit < width - done ? 8 - bit : width - done;
        const unsigned mask = ((1u << count) - 1) << bit;
        const unsigned piece = (unsigned)(value >> done) << bit & mask;
        *at = (uint8_t)((*at & ~mask) | piece);
        at++;
        done += count;
        bit = 0;
    }
}

/* Writes the lowest `width` bits of the value as a big-endian field. */
static inline void stele_ctf_bits_write_be(void *bytes, size_t offset_bits, unsigned width,
                                           uint64_t value)
{
    uint8_t *at = (uint8_t *)bytes + offset_bits / 8;
    unsigned bit = (unsigned)(offset_bits % 8), left = width;
    while (left > 0) {
        const unsigned count = 8 - bit < left ? 8 - bit : left;
        const unsigned shift = 8 - bit - count, mask = ((1u << count) - 1) << shift;
        const unsigned piece = (unsigned)(value >> (left - count)) << shift & mask;
        *at = (uint8_t)((*at & ~mask) | piece);
        at++;
        left -= count;
        bit = 0;
    }
}

/* Gives the two's complement number that the lowest `width` (0 to 64) bits of `value` stand for; 0
   if `width` is 0. Higher bits of `value` must be 0. */
static inline int64_t stele_ctf_bits_signed(uint64_t value, unsigned width)
{
    const uint64_t sign = width != 0 ? UINT64_C(1) << (width - 1) : 0;
    const uint64_t extended = (value ^ sign) - sign;
    return extended <= INT64_MAX ? (int64_t)extended : -(int64_t)(UINT64_MAX - extended) - 1;
}

/* ---- The header of the RFC's packets: RFC, section 5 ------------------------------------------
 *
 *      0 magic c1fc1fc1        4 session_id      8 content_size   12 packet_size
 *     16 checksum             20 section_packet_count
 *     24 timestamp_begin (64)                   32 timestamp_end (64)
 *     40 events_discarded     44 section_packet_count_bits, compression, encryption, checksum
 *        (8 bits each)                          48 content
 *
 * All in the byte order of the machine that traced, which the magic number tells.
 */
#define STELE_CTF_RFC_HEADER_SIZE 48
#define STELE_CTF_RFC_MAGIC       UINT32_C(0xc1fc1fc1)

enum { STELE_CTF_RFC_NO_COMPRESSION, STELE_CTF_RFC_BZIP2, STELE_CTF_RFC_GZIP };
enum { STELE_CTF_RFC_NO_ENCRYPTION, STELE_CTF_RFC_AES };
enum { STELE_CTF_RFC_NO_CHECKSUM, STELE_CTF_RFC_MD5, STELE_CTF_RFC_SHA1, STELE_CTF_RFC_CRC32 };

typedef struct stele_ctf_rfc_header {
    bool is_big_endian;
    uint32_t session_id;
    uint32_t content_size, packet_size; /* bytes as stored; both count this header */
    /* Of the content after the header, as stored; of MD5 and SHA-1 the first four bytes,
       big-endian. */
    uint32_t checksum;
    uint32_t packet_count; /* packets of the section so far; see packet_count_bits */
    uint64_t timestamp_begin, timestamp_end; /* ticks of the section's clock: ns as a rule */
    /* Events that the tracer dropped before the first event of the packet. */
    uint32_t events_discarded;
    /* Low bits of packet_count that count, 0 to 32: it wraps at 2 to the power of this. */
    uint8_t packet_count_bits;
    uint8_t compression, encryption, checksum_scheme;
} stele_ctf_rfc_header;

/* Reads the 48 bytes of a header and checks its magic number only. Returns false if the magic
   number is another one; is_big_endian may then have been changed, nothing else of `*header`. */
STELE_API bool stele_ctf_rfc_header_read(const void *bytes, stele_ctf_rfc_header *header);

/* Writes 48 bytes in the byte order that the header says. */
STELE_API void stele_ctf_rfc_header_write(void *bytes, const stele_ctf_rfc_header *header);

/* ---- LTTng's index files ----------------------------------------------------------------------
 *
 * "index/NAME.idx" beside the data stream file NAME: a header, then an entry for each packet. All
 * numbers are big-endian.
 *
 *     header    0 magic c1f1dcc1   4 major (1)   8 minor (1)   12 size of an entry (72)
 *     entry     0 offset   8 packet_size   16 content_size   24 timestamp_begin
 *              32 timestamp_end   40 events_discarded   48 stream_id
 *     from 1.1 56 stream_instance_id   64 packet_seq_num                      (64 bits each)
 */
#define STELE_CTF_INDEX_HEADER_SIZE 16
#define STELE_CTF_INDEX_ENTRY_SIZE  72
#define STELE_CTF_INDEX_MAGIC       UINT32_C(0xc1f1dcc1)

typedef struct stele_ctf_index_entry {
    uint64_t offset;                              /* bytes from the start of the file */
    uint64_t packet_size_bits, content_size_bits; /* in bits */
    uint64_t timestamp_begin, timestamp_end;
    uint64_t events_discarded; /* events that were dropped so far, counted at the packet's end */
    uint64_t stream_id;        /* number of the stream class */
    uint64_t stream_instance_id, packet_seq_num;
} stele_ctf_index_entry;

/* Writes the 16 bytes of an index file's header, of version 1.1. */
STELE_API void stele_ctf_index_header_write(void *bytes);

/* Reads or writes the 72 bytes of an entry of version 1.1. An entry of version 1.0 is 56 bytes
   long: the caller copies it into 72 bytes and sets the others to 0. */
STELE_API void stele_ctf_index_entry_read(const void *bytes, stele_ctf_index_entry *entry);
STELE_API void stele_ctf_index_entry_write(void *bytes, const stele_ctf_index_entry *entry);

/* ---- Metadata ---------------------------------------------------------------------------------
 */

typedef enum stele_ctf_generation {
    STELE_CTF_GENERATION_RFC, /* the RFC, v1.1 of 2010 */
    STELE_CTF_GENERATION_1,   /* CTF 1.8 */
    STELE_CTF_GENERATION_2,
    STELE_CTF_GENERATION_SAME /* the generation that the trace already has */
} stele_ctf_generation;

/* How the machine that traced aligns types for which the RFC's metadata state no alignment: RFC,
   section 4.1.2. */
typedef enum stele_ctf_alignment {
    STELE_CTF_NATURAL_64, /* each type is aligned to its size, to 64 bits at most */
    STELE_CTF_NATURAL_32, /* each type is aligned to its size, to 32 bits at most */
    STELE_CTF_PACKED      /* every type is aligned to 8 bits */
} stele_ctf_alignment;

/* What stele_ctf_translate() is to do, and the functions that it calls. Texts that it passes to
   them hold during that call only. The struct does not begin with its size, and so never grows. */
typedef struct stele_ctf_translation {
    stele_ctf_generation to;
    /* Called once for each metadata file: its name, and its text in the generation `to`. */
    void (*text)(void *user, const char *name, const char *text, size_t size);
    /* Called where the target generation cannot express `what` (a static text) of the thing called
       `where`. May be NULL. */
    void (*lose)(void *user, const char *where, const char *what);
    /* Passed to `text` and `lose`. */
    void *user;
    stele_ctf_alignment alignment; /* used where the metadata state no alignment */
    const uint8_t *key; /* decrypts encrypted metadata packets of the RFC; NULL: no key */
    size_t key_size;    /* 16, 24 or 32 bytes */
} stele_ctf_translation;

/*
 * Reads the metadata of the trace at `path` (a metadata file, or a directory or archive with such
 * files) and gives it as text of one generation. Faults in the metadata are reported to the
 * diagnostic handler of the context. Nothing is kept; one context is for one thread at a time.
 * Errors: STELE_ERR_ARGUMENT (the translation has a value that is not valid), STELE_ERR_FORMAT
 * (no metadata was found), STELE_ERR_DAMAGED (some of it has errors), STELE_ERR_READ,
 * STELE_ERR_LIMIT, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_ctf_translate(stele_context *context, const char *path,
                                           const stele_ctf_translation *translation);

#ifdef __cplusplus
}
#endif
#endif
