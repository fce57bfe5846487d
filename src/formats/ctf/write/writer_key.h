/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of event classes: writer_shape.c makes them of events, writer_class.c makes classes of them.
 */
#ifndef CTF_WRITER_KEY_H
#define CTF_WRITER_KEY_H

#include "formats/ctf/write/writer_shape.h"

/*
 * A key: a head, then the fields.
 *
 *     head     name u32   category u32   kind u8   flags u8   members of the context u32,
 *              of the payload u32
 *     field    op u8   width in bytes u8   display u8   u8: 1 when its count is the member in front
 *              name u32
 *
 * After STRUCT and TUPLE follow a count u32 and so many fields, after ARRAY one field.
 */
#define KEY_HEAD_SIZE 18

/* As the name of a key. */
#define NAME_IS_FIELD UINT32_MAX
#define NAME_IS_ENTRY (UINT32_MAX - 1) /* of a function */
#define NAME_IS_EXIT  (UINT32_MAX - 2)

typedef enum shape_op {
    OP_NONE, /* no value: nothing is written */
    OP_BOOL,
    OP_UINT,
    OP_INT,
    OP_FLOAT,
    OP_STRING, /* up to its zero */
    OP_BYTES,  /* this and the next ones: a count u32, unless it is in front; the elements */
    OP_UINTS,
    OP_INTS,
    OP_FLOATS,
    OP_EMPTY, /* of elements that are not known */
    OP_ARRAY, /* of elements of one shape */
    OP_STRUCT,
    OP_TUPLE /* elements of several shapes, one after the other */
} shape_op;

#define DISPLAY_BASE    STELE_HINT_BASE_MASK
#define DISPLAY_CONTEXT 0x20u /* it is no part of the payload */
#define DISPLAY_ENUM    0x80u /* the next slot of labels is of this number */

/* What it was, where the op does not say it. */
#define DISPLAY_AS  0x1cu
#define AS_POINTER  0x04u
#define AS_KOID     0x08u
#define AS_TEXT     0x0cu /* of bytes; this and the next ones */
#define AS_SIGNED   0x10u
#define AS_UNSIGNED 0x14u
#define AS_VARIANT  0x18u /* of a structure */

#endif
