/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/divide.h"

#include "core/sized.h"
#include "flow/reader.h"
#include "flow/relate.h"
#include "flow/request.h"

bool divide_by_threads(const stele_trace *trace)
{
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        const stele_stream *stream = stele_stream_get(trace->context, trace->stream_first + i);
        const stele_track *track = stele_track_get(trace->context, stream->track);
        if (track == NULL || track->kind != STELE_TRACK_THREAD)
            return false;
    }
    return true;
}

bool divide_is_possible(size_t count, const stele_request *request)
{
    return count == 1 && !request->check &&
           (request->order == STELE_ORDER_NONE || request->order == STELE_ORDER_STREAMS) &&
           !(request->from_start && request->begin.kind != STELE_BOUND_NONE) &&
           (request->part_count <= 1 || request->part < request->part_count);
}

/* In how many parts an indexed trace can be divided. */
static uint32_t count_parts(const stele_trace *trace, const stele_request *request, uint32_t most)
{
    const bool is_any = request->order == STELE_ORDER_NONE;
    uint64_t begin, end;
    if (trace->stream_count > 1)
        return is_any || divide_by_threads(trace) ? trace->stream_count : 1;
    while (most > 1 &&
           (!is_any || trace->ops->cut == NULL || !trace->ops->cut(trace, 0, most, &begin, &end)))
        most /= 2;
    return most;
}

static uint64_t reported_count(const stele_context *context)
{
    return context->diag.counts[0] + context->diag.counts[1] + context->diag.counts[2];
}

stele_status stele_reader_parts(stele_context *context, stele_trace *const *traces, size_t count,
                                const stele_request *given, uint32_t most, uint32_t *part_count)
{
    const uint64_t before = reported_count(context);
    stele_request request;
    stele_status status;
    uint32_t found;
    *part_count = 1;
    if (!sized_take(&request, sizeof request, SIZED_FIRST(stele_request, where), given) ||
        !request_check(context, traces, count, &request))
        return STELE_ERR_ARGUMENT;
    if (most < 2 || !divide_is_possible(count, &request) || !traces[0]->info.is_seekable)
        return STELE_OK;
    status = trace_index(traces[0]);
    if (status == STELE_OK && request_needs_end(&request))
        status = trace_find_ends(traces[0]);
    if (status != STELE_OK || !traces[0]->is_indexed || reported_count(context) != before)
        return status;
    found = count_parts(traces[0], &request, most);
    *part_count = found > most ? most : found;
    return STELE_OK;
}

bool reader_has_parts(const stele_trace *trace, const stele_request *request)
{
    return trace->ops->has_parts != NULL && trace->info.is_seekable && !trace->is_indexed &&
           !request->check && request->order == STELE_ORDER_NONE && request->part_count <= 1 &&
           request->begin.kind == STELE_BOUND_NONE && request->end.kind == STELE_BOUND_NONE &&
           !request->align_starts && request->where == NULL && request->names.count == 0 &&
           request->categories.count == 0 && request->tracks.count == 0 && trace->resolve == NULL &&
           trace->alignment.struct_size == 0 && trace->ops->has_parts(trace);
}
