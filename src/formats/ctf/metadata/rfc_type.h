/* SPDX-License-Identifier: Apache-2.0 */
/* A type of the RFC while its attributes are read (rfc_type.c) and afterwards (rfc_finish.c). */
#ifndef CTF_RFC_TYPE_H
#define CTF_RFC_TYPE_H

#include "formats/ctf/metadata/rfc_front.h"

typedef enum rfc_kind {
    RFC_NO_KIND,
    RFC_INTEGER,
    RFC_BITFIELD,
    RFC_ENUM,
    RFC_STRUCT,
    RFC_ARRAY,
    RFC_SEQUENCE,
    RFC_STRING_TYPE
} rfc_kind;

/* The attributes of a type, as bits of rfc_type.said. */
enum {
    A_PARENT = 1u << 0,
    A_SIGNED = 1u << 1,
    A_BYTE_ORDER = 1u << 2,
    A_SIZE = 1u << 3,
    A_ALIGN = 1u << 4,
    A_UNIT_SIZE = 1u << 5,
    A_MAP = 1u << 6,
    A_FIELDS = 1u << 7,
    A_LENGTH = 1u << 8,
    A_ELEM_TYPE = 1u << 9,
    A_LENGTH_TYPE = 1u << 10,
    A_ENCODING = 1u << 11
};

#define A_INTEGER (A_SIGNED | A_BYTE_ORDER | A_SIZE | A_ALIGN)

struct rfc_type {
    uint8_t kind; /* rfc_kind */
    bool is_abstract;
    uint16_t said; /* bits of the attributes that it or an ancestor has */
    uint32_t height;
    ctf_class type; /* what the attributes say so far */
    const ctf_class *made;
};

/* Makes the class of a type that is not abstract. Returns false after reporting. */
bool rfc_class_finish(rfc_front *front, rfc_type *own);

/* Raises the alignment of a structure to the units of its bit fields, as GCC does (section
   4.1.6). */
void rfc_structure_finish(const metadata *m, ctf_class *type);

#endif
