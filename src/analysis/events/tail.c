/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps copies of the last events. Each stream has one open batch for its copies, and a ring has
   the order of all of them. A batch is reused once none of its events is in the ring. */
#include <stele/analysis.h>

#include <stdlib.h>

#include "core/array.h"
#include "model/batch.h"
#include "model/context.h"

typedef struct tail_batch tail_batch;

struct tail_batch {
    stele_batch *batch;
    uint32_t live_count; /* how many of its events are in the ring */
    bool is_open;        /* more events can be added to it */
    tail_batch *next_free, *next;
};

typedef struct tail_entry {
    tail_batch *from;
    uint32_t index;
} tail_entry;

struct stele_tail {
    tail_entry *ring;
    uint64_t capacity; /* capacity of the ring, which grows up to count_max */
    uint64_t count_max, count, first;
    tail_batch **open; /* the open batch of each stream, by stream number */
    uint32_t open_count;
    tail_batch *free_list, *all;
};

stele_status stele_tail_new(uint64_t count, stele_tail **out)
{
    stele_tail *t = calloc(1, sizeof *t);
    *out = t;
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->count_max = count;
    return STELE_OK;
}

/* Frees the batch of an entry that left the ring for reuse, if no other entry needs it. */
static void tail_release(stele_tail *t, tail_batch *kept)
{
    if (kept->live_count != 0 || kept->is_open)
        return;
    stele_batch_clear(kept->batch);
    kept->next_free = t->free_list;
    t->free_list = kept;
}

static void tail_drop(stele_tail *t)
{
    tail_batch *from = t->ring[t->first].from;
    t->first = t->first + 1 == t->capacity ? 0 : t->first + 1;
    t->count--;
    from->live_count--;
    tail_release(t, from);
}

void stele_tail_free(stele_tail *t)
{
    if (t == NULL)
        return;
    while (t->all != NULL) {
        tail_batch *kept = t->all;
        t->all = kept->next;
        stele_batch_free(kept->batch);
        free(kept);
    }
    free(t->open);
    free(t->ring);
    free(t);
}

/* Makes room for one more entry, and drops the oldest one at the limit. While the ring grows, it
   begins at 0, because nothing was dropped yet. Returns false if out of memory. */
static bool tail_reserve(stele_tail *t)
{
    uint64_t capacity = t->capacity == 0 ? 256 : t->capacity * 2;
    tail_entry *ring;
    if (t->count == t->count_max)
        tail_drop(t);
    if (t->count < t->capacity)
        return true;
    if (capacity > t->count_max)
        capacity = t->count_max;
    if (capacity > SIZE_MAX / sizeof *ring)
        return false;
    ring = array_fit(t->ring, sizeof *ring, (size_t)capacity);
    if (ring == NULL)
        return false;
    t->ring = ring;
    t->capacity = capacity;
    return true;
}

/* Copies the context fields of a batch, which belong to all of its events. Returns false if out
   of memory. */
static bool tail_copy_context(stele_batch *to, const stele_batch *from)
{
    stele_event carrier = {.field_first = from->context_first,
                           .field_count = (uint16_t)from->context_count};
    if (from->context_count == 0)
        return true;
    if (from->context_count >= STELE_FIELDS_MANY || !batch_copy_event(to, from, &carrier))
        return false;
    to->context_first = to->events[0].field_first;
    to->context_count = to->events[0].field_count;
    to->event_count = 0;
    return true;
}

/* Takes a cleared batch or makes one. Returns NULL if out of memory. */
static tail_batch *tail_get_batch(stele_tail *t)
{
    tail_batch *kept = t->free_list;
    if (kept != NULL) {
        t->free_list = kept->next_free;
        return kept;
    }
    kept = calloc(1, sizeof *kept);
    if (kept == NULL || stele_batch_new(0, &kept->batch) != STELE_OK) {
        free(kept);
        return NULL;
    }
    kept->next = t->all;
    t->all = kept;
    return kept;
}

/* Makes a new open batch for a stream. Returns NULL if out of memory. */
static tail_batch *tail_open(stele_tail *t, const stele_batch *from)
{
    tail_batch *kept = t->open[from->stream];
    if (kept != NULL) {
        kept->is_open = false;
        tail_release(t, kept);
    }
    t->open[from->stream] = kept = tail_get_batch(t);
    if (kept == NULL)
        return NULL;
    kept->is_open = true;
    kept->batch->stream = from->stream;
    kept->batch->columns = from->columns;
    kept->batch->shift_ns = from->shift_ns;
    kept->batch->offset_ns = from->offset_ns;
    return tail_copy_context(kept->batch, from) ? kept : NULL;
}

static bool tail_grow_streams(stele_tail *t, uint32_t stream)
{
    tail_batch **open = array_reach(t->open, sizeof(tail_batch *), &t->open_count, stream);
    if (open == NULL)
        return false;
    t->open = open;
    return true;
}

/* The batch to which events of `from` can be copied. Returns NULL if there is none. Context
   fields belong to a whole batch, so batches with any are never joined. */
static tail_batch *tail_find(const stele_tail *t, const stele_batch *from)
{
    tail_batch *kept = t->open[from->stream];
    const bool fits = kept != NULL && from->context_count == 0 && kept->batch->context_count == 0 &&
                      kept->batch->columns == from->columns &&
                      kept->batch->shift_ns == from->shift_ns &&
                      kept->batch->offset_ns == from->offset_ns;
    return fits ? kept : NULL;
}

stele_status stele_tail_add(stele_tail *t, const stele_segment *segment)
{
    const stele_batch *from = segment->batch;
    const uint32_t end = segment->first + segment->count;
    const uint32_t wanted = segment->count < t->count_max ? segment->count : (uint32_t)t->count_max;
    tail_batch *kept;
    if (from->stream >= t->open_count && !tail_grow_streams(t, from->stream))
        return STELE_ERR_MEMORY;
    kept = tail_find(t, from);
    for (uint32_t i = end - wanted; i < end; i++) {
        uint64_t at;
        if (kept == NULL || batch_is_full(kept->batch))
            kept = tail_open(t, from);
        if (kept == NULL || !tail_reserve(t) ||
            !batch_copy_event(kept->batch, from, &from->events[i]))
            return STELE_ERR_MEMORY;
        at = t->first + t->count++;
        at = at >= t->capacity ? at - t->capacity : at;
        t->ring[at] = (tail_entry){kept, kept->batch->event_count - 1};
        kept->live_count++;
    }
    return STELE_OK;
}

bool stele_tail_take(stele_tail *t, stele_segment *segment)
{
    if (t->count == 0)
        return false;
    const tail_entry *entry = &t->ring[t->first];
    tail_batch *from = entry->from;
    *segment = (stele_segment){from->batch, entry->index, 0};
    /*
     * The batch must stay as it is while the caller uses the segment, so it is not released here.
     */
    while (t->count > 0 && t->ring[t->first].from == from &&
           t->ring[t->first].index == segment->first + segment->count) {
        t->first = t->first + 1 == t->capacity ? 0 : t->first + 1;
        t->count--;
        segment->count++;
    }
    return true;
}
