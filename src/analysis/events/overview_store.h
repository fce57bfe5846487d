/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of overviews: runs of some hundred bytes that are appended and read again. The oldest go to
 * a temporary file once there are too many of them for memory. An overview that was kept has its
 * pages in packed chunks of its file, of which those that are asked for are read.
 */
#ifndef ANALYSIS_EVENTS_OVERVIEW_STORE_H
#define ANALYSIS_EVENTS_OVERVIEW_STORE_H

#include "core/input.h"
#include "model/context.h"

/* No run is longer. */
#define STORE_RUN_MAX 4096u

/* Of a file: a position is a chunk's number, and the place in it in so many low bits. */
#define STORE_CHUNK_BITS 14u
#define STORE_CHUNK_SIZE ((size_t)1 << STORE_CHUNK_BITS)

/* Chunks of a file that were unpacked last. */
#define STORE_SLOTS 128u

/* A chunk of a file. */
typedef struct store_chunk {
    uint64_t offset;
    uint32_t size; /* as packed */
} store_chunk;

typedef struct store_slot {
    uint8_t *bytes; /* those of all slots lie one after another */
    size_t size;
    uint32_t number; /* of the chunk; UINT32_MAX: none */
} store_slot;

typedef struct overview_store {
    stele_context *context;
    uint8_t **blocks; /* NULL for those in the temporary file */
    uint32_t block_count, block_capacity;
    uint32_t filed_count; /* the first ones, which are in the temporary file */
    uint32_t memory_max;  /* blocks in memory, at least 1 */
    size_t used;          /* bytes of the last block */
    int fd;               /* -1: there is no temporary file yet */
    uint8_t *room;        /* for what is read from a file */

    input *given; /* NULL, or where all pages are: nothing is added */
    store_chunk *chunks;
    uint32_t chunk_count;
    uint64_t packed_size; /* of all chunks */
    store_slot *slots;    /* by the number of the chunk, as it fits */
    struct ZSTD_DCtx_s *unpacker;

    uint32_t *name_numbers; /* here, plus 1, by number in the context; 0: none yet */
    uint32_t name_number_count;
    stele_name *names; /* in the context, by number here */
    uint32_t name_count, name_capacity;
} overview_store;

void overview_store_init(overview_store *s, stele_context *context, size_t size_max);
void overview_store_free(overview_store *s);

/*
 * Takes the chunks of an input for all that there are; it must stay open. They lie one after
 * another from `offset` on and are of these sizes. STELE_ERR_MEMORY.
 */
stele_status overview_store_take(overview_store *s, input *from, uint64_t offset,
                                 const uint32_t *sizes, uint32_t count);

/* Where the next run is in the chunks of a file, which are filled one after another; `*end` is
   where the last one ended. */
static inline uint64_t overview_store_place(uint64_t *end, size_t size)
{
    const uint64_t at = *end & (STORE_CHUNK_SIZE - 1);
    if (STORE_CHUNK_SIZE - at < size)
        *end += STORE_CHUNK_SIZE - at;
    *end += size;
    return *end - size;
}

/* Appends a run, and gives its position. STELE_ERR_MEMORY, STELE_ERR_WRITE (with a finding). */
stele_status overview_store_add(overview_store *s, const uint8_t *bytes, size_t size,
                                uint64_t *position);

/*
 * The run at a position, and what is stored after it, of use for STORE_RUN_MAX bytes at most. It
 * holds until the next call. NULL: it cannot be read, which is reported, or is not valid.
 */
const uint8_t *overview_store_get(overview_store *s, uint64_t position, size_t *size);

/* Bytes in all, and those of them that are in the temporary file. */
uint64_t overview_store_size(const overview_store *s, uint64_t *filed);

/* The number that a name of the context has in pages. UINT32_MAX: memory. */
uint32_t overview_store_name_slow(overview_store *s, stele_name name);

static inline uint32_t overview_store_name(overview_store *s, stele_name name)
{
    if (name < s->name_number_count && s->name_numbers[name] != 0)
        return s->name_numbers[name] - 1;
    return overview_store_name_slow(s, name);
}

#endif
