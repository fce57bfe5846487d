/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges two flows, which is what most merges do. Events of the two sides alternate in turns; the
 * merge only has to find where turns begin.
 *
 * - Events are not moved: segments point into the batches of both sides, which hold until the side
 *   is pulled again. A side is pulled only in side_fill(), when all of its events were delivered.
 * - While both sides have events they have keys: at least one, and at most as many as events.
 * - On equal keys the left side goes first.
 */
#include <stdlib.h>

#include "flow/flow.h"
#include "flow/merge_steps.h"
#include "model/batch.h"

#define SIDE_KEYS 128u /* keys of each side that are merged at once */

typedef struct two_side {
    flow *from;
    stele_segment next;   /* the part of its segment that is left */
    const uint64_t *keys; /* keys of the first events of `next` */
    uint32_t key_count;
    bool is_ended;
    uint64_t room[SIDE_KEYS]; /* keys that side_fill() computes, if the flow has none */
} two_side;

typedef struct two_flow {
    flow base;
    stele_status status; /* STELE_END, or the first error of a side; returned at the end */
    bool by_end;
    two_side left, right;
    /* Room for two more than are used: see turns_give(). */
    stele_segment segments[2 * SIDE_KEYS + 2];
} two_flow;

/* ---- Events and keys of a side ---- */

/* Removes the first `count` events of a side, and their keys. There may be more events than
   keys. */
static void side_take(two_side *side, uint32_t count)
{
    side->next.first += count;
    side->next.count -= count;
    side->keys += count < side->key_count ? count : side->key_count;
    side->key_count -= count < side->key_count ? count : side->key_count;
}

/* Makes sure that a side has events and keys, unless it has ended. */
static void side_fill(two_flow *two, two_side *side)
{
    if (side->next.count == 0 && !side->is_ended) {
        const stele_status status = flow_next(side->from, &side->next);
        side->is_ended = status != STELE_OK;
        if (side->is_ended)
            side->next.count = 0;
        if (side->is_ended && two->status == STELE_END)
            two->status = status;
        side->keys = side->from->keys != NULL ? side->from->keys + side->next.first : NULL;
        side->key_count = side->keys != NULL ? side->next.count : 0;
    }
    /* There are events without keys: the flow has none, or they are used up. The next few are
       computed. */
    if (side->key_count == 0 && side->next.count != 0) {
        side->key_count = side->next.count < SIDE_KEYS ? side->next.count : SIDE_KEYS;
        side->keys = side->room;
        for (uint32_t i = 0; i < side->key_count; i++)
            side->room[i] = flow_key(&side->next.batch->events[side->next.first + i], two->by_end);
    }
}

/* ---- Runs of one side ---- */

/* Delivers the events of `side` that go before the first one of `other` as one segment. Returns
   false if there are none, or too few for a segment of their own. */
static bool give_run(two_flow *two, two_side *side, const two_side *other, bool wins_tie)
{
    stele_segment *run = &two->segments[0];
    if (side->next.count == 0)
        return false;
    *run = side->next;
    if (other->next.count != 0)
        run->count = run_before(&(merge_held){.events = &run->batch->events[run->first],
                                              .count = run->count,
                                              .by_end = two->by_end},
                                other->keys[0], wins_tie);
    if (run->count == 0)
        return false;
    side_take(side, run->count);
    flow_give(&two->base, run, 1, run->count);
    return true;
}

/* ---- Turns of both sides ---- */

/* Steps of a merge. `end` points after the starts of turns; the number at `end` is overwritten by
   each step until a turn starts. */
typedef struct turns {
    merge_place at;
    uint64_t side; /* the side whose turn it is, as merge_step() returns it */
    uint32_t *end;
} turns;

static inline turns turns_begin(merge_place at, uint32_t *starts)
{
    starts[0] = 0;
    return (turns){at, mask_below(*at.right, *at.left), starts + 1};
}

static inline void turns_step(turns *t, uint32_t step)
{
    const uint64_t side = merge_step(&t->at);
    /* The step is always stored, and kept only if the side has changed: this needs no branch. */
    *t->end = step;
    t->end += (side ^ t->side) & 1;
    t->side = side;
}

/* Makes segments of the turns, alternating between `a` and `b`, and one more than needed if the
   last turn is of `a`. Returns the position after the last segment that counts. */
static stele_segment *turns_give(stele_segment *to, const uint32_t *starts, turns *t,
                                 uint32_t steps, stele_segment *a, stele_segment *b)
{
    stele_segment first = *a, second = *b;
    const uint32_t *at;
    /* The last turn ends with the last step. If it is a turn of `a`, an empty one of `b` follows,
       whose segment is stored but not counted. */
    t->end[0] = t->end[1] = steps;
    for (at = starts; at < t->end; at += 2, to += 2) {
        first.count = at[1] - at[0];
        second.count = at[2] - at[1];
        to[0] = first;
        to[1] = second;
        first.first += first.count;
        second.first += second.count;
    }
    *a = first;
    *b = second;
    return to - (at - t->end);
}

/* Delivers the merge of both sides until one of them has no more keys. */
static stele_status give_turns(two_flow *two)
{
    two_side *left = &two->left, *right = &two->right;
    const merge_part part =
        merge_part_of(left->keys, left->key_count < SIDE_KEYS ? left->key_count : SIDE_KEYS,
                      right->keys, right->key_count < SIDE_KEYS ? right->key_count : SIDE_KEYS);
    const uint32_t half = (uint32_t)part.half, count = (uint32_t)part.count;
    uint32_t starts[2][SIDE_KEYS + 3];
    turns head = turns_begin(part.at, starts[0]), rest = turns_begin(part.middle, starts[1]);
    stele_segment next[2] = {left->next, right->next}, *to = two->segments;
    /* Side of the first turn: 0 left, 1 right. */
    const uint32_t first = head.side & 1, second = rest.side & 1;
    /* Two merges in one loop: neither waits for the other's comparison. */
    for (uint32_t step = 0; step < half; step++) {
        turns_step(&head, step);
        turns_step(&rest, step);
    }
    if (count % 2 != 0)
        turns_step(&rest, half);
    /* The end of the second half is the end of the whole. `next` still has the beginnings of both
       sides. */
    side_take(left, (uint32_t)(rest.at.left - left->keys));
    side_take(right, (uint32_t)(rest.at.right - right->keys));
    /* A merge of a single event has no first half, whose turn would be an empty segment. */
    if (half != 0)
        to = turns_give(to, starts[0], &head, half, &next[first], &next[!first]);
    to = turns_give(to, starts[1], &rest, count - half, &next[second], &next[!second]);
    return flow_give(&two->base, two->segments, (uint32_t)(to - two->segments), count);
}

/* ---- The merging flow ---- */

static stele_status two_pull(flow *self)
{
    two_flow *two = (two_flow *)self;
    side_fill(two, &two->left);
    side_fill(two, &two->right);
    if (two->left.next.count == 0 && two->right.next.count == 0)
        return two->status;
    /* Runs first: streams that follow each other in time need no merge at all. */
    if (give_run(two, &two->left, &two->right, true) ||
        give_run(two, &two->right, &two->left, false))
        return STELE_OK;
    return give_turns(two);
}

static void two_close(flow *self)
{
    two_flow *two = (two_flow *)self;
    flow_close(two->left.from);
    flow_close(two->right.from);
    free(two);
}

stele_status flow_merge_two(flow *left, flow *right, bool by_end, flow **out)
{
    static const flow_ops ops = {two_pull, two_close};
    two_flow *two = calloc(1, sizeof *two);
    *out = NULL;
    if (two == NULL) {
        flow_close(left);
        flow_close(right);
        return STELE_ERR_MEMORY;
    }
    two->base.ops = &ops;
    two->status = STELE_END;
    two->by_end = by_end;
    two->left.from = left;
    two->right.from = right;
    *out = &two->base;
    return STELE_OK;
}
