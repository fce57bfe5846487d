/* SPDX-License-Identifier: Apache-2.0 */
#include "model/timeless.h"

static bool note(timeless *t, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return false;
    *t = (timeless){true, event->time_ns, event->ticks};
    return true;
}

/* Looks for a time before any event had one: that of the segment's first event with a time, or the
   begin of its stream. */
static void look_ahead(timeless *t, const stele_context *context, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(context, segment->batch->stream);
    for (uint32_t i = 0; i < segment->count; i++) {
        if (note(t, &segment->batch->events[segment->first + i]))
            return;
    }
    if (stream != NULL && stream->has_range)
        *t = (timeless){.has_time = true, .time_ns = stream->begin_ns + segment->batch->shift_ns};
}

const stele_event *timeless_place(timeless *t, const stele_context *context,
                                  const stele_segment *segment, uint32_t index, stele_event *placed)
{
    const stele_event *event = &segment->batch->events[segment->first + index];
    if (index != 0)
        note(t, event - 1);
    else if (!t->has_time)
        look_ahead(t, context, segment);
    if (!t->has_time)
        return event;
    *placed = *event;
    placed->time_ns = t->time_ns;
    placed->ticks = t->ticks;
    if (event->kind == STELE_KIND_COMPLETE)
        placed->id = (uint64_t)t->time_ns;
    return placed;
}

void timeless_end(timeless *t, const stele_segment *segment)
{
    if (segment->count != 0)
        note(t, &segment->batch->events[segment->first + segment->count - 1]);
}
