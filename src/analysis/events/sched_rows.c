/* SPDX-License-Identifier: Apache-2.0 */
/* Makes sorted rows and totals from the state of threads and CPUs. */
#include <stdlib.h>
#include <string.h>

#include "analysis/events/ranked.h"
#include "analysis/events/sched.h"
#include "core/sized.h"

static int64_t clip(const stele_sched *s, int64_t time_ns)
{
    return time_ns < s->begin_ns ? s->begin_ns : time_ns > s->end_ns ? s->end_ns : time_ns;
}

/* ---- Threads ---- */

static uint64_t weight(const stele_sched_thread *row, stele_sched_order order)
{
    switch (order) {
    case STELE_SCHED_BY_RUNNING: return row->state_ns[STELE_RUN_RUNNING];
    case STELE_SCHED_BY_WAITING:
        return row->state_ns[STELE_RUN_PREEMPTED] + row->state_ns[STELE_RUN_RUNNABLE];
    case STELE_SCHED_BY_SWITCHES: return row->run_count;
    case STELE_SCHED_BY_LATENCY: return row->latency_max_ns;
    default: return 0;
    }
}

/* Whether a thread has a row: its life overlaps the window, the filter shows it, an event that
   the filter chooses began a stretch of it, and it was not merely named. */
static bool has_row(stele_sched *s, const sched_thread *t)
{
    return t->row.first_ns != INT64_MIN && t->row.first_ns < s->end_ns &&
           (t->row.last_ns > s->begin_ns || s->begin_ns == INT64_MIN) && t->has_wanted &&
           sched_is_shown(s, t->row.track);
}

stele_status stele_sched_threads(stele_sched *s, stele_sched_order order,
                                 const stele_sched_thread **rows, size_t *count)
{
    ranked *ranks = malloc(((size_t)s->thread_count + 1) * sizeof *ranks);
    uint32_t shown = 0;
    free(s->thread_rows);
    s->thread_rows = malloc(((size_t)s->thread_count + 1) * sizeof *s->thread_rows);
    if (ranks == NULL || s->thread_rows == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const sched_thread *t = &s->threads[i];
        const stele_track *track = stele_track_get(s->context, t->row.track);
        if (has_row(s, t))
            ranks[shown++] =
                (ranked){weight(&t->row, order),
                         stele_name_text(s->context, NULL, track != NULL ? track->name : 0), i,
                         t->row.track};
    }
    qsort(ranks, shown, sizeof *ranks, ranked_compare);
    for (uint32_t i = 0; i < shown; i++) {
        stele_sched_thread *row = &s->thread_rows[i];
        *row = s->threads[ranks[i].index].row;
        row->first_ns = clip(s, row->first_ns);
        row->last_ns = clip(s, row->last_ns);
    }
    free(ranks);
    *rows = s->thread_rows;
    *count = shown;
    return STELE_OK;
}

/* ---- CPUs ---- */

typedef struct cpu_rank {
    uint32_t source, index;
    uint64_t number;
} cpu_rank;

static int cpu_compare(const void *left, const void *right)
{
    const cpu_rank *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

stele_status stele_sched_cpus(stele_sched *s, const stele_sched_cpu **rows, size_t *count)
{
    cpu_rank *ranks = malloc(((size_t)s->cpu_count + 1) * sizeof *ranks);
    uint32_t shown = 0;
    free(s->cpu_rows);
    s->cpu_rows = malloc(((size_t)s->cpu_count + 1) * sizeof *s->cpu_rows);
    if (ranks == NULL || s->cpu_rows == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < s->cpu_count; i++)
        if (sched_is_shown(s, s->cpus[i].row.track))
            ranks[shown++] = (cpu_rank){s->cpus[i].source, i, s->cpus[i].number};
    qsort(ranks, shown, sizeof *ranks, cpu_compare);
    for (uint32_t i = 0; i < shown; i++)
        s->cpu_rows[i] = s->cpus[ranks[i].index].row;
    free(ranks);
    *rows = s->cpu_rows;
    *count = shown;
    return STELE_OK;
}

/* ---- Wake-ups and pairs ---- */

static int wake_compare(const void *left, const void *right)
{
    const stele_sched_wake *a = left, *b = right;
    const int64_t a_ns = a->run_ns - a->wake_ns, b_ns = b->run_ns - b->wake_ns;
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    if (a->wake_ns != b->wake_ns)
        return a->wake_ns < b->wake_ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int pair_compare(const void *left, const void *right)
{
    const stele_sched_pair *a = left, *b = right;
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns > b->wait_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->by < b->by ? -1 : a->by > b->by;
}

/* Fills `copy`, which the caller has just allocated, with sorted rows. Returns false if `copy`
   is NULL, which means out of memory. */
static bool copy_sorted(void *copy, const void *rows, size_t count, size_t size,
                        int (*compare)(const void *, const void *))
{
    if (copy == NULL)
        return false;
    if (count != 0) {
        memcpy(copy, rows, count * size);
        qsort(copy, count, size, compare);
    }
    return true;
}

stele_status stele_sched_worst(stele_sched *s, const stele_sched_wake **rows, size_t *count)
{
    free(s->worst_rows);
    s->worst_rows = malloc(((size_t)s->worst_count + 1) * sizeof *s->worst_rows);
    *rows = s->worst_rows;
    *count = s->worst_count;
    return copy_sorted(s->worst_rows, s->worst, s->worst_count, sizeof *s->worst, wake_compare)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

stele_status stele_sched_pairs(stele_sched *s, const stele_sched_pair **rows, size_t *count)
{
    free(s->pair_rows);
    s->pair_rows = malloc(((size_t)s->pair_count + 1) * sizeof *s->pair_rows);
    *rows = s->pair_rows;
    *count = s->pair_count;
    return copy_sorted(s->pair_rows, s->pairs, s->pair_count, sizeof *s->pairs, pair_compare)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

/* ---- Totals ---- */

static uint64_t percentile(const stele_sched *s, unsigned permille)
{
    const uint64_t value = histogram_percentile(&s->latencies, permille);
    return value < s->totals.latency_max_ns ? value : s->totals.latency_max_ns;
}

void stele_sched_get_totals(const stele_sched *s, stele_sched_totals *totals)
{
    stele_sched_totals own = s->totals;
    own.begin_ns = s->has_events ? clip(s, s->first_ns) : 0;
    own.end_ns = !s->has_events ? 0 : s->end_ns != INT64_MAX ? s->end_ns : clip(s, s->last_ns);
    own.latency_p50_ns = percentile(s, 500);
    own.latency_p90_ns = percentile(s, 900);
    own.latency_p99_ns = percentile(s, 990);
    own.latency_p999_ns = percentile(s, 999);
    sized_give(totals, &own, sizeof own, SIZED_FIRST(stele_sched_totals, latency_class));
}
