/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks bzip2: one or more streams, one after the other. Empty if the library is missing. */
#include "core/unpack.h"

#include "stele_config.h"

#ifdef STELE_HAVE_BZ2

#include <bzlib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct bzip2_state {
    bz_stream stream;
    bool is_between; /* the last stream is complete */
} bzip2_state;

/* Whether data is bzip2: "BZh", the level, then the magic number of a block or of the end. */
static bool bzip2_is_packed(const uint8_t *head, size_t size)
{
    return size >= 10 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
           (memcmp(head + 4, "1AY&SY", 6) == 0 ||
            memcmp(head + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

static void *bzip2_open(void)
{
    bzip2_state *bzip2 = calloc(1, sizeof *bzip2);
    if (bzip2 != NULL && BZ2_bzDecompressInit(&bzip2->stream, 0, 0) != BZ_OK) {
        free(bzip2);
        return NULL;
    }
    return bzip2;
}

static unsigned bzip2_count(const void *at, const void *end)
{
    const size_t count = (size_t)((const char *)end - (const char *)at);
    return count > INT_MAX ? INT_MAX : (unsigned)count;
}

/* Prepares for the next stream: the library needs a new state for each. */
static bool bzip2_restart(bzip2_state *bzip2)
{
    BZ2_bzDecompressEnd(&bzip2->stream);
    bzip2->stream = (bz_stream){0};
    bzip2->is_between = false;
    return BZ2_bzDecompressInit(&bzip2->stream, 0, 0) == BZ_OK;
}

static unpack_result bzip2_step(void *state, unpack_span *span)
{
    bzip2_state *bzip2 = state;
    bz_stream *stream = &bzip2->stream;
    int code;
    if (bzip2->is_between) {
        if (span->from == span->from_end)
            return UNPACK_BETWEEN;
        if (!bzip2_restart(bzip2))
            return UNPACK_NO_MEMORY;
    }
    stream->next_in = (char *)(uintptr_t)span->from; /* the library only reads these bytes */
    stream->avail_in = bzip2_count(span->from, span->from_end);
    stream->next_out = (char *)span->to;
    stream->avail_out = bzip2_count(span->to, span->to_end);
    code = BZ2_bzDecompress(stream);
    span->from = (const uint8_t *)stream->next_in;
    span->to = (uint8_t *)stream->next_out;
    switch (code) {
    case BZ_STREAM_END: bzip2->is_between = true; return UNPACK_BETWEEN;
    case BZ_OK: return UNPACK_MORE;
    case BZ_MEM_ERROR: return UNPACK_NO_MEMORY;
    case BZ_DATA_ERROR_MAGIC: span->why = "no header where one is expected"; return UNPACK_DAMAGED;
    default: span->why = "not valid"; return UNPACK_DAMAGED;
    }
}

static void bzip2_close(void *state)
{
    bzip2_state *bzip2 = state;
    BZ2_bzDecompressEnd(&bzip2->stream);
    free(bzip2);
}

/* The codec has no measure(): blocks of bzip2 can begin in the middle of a byte, so that the data
   is read from front to back. */
const unpack_codec unpack_bzip2 = {.name = "bzip2",
                                   .is_packed = bzip2_is_packed,
                                   .open = bzip2_open,
                                   .step = bzip2_step,
                                   .close = bzip2_close};

#endif
