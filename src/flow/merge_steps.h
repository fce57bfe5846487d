/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a merge of two sorted lists of keys. Which key goes next is not predictable, so there is
 * no branch on it: the comparison becomes a mask. On equal keys those of the left list go first.
 *
 * A step depends on the one before it. To use the processor better, a merge consists of two that
 * are independent: its first half, and the rest, whose start is found by bisection.
 */
#ifndef FLOW_MERGE_STEPS_H
#define FLOW_MERGE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "flow/flow.h"

/* Positions in the two lists: the next key of each. */
typedef struct merge_place {
    const uint64_t *left, *right;
} merge_place;

/* All ones if a < b, else 0. The empty assembly keeps the compiler from turning the mask into a
   branch. */
static inline uint64_t mask_below(uint64_t a, uint64_t b)
{
    uint64_t mask = -(uint64_t)(a < b);
    __asm__("" : "+r"(mask));
    return mask;
}

/* How many of `count` sorted keys are below the limit; `count` is not 0. */
static inline size_t count_below(const uint64_t *keys, size_t count, uint64_t limit)
{
    const uint64_t *at = keys;
    for (; count > 1; count -= count / 2)
        at += count / 2 & mask_below(at[count / 2 - 1], limit);
    return (size_t)(at - keys) + (1 & mask_below(*at, limit));
}

/* The positions in the two lists after `count` steps of a merge. */
static inline merge_place merge_middle(merge_place from, size_t left_count, size_t right_count,
                                       size_t count)
{
    const size_t least = count > right_count ? count - right_count : 0;
    const size_t most = count < left_count ? count : left_count;
    const uint64_t *left = from.left + least, *right = from.right + (count - least);
    /* Invariant: the key before `left + n` was taken if it is not above the key at `right - n`. */
    for (size_t open = most - least; open != 0; open -= (open + 1) / 2) {
        const size_t half = (open + 1) / 2;
        const size_t taken = half & ~(size_t)mask_below(*(right - half), left[half - 1]);
        left += taken;
        right -= taken;
    }
    return (merge_place){left, right};
}

/* What one side of a merge holds: keys, or events whose keys are not read yet. */
typedef struct merge_held {
    const uint64_t *keys; /* NULL: keys are read from the events */
    const stele_event *events;
    uint32_t count;
    bool by_end;
} merge_held;

static inline uint64_t held_key(const merge_held *held, uint32_t number)
{
    return held->keys != NULL ? held->keys[number] : flow_key(&held->events[number], held->by_end);
}

static inline bool goes_before(uint64_t key, uint64_t limit, bool wins_tie)
{
    return key < limit || (wins_tie && key == limit);
}

/* Events of one side that are merged rather than passed on as a segment of their own. */
#define RUN_EVENTS 8u

/* How many events of one side go before the first one of the other; 0 if they are too few for a
   segment of their own. */
static inline uint32_t run_before(const merge_held *side, uint64_t limit, bool wins_tie)
{
    uint32_t first = 0, end = side->count;
    if (goes_before(held_key(side, end - 1), limit, wins_tie))
        return end;
    if (end <= RUN_EVENTS || !goes_before(held_key(side, RUN_EVENTS), limit, wins_tie))
        return 0;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (goes_before(held_key(side, middle), limit, wins_tie))
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* The part of a merge until one of the lists is empty. */
typedef struct merge_part {
    merge_place at, middle;
    size_t count, half; /* number of all steps, and of those before `middle` */
} merge_part;

/* Finds the part of two lists that both have keys, and its middle. */
static inline merge_part merge_part_of(const uint64_t *left, size_t left_count,
                                       const uint64_t *right, size_t right_count)
{
    const uint64_t left_last = left[left_count - 1], right_last = right[right_count - 1];
    merge_part part = {.at = {left, right}};
    if (left_last <= right_last)
        right_count = count_below(right, right_count, left_last);
    else
        left_count = count_below(left, left_count, right_last + 1);
    part.count = left_count + right_count;
    part.half = part.count / 2;
    part.middle = merge_middle(part.at, left_count, right_count, part.half);
    return part;
}

/* Takes the key that goes next. Returns all ones if it is of the right list, else 0. */
static inline uint64_t merge_step(merge_place *at)
{
    const uint64_t mask = mask_below(*at->right, *at->left);
    at->left += 1 + (int64_t)mask;
    at->right -= (int64_t)mask;
    return mask;
}

#endif
