/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/request.h"

#include "model/trace.h"
#include "query/filter.h"

static bool globs_are_sound(const stele_globs *globs)
{
    if (globs->count != 0 && globs->patterns == NULL)
        return false;
    for (size_t i = 0; i < globs->count; i++)
        if (globs->patterns[i] == NULL)
            return false;
    return true;
}

static bool bound_is_sound(const stele_bound *bound)
{
    return (unsigned)bound->kind <= STELE_BOUND_CLOCK;
}

/* Returns what is wrong with a request or the traces that it is for; NULL if nothing is. */
static const char *find_fault(const stele_context *context, stele_trace *const *traces,
                              size_t count, const stele_request *request)
{
    const uint32_t columns = STELE_COLUMNS_ALL | STELE_COLUMNS_NONE;
    for (size_t i = 0; i < count; i++) {
        if (traces == NULL || traces[i] == NULL)
            return "a trace that is NULL";
        if (traces[i]->context != context)
            return "a trace of another context";
    }
    for (size_t i = 0; i < request->field_count; i++)
        if (request->fields == NULL || request->fields[i] == NULL)
            return "the name of a field that is NULL";
    if (!globs_are_sound(&request->names) || !globs_are_sound(&request->categories) ||
        !globs_are_sound(&request->tracks))
        return "a pattern that is NULL";
    for (size_t i = 0; i < request->stream_count; i++)
        if (request->streams == NULL || (i != 0 && request->streams[i] <= request->streams[i - 1]))
            return "numbers of streams that do not rise";
    if ((unsigned)request->order > STELE_ORDER_STREAMS)
        return "an order that does not exist";
    if (!bound_is_sound(&request->begin) || !bound_is_sound(&request->end))
        return "a bound of a kind that does not exist";
    if (((request->kinds | request->field_kinds) & ~STELE_KINDS_ALL) != 0)
        return "kinds of events that do not exist";
    if ((request->columns & ~columns) != 0)
        return "columns that do not exist";
    return request->window_ns < 0 ? "a window of less than 0 ns" : NULL;
}

bool request_wants_stream(const stele_request *request, uint32_t stream)
{
    size_t low = 0, high = request->stream_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (request->streams[middle] < stream)
            low = middle + 1;
        else
            high = middle;
    }
    return request->stream_count == 0 ||
           (low < request->stream_count && request->streams[low] == stream);
}

bool request_check(stele_context *context, stele_trace *const *traces, size_t count,
                   const stele_request *request)
{
    const char *found = find_fault(context, traces, count, request);
    if (found == NULL)
        return true;
    diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                "traces and a request as <stele/reader.h> describes them", "%s", found);
    return false;
}

stele_status request_complete(stele_context *context, stele_request *request)
{
    filter *f;
    stele_status status;
    if (request->kinds == 0)
        request->kinds = STELE_KINDS_ALL;
    if (request->columns == 0)
        request->columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    if (request->order != STELE_ORDER_NONE)
        request->columns |= STELE_COLUMN_TIME;
    if (request->order_by_end || request->begin.kind != STELE_BOUND_NONE ||
        request->end.kind != STELE_BOUND_NONE)
        request->columns |= STELE_COLUMN_TIME | STELE_COLUMN_VALUE;
    status = filter_new(context, request, NULL, &f);
    if (status == STELE_OK)
        request->columns |= filter_columns(f);
    filter_free(f);
    return status;
}

/* After so long without input a pipe's events are delivered, unless the order must be complete. */
#define PIPE_HOLD_MS 500

int64_t request_hold_ms(const stele_request *request, const stele_trace *trace)
{
    if (trace->info.is_seekable || request->order == STELE_ORDER_FULL)
        return 0;
    if (request->order == STELE_ORDER_WINDOW && request->window_ns > 0)
        return request->window_ns / 1000000 > 0 ? request->window_ns / 1000000 : 1;
    return PIPE_HOLD_MS;
}
