/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the keys of event classes: writer_shape.c makes keys of events, writer_class.c makes
   classes of keys. */
#ifndef CTF_WRITER_KEY_H
#define CTF_WRITER_KEY_H

#include "formats/ctf/write/writer_shape.h"

/*
 * A key has a head, and then the fields. Numbers are little-endian.
 *
 *    head     name u32   category u32   kind u8   flags u8   members of the context u32,
 *             of the payload u32
 *    field    op u8   width in bytes u8   display u8   u8: 1 if its count is the member before it
 *             name u32
 *
 * STRUCT and TUPLE are followed by a count u32 and that many fields, ARRAY by one field.
 */
#define KEY_HEAD_SIZE 18

/* Special names of keys: the event's name is a field, or it is LTTng's entry or exit of a
   function. */
#define NAME_IS_FIELD UINT32_MAX
#define NAME_IS_ENTRY (UINT32_MAX - 1) /* the class is LTTng's func_entry */
#define NAME_IS_EXIT  (UINT32_MAX - 2) /* the class is LTTng's func_exit */

typedef enum shape_op {
    OP_NONE, /* a field without a value: nothing is written */
    OP_BOOL,
    OP_UINT,
    OP_INT,
    OP_FLOAT,
    OP_STRING, /* text up to its first zero */
    /* Bytes; from here on values begin with a count u32, unless the member before the field holds
       it. */
    OP_BYTES,
    OP_UINTS,
    OP_INTS,
    OP_FLOATS,
    OP_EMPTY, /* array without elements, of an unknown type */
    OP_ARRAY, /* array whose elements have one shape */
    OP_STRUCT,
    OP_TUPLE /* array whose elements have several shapes, one after the other */
} shape_op;

#define DISPLAY_BASE    STELE_HINT_BASE_MASK
#define DISPLAY_CONTEXT 0x20u /* the field belongs to the context, not the payload */
#define DISPLAY_ENUM    0x80u /* the number has labels, in the next slot */

/* Bits of a field's display byte that say which type the field had, if its op does not. */
#define DISPLAY_AS  0x1cu
#define AS_POINTER  0x04u
#define AS_KOID     0x08u
#define AS_TEXT     0x0cu /* of OP_BYTES, as are AS_SIGNED and AS_UNSIGNED */
#define AS_SIGNED   0x10u
#define AS_UNSIGNED 0x14u
#define AS_VARIANT  0x18u /* of OP_STRUCT */

#endif
