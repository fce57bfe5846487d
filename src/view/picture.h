/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of a stretch of time while it is being made, from events or from an overview. */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include <stele/expression.h>

#include "view/lanes.h"
#include "view/viewer.h"

/* Asynchronous operations in a picture, which are sorted before they are drawn. */
#define OPERATIONS_MAX 200000u
#define ASYNC_ROWS_MAX 64u
#define ARROWS_MAX     3000u

/* The rows of one track in a picture. */
typedef struct track_rows {
    lane *depths; /* rows of nested spans, outermost first */
    uint32_t depth_count;
    lane *operations; /* rows of asynchronous operations; no two of a row overlap */
    uint32_t operation_count;
    lane marks, losses, states, runs;
} track_rows;

typedef struct arrow {
    int64_t begin_ns, end_ns;
    uint32_t from, to; /* the tracks where the arrow begins and ends */
    stele_name name;
} arrow;

/* An operation, kept until all are known and can be put in rows. */
typedef struct operation {
    lane_entry entry;
    uint32_t track;
} operation;

typedef struct picture {
    viewer *v;
    const question *q;
    view_reading r;
    lane_scale scale;
    stele_expression *only; /* selects moments and values; NULL: all are shown */
    bool no_moments;        /* no moments are shown: the condition can be true only for spans */
    /* by number of the track; NULL: nothing on the track was seen, or it is not asked for */
    track_rows **tracks;
    uint32_t track_capacity;
    plot *plots; /* by number of the counter */
    uint32_t plot_capacity;
    operation *operations;
    size_t operation_count, operation_capacity;
    arrow arrows[ARROWS_MAX];
    size_t arrow_count;
    uint64_t arrow_left_out, deep_count;
    uint64_t dense_count; /* number of entries that stand for several things */
    /* the overview that the picture is made from; NULL: it is made from events */
    stele_overview *overview;
    bool is_whole; /* the overview covers the traces in full */
} picture;

/* Returns the rows of a track, NULL if out of memory. */
track_rows *picture_rows(picture *p, uint32_t track);

/* Returns a lane of a list by its index, adding lanes as needed. Returns NULL if out of memory. */
lane *picture_lane(lane **lanes, uint32_t *count, uint32_t index);

/* Returns the plot of a counter, NULL if out of memory. */
plot *picture_plot(picture *p, uint32_t number);

/* Fills a picture from its overview, which is done when there are too many events to read. */
stele_status picture_summarize(picture *p);

#endif
