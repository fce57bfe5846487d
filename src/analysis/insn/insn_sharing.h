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
    SHARING_ONE_WRITER,   /* several, one of which writes what another touches */
    SHARING_MANY_WRITERS, /* several write, and bytes meet */
    SHARING_FALSE,        /* as the two above, but no byte that one writes is touched by another */
    SHARING_KIND_COUNT
} sharing_kind;

typedef struct sharing_line {
    uint64_t key;              /* number of the line + 1 */
    uint64_t readers, writers; /* threads, as bits */
    uint64_t read_count, write_count;
    uint64_t bytes;  /* touched by threads before the present one */
    uint64_t now;    /* touched by the present thread */
    uint64_t writes; /* written by threads before the present one */
    uint64_t now_writes;
    uint32_t thread;   /* the present one */
    bool has_conflict; /* a byte that one thread wrote was touched by another */
} sharing_line;

typedef struct sharing_counts {
    uint64_t lines[SHARING_KIND_COUNT], reads[SHARING_KIND_COUNT], writes[SHARING_KIND_COUNT];
} sharing_counts;

typedef struct sharing {
    keyed lines;
    uint32_t tracks[SHARING_THREADS_MAX];
    uint32_t thread_count;  /* up to the maximum */
    uint64_t grouped_count; /* threads beyond it */
    uint32_t last_track;
    uint32_t thread; /* of the last batch */
} sharing;

stele_status sharing_init(sharing *s);
void sharing_free(sharing *s);

/* Batches of one thread come one after the other. */
stele_status sharing_add(sharing *s, const insn_batch *batch);

sharing_kind sharing_line_kind(const sharing_line *line);
void sharing_count(const sharing *s, sharing_counts *counts);

/* Lines that several threads use and one at least writes, the busiest first; to be freed. NULL:
   memory. */
const sharing_line **sharing_contended(const sharing *s, size_t *count);

#endif
