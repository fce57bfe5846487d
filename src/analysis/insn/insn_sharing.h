/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which lines of memory several threads use, and in which way. */
#ifndef ANALYSIS_INSN_INSN_SHARING_H
#define ANALYSIS_INSN_INSN_SHARING_H

#include "core/keyed.h"
#include "model/insn.h"

#define SHARING_THREADS_MAX 64u /* threads beyond the limit are counted as the last of these */

typedef enum sharing_kind {
    SHARING_PRIVATE,    /* one thread uses the line */
    SHARING_READ,       /* several threads use the line and none writes it */
    SHARING_ONE_WRITER, /* several threads use the line, and one writes bytes that others use */
    /* several threads write bytes of the line, and use bytes that others write */
    SHARING_MANY_WRITERS,
    /* several threads use the line and some write, but nearly all accesses of each are to bytes
       of its own: the line moves between them only because of its size */
    SHARING_FALSE,
    SHARING_KIND_COUNT
} sharing_kind;

#define SHARING_GRANULE_SIZE  4u
#define SHARING_GRANULE_COUNT 16u

/* How one thread uses one line. */
typedef struct sharing_use {
    uint64_t key; /* number of the line * SHARING_THREADS_MAX + thread */
    /* a bit for each byte of the line that the thread read, and that it wrote */
    uint64_t reads, writes;
    uint64_t read_count, write_count;
    /* number of accesses to each 4 bytes, at most UINT32_MAX */
    uint32_t granules[SHARING_GRANULE_COUNT];
} sharing_use;

/* How all threads use one line. */
typedef struct sharing_line {
    uint64_t address;
    uint64_t readers, writers; /* a bit for each thread */
    uint64_t read_count, write_count;
    sharing_kind kind;
} sharing_line;

typedef struct sharing_counts {
    uint64_t line_count;
    uint64_t lines[SHARING_KIND_COUNT], reads[SHARING_KIND_COUNT], writes[SHARING_KIND_COUNT];
} sharing_counts;

typedef struct sharing {
    keyed uses;
    uint32_t tracks[SHARING_THREADS_MAX];
    uint32_t thread_count;  /* at most SHARING_THREADS_MAX */
    uint64_t grouped_count; /* how many threads there are beyond the maximum */
    uint32_t last_track;
    uint32_t thread; /* number of the thread of the last batch */
} sharing;

stele_status sharing_init(sharing *s);
void sharing_free(sharing *s);

/* Adds the accesses of a batch. Threads may come in any order; no result depends on it. Returns
   STELE_ERR_MEMORY if out of memory. */
stele_status sharing_add(sharing *s, const insn_batch *batch);

/* Counts lines and accesses of each kind. Returns STELE_ERR_MEMORY if out of memory. */
stele_status sharing_count(const sharing *s, sharing_counts *counts);

/* The lines that several threads use and at least one writes, the one with most accesses first.
   The caller frees them. Returns NULL if out of memory. */
sharing_line *sharing_contended(const sharing *s, size_t *count);

#endif
