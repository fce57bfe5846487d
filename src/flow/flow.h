/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of segments, which are pulled some at a time and taken one by one. A flow is built from a
   producer or from other flows; it owns them, also if it cannot be made. A segment holds until the
   next call of flow_next() on the same flow. */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include "model/batch.h"
#include "model/trace.h"

typedef struct flow flow;

typedef struct flow_ops {
    /* Called when all pulled segments were taken: sets `at` and `end` to at least one segment, or
       returns why there is none. */
    stele_status (*pull)(flow *self);
    void (*close)(flow *self);
} flow_ops;

struct flow {
    const flow_ops *ops;
    const stele_segment *at, *end; /* segments that were pulled and not yet taken */
    uint64_t event_count;          /* events of all segments that were pulled so far */
    /* flow_key() of all events of the segments' batch, if there is only one batch and the keys are
       known; else NULL. */
    const uint64_t *keys;
};

/* The time of an event in the order of a flow, event_key(), as an unsigned number with the same
   order. */
static inline uint64_t flow_key(const stele_event *event, bool by_end)
{
    return (uint64_t)event_key(event, by_end) ^ UINT64_C(1) << 63;
}

/* What the ordering flows of a reader count; all of them share one. */
typedef struct order_stats {
    uint64_t unordered_count; /* events that follow a younger one of their stream */
    /* The largest distance of such an event to the younger one. */
    int64_t unordered_max_ns;
    uint64_t late_count; /* events that were delivered with STELE_FLAG_LATE */
    /* The largest distance of a late event to a younger one before it. */
    int64_t lateness_max_ns;
} order_stats;

static inline stele_status flow_next(flow *f, stele_segment *segment)
{
    if (f->at == f->end) {
        const stele_status status = f->ops->pull(f);
        if (status != STELE_OK)
            return status;
    }
    *segment = *f->at++;
    return STELE_OK;
}

/* For pull(): delivers `count` segments with `event_count` events in all. */
static inline stele_status flow_give(flow *self, const stele_segment *segments, uint32_t count,
                                     uint64_t event_count)
{
    self->at = segments;
    self->end = segments + count;
    self->event_count += event_count;
    return STELE_OK;
}

/* Closes a flow, which may be NULL, and everything that it owns. */
void flow_close(flow *f);

/* Makes a flow of a producer's batches as they come. Errors: STELE_ERR_MEMORY. */
stele_status flow_plain(producer *from, flow **out);

typedef struct order_options {
    bool by_end; /* order COMPLETE events by their end: see event_key() */
    /* How much older than one before it an event can be; INT64_MAX: not limited. */
    int64_t lateness_ns;
    uint32_t batch_events; /* capacity of the batches for events; 0: BATCH_EVENTS */
    uint32_t events_max;   /* events that a window holds; 0: 65,536 */
    size_t size_max;       /* bytes that events held in memory may take */
    int64_t hold_ms;    /* events are delivered when nothing came for so long; 0: they are held */
    order_stats *stats; /* must outlive the flow */
    stele_context *context;
} order_options;

/*
 * Both order the producer's events by (time, stream, sequence). An event is delivered as soon as no
 * later one can be older by `lateness_ns`. An event older than one delivered before it is flagged
 * LATE and counted. They differ when more events are held than the limits allow: flow_window()
 * delivers the oldest early; flow_sort(), which ignores events_max, writes sorted runs to temporary
 * files. Errors: STELE_ERR_MEMORY; while reading also STELE_ERR_WRITE and STELE_ERR_READ for the
 * temporary files.
 */
stele_status flow_window(producer *from, const order_options *options, flow **out);
stele_status flow_sort(producer *from, const order_options *options, flow **out);

/* In flow_merge(), flow_merge_two() and flow_concat() an error of one flow ends that flow only, and
   is returned when all have ended. */

/* Merges several ordered flows; for equal times the one earlier in the list comes first. A flow may
   have late events between segments, but each segment must be in order. */
stele_status flow_merge(flow *const *from, size_t count, bool by_end, flow **out);

/* Merges two flows: the special case that flow_merge() uses for count 2. */
stele_status flow_merge_two(flow *left, flow *right, bool by_end, flow **out);

/* Makes a flow of several flows, one after the other. */
stele_status flow_concat(flow *const *from, size_t count, flow **out);

#endif
