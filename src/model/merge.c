/* SPDX-License-Identifier: Apache-2.0 */
#include "model/merge.h"

#include <stdlib.h>

#include "model/flow.h"

/* ---- The heap ---- */

static bool head_is_before(const merge_head *a, const merge_head *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

void merge_free(merge_heap *heap)
{
    free(heap->heads);
    *heap = (merge_heap){0};
}

bool merge_reserve(merge_heap *heap)
{
    const uint32_t capacity = heap->capacity * 2 + 14;
    merge_head *grown;
    if (heap->count < heap->capacity)
        return true;
    grown = realloc(heap->heads, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    heap->heads = grown;
    heap->capacity = capacity;
    return true;
}

void merge_push(merge_heap *heap, merge_head head)
{
    uint32_t at = heap->count++;
    while (at != 0 && head_is_before(&head, &heap->heads[(at - 1) / 2])) {
        heap->heads[at] = heap->heads[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->heads[at] = head;
}

/* The smaller child of a node that has one. */
static uint32_t child_first(const merge_heap *heap, uint32_t at)
{
    const uint32_t child = 2 * at + 1;
    return child + (child + 1 < heap->count &&
                    head_is_before(&heap->heads[child + 1], &heap->heads[child]));
}

void merge_replace(merge_heap *heap, merge_head head)
{
    uint32_t at = 0;
    while (2 * at + 1 < heap->count) {
        const uint32_t child = child_first(heap, at);
        if (!head_is_before(&heap->heads[child], &head))
            break;
        heap->heads[at] = heap->heads[child];
        at = child;
    }
    heap->heads[at] = head;
}

void merge_pop(merge_heap *heap)
{
    heap->count--;
    if (heap->count != 0)
        merge_replace(heap, heap->heads[heap->count]);
}

#define RUN_FEW 3u

/* How many of the next few events are not behind the limit. */
static inline uint32_t count_few(const stele_event *next, int64_t limit, bool by_end)
{
    return (uint32_t)(event_key(&next[0], by_end) <= limit) +
           (uint32_t)(event_key(&next[1], by_end) <= limit) +
           (uint32_t)(event_key(&next[2], by_end) <= limit);
}

/* The end of the events that are not behind the limit, as the first of them is not: by galloping.
 */
static __attribute__((noinline)) uint32_t run_gallop(const stele_event *events, uint32_t first,
                                                     uint32_t end, int64_t limit, bool by_end)
{
    uint32_t step = 1;
    if (event_key(&events[end - 1], by_end) <= limit)
        return end;
    /* Events before `first` go, the one at `end` does not (or is none). */
    while (first + step <= end && event_key(&events[first + step - 1], by_end) <= limit) {
        first += step;
        step *= 2;
    }
    end = first + step - 1 < end ? first + step - 1 : end;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (event_key(&events[middle], by_end) <= limit)
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

static inline uint32_t run_end(const merge_heap *heap, const stele_event *events, uint32_t first,
                               uint32_t end, int64_t limit, bool by_end)
{
    if (heap->count > 1) {
        /* Behind the second one's key nothing goes; at its key, only what wins the tie. The root's
           own key is below it where it loses the tie, so that the subtraction cannot wrap. */
        const merge_head *second = &heap->heads[heap->count > 2 ? child_first(heap, 0) : 1];
        const int64_t last = second->key - (heap->heads[0].tie > second->tie);
        limit = last < limit ? last : limit;
    }
    /* Mostly few go, or all. How many of few is summed up, as it cannot be guessed. */
    if (end - first > RUN_FEW) {
        const uint32_t few = count_few(&events[first + 1], limit, by_end);
        first += few;
        if (few < RUN_FEW)
            return first + 1;
    }
    return end - first == 1 ? end : run_gallop(events, first, end, limit, by_end);
}

uint32_t merge_run(const merge_heap *heap, const stele_event *events, uint32_t first, uint32_t end,
                   int64_t limit, bool by_end)
{
    return run_end(heap, events, first, end, limit, by_end);
}

/* ---- Flows ---- */

typedef struct merge_input {
    flow *from;
    stele_segment rest;
} merge_input;

typedef struct merge_flow {
    flow base;
    merge_heap heap;
    merge_input *spent;  /* the root, when all of its segment was given out */
    stele_status status; /* STELE_END, or the first error of an input: told at the end */
    bool by_end, is_started;
    size_t count;
    merge_input inputs[];
} merge_flow;

/* Gets the next segment of an input; false when it has none. */
static bool merge_pull(merge_flow *merge, merge_input *in, merge_head *head)
{
    const stele_status status = flow_next(in->from, &in->rest);
    if (status != STELE_OK) {
        if (merge->status == STELE_END)
            merge->status = status;
        return false;
    }
    *head = (merge_head){event_key(&in->rest.batch->events[in->rest.first], merge->by_end),
                         (uint64_t)(in - merge->inputs), in};
    return true;
}

/* The segment that was given out last is no longer needed, nor are the heads up to date. */
static void merge_settle(merge_flow *merge)
{
    merge_head head;
    if (!merge->is_started) {
        merge->is_started = true;
        for (size_t i = 0; i < merge->count; i++) {
            if (merge_pull(merge, &merge->inputs[i], &head))
                merge_push(&merge->heap, head);
        }
    } else if (merge->spent != NULL) {
        if (merge_pull(merge, merge->spent, &head))
            merge_replace(&merge->heap, head);
        else
            merge_pop(&merge->heap);
        merge->spent = NULL;
    }
}

/* The root has a next key, before which the second one's goes. */
static inline void merge_go_on(merge_heap *heap, int64_t key)
{
    merge_head head = heap->heads[0];
    head.key = key;
    if (heap->count != 2) {
        merge_replace(heap, head);
        return;
    }
    heap->heads[0] = heap->heads[1];
    heap->heads[1] = head;
}

static stele_status merge_next(flow *self, stele_segment *segment)
{
    merge_flow *merge = (merge_flow *)self;
    merge_input *in;
    stele_segment *rest;
    uint32_t end;
    merge_settle(merge);
    if (merge->heap.count == 0)
        return merge->status;
    in = merge->heap.heads[0].input;
    rest = &in->rest;
    end = rest->first + rest->count;
    end = merge->by_end
              ? run_end(&merge->heap, rest->batch->events, rest->first, end, INT64_MAX, true)
              : run_end(&merge->heap, rest->batch->events, rest->first, end, INT64_MAX, false);
    *segment = (stele_segment){rest->batch, rest->first, end - rest->first};
    rest->first = end;
    rest->count -= segment->count;
    if (rest->count == 0)
        merge->spent = in;
    else
        merge_go_on(&merge->heap, event_key(&rest->batch->events[end], merge->by_end));
    return STELE_OK;
}

static void merge_close(flow *self)
{
    merge_flow *merge = (merge_flow *)self;
    for (size_t i = 0; i < merge->count; i++)
        flow_close(merge->inputs[i].from);
    merge_free(&merge->heap);
    free(merge);
}

stele_status flow_merge(flow *const *from, size_t count, bool by_end, flow **out)
{
    static const flow_ops ops = {merge_next, merge_close};
    merge_flow *merge;
    if (count == 1) {
        *out = from[0];
        return STELE_OK;
    }
    *out = NULL;
    merge = calloc(1, sizeof *merge + count * sizeof *merge->inputs);
    if (merge != NULL && count != 0) {
        merge->heap.heads = calloc(count, sizeof *merge->heap.heads);
        merge->heap.capacity = (uint32_t)count;
    }
    if (merge == NULL || (count != 0 && merge->heap.heads == NULL)) {
        free(merge);
        for (size_t i = 0; i < count; i++)
            flow_close(from[i]);
        return STELE_ERR_MEMORY;
    }
    merge->base.ops = &ops;
    merge->status = STELE_END;
    merge->by_end = by_end;
    merge->count = count;
    for (size_t i = 0; i < count; i++)
        merge->inputs[i].from = from[i];
    *out = &merge->base;
    return STELE_OK;
}
