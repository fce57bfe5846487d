/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/weave.h"

#include <stdlib.h>

#include "core/array.h"
#include "flow/run.h"

/*
 * Invariants between two calls:
 *
 * - The heads are a binary heap by key and tie. A head's key is that of the first event of its
 *   block that was not delivered; each block of the weave has one head.
 * - `spent` is the root's block if all of its events were delivered. Its head is then out of date
 *   until weave_settle(), with which weave_next() begins, has replaced or removed it. No block is
 *   pushed before that.
 * - `size` is the memory of all blocks with a head, `event_count` the number of events not
 *   delivered.
 */

/* ---- The heap of heads ---- */

static bool head_is_before(const weave_head *a, const weave_head *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* Makes room for one more head. Returns false if out of memory. */
static bool heap_reserve(weave *w)
{
    weave_head *grown;
    if (w->count < w->capacity)
        return true;
    grown = array_grow(w->heads, sizeof *grown, &w->capacity, 14);
    if (grown == NULL)
        return false;
    w->heads = grown;
    return true;
}

static void heap_push(weave *w, weave_head head)
{
    uint32_t at = w->count++;
    /* Parents that come later move down. */
    while (at != 0 && head_is_before(&head, &w->heads[(at - 1) / 2])) {
        w->heads[at] = w->heads[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->heads[at] = head;
}

/* The child of a node that comes first; the node has at least one. */
static uint32_t child_first(const weave *w, uint32_t at)
{
    const uint32_t child = 2 * at + 1;
    return child + (child + 1 < w->count && head_is_before(&w->heads[child + 1], &w->heads[child]));
}

/* Replaces the root by another head, and restores the heap. */
static void heap_replace(weave *w, weave_head head)
{
    uint32_t at = 0;
    while (2 * at + 1 < w->count) { /* children that come first move up */
        const uint32_t child = child_first(w, at);
        if (!head_is_before(&w->heads[child], &head))
            break;
        w->heads[at] = w->heads[child];
        at = child;
    }
    w->heads[at] = head;
}

static void heap_pop(weave *w)
{
    w->count--;
    if (w->count != 0)
        heap_replace(w, w->heads[w->count]);
}

/* ---- Runs of the root's events ---- */

/* Events that count_few() counts. */
#define RUN_FEW 3u

/* How many of the next RUN_FEW events are not after the limit. No branch, since it is
   unpredictable. */
static inline uint32_t count_few(const stele_event *next, int64_t limit, bool by_end)
{
    return (uint32_t)(event_key(&next[0], by_end) <= limit) +
           (uint32_t)(event_key(&next[1], by_end) <= limit) +
           (uint32_t)(event_key(&next[2], by_end) <= limit);
}

/* The end of the events that are not after the limit, found by galloping; the event at `first` is
   not. */
static uint32_t run_gallop(const stele_event *events, uint32_t first, uint32_t end, int64_t limit,
                           bool by_end)
{
    uint32_t step = 1;
    if (event_key(&events[end - 1], by_end) <= limit)
        return end;
    /* Invariant: events before `first` are not after the limit; the event at `end`, if any, is. */
    while (first + step <= end && event_key(&events[first + step - 1], by_end) <= limit) {
        first += step;
        step *= 2;
    }
    end = first + step - 1 < end ? first + step - 1 : end;
    /* Bisection with the same invariant: events before `first` are not after the limit, those from
       `end` on are. */
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (event_key(&events[middle], by_end) <= limit)
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* The end of the root's events that go before all other heads, and whose keys are at most `limit`.
   The events from `first` on are sorted and have the root's tie; the first of them is the root's
   head. */
static uint32_t run_end(const weave *w, const stele_event *events, uint32_t first, uint32_t end,
                        int64_t limit)
{
    if (w->count > 1) {
        /* No event after the second head's key goes first; at that key, only one that wins the tie.
           If the root loses the tie, its own key is lower, so that the subtraction cannot wrap. */
        const weave_head *second = &w->heads[child_first(w, 0)];
        const int64_t last = second->key - (w->heads[0].tie > second->tie);
        limit = last < limit ? last : limit;
    }
    /* Usually few events go, or all. A count of few is summed up without branches. */
    if (end - first > RUN_FEW) {
        const uint32_t few = count_few(&events[first + 1], limit, w->by_end);
        first += few;
        if (few < RUN_FEW)
            return first + 1;
    }
    return end - first == 1 ? end : run_gallop(events, first, end, limit, w->by_end);
}

/* ---- Blocks of the weave ---- */

void weave_free(weave *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        block_free(w->heads[i].block);
    free(w->heads);
}

static weave_head block_head(block *b, bool by_end)
{
    return (weave_head){event_key(&b->storage->events[b->at], by_end),
                        (uint64_t)block_view(b, b->at)->stream << 32 | b->order, b};
}

bool weave_push(weave *w, block *b)
{
    if (!heap_reserve(w)) {
        block_free(b);
        return false;
    }
    heap_push(w, block_head(b, w->by_end));
    w->size += b->size;
    w->event_count += b->storage->event_count;
    return true;
}

/* Removes the spent block, or refills it. */
static stele_status weave_settle(weave *w)
{
    block *b = w->spent;
    stele_status status = STELE_END;
    if (b == NULL)
        return STELE_OK;
    w->spent = NULL;
    w->size -= b->size;
    /* A block of a run is refilled with the run's next events, so that one block represents the
       whole run. */
    if (b->run != NULL)
        status = run_read(b->run, b);
    if (status == STELE_OK) {
        w->size += b->size;
        w->event_count += b->storage->event_count;
        heap_replace(w, block_head(b, w->by_end));
        return STELE_OK;
    }
    heap_pop(w);
    pool_give(w->pool, b);
    return status == STELE_END ? STELE_OK : status;
}

stele_status weave_next(weave *w, int64_t limit_ns, stele_segment *segment)
{
    const stele_status status = weave_settle(w);
    block *b;
    uint32_t end;
    if (status != STELE_OK)
        return status;
    if (w->count == 0 || w->heads[0].key > limit_ns)
        return STELE_END;
    b = w->heads[0].block;
    end = run_end(w, b->storage->events, b->at, block_view_end(b), limit_ns);
    *segment = (stele_segment){block_view(b, b->at), b->at, end - b->at};
    w->keys = b->has_keys ? b->keys : NULL;
    w->event_count -= segment->count;
    b->at = end;
    /* The caller may use these events until the next call, so the block is refilled only then. */
    if (end == b->storage->event_count)
        w->spent = b;
    else
        heap_replace(w, block_head(b, w->by_end));
    return STELE_OK;
}
