/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the tracks of an overview, to choose those that are shown if not all fit. */
#ifndef CLI_SHOW_TRACK_RANK_H
#define CLI_SHOW_TRACK_RANK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct track_rank {
    uint32_t place;
    bool is_lossy;
    uint64_t busy_ns, count;
} track_rank;

/* Compares two ranks, for qsort(): tracks with losses come first, then those that are busy
   longest, then those with most events. */
int track_rank_compare(const void *a, const void *b);

#endif
