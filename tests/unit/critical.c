/* SPDX-License-Identifier: Apache-2.0 */
/* Critical paths of made-up events, compared with paths worked out by hand. */
#include <stele/critical.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls_made.h"

enum { NEW, READY, SUSPENDED, BLOCKED }; /* the states as FXT numbers them */

static stele_span target;
static bool is_found;

/* Takes spans and keeps the longest one. */
static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count; i++) {
        if (spans[i].end == STELE_SPAN_ENTRY_LOST || spans[i].source == STELE_SPAN_FLOW ||
            (is_found && stele_span_duration_ns(&spans[i]) <= stele_span_duration_ns(&target)))
            continue;
        target = spans[i];
        is_found = true;
    }
    return STELE_OK;
}

static void find_target(void)
{
    const stele_segment segment = made_segment();
    stele_spans *s;
    is_found = false;
    REQUIRE(stele_spans_new(it.context, NULL, take, NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_spans_add(s, &segment), STELE_OK);
    CHECK_EQ_U64(stele_spans_finish(s), STELE_OK);
    stele_spans_free(s);
    REQUIRE(is_found);
}

/* Checks that the stretches of a path follow each other, from the begin of the span to its end. */
static void check_whole(const stele_critical_stretch *rows, size_t count, const stele_span *of)
{
    int64_t now_ns = of->begin_ns;
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ_I64(rows[i].begin_ns, now_ns);
        CHECK(rows[i].end_ns > rows[i].begin_ns);
        CHECK(rows[i].state < STELE_CRITICAL_STATE_COUNT);
        CHECK(rows[i].way < STELE_CRITICAL_WAY_COUNT);
        now_ns = rows[i].end_ns;
    }
    CHECK_EQ_I64(now_ns, of->end_ns);
}

static stele_critical_counts path_of(char *text, size_t size, const stele_critical_options *options)
{
    const stele_segment segment = made_segment();
    const stele_critical_stretch *rows;
    stele_critical_counts counts = STELE_INIT(stele_critical_counts);
    stele_critical *c;
    size_t count, at = 0;
    find_target();
    REQUIRE(stele_critical_new(it.context, options, &c) == STELE_OK);
    CHECK_EQ_U64(stele_critical_set_window(c, target.begin_ns, target.end_ns), STELE_OK);
    CHECK_EQ_U64(stele_critical_add(c, &segment), STELE_OK);
    CHECK_EQ_U64(stele_critical_finish(c), STELE_OK);
    CHECK_EQ_U64(stele_critical_path(c, &target, &rows, &count), STELE_OK);
    check_whole(rows, count, &target);
    text[0] = 0;
    for (size_t i = 0; i < count && at < size; i++) {
        const stele_text name = stele_name_text(it.context, NULL, rows[i].name);
        const stele_track *track = stele_track_get(it.context, rows[i].track);
        at += (size_t)snprintf(
            text + at, size - at, "%" PRId64 " %s %.*s %d%s%s\n", rows[i].begin_ns,
            stele_critical_state_text((stele_critical_state)rows[i].state), (int)name.size,
            name.bytes, track != NULL ? (int)track->number : 0, rows[i].way != 0 ? " " : "",
            rows[i].way != 0 ? stele_critical_way_text((stele_critical_way)rows[i].way) : "");
    }
    stele_critical_get_counts(c, &counts);
    stele_critical_free(c);
    return counts;
}

static void check_path(const char *expected)
{
    char text[4096];
    path_of(text, sizeof text, NULL);
    CHECK_EQ_STR(text, expected);
}

static void flow(stele_kind kind, uint64_t track, int64_t time_ns, uint64_t id)
{
    add_on(track, kind, time_ns, "message")->id = id;
}

static uint32_t cpu(uint64_t number)
{
    return stele_track_intern(it.context,
                              &(stele_track){.kind = STELE_TRACK_CPU, .number = number});
}

/* Adds a switch from one thread to another; thread 0 is idle. */
static void switches(int64_t time_ns, uint64_t on, uint64_t from, unsigned state, uint64_t to)
{
    stele_event *event = stele_batch_add_event(it.batch);
    stele_field *field;
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_SWITCH;
    event->time_ns = time_ns;
    event->track = cpu(on);
    event->value = from != 0 ? thread(from) : 0;
    event->id = to != 0 ? thread(to) : 0;
    field = stele_batch_add_field(it.batch, named("outgoing_state"), STELE_TYPE_UINT);
    REQUIRE(field != NULL);
    field->u.u = state;
}

static void wakes(int64_t time_ns, uint64_t on, uint64_t woken)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_WAKE;
    event->time_ns = time_ns;
    event->track = cpu(on);
    event->id = thread(woken);
}

TEST(calls_of_one_thread)
{
    made_begin();
    span(0, 100, "main");
    span(10, 40, "read");
    span(20, 30, "copy");
    span(40, 50, "read");
    it.batch->events[it.batch->event_count - 1].offset = 8; /* of a different record */
    check_path("0 in main 1\n"
               "10 in read 1\n"
               "20 in copy 1\n"
               "30 in read 1\n"
               "40 in read 1\n"
               "50 in main 1\n");
    made_end();
}

TEST(request_and_reply_by_flows)
{
    made_begin();
    add_on(1, STELE_KIND_BEGIN, 0, "request");
    flow(STELE_KIND_FLOW_BEGIN, 1, 5, 1);
    add_on(2, STELE_KIND_BEGIN, 10, "serve");
    flow(STELE_KIND_FLOW_END, 2, 10, 1);
    add_on(2, STELE_KIND_BEGIN, 20, "disk");
    add_on(2, STELE_KIND_END, 60, "disk");
    flow(STELE_KIND_FLOW_BEGIN, 2, 80, 2);
    add_on(2, STELE_KIND_END, 90, "serve");
    flow(STELE_KIND_FLOW_END, 1, 92, 2);
    add_on(1, STELE_KIND_END, 100, "request");
    check_path("0 in request 1 flow\n"
               "5 flow message 2 flow\n"
               "10 in serve 2\n"
               "20 in disk 2\n"
               "60 in serve 2 flow\n"
               "80 flow message 1 flow\n"
               "92 in request 1\n");
    made_end();
}

/* A receiver that worked for the same caller in between did not wait. */
TEST(flow_that_nobody_waited_for)
{
    made_begin();
    add_on(1, STELE_KIND_BEGIN, 0, "main");
    add_on(2, STELE_KIND_BEGIN, 1, "log");
    add_on(1, STELE_KIND_BEGIN, 10, "compute");
    flow(STELE_KIND_FLOW_BEGIN, 2, 20, 7);
    add_on(2, STELE_KIND_END, 21, "log");
    add_on(1, STELE_KIND_END, 50, "compute");
    flow(STELE_KIND_FLOW_END, 1, 51, 7);
    add_on(1, STELE_KIND_END, 60, "main");
    check_path("0 in main 1\n"
               "10 in compute 1\n"
               "50 in main 1\n");
    made_end();
}

/* A message waits until its receiver is done with another one. */
TEST(queue)
{
    made_begin();
    add_on(1, STELE_KIND_ASYNC_BEGIN, 0, "job")->id = 9;
    add_on(1, STELE_KIND_BEGIN, 1, "post");
    add_on(2, STELE_KIND_BEGIN, 2, "other");
    flow(STELE_KIND_FLOW_BEGIN, 1, 5, 3);
    add_on(1, STELE_KIND_END, 6, "post");
    add_on(2, STELE_KIND_END, 30, "other");
    add_on(2, STELE_KIND_BEGIN, 31, "work");
    flow(STELE_KIND_FLOW_END, 2, 31, 3);
    add_on(2, STELE_KIND_ASYNC_END, 45, "job")->id = 9;
    add_on(2, STELE_KIND_END, 50, "work");
    check_path("0 in job 1 begin\n"
               "1 in post 1 flow\n"
               "5 in other 2\n"
               "30 flow message 2 flow\n"
               "31 in work 2\n");
    made_end();
}

TEST(steps_of_a_flow)
{
    made_begin();
    add_on(1, STELE_KIND_BEGIN, 0, "all");
    flow(STELE_KIND_FLOW_BEGIN, 1, 10, 1);
    add_on(2, STELE_KIND_BEGIN, 20, "second");
    flow(STELE_KIND_FLOW_STEP, 2, 20, 1);
    add_on(2, STELE_KIND_END, 35, "second");
    add_on(3, STELE_KIND_BEGIN, 40, "third");
    flow(STELE_KIND_FLOW_STEP, 3, 40, 1);
    add_on(3, STELE_KIND_END, 60, "third");
    flow(STELE_KIND_FLOW_END, 1, 70, 1);
    add_on(1, STELE_KIND_END, 80, "all");
    check_path("0 in all 1 flow\n"
               "10 flow message 2 flow\n"
               "20 flow message 3 flow\n"
               "40 flow message 1 flow\n"
               "70 in all 1\n");
    made_end();
}

/* Thread 1 waits for thread 2, which first waits for the disk and then is preempted. */
TEST(wake_ups)
{
    made_begin();
    switches(0, 0, 0, 0, 1);
    switches(0, 1, 0, 0, 2);
    add_on(1, STELE_KIND_BEGIN, 1, "request");
    add_on(2, STELE_KIND_BEGIN, 2, "lookup");
    switches(10, 0, 1, BLOCKED, 0);
    switches(15, 1, 2, BLOCKED, 0);
    wakes(30, 1, 2); /* wakes from an interrupt: the CPU was idle */
    switches(33, 1, 0, 0, 2);
    switches(40, 1, 2, READY, 3);
    switches(50, 1, 3, BLOCKED, 2);
    wakes(60, 1, 1);
    switches(64, 0, 0, 0, 1);
    switches(66, 1, 2, BLOCKED, 0);
    add_on(1, STELE_KIND_END, 80, "request");
    add_on(2, STELE_KIND_END, 81, "lookup");
    check_path("1 running request 1 wait\n"
               "10 running lookup 2\n"
               "15 blocked lookup 2\n"
               "30 runnable lookup 2\n"
               "33 running lookup 2\n"
               "40 preempted lookup 2\n"
               "50 running lookup 2 wake\n"
               "60 runnable request 1\n"
               "64 running request 1\n");
    made_end();
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void add_random(uint64_t *state, int64_t time_ns)
{
    const uint64_t on = 1 + next_random(state) % 4, id = next_random(state) % 6;
    static const char *const names[] = {"a", "b", "c"};
    const char *name = names[next_random(state) % 3];
    switch (next_random(state) % 12) {
    case 0:
    case 1:
    case 2: add_on(on, STELE_KIND_BEGIN, time_ns, name); break;
    case 3:
    case 4: add_on(on, STELE_KIND_END, time_ns, name); break;
    case 5:
        add_on(on, STELE_KIND_COMPLETE, time_ns, name)->id =
            (uint64_t)time_ns + next_random(state) % 30;
        break;
    case 6: flow(STELE_KIND_FLOW_BEGIN, on, time_ns, id); break;
    case 7: flow(STELE_KIND_FLOW_STEP, on, time_ns, id); break;
    case 8: flow(STELE_KIND_FLOW_END, on, time_ns, id); break;
    case 9: wakes(time_ns, id % 2, on); break;
    case 10: add_on(on, STELE_KIND_ASYNC_BEGIN + 2 * (id % 2), time_ns, name)->id = id; break;
    default: switches(time_ns, id % 2, next_random(state) % 5, (unsigned)(1 + id % 3), on); break;
    }
}

/*
 * Whatever a trace says, stretches sum up to the span, and so they do with a limit on what is kept.
 */
TEST(random_events)
{
    static char text[1 << 20];
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const stele_critical_options few = {.span_max = 20, .flow_max = 5};
        uint64_t state = seed * 977;
        int64_t time_ns = 0;
        made_begin();
        add_on(1, STELE_KIND_BEGIN, 0, "whole");
        for (unsigned i = 0; i < 1000; i++) {
            time_ns += (int64_t)(next_random(&state) % 4);
            add_random(&state, time_ns);
        }
        path_of(text, sizeof text, NULL);
        CHECK(path_of(text, sizeof text, &few).short_count > 0);
        made_end();
    }
}
