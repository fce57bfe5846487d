/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what threads and CPUs do between switches and wake-ups, and their columns. */
#include <stdlib.h>

#include "tables/stage.h"

#define HELD_MAX 256u

/* Collects intervals, which come one by one. Each has an event of its thread, for the columns of
   events. */
typedef struct sched_stage {
    stele_sched *sched;
    stele_scan *scan;
    stele_batch batch; /* has the stream of the events */
    stele_event events[HELD_MAX];
    stele_thread_interval threads[HELD_MAX];
    stele_cpu_interval cpus[HELD_MAX];
    size_t count;
} sched_stage;

static stele_status give(sched_stage *t)
{
    const rows r = {.batch = &t->batch,
                    .events = t->events,
                    .threads = t->threads,
                    .cpus = t->cpus,
                    .count = t->count};
    t->count = 0;
    return r.count != 0 ? stage_put(t->scan, &r) : STELE_OK;
}

/* Makes room for one more interval, of the same stream as the others. */
static stele_status make_room(sched_stage *t, uint32_t stream)
{
    stele_status status = STELE_OK;
    if (t->count == HELD_MAX || (t->count != 0 && t->batch.stream != stream))
        status = give(t);
    t->batch.stream = stream;
    return status;
}

static stele_status take_thread(void *user, const stele_thread_interval *interval)
{
    sched_stage *t = user;
    const stele_status status = make_room(t, interval->stream);
    t->events[t->count] = (stele_event){
        .time_ns = interval->begin_ns, .offset = interval->offset, .track = interval->thread};
    t->threads[t->count++] = *interval;
    return status;
}

static stele_status take_cpu(void *user, const stele_cpu_interval *interval)
{
    sched_stage *t = user;
    const stele_status status = make_room(t, interval->stream);
    t->events[t->count] = (stele_event){
        .time_ns = interval->begin_ns, .offset = interval->offset, .track = interval->thread};
    t->cpus[t->count++] = *interval;
    return status;
}

static stele_status sched_add(void *user, const stele_segment *segment)
{
    sched_stage *t = user;
    const stele_status status = stele_sched_add(t->sched, segment);
    return status == STELE_OK ? give(t) : status;
}

static stele_status sched_finish(void *user)
{
    sched_stage *t = user;
    const stele_status status = stele_sched_finish(t->sched);
    return status == STELE_OK ? give(t) : status;
}

static stele_status sched_bound(void *user, int64_t begin_ns, int64_t end_ns)
{
    sched_stage *t = user;
    return stele_sched_set_window(t->sched, begin_ns, end_ns);
}

static void sched_close(void *user)
{
    sched_stage *t = user;
    stele_sched_free(t->sched);
    free(t);
}

stele_status stage_open_sched(stele_scan *s, stage_engine *engine)
{
    sched_stage *t = calloc(1, sizeof *t);
    const bool by_cpu = s->table->source == SOURCE_CPU_STATES;
    const stele_sched_options options = {.struct_size = sizeof options,
                                         .on_thread = by_cpu ? NULL : take_thread,
                                         .on_cpu = by_cpu ? take_cpu : NULL,
                                         .user = t};
    stele_status status;
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->scan = s;
    *engine = (stage_engine){.user = t,
                             .add = sched_add,
                             .finish = sched_finish,
                             .bound = sched_bound,
                             .close = sched_close};
    status = stele_sched_new(s->context, &options, &t->sched);
    engine->columns = status == STELE_OK ? stele_sched_columns(t->sched) : 0;
    return status;
}

/* ---- Columns of both tables ------------------------------------------------------------------ */

#define FILL_THREAD(name, type, is_there, value) \
    STAGE_FILL(run, stele_thread_interval, threads, name, type, is_there, value)
#define FILL_CPU(name, type, is_there, value) \
    STAGE_FILL(cpu, stele_cpu_interval, cpus, name, type, is_there, value)

FILL_THREAD(dur, int64_t, true, p->end_ns - p->begin_ns)
FILL_THREAD(cpu, uint32_t, p->cpu != 0, stage_number_of(s, p->cpu))
FILL_THREAD(state, uint8_t, true, p->state)
FILL_THREAD(text, stele_cell_text, p->text != 0, cell_of_name(s, NULL, p->text))
FILL_THREAD(reason, stele_cell_text, p->reason != 0, cell_of_name(s, NULL, p->reason))
FILL_THREAD(by, uint32_t, p->by != 0, p->by)
FILL_THREAD(priority, int64_t, p->has_priority, p->priority)
FILL_THREAD(open, uint8_t, true, p->is_open)
FILL_CPU(dur, int64_t, true, p->end_ns - p->begin_ns)
FILL_CPU(cpu, uint32_t, true, stage_number_of(s, p->cpu))
FILL_CPU(state, uint8_t, true, p->state)
FILL_CPU(text, stele_cell_text, p->end_text != 0, cell_of_name(s, NULL, p->end_text))
FILL_CPU(priority, int64_t, p->has_priority, p->priority)
FILL_CPU(open, uint8_t, true, p->is_open)
/*
 * Defines the column `offset`, null for the first interval of a CPU, with which no record begins.
 */
FILL_CPU(offset, uint64_t, p->offset != 0, p->offset)
