/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed inputs: a sequential input that unpacks another one while it is read. A codec knows
   one compression; reading, damage and ends are handled alike for all. */
#ifndef CORE_UNPACK_H
#define CORE_UNPACK_H

#include "core/input.h"

typedef enum unpack_result {
    UNPACK_MORE,    /* in the middle of a part (gzip: member, zstd: frame) */
    UNPACK_BETWEEN, /* after a complete part: the input may end here */
    UNPACK_DAMAGED,
    UNPACK_TOO_LARGE, /* unpacking needs more memory than it may take */
    UNPACK_NO_MEMORY
} unpack_result;

typedef struct unpack_span {
    const uint8_t *from, *from_end; /* compressed bytes; `from` moves over those that were taken */
    uint8_t *to, *to_end; /* room for unpacked bytes; `to` moves over those that were written */
    const char *why;      /* after UNPACK_DAMAGED: the reason; a static text */
} unpack_span;

typedef struct unpack_codec {
    const char *name;
    /* Whether the bytes begin with the codec's magic number. */
    bool (*is_packed)(const uint8_t *head, size_t size);
    void *(*open)(void); /* returns a new state; NULL if out of memory */

    /* Takes bytes from `from` and writes bytes to `to`, as many as it chooses; if it does neither,
       it needs more of `from`. */
    unpack_result (*step)(void *state, unpack_span *span);
    void (*close)(void *state);

    /* Finds the size of the part of a seekable input that begins at `offset`, as it is stored and
       after unpacking. Returns false if that cannot be known without unpacking the part. NULL: it
       never can. */
    bool (*measure)(input *packed, uint64_t offset, uint64_t *stored_size, uint64_t *size);
} unpack_codec;

/* Parts up to this size, stored and unpacked, are unpacked on their own. */
#define UNPACK_PART_MAX ((uint64_t)8 << 20)

extern const unpack_codec unpack_gzip, unpack_zstd, unpack_bzip2;

/* The codec for data that begins with these bytes; NULL if this build has none. */
const unpack_codec *unpack_find(const uint8_t *head, size_t size);

/* Replaces a compressed input of several parts by a seekable input that unpacks and owns it.
   Returns false if that is not possible: `*in` is then as it was, and has to be read from front to
   back. */
bool unpack_parts_open(input **in, const unpack_codec *codec);

/*
 * Looks at the first bytes of `*in`. If they are compressed, replaces `*in` by an input that
 * unpacks it and owns it; `*name` becomes the codec's name, else "". STELE_ERR_UNSUPPORTED, with a
 * finding, if this build cannot unpack it. After an error the input is closed and `*in` is NULL.
 * The new input is seekable if the old one is and consists of several parts that can be unpacked
 * on their own: see unpack_parts.c.
 *
 * If the compressed data is damaged, the bytes unpacked before are delivered, then a finding gives
 * the offset in the compressed input, and the unpacked input ends.
 */
stele_status unpack_open(input **in, const char **name);

#endif
