/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a merge of two sorted lists of keys. Which key goes next cannot be guessed, so there is
 * no branch that could be guessed wrongly: a comparison becomes a mask. On equal keys those of the
 * left list go first.
 *
 * A step waits for the one before it. So a merge is made of two that are independent: of its first
 * half, and of the rest, whose start is found by bisection.
 */
#ifndef FLOW_MERGE_STEPS_H
#define FLOW_MERGE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "flow/flow.h"

/* The next key of each list. */
typedef struct merge_place {
    const uint64_t *left, *right;
} merge_place;

/* All ones where a < b. The compiler cannot know so, and make a branch of its use. */
static inline uint64_t mask_below(uint64_t a, uint64_t b)
{
    uint64_t mask = -(uint64_t)(a < b);
    __asm__("" : "+r"(mask));
    return mask;
}

/* How many of sorted keys, of which there are some, are below the limit. */
static inline size_t count_below(const uint64_t *keys, size_t count, uint64_t limit)
{
    const uint64_t *at = keys;
    for (; count > 1; count -= count / 2)
        at += count / 2 & mask_below(at[count / 2 - 1], limit);
    return (size_t)(at - keys) + (1 & mask_below(*at, limit));
}

/* Where a merge of lists with so many keys stands after `count` steps. */
static inline merge_place merge_middle(merge_place from, size_t left_count, size_t right_count,
                                       size_t count)
{
    const size_t least = count > right_count ? count - right_count : 0;
    const size_t most = count < left_count ? count : left_count;
    const uint64_t *left = from.left + least, *right = from.right + (count - least);
    /* The key before `left + n` went if it is not above the one that `right - n` stands after. */
    for (size_t open = most - least; open != 0; open -= (open + 1) / 2) {
        const size_t half = (open + 1) / 2;
        const size_t taken = half & ~(size_t)mask_below(*(right - half), left[half - 1]);
        left += taken;
        right -= taken;
    }
    return (merge_place){left, right};
}

/* What a side holds: keys, or as many events whose keys are not read yet. */
typedef struct merge_held {
    const uint64_t *keys; /* NULL: those of the events */
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

#define RUN_EVENTS 8u /* more than so many of one side are passed on as they lie */

/* How many of one side go before the other's first one; 0 where they are too few to be passed on by
   themselves. */
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

/* What two lists give until one of them runs dry. */
typedef struct merge_part {
    merge_place at, middle;
    size_t count, half; /* steps in all, and to the middle */
} merge_part;

/* Of lists that have some keys both. */
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

/* Takes the key that goes next. The result is all ones where it was the right one. */
static inline uint64_t merge_step(merge_place *at)
{
    const uint64_t mask = mask_below(*at->right, *at->left);
    at->left += 1 + (int64_t)mask;
    at->right -= (int64_t)mask;
    return mask;
}

#endif
