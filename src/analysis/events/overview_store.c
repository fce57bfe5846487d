/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/overview_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/temp.h"

#define CHUNK_SIZE ((size_t)256 << 10)

void overview_store_init(overview_store *s, stele_context *context, size_t size_max)
{
    const size_t chunks = size_max / CHUNK_SIZE;
    *s = (overview_store){.context = context, .fd = -1};
    s->memory_max = chunks == 0 ? 1 : chunks > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)chunks;
}

void overview_store_take(overview_store *s, const uint8_t *bytes, size_t size)
{
    s->given = bytes;
    s->given_size = size;
}

void overview_store_free(overview_store *s)
{
    for (uint32_t i = s->filed_count; i < s->chunk_count; i++)
        free(s->chunks[i]);
    free(s->chunks);
    if (s->fd >= 0)
        close(s->fd);
}

static stele_status refused(const overview_store *s, stele_status status, const char *expected)
{
    const core_code code = status == STELE_ERR_READ ? STE001 : STE005;
    diag_report(&s->context->diag, &core_codes[code], s->context->temp_dir, STELE_NO_OFFSET, 0,
                expected, "%s", errno != 0 ? strerror(errno) : "nothing more");
    return status;
}

/* Writes the oldest chunk in memory to the file, and gives its memory. */
static stele_status file_oldest(overview_store *s, uint8_t **chunk)
{
    const uint8_t *bytes = s->chunks[s->filed_count];
    const off_t offset = (off_t)((uint64_t)s->filed_count * CHUNK_SIZE);
    if (s->fd < 0)
        s->fd = temp_open(s->context->temp_dir);
    if (s->fd < 0)
        return errno == ENOMEM ? STELE_ERR_MEMORY
                               : refused(s, STELE_ERR_WRITE, "a folder for temporary files");
    for (size_t done = 0; done < CHUNK_SIZE;) {
        const ssize_t wrote = pwrite(s->fd, bytes + done, CHUNK_SIZE - done, offset + (off_t)done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return refused(s, STELE_ERR_WRITE, "room for a temporary file");
        done += (size_t)wrote;
    }
    *chunk = s->chunks[s->filed_count];
    s->chunks[s->filed_count++] = NULL;
    return STELE_OK;
}

static stele_status add_chunk(overview_store *s)
{
    uint8_t *chunk = NULL;
    stele_status status = STELE_OK;
    if (s->chunk_count == s->chunk_capacity) {
        uint8_t **chunks = array_grow((void *)s->chunks, sizeof *chunks, &s->chunk_capacity, 16);
        if (chunks == NULL)
            return STELE_ERR_MEMORY;
        s->chunks = chunks;
    }
    if (s->chunk_count != 0)
        memset(s->chunks[s->chunk_count - 1] + s->used, 0, CHUNK_SIZE - s->used);
    if (s->chunk_count - s->filed_count >= s->memory_max)
        status = file_oldest(s, &chunk);
    else
        chunk = malloc(CHUNK_SIZE);
    if (chunk == NULL)
        return status != STELE_OK ? status : STELE_ERR_MEMORY;
    s->chunks[s->chunk_count++] = chunk;
    s->used = 0;
    return STELE_OK;
}

stele_status overview_store_add(overview_store *s, const uint8_t *bytes, size_t size,
                                uint64_t *position)
{
    if (s->chunk_count == 0 || CHUNK_SIZE - s->used < size) {
        const stele_status status = add_chunk(s);
        if (status != STELE_OK)
            return status;
    }
    memcpy(s->chunks[s->chunk_count - 1] + s->used, bytes, size);
    *position = (uint64_t)(s->chunk_count - 1) * CHUNK_SIZE + s->used;
    s->used += size;
    return STELE_OK;
}

static const uint8_t *read_file(overview_store *s, uint64_t position, uint8_t *room, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(s->fd, room + done, size - done, (off_t)(position + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            refused(s, STELE_ERR_READ, "a temporary file that can be read");
            return NULL;
        }
        done += (size_t)got;
    }
    return room;
}

const uint8_t *overview_store_get(overview_store *s, uint64_t position, uint8_t *room, size_t *size)
{
    const uint32_t number = (uint32_t)(position / CHUNK_SIZE);
    const size_t at = (size_t)(position % CHUNK_SIZE);
    const size_t end = number + 1 == s->chunk_count ? s->used : CHUNK_SIZE;
    if (s->given != NULL) {
        *size = s->given_size - (size_t)position;
        return s->given + position;
    }
    *size = end - at < STORE_RUN_MAX ? end - at : STORE_RUN_MAX;
    if (s->chunks[number] != NULL)
        return s->chunks[number] + at;
    return read_file(s, position, room, *size);
}

uint64_t overview_store_size(const overview_store *s, uint64_t *filed)
{
    *filed = (uint64_t)s->filed_count * CHUNK_SIZE;
    if (s->given != NULL)
        return s->given_size;
    return s->chunk_count == 0 ? 0 : (uint64_t)(s->chunk_count - 1) * CHUNK_SIZE + s->used;
}
