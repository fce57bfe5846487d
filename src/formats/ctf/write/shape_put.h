/* SPDX-License-Identifier: Apache-2.0 */
/* Appends the parts of an event's shape. Each function appends what the class says to the key, and
   what the event has of it to the value. What cannot be written is counted by shape_lose(). */
#ifndef CTF_SHAPE_PUT_H
#define CTF_SHAPE_PUT_H

#include <string.h>

#include "core/byte_buffer.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/write/writer_key.h"

#define SHAPE_DEPTH_MAX 64u /* most levels of nested fields */

static inline void put_bytes(byte_buffer *buffer, const void *bytes, size_t size)
{
    uint8_t *at = byte_buffer_take(buffer, size);
    if (at != NULL && size != 0)
        memcpy(at, bytes, size);
}

static inline void put_u32(byte_buffer *buffer, uint32_t value)
{
    uint8_t *at = byte_buffer_take(buffer, 4);
    if (at != NULL)
        store_le32(at, value);
}

/* Appends the lowest `width` bytes of a number, least significant first. */
static inline void put_number(byte_buffer *buffer, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    put_bytes(buffer, bytes, width);
}

static inline unsigned bytes_of_width(unsigned width)
{
    return width == 0 || width > 32 ? 8 : width > 16 ? 4 : width > 8 ? 2 : 1;
}

/* Notes a loss. It is counted once it is certain that this shape is written. */
void shape_lose(shape *s, const char *what, loss_extent extent);

/* Returns a name that is the same in all batches: names of a batch mean something else in the next
   one, and would give different classes the same key. */
stele_name shape_lasting_name(shape *s, stele_name name);

/* Appends an op, the width and the name of a field to the key. */
void shape_put_op(shape *s, shape_op op, unsigned width, unsigned display, stele_name name);

/* Appends an op with a count. The count goes to the value, unless the member before the field holds
   it. */
void shape_put_counted(shape *s, shape_op op, unsigned width, unsigned display,
                       const stele_field *field, uint32_t count);

/* Notes a label of the current slot. */
void shape_put_label(shape *s, uint64_t value, stele_name name);

/* Appends a text up to its first zero, or as bytes if it contains zeros. */
void shape_put_text(shape *s, const stele_field *field, stele_text text);

/* Appends fields that follow each other. */
void shape_put_members(shape *s, const stele_field *first, uint32_t length);

/* Appends a field with all that it contains. */
void shape_put_field(shape *s, const stele_field *field);

/* Whether the event is the entry or exit of a function. */
bool shape_is_function(const shape *s, const stele_event *event);

/* Whether a class named "CATEGORY:NAME" is read as this category and this name. */
bool shape_name_is_plain(shape *s, stele_name name, stele_name category);

/* Appends what the event is besides its fields. Returns the number of members. `is_needed` asks for
   the kind even if it would be clear without. */
uint32_t shape_put_kind_members(shape *s, const stele_event *event, bool is_needed);

/* Appends all fields of an event as texts. Returns the number of members. */
uint32_t shape_put_all_flat(shape *s, const stele_field *fields, uint32_t length);

#endif
