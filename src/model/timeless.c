/* SPDX-License-Identifier: Apache-2.0 */
#include "model/timeless.h"

#include <stdlib.h>

#include "core/array.h"
#include "model/batch.h"

static void set(timeless *t, int64_t time_ns, uint64_t ticks)
{
    t->has_time = true;
    t->time_ns = time_ns;
    t->ticks = ticks;
}

static bool note(timeless *t, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return false;
    set(t, event->time_ns, event->ticks);
    return true;
}

/* ---- Before a time is known ---- */

/* Looks for a time before any event had one: that of the segment's first event with a time, or the
   begin of its stream. */
static void look_ahead(timeless *t, const stele_stream *stream, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        if (note(t, &segment->batch->events[segment->first + i]))
            return;
    }
    if (stream != NULL && stream->has_range)
        set(t, stream->begin_ns + segment->batch->shift_ns, 0);
}

static size_t batch_size(const stele_batch *batch)
{
    return sizeof *batch + batch->event_capacity * sizeof *batch->events +
           batch->field_capacity * sizeof *batch->fields + batch->byte_capacity +
           batch->name_capacity * sizeof *batch->names;
}

/* Returns a batch with the events of the segment alone, or NULL if out of memory. */
static stele_batch *segment_copy(const stele_segment *segment)
{
    const stele_batch *from = segment->batch;
    stele_batch *to;
    if (batch_new_read(segment->count, &to) != STELE_OK)
        return NULL;
    to->stream = from->stream;
    to->columns = from->columns;
    to->shift_ns = from->shift_ns;
    to->offset_ns = from->offset_ns;
    to->packet = from->packet;
    to->file = from->file;
    to->context_first = 0;
    to->context_count = from->context_count;
    if (batch_copy_fields(to, from, from->context_first, from->context_count)) {
        uint32_t i = 0;
        while (i < segment->count && batch_copy_event(to, from, &from->events[segment->first + i]))
            i++;
        if (i == segment->count)
            return to;
    }
    stele_batch_free(to);
    return NULL;
}

static bool keep(timeless *t, const stele_segment *segment, size_t size_max)
{
    stele_batch **grown =
        array_reserve(t->kept, sizeof *grown, &t->kept_capacity, t->kept_count + 1);
    stele_batch *copy;
    if (grown == NULL)
        return false;
    t->kept = grown;
    copy = segment_copy(segment);
    if (copy == NULL)
        return false;
    /* No batch of a reader has such a number, even if it is at the same place of memory. */
    copy->fill_count = UINT64_MAX - t->kept_count;
    t->kept_size += batch_size(copy) + sizeof *grown;
    if (t->kept_size > size_max) {
        stele_batch_free(copy);
        return false;
    }
    t->kept[t->kept_count++] = copy;
    return true;
}

bool timeless_keeps(timeless *t, const stele_context *context, const stele_segment *segment,
                    size_t size_max)
{
    const stele_stream *stream;
    if (t->has_time || segment->count == 0)
        return false;
    stream = stele_stream_get(context, segment->batch->stream);
    look_ahead(t, stream, segment);
    if (t->has_time || t->is_given_up)
        return false;
    if (stream == NULL || stream->clock.domain == STELE_CLOCK_NONE || !keep(t, segment, size_max))
        t->is_given_up = true;
    return !t->is_given_up;
}

bool timeless_give(const timeless *t, uint32_t index, stele_segment *segment)
{
    if (index == t->kept_count)
        return false;
    *segment = (stele_segment){.batch = t->kept[index], .count = t->kept[index]->event_count};
    return true;
}

void timeless_forget(timeless *t)
{
    for (uint32_t i = 0; i < t->kept_count; i++)
        stele_batch_free(t->kept[i]);
    free(t->kept);
    t->kept = NULL;
    t->kept_count = t->kept_capacity = 0;
}

/* ---- Places ---- */

const stele_event *timeless_place(timeless *t, const stele_segment *segment, uint32_t index,
                                  stele_event *placed)
{
    const stele_event *event = &segment->batch->events[segment->first + index];
    if (index != 0)
        note(t, event - 1);
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
