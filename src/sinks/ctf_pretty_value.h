/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as babeltrace2 writes them. What is written goes to `to`, a place in the buffer of an
 * output that is advanced only when a line is complete; the place after is given back.
 */
#ifndef SINKS_CTF_PRETTY_VALUE_H
#define SINKS_CTF_PRETTY_VALUE_H

#include <stele/sink.h>

#include "sinks/names.h"
#include "sinks/put.h"

/* Terminal colours, or empty texts. Labels are strings. */
typedef struct pretty_colors {
    stele_text key, event, time, number, string, unknown, end;
} pretty_colors;

typedef struct pretty_values {
    stele_context *context;
    output *out;
    const stele_batch *batch;
    name_forms keys; /* "name = " */
    pretty_colors colors;
} pretty_values;

/* Room for what is of bounded size, in one piece: a number, brackets, colours. */
#define PRETTY_ROOM 128

/* What is copied at once of texts that have as much after them. */
#define PRETTY_CHUNK 16

char *pretty_make_room(output *out, char *to, size_t size);

/* At least `size` bytes, 16 KiB at most, to be written at the place that is given. */
static inline char *pretty_room(output *out, char *to, size_t size)
{
    return (size_t)((char *)out->end - to) >= size ? to : pretty_make_room(out, to, size);
}

/* Text of any size; what follows finds PRETTY_ROOM. */
char *pretty_put_text(output *out, char *to, stele_text text);

/* The same for text after which there is as much as a chunk, which may be copied, too. */
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

/* In quotes, with escapes, up to the first zero. */
char *pretty_put_string(const pretty_values *v, char *to, stele_text text);

char *pretty_put_value(pretty_values *v, char *to, const stele_field *field, bool has_names);

/* Members from `at` to `end` that are shown, after `count` others. */
char *pretty_put_members(pretty_values *v, char *to, const stele_field *at, const stele_field *end,
                         size_t count, bool has_names);

/* The bits of an integer that its hexadecimal digits show. */
uint64_t pretty_hex_bits(const stele_field *field);

/* Whether it is shown where it stands: contexts are shown elsewhere. */
static inline bool pretty_is_shown(const stele_field *field)
{
    return (field->hint & (STELE_HINT_RAW | STELE_HINT_CONTEXT)) == 0;
}

#endif
