/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is to access memory. With several threads, an access, its value and its place in
 * the order must be one: so instructions that access memory run one at a time. QEMU now and then
 * waits until all CPUs have come to a stop, which they cannot while they wait here: nobody waits
 * longer than a moment, and how often somebody went without a turn is counted.
 */
#ifndef XTRACE_QEMU_TURN_H
#define XTRACE_QEMU_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct turn {
    atomic_flag is_taken;
    atomic_uint_fast64_t missed_count;
} turn;

bool turn_take(turn *t); /* false: waited too long, and goes without */
static inline void turn_give(turn *t)
{
    atomic_flag_clear_explicit(&t->is_taken, memory_order_release);
}

#endif
