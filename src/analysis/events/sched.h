/* SPDX-License-Identifier: Apache-2.0 */
/* The state of threads and CPUs, and what steps change it. */
#ifndef ANALYSIS_EVENTS_SCHED_H
#define ANALYSIS_EVENTS_SCHED_H

#include <stele/sched.h>

#include "analysis/events/histogram.h"
#include "core/table.h"
#include "model/kernel.h"
#include "query/filter.h"

#define SCHED_NONE UINT32_MAX

/* Where a state began: the record that says so. */
typedef struct sched_place {
    uint64_t offset;
    uint32_t stream;
} sched_place;

/* The system call that a thread is in. */
typedef struct sched_call {
    stele_name name; /* 0: none */
    int64_t begin_ns;
    sched_place place;
} sched_call;

typedef struct sched_thread {
    stele_sched_thread row;
    sched_call call;
    int64_t since_ns, birth_ns; /* of the state, of the life, as far as it is alive */
    sched_place place;          /* where the state began */
    uint32_t source;
    uint64_t number;
    uint64_t process_number; /* of `process` */
    uint32_t process;        /* track; 0: not known */
    uint32_t cpu;  /* index plus 1 of the one it runs on, or ran on last; 0: none is known */
    uint32_t by;   /* track: see stele_thread_interval.by */
    uint32_t pair; /* number plus 1 of the pair, while it is preempted; 0: none */
    stele_name text;
    stele_text comm; /* its name as last seen; the bytes are the pool's */
    uint8_t state;   /* stele_run_state */
    bool is_alive;
    bool is_wanted; /* the event with which the state began passes the filter */
} sched_thread;

typedef struct sched_cpu {
    stele_sched_cpu row;
    uint32_t source;
    uint64_t number;
    uint32_t thread; /* index plus 1; 0: none, or not known */
    uint8_t state;   /* stele_cpu_state */
    bool has_priority;
    uint32_t irq_depth; /* interrupts and softirqs that it handles */
    int32_t priority;
    int64_t since_ns; /* of the state */
    sched_place place;
    int64_t used_ns; /* up to where `use` counts */
    stele_cpu_use use;
} sched_cpu;

/* An event whose meaning is known, with the CPU and the thread that it is of (indices, or
   SCHED_NONE): before it changes what the thread is in. */
typedef void sched_known_fn(void *user, const stele_batch *batch, const stele_event *event,
                            const kernel_event *known, uint32_t cpu, uint32_t thread);

/* Indices plus 1 by track; 0: none. */
typedef struct sched_indices {
    uint32_t *items;
    uint32_t count;
} sched_indices;

struct stele_sched {
    stele_context *context;
    sched_known_fn *on_known; /* NULL: nobody asks */
    void *known_user;
    stele_sched_options options;
    filter *events; /* NULL: all pass */
    filter *tracks; /* NULL: all pass */
    kernel *kernel;
    stele_name cpu_name; /* see cpu_of() */
    stele_status status;
    int64_t begin_ns, end_ns; /* the window */
    bool has_events, is_finished;
    int64_t first_ns, last_ns; /* of all events, in the window or before it */

    sched_indices by_track;     /* of threads */
    sched_indices cpu_by_track; /* a track may well be taken for both */
    sched_thread *threads;
    uint32_t thread_count, thread_capacity;
    hash_table numbers; /* of threads by source and number */
    sched_cpu *cpus;
    uint32_t cpu_count, cpu_capacity;
    uint32_t cpu_known; /* index plus 1 of the CPU whose track the last event stood on; 0: none */
    stele_sched_pair *pairs;
    uint32_t pair_count, pair_capacity;
    hash_table pair_numbers;
    stele_sched_wake *worst; /* a heap: the shortest of them is the first */
    uint32_t worst_count;

    int64_t step_ns; /* begin of the step of time at hand */
    bool has_step;
    stele_cpu_use *uses; /* rows of a step, by CPU */
    uint32_t use_capacity;

    stele_sched_totals totals;
    histogram latencies;

    /* The event at hand. */
    int64_t now_ns;
    sched_place now;
    bool is_wanted;
    uint32_t source; /* of stream `source_stream`, as the next three */
    uint32_t source_stream;
    int64_t shift_ns;
    int64_t range_begin_ns, range_end_ns; /* times outside are far from all others (STE015) */

    /* What is handed out. */
    stele_sched_thread *thread_rows;
    stele_sched_cpu *cpu_rows;
    stele_sched_wake *worst_rows;
    stele_sched_pair *pair_rows;
};

/* What a switch says of one of its threads. */
typedef struct sched_side {
    uint32_t thread; /* index; SCHED_NONE: one beyond the limit of tracks, or idle */
    bool is_idle, has_priority;
    int32_t priority;
} sched_side;

/* Time goes on to that of the event at hand: steps of time that have ended are handed out. */
void sched_advance(stele_sched *s, int64_t time_ns);

void sched_switch(stele_sched *s, uint32_t cpu, const sched_side *outgoing, kernel_state state,
                  stele_name text, const sched_side *incoming);
void sched_wake(stele_sched *s, uint32_t cpu, uint32_t thread, uint32_t waker);

/* What a CPU does is not known from now on. */
void sched_lose(stele_sched *s, uint32_t cpu);

/* Ends all that goes on. */
void sched_close(stele_sched *s, int64_t end_ns);

/* Keeps the first status that is not STELE_OK: it ends what is being done. */
void sched_fail(stele_sched *s, stele_status status);

/* Whether the rows of a track count. */
static inline bool sched_is_shown(stele_sched *s, uint32_t track)
{
    return s->tracks == NULL || filter_passes_track(s->tracks, track);
}

/* Whether a time lies in the window. */
static inline bool sched_in_window(const stele_sched *s, int64_t time_ns)
{
    return time_ns >= s->begin_ns && time_ns < s->end_ns;
}

#endif
