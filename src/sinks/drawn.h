/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of clocks that do not count time, where sinks write events for viewers that draw
   them. */
#ifndef SINKS_DRAWN_H
#define SINKS_DRAWN_H

#include <stele/event.h>

/* What a viewer that knows nanoseconds alone shows otherwise than the clock of a trace counts it;
   NULL: nothing. */
const char *drawn_loss_of(const stele_clock *clock);

static inline const char *drawn_loss(const stele_clock *clock)
{
    const bool is_plain = clock->domain == STELE_CLOCK_NS && clock->frequency_hz <= 1000000000;
    return is_plain ? NULL : drawn_loss_of(clock);
}

/* Whether the events of a batch have an order, but no times. */
static inline bool batch_lacks_times(const stele_context *context, const stele_batch *batch)
{
    const stele_stream *stream = stele_stream_get(context, batch->stream);
    return stream != NULL && stream->clock.domain == STELE_CLOCK_NONE;
}

/* An event of a trace without times, with its place in the order of events as its time: pictures of
   events that all have one time show little, and Perfetto drops most of them. */
static inline stele_event event_at_place(const stele_event *event, int64_t place)
{
    stele_event placed = *event;
    placed.time_ns = place;
    placed.flags &= (uint8_t)~STELE_FLAG_NO_TIME;
    if (event->kind == STELE_KIND_COMPLETE)
        placed.id = (uint64_t)place;
    return placed;
}

#endif
