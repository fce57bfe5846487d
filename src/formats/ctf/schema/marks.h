/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fields of an event class were before Stele's writer made CTF of them. Where the class
 * does not say it, an entry of the environment does:
 *
 *     stele_fields_STREAM_EVENT = "CONTEXT|PAYLOAD"
 *
 * with the ids of the classes, and a mark for each member of the event's context and payload, in
 * their order: one of the characters below, with its name after it where that is not the member's,
 * "=NAME;", in which "%41" is a byte. Marks at the end that say nothing are left out.
 */
#ifndef CTF_MARKS_H
#define CTF_MARKS_H

#include "formats/ctf/schema/schema.h"

#define MARKS_ENV "stele_fields_"

typedef enum field_mark {
    MARK_PLAIN = '.', /* the field is as its class says */
    /* Precedes another mark: the field belongs to the context, not the payload. */
    MARK_CONTEXT = '^',
    MARK_HIDDEN = '-',  /* the member is not a field: it is a length that only CTF needs */
    MARK_POINTER = 'p', /* integer shown as a pointer */
    MARK_KOID = 'k',    /* integer that is a kernel object id */
    MARK_BOOL = 'b',    /* integer that is a Boolean */
    MARK_NULL = 'n',    /* structure without members that is a null value */
    MARK_BYTES = 'x',   /* array of bytes or BLOB that is bytes, not text */
    MARK_TEXT = 's',    /* array of bytes or BLOB that is a text */
    MARK_SIGNED = 'i',  /* array of bytes or BLOB that is a signed integer of more than 64 bits */
    /* Array of bytes or BLOB that is an unsigned integer of more than 64 bits. */
    MARK_UNSIGNED = 'u',
    MARK_EMPTY = 'e', /* empty array whose elements have no known type */
    /* Array of integers that is one field of numbers, and whose base is not decimal. */
    MARK_NUMBERS = 'v',
    MARK_ARRAY = 'a',  /* array with a field for each element; the mark of the element follows */
    MARK_STRUCT = '{', /* structure; the marks of its members follow, then MARK_CLOSE */
    /* Structure that is an array of its members; their marks and MARK_CLOSE follow. */
    MARK_TUPLE = '[',
    MARK_VARIANT = '<', /* variant; the marks of its options and MARK_CLOSE follow */
    MARK_WRAPPER = '(', /* structure with one member, which stands for the structure itself */
    MARK_CLOSE = '}',   /* ends the marks of members and options */
    MARK_PAYLOAD = '|', /* separates the marks of the context from those of the payload */
    MARK_NAME = '=',    /* begins a name that differs from the member's */
    MARK_NAME_END = ';'
} field_mark;

typedef struct member_mark {
    field_mark mark;
    bool is_context, has_name;
    ctf_text name; /* escaped as in the environment entry */
} member_mark;

/* Takes the next mark off the front of the text. Returns MARK_PLAIN at the end of the text. */
member_mark marks_take(ctf_text *marks);

/* Removes the given mark, MARK_CLOSE or MARK_PAYLOAD, from the front of the text if it is there. */
void marks_pass(ctf_text *marks, field_mark mark);

/* Replaces escapes such as "%41" by their bytes. `text` must have room for `size` bytes. Returns
   the size of the result. */
size_t marks_unescape(char *text, const char *from, size_t size);

/* Escapes as much of the text as fits into `room` bytes. Returns the size of the result; `*taken`
   is how many bytes of the text were escaped. */
size_t marks_escape(char *to, size_t room, const char *text, size_t size, size_t *taken);

#endif
