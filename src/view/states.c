/* SPDX-License-Identifier: Apache-2.0 */
/* What threads and CPUs do in a stretch of time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/viewer.h"

#define ROWS_MAX 2000u

/* Of a thread or a CPU: how long it was in each state. */
typedef struct state_row {
    uint32_t track;
    uint64_t state_ns[STELE_RUN_STATE_COUNT];
    uint64_t count; /* of stretches that it ran, or that its CPU was busy */
    uint64_t longest_ns;
} state_row;

typedef struct state_list {
    state_row *rows;
    uint32_t *numbers; /* by track, from 1 on; 0: none yet */
    size_t count, capacity, number_capacity;
} state_list;

typedef struct states {
    const question *q;
    state_list threads, cpus;
} states;

static state_row *row_of(state_list *l, uint32_t track)
{
    if (track >= l->number_capacity) {
        const size_t capacity = (size_t)track + 256;
        uint32_t *grown = realloc(l->numbers, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + l->number_capacity, 0, (capacity - l->number_capacity) * sizeof *grown);
        l->numbers = grown;
        l->number_capacity = capacity;
    }
    if (l->numbers[track] != 0)
        return &l->rows[l->numbers[track] - 1];
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity * 2 + 64;
        state_row *grown = realloc(l->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        l->rows = grown;
        l->capacity = capacity;
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

/* [track, [ns of each state], stretches that it ran, the longest of them] */
static void put_list(stele_output *out, const char *key, const state_list *l, unsigned state_count)
{
    stele_output_printf(out, "\"%s\":[", key);
    for (size_t i = 0; i < l->count && i < ROWS_MAX; i++) {
        const state_row *row = &l->rows[i];
        stele_output_printf(out, "%s[%u,[", i != 0 ? ",\n" : "\n", (unsigned)row->track);
        for (unsigned state = 0; state < state_count; state++)
            stele_output_printf(out, "%s%" PRIu64, state != 0 ? "," : "", row->state_ns[state]);
        stele_output_printf(out, "],%" PRIu64 ",%" PRIu64 "]", row->count, row->longest_ns);
    }
    stele_output_printf(out, "],\"%sLeftOut\":%zu", key,
                        l->count > ROWS_MAX ? l->count - ROWS_MAX : (size_t)0);
}

stele_status answer_states(viewer *v, const question *q, stele_output *out)
{
    states s = {.q = q};
    view_reading r = {.q = q, .state = take_thread, .run = take_cpu, .user = &s};
    const stele_status status = viewer_read(v, &r, q->begin_ns, viewer_known_end(v, q->end_ns));
    if (status == STELE_OK) {
        stele_output_byte(out, '{');
        put_list(out, "threads", &s.threads, STELE_RUN_STATE_COUNT);
        stele_output_byte(out, ',');
        put_list(out, "cpus", &s.cpus, STELE_CPU_STATE_COUNT);
        stele_output_text(out, "}\n");
    }
    free(s.threads.rows);
    free(s.threads.numbers);
    free(s.cpus.rows);
    free(s.cpus.numbers);
    return status;
}
