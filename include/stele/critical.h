/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a span: from its end backwards to its begin, on the thread where it ended,
 * and from there to what that thread waited for: the sender of a flow, the thread that woke it. The
 * path is a list of stretches that follow each other without a gap, so that their durations sum up
 * to that of the span.
 *
 *     status = stele_critical_new(context, NULL, &critical);
 *     request.kinds = STELE_CRITICAL_KINDS;
 *     request.columns = stele_critical_columns(critical);
 *     request.order = STELE_ORDER_TIME;
 *     status = stele_reader_open(context, traces, count, &request, &reader);
 *     status = stele_critical_set_window(critical, span->begin_ns, span->end_ns);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_critical_add(critical, &segment);
 *     if (status == STELE_END)
 *         status = stele_critical_finish(critical);
 *     status = stele_critical_path(critical, span, &stretches, &stretch_count);
 *
 * The span itself is found with <stele/spans.h> before. Where pairs of moments are to be spans,
 * pass the events through a stele_pairing, its output to stele_critical_add_spans(), and the events
 * as they were read to stele_critical_add_sched(). Rules about threads, memory, statuses and
 * ownership are those of <stele/analysis.h>. Memory grows with what lies in the window, up to the
 * limits of the options.
 */
#ifndef STELE_CRITICAL_H
#define STELE_CRITICAL_H

#include <stele/sched.h>
#include <stele/spans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happened in a stretch. Values before STELE_CRITICAL_IN are those of stele_run_state. */
typedef enum stele_critical_state {
    /* The state of the thread is not known, because events are missing. */
    STELE_CRITICAL_UNKNOWN = STELE_RUN_UNKNOWN,
    STELE_CRITICAL_RUNNING = STELE_RUN_RUNNING, /* the thread runs on a CPU */
    /* The thread waits for its CPU, which another thread took. */
    STELE_CRITICAL_PREEMPTED = STELE_RUN_PREEMPTED,
    STELE_CRITICAL_RUNNABLE = STELE_RUN_RUNNABLE, /* the thread was woken, and waits for a CPU */
    /* The thread waits, and no thread is known to end its waiting. */
    STELE_CRITICAL_SLEEPING = STELE_RUN_SLEEPING,
    STELE_CRITICAL_BLOCKED = STELE_RUN_BLOCKED, /* the thread sleeps, and cannot be interrupted */
    /* The thread is stopped, by a signal or a debugger. */
    STELE_CRITICAL_STOPPED = STELE_RUN_STOPPED,
    STELE_CRITICAL_IN,   /* the thread is in a span; the trace does not say whether it runs */
    STELE_CRITICAL_FLOW, /* a flow is on its way to a thread that waits for it */
    STELE_CRITICAL_IDLE, /* the thread is in no span, and the trace does not say what it does */
    STELE_CRITICAL_STATE_COUNT
} stele_critical_state;

/* "unknown", "running", ..., "in", "flow", "idle". */
STELE_API const char *stele_critical_state_text(stele_critical_state state);

/* How the path gets from a stretch to the next one. */
typedef enum stele_critical_way {
    STELE_CRITICAL_GOES_ON, /* the next stretch is on the same thread */
    STELE_CRITICAL_BY_FLOW, /* a flow begins or ends where this stretch ends */
    STELE_CRITICAL_BY_WAKE, /* the thread of this stretch wakes the thread of the next stretch */
    /* The span of this stretch begins an operation, or another thread's part of the path. */
    STELE_CRITICAL_BY_BEGIN,
    /* The thread of this stretch begins to wait for the thread of the next stretch. */
    STELE_CRITICAL_BY_WAIT,
    STELE_CRITICAL_WAY_COUNT
} stele_critical_way;

/* "goes-on", "flow", "wake", "begin", "wait". */
STELE_API const char *stele_critical_way_text(stele_critical_way way);

/* A part of the path: one thread or flow in one state. */
typedef struct stele_critical_stretch {
    int64_t begin_ns, end_ns;
    /* Offset of the record that began the span `name`; STELE_SPAN_NO_OFFSET: no span. */
    uint64_t offset;
    uint32_t stream; /* stream of the record at `offset` */
    uint32_t track;  /* the thread that the stretch is on; of a flow, the track where it ends */
    /* Of a flow the track where it began, of a preempted thread the thread that took its CPU, of a
       runnable thread the thread that woke it; 0: none, or not known. */
    uint32_t other;
    stele_name name; /* of the innermost span, or of the flow; 0: neither */
    uint8_t state;   /* stele_critical_state */
    uint8_t way;     /* stele_critical_way: how the path gets to the next stretch */
    uint16_t reserved;
} stele_critical_stretch;

/* Whose time is followed, and how far; zeros give the defaults. */
typedef struct stele_critical_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Spans, and states of threads, that are kept: so many of each, the longest ones. The time of a
       shorter one counts as part of what is around it. 0: 524,288. */
    uint32_t span_max;
    uint32_t flow_max; /* flows that are kept; 0: 262,144 */
} stele_critical_options;

/* How much was read in the window, and how much of it was left out. */
typedef struct stele_critical_counts {
    size_t struct_size;        /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t span_count;       /* spans that were read */
    uint64_t flow_count;       /* flows that were read */
    uint64_t state_count;      /* stretches of threads in one state; 0: no scheduling is known */
    uint64_t lost_count;       /* LOST events */
    uint64_t short_count;      /* spans and states left out, because others were longer */
    uint64_t short_ns;         /* no span or state that was left out is longer */
    uint64_t flow_other_count; /* flows left out, because flow_max was reached */
} stele_critical_counts;

typedef struct stele_critical stele_critical;

/* `options` may be NULL. The caller frees the handle with stele_critical_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this library does not know. */
STELE_API stele_status stele_critical_new(stele_context *context,
                                          const stele_critical_options *options,
                                          stele_critical **out);
STELE_API void stele_critical_free(stele_critical *c);

/* Sets the window: only spans, flows and states that lie in [begin_ns, end_ns) are kept; a span's
   begin and end for its own path. Earlier events are to be added, too: they say what is open when
   the window begins. To be called before the first event. */
STELE_API stele_status stele_critical_set_window(stele_critical *c, int64_t begin_ns,
                                                 int64_t end_ns);

/* stele_critical_add() takes the events of a segment, which must come in the order of time. It does
   what the other two do together: stele_critical_add_spans() takes spans and flows,
   stele_critical_add_sched() what is known of threads and CPUs. */
STELE_API stele_status stele_critical_add(stele_critical *c, const stele_segment *segment);
STELE_API stele_status stele_critical_add_spans(stele_critical *c, const stele_segment *segment);
STELE_API stele_status stele_critical_add_sched(stele_critical *c, const stele_segment *segment);

/* Ends spans, flows and states that are still open. To be called after the last event. */
STELE_API stele_status stele_critical_finish(stele_critical *c);

/* Gives the path of a span, from its begin to its end; parts of it outside of the window are left
   out. The rows are owned by the handle, and hold until the next call with it. To be called after
   stele_critical_finish(). */
STELE_API stele_status stele_critical_path(stele_critical *c, const stele_span *span,
                                           const stele_critical_stretch **rows, size_t *count);

/* Gives the counts so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_critical_get_counts(const stele_critical *c, stele_critical_counts *counts);

/* The kinds and columns to request from a reader. */
#define STELE_CRITICAL_KINDS \
    (STELE_SPANS_KINDS | STELE_SCHED_KINDS | STELE_KIND_BIT(STELE_KIND_FLOW_STEP))
STELE_API uint32_t stele_critical_columns(const stele_critical *c);

#ifdef __cplusplus
}
#endif
#endif
