/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks Zstandard (RFC 8878): one or more frames; the library skips skippable ones. */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/load.h"
#include "core/unpack.h"

#define BLOCK_HEADER_SIZE 3

typedef struct zstd_state {
    ZSTD_DStream *stream;
    size_t wanted; /* bytes that the library wants next, with the next block header */
} zstd_state;

static bool zstd_is_packed(const uint8_t *head, size_t size)
{
    uint32_t magic;
    if (size < 4)
        return false;
    magic = load_le32(head);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void *zstd_open(void)
{
    zstd_state *zstd = calloc(1, sizeof *zstd);
    if (zstd == NULL)
        return NULL;
    zstd->stream = ZSTD_createDStream();
    if (zstd->stream == NULL) {
        free(zstd);
        return NULL;
    }
    zstd->wanted = ZSTD_initDStream(zstd->stream);
    return zstd;
}

/* How many bytes the next call gets: one block, or one block header. If the library finds damage,
   the bytes that the same call unpacked before are lost. */
static size_t zstd_portion(const zstd_state *zstd, const unpack_span *span)
{
    const size_t left = (size_t)(span->from_end - span->from);
    const size_t wanted =
        zstd->wanted > BLOCK_HEADER_SIZE ? zstd->wanted - BLOCK_HEADER_SIZE : zstd->wanted;
    return wanted < left ? wanted : left;
}

static unpack_result zstd_step(void *state, unpack_span *span)
{
    zstd_state *zstd = state;
    ZSTD_inBuffer in = {span->from, zstd_portion(zstd, span), 0};
    ZSTD_outBuffer out = {span->to, (size_t)(span->to_end - span->to), 0};
    const size_t code = ZSTD_decompressStream(zstd->stream, &out, &in);
    span->from += in.pos;
    span->to += out.pos;
    if (ZSTD_isError(code)) {
        span->why = ZSTD_getErrorName(code);
        switch (ZSTD_getErrorCode(code)) {
        case ZSTD_error_memory_allocation: return UNPACK_NO_MEMORY;
        case ZSTD_error_frameParameter_windowTooLarge: return UNPACK_TOO_LARGE;
        default: return UNPACK_DAMAGED;
        }
    }
    zstd->wanted = code != 0 ? code : BLOCK_HEADER_SIZE;
    return code == 0 ? UNPACK_BETWEEN : UNPACK_MORE;
}

static void zstd_close(void *state)
{
    zstd_state *zstd = state;
    ZSTD_freeDStream(zstd->stream);
    free(zstd);
}

const unpack_codec unpack_zstd = {"zstd", zstd_is_packed, zstd_open, zstd_step, zstd_close};
