/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces that shapes of events are made of. Each puts to the key what the class says, and to the
 * value what the event has of it. What cannot be written is counted by shape_lose().
 */
#ifndef CTF_SHAPE_PUT_H
#define CTF_SHAPE_PUT_H

#include <string.h>

#include "core/byte_buffer.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/write/writer_key.h"

#define SHAPE_DEPTH_MAX 64u

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

/* The lowest `width` bytes of a number, little end first. */
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

/* Notes a loss, which is counted once the shape is the one that is written. */
void shape_lose(shape *s, const char *what, loss_extent extent);

/* A name that all batches know: names of the batch's own mean something else in the next one, and
   would make one key of different classes. */
stele_name shape_lasting_name(shape *s, stele_name name);

/* Puts an op, the width and the name of a field to the key. */
void shape_put_op(shape *s, shape_op op, unsigned width, unsigned display, stele_name name);

/* Puts an op that a count belongs to, and the count to the value where no member in front has it.
 */
void shape_put_counted(shape *s, shape_op op, unsigned width, unsigned display,
                       const stele_field *field, uint32_t count);

/* Notes a label of the slot at hand. */
void shape_put_label(shape *s, uint64_t value, stele_name name);

/* Puts a text, up to its first zero, or as bytes where it has zeros. */
void shape_put_text(shape *s, const stele_field *field, stele_text text);

/* Puts fields that follow each other. */
void shape_put_members(shape *s, const stele_field *first, uint32_t length);

/* Puts a field with all that it holds. */
void shape_put_field(shape *s, const stele_field *field);

/* Whether the event enters or leaves a function. */
bool shape_is_function(const shape *s, const stele_event *event);

/* Whether "CATEGORY:NAME" as the name of a class is read as this category and this name. */
bool shape_name_is_plain(shape *s, stele_name name, stele_name category);

/* Puts what the event is besides its fields. */
uint32_t shape_put_kind_members(shape *s, const stele_event *event, bool is_needed);

/* Puts all fields of an event as texts. */
uint32_t shape_put_all_flat(shape *s, const stele_field *fields, uint32_t length);

#endif
