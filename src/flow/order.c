/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in order of time. Every batch that comes is sorted for itself, which costs nothing where
 * it is in order already, and is held as a block. Blocks are woven into one sequence as far as no
 * event that is still to come can belong before.
 *
 * - An event is in exactly one place: in `joined`, in a block of `held`, in the spill, or given
 *   out.
 * - A block is owned by whom it was handed to: order_hold() and weave_push() own it also when they
 *   fail, and pool_take() gives one that must go back, or on.
 * - What goes out is never before what went out, unless it is flagged as late.
 * - Ties go by stream and by the number of the block: events that are equal keep the order in which
 *   they came. Runs that were spilled are older than blocks in memory, and have lower numbers.
 */
#include <stdlib.h>

#include "core/follow.h"
#include "core/saturate.h"
#include "flow/flow.h"
#include "flow/spill.h"

#define WINDOW_EVENTS 65536u
#define SPARSE        4u /* a batch that is less full than one in 4 is joined with its neighbours */

typedef struct order_flow {
    flow base;
    producer *from;
    order_options options;
    bool is_exact; /* a sort */
    bool is_ended;
    bool is_let_out;     /* what is held goes out, as nothing came for a while */
    int64_t came_ms;     /* when something came for the last time */
    stele_status status; /* that ended the producer */
    block_pool pool;
    block_sorter sorter;
    weave held;
    block *joined; /* small batches, put together until it is full; NULL: none */
    spill *spill;  /* NULL: nothing was written yet */
    uint32_t order;
    int64_t seen_ns;      /* the latest event in `held` or before */
    int64_t delivered_ns; /* the latest event that went out */
    int64_t *stream_ns;   /* by stream: the latest event that came */
    uint32_t stream_count;
    stele_segment segment; /* that is given out */
} order_flow;

/* ---- What the disorder is ---- */

static bool streams_reserve(order_flow *o, uint32_t stream)
{
    const uint32_t count = stream < 16 ? 16 : (stream + 1) * 2;
    int64_t *grown;
    if (stream < o->stream_count)
        return true;
    grown = realloc(o->stream_ns, count * sizeof *grown);
    if (grown == NULL)
        return false;
    while (o->stream_count < count)
        grown[o->stream_count++] = INT64_MIN;
    o->stream_ns = grown;
    return true;
}

/* Notes the keys. Whether no event is before the one in front of it. */
static inline bool keys_read(uint64_t *keys, const stele_batch *batch, bool by_end)
{
    uint64_t before = 0;
    bool result = true;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const uint64_t key = keys[i] = flow_key(&batch->events[i], by_end);
        result &= key >= before; /* no branch: batches that are not in order are read to the end */
        before = key;
    }
    return result;
}

/* Counts the events that are after a younger one of their stream. True when the batch itself is
   in order. */
static bool order_judge(order_flow *o, block *b)
{
    const bool by_end = o->options.by_end;
    const stele_batch *batch = b->storage;
    const bool is_sorted =
        by_end ? keys_read(b->keys, batch, true) : keys_read(b->keys, batch, false);
    int64_t *const stream_ns = &o->stream_ns[batch->stream];
    int64_t latest_ns = *stream_ns;
    order_stats *stats = o->options.stats;
    b->has_keys = is_sorted; /* sorting moves events, and not these */
    /* The usual case: nothing is to be counted where the batch goes on where its stream stood. */
    if (is_sorted && event_key(&batch->events[0], by_end) >= latest_ns) {
        *stream_ns = event_key(&batch->events[batch->event_count - 1], by_end);
        return true;
    }
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const int64_t key = event_key(&batch->events[i], by_end);
        if (key >= latest_ns) {
            latest_ns = key;
        } else if ((batch->events[i].flags & STELE_FLAG_NO_TIME) == 0) {
            const int64_t behind_ns = subtract_saturated(latest_ns, key);
            stats->unordered_count++;
            if (behind_ns > stats->unordered_max_ns)
                stats->unordered_max_ns = behind_ns;
        }
    }
    *stream_ns = latest_ns;
    return is_sorted;
}

/* Flags those of the events that go out after a younger one. */
static void order_deliver(order_flow *o, const stele_segment *segment)
{
    stele_event *events = segment->batch->events + segment->first;
    order_stats *stats = o->options.stats;
    int64_t key = event_key(&events[0], o->options.by_end);
    if (key < o->delivered_ns) {
        const int64_t late_ns = subtract_saturated(o->delivered_ns, key);
        if (late_ns > stats->lateness_max_ns)
            stats->lateness_max_ns = late_ns;
        /* A segment is in order: late events are the first ones. */
        for (uint32_t i = 0; i < segment->count; i++) {
            if (event_key(&events[i], o->options.by_end) >= o->delivered_ns)
                break;
            events[i].flags |= STELE_FLAG_LATE;
            stats->late_count++;
        }
    }
    key = event_key(&events[segment->count - 1], o->options.by_end);
    if (key > o->delivered_ns)
        o->delivered_ns = key;
}

/* ---- Holding ---- */

/* Memory is a limit for all. A window has a limit of events, too, unless the producer says itself
   what is complete. A sort has none: it spills where memory is short. */
static bool is_over_limit(const order_flow *o)
{
    return o->held.size > o->options.size_max ||
           (!o->is_exact && !o->from->has_bounds && o->held.event_count > o->options.events_max);
}

/* Takes over a block with events. */
static stele_status order_hold(order_flow *o, block *b, bool is_sorted)
{
    int64_t last_ns;
    if (!block_seal(b) || (!is_sorted && !block_sort(b, &o->sorter, o->options.by_end))) {
        block_free(b);
        return STELE_ERR_MEMORY;
    }
    last_ns = event_key(&b->storage->events[b->storage->event_count - 1], o->options.by_end);
    if (last_ns > o->seen_ns)
        o->seen_ns = last_ns;
    b->order = o->order++; /* before the weave looks at it, for which it breaks ties */
    if (!weave_push(&o->held, b))
        return STELE_ERR_MEMORY;
    if (!o->is_exact || !is_over_limit(o))
        return STELE_OK;
    if (o->spill == NULL)
        o->spill = spill_new(o->options.context, o->options.by_end, o->options.size_max, &o->pool);
    return o->spill != NULL ? spill_write(o->spill, &o->held) : STELE_ERR_MEMORY;
}

/* Ends joining. */
static stele_status order_hold_joined(order_flow *o)
{
    block *b = o->joined;
    o->joined = NULL;
    return b != NULL ? order_hold(o, b, false) : STELE_OK;
}

/* Puts a small batch together with those before it. */
static stele_status order_join(order_flow *o, const stele_batch *batch)
{
    stele_segment segment = {batch, 0, batch->event_count};
    stele_status status = STELE_OK;
    while (segment.count != 0 &&
           status == STELE_OK) { /* block_append() takes what it has room for */
        if (o->joined == NULL)
            o->joined = pool_take(&o->pool);
        if (o->joined == NULL || !block_append(o->joined, &segment))
            return STELE_ERR_MEMORY;
        if (block_is_full(o->joined))
            status = order_hold_joined(o);
    }
    return status;
}

/* The producer gives no more: what is held goes out, and then the status is reported. */
static stele_status order_end(order_flow *o, stele_status why)
{
    /* What was joined is held before the spill is read: holding it may write to the spill once
     * more. */
    stele_status status = order_hold_joined(o);
    if (status == STELE_OK && o->spill != NULL)
        status = spill_read(o->spill, &o->held);
    o->is_ended = true;
    o->status = status == STELE_OK ? why : status;
    return status;
}

/* Has the producer fill a batch, and wait for more no longer than what is held may. */
static stele_status order_take(order_flow *o, stele_batch *batch)
{
    const bool is_held = o->held.event_count != 0 || o->joined != NULL;
    diag_sink *diag = &o->options.context->diag;
    stele_status status;
    if (o->options.hold_ms == 0)
        return o->from->ops->fill(o->from, batch);
    if (is_held) {
        const int64_t left_ms = o->came_ms + o->options.hold_ms - follow_now_ms();
        diag->patience_ms = left_ms > 0 ? left_ms : 1;
    }
    status = o->from->ops->fill(o->from, batch);
    diag->patience_ms = 0;
    if (status == STELE_OK && batch->event_count != 0)
        o->came_ms = follow_now_ms();
    else if (status == STELE_OK && is_held && o->from->is_dry)
        o->is_let_out = follow_now_ms() - o->came_ms >= o->options.hold_ms;
    return status;
}

static stele_status order_fill(order_flow *o)
{
    block *b = pool_take(&o->pool);
    stele_status status;
    bool is_sorted, can_join;
    if (b == NULL)
        return STELE_ERR_MEMORY;
    status = order_take(o, b->storage);
    if (status != STELE_OK || b->storage->event_count == 0) {
        pool_give(&o->pool, b);
        return status != STELE_OK ? order_end(o, status)
               : o->is_let_out    ? order_hold_joined(o)
                                  : STELE_OK;
    }
    if (!streams_reserve(o, b->storage->stream)) {
        pool_give(&o->pool, b);
        return STELE_ERR_MEMORY;
    }
    is_sorted = order_judge(o, b); /* before joining, which mixes the batches of streams */
    /* Bounds are of all that came, and what is joined is not held yet. */
    can_join = o->options.lateness_ns != 0 && !o->from->has_bounds;
    if (can_join && b->storage->event_count < o->pool.events / SPARSE) {
        status = order_join(o, b->storage);
        pool_give(&o->pool, b);
        return status;
    }
    status = order_hold_joined(o); /* it came before the block, so it gets the lower number */
    if (status == STELE_OK)
        return order_hold(o, b, is_sorted);
    pool_give(&o->pool, b);
    return status;
}

/* ---- Giving out ---- */

/* Until when events can go out: after a spill none do before the end. */
static bool order_limit(const order_flow *o, int64_t *limit_ns)
{
    *limit_ns = INT64_MAX;
    if (o->is_ended || (o->spill == NULL && (o->is_let_out || is_over_limit(o))))
        return true;
    /* Nothing that comes is earlier than the latest event by more than the lateness. */
    *limit_ns = o->options.lateness_ns == INT64_MAX
                    ? INT64_MIN
                    : subtract_saturated(o->seen_ns, o->options.lateness_ns);
    /* The producer's own bounds (model/trace.h) go over the lateness, in both directions. */
    if (o->from->has_bounds) {
        if (*limit_ns < o->from->quiet_ns)
            *limit_ns = o->from->quiet_ns;
        if (*limit_ns > o->from->ready_ns)
            *limit_ns = o->from->ready_ns;
    }
    return o->spill == NULL;
}

static stele_status order_pull(flow *self)
{
    order_flow *o = (order_flow *)self;
    for (;;) { /* each turn gives out events, takes a batch, or ends */
        int64_t limit_ns;
        stele_status status;
        if (order_limit(o, &limit_ns)) {
            status = weave_next(&o->held, limit_ns, &o->segment);
            if (status == STELE_OK) {
                order_deliver(o, &o->segment);
                self->keys = o->held.keys;
                return flow_give(self, &o->segment, 1, o->segment.count);
            }
            if (status != STELE_END)
                return status;
        }
        if (o->is_ended)
            return o->status;
        o->is_let_out = false;
        status = order_fill(o);
        if (status != STELE_OK)
            return status;
    }
}

static void order_close(flow *self)
{
    order_flow *o = (order_flow *)self;
    o->from->ops->close(o->from);
    weave_free(&o->held);
    block_free(o->joined);
    pool_free(&o->pool);
    block_sorter_free(&o->sorter);
    spill_free(o->spill);
    free(o->stream_ns);
    free(o);
}

static stele_status order_open(producer *from, const order_options *options, bool is_exact,
                               flow **out)
{
    static const flow_ops ops = {order_pull, order_close};
    order_flow *o = calloc(1, sizeof *o);
    *out = NULL;
    if (o == NULL) {
        from->ops->close(from);
        return STELE_ERR_MEMORY;
    }
    o->base.ops = &ops;
    o->from = from;
    o->options = *options;
    if (o->options.events_max == 0)
        o->options.events_max = WINDOW_EVENTS;
    o->is_exact = is_exact;
    o->pool.events = options->batch_events != 0 ? options->batch_events : BATCH_EVENTS;
    o->held = (weave){.pool = &o->pool, .by_end = options->by_end};
    o->order = SPILL_ORDER_MAX;
    o->seen_ns = o->delivered_ns = INT64_MIN;
    *out = &o->base;
    return STELE_OK;
}

stele_status flow_window(producer *from, const order_options *options, flow **out)
{
    return order_open(from, options, false, out);
}

stele_status flow_sort(producer *from, const order_options *options, flow **out)
{
    return order_open(from, options, true, out);
}
