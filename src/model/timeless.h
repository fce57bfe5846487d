/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events stand that have no time, in formats that want a time of each: at the event before
 * them, and at the first event with a time if none is before. They are never at time 0, which may
 * be years before all others.
 */
#ifndef MODEL_TIMELESS_H
#define MODEL_TIMELESS_H

#include <stele/event.h>

/* The time of the last event that had one. A zeroed one knows none. */
typedef struct timeless {
    bool has_time;
    int64_t time_ns;
    uint64_t ticks;
} timeless;

const stele_event *timeless_place(timeless *t, const stele_context *context,
                                  const stele_segment *segment, uint32_t index,
                                  stele_event *placed);

/* Returns event `index` of a segment, whose events are asked for one after the other: as it is, or
   if it has no time, as a copy in `placed` with the time of its place, and still flagged. It stays
   as it is where no event of the trace is known to have a time. */
static inline const stele_event *timeless_event(timeless *t, const stele_context *context,
                                                const stele_segment *segment, uint32_t index,
                                                stele_event *placed)
{
    const stele_event *event = &segment->batch->events[segment->first + index];
    if ((event->flags & STELE_FLAG_NO_TIME) == 0)
        return event;
    return timeless_place(t, context, segment, index, placed);
}

/* Notes the time of the segment's last event, after all of them were asked for. */
void timeless_end(timeless *t, const stele_segment *segment);

#endif
