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
    MARK_PLAIN = '.',   /* what the class says */
    MARK_CONTEXT = '^', /* in front of another mark: it is no part of the payload */
    MARK_HIDDEN = '-',  /* no field: a length that only CTF needs */
    MARK_POINTER = 'p', /* of integers */
    MARK_KOID = 'k',
    MARK_BOOL = 'b',
    MARK_NULL = 'n',  /* of a structure without members */
    MARK_BYTES = 'x', /* of arrays of bytes and of BLOBs */
    MARK_TEXT = 's',
    MARK_SIGNED = 'i',   /* an integer of more than 64 bits */
    MARK_UNSIGNED = 'u', /* the same */
    MARK_EMPTY = 'e',    /* of an array: elements of no known type */
    MARK_NUMBERS = 'v',  /* of an array of integers that are not decimal: one field */
    MARK_ARRAY = 'a',    /* of an array: one field each; the mark of the element follows */
    MARK_STRUCT = '{',   /* of structures: the marks of the members follow, and MARK_CLOSE */
    MARK_TUPLE = '[',    /* an array whose elements are the members */
    MARK_VARIANT = '<',
    MARK_WRAPPER = '(', /* its member stands for it */
    MARK_CLOSE = '}',
    MARK_PAYLOAD = '|',
    MARK_NAME = '=',
    MARK_NAME_END = ';'
} field_mark;

typedef struct member_mark {
    field_mark mark;
    bool is_context, has_name;
    ctf_text name; /* as written, with its escapes */
} member_mark;

/* Takes the next mark off the front of the text; MARK_PLAIN where there is none. */
member_mark marks_take(ctf_text *marks);

/* Goes past a MARK_CLOSE or MARK_PAYLOAD, where it is next. */
void marks_pass(ctf_text *marks, field_mark mark);

/* "%41" is 'A'. There must be room for `size` bytes. Gives the size. */
size_t marks_unescape(char *text, const char *from, size_t size);

/* The other way: at most `room` bytes. Gives the size, and how many bytes of the text it stands
   for. */
size_t marks_escape(char *to, size_t room, const char *text, size_t size, size_t *taken);

#endif
