/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a picture. An entry that is shorter than a pixel is merged with the entry before it in
 * the same pixel, and the merged entry says how many it stands for. So a row has no more merged
 * entries than the picture has pixels, whatever is in the trace.
 */
#ifndef VIEW_LANES_H
#define VIEW_LANES_H

#include <stele/event.h>

/* Entries in all rows of a picture together; entries beyond are only counted. */
#define LANE_ENTRIES_MAX 1000000u

typedef struct lane_entry {
    int64_t begin_ns, end_ns;
    uint64_t offset;  /* of the record of the first merged entry */
    uint64_t busy_ns; /* sum of the durations of all merged entries */
    uint64_t longest_ns;
    uint32_t count;
    stele_name name; /* name of the longest merged entry */
    uint32_t data;   /* the state, the thread or the kind, as the row has it */
} lane_entry;

typedef struct lane {
    lane_entry *entries;
    uint32_t count, capacity;
} lane;

/* The stretch and the size of a pixel that rows are made for. */
typedef struct lane_scale {
    int64_t begin_ns;
    uint64_t pixel_ns; /* time that a pixel stands for, at least 1 */
    uint32_t entry_count, entries_max;
    uint64_t left_out; /* number of entries beyond entries_max */
} lane_scale;

static inline uint64_t lane_pixel(const lane_scale *scale, int64_t time_ns)
{
    return time_ns > scale->begin_ns
               ? ((uint64_t)time_ns - (uint64_t)scale->begin_ns) / scale->pixel_ns
               : 0;
}

/* Adds an entry, which must not begin before the one added last. Returns false if out of memory. */
bool picture_lane_add(lane *l, lane_scale *scale, const lane_entry *entry);
void picture_lane_free(lane *l);

/* A value over time: of each pixel the first, least, greatest and last value. */
typedef struct plot_entry {
    int64_t begin_ns;
    double least, most, last;
    uint32_t count;
} plot_entry;

typedef struct plot {
    plot_entry *entries;
    uint32_t count, capacity;
} plot;

bool plot_add(plot *p, lane_scale *scale, int64_t time_ns, double value);
void plot_free(plot *p);

#endif
