/* SPDX-License-Identifier: Apache-2.0 */
#include "core/source.h"

#include <stdlib.h>

struct source {
    input *in;
};

static stele_status source_make(input *in, source **out)
{
    source *s = calloc(1, sizeof *s);
    *out = s;
    if (s == NULL) {
        input_close(in);
        return STELE_ERR_MEMORY;
    }
    s->in = in;
    return STELE_OK;
}

stele_status source_open(diag_sink *diag, const char *path, const char *temp_dir, source **out)
{
    input *in;
    const stele_status status = input_open_file(diag, path, &in);
    (void)temp_dir;
    *out = NULL;
    return status == STELE_OK ? source_make(in, out) : status;
}

stele_status source_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                                source **out)
{
    input *in;
    const stele_status status = input_open_memory(diag, name, bytes, size, &in);
    *out = NULL;
    return status == STELE_OK ? source_make(in, out) : status;
}

void source_close(source *s)
{
    if (s == NULL)
        return;
    input_close(s->in);
    free(s);
}

const char *source_path(const source *s)
{
    return s->in->name;
}

const char *source_packing(const source *s)
{
    (void)s;
    return "";
}

input *source_input(source *s)
{
    return s->in;
}

size_t source_member_count(const source *s)
{
    (void)s;
    return 0;
}

const source_member *source_member_at(const source *s, size_t index)
{
    (void)s;
    (void)index;
    return NULL;
}

stele_status source_open_member(source *s, size_t index, input **in)
{
    (void)s;
    (void)index;
    *in = NULL;
    return STELE_ERR_ARGUMENT;
}

uint64_t source_stored_size(const source *s)
{
    return s->in->stored_size;
}
