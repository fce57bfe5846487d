/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two flows as one, which most merges are. They take turns, so that where the turns start is all
 * that a merge has to find out.
 *
 * - Events are not moved: segments point into the batches of both sides, which hold until a side is
 *   asked for more. A side is asked only in side_fill(), when all that it gave has been passed on.
 * - While both sides have events they have keys, at least one and at most as many as events.
 * - On equal keys the left side goes first.
 */
#include <stdlib.h>

#include "flow/flow.h"
#include "flow/merge_steps.h"
#include "model/batch.h"

#define SIDE_KEYS 128u /* that are merged at once */

typedef struct two_side {
    flow *from;
    stele_segment next;   /* what is left of its segment */
    const uint64_t *keys; /* of the first of these */
    uint32_t key_count;
    bool is_ended;
    uint64_t room[SIDE_KEYS]; /* for keys that the flow does not give */
} two_side;

typedef struct two_flow {
    flow base;
    stele_status status; /* STELE_END, or the first error of a side: reported at the end */
    bool by_end;
    two_side left, right;
    stele_segment segments[2 * SIDE_KEYS + 2]; /* two are written in vain */
} two_flow;

/* ---- Sides ---- */

/* Some may be more than there are keys. */
static void side_take(two_side *side, uint32_t count)
{
    side->next.first += count;
    side->next.count -= count;
    side->keys += count < side->key_count ? count : side->key_count;
    side->key_count -= count < side->key_count ? count : side->key_count;
}

/* Sees to it that there are events and keys, unless the side has ended. */
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
    /* The keys have run out before the events, or the flow gives none: the next few are made. */
    if (side->key_count == 0 && side->next.count != 0) {
        side->key_count = side->next.count < SIDE_KEYS ? side->next.count : SIDE_KEYS;
        side->keys = side->room;
        for (uint32_t i = 0; i < side->key_count; i++)
            side->room[i] = flow_key(&side->next.batch->events[side->next.first + i], two->by_end);
    }
}

/* ---- Runs ---- */

/* Passes on what goes before the first event of the other side, as one segment. Returns false where
   that is nothing, or too little to be worth a segment of its own. */
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

/* ---- Turns ---- */

/* Steps of a merge. `end` is after the starts of turns, and is overwritten until one starts. */
typedef struct turns {
    merge_place at;
    uint64_t side; /* whose turn it is, as merge_step() says */
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
    /* The step is written always and kept where the side has changed: no branch is needed. */
    *t->end = step;
    t->end += (side ^ t->side) & 1;
    t->side = side;
}

/* Makes segments of the turns, of `a` and `b` one after the other, and perhaps one in vain. */
static stele_segment *turns_give(stele_segment *to, const uint32_t *starts, turns *t,
                                 uint32_t steps, stele_segment *a, stele_segment *b)
{
    stele_segment first = *a, second = *b;
    const uint32_t *at;
    /* The last turn ends with the last step. Where it is one of `a`, one of `b` without steps is
       written after it, in vain. */
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

/* Merges until one of the sides runs dry. */
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
    const uint32_t first = head.side & 1, second = rest.side & 1; /* 1: the right side begins */
    /* Two merges side by side: neither waits for the other's comparison. */
    for (uint32_t step = 0; step < half; step++) {
        turns_step(&head, step);
        turns_step(&rest, step);
    }
    if (count % 2 != 0)
        turns_step(&rest, half);
    /* Where the second half has ended, the whole has. `next` still begins where both sides did. */
    side_take(left, (uint32_t)(rest.at.left - left->keys));
    side_take(right, (uint32_t)(rest.at.right - right->keys));
    to = turns_give(to, starts[0], &head, half, &next[first], &next[!first]);
    to = turns_give(to, starts[1], &rest, count - half, &next[second], &next[!second]);
    return flow_give(&two->base, two->segments, (uint32_t)(to - two->segments), count);
}

/* ---- The flow ---- */

static stele_status two_pull(flow *self)
{
    two_flow *two = (two_flow *)self;
    side_fill(two, &two->left);
    side_fill(two, &two->right);
    if (two->left.next.count == 0 && two->right.next.count == 0)
        return two->status;
    /* Runs first: streams that lie one after the other need no merge at all. */
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
