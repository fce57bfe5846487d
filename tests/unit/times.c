/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times.h"

#include "test.h"

#define SECOND INT64_C(1000000000)
#define YEAR   (INT64_C(365) * 86400 * SECOND)

static times of(const int64_t *list, size_t count)
{
    times t = {0};
    for (size_t i = 0; i < count; i++)
        times_add(&t, list[i], i * 16, 16);
    times_end(&t);
    return t;
}

/* Adds `count` times, one millisecond apart. */
static void add_steady(times *t, int64_t from_ns, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        times_add(t, from_ns + (int64_t)i * 1000000, i, 1);
}

TEST(a_time_years_away_is_left_out_wherever_it_stands)
{
    const int64_t middle[] = {1, 2, 3, 15 * YEAR, 4, 5}, first[] = {15 * YEAR, 1, 2, 3};
    const int64_t last[] = {1, 2, 3, 15 * YEAR}, before[] = {1, 2, -15 * YEAR, 3};
    const times t[4] = {of(middle, 6), of(first, 4), of(last, 4), of(before, 4)};
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ_U64(t[i].outlier_count, 1);
        CHECK_EQ_I64(t[i].begin_ns, 1);
        CHECK(t[i].end_ns <= 5);
    }
}

TEST(minutes_count_where_many_others_stand_together)
{
    times t = {0};
    add_steady(&t, 0, 20);
    times_add(&t, 1000 * SECOND, 0, 1);
    add_steady(&t, 20000000, 5);
    times_end(&t);
    CHECK_EQ_U64(t.outlier_count, 1);
    CHECK_EQ_I64(t.end_ns, 24000000);
}

TEST(a_stream_may_jump_ahead_and_be_late)
{
    times t = {0};
    add_steady(&t, 0, 20);
    add_steady(&t, 3600 * SECOND, 20);
    add_steady(&t, 0, 20);
    times_end(&t);
    CHECK_EQ_U64(t.outlier_count, 0);
    CHECK_EQ_I64(t.begin_ns, 0);
    CHECK_EQ_I64(t.end_ns, 3600 * SECOND + 19000000);
    CHECK_EQ_U64(t.count, 60);
}

TEST(few_events_are_no_measure)
{
    const int64_t list[] = {0, 100 * SECOND, 1};
    const times t = of(list, 3);
    CHECK_EQ_U64(t.outlier_count, 0);
    CHECK_EQ_I64(t.end_ns, 100 * SECOND);
}

TEST(ends_of_spans_may_lie_far_ahead_but_not_years)
{
    times t = {0};
    add_steady(&t, 0, 20);
    times_add_end(&t, 7200 * SECOND, 0, 1);
    times_end(&t);
    CHECK_EQ_U64(t.outlier_count, 0);
    CHECK_EQ_I64(t.end_ns, 7200 * SECOND);
    times_add_end(&t, 90 * YEAR, 0, 1);
    times_end(&t);
    CHECK_EQ_U64(t.outlier_count, 1);
    CHECK_EQ_I64(t.end_ns, 7200 * SECOND);
}

TEST(the_whole_scale_of_time_is_no_overflow)
{
    const int64_t list[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, INT64_MAX};
    const times t = of(list, 5);
    CHECK(t.count + t.outlier_count == 5);
}
