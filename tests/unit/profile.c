/* SPDX-License-Identifier: Apache-2.0 */
/* The profile compared with numbers computed the slow way, while the calls are made. */
#include <stele/analysis.h>

#include <stdlib.h>

#include "calls_made.h"

#define NAMES     7u
#define THREADS   3u
#define DEPTH     40u
#define CALLS_MAX 60000u

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

typedef struct plain_call {
    uint32_t name, thread, depth;
    int64_t begin_ns;
    uint64_t duration, child_ns;
    bool is_recursive;
} plain_call;

static plain_call made[CALLS_MAX];
static size_t made_count;

/* The stack of a thread, as numbers of calls. */
typedef struct plain_stack {
    uint32_t calls[DEPTH], depth;
    int64_t now_ns;
} plain_stack;

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f", "g"};

static void plain_enter(plain_stack *stack, uint32_t on)
{
    plain_call *call = &made[made_count];
    *call = (plain_call){
        .name = below(NAMES), .thread = on, .depth = stack->depth, .begin_ns = stack->now_ns};
    for (uint32_t i = 0; i < stack->depth; i++)
        call->is_recursive = call->is_recursive || made[stack->calls[i]].name == call->name;
    stack->calls[stack->depth++] = (uint32_t)made_count++;
    add_on(on, STELE_KIND_BEGIN, stack->now_ns, names[call->name]);
}

static void plain_leave(plain_stack *stack, uint32_t on)
{
    plain_call *call = &made[stack->calls[--stack->depth]];
    call->duration = (uint64_t)(stack->now_ns - call->begin_ns);
    if (stack->depth > 0)
        made[stack->calls[stack->depth - 1]].child_ns += call->duration;
    add_on(on, STELE_KIND_END, stack->now_ns, names[call->name]);
}

/* Makes random calls on all threads. Returns a profile of them. */
static stele_profile *made_profile(const stele_profile_options *options)
{
    plain_stack stacks[THREADS] = {{.depth = 0}};
    stele_profile *p;
    made_count = 0;
    REQUIRE(stele_profile_new(it.context, options, &p) == STELE_OK);
    for (uint32_t step = 0; step < 100000; step++) {
        const uint32_t on = below(THREADS);
        plain_stack *stack = &stacks[on];
        const bool is_last = step >= 100000 - THREADS * DEPTH * 20;
        stack->now_ns += below(1000);
        if (!is_last && stack->depth < DEPTH && (stack->depth == 0 || below(100) < 50))
            plain_enter(stack, on);
        else if (stack->depth > 0)
            plain_leave(stack, on);
        if (it.batch->event_count == it.batch->event_capacity || step + 1 == 100000) {
            const stele_segment segment = made_segment();
            CHECK_EQ_U64(stele_profile_add(p, &segment), STELE_OK);
            stele_batch_clear(it.batch);
            it.batch->columns = STELE_COLUMNS_ALL;
        }
    }
    CHECK_EQ_U64(stele_profile_finish(p), STELE_OK);
    return p;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void check_percentile(uint64_t got, const uint64_t *durations, size_t count,
                             unsigned permille)
{
    const uint64_t want = durations[(count * permille + 999) / 1000 - 1];
    CHECK(got >= want && got - want <= want / 32);
}

/* Checks that a row is what the calls of the row say. */
static void check_row(const stele_profile_row *row, const stele_profile_options *options)
{
    static uint64_t durations[CALLS_MAX];
    uint64_t self_ns = 0, total_ns = 0, sum_ns = 0;
    size_t count = 0;
    for (size_t i = 0; i < made_count; i++) {
        const plain_call *call = &made[i];
        if (named(names[call->name]) != row->name ||
            (options->by_track && thread(call->thread) != row->track) ||
            call->depth < options->depth_min ||
            (options->depth_end != 0 && call->depth >= options->depth_end) ||
            call->duration < options->duration_min_ns)
            continue;
        durations[count++] = call->duration;
        self_ns += call->duration - call->child_ns;
        sum_ns += call->duration;
        total_ns += call->is_recursive ? 0 : call->duration;
    }
    REQUIRE(count != 0);
    qsort(durations, count, sizeof *durations, compare);
    CHECK_EQ_U64(row->count, count);
    CHECK_EQ_U64(row->self_ns, self_ns);
    CHECK_EQ_U64(row->total_ns, total_ns);
    CHECK_EQ_U64(row->sum_ns, sum_ns);
    CHECK_EQ_U64(row->min_ns, durations[0]);
    CHECK_EQ_U64(row->max_ns, durations[count - 1]);
    check_percentile(row->p50_ns, durations, count, 500);
    check_percentile(row->p90_ns, durations, count, 900);
    check_percentile(row->p99_ns, durations, count, 990);
}

static void check_profile(const stele_profile_options *options, size_t rows_wanted)
{
    const stele_profile_row *rows;
    size_t count;
    stele_profile *p;
    made_begin();
    p = made_profile(options);
    REQUIRE(stele_profile_rows(p, STELE_PROFILE_BY_SELF, &rows, &count) == STELE_OK);
    CHECK_EQ_U64(count, rows_wanted);
    for (size_t i = 0; i < count; i++) {
        check_row(&rows[i], options);
        CHECK(i == 0 || rows[i].self_ns <= rows[i - 1].self_ns);
    }
    CHECK_EQ_U64(stele_profile_get_counts(p)->call_count, made_count);
    CHECK_EQ_U64(stele_profile_get_counts(p)->by_end[STELE_CALL_RETURNED], made_count);
    stele_profile_free(p);
    made_end();
}

TEST(figures_are_those_of_a_slow_reference)
{
    for (seed = 1; seed < 4; seed++)
        check_profile(&(stele_profile_options){.by_track = false}, NAMES);
}

TEST(threads_are_kept_apart_on_request)
{
    check_profile(&(stele_profile_options){.by_track = true}, NAMES * THREADS);
}

TEST(depth_and_duration_choose_calls)
{
    check_profile(&(stele_profile_options){.depth_min = 2, .depth_end = 5}, NAMES);
    check_profile(&(stele_profile_options){.duration_min_ns = 5000}, NAMES);
}

TEST(rows_come_in_the_order_asked_for)
{
    const stele_profile_row *rows;
    size_t count;
    stele_profile *p;
    made_begin();
    p = made_profile(&(stele_profile_options){.by_track = false});
    REQUIRE(stele_profile_rows(p, STELE_PROFILE_BY_NAME, &rows, &count) == STELE_OK);
    for (size_t i = 0; i < count; i++)
        CHECK_EQ_U64(rows[i].name, named(names[i]));
    REQUIRE(stele_profile_rows(p, STELE_PROFILE_BY_MAX, &rows, &count) == STELE_OK);
    for (size_t i = 1; i < count; i++)
        CHECK(rows[i].max_ns <= rows[i - 1].max_ns);
    REQUIRE(stele_profile_rows(p, STELE_PROFILE_BY_COUNT, &rows, &count) == STELE_OK);
    for (size_t i = 1; i < count; i++)
        CHECK(rows[i].count <= rows[i - 1].count);
    stele_profile_free(p);
    made_end();
}

typedef struct row_walk {
    const stele_profile_row *rows;
    size_t count, stop_at;
} row_walk;

static stele_status see_row(void *user, const stele_profile_row *row)
{
    row_walk *w = user;
    const stele_profile_row *wanted = &w->rows[w->count];
    CHECK_EQ_U64(row->name, wanted->name);
    CHECK_EQ_U64(row->track, wanted->track);
    CHECK_EQ_U64(row->count, wanted->count);
    CHECK_EQ_U64(row->self_ns, wanted->self_ns);
    CHECK_EQ_U64(row->p99_ns, wanted->p99_ns);
    w->count++;
    return w->count == w->stop_at ? STELE_ERR_CLOSED : STELE_OK;
}

TEST(rows_are_given_one_by_one_in_the_same_order)
{
    made_begin();
    stele_profile *p = made_profile(&(stele_profile_options){.by_track = true});
    for (int order = STELE_PROFILE_BY_SELF; order <= STELE_PROFILE_BY_NAME; order++) {
        row_walk w = {.rows = NULL};
        size_t count;
        uint64_t self_ns = 0;
        REQUIRE(stele_profile_rows(p, (stele_profile_order)order, &w.rows, &count) == STELE_OK);
        CHECK_EQ_U64(stele_profile_row_count(p), count);
        for (size_t i = 0; i < count; i++)
            self_ns += w.rows[i].self_ns;
        CHECK_EQ_U64(stele_profile_self_ns(p), self_ns);
        for (size_t limit = 0; limit <= count + 1; limit++) {
            w.count = 0;
            CHECK(stele_profile_each_row(p, (stele_profile_order)order, limit, see_row, &w) ==
                  STELE_OK);
            CHECK_EQ_U64(w.count, limit == 0 || limit > count ? count : limit);
        }
        w.count = 0;
        w.stop_at = 2;
        CHECK(stele_profile_each_row(p, (stele_profile_order)order, 0, see_row, &w) ==
              STELE_ERR_CLOSED);
        CHECK_EQ_U64(w.count, 2);
    }
    stele_profile_free(p);
    made_end();
}

/* Adds a sample of a path, as tracers write it that count paths. */
static void add_sample(const char *const *path, uint32_t depth, uint64_t count, uint64_t ticks)
{
    stele_event *event = add_on(1, STELE_KIND_SAMPLE, 0, path[depth - 1]);
    stele_field *run;
    event->value = count;
    event->id = ticks;
    run = stele_batch_add_field(it.batch, named("path"), STELE_TYPE_ARRAY);
    run->u.run.length = 2 * depth;
    run->u.run.count = depth;
    for (uint32_t i = 0; i < depth; i++) {
        stele_field *element = stele_batch_add_field(it.batch, 0, STELE_TYPE_UINT);
        element->label_count = 1;
        stele_batch_add_field(it.batch, 0, STELE_TYPE_NAME)->u.u = named(path[i]);
    }
}

TEST(samples_of_paths_count_in_each_of_their_functions_once)
{
    const stele_profile_row *rows;
    const stele_segment *segment;
    size_t count;
    stele_profile *p;
    made_begin();
    REQUIRE(stele_profile_new(it.context, &(stele_profile_options){.by_track = false}, &p) ==
            STELE_OK);
    add_sample((const char *const[]){"main"}, 1, 1, 10);
    add_sample((const char *const[]){"main", "f"}, 2, 20, 300);
    add_sample((const char *const[]){"main", "f", "f"}, 3, 5, 50);
    segment = &(stele_segment){it.batch, 0, it.batch->event_count};
    CHECK_EQ_U64(stele_profile_add(p, segment), STELE_OK);
    CHECK_EQ_U64(stele_profile_finish(p), STELE_OK);
    REQUIRE(stele_profile_rows(p, STELE_PROFILE_BY_NAME, &rows, &count) == STELE_OK);
    REQUIRE(count == 2);
    CHECK_EQ_U64(rows[0].count, 25);
    CHECK_EQ_U64(rows[0].self_ns, 350);
    CHECK_EQ_U64(rows[0].total_ns, 350);
    CHECK_EQ_U64(rows[1].count, 1);
    CHECK_EQ_U64(rows[1].self_ns, 10);
    CHECK_EQ_U64(rows[1].total_ns, 360);
    CHECK(rows[0].is_sampled);
    CHECK_EQ_U64(stele_profile_sample_count(p), 3);
    stele_profile_free(p);
    made_end();
}
