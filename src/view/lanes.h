/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a picture. What is shorter than a pixel and stands in the same one as what came before it
 * becomes one entry with it, which says how many it stands for: a row has no more of those than the
 * picture has pixels, regardless of the trace.
 */
#ifndef VIEW_LANES_H
#define VIEW_LANES_H

#include <stele/event.h>

#define LANE_ENTRIES_MAX                                                     \
    1000000u /* of all rows of a picture together; what is beyond is counted \
              */

typedef struct lane_entry {
    int64_t begin_ns, end_ns;
    uint64_t offset;  /* of the record of the first one */
    uint64_t busy_ns; /* the durations of all together */
    uint64_t longest_ns;
    uint32_t count;
    stele_name name; /* of the longest */
    uint32_t data;   /* by row: the state, the thread, the kind */
} lane_entry;

typedef struct lane {
    lane_entry *entries;
    uint32_t count, capacity;
} lane;

/* The pixels that rows are made for. */
typedef struct lane_scale {
    int64_t begin_ns;
    uint64_t pixel_ns; /* at least 1 */
    uint32_t entry_count, entries_max;
    uint64_t left_out; /* things beyond entries_max */
} lane_scale;

static inline uint64_t lane_pixel(const lane_scale *scale, int64_t time_ns)
{
    return time_ns > scale->begin_ns
               ? ((uint64_t)time_ns - (uint64_t)scale->begin_ns) / scale->pixel_ns
               : 0;
}

/* Adds what begins no earlier than what was added before. Returns false if out of memory. */
bool picture_lane_add(lane *l, lane_scale *scale, const lane_entry *entry);
void picture_lane_free(lane *l);

/* A value over time: of each pixel the first, the least, the greatest and the last one. */
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
