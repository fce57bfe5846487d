/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/narrow.h"

/* How many bytes of memory are reckoned for a byte of a record: an event takes about twice the
   bytes of its record, and events are not spread evenly over a trace. */
#define MEMORY_OF_BYTE 3.0

/* Finds the times of the first and the last event. Returns false if they are not known. */
static bool find_range(const stele_trace *trace, int64_t *begin_ns, int64_t *end_ns)
{
    *begin_ns = INT64_MAX;
    *end_ns = INT64_MIN;
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        const stele_stream *stream = stele_stream_get(trace->context, trace->stream_first + i);
        if (!stream->has_range)
            continue;
        if (stream->begin_ns < *begin_ns)
            *begin_ns = stream->begin_ns;
        if (stream->end_ns > *end_ns)
            *end_ns = stream->end_ns;
    }
    return *begin_ns < *end_ns;
}

bool narrow_is_range(const stele_trace *trace, int64_t begin_ns, int64_t end_ns, size_t size_max)
{
    int64_t first_ns, last_ns;
    if (!trace->is_indexed || !trace->info.has_size || !find_range(trace, &first_ns, &last_ns))
        return false;
    if (begin_ns < first_ns)
        begin_ns = first_ns;
    if (end_ns > last_ns)
        end_ns = last_ns;
    return begin_ns >= end_ns || ((double)end_ns - (double)begin_ns) /
                                         ((double)last_ns - (double)first_ns) *
                                         (double)trace->info.size * MEMORY_OF_BYTE <=
                                     (double)size_max;
}
