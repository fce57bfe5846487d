/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps many texts that grow in turns apart, in one temporary file. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include <stele/output.h>

#include <stdio.h>

/* A text: a chain of chunks in the file, except for the last chunk, which is in memory. */
typedef struct spooled {
    char *chunk; /* owned; NULL: the text is empty */
    uint32_t used;
    uint64_t first, number; /* numbers of the first and the last chunk */
} spooled;

/* All texts. Memory is one chunk for each of them. Zeros are valid, and empty. */
typedef struct spool {
    FILE *file; /* NULL until a chunk is full */
    spooled *texts;
    uint32_t text_count;
    uint64_t chunk_count;
} spool;

/* Appends to a text. Returns STELE_ERR_MEMORY, or STELE_ERR_WRITE if the file cannot be made or
   written. */
stele_status spool_add(spool *s, uint32_t text, const void *bytes, size_t size);

/* Writes all texts in the order of their numbers. Returns STELE_ERR_READ if the file cannot be
   read. */
stele_status spool_write(spool *s, stele_output *out);
void spool_free(spool *s);

#endif
