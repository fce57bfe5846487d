/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the pages of overviews: runs of some hundred bytes that are appended and read again. Once
 * they exceed a limit of memory, the oldest ones go to a temporary file. A loaded overview has its
 * pages in packed chunks of its file, which are read when they are needed.
 */
#ifndef ANALYSIS_EVENTS_OVERVIEW_STORE_H
#define ANALYSIS_EVENTS_OVERVIEW_STORE_H

#include "core/input.h"
#include "model/context.h"

/* The largest size of a run in bytes. */
#define STORE_RUN_MAX 4096u

/* Chunks of a file have this size. A position is the chunk's number, with the offset in the
   chunk in the lowest STORE_CHUNK_BITS bits. */
#define STORE_CHUNK_BITS 14u
#define STORE_CHUNK_SIZE ((size_t)1 << STORE_CHUNK_BITS)

/* How many unpacked chunks of a file are kept. */
#define STORE_SLOTS 128u

/* A packed chunk of a file. */
typedef struct store_chunk {
    uint64_t offset;
    uint32_t size; /* packed size in bytes */
} store_chunk;

typedef struct store_slot {
    uint8_t *bytes; /* part of one allocation for all slots */
    size_t size;
    uint32_t number; /* number of the chunk; UINT32_MAX: the slot is free */
} store_slot;

typedef struct overview_store {
    stele_context *context;
    uint8_t **blocks; /* NULL for blocks in the temporary file */
    uint32_t block_count, block_capacity;
    uint32_t filed_count; /* how many blocks, the first ones, are in the temporary file */
    uint32_t memory_max;  /* how many blocks may be in memory, at least 1 */
    size_t used;          /* how many bytes of the last block are in use */
    int fd;               /* temporary file; -1: there is none yet */
    uint8_t *room;        /* buffer for bytes that are read from a file */

    /* the file that has all pages, to which nothing can be added; NULL: pages are in `blocks` */
    input *given;
    store_chunk *chunks;
    uint32_t chunk_count;
    uint64_t packed_size; /* packed size of all chunks together */
    store_slot *slots;    /* a cache: chunk i is in slot i modulo STORE_SLOTS */
    struct ZSTD_DCtx_s *unpacker;

    /* number of a name in pages plus 1, by its number in the context; 0: none yet */
    uint32_t *name_numbers;
    uint32_t name_number_count;
    stele_name *names; /* name of the context, by its number in pages */
    uint32_t name_count, name_capacity;
} overview_store;

void overview_store_init(overview_store *s, stele_context *context, size_t size_max);
void overview_store_free(overview_store *s);

/* Uses the chunks of an input as the only pages. The input must stay open. The chunks are next
   to each other from `offset` on, and have these sizes in bytes. Returns STELE_ERR_MEMORY. */
stele_status overview_store_take(overview_store *s, input *from, uint64_t offset,
                                 const uint32_t *sizes, uint32_t count);

/* The position of the next run in the chunks of a file; runs do not cross the end of a chunk.
   `*end` is the end of the last run and is moved on. */
static inline uint64_t overview_store_place(uint64_t *end, size_t size)
{
    const uint64_t at = *end & (STORE_CHUNK_SIZE - 1);
    if (STORE_CHUNK_SIZE - at < size)
        *end += STORE_CHUNK_SIZE - at;
    *end += size;
    return *end - size;
}

/* Appends a run; `*position` is where to find it again. Returns STELE_ERR_MEMORY, or
   STELE_ERR_WRITE after it has reported a finding. */
stele_status overview_store_add(overview_store *s, const uint8_t *bytes, size_t size,
                                uint64_t *position);

/*
 * The run at a position, followed by other stored bytes; at most STORE_RUN_MAX of them are to be
 * used. Valid until the next call. Returns NULL if the run cannot be read, which is reported, or if
 * the position is not valid.
 */
const uint8_t *overview_store_get(overview_store *s, uint64_t position, size_t *size);

/* The size of all runs in bytes; `*filed` is how many of them are in the temporary file. */
uint64_t overview_store_size(const overview_store *s, uint64_t *filed);

/* The number that a name of the context has in pages, made if needed. Returns UINT32_MAX if out
   of memory. */
uint32_t overview_store_name_slow(overview_store *s, stele_name name);

static inline uint32_t overview_store_name(overview_store *s, stele_name name)
{
    if (name < s->name_number_count && s->name_numbers[name] != 0)
        return s->name_numbers[name] - 1;
    return overview_store_name_slow(s, name);
}

#endif
