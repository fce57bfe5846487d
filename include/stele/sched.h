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
 *     request.field_count = stele_sched_fields(sched, &request.fields);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_sched_add(sched, &segment);
 *     if (status == STELE_END)
 *         status = stele_sched_finish(sched);
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

/* What a thread does at a time. */
typedef enum stele_run_state {
    STELE_RUN_UNKNOWN,   /* not known, because events are missing */
    STELE_RUN_RUNNING,   /* runs on a CPU */
    STELE_RUN_PREEMPTED, /* was taken off its CPU while it could go on */
    STELE_RUN_RUNNABLE,  /* was woken, or is new, and waits for a CPU */
    STELE_RUN_SLEEPING,  /* waits for something */
    STELE_RUN_BLOCKED,   /* waits for something, and cannot be interrupted; in Fuchsia: blocked */
    STELE_RUN_STOPPED,   /* is suspended, traced, or stopped by a signal */
    STELE_RUN_STATE_COUNT
} stele_run_state;

/* "unknown", "running", "preempted", ... */
STELE_API const char *stele_run_state_text(stele_run_state state);

/* What a CPU does at a time. */
typedef enum stele_cpu_state {
    STELE_CPU_UNKNOWN, /* before the first switch of the CPU, and where events are missing */
    STELE_CPU_IDLE,
    STELE_CPU_BUSY,
    STELE_CPU_STATE_COUNT
} stele_cpu_state;

/* "unknown", "idle", "busy". */
STELE_API const char *stele_cpu_state_text(stele_cpu_state state);

/* ---- Intervals: a thread in one state, a CPU with one thread --------------------------------- */

/* A stretch in which a thread is in one state. Intervals of a thread follow each other without a
   gap, from the thread's first event to its end or the end of the trace. */
typedef struct stele_thread_interval {
    int64_t begin_ns, end_ns;
    uint64_t offset; /* of the record with which the interval began */
    uint32_t stream; /* stream of the record at `offset` */
    uint32_t thread; /* track of the thread */
    uint32_t cpu;    /* track of the CPU that it runs on, or ran on last; 0: not known */
    /* Track of the thread that woke it (RUNNABLE) or that runs in its place (PREEMPTED); 0: none,
       or not known. */
    uint32_t by;
    stele_name text;   /* the trace's own name of the state, if the thread does not run; 0: none */
    stele_name reason; /* the system call in which the thread waits; 0: none is known */
    uint8_t state;     /* stele_run_state */
    bool is_open;      /* ends only because the trace or the window ends */
    bool has_priority; /* `priority` is known */
    int32_t priority;  /* while the thread runs, as the trace has it; in Fuchsia also the weight */
} stele_thread_interval;

/* A stretch in which a CPU does one thing. Intervals of a CPU follow each other without a gap, over
   all the time that was read. */
typedef struct stele_cpu_interval {
    int64_t begin_ns, end_ns;
    uint64_t offset;     /* of the record with which the interval began; 0 for the first interval */
    uint32_t stream;     /* stream of the record at `offset` */
    uint32_t cpu;        /* track of the CPU */
    uint32_t thread;     /* track of the thread that it runs; 0: none, or not known */
    stele_name end_text; /* the trace's name of the state in which the thread was left; 0: none */
    uint8_t state;       /* stele_cpu_state */
    bool is_open;        /* ends only because the trace or the window ends */
    bool has_priority;   /* `priority` is known */
    int32_t priority;    /* of the thread, as the trace has it */
} stele_cpu_interval;

/* What a CPU did in one step of time: see stele_sched_options.every_ns. */
typedef struct stele_cpu_use {
    int64_t begin_ns, end_ns;
    uint32_t cpu; /* track of the CPU */
    uint64_t state_ns[STELE_CPU_STATE_COUNT];
    uint64_t switch_count;
} stele_cpu_use;

/* Functions that receive results: intervals when they end, and uses when a step ends. A status
   other than STELE_OK ends the current call with the handle, which returns it. The rows hold during
   the call. */
typedef stele_status stele_thread_interval_fn(void *user, const stele_thread_interval *interval);
typedef stele_status stele_cpu_interval_fn(void *user, const stele_cpu_interval *interval);
typedef stele_status stele_cpu_use_fn(void *user, const stele_cpu_use *rows, size_t count);

/* ---- Scheduling analysis --------------------------------------------------------------------- */

/* What an analysis of scheduling passes on; zeros give the defaults. */
typedef struct stele_sched_options {
    size_t struct_size;                  /* sizeof this struct, or 0: see <stele/version.h> */
    stele_thread_interval_fn *on_thread; /* NULL: intervals of threads are not wanted */
    stele_cpu_interval_fn *on_cpu;       /* NULL: intervals of CPUs are not wanted */
    stele_cpu_use_fn *on_use; /* one row for each CPU, for each step of time; NULL: not wanted */
    void *user;               /* passed to on_thread, on_cpu and on_use */
    uint64_t every_ns;        /* length of a step of on_use; 0: no steps */
    uint32_t worst_max;       /* how many wake-ups with the longest latency are kept; 0: 10 */
    uint32_t pairs_max; /* how many pairs of preempted and preempting thread are kept; 0: 65,536 */
    /* Counts only threads and CPUs on these tracks, and of the threads' intervals only those whose
       first event passes the names, categories, kinds and expression of this request. It is copied.
       NULL: all. Events that it leaves out are still used to follow the states of the others. */
    const stele_request *only;
} stele_sched_options;

/* `options` may be NULL. The caller frees the handle with stele_sched_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_sched_new(stele_context *context, const stele_sched_options *options,
                                       stele_sched **out);
STELE_API void stele_sched_free(stele_sched *s);

/*
 * Sets the window: only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open
 * ends. Earlier events are to be added, too: they say what threads and CPUs do when the window
 * begins. States that go on at its end count up to there: an end other than INT64_MAX must not be
 * after the last event of the trace. To be called before the first event.
 */
STELE_API stele_status stele_sched_set_window(stele_sched *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; all events must come in the order of time. */
STELE_API stele_status stele_sched_add(stele_sched *s, const stele_segment *segment);

/* The track of a thread's process, as far as an event says it or the thread's track has a parent;
   0: not known. `thread` is the thread's track. */
STELE_API uint32_t stele_sched_process(const stele_sched *s, uint32_t thread);

/* What one thread or CPU does at a moment. */
typedef struct stele_sched_now {
    int64_t since_ns;   /* begin of the state */
    uint64_t offset;    /* of the record with which the state began */
    uint32_t stream;    /* stream of the record at `offset` */
    uint32_t track;     /* track of the thread or CPU */
    uint32_t other;     /* of a thread: track of the CPU that it runs on, or ran on last; of a CPU:
                           track of the thread that it runs; 0: none, or not known */
    uint32_t by;        /* as in stele_thread_interval */
    stele_name text;    /* as in stele_thread_interval */
    stele_name call;    /* the system call that the thread is in; 0: none is known */
    uint32_t irq_depth; /* how many interrupts and softirqs the CPU is handling */
    int32_t priority;   /* valid with has_priority */
    uint8_t state;      /* of a thread a stele_run_state, of a CPU a stele_cpu_state */
    bool is_cpu;
    bool has_priority;
} stele_sched_now;

typedef stele_status stele_sched_now_fn(void *user, const stele_sched_now *now);

/*
 * Gives what CPUs and threads do after the events that were added, one by one. A status other than
 * STELE_OK ends the call, which returns it. With these rows another handle can go on from there, so
 * that a stretch in the middle of a trace is understood without reading what stands before it.
 */
STELE_API stele_status stele_sched_give_now(const stele_sched *s, stele_sched_now_fn *fn,
                                            void *user);

/*
 * Lets a new handle go on from rows that stele_sched_give_now() gave, of a handle with the same
 * context. To be called after stele_sched_set_window(), before the first event. Only what lies in a
 * window that begins at that moment or later counts as it would without this; all states begin with
 * an event that passes the filter. Returns STELE_ERR_MEMORY if out of memory.
 */
STELE_API stele_status stele_sched_go_on(stele_sched *s, const stele_sched_now *rows, size_t count);

/* Ends all intervals at the last event, or at the end of the window. The rows are then complete. */
STELE_API stele_status stele_sched_finish(stele_sched *s);

/* The kinds and columns to request from a reader. */
#define STELE_SCHED_KINDS                                                   \
    (STELE_KIND_BIT(STELE_KIND_SWITCH) | STELE_KIND_BIT(STELE_KIND_WAKE) |  \
     STELE_KIND_BIT(STELE_KIND_INSTANT) | STELE_KIND_BIT(STELE_KIND_LOST) | \
     STELE_KIND_BIT(STELE_KIND_SYSCALL))
STELE_API uint32_t stele_sched_columns(const stele_sched *s);

/* Gives the names of the fields that the analysis looks at, for stele_request.fields, which makes
   reading faster. `*names` becomes an array of them, which holds as long as the context. Returns
   how many there are; 0 if the analysis may look at all fields. */
STELE_API size_t stele_sched_fields(const stele_sched *s, const char *const **names);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* One thread. The times of its states sum up to life_ns. */
typedef struct stele_sched_thread {
    uint32_t track;
    int64_t first_ns, last_ns; /* time of its first event, and of its end or that of the trace */
    uint64_t life_ns; /* without gaps between the end of a thread and a new one with its number */
    uint64_t state_ns[STELE_RUN_STATE_COUNT];
    uint64_t run_count;       /* how often it got a CPU */
    uint64_t voluntary_count; /* how often it gave its CPU up to wait */
    uint64_t preempted_count; /* how often it was taken off its CPU while it could go on */
    uint64_t migration_count; /* how often it got another CPU than the one before */
    uint64_t wake_count;      /* how often it was woken */
    uint64_t latency_count;   /* wake-ups after which it got a CPU */
    uint64_t latency_ns;      /* sum of the times from wake-up to getting a CPU */
    uint64_t latency_max_ns;  /* the longest time from wake-up to getting a CPU */
    bool has_priority;        /* priority, priority_min and priority_max are known */
    /* The last, the smallest and the largest number that the trace has. */
    int32_t priority, priority_min, priority_max;
} stele_sched_thread;

/* One CPU. The times of its states sum up to the time that was read. */
typedef struct stele_sched_cpu {
    uint32_t track;
    uint64_t state_ns[STELE_CPU_STATE_COUNT];
    uint64_t switch_count;
    uint64_t wake_count; /* wake-ups that were recorded on this CPU */
} stele_sched_cpu;

/* A wake-up, and when the thread got a CPU after it. */
typedef struct stele_sched_wake {
    int64_t wake_ns, run_ns;
    uint64_t wake_offset, run_offset; /* of the records of the wake-up and of the switch */
    uint32_t wake_stream, run_stream; /* streams of the records of the wake-up and of the switch */
    uint32_t thread;                  /* track of the thread */
    uint32_t by;                      /* track of the thread that woke it; 0: none, or not known */
    uint32_t cpu;                     /* track of the CPU that it then ran on */
} stele_sched_wake;

/* One thread that was preempted by another one. */
typedef struct stele_sched_pair {
    uint32_t thread; /* track of the thread that was preempted */
    uint32_t by;     /* track of the thread that preempted it */
    uint64_t count;
    uint64_t wait_ns;     /* sum of the times from preemption to getting a CPU again */
    uint64_t wait_max_ns; /* the longest time from preemption to getting a CPU again */
} stele_sched_pair;

/* Number of classes of latency: see stele_sched_totals.latency_class. */
#define STELE_SCHED_CLASSES 64u

/* Figures of all threads and CPUs. */
typedef struct stele_sched_totals {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    int64_t begin_ns, end_ns; /* the time that was read, or the window; equal if there was none */
    uint64_t switch_count;
    uint64_t wake_count;         /* wake-ups of threads that waited */
    uint64_t wake_again_count;   /* wake-ups of threads that were already woken */
    uint64_t wake_running_count; /* wake-ups of threads that were running */
    uint64_t preemption_count;   /* switches that took a CPU from a thread that could go on */
    uint64_t pair_other_count;   /* preemptions in no pair, because pairs_max was reached */
    /* Events that show that others before them are missing; the time before them is unknown. */
    uint64_t contradiction_count;
    uint64_t lost_count; /* LOST events; the time after each is unknown up to the next switch */
    /* Switches and wake-ups of threads that have no track, because of the limit of tracks. */
    uint64_t thread_other_count;
    uint64_t far_count;     /* events left out because their time is far from that of all others */
    uint64_t latency_count; /* wake-ups after which the thread got a CPU */
    uint64_t latency_ns;    /* sum of the times from wake-up to getting a CPU */
    /* The shortest and the longest such time; 0 if latency_count is 0. */
    uint64_t latency_min_ns, latency_max_ns;
    /* Percentiles of the latency: at most 3.2% too large, never above latency_max_ns. */
    uint64_t latency_p50_ns, latency_p90_ns, latency_p99_ns, latency_p999_ns;
    /* How many latencies are in each class: class 0 is of less than 2 ns, class n from 2^n to
       2^(n+1) - 1 ns. */
    uint64_t latency_class[STELE_SCHED_CLASSES];
} stele_sched_totals;

/* Orders of rows: by name ascending, by the others descending. */
typedef enum stele_sched_order {
    STELE_SCHED_BY_RUNNING,
    STELE_SCHED_BY_WAITING, /* by the time preempted and runnable together */
    STELE_SCHED_BY_SWITCHES,
    STELE_SCHED_BY_LATENCY, /* by the longest latency */
    STELE_SCHED_BY_NAME
} stele_sched_order;

/* Give the rows, which are owned by the handle, and hold until the next call of the same function
   with it. CPUs are sorted by trace and number, wake-ups and pairs from the longest to the
   shortest. Errors: STELE_ERR_MEMORY. */
STELE_API stele_status stele_sched_threads(stele_sched *s, stele_sched_order order,
                                           const stele_sched_thread **rows, size_t *count);
STELE_API stele_status stele_sched_cpus(stele_sched *s, const stele_sched_cpu **rows,
                                        size_t *count);
STELE_API stele_status stele_sched_worst(stele_sched *s, const stele_sched_wake **rows,
                                         size_t *count);
STELE_API stele_status stele_sched_pairs(stele_sched *s, const stele_sched_pair **rows,
                                         size_t *count);

/* Gives the totals so far. The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API void stele_sched_get_totals(const stele_sched *s, stele_sched_totals *totals);

#ifdef __cplusplus
}
#endif
#endif
