/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of memory several threads use, and how. */
#ifndef ANALYSIS_INSN_INSN_SHARING_H
#define ANALYSIS_INSN_INSN_SHARING_H

#include "analysis/insn/keyed.h"
#include "model/insn.h"

#define SHARING_THREADS_MAX 64u /* all further ones count as the last of these */

typedef enum sharing_kind {
    SHARING_PRIVATE,      /* one thread */
    SHARING_READ,         /* several, and none writes */
    SHARING_ONE_WRITER,   /* several, one of which writes what others use */
    SHARING_MANY_WRITERS, /* several write, and use what others write */
    SHARING_FALSE, /* several, one of which writes, but next to all that each of them uses is its
                      own: the line goes between them for its neighbours' sake */
    SHARING_KIND_COUNT
} sharing_kind;

#define SHARING_GRANULE_SIZE  4u
#define SHARING_GRANULE_COUNT 16u

/* What one thread does with one line. */
typedef struct sharing_use {
    uint64_t key;           /* number of the line * SHARING_THREADS_MAX + thread + 1 */
    uint64_t reads, writes; /* bytes of the line that it read, and wrote, a bit each */
    uint64_t read_count, write_count;
    uint32_t granules[SHARING_GRANULE_COUNT]; /* accesses to each 4 bytes; UINT32_MAX at most */
} sharing_use;

/* What all threads do with one line. */
typedef struct sharing_line {
    uint64_t address;
    uint64_t readers, writers; /* threads, as bits */
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
    uint32_t thread_count;  /* up to the maximum */
    uint64_t grouped_count; /* threads beyond it */
    uint32_t last_track;
    uint32_t thread; /* of the last batch */
} sharing;

stele_status sharing_init(sharing *s);
void sharing_free(sharing *s);

/* Threads may come in any order; no verdict depends on it. STELE_ERR_MEMORY. */
stele_status sharing_add(sharing *s, const insn_batch *batch);

/* STELE_ERR_MEMORY. */
stele_status sharing_count(const sharing *s, sharing_counts *counts);

/* Lines that several threads use and one at least writes, the busiest first; to be freed. Returns
   NULL if out of memory. */
sharing_line *sharing_contended(const sharing *s, size_t *count);

#endif
