/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the index of a trace to another one of the same files, without a file between them. */
#include <stele/reader.h>

#include "core/output.h"
#include "model/trace.h"

/* Whether one trace can use what the other one knows. */
static bool can_share(const stele_trace *trace, const stele_trace *from)
{
    return trace != from && trace->ops == from->ops && !trace->is_indexed && from->is_indexed &&
           trace->info.is_seekable && trace->ops->save_index != NULL &&
           trace->ops->load_index != NULL;
}

static stele_status load(stele_trace *trace, const output *made)
{
    size_t size;
    const uint8_t *bytes = output_memory(made, &size);
    stele_status status;
    if (made->status != STELE_OK)
        return made->status;
    trace->stream_first = trace->context->stream_count;
    status = trace->ops->load_index(trace, bytes, size);
    trace->is_indexed = status == STELE_OK;
    trace->stream_count = trace->context->stream_count - trace->stream_first;
    return status;
}

stele_status stele_trace_take_index(stele_trace *trace, stele_trace *from)
{
    output *made = NULL;
    stele_status status;
    if (!can_share(trace, from))
        return STELE_OK;
    status = output_open_memory(&trace->context->diag, &made);
    if (status == STELE_OK)
        status = from->ops->save_index(from, made);
    if (status == STELE_OK)
        status = load(trace, made);
    output_close(made);
    /* an index that cannot be given is made anew when it is needed */
    return status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_FORMAT ? STELE_OK : status;
}
