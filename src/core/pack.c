/* SPDX-License-Identifier: Apache-2.0 */
#include "core/pack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define ROOM ((size_t)64 << 10)

struct packer {
    z_stream gzip;
    ZSTD_CStream *zstd; /* NULL: the packer writes gzip */
    uint8_t room[ROOM];
};

packer *packer_open(const char *extension)
{
    packer *p = calloc(1, sizeof *p);
    bool is_open;
    if (p == NULL)
        return NULL;
    if (strcmp(extension, ".zst") == 0) {
        p->zstd = ZSTD_createCStream();
        is_open = p->zstd != NULL;
        if (is_open)
            ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
    } else {
        /* A window of 15 bits, and 16 for a gzip header. */
        is_open = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK;
    }
    if (is_open)
        return p;
    free(p);
    return NULL;
}

void packer_close(packer *p)
{
    if (p == NULL)
        return;
    if (p->zstd != NULL)
        ZSTD_freeCStream(p->zstd);
    else
        deflateEnd(&p->gzip);
    free(p);
}

static bool step_zstd(packer *p, ZSTD_inBuffer *in, bool is_end, pack_give_fn *give, void *user)
{
    size_t left;
    do {
        ZSTD_outBuffer out = {p->room, ROOM, 0};
        left = ZSTD_compressStream2(p->zstd, &out, in, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return false;
        give(user, p->room, out.pos);
    } while (is_end ? left != 0 : in->pos < in->size);
    return true;
}

static bool step_gzip(packer *p, const void *bytes, size_t size, bool is_end, pack_give_fn *give,
                      void *user)
{
    const uint8_t *from = bytes;
    int result;
    do {
        /* Sizes in zlib have 32 bits. */
        const size_t piece = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;
        p->gzip.next_in = (Bytef *)(uintptr_t)from;
        p->gzip.avail_in = (uInt)piece;
        from += piece;
        size -= piece;
        do {
            p->gzip.next_out = p->room;
            p->gzip.avail_out = (uInt)ROOM;
            result = deflate(&p->gzip, is_end && size == 0 ? Z_FINISH : Z_NO_FLUSH);
            if (result == Z_STREAM_ERROR)
                return false;
            give(user, p->room, ROOM - p->gzip.avail_out);
        } while (p->gzip.avail_out == 0);
    } while (size != 0);
    return !is_end || result == Z_STREAM_END;
}

bool packer_step(packer *p, const void *bytes, size_t size, bool is_end, pack_give_fn *give,
                 void *user)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    return p->zstd != NULL ? step_zstd(p, &in, is_end, give, user)
                           : step_gzip(p, bytes, size, is_end, give, user);
}
