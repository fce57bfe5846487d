/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a trace, one for each provider. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/fxt/trace.h"

/* Makes a stream's clock. Providers of one trace share the clock of their machine. */
static stele_clock stream_clock(const fxt_trace *trace, const fxt_clock *clock)
{
    return (stele_clock){.domain = STELE_CLOCK_NS,
                         .frequency_hz = clock->rate.frequency_hz,
                         .base_ticks = clock->base_ticks,
                         .has_wall = clock->has_wall,
                         .wall_ns = clock->wall_ns,
                         .identity = {UINT64_C(0x667874), trace->base.info.number + 1}};
}

fxt_stream *fxt_trace_stream(fxt_trace *trace, const fxt_provider *p)
{
    const uint64_t key = fxt_stream_key(p);
    const uint32_t known = fxt_map_get(&trace->stream_by_key, 0, key);
    stele_stream stream;
    fxt_stream *made;
    if (known != 0)
        return &trace->streams[known - 1];
    if (trace->stream_count == trace->stream_capacity) {
        fxt_stream *streams =
            array_grow(trace->streams, sizeof *streams, &trace->stream_capacity, 16);
        if (streams == NULL)
            return NULL;
        trace->streams = streams;
    }
    stream = (stele_stream){.trace = trace->base.info.number,
                            .number = p->id,
                            .name = p->name,
                            .track = p->track,
                            .clock = stream_clock(trace, &p->clock)};
    made = &trace->streams[trace->stream_count];
    *made = (fxt_stream){.key = key, .stream = context_add_stream(trace->base.context, &stream)};
    if (made->stream == UINT32_MAX ||
        !fxt_map_set(&trace->stream_by_key, 0, key, trace->stream_count + 1))
        return NULL;
    trace->stream_count++;
    return made;
}

bool fxt_trace_note_clock(fxt_trace *trace, const fxt_provider *p)
{
    const uint32_t known = fxt_map_get(&trace->stream_by_key, 0, fxt_stream_key(p));
    char key[64], value[32];
    if (known != 0)
        context_stream(trace->base.context, trace->streams[known - 1].stream)->clock =
            stream_clock(trace, &p->clock);
    if (p->is_implicit)
        snprintf(key, sizeof key, "tick rate before any provider");
    else
        snprintf(key, sizeof key, "tick rate of provider %" PRIu32, p->id);
    snprintf(value, sizeof value, "%" PRIu64 " Hz", p->clock.rate.frequency_hz);
    return trace_set_property(&trace->base, key, value);
}

void fxt_trace_forget_streams(fxt_trace *trace)
{
    for (uint32_t i = 0; i < trace->stream_count; i++)
        free(trace->streams[i].runs);
    trace->stream_count = 0;
    fxt_map_free(&trace->stream_by_key);
}
