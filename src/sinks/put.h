/* SPDX-License-Identifier: Apache-2.0 */
/* Small pieces that every sink writes, into memory that was reserved before. */
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

/* Bytes that are copied in whole blocks, which costs less than a call where they are few: so many
   more may be read and written than there are. */
#define PUT_BLOCK 16u

static inline char *put_blocks(char *to, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PUT_BLOCK)
        memcpy(to + at, bytes + at, PUT_BLOCK);
    return to + size;
}

#define OUTPUT_LITERAL(out, literal) output_put((out), (literal), sizeof(literal) - 1)

/* |a - b|, which always fits; `*is_negative` tells the sign. */
static inline uint64_t time_distance(int64_t a, int64_t b, bool *is_negative)
{
    *is_negative = a < b;
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

#endif
