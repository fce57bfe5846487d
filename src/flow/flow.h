/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows: segments that are pulled, some at a time, and taken one by one. A flow is built from a
 * producer, or from other flows, which it then owns, also when it cannot be made. A segment holds
 * until the next call of flow_next() on the same flow.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include "model/batch.h"
#include "model/trace.h"

typedef struct flow flow;

typedef struct flow_ops {
    /* Called when all segments were taken: puts at least one in their place, or says why not. */
    stele_status (*pull)(flow *self);
    void (*close)(flow *self);
} flow_ops;

struct flow {
    const flow_ops *ops;
    const stele_segment *at, *end; /* those that were pulled and not yet taken */
    uint64_t event_count;          /* of all that were pulled so far */
    const uint64_t *keys;          /* flow_key() of all events of the segments' batch, if it is one
                                      and they are at hand; else NULL */
};

/* event_key() as an unsigned number, in the same order. */
static inline uint64_t flow_key(const stele_event *event, bool by_end)
{
    return (uint64_t)event_key(event, by_end) ^ UINT64_C(1) << 63;
}

/* What the ordering flows of one reader find out, shared by them. */
typedef struct order_stats {
    uint64_t unordered_count; /* events after a younger one of their stream */
    int64_t unordered_max_ns;
    uint64_t late_count; /* delivered out of order */
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

/* For pull(): the segments are these, with so many events. */
static inline stele_status flow_give(flow *self, const stele_segment *segments, uint32_t count,
                                     uint64_t event_count)
{
    self->at = segments;
    self->end = segments + count;
    self->event_count += event_count;
    return STELE_OK;
}

/* Closes the flow and all that it owns; NULL is fine. */
void flow_close(flow *f);

/* The producer's batches as they come. STELE_ERR_MEMORY. */
stele_status flow_plain(producer *from, flow **out);

typedef struct order_options {
    bool by_end;           /* see event_key() */
    int64_t lateness_ns;   /* how much older than one before it an event can be; INT64_MAX: any */
    uint32_t batch_events; /* capacity of the batches; 0: BATCH_EVENTS */
    uint32_t events_max;   /* of a window; 0: 65,536 */
    size_t size_max;       /* bytes held in memory */
    int64_t hold_ms;    /* what is held goes out when nothing came for so long; 0: it never does */
    order_stats *stats; /* outlives the flow */
    stele_context *context;
} order_options;

/*
 * Both give the producer's events by (time, stream, sequence). An event goes out as soon as none
 * that is still to come can be older by `lateness_ns`. An event that is older than one that went
 * out before it is flagged LATE and counted. They differ in what happens when more events are held
 * than the limits allow: the window lets the oldest go early, the sort (which knows no events_max)
 * writes sorted runs to temporary files. STELE_ERR_MEMORY; reading also gives STELE_ERR_WRITE and
 * STELE_ERR_READ for the temporary files.
 */
stele_status flow_window(producer *from, const order_options *options, flow **out);
stele_status flow_sort(producer *from, const order_options *options, flow **out);

/* In both of these, an error of one flow ends that flow only, and is reported when all have ended.
 */

/*
 * Several ordered flows as one; on equal times the earlier in the list comes first. Events may come
 * late between segments, but each segment must be in order.
 */
stele_status flow_merge(flow *const *from, size_t count, bool by_end, flow **out);

/* What it makes of two. */
stele_status flow_merge_two(flow *left, flow *right, bool by_end, flow **out);

/* One after the other. */
stele_status flow_concat(flow *const *from, size_t count, flow **out);

#endif
