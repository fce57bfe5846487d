/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "stele_config.h"

#define BUFFER_SIZE ((size_t)64 << 10)
#define MAGIC_SIZE  16u /* bytes that suffice for all magic numbers */

typedef struct unpack_input {
    input base;
    input *packed; /* owned */
    const unpack_codec *codec;
    void *state;
    uint8_t *buffer;
    const uint8_t *at, *end; /* compressed bytes that are loaded and not yet unpacked */
    uint64_t end_offset;     /* offset of `end` in the compressed input */
    bool is_between;         /* the last part (gzip: member, zstd: frame) is complete */
    bool is_over;            /* nothing more can be unpacked */
} unpack_input;

static const unpack_codec *const codecs[] = {
    &unpack_gzip,
    &unpack_zstd,
#ifdef STELE_HAVE_BZ2
    &unpack_bzip2,
#endif
};

/* Data that is recognised by its magic number, but cannot be unpacked. */
static const struct {
    const char *magic, *name;
} strangers[] = {
#ifndef STELE_HAVE_BZ2
    {"BZh", "bzip2 data, which needs a build with libbz2"},
#endif
    {"\xfd"
     "7zXZ",
     "xz data"},
    {"\x04\x22\x4d\x18", "lz4 data"},
    {"PK\x03\x04", "a zip archive"},
};

static uint64_t unpack_offset(const unpack_input *u)
{
    return u->end_offset - (uint64_t)(u->end - u->at);
}

/* Ends the input because of damage, which is reported; returns STELE_ERR_MEMORY if it is out of
   memory. */
static stele_status unpack_give_up(unpack_input *u, unpack_result result, const char *why)
{
    u->is_over = true;
    if (result == UNPACK_NO_MEMORY)
        return STELE_ERR_MEMORY;
    if (result == UNPACK_TOO_LARGE)
        diag_report(u->base.diag, &core_codes[STE004], u->base.name, unpack_offset(u), 0, NULL,
                    "%s data that needs too much memory to unpack", u->codec->name);
    else
        diag_report(u->base.diag, &core_codes[STE003], u->base.name, unpack_offset(u), 0, NULL,
                    "%s data: %s", u->codec->name, why);
    return STELE_OK;
}

/* Loads the next compressed bytes. At their end the unpacked input ends, too. */
static stele_status unpack_refill(unpack_input *u)
{
    size_t got;
    const stele_status status = input_read(u->packed, u->end_offset, u->buffer, BUFFER_SIZE, &got);
    u->at = u->buffer;
    u->end = u->buffer + got;
    u->end_offset += got;
    if (status != STELE_OK || got != 0)
        return status;
    if (!u->is_between)
        return unpack_give_up(u, UNPACK_DAMAGED, "ends early");
    u->is_over = true;
    return STELE_OK;
}

static stele_status unpack_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got)
{
    unpack_input *u = (unpack_input *)in;
    uint8_t *const to = buffer;
    stele_status status = STELE_OK;
    (void)offset;
    *got = 0;
    while (*got == 0 && !u->is_over && status == STELE_OK) {
        unpack_span span = {.from = u->at, .from_end = u->end, .to = to, .to_end = to + size};
        const unpack_result result = u->codec->step(u->state, &span);
        const bool is_stuck = span.from == u->at && span.to == to;
        u->at = span.from;
        *got = (size_t)(span.to - to);
        if (result > UNPACK_BETWEEN)
            status = unpack_give_up(u, result, span.why);
        else if (is_stuck)
            status = unpack_refill(u);
        else
            u->is_between = result == UNPACK_BETWEEN;
    }
    in->stored_at = unpack_offset(u);
    return status;
}

static void unpack_close(input *in)
{
    unpack_input *u = (unpack_input *)in;
    if (u->state != NULL)
        u->codec->close(u->state);
    input_close(u->packed);
    free(u->buffer);
    free(u);
}

/* Replaces the compressed input by one that unpacks and owns it. */
static stele_status unpack_wrap(input **in, const unpack_codec *codec)
{
    static const input_ops ops = {unpack_read, unpack_close};
    unpack_input *u = calloc(1, sizeof *u);
    if (u == NULL || !input_init(&u->base, &ops, (*in)->diag, (*in)->name)) {
        free(u);
        return STELE_ERR_MEMORY;
    }
    u->packed = *in;
    u->codec = codec;
    u->base.stored_size = (*in)->stored_size;
    *in = &u->base;
    u->state = codec->open();
    u->buffer = malloc(BUFFER_SIZE);
    u->at = u->end = u->buffer;
    return u->state != NULL && u->buffer != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

const unpack_codec *unpack_find(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (codecs[i]->is_packed(head, size))
            return codecs[i];
    }
    return NULL;
}

static stele_status unpack_by_magic(input **in, const uint8_t *head, size_t size, const char **name)
{
    const unpack_codec *codec = unpack_find(head, size);
    if (codec != NULL) {
        *name = codec->name;
        return unpack_parts_open(in, codec) ? STELE_OK : unpack_wrap(in, codec);
    }
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const size_t length = strlen(strangers[i].magic);
        if (size >= length && memcmp(head, strangers[i].magic, length) == 0) {
            diag_report((*in)->diag, &core_codes[STE004], (*in)->name, 0, length, NULL, "%s",
                        strangers[i].name);
            return STELE_ERR_UNSUPPORTED;
        }
    }
    return STELE_OK;
}

stele_status unpack_open(input **in, const char **name)
{
    uint8_t magic[MAGIC_SIZE];
    const uint8_t *head = magic;
    size_t size;
    /* The first bytes of a sequential input must be kept for later reads. A seekable one needs no
       such copy, and there may be many of them. */
    stele_status status = (*in)->is_seekable ? input_read(*in, 0, magic, sizeof magic, &size)
                                             : input_peek(*in, &head, &size);
    *name = "";
    if (status == STELE_OK)
        status = unpack_by_magic(in, head, size, name);
    if (status != STELE_OK) {
        input_close(*in);
        *in = NULL;
    }
    return status;
}
