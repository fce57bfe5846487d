/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/sched.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/load.h"
#include "core/saturate.h"
#include "core/sized.h"
#include "model/idle.h"

const char *stele_run_state_text(stele_run_state state)
{
    static const char *const texts[STELE_RUN_STATE_COUNT] = {
        "unknown", "running", "preempted", "runnable", "sleeping", "blocked", "stopped"};
    return state < STELE_RUN_STATE_COUNT ? texts[state] : "";
}

const char *stele_cpu_state_text(stele_cpu_state state)
{
    static const char *const texts[STELE_CPU_STATE_COUNT] = {"unknown", "idle", "busy"};
    return state < STELE_CPU_STATE_COUNT ? texts[state] : "";
}

/* ---- Making and freeing ---- */

static stele_status make_filter(stele_context *context, const stele_request *request, filter **out)
{
    const stele_status status = filter_new(context, request, NULL, out);
    if (status == STELE_OK && filter_is_open(*out, STELE_KINDS_ALL)) {
        filter_free(*out);
        *out = NULL;
    }
    return status;
}

/* Makes two filters of a request. Its tracks select the rows that are shown, while its other
   parts select the events that are counted. */
static stele_status make_filters(stele_sched *s, const stele_request *only)
{
    stele_request events, tracks = {.kinds = 0};
    stele_status status;
    if (only == NULL)
        return STELE_OK;
    events = *only;
    events.begin = events.end = (stele_bound){.kind = STELE_BOUND_NONE};
    events.tracks = (stele_globs){.count = 0};
    tracks.tracks = only->tracks;
    status = make_filter(s->context, &events, &s->events);
    return status == STELE_OK ? make_filter(s->context, &tracks, &s->tracks) : status;
}

static stele_status prepare(stele_sched *s, stele_context *context)
{
    stele_status status;
    s->context = context;
    s->begin_ns = INT64_MIN;
    s->end_ns = INT64_MAX;
    s->source_stream = UINT32_MAX;
    s->calm_ns = INT64_MIN;
    status = make_filters(s, s->options.only);
    if (status != STELE_OK)
        return status;
    s->is_all = s->events == NULL && s->tracks == NULL;
    s->is_wanted = s->events == NULL;
    if (s->options.worst_max == 0)
        s->options.worst_max = 10;
    if (s->options.pairs_max == 0)
        s->options.pairs_max = 65536;
    s->cpu_name = stele_name_intern(context, KERNEL_CPU_FIELD, strlen(KERNEL_CPU_FIELD));
    s->kernel = kernel_new(s->context);
    s->worst = calloc(s->options.worst_max, sizeof *s->worst);
    return s->kernel != NULL && s->worst != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

stele_status stele_sched_new(stele_context *context, const stele_sched_options *options,
                             stele_sched **out)
{
    stele_sched *s = calloc(1, sizeof *s);
    stele_status status = SIZED_BEGIN(s, stele_sched, stele_sched_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(s, context);
    if (status != STELE_OK) {
        stele_sched_free(s);
        return status;
    }
    *out = s;
    return STELE_OK;
}

void stele_sched_free(stele_sched *s)
{
    if (s == NULL)
        return;
    filter_free(s->events);
    filter_free(s->tracks);
    kernel_free(s->kernel);
    histogram_free(&s->latencies);
    hash_table_free(&s->numbers);
    hash_table_free(&s->pair_numbers);
    free(s->by_track.items);
    free(s->cpu_by_track.items);
    free(s->cpu_of_own.items);
    free(s->threads);
    free(s->cpus);
    free(s->pairs);
    free(s->worst);
    free(s->uses);
    free(s->thread_rows);
    free(s->cpu_rows);
    free(s->worst_rows);
    free(s->pair_rows);
    free(s);
}

stele_status stele_sched_set_window(stele_sched *s, int64_t begin_ns, int64_t end_ns)
{
    s->begin_ns = begin_ns;
    s->end_ns = end_ns > begin_ns ? end_ns : begin_ns;
    s->calm_ns = INT64_MIN;
    return STELE_OK;
}

uint32_t stele_sched_columns(const stele_sched *s)
{
    const uint32_t columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK |
                             STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS;
    return s->events != NULL ? columns | filter_columns(s->events) : columns;
}

size_t stele_sched_fields(const stele_sched *s, const char *const **names)
{
    size_t count;
    *names = kernel_fields(s->kernel, s->on_known == NULL, &count);
    return s->events != NULL && (filter_columns(s->events) & STELE_COLUMN_FIELDS) != 0 ? 0 : count;
}

/* ---- The thread and the CPU of an event ---- */

/* Finds a thread that the trace knows only by its number; makes it if `is_made` is set. Returns
   SCHED_NONE if there is none. */
static inline uint32_t thread_of_number(stele_sched *s, uint64_t number, bool is_made)
{
    const sched_memo *memo = &s->memos[number % SCHED_MEMOS];
    return sched_memo_holds(memo, s->source, number) ? memo->index - 1
                                                     : sched_find_thread(s, number, is_made);
}

/*
 * The CPU of an event: a field names it, its track is a CPU, or its record has a number. A stream
 * for which none of that holds stands for a CPU of its own. Returns its index, or SCHED_NONE.
 */
static inline uint32_t cpu_of(stele_sched *s, const stele_batch *batch, const stele_event *event,
                              const kernel_event *known)
{
    const uint32_t cpu = sched_index_of(&s->cpu_of_own, event->track);
    return cpu != SCHED_NONE && !kernel_has(known, KERNEL_CPU)
               ? cpu
               : sched_find_cpu(s, batch, event, kernel_field(known, KERNEL_CPU));
}

/* ---- Events ---- */

/* Sets the name of a thread; a later name replaces an earlier one. */
static __attribute__((noinline)) void
rename_thread(stele_sched *s, uint32_t thread, const stele_batch *batch, const stele_field *field)
{
    sched_thread *t = &s->threads[thread];
    const stele_text text = stele_field_text(s->context, batch, field);
    stele_name name;
    if (text.size == t->comm.size && text.size != 0 &&
        memcmp(text.bytes, t->comm.bytes, text.size) == 0)
        return;
    name = stele_name_intern(s->context, text.bytes, text.size);
    if (name == UINT32_MAX || name == 0)
        return;
    t->comm = stele_name_text(s->context, NULL, name);
    stele_track_set_name(s->context, t->row.track, name);
}

/* Compares two texts of one size. Names of threads are short, and mostly the same as before. */
static inline bool is_same_text(const char *a, const char *b, uint32_t size)
{
    uint64_t difference = 0;
    if (size < 8 || size > 16)
        return memcmp(a, b, size) == 0;
    difference |= load_native64(a) ^ load_native64(b);
    difference |= load_native64(a + size - 8) ^ load_native64(b + size - 8);
    return difference == 0;
}

static inline void name_thread(stele_sched *s, uint32_t thread, const stele_batch *batch,
                               const stele_field *field)
{
    const stele_text *comm;
    if (thread == SCHED_NONE || field == NULL)
        return;
    comm = &s->threads[thread].comm;
    if (field->type != STELE_TYPE_STRING || comm->size == 0 || field->u.bytes.size != comm->size ||
        !is_same_text((const char *)batch->bytes + field->u.bytes.offset, comm->bytes,
                      field->u.bytes.size))
        rename_thread(s, thread, batch, field);
}

/* Finds one thread of a switch. For a trace that has numbers instead of tracks, the number 0 stands
   for no thread, as in Linux. */
static inline __attribute__((always_inline)) void
find_side(stele_sched *s, const kernel_event *known, uint32_t track, kernel_role number,
          kernel_role priority, kernel_role weight, sched_side *side)
{
    const bool is_ranked = kernel_has(known, priority), is_weighed = kernel_has(known, weight);
    side->thread = SCHED_NONE;
    side->has_priority = is_ranked || is_weighed;
    side->priority = (int32_t)kernel_value(known, is_ranked ? priority : weight);
    if (kernel_has(known, number)) {
        const uint64_t tid = (uint64_t)kernel_value(known, number);
        side->is_idle = tid == 0;
        if (!side->is_idle)
            side->thread = thread_of_number(s, tid, true);
    } else {
        const idle_signs signs = {.thread = track,
                                  .has_weight = is_weighed,
                                  .weight = kernel_value(known, weight),
                                  .has_priority = is_ranked,
                                  .priority = kernel_value(known, priority)};
        side->is_idle = idle_judge(s->context, &signs);
        if (!side->is_idle)
            side->thread = sched_thread_of_track(s, track);
    }
    s->totals.thread_other_count += !side->is_idle && side->thread == SCHED_NONE;
}

static void take_switch(stele_sched *s, const stele_batch *batch, const stele_event *event,
                        const kernel_event *known)
{
    sched_side outgoing, incoming;
    stele_name text;
    const kernel_state state = kernel_read_state(s->kernel, known, &text);
    uint32_t cpu;
    find_side(s, known, (uint32_t)event->value, KERNEL_OUTGOING, KERNEL_OUTGOING_PRIORITY,
              KERNEL_OUTGOING_WEIGHT, &outgoing);
    find_side(s, known, (uint32_t)event->id, KERNEL_INCOMING, KERNEL_INCOMING_PRIORITY,
              KERNEL_INCOMING_WEIGHT, &incoming);
    cpu = cpu_of(s, batch, event, known);
    name_thread(s, outgoing.thread, batch, kernel_field(known, KERNEL_OUTGOING_NAME));
    name_thread(s, incoming.thread, batch, kernel_field(known, KERNEL_INCOMING_NAME));
    if (cpu != SCHED_NONE && s->status == STELE_OK)
        sched_switch(s, cpu, &outgoing, state, text, &incoming);
}

static void take_wake(stele_sched *s, const stele_batch *batch, const stele_event *event,
                      const kernel_event *known)
{
    const stele_field *field = kernel_field(known, KERNEL_THREAD),
                      *named = kernel_field(known, KERNEL_WAKER);
    const stele_field *weight = kernel_field(known, KERNEL_INCOMING_WEIGHT);
    const uint32_t cpu = cpu_of(s, batch, event, known);
    uint32_t thread, waker = SCHED_NONE;
    if (weight != NULL && kernel_number(weight) == INT32_MIN)
        return;
    thread = field != NULL ? thread_of_number(s, (uint64_t)kernel_number(field), true)
                           : sched_thread_of_track(s, (uint32_t)event->id);
    if (thread == SCHED_NONE) {
        s->totals.thread_other_count++;
        return;
    }
    if (named != NULL)
        waker = thread_of_number(s, (uint64_t)kernel_number(named), false);
    else if (cpu != SCHED_NONE && s->cpus[cpu].thread != 0 && s->cpus[cpu].irq_depth == 0)
        waker = s->cpus[cpu].thread - 1;
    name_thread(s, thread, batch, kernel_field(known, KERNEL_THREAD_NAME));
    if (s->status == STELE_OK)
        sched_wake(s, cpu, thread, waker != SCHED_NONE ? s->threads[waker].row.track : 0);
}

/* Sets the process of a thread to the one that an event names, which holds until another event
   says otherwise. */
static void place_thread(stele_sched *s, uint32_t thread, const kernel_event *known)
{
    const stele_field *field = kernel_field(known, KERNEL_PROCESS);
    sched_thread *t;
    if (thread == SCHED_NONE || field == NULL)
        return;
    t = &s->threads[thread];
    if (t->process != 0 && t->process_number == (uint64_t)kernel_number(field))
        return;
    t->process_number = (uint64_t)kernel_number(field);
    t->process = stele_track_intern(s->context, &(stele_track){.kind = STELE_TRACK_PROCESS,
                                                               .source = s->source,
                                                               .number = t->process_number});
}

static void take_name(stele_sched *s, const stele_batch *batch, const kernel_event *known)
{
    const stele_field *field = kernel_field(known, KERNEL_THREAD);
    uint32_t thread;
    if (field == NULL || kernel_number(field) == 0)
        return;
    thread = thread_of_number(s, (uint64_t)kernel_number(field), true);
    name_thread(s, thread, batch, kernel_field(known, KERNEL_THREAD_NAME));
    place_thread(s, thread, known);
}

/* Takes a loss of events. If its track is not a CPU, every CPU of the trace is affected. */
static void take_lost(stele_sched *s, const stele_event *event)
{
    const stele_track *track = stele_track_get(s->context, event->track);
    const uint32_t cpu = sched_index_of(&s->cpu_by_track, event->track);
    s->totals.lost_count += s->in_window;
    if (cpu != SCHED_NONE) {
        sched_lose(s, cpu);
        return;
    }
    if (track != NULL && track->kind == STELE_TRACK_CPU)
        return;
    for (uint32_t i = 0; i < s->cpu_count; i++)
        if (s->cpus[i].source == s->source)
            sched_lose(s, i);
}

static inline __attribute__((always_inline)) void set_source(stele_sched *s,
                                                             const stele_batch *batch)
{
    const stele_stream *stream;
    if (batch->stream == s->source_stream && batch->shift_ns == s->shift_ns)
        return;
    stream = stele_stream_get(s->context, batch->stream);
    s->source = stream != NULL ? stream->trace : 0;
    s->source_stream = batch->stream;
    s->shift_ns = batch->shift_ns;
    s->range_begin_ns = INT64_MIN;
    s->range_end_ns = INT64_MAX;
    if (stream != NULL && stream->has_range && stream->begin_ns <= stream->end_ns) {
        s->range_begin_ns = stream->begin_ns;
        s->range_end_ns = stream->end_ns;
        if (batch->shift_ns != 0) {
            s->range_begin_ns = add_saturated(stream->begin_ns, batch->shift_ns);
            s->range_end_ns = add_saturated(stream->end_ns, batch->shift_ns);
        }
    }
}

/* The thread of an event: the one that a field names, or the one that runs on the CPU. Returns
   SCHED_NONE if it is not known. */
static inline uint32_t thread_of(stele_sched *s, const sched_cpu *c, const kernel_event *known)
{
    if (kernel_has(known, KERNEL_THREAD)) {
        const uint64_t number = (uint64_t)kernel_value(known, KERNEL_THREAD);
        const uint32_t thread = number != 0 ? thread_of_number(s, number, true) : SCHED_NONE;
        place_thread(s, thread, known);
        return thread;
    }
    _Static_assert(SCHED_NONE == 0u - 1, "a CPU that runs no thread has 0 there");
    return c != NULL ? c->thread - 1 : SCHED_NONE;
}

/* Counts the interrupts that a CPU is in: what happens there is not done by the thread that was
   interrupted. */
static inline void follow_irq(sched_cpu *c, kernel_action action)
{
    static const int8_t steps[KERNEL_ACTION_COUNT] = {[KERNEL_BEGIN_IRQ] = 1,
                                                      [KERNEL_END_IRQ] = -1,
                                                      [KERNEL_BEGIN_SOFTIRQ] = 1,
                                                      [KERNEL_END_SOFTIRQ] = -1};
    const int step = steps[action];
    if (step != 0 && (step > 0 || c->irq_depth != 0))
        c->irq_depth += (uint32_t)step;
}

static void call_begin(const stele_sched *s, sched_call *call, stele_name name)
{
    call->name = name;
    call->begin_ns = s->now_ns;
    place_take(&call->place, &s->now);
}

/* Follows the system call of a thread. */
static inline void follow_call(stele_sched *s, uint32_t thread, const kernel_event *known)
{
    if (thread == SCHED_NONE)
        return;
    if (known->action == KERNEL_BEGIN_CALL)
        call_begin(s, &s->threads[thread].call, known->subject);
    else if (known->action == KERNEL_END_CALL)
        s->threads[thread].call.name = 0;
}

/* Takes an event of any other known meaning. System calls are followed because threads wait in
   them; everything goes to the receiver on_known. */
static inline void take_other(stele_sched *s, const stele_batch *batch, const stele_event *event,
                              const kernel_event *known)
{
    const uint32_t cpu = cpu_of(s, batch, event, known);
    sched_cpu *const c = cpu != SCHED_NONE ? &s->cpus[cpu] : NULL;
    const uint32_t thread = thread_of(s, c, known);
    if (c != NULL)
        follow_irq(c, known->action);
    if (s->on_known != NULL && s->status == STELE_OK) {
        s->given_count += s->in_window;
        s->on_known[known->action](s->known_user, &(sched_given){batch, event, known, cpu, thread});
    }
    if ((unsigned)known->action - KERNEL_BEGIN_CALL <= KERNEL_END_CALL - KERNEL_BEGIN_CALL)
        follow_call(s, thread, known);
}

static void take_known(stele_sched *s, const stele_batch *batch, const stele_event *event,
                       const kernel_event *known)
{
    s->now.offset = event->offset;
    s->now.stream = batch->stream;
    if (s->events != NULL)
        s->is_wanted = filter_passes(s->events, batch, event);
    if (known->action > KERNEL_NAME)
        take_other(s, batch, event, known);
    else if (known->action == KERNEL_SWITCH)
        take_switch(s, batch, event, known);
    else if (known->action == KERNEL_WAKE)
        take_wake(s, batch, event, known);
    else if (known->action == KERNEL_NAME)
        take_name(s, batch, known);
}

/* Whether an event says at what time it was. */
static inline bool has_time(const stele_event *event)
{
    return (event->flags & (STELE_FLAG_NO_TIME | STELE_FLAG_REPEATED)) == 0;
}

void sched_pass(stele_sched *s, const stele_batch *batch, const stele_event *event)
{
    int64_t limit_ns;
    set_source(s, batch);
    limit_ns = sched_limit(s);
    if (has_time(event))
        sched_advance(s, event->time_ns, &limit_ns);
}

stele_status stele_sched_add(stele_sched *s, const stele_segment *segment)
{
    const stele_batch *const batch = segment->batch;
    const stele_event *event = batch->events + segment->first, *const end = event + segment->count;
    int64_t limit_ns;
    set_source(s, batch);
    limit_ns = sched_limit(s);
    for (; event != end && s->status == STELE_OK; event++) {
        const kernel_event *known;
        if (!has_time(event) || !sched_advance(s, event->time_ns, &limit_ns))
            continue;
        known = kernel_read(s->kernel, batch, event);
        if (known != NULL)
            take_known(s, batch, event, known);
        else if (event->kind == STELE_KIND_LOST)
            take_lost(s, event);
    }
    return s->status;
}

uint32_t stele_sched_process(const stele_sched *s, uint32_t thread)
{
    const uint32_t index = sched_index_of(&s->by_track, thread);
    const stele_track *track = stele_track_get(s->context, thread);
    if (index != SCHED_NONE && s->threads[index].process != 0)
        return s->threads[index].process;
    return track != NULL ? track->parent : 0;
}

stele_status stele_sched_finish(stele_sched *s)
{
    if (!s->is_finished && s->has_events && s->status == STELE_OK)
        sched_close(s, s->end_ns != INT64_MAX ? s->end_ns : s->last_ns);
    s->is_finished = true;
    filter_report(s->events, &s->context->diag);
    filter_report(s->tracks, &s->context->diag);
    return s->status;
}
