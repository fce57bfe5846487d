/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/opened_find.h"

#include <stele/analysis.h>
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "model/batch.h"
#include "model/context.h"
#include "model/trace.h"

#define KINDS_OPENED                                                                \
    (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) |                   \
     STELE_KIND_BIT(STELE_KIND_ASYNC_STEP) | STELE_KIND_BIT(STELE_KIND_ASYNC_END) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | STELE_KIND_BIT(STELE_KIND_FLOW_STEP) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_END) | STELE_KIND_BIT(STELE_KIND_SWITCH))

#define KINDS_MADE                                                               \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | STELE_KIND_BIT(STELE_KIND_SWITCH))

typedef struct finding {
    const stele_context *context;
    stele_picture *picture;
    stele_trace *const *traces;
    size_t count;
    stele_pairing **pairings; /* by trace; NULL: the trace has no pairs of moments */
    int64_t begin_ns;
    /* name of the field in which the picture says how much earlier something began */
    stele_name before;
    bool is_over; /* everything that is open at the begin was given */
    opened_fn *fn;
    void *user;
} finding;

/* The first tick at or after a time. The conversion has two parts, each of which rounds down, as
   that of the stream does. */
static uint64_t ticks_at(const stele_clock *clock, int64_t time_ns)
{
    const tick_rate rate = tick_rate_make(clock->frequency_hz);
    bool is_clamped = false;
    const int64_t base_ns = tick_rate_ns(&rate, clock->base_ticks, &is_clamped);
    uint64_t ticks;
    if (clock->base_ticks == 0 || time_ns >= base_ns)
        return clock->base_ticks + tick_rate_ticks(&rate, time_ns - base_ns);
    ticks = tick_rate_ticks(&rate, base_ns - time_ns);
    return ticks < clock->base_ticks ? clock->base_ticks - ticks : 0;
}

/* Removes the picture's mark from an event that the picture made. Returns how many nanoseconds
   before the window the span began. */
static uint64_t take_mark(const finding *f, const stele_batch *batch, stele_event *event)
{
    const stele_field *last;
    if (event->field_count == 0 || event->field_count >= STELE_FIELDS_MANY)
        return 0;
    last = &batch->fields[event->field_first + event->field_count - 1u];
    if (last->name != f->before)
        return 0;
    event->field_count--;
    return last->u.u;
}

static stele_status take(void *user, const stele_segment *segment)
{
    finding *f = user;
    const stele_batch *batch = segment->batch;
    const stele_stream *stream = stele_stream_get(f->context, batch->stream);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK && !f->is_over; i++) {
        stele_event event = batch->events[segment->first + i];
        /* the picture ends what it began: everything was given */
        if (event.kind == STELE_KIND_END) {
            f->is_over = true;
        } else if ((KINDS_MADE & STELE_KIND_BIT(event.kind)) != 0 && stream != NULL) {
            const uint64_t before_ns = take_mark(f, batch, &event);
            event.ticks = ticks_at(&stream->clock, f->begin_ns - batch->shift_ns);
            status = f->fn(f->user, batch, &event, before_ns);
        }
    }
    return status;
}

/* ---- Pairs of moments ---- */

static void pairings_free(finding *f)
{
    for (size_t i = 0; f->pairings != NULL && i < f->count; i++)
        stele_pairing_free(f->pairings[i]);
    free(f->pairings);
    f->pairings = NULL;
}

/* Makes a pairing for each trace that has pairs of moments; each trace decides by itself whether
   it uses them. */
static stele_status pairings_make(finding *f, stele_context *context, uint64_t kinds)
{
    const stele_pairing_options options = {.kinds = kinds};
    stele_status status = STELE_OK;
    for (size_t i = 0; i < f->count && status == STELE_OK; i++) {
        status = stele_pairing_new(context, &options, &f->pairings[i]);
        if (status == STELE_OK && !stele_pairing_wants(f->pairings[i], f->traces[i])) {
            stele_pairing_free(f->pairings[i]);
            f->pairings[i] = NULL;
        }
    }
    return status;
}

/* The kinds of events that pairs are made of, as bits; 0: there are no pairs. */
static uint64_t pairings_kinds(const finding *f)
{
    uint64_t kinds = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->pairings[i] != NULL)
            kinds |= stele_pairing_kinds(f->pairings[i]);
    return kinds;
}

static stele_status add_to_picture(void *user, const stele_segment *segment)
{
    const finding *f = user;
    return stele_picture_add(f->picture, segment);
}

static stele_status add(finding *f, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(f->context, segment->batch->stream);
    for (size_t i = 0; i < f->count && stream != NULL; i++)
        if (f->pairings[i] != NULL && stele_trace_get_info(f->traces[i])->number == stream->trace)
            return stele_pairing_add(f->pairings[i], segment, add_to_picture, f);
    return stele_picture_add(f->picture, segment);
}

/* ---- Where the range begins and ends ---- */

typedef enum found_where { AT_BEGIN, AT_BEGIN_WITH_PAIRS, AT_END } found_where;

/* Whether a segment has an event at a time or after it. */
static bool has_later(const stele_segment *segment, int64_t time_ns)
{
    const stele_event *event = segment->batch->events + segment->first;
    for (const stele_event *end = event + segment->count; event != end; event++)
        if (event->time_ns >= time_ns && (event->flags & STELE_FLAG_NO_TIME) == 0)
            return true;
    return false;
}

/* Finds the time at which the request begins. Gives INT64_MIN if it has no such time, or its range
   is empty. */
static stele_status find_begin(stele_context *context, stele_trace *const *traces, size_t count,
                               const stele_request *request, int64_t *begin_ns)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_reader *reader;
    stele_status status = stele_reader_open(context, traces, count, request, &reader);
    if (status == STELE_OK)
        stele_reader_get_stats(reader, &stats);
    *begin_ns = stats.range_begin_ns < stats.range_end_ns ? stats.range_begin_ns : INT64_MIN;
    stele_reader_close(reader);
    return status;
}

/* Finds the time at which the request ends. Gives INT64_MIN if it has no such time, its range is
   empty, or no event is left there or after it. */
static stele_status find_end(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_request *request, int64_t *end_ns)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_diag_fn *const outer = context->diag.fn;
    stele_request rest = *request;
    stele_segment segment;
    stele_reader *reader;
    stele_status status;
    int64_t begin_ns = INT64_MIN;
    bool is_found = false;
    if (request->begin.kind != STELE_BOUND_NONE) {
        status = find_begin(context, traces, count, request, &begin_ns);
        if (status != STELE_OK || begin_ns == INT64_MIN)
            return status;
    }
    rest.begin = request->end;
    rest.end = (stele_bound){.kind = STELE_BOUND_NONE};
    rest.from_start = false;
    rest.order = STELE_ORDER_NONE;
    rest.columns = STELE_COLUMN_TIME;
    status = stele_reader_open(context, traces, count, &rest, &reader);
    if (status == STELE_OK)
        stele_reader_get_stats(reader, &stats);
    context->diag.fn = NULL; /* the reader of the request finds the same */
    while (status == STELE_OK && !is_found && stats.range_begin_ns != INT64_MIN &&
           (status = stele_reader_next(reader, &segment)) == STELE_OK)
        is_found = has_later(&segment, stats.range_begin_ns);
    stele_reader_close(reader);
    context->diag.fn = outer;
    if (is_found)
        *end_ns = stats.range_begin_ns;
    return status == STELE_END ? STELE_OK : status;
}

/* ---- Reading up to there ---- */

static stele_status read_all(finding *f, stele_context *context, const stele_request *request)
{
    const stele_segment *segments;
    stele_reader *reader;
    size_t segment_count;
    stele_status status = stele_reader_open(context, f->traces, f->count, request, &reader);
    while (status == STELE_OK &&
           (status = stele_reader_next_segments(reader, &segments, &segment_count)) == STELE_OK) {
        for (size_t i = 0; i < segment_count && status == STELE_OK; i++)
            status = add(f, &segments[i]);
    }
    stele_reader_close(reader);
    return status == STELE_END ? stele_picture_finish(f->picture) : status;
}

/* Gives what is open at f->begin_ns, the begin of the request. */
static stele_status find(finding *f, stele_context *context, const stele_request *request)
{
    stele_status status = stele_picture_new(context, take, f, &f->picture);
    if (status == STELE_OK)
        status = stele_picture_set_window(f->picture, f->begin_ns, INT64_MAX);
    context->diag.fn = NULL; /* the reader of the request finds the same */
    if (status == STELE_OK)
        status = read_all(f, context, request);
    stele_picture_free(f->picture);
    return status;
}

/* Passes on findings that end an operation. All others are reported by the reader of the request,
   which reads the same bytes. */
static void pass_errors(void *user, const stele_diag *diag)
{
    const diag_sink *outer = user;
    if (diag->code->severity == STELE_ERROR && outer->fn != NULL)
        outer->fn(outer->user, diag);
}

/* Indexes the traces. This happens once, so it reports what it finds. */
static stele_status index_all(stele_trace *const *traces, size_t count)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; i < count && status == STELE_OK; i++)
        if (traces[i]->info.is_seekable)
            status = trace_index(traces[i]);
    return status;
}

static stele_status find_where(stele_context *context, stele_trace *const *traces, size_t count,
                               const stele_request *request, found_where where, opened_fn *fn,
                               void *user)
{
    finding f = {.context = context,
                 .traces = traces,
                 .count = count,
                 .begin_ns = INT64_MIN,
                 .before = context_own_name(context, "stele.before_ns"),
                 .fn = fn,
                 .user = user};
    const uint64_t asked = request->kinds != 0 ? request->kinds : STELE_KINDS_ALL;
    diag_sink outer;
    stele_request wanted = *request;
    stele_status status;
    f.pairings = calloc(count != 0 ? count : 1, sizeof(stele_pairing *));
    if (f.pairings == NULL)
        return STELE_ERR_MEMORY;
    status = index_all(traces, count);
    outer = context->diag;
    context->diag.fn = pass_errors;
    context->diag.user = &outer;
    if (status == STELE_OK && where == AT_BEGIN_WITH_PAIRS)
        status = pairings_make(&f, context, asked & KINDS_OPENED);
    wanted.from_start = true;
    wanted.order = STELE_ORDER_TIME;
    wanted.columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    wanted.kinds = asked & (KINDS_OPENED | pairings_kinds(&f));
    if (status == STELE_OK)
        status = where == AT_END ? find_end(context, traces, count, &wanted, &f.begin_ns)
                                 : find_begin(context, traces, count, &wanted, &f.begin_ns);
    wanted.begin = (stele_bound){.kind = STELE_BOUND_NONE};
    wanted.end = (stele_bound){STELE_BOUND_CLOCK, f.begin_ns};
    if (status == STELE_OK && f.begin_ns != INT64_MIN && wanted.kinds != 0)
        status = find(&f, context, &wanted);
    pairings_free(&f);
    context->diag = outer;
    return status;
}

stele_status opened_find(stele_context *context, stele_trace *const *traces, size_t count,
                         const stele_request *request, bool has_pairs, opened_fn *fn, void *user)
{
    return find_where(context, traces, count, request, has_pairs ? AT_BEGIN_WITH_PAIRS : AT_BEGIN,
                      fn, user);
}

stele_status opened_find_at_end(stele_context *context, stele_trace *const *traces, size_t count,
                                const stele_request *request, opened_fn *fn, void *user)
{
    return find_where(context, traces, count, request, AT_END, fn, user);
}
