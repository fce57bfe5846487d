/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events stand that have no time, in formats that want a time of each: at the event before
 * them, and at the first event with a time if none is before. They are never at time 0, which may
 * be years before all others. What comes before any time is known is kept until then.
 */
#ifndef MODEL_TIMELESS_H
#define MODEL_TIMELESS_H

#include <stele/event.h>

/* The time of the last event that had one. A zeroed one knows none, and keeps nothing. */
typedef struct timeless {
    bool is_wanted; /* the writer asks for places, see timeless_event() */
    bool has_time;
    bool is_given_up; /* nothing more is kept: it is too much, or no time will come */
    int64_t time_ns;
    uint64_t ticks;
    stele_batch **kept; /* copies of segments that came before any time was known */
    uint32_t kept_count, kept_capacity;
    size_t kept_size; /* bytes of their memory */
} timeless;

/* Whether the segment must wait until a time is known, and is kept: it has none itself, and its
   stream will have some. At most `size_max` bytes are kept. What was kept is to be given back with
   timeless_give() as soon as a segment need not wait. */
bool timeless_keeps(timeless *t, const stele_context *context, const stele_segment *segment,
                    size_t size_max);

/* Returns the segments that were kept, one after the other, from `index` 0; false past the last. */
bool timeless_give(const timeless *t, uint32_t index, stele_segment *segment);

/* Frees all that is kept. */
void timeless_forget(timeless *t);

const stele_event *timeless_place(timeless *t, const stele_segment *segment, uint32_t index,
                                  stele_event *placed);

/* Returns event `index` of a segment, whose events are asked for one after the other: as it is, or
   if it has no time, as a copy in `placed` with the time of its place, and still flagged. It stays
   as it is where no event of the trace is known to have a time. */
static inline const stele_event *timeless_event(timeless *t, const stele_segment *segment,
                                                uint32_t index, stele_event *placed)
{
    const stele_event *event = &segment->batch->events[segment->first + index];
    if ((event->flags & STELE_FLAG_NO_TIME) == 0)
        return event;
    return timeless_place(t, segment, index, placed);
}

/* Notes the time of the segment's last event, after all of them were asked for. */
void timeless_end(timeless *t, const stele_segment *segment);

#endif
