/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an analysis of what kernels do. */
#ifndef ANALYSIS_EVENTS_KERNEL_STATE_H
#define ANALYSIS_EVENTS_KERNEL_STATE_H

#include "analysis/events/kernel_calls.h"
#include "analysis/events/kernel_disks.h"
#include "analysis/events/kernel_figures.h"
#include "analysis/events/sched.h"

#define SOFTIRQS 32u
#define NESTED   8u /* how many nested interrupts of a CPU are followed */

typedef struct kernel_cpu {
    kernel_begun irqs[NESTED];
    uint32_t irq_count;
    kernel_begun raised[SOFTIRQS], softirqs[SOFTIRQS];
} kernel_cpu;

/* A text of an event, and the name that it has in the context. */
typedef struct known_name {
    stele_text text;
    stele_name name; /* 0: none */
} known_name;

#define NAMES_KNOWN 16u

struct stele_kernel {
    stele_context *context;
    stele_kernel_options options;
    stele_sched *sched;
    kernel_figures figures;
    kernel_calls calls;
    kernel_cpu *cpus; /* by the CPU's index in the scheduling engine */
    uint32_t cpu_count;
    kernel_disks disks;
    known_name names[NAMES_KNOWN]; /* the last names of interrupts and interfaces */
    kernel_sample sample;          /* the sample that is being made */
    stele_kernel_totals totals;
    int64_t pages;
    stele_kernel_row *rows;
    uint32_t cpu; /* CPU of the sample's event; SCHED_NONE: not known */
    bool is_finished;
};

#endif
