/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the streams of a trace: one for each thread or core. */
#include <string.h>

#include "core/path.h"
#include "formats/xtrace/trace.h"

/* Gives the name of a stream, which is that of its file. */
static stele_name part_file_name(const xtrace_trace *trace, const xtrace_part *part)
{
    const char *name = path_base(xtrace_part_name(trace, part));
    return stele_name_intern(trace->base.context, name, strlen(name));
}

void xtrace_streams_keep(xtrace_trace *trace)
{
    const uint32_t first = trace->parts[0].stream, count = (uint32_t)trace->part_count;
    if (first != UINT32_MAX && trace->parts[count - 1].stream == first + count - 1 &&
        trace_keep_streams(&trace->base, first, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        trace->parts[i].stream = UINT32_MAX;
}

/* ---- Adding a stream ---- */

bool xtrace_stream_add(xtrace_trace *trace, xtrace_part *part, uint64_t count)
{
    stele_context *context = trace->base.context;
    const uint32_t trace_number = trace->base.info.number;
    const bool has_range = count != 0 && !trace->is_by_order;
    stele_stream stream = {
        .trace = trace_number,
        .number = part->number,
        .clock = {.domain = trace->is_by_order ? STELE_CLOCK_TICKS : STELE_CLOCK_INSNS},
        .is_ordered = true,
        .has_range = has_range,
        .end_ns = has_range ? (int64_t)count : 0};
    stele_track track = {.kind = part->is_core ? STELE_TRACK_CPU : STELE_TRACK_THREAD,
                         .source = trace_number,
                         .number = part->number};
    /* Threads of several collections may have the same numbers. */
    if (trace->has_collections)
        track.parent = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_STREAM,
                                                                  .source = trace_number,
                                                                  .number = part->time});
    part->insn_count = count;
    stream.name = part_file_name(trace, part);
    part->track = stele_track_intern(context, &track);
    stream.track = part->track;
    if (part->stream != UINT32_MAX)
        *context_stream(context, part->stream) = stream;
    else
        part->stream = context_add_stream(context, &stream);
    return part->track != 0 && part->stream != UINT32_MAX && stream.name != UINT32_MAX;
}
