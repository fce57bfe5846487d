/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows what threads and CPUs do from one event to the next. A state holds until an event says
 * otherwise. If an event does not fit the state, others are missing, and the time since the last
 * one that fits is unknown.
 */
#include "analysis/events/sched.h"

#include <stdlib.h>

#include "core/array.h"

static uint64_t distance(int64_t from_ns, int64_t to_ns)
{
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Moves a time outside of the window to the nearer bound. */
static int64_t clip(const stele_sched *s, int64_t time_ns)
{
    return time_ns < s->begin_ns ? s->begin_ns : time_ns > s->end_ns ? s->end_ns : time_ns;
}

void sched_fail(stele_sched *s, stele_status status)
{
    if (s->status == STELE_OK)
        s->status = status;
}

/* ---- Steps of time ---- */

static void use_to(stele_sched *s, sched_cpu *c, int64_t time_ns)
{
    if (s->options.every_ns == 0 || time_ns <= c->used_ns)
        return;
    c->use.state_ns[c->state] += distance(c->used_ns, time_ns);
    c->used_ns = time_ns;
}

static void give_step(stele_sched *s, int64_t end_ns)
{
    if (s->cpu_count > s->use_capacity) {
        stele_cpu_use *grown = array_fit(s->uses, sizeof *grown, s->cpu_capacity);
        if (grown == NULL) {
            sched_fail(s, STELE_ERR_MEMORY);
            return;
        }
        s->uses = grown;
        s->use_capacity = s->cpu_capacity;
    }
    for (uint32_t i = 0; i < s->cpu_count; i++) {
        sched_cpu *c = &s->cpus[i];
        use_to(s, c, end_ns);
        s->uses[i] = c->use;
        s->uses[i].begin_ns = s->step_ns;
        s->uses[i].end_ns = end_ns;
        s->uses[i].cpu = c->row.track;
        c->use = (stele_cpu_use){.begin_ns = 0};
    }
    s->step_ns = end_ns;
    if (s->options.on_use != NULL && s->cpu_count != 0 && s->status == STELE_OK)
        sched_fail(s, s->options.on_use(s->options.user, s->uses, s->cpu_count));
}

/* A gap of more steps than this is given as a single step. */
#define STEPS_MAX 1000000u

static void give_steps(stele_sched *s, int64_t time_ns)
{
    const uint64_t every = s->options.every_ns, steps = distance(s->step_ns, time_ns) / every;
    if (steps > STEPS_MAX) {
        give_step(s, (int64_t)((uint64_t)s->step_ns + steps * every));
        return;
    }
    for (uint64_t i = 0; i < steps && s->status == STELE_OK; i++)
        give_step(s, (int64_t)((uint64_t)s->step_ns + every));
}

static void steps_begin(stele_sched *s)
{
    s->has_step = true;
    s->step_ns = clip(s, s->first_ns);
    for (uint32_t i = 0; i < s->cpu_count; i++)
        s->cpus[i].used_ns = s->step_ns;
}

void sched_step(stele_sched *s)
{
    if (s->now_ns < s->begin_ns)
        return;
    if (!s->has_step)
        steps_begin(s);
    give_steps(s, clip(s, s->now_ns));
}

/* ---- Time ---- */

void sched_settle(stele_sched *s)
{
    const int64_t last_ns = s->last_ns;
    s->calm_ns = last_ns < s->begin_ns ? s->begin_ns : last_ns < s->end_ns ? s->end_ns : INT64_MAX;
    if (!s->has_events || s->options.every_ns != 0)
        s->calm_ns = INT64_MIN;
    s->in_window = sched_in_window(s, last_ns);
    s->is_plain = s->is_all && s->begin_ns == INT64_MIN && s->in_window &&
                  s->options.every_ns == 0 && s->options.on_thread == NULL &&
                  s->options.on_cpu == NULL;
}

bool sched_advance_far(stele_sched *s, int64_t time_ns)
{
    if (time_ns < s->range_begin_ns || time_ns > s->range_end_ns) {
        s->totals.far_count++;
        return false;
    }
    if (!s->has_events) {
        s->has_events = true;
        s->first_ns = s->last_ns = time_ns;
    }
    if (time_ns > s->last_ns)
        s->last_ns = time_ns;
    s->now_ns = s->last_ns;
    sched_settle(s);
    if (s->options.every_ns != 0)
        sched_step(s);
    return true;
}

/* ---- Intervals ---- */

static __attribute__((noinline)) void give_thread(stele_sched *s, const sched_thread *t,
                                                  int64_t begin_ns, int64_t end_ns,
                                                  stele_run_state state, bool is_open)
{
    const bool is_waiting = state != STELE_RUN_UNKNOWN && state != STELE_RUN_RUNNING;
    const stele_thread_interval interval = {.begin_ns = begin_ns,
                                            .end_ns = end_ns,
                                            .offset = t->place.offset,
                                            .stream = t->place.stream,
                                            .thread = t->row.track,
                                            .cpu = t->cpu != 0 ? s->cpus[t->cpu - 1].row.track : 0,
                                            .by = t->by,
                                            .text =
                                                state == (stele_run_state)t->state ? t->text : 0,
                                            .reason = is_waiting ? t->call.name : 0,
                                            .state = (uint8_t)state,
                                            .is_open = is_open,
                                            .has_priority = t->row.has_priority,
                                            .priority = t->row.priority};
    sched_fail(s, s->options.on_thread(s->options.user, &interval));
}

/* Ends a thread's current state where filters, the window or receivers may matter. */
static void thread_leave_any(stele_sched *s, sched_thread *t, stele_run_state state, bool is_open)
{
    const int64_t begin_ns = clip(s, t->since_ns), end_ns = clip(s, s->now_ns);
    if (!t->is_alive || !t->is_wanted || end_ns <= begin_ns || !sched_is_shown(s, t->row.track))
        return;
    t->row.state_ns[state] += distance(begin_ns, end_ns);
    if (s->options.on_thread != NULL && s->status == STELE_OK)
        give_thread(s, t, begin_ns, end_ns, state, is_open);
}

/* Ends a thread's current state, which is counted as `state`. */
static inline void thread_leave(stele_sched *s, sched_thread *t, stele_run_state state,
                                bool is_open)
{
    if (!s->is_plain)
        thread_leave_any(s, t, state, is_open);
    else if (t->is_alive)
        t->row.state_ns[state] += distance(t->since_ns, s->now_ns);
}

static void thread_enter(stele_sched *s, sched_thread *t, stele_run_state state, stele_name text,
                         uint32_t by)
{
    if (!t->is_alive) {
        t->is_alive = true;
        t->birth_ns = s->now_ns;
        if (t->row.first_ns == INT64_MIN)
            t->row.first_ns = s->now_ns;
    }
    t->state = (uint8_t)state;
    t->since_ns = s->now_ns;
    place_take(&t->place, &s->now);
    t->text = text;
    t->by = by;
    t->is_wanted = s->is_wanted;
    t->has_wanted |= s->is_wanted;
}

/* Ends a thread's life. */
static void thread_end(stele_sched *s, sched_thread *t)
{
    if (!t->is_alive)
        return;
    t->is_alive = false;
    t->call.name = 0;
    t->row.life_ns += distance(clip(s, t->birth_ns), clip(s, s->now_ns));
    t->row.last_ns = s->now_ns;
}

static __attribute__((noinline)) void give_cpu(stele_sched *s, const sched_cpu *c, int64_t begin_ns,
                                               int64_t end_ns, stele_cpu_state state,
                                               stele_name end_text, bool is_open)
{
    const bool is_busy = state == STELE_CPU_BUSY && c->thread != 0;
    const stele_cpu_interval interval = {.begin_ns = begin_ns,
                                         .end_ns = end_ns,
                                         .offset = c->place.offset,
                                         .stream = c->place.stream,
                                         .cpu = c->row.track,
                                         .thread =
                                             is_busy ? s->threads[c->thread - 1].row.track : 0,
                                         .end_text = end_text,
                                         .state = (uint8_t)state,
                                         .is_open = is_open,
                                         .has_priority = is_busy && c->has_priority,
                                         .priority = is_busy ? c->priority : 0};
    sched_fail(s, s->options.on_cpu(s->options.user, &interval));
}

/* Ends a CPU's current state where filters, the window or receivers may matter. */
static void cpu_leave_any(stele_sched *s, sched_cpu *c, stele_cpu_state state, stele_name end_text,
                          bool is_open)
{
    const int64_t begin_ns = clip(s, c->since_ns), end_ns = clip(s, s->now_ns);
    use_to(s, c, end_ns);
    if (end_ns <= begin_ns || !sched_is_shown(s, c->row.track))
        return;
    c->row.state_ns[state] += distance(begin_ns, end_ns);
    if (s->options.on_cpu != NULL && s->status == STELE_OK)
        give_cpu(s, c, begin_ns, end_ns, state, end_text, is_open);
}

/* Ends a CPU's current state, which is counted as `state`. */
static inline void cpu_leave(stele_sched *s, sched_cpu *c, stele_cpu_state state,
                             stele_name end_text, bool is_open)
{
    if (s->is_plain)
        c->row.state_ns[state] += distance(c->since_ns, s->now_ns);
    else
        cpu_leave_any(s, c, state, end_text, is_open);
}

static void cpu_enter(stele_sched *s, sched_cpu *c, stele_cpu_state state, const sched_side *side)
{
    c->state = (uint8_t)state;
    c->thread = side != NULL && side->thread != SCHED_NONE ? side->thread + 1 : 0;
    c->has_priority = side != NULL && side->has_priority;
    c->priority = c->has_priority ? side->priority : 0;
    c->since_ns = s->now_ns;
    place_take(&c->place, &s->now);
}

/* Whether the CPU with a number runs a thread; both numbers are indexes plus 1. */
static inline bool runs_on(const stele_sched *s, const sched_thread *t, uint32_t thread,
                           uint32_t cpu)
{
    return t->is_alive && t->state == STELE_RUN_RUNNING && t->cpu == cpu &&
           s->cpus[cpu - 1].state == STELE_CPU_BUSY && s->cpus[cpu - 1].thread == thread;
}

/* Whether the CPU that is said to run a thread does so. */
static bool runs(const stele_sched *s, const sched_thread *t, uint32_t thread)
{
    return t->cpu != 0 && runs_on(s, t, thread, t->cpu);
}

/* Handles a missing switch: the CPU runs another thread now, and it is not known since when. */
static void cpu_doubt(stele_sched *s, uint32_t cpu)
{
    sched_cpu *c = &s->cpus[cpu - 1];
    sched_thread *t = c->thread != 0 ? &s->threads[c->thread - 1] : NULL;
    if (t != NULL && runs_on(s, t, c->thread, cpu)) {
        thread_leave(s, t, STELE_RUN_UNKNOWN, false);
        thread_enter(s, t, STELE_RUN_UNKNOWN, 0, 0);
    }
    cpu_leave(s, c, STELE_CPU_UNKNOWN, 0, false);
    cpu_enter(s, c, STELE_CPU_UNKNOWN, NULL);
}

/* ---- Pairs of threads that preempt each other ---- */

static uint32_t pair_find(stele_sched *s, uint32_t thread, uint32_t by)
{
    uint32_t hash;
    if (!hash_table_reserve(&s->pair_numbers)) {
        sched_fail(s, STELE_ERR_MEMORY);
        return SCHED_NONE;
    }
    hash = hash_table_hash_pair(&s->pair_numbers, thread, by);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&s->pair_numbers, hash, &at)) != HASH_NONE;)
        if (s->pairs[number].thread == thread && s->pairs[number].by == by)
            return number;
    if (s->pair_count == s->options.pairs_max)
        return SCHED_NONE;
    if (s->pair_count == s->pair_capacity) {
        stele_sched_pair *grown = array_grow(s->pairs, sizeof *grown, &s->pair_capacity, 64);
        if (grown == NULL) {
            sched_fail(s, STELE_ERR_MEMORY);
            return SCHED_NONE;
        }
        s->pairs = grown;
    }
    s->pairs[s->pair_count] = (stele_sched_pair){.thread = thread, .by = by};
    hash_table_put(&s->pair_numbers, hash, s->pair_count);
    return s->pair_count++;
}

static void preempt(stele_sched *s, sched_thread *t, uint32_t by)
{
    uint32_t number;
    t->pair = 0;
    if (!s->in_window)
        return;
    if (by == t->row.track)
        return; /* the thread continues at once */
    t->row.preempted_count++;
    s->totals.preemption_count++;
    if (by == 0 || !t->is_wanted || !sched_is_shown(s, t->row.track))
        return;
    number = pair_find(s, t->row.track, by);
    if (number == SCHED_NONE) {
        s->totals.pair_other_count++;
        return;
    }
    s->pairs[number].count++;
    t->pair = number + 1;
}

static __attribute__((noinline)) void pair_goes_on(stele_sched *s, sched_thread *t)
{
    stele_sched_pair *pair = &s->pairs[t->pair - 1];
    const uint64_t wait_ns = distance(clip(s, t->since_ns), clip(s, s->now_ns));
    pair->wait_ns += wait_ns;
    if (wait_ns > pair->wait_max_ns)
        pair->wait_max_ns = wait_ns;
    t->pair = 0;
}

static inline void preempted_goes_on(stele_sched *s, sched_thread *t)
{
    if (t->pair != 0)
        pair_goes_on(s, t);
}

/* ---- Latencies of wake-ups ---- */

static uint64_t latency(const stele_sched_wake *wake)
{
    return distance(wake->wake_ns, wake->run_ns);
}

/* Keeps a wake-up if it is among the longest. The first one of the heap is the shortest that is
   kept. */
static void keep_worst(stele_sched *s, const stele_sched_wake *wake)
{
    stele_sched_wake *heap = s->worst;
    uint32_t at, child;
    if (s->worst_count < s->options.worst_max) {
        for (at = s->worst_count++; at != 0 && latency(&heap[(at - 1) / 2]) > latency(wake);
             at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = *wake;
        return;
    }
    if (s->worst_count == 0 || latency(wake) <= latency(&heap[0]))
        return;
    for (at = 0; (child = 2 * at + 1) < s->worst_count; at = child) {
        child += child + 1 < s->worst_count && latency(&heap[child + 1]) < latency(&heap[child]);
        if (latency(&heap[child]) >= latency(wake))
            break;
        heap[at] = heap[child];
    }
    heap[at] = *wake;
}

/* Counts the latency of a thread that was woken and now gets a CPU. */
static void count_latency(stele_sched *s, sched_thread *t, const sched_cpu *c)
{
    const uint64_t ns = distance(t->since_ns, s->now_ns);
    stele_sched_totals *totals = &s->totals;
    if (!sched_in_window(s, t->since_ns) || !s->in_window || !t->is_wanted ||
        !sched_is_shown(s, t->row.track))
        return;
    t->row.latency_count++;
    t->row.latency_ns += ns;
    if (ns > t->row.latency_max_ns)
        t->row.latency_max_ns = ns;
    if (totals->latency_count++ == 0 || ns < totals->latency_min_ns)
        totals->latency_min_ns = ns;
    if (ns > totals->latency_max_ns)
        totals->latency_max_ns = ns;
    totals->latency_ns += ns;
    totals->latency_class[63 - __builtin_clzll(ns | 1)]++;
    if (!histogram_add(&s->latencies, ns))
        sched_fail(s, STELE_ERR_MEMORY);
    keep_worst(s, &(stele_sched_wake){.wake_ns = t->since_ns,
                                      .run_ns = s->now_ns,
                                      .wake_offset = t->place.offset,
                                      .run_offset = s->now.offset,
                                      .wake_stream = t->place.stream,
                                      .run_stream = s->now.stream,
                                      .thread = t->row.track,
                                      .by = t->by,
                                      .cpu = c->row.track});
}

/* ---- Switches ---- */

static void see_priority(sched_thread *t, const sched_side *side)
{
    stele_sched_thread *row = &t->row;
    if (!side->has_priority)
        return;
    if (!row->has_priority || side->priority < row->priority_min)
        row->priority_min = side->priority;
    if (!row->has_priority || side->priority > row->priority_max)
        row->priority_max = side->priority;
    row->priority = side->priority;
    row->has_priority = true;
}

static void switch_out(stele_sched *s, uint32_t cpu, const sched_side *side, kernel_state state,
                       stele_name text, uint32_t by)
{
    static const uint8_t states[] = {[KERNEL_PREEMPTED] = STELE_RUN_PREEMPTED,
                                     [KERNEL_SLEEPING] = STELE_RUN_SLEEPING,
                                     [KERNEL_BLOCKED] = STELE_RUN_BLOCKED,
                                     [KERNEL_STOPPED] = STELE_RUN_STOPPED};
    sched_thread *t = &s->threads[side->thread];
    const bool did_run = runs_on(s, t, side->thread + 1, cpu);
    if (!did_run && runs(s, t, side->thread + 1))
        cpu_doubt(s, t->cpu);
    thread_leave(s, t, did_run ? STELE_RUN_RUNNING : STELE_RUN_UNKNOWN, false);
    see_priority(t, side);
    t->cpu = cpu;
    t->pair = 0;
    if (state == KERNEL_DEAD) {
        /* Nothing is known of the thread before this event, except that it was running. */
        if (!t->is_alive)
            thread_enter(s, t, STELE_RUN_RUNNING, 0, 0);
        thread_end(s, t);
        return;
    }
    thread_enter(s, t, (stele_run_state)states[state], text, state == KERNEL_PREEMPTED ? by : 0);
    if (state == KERNEL_PREEMPTED)
        preempt(s, t, by);
    else if (s->in_window)
        t->row.voluntary_count++;
}

static void switch_in(stele_sched *s, uint32_t cpu, const sched_side *side)
{
    sched_thread *t = &s->threads[side->thread];
    bool is_known = t->is_alive;
    if (is_known && t->state == STELE_RUN_RUNNING) {
        /* The thread runs on another CPU, whose switch away from it is missing. */
        s->totals.contradiction_count++;
        if (runs(s, t, side->thread + 1))
            cpu_doubt(s, t->cpu);
        is_known = false;
    }
    if (is_known && t->state == STELE_RUN_RUNNABLE)
        count_latency(s, t, &s->cpus[cpu - 1]);
    preempted_goes_on(s, t);
    thread_leave(s, t, is_known ? (stele_run_state)t->state : STELE_RUN_UNKNOWN, false);
    see_priority(t, side);
    if (s->in_window && s->is_wanted) {
        t->row.run_count++;
        t->row.migration_count += t->cpu != 0 && t->cpu != cpu;
    }
    t->cpu = cpu;
    thread_enter(s, t, STELE_RUN_RUNNING, 0, 0);
}

void sched_switch(stele_sched *s, uint32_t cpu, const sched_side *outgoing, kernel_state state,
                  stele_name text, const sched_side *incoming)
{
    sched_cpu *c = &s->cpus[cpu];
    const uint32_t out = outgoing->thread != SCHED_NONE ? outgoing->thread + 1 : 0;
    const bool is_busy = !outgoing->is_idle;
    const uint32_t by = !incoming->is_idle && incoming->thread != SCHED_NONE
                            ? s->threads[incoming->thread].row.track
                            : 0;
    if (s->in_window) {
        s->totals.switch_count++;
        c->row.switch_count++;
    }
    if (c->state != STELE_CPU_UNKNOWN &&
        (is_busy != (c->state == STELE_CPU_BUSY) || (is_busy && c->thread != out))) {
        s->totals.contradiction_count++;
        cpu_doubt(s, cpu + 1);
    }
    if (is_busy && out != 0)
        switch_out(s, cpu + 1, outgoing, state, text, by);
    cpu_leave(s, c, (stele_cpu_state)c->state, is_busy ? text : 0, false);
    if (!incoming->is_idle && incoming->thread != SCHED_NONE)
        switch_in(s, cpu + 1, incoming);
    cpu_enter(s, c, incoming->is_idle ? STELE_CPU_IDLE : STELE_CPU_BUSY,
              incoming->is_idle ? NULL : incoming);
    /* threads are not switched inside of interrupts, so the end of one was missed */
    c->irq_depth = 0;
    c->use.switch_count++;
}

/* ---- Wake-ups, losses and the end ---- */

void sched_wake(stele_sched *s, uint32_t cpu, uint32_t thread, uint32_t waker)
{
    sched_thread *t = &s->threads[thread];
    const bool counts = s->in_window;
    if (cpu != SCHED_NONE)
        s->cpus[cpu].row.wake_count += counts;
    if (t->is_alive && t->state == STELE_RUN_RUNNING) {
        s->totals.wake_running_count += counts;
        return;
    }
    if (t->is_alive && (t->state == STELE_RUN_RUNNABLE || t->state == STELE_RUN_PREEMPTED)) {
        s->totals.wake_again_count += counts;
        return;
    }
    s->totals.wake_count += counts;
    t->row.wake_count += counts && s->is_wanted;
    thread_leave(s, t, (stele_run_state)t->state, false);
    thread_enter(s, t, STELE_RUN_RUNNABLE, 0, waker);
}

void sched_lose(stele_sched *s, uint32_t cpu)
{
    sched_cpu *c = &s->cpus[cpu];
    sched_thread *t = c->thread != 0 ? &s->threads[c->thread - 1] : NULL;
    if (t != NULL && runs_on(s, t, c->thread, cpu + 1)) {
        thread_leave(s, t, STELE_RUN_RUNNING, false);
        thread_enter(s, t, STELE_RUN_UNKNOWN, 0, 0);
    }
    cpu_leave(s, c, (stele_cpu_state)c->state, 0, false);
    cpu_enter(s, c, STELE_CPU_UNKNOWN, NULL);
}

void sched_close(stele_sched *s, int64_t end_ns)
{
    s->now_ns = end_ns;
    s->in_window = sched_in_window(s, end_ns);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        sched_thread *t = &s->threads[i];
        if (!t->is_alive)
            continue;
        preempted_goes_on(s, t);
        thread_leave(s, t, (stele_run_state)t->state, true);
        thread_end(s, t);
    }
    for (uint32_t i = 0; i < s->cpu_count; i++)
        cpu_leave(s, &s->cpus[i], (stele_cpu_state)s->cpus[i].state, 0, true);
    if (s->has_step && clip(s, end_ns) > s->step_ns)
        give_step(s, clip(s, end_ns));
}
