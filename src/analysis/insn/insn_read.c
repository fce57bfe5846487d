/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the instructions of a trace, stream by stream, and each stream in parts if the caller
   asks for that. */
#include <stele/insn.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/insn/insn_filter.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/together.h"
#include "model/insn.h"

#define PARTS_MAX    64u
#define OPTIONS_SIZE SIZED_FIRST(stele_insn_options, progress_user)
#define STATS_SIZE   SIZED_FIRST(stele_insn_stats, content_size)

/* ---- State of a reading ---------------------------------------------------------------------- */

/* A trace that is being read, with the caller's options. */
typedef struct reading {
    stele_trace *trace;
    stele_insn_options options;
    insn_request request;
    insn_filter filter;
    diag_sink diag; /* gives findings to options.on_finding */
    stele_insn_stats stats;
} reading;

static void reading_free(reading *r)
{
    insn_filter_free(&r->filter);
}

/* Makes the streams of the trace known to the context. */
static stele_status find_streams(const reading *r)
{
    insn_producer *from;
    const stele_status status = trace_produce_insns(r->trace, &r->request, &from);
    insn_producer_close(from);
    return status;
}

static stele_status reading_init(reading *r, stele_trace *trace, const stele_insn_options *given)
{
    stele_insn_options *o = &r->options;
    *r = (reading){.trace = trace, .request = INSN_REQUEST_ALL, .stats = {.struct_size = 0}};
    r->stats.struct_size = sizeof r->stats;
    if (!sized_take(o, sizeof *o, OPTIONS_SIZE, given))
        return STELE_ERR_ARGUMENT;
    r->request.wants_accesses = o->wants_accesses;
    r->request.wants_values = o->wants_values;
    r->request.wants_snapshots = o->wants_snapshots;
    r->request.insn_begin = o->insn_begin;
    r->request.insn_end = o->insn_end != 0 ? o->insn_end : UINT64_MAX;
    r->request.snapshot_begin = o->snapshot_begin;
    r->request.snapshot_end = o->snapshot_end != 0 ? o->snapshot_end : UINT64_MAX;
    r->filter.levels = o->levels;
    for (size_t i = 0; o->ranges != NULL && i < o->range_count; i++) {
        if (!insn_filter_add(&r->filter, o->ranges[i].first, o->ranges[i].last))
            return STELE_ERR_MEMORY;
    }
    insn_filter_sort(&r->filter);
    if (o->on_finding != NULL) {
        r->diag = (diag_sink){.fn = o->on_finding,
                              .user = o->finding_user,
                              .go_on = trace->context->diag.go_on,
                              .go_on_user = trace->context->diag.go_on_user};
        r->request.diag = &r->diag;
    }
    return find_streams(r);
}

static diag_sink *reading_diag(reading *r)
{
    return r->request.diag != NULL ? r->request.diag : &r->trace->context->diag;
}

static bool wants_stream(const reading *r, const stele_stream *stream)
{
    const stele_insn_options *o = &r->options;
    bool is_wanted = o->threads == NULL || o->thread_count == 0;
    for (size_t i = 0; !is_wanted && i < o->thread_count; i++)
        is_wanted = o->threads[i] == stream->number;
    return is_wanted && stream->trace == r->trace->info.number;
}

static void add_counts(reading *r, const insn_producer *from)
{
    balance_add(&r->stats.balance, &from->balance);
    r->stats.stray_count += from->stray_count;
    r->stats.snapshot_count = from->snapshot_count;
    r->stats.ends_with_snapshot |= from->ends_with_snapshot;
}

/* Adds the figures that are known once all streams were read. */
static void add_whole(reading *r)
{
    balance_add(&r->stats.balance, &r->trace->balance);
    r->stats.has_content_size = trace_content_size(r->trace, &r->stats.content_size);
}

/* ---- Findings of parts ----------------------------------------------------------------------- */

/* A finding of a part that runs on another thread. It is reported when the part's turn comes. */
typedef struct kept_finding {
    stele_diag diag;
    char *source, *expected, *found;
} kept_finding;

typedef struct kept_findings {
    kept_finding *list;
    size_t count, capacity;
    bool is_short; /* a finding is missing because memory was exhausted */
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
        kept_finding *grown = array_grow_size(kept->list, sizeof *grown, &kept->capacity, 16);
        if (grown == NULL) {
            kept->is_short = true;
            return;
        }
        kept->list = grown;
    }
    to = &kept->list[kept->count++];
    *to = (kept_finding){*diag, copy_text(diag->source), copy_text(diag->expected),
                         copy_text(diag->found)};
    to->diag.source = to->source;
    to->diag.expected = to->expected;
    to->diag.found = to->found != NULL ? to->found : "";
}

static stele_status report_findings(reading *r, const kept_findings *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        diag_emit(reading_diag(r), &kept->list[i].diag);
    return kept->is_short ? STELE_ERR_MEMORY : STELE_OK;
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

/* ---- Reading of one part --------------------------------------------------------------------- */

/* One part of a stream, with the consumer that receives it: the caller's own, or a fork of it. */
typedef struct read_part {
    reading *of;
    stele_insn_take_fn *take;
    void *user;
    uint64_t total; /* size of the trace in bytes, for reports of progress */
    /* reports progress; set for one part only, because others run on other threads */
    bool has_progress;
    insn_producer *from;
    insn_batch *batch;
    kept_findings kept;
    diag_sink diag;
    stele_status status;
} read_part;

/* Reads the next batch that has an instruction which is not hidden. */
static stele_status part_next(read_part *p)
{
    const diag_sink *go_on = &p->of->trace->context->diag;
    stele_status status = STELE_OK;
    do {
        status = diag_goes_on(go_on, -1) ? insn_produce(p->from, p->batch) : STELE_ERR_CLOSED;
    } while (status == STELE_OK && insn_filter_apply(&p->of->filter, p->batch) == 0);
    return status;
}

static void part_run(void *user)
{
    read_part *p = user;
    const stele_insn_options *o = &p->of->options;
    stele_status status = STELE_OK;
    while (status == STELE_OK && (status = part_next(p)) == STELE_OK) {
        status = p->take(p->user, p->batch);
        if (p->has_progress && o->on_progress != NULL)
            o->on_progress(o->progress_user, p->batch->offset, p->total);
    }
    p->status = status;
}

static void part_close(read_part *p)
{
    insn_producer_close(p->from);
    insn_batch_free(p->batch);
    kept_free(&p->kept);
}

static stele_status part_open(read_part *p, const insn_request *request)
{
    const stele_status status = insn_batch_new(0, &p->batch);
    return status == STELE_OK ? trace_produce_insns(p->of->trace, request, &p->from) : status;
}

static bool status_is_end(stele_status status)
{
    return status == STELE_OK || status == STELE_END;
}

/* ---- Reading of streams ---------------------------------------------------------------------- */

/* Reads a whole stream in order. */
static stele_status read_stream(reading *r, uint32_t stream, const stele_insn_consumer *to)
{
    read_part p = {.of = r,
                   .take = to->take,
                   .user = to->user,
                   .total = r->trace->info.size,
                   .has_progress = true};
    insn_request request = r->request;
    request.stream = stream;
    p.status = part_open(&p, &request);
    if (p.status == STELE_OK) {
        part_run(&p);
        add_counts(r, p.from);
    }
    part_close(&p);
    return p.status;
}

/* Joins the forks of the consumer. `*is_whole` is set to whether the parts make up the whole
   stream; if not, nothing is joined. */
static stele_status parts_join(reading *r, read_part *parts, uint32_t count,
                               const stele_insn_consumer *to, bool *is_whole)
{
    stele_status status = STELE_OK;
    *is_whole = true;
    for (uint32_t i = 0; i < count; i++) {
        *is_whole &= !parts[i].from->is_astray;
        if (status == STELE_OK && !status_is_end(parts[i].status))
            status = parts[i].status;
    }
    for (uint32_t i = 0; i < count && *is_whole; i++) {
        const stele_status reported = report_findings(r, &parts[i].kept);
        add_counts(r, parts[i].from);
        if (status == STELE_OK)
            status = reported;
        if (status != STELE_OK)
            continue;
        status = to->join(to->user, parts[i].user);
        parts[i].user = NULL;
    }
    return status;
}

/* Reads a stream in parts. If the parts do not fit together, `*is_whole` is false and the
   consumer is unchanged. */
static stele_status read_parts(reading *r, uint32_t stream, uint32_t count,
                               const stele_insn_consumer *to, bool *is_whole)
{
    read_part *parts = calloc(count, sizeof *parts);
    insn_request request = r->request;
    stele_status status = parts != NULL ? STELE_OK : STELE_ERR_MEMORY;
    uint32_t opened = 0;
    *is_whole = true;
    request.stream = stream;
    request.part_count = count;
    for (; opened < count && status == STELE_OK; opened++) {
        read_part *p = &parts[opened];
        *p = (read_part){.of = r,
                         .take = to->take,
                         .total = r->trace->info.size / count,
                         .has_progress = opened == 0,
                         .diag = {.fn = keep_finding}};
        p->diag.user = &p->kept;
        request.part = opened;
        request.diag = &p->diag;
        status = to->fork(to->user, &p->user);
        if (status == STELE_OK)
            status = part_open(p, &request);
    }
    if (status == STELE_OK) {
        together_run(part_run, parts, sizeof *parts, count);
        status = parts_join(r, parts, count, to, is_whole);
    }
    for (uint32_t i = 0; i < opened; i++) {
        if (parts[i].user != NULL)
            to->drop(parts[i].user);
        part_close(&parts[i]);
    }
    free(parts);
    return status;
}

/* How many parts of a stream can be read at the same time; 1 if the caller asked for a range,
   which is counted from the stream's begin. */
static uint32_t part_count(const reading *r, const stele_insn_consumer *to)
{
    const insn_request *request = &r->request;
    const uint32_t wanted = r->options.parts_max;
    if (to->fork == NULL || to->join == NULL || to->drop == NULL || wanted == 0 ||
        request->insn_begin != 0 || request->insn_end != UINT64_MAX ||
        request->snapshot_begin != 0 || request->snapshot_end != UINT64_MAX)
        return 1;
    return wanted < PARTS_MAX ? wanted : PARTS_MAX;
}

static stele_status read_streams(reading *r, const stele_insn_consumer *to)
{
    const uint32_t count = part_count(r, to);
    const stele_context *context = r->trace->context;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < stele_stream_count(context); i++) {
        bool is_whole = false;
        if (!wants_stream(r, stele_stream_get(context, i)))
            continue;
        r->stats.stream_count++;
        r->stats.ends_with_snapshot = false;
        if (count > 1)
            status = read_parts(r, i, count, to, &is_whole);
        if (status == STELE_OK && !is_whole)
            status = read_stream(r, i, to);
        if (status == STELE_END)
            status = STELE_OK;
        if (status == STELE_OK && to->end != NULL)
            status = to->end(to->user, &r->stats, stele_stream_get(context, i));
    }
    return status;
}

stele_status stele_insn_read(stele_trace *trace, const stele_insn_options *options,
                             const stele_insn_consumer *consumer, stele_insn_stats *stats)
{
    stele_insn_consumer to;
    reading r;
    stele_status status;
    if (!sized_take(&to, sizeof to, SIZED_FIRST(stele_insn_consumer, end), consumer) ||
        to.take == NULL)
        return STELE_ERR_ARGUMENT;
    status = reading_init(&r, trace, options);
    if (status == STELE_OK) {
        status = read_streams(&r, &to);
        add_whole(&r);
    }
    if (stats != NULL)
        sized_give(stats, &r.stats, sizeof r.stats, STATS_SIZE);
    reading_free(&r);
    return status;
}

/* ---- Reader of one batch after another ------------------------------------------------------- */

struct stele_insn_reader {
    reading reading;
    read_part part;
    bool is_open;
    uint32_t stream; /* the open stream, or the first that is still to be examined */
    stele_status status;
};

stele_status stele_insn_reader_new(stele_trace *trace, const stele_insn_options *options,
                                   stele_insn_reader **out)
{
    stele_insn_reader *made = calloc(1, sizeof *made);
    stele_status status;
    *out = NULL;
    if (made == NULL)
        return STELE_ERR_MEMORY;
    status = reading_init(&made->reading, trace, options);
    if (status != STELE_OK) {
        reading_free(&made->reading);
        free(made);
        return status;
    }
    *out = made;
    return STELE_OK;
}

/* Opens the next stream that the caller wants. Returns STELE_END if there is none. */
static stele_status reader_open(stele_insn_reader *reader)
{
    reading *r = &reader->reading;
    const stele_context *context = r->trace->context;
    insn_request request = r->request;
    while (reader->stream < stele_stream_count(context) &&
           !wants_stream(r, stele_stream_get(context, reader->stream)))
        reader->stream++;
    if (reader->stream == stele_stream_count(context)) {
        add_whole(r);
        return STELE_END;
    }
    r->stats.stream_count++;
    r->stats.ends_with_snapshot = false;
    request.stream = reader->stream;
    reader->part = (read_part){.of = r, .total = r->trace->info.size};
    reader->is_open = true;
    return part_open(&reader->part, &request);
}

static void reader_close(stele_insn_reader *reader)
{
    if (!reader->is_open)
        return;
    if (reader->part.from != NULL)
        add_counts(&reader->reading, reader->part.from);
    part_close(&reader->part);
    reader->is_open = false;
    reader->stream++;
}

stele_status stele_insn_reader_next(stele_insn_reader *reader, const stele_insn_batch **batch)
{
    const stele_insn_options *o = &reader->reading.options;
    *batch = NULL;
    while (reader->status == STELE_OK) {
        stele_status status = reader->is_open ? STELE_OK : reader_open(reader);
        if (status != STELE_OK) {
            reader->status = status;
            break;
        }
        status = part_next(&reader->part);
        if (status == STELE_OK) {
            *batch = reader->part.batch;
            if (o->on_progress != NULL)
                o->on_progress(o->progress_user, (*batch)->offset, reader->part.total);
            return STELE_OK;
        }
        if (status != STELE_END)
            reader->status = status;
        else
            reader_close(reader);
    }
    return reader->status;
}

void stele_insn_reader_get_stats(const stele_insn_reader *reader, stele_insn_stats *stats)
{
    stele_insn_stats own = reader->reading.stats;
    const insn_producer *open = reader->is_open ? reader->part.from : NULL;
    if (open != NULL) {
        balance_add(&own.balance, &open->balance);
        own.stray_count += open->stray_count;
    }
    sized_give(stats, &own, sizeof own, STATS_SIZE);
}

void stele_insn_reader_free(stele_insn_reader *reader)
{
    if (reader == NULL)
        return;
    reader_close(reader);
    reading_free(&reader->reading);
    free(reader);
}
