/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of stele top: top.c reads events and divides time into windows, top_figures.c counts
   what a window contains, top_show.c writes it. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include <stele/sched.h>
#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/show/json.h"

#define WINDOW_USUAL_NS INT64_C(1000000000)
#define LINE_WIDTH      80u

/* Figures of a name or track in the window. */
typedef struct figures {
    uint32_t number; /* number of the name or the track */
    uint64_t count;  /* spans that ended, and events that are not part of a span */
    uint64_t total_ns;
    uint64_t self_ns;
    uint64_t run_ns; /* of a CPU: time with a thread; of a thread: time on CPUs */
} figures;

/* Figures of all names, or of all tracks. */
typedef struct top_table {
    figures *rows; /* by number of the name or track */
    uint32_t count;
} top_table;

/* A stretch of time in which a track is busy. A span that ends later may still be around it. */
typedef struct stretch {
    int64_t begin_ns, end_ns;
} stretch;

typedef struct stretches {
    stretch *items;
    uint32_t count, capacity;
} stretches;

/* A span that was open when the window began, with the time that its callees had taken by then. */
typedef struct top_carried {
    uint64_t id, child_ns;
} top_carried;

typedef struct top {
    cli *c;
    stele_spans *spans;
    stele_pairing *pairing; /* pairs events by name; NULL: no pairs were asked for */
    stele_sched *sched;     /* says what CPUs run, from the first switch on */
    stele_name switch_name; /* name of events that are switches by their fields */
    bool has_runs;          /* a switch was seen */
    top_table names, tracks;
    figures nowhere; /* counts what there was no memory for; the command fails then */
    stretches *busy; /* by track number */
    uint32_t busy_count;
    top_carried *carried; /* sorted by id */
    size_t carried_count;
    uint64_t every_ns; /* length of a window in ns; 0: there is only one */
    bool has_window, has_origin;
    int64_t begin_ns, end_ns, last_ns, origin_ns;
    uint64_t event_count, lost_count, window_count;
    json json;
    const char *rank;   /* what names are sorted by */
    unsigned rows_max;  /* lines of the screen for rows; 0: there is no screen */
    unsigned track_max; /* how many of the lines are for tracks */
} top;

/* The figures of a name or a track, zeros at first. */
figures *top_figures_of(top *t, top_table *of, uint32_t number);

/* Receives ended spans from the engine. */
stele_status top_take_spans(void *user, const stele_segment *segment, const stele_span *spans);

/* Keeps for each span that is open at a time what its callees have taken by then. With
   `is_counted` the window ends there, and open spans count up to its end. */
void top_carry_open(top *t, int64_t time_ns, bool is_counted);

/* Receives from the scheduling engine what a CPU ran. */
stele_status top_take_run(void *user, const stele_cpu_interval *interval);

/* Counts what CPUs run when the window ends, up to its end. */
void top_run_open(top *t);

/* Writes the current window as text. */
void top_write_text(top *t);

/* Writes the current window as JSON. */
void top_write_json(top *t);

#endif
