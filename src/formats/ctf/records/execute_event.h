/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begin and end of events in the loop (execute.c). Until an event is pushed, the batch keeps its
 * old numbers of events, fields and bytes, and event_undo() restores the state in `at`: when the
 * loaded bytes end inside an event, the decoder is called again with more, from the begin of that
 * event.
 */
#ifndef CTF_EXECUTE_EVENT_H
#define CTF_EXECUTE_EVENT_H

#include "formats/ctf/records/execute.h"

/* Saves clocks and bit order for event_undo(), before a header changes them. EITHER_... operations
   save the only clock that they change by themselves. */
static inline void event_keep(ctf_decoder *r)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].before = r->clocks[i].now;
    r->order_before = r->order;
}

/* Saves where the first event begins, and how many events, entries and bytes the batch has before
   it. */
static inline event_state event_enter(ctf_decoder *r, const stele_batch *batch, uint64_t pos)
{
    r->event_at = pos;
    return (event_state){batch->events + batch->event_count, batch->events + batch->event_capacity,
                         batch->field_count, batch->byte_count, event_room(r, batch)};
}

/* Begins the next event at `pos`, with its first entry at `first`. Returns false if the content or
   the batch may have ended: event_stay() then decides. */
HOT bool event_next(ctf_decoder *r, const stele_batch *batch, event_state *at, uint64_t pos,
                    uint32_t first)
{
    r->event_at = pos;
    at->event++;
    at->first = first;
    at->bytes = batch->byte_count;
    return LIKELY(pos != r->content_end && at->event != at->end && at->bytes < BATCH_BYTES_FULL &&
                  first < at->room);
}

/* Stores the number of events that were pushed in the batch, and the position after them in the
   decoder. */
static inline decode_outcome event_leave(ctf_decoder *r, stele_batch *batch, const event_state *at,
                                         uint64_t pos)
{
    batch->event_count = (uint32_t)(at->event - batch->events);
    batch->field_count = at->first;
    r->position = r->data_at + pos;
    return pos == r->content_end ? DECODE_END : DECODE_OK;
}

/*
 * Restores the state before an event that could not be decoded. The clocks are restored from
 * `before`; entries and bytes become free again when the batch's numbers are set to those in `at`.
 */
static inline decode_outcome event_undo(ctf_decoder *r, stele_batch *batch, const event_state *at)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].now = r->clocks[i].before;
    r->order = r->order_before;
    r->frame_count = 0;
    r->loops_left = r->loops_max;
    r->event_size = r->payload_end = UINT64_MAX;
    batch->byte_count = at->bytes;
    event_leave(r, batch, at, r->event_at);
    return r->outcome;
}

/* Pushes an event as OP_DONE describes. Returns false if its time decreases or does not fit below
   `ns_end`: event_push_any() handles those. */
HOT bool event_push(ctf_decoder *r, const program *p, uint64_t pos, const event_state *at,
                    uint32_t end)
{
    const uint64_t ticks = *r->clock;
    if (UNLIKELY(ticks < r->last_ticks || ticks >= r->ns_end))
        return false;
    r->last_ticks = ticks;
    event_put(r, p, at->event, (uint32_t)((pos + 7) >> 3) - (uint32_t)(r->event_at >> 3),
              (int64_t)(r->zero_ns + ticks), ticks, r->tracks[p->has_thread], at->first,
              p->rest | r->rest | event_rest((uint16_t)(end - at->first), 0, 0, 0, 0));
    return true;
}

/* Returns the entry of the event class r->id. Its program is NULL if the class is unknown here or
   its program has not been made. */
HOT const event_entry *event_look(const ctf_decoder *r)
{
    static const event_entry none;
    return LIKELY(r->id < r->id_count) ? &r->events[r->id] : &none;
}

#endif
