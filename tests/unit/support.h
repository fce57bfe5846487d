/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of inputs and outputs need: findings that are kept, random bytes, a folder of their
   own, and an input that gives its bytes in odd pieces. */
#ifndef UNIT_SUPPORT_H
#define UNIT_SUPPORT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/input.h"
#include "test.h"

/* ---- Findings that are kept ---- */

typedef struct findings {
    diag_sink sink;
    unsigned count;
    char code[8]; /* of the last finding, as the members below */
    char source[512];
    char found[512];
    uint64_t offset;
} findings;

static inline void findings_keep(void *user, const stele_diag *diag)
{
    findings *f = user;
    f->count++;
    f->offset = diag->offset;
    snprintf(f->code, sizeof f->code, "%s", diag->code->code);
    snprintf(f->source, sizeof f->source, "%s", diag->source);
    snprintf(f->found, sizeof f->found, "%s", diag->found);
}

static inline diag_sink *findings_sink(findings *f)
{
    *f = (findings){.sink = {.fn = findings_keep, .user = f}};
    return &f->sink;
}

/* ---- Random numbers ---- */

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline void random_fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)random_next(&seed);
}

/* ---- Files and folders ---- */

/* Makes a new folder and changes to it; folder_leave() removes it with all that is in it. */
static inline void folder_enter(char *path, size_t size)
{
    snprintf(path, size, "/tmp/stele-unit-XXXXXX");
    REQUIRE(mkdtemp(path) != NULL && chdir(path) == 0);
}

static inline void folder_leave(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -r '%s'", path, path);
    CHECK(chdir("/") == 0 && system(command) == 0);
}

static inline void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* ---- A sequential input that gives its bytes in odd pieces, as pipes do ---- */

typedef struct drip {
    input base;
    const uint8_t *bytes;
    size_t size;
} drip;

static inline stele_status drip_read(input *in, uint64_t offset, void *buffer, size_t size,
                                     size_t *got)
{
    const drip *d = (const drip *)in;
    const size_t left = d->size - (size_t)offset;
    *got = 1 + (size_t)(offset * 31 % 5000);
    if (*got > size)
        *got = size;
    if (*got > left)
        *got = left;
    if (*got != 0)
        memcpy(buffer, d->bytes + offset, *got);
    return STELE_OK;
}

static inline void drip_close(input *in)
{
    free(in);
}

static inline input *drip_open(diag_sink *diag, const void *bytes, size_t size)
{
    static const input_ops ops = {drip_read, drip_close};
    drip *d = calloc(1, sizeof *d);
    REQUIRE(d != NULL && input_init(&d->base, &ops, diag, "drip"));
    d->bytes = bytes;
    d->size = size;
    return &d->base;
}

#endif
