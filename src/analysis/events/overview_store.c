/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/overview_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/array.h"
#include "core/temp.h"

#define BLOCK_SIZE ((size_t)256 << 10)

void overview_store_init(overview_store *s, stele_context *context, size_t size_max)
{
    const size_t blocks = size_max / BLOCK_SIZE;
    *s = (overview_store){.context = context, .fd = -1};
    s->memory_max = blocks == 0 ? 1 : blocks > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)blocks;
}

void overview_store_free(overview_store *s)
{
    for (uint32_t i = s->filed_count; i < s->block_count; i++)
        free(s->blocks[i]);
    free(s->blocks);
    if (s->slots != NULL)
        free(s->slots[0].bytes);
    free(s->slots);
    free(s->chunks);
    ZSTD_freeDCtx(s->unpacker);
    free(s->room);
    free(s->name_numbers);
    free(s->names);
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

/* Allocates the buffer for bytes that are read from a file. Returns false if out of memory. */
static bool make_room(overview_store *s)
{
    if (s->room == NULL)
        s->room = malloc(ZSTD_COMPRESSBOUND(STORE_CHUNK_SIZE));
    return s->room != NULL;
}

/* Writes the oldest block in memory to the temporary file. Its memory becomes `*block`. */
static stele_status file_oldest(overview_store *s, uint8_t **block)
{
    const uint8_t *bytes = s->blocks[s->filed_count];
    const off_t offset = (off_t)((uint64_t)s->filed_count * BLOCK_SIZE);
    if (!make_room(s))
        return STELE_ERR_MEMORY;
    if (s->fd < 0)
        s->fd = temp_open(s->context->temp_dir);
    if (s->fd < 0)
        return errno == ENOMEM ? STELE_ERR_MEMORY
                               : refused(s, STELE_ERR_WRITE, "a folder for temporary files");
    for (size_t done = 0; done < BLOCK_SIZE;) {
        const ssize_t wrote = pwrite(s->fd, bytes + done, BLOCK_SIZE - done, offset + (off_t)done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return refused(s, STELE_ERR_WRITE, "room for a temporary file");
        done += (size_t)wrote;
    }
    *block = s->blocks[s->filed_count];
    s->blocks[s->filed_count++] = NULL;
    return STELE_OK;
}

static stele_status add_block(overview_store *s)
{
    uint8_t *block = NULL;
    stele_status status = STELE_OK;
    if (s->block_count == s->block_capacity) {
        uint8_t **blocks = array_grow((void *)s->blocks, sizeof *blocks, &s->block_capacity, 16);
        if (blocks == NULL)
            return STELE_ERR_MEMORY;
        s->blocks = blocks;
    }
    if (s->block_count != 0)
        memset(s->blocks[s->block_count - 1] + s->used, 0, BLOCK_SIZE - s->used);
    if (s->block_count - s->filed_count >= s->memory_max)
        status = file_oldest(s, &block);
    else
        block = malloc(BLOCK_SIZE);
    if (block == NULL)
        return status != STELE_OK ? status : STELE_ERR_MEMORY;
    s->blocks[s->block_count++] = block;
    s->used = 0;
    return STELE_OK;
}

stele_status overview_store_add(overview_store *s, const uint8_t *bytes, size_t size,
                                uint64_t *position)
{
    if (s->block_count == 0 || BLOCK_SIZE - s->used < size) {
        const stele_status status = add_block(s);
        if (status != STELE_OK)
            return status;
    }
    memcpy(s->blocks[s->block_count - 1] + s->used, bytes, size);
    *position = (uint64_t)(s->block_count - 1) * BLOCK_SIZE + s->used;
    s->used += size;
    return STELE_OK;
}

/* ---- Reading ---- */

static const uint8_t *read_file(overview_store *s, uint64_t position, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(s->fd, s->room + done, size - done, (off_t)(position + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            refused(s, STELE_ERR_READ, "a temporary file that can be read");
            return NULL;
        }
        done += (size_t)got;
    }
    return s->room;
}

stele_status overview_store_take(overview_store *s, input *from, uint64_t offset,
                                 const uint32_t *sizes, uint32_t count)
{
    s->chunks = calloc((size_t)count + 1, sizeof *s->chunks);
    s->slots = calloc(STORE_SLOTS, sizeof *s->slots);
    if (s->slots != NULL)
        s->slots[0].bytes = malloc(STORE_SLOTS * STORE_CHUNK_SIZE);
    s->unpacker = ZSTD_createDCtx();
    if (s->chunks == NULL || s->slots == NULL || s->slots[0].bytes == NULL || s->unpacker == NULL ||
        !make_room(s))
        return STELE_ERR_MEMORY;
    s->given = from;
    s->chunk_count = count;
    for (unsigned i = 0; i < STORE_SLOTS; i++)
        s->slots[i] =
            (store_slot){s->slots[0].bytes + i * STORE_CHUNK_SIZE, 0, .number = UINT32_MAX};
    for (uint32_t i = 0; i < count; i++) {
        s->chunks[i] = (store_chunk){offset + s->packed_size, sizes[i]};
        s->packed_size += sizes[i];
    }
    return STELE_OK;
}

/* Reads and unpacks a chunk, whose checksum zstd verifies. */
static bool fill_slot(overview_store *s, store_slot *slot, const store_chunk *chunk)
{
    size_t got;
    if (chunk->size > ZSTD_COMPRESSBOUND(STORE_CHUNK_SIZE) ||
        input_read(s->given, chunk->offset, s->room, chunk->size, &got) != STELE_OK ||
        got != chunk->size)
        return false;
    slot->size =
        ZSTD_decompressDCtx(s->unpacker, slot->bytes, STORE_CHUNK_SIZE, s->room, chunk->size);
    return !ZSTD_isError(slot->size);
}

static const uint8_t *get_given(overview_store *s, uint64_t position, size_t *size)
{
    const uint64_t number = position >> STORE_CHUNK_BITS;
    const size_t at = (size_t)(position & (STORE_CHUNK_SIZE - 1));
    store_slot *slot = &s->slots[number % STORE_SLOTS];
    if (number >= s->chunk_count)
        return NULL;
    if (slot->number != number) {
        slot->number = UINT32_MAX;
        if (!fill_slot(s, slot, &s->chunks[number]))
            return NULL;
        slot->number = (uint32_t)number;
    }
    if (at > slot->size)
        return NULL;
    *size = slot->size - at;
    return slot->bytes + at;
}

const uint8_t *overview_store_get(overview_store *s, uint64_t position, size_t *size)
{
    const uint32_t number = (uint32_t)(position / BLOCK_SIZE);
    const size_t at = (size_t)(position % BLOCK_SIZE);
    size_t end;
    if (s->given != NULL)
        return get_given(s, position, size);
    end = number + 1 == s->block_count ? s->used : BLOCK_SIZE;
    *size = end - at < STORE_RUN_MAX ? end - at : STORE_RUN_MAX;
    if (s->blocks[number] != NULL)
        return s->blocks[number] + at;
    return read_file(s, position, *size);
}

uint64_t overview_store_size(const overview_store *s, uint64_t *filed)
{
    *filed = (uint64_t)s->filed_count * BLOCK_SIZE;
    if (s->given != NULL)
        return s->packed_size;
    return s->block_count == 0 ? 0 : (uint64_t)(s->block_count - 1) * BLOCK_SIZE + s->used;
}

/* ---- Numbers of names ---- */

uint32_t overview_store_name_slow(overview_store *s, stele_name name)
{
    uint32_t *numbers;
    if (name >= stele_name_count(s->context))
        return overview_store_name(s, 0);
    if (name >= s->name_number_count) {
        numbers = array_reach(s->name_numbers, sizeof *numbers, &s->name_number_count, name);
        if (numbers == NULL)
            return UINT32_MAX;
        s->name_numbers = numbers;
    }
    if (s->name_count == s->name_capacity) {
        stele_name *names = array_grow(s->names, sizeof *names, &s->name_capacity, 64);
        if (names == NULL)
            return UINT32_MAX;
        s->names = names;
    }
    s->names[s->name_count++] = name;
    s->name_numbers[name] = s->name_count;
    return s->name_count - 1;
}
