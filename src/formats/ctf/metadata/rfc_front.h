/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the RFC's front end share: words (rfc_lex.c), types (rfc_type.c), blocks
   (rfc_parse.c). Sections in comments are those of the RFC v1.1. */
#ifndef CTF_RFC_FRONT_H
#define CTF_RFC_FRONT_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/front.h"
#include "formats/ctf/schema/names.h"

/* ---- Words ---- */

typedef enum rfc_word {
    RFC_END,
    RFC_NAME,
    RFC_NUMBER,
    RFC_STRING, /* in quotes */
    RFC_MARK    /* one of { } [ ] = ; , . */
} rfc_word;

/* A type as far as its block says it; children start with a copy of what their parent says. */
typedef struct rfc_type rfc_type;

typedef struct rfc_front {
    metadata *m;
    ctf_schema *schema;

    /* The word that is looked at. */
    uint8_t word; /* rfc_word */
    char mark;
    bool is_negative;
    ctf_place place;
    ctf_text text;    /* names, strings: in the metadata's text */
    uint64_t integer; /* two's complement */
    uint32_t at;      /* after it */

    bool has_trace;
    bool may_wait, is_waiting; /* see rfc_refuse_name() */
    name_register types, sections;
    text_set names;
    const ctf_class *event_headers[2]; /* of types 1 and 2, for all sections; NULL: not yet made */
    uint32_t level;                    /* of the type being read */
    ctf_member *members;               /* of structures being read: the innermost ones last */
    uint32_t member_count, member_capacity;
    ctf_mapping *mappings; /* of the enumeration being read */
    uint32_t mapping_capacity;
    uint32_t *waiting; /* where blocks begin that wait for names; UINT32_MAX: no more */
    uint32_t waiting_count, waiting_capacity;
} rfc_front;

/* Steps to the next word. Returns false after reporting. */
bool rfc_next(rfc_front *front);

/* Reports the word that is looked at; false. */
bool rfc_refuse(rfc_front *front, const stele_code *code, const char *expected);

/* The same for a name that is not known. Where blocks may wait for the rest of the metadata, which
   may declare it, the block is given up without a word and read again. */
bool rfc_refuse_name(rfc_front *front, const char *expected);

static inline bool rfc_is_mark(const rfc_front *front, char mark)
{
    return front->word == RFC_MARK && front->mark == mark;
}

static inline bool rfc_is_name(const rfc_front *front, const char *name)
{
    return front->word == RFC_NAME && ctf_text_is(front->text, name);
}

/* Steps over what must be there. */
bool rfc_expect(rfc_front *front, char mark, const char *expected);

/* Steps over a mark if it is there. */
bool rfc_accept(rfc_front *front, char mark);

/* "NAME =", with or without a dot in front: section 4.1.8 writes both. Gives the name's place. */
bool rfc_attribute(rfc_front *front, ctf_text *name, ctf_place *place);

/* The values after it, stepped over. Names may be in quotes. */
bool rfc_number(rfc_front *front, uint64_t max, uint64_t *value);
bool rfc_bool(rfc_front *front, bool *value);
bool rfc_text(rfc_front *front, ctf_text *text);

/* The ';' after a value; none is needed in front of '}'. */
bool rfc_end_value(rfc_front *front);

/* Steps over a block { ... } of anything; the '{' is looked at. */
bool rfc_skip_block(rfc_front *front);

/* ---- Types ---- */

/* "type NAME { ... }" and "abstract_type NAME { ... }"; the name is looked at. */
bool rfc_type_declare(rfc_front *front, bool is_abstract);

/* The name of a type, or "type { ... }": the class, and how many levels it has. */
bool rfc_type_use(rfc_front *front, const ctf_class **type, uint32_t *height);

/* The same for a structure; also "{ { type, name }, ... }". */
bool rfc_structure_use(rfc_front *front, const ctf_class **type);

/* An integer of the native byte order. */
ctf_class *rfc_integer(ctf_schema *schema, uint32_t size, uint32_t alignment);

/* The alignment of an integer of so many bits that states none: section 4.1.2. */
uint32_t rfc_alignment(const metadata *m, uint64_t size);

#endif
