/* SPDX-License-Identifier: Apache-2.0 */
/* What order costs: nanoseconds an event for windows, sorts and merges of made-up streams. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "flow/flow.h"
#include "model/batch.h"

#define EVENTS 4000000u
#define FLOWS  64u

/* How a made-up stream is out of order. */
typedef struct disorder {
    uint32_t one_in; /* one event in as many is moved */
    int64_t back_ns; /* by up to so much; the usual step is 10 ns */
} disorder;

typedef struct made_producer {
    producer base;
    uint32_t left, burst, in_burst;
    int64_t now_ns, gap_ns;
    disorder disorder;
    uint64_t random;
} made_producer;

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static stele_status made_fill(producer *self, stele_batch *batch)
{
    made_producer *p = (made_producer *)self;
    stele_batch_clear(batch);
    batch->stream = 0;
    batch->columns = STELE_COLUMN_TIME;
    if (p->left == 0)
        return STELE_END;
    for (; p->left != 0 && !batch_is_full(batch); p->left--) {
        stele_event *event = batch_push_event(batch);
        *event = (stele_event){.time_ns = p->now_ns, .kind = STELE_KIND_INSTANT};
        if (p->disorder.one_in != 0 && random_next(&p->random) % p->disorder.one_in == 0)
            event->time_ns -=
                (int64_t)(random_next(&p->random) % (uint64_t)p->disorder.back_ns) + 1;
        p->now_ns += 10;
        if (++p->in_burst == p->burst) {
            p->in_burst = 0;
            p->now_ns += p->gap_ns;
        }
    }
    return STELE_OK;
}

static void made_close(producer *self)
{
    free(self);
}

static made_producer *made_open(uint32_t count, disorder how)
{
    static const producer_ops ops = {.fill = made_fill, .close = made_close};
    made_producer *p = calloc(1, sizeof *p);
    if (p == NULL)
        abort();
    p->base.ops = &ops;
    p->left = count;
    p->disorder = how;
    p->random = UINT64_C(88172645463325252);
    return p;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Pulls all and closes; prints the time by event. */
static void measure(const char *what, flow *f, const order_stats *stats)
{
    const double start = seconds_now();
    uint64_t count = 0, segments = 0;
    int64_t sum = 0;
    stele_segment segment;
    for (; flow_next(f, &segment) == STELE_OK; segments++) {
        count += segment.count;
        sum ^= segment.batch->events[segment.first].time_ns;
    }
    flow_close(f);
    printf("%-44s %6.2f ns/event, %8.1f events/segment, %llu late%s\n", what,
           (seconds_now() - start) * 1e9 / (double)count, (double)count / (double)segments,
           (unsigned long long)stats->late_count, sum == 42 ? " " : "");
}

typedef stele_status order_fn(producer *from, const order_options *options, flow **out);

static void measure_order(stele_context *context, const char *what, order_fn *fn, disorder how,
                          int64_t lateness_ns, size_t size_max)
{
    order_stats stats = {0};
    const order_options options = {
        .lateness_ns = lateness_ns, .size_max = size_max, .stats = &stats, .context = context};
    flow *f;
    if (fn(&made_open(EVENTS, how)->base, &options, &f) != STELE_OK)
        abort();
    measure(what, f, &stats);
}

/* Flows that take turns after `burst` events. */
static void measure_merge(const char *what, uint32_t count, uint32_t burst)
{
    order_stats stats = {0};
    flow *flows[FLOWS], *f;
    for (uint32_t i = 0; i < count; i++) {
        made_producer *p = made_open(EVENTS / count, (disorder){0});
        p->burst = burst;
        p->gap_ns = (int64_t)burst * 10 * (count - 1);
        p->now_ns = (int64_t)i * burst * 10;
        if (flow_plain(&p->base, &flows[i]) != STELE_OK)
            abort();
    }
    if (flow_merge(flows, count, false, &f) != STELE_OK)
        abort();
    measure(what, f, &stats);
}

int main(void)
{
    const disorder none = {0, 0}, rare = {400, 82}, local = {1, 1000}, wild = {1, 1 << 30};
    const size_t memory = (size_t)16 << 20;
    order_stats stats = {0};
    stele_context *context;
    flow *f;
    if (stele_context_new(NULL, &context) != STELE_OK)
        abort();
    if (flow_plain(&made_open(EVENTS, none)->base, &f) != STELE_OK)
        abort();
    measure("plain (the producer itself)", f, &stats);
    measure_order(context, "window, in order", flow_window, none, 0, memory);
    measure_order(context, "window, 1 in 400 late by up to 82 ns", flow_window, rare, 82, memory);
    measure_order(context, "window, all late by up to 1000 ns", flow_window, local, 1000, memory);
    measure_order(context, "sort in memory, in order", flow_sort, none, INT64_MAX, SIZE_MAX);
    measure_order(context, "sort in memory, at random", flow_sort, wild, INT64_MAX, SIZE_MAX);
    measure_order(context, "sort through runs, in order", flow_sort, none, INT64_MAX, memory);
    measure_order(context, "sort through runs, at random", flow_sort, wild, INT64_MAX, memory);
    measure_merge("merge of 2, 1000 events at a time", 2, 1000);
    measure_merge("merge of 64, 1000 events at a time", 64, 1000);
    measure_merge("merge of 2, 10 events at a time", 2, 10);
    measure_merge("merge of 64, 10 events at a time", 64, 10);
    measure_merge("merge of 2, 1 event at a time", 2, 1);
    measure_merge("merge of 4, 1 event at a time", 4, 1);
    measure_merge("merge of 64, 1 event at a time", 64, 1);
    stele_context_free(context);
    return 0;
}
