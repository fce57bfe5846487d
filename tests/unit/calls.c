/* SPDX-License-Identifier: Apache-2.0 */
/* Making calls from events: every kind of exit, and missing exits. */
#include "analysis/events/calls.h"

#include <stdlib.h>

#include "calls_made.h"

/* Closed calls as text, one after the other: "name begin-end self depth how". */
static char closed[4096];
static stele_call_counts counts;

static stele_status keep(void *user, const stele_call_span *spans, size_t count)
{
    static const char *const ends[] = {"", " tail", " unwound", " open", " lost"};
    (void)user;
    for (size_t i = 0; i < count; i++) {
        const stele_text name = stele_name_text(it.context, NULL, spans[i].name);
        const size_t used = strlen(closed);
        snprintf(closed + used, sizeof closed - used,
                 "%s%.*s %" PRId64 "-%" PRId64 " %" PRIu64 " @%u%s", used == 0 ? "" : "; ",
                 (int)name.size, name.bytes, spans[i].begin_ns, spans[i].end_ns, spans[i].self_ns,
                 spans[i].depth, ends[spans[i].end]);
    }
    return STELE_OK;
}

/* Makes calls of the batch and returns them as text. */
static const char *made_calls(const stele_call_options *options)
{
    const stele_segment segment = made_segment();
    stele_calls *s;
    closed[0] = 0;
    REQUIRE(stele_calls_new(it.context, options, keep, NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_calls_add(s, &segment, NULL), STELE_OK);
    CHECK_EQ_U64(stele_calls_finish(s), STELE_OK);
    counts = *stele_calls_get_counts(s);
    stele_calls_free(s);
    return closed;
}

static const stele_call_options plain = {.needs_recursion = true};

TEST(nested_calls_share_the_time)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    leave(30, "a");
    enter(40, "b");
    leave(45, "b");
    leave(100, "main");
    CHECK_EQ_STR(made_calls(&plain), "a 10-30 20 @1; b 40-45 5 @1; main 0-100 75 @0");
    CHECK_EQ_U64(counts.call_count, 3);
    CHECK_EQ_U64(counts.depth_max, 2);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_RETURNED], 3);
    made_end();
}

TEST(a_tail_call_stands_on_the_level_of_who_made_it)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    tail(20, "a");
    enter(20, "b");
    leave(50, "b");
    leave(60, "main");
    CHECK_EQ_STR(made_calls(&plain), "a 10-20 10 @1 tail; b 20-50 30 @1; main 0-60 20 @0");
    made_end();
}

TEST(an_exception_ends_calls_with_the_one_that_catches_it)
{
    made_begin();
    enter(0, "main");
    enter(1, "try");
    enter(2, "a");
    enter(3, "throw");
    leave(10, "try");
    leave(20, "main");
    CHECK_EQ_STR(made_calls(&plain), "throw 3-10 7 @3 unwound; a 2-10 1 @2 unwound; try 1-10 1 @1; "
                                     "main 0-20 11 @0");
    CHECK_EQ_U64(counts.by_end[STELE_CALL_UNWOUND], 2);
    made_end();
}

TEST(an_exit_without_entry_changes_nothing_else)
{
    made_begin();
    leave(5, "before");
    enter(10, "main");
    leave(15, "stranger");
    leave(20, "main");
    leave(30, "main");
    CHECK_EQ_STR(made_calls(&plain), "before 5-5 0 @0 lost; stranger 15-15 0 @1 lost; "
                                     "main 10-20 10 @0; main 30-30 0 @0 lost");
    CHECK_EQ_U64(counts.by_end[STELE_CALL_ENTRY_LOST], 3);
    CHECK_EQ_U64(counts.call_count, 1);
    made_end();
}

TEST(what_is_open_ends_with_its_track)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    add_on(2, STELE_KIND_BEGIN, 5, "other");
    add_on(2, STELE_KIND_BEGIN, 500, "inner");
    enter(30, "b");
    CHECK_EQ_STR(made_calls(&plain), "b 30-30 0 @2 open; a 10-30 20 @1 open; main 0-30 10 @0 open; "
                                     "inner 500-500 0 @1 open; other 5-500 495 @0 open");
    CHECK_EQ_U64(counts.by_end[STELE_CALL_OPEN], 5);
    made_end();
}

TEST(an_exit_without_name_is_that_of_the_last_entry)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    leave(20, "");
    leave(30, "");
    CHECK_EQ_STR(made_calls(&plain), "a 10-20 10 @1; main 0-30 20 @0");
    made_end();
}

TEST(what_repeats_others_is_left_out)
{
    made_begin();
    enter(0, "main");
    enter(0, "main");
    it.batch->events[1].flags = STELE_FLAG_REPEATED;
    enter(10, "a");
    leave(20, "a");
    leave(20, "a");
    it.batch->events[4].flags = STELE_FLAG_REPEATED;
    leave(30, "main");
    CHECK_EQ_STR(made_calls(&plain), "a 10-20 10 @1; main 0-30 20 @0");
    CHECK_EQ_U64(counts.call_count, 2);
    CHECK_EQ_U64(counts.repeated_count, 2);
    made_end();
}

TEST(threads_have_stacks_of_their_own)
{
    made_begin();
    add_on(1, STELE_KIND_BEGIN, 0, "f");
    add_on(2, STELE_KIND_BEGIN, 1, "g");
    add_on(1, STELE_KIND_END, 2, "f");
    add_on(2, STELE_KIND_END, 9, "g");
    CHECK_EQ_STR(made_calls(&plain), "f 0-2 2 @0; g 1-9 8 @0");
    made_end();
}

TEST(complete_events_nest_by_their_times)
{
    made_begin();
    span(0, 100, "main");
    span(10, 30, "a");
    span(10, 20, "inner");
    span(30, 40, "b");
    CHECK_EQ_STR(made_calls(&plain), "inner 10-20 10 @2; a 10-30 10 @1; b 30-40 10 @1; "
                                     "main 0-100 70 @0");
    CHECK_EQ_U64(counts.overlap_count, 0);
    made_end();
}

TEST(of_equal_starts_the_longer_is_outside_also_when_it_comes_last)
{
    made_begin();
    span(0, 10, "inner");
    span(0, 50, "middle");
    span(0, 100, "outer");
    CHECK_EQ_STR(made_calls(&(stele_call_options){.needs_recursion = true, .has_tree = true}),
                 "inner 0-10 10 @2; middle 0-50 40 @1; outer 0-100 50 @0");
    CHECK_EQ_U64(counts.overlap_count, 0);
    made_end();
}

TEST(complete_events_nest_in_begun_ones)
{
    made_begin();
    enter(0, "main");
    span(10, 30, "a");
    leave(30, "main");
    enter(40, "open");
    span(50, 90, "b");
    CHECK_EQ_STR(made_calls(&plain),
                 "a 10-30 20 @1; main 0-30 10 @0; b 50-90 40 @1; open 40-90 10 @0 open");
    made_end();
}

TEST(overlapping_spans_share_the_time_without_counting_it_twice)
{
    made_begin();
    span(0, 100, "main");
    span(10, 30, "a");
    span(20, 50, "b");
    CHECK_EQ_STR(made_calls(&plain), "b 20-50 30 @2; a 10-30 10 @1; main 0-100 60 @0");
    CHECK_EQ_U64(counts.overlap_count, 1);
    made_end();
}

TEST(spans_that_outlast_a_call_keep_their_duration)
{
    made_begin();
    enter(0, "main");
    enter(10, "a");
    enter(20, "lost");
    span(20, 50, "b");
    span(30, 60, "c");
    leave(40, "a");
    leave(100, "main");
    CHECK_EQ_STR(made_calls(&plain), "lost 20-40 0 @2 unwound; a 10-40 10 @1; c 30-60 30 @2; "
                                     "b 20-50 10 @1; main 0-100 50 @0");
    CHECK_EQ_U64(counts.overlap_count, 3);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_UNWOUND], 1);
    made_end();
}

TEST(a_span_that_began_with_a_call_and_outlasts_it_is_around_it)
{
    made_begin();
    enter(0, "main");
    enter(10, "call");
    span(10, 50, "span");
    leave(40, "call");
    leave(100, "main");
    CHECK_EQ_STR(made_calls(&(stele_call_options){.needs_recursion = true, .has_tree = true}),
                 "call 10-40 30 @2; span 10-50 10 @1; main 0-100 60 @0");
    CHECK_EQ_U64(counts.overlap_count, 0);
    made_end();
}

TEST(spans_that_end_before_they_begin_are_empty)
{
    made_begin();
    span(50, 10, "backwards");
    enter(60, "late");
    leave(55, "late");
    CHECK_EQ_STR(made_calls(&plain), "backwards 50-50 0 @0; late 60-60 0 @0");
    made_end();
}

TEST(the_depth_limit_cuts_and_counts)
{
    made_begin();
    for (int i = 0; i < 5; i++)
        enter(i, "f");
    span(5, 6, "f");
    for (int i = 0; i < 5; i++)
        leave(10 + i, "f");
    CHECK_EQ_STR(made_calls(&(stele_call_options){.depth_max = 2}), "f 1-13 12 @1; f 0-14 2 @0");
    CHECK_EQ_U64(counts.cut_count, 4);
    CHECK_EQ_U64(counts.call_count, 6);
    made_end();
}

/* ---- Deep stacks ---- */

static uint64_t closed_counts[STELE_CALL_ENTRY_LOST + 1];

static stele_status count_ends(void *user, const stele_call_span *spans, size_t count)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        closed_counts[spans[i].end]++;
    return STELE_OK;
}

/* Gives the events of the batch to the calls engine and empties the batch. */
static void hand_over(stele_calls *s)
{
    const stele_segment segment = made_segment();
    REQUIRE(stele_calls_add(s, &segment, NULL) == STELE_OK);
    stele_batch_clear(it.batch);
}

static void enter_deep(stele_calls *s, const char *name, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        enter(1, name);
        if (it.batch->event_count == 4096)
            hand_over(s);
    }
    hand_over(s);
}

/* Throws an exception through `depth` frames several times. In between are exits that belong to
   no call, which must not end any call. */
static void throw_through(uint32_t depth, bool needs_recursion)
{
    stele_calls *s;
    memset(closed_counts, 0, sizeof closed_counts);
    made_begin();
    REQUIRE(stele_calls_new(
                it.context,
                &(stele_call_options){.depth_max = depth + 2, .needs_recursion = needs_recursion},
                count_ends, NULL, &s) == STELE_OK);
    for (unsigned round = 0; round < 3; round++) {
        enter(0, "main");
        enter(0, "catch");
        enter_deep(s, "throw", depth);
        leave(1, "stranger");
        leave(2, "catch");
        leave(3, "main");
        hand_over(s);
    }
    REQUIRE(stele_calls_finish(s) == STELE_OK);
    CHECK_EQ_U64(closed_counts[STELE_CALL_UNWOUND], 3 * depth);
    CHECK_EQ_U64(closed_counts[STELE_CALL_RETURNED], 6);
    CHECK_EQ_U64(closed_counts[STELE_CALL_OPEN], 0);
    CHECK_EQ_U64(stele_calls_get_counts(s)->cut_count,
                 3); /* the frames without a call, for which there is no room */
    stele_calls_free(s);
    made_end();
}

TEST(exceptions_go_through_any_depth)
{
    static const uint32_t depths[] = {1, 510, 511, 512, 513, 1024, 4095, 4096, 5000, 70000};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        throw_through(depths[i], false);
        throw_through(depths[i], true);
    }
}

/* The index of deep frames must stay right after the frames that it was made of are gone. */
TEST(deep_stacks_may_change_below_what_was_looked_for)
{
    stele_calls *s;
    memset(closed_counts, 0, sizeof closed_counts);
    made_begin();
    REQUIRE(stele_calls_new(it.context, &(stele_call_options){.needs_recursion = true}, count_ends,
                            NULL, &s) == STELE_OK);
    enter(0, "a");
    enter_deep(s, "x", 2000);
    enter(0, "b");
    enter_deep(s, "x", 2000);
    leave(2, "stranger");
    leave(2, "b"); /* 2,000 frames are unwound */
    enter(2, "c");
    enter_deep(s, "y", 2000);
    leave(3, "b"); /* there is no such call any more */
    leave(3, "c");
    leave(3, "a"); /* unwinds the other 2,000 frames */
    hand_over(s);
    REQUIRE(stele_calls_finish(s) == STELE_OK);
    CHECK_EQ_U64(closed_counts[STELE_CALL_UNWOUND], 6000);
    CHECK_EQ_U64(closed_counts[STELE_CALL_RETURNED], 3);
    CHECK_EQ_U64(closed_counts[STELE_CALL_ENTRY_LOST], 2);
    CHECK_EQ_U64(closed_counts[STELE_CALL_OPEN], 0);
    stele_calls_free(s);
    made_end();
}

TEST(the_last_time_there_is_ends_no_open_call)
{
    made_begin();
    enter(0, "main");
    span(5, INT64_MAX, "forever");
    add_on(1, STELE_KIND_BEGIN, INT64_MAX, "late");
    add_on(1, STELE_KIND_END, INT64_MAX, "late");
    add_on(1, STELE_KIND_END, INT64_MAX, "main");
    made_calls(&plain);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_RETURNED], 3);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_ENTRY_LOST], 0);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_OPEN], 0);
    made_end();
}

static uint64_t total_ns;

static stele_status sum_totals(void *user, const stele_call_span *spans, size_t count)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        total_ns += spans[i].total_ns;
    return STELE_OK;
}

static uint64_t made_total(void)
{
    const stele_segment segment = made_segment();
    stele_calls *s;
    total_ns = 0;
    REQUIRE(stele_calls_new(it.context, &plain, sum_totals, NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_calls_add(s, &segment, NULL), STELE_OK);
    CHECK_EQ_U64(stele_calls_finish(s), STELE_OK);
    stele_calls_free(s);
    return total_ns;
}

TEST(recursion_counts_its_time_once)
{
    made_begin();
    for (int i = 0; i < 200; i++) /* more names than the first size of their table */
        enter(i, i % 2 ? "odd" : "even");
    for (int i = 200; i-- > 0;)
        leave(400 - i, i % 2 ? "odd" : "even");
    CHECK_EQ_U64(made_total(), 400 + 398);
    made_end();
}

TEST(recursion_that_outlasts_itself_counts_once_too)
{
    made_begin();
    span(0, 10, "f");
    span(5, 15, "f");
    CHECK_EQ_U64(made_total(), 15);
    made_end();
    made_begin();
    enter(0, "f");
    span(5, 15, "f");
    leave(10, "f");
    CHECK_EQ_U64(made_total(), 15);
    made_end();
    made_begin();
    span(0, 10, "f");
    enter(5, "g");
    enter(15, "f"); /* the other one has ended */
    leave(30, "f");
    leave(30, "g");
    CHECK_EQ_U64(made_total(), 10 + 25 + 15);
    made_end();
}

/* ---- Wanted calls ---- */

static char wanted[256];

static stele_status keep_wanted(void *user, const stele_call_span *spans, size_t count)
{
    (void)user;
    for (size_t i = 0; i < count; i++) {
        const stele_text name = stele_name_text(it.context, NULL, spans[i].name);
        const size_t used = strlen(wanted);
        if (spans[i].is_wanted)
            snprintf(wanted + used, sizeof wanted - used, "%.*s %" PRIu64 ";", (int)name.size,
                     name.bytes, spans[i].self_ns);
    }
    return STELE_OK;
}

TEST(a_request_chooses_calls_and_not_their_exits)
{
    static const char *const patterns[] = {"w*"};
    const stele_request only = {.names = {patterns, 1}, .where = "arg.size > 10"};
    const int64_t sizes[] = {5, 50};
    stele_calls *s;
    made_begin();
    for (int i = 0; i < 2; i++) {
        enter(i * 100, "work");
        stele_batch_add_field(it.batch, named("size"), STELE_TYPE_INT)->u.i = sizes[i];
        enter(i * 100 + 10, "callee");
        leave(i * 100 + 20, "callee");
        leave(i * 100 + 30 + i, "work");
    }
    wanted[0] = 0;
    REQUIRE(stele_calls_new(it.context, &(stele_call_options){.only = &only}, keep_wanted, NULL,
                            &s) == STELE_OK);
    CHECK((stele_calls_columns(s) & STELE_COLUMN_FIELDS) != 0);
    CHECK_EQ_U64(stele_calls_add(s, &(stele_segment){it.batch, 0, it.batch->event_count}, NULL),
                 STELE_OK);
    CHECK_EQ_U64(stele_calls_finish(s), STELE_OK);
    CHECK_EQ_STR(wanted, "work 21;");
    stele_calls_free(s);
    CHECK_EQ_U64(
        stele_calls_new(it.context,
                        &(stele_call_options){.only = &(stele_request){.where = "no sense ("}},
                        keep, NULL, &s),
        STELE_ERR_ARGUMENT);
    made_end();
}

/* ---- The tree of paths ---- */

TEST(paths_have_one_node_each)
{
    const stele_segment *segment;
    stele_calls *s;
    uint32_t node;
    made_begin();
    for (int i = 0; i < 3; i++) {
        enter(i * 100, "main");
        enter(i * 100 + 10, "f");
        leave(i * 100 + 20, "f");
        leave(i * 100 + 30, "main");
        enter(i * 100 + 40, "f");
        leave(i * 100 + 50, "f");
    }
    segment = &(stele_segment){it.batch, 0, it.batch->event_count};
    REQUIRE(stele_calls_new(it.context, &(stele_call_options){.has_tree = true}, keep, NULL, &s) ==
            STELE_OK);
    CHECK_EQ_U64(stele_calls_add(s, segment, NULL), STELE_OK);
    CHECK_EQ_U64(stele_calls_node_count(s), 4);
    node = stele_calls_path(s, thread(1), (stele_name[]){named("main"), named("f")}, 2);
    CHECK_EQ_U64(stele_calls_node_count(s), 4);
    CHECK_EQ_U64(stele_calls_node(s, node)->name, named("f"));
    CHECK_EQ_U64(stele_calls_node(s, stele_calls_node(s, node)->parent)->name, named("main"));
    CHECK(stele_calls_node(s, 4) == NULL);
    stele_calls_free(s);
    made_end();
}

TEST(paths_beyond_the_limit_count_at_their_callers)
{
    made_begin();
    closed[0] = 0;
    for (int i = 0; i < 10; i++) {
        const char name[] = {(char)('a' + i), 0};
        enter(i * 10, name);
        leave(i * 10 + 5, name);
    }
    made_calls(&(stele_call_options){.has_tree = true, .nodes_max = 4});
    CHECK_EQ_U64(counts.node_other_count, 7);
    CHECK_EQ_U64(counts.by_end[STELE_CALL_RETURNED], 10);
    made_end();
}

TEST(tracks_can_have_subtrees)
{
    stele_calls *s;
    made_begin();
    add_on(7, STELE_KIND_BEGIN, 0, "f");
    add_on(8, STELE_KIND_BEGIN, 0, "f");
    REQUIRE(stele_calls_new(it.context,
                            &(stele_call_options){.has_tree = true, .has_track_roots = true}, keep,
                            NULL, &s) == STELE_OK);
    CHECK_EQ_U64(stele_calls_add(s, &(stele_segment){it.batch, 0, 2}, NULL), STELE_OK);
    CHECK_EQ_U64(stele_calls_node_count(s), 5);
    CHECK_EQ_U64(stele_calls_node(s, 1)->name, named("thread 7"));
    CHECK_EQ_U64(stele_calls_node(s, 2)->parent, 1);
    CHECK_EQ_U64(stele_calls_node(s, 3)->name, named("thread 8"));
    stele_calls_free(s);
    made_end();
}
