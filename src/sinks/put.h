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

/* |a - b|, which always fits; `*is_negative` tells the sign. */
static inline uint64_t time_distance(int64_t a, int64_t b, bool *is_negative)
{
    *is_negative = a < b;
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

#endif
