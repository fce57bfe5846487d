/* SPDX-License-Identifier: Apache-2.0 */
/* Spans: which event ends which span, which spans are around a span, and what both ends say. */
#include "stele/spans.h"

#include "calls_made.h"

#define TAKEN_MAX 256

static stele_span taken[TAKEN_MAX];
static stele_event events[TAKEN_MAX];
static char fields[TAKEN_MAX][128];
static uint32_t taken_count;

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        char *text = fields[taken_count];
        uint32_t first;
        const uint32_t count = stele_event_fields(segment->batch, event, &first);
        REQUIRE(taken_count < TAKEN_MAX);
        text[0] = 0;
        for (uint32_t k = 0; k < count; k++) {
            const stele_field *field = &segment->batch->fields[first + k];
            const stele_text name = stele_name_text(it.context, segment->batch, field->name);
            snprintf(text + strlen(text), 128 - strlen(text), "%.*s=%d ", (int)name.size,
                     name.bytes, (int)field->u.u);
        }
        CHECK_EQ_U64(event->kind, STELE_KIND_COMPLETE);
        CHECK_EQ_I64(event->time_ns, spans[i].begin_ns);
        CHECK_EQ_I64((int64_t)event->id, spans[i].end_ns);
        events[taken_count] = *event;
        taken[taken_count++] = spans[i];
    }
    return STELE_OK;
}

static void with(const char *name, uint64_t value)
{
    stele_field *field = stele_batch_add_field(it.batch, named(name), STELE_TYPE_UINT);
    REQUIRE(field != NULL);
    field->u.u = value;
}

static stele_event *operate(stele_kind kind, int64_t time_ns, const char *name, uint64_t id)
{
    stele_event *event = add_on(1, kind, time_ns, name);
    event->id = id;
    return event;
}

static stele_span_counts run_window(const stele_span_options *options, int64_t begin_ns,
                                    int64_t end_ns)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    const stele_segment segment = made_segment();
    stele_spans *s;
    taken_count = 0;
    REQUIRE(stele_spans_new(it.context, options, take, NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_spans_set_window(s, begin_ns, end_ns), STELE_OK);
    CHECK_EQ_U64(stele_spans_add(s, &segment), STELE_OK);
    CHECK_EQ_U64(stele_spans_finish(s), STELE_OK);
    stele_spans_get_counts(s, &counts);
    stele_spans_free(s);
    CHECK_EQ_U64(counts.span_count, taken_count);
    return counts;
}

static stele_span_counts run(void)
{
    return run_window(NULL, INT64_MIN, INT64_MAX);
}

static const stele_span *span_named(const char *name)
{
    for (uint32_t i = 0; i < taken_count; i++)
        if (taken[i].name == named(name))
            return &taken[i];
    printf("no span %s\n", name);
    REQUIRE(false);
    return NULL;
}

TEST(calls_know_who_is_around_them)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    enter(12, "b");
    leave(15, "b");
    leave(20, "a");
    enter(30, "a");
    leave(31, "a");
    leave(100, "main");
    run();
    CHECK_EQ_U64(taken_count, 4);
    const stele_span *whole = span_named("main"), *first = span_named("a"), *b = span_named("b");
    CHECK_EQ_U64(whole->id, 1);
    CHECK_EQ_U64(whole->parent, 0);
    CHECK_EQ_U64(whole->child_count, 2);
    CHECK_EQ_U64(whole->self_ns, 89);
    CHECK_EQ_U64(first->parent, 1);
    CHECK_EQ_U64(first->caller, named("main"));
    CHECK_EQ_U64(first->self_ns, 7);
    CHECK_EQ_I64(first->delta_ns, STELE_SPAN_NO_DELTA);
    CHECK_EQ_U64(b->parent, first->id);
    CHECK_EQ_U64(b->caller, named("a"));
    CHECK_EQ_U64(b->root, named("main"));
    CHECK_EQ_U64(b->depth, 2);
    CHECK_EQ_I64(taken[2].delta_ns, 20);
    made_end();
}

TEST(exceptions_tail_calls_and_lost_entries_are_told_apart)
{
    stele_span_counts counts;
    made_begin();
    leave(1, "lost");
    enter(2, "catches");
    enter(3, "throws");
    leave(9, "catches");
    enter(10, "tails");
    tail(12, "tails");
    enter(12, "called");
    leave(15, "called");
    enter(16, "stays");
    counts = run();
    CHECK_EQ_U64(taken_count, 6);
    CHECK_EQ_U64(span_named("lost")->end, STELE_SPAN_ENTRY_LOST);
    CHECK_EQ_U64(span_named("lost")->begin_offset, STELE_SPAN_NO_OFFSET);
    CHECK_EQ_U64(span_named("throws")->end, STELE_SPAN_UNWOUND);
    CHECK_EQ_U64(span_named("throws")->parent, span_named("catches")->id);
    CHECK_EQ_U64(span_named("throws")->end_offset, STELE_SPAN_NO_OFFSET);
    CHECK_EQ_U64(span_named("catches")->end, STELE_SPAN_RETURNED);
    CHECK_EQ_U64(span_named("tails")->end, STELE_SPAN_TAIL);
    CHECK_EQ_U64(span_named("stays")->end, STELE_SPAN_OPEN);
    for (int how = 0; how < STELE_SPAN_TIMEOUT; how++)
        CHECK_EQ_U64(counts.by_end[how], how == STELE_SPAN_RETURNED ? 2 : 1);
    made_end();
}

TEST(complete_events_nest_among_calls)
{
    made_begin();
    span(0, 100, "outer");
    enter(10, "call");
    span(20, 30, "inner");
    leave(50, "call");
    span(60, 70, "late");
    run();
    CHECK_EQ_U64(taken_count, 4);
    CHECK_EQ_U64(span_named("inner")->parent, span_named("call")->id);
    CHECK_EQ_U64(span_named("call")->parent, span_named("outer")->id);
    CHECK_EQ_U64(span_named("late")->parent, span_named("outer")->id);
    CHECK_EQ_U64(span_named("outer")->self_ns, 50);
    CHECK_EQ_U64(span_named("outer")->source, STELE_SPAN_COMPLETE);
    CHECK_EQ_U64(span_named("call")->source, STELE_SPAN_CALL);
    made_end();
}

TEST(fields_of_both_ends_are_there_once)
{
    made_begin();
    enter(0, "read");
    with("fd", 3);
    with("left", 100);
    leave(5, "read");
    with("fd", 3);
    with("left", 40);
    with("ret", 60);
    run();
    CHECK_EQ_U64(taken_count, 1);
    CHECK_EQ_STR(fields[0], "fd=3 left=100 left.end=40 ret=60 ");
    run_window(&(stele_span_options){.no_fields = true}, INT64_MIN, INT64_MAX);
    CHECK_EQ_STR(fields[0], "");
    made_end();
}

TEST(operations_of_different_ids_overlap)
{
    made_begin();
    operate(STELE_KIND_ASYNC_BEGIN, 0, "load", 1);
    operate(STELE_KIND_ASYNC_BEGIN, 5, "load", 2);
    operate(STELE_KIND_ASYNC_BEGIN, 6, "part", 1);
    operate(STELE_KIND_ASYNC_END, 8, "part", 1);
    operate(STELE_KIND_ASYNC_END, 10, "load", 1);
    operate(STELE_KIND_ASYNC_END, 25, "load", 2);
    operate(STELE_KIND_ASYNC_END, 26, "load", 3);
    operate(STELE_KIND_FLOW_BEGIN, 30, "arrow", 1);
    operate(STELE_KIND_FLOW_END, 33, "arrow", 1);
    run();
    CHECK_EQ_U64(taken_count, 5);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[0]), 2);
    CHECK_EQ_U64(taken[0].parent, 1);
    CHECK_EQ_U64(taken[0].depth, 1);
    CHECK_EQ_U64(taken[1].id, 1);
    CHECK_EQ_U64(taken[1].self_ns, 8);
    CHECK_EQ_U64(taken[1].child_count, 1);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[2]), 20);
    CHECK_EQ_I64(taken[2].delta_ns, 5);
    CHECK_EQ_U64(taken[3].end, STELE_SPAN_ENTRY_LOST);
    CHECK_EQ_U64(taken[4].source, STELE_SPAN_FLOW);
    CHECK_EQ_U64(stele_span_duration_ns(&taken[4]), 3);
    made_end();
}

TEST(operations_of_one_id_that_cross_end_by_name)
{
    made_begin();
    operate(STELE_KIND_ASYNC_BEGIN, 0, "a", 1);
    operate(STELE_KIND_ASYNC_BEGIN, 5, "b", 1);
    operate(STELE_KIND_ASYNC_END, 8, "a", 1);
    operate(STELE_KIND_ASYNC_END, 10, "b", 1);
    run();
    CHECK_EQ_U64(taken_count, 2);
    CHECK_EQ_U64(stele_span_duration_ns(span_named("a")), 8);
    CHECK_EQ_U64(stele_span_duration_ns(span_named("b")), 5);
    made_end();
}

TEST(operations_beyond_the_limit_are_counted)
{
    stele_span_counts counts;
    made_begin();
    for (uint64_t i = 0; i < 10; i++)
        operate(STELE_KIND_ASYNC_BEGIN, (int64_t)i, "load", i);
    counts = run_window(&(stele_span_options){.open_max = 4}, INT64_MIN, INT64_MAX);
    CHECK_EQ_U64(counts.refused_count, 6);
    CHECK_EQ_U64(counts.by_end[STELE_SPAN_OPEN], 4);
    made_end();
}

TEST(a_window_cuts_what_is_open_at_its_ends)
{
    made_begin();
    enter(0, "before");
    leave(5, "before");
    enter(10, "main");
    enter(20, "call");
    operate(STELE_KIND_ASYNC_BEGIN, 25, "load", 1);
    leave(40, "call");
    operate(STELE_KIND_ASYNC_END, 45, "load", 1);
    leave(200, "main");
    run_window(NULL, 30, 100);
    CHECK_EQ_U64(taken_count, 3);
    CHECK_EQ_I64(span_named("call")->begin_ns, 30);
    CHECK_EQ_I64(span_named("call")->end_ns, 40);
    CHECK_EQ_I64(span_named("load")->begin_ns, 30);
    CHECK_EQ_I64(span_named("main")->begin_ns, 30);
    CHECK_EQ_I64(span_named("main")->end_ns, 100);
    CHECK_EQ_U64(span_named("main")->self_ns, 60);
    CHECK_EQ_U64(span_named("call")->parent, span_named("main")->id);
    made_end();
}

TEST(copies_are_kept_for_what_is_open_only)
{
    static stele_spans *s;
    stele_segment segment;
    stele_span open;
    made_begin();
    taken_count = 0;
    enter(0, "main");
    with("argc", 2);
    enter(1, "call");
    segment = made_segment();
    REQUIRE(stele_spans_new(it.context, NULL, take, NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_spans_add(s, &segment), STELE_OK);
    CHECK(stele_spans_open_at(s, thread(1), 0, &open) && open.name == named("main"));
    CHECK(stele_spans_open_at(s, thread(1), 1, &open) && open.caller == named("main"));
    CHECK_EQ_U64(open.parent, 1);
    CHECK(!stele_spans_open_at(s, thread(1), 2, &open));
    stele_batch_clear(it.batch);
    leave(2, "call");
    leave(3, "main");
    segment = made_segment();
    CHECK_EQ_U64(stele_spans_add(s, &segment), STELE_OK);
    CHECK_EQ_U64(taken_count, 2);
    CHECK_EQ_STR(fields[1], "argc=2 ");
    stele_spans_free(s);
    made_end();
}
