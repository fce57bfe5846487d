/* SPDX-License-Identifier: Apache-2.0 */
/* The state of threads and CPUs, and the functions that change it. */
#ifndef ANALYSIS_EVENTS_SCHED_H
#define ANALYSIS_EVENTS_SCHED_H

#include <stele/sched.h>

#include "analysis/events/histogram.h"
#include "core/table.h"
#include "model/kernel.h"
#include "query/filter.h"

#define SCHED_NONE UINT32_MAX

/* The record with which a state began. */
typedef struct sched_place {
    uint64_t offset;
    uint32_t stream;
} sched_place;

/* Copies a place member by member, as it was written. To read it as a whole right after that, the
   processor would have to wait until both members are in the cache. */
static inline void place_take(sched_place *to, const sched_place *from)
{
    to->offset = from->offset;
    to->stream = from->stream;
}

/* The system call that a thread is in. */
typedef struct sched_call {
    stele_name name; /* 0: the thread is in no system call */
    int64_t begin_ns;
    sched_place place;
} sched_call;

typedef struct sched_thread {
    stele_sched_thread row;
    sched_call call;
    /* begin of the current state, and of the thread's life if is_alive is set */
    int64_t since_ns, birth_ns;
    sched_place place; /* record with which the state began */
    uint32_t source;
    uint64_t number;
    uint64_t process_number; /* number of the process in the trace */
    uint32_t process;        /* track of the process; 0: not known */
    uint32_t cpu; /* index plus 1 of the CPU that it runs on or ran on last; 0: not known */
    uint32_t by;  /* track of the thread that caused the state; see stele_thread_interval.by */
    /* number plus 1 of its pair with the thread that preempted it; 0: not preempted */
    uint32_t pair;
    stele_name text;
    stele_text comm; /* its last name; the bytes belong to the pool of names */
    uint8_t state;   /* a stele_run_state */
    bool is_alive;
    bool is_wanted;  /* the event with which the state began passes the filter */
    bool has_wanted; /* an event that passes the filter began a state */
} sched_thread;

typedef struct sched_cpu {
    stele_sched_cpu row;
    uint32_t source;
    uint64_t number;
    uint32_t thread; /* index plus 1 of the thread that it runs; 0: none, or not known */
    uint8_t state;   /* a stele_cpu_state */
    bool has_priority;
    uint32_t irq_depth; /* how many interrupts and softirqs it is handling */
    int32_t priority;
    int64_t since_ns; /* begin of the current state */
    sched_place place;
    int64_t used_ns; /* time up to which `use` has been counted */
    stele_cpu_use use;
} sched_cpu;

/* An event of a known meaning. `cpu` and `thread` are the indexes of those it belongs to, or
   SCHED_NONE. */
typedef struct sched_given {
    const stele_batch *batch;
    const stele_event *event;
    const kernel_event *known;
    uint32_t cpu, thread;
} sched_given;

/* Receives an event of a known meaning, before it changes any state. */
typedef void sched_known_fn(void *user, const sched_given *given);

/* Indexes plus 1, by track; 0: none. */
typedef struct sched_indices {
    uint32_t *items;
    uint32_t count;
} sched_indices;

/* A thread or CPU that was found by its number before. */
typedef struct sched_memo {
    uint64_t number;
    uint32_t source;
    uint32_t index; /* its index plus 1; 0: none */
} sched_memo;

#define SCHED_MEMOS     512u
#define SCHED_CPU_MEMOS 64u

struct stele_sched {
    stele_context *context;
    /* Receivers of known events, by action; NULL: there are none. Each action but SWITCH, WAKE and
       NAME then has one. */
    sched_known_fn *const *on_known;
    void *known_user;
    uint64_t given_count; /* events of the window that receivers got */
    stele_sched_options options;
    filter *events; /* filter of events; NULL: all pass */
    filter *tracks; /* filter of the tracks whose rows are shown; NULL: all pass */
    kernel *kernel;
    stele_name cpu_name; /* name of the fields that cpu_field() looks for */
    stele_status status;
    int64_t begin_ns, end_ns; /* bounds of the window */
    bool is_all;              /* no filter leaves anything out */
    bool has_events, is_finished;
    /* times of the first and the last event, in the window or before it */
    int64_t first_ns, last_ns;

    sched_indices by_track;     /* indexes of threads */
    sched_indices cpu_by_track; /* indexes of CPUs; a track may stand for both a CPU and a thread */
    sched_indices cpu_of_own;   /* those of CPUs to which all events on the track belong */
    sched_thread *threads;
    uint32_t thread_count, thread_capacity;
    hash_table numbers; /* indexes of threads, by source and number */
    sched_cpu *cpus;
    uint32_t cpu_count, cpu_capacity;
    stele_sched_pair *pairs;
    uint32_t pair_count, pair_capacity;
    hash_table pair_numbers;
    stele_sched_wake *worst; /* a heap of the longest wake-ups, the shortest of them first */
    uint32_t worst_count;

    int64_t step_ns; /* begin of the current step of time */
    bool has_step;
    stele_cpu_use *uses; /* rows of a step, one for each CPU */
    uint32_t use_capacity;

    stele_sched_totals totals;
    histogram latencies;

    /* From here to `in_window`: time, record and filter result of the current event, and whether
       its time lies in the window. */
    int64_t now_ns;
    /* The time before which only `now_ns` and `last_ns` change, while no time decreases and all are
       plausible: see sched_settle(). */
    int64_t calm_ns;
    sched_place now;
    bool is_wanted;
    bool in_window;
    /* All time since any state began is counted, and no receiver wants intervals: see
       sched_settle(). */
    bool is_plain;
    /* trace of the stream source_stream; the next members belong to that stream, too */
    uint32_t source;
    uint32_t source_stream;
    int64_t shift_ns;
    /* plausible range of times; those outside are far from all others (STE015) */
    int64_t range_begin_ns, range_end_ns;

    /* Threads that were found last, by the lowest bits of the number, and CPUs likewise. */
    sched_memo memos[SCHED_MEMOS], cpu_memos[SCHED_CPU_MEMOS];

    /* Sorted copies of rows, valid until the caller asks for the next ones. */
    stele_sched_thread *thread_rows;
    stele_sched_cpu *cpu_rows;
    stele_sched_wake *worst_rows;
    stele_sched_pair *pair_rows;
};

/* What a switch event says of one of its two threads. */
typedef struct sched_side {
    uint32_t thread; /* index of the thread; SCHED_NONE: idle, or beyond the limit of tracks */
    bool is_idle, has_priority;
    int32_t priority;
} sched_side;

/* Finds the thread or the CPU of a track, or makes it. Returns its index, or SCHED_NONE. */
uint32_t sched_thread_of_track(stele_sched *s, uint32_t track);
uint32_t sched_cpu_of_track(stele_sched *s, uint32_t number);

/* Find the thread with a number, which is made if `is_made` is set, and the CPU of an event.
   `field` names the CPU; it may be NULL. Both return an index, or SCHED_NONE if there is none. */
uint32_t sched_find_thread(stele_sched *s, uint64_t number, bool is_made);
uint32_t sched_find_cpu(stele_sched *s, const stele_batch *batch, const stele_event *event,
                        const stele_field *field);

static inline bool sched_memo_holds(const sched_memo *memo, uint32_t of_trace, uint64_t number)
{
    return memo->number == number && memo->source == of_trace && memo->index != 0;
}

static inline uint32_t sched_index_of(const sched_indices *of, uint32_t track)
{
    return track < of->count && of->items[track] != 0 ? of->items[track] - 1 : SCHED_NONE;
}

/* Passes over an event, which changes no state, but says that states last until its time. */
void sched_pass(stele_sched *s, const stele_batch *batch, const stele_event *event);

/* Gives the receiver the steps of time that have ended by now. */
void sched_step(stele_sched *s);

/* Whether a time lies in the window. */
static inline bool sched_in_window(const stele_sched *s, int64_t time_ns)
{
    return (uint64_t)time_ns - (uint64_t)s->begin_ns < (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
}

/* Sets `calm_ns`, `in_window` and `is_plain` for the window. */
void sched_settle(stele_sched *s);

/* Advances the time of the analysis where more than that may change. Returns false if the time is
   far from all others, which was counted. */
bool sched_advance_far(stele_sched *s, int64_t time_ns);

/* The time before which events of the current source change nothing but the time. */
static inline int64_t sched_limit(const stele_sched *s)
{
    if (s->last_ns < s->range_begin_ns)
        return INT64_MIN;
    return s->range_end_ns < s->calm_ns ? s->range_end_ns : s->calm_ns;
}

/* Advances the time of the analysis to that of the current event. `*limit_ns` is sched_limit().
   Returns false if the time is far from all others, so that the event does not count. */
static inline bool sched_advance(stele_sched *s, int64_t time_ns, int64_t *limit_ns)
{
    bool is_near;
    if (time_ns >= s->last_ns && time_ns < *limit_ns) {
        s->now_ns = s->last_ns = time_ns;
        return true;
    }
    is_near = sched_advance_far(s, time_ns);
    *limit_ns = sched_limit(s);
    return is_near;
}

void sched_switch(stele_sched *s, uint32_t cpu, const sched_side *outgoing, kernel_state state,
                  stele_name text, const sched_side *incoming);
void sched_wake(stele_sched *s, uint32_t cpu, uint32_t thread, uint32_t waker);

/* Marks the state of a CPU as unknown, because events were lost. */
void sched_lose(stele_sched *s, uint32_t cpu);

/* Ends all states at the end of the trace or window. */
void sched_close(stele_sched *s, int64_t end_ns);

/* Sets the status unless it has an error already; an error ends the analysis. */
void sched_fail(stele_sched *s, stele_status status);

/* Whether the filter shows the rows of a track. */
static inline bool sched_is_shown(stele_sched *s, uint32_t track)
{
    return s->tracks == NULL || filter_passes_track(s->tracks, track);
}

#endif
