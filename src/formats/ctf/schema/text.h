/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a metadata stream, and findings at its places. */
#ifndef CTF_TEXT_H
#define CTF_TEXT_H

#include <stele/context.h>
#include <stele/ctf.h>

#include "core/diag.h"
#include "core/input.h"
#include "formats/ctf/schema/schema.h"

/* A run of metadata text that lay in one piece in the file: text offsets to file offsets. */
typedef struct metadata_piece {
    size_t text_offset;
    uint64_t file_offset;
} metadata_piece;

/* What a user says about traces of the RFC, which cannot say it. */
typedef struct rfc_options {
    stele_ctf_alignment packing;
    const uint8_t *key; /* of encrypted packets: 16, 24 or 32 bytes; the caller's */
    size_t key_size;    /* 0: none */
} rfc_options;

/*
 * The text of a metadata stream, without packet headers and padding. Findings are made with
 * metadata_report(), which gives file offset, line and column and shows the line with a caret.
 */
typedef struct metadata metadata;

struct metadata {
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
    bool is_order_other; /* the data streams are not in the byte order that the text says */
    uint32_t session_id; /* RFC */
    rfc_options rfc;
    uint32_t major, minor; /* of the packets, or of the line in front of plain text */
    uint64_t *told;        /* findings: places and codes, so that none is made again */
    size_t told_count, told_capacity;
    bool salvages;   /* it is parsed again, without what was wrong */
    uint32_t *roots; /* then: where blocks or fragments begin, so far */
    size_t root_count, root_capacity;
    uint32_t guess_count;        /* bytes that were taken as others */
    uint64_t guess_size;         /* bytes of text that were parsed to find them */
    bool is_trial;               /* only whether there are errors counts */
    bool is_doubtful;            /* some of it was left out or taken as something else */
    size_t misnamed_place;       /* of the last attribute that is not known; SIZE_MAX: none */
    bool is_memory_out;          /* a trial could not be made */
    bool is_misnamed_type;       /* it is a type */
    uint32_t error_code;         /* of the last error */
    size_t error_place;          /* of the last error; SIZE_MAX: none was made, or it has none */
    uint32_t error_count;        /* findings of severity error that were made about it */
    size_t gone;                 /* bytes of text that were given back; see metadata_pass() */
    input *in;                   /* that they can be read from again; NULL: they stay */
    size_t stored_size;          /* bytes of the stream, as they lie in `in` */
    size_t skipped_size;         /* bytes of it that were left out, as was reported */
    size_t seen_to;              /* place of the last finding, ... */
    size_t line_start;           /* ... where its line begins, ... */
    uint32_t line;               /* ... and how many are before that one */
    bool (*recall)(metadata *m); /* reads the text again, into the same memory */
};

void metadata_free(metadata *m);

/* Frees the text, but not what is known of it: no findings can be made at its places any more. */
void metadata_forget_text(metadata *m);

/*
 * A block or fragment begins at the offset. Text in front of it is not needed any more, except to
 * show lines of it in findings: its memory may be given back until then.
 */
void metadata_pass(metadata *m, size_t offset);

/* Brings all text back and keeps it from then on, so that it can be changed; false: it cannot be
   read again. */
bool metadata_hold(metadata *m);

/* Puts other bytes in place of some of the text, which is held. Places of findings stay right.
   Returns false if out of memory. */
bool metadata_replace(metadata *m, size_t at, size_t size, const char *bytes, size_t new_size);

/* Says where the text from `text_offset` on stands in the file. Returns false if out of memory. */
bool metadata_add_piece(metadata *m, size_t text_offset, uint64_t offset);

/* Damage at a byte of the stream as it is stored, in packets: CTF003; false. */
__attribute__((format(printf, 4, 5))) bool
metadata_damage(metadata *m, uint64_t offset, const char *expected, const char *found, ...);

/* A finding at a byte of the text: "line 12, column 7: ..." and the line with a caret. */
__attribute__((format(printf, 5, 6))) void metadata_report(metadata *m, const stele_code *code,
                                                           ctf_place place, const char *expected,
                                                           const char *found, ...);

/* The same for a stretch of the text that is left out. */
__attribute__((format(printf, 5, 6))) void metadata_report_skipped(metadata *m,
                                                                   const stele_code *code,
                                                                   size_t from, size_t to,
                                                                   const char *found, ...);

#endif
