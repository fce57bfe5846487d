/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values as babeltrace2 does. Functions write to `to`, a position in the buffer of an
   output, and return the position after. The output itself is advanced when a line is complete. */
#ifndef SINKS_CTF_PRETTY_VALUE_H
#define SINKS_CTF_PRETTY_VALUE_H

#include <stele/sink.h>

#include "sinks/names.h"
#include "sinks/put.h"

/* Terminal colours; empty texts if there are none. Labels have the colour of strings. */
typedef struct pretty_colors {
    stele_text key, event, time, number, string, unknown, end;
} pretty_colors;

typedef struct pretty_values {
    stele_context *context;
    output *out;
    const stele_batch *batch;
    name_forms keys; /* texts like "name = " */
    pretty_colors colors;
} pretty_values;

/* Bytes that are enough for one part of bounded size: a number, brackets, colours. */
#define PRETTY_ROOM 128

/* Texts are copied in blocks of this size if as many bytes are readable after them. */
#define PRETTY_CHUNK 16

char *pretty_make_room(output *out, char *to, size_t size);

/* Makes room for `size` bytes, at most 16 KiB, and returns where to write them. */
static inline char *pretty_room(output *out, char *to, size_t size)
{
    return (size_t)((char *)out->end - to) >= size ? to : pretty_make_room(out, to, size);
}

/* Writes a text of any size. PRETTY_ROOM bytes are free after it. */
char *pretty_put_text(output *out, char *to, stele_text text);

/* Like pretty_put_text(), for a text after which PRETTY_CHUNK bytes may be read. */
static inline char *pretty_put_chunks(output *out, char *to, const char *bytes, size_t size)
{
    if ((size_t)((char *)out->end - to) < size + PRETTY_CHUNK + PRETTY_ROOM)
        return pretty_put_text(out, to, (stele_text){bytes, size});
    for (size_t i = 0; i < size; i += PRETTY_CHUNK)
        memcpy(to + i, bytes + i, PRETTY_CHUNK);
    return to + size;
}

static inline char *pretty_put_color(char *to, const stele_text *color)
{
    return color->size != 0 ? put_bytes(to, color->bytes, color->size) : to;
}

/* Writes a string in quotes, with escapes, up to its first zero. */
char *pretty_put_string(const pretty_values *v, char *to, stele_text text);

char *pretty_put_value(pretty_values *v, char *to, const stele_field *field, bool has_names);

/* Writes the members from `at` to `end` that are shown, after `count` others. */
char *pretty_put_members(pretty_values *v, char *to, const stele_field *at, const stele_field *end,
                         size_t count, bool has_names);

/* The bits of an integer that its hexadecimal digits show. */
uint64_t pretty_hex_bits(const stele_field *field);

/* Whether a field is shown at its place in the structure; contexts are shown elsewhere. */
static inline bool pretty_is_shown(const stele_field *field)
{
    return (field->hint & (STELE_HINT_RAW | STELE_HINT_CONTEXT)) == 0;
}

#endif
