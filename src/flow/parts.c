/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace in parts, each on a thread of its own:
 *
 *     part 0   context  trace  reader --segments--> fork        |
 *     part 1   context  trace  reader --segments--> fork        | at the same time
 *     part 2   context  trace  reader --segments--> fork        |
 *                 |                                   |
 *               names, tracks, streams             figures
 *                 +----------------+------------------+
 *                                  |
 *                     joined one after the other, on the caller's thread
 *
 * Threads share nothing but the wish to give up. That is cheap to ask for, so whatever parts cannot
 * tell exactly (a finding, a state that does not fit) ends all of them, and the caller reads the
 * trace as one.
 */
#include <stele/parts.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/sized.h"
#include "core/together.h"
#include "flow/reader.h"
#include "model/part_map.h"

typedef struct division division;

/* One part, with all that its thread uses. */
typedef struct read_part {
    division *of;
    uint32_t number;
    stele_context *context;
    stele_trace *trace;
    void *fork;
    bool has_fork;
    bool is_reading; /* findings are no longer those of opening, which were reported before */
    stele_status status;
    part_fit fit;
    stele_balance balance; /* of the part alone, without what the trace adds */
    stele_reader_stats stats;
} read_part;

struct division {
    stele_context *context;
    stele_trace *trace;
    const stele_request *request;
    const stele_parts_options *options;
    const stele_parts_consumer *to;
    read_part *list;
    atomic_bool is_given_up;
    pthread_mutex_t progress_lock;
};

/* ---- What a part's context calls ---- */

static void note_finding(void *user, const stele_diag *diag)
{
    read_part *p = user;
    (void)diag;
    if (p->is_reading)
        atomic_store(&p->of->is_given_up, true);
}

static bool goes_on(void *user, int fd)
{
    const read_part *p = user;
    return !atomic_load(&p->of->is_given_up) && diag_goes_on(&p->of->context->diag, fd);
}

static void tell_progress(void *user, size_t size)
{
    const read_part *p = user;
    const diag_sink *sink = &p->of->context->diag;
    if (sink->progress == NULL)
        return;
    pthread_mutex_lock(&p->of->progress_lock);
    sink->progress(sink->progress_user, size);
    pthread_mutex_unlock(&p->of->progress_lock);
}

/* ---- One part ---- */

static stele_status part_open(read_part *p)
{
    const division *of = p->of;
    const stele_context_options options = {.struct_size = sizeof options,
                                           .limits = stele_context_limits(of->context),
                                           .diag = note_finding,
                                           .diag_user = p,
                                           .temp_dir = of->context->temp_dir,
                                           .cache_dir = of->context->cache_dir,
                                           .progress = tell_progress,
                                           .progress_user = p,
                                           .go_on = goes_on,
                                           .go_on_user = p};
    stele_status status = stele_context_new(&options, &p->context);
    if (status == STELE_OK)
        status = of->options->open(of->options->open_user, p->context, &p->trace);
    if (status == STELE_OK && !reader_has_parts(p->trace, of->request))
        status = STELE_ERR_UNSUPPORTED;
    if (status == STELE_OK)
        status = of->to->fork(of->to->user, p->context, &p->fork);
    p->has_fork = status == STELE_OK;
    p->is_reading = true;
    return status;
}

static stele_status part_pull(const read_part *p, stele_reader *reader)
{
    const stele_segment *segments;
    stele_status status;
    size_t count;
    do {
        status = stele_reader_next_segments(reader, &segments, &count);
        for (size_t i = 0; status == STELE_OK && i < count; i++)
            status = p->of->to->take(p->fork, &segments[i]);
    } while (status == STELE_OK);
    return status;
}

static void part_run(void *user)
{
    read_part *p = user;
    const division *of = p->of;
    stele_reader *reader;
    p->status =
        reader_open_part(p->context, p->trace, of->request, p->number, of->options->jobs, &reader);
    if (p->status != STELE_OK) {
        atomic_store(&p->of->is_given_up, true);
        return;
    }
    p->status = part_pull(p, reader);
    p->stats.struct_size = sizeof p->stats;
    stele_reader_get_stats(reader, &p->stats);
    for (size_t i = 0; i < reader->producer_count; i++) {
        p->fit = reader->producers[i]->part;
        balance_add(&p->balance, &reader->producers[i]->balance);
    }
    stele_reader_close(reader);
    if (p->status != STELE_END || p->fit.is_stray)
        atomic_store(&p->of->is_given_up, true);
}

static void part_close(read_part *p)
{
    if (p->has_fork)
        p->of->to->drop(p->fork);
    stele_trace_close(p->trace);
    stele_context_free(p->context);
}

/* ---- All parts ---- */

/* Whether each part begins where the one before ended, and all together are no more than they could
   be by themselves. */
static bool parts_fit(const division *all)
{
    const uint32_t count = all->options->jobs;
    unsigned mixed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const part_fit *fit = &all->list[i].fit;
        mixed |= fit->mixed;
        if (i + 1 < count && fit->end != all->list[i + 1].fit.begin)
            return false;
    }
    return mixed != PART_MIXED;
}

/* Adds up the statistics. Returns false if they show what reading as one would report. */
static bool sum_stats(const division *all, stele_reader_stats *sum)
{
    *sum = all->list[0].stats;
    sum->balance = all->list[0].trace->balance;
    sum->event_count = sum->filtered_count = sum->lost_count = sum->missing_count = 0;
    for (uint32_t i = 0; i < all->options->jobs; i++) {
        const read_part *p = &all->list[i];
        sum->event_count += p->stats.event_count;
        sum->filtered_count += p->stats.filtered_count;
        sum->lost_count += p->stats.lost_count;
        sum->missing_count += p->stats.missing_count;
        balance_add(&sum->balance, &p->balance);
    }
    sum->byte_count = sum->byte_total;
    return !sum->has_content_size || sum->balance.record_size + sum->balance.padding_size == 0 ||
           balance_total(&sum->balance) == sum->content_size;
}

/* What reading has found out about the trace besides its events. */
static bool take_texts(stele_trace *to, const stele_trace *from)
{
    for (uint32_t i = 0; i < from->texts.count; i++) {
        if (!trace_set_property(to, from->texts.properties[i].key, from->texts.properties[i].value))
            return false;
    }
    return true;
}

static stele_status join_all(division *all)
{
    const uint32_t stream_count = all->context->stream_count;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < all->options->jobs && status == STELE_OK; i++) {
        stele_part_map *map;
        status = part_map_new(all->context, all->list[i].context, all->trace->info.number, &map);
        if (status == STELE_OK)
            status = all->to->join(all->to->user, all->list[i].fork, map);
        part_map_free(map);
        if (status == STELE_OK && !take_texts(all->trace, all->list[i].trace))
            status = STELE_ERR_MEMORY;
    }
    if (status != STELE_OK)
        all->context->stream_count = stream_count; /* reading as one adds them itself */
    return status;
}

static stele_status read_all(division *all, stele_reader_stats *stats)
{
    stele_reader_stats sum;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < all->options->jobs && status == STELE_OK; i++) {
        all->list[i].of = all;
        all->list[i].number = i;
        status = part_open(&all->list[i]);
    }
    if (status != STELE_OK)
        return status == STELE_ERR_MEMORY ? status : STELE_ERR_UNSUPPORTED;
    together_run(part_run, all->list, sizeof *all->list, all->options->jobs);
    if (!diag_goes_on(&all->context->diag, -1))
        return STELE_ERR_CLOSED;
    if (atomic_load(&all->is_given_up) || !parts_fit(all) || !sum_stats(all, &sum))
        return STELE_ERR_UNSUPPORTED;
    status = join_all(all);
    if (status == STELE_OK && stats != NULL)
        sized_give(stats, &sum, sizeof sum, SIZED_FIRST(stele_reader_stats, byte_total));
    return status;
}

stele_status stele_parts_read(stele_context *context, stele_trace *trace,
                              const stele_request *given, const stele_parts_options *options,
                              const stele_parts_consumer *consumer, stele_reader_stats *stats)
{
    stele_request request;
    stele_parts_options how;
    stele_parts_consumer to;
    division all = {
        .context = context, .trace = trace, .request = &request, .options = &how, .to = &to};
    stele_status status;
    if (!sized_take(&request, sizeof request, SIZED_FIRST(stele_request, where), given) ||
        !sized_take(&how, sizeof how, SIZED_FIRST(stele_parts_options, open_user), options) ||
        !sized_take(&to, sizeof to, SIZED_FIRST(stele_parts_consumer, user), consumer) ||
        how.open == NULL || how.jobs < 2 || how.jobs > STELE_JOBS_MAX || to.fork == NULL ||
        to.take == NULL || to.join == NULL || to.drop == NULL)
        return STELE_ERR_ARGUMENT;
    if (!reader_has_parts(trace, &request))
        return STELE_ERR_UNSUPPORTED;
    all.list = calloc(how.jobs, sizeof *all.list);
    if (all.list == NULL)
        return STELE_ERR_MEMORY;
    if (pthread_mutex_init(&all.progress_lock, NULL) != 0) {
        free(all.list);
        return STELE_ERR_MEMORY;
    }
    status = read_all(&all, stats);
    for (uint32_t i = 0; i < how.jobs; i++) {
        if (all.list[i].of != NULL)
            part_close(&all.list[i]);
    }
    pthread_mutex_destroy(&all.progress_lock);
    free(all.list);
    return status;
}
