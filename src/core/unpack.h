/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed inputs: a sequential input that unpacks another one on the fly. What a compression does is
 * a codec; reading, damage and ends are the same for all.
 */
#ifndef CORE_UNPACK_H
#define CORE_UNPACK_H

#include "core/input.h"

typedef enum unpack_result {
    UNPACK_MORE,    /* in the midst of a part (gzip: member, zstd: frame) */
    UNPACK_BETWEEN, /* a part is complete: the input may end here */
    UNPACK_DAMAGED,
    UNPACK_TOO_LARGE, /* more memory would be needed than is given to unpacking */
    UNPACK_NO_MEMORY
} unpack_result;

typedef struct unpack_span {
    const uint8_t *from, *from_end; /* packed; `from` is stepped over what was taken */
    uint8_t *to, *to_end;           /* room; `to` is stepped over what was made */
    const char *why;                /* of UNPACK_DAMAGED; static */
} unpack_span;

typedef struct unpack_codec {
    const char *name;
    bool (*is_packed)(const uint8_t *head, size_t size); /* by its magic number */
    void *(*open)(void);                                 /* NULL if out of memory */

    /* Takes and makes as much as it likes; with neither it needs more of `from`. */
    unpack_result (*step)(void *state, unpack_span *span);
    void (*close)(void *state);
} unpack_codec;

extern const unpack_codec unpack_gzip, unpack_zstd, unpack_bzip2;

/* The codec of this build for what begins so; NULL if there is none. */
const unpack_codec *unpack_find(const uint8_t *head, size_t size);

/*
 * Looks at the first bytes of `*in`. When they are packed, puts the unpacking input in its place,
 * which owns it, and gives the codec's name, else "". STELE_ERR_UNSUPPORTED with a finding when
 * this build cannot unpack it. On errors the input is closed and `*in` NULL.
 *
 * Damage: what was unpacked before is delivered, then a finding tells the place in the packed
 * input, and the unpacked one ends.
 */
stele_status unpack_open(input **in, const char **name);

#endif
