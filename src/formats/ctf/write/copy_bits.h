/* SPDX-License-Identifier: Apache-2.0 */
/* Bits one after the other: pieces of records at other places than they were read from. */
#ifndef CTF_COPY_BITS_H
#define CTF_COPY_BITS_H

#include "core/output.h"

typedef struct bit_writer {
    output *out;        /* NULL: bits are only counted */
    uint64_t at;        /* so many by now */
    uint64_t rest;      /* those of the byte that is not full */
    bool is_big_endian; /* bytes fill from their highest bit down */
    bool is_mixed;      /* bits of both orders occur, so that none can move inside a byte */
    bool is_bad;        /* one had to */
} bit_writer;

/* The lowest `width` (1 to 64) bits of the value. */
void bits_write(bit_writer *w, uint64_t value, unsigned width);

/* `count` bits, `first` bits from the start of `from`. */
void bits_copy(bit_writer *w, const uint8_t *from, uint64_t first, uint64_t count);

/* Zeros, up to a multiple of so many bits. */
void bits_align(bit_writer *w, uint64_t alignment);

#endif
