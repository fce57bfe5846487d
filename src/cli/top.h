/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele top inside: top.c reads events and cuts time into windows, top_figures.c counts what a
 * window holds, top_show.c writes it.
 */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/show/json.h"

#define WINDOW_USUAL_NS INT64_C(1000000000)
#define LINE_WIDTH      80u

/* What a name, or a track, did in the window. */
typedef struct figures {
    uint32_t number; /* of the name or the track */
    uint64_t count;  /* spans that ended, and events that are no part of a span */
    uint64_t total_ns;
    uint64_t self_ns;
} figures;

/* What all names, or all tracks, did. */
typedef struct top_table {
    figures *rows; /* by number */
    uint32_t count;
} top_table;

/* Stretches in which a track is busy; a span that still comes can be around the last of them. */
typedef struct stretch {
    int64_t begin_ns, end_ns;
} stretch;

typedef struct stretches {
    stretch *items;
    uint32_t count, capacity;
} stretches;

/* A span that was open when the window began: what its callees had taken by then. */
typedef struct top_carried {
    uint64_t id, child_ns;
} top_carried;

typedef struct top {
    cli *c;
    stele_spans *spans;
    stele_pairing *pairing; /* of events by name; NULL if none was asked for */
    top_table names, tracks;
    figures nowhere; /* counts what there is no memory for: the command fails then */
    stretches *busy; /* by track */
    uint32_t busy_count;
    top_carried *carried; /* by id */
    size_t carried_count;
    uint64_t every_ns; /* length of a window; 0 if there is one only */
    bool has_window;
    int64_t begin_ns, end_ns, last_ns, origin_ns;
    uint64_t event_count, lost_count, window_count;
    json json;
    const char *rank;   /* the order of names */
    unsigned rows_max;  /* lines of the screen; 0 where there is no screen */
    unsigned track_max; /* of the lines of the screen, those for tracks */
} top;

/* Returns the figures of a name or a track, which are zero at first. */
figures *top_figures_of(top *t, top_table *of, uint32_t number);

/* Takes spans of the engine that have ended. */
stele_status top_take_spans(void *user, const stele_segment *segment, const stele_span *spans);

/* Keeps what the callees of each span that is open at a time have taken by then. `is_counted`: the
   window ends there, and counts what is open up to its end. */
void top_carry_open(top *t, int64_t time_ns, bool is_counted);

/* Writes the window at hand as text. */
void top_write_text(top *t);

/* Writes the window at hand as JSON. */
void top_write_json(top *t);

#endif
