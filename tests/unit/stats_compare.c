/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in a number between runs: matching groups, means, and how certain a change is. */
#include "stele/stats.h"

#include <math.h>
#include <stdlib.h>

#include "calls_made.h"

#define RUNS 6

static stele_stats *runs[RUNS];

static stele_stats *run_of(const char *name, int64_t value, const char *only_here)
{
    stele_stats_options options = STELE_INIT(stele_stats_options);
    stele_stats *made;
    stele_segment segment;
    options.by = "name";
    options.of = "dur";
    REQUIRE(stele_stats_new(it.context, &options, &made) == STELE_OK);
    stele_batch_clear(it.batch);
    it.batch->columns = STELE_COLUMNS_ALL;
    span(0, value, name);
    span(100, 100 + value, name);
    if (only_here != NULL)
        span(200, 207, only_here);
    segment = made_segment();
    REQUIRE(stele_stats_add(made, &segment) == STELE_OK);
    REQUIRE(stele_stats_finish(made) == STELE_OK);
    return made;
}

static void runs_free(void)
{
    for (size_t i = 0; i < RUNS; i++)
        stele_stats_free(runs[i]);
}

static bool is_about(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static const stele_stats_change *change_named(const stele_stats_change *changes, size_t count,
                                              const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const stele_text text = changes[i].keys[0].u.text;
        if (text.size == strlen(name) && memcmp(text.bytes, name, text.size) == 0)
            return &changes[i];
    }
    REQUIRE(false);
    return NULL;
}

TEST(a_figure_is_compared_group_by_group)
{
    stele_stats_change *changes;
    const stele_stats_change *a;
    size_t count;
    made_begin();
    for (unsigned i = 0; i < RUNS; i++)
        runs[i] = run_of("a", (i < 3 ? 10 : 20) + i % 3,
                         i == 0   ? "before"
                         : i == 4 ? "after"
                                  : NULL);
    REQUIRE(stele_stats_compare_runs(runs, 3, runs + 3, 3, STELE_STATS_MEAN, 0, NULL, &changes,
                                     &count) == STELE_OK);
    CHECK_EQ_U64(count, 3);
    a = change_named(changes, count, "a");
    CHECK(a == changes); /* the largest change comes first, and the other groups have none */
    CHECK(is_about(a->before, 11) && is_about(a->after, 21) && is_about(a->change, 10));
    CHECK_EQ_U64(a->before_runs, 3);
    CHECK(a->has_noise && is_about(a->noise, sqrt(2.0 / 3)));
    CHECK(!a->is_noise && a->p_value < 0.01 && a->p_value > 0);
    CHECK(isnan(change_named(changes, count, "before")->change));
    CHECK_EQ_U64(change_named(changes, count, "before")->after_runs, 0);
    free(changes);

    /* A sum that is missing in a run is 0. */
    REQUIRE(stele_stats_compare_runs(runs, 3, runs + 3, 3, STELE_STATS_SUM, 0, NULL, &changes,
                                     &count) == STELE_OK);
    CHECK(is_about(change_named(changes, count, "a")->change, 20));
    CHECK(is_about(change_named(changes, count, "after")->change, 7.0 / 3));
    CHECK_EQ_U64(change_named(changes, count, "after")->before_runs, 3);
    CHECK(change_named(changes, count, "after")->is_noise);
    free(changes);

    REQUIRE(stele_stats_compare_runs(runs, 1, runs + 3, 1, STELE_STATS_MAX, 0, NULL, &changes,
                                     &count) == STELE_OK);
    a = change_named(changes, count, "a");
    CHECK(is_about(a->change, 10) && !a->has_noise && a->p_value == 1);
    free(changes);

    CHECK_EQ_U64(
        stele_stats_compare_runs(runs, 0, runs, 1, STELE_STATS_MAX, 0, NULL, &changes, &count),
        STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(
        stele_stats_compare_runs(runs, 1, runs, 1, STELE_STATS_KEY, 0, NULL, &changes, &count),
        STELE_ERR_ARGUMENT);
    runs_free();
    made_end();
}
