/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pieces that all blocks of CTF 1.8 metadata consist of. */
#ifndef CTF_PRINT_TSDL_PUT_H
#define CTF_PRINT_TSDL_PUT_H

#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_tags.h"
#include "formats/ctf/metadata/print_walk.h"

typedef struct tsdl_printer {
    schema_printer *p;
    output *out;
    print_walk walk;
    unsigned indent;
    ctf_text where;   /* name of the thing that is written, for losses */
    print_tags *tags; /* the labels that integers need so that variants can be selected by them */
    bool is_comment;  /* the text is inside of a comment, which no text may end */
    bool is_trial;    /* nothing is written; only the labels that fields need are collected */
} tsdl_printer;

/* Counts something that CTF 1.8 cannot say. */
void ctf1_lose(tsdl_printer *t, const char *what);

/* Counts a loss that makes packets be read in another way than they were written. */
void ctf1_lose_layout(tsdl_printer *t, const char *what);

/* Counts a text that CTF 1.8 has no place for, if there is one. */
void ctf1_lose_text(tsdl_printer *t, ctf_text text, const char *what);

/* Counts attributes, extensions and media types, if there are some. */
void ctf1_lose_extra(tsdl_printer *t, const ctf_extra *extra);

/* Begins a line. */
void ctf1_line(tsdl_printer *t);

/* Begins a line with an attribute: its name and the sign after it. */
void ctf1_attribute(tsdl_printer *t, const char *name);

/* Writes a whole attribute of a number. */
void ctf1_attribute_u64(tsdl_printer *t, const char *name, uint64_t value);

/* Writes a whole attribute of a signed number. */
void ctf1_attribute_i64(tsdl_printer *t, const char *name, int64_t value);

/* Writes a text in quotes, with the escapes of C. */
void ctf1_quoted(tsdl_printer *t, ctf_text text);

/* Writes a whole attribute of a text; nothing if there is no text. */
void ctf1_attribute_text(tsdl_printer *t, const char *name, ctf_text text);

/* Writes the attribute `uuid`. */
void ctf1_attribute_uuid(tsdl_printer *t, const uint8_t uuid[16]);

/* Begins a block of the outermost level. */
void ctf1_block_begin(tsdl_printer *t, const char *name);

/* Ends a block of the outermost level. */
void ctf1_block_end(tsdl_printer *t);

/* Writes a text as characters that a name may have; those that it may not have become `_`. */
void ctf1_name_characters(tsdl_printer *t, ctf_text text);

/* Writes a name: of CTF 1.8 as it was written, of another generation with an escape where needed.
 */
void ctf1_identifier(tsdl_printer *t, ctf_text text);

/* Returns the word for a byte order. */
const char *ctf1_byte_order(bool is_big_endian);

#endif
