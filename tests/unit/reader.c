/* SPDX-License-Identifier: Apache-2.0 */
/* The reader on made-up traces: order, clocks, bounds, and what it reports. */
#include <stele/stele.h>

#include "allocations.h"
#include "flow/request.h"
#include "made.h"
#include "test.h"

#define MADE_STREAMS_MAX 1100u

/* ---- Made-up traces ---- */

/* The properties of a made-up trace. */
typedef struct made_options {
    bool is_sequential, has_no_index;
    bool claims_order; /* it says that it is in order, true or not */
    bool has_lateness;
    bool has_threads; /* each stream belongs to a thread */
    stele_clock clock;
    stele_trace_options trace;
    uint32_t streams;
} made_options;

typedef struct made_trace {
    stele_trace base;
    const made_list *list;
    made_options options;
} made_trace;

static unsigned produce_calls; /* number of calls since the trace was made */
static produce_request last_request;

/* Returns what the trace's index knows of a stream. */
static stele_stream made_stream(const made_trace *trace, uint32_t number)
{
    stele_stream stream = {.trace = trace->base.info.number,
                           .number = number,
                           .clock = trace->options.clock,
                           .is_ordered = trace->options.claims_order,
                           .has_lateness = trace->options.has_lateness};
    int64_t latest_ns = INT64_MIN;
    if (trace->options.has_threads)
        stream.track = stele_track_intern(
            trace->base.context, &(stele_track){.kind = STELE_TRACK_THREAD, .number = number});
    for (uint32_t i = 0; i < trace->list->count; i++) {
        const made *m = &trace->list->events[i];
        if (m->stream != number)
            continue;
        if (!stream.has_range || m->time_ns < stream.begin_ns)
            stream.begin_ns = m->time_ns;
        if (!stream.has_range || m->time_ns > stream.end_ns)
            stream.end_ns = m->time_ns;
        stream.has_range = true;
        if (m->time_ns > latest_ns)
            latest_ns = m->time_ns;
        else if (latest_ns - m->time_ns > stream.lateness_ns)
            stream.lateness_ns = latest_ns - m->time_ns;
    }
    return stream;
}

static stele_status made_index(stele_trace *self)
{
    const made_trace *trace = (const made_trace *)self;
    for (uint32_t i = 0; i < trace->options.streams; i++) {
        const stele_stream stream = made_stream(trace, i);
        if (context_add_stream(self->context, &stream) == UINT32_MAX)
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Finds the ends of streams that index() left open. */
static unsigned find_ends_calls;

static stele_status made_find_ends(stele_trace *self)
{
    find_ends_calls++;
    for (uint32_t i = 0; i < self->stream_count; i++)
        *context_stream(self->context, self->stream_first + i) =
            made_stream((const made_trace *)self, i);
    return STELE_OK;
}

static stele_status made_index_open(stele_trace *self)
{
    const uint32_t first = self->context->stream_count;
    const stele_status status = made_index(self);
    for (uint32_t i = first; i < self->context->stream_count; i++)
        context_stream(self->context, i)->end_ns += 1000;
    return status;
}

static stele_status made_produce(stele_trace *self, const produce_request *request, producer **out)
{
    const made_trace *trace = (const made_trace *)self;
    uint32_t stream_first = self->stream_first;
    made_producer *p;
    produce_calls++;
    last_request = *request;
    if (!self->is_indexed) {
        stele_stream stream = {.trace = self->info.number, .clock = trace->options.clock};
        stream_first = self->context->stream_count;
        for (stream.number = 0; stream.number < trace->options.streams; stream.number++) {
            if (context_add_stream(self->context, &stream) == UINT32_MAX)
                return STELE_ERR_MEMORY;
        }
    }
    p = (made_producer *)made_open(trace->list);
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->stream_first = stream_first;
    p->base.lost_count = 3;
    p->base.missing_count = 2;
    p->base.balance.skipped_size = 5;
    if (request->stream != PRODUCE_ALL)
        p->only = request->stream - stream_first;
    *out = &p->base;
    return STELE_OK;
}

static const trace_ops made_ops = {.index = made_index, .produce = made_produce};
static const trace_ops made_ops_no_index = {.produce = made_produce};
static const trace_ops made_ops_ends = {
    .index = made_index_open, .find_ends = made_find_ends, .produce = made_produce};

static stele_trace *made_trace_open(stele_context *context, const made_list *list,
                                    const made_options *options)
{
    made_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return NULL;
    trace->list = list;
    trace->options = *options;
    trace->base.ops = options->has_no_index ? &made_ops_no_index : &made_ops;
    trace->base.context = context;
    trace->base.options = options->trace;
    trace->base.info.path = "made";
    trace->base.info.version = "";
    trace->base.info.has_size = true;
    trace->base.info.size = list->count * UINT64_C(64);
    trace->base.info.is_seekable = !options->is_sequential;
    trace->base.info.number = context->trace_count++;
    if (source_open_memory(&context->diag, "made", "bytes", 5, NULL, &trace->base.source) !=
        STELE_OK) {
        free(trace);
        return NULL;
    }
    produce_calls = 0;
    return &trace->base;
}

/* ---- Reading traces ---- */

static char diag_text[512];
static unsigned diag_count;

static void keep_diag(void *user, const stele_diag *diag)
{
    (void)user;
    diag_count++;
    snprintf(diag_text, sizeof diag_text, "%s %s", diag->code->code, diag->found);
}

static stele_context *make_context(size_t sort_size_max)
{
    stele_context *context = NULL;
    const stele_context_options options = {
        .diag = keep_diag, .limits = &(stele_limits){.sort_size_max = sort_size_max}};
    diag_count = 0;
    diag_text[0] = '\0';
    stele_context_new(&options, &context);
    return context;
}

/* The outcome of reading up to 4 traces to their end; the times of events are added to the text
   while there is room. */
typedef struct outcome {
    stele_status opened, ended;
    stele_reader_stats stats;
    unsigned produced;
    char times[256];
    bool is_ordered;
} outcome;

static outcome read_traces(stele_context *context, stele_trace *const *traces, size_t count,
                           const stele_request *request)
{
    outcome o = {.is_ordered = true};
    int64_t before_ns = INT64_MIN;
    stele_segment segment;
    stele_reader *reader;
    size_t size = 0;
    produce_calls = 0;
    o.opened = stele_reader_open(context, traces, count, request, &reader);
    if (o.opened != STELE_OK) {
        CHECK(reader == NULL);
        return o;
    }
    while ((o.ended = stele_reader_next(reader, &segment)) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            const int64_t time_ns = segment.batch->events[segment.first + i].time_ns;
            o.is_ordered = o.is_ordered && time_ns >= before_ns;
            before_ns = time_ns;
            if (size < sizeof o.times - 24)
                size += (size_t)snprintf(o.times + size, sizeof o.times - size, "%s%" PRId64,
                                         size == 0 ? "" : " ", time_ns);
        }
    }
    CHECK_EQ_U64(stele_reader_next(reader, &segment), o.ended);
    stele_reader_get_stats(reader, &o.stats);
    o.produced = produce_calls;
    stele_reader_close(reader);
    return o;
}

/* Makes a trace of each list and reads them. */
static outcome read_made(const made_list *lists, const made_options *options, size_t count,
                         const stele_request *request)
{
    stele_context *context = make_context(0);
    stele_trace *traces[4];
    outcome o;
    for (size_t i = 0; i < count; i++)
        traces[i] = made_trace_open(context, &lists[i], &options[i]);
    o = read_traces(context, traces, count, request);
    for (size_t i = 0; i < count; i++)
        stele_trace_close(traces[i]);
    stele_context_free(context);
    CHECK_EQ_U64(open_producers, 0);
    return o;
}

/* ---- Order of events ---- */

/* Checks that the events of one trace are in the order of time, stream and sequence. */
static void check_order(const made_list *list, const made_options *options, stele_order order,
                        bool by_end, size_t sort_size_max, unsigned produced)
{
    stele_context *context = make_context(sort_size_max);
    stele_trace *trace = made_trace_open(context, list, options);
    uint32_t *expected = made_order(list, by_end), at = 0;
    const stele_request request = {.order = order, .order_by_end = by_end};
    stele_segment segment;
    stele_reader *reader;
    bool is_same = true;
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    CHECK_EQ_U64(produce_calls, produced);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count && is_same; i++, at++)
            is_same =
                at < list->count &&
                segment.batch->events[segment.first + i].ticks == expected[at] &&
                segment.batch->stream == trace->stream_first + list->events[expected[at]].stream;
    }
    CHECK(is_same);
    CHECK_EQ_U64(at, list->count);
    CHECK_EQ_U64(diag_count, 0);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    free(expected);
}

TEST(the_order_is_the_same_on_every_way)
{
    for (uint32_t streams = 1; streams <= MADE_STREAMS_MAX; streams = streams * 3 + 1) {
        const made_list list = made_new(6000, streams, 2000, streams);
        const made_options known = {.streams = streams, .has_lateness = true};
        const made_options unknown = {.streams = streams};
        const made_options no_index = {.streams = streams, .has_no_index = true};
        const unsigned by_stream = streams <= 1000 ? streams : 1;
        const unsigned by_few = streams <= 16 ? streams : 1;
        for (size_t size = 1; size != 0; size = size == 1 ? 4000000 : 0) {
            /* A window of one byte is known to be too small. */
            check_order(&list, &known, STELE_ORDER_TIME, false, size,
                        size == 1 ? by_few : by_stream);
            check_order(&list, &known, STELE_ORDER_TIME, true, size, by_few);
            check_order(&list, &known, STELE_ORDER_FULL, false, size, by_few);
            check_order(&list, &unknown, STELE_ORDER_TIME, false, size, by_few);
            check_order(&list, &no_index, STELE_ORDER_TIME, false, size, 1);
        }
        check_order(&list, &known, STELE_ORDER_WINDOW, false, 0, by_stream);
        check_order(&list, &known, STELE_ORDER_STREAMS, false, 0, by_stream);
        check_order(&list, &no_index, STELE_ORDER_STREAMS, false, 0, 1);
        free(list.events);
    }
}

/* Of a trace that is read stream by stream, the streams that are asked for come alone, in the order
   that they have among all. */
TEST(streams_that_are_not_asked_for_are_left_out)
{
    static const uint32_t sets[][4] = {{0}, {2}, {0, 3}, {1, 2, 3, 5}, {4, 7}};
    static const size_t counts[] = {1, 1, 2, 4, 2};
    static const uint32_t wrong[] = {3, 3};
    const made_list list = made_new(3000, 6, 200, 1);
    const made_options options = {.streams = 6, .has_lateness = true};
    uint32_t *expected = made_order(&list, false);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        stele_context *context = make_context(0);
        stele_trace *trace = made_trace_open(context, &list, &options);
        const stele_request request = {
            .struct_size = sizeof request, .streams = sets[i], .stream_count = counts[i]};
        stele_segment segment;
        stele_reader *reader;
        uint32_t at = 0;
        bool is_same = true;
        produce_calls = 0;
        REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
        CHECK_EQ_U64(produce_calls, counts[i] - (i == 4));
        while (stele_reader_next(reader, &segment) == STELE_OK) {
            for (uint32_t k = 0; k < segment.count && is_same; k++, at++) {
                while (at < list.count &&
                       !request_wants_stream(&request, list.events[expected[at]].stream))
                    at++;
                is_same = at < list.count &&
                          segment.batch->events[segment.first + k].ticks == expected[at];
            }
        }
        while (at < list.count && !request_wants_stream(&request, list.events[expected[at]].stream))
            at++;
        CHECK(is_same);
        CHECK_EQ_U64(at, list.count);
        stele_reader_close(reader);
        CHECK_EQ_U64(stele_reader_open(context, &trace, 1,
                                       &(stele_request){.struct_size = sizeof(stele_request),
                                                        .streams = wrong,
                                                        .stream_count = 2},
                                       &reader),
                     STELE_ERR_ARGUMENT);
        stele_trace_close(trace);
        stele_context_free(context);
    }
    free(expected);
    free(list.events);
}

/* Segments can be taken one by one or all that are there, in a random sequence of both. */
TEST(segments_can_be_taken_one_by_one_and_together)
{
    for (uint32_t streams = 1; streams <= 4; streams++) {
        const made_list list = made_new(6000, streams, 100, streams);
        const made_options options = {.streams = streams, .has_lateness = true};
        stele_context *context = make_context(0);
        stele_trace *trace = made_trace_open(context, &list, &options);
        uint32_t *expected = made_order(&list, false), at = 0;
        uint64_t random = streams, together_count = 0;
        stele_reader_stats stats = STELE_INIT(stele_reader_stats);
        stele_reader *reader;
        stele_status status;
        bool is_same = true;
        REQUIRE(stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK);
        do {
            stele_segment one;
            const stele_segment *segments = &one;
            size_t count = 1;
            if (random_below(&random, 3) != 0)
                status = stele_reader_next(reader, &one);
            else
                status = stele_reader_next_segments(reader, &segments, &count);
            for (size_t i = 0; status == STELE_OK && i < count; i++) {
                const stele_event *event = &segments[i].batch->events[segments[i].first];
                for (uint32_t n = 0; n < segments[i].count && is_same; n++, at++)
                    is_same = at < list.count && event[n].ticks == expected[at];
            }
            together_count += status == STELE_OK && count > 1;
            stele_reader_get_stats(reader, &stats);
            is_same = is_same && stats.event_count == at;
        } while (status == STELE_OK && is_same);
        CHECK(is_same);
        CHECK_EQ_U64(status, STELE_END);
        CHECK_EQ_U64(at, list.count);
        CHECK((together_count != 0) == (streams > 1));
        stele_reader_close(reader);
        stele_trace_close(trace);
        stele_context_free(context);
        free(expected);
        free(list.events);
    }
}

TEST(streams_of_threads_can_come_one_after_the_other)
{
    const made_list lists[] = {made_new(3000, 5, 200, 1), made_new(1000, 3, 200, 2)};
    const made_options options[] = {{.streams = 5, .has_lateness = true, .has_threads = true},
                                    {.streams = 3, .has_lateness = true}};
    const stele_request request = {.order = STELE_ORDER_STREAMS, .align_starts = true};
    stele_context *context = make_context(0);
    stele_trace *traces[] = {made_trace_open(context, &lists[0], &options[0]),
                             made_trace_open(context, &lists[1], &options[1])};
    uint64_t count = 0, stream_changes = 0, disorder = 0;
    int64_t before_ns = INT64_MIN;
    uint32_t stream = UINT32_MAX;
    stele_segment segment;
    stele_reader *reader;
    REQUIRE(stele_reader_open(context, traces, 2, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++, count++) {
            const int64_t time_ns = segment.batch->events[segment.first + i].time_ns;
            const bool is_merged = segment.batch->stream >= 5; /* an event of the second trace */
            if (segment.batch->stream != stream && (!is_merged || stream < 5)) {
                stream_changes++;
                before_ns = INT64_MIN;
            }
            stream = segment.batch->stream;
            disorder += time_ns < before_ns;
            before_ns = time_ns;
        }
    }
    CHECK_EQ_U64(count, 4000);
    CHECK_EQ_U64(disorder, 0);
    CHECK_EQ_U64(stream_changes, 6);
    stele_reader_close(reader);
    for (size_t i = 0; i < 2; i++) {
        stele_trace_close(traces[i]);
        free(lists[i].events);
    }
    stele_context_free(context);
    CHECK_EQ_U64(open_producers, 0);
}

TEST(a_sequential_trace_is_read_once)
{
    const made_list list = made_new(500, 3, 100, 1);
    const made_options options = {.streams = 3, .is_sequential = true};
    stele_context *context = make_context(0);
    stele_trace *trace = made_trace_open(context, &list, &options);
    const outcome first = read_traces(context, &trace, 1, NULL);
    const outcome second = read_traces(context, &trace, 1, NULL);
    CHECK_EQ_U64(first.ended, STELE_END);
    CHECK(first.is_ordered);
    CHECK_EQ_U64(first.stats.event_count, 500);
    CHECK_EQ_U64(second.opened, STELE_ERR_UNSUPPORTED);
    CHECK(strncmp(diag_text, "STE009 another reading", 22) == 0);
    CHECK_EQ_U64(stele_trace_index(trace), STELE_ERR_UNSUPPORTED);
    stele_trace_close(trace);
    stele_context_free(context);
    free(list.events);
}

TEST(without_order_records_come_as_they_stand)
{
    made events[] = {{30, 0, 0, STELE_KIND_INSTANT},
                     {10, 0, 1, STELE_KIND_INSTANT},
                     {20, 0, 0, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 3, .batch_min = 1, .batch_max = 2, .ending = STELE_END};
    const made_options options = {.streams = 2};
    const outcome o = read_made(&list, &options, 1, &(stele_request){.order = STELE_ORDER_NONE});
    CHECK_EQ_STR(o.times, "30 10 20");
    CHECK_EQ_U64(o.produced, 1);
    CHECK_EQ_U64(diag_count, 0);
}

TEST(a_false_claim_of_order_is_found_out)
{
    made events[] = {{30, 0, 0, STELE_KIND_INSTANT},
                     {10, 0, 0, STELE_KIND_INSTANT},
                     {20, 0, 0, STELE_KIND_INSTANT},
                     {40, 0, 0, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 4, .batch_min = 1, .batch_max = 1, .ending = STELE_END};
    const made_options options = {.streams = 1, .claims_order = true};
    const outcome o = read_made(&list, &options, 1, NULL);
    CHECK_EQ_STR(o.times, "30 10 20 40");
    CHECK_EQ_U64(o.stats.late_count, 2);
    CHECK_EQ_I64(o.stats.lateness_max_ns, 20);
    CHECK_EQ_U64(o.stats.unordered_count, 2);
    CHECK_EQ_I64(o.stats.unordered_max_ns, 20);
    CHECK_EQ_U64(diag_count, 1);
    CHECK_EQ_STR(diag_text, "STE007 2 events were delivered late, by up to 20 ns");
}

TEST(what_producers_lost_and_skipped_is_summed)
{
    const made_list list = made_new(50, 3, 0, 1);
    const made_options options = {.streams = 3, .claims_order = true};
    const outcome o = read_made(&list, &options, 1, NULL);
    CHECK_EQ_U64(o.produced, 3);
    CHECK_EQ_U64(o.stats.lost_count, 9);
    CHECK_EQ_U64(o.stats.missing_count, 6);
    CHECK_EQ_U64(o.stats.balance.skipped_size, 15);
    CHECK_EQ_U64(o.stats.byte_total, 5);
    CHECK_EQ_U64(o.stats.filtered_count, 0);
    free(list.events);
}

TEST(no_trace_and_no_event)
{
    const made_list empty = {.batch_min = 1, .batch_max = 1, .ending = STELE_END};
    const made_options options[3] = {
        {.streams = 0}, {.streams = 0, .is_sequential = true}, {.streams = 2}};
    const made_list lists[3] = {empty, empty, empty};
    const stele_request request = {.begin = {STELE_BOUND_START, 5}, .end = {STELE_BOUND_WALL, 5}};
    CHECK_EQ_U64(read_made(lists, options, 0, NULL).ended, STELE_END);
    CHECK_EQ_U64(read_made(lists, options, 1, NULL).ended, STELE_END);
    CHECK_EQ_U64(read_made(lists, options, 2, &request).ended, STELE_END);
    CHECK_EQ_U64(diag_count, 0);
}

TEST(an_error_of_a_producer_is_told_at_the_end)
{
    made_list lists[2] = {made_new(100, 1, 0, 1), made_new(100, 1, 0, 2)};
    const made_options options[2] = {{.streams = 1, .trace = {.has_shift = true}},
                                     {.streams = 1, .trace = {.has_shift = true}}};
    lists[0].ending = STELE_ERR_READ;
    for (int order = STELE_ORDER_TIME; order <= STELE_ORDER_NONE; order++) {
        const outcome o =
            read_made(lists, options, 2, &(stele_request){.order = (stele_order)order});
        CHECK_EQ_U64(o.stats.event_count, 200);
        CHECK_EQ_U64(o.ended, STELE_ERR_READ);
    }
    free(lists[0].events);
    free(lists[1].events);
}

/* ---- Clocks of traces ---- */

static made few_a[] = {{10, 0, 0, STELE_KIND_INSTANT}, {30, 0, 0, STELE_KIND_INSTANT}};
static made few_b[] = {{1005, 0, 0, STELE_KIND_INSTANT}, {1020, 0, 0, STELE_KIND_INSTANT}};
static const made_list few[] = {
    {.events = few_a, .count = 2, .batch_min = 1, .batch_max = 2, .ending = STELE_END},
    {.events = few_b, .count = 2, .batch_min = 1, .batch_max = 2, .ending = STELE_END},
    {.events = few_b, .count = 2, .batch_min = 1, .batch_max = 2, .ending = STELE_END}};

static const stele_clock clock_plain = {.domain = STELE_CLOCK_NS};
static const stele_clock clock_shared = {.domain = STELE_CLOCK_NS, .identity = {7, 9}};
static const stele_clock clock_wall_a = {
    .domain = STELE_CLOCK_NS, .has_wall = true, .wall_ns = 100000, .identity = {1, 1}};
static const stele_clock clock_wall_b = {
    .domain = STELE_CLOCK_NS, .has_wall = true, .wall_ns = 99000, .identity = {1, 2}};

/* Reads two traces, from files and as from pipes. The outcome must be the same both ways. */
static outcome read_two(const stele_clock *a, const stele_clock *b,
                        const stele_trace_options *b_options, const stele_request *request)
{
    made_options options[2] = {{.streams = 1, .claims_order = true, .clock = *a},
                               {.streams = 1, .claims_order = true, .clock = *b}};
    outcome indexed, sequential;
    if (b_options != NULL)
        options[1].trace = *b_options;
    indexed = read_made(few, options, 2, request);
    for (int i = 0; i < 2; i++)
        options[i].is_sequential = true;
    sequential = read_made(few, options, 2, request);
    CHECK_EQ_U64(sequential.opened, indexed.opened);
    CHECK_EQ_STR(sequential.times, indexed.times);
    return indexed;
}

TEST(clocks_with_wall_clock_time_meet_there)
{
    CHECK_EQ_STR(read_two(&clock_wall_a, &clock_wall_b, NULL, NULL).times,
                 "100005 100010 100020 100030");
    /* A shift given by the user is added. */
    CHECK_EQ_STR(read_two(&clock_wall_a, &clock_wall_b,
                          &(stele_trace_options){.has_shift = true, .shift_ns = 7}, NULL)
                     .times,
                 "100010 100012 100027 100030");
}

TEST(one_clock_needs_no_shift)
{
    CHECK_EQ_STR(read_two(&clock_shared, &clock_shared, NULL, NULL).times, "10 30 1005 1020");
}

TEST(a_shift_makes_clocks_related)
{
    CHECK_EQ_STR(read_two(&clock_plain, &clock_plain,
                          &(stele_trace_options){.has_shift = true, .shift_ns = -1000}, NULL)
                     .times,
                 "5 10 20 30");
}

TEST(starts_can_be_aligned)
{
    CHECK_EQ_STR(
        read_two(&clock_plain, &clock_plain, NULL, &(stele_request){.align_starts = true}).times,
        "0 0 15 20");
}

TEST(unrelated_clocks_are_refused)
{
    const stele_clock ticks = {.domain = STELE_CLOCK_TICKS};
    CHECK_EQ_U64(read_two(&clock_plain, &clock_plain, NULL, NULL).opened, STELE_ERR_CLOCKS);
    CHECK(strncmp(diag_text, "STE008 ", 7) == 0);
    CHECK_EQ_U64(read_two(&clock_wall_a, &clock_plain, NULL, NULL).opened, STELE_ERR_CLOCKS);
    CHECK_EQ_U64(read_two(&clock_shared, &clock_wall_a, NULL, NULL).opened, STELE_ERR_CLOCKS);
    /* A shift cannot make nanoseconds of ticks. */
    CHECK_EQ_U64(
        read_two(&clock_plain, &ticks, &(stele_trace_options){.has_shift = true}, NULL).opened,
        STELE_ERR_CLOCKS);
    CHECK_EQ_U64(
        read_two(&clock_plain, &ticks, NULL, &(stele_request){.align_starts = true}).opened,
        STELE_ERR_CLOCKS);
}

TEST(two_related_clocks_and_a_third_with_a_shift)
{
    const made_options options[3] = {
        {.streams = 1, .clock = clock_wall_a},
        {.streams = 1, .clock = clock_wall_b},
        {.streams = 1, .clock = clock_plain, .trace = {.has_shift = true, .shift_ns = 99001}}};
    CHECK_EQ_STR(read_made(few, options, 3, NULL).times,
                 "100005 100006 100010 100020 100021 100030");
}

/* ---- Bounds of what is read ---- */

static const char *times_between(stele_bound begin, stele_bound end, bool is_sequential)
{
    static outcome o;
    const made_options options = {
        .streams = 1, .clock = clock_wall_a, .is_sequential = is_sequential};
    o = read_made(few, &options, 1, &(stele_request){.begin = begin, .end = end});
    return o.opened == STELE_OK ? o.times : stele_status_text(o.opened);
}

TEST(bounds_of_every_kind)
{
    const stele_bound none = {STELE_BOUND_NONE, 0};
    for (int i = 0; i < 2; i++) {
        CHECK_EQ_STR(times_between(none, none, i), "10 30");
        CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_START, 1}, none, i), "30");
        CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_START, 0}, none, i), "10 30");
        CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_START, 20}, i), "10");
        CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_START, 21}, i), "10 30");
        CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_WALL, 100011}, none, i), "30");
        CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_WALL, 100030}, i), "10");
        CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_CLOCK, 11}, none, i), "30");
        CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_CLOCK, 11}, i), "10");
        /* The ticks of made-up events are their numbers. */
        CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_TICKS, 1}, none, i), "30");
        CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_TICKS, 1}, i), "10");
    }
    CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_END, 20}, none, false), "10 30");
    CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_END, 19}, none, false), "30");
    CHECK_EQ_STR(times_between(none, (stele_bound){STELE_BOUND_END, 5}, false), "10");
}

TEST(ends_are_looked_for_where_they_are_asked_for)
{
    const made_list list = made_new(1000, 2, 0, 3);
    const made_options options = {.streams = 2, .has_lateness = true};
    const stele_request whole = {0}, last = {.begin = {STELE_BOUND_END, 100}};
    const int64_t end_ns = list.events[list.count - 1].time_ns;
    uint64_t last_count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        list.events[i].kind = STELE_KIND_INSTANT;
        last_count += list.events[i].time_ns >= end_ns - 100;
    }
    for (unsigned turn = 0; turn < 3; turn++) {
        stele_context *context = make_context(0);
        stele_trace *trace = made_trace_open(context, &list, &options);
        trace->ops = &made_ops_ends;
        find_ends_calls = 0;
        CHECK_EQ_U64(read_traces(context, &trace, 1, &whole).stats.event_count, 1000);
        CHECK_EQ_U64(find_ends_calls, 0);
        if (turn == 1)
            CHECK_EQ_U64(stele_trace_index(trace), STELE_OK);
        if (turn != 0) {
            CHECK_EQ_U64(read_traces(context, &trace, 1, &last).stats.event_count, last_count);
            CHECK_EQ_U64(find_ends_calls, 1);
        }
        stele_trace_close(trace);
        stele_context_free(context);
    }
    free(list.events);
}

TEST(bounds_without_a_meaning)
{
    const made_options no_wall = {.streams = 1, .clock = clock_plain};
    CHECK_EQ_STR(times_between((stele_bound){STELE_BOUND_END, 20}, (stele_bound){0}, true),
                 stele_status_text(STELE_ERR_UNSUPPORTED));
    CHECK(strncmp(diag_text, "STE009 a time before the end", 28) == 0);
    CHECK_EQ_U64(
        read_made(few, &no_wall, 1, &(stele_request){.begin = {STELE_BOUND_WALL, 5}}).opened,
        STELE_ERR_ARGUMENT);
    CHECK(strncmp(diag_text, "STE009 a date", 13) == 0);
    CHECK_EQ_U64(read_made(few, &no_wall, 1, &(stele_request){.where = "((("}).opened,
                 STELE_ERR_ARGUMENT);
}

TEST(bounds_of_several_traces_are_on_the_common_scale)
{
    const stele_request request = {.begin = {STELE_BOUND_START, 5}, .end = {STELE_BOUND_END, 10}};
    const made_options options[2] = {{.streams = 1, .clock = clock_wall_a},
                                     {.streams = 1, .clock = clock_wall_b}};
    const outcome o = read_made(few, options, 2, &request);
    CHECK_EQ_STR(o.times, "100010");
    CHECK_EQ_U64(o.stats.filtered_count, 3);
    CHECK_EQ_U64(o.stats.event_count, 1);
}

TEST(producers_are_asked_on_their_own_scale)
{
    const stele_request request = {
        .begin = {STELE_BOUND_CLOCK, 100005}, .end = {STELE_BOUND_CLOCK, 100020}, .kinds = 0};
    const made_options options[2] = {{.streams = 1, .clock = clock_wall_a},
                                     {.streams = 1, .clock = clock_wall_b}};
    read_made(few, options, 2, &request);
    CHECK_EQ_I64(last_request.begin_ns, 1005);
    CHECK_EQ_I64(last_request.end_ns, 1020);
    CHECK_EQ_U64(last_request.kinds, STELE_KINDS_ALL);
    CHECK_EQ_U64(last_request.columns, STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW);
    read_made(few, options, 1, NULL);
    CHECK_EQ_I64(last_request.begin_ns, INT64_MIN);
    CHECK_EQ_I64(last_request.end_ns, INT64_MAX);
}

TEST(what_is_filtered_is_not_sorted)
{
    const made_list list = made_new(20000, 3, 100000, 5);
    const made_options options = {.streams = 3};
    const stele_request request = {.where = "ticks < 2000"};
    /* Without a folder for temporary files: the events that pass fit into memory, all events
       would not. */
    stele_context *context = NULL;
    stele_trace *trace;
    outcome o;
    REQUIRE(stele_context_new(
                &(stele_context_options){.temp_dir = "/nonexistent",
                                         .limits = &(stele_limits){.sort_size_max = 1 << 20}},
                &context) == STELE_OK);
    trace = made_trace_open(context, &list, &options);
    o = read_traces(context, &trace, 1, NULL);
    CHECK_EQ_U64(o.ended, STELE_ERR_WRITE);
    o = read_traces(context, &trace, 1, &request);
    CHECK_EQ_U64(o.ended, STELE_END);
    CHECK_EQ_U64(o.stats.event_count, 2000);
    CHECK_EQ_U64(o.stats.filtered_count, 18000);
    CHECK(o.is_ordered);
    stele_trace_close(trace);
    stele_context_free(context);
    free(list.events);
}

TEST(columns_that_the_reader_needs_itself_are_asked_for)
{
    const made_options options = {.streams = 1, .claims_order = true};
    read_made(few, &options, 1, &(stele_request){.columns = STELE_COLUMN_NAME});
    CHECK_EQ_U64(last_request.columns, STELE_COLUMN_NAME | STELE_COLUMN_TIME);
    read_made(few, &options, 1,
              &(stele_request){.columns = STELE_COLUMN_NAME, .order = STELE_ORDER_NONE});
    CHECK_EQ_U64(last_request.columns, STELE_COLUMN_NAME);
    read_made(few, &options, 1,
              &(stele_request){.columns = STELE_COLUMN_NAME, .order_by_end = true});
    CHECK_EQ_U64(last_request.columns, STELE_COLUMN_NAME | STELE_COLUMN_TIME | STELE_COLUMN_VALUE);
    read_made(few, &options, 1,
              &(stele_request){.columns = STELE_COLUMN_NAME,
                               .tracks = {(const char *const[]){"*"}, 1},
                               .order = STELE_ORDER_NONE});
    CHECK((last_request.columns & STELE_COLUMN_TRACK) != 0);
}

TEST(the_start_of_a_pipe_is_its_first_event_with_a_time)
{
    made events[] = {
        {0, 0, 0, MADE_NO_TIME}, {100, 0, 0, STELE_KIND_INSTANT}, {120, 0, 0, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 3, .batch_min = 3, .batch_max = 3, .ending = STELE_END};
    made_list with_empty = made_new(50, 1, 0, 6);
    const made_options options = {.streams = 1, .is_sequential = true};
    const stele_request request = {.begin = {STELE_BOUND_START, 10}};
    CHECK_EQ_STR(read_made(&list, &options, 1, &request).times, "120");
    with_empty.batch_min = 0;
    with_empty.batch_max = 1;
    for (with_empty.seed = 0; with_empty.seed < 10; with_empty.seed++) {
        const outcome o = read_made(&with_empty, &options, 1, &request);
        CHECK(strncmp(o.times, "-10", 3) != 0);
        CHECK(o.stats.filtered_count != 0);
    }
    free(with_empty.events);
}

/* ---- Failing allocations ---- */

static stele_status read_all(const made_list *lists)
{
    const made_options options[2] = {{.streams = 3, .clock = clock_wall_a, .has_lateness = true},
                                     {.streams = 3, .clock = clock_wall_b, .is_sequential = true}};
    stele_trace *traces[2] = {NULL, NULL};
    stele_context *context = NULL;
    stele_reader *reader = NULL;
    stele_segment segment;
    stele_status status = stele_context_new(
        &(stele_context_options){.limits = &(stele_limits){.sort_size_max = 1}}, &context);
    for (int i = 0; i < 2 && status == STELE_OK; i++) {
        traces[i] = made_trace_open(context, &lists[i], &options[i]);
        status = traces[i] != NULL ? STELE_OK : STELE_ERR_MEMORY;
    }
    if (status == STELE_OK)
        status = stele_reader_open(
            context, traces, 2,
            &(stele_request){.begin = {STELE_BOUND_START, 5}, .where = "time > 0s"}, &reader);
    while (status == STELE_OK)
        status = stele_reader_next(reader, &segment);
    stele_reader_close(reader);
    stele_trace_close(traces[0]);
    stele_trace_close(traces[1]);
    stele_context_free(context);
    return status;
}

TEST(every_allocation_may_fail)
{
    const made_list lists[2] = {made_new(200, 3, 50, 11), made_new(200, 3, 50, 12)};
    uint64_t n = 0;
    for (bool has_failed = true; has_failed; n++) {
        stele_status status;
        allocations_fail_at(n);
        status = read_all(lists);
        has_failed = allocations_stop();
        CHECK_EQ_U64(status, has_failed ? STELE_ERR_MEMORY : STELE_END);
        CHECK_EQ_U64(open_producers, 0);
    }
    CHECK(n > 50);
    free(lists[0].events);
    free(lists[1].events);
}
