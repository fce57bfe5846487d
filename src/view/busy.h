/* SPDX-License-Identifier: Apache-2.0 */
/* How long tracks are busy: time covered by at least one of their spans, which can overlap. */
#ifndef VIEW_BUSY_H
#define VIEW_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct busy_stretch {
    int64_t begin_ns, end_ns;
} busy_stretch;

/* The last stretches of a track; a span that ends later can be around them. */
typedef struct busy_track {
    busy_stretch *stretches;
    size_t count, capacity;
    bool has_floor;
    int64_t floor_ns; /* end of the last stretch that is no longer kept */
} busy_track;

typedef struct busy_tracks {
    busy_track *tracks; /* by number */
    uint32_t count;
} busy_tracks;

/* Adds a span of a track to the time that it is busy. Returns false if out of memory. */
bool busy_add(busy_tracks *b, uint32_t track, int64_t begin_ns, int64_t end_ns, uint64_t *busy_ns);
void busy_free(busy_tracks *b);

#endif
