/* SPDX-License-Identifier: Apache-2.0 */
/* Telling differences from chance: the statistical tests by hand, and how often they are wrong
   on simulated runs. */
#include <stele/analysis.h>

#include <math.h>
#include <stdlib.h>

#include "analysis/events/rank_test.h"
#include "calls_made.h"

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- Results computed by hand ---- */

static bool is_near(double got, double want)
{
    return fabs(got - want) < 1e-4;
}

static void fill(histogram *h, const uint64_t *values, size_t count)
{
    *h = (histogram){.blocks = {NULL}};
    for (size_t i = 0; i < count; i++)
        REQUIRE(histogram_add(h, values[i]));
}

TEST(student_is_as_in_tables)
{
    CHECK(is_near(student_p_value(12.7062, 1), 0.05));
    CHECK(is_near(student_p_value(-2.2281, 10), 0.05));
    CHECK(is_near(student_p_value(3.1693, 10), 0.01));
    CHECK(is_near(student_p_value(1.3722, 10), 0.2));
    CHECK(is_near(student_p_value(1.959964, INFINITY), 0.05));
    CHECK(is_near(student_p_value(1.9602, 100000), 0.05));
    CHECK(is_near(student_p_value(0, 3), 1));
    CHECK(student_p_value(INFINITY, 3) == 0);
}

TEST(ranks_are_those_of_mann_and_whitney)
{
    const uint64_t left[] = {1, 2, 3, 4}, right[] = {3, 5, 6, 7, 8};
    histogram before, after;
    test_result result;
    fill(&before, left, 4);
    fill(&after, right, 5);
    /* U is 5 + 5 + 4.5 + 4 = 18.5 of 20 pairs. One tie of two: the variance is
       20 / 12 * (10 - 6 / 72) = 16.5278, z = (18.5 - 10 - 0.5) / 4.06544. */
    result = rank_test(&before, &after);
    CHECK(is_near(result.difference, 18.5 / 20 - 0.5));
    CHECK(is_near(result.statistic, 1.96781));
    CHECK(is_near(result.p_value, 0.04909));
    result = rank_test(&after, &before);
    CHECK(is_near(result.difference, 0.5 - 18.5 / 20));
    CHECK(is_near(result.statistic, -1.96781));
    result = rank_test(&before, &before);
    CHECK(result.difference == 0 && result.p_value == 1);
    histogram_free(&before);
    histogram_free(&after);
}

TEST(what_is_within_a_factor_is_no_change)
{
    uint64_t values[3][40];
    histogram h[3];
    test_result result;
    for (uint64_t i = 0; i < 40; i++) {
        values[0][i] = 20 + i / 8;
        values[1][i] = 28 + i / 8;
        values[2][i] = 60 + i / 8;
    }
    for (unsigned i = 0; i < 3; i++)
        fill(&h[i], values[i], 40);
    REQUIRE(rank_test_beyond(&h[0], &h[1], 1, &result));
    CHECK(result.p_value < 1e-6 && is_near(result.difference, 0.5));
    REQUIRE(rank_test_beyond(&h[0], &h[1], 1.5, &result));
    CHECK(result.p_value == 1 && is_near(result.difference, 0.5));
    REQUIRE(rank_test_beyond(&h[0], &h[2], 1.5, &result));
    CHECK(result.p_value < 1e-6 && result.statistic > 0);
    REQUIRE(rank_test_beyond(&h[2], &h[0], 1.5, &result));
    CHECK(result.p_value < 1e-6 && result.statistic < 0);
    for (unsigned i = 0; i < 3; i++)
        histogram_free(&h[i]);
}

TEST(runs_are_compared_as_welch_does)
{
    const double left[] = {1, 2, 3}, right[] = {2, 4, 6};
    /* Variances 1 and 4: the error is sqrt(1 / 3 + 4 / 3), and there are 50 / 17 degrees. */
    test_result result = runs_test(left, 3, right, 3);
    CHECK(is_near(result.difference, 2));
    CHECK(is_near(result.error, 1.290994));
    CHECK(is_near(result.statistic, 1.549193));
    CHECK(is_near(result.freedom, 50.0 / 17));
    /* One run has the spread of the other side: sqrt(4 / 3 + 4), two degrees. */
    result = runs_test(left, 1, right, 3);
    CHECK(is_near(result.error, 2.309401) && is_near(result.freedom, 2));
    CHECK(runs_test(left, 1, right, 1).p_value == 1);
    CHECK(runs_test(left, 0, right, 3).p_value == 1);
}

TEST(ranks_of_few_runs_show_no_more_than_their_permutations)
{
    histogram h[8];
    const histogram *runs[8];
    double ranks[8];
    test_result result;
    for (uint64_t run = 0; run < 8; run++) {
        const uint64_t values[] = {run * 1000, run * 1000 + 1, run * 1000 + 2};
        fill(&h[run], values, 3);
        runs[run] = &h[run];
    }
    /* One run each is judged by its calls. 1000 to 1002 fall in one bucket, and so are a tie of
       three: z = 4 / sqrt(9 / 12 * (7 - 24 / 30)). */
    result = rank_test_runs(runs, 1, 1, ranks);
    CHECK(is_near(result.difference, 0.5) && is_near(result.p_value, 0.0636));
    result = rank_test_runs(runs, 2, 2, ranks);
    CHECK(is_near(result.p_value, 1.0 / 3));
    result = rank_test_runs(runs, 4, 4, ranks);
    CHECK(is_near(result.difference, 0.5) && is_near(result.p_value, 2.0 / 70));
    for (unsigned run = 0; run < 8; run++)
        histogram_free(&h[run]);
}

/* ---- One run on each side ---- */

/* Makes a profile with `count` calls of each function: "same" and "slow" take about `ns`,
   varying by a tenth. */
static stele_profile *made_profile(int64_t same_ns, int64_t slow_ns, const char *only_here)
{
    const stele_segment *segment;
    int64_t now = 0;
    stele_profile *p;
    stele_batch_clear(it.batch);
    it.batch->columns = STELE_COLUMNS_ALL;
    for (uint32_t i = 0; i < 400; i++) {
        const int64_t same = same_ns * (95 + (int64_t)below(11)) / 100;
        const int64_t slow = slow_ns * (95 + (int64_t)below(11)) / 100;
        span(now, now + same, "same");
        span(now + same, now + same + slow, "slow");
        now += same + slow;
    }
    span(now, now + 5, only_here);
    segment = &(stele_segment){it.batch, 0, it.batch->event_count};
    REQUIRE(stele_profile_new(it.context, &(stele_profile_options){.by_track = false}, &p) ==
            STELE_OK);
    CHECK_EQ_U64(stele_profile_add(p, segment), STELE_OK);
    CHECK_EQ_U64(stele_profile_finish(p), STELE_OK);
    return p;
}

TEST(large_changes_of_one_run_are_told_from_noise)
{
    stele_compare_row *rows;
    size_t count;
    stele_profile *before, *after;
    made_begin();
    seed = 7;
    before = made_profile(10000, 10000, "gone");
    after = made_profile(12000, 20000, "new");
    REQUIRE(stele_profile_compare(it.context, before, after, &rows, &count) == STELE_OK);
    REQUIRE(count == 4);
    CHECK_EQ_U64(rows[0].before.name, named("slow"));
    CHECK(rows[0].has_noise && !rows[0].is_noise);
    CHECK(rows[0].self_change_ns > 3800000 && rows[0].self_change_ns < 4200000);
    CHECK(rows[0].noise_ns > 1000 && rows[0].noise_ns < 20000);
    CHECK_EQ_U64(rows[1].before.name, named("same"));
    CHECK(rows[1].is_noise); /* runs of the same program may differ by a fifth */
    CHECK_EQ_U64(rows[2].before.name, named("gone"));
    CHECK_EQ_I64(rows[2].self_change_ns, -5);
    CHECK(!rows[2].has_noise && rows[2].is_noise); /* one call may come by chance */
    CHECK_EQ_U64(rows[3].after.name, named("new"));
    CHECK_EQ_U64(rows[3].before.count, 0);
    CHECK_EQ_I64(rows[3].self_change_ns, 5);
    free(rows);
    stele_profile_free(before);
    stele_profile_free(after);
    made_end();
}

TEST(nothing_changes_between_equal_traces)
{
    stele_compare_row *rows;
    size_t count;
    stele_profile *sides[2];
    made_begin();
    for (unsigned side = 0; side < 2; side++) {
        seed = 3;
        sides[side] = made_profile(100, 200, "once");
    }
    REQUIRE(stele_profile_compare(it.context, sides[0], sides[1], &rows, &count) == STELE_OK);
    CHECK_EQ_U64(count, 3);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ_I64(rows[i].self_change_ns, 0);
        CHECK_EQ_U64(rows[i].before.count, rows[i].after.count);
        CHECK(rows[i].is_noise);
    }
    free(rows);
    stele_profile_free(sides[0]);
    stele_profile_free(sides[1]);
    made_end();
}

/* ---- Simulated runs ---- */

/*
 * Simulates a run of a program whose functions differ in length and number of calls. It has what
 * makes real runs hard to compare: each function has a speed of its own in each run (frequency,
 * position in memory), which drifts within the run, so that neighbouring calls are alike; ticks are
 * 10 ns; and one call in a thousand is preempted, and takes a thousand times as long.
 */
#define FUNCTIONS 24u
#define RUNS_MAX  16u

static double uniform(void)
{
    return ((double)below(1u << 30) + 0.5) / (1u << 30);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static stele_profile *simulated_run(double run_spread, double factor)
{
    int64_t now = 0;
    stele_profile *p;
    REQUIRE(stele_profile_new(it.context,
                              &(stele_profile_options){.struct_size = sizeof(stele_profile_options),
                                                       .has_self_spread = true},
                              &p) == STELE_OK);
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        const uint32_t calls = f % 4 == 0 ? 1 : f % 4 == 1 ? 8 : f % 4 == 2 ? 60 : 400;
        const double speed = exp(run_spread * normal()) * (f == FUNCTIONS - 1 ? factor : 1);
        double drift = 0;
        char name[16];
        snprintf(name, sizeof name, "f%u", (unsigned)f);
        stele_batch_clear(it.batch);
        it.batch->columns = STELE_COLUMNS_ALL;
        for (uint32_t i = 0; i < calls; i++) {
            double ns = (f % 5 + 1) * 500;
            drift = 0.95 * drift + 0.05 * normal();
            ns *= speed * exp(drift + 0.2 * normal());
            if (below(1000) == 0)
                ns += 500000 + below(500000);
            now += 10;
            span(now, now + ((int64_t)(ns / 10) + 1) * 10, name);
            now += ((int64_t)(ns / 10) + 1) * 10;
        }
        CHECK_EQ_U64(stele_profile_add(p, &(stele_segment){it.batch, 0, it.batch->event_count}),
                     STELE_OK);
    }
    CHECK_EQ_U64(stele_profile_finish(p), STELE_OK);
    return p;
}

typedef struct rates {
    uint32_t names, changed; /* of functions that are the same on both sides */
    uint32_t rounds, found;  /* of the function that the factor changes */
} rates;

static void simulate(rates *r, size_t runs_a_side, double run_spread, double factor)
{
    stele_profile *runs[RUNS_MAX];
    stele_compare_change *changes, whole;
    size_t count;
    for (size_t run = 0; run < 2 * runs_a_side; run++)
        runs[run] = simulated_run(run_spread, run < runs_a_side ? 1 : factor);
    REQUIRE(stele_profile_compare_runs(it.context, runs, runs_a_side, runs + runs_a_side,
                                       runs_a_side, NULL, &changes, &count, &whole) == STELE_OK);
    CHECK_EQ_U64(count, FUNCTIONS);
    for (size_t i = 0; i < count; i++) {
        const stele_compare_change *change = &changes[i];
        CHECK(change->p_value >= 0 && change->p_value <= 1);
        CHECK(change->longer_share >= 0 && change->longer_share <= 1);
        CHECK(change->is_noise == (change->p_value > 0.05));
        CHECK(change->has_noise == (runs_a_side > 1));
        if (change->before.name == named("f23")) {
            r->rounds++;
            r->found += !change->is_noise;
        } else {
            r->names++;
            r->changed += !change->is_noise;
        }
    }
    free(changes);
    for (size_t run = 0; run < 2 * runs_a_side; run++)
        stele_profile_free(runs[run]);
}

static rates simulate_many(size_t rounds, size_t runs_a_side, double run_spread, double factor)
{
    rates r = {.names = 0};
    seed = 11;
    made_begin();
    for (size_t round = 0; round < rounds; round++)
        simulate(&r, runs_a_side, run_spread, factor);
    made_end();
    return r;
}

TEST(one_name_of_twenty_at_most_seems_changed_without_a_change)
{
    for (unsigned spread = 0; spread < 4; spread++) {
        const size_t sides[] = {1, 2, 3, 5, 8};
        for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
            const rates r = simulate_many(40, sides[i], 0.05 * spread, 1);
            CHECK(r.names == 40 * (FUNCTIONS - 1));
            CHECK(r.changed * 20 <= r.names);
        }
    }
}

TEST(what_changed_is_found)
{
    rates r = simulate_many(40, 1, 0.05, 2.2);
    CHECK(r.found * 10 >= r.rounds * 9);
    r = simulate_many(40, 5, 0.05, 1.25);
    CHECK(r.found * 10 >= r.rounds * 9);
    r = simulate_many(40, 8, 0.05, 1.15);
    CHECK(r.found * 10 >= r.rounds * 9);
}

TEST(figures_of_several_runs_are_their_means)
{
    stele_profile *runs[3];
    stele_compare_change *changes, whole;
    size_t count;
    made_begin();
    for (unsigned run = 0; run < 3; run++) {
        stele_batch_clear(it.batch);
        it.batch->columns = STELE_COLUMNS_ALL;
        for (int64_t i = 0; i < 2 + (int64_t)run * 2; i++)
            span(i * 1000, i * 1000 + 100, "f");
        REQUIRE(stele_profile_new(it.context, NULL, &runs[run]) == STELE_OK);
        CHECK_EQ_U64(
            stele_profile_add(runs[run], &(stele_segment){it.batch, 0, it.batch->event_count}),
            STELE_OK);
        CHECK_EQ_U64(stele_profile_finish(runs[run]), STELE_OK);
    }
    REQUIRE(stele_profile_compare_runs(it.context, runs, 2, runs + 2, 1, NULL, &changes, &count,
                                       &whole) == STELE_OK);
    REQUIRE(count == 1);
    CHECK_EQ_U64(changes[0].before.count, 3);
    CHECK_EQ_U64(changes[0].before.self_ns, 300);
    CHECK_EQ_U64(changes[0].after.count, 6);
    CHECK_EQ_I64(changes[0].self_change_ns, 300);
    CHECK_EQ_U64(changes[0].before.p50_ns, 100);
    CHECK_EQ_U64(changes[0].before_runs, 2);
    CHECK_EQ_U64(changes[0].after_runs, 1);
    CHECK(is_near(changes[0].longer_share, 0.5));
    CHECK_EQ_I64(whole.self_change_ns, 300);
    /* The runs before take 200 and 400 ns: the error is sqrt(20000 / 2 + 20000). */
    CHECK(changes[0].has_noise && is_near(changes[0].noise_ns, 173.205081));
    free(changes);
    CHECK_EQ_U64(
        stele_profile_compare_runs(it.context, runs, 0, runs, 1, NULL, &changes, &count, NULL),
        STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(stele_profile_compare_runs(it.context, runs, 1, runs, 1,
                                            &(stele_compare_options){.factor = 0.5}, &changes,
                                            &count, NULL),
                 STELE_ERR_ARGUMENT);
    for (unsigned run = 0; run < 3; run++)
        stele_profile_free(runs[run]);
    made_end();
}
