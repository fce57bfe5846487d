/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what kernels say about scheduling as events of Linux's ftrace, from which Perfetto
   makes its tables of CPUs and thread states. model/kernel/ knows which events those are. */
#include "model/idle.h"
#include "sinks/perfetto_sink.h"

#define CPU_NONE UINT32_MAX

/* Bits of the outgoing thread's state in sched_switch. */
#define LINUX_RUNNABLE  0x00u
#define LINUX_SLEEPING  0x01u
#define LINUX_BLOCKED   0x02u
#define LINUX_STOPPED   0x04u
#define LINUX_DEAD      0x10u
#define LINUX_ZOMBIE    0x20u
#define LINUX_LASTING   0x3fu  /* bits that have been the same in all versions of Linux */
#define LINUX_PREEMPTED 0x800u /* as in the version that Perfetto assumes */

/* One of the two threads of a switch event. */
typedef struct side {
    uint32_t track, tid;
    const stele_field *priority, *name;
} side;

/* ---- CPU and thread of an event ---- */

/* The CPU of an event: a field names it, its track is a CPU, or its record has a number. */
static uint32_t cpu_of(perfetto_sink *p, const stele_event *event, const kernel_event *known,
                       uint32_t *track)
{
    const stele_track *on = stele_track_get(p->base.context, event->track);
    const stele_field *field = kernel_field(known, KERNEL_CPU);
    stele_track made = {.kind = STELE_TRACK_CPU, .source = on != NULL ? on->source : 0};
    *track = event->track;
    if (field != NULL)
        made.number = (uint64_t)kernel_number(field);
    else if (on != NULL && on->kind == STELE_TRACK_CPU)
        made.number = on->number;
    else if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        made.number = event->cpu;
    else
        return CPU_NONE;
    if (on == NULL || on->kind != STELE_TRACK_CPU || on->number != made.number)
        *track = stele_track_intern(p->base.context, &made);
    return made.number < PERFETTO_CPUS_MAX ? (uint32_t)made.number : CPU_NONE;
}

/* The track of a thread that the trace knows only by its number. */
static uint32_t thread_of_number(perfetto_sink *p, const stele_event *event, uint64_t number)
{
    const stele_track *on = stele_track_get(p->base.context, event->track);
    return stele_track_intern(p->base.context, &(stele_track){.kind = STELE_TRACK_THREAD,
                                                              .source = on != NULL ? on->source : 0,
                                                              .number = number});
}

static void name_thread(perfetto_sink *p, uint32_t track, const stele_field *field)
{
    stele_text text;
    stele_name name;
    if (field == NULL || track == 0)
        return;
    text = stele_field_text(p->base.context, p->batch, field);
    name = stele_name_intern(p->base.context, text.bytes, text.size);
    if (name != UINT32_MAX && name != 0)
        stele_track_set_name(p->base.context, track, name);
}

/* Sets the number of a thread, 0 for an idle thread or none. Returns false if out of memory. */
static bool find_side(perfetto_sink *p, const stele_event *event, const kernel_event *known,
                      kernel_role number, kernel_role weight, side *to)
{
    const stele_field *field = kernel_field(known, number), *weighed = kernel_field(known, weight);
    const idle_signs signs = {.thread = to->track,
                              .has_weight = weighed != NULL,
                              .weight = kernel_number(weighed),
                              .has_priority = to->priority != NULL,
                              .priority = kernel_number(to->priority)};
    const perfetto_track *item;
    if (field != NULL)
        to->track = kernel_number(field) == 0
                        ? 0
                        : thread_of_number(p, event, (uint64_t)kernel_number(field));
    else if (idle_judge(p->base.context, &signs))
        to->track = 0;
    if (to->priority == NULL)
        to->priority = weighed;
    if (to->track == 0)
        return true;
    name_thread(p, to->track, to->name);
    item = perfetto_track_get(p, to->track);
    if (item == NULL)
        return false;
    to->tid = item->tid;
    return true;
}

/* Whether the batch's context has more than the number of a CPU. */
static bool has_context(const perfetto_sink *p)
{
    const stele_field *fields = p->batch->fields + p->batch->context_first;
    for (uint32_t at = 0; at < p->batch->context_count; at++)
        if (field_is_shown(&fields[at]) && fields[at].type < STELE_TYPE_RUN_FIRST &&
            fields[at].name != p->cpu_id)
            return true;
    return false;
}

/* Whether an event has more than the fields that scheduling uses. */
static bool says_more(const perfetto_sink *p, const stele_event *event, const kernel_event *known)
{
    uint32_t first, known_count = 0, shown_count = 0;
    const uint32_t count = stele_event_fields(p->batch, event, &first);
    for (unsigned i = 0; i < KERNEL_ROLE_COUNT; i++)
        known_count += known->places[i] != 0;
    for (uint32_t at = 0; at < count; at += stele_field_length(&p->batch->fields[first + at]))
        shown_count += field_is_shown(&p->batch->fields[first + at]);
    return shown_count > known_count || has_context(p) ||
           (event->flags & (STELE_FLAG_DAMAGED | STELE_FLAG_UNRESOLVED)) != 0;
}

/* ---- States of threads ---- */

/* Converts Fuchsia's states, whose numbers are: new, running, suspended, blocked, dying, dead. */
static uint32_t fuchsia_state(uint64_t state)
{
    static const uint32_t states[] = {LINUX_RUNNABLE, LINUX_RUNNABLE, LINUX_STOPPED,
                                      LINUX_SLEEPING, LINUX_ZOMBIE,   LINUX_DEAD};
    return state < sizeof states / sizeof *states ? states[state] : LINUX_SLEEPING;
}

static uint32_t state_of(const perfetto_sink *p, const stele_event *event,
                         const kernel_event *known)
{
    const uint64_t raw = (uint64_t)kernel_number(kernel_field(known, KERNEL_OUTGOING_STATE));
    stele_name text;
    if (event->kind == STELE_KIND_SWITCH)
        return fuchsia_state(raw);
    if ((raw & LINUX_LASTING) != 0)
        return (uint32_t)(raw & LINUX_LASTING);
    switch (kernel_read_state(p->kernel, known, &text)) {
    case KERNEL_PREEMPTED: return raw != 0 ? LINUX_PREEMPTED : LINUX_RUNNABLE;
    case KERNEL_BLOCKED: return LINUX_BLOCKED;
    case KERNEL_STOPPED: return LINUX_STOPPED;
    case KERNEL_DEAD: return LINUX_DEAD;
    default: return LINUX_SLEEPING;
    }
}

/* ---- Events of ftrace ---- */

static size_t bundle_begin(perfetto_sink *p, uint32_t cpu)
{
    size_t mark;
    perfetto_packet_begin(p, SEQUENCE_EVENTS);
    mark = proto_begin(&p->packet, PACKET_FTRACE_EVENTS);
    proto_uint(&p->packet, BUNDLE_CPU, cpu);
    return mark;
}

static void bundle_end(perfetto_sink *p, size_t mark)
{
    proto_end(&p->packet, mark);
    perfetto_packet_end(p);
}

static void put_side(perfetto_sink *p, const side *of, uint32_t comm, uint32_t pid, uint32_t prio)
{
    if (of->name != NULL) {
        const stele_text text = stele_field_text(p->base.context, p->batch, of->name);
        perfetto_text(p, &p->packet, comm, text.bytes, text.size);
    }
    proto_uint(&p->packet, pid, of->tid);
    proto_uint(&p->packet, prio, (uint64_t)(int64_t)(int32_t)kernel_number(of->priority));
}

static bool take_switch(perfetto_sink *p, const stele_event *event, const kernel_event *known)
{
    side outgoing = {.track = (uint32_t)event->value,
                     .priority = kernel_field(known, KERNEL_OUTGOING_PRIORITY),
                     .name = kernel_field(known, KERNEL_OUTGOING_NAME)};
    side incoming = {.track = (uint32_t)event->id,
                     .priority = kernel_field(known, KERNEL_INCOMING_PRIORITY),
                     .name = kernel_field(known, KERNEL_INCOMING_NAME)};
    uint32_t track;
    const uint32_t cpu = cpu_of(p, event, known, &track);
    const uint64_t time = perfetto_time(p, event->time_ns);
    perfetto_track *item = NULL;
    size_t bundle, inner, mark;
    if (cpu == CPU_NONE)
        return false;
    if (find_side(p, event, known, KERNEL_OUTGOING, KERNEL_OUTGOING_WEIGHT, &outgoing) &&
        find_side(p, event, known, KERNEL_INCOMING, KERNEL_INCOMING_WEIGHT, &incoming))
        item = perfetto_track_get(p, track);
    if (item == NULL)
        return false;
    bundle = bundle_begin(p, cpu);
    inner = proto_begin(&p->packet, BUNDLE_EVENT);
    proto_uint(&p->packet, FTRACE_TIMESTAMP, time);
    proto_uint(&p->packet, FTRACE_PID, outgoing.tid);
    mark = proto_begin(&p->packet, FTRACE_SWITCH);
    put_side(p, &outgoing, SWITCH_PREV_COMM, SWITCH_PREV_PID, SWITCH_PREV_PRIO);
    proto_uint(&p->packet, SWITCH_PREV_STATE,
               outgoing.tid != 0 ? state_of(p, event, known) : LINUX_RUNNABLE);
    put_side(p, &incoming, SWITCH_NEXT_COMM, SWITCH_NEXT_PID, SWITCH_NEXT_PRIO);
    proto_end(&p->packet, mark);
    proto_end(&p->packet, inner);
    bundle_end(p, bundle);
    item->running_tid = incoming.tid;
    return !says_more(p, event, known);
}

static bool take_wake(perfetto_sink *p, const stele_event *event, const kernel_event *known)
{
    const stele_field *waker = kernel_field(known, KERNEL_WAKER),
                      *thread = kernel_field(known, KERNEL_THREAD);
    side woken = {.track = (uint32_t)event->id,
                  .priority = NULL,
                  .name = kernel_field(known, KERNEL_THREAD_NAME)};
    uint32_t track;
    const uint32_t cpu = cpu_of(p, event, known, &track);
    const uint64_t time = perfetto_time(p, event->time_ns);
    const uint64_t number = (uint64_t)kernel_number(waker);
    const perfetto_track *item = NULL;
    size_t bundle, inner, mark;
    if (cpu == CPU_NONE || (thread != NULL && kernel_number(thread) == 0))
        return false;
    if (find_side(p, event, known, KERNEL_THREAD, KERNEL_INCOMING_WEIGHT, &woken))
        item = perfetto_track_get(p, track);
    if (item == NULL || woken.tid == 0)
        return false;
    bundle = bundle_begin(p, cpu);
    inner = proto_begin(&p->packet, BUNDLE_EVENT);
    proto_uint(&p->packet, FTRACE_TIMESTAMP, time);
    proto_uint(&p->packet, FTRACE_PID,
               waker != NULL && number <= INT32_MAX ? number : item->running_tid);
    mark = proto_begin(&p->packet, FTRACE_WAKING);
    put_side(p, &woken, WAKING_COMM, WAKING_PID, WAKING_PRIO);
    proto_uint(&p->packet, WAKING_SUCCESS, 1);
    proto_uint(&p->packet, WAKING_CPU, cpu);
    proto_end(&p->packet, mark);
    proto_end(&p->packet, inner);
    bundle_end(p, bundle);
    return !says_more(p, event, known);
}

bool perfetto_sched(perfetto_sink *p, const stele_event *event)
{
    const kernel_event *known;
    if (event->kind != STELE_KIND_SWITCH && event->kind != STELE_KIND_WAKE &&
        event->kind != STELE_KIND_INSTANT)
        return false;
    known = kernel_read(p->kernel, p->batch, event);
    if (known == NULL)
        return false;
    if (known->action == KERNEL_SWITCH)
        return take_switch(p, event, known);
    if (known->action == KERNEL_WAKE)
        return take_wake(p, event, known);
    if (known->action == KERNEL_NAME && kernel_number(kernel_field(known, KERNEL_THREAD)) != 0)
        name_thread(
            p,
            thread_of_number(p, event, (uint64_t)kernel_number(kernel_field(known, KERNEL_THREAD))),
            kernel_field(known, KERNEL_THREAD_NAME));
    return false;
}

void perfetto_sched_lost(perfetto_sink *p, const stele_event *event)
{
    const stele_track *track = stele_track_get(p->base.context, event->track);
    size_t mark;
    if (track == NULL || track->kind != STELE_TRACK_CPU || track->number >= PERFETTO_CPUS_MAX)
        return;
    mark = bundle_begin(p, (uint32_t)track->number);
    proto_uint(&p->packet, BUNDLE_LOST, 1);
    bundle_end(p, mark);
}
