/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks gzip (RFC 1952): one or more members, one after the other; zeros may follow the last. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/load.h"
#include "core/unpack.h"

#define GZIP_WRAPPER 16 /* for inflateInit2(): expect a gzip header, check its CRC-32 */

typedef struct gzip_state {
    z_stream stream;
    bool is_between; /* the last member is complete */
} gzip_state;

/* Whether data is gzip: ID1, ID2, CM 8 (deflate), and no reserved flag. */
static bool gzip_is_packed(const uint8_t *head, size_t size)
{
    return size >= 4 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 && (head[3] & 0xe0) == 0;
}

static void *gzip_open(void)
{
    gzip_state *gzip = calloc(1, sizeof *gzip);
    if (gzip != NULL && inflateInit2(&gzip->stream, GZIP_WRAPPER + MAX_WBITS) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

static uInt gzip_count(const uint8_t *at, const uint8_t *end)
{
    const size_t count = (size_t)(end - at);
    return count > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)count;
}

static unpack_result gzip_step(void *state, unpack_span *span)
{
    gzip_state *gzip = state;
    z_stream *stream = &gzip->stream;
    int code;
    if (gzip->is_between) {
        while (span->from != span->from_end && *span->from == 0)
            span->from++;
        if (span->from == span->from_end)
            return UNPACK_BETWEEN;
        if (inflateReset(stream) != Z_OK)
            return UNPACK_NO_MEMORY;
        gzip->is_between = false;
    }
    stream->next_in = (z_const Bytef *)span->from;
    stream->avail_in = gzip_count(span->from, span->from_end);
    stream->next_out = span->to;
    stream->avail_out = gzip_count(span->to, span->to_end);
    code = inflate(stream, Z_NO_FLUSH);
    span->from = stream->next_in;
    span->to = stream->next_out;
    switch (code) {
    case Z_STREAM_END: gzip->is_between = true; return UNPACK_BETWEEN;
    case Z_OK:
    case Z_BUF_ERROR: return UNPACK_MORE;
    case Z_MEM_ERROR: return UNPACK_NO_MEMORY;
    default: span->why = stream->msg != NULL ? stream->msg : "not valid"; return UNPACK_DAMAGED;
    }
}

static void gzip_close(void *state)
{
    gzip_state *gzip = state;
    inflateEnd(&gzip->stream);
    free(gzip);
}

/* A member that bgzip wrote has a header of this size, with the field "BC": the size of the member
   minus 1. Its last four bytes are the size of its contents. */
#define BGZIP_HEADER_SIZE 18u
#define BGZIP_SIZE_AT     16u

static bool gzip_measure(input *packed, uint64_t offset, uint64_t *stored_size, uint64_t *size)
{
    static const uint8_t field[] = {6, 0, 'B', 'C', 2, 0};
    uint8_t head[BGZIP_HEADER_SIZE], end[4];
    size_t got;
    if (input_read(packed, offset, head, sizeof head, &got) != STELE_OK || got != sizeof head ||
        !gzip_is_packed(head, got) || head[3] != 4 || memcmp(head + 10, field, sizeof field) != 0)
        return false;
    *stored_size = (uint64_t)(head[BGZIP_SIZE_AT] | head[BGZIP_SIZE_AT + 1] << 8) + 1;
    if (*stored_size < sizeof head + sizeof end ||
        input_read(packed, offset + *stored_size - sizeof end, end, sizeof end, &got) != STELE_OK ||
        got != sizeof end)
        return false;
    *size = load_le32(end);
    return true;
}

const unpack_codec unpack_gzip = {"gzip",    gzip_is_packed, gzip_open,
                                  gzip_step, gzip_close,     gzip_measure};
