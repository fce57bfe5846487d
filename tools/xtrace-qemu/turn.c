/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "turn.h"

#include <sched.h>
#include <time.h>

#define SPINS_MAX   64 /* then others may need this processor */
#define WAIT_NS_MAX INT64_C(200000000)

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool take(turn *t)
{
    return !atomic_flag_test_and_set_explicit(&t->is_taken, memory_order_acquire);
}

bool turn_take(turn *t)
{
    for (unsigned i = 0; i < SPINS_MAX; i++)
        if (take(t))
            return true;
    const int64_t end_ns = now_ns() + WAIT_NS_MAX;
    do {
        sched_yield();
        if (take(t))
            return true;
    } while (now_ns() < end_ns);
    atomic_fetch_add(&t->missed_count, 1);
    return false;
}
