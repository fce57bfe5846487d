/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the instructions of a trace, stream by stream, and each in parts where that is asked. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"

#define THREADS_MAX 64u

/* ---- Findings of parts ----------------------------------------------------------------------- */

/* A finding that is told when its part's turn comes. */
typedef struct kept_finding {
    stele_diag diag;
    char *source, *expected, *found;
} kept_finding;

typedef struct kept_findings {
    kept_finding *list;
    size_t count, capacity;
    uint64_t forgotten_count; /* memory was exhausted */
} kept_findings;

static char *copy_text(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void keep_finding(void *user, const stele_diag *diag)
{
    kept_findings *kept = user;
    kept_finding *to;
    if (kept->count == kept->capacity) {
        const size_t capacity = kept->capacity * 2 + 16;
        kept_finding *grown = realloc(kept->list, capacity * sizeof *grown);
        if (grown == NULL) {
            kept->forgotten_count++;
            return;
        }
        kept->list = grown;
        kept->capacity = capacity;
    }
    to = &kept->list[kept->count++];
    *to = (kept_finding){*diag, copy_text(diag->source), copy_text(diag->expected),
                         copy_text(diag->found)};
    to->diag.source = to->source;
    to->diag.expected = to->expected;
    to->diag.found = to->found != NULL ? to->found : "";
}

static void tell_findings(cli *c, const insns *s, const kept_findings *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        if (s->diag != NULL)
            diag_emit(s->diag, &kept->list[i].diag);
        else
            report_add(&c->report, &kept->list[i].diag);
    }
    if (kept->forgotten_count != 0)
        cli_check(c, STELE_ERR_MEMORY, "findings");
}

static void kept_free(kept_findings *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        free(kept->list[i].source);
        free(kept->list[i].expected);
        free(kept->list[i].found);
    }
    free(kept->list);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* One part of a stream on its way to a fork. */
typedef struct part {
    cli *c; /* of the part that shows the progress; NULL for others */
    const insn_filter *filter;
    insn_take_fn *take;
    void *user;
    uint64_t total;
    insn_producer *from;
    insn_batch *batch;
    kept_findings kept;
    diag_sink diag;
    pthread_t thread;
    bool is_running;
    stele_status status;
} part;

static void *part_run(void *user)
{
    part *p = user;
    stele_status status = STELE_OK;
    while (status == STELE_OK && cli_interrupted() == 0) {
        status = insn_produce(p->from, p->batch);
        if (status == STELE_OK && insn_filter_apply(p->filter, p->batch) != 0)
            status = p->take(p->user, p->batch);
        if (p->c != NULL && status == STELE_OK)
            progress_update(&p->c->progress, p->batch->offset, p->total);
    }
    p->status = cli_interrupted() != 0 ? STELE_ERR_CLOSED : status;
    return NULL;
}

static void part_close(part *p)
{
    insn_producer_close(p->from);
    insn_batch_free(p->batch);
    kept_free(&p->kept);
}

static stele_status part_open(part *p, stele_trace *trace, const insn_request *request)
{
    stele_status status = insn_batch_new(0, &p->batch);
    return status == STELE_OK ? trace_produce_insns(trace, request, &p->from) : status;
}

static bool status_is_end(stele_status status)
{
    return status == STELE_OK || status == STELE_END;
}

static void add_counts(insns *s, const insn_producer *from)
{
    balance_add(&s->balance, &from->balance);
    s->stray_count += from->stray_count;
    s->snapshot_count = from->snapshot_count;
    s->ends_with_snapshot |= from->ends_with_snapshot;
}

/* The whole of a stream, in order. */
static stele_status read_stream(cli *c, insns *s, stele_trace *trace, uint32_t stream,
                                const insn_consumer *to)
{
    part p = {.c = c,
              .filter = &s->filter,
              .take = to->take,
              .user = to->user,
              .total = stele_trace_get_info(trace)->size};
    insn_request request = s->request;
    request.stream = stream;
    request.diag = s->diag;
    p.status = part_open(&p, trace, &request);
    if (p.status == STELE_OK) {
        part_run(&p);
        add_counts(s, p.from);
    }
    part_close(&p);
    return p.status;
}

/* Runs the parts at the same time, the first one here. */
static void parts_run(part *parts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        parts[i].is_running = pthread_create(&parts[i].thread, NULL, part_run, &parts[i]) == 0;
    part_run(&parts[0]);
    for (uint32_t i = 1; i < count; i++) {
        if (parts[i].is_running)
            pthread_join(parts[i].thread, NULL);
        else
            part_run(&parts[i]);
    }
}

/* Puts the forks together, if the parts are the whole; `*is_whole` tells. */
static stele_status parts_join(cli *c, insns *s, part *parts, uint32_t count,
                               const insn_consumer *to, bool *is_whole)
{
    stele_status status = STELE_OK;
    *is_whole = true;
    for (uint32_t i = 0; i < count; i++) {
        *is_whole &= !parts[i].from->is_astray;
        if (status == STELE_OK && !status_is_end(parts[i].status))
            status = parts[i].status;
    }
    for (uint32_t i = 0; i < count && *is_whole; i++) {
        tell_findings(c, s, &parts[i].kept);
        add_counts(s, parts[i].from);
        if (status != STELE_OK)
            continue;
        status = to->join(to->user, parts[i].user);
        parts[i].user = NULL;
    }
    return status;
}

/* A stream in parts; `*is_whole` is false when they did not fit, and nothing was done. */
static stele_status read_parts(cli *c, insns *s, stele_trace *trace, uint32_t stream,
                               uint32_t count, const insn_consumer *to, bool *is_whole)
{
    part parts[THREADS_MAX] = {0};
    insn_request request = s->request;
    stele_status status = STELE_OK;
    uint32_t opened = 0;
    *is_whole = true;
    request.stream = stream;
    request.part_count = count;
    for (; opened < count && status == STELE_OK; opened++) {
        part *p = &parts[opened];
        p->c = opened == 0 ? c : NULL;
        p->filter = &s->filter;
        p->take = to->take;
        p->total = stele_trace_get_info(trace)->size / count;
        p->diag = (diag_sink){.fn = keep_finding, .user = &p->kept};
        request.part = opened;
        request.diag = &p->diag;
        status = to->fork(to->user, &p->user);
        if (status == STELE_OK)
            status = part_open(p, trace, &request);
    }
    if (status == STELE_OK) {
        parts_run(parts, count);
        status = parts_join(c, s, parts, count, to, is_whole);
    }
    for (uint32_t i = 0; i < opened; i++) {
        if (parts[i].user != NULL)
            to->drop(parts[i].user);
        part_close(&parts[i]);
    }
    return status;
}

bool insns_wants_thread(const insns *s, uint64_t number)
{
    bool is_wanted = s->thread_count == 0;
    for (size_t i = 0; i < s->thread_count; i++)
        is_wanted |= s->threads[i] == number;
    return is_wanted;
}

static bool wants_stream(const insns *s, const stele_stream *stream, const stele_trace *trace)
{
    return stream->trace == stele_trace_get_info(trace)->number &&
           insns_wants_thread(s, stream->number);
}

/* How many parts of a stream can be read at once: ranges are counted from its begin. */
static uint32_t part_count(const cli *c, const insns *s, const insn_consumer *to)
{
    const uint64_t wanted = option_number(&c->options, OPTION_THREADS);
    const insn_request *request = &s->request;
    if (to->fork == NULL || request->insn_begin != 0 || request->insn_end != UINT64_MAX ||
        request->snapshot_begin != 0 || request->snapshot_end != UINT64_MAX || wanted == 0)
        return 1;
    return wanted < THREADS_MAX ? (uint32_t)wanted : THREADS_MAX;
}

/* Makes the streams of the trace known. */
static stele_status find_streams(insns *s, stele_trace *trace)
{
    insn_producer *from;
    const stele_status status = trace_produce_insns(trace, &s->request, &from);
    insn_producer_close(from);
    return status;
}

static stele_status read_streams(cli *c, insns *s, stele_trace *trace, const insn_consumer *to)
{
    const uint32_t count = part_count(c, s, to);
    bool is_wanted = false;
    stele_status status = find_streams(s, trace);
    for (uint32_t i = 0; status == STELE_OK && i < stele_stream_count(c->context); i++) {
        bool is_whole = false;
        if (!wants_stream(s, stele_stream_get(c->context, i), trace))
            continue;
        is_wanted = true;
        s->ends_with_snapshot = false;
        if (count > 1)
            status = read_parts(c, s, trace, i, count, to, &is_whole);
        if (status == STELE_OK && !is_whole)
            status = read_stream(c, s, trace, i, to);
        if (status == STELE_END)
            status = STELE_OK;
        if (status == STELE_OK && to->end != NULL)
            status = to->end(to->user, s, stele_stream_get(c->context, i));
    }
    if (status == STELE_OK && !is_wanted)
        cli_usage(c, "%s: no such thread", stele_trace_get_info(trace)->path);
    return status;
}

stele_status insns_read_trace(cli *c, insns *s, stele_trace *trace, const insn_consumer *to)
{
    stele_status status;
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    status = read_streams(c, s, trace, to);
    balance_add(&s->balance, &trace->balance);
    s->has_content_size = trace_content_size(trace, &s->content_size);
    progress_clear(&c->progress);
    return status;
}
