/* SPDX-License-Identifier: Apache-2.0 */
/* What threads do, as calls that can be compared: 'stele diff --of sched'. */
#ifndef CLI_DIFF_SCHED_H
#define CLI_DIFF_SCHED_H

#include <stele/sched.h>

#include "cli/calling.h"

typedef struct diff_sched {
    cli *c;
    stele_sched *sched;
    stele_batch *batch;
    take_fn *take; /* receives one COMPLETE event for each state of a thread */
    void *user;
    bool has_waits; /* those that wait for something else than a CPU are given, too */
} diff_sched;

/* Begins with another trace. False, and reported: memory. */
bool diff_sched_make(cli *c, diff_sched *s, bool has_waits, take_fn *take, void *user);
void diff_sched_free(diff_sched *s);

stele_status diff_sched_add(diff_sched *s, const stele_segment *segment);

/* Ends all states, and gives what is left. */
stele_status diff_sched_finish(diff_sched *s);

#endif
