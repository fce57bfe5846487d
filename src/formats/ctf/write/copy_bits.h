/* SPDX-License-Identifier: Apache-2.0 */
/* Writes bits one after the other: pieces of records at other positions than they were read
   from. */
#ifndef CTF_COPY_BITS_H
#define CTF_COPY_BITS_H

#include "core/output.h"

typedef struct bit_writer {
    output *out;        /* NULL to only count bits */
    uint64_t at;        /* bits written so far */
    uint64_t rest;      /* bits of the last byte, which is not full */
    bool is_big_endian; /* bytes are filled from their highest bit down */
    /* Both bit orders occur in the trace, so bits cannot be moved to another position within a
       byte. */
    bool is_mixed;
    bool is_bad; /* bits would have had to be moved so */
} bit_writer;

/* Writes the lowest `width` bits of the value, 1 to 64. */
void bits_write(bit_writer *w, uint64_t value, unsigned width);

/* Copies `count` bits that begin `first` bits after the start of `from`. */
void bits_copy(bit_writer *w, const uint8_t *from, uint64_t first, uint64_t count);

/* Writes zeros up to a multiple of `alignment` bits, a power of two. */
void bits_align(bit_writer *w, uint64_t alignment);

#endif
