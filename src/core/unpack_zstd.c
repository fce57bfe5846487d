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

/* ---- Frames and their sizes ---- */

#define FRAME_HEADER_MAX 18u
#define SKIP_HEADER_SIZE 8u
#define CHECKSUM_SIZE    4u
#define BLOCK_IS_RLE     1u
/* Blocks of one frame that are hopped over, at most; a block has 128 KiB unless it was flushed. */
#define BLOCKS_MAX 4096u

/* The size of a frame's header. The descriptor says which fields come after it. */
static unsigned frame_header_size(uint8_t descriptor)
{
    static const uint8_t dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
    const bool is_single = (descriptor & 0x20) != 0;
    const unsigned code = descriptor >> 6;
    const unsigned content_size = code == 0 && is_single ? 1 : content[code];
    return 5u + (is_single ? 0 : 1) + dictionary[descriptor & 3] + content_size;
}

/* Measures a frame: hops over its blocks to its end. Each turn consumes stored bytes, and at most
   BLOCKS_MAX blocks are read. */
static bool zstd_measure(input *packed, uint64_t offset, uint64_t *stored_size, uint64_t *size)
{
    uint8_t head[FRAME_HEADER_MAX];
    uint64_t at;
    unsigned block_count = 0;
    bool is_last = false;
    size_t got;
    if (input_read(packed, offset, head, sizeof head, &got) != STELE_OK || got < SKIP_HEADER_SIZE ||
        !zstd_is_packed(head, got))
        return false;
    *size = 0;
    if (load_le32(head) != ZSTD_MAGICNUMBER) {
        *stored_size = (uint64_t)load_le32(head + 4) + SKIP_HEADER_SIZE;
        return true;
    }
    *size = ZSTD_getFrameContentSize(head, got);
    if (*size > UNPACK_PART_MAX) /* the content is too large, or its size is not stored */
        return false;
    for (at = offset + frame_header_size(head[4]); !is_last;) {
        uint8_t bytes[BLOCK_HEADER_SIZE];
        uint32_t block;
        if (input_read(packed, at, bytes, sizeof bytes, &got) != STELE_OK || got != sizeof bytes ||
            block_count++ == BLOCKS_MAX)
            return false;
        block = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
        is_last = block & 1;
        at += BLOCK_HEADER_SIZE + ((block >> 1 & 3) == BLOCK_IS_RLE ? 1 : block >> 3);
    }
    *stored_size = at - offset + ((head[4] & 4) != 0 ? CHECKSUM_SIZE : 0);
    return true;
}

const unpack_codec unpack_zstd = {"zstd",    zstd_is_packed, zstd_open,
                                  zstd_step, zstd_close,     zstd_measure};
