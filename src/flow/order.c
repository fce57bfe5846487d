/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders events by time. Every batch that comes is sorted by itself, which costs little if it is in
 * order, and is held as a block. Blocks are woven into one sequence up to the time before which no
 * event can still come.
 *
 * - An event is in exactly one of: `joined`, a block of `held`, the spill, or delivered.
 * - A block is owned by whom it was passed to: order_hold() and weave_push() own it also when they
 *   fail, and a block of pool_take() must go back to the pool, or on.
 * - An event that is delivered is never older than one delivered before, unless it is flagged late.
 * - Ties are decided by stream, then by the number of the block: equal events keep the order in
 *   which they came. Runs in the spill are older than blocks in memory, and have lower numbers.
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/follow.h"
#include "core/saturate.h"
#include "flow/flow.h"
#include "flow/spill.h"

#define WINDOW_EVENTS 65536u
/* A batch with less than 1/4 of its capacity is joined with its neighbours. */
#define SPARSE 4u
/* Segments that are delivered at once, at the end. */
#define SEGMENTS_MAX 16u

typedef struct order_flow {
    flow base;
    producer *from;
    order_options options;
    bool is_exact; /* a sort; else a window */
    bool is_ended;
    bool is_let_out;     /* held events are delivered, since nothing came for hold_ms */
    int64_t came_ms;     /* follow_now_ms() when something came for the last time */
    stele_status status; /* why the producer ended */
    block_pool pool;
    block_sorter sorter;
    weave held;
    block *joined; /* small batches, joined until the block is full; NULL: none */
    spill *spill;  /* NULL: nothing was written to it yet */
    /* Number of the next block. */
    uint32_t order;
    int64_t seen_ns;      /* the latest event that is held or was delivered */
    int64_t delivered_ns; /* the latest event that was delivered */
    /* The latest event that came, by stream from `stream_first` on. */
    int64_t *stream_ns;
    uint32_t stream_first, stream_count;
    stele_segment segments[SEGMENTS_MAX]; /* the segments that were delivered last */
} order_flow;

/* ---- Disorder of the events that come ---- */

/* Enlarges the array of the streams' latest times, so that it has one of `stream`. It begins with
   one element: as a rule a flow is of one stream, and there are many flows. Returns false if out of
   memory. */
static bool streams_grow(order_flow *o, uint32_t stream)
{
    const uint32_t end = o->stream_first + o->stream_count;
    const uint32_t first =
        o->stream_count == 0 || stream < o->stream_first ? stream : o->stream_first;
    const uint32_t wanted = (stream < end ? end : stream + 1) - first;
    const uint32_t count = o->stream_count == 0 ? 1 : wanted + wanted / 2 + 16;
    const uint32_t moved = o->stream_count == 0 ? 0 : o->stream_first - first;
    int64_t *made = malloc(count * sizeof *made);
    if (made == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        made[i] = i >= moved && i - moved < o->stream_count ? o->stream_ns[i - moved] : INT64_MIN;
    free(o->stream_ns);
    o->stream_ns = made;
    o->stream_first = first;
    o->stream_count = count;
    return true;
}

static inline bool streams_reserve(order_flow *o, uint32_t stream)
{
    return stream - o->stream_first < o->stream_count || streams_grow(o, stream);
}

/* Stores the keys of a batch. Returns whether the batch is in order. */
static inline bool keys_read(uint64_t *keys, const stele_batch *batch, bool by_end)
{
    uint64_t before = 0;
    bool result = true;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const uint64_t key = keys[i] = flow_key(&batch->events[i], by_end);
        result &= key >= before; /* no branch: also an unordered batch is read to its end */
        before = key;
    }
    return result;
}

/* Counts the events of a batch that follow a younger one of their stream. Returns true if the batch
   itself is in order. */
static bool order_judge(order_flow *o, block *b)
{
    const bool by_end = o->options.by_end;
    const stele_batch *batch = b->storage;
    const bool is_sorted =
        by_end ? keys_read(b->keys, batch, true) : keys_read(b->keys, batch, false);
    int64_t *const stream_ns = &o->stream_ns[batch->stream - o->stream_first];
    int64_t latest_ns = *stream_ns;
    order_stats *stats = o->options.stats;
    b->has_keys = is_sorted; /* sorting moves the events, but not the keys */
    /* The usual case: the batch is in order and continues its stream, so there is nothing to
       count. */
    if (is_sorted && event_key(&batch->events[0], by_end) >= latest_ns) {
        *stream_ns = event_key(&batch->events[batch->event_count - 1], by_end);
        return true;
    }
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const int64_t key = event_key(&batch->events[i], by_end);
        if (key >= latest_ns) {
            latest_ns = key;
        } else if ((batch->events[i].flags & STELE_FLAG_NO_TIME) == 0) {
            const int64_t back_ns = subtract_saturated(latest_ns, key);
            stats->unordered_count++;
            if (back_ns > stats->unordered_max_ns)
                stats->unordered_max_ns = back_ns;
        }
    }
    *stream_ns = latest_ns;
    return is_sorted;
}

/* Notes that a segment is delivered, and flags those of its events that come after a younger
   one. */
static void order_deliver(order_flow *o, const stele_segment *segment)
{
    stele_event *events = segment->batch->events + segment->first;
    order_stats *stats = o->options.stats;
    int64_t key = event_key(&events[0], o->options.by_end);
    if (key < o->delivered_ns) {
        const int64_t late_ns = subtract_saturated(o->delivered_ns, key);
        if (late_ns > stats->lateness_max_ns)
            stats->lateness_max_ns = late_ns;
        /* The segment is in order, so its late events are the first ones. */
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

/* ---- Holding events ---- */

/* Whether more is held than the limits allow. Memory is limited for all; events only for a window,
   unless its producer has bounds that say what is complete. A sort spills to disk instead. */
static bool is_over_limit(const order_flow *o)
{
    return o->held.size > o->options.size_max ||
           (!o->is_exact && !o->from->has_bounds && o->held.event_count > o->options.events_max);
}

/* Takes over a filled block: sorts and holds it, and spills if a sort is over its limit. */
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
    b->order = o->order++; /* before weave_push(), which uses it to decide ties */
    if (!weave_push(&o->held, b))
        return STELE_ERR_MEMORY;
    if (!o->is_exact || !is_over_limit(o))
        return STELE_OK;
    if (o->spill == NULL)
        o->spill = spill_new(o->options.context, o->options.by_end, o->options.size_max, &o->pool);
    return o->spill != NULL ? spill_write(o->spill, &o->held) : STELE_ERR_MEMORY;
}

/* Ends joining: holds the block with small batches. */
static stele_status order_hold_joined(order_flow *o)
{
    block *b = o->joined;
    o->joined = NULL;
    return b != NULL ? order_hold(o, b, false) : STELE_OK;
}

/* Adds a small batch to those joined before. */
static stele_status order_join(order_flow *o, const stele_batch *batch)
{
    stele_segment segment = {batch, 0, batch->event_count};
    stele_status status = STELE_OK;
    while (segment.count != 0 &&
           status == STELE_OK) { /* each turn appends as much as there is room for */
        if (o->joined == NULL)
            o->joined = pool_take(&o->pool);
        if (o->joined == NULL || !block_append(o->joined, &segment))
            return STELE_ERR_MEMORY;
        if (block_is_full(o->joined))
            status = order_hold_joined(o);
    }
    return status;
}

/* Prepares for the end: all that is held is delivered, then the status `why` is returned. */
static stele_status order_end(order_flow *o, stele_status why)
{
    /* The joined block is held before the spill is read, since holding it may write to the
       spill. */
    stele_status status = order_hold_joined(o);
    if (status == STELE_OK && o->spill != NULL)
        status = spill_read(o->spill, &o->held);
    o->is_ended = true;
    o->status = status == STELE_OK ? why : status;
    return status;
}

/* Has the producer fill a batch. The producer waits for more only as long as held events may
   wait. */
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
    is_sorted = order_judge(o, b); /* judged before joining, which mixes streams */
    /* The producer's bounds count everything that came, but joined events are not held yet. */
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

/* ---- Delivering events ---- */

/* Finds the time up to which events can be delivered. Returns false if none can: after a spill none
   are delivered before the end. */
static bool order_limit(const order_flow *o, int64_t *limit_ns)
{
    *limit_ns = INT64_MAX;
    if (o->is_ended || (o->spill == NULL && (o->is_let_out || is_over_limit(o))))
        return true;
    /* Later events are at most `lateness_ns` older than the latest one so far. */
    *limit_ns = o->options.lateness_ns == INT64_MAX
                    ? INT64_MIN
                    : subtract_saturated(o->seen_ns, o->options.lateness_ns);
    /* The producer's own bounds (see struct producer) take precedence over the lateness. */
    if (o->from->has_bounds) {
        if (*limit_ns < o->from->quiet_ns)
            *limit_ns = o->from->quiet_ns;
        if (*limit_ns > o->from->ready_ns)
            *limit_ns = o->from->ready_ns;
    }
    return o->spill == NULL;
}

/* Delivers held events up to a time. Once all have come, several segments are delivered, as long as
   no block has to be refilled between them. */
static stele_status order_give(order_flow *o, int64_t limit_ns)
{
    const uint32_t most = o->is_ended ? SEGMENTS_MAX : 1;
    uint64_t event_count = 0;
    uint32_t count = 0;
    stele_status status = STELE_OK;
    while (count < most && (count == 0 || o->held.spent == NULL)) {
        status = weave_next(&o->held, limit_ns, &o->segments[count]);
        if (status != STELE_OK)
            break;
        order_deliver(o, &o->segments[count]);
        event_count += o->segments[count].count;
        count++;
    }
    if (count == 0)
        return status;
    o->base.keys = count == 1 ? o->held.keys : NULL;
    return flow_give(&o->base, o->segments, count, event_count);
}

static stele_status order_pull(flow *self)
{
    order_flow *o = (order_flow *)self;
    for (;;) { /* each turn delivers events, takes a batch, or ends */
        int64_t limit_ns;
        stele_status status;
        if (order_limit(o, &limit_ns)) {
            status = order_give(o, limit_ns);
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
