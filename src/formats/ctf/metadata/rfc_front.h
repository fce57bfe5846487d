/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the RFC's front end share: words (rfc_lex.c), types (rfc_type.c), blocks
   (rfc_parse.c). Sections in comments are those of the RFC v1.1. */
#ifndef CTF_RFC_FRONT_H
#define CTF_RFC_FRONT_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/front.h"
#include "formats/ctf/schema/names.h"

/* ---- Words of the text ---- */

typedef enum rfc_word {
    RFC_END,
    RFC_NAME,
    RFC_NUMBER,
    RFC_STRING, /* in quotes */
    RFC_MARK    /* one of { } [ ] = ; , . */
} rfc_word;

/* A type as far as its block says; a type with a parent starts with a copy of the parent's
   properties. */
typedef struct rfc_type rfc_type;

typedef struct rfc_front {
    metadata *m;
    ctf_schema *schema;

    /* The current word. */
    uint8_t word; /* rfc_word */
    char mark;
    bool is_negative;
    ctf_place place;
    ctf_text text;    /* of names and strings: points into the metadata's text */
    uint64_t integer; /* in two's complement */
    uint32_t at;      /* offset in the text after the word */

    bool has_trace;
    bool may_wait, is_waiting; /* see rfc_refuse_name() */
    name_register types, sections;
    text_set names;
    /* Classes of the event headers of types 1 and 2, for all sections; NULL until needed. */
    const ctf_class *event_headers[2];
    uint32_t level; /* nesting level of the type that is read */
    /* Members of the structures that are read, those of the innermost one last. */
    ctf_member *members;
    uint32_t member_count, member_capacity;
    ctf_mapping *mappings; /* labels of the enumeration that is read */
    uint32_t mapping_capacity;
    /* Offsets of blocks that use names which are not known yet; UINT32_MAX once a block has been
       read. */
    uint32_t *waiting;
    uint32_t waiting_count, waiting_capacity;
} rfc_front;

/* Steps to the next word. Returns false after reporting. */
bool rfc_next(rfc_front *front);

/* Reports that something else was expected than the current word. Returns false. */
bool rfc_refuse(rfc_front *front, const stele_code *code, const char *expected);

/* Reports a name that is not known. While blocks may wait for the rest of the metadata, which may
   declare it, nothing is reported: the block is given up and read again later. Returns false. */
bool rfc_refuse_name(rfc_front *front, const char *expected);

static inline bool rfc_is_mark(const rfc_front *front, char mark)
{
    return front->word == RFC_MARK && front->mark == mark;
}

static inline bool rfc_is_name(const rfc_front *front, const char *name)
{
    return front->word == RFC_NAME && ctf_text_is(front->text, name);
}

/* Steps over a mark, which must be the current word. Returns false after reporting. */
bool rfc_expect(rfc_front *front, char mark, const char *expected);

/* Steps over a mark if it is there. */
bool rfc_accept(rfc_front *front, char mark);

/* Reads "NAME =" of an attribute, with or without a leading dot: section 4.1.8 writes both. Gives
   the place of the name. */
bool rfc_attribute(rfc_front *front, ctf_text *name, ctf_place *place);

/* These read the value of an attribute and step over it. A name may be in quotes. */
bool rfc_number(rfc_front *front, uint64_t max, uint64_t *value);
bool rfc_bool(rfc_front *front, bool *value);
bool rfc_text(rfc_front *front, ctf_text *text);

/* Reads the ';' after a value, which may be missing before '}'. */
bool rfc_end_value(rfc_front *front);

/* Steps over a block { ... } of any content; the current word is the '{'. */
bool rfc_skip_block(rfc_front *front);

/* ---- Types of fields ---- */

/* Reads "type NAME { ... }" or "abstract_type NAME { ... }"; the current word is the name. */
bool rfc_type_declare(rfc_front *front, bool is_abstract);

/* Reads the name of a type or "type { ... }". Gives the class and how many levels of classes it
   has. */
bool rfc_type_use(rfc_front *front, const ctf_class **type, uint32_t *height);

/* Reads a structure: its name, "type { ... }", or "{ { type, name }, ... }". */
bool rfc_structure_use(rfc_front *front, const ctf_class **type);

/* Makes an unsigned integer of the native byte order. Returns NULL if out of memory. */
ctf_class *rfc_integer(ctf_schema *schema, uint32_t size, uint32_t alignment);

/* Returns the alignment of an integer of `size` bits whose type does not say it (section 4.1.2). */
uint32_t rfc_alignment(const metadata *m, uint64_t size);

#endif
