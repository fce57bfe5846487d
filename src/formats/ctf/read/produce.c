/* SPDX-License-Identifier: Apache-2.0 */
/* Starts producers. */
#include "formats/ctf/read/live.h"
#include "formats/ctf/read/producer.h"

stele_status ctf_produce(stele_trace *base, const produce_request *request, producer **out)
{
    ctf_trace *trace = (ctf_trace *)base;
    ctf_producer *made;
    uint32_t first = 0, end;
    stele_status status = STELE_OK;
    *out = NULL;
    if (trace->known != NULL)
        return ctf_live_produce(trace, request, out);
    if (trace->file_count != 0) {
        const bool is_whole = request->begin_ns == INT64_MIN && request->end_ns == INT64_MAX;
        status = is_whole ? ctf_group(trace) : trace_index(base);
    }
    end = trace->stream_count;
    if (request->stream != PRODUCE_ALL) {
        /* Streams have consecutive numbers, in their order. */
        first = request->stream - trace->streams[0].number;
        end = first + 1;
    }
    if (status == STELE_OK)
        status = ctf_producer_new(trace, request, first, end, &made);
    if (status == STELE_OK)
        *out = &made->base;
    return status;
}
