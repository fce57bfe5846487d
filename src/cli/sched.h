/* SPDX-License-Identifier: Apache-2.0 */
/* Output of 'stele sched': tables after the trace was read, and rows while it is read. */
#ifndef CLI_SCHED_H
#define CLI_SCHED_H

#include <stele/sched.h>

#include "cli/cli.h"
#include "cli/show/figures.h"

/* Texts of tracks and names, which tables refer to until they are written. */
typedef struct labels {
    char **items; /* by track; NULL: not made yet */
    uint32_t count;
    char **names; /* by name; NULL: not made yet */
    uint32_t name_count;
} labels;

void labels_free(labels *l);

/* The text of a track, such as "main (17)" or "cpu 3"; "-" for track 0. */
const char *label_track(cli *c, labels *l, uint32_t track);

/* The text of a name, made visible; "-" for none. */
const char *label_name(cli *c, labels *l, stele_name name);

typedef struct scheduling {
    cli *c;
    stele_sched *sched;
    labels labels;
    figures rows;      /* rows that are written while the trace is read */
    int64_t origin_ns; /* time from which times for people are shown */
    bool has_origin;
} scheduling;

typedef enum sched_show {
    SHOW_SUMMARY,
    SHOW_CPUS,
    SHOW_THREADS,
    SHOW_LATENCIES,
    SHOW_PREEMPTIONS,
    SHOW_STATES,
    SHOW_RUNS,
    SHOW_COUNT
} sched_show;

/* Write a row as it comes; receivers of stele_sched_options. */
stele_status sched_write_state(void *user, const stele_thread_interval *interval);
stele_status sched_write_run(void *user, const stele_cpu_interval *interval);
stele_status sched_write_use(void *user, const stele_cpu_use *rows, size_t count);

/* Writes the tables after everything was read. */
void sched_write_tables(scheduling *s, sched_show what);

#endif
