/* SPDX-License-Identifier: Apache-2.0 */
/* What 'stele sched' shows: tables when all was read, rows while reading. */
#ifndef CLI_SCHED_H
#define CLI_SCHED_H

#include <stele/sched.h>

#include "cli/cli.h"
#include "cli/show/figures.h"

/* Texts of tracks and names, which tables refer to until they are written. */
typedef struct labels {
    char **items; /* by track; NULL: not asked for yet */
    uint32_t count;
    char **names; /* by name; NULL: not asked for yet */
    uint32_t name_count;
} labels;

void labels_free(labels *l);

/* "main (17)", "cpu 3"; "-" of track 0. */
const char *label_track(cli *c, labels *l, uint32_t track);

/* The name, as a text of its own; "-" for none. */
const char *label_name(cli *c, labels *l, stele_name name);

typedef struct scheduling {
    cli *c;
    stele_sched *sched;
    labels labels;
    figures rows;      /* those that are written while reading */
    int64_t origin_ns; /* from where times for people count */
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

/* Rows that are written as they come: see stele_sched_options. */
stele_status sched_write_state(void *user, const stele_thread_interval *interval);
stele_status sched_write_run(void *user, const stele_cpu_interval *interval);
stele_status sched_write_use(void *user, const stele_cpu_use *rows, size_t count);

/* Writes what was found, once all was read. */
void sched_write_tables(scheduling *s, sched_show what);

#endif
