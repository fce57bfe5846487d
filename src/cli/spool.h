/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of many tracks that come in turns, kept apart in a temporary file. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include <stele/output.h>

#include <stdio.h>

/* A text: a chain of chunks of the file. The last chunk is in memory. */
typedef struct spooled {
    char *chunk; /* owned; NULL: there is no text */
    uint32_t used;
    uint64_t first, number; /* of chunks */
} spooled;

/* In memory of one chunk for each text. Zeros are an empty one. */
typedef struct spool {
    FILE *file; /* NULL until a chunk is full */
    spooled *texts;
    uint32_t text_count;
    uint64_t chunk_count;
} spool;

/* Appends to a text. STELE_ERR_MEMORY; STELE_ERR_WRITE: the file cannot be made or written. */
stele_status spool_add(spool *s, uint32_t text, const void *bytes, size_t size);

/* Writes all texts, one after the other, in the order of their numbers. STELE_ERR_READ: the file
   cannot be read. */
stele_status spool_write(spool *s, stele_output *out);
void spool_free(spool *s);

#endif
