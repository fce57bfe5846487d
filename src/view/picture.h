/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of a stretch of time while it is made: of events, or of an overview. */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include <stele/expression.h>

#include "view/lanes.h"
#include "view/viewer.h"

#define OPERATIONS_MAX                                                         \
    200000u /* asynchronous ones of a picture, which are sorted before drawing \
             */
#define ASYNC_ROWS_MAX 64u
#define ARROWS_MAX     3000u

/* The rows of one track. */
typedef struct track_rows {
    lane *depths; /* nested spans, outermost first */
    uint32_t depth_count;
    lane *operations; /* asynchronous ones, so that none overlaps another of its row */
    uint32_t operation_count;
    lane marks, losses, states, runs;
} track_rows;

typedef struct arrow {
    int64_t begin_ns, end_ns;
    uint32_t from, to; /* tracks */
    stele_name name;
} arrow;

/* An operation, until all are known and can be put in rows. */
typedef struct operation {
    lane_entry entry;
    uint32_t track;
} operation;

typedef struct picture {
    viewer *v;
    const question *q;
    view_reading r;
    lane_scale scale;
    stele_expression *only; /* which moments and values are wanted; NULL: all */
    bool no_moments;        /* none is: what is asked for only spans can be */
    track_rows **tracks;    /* by number; NULL: nothing of it was seen, or is wanted */
    size_t track_capacity;
    plot *plots; /* by number of the counter */
    size_t plot_capacity;
    operation *operations;
    size_t operation_count, operation_capacity;
    arrow arrows[ARROWS_MAX];
    size_t arrow_count;
    uint64_t arrow_left_out, deep_count;
    uint64_t dense_count;     /* entries that stand for several things */
    stele_overview *overview; /* that it is made of; NULL: of events */
    bool is_whole;            /* all of the traces is in that */
} picture;

/* The rows of a track. Returns NULL if out of memory. */
track_rows *picture_rows(picture *p, uint32_t track);

/* One of a list of lanes, which grows. Returns NULL if out of memory. */
lane *picture_lane(lane **lanes, uint32_t *count, uint32_t index);

/* The plot of a counter. Returns NULL if out of memory. */
plot *picture_plot(picture *p, uint32_t number);

/* Fills it from its overview, where there are too many events to read. */
stele_status picture_summarize(picture *p);

#endif
