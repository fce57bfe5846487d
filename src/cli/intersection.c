/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/intersection.h"

#include <stdlib.h>

/* What was recorded of a stream, or where that is not known its events. */
static bool span_of(const stele_stream *stream, time_span *span)
{
    *span = stream->has_span ? (time_span){stream->span_begin_ns, stream->span_end_ns}
                             : (time_span){stream->begin_ns, stream->end_ns};
    return stream->has_span || stream->has_range;
}

/* Streams of one recording stand together: all from `first` on get what they have in common. */
static stele_status intersect(cli *c, uint32_t first, time_span *spans, uint32_t *end)
{
    const stele_stream *leader = stele_stream_get(c->context, first), *stream = leader;
    time_span common = {INT64_MIN, INT64_MAX}, own;
    uint32_t i = first;
    do {
        if (!span_of(stream, &own)) {
            cli_usage(c, "--stream-intersection: it is not known when stream %u begins and ends",
                      (unsigned)i);
            return STELE_ERR_ARGUMENT;
        }
        common.begin_ns = own.begin_ns > common.begin_ns ? own.begin_ns : common.begin_ns;
        common.end_ns = own.end_ns < common.end_ns ? own.end_ns : common.end_ns;
        stream = stele_stream_get(c->context, ++i);
    } while (stream != NULL && stream->trace == leader->trace &&
             stream->recording == leader->recording);
    *end = i;
    while (i-- != first)
        spans[i] = common;
    return STELE_OK;
}

stele_status intersection_find(cli *c, stele_trace *const *traces, size_t count,
                               stele_request *request, intersection *out)
{
    time_span all = {INT64_MAX, INT64_MIN};
    stele_status status = STELE_OK;
    if (request->begin.kind != STELE_BOUND_NONE || request->end.kind != STELE_BOUND_NONE) {
        cli_usage(c, "--stream-intersection excludes --begin and --end");
        return STELE_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < count && status == STELE_OK; i++)
        status = stele_trace_index(traces[i]);
    if (status != STELE_OK)
        return status;
    out->count = stele_stream_count(c->context);
    out->spans = calloc((size_t)out->count + 1, sizeof *out->spans);
    if (out->spans == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t first = 0, end; first < out->count && status == STELE_OK; first = end) {
        const time_span *common = &out->spans[first];
        status = intersect(c, first, out->spans, &end);
        all.begin_ns = common->begin_ns < all.begin_ns ? common->begin_ns : all.begin_ns;
        all.end_ns = common->end_ns > all.end_ns ? common->end_ns : all.end_ns;
    }
    request->begin = (stele_bound){STELE_BOUND_CLOCK, all.begin_ns};
    request->end =
        (stele_bound){STELE_BOUND_CLOCK, all.end_ns < INT64_MAX ? all.end_ns + 1 : all.end_ns};
    return status;
}

void intersection_free(intersection *spans)
{
    free(spans->spans);
}

static bool is_within(const time_span *span, const stele_batch *batch, const stele_event *event)
{
    const int64_t time_ns = event->time_ns - batch->shift_ns;
    return time_ns >= span->begin_ns && time_ns <= span->end_ns;
}

bool intersection_next(const intersection *spans, const stele_segment *whole, stele_segment *part)
{
    const stele_batch *batch = whole->batch;
    const uint32_t end = whole->first + whole->count;
    const time_span *span;
    uint32_t at = part->first + part->count;
    part->first = at;
    part->count = end - at;
    if (spans->spans == NULL || batch->stream >= spans->count || at == end)
        return at < end;
    span = &spans->spans[batch->stream];
    while (at < end && !is_within(span, batch, &batch->events[at]))
        at++;
    part->first = at;
    while (at < end && is_within(span, batch, &batch->events[at]))
        at++;
    part->count = at - part->first;
    return part->count != 0;
}
