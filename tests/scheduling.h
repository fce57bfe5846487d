/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for scheduling, whatever the events say: nothing is counted twice, and no time is
   lost. */
#ifndef TESTS_SCHEDULING_H
#define TESTS_SCHEDULING_H

#include <stele/sched.h>

static inline uint64_t scheduling_sum(const uint64_t *ns, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += ns[i];
    return sum;
}

/*
 * Checks an analysis that is finished and leaves nothing out: the states of a thread sum up to its
 * life, those of a CPU to the time that was read, and CPUs are busy as long as threads run. Returns
 * what does not hold, NULL if all does. Threads beyond the limit of tracks run on CPUs, but have no
 * rows.
 */
static inline const char *scheduling_broken(stele_sched *s)
{
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    const stele_sched_thread *threads;
    const stele_sched_cpu *cpus;
    uint64_t running = 0, busy = 0;
    size_t count;
    stele_sched_get_totals(s, &totals);
    if (stele_sched_threads(s, STELE_SCHED_BY_RUNNING, &threads, &count) != STELE_OK)
        return "threads can be listed";
    for (size_t i = 0; i < count; i++) {
        if (scheduling_sum(threads[i].state_ns, STELE_RUN_STATE_COUNT) != threads[i].life_ns)
            return "the states of a thread sum up to its life";
        running += threads[i].state_ns[STELE_RUN_RUNNING];
    }
    if (stele_sched_cpus(s, &cpus, &count) != STELE_OK)
        return "CPUs can be listed";
    for (size_t i = 0; i < count; i++) {
        if (scheduling_sum(cpus[i].state_ns, STELE_CPU_STATE_COUNT) !=
            (uint64_t)totals.end_ns - (uint64_t)totals.begin_ns)
            return "the states of a CPU sum up to the time that was read";
        busy += cpus[i].state_ns[STELE_CPU_BUSY];
    }
    if (totals.thread_other_count == 0 && busy != running)
        return "CPUs are busy as long as threads run";
    return NULL;
}

#endif
