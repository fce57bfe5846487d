/* SPDX-License-Identifier: Apache-2.0 */
/* What threads and CPUs do in a stretch of time. */
#include <stdlib.h>
#include <string.h>

#include "view/list.h"
#include "view/viewer.h"

#define ROWS_MAX 2000u

/* How long a thread or a CPU was in each state. */
typedef struct state_row {
    uint32_t track;
    uint64_t state_ns[STELE_RUN_STATE_COUNT];
    uint64_t count; /* stretches in which the thread ran, or the CPU was busy */
    uint64_t longest_ns;
} state_row;

typedef struct state_list {
    state_row *rows;
    uint32_t *numbers; /* number of the row of each track, from 1 on; 0: it has no row yet */
    size_t count, capacity;
    uint32_t number_capacity;
} state_list;

typedef struct states {
    const question *q;
    state_list threads, cpus;
} states;

static state_row *row_of(state_list *l, uint32_t track)
{
    if (track >= l->number_capacity) {
        uint32_t *grown = list_reach(l->numbers, sizeof *grown, &l->number_capacity, track);
        if (grown == NULL)
            return NULL;
        l->numbers = grown;
    }
    if (l->numbers[track] != 0)
        return &l->rows[l->numbers[track] - 1];
    if (l->count == l->capacity) {
        state_row *grown = list_grow(l->rows, sizeof *grown, &l->capacity);
        if (grown == NULL)
            return NULL;
        l->rows = grown;
    }
    l->rows[l->count] = (state_row){.track = track};
    l->numbers[track] = (uint32_t)++l->count;
    return &l->rows[l->count - 1];
}

static stele_status add(const states *s, state_list *l, uint32_t track, unsigned state,
                        bool is_running, uint64_t duration_ns)
{
    state_row *row;
    if (!question_wants(s->q, track))
        return STELE_OK;
    row = row_of(l, track);
    if (row == NULL)
        return STELE_ERR_MEMORY;
    row->state_ns[state] += duration_ns;
    if (is_running) {
        row->count++;
        if (duration_ns > row->longest_ns)
            row->longest_ns = duration_ns;
    }
    return STELE_OK;
}

static stele_status take_thread(void *user, const stele_thread_interval *interval)
{
    states *s = user;
    return add(s, &s->threads, interval->thread, interval->state,
               interval->state == STELE_RUN_RUNNING,
               (uint64_t)interval->end_ns - (uint64_t)interval->begin_ns);
}

static stele_status take_cpu(void *user, const stele_cpu_interval *interval)
{
    states *s = user;
    return add(s, &s->cpus, interval->cpu, interval->state, interval->state == STELE_CPU_BUSY,
               (uint64_t)interval->end_ns - (uint64_t)interval->begin_ns);
}

/* Writes [track, [ns of each state], stretches that it ran, the longest of them] of each row. */
static void put_list(stele_json *j, const char *key, const state_list *l, unsigned state_count)
{
    stele_json_open(j, key, '[');
    for (size_t i = 0; i < l->count && i < ROWS_MAX; i++) {
        const state_row *row = &l->rows[i];
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, row->track);
        stele_json_open(j, NULL, '[');
        for (unsigned state = 0; state < state_count; state++)
            stele_json_uint(j, NULL, row->state_ns[state]);
        stele_json_close(j, ']');
        stele_json_uint(j, NULL, row->count);
        stele_json_uint(j, NULL, row->longest_ns);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
}

static size_t left_out(const state_list *l)
{
    return l->count > ROWS_MAX ? l->count - ROWS_MAX : 0;
}

stele_status answer_states(viewer *v, const question *q, stele_output *out)
{
    states s = {.q = q};
    stele_json j = {.out = out, .is_line = true};
    view_reading r = {.q = q, .state = take_thread, .run = take_cpu, .user = &s};
    const stele_status status = viewer_read(v, &r, q->begin_ns, viewer_known_end(v, q->end_ns));
    if (status == STELE_OK) {
        stele_json_open(&j, NULL, '{');
        put_list(&j, "threads", &s.threads, STELE_RUN_STATE_COUNT);
        stele_json_uint(&j, "threadsLeftOut", left_out(&s.threads));
        put_list(&j, "cpus", &s.cpus, STELE_CPU_STATE_COUNT);
        stele_json_uint(&j, "cpusLeftOut", left_out(&s.cpus));
        stele_json_close(&j, '}');
    }
    free(s.threads.rows);
    free(s.threads.numbers);
    free(s.cpus.rows);
    free(s.cpus.numbers);
    return status;
}
