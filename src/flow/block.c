/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/block.h"

#include <stdlib.h>

#include "core/array.h"

/* Bytes of fields and payloads at which a block on disk is full. */
#define BLOCK_PAYLOAD_FULL (32u << 10)
#define BLOCK_VIEWS_TRIED  8u /* views that are tried for events of the same stream */

/* ---- Pool of blocks ---- */

static block *block_new(uint32_t events)
{
    block *b = calloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    /* Both have an entry for each event that the storage can have. */
    b->keys = calloc(events, sizeof *b->keys);
    b->owners = calloc(events, sizeof *b->owners);
    if (b->keys == NULL || b->owners == NULL || batch_new_read(events, &b->storage) != STELE_OK) {
        block_free(b);
        return NULL;
    }
    return b;
}

void block_free(block *b)
{
    if (b == NULL)
        return;
    stele_batch_free(b->storage);
    free(b->views);
    free(b->keys);
    free(b->owners);
    free(b);
}

block *pool_take(block_pool *pool)
{
    block *b = pool->free;
    if (b == NULL)
        return block_new(pool->events);
    pool->free = b->next;
    b->next = NULL;
    b->view_count = b->at = 0;
    b->run = NULL;
    b->has_keys = false;
    stele_batch_clear(b->storage);
    return b;
}

void pool_give(block_pool *pool, block *b)
{
    b->next = pool->free;
    pool->free = b;
}

void pool_free(block_pool *pool)
{
    while (pool->free != NULL) {
        block *b = pool->free;
        pool->free = b->next;
        block_free(b);
    }
}

/* ---- Filling a block ---- */

bool block_is_full(const block *b)
{
    const stele_batch *storage = b->storage;
    return batch_is_full(storage) ||
           storage->field_count * sizeof *storage->fields + storage->byte_count >=
               BLOCK_PAYLOAD_FULL;
}

bool block_reserve_views(block *b, uint32_t count)
{
    stele_batch *grown = array_reserve(b->views, sizeof *grown, &b->view_capacity, count);
    if (grown == NULL)
        return false;
    /* Views may have moved: pointers to them hold until the next call. */
    b->views = grown;
    return true;
}

/* Finds a view that events of the batch can join: of the same stream, and without a context. */
static bool view_find(const block *b, const stele_batch *batch, uint32_t *view)
{
    /* The last views are tried first: events of a stream come in runs. */
    const uint32_t tried = b->view_count < BLOCK_VIEWS_TRIED ? b->view_count : BLOCK_VIEWS_TRIED;
    for (uint32_t i = b->view_count; i-- > b->view_count - tried;) {
        const stele_batch *known = &b->views[i];
        *view = i;
        if (known->stream == batch->stream && known->columns == batch->columns &&
            known->shift_ns == batch->shift_ns && known->offset_ns == batch->offset_ns &&
            known->context_count == 0 && batch->context_count == 0)
            return true;
    }
    return false;
}

/* Adds a view for events of the batch, with a copy of its context. Returns false if out of
   memory. */
static bool view_add(block *b, const stele_batch *batch, uint32_t *view)
{
    const uint32_t context_first = b->storage->field_count;
    if (!block_reserve_views(b, b->view_count + 1) ||
        !batch_copy_fields(b->storage, batch, batch->context_first, batch->context_count))
        return false;
    *view = b->view_count++;
    b->views[*view] = (stele_batch){.context_first = context_first,
                                    .context_count = batch->context_count,
                                    .stream = batch->stream,
                                    .columns = batch->columns,
                                    .shift_ns = batch->shift_ns,
                                    .offset_ns = batch->offset_ns};
    return true;
}

bool block_append(block *b, stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    uint32_t view;
    if (!view_find(b, batch, &view) && !view_add(b, batch, &view))
        return false;
    /* The context alone may fill a block; one event is still added, so that each block has some. */
    while (segment->count != 0 && (b->storage->event_count == 0 || !block_is_full(b))) {
        b->owners[b->storage->event_count] = view;
        if (!batch_copy_event(b->storage, batch, &batch->events[segment->first]))
            return false;
        segment->first++;
        segment->count--;
    }
    return true;
}

bool block_seal(block *b)
{
    const stele_batch *storage = b->storage;
    if (b->view_count == 0) {
        if (!block_reserve_views(b, 1))
            return false;
        b->views[b->view_count++] = *storage;
    }
    for (uint32_t i = 0; i < b->view_count; i++) {
        stele_batch view = *storage;
        view.context_first = b->views[i].context_first;
        view.context_count = b->views[i].context_count;
        view.stream = b->views[i].stream;
        view.columns = b->views[i].columns;
        view.shift_ns = b->views[i].shift_ns;
        view.offset_ns = b->views[i].offset_ns;
        b->views[i] = view;
    }
    b->size = sizeof *b + sizeof *storage + storage->event_capacity * sizeof *storage->events +
              storage->field_capacity * sizeof *storage->fields + storage->byte_capacity +
              storage->name_capacity * sizeof *storage->names +
              b->view_capacity * sizeof *b->views +
              storage->event_capacity * (sizeof *b->owners + sizeof *b->keys);
    return true;
}

/* ---- Sorting a block ---- */

/* The order by key, stream, index is total, so that any way of sorting is stable. */
typedef struct sort_entry {
    int64_t key;
    uint32_t stream, index;
} sort_entry;

#define SORT_CHUNK 16u

static bool entry_is_before(const sort_entry *a, const sort_entry *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->stream != b->stream ? a->stream < b->stream : a->index < b->index;
}

static void entries_insert(sort_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const sort_entry entry = entries[i];
        uint32_t at = i;
        for (; at != 0 && entry_is_before(&entry, &entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* Merges two adjacent sorted ranges; `room` holds a copy of the first one meanwhile. */
static void entries_merge(sort_entry *entries, uint32_t middle, uint32_t count, sort_entry *room)
{
    uint32_t left = 0, right = middle, to = 0;
    if (!entry_is_before(&entries[middle], &entries[middle - 1]))
        return;
    memcpy(room, entries, middle * sizeof *room);
    while (left < middle && right < count) {
        const bool takes_right = entry_is_before(&entries[right], &room[left]);
        entries[to++] = takes_right ? entries[right] : room[left];
        right += takes_right;
        left += !takes_right;
    }
    memcpy(entries + to, room + left, (middle - left) * sizeof *room);
}

static void entries_sort(sort_entry *entries, uint32_t count, sort_entry *room)
{
    for (uint32_t at = 0; at < count; at += SORT_CHUNK)
        entries_insert(entries + at, count - at < SORT_CHUNK ? count - at : SORT_CHUNK);
    for (uint32_t half = SORT_CHUNK; half < count; half *= 2) {
        for (uint32_t at = 0; count - at > half; at += 2 * half) {
            const uint32_t both = count - at < 2 * half ? count - at : 2 * half;
            entries_merge(entries + at, half, both, room);
            if (both < 2 * half)
                break;
        }
    }
}

/* Moves the event that entries[i] names to index i, one cycle of the permutation after the
   other. */
static void block_permute(block *b, sort_entry *entries)
{
    stele_event *events = b->storage->events;
    for (uint32_t start = 0; start < b->storage->event_count; start++) {
        const stele_event event = events[start];
        const uint32_t owner = b->owners[start];
        uint32_t at = start;
        while (entries[at].index != start) {
            const uint32_t from = entries[at].index;
            events[at] = events[from];
            b->owners[at] = b->owners[from];
            entries[at].index = at;
            at = from;
        }
        events[at] = event;
        b->owners[at] = owner;
        entries[at].index = at;
    }
}

bool block_sort(block *b, block_sorter *sorter, bool by_end)
{
    const uint32_t count = b->storage->event_count;
    if (sorter->capacity < count) {
        sort_entry *grown = array_fit(sorter->entries, sizeof *grown, 2 * (size_t)count);
        if (grown == NULL)
            return false;
        sorter->entries = grown;
        sorter->capacity = count;
    }
    for (uint32_t i = 0; i < count; i++)
        sorter->entries[i] =
            (sort_entry){event_key(&b->storage->events[i], by_end), block_view(b, i)->stream, i};
    entries_sort(sorter->entries, count, sorter->entries + count);
    block_permute(b, sorter->entries);
    return true;
}

void block_sorter_free(block_sorter *sorter)
{
    free(sorter->entries);
}
