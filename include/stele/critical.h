/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a span: from its end backwards to its begin, on the thread where it ended,
 * and from there to what that thread waited for: the sender of a flow, the thread that woke it.
 * What it went through are stretches that follow each other without a gap, so that their durations
 * sum up to that of the span.
 *
 *     status = stele_critical_new(context, NULL, &critical);
 *     request.kinds = STELE_CRITICAL_KINDS;
 *     request.columns = stele_critical_columns(critical);
 *     request.order = STELE_ORDER_TIME;
 *     status = stele_reader_open(context, traces, count, &request, &reader);
 *     status = stele_critical_set_window(critical, span->begin_ns, span->end_ns);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_critical_add(critical, &segment);
 *     status = stele_critical_finish(critical);
 *     status = stele_critical_path(critical, span, &stretches, &stretch_count);
 *
 * Which span that is to be is asked of <stele/spans.h> before. Where moments are to become spans, a
 * stele_pairing stands before stele_critical_add_spans(), and stele_critical_add_sched() takes the
 * events as they are. Rules about threads, memory, statuses and ownership are those of
 * <stele/analysis.h>. Memory grows with what lies in the window, up to the limits of the options.
 */
#ifndef STELE_CRITICAL_H
#define STELE_CRITICAL_H

#include <stele/sched.h>
#include <stele/spans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happened in a stretch. The first ones are states of the thread: see stele_run_state. */
typedef enum stele_critical_state {
    STELE_CRITICAL_UNKNOWN = STELE_RUN_UNKNOWN,     /* events are missing */
    STELE_CRITICAL_RUNNING = STELE_RUN_RUNNING,     /* on a CPU */
    STELE_CRITICAL_PREEMPTED = STELE_RUN_PREEMPTED, /* waits for a CPU that another one took */
    STELE_CRITICAL_RUNNABLE = STELE_RUN_RUNNABLE,   /* was woken, and waits for a CPU */
    STELE_CRITICAL_SLEEPING = STELE_RUN_SLEEPING,   /* waits, and no thread is known to end that */
    STELE_CRITICAL_BLOCKED = STELE_RUN_BLOCKED,     /* sleeps, and cannot be interrupted */
    STELE_CRITICAL_STOPPED = STELE_RUN_STOPPED,     /* is held */
    STELE_CRITICAL_IN,   /* in a span; the trace does not say whether its thread runs */
    STELE_CRITICAL_FLOW, /* a flow is on its way to a thread that waits for it */
    STELE_CRITICAL_IDLE, /* in no span, and the trace does not say what the thread does */
    STELE_CRITICAL_STATE_COUNT
} stele_critical_state;

/* "unknown", "running", ..., "in", "flow", "idle". */
STELE_API const char *stele_critical_state_text(stele_critical_state state);

/* How the path gets from a stretch to the next one. */
typedef enum stele_critical_way {
    STELE_CRITICAL_GOES_ON,  /* on the same thread */
    STELE_CRITICAL_BY_FLOW,  /* a flow begins or ends here */
    STELE_CRITICAL_BY_WAKE,  /* this thread wakes the one of the next stretch */
    STELE_CRITICAL_BY_BEGIN, /* what is open here begins an operation, or another thread's part */
    STELE_CRITICAL_BY_WAIT,  /* the thread of this stretch begins to wait for that of the next */
    STELE_CRITICAL_WAY_COUNT
} stele_critical_way;

/* "goes-on", "flow", "wake", "begin", "wait". */
STELE_API const char *stele_critical_way_text(stele_critical_way way);

/* A part of the path. */
typedef struct stele_critical_stretch {
    int64_t begin_ns, end_ns;
    uint64_t offset; /* of the record that began the span `name`; STELE_SPAN_NO_OFFSET: none */
    uint32_t stream; /* of that record */
    uint32_t track;  /* where it is; of a flow, where that ends */
    uint32_t other;  /* of a flow the track where it began, of a preempted thread the one that took
                        its CPU, of a runnable one the one that woke it; 0: none, or not known */
    stele_name name; /* of the innermost span, or of the flow; 0: none */
    uint8_t state;   /* stele_critical_state */
    uint8_t way;     /* stele_critical_way: to the next stretch */
    uint16_t reserved;
} stele_critical_stretch;

/* Zeros give the defaults. */
typedef struct stele_critical_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t span_max;  /* spans, and states of threads, that are kept, of either the longest: what
                           is shorter counts as part of what is around it; 0: 524,288 */
    uint32_t flow_max;  /* flows that are kept; 0: 262,144 */
} stele_critical_options;

/* What was read in the window. */
typedef struct stele_critical_counts {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t span_count, flow_count;
    uint64_t state_count;      /* stretches of threads in one state; 0: no scheduling is known */
    uint64_t lost_count;       /* LOST events */
    uint64_t short_count;      /* spans and states left out, because others were longer */
    uint64_t short_ns;         /* what is left out is not longer than that */
    uint64_t flow_other_count; /* flows beyond the limit */
} stele_critical_counts;

typedef struct stele_critical stele_critical;

/* `options` may be NULL. Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this
   library does not know. */
STELE_API stele_status stele_critical_new(stele_context *context,
                                          const stele_critical_options *options,
                                          stele_critical **out);
STELE_API void stele_critical_free(stele_critical *c);

/* Only what lies in [begin_ns, end_ns) is kept: the span's begin and end. Events from before, which
   are to be added too, say what is open then. To be called before the first event. */
STELE_API stele_status stele_critical_set_window(stele_critical *c, int64_t begin_ns,
                                                 int64_t end_ns);

/* Takes the events of a segment; all events must come in the order of time. The first function does
   what the other two do: one takes what begins and ends, one what is known of threads and CPUs. */
STELE_API stele_status stele_critical_add(stele_critical *c, const stele_segment *segment);
STELE_API stele_status stele_critical_add_spans(stele_critical *c, const stele_segment *segment);
STELE_API stele_status stele_critical_add_sched(stele_critical *c, const stele_segment *segment);

/* Ends what is open. */
STELE_API stele_status stele_critical_finish(stele_critical *c);

/*
 * The path of a span, from its begin to its end; a part that is not in the window is left out. The
 * rows are owned by the handle, and hold until the next call with it. To be called after
 * stele_critical_finish().
 */
STELE_API stele_status stele_critical_path(stele_critical *c, const stele_span *span,
                                           const stele_critical_stretch **rows, size_t *count);

/* The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_critical_get_counts(const stele_critical *c, stele_critical_counts *counts);

/* The kinds and columns to request from a reader. */
#define STELE_CRITICAL_KINDS \
    (STELE_SPANS_KINDS | STELE_SCHED_KINDS | STELE_KIND_BIT(STELE_KIND_FLOW_STEP))
STELE_API uint32_t stele_critical_columns(const stele_critical *c);

#ifdef __cplusplus
}
#endif
#endif
