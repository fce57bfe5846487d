/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that are appended and read again, in runs of some hundred: the oldest go to a temporary
 * file once there are too many of them for memory.
 */
#ifndef ANALYSIS_EVENTS_OVERVIEW_STORE_H
#define ANALYSIS_EVENTS_OVERVIEW_STORE_H

#include "model/context.h"

/* No run is longer. */
#define STORE_RUN_MAX 4096u

typedef struct overview_store {
    stele_context *context;
    uint8_t **chunks; /* NULL for those in the file */
    uint32_t chunk_count, chunk_capacity;
    uint32_t filed_count; /* the first ones, which are in the file */
    uint32_t memory_max;  /* chunks in memory, at least 1 */
    size_t used;          /* bytes of the last chunk */
    int fd;               /* -1: there is no file yet */
    const uint8_t *given; /* NULL, or all that there is: nothing is added */
    size_t given_size;
} overview_store;

void overview_store_init(overview_store *s, stele_context *context, size_t size_max);
void overview_store_free(overview_store *s);

/* Takes bytes of somebody else's for all that there is; they must stay as they are. */
void overview_store_take(overview_store *s, const uint8_t *bytes, size_t size);

/* Appends a run, and gives its position. STELE_ERR_MEMORY, STELE_ERR_WRITE (with a finding). */
stele_status overview_store_add(overview_store *s, const uint8_t *bytes, size_t size,
                                uint64_t *position);

/*
 * The run at a position, and what is stored after it, at most STORE_RUN_MAX bytes; where it is in
 * the file, it is read into `room`, which has that many. NULL: it cannot be read, which is
 * reported.
 */
const uint8_t *overview_store_get(overview_store *s, uint64_t position, uint8_t *room,
                                  size_t *size);

/* Bytes in all, and those of them that are in the file. */
uint64_t overview_store_size(const overview_store *s, uint64_t *filed);

#endif
