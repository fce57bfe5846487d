/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling of made-up switches and wake-ups, compared with numbers worked out by hand. */
#include <stele/sched.h>

#include <stdlib.h>

#include "calls_made.h"
#include "scheduling.h"

enum { NEW, READY, SUSPENDED, BLOCKED, DYING, DEAD }; /* the states as FXT numbers them */

#define INTERVALS_MAX 4096u

static struct {
    stele_sched *sched;
    stele_thread_interval states[INTERVALS_MAX];
    stele_cpu_interval runs[INTERVALS_MAX];
    stele_cpu_use uses[INTERVALS_MAX];
    size_t state_count, run_count, use_count;
} got;

static stele_status take_state(void *user, const stele_thread_interval *interval)
{
    (void)user;
    REQUIRE(got.state_count < INTERVALS_MAX);
    got.states[got.state_count++] = *interval;
    return STELE_OK;
}

static stele_status take_run(void *user, const stele_cpu_interval *interval)
{
    (void)user;
    REQUIRE(got.run_count < INTERVALS_MAX);
    got.runs[got.run_count++] = *interval;
    return STELE_OK;
}

static stele_status take_uses(void *user, const stele_cpu_use *rows, size_t count)
{
    (void)user;
    for (size_t i = 0; i < count; i++) {
        REQUIRE(got.use_count < INTERVALS_MAX);
        got.uses[got.use_count++] = rows[i];
    }
    return STELE_OK;
}

static void begin_with(stele_sched_options options)
{
    made_begin();
    got.state_count = got.run_count = got.use_count = 0;
    options.struct_size = sizeof options;
    options.on_thread = take_state;
    options.on_cpu = take_run;
    options.on_use = take_uses;
    REQUIRE(stele_sched_new(it.context, &options, &got.sched) == STELE_OK);
}

static void begin(void)
{
    begin_with((stele_sched_options){.every_ns = 0});
}

static void add_all(void)
{
    const stele_segment segment = made_segment();
    CHECK_EQ_U64(stele_sched_add(got.sched, &segment), STELE_OK);
    stele_batch_clear(it.batch);
    it.batch->columns = STELE_COLUMNS_ALL;
}

static void finish(void)
{
    add_all();
    CHECK_EQ_U64(stele_sched_finish(got.sched), STELE_OK);
}

static void end(void)
{
    stele_sched_free(got.sched);
    made_end();
}

static uint32_t cpu(uint64_t number)
{
    return stele_track_intern(it.context,
                              &(stele_track){.kind = STELE_TRACK_CPU, .number = number});
}

static void add_uint(const char *name, uint64_t value)
{
    stele_field *field = stele_batch_add_field(it.batch, named(name), STELE_TYPE_UINT);
    REQUIRE(field != NULL);
    field->u.u = value;
}

/* Adds a switch from one thread to another; thread 0 is idle. */
static void switches(int64_t time_ns, uint64_t on, uint64_t from, unsigned state, uint64_t to)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_SWITCH;
    event->time_ns = time_ns;
    event->track = cpu(on);
    event->value = from != 0 ? thread(from) : 0;
    event->id = to != 0 ? thread(to) : 0;
    event->offset = (uint64_t)time_ns;
    add_uint("outgoing_state", state);
}

static void wakes(int64_t time_ns, uint64_t on, uint64_t woken)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_WAKE;
    event->time_ns = time_ns;
    event->track = cpu(on);
    event->id = thread(woken);
    event->offset = (uint64_t)time_ns;
}

static const stele_sched_thread *row_of(uint64_t number)
{
    const stele_sched_thread *rows;
    size_t count;
    CHECK_EQ_U64(stele_sched_threads(got.sched, STELE_SCHED_BY_RUNNING, &rows, &count), STELE_OK);
    for (size_t i = 0; i < count; i++)
        if (stele_track_get(it.context, rows[i].track)->number == number)
            return &rows[i];
    return NULL;
}

static const stele_sched_cpu *cpu_row(uint64_t number)
{
    const stele_sched_cpu *rows;
    size_t count;
    CHECK_EQ_U64(stele_sched_cpus(got.sched, &rows, &count), STELE_OK);
    for (size_t i = 0; i < count; i++)
        if (rows[i].track == cpu(number))
            return &rows[i];
    return NULL;
}

static stele_sched_totals totals(void)
{
    stele_sched_totals all = STELE_INIT(stele_sched_totals);
    stele_sched_get_totals(got.sched, &all);
    return all;
}

/* Checks what always holds: states sum up to lives, CPUs to the time that was read, and
   intervals to both. */
static void check_sums(void)
{
    const stele_sched_totals all = totals();
    const uint64_t wall = (uint64_t)(all.end_ns - all.begin_ns);
    const stele_sched_thread *threads;
    const stele_sched_cpu *cpus;
    size_t count;
    const char *broken = scheduling_broken(got.sched);
    CHECK_EQ_STR(broken != NULL ? broken : "", "");
    CHECK_EQ_U64(stele_sched_threads(got.sched, STELE_SCHED_BY_NAME, &threads, &count), STELE_OK);
    for (size_t i = 0; i < count; i++) {
        uint64_t listed = 0;
        for (size_t k = 0; k < got.state_count; k++)
            listed += got.states[k].thread == threads[i].track
                          ? (uint64_t)(got.states[k].end_ns - got.states[k].begin_ns)
                          : 0;
        CHECK_EQ_U64(listed, threads[i].life_ns);
    }
    CHECK_EQ_U64(stele_sched_cpus(got.sched, &cpus, &count), STELE_OK);
    for (size_t i = 0; i < count; i++) {
        uint64_t listed = 0;
        for (size_t k = 0; k < got.run_count; k++)
            listed += got.runs[k].cpu == cpus[i].track
                          ? (uint64_t)(got.runs[k].end_ns - got.runs[k].begin_ns)
                          : 0;
        CHECK_EQ_U64(listed, wall);
    }
}

TEST(a_thread_runs_sleeps_is_woken_and_preempted)
{
    const stele_sched_thread *a, *b;
    const stele_sched_wake *worst;
    const stele_sched_pair *pairs;
    stele_sched_totals all;
    size_t count;
    begin();
    switches(100, 0, 0, READY, 1);
    switches(200, 0, 1, BLOCKED, 2); /* thread 1 ran 100 */
    wakes(250, 0, 1);                /* thread 1 was blocked 50, woken by thread 2 */
    switches(300, 0, 2, READY, 1);   /* thread 2 ran 100 and is preempted; thread 1 waited 50 */
    switches(360, 0, 1, BLOCKED, 2); /* thread 1 ran 60; thread 2 waited 60 */
    switches(400, 0, 2, DEAD, 0);    /* thread 2 ran 40 */
    switches(500, 0, 0, READY, 1);   /* thread 1 slept 140, without a wake-up */
    finish();
    a = row_of(1);
    REQUIRE(a != NULL);
    CHECK_EQ_U64(a->life_ns, 400);
    CHECK_EQ_U64(a->state_ns[STELE_RUN_RUNNING], 160);
    CHECK_EQ_U64(a->state_ns[STELE_RUN_BLOCKED], 190);
    CHECK_EQ_U64(a->state_ns[STELE_RUN_RUNNABLE], 50);
    CHECK_EQ_U64(a->run_count, 3);
    CHECK_EQ_U64(a->voluntary_count, 2);
    CHECK_EQ_U64(a->preempted_count, 0);
    CHECK_EQ_U64(a->wake_count, 1);
    CHECK_EQ_U64(a->latency_max_ns, 50);
    b = row_of(2);
    REQUIRE(b != NULL);
    CHECK_EQ_U64(b->life_ns, 200);
    CHECK_EQ_U64(b->state_ns[STELE_RUN_RUNNING], 140);
    CHECK_EQ_U64(b->state_ns[STELE_RUN_PREEMPTED], 60);
    CHECK_EQ_U64(b->preempted_count, 1);
    CHECK_EQ_U64((uint64_t)b->last_ns, 400);
    CHECK_EQ_U64(stele_sched_worst(got.sched, &worst, &count), STELE_OK);
    REQUIRE(count == 1);
    CHECK_EQ_U64(worst->wake_offset, 250);
    CHECK_EQ_U64(worst->run_offset, 300);
    CHECK_EQ_U64(worst->by, thread(2));
    CHECK_EQ_U64(stele_sched_pairs(got.sched, &pairs, &count), STELE_OK);
    REQUIRE(count == 1);
    CHECK_EQ_U64(pairs->thread, thread(2));
    CHECK_EQ_U64(pairs->by, thread(1));
    CHECK_EQ_U64(pairs->wait_ns, 60);
    all = totals();
    CHECK_EQ_U64(all.switch_count, 6);
    CHECK_EQ_U64(all.latency_class[5], 1);
    CHECK_EQ_U64(all.contradiction_count, 0);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_BUSY], 300);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_IDLE], 100);
    check_sums();
    end();
}

TEST(migration_is_another_cpu_than_the_last)
{
    begin();
    switches(100, 0, 0, READY, 1);
    switches(200, 0, 1, READY, 2); /* thread 1 is preempted on CPU 0 */
    switches(250, 1, 0, READY, 1); /* thread 1 goes on on CPU 1 */
    switches(300, 1, 1, BLOCKED, 0);
    switches(400, 1, 0, READY, 1);
    finish();
    CHECK_EQ_U64(row_of(1)->migration_count, 1);
    CHECK_EQ_U64(row_of(1)->run_count, 3);
    CHECK_EQ_U64(row_of(2)->migration_count, 0);
    check_sums();
    end();
}

/*
 * The wake-up does not undo the sleep that follows it: without one, the switch would say the same.
 */
TEST(a_wake_up_before_the_switch_has_no_effect)
{
    begin();
    switches(100, 0, 0, READY, 1);
    wakes(190, 1, 1);
    switches(200, 0, 1, BLOCKED, 0);
    wakes(220, 1, 1);
    wakes(225, 1, 1);
    switches(240, 0, 0, READY, 1);
    finish();
    CHECK_EQ_U64(totals().wake_running_count, 1);
    CHECK_EQ_U64(totals().wake_again_count, 1);
    CHECK_EQ_U64(totals().wake_count, 1);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_BLOCKED], 20);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_RUNNABLE], 20);
    CHECK_EQ_U64(totals().latency_max_ns, 20);
    /* CPU 1 is known only from wake-ups. */
    CHECK_EQ_U64(cpu_row(1)->state_ns[STELE_CPU_UNKNOWN], 140);
    CHECK_EQ_U64(cpu_row(1)->wake_count, 3);
    check_sums();
    end();
}

TEST(what_lies_in_a_loss_is_unknown)
{
    stele_event *event;
    begin();
    switches(100, 0, 0, READY, 1);
    switches(100, 1, 0, READY, 2);
    event = stele_batch_add_event(it.batch);
    event->kind = STELE_KIND_LOST;
    event->time_ns = 150;
    event->id = 180;
    event->track = cpu(0);
    switches(200, 0, 3, BLOCKED, 4);
    finish();
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_RUNNING], 50);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_UNKNOWN], 50);
    CHECK_EQ_U64(row_of(2)->state_ns[STELE_RUN_RUNNING], 100);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_BUSY], 50);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_UNKNOWN], 50);
    CHECK_EQ_U64(cpu_row(1)->state_ns[STELE_CPU_BUSY], 100);
    CHECK_EQ_U64(totals().lost_count, 1);
    CHECK_EQ_U64(totals().contradiction_count, 0);
    check_sums();
    end();
}

/* The loss concerns a whole trace, so no CPU of it is known. */
TEST(a_loss_on_no_cpu_concerns_all)
{
    stele_event *event;
    begin();
    switches(100, 0, 0, READY, 1);
    switches(100, 1, 0, READY, 2);
    event = stele_batch_add_event(it.batch);
    event->kind = STELE_KIND_LOST;
    event->time_ns = 150;
    switches(200, 0, 1, BLOCKED, 0);
    finish();
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_UNKNOWN], 50);
    CHECK_EQ_U64(cpu_row(1)->state_ns[STELE_CPU_UNKNOWN], 50);
    CHECK_EQ_U64(row_of(2)->state_ns[STELE_RUN_UNKNOWN], 50);
    check_sums();
    end();
}

TEST(events_that_contradict_make_the_time_before_unknown)
{
    begin();
    switches(100, 0, 0, READY, 1);
    switches(200, 0, 2, BLOCKED, 3); /* thread 1 left and thread 2 came without a switch */
    switches(300, 1, 0, READY, 3);   /* thread 3 left CPU 0 without a switch */
    finish();
    CHECK_EQ_U64(totals().contradiction_count, 2);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_UNKNOWN], 200);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_RUNNING], 0);
    CHECK_EQ_U64(row_of(3)->state_ns[STELE_RUN_UNKNOWN], 100);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_UNKNOWN], 200);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_BUSY], 0);
    check_sums();
    end();
}

/* Threads of two traces have the same number, and a number is used again. */
TEST(threads_of_one_number)
{
    uint32_t other;
    stele_event *event;
    begin();
    switches(100, 0, 0, READY, 7);
    switches(150, 0, 7, DEAD, 0); /* thread 7 lived 50 */
    wakes(300, 0, 7);             /* another thread with number 7 */
    switches(310, 0, 0, READY, 7);
    other = stele_track_intern(
        it.context, &(stele_track){.kind = STELE_TRACK_THREAD, .number = 7, .source = 1});
    event = stele_batch_add_event(it.batch);
    event->kind = STELE_KIND_WAKE;
    event->time_ns = 400;
    event->track = cpu(0);
    event->id = other;
    finish();
    CHECK_EQ_U64(row_of(7)->life_ns, 150);
    CHECK_EQ_U64(row_of(7)->state_ns[STELE_RUN_RUNNING], 140);
    CHECK_EQ_U64((uint64_t)row_of(7)->first_ns, 100);
    check_sums();
    end();
}

TEST(a_cpu_that_appears_late_is_unknown_before)
{
    begin();
    switches(100, 0, 0, READY, 1);
    switches(900, 1, 0, READY, 2);
    switches(1000, 0, 1, BLOCKED, 0);
    finish();
    CHECK_EQ_U64(cpu_row(1)->state_ns[STELE_CPU_UNKNOWN], 800);
    CHECK_EQ_U64(cpu_row(1)->state_ns[STELE_CPU_BUSY], 100);
    check_sums();
    end();
}

/* What is running where a window begins counts from there, and up to the window's end. */
TEST(a_window_cuts_what_goes_on)
{
    begin();
    CHECK_EQ_U64(stele_sched_set_window(got.sched, 150, 350), STELE_OK);
    switches(100, 0, 0, READY, 1);
    wakes(120, 0, 2);
    switches(200, 0, 1, BLOCKED, 2);
    switches(300, 0, 2, DEAD, 0);
    switches(340, 0, 0, READY, 1);
    finish();
    CHECK_EQ_U64(row_of(1)->life_ns, 200);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_RUNNING], 60);
    CHECK_EQ_U64(row_of(1)->state_ns[STELE_RUN_BLOCKED], 140);
    CHECK_EQ_U64(row_of(2)->state_ns[STELE_RUN_RUNNABLE], 50);
    CHECK_EQ_U64(row_of(2)->life_ns, 150);
    CHECK_EQ_U64(totals().latency_count, 0); /* the thread was woken before the window */
    CHECK_EQ_U64(totals().switch_count, 3);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_BUSY], 160);
    CHECK_EQ_U64(cpu_row(0)->state_ns[STELE_CPU_IDLE], 40);
    check_sums();
    end();
}

TEST(steps_of_time_sum_up_to_the_totals)
{
    uint64_t busy = 0, idle = 0, unknown = 0, count = 0;
    begin_with((stele_sched_options){.every_ns = 100});
    switches(50, 0, 0, READY, 1);
    switches(120, 0, 1, BLOCKED, 0);
    switches(130, 1, 0, READY, 2);
    switches(480, 0, 0, READY, 1);
    switches(520, 0, 1, BLOCKED, 0);
    finish();
    for (size_t i = 0; i < got.use_count; i++) {
        const stele_cpu_use *use = &got.uses[i];
        const uint64_t *ns = use->state_ns;
        if (use->cpu != cpu(0))
            continue;
        CHECK_EQ_U64(ns[0] + ns[1] + ns[2], (uint64_t)(use->end_ns - use->begin_ns));
        unknown += ns[STELE_CPU_UNKNOWN];
        idle += ns[STELE_CPU_IDLE];
        busy += ns[STELE_CPU_BUSY];
        count += use->switch_count;
    }
    CHECK_EQ_U64(busy, 110);
    CHECK_EQ_U64(idle, 360);
    CHECK_EQ_U64(unknown, 0);
    CHECK_EQ_U64(count, 4);
    CHECK_EQ_U64((uint64_t)got.uses[0].begin_ns, 50);
    CHECK_EQ_U64(got.uses[0].state_ns[STELE_CPU_BUSY], 70);
    CHECK_EQ_U64(got.uses[0].state_ns[STELE_CPU_IDLE], 30);
    check_sums();
    end();
}

/* ---- Kernel traces, whose switches are events by name ---- */

static void add_text(const char *name, const char *text)
{
    REQUIRE(stele_batch_add_bytes(it.batch, named(name), STELE_TYPE_STRING, text, strlen(text)) ==
            STELE_OK);
}

static stele_event *add_moment(int64_t time_ns, uint16_t on, const char *name)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_INSTANT;
    event->name = named(name);
    event->time_ns = time_ns;
    event->cpu = on;
    event->flags = STELE_FLAG_HAS_CPU;
    return event;
}

static void lttng_switches(int64_t time_ns, uint16_t on, uint64_t from, uint64_t state, uint64_t to)
{
    add_moment(time_ns, on, "sched_switch");
    add_text("prev_comm", "before");
    add_uint("prev_tid", from);
    add_uint("prev_prio", 20);
    add_uint("prev_state", state);
    add_text("next_comm", to == 11 ? "eleven" : "after");
    add_uint("next_tid", to);
    add_uint("next_prio", to);
}

TEST(switches_of_lttng)
{
    const stele_sched_thread *row;
    stele_text name;
    begin();
    lttng_switches(100, 3, 0, 0, 11);
    lttng_switches(200, 3, 11, 1, 12);    /* thread 11 sleeps */
    lttng_switches(300, 3, 12, 0x102, 0); /* thread 12 is blocked, with a bit that adds nothing */
    add_moment(350, 2, "sched_waking");
    add_text("comm", "eleven");
    add_uint("tid", 11);
    add_moment(360, 3, "sched_wakeup");
    add_text("comm", "eleven");
    add_uint("tid", 11);
    lttng_switches(400, 3, 0, 0, 11);
    lttng_switches(450, 3, 11, 0x100, 13); /* thread 11 is preempted */
    lttng_switches(480, 3, 13, 0x40, 11);  /* thread 13 ends */
    finish();
    row = row_of(11);
    REQUIRE(row != NULL);
    name = stele_name_text(it.context, NULL, stele_track_get(it.context, row->track)->name);
    CHECK(name.size == 6 && memcmp(name.bytes, "eleven", 6) == 0);
    CHECK_EQ_U64(row->state_ns[STELE_RUN_SLEEPING], 150);
    CHECK_EQ_U64(row->state_ns[STELE_RUN_RUNNABLE], 50);
    CHECK_EQ_U64(row->state_ns[STELE_RUN_PREEMPTED], 30);
    CHECK_EQ_U64((uint64_t)row->priority_min, 11);
    CHECK_EQ_U64((uint64_t)row->priority_max, 20);
    CHECK_EQ_U64(row_of(12)->state_ns[STELE_RUN_BLOCKED], 180);
    CHECK_EQ_U64(row_of(13)->life_ns, 30);
    CHECK(row_of(0) == NULL);
    CHECK_EQ_U64(totals().wake_again_count, 1);
    CHECK_EQ_U64(cpu_row(3)->state_ns[STELE_CPU_IDLE], 100);
    CHECK_EQ_U64(cpu_row(2)->state_ns[STELE_CPU_UNKNOWN], 380);
    check_sums();
    end();
}

/* The same event with the fields of perf, which have the CPU as well; and an event that is no
   switch. */
TEST(switches_of_perf)
{
    begin();
    for (unsigned i = 0; i < 2; i++) {
        add_moment(100 + i * 50, 0, "sched_switch");
        add_uint("perf_cpu", 5);
        add_text("prev_comm", "a");
        add_uint("prev_pid", i == 0 ? 0 : 21);
        add_uint("prev_prio", 120);
        add_uint("prev_state", 1);
        add_text("next_comm", "b");
        add_uint("next_pid", i == 0 ? 21 : 0);
        add_uint("next_prio", 120);
    }
    add_moment(180, 0, "sched_switch");
    add_uint("other", 1);
    finish();
    REQUIRE(row_of(21) != NULL);
    CHECK_EQ_U64(row_of(21)->state_ns[STELE_RUN_RUNNING], 50);
    CHECK_EQ_U64(row_of(21)->state_ns[STELE_RUN_SLEEPING], 30);
    CHECK_EQ_U64(totals().switch_count, 2);
    CHECK_EQ_U64(cpu_row(5)->state_ns[STELE_CPU_IDLE], 30);
    check_sums();
    end();
}

/* ---- Where threads wait ---- */

static void opens(int64_t time_ns, uint64_t on, bool is_begin, const char *name)
{
    add_on(on, is_begin ? STELE_KIND_BEGIN : STELE_KIND_END, time_ns, name);
}

static uint64_t waited(const stele_path_tree *tree, const char *const *names)
{
    uint32_t node = 0;
    for (; *names != NULL; names++) {
        uint32_t child = tree->nodes[node].child;
        while (child != 0 && tree->nodes[child].name != named(*names))
            child = tree->nodes[child].sibling;
        if (child == 0)
            return 0;
        node = child;
    }
    return tree->nodes[node].sides[0].self_ns;
}

TEST(waits_by_path)
{
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_path_options options = STELE_INIT(stele_path_options);
    stele_paths *paths;
    stele_segment segment;
    made_begin();
    options.off_cpu = true;
    REQUIRE(stele_paths_new(it.context, &options, &paths) == STELE_OK);
    switches(100, 0, 0, READY, 1);
    opens(110, 1, true, "work");
    opens(120, 1, true, "wait");
    switches(150, 0, 1, BLOCKED, 0);
    wakes(250, 0, 1);
    switches(260, 0, 0, READY, 1);
    opens(270, 1, false, "wait");
    add_on(1, STELE_KIND_COMPLETE, 280, "step")->id = 290;
    switches(300, 0, 1, READY, 2); /* thread 1 waits in "work", as the step has ended */
    switches(340, 0, 2, BLOCKED, 1);
    opens(350, 1, false, "work");
    switches(400, 0, 1, BLOCKED, 0);
    switches(500, 0, 0, READY, 1);
    segment = made_segment();
    CHECK_EQ_U64(stele_paths_add(paths, &segment), STELE_OK);
    CHECK_EQ_U64(stele_paths_tree(paths, false, &tree), STELE_OK);
    CHECK_EQ_U64(waited(&tree, (const char *[]){"work", "wait", "[blocked]", NULL}), 100);
    CHECK_EQ_U64(waited(&tree, (const char *[]){"work", "wait", "[runnable]", NULL}), 10);
    CHECK_EQ_U64(waited(&tree, (const char *[]){"work", "[preempted]", NULL}), 40);
    /* Thread 1 waits for 100, thread 2 from 340 to the end. */
    CHECK_EQ_U64(waited(&tree, (const char *[]){"[blocked]", NULL}), 100 + 160);
    CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, 100 + 10 + 40 + 260);
    stele_paths_free(paths);
    made_end();
}

/* ---- What always holds ---- */

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

/* A track that is taken for a CPU in one event is a thread's in another. */
TEST(tracks_of_another_kind)
{
    begin();
    for (unsigned i = 0; i < 200; i++)
        switches(100 + i, i, 1 + i % 7, BLOCKED, 2 + i % 5);
    for (unsigned i = 0; i < 200; i++) {
        stele_event *event = stele_batch_add_event(it.batch);
        event->kind = i % 2 == 0 ? STELE_KIND_SWITCH : STELE_KIND_WAKE;
        event->time_ns = 400 + i;
        event->track = thread(i % 9);
        event->value = cpu(i);
        event->id = cpu(i + 3);
    }
    finish();
    check_sums();
    end();
}

/* Some events are missing, some are repeated, and some make no sense. */
TEST(sums_hold_whatever_the_events_say)
{
    for (unsigned round = 0; round < 60; round++) {
        int64_t now = 1000;
        seed = round;
        begin_with((stele_sched_options){.every_ns = round % 3 == 0 ? 500 : 0});
        if (round % 4 == 1)
            stele_sched_set_window(got.sched, 3000, round % 8 == 1 ? 6000 : INT64_MAX);
        for (unsigned i = 0; i < 400; i++) {
            now += below(40);
            if (below(50) == 0) {
                stele_event *event = stele_batch_add_event(it.batch);
                event->kind = STELE_KIND_LOST;
                event->time_ns = now;
                event->track = below(2) == 0 ? cpu(below(3)) : 0;
            } else if (below(3) == 0) {
                wakes(now, below(3), 1 + below(6));
            } else {
                switches(now, below(3), below(7), below(7), below(7));
            }
        }
        finish();
        check_sums();
        end();
    }
}
