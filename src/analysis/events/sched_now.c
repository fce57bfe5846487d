/* SPDX-License-Identifier: Apache-2.0 */
/* What threads and CPUs do at a moment, as rows from which another handle goes on. */
#include "analysis/events/sched.h"

static stele_sched_now thread_now(const stele_sched *s, const sched_thread *t)
{
    return (stele_sched_now){.since_ns = t->since_ns,
                             .offset = t->place.offset,
                             .stream = t->place.stream,
                             .track = t->row.track,
                             .other = t->cpu != 0 ? s->cpus[t->cpu - 1].row.track : 0,
                             .by = t->by,
                             .text = t->text,
                             .call = t->call.name,
                             .state = t->state,
                             .has_priority = t->row.has_priority,
                             .priority = t->row.priority};
}

static stele_sched_now cpu_now(const stele_sched *s, const sched_cpu *c)
{
    return (stele_sched_now){.since_ns = c->since_ns,
                             .offset = c->place.offset,
                             .stream = c->place.stream,
                             .track = c->row.track,
                             .other = c->thread != 0 ? s->threads[c->thread - 1].row.track : 0,
                             .irq_depth = c->irq_depth,
                             .is_cpu = true,
                             .state = c->state,
                             .has_priority = c->has_priority,
                             .priority = c->priority};
}

stele_status stele_sched_give_now(const stele_sched *s, stele_sched_now_fn *fn, void *user)
{
    stele_status status = s->status;
    for (uint32_t i = 0; status == STELE_OK && i < s->cpu_count; i++) {
        const stele_sched_now now = cpu_now(s, &s->cpus[i]);
        status = fn(user, &now);
    }
    for (uint32_t i = 0; status == STELE_OK && i < s->thread_count; i++) {
        const stele_sched_now now = thread_now(s, &s->threads[i]);
        if (s->threads[i].is_alive)
            status = fn(user, &now);
    }
    return status;
}

/* Returns the index plus 1 of a thread or CPU that a row names; 0: it names none. */
static uint32_t number_of(stele_sched *s, uint32_t track, bool is_cpu)
{
    uint32_t index;
    if (track == 0)
        return 0;
    index = is_cpu ? sched_cpu_of_track(s, track) : sched_thread_of_track(s, track);
    return index != SCHED_NONE ? index + 1 : 0;
}

static void thread_go_on(stele_sched *s, const stele_sched_now *now)
{
    const uint32_t cpu = number_of(s, now->other, true);
    const uint32_t thread = number_of(s, now->track, false);
    sched_thread *t;
    if (thread == 0 || now->state >= STELE_RUN_STATE_COUNT)
        return;
    t = &s->threads[thread - 1];
    t->is_alive = t->is_wanted = t->has_wanted = true;
    t->row.first_ns = t->birth_ns = t->since_ns = now->since_ns;
    t->place = t->call.place = (sched_place){now->offset, now->stream};
    t->state = now->state;
    /* A thread that runs without a CPU could not be found again when another one runs there. */
    if (now->state == STELE_RUN_RUNNING && cpu == 0)
        t->state = STELE_RUN_UNKNOWN;
    t->cpu = cpu;
    t->by = now->by;
    t->text = now->text;
    t->call.name = now->call;
    t->call.begin_ns = now->since_ns;
    t->row.has_priority = now->has_priority;
    t->row.priority = t->row.priority_min = t->row.priority_max = now->priority;
}

static void cpu_go_on(stele_sched *s, const stele_sched_now *now)
{
    const uint32_t thread = number_of(s, now->other, false);
    const uint32_t cpu = number_of(s, now->track, true);
    sched_cpu *c;
    if (cpu == 0 || now->state >= STELE_CPU_STATE_COUNT)
        return;
    c = &s->cpus[cpu - 1];
    c->since_ns = now->since_ns;
    c->place = (sched_place){now->offset, now->stream};
    c->state = now->state;
    c->thread = thread;
    c->irq_depth = now->irq_depth;
    c->has_priority = now->has_priority;
    c->priority = now->priority;
}

stele_status stele_sched_go_on(stele_sched *s, const stele_sched_now *rows, size_t count)
{
    for (size_t i = 0; i < count && s->status == STELE_OK; i++) {
        if (!s->has_events || rows[i].since_ns < s->first_ns)
            s->first_ns = rows[i].since_ns;
        if (!s->has_events || rows[i].since_ns > s->last_ns)
            s->last_ns = s->now_ns = rows[i].since_ns;
        s->has_events = true;
        if (rows[i].is_cpu)
            cpu_go_on(s, &rows[i]);
        else
            thread_go_on(s, &rows[i]);
    }
    s->calm_ns = INT64_MIN;
    return s->status;
}
