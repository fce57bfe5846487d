/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that hold until the next value of their group, compared with numbers worked out by hand.
 */
#include <stele/stats.h>

#include "calls_made.h"

static stele_stats *stats;

static void begin(const stele_stats_options *options)
{
    made_begin();
    REQUIRE(stele_stats_new(it.context, options, &stats) == STELE_OK);
}

static void end(void)
{
    stele_stats_free(stats);
    made_end();
}

static void counter(int64_t time_ns, const char *name, uint64_t id)
{
    add_on(1, STELE_KIND_COUNTER, time_ns, name)->id = id;
}

static void with(const char *name, stele_type type, int64_t value)
{
    stele_field *field = stele_batch_add_field(it.batch, named(name), type);
    REQUIRE(field != NULL);
    if (type == STELE_TYPE_FLOAT)
        field->u.f = (double)value / 4;
    else
        field->u.i = value;
}

static void finish(void)
{
    const stele_segment segment = made_segment();
    CHECK_EQ_U64(stele_stats_add(stats, &segment), STELE_OK);
    CHECK_EQ_U64(stele_stats_finish(stats), STELE_OK);
}

static stele_stats_figures figures_of(size_t group)
{
    stele_stats_figures f = STELE_INIT(stele_stats_figures);
    CHECK(stele_stats_get_figures(stats, group, 0, &f));
    CHECK(f.is_held);
    return f;
}

static bool is_near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

TEST(mean_is_by_time)
{
    stele_stats_figures f;
    begin(&(stele_stats_options){.struct_size = sizeof(stele_stats_options),
                                 .rows = STELE_STATS_COUNTERS});
    counter(100, "queue", 1);
    with("length", STELE_TYPE_INT, 10);
    counter(200, "queue", 1);
    with("length", STELE_TYPE_INT, -2);
    counter(200, "other", 1);
    with("length", STELE_TYPE_UINT, 7);
    counter(500, "queue", 1);
    with("length", STELE_TYPE_INT, 30);
    counter(500, "queue", 1); /* replaced at the same time: it is the extreme and lasts no time */
    with("length", STELE_TYPE_INT, 4);
    counter(1100, "queue", 2); /* the end of what is known */
    with("length", STELE_TYPE_INT, 1);
    finish();
    CHECK_EQ_U64(stele_stats_group_count(stats), 3);
    CHECK_EQ_U64(stele_stats_row_count(stats), 6);
    f = figures_of(0);
    CHECK_EQ_U64(f.count, 4);
    CHECK_EQ_U64(f.held_ns, 1000);
    CHECK_EQ_I64(f.min.u.i, -2);
    CHECK_EQ_I64(f.max.u.i, 30);
    CHECK_EQ_I64(f.last.u.i, 4);
    CHECK(is_near(f.mean, (10 * 100 - 2 * 300 + 4 * 600) / 1000.0));
    CHECK(is_near(f.sum.u.f, (10 * 100 - 2 * 300 + 4 * 600) / 1e9));
    CHECK(f.has_percentiles);
    CHECK_EQ_I64(f.p50.u.i, 4);
    CHECK_EQ_I64(f.p90.u.i, 4);
    CHECK_EQ_I64(f.p99.u.i, 10);
    f = figures_of(1);
    CHECK_EQ_U64(f.held_ns, 900);
    CHECK(is_near(f.mean, 7));
    f = figures_of(2); /* no time passes */
    CHECK_EQ_U64(f.held_ns, 0);
    CHECK(is_near(f.mean, 1));
    CHECK_EQ_I64(f.last.u.i, 1);
    CHECK_EQ_I64(f.max.u.i, 1);
    CHECK(!f.has_percentiles);
    end();
}

TEST(fields_and_types)
{
    stele_stats_figures f;
    stele_stats_bin bins[8];
    begin(&(stele_stats_options){.struct_size = sizeof(stele_stats_options),
                                 .rows = STELE_STATS_COUNTERS});
    counter(0, "power", 0);
    with("watts", STELE_TYPE_FLOAT, 2); /* gives the value 0.5 */
    with("unit", STELE_TYPE_NULL, 0);
    with("cores", STELE_TYPE_UINT, 3);
    counter(400, "power", 0);
    with("watts", STELE_TYPE_FLOAT, 6); /* gives the value 1.5 */
    counter(500, "power", 0);
    with("cores", STELE_TYPE_UINT, 1);
    finish();
    CHECK_EQ_U64(stele_stats_group_count(stats), 2);
    CHECK_EQ_U64(stele_stats_by_count(stats), 4);
    CHECK_EQ_STR(stele_stats_by_title(stats, 3), "field");
    CHECK_EQ_U64(stele_stats_get_group(stats, 0)->keys[3].u.text.size, 5);
    f = figures_of(0);
    CHECK(is_near(f.mean, (0.5 * 400 + 1.5 * 100) / 500));
    CHECK(is_near(f.min.u.f, 0.5) && is_near(f.max.u.f, 1.5) && is_near(f.last.u.f, 1.5));
    CHECK(f.p50.u.f >= 0.5 && f.p50.u.f < 0.517 && is_near(f.p90.u.f, 1.5));
    CHECK_EQ_U64(stele_stats_get_bins(stats, 0, 0, 0, bins, 8), 2);
    CHECK_EQ_U64(bins[0].count, 400);
    CHECK_EQ_U64(bins[1].count, 100);
    f = figures_of(1);
    CHECK_EQ_U64(f.held_ns, 500);
    CHECK(is_near(f.mean, 3));
    CHECK_EQ_I64(f.last.u.i, 1);
    end();
}

/* A value that holds when the window begins counts from there, but is no value of the window. */
TEST(window)
{
    stele_stats_figures f;
    begin(&(stele_stats_options){
        .struct_size = sizeof(stele_stats_options), .by = "name", .of = "id", .is_held = true});
    CHECK_EQ_U64(stele_stats_set_window(stats, 250, 1000), STELE_OK);
    counter(100, "a", 5);
    counter(200, "a", 8);
    counter(300, "a", 2);
    counter(100, "b", 9);
    counter(1200, "a", 100);
    finish();
    f = figures_of(0);
    CHECK_EQ_U64(f.count, 1);
    CHECK_EQ_U64(f.held_ns, 750);
    CHECK_EQ_I64(f.min.u.i, 2);
    CHECK_EQ_I64(f.max.u.i, 8);
    CHECK_EQ_I64(f.last.u.i, 2);
    CHECK(is_near(f.mean, (8 * 50 + 2 * 700) / 750.0));
    f = figures_of(1);
    CHECK_EQ_U64(f.count, 0);
    CHECK(is_near(f.mean, 9));
    CHECK_EQ_U64(stele_stats_row_count(stats), 1);
    end();
}

TEST(what_cannot_be)
{
    made_begin();
    CHECK_EQ_U64(stele_stats_new(it.context,
                                 &(stele_stats_options){.struct_size = sizeof(stele_stats_options),
                                                        .by = "name",
                                                        .rows = STELE_STATS_COUNTERS},
                                 &stats),
                 STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(stele_stats_new(it.context,
                                 &(stele_stats_options){.struct_size = sizeof(stele_stats_options),
                                                        .of = "dur",
                                                        .rows = STELE_STATS_CALLS,
                                                        .is_held = true},
                                 &stats),
                 STELE_ERR_ARGUMENT);
    made_end();
}
