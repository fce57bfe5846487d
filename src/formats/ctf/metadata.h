/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a metadata stream to a schema: text is taken out of packets, its generation is
 * recognised, the front end of that generation reads it.
 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include <stele/context.h>

#include "core/diag.h"
#include "core/input.h"
#include "formats/ctf/schema.h"

/* A run of metadata text that lay in one piece in the file: text offsets to file offsets. */
typedef struct metadata_piece {
    size_t text_offset;
    uint64_t file_offset;
} metadata_piece;

/* How the RFC's types without "align" are aligned: section 4.1.2 leaves it to the architecture. */
typedef enum rfc_packing {
    RFC_NATURAL_64, /* on their size, up to 64 bits */
    RFC_NATURAL_32, /* on their size, up to 32 bits */
    RFC_PACKED      /* on bytes */
} rfc_packing;

/* What a user says about traces of the RFC, which cannot say it. */
typedef struct rfc_options {
    rfc_packing packing;
    const uint8_t *key; /* of encrypted packets: 16, 24 or 32 bytes; the caller's */
    size_t key_size;    /* 0: none */
} rfc_options;

/*
 * The text of a metadata stream, without packet headers and padding. Findings are made with
 * metadata_report(), which gives file offset, line and column and shows the line with a caret.
 */
typedef struct metadata {
    diag_sink *diag;
    const stele_limits *limits;
    const char *name; /* of the file, for findings */
    char *text;       /* size bytes and a zero; owned */
    size_t size;
    metadata_piece *pieces;
    size_t piece_count, piece_capacity;
    ctf_generation generation;
    bool is_packetized, is_big_endian; /* of the packets */
    bool has_uuid;                     /* of the packets */
    uint8_t uuid[16];
    uint32_t session_id; /* RFC */
    rfc_options rfc;
    uint32_t major, minor; /* of the packets, or of the line in front of plain text */
    uint32_t error_count;  /* findings of severity error that were made about it */
    size_t counted_to;     /* newlines of the text before this were ... */
    uint32_t counted;      /* ... counted, for the line numbers of findings */
} metadata;

/*
 * Reads the whole stream (with options for traces of the RFC, which may be NULL): plain text (with
 * or without the line "/" "* CTF 1.8 *" "/"; CR LF), packets of CTF 1.8 and 2 in both byte orders,
 * JSON text sequences, packets of the RFC. STELE_ERR_FORMAT: it is no metadata. STELE_ERR_MEMORY,
 * STELE_ERR_READ.
 */
stele_status metadata_read(metadata *m, diag_sink *diag, const stele_limits *limits, input *in);
stele_status metadata_read_rfc(metadata *m, diag_sink *diag, const stele_limits *limits, input *in,
                               const rfc_options *options);
void metadata_free(metadata *m);

/* Says where the text from `text_offset` on stands in the file. False: memory. */
bool metadata_add_piece(metadata *m, size_t text_offset, uint64_t offset);

#define RFC_PACKET_MAGIC UINT32_C(0xc1fc1fc1)

/*
 * Replaces the packets of the RFC in `text` by the texts of their events, one below the other, and
 * sets the generation and session_id. STELE_ERR_MEMORY, STELE_ERR_FORMAT: nothing can be read.
 */
stele_status rfc_unpack_metadata(metadata *m);

/* A finding at a byte of the text: "line 12, column 7: ..." and the line with a caret. */
__attribute__((format(printf, 5, 6))) void metadata_report(metadata *m, const stele_code *code,
                                                           ctf_place place, const char *expected,
                                                           const char *found, ...);

#define METADATA_DEPTH_MAX 2000u

/* How deep types of CTF 2 and the RFC may nest: their front ends are recursive, so whatever the
   limits say, the stack must suffice. */
static inline uint32_t metadata_depth_max(const metadata *m)
{
    return m->limits->depth_max < METADATA_DEPTH_MAX ? m->limits->depth_max : METADATA_DEPTH_MAX;
}

/* Reports an event class whose id is taken already, behind schema_finish(); false: there was one.
 */
bool metadata_check_events(metadata *m, const ctf_schema *schema, const stele_code *code);

/*
 * The front ends. Each reads the whole text into an empty schema, reporting what is wrong; false
 * when an error was reported (the schema is then not to be used) or memory is exhausted (then with
 * error_count 0).
 */
bool tsdl_parse(metadata *m, ctf_schema *schema); /* CTF 1.8.3 */
bool json_parse(metadata *m, ctf_schema *schema); /* CTF 2 */

/* RFC v1.1. Native byte order is that of the metadata's packets; of plain text, the caller sets
   is_big_endian before. Sections are stream classes, their ids numbers from 0. */
bool rfc_parse(metadata *m, ctf_schema *schema);

#endif
