/* SPDX-License-Identifier: Apache-2.0 */
/* Small functions with which sinks write text to memory that was reserved before. */
#ifndef SINKS_PUT_H
#define SINKS_PUT_H

#include "core/text.h"

static inline char *put_bytes(char *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

/* Writes a string literal to reserved memory. Returns the end. */
#define PUT(to, literal) put_bytes((to), (literal), sizeof(literal) - 1)

/* Appends bytes to an output, for parts that are not worth reserving by hand. */
static inline void output_put(output *out, const void *bytes, size_t size)
{
    if ((size_t)(out->end - out->at) < size) {
        output_write(out, bytes, size);
        return;
    }
    memcpy(out->at, bytes, size);
    output_advance(out, size);
}

/* Bytes are copied in blocks of this size, which is faster than a call of memcpy() for few
   bytes. Up to PUT_BLOCK - 1 more bytes are read and written than there are. */
#define PUT_BLOCK 16u

static inline char *put_blocks(char *to, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PUT_BLOCK)
        memcpy(to + at, bytes + at, PUT_BLOCK);
    return to + size;
}

#define OUTPUT_LITERAL(out, literal) output_put((out), (literal), sizeof(literal) - 1)

/* |a - b|, which always fits; `*is_negative` is whether a < b. */
static inline uint64_t time_distance(int64_t a, int64_t b, bool *is_negative)
{
    *is_negative = a < b;
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

#endif
