/* SPDX-License-Identifier: Apache-2.0 */
/* Intersections: for each recording, the time in which all of its streams were recorded. */
#include <stele/reader.h>

#include <stdlib.h>

#include "model/context.h"

typedef struct time_span {
    int64_t begin_ns, end_ns; /* both are in the span */
} time_span;

struct stele_intersection {
    time_span *spans; /* by stream */
    uint32_t count;
    time_span all; /* includes the intersections of all recordings */
};

/* The time in which a stream was recorded, or, if that is not known, the range of its events.
   Returns false if neither is known. */
static bool span_of(const stele_stream *stream, time_span *span)
{
    *span = stream->has_span ? (time_span){stream->span_begin_ns, stream->span_end_ns}
                             : (time_span){stream->begin_ns, stream->end_ns};
    return stream->has_span || stream->has_range;
}

/* Computes the intersection of the recording whose streams begin at `first`; they are consecutive.
   `*end` becomes the first stream after them, or the one whose span is not known, in which case the
   result is false. */
static bool intersect(const stele_context *context, uint32_t first, time_span *spans, uint32_t *end)
{
    const stele_stream *leader = stele_stream_get(context, first), *stream = leader;
    time_span common = {INT64_MIN, INT64_MAX}, own;
    uint32_t i = first;
    do {
        *end = i;
        if (!span_of(stream, &own))
            return false;
        common.begin_ns = own.begin_ns > common.begin_ns ? own.begin_ns : common.begin_ns;
        common.end_ns = own.end_ns < common.end_ns ? own.end_ns : common.end_ns;
        stream = stele_stream_get(context, ++i);
    } while (stream != NULL && stream->trace == leader->trace &&
             stream->recording == leader->recording);
    *end = i;
    while (i-- != first)
        spans[i] = common;
    return true;
}

static stele_status find_spans(stele_context *context, stele_intersection *made, uint32_t *unknown)
{
    made->all = (time_span){INT64_MAX, INT64_MIN};
    made->count = stele_stream_count(context);
    made->spans = calloc((size_t)made->count + 1, sizeof *made->spans);
    if (made->spans == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t first = 0, end; first < made->count; first = end) {
        const time_span *common = &made->spans[first];
        if (!intersect(context, first, made->spans, &end)) {
            *unknown = end;
            return STELE_ERR_UNSUPPORTED;
        }
        if (common->begin_ns < made->all.begin_ns)
            made->all.begin_ns = common->begin_ns;
        if (common->end_ns > made->all.end_ns)
            made->all.end_ns = common->end_ns;
    }
    return STELE_OK;
}

stele_status stele_intersection_new(stele_context *context, stele_trace *const *traces,
                                    size_t count, stele_intersection **out, uint32_t *unknown)
{
    stele_intersection *made = calloc(1, sizeof *made);
    stele_status status = made != NULL ? STELE_OK : STELE_ERR_MEMORY;
    *out = NULL;
    *unknown = UINT32_MAX;
    for (size_t i = 0; i < count && status == STELE_OK; i++)
        status = stele_trace_index(traces[i]);
    if (status == STELE_OK)
        status = find_spans(context, made, unknown);
    if (status != STELE_OK) {
        stele_intersection_free(made);
        return status;
    }
    *out = made;
    return STELE_OK;
}

void stele_intersection_free(stele_intersection *spans)
{
    if (spans == NULL)
        return;
    free(spans->spans);
    free(spans);
}

void stele_intersection_bound(const stele_intersection *spans, stele_request *request)
{
    const time_span *all = &spans->all;
    request->begin = (stele_bound){STELE_BOUND_CLOCK, all->begin_ns};
    request->end =
        (stele_bound){STELE_BOUND_CLOCK, all->end_ns < INT64_MAX ? all->end_ns + 1 : all->end_ns};
}

static bool is_within(const time_span *span, const stele_batch *batch, const stele_event *event)
{
    const int64_t time_ns = event->time_ns - batch->shift_ns;
    return time_ns >= span->begin_ns && time_ns <= span->end_ns;
}

bool stele_intersection_next(const stele_intersection *spans, const stele_segment *whole,
                             stele_segment *part)
{
    const stele_batch *batch = whole->batch;
    const uint32_t end = whole->first + whole->count;
    const time_span *span;
    uint32_t at = part->first + part->count;
    part->first = at;
    part->count = end - at;
    if (batch->stream >= spans->count || at == end)
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
