/* SPDX-License-Identifier: Apache-2.0 */
/* Moments that begin and end something: paired by name, by what they have in common, in order. */
#include "stele/spans.h"

#include "calls_made.h"

#define TAKEN_MAX 256

typedef struct made_span {
    stele_span span;
    char name[32];
} made_span;

static made_span taken[TAKEN_MAX];
static uint32_t taken_count;
static stele_spans *engine;
static stele_pairing_counts counts;

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_text name = stele_name_text(it.context, NULL, spans[i].name);
        REQUIRE(taken_count < TAKEN_MAX);
        taken[taken_count].span = spans[i];
        snprintf(taken[taken_count++].name, 32, "%.*s", (int)name.size, name.bytes);
    }
    return STELE_OK;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    (void)user;
    return stele_spans_add(engine, segment);
}

/* Pairs moments. `pairs` are pairs and what they are paired by, one after the other; the last is
   NULL. */
static void run(const stele_pairing_options *options, const char *const *pairs)
{
    const stele_segment segment = made_segment();
    const stele_span_options given = {.timeout_ns = options != NULL ? options->timeout_ns : 0};
    stele_pairing *p;
    taken_count = 0;
    REQUIRE(stele_spans_new(it.context, &given, take_spans, NULL, &engine) == STELE_OK);
    REQUIRE(stele_pairing_new(it.context, options, &p) == STELE_OK);
    for (; pairs != NULL && pairs[0] != NULL; pairs += 2)
        CHECK_EQ_U64(stele_pairing_add_pair(p, pairs[0], pairs[1]), STELE_OK);
    CHECK_EQ_U64(stele_pairing_add(p, &segment, take_paired, NULL), STELE_OK);
    stele_pairing_finish(p);
    CHECK_EQ_U64(stele_spans_finish(engine), STELE_OK);
    counts = (stele_pairing_counts)STELE_INIT(stele_pairing_counts);
    stele_pairing_get_counts(p, &counts);
    stele_pairing_free(p);
    stele_spans_free(engine);
}

static void happen(uint64_t track, int64_t time_ns, const char *name)
{
    add_on(track, STELE_KIND_INSTANT, time_ns, name);
}

static void with(const char *name, uint64_t value)
{
    stele_field *field = stele_batch_add_field(it.batch, named(name), STELE_TYPE_UINT);
    REQUIRE(field != NULL);
    field->u.u = value;
}

static void request(uint64_t track, int64_t time_ns, const char *name, uint64_t id)
{
    happen(track, time_ns, name);
    with("id", id);
}

TEST(names_of_the_table_nest_as_calls)
{
    made_begin();
    happen(1, 0, "main_entry");
    happen(1, 5, "read_start");
    happen(2, 6, "read_start");
    happen(1, 7, "nothing_begin");
    happen(1, 8, "read_done");
    happen(2, 9, "read_done");
    happen(1, 20, "main_exit");
    run(NULL, NULL);
    CHECK_EQ_U64(taken_count, 3);
    CHECK_EQ_STR(taken[0].name, "read");
    CHECK_EQ_U64(taken[0].span.source, STELE_SPAN_NESTED_PAIR);
    CHECK_EQ_U64(taken[0].span.parent, taken[2].span.id);
    CHECK_EQ_STR(taken[2].name, "main");
    CHECK_EQ_U64(taken[2].span.self_ns, 17);
    run(&(stele_pairing_options){.no_table = true}, NULL);
    CHECK_EQ_U64(taken_count, 0);
    made_end();
}

TEST(the_table_is_for_traces_of_moments)
{
    made_begin();
    enter(0, "main");
    happen(1, 5, "read_entry");
    happen(1, 8, "read_exit");
    leave(20, "main");
    run(NULL, NULL);
    CHECK_EQ_U64(taken_count, 1);
    run(&(stele_pairing_options){.has_table = true}, NULL);
    CHECK_EQ_U64(taken_count, 2);
    CHECK_EQ_U64(taken[0].span.parent, taken[1].span.id);
    made_end();
}

TEST(scheduling_is_no_pair)
{
    made_begin();
    happen(1, 0, "sched_task_entry");
    happen(1, 5, "sched_task_exit");
    run(NULL, NULL);
    CHECK_EQ_U64(taken_count, 0);
    made_end();
}

TEST(values_pair_across_threads)
{
    static const char *const pairs[] = {"request:reply", "arg.id", NULL};
    made_begin();
    request(1, 0, "request", 1);
    request(1, 1, "request", 2);
    request(2, 4, "reply", 2);
    request(1, 5, "request", 1);
    request(2, 7, "reply", 1);
    request(2, 9, "reply", 1);
    request(2, 10, "reply", 7);
    request(1, 11, "request", 8);
    happen(1, 12, "request");
    run(NULL, pairs);
    CHECK_EQ_U64(taken_count, 5);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[0].span), 3);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[1].span), 7);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[2].span), 4);
    CHECK_EQ_U64(taken[2].span.track, thread(1));
    CHECK_EQ_U64(taken[2].span.end_track, thread(2));
    CHECK_EQ_STR(taken[2].name, "request");
    CHECK_EQ_U64(taken[2].span.pair, 1);
    CHECK_EQ_U64(taken[3].span.end, STELE_SPAN_ENTRY_LOST);
    CHECK_EQ_U64(taken[4].span.end, STELE_SPAN_OPEN);
    CHECK_EQ_U64(counts.pair_count, 3);
    CHECK_EQ_U64(counts.unended_count, 1);
    CHECK_EQ_U64(counts.unbegun_count, 1);
    CHECK_EQ_U64(counts.no_value_count, 1);
    made_end();
}

static void flow(stele_kind kind, uint64_t track, int64_t time_ns, uint64_t id)
{
    add_on(track, kind, time_ns, "handed on")->id = id;
}

/* Two requests of one thread, answered by two other threads in reverse order; one goes through a
   step. */
TEST(flows_hand_on_what_threads_work_on)
{
    static const char *const pairs[] = {"request:reply", "flow", NULL};
    made_begin();
    happen(1, 0, "request");
    flow(STELE_KIND_FLOW_BEGIN, 1, 1, 77);
    happen(1, 2, "request");
    flow(STELE_KIND_FLOW_BEGIN, 1, 3, 78);
    flow(STELE_KIND_FLOW_END, 2, 4, 78);
    happen(2, 5, "reply");
    flow(STELE_KIND_FLOW_STEP, 3, 6, 77);
    flow(STELE_KIND_FLOW_END, 2, 8, 77);
    happen(2, 10, "reply");
    happen(2, 11, "reply"); /* answers a request */
    happen(4, 12, "reply"); /* by a thread that received nothing */
    run(NULL, pairs);
    CHECK_EQ_U64(counts.pair_count, 2);
    CHECK_EQ_U64(counts.unbegun_count, 1);
    CHECK_EQ_U64(counts.no_value_count, 1);
    for (uint32_t i = 0, pair = 0; i < taken_count; i++) {
        static const uint64_t durations[] = {3, 10};
        if (taken[i].span.source != STELE_SPAN_PAIR || taken[i].span.end != STELE_SPAN_RETURNED)
            continue;
        CHECK_EQ_U64(stele_span_duration_ns(&taken[i].span), durations[pair++]);
    }
    made_end();
}

TEST(an_event_ends_one_pair_and_begins_the_next)
{
    static const char *const pairs[] = {"a:b", "arg.id", "b:c", "arg.id", "a:c", "arg.id", NULL};
    made_begin();
    request(1, 0, "a", 1);
    request(1, 4, "b", 1);
    request(1, 9, "c", 1);
    run(NULL, pairs);
    CHECK_EQ_U64(taken_count, 3);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[0].span), 4);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[1].span), 5);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[2].span), 9);
    CHECK_EQ_U64(taken[2].span.pair, 3);
    made_end();
}

TEST(ends_that_come_too_late_are_none)
{
    static const char *const pairs[] = {"request:reply", "arg.id", NULL};
    made_begin();
    request(1, 0, "request", 1);
    request(1, 100, "reply", 1);
    request(1, 200, "request", 1);
    request(1, 210, "reply", 1);
    run(&(stele_pairing_options){.timeout_ns = 50}, pairs);
    CHECK_EQ_U64(counts.unended_count, 1);
    CHECK_EQ_U64(counts.unbegun_count, 1);
    CHECK_EQ_U64(counts.pair_count, 1);
    CHECK_EQ_U64(taken_count, 3);
    CHECK_EQ_U64(taken[0].span.end, STELE_SPAN_TIMEOUT);
    CHECK_EQ_I64(taken[0].span.end_ns, 50);
    CHECK_EQ_U64(taken[1].span.end, STELE_SPAN_ENTRY_LOST);
    CHECK_EQ_U64(taken[2].span.end, STELE_SPAN_RETURNED);
    made_end();
}

TEST(stems_of_globs_are_the_same_in_both)
{
    static const char *const by[] = {"req_*:rep_*", "order", NULL};
    static const char *const nested[] = {"req_* => rep_*", NULL, NULL};
    made_begin();
    happen(1, 0, "req_a");
    happen(1, 1, "req_b");
    happen(2, 5, "rep_b");
    happen(1, 9, "rep_a");
    run(NULL, by);
    CHECK_EQ_U64(taken_count, 2);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[0].span), 4);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[1].span), 9);
    run(NULL, nested);
    CHECK_EQ_U64(taken_count, 3);
    made_end();
}

TEST(pairs_get_lanes_where_calls_are_wanted)
{
    static const char *const pairs[] = {"request:reply", "arg.id", NULL};
    made_begin();
    request(1, 0, "request", 1);
    request(1, 1, "request", 2);
    request(1, 4, "reply", 1);
    request(1, 5, "request", 3);
    request(1, 7, "reply", 2);
    request(1, 9, "reply", 3);
    run(&(stele_pairing_options){.has_lanes = true}, pairs);
    CHECK_EQ_U64(taken_count, 3);
    CHECK_EQ_U64(taken[0].span.track, taken[1].span.track);
    CHECK(taken[0].span.track != taken[2].span.track);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ_U64(taken[i].span.depth, 0);
        CHECK_EQ_U64(taken[i].span.source, STELE_SPAN_COMPLETE);
    }
    made_end();
}

TEST(memory_is_that_of_what_waits)
{
    static const char *const pairs[] = {"request:reply", "arg.id", NULL};
    made_begin();
    for (uint64_t i = 0; i < 10; i++)
        request(1, (int64_t)i, "request", i);
    run(&(stele_pairing_options){.open_max = 4}, pairs);
    CHECK_EQ_U64(counts.refused_count, 6);
    CHECK_EQ_U64(taken_count, 4);
    made_end();
}

TEST(what_is_no_pair_is_refused)
{
    static const char *const wrong[][2] = {{"request", NULL}, {":", NULL},     {"a:b:c", NULL},
                                           {"a:b", "size"},   {"a:b", "arg."}, {"a:b", "arg.x >"}};
    stele_pairing *p;
    made_begin();
    REQUIRE(stele_pairing_new(it.context, NULL, &p) == STELE_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_EQ_U64(stele_pairing_add_pair(p, wrong[i][0], wrong[i][1]), STELE_ERR_ARGUMENT);
    stele_pairing_free(p);
    made_end();
}
