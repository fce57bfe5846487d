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
} unpack_codec;

extern const unpack_codec unpack_gzip, unpack_zstd, unpack_bzip2;

/* The codec for data that begins with these bytes; NULL if this build has none. */
const unpack_codec *unpack_find(const uint8_t *head, size_t size);

/*
 * Looks at the first bytes of `*in`. If they are compressed, replaces `*in` by an input that
 * unpacks it and owns it; `*name` becomes the codec's name, else "". STELE_ERR_UNSUPPORTED, with a
 * finding, if this build cannot unpack it. After an error the input is closed and `*in` is NULL.
 *
 * If the compressed data is damaged, the bytes unpacked before are delivered, then a finding gives
 * the offset in the compressed input, and the unpacked input ends.
 */
stele_status unpack_open(input **in, const char **name);

#endif
