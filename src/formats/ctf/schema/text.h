/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a metadata stream, and findings at its places. */
#ifndef CTF_TEXT_H
#define CTF_TEXT_H

#include <stele/context.h>
#include <stele/ctf.h>

#include "core/diag.h"
#include "core/input.h"
#include "formats/ctf/schema/schema.h"

/* A stretch of metadata text that is contiguous in the file: converts text offsets to file
   offsets. */
typedef struct metadata_piece {
    size_t text_offset;
    uint64_t file_offset;
} metadata_piece;

/* What the user says about traces of the RFC, because their metadata do not. */
typedef struct rfc_options {
    stele_ctf_alignment packing;
    const uint8_t *key; /* owned by the caller; key of encrypted packets, 16, 24 or 32 bytes */
    size_t key_size;    /* 0 if there is no key */
} rfc_options;

/* The text of a metadata stream, without packet headers and padding. Findings are made by
   metadata_report(), which gives file offset, line and column and shows the line with a caret. */
typedef struct metadata metadata;

struct metadata {
    diag_sink *diag;
    const stele_limits *limits;
    const char *name; /* of the file, for findings */
    char *text;       /* owned; `size` bytes and a zero */
    size_t size;
    metadata_piece *pieces;
    size_t piece_count, piece_capacity;
    ctf_generation generation;
    /* Set from the packets of the metadata, as are `has_uuid` and `uuid`. */
    bool is_packetized, is_big_endian;
    bool has_uuid;
    uint8_t uuid[16];
    bool is_order_other; /* the data streams have the other byte order than the text says */
    uint32_t session_id; /* of the RFC's packets */
    rfc_options rfc;
    uint32_t major, minor; /* Version in the packets, or in the line before plain text. */
    /* Findings that were reported, by place and code, so that they are not repeated. */
    uint64_t *told;
    size_t told_count, told_capacity;
    bool salvages;   /* the text is parsed again after parts with errors were removed */
    uint32_t *roots; /* while salvaging: offsets of the blocks or fragments found so far */
    size_t root_count, root_capacity;
    uint32_t guess_count; /* bytes that were replaced by guesses */
    uint64_t guess_size;  /* bytes of text that were parsed for guesses */
    bool is_trial;        /* only whether there are errors matters, and nothing is reported */
    bool is_doubtful;     /* a part was removed or replaced by a guess */
    /* Place of the last attribute with an unknown name; SIZE_MAX if there is none. */
    size_t misnamed_place;
    bool is_memory_out;    /* a trial failed because memory was exhausted */
    bool is_misnamed_type; /* that attribute is a type */
    uint32_t error_code;   /* of the last error */
    /* Place of the last error; SIZE_MAX if there was none, or it has no place. */
    size_t error_place;
    uint32_t error_count; /* findings of severity error about this text */
    size_t gone;          /* bytes of text that were freed; see metadata_pass() */
    input *in; /* the input that the text can be read again from; NULL if the text is never freed */
    size_t stored_size;          /* bytes of the stream, including packet headers and padding */
    size_t skipped_size;         /* bytes of the stream that were skipped, as reported */
    size_t seen_to;              /* place of the last finding */
    size_t line_start;           /* offset of the line that contains that place */
    uint32_t line;               /* number of lines before that line */
    bool (*recall)(metadata *m); /* reads the text again into the same memory */
};

void metadata_free(metadata *m);

/* Frees the text, but keeps what is known about it. No findings can be made at its places
   afterwards. */
void metadata_forget_text(metadata *m);

/* Notes that a block or fragment begins at the offset. The text before it is only needed to show
   lines in findings, so its memory may be freed until then. */
void metadata_pass(metadata *m, size_t offset);

/* Restores the whole text and keeps it, so that it can be changed. Returns false if it cannot be
   read again. */
bool metadata_hold(metadata *m);

/* Replaces `size` bytes of the text, which must be held, by other bytes. Places of findings stay
   right. Returns false if out of memory. */
bool metadata_replace(metadata *m, size_t at, size_t size, const char *bytes, size_t new_size);

/* Notes where in the file the text from `text_offset` on is. Returns false if out of memory. */
bool metadata_add_piece(metadata *m, size_t text_offset, uint64_t offset);

/* Reports damage at a byte of the stored stream, which includes packet headers (CTF003). Returns
   false. */
__attribute__((format(printf, 4, 5))) bool
metadata_damage(metadata *m, uint64_t offset, const char *expected, const char *found, ...);

/* Reports a finding at a place of the text, "line 12, column 7: ...", and shows the line with a
   caret. */
__attribute__((format(printf, 5, 6))) void metadata_report(metadata *m, const stele_code *code,
                                                           ctf_place place, const char *expected,
                                                           const char *found, ...);

/* Reports that the text from offset `from` to `to` is left out, and shows its first line with a
   caret. */
__attribute__((format(printf, 5, 6))) void metadata_report_skipped(metadata *m,
                                                                   const stele_code *code,
                                                                   size_t from, size_t to,
                                                                   const char *found, ...);

#endif
