/* SPDX-License-Identifier: Apache-2.0 */
/* Makes calls of the states of threads, so that runs can be compared: 'stele diff --of sched'. */
#ifndef CLI_DIFF_SCHED_H
#define CLI_DIFF_SCHED_H

#include <stele/sched.h>

#include "cli/calling.h"

typedef struct diff_sched {
    cli *c;
    stele_sched *sched;
    stele_batch *batch;
    take_fn *take; /* receives a COMPLETE event for each state of a thread */
    void *user;
    bool has_waits; /* states in which a thread waits for something else than a CPU count, too */
} diff_sched;

/* Begins with another trace. If out of memory, reports it and returns false. */
bool diff_sched_make(cli *c, diff_sched *s, bool has_waits, take_fn *take, void *user);
void diff_sched_free(diff_sched *s);

stele_status diff_sched_add(diff_sched *s, const stele_segment *segment);

/* Ends all states, and gives the last events. */
stele_status diff_sched_finish(diff_sched *s);

#endif
