/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/known.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/hash.h"

ctf_known *known_new(void)
{
    ctf_known *known = calloc(1, sizeof *known);
    if (known == NULL)
        return NULL;
    known->key = hash_key_make();
    if (bytes_map_init(&known->file_numbers) && bytes_map_init(&known->stream_numbers) &&
        bytes_map_init(&known->told))
        return known;
    known_free(known);
    return NULL;
}

void known_free(ctf_known *known)
{
    if (known == NULL)
        return;
    bytes_map_free(&known->file_numbers);
    bytes_map_free(&known->stream_numbers);
    bytes_map_free(&known->told);
    free(known->files);
    free(known->streams);
    free(known);
}

/* ---- Findings ---- */

typedef struct told_key {
    const stele_code *code;
    uint64_t offset, source, found;
} told_key;

static uint64_t text_hash(const ctf_known *known, const char *text)
{
    return text != NULL ? hash_keyed_bytes(known->key, text, strlen(text)) : 0;
}

static void known_tell(void *user, const stele_diag *diag)
{
    ctf_known *known = user;
    const told_key key = {.code = diag->code,
                          .offset = diag->offset,
                          .source = text_hash(known, diag->source),
                          .found = text_hash(known, diag->found)};
    uint32_t *before = bytes_map_at(&known->told, &key, sizeof key);
    if (before != NULL && *before != BYTES_MAP_NONE)
        return;
    if (before != NULL)
        *before = 0;
    diag_emit(&known->outer, diag);
}

void known_listen(ctf_known *known, diag_sink *diag)
{
    known->outer = *diag;
    diag->fn = known_tell;
    diag->user = known;
}

void known_leave(ctf_known *known, diag_sink *diag)
{
    *diag = known->outer;
}

/* ---- Files ---- */

uint32_t known_file_of(ctf_known *known, const char *path)
{
    struct stat st = {0};
    uint64_t key[2];
    uint32_t *number;
    if (stat(path, &st) == 0) {
        key[0] = (uint64_t)st.st_dev;
        key[1] = (uint64_t)st.st_ino;
    } else {
        key[0] = text_hash(known, path);
        key[1] = UINT64_MAX;
    }
    number = bytes_map_at(&known->file_numbers, key, sizeof key);
    if (number == NULL || *number != BYTES_MAP_NONE)
        return number != NULL ? *number : CTF_NONE;
    if (known->file_count == known->file_capacity) {
        known_file *grown = array_grow(known->files, sizeof *grown, &known->file_capacity, 16);
        if (grown == NULL)
            return CTF_NONE;
        known->files = grown;
    }
    known->files[known->file_count] = (known_file){.size = UINT64_MAX};
    return *number = known->file_count++;
}

/* ---- Streams ---- */

typedef struct known_key {
    uint64_t subtrace, type, id;
} known_key;

static known_key key_of(const ctf_known *known, const ctf_trace *trace, const ctf_stream *stream)
{
    const ctf_subtrace *subtrace = &trace->subtraces[stream->subtrace];
    known_key key = {.type = stream->type->id};
    key.subtrace =
        subtrace->known_by.bytes != NULL
            ? hash_keyed_bytes(known->key, subtrace->known_by.bytes, subtrace->known_by.size)
            : text_hash(known, subtrace->path);
    key.id = stream->has_id ? stream->id : text_hash(known, trace->files[stream->files[0]].path);
    return key;
}

uint32_t known_stream_of(ctf_known *known, const ctf_trace *trace, const ctf_stream *stream)
{
    const known_key key = key_of(known, trace, stream);
    uint32_t *number = bytes_map_at(&known->stream_numbers, &key, sizeof key);
    if (number == NULL || *number != BYTES_MAP_NONE)
        return number != NULL ? *number : CTF_NONE;
    if (known->stream_count == known->stream_capacity) {
        known_stream *grown =
            array_grow(known->streams, sizeof *grown, &known->stream_capacity, 16);
        if (grown == NULL)
            return CTF_NONE;
        known->streams = grown;
    }
    known->streams[known->stream_count] =
        (known_stream){.number = CTF_NONE, .track = CTF_NONE, .end_ns = INT64_MIN};
    return *number = known->stream_count++;
}
