/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the data stream for events of a stream of the source: one for each set of what precedes the
 * fields (SHAPE_...), until there are too many files. Losses of a source stream are counted by the
 * data stream that its last event went to.
 */
#include <stdio.h>

#include "core/array.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/write/writer_packets.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_streams.h"

static data_stream *stream_add(ctf_writer *w, unsigned flags)
{
    data_stream *s = &w->streams[w->stream_count];
    s->flags = flags;
    snprintf(s->name, sizeof s->name, "%s_%u", writer_stream_name(flags), w->stream_count);
    w->status = output_add(w->base.out, s->name, &s->out);
    if (w->status != STELE_OK)
        return NULL;
    w->stream_count++;
    return s;
}

/* Returns the last stream with the same flags, to be shared when there can be no more streams, or
   NULL if there is none. */
static data_stream *stream_share(ctf_writer *w, unsigned flags)
{
    for (uint32_t i = w->stream_count; i-- > 0;) {
        if (w->streams[i].flags == flags) {
            writer_lose(&w->base, STELE_KIND_NONE, "stream put together with another one", false,
                        1);
            return &w->streams[i];
        }
    }
    return NULL;
}

source_target *writer_source_find(ctf_writer *w, uint32_t source)
{
    if (source >= w->source_count) {
        source_target *grown = array_reach(w->sources, sizeof *grown, &w->source_count, source);
        if (grown == NULL) {
            w->status = STELE_ERR_MEMORY;
            return NULL;
        }
        w->sources = grown;
    }
    return &w->sources[source];
}

data_stream *writer_stream_find(ctf_writer *w, source_target *source, unsigned flags)
{
    data_stream *s = NULL;
    if (source->streams[flags] == 0) {
        if (w->stream_count >= STREAMS_MAX - SHAPE_FLAGS)
            s = stream_share(w, flags);
        if (s == NULL)
            s = stream_add(w, flags);
        if (s == NULL)
            return NULL;
        source->streams[flags] = (uint32_t)(s - w->streams) + 1;
    }
    source->recent = source->streams[flags];
    s = &w->streams[source->recent - 1];
    s->discarded += source->lost;
    source->lost = 0;
    return s;
}

void writer_count_lost(ctf_writer *w, source_target *source, const stele_event *event)
{
    if (event->value == 0)
        writer_lose(&w->base, STELE_KIND_LOST, "loss of unknown size as one event", false, 1);
    writer_lose(&w->base, STELE_KIND_LOST, "loss as a gap between packets", false, 1);
    source->lost += event->value != 0 ? event->value : 1;
    if (source->recent != 0)
        writer_packet_end(w, &w->streams[source->recent - 1]);
}

void writer_end_sources(ctf_writer *w)
{
    for (size_t i = 0; i < w->source_count && w->status == STELE_OK; i++) {
        source_target *source = &w->sources[i];
        if (source->lost == 0)
            continue;
        if (source->recent == 0) {
            writer_stream_find(w, source, 0);
        } else {
            w->streams[source->recent - 1].discarded += source->lost;
            source->lost = 0;
        }
    }
}
