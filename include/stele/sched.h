/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling: what threads do between the events that say so, and what CPUs do meanwhile. A handle
 * takes segments from a reader, in the order of time:
 *
 *     stele_sched_options options = STELE_INIT(stele_sched_options);
 *     stele_request request = {.kinds = STELE_SCHED_KINDS, .order = STELE_ORDER_TIME};
 *     const stele_sched_thread *threads;
 *     size_t count;
 *     stele_sched *sched;
 *     status = stele_sched_new(context, &options, &sched);
 *     request.columns = stele_sched_columns(sched);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_sched_add(sched, &segment);
 *     status = stele_sched_finish(sched);
 *     status = stele_sched_threads(sched, STELE_SCHED_BY_RUNNING, &threads, &count);
 *
 * Switches and wake-ups are events of the kinds SWITCH and WAKE, and events of kernel traces whose
 * names and fields are those of a known tracer: LTTng, perf, trace-cmd. Their threads become tracks
 * of the kind THREAD, numbered by the tracer's thread id.
 *
 * Times and durations are in nanoseconds, times on the scale of stele_event.time_ns. Rules about
 * threads, memory, statuses and ownership are those of <stele/analysis.h>. Memory grows with the
 * number of threads and CPUs, not with that of events.
 */
#ifndef STELE_SCHED_H
#define STELE_SCHED_H

#include <stele/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_sched stele_sched;

/* What a thread does. */
typedef enum stele_run_state {
    STELE_RUN_UNKNOWN,   /* what it does cannot be known: events are missing */
    STELE_RUN_RUNNING,   /* on a CPU */
    STELE_RUN_PREEMPTED, /* could go on, and was taken off its CPU */
    STELE_RUN_RUNNABLE,  /* was woken, or is new, and waits for a CPU */
    STELE_RUN_SLEEPING,  /* waits for something */
    STELE_RUN_BLOCKED,   /* waits for something, and cannot be interrupted; of Fuchsia: blocked */
    STELE_RUN_STOPPED,   /* is held: suspended, traced, stopped by a signal */
    STELE_RUN_STATE_COUNT
} stele_run_state;

/* "unknown", "running", "preempted", ... */
STELE_API const char *stele_run_state_text(stele_run_state state);

/* What a CPU does. */
typedef enum stele_cpu_state {
    STELE_CPU_UNKNOWN, /* before its first switch, and where events are missing */
    STELE_CPU_IDLE,
    STELE_CPU_BUSY,
    STELE_CPU_STATE_COUNT
} stele_cpu_state;

/* "unknown", "idle", "busy". */
STELE_API const char *stele_cpu_state_text(stele_cpu_state state);

/* ---- Intervals: a thread in one state, a CPU with one thread --------------------------------- */

/* A stretch in which a thread is in one state. Intervals of a thread follow each other without a
   gap, from its first event to its end or that of the trace. */
typedef struct stele_thread_interval {
    int64_t begin_ns, end_ns;
    uint64_t offset;   /* of the record with which it began */
    uint32_t stream;   /* of that record */
    uint32_t thread;   /* track */
    uint32_t cpu;      /* track: where it runs, or ran last; 0: not known */
    uint32_t by;       /* track of the thread that woke it (RUNNABLE) or that runs in its place
                          (PREEMPTED); 0: not known, or none */
    stele_name text;   /* the state as the trace has it, of a thread that does not run; 0: none */
    stele_name reason; /* the system call in which a thread waits; 0: none is known */
    uint8_t state;     /* stele_run_state */
    bool is_open;      /* ends because the trace or the window does */
    bool has_priority; /* `priority` is known */
    int32_t priority;  /* while it runs, as the trace has it; of Fuchsia also the weight */
} stele_thread_interval;

/* A stretch in which a CPU does one thing. Intervals of a CPU follow each other without a gap, over
   the whole time that was read. */
typedef struct stele_cpu_interval {
    int64_t begin_ns, end_ns;
    uint64_t offset;     /* of the record with which it began; 0 of the first one */
    uint32_t stream;     /* of that record */
    uint32_t cpu;        /* track */
    uint32_t thread;     /* track; 0: none, or not known */
    stele_name end_text; /* in which state the thread was left, as the trace has it; 0: none */
    uint8_t state;       /* stele_cpu_state */
    bool is_open;        /* ends because the trace or the window does */
    bool has_priority;   /* `priority` is known */
    int32_t priority;    /* of the thread, as the trace has it */
} stele_cpu_interval;

/* What a CPU did in one step of time: see stele_sched_options.every_ns. */
typedef struct stele_cpu_use {
    int64_t begin_ns, end_ns;
    uint32_t cpu; /* track */
    uint64_t state_ns[STELE_CPU_STATE_COUNT];
    uint64_t switch_count;
} stele_cpu_use;

/* Receive what has become known. Intervals come when they end. Any status but STELE_OK ends what is
   being done, and is what that returns. The rows hold for the call. */
typedef stele_status stele_thread_interval_fn(void *user, const stele_thread_interval *interval);
typedef stele_status stele_cpu_interval_fn(void *user, const stele_cpu_interval *interval);
typedef stele_status stele_cpu_use_fn(void *user, const stele_cpu_use *rows, size_t count);

/* ---- The analysis ---------------------------------------------------------------------------- */

/* Zeros give the defaults. */
typedef struct stele_sched_options {
    size_t struct_size;                  /* sizeof this struct, or 0: see <stele/version.h> */
    stele_thread_interval_fn *on_thread; /* NULL: none is wanted, as of the next two */
    stele_cpu_interval_fn *on_cpu;
    stele_cpu_use_fn *on_use; /* one row for each CPU, for each step of time */
    void *user;               /* what they receive */
    uint64_t every_ns;        /* length of a step; 0: there are none */
    uint32_t worst_max;       /* wake-ups with the longest latency that are kept; 0: 10 */
    uint32_t pairs_max;       /* pairs of threads kept of which one preempts the other; 0: 65,536 */
    /* Only threads and CPUs on such tracks count, and of the threads' intervals only those whose
       first event passes the names, categories, kinds and expression of this request, which is
       copied. NULL: all. What is left out still says what the others do. */
    const stele_request *only;
} stele_sched_options;

/* Returns STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_sched_new(stele_context *context, const stele_sched_options *options,
                                       stele_sched **out);
STELE_API void stele_sched_free(stele_sched *s);

/*
 * Only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open ends. Events from
 * before, which are to be added too, say what threads and CPUs do when the window begins. What goes
 * on at its end counts up to there: a bound end must not be after the last event of the trace. To
 * be called before the first event.
 */
STELE_API stele_status stele_sched_set_window(stele_sched *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; all events must come in the order of time. */
STELE_API stele_status stele_sched_add(stele_sched *s, const stele_segment *segment);

/* The track of the process that a thread is in, by the thread's track, as far as events say it or
   the thread's track has a parent; 0: not known. */
STELE_API uint32_t stele_sched_process(const stele_sched *s, uint32_t thread);

/* Ends all intervals with the last event, or with the window; rows are complete from then on. */
STELE_API stele_status stele_sched_finish(stele_sched *s);

/* The kinds and columns to request from a reader. */
#define STELE_SCHED_KINDS                                                   \
    (STELE_KIND_BIT(STELE_KIND_SWITCH) | STELE_KIND_BIT(STELE_KIND_WAKE) |  \
     STELE_KIND_BIT(STELE_KIND_INSTANT) | STELE_KIND_BIT(STELE_KIND_LOST) | \
     STELE_KIND_BIT(STELE_KIND_SYSCALL))
STELE_API uint32_t stele_sched_columns(const stele_sched *s);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* One thread. The times of its states sum up to life_ns. */
typedef struct stele_sched_thread {
    uint32_t track;
    int64_t first_ns, last_ns; /* from its first event to its end, or that of the trace */
    uint64_t life_ns;          /* without what is between its end and a new thread of its number */
    uint64_t state_ns[STELE_RUN_STATE_COUNT];
    uint64_t run_count;       /* times that it got a CPU */
    uint64_t voluntary_count; /* times that it gave its CPU up to wait */
    uint64_t preempted_count; /* times that it was taken off its CPU while it could go on */
    uint64_t migration_count; /* times that it got another CPU than the one before */
    uint64_t wake_count;      /* times that it was woken */
    uint64_t latency_count;   /* wake-ups after which it got a CPU */
    uint64_t latency_ns;      /* sum of the times from wake-up to CPU */
    uint64_t latency_max_ns;  /* the longest of them */
    bool has_priority;        /* the next three are known */
    int32_t priority, priority_min, priority_max; /* the last, the least and the greatest number */
} stele_sched_thread;

/* One CPU. The times of its states sum up to the time that was read. */
typedef struct stele_sched_cpu {
    uint32_t track;
    uint64_t state_ns[STELE_CPU_STATE_COUNT];
    uint64_t switch_count;
    uint64_t wake_count; /* wake-ups that were recorded on it */
} stele_sched_cpu;

/* A wake-up, and how long it took until the thread got a CPU. */
typedef struct stele_sched_wake {
    int64_t wake_ns, run_ns;
    uint64_t wake_offset, run_offset; /* of the two records */
    uint32_t wake_stream, run_stream; /* of the two records */
    uint32_t thread;                  /* track */
    uint32_t by;                      /* track of the thread that woke it; 0: not known, or none */
    uint32_t cpu;                     /* track: where it ran then */
} stele_sched_wake;

/* One thread that was preempted by another one. */
typedef struct stele_sched_pair {
    uint32_t thread, by; /* tracks */
    uint64_t count;
    uint64_t wait_ns;     /* from the preemptions until the thread got a CPU again */
    uint64_t wait_max_ns; /* the longest of those */
} stele_sched_pair;

#define STELE_SCHED_CLASSES 64u

/* Figures of all threads and CPUs. */
typedef struct stele_sched_totals {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    int64_t begin_ns, end_ns; /* the time that was read, or the window; equal if there was none */
    uint64_t switch_count;
    uint64_t wake_count;          /* wake-ups of threads that waited */
    uint64_t wake_again_count;    /* wake-ups of threads that were woken already */
    uint64_t wake_running_count;  /* wake-ups of threads that were running */
    uint64_t preemption_count;    /* switches that took a CPU from a thread that could go on */
    uint64_t pair_other_count;    /* preemptions between pairs beyond the limit */
    uint64_t contradiction_count; /* events that say that others are missing: time before them is
                                     unknown */
    uint64_t lost_count;          /* LOST events: what follows them is unknown up to a switch */
    uint64_t thread_other_count;  /* switches and wake-ups of threads beyond the limit of tracks */
    uint64_t far_count;           /* events left out because their time is far from all others */
    uint64_t latency_count;       /* wake-ups after which the thread got a CPU; of them: */
    uint64_t latency_ns;          /* sum of the times from wake-up to CPU */
    uint64_t latency_min_ns, latency_max_ns; /* exact; 0 where there are none */
    uint64_t latency_p50_ns, latency_p90_ns, latency_p99_ns,
        latency_p999_ns; /* percentiles: at most 3.2% too large, never above latency_max_ns */
    uint64_t latency_class[STELE_SCHED_CLASSES]; /* by magnitude: those of less than 2 ns, and from
                                                    2^n up to 2^(n+1) - 1 ns */
} stele_sched_totals;

/* The largest come first; names rise. */
typedef enum stele_sched_order {
    STELE_SCHED_BY_RUNNING,
    STELE_SCHED_BY_WAITING, /* preempted and runnable */
    STELE_SCHED_BY_SWITCHES,
    STELE_SCHED_BY_LATENCY, /* the longest */
    STELE_SCHED_BY_NAME
} stele_sched_order;

/* Rows are owned by the handle, and hold until the next call of the same function with it. CPUs
   come by trace and number, wake-ups and pairs with the longest first. */
STELE_API stele_status stele_sched_threads(stele_sched *s, stele_sched_order order,
                                           const stele_sched_thread **rows, size_t *count);
STELE_API stele_status stele_sched_cpus(stele_sched *s, const stele_sched_cpu **rows,
                                        size_t *count);
STELE_API stele_status stele_sched_worst(stele_sched *s, const stele_sched_wake **rows,
                                         size_t *count);
STELE_API stele_status stele_sched_pairs(stele_sched *s, const stele_sched_pair **rows,
                                         size_t *count);

/* The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API void stele_sched_get_totals(const stele_sched *s, stele_sched_totals *totals);

#ifdef __cplusplus
}
#endif
#endif
