/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of events: made-up streams with known disorder, compared with a plain stable sort. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "flow/flow.h"

#include "allocations.h"
#include "made.h"
#include "test.h"

/* ---- Running a flow ---- */

static stele_context *make_context(const char *temp_dir)
{
    stele_context *context = NULL;
    stele_context_new(&(stele_context_options){.temp_dir = temp_dir}, &context);
    return context;
}

/* Reads a flow to its end. Returns whether its events are in the given order. */
static bool flow_gives(flow *f, const made_list *list, const uint32_t *order, stele_status ending)
{
    stele_segment segment;
    stele_status status;
    uint32_t at = 0;
    while ((status = flow_next(f, &segment)) == STELE_OK) {
        if (segment.count == 0 || segment.count > list->count - at)
            return false;
        for (uint32_t i = 0; i < segment.count; i++, at++) {
            if (!event_is_whole(segment.batch, &segment.batch->events[segment.first + i], list,
                                order[at]))
                return false;
        }
    }
    return at == list->count && status == ending && flow_next(f, &segment) == ending;
}

typedef stele_status order_fn(producer *from, const order_options *options, flow **out);

/* Returns whether a flow over the list gives exactly the sorted order. */
static bool is_sorted_by(order_fn *fn, const made_list *list, const order_options *given)
{
    order_options options = *given;
    order_stats stats = {0};
    uint32_t *order = made_order(list, given->by_end);
    flow *f = NULL;
    bool is_good;
    options.context = make_context(NULL);
    options.stats = &stats;
    is_good = fn(made_open(list), &options, &f) == STELE_OK &&
              flow_gives(f, list, order, list->ending) && stats.late_count == 0;
    flow_close(f);
    stele_context_free(options.context);
    free(order);
    return is_good && open_producers == 0;
}

/* ---- Sorting events ---- */

TEST(a_sort_in_memory_gives_the_reference)
{
    for (uint64_t seed = 1; seed < 80; seed++) {
        uint64_t random = seed;
        made_list list = made_new(random_below(&random, 3000), 1 + random_below(&random, 5),
                                  random_below(&random, 3) * 1000, seed);
        list.batch_max = 1 + random_below(&random, 300);
        list.has_fields = seed % 2 == 0;
        list.batch_min = seed % 4 == 0 ? 0 : 1;
        CHECK(is_sorted_by(flow_sort, &list,
                           &(order_options){.lateness_ns = INT64_MAX,
                                            .size_max = SIZE_MAX,
                                            .by_end = seed % 3 == 0,
                                            .batch_events = 1 + random_below(&random, 300)}));
        free(list.events);
    }
}

TEST(a_sort_through_runs_gives_the_reference)
{
    for (uint64_t seed = 1; seed < 30; seed++) {
        uint64_t random = seed;
        made_list list = made_new(random_below(&random, 10000), 1 + random_below(&random, 5),
                                  random_below(&random, 100000), seed);
        list.batch_max = 1 + random_below(&random, 300);
        list.has_fields = seed % 2 == 0;
        list.batch_min = seed % 4 == 0 ? 0 : 1;
        CHECK(is_sorted_by(flow_sort, &list,
                           &(order_options){.lateness_ns = INT64_MAX,
                                            .size_max = random_below(&random, 200000),
                                            .by_end = seed % 3 == 0,
                                            .batch_events = 1 + random_below(&random, 300)}));
        free(list.events);
    }
}

TEST(a_sort_through_runs_of_many_levels_gives_the_reference)
{
    made_list list = made_new(64 * 64 * 2 + 64 * 3 + 5, 3, 100000, 7);
    list.has_fields = true;
    CHECK(is_sorted_by(flow_sort, &list,
                       &(order_options){.lateness_ns = INT64_MAX, .batch_events = 1}));
    free(list.events);
}

TEST(a_sort_that_knows_the_lateness_gives_the_reference)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        uint64_t random = seed;
        const uint32_t disorder = random_below(&random, 3) * 500;
        made_list list = made_new(random_below(&random, 9000), 1, disorder, seed);
        list.batch_max = 1 + random_below(&random, 300);
        list.has_fields = seed % 2 == 0;
        list.batch_min = seed % 4 == 0 ? 0 : 1;
        CHECK(is_sorted_by(flow_sort, &list,
                           &(order_options){.lateness_ns = disorder,
                                            .size_max = seed % 4 == 0 ? 100000 : SIZE_MAX}));
        free(list.events);
    }
}

/* ---- Sorting in windows ---- */

TEST(a_window_that_suffices_gives_the_reference)
{
    for (uint64_t seed = 1; seed < 80; seed++) {
        uint64_t random = seed;
        const uint32_t disorder = random_below(&random, 3) * 100;
        made_list list = made_new(random_below(&random, 5000), 1, disorder, seed);
        list.batch_max = 1 + random_below(&random, 300);
        list.has_fields = seed % 2 == 0;
        list.batch_min = seed % 4 == 0 ? 0 : 1;
        CHECK(is_sorted_by(flow_window, &list,
                           &(order_options){.lateness_ns = disorder + random_below(&random, 2) * 50,
                                            .size_max = SIZE_MAX,
                                            .batch_events = 1 + random_below(&random, 300)}));
        free(list.events);
    }
}

/* Checks that an event is marked as late exactly if a later one was delivered before it. */
static void check_lateness(const made_list *list, const order_options *given, bool wants_late)
{
    order_options options = *given;
    order_stats stats = {0};
    uint64_t late_count = 0, count = 0;
    int64_t latest_ns = INT64_MIN, late_max_ns = 0;
    bool *seen = calloc(list->count, sizeof *seen);
    stele_segment segment;
    flow *f = NULL;
    options.stats = &stats;
    options.context = make_context(NULL);
    CHECK_EQ_U64(flow_window(made_open(list), &options, &f), STELE_OK);
    while (flow_next(f, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++, count++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            const bool is_late = event->time_ns < latest_ns;
            CHECK(event->ticks < list->count && !seen[event->ticks]);
            CHECK(event_is_whole(segment.batch, event, list, (uint32_t)event->ticks));
            CHECK(((event->flags & STELE_FLAG_LATE) != 0) == is_late);
            seen[event->ticks] = true;
            late_count += is_late;
            if (is_late && latest_ns - event->time_ns > late_max_ns)
                late_max_ns = latest_ns - event->time_ns;
            latest_ns = is_late ? latest_ns : event->time_ns;
        }
    }
    CHECK_EQ_U64(count, list->count);
    CHECK_EQ_U64(stats.late_count, late_count);
    CHECK_EQ_I64(stats.lateness_max_ns, late_max_ns);
    CHECK((late_count != 0) == wants_late);
    flow_close(f);
    stele_context_free(options.context);
    free(seen);
}

TEST(what_comes_later_than_the_window_is_flagged_and_counted)
{
    made_list list = made_new(5000, 1, 3000, 3);
    list.has_fields = true;
    check_lateness(&list, &(order_options){.lateness_ns = 0, .size_max = SIZE_MAX}, true);
    check_lateness(&list, &(order_options){.lateness_ns = 500, .size_max = SIZE_MAX}, true);
    check_lateness(&list, &(order_options){.lateness_ns = 3000, .size_max = SIZE_MAX}, false);
    free(list.events);
}

TEST(a_window_at_its_limits_lets_the_oldest_go)
{
    made_list list = made_new(20000, 3, 9000, 4);
    list.has_fields = true;
    check_lateness(
        &list, &(order_options){.lateness_ns = INT64_MAX, .size_max = SIZE_MAX, .events_max = 700},
        true);
    check_lateness(&list, &(order_options){.lateness_ns = INT64_MAX, .size_max = 100000}, true);
    check_lateness(&list, &(order_options){.lateness_ns = INT64_MAX, .size_max = 0}, true);
    check_lateness(&list, &(order_options){.lateness_ns = INT64_MAX, .size_max = SIZE_MAX}, false);
    free(list.events);
}

TEST(disorder_is_counted_by_stream)
{
    /* Times of stream 2 are long before those of stream 1, and in order; stream 1 has two events
       out of order. */
    made events[] = {{100, 0, 1, STELE_KIND_INSTANT}, {5, 0, 2, STELE_KIND_INSTANT},
                     {90, 0, 1, STELE_KIND_INSTANT},  {6, 0, 2, STELE_KIND_INSTANT},
                     {100, 0, 1, STELE_KIND_INSTANT}, {93, 0, 1, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 6, .batch_min = 1, .batch_max = 9, .ending = STELE_END};
    order_stats stats = {0};
    stele_segment segment;
    flow *f;
    REQUIRE(
        flow_sort(made_open(&list),
                  &(order_options){.lateness_ns = INT64_MAX, .size_max = SIZE_MAX, .stats = &stats},
                  &f) == STELE_OK);
    while (flow_next(f, &segment) == STELE_OK)
        ;
    flow_close(f);
    CHECK_EQ_U64(stats.unordered_count, 2);
    CHECK_EQ_I64(stats.unordered_max_ns, 10);
    CHECK_EQ_U64(stats.late_count, 0);
}

TEST(batches_in_order_are_not_copied)
{
    made_list list = made_new(10000, 1, 0, 5);
    order_stats stats = {0};
    uint64_t segments = 0;
    stele_segment segment;
    flow *f;
    list.batch_min = list.batch_max = 256;
    REQUIRE(flow_window(made_open(&list), &(order_options){.size_max = SIZE_MAX, .stats = &stats},
                        &f) == STELE_OK);
    for (; flow_next(f, &segment) == STELE_OK; segments++)
        CHECK(segment.first == 0 && segment.count == segment.batch->event_count);
    CHECK_EQ_U64(segments, (10000 + 255) / 256);
    flow_close(f);
    free(list.events);
}

TEST(times_at_the_ends_of_the_scale)
{
    made events[] = {{INT64_MAX, 0, 0, STELE_KIND_INSTANT}, {INT64_MIN, 0, 0, STELE_KIND_INSTANT},
                     {0, 0, 0, STELE_KIND_INSTANT},         {INT64_MIN, 0, 1, STELE_KIND_INSTANT},
                     {INT64_MAX, 0, 1, STELE_KIND_INSTANT}, {-1, 0, 0, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 6, .batch_min = 1, .batch_max = 2, .ending = STELE_END};
    const size_t sizes[] = {SIZE_MAX, 0};
    for (int i = 0; i < 2; i++)
        CHECK(is_sorted_by(flow_sort, &list,
                           &(order_options){.lateness_ns = INT64_MAX, .size_max = sizes[i]}));
}

/* ---- Shifts, plain flows, flows one after the other ---- */

TEST(a_shift_moves_all_times)
{
    made events[] = {{10, 20, 0, STELE_KIND_COMPLETE},
                     {5, 0, 0, STELE_KIND_INSTANT},
                     {INT64_MAX - 3, 0, 0, STELE_KIND_INSTANT}};
    const made_list list = {
        .events = events, .count = 3, .batch_min = 3, .batch_max = 3, .ending = STELE_END};
    stele_segment segment;
    flow *f;
    REQUIRE(flow_plain(made_open(&list), &f) == STELE_OK);
    REQUIRE(flow_next(f, &segment) == STELE_OK);
    CHECK_EQ_U64(segment.count, 3);
    batch_shift((stele_batch *)segment.batch, 1000, 0);
    CHECK_EQ_I64(segment.batch->shift_ns, 1000);
    CHECK_EQ_I64(segment.batch->events[0].time_ns, 1010);
    CHECK_EQ_I64(segment.batch->events[0].id, 1020);
    CHECK_EQ_I64(segment.batch->events[1].time_ns, 1005);
    CHECK_EQ_I64(segment.batch->events[1].id, 0);
    CHECK_EQ_I64(segment.batch->events[2].time_ns, INT64_MAX);
    CHECK_EQ_U64(segment.batch->events[2].flags, STELE_FLAG_CLAMPED);
    flow_close(f);
}

TEST(one_after_the_other)
{
    made_list lists[3];
    flow *flows[3], *f;
    stele_segment segment;
    uint32_t counts[3] = {0}, at = 0;
    for (uint32_t i = 0; i < 3; i++) {
        lists[i] = made_new(1000 * (2 - i), 1, 0, i);
        lists[i].ending = i == 0 ? STELE_ERR_READ : STELE_END;
        for (uint32_t j = 0; j < lists[i].count; j++)
            lists[i].events[j].stream = i;
        REQUIRE(flow_plain(made_open(&lists[i]), &flows[i]) == STELE_OK);
    }
    REQUIRE(flow_concat(flows, 3, &f) == STELE_OK);
    /* The error of the first flow is reported after all events of the second. */
    for (stele_status status; (status = flow_next(f, &segment)) != STELE_ERR_READ;) {
        REQUIRE(status == STELE_OK);
        CHECK(segment.batch->stream >= at);
        at = segment.batch->stream;
        REQUIRE(at < 3);
        counts[at] += segment.count;
    }
    CHECK_EQ_U64(counts[0], 2000);
    CHECK_EQ_U64(counts[1], 1000);
    flow_close(f);
    CHECK_EQ_U64(open_producers, 0);
    for (uint32_t i = 0; i < 3; i++)
        free(lists[i].events);
}

/* ---- Merging flows ---- */

#define STRETCH_ENDS UINT32_MAX /* up to the first and last times that there can be */

static int64_t stretched(int64_t time_ns, uint32_t stretch)
{
    if (stretch != STRETCH_ENDS)
        return time_ns * stretch;
    return time_ns % 3 == 0 ? 0 : time_ns % 3 == 1 ? INT64_MIN : INT64_MAX;
}

static bool merge_gives(uint32_t k, uint64_t seed, bool by_end, uint32_t stretch)
{
    uint64_t random = seed;
    made_list *lists = calloc(k + 1, sizeof *lists);
    made_list all = {.ending = k == 0 ? STELE_END : STELE_ERR_READ};
    flow **flows = calloc(k + 1, sizeof *flows), *f = NULL;
    order_stats stats = {0};
    bool is_good = true;
    for (uint32_t i = 0; i < k; i++) {
        lists[i] = made_new(random_below(&random, 600), 1, 0, seed + i);
        lists[i].ending = i == 0 ? STELE_ERR_READ : STELE_END;
        lists[i].batch_max = 1 + random_below(&random, i % 5 == 0 ? 1000 : 300);
        all.count += lists[i].count;
    }
    /* The numbers of events in `all` are their ticks, so all streams before count. */
    all.events = calloc(all.count + 1, sizeof *all.events);
    for (uint32_t i = 0, at = 0; i < k; i++) {
        for (uint32_t j = 0; j < lists[i].count; j++, at++) {
            lists[i].events[j].time_ns = stretched(lists[i].events[j].time_ns, stretch);
            lists[i].events[j].stream = i;
            all.events[at] = lists[i].events[j];
        }
    }
    for (uint32_t i = 0; i < k; i++)
        is_good = is_good && flow_sort(made_open(&lists[i]),
                                       &(order_options){.by_end = by_end,
                                                        .lateness_ns = INT64_MAX,
                                                        .batch_events = 1000,
                                                        .size_max = SIZE_MAX,
                                                        .stats = &stats},
                                       &flows[i]) == STELE_OK;
    is_good = is_good && flow_merge(flows, k, by_end, &f) == STELE_OK;
    if (is_good) {
        uint32_t *order = made_order(&all, by_end), at = 0;
        stele_segment segment;
        stele_status status;
        while ((status = flow_next(f, &segment)) == STELE_OK) {
            is_good = is_good && segment.count != 0;
            for (uint32_t i = 0; i < segment.count && is_good; i++, at++) {
                const stele_event *event = &segment.batch->events[segment.first + i];
                uint32_t first = 0;
                for (uint32_t j = 0; j < event->offset; j++)
                    first += lists[j].count;
                is_good = at < all.count && first + event->ticks == order[at];
            }
        }
        is_good = is_good && status == all.ending && at == all.count;
        free(order);
    }
    flow_close(f);
    for (uint32_t i = 0; i < k; i++)
        free(lists[i].events);
    free(lists);
    free(flows);
    free(all.events);
    return is_good && open_producers == 0;
}

TEST(a_merge_of_any_number_of_flows_gives_the_reference)
{
    for (uint32_t k = 0; k <= 50; k++) {
        CHECK(merge_gives(k, k + 1, false, 1));
        CHECK(merge_gives(k, k + 1, true, 1));
        CHECK(merge_gives(k, k + 1, false, 0)); /* only equal times */
        CHECK(merge_gives(k, k + 1, false, 1000));
        CHECK(merge_gives(k, k + 1, false, STRETCH_ENDS));
    }
}

/* A flow without keys gives a merge some of them at a time, of which one can be left alone. */
TEST(no_segment_of_a_merge_is_empty)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        made_list lists[2];
        flow *flows[2], *f;
        stele_segment segment;
        uint32_t count = 0, empty_count = 0;
        for (uint32_t i = 0; i < 2; i++) {
            lists[i] = made_new(2000, 1, 0, 2 * seed + i);
            lists[i].batch_max = 1000;
            REQUIRE(flow_plain(made_open(&lists[i]), &flows[i]) == STELE_OK);
        }
        REQUIRE(flow_merge(flows, 2, false, &f) == STELE_OK);
        for (; flow_next(f, &segment) == STELE_OK; count += segment.count)
            empty_count += segment.count == 0;
        CHECK_EQ_U64(count, 4000);
        CHECK_EQ_U64(empty_count, 0);
        flow_close(f);
        free(lists[0].events);
        free(lists[1].events);
    }
}

/* Opens flows that give some events late, each through a window that is too small for its list. */
static bool open_late(const made_list *lists, uint32_t k, order_stats *stats, flow **flows)
{
    for (uint32_t i = 0; i < k; i++) {
        const order_options options = {.events_max = 5, .size_max = SIZE_MAX, .stats = stats};
        if (flow_window(made_open(&lists[i]), &options, &flows[i]) != STELE_OK)
            return false;
    }
    return true;
}

/* Checks that with late events, merging always takes the least of the flows' first events. */
static bool merge_takes_the_least(uint32_t k, uint64_t seed)
{
    uint64_t random = seed;
    made_list *lists = calloc(k, sizeof *lists);
    flow **flows = calloc(k, sizeof *flows), **alone = calloc(k, sizeof *alone), *f = NULL;
    stele_segment *heads = calloc(k, sizeof *heads), segment;
    order_stats stats = {0};
    bool is_good;
    for (uint32_t i = 0; i < k; i++) {
        lists[i] = made_new(random_below(&random, 2000), 1, 1 + i * 20, seed + i);
        lists[i].batch_max = 1 + random_below(&random, 30);
        for (uint32_t j = 0; j < lists[i].count; j++)
            lists[i].events[j].stream = i;
    }
    is_good = open_late(lists, k, &stats, flows) && open_late(lists, k, &stats, alone) &&
              flow_merge(flows, k, false, &f) == STELE_OK;
    while (is_good && flow_next(f, &segment) == STELE_OK) {
        is_good = segment.count != 0;
        for (; segment.count != 0 && is_good; segment.first++, segment.count--) {
            const stele_event *event = &segment.batch->events[segment.first], *least = NULL;
            for (uint32_t i = 0; i < k; i++) {
                if (heads[i].count == 0 && flow_next(alone[i], &heads[i]) != STELE_OK)
                    continue;
                const stele_event *head = &heads[i].batch->events[heads[i].first];
                if (least == NULL || head->time_ns < least->time_ns)
                    least = head;
            }
            is_good = least != NULL && event->offset == least->offset &&
                      event->ticks == least->ticks && event->time_ns == least->time_ns;
            if (is_good) {
                heads[event->offset].first++;
                heads[event->offset].count--;
            }
        }
    }
    is_good = is_good && stats.late_count != 0;
    flow_close(f);
    for (uint32_t i = 0; i < k; i++) {
        is_good = is_good && heads[i].count == 0 && flow_next(alone[i], &heads[i]) == STELE_END;
        flow_close(alone[i]);
        free(lists[i].events);
    }
    free(lists);
    free(flows);
    free(alone);
    free(heads);
    return is_good && open_producers == 0;
}

TEST(a_merge_of_what_comes_late_takes_the_least)
{
    for (uint32_t k = 2; k <= 20; k++)
        CHECK(merge_takes_the_least(k, 100 + k));
}

/* ---- Errors while reading ---- */

TEST(what_was_read_before_an_error_is_delivered)
{
    const size_t sizes[] = {SIZE_MAX, 100000, 0};
    made_list list = made_new(5000, 2, 100, 9);
    list.ending = STELE_ERR_READ;
    list.has_fields = true;
    for (int i = 0; i < 3; i++)
        CHECK(is_sorted_by(flow_sort, &list,
                           &(order_options){.lateness_ns = INT64_MAX, .size_max = sizes[i]}));
    free(list.events);
}

static char diag_text[256];

static void keep_diag(void *user, const stele_diag *diag)
{
    (void)user;
    snprintf(diag_text, sizeof diag_text, "%s %s", diag->code->code, diag->found);
}

static stele_status sort_in(const char *temp_dir, const made_list *list)
{
    stele_context *context = NULL;
    order_stats stats = {0};
    stele_segment segment;
    stele_status status;
    flow *f;
    diag_text[0] = '\0';
    if (stele_context_new(&(stele_context_options){.temp_dir = temp_dir, .diag = keep_diag},
                          &context) != STELE_OK)
        return STELE_ERR_MEMORY;
    status = flow_sort(
        made_open(list),
        &(order_options){
            .lateness_ns = INT64_MAX, .size_max = 50000, .stats = &stats, .context = context},
        &f);
    while (status == STELE_OK)
        status = flow_next(f, &segment);
    flow_close(f);
    stele_context_free(context);
    return status;
}

TEST(no_folder_for_temporary_files)
{
    made_list list = made_new(50000, 1, 10, 9);
    CHECK_EQ_U64(sort_in("/nonexistent", &list), STELE_ERR_WRITE);
    CHECK_EQ_STR(diag_text, "STE005 No such file or directory");
    CHECK_EQ_U64(open_producers, 0);
    free(list.events);
}

TEST(no_room_for_temporary_files)
{
    made_list list = made_new(50000, 1, 10, 9);
    struct rlimit before, limit;
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = 300000;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_EQ_U64(sort_in("/tmp", &list), STELE_ERR_WRITE);
    CHECK_EQ_STR(diag_text, "STE005 File too large");
    CHECK_EQ_U64(open_producers, 0);
    setrlimit(RLIMIT_FSIZE, &before);
    free(list.events);
}

/* ---- Failing allocations ---- */

/* Merges two sorts, a window and a plain flow: everything that allocates. */
static stele_status merge_all(const made_list *list, const made_list *ordered)
{
    stele_context *context = NULL;
    order_stats stats = {0};
    flow *flows[4], *f = NULL;
    stele_segment segment;
    uint32_t count = 0;
    stele_status status = stele_context_new(NULL, &context);
    const order_options options = {
        .lateness_ns = INT64_MAX, .stats = &stats, .context = context, .batch_events = 16};
    while (status == STELE_OK && count < 4) {
        producer *from = made_open(count == 0 ? ordered : list);
        status = from == NULL ? STELE_ERR_MEMORY
                 : count == 0 ? flow_plain(from, &flows[count])
                 : count == 1 ? flow_window(from, &options, &flows[count])
                              : flow_sort(from, &options, &flows[count]);
        count += status == STELE_OK;
    }
    if (status == STELE_OK)
        status = flow_merge(flows, count, false, &f);
    else
        while (count != 0)
            flow_close(flows[--count]);
    while (status == STELE_OK)
        status = flow_next(f, &segment);
    flow_close(f);
    stele_context_free(context);
    return status;
}

TEST(every_allocation_may_fail)
{
    made_list list = made_new(300, 2, 50, 11), ordered = made_new(300, 1, 0, 12);
    uint64_t n = 0;
    stele_status status = STELE_ERR_MEMORY;
    list.has_fields = ordered.has_fields = true;
    list.batch_max = ordered.batch_max = 20;
    for (bool has_failed = true; has_failed; n++) {
        allocations_fail_at(n);
        status = merge_all(&list, &ordered);
        has_failed = allocations_stop();
        CHECK_EQ_U64(status, has_failed ? STELE_ERR_MEMORY : STELE_END);
        CHECK_EQ_U64(open_producers, 0);
    }
    CHECK(n > 100);
    free(list.events);
    free(ordered.events);
}
