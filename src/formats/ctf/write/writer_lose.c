/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a CTF trace cannot carry of the trace that it is made of. */
#include "formats/ctf/trace.h"
#include "formats/ctf/write/writer.h"

static void lose(stele_writer *writer, const char *what, loss_extent extent, uint64_t count)
{
    if (count != 0)
        writer_lose(writer, STELE_KIND_NONE, what, extent, count);
}

static void lose_schema(stele_writer *writer, const ctf_schema *schema)
{
    uint64_t event_count = 0, level_count = 0, uri_count = 0;
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        const ctf_stream_class *stream = schema->streams[s];
        event_count += stream->event_count;
        for (uint32_t i = 0; i < stream->event_count; i++) {
            level_count += stream->events[i].has_log_level;
            uri_count += stream->events[i].extra->emf_uri.bytes != NULL;
        }
    }
    lose(writer, "entry of the environment", true, schema->env_count);
    lose(writer, "clock, replaced by one in nanoseconds", false, schema->clock_count);
    lose(writer, "class of events, made anew of the events that there are", LOSS_FORM, event_count);
    lose(writer, "log level of a class of events", true, level_count);
    lose(writer, "URI of a class of events", true, uri_count);
    lose(writer, "call site", true, schema->callsite_count);
    lose(writer, "big-endian byte order", true, schema->is_big_endian);
}

void ctf_lose_trace(stele_writer *writer, const stele_trace *base)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    for (uint32_t i = 0; i < trace->subtrace_count; i++)
        if (trace->subtraces[i].is_open && trace->subtraces[i].same_as == CTF_NONE)
            lose_schema(writer, &trace->subtraces[i].schema);
}
