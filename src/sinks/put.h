/* SPDX-License-Identifier: Apache-2.0 */
/* Small pieces that every sink writes, straight into room that was reserved. */
#ifndef SINKS_PUT_H
#define SINKS_PUT_H

#include "core/text.h"

static inline char *put_bytes(char *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

/* Of a string literal. */
#define PUT(to, literal) put_bytes((to), (literal), sizeof(literal) - 1)

/* The same as appends, for what is not worth reserving by hand. */
static inline void output_put(output *out, const void *bytes, size_t size)
{
    if ((size_t)(out->end - out->at) < size) {
        output_write(out, bytes, size);
        return;
    }
    memcpy(out->at, bytes, size);
    output_advance(out, size);
}

#define OUTPUT_LITERAL(out, literal) output_put((out), (literal), sizeof(literal) - 1)

static inline void output_u64(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_u64(to, value) - to));
}

static inline void output_i64(output *out, int64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_i64(to, value) - to));
}

static inline void output_double(output *out, double value)
{
    char *to = (char *)output_reserve(out, TEXT_DOUBLE_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_double(to, value) - to));
}

/* With "0x". */
static inline void output_hex(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, 2 + TEXT_HEX_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_hex(PUT(to, "0x"), value, 1) - to));
}

/* |a - b|, which always fits; `*is_negative` tells the sign. */
static inline uint64_t time_distance(int64_t a, int64_t b, bool *is_negative)
{
    *is_negative = a < b;
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

#endif
