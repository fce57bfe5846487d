/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the tracks of an overview that are shown where there is no room for all. */
#ifndef CLI_SHOW_TRACK_RANK_H
#define CLI_SHOW_TRACK_RANK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct track_rank {
    uint32_t place;
    bool is_lossy;
    uint64_t busy_ns, count;
} track_rank;

/* For qsort(): what lost something comes first, then what is busy longest, then what has most
   events. */
int track_rank_compare(const void *a, const void *b);

#endif
