/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges any number of flows by a tree of merges of two. A leaf holds events of an input; every
 * other node merges what its two sides hold until one of them is empty, about a hundred events at a
 * time and without a branch that depends on times. What the root holds is delivered as segments.
 *
 *                 root: a1 b1 c1 a2 c2 ..
 *                /                       \        on equal keys the left one goes first
 *        a1 b1 a2 b2 ..              c1 c2 ..
 *         /       \
 *     a1 a2 ..  b1 b2 ..                          events of batches
 *
 * Invariant: a node is filled only when it and all nodes above it are empty. So all events of a
 * leaf that is filled were delivered, and its input can reuse their batch. Where a run of events of
 * one side goes before the other side, it is passed up without being copied; keys of a run that is
 * passed up to the root are never read.
 */
#include <stdlib.h>

#include "core/unset.h"
#include "flow/flow.h"
#include "flow/merge_steps.h"
#include "model/batch.h"

#define SIDE_KEYS 64u             /* keys that a merge takes of each side at once */
#define NODE_KEYS (2 * SIDE_KEYS) /* keys that a node has at most, since it merges two sides */
/* Keys of a side below which finding the middle of a merge takes longer than merging. */
#define FEW_KEYS 8u

/*
 * Memory of a node: sorted keys, and for each the place of its event: the input's number in the
 * upper 32 bits, the event's number in its batch in the lower ones. As a rule only the start of a
 * room is used; the padding makes the distance of rooms an odd number of cache lines, since their
 * starts would compete for the same cache sets otherwise.
 */
typedef struct merge_room {
    uint64_t keys[NODE_KEYS];
    uint64_t places[NODE_KEYS];
    uint64_t padding[8];
} merge_room;

/* Consecutive events of an input whose keys were not read into a room. */
typedef struct merge_run {
    const stele_batch *batch;
    const uint64_t *keys; /* see flow.keys */
    uint32_t input;
    uint32_t first, end; /* numbers of the events in the batch */
} merge_run;

/* A node. It holds, in this order, the keys from `at` to `end`, which may be in the room of a node
   below, and the run; both together are sorted. */
typedef struct merge_node {
    const uint64_t *at, *end;
    merge_run run;
    merge_room *room;
    struct merge_node *sides[2]; /* the nodes below; NULL: it is a leaf */
    uint32_t input;              /* leaf: number of its input */
    bool is_ended;               /* it is empty and stays so */
} merge_node;

typedef struct merge_input {
    flow *from;
    const stele_batch *batch;  /* the batch of the current segment */
    const stele_event *events; /* those of the batch */
    merge_room *room;          /* the room of the input's leaf */
} merge_input;

typedef struct merge_flow {
    flow base;
    stele_status status; /* STELE_END, or the first error of an input; returned at the end */
    bool by_end;
    size_t count;
    merge_input *inputs;
    merge_node *nodes; /* 2 * count - 1 nodes, the root first */
    merge_room *rooms;
    stele_segment segments[NODE_KEYS];
} merge_flow;

/* ---- What nodes hold ---- */

static inline bool has_keys(const merge_node *node)
{
    return node->at != node->end;
}

static inline bool is_empty(const merge_node *node)
{
    return node->at == node->end && node->run.first == node->run.end;
}

/* The place of the event that a key is of. `key` is in the array `keys` of any room, so the place
   is at a fixed distance. */
static inline uint64_t place_of(const uint64_t *key)
{
    return key[offsetof(merge_room, places) / sizeof *key];
}

/* Number of the events that go first: those with keys, or, if there are none, those of the run. */
static uint32_t part_count(const merge_node *node)
{
    return has_keys(node) ? (uint32_t)(node->end - node->at) : node->run.end - node->run.first;
}

/* The events of a node that go first, in the form that run_before() takes. The node is not
   empty. */
static merge_held part_held(const merge_node *node, bool by_end)
{
    const merge_run *run = &node->run;
    merge_held held = {.count = part_count(node), .by_end = by_end};
    if (has_keys(node))
        held.keys = node->at;
    else
        held.events = &run->batch->events[run->first];
    return held;
}

/* Moves the first `count` events of a side to the node above. */
static void part_take(merge_node *node, merge_node *side, uint32_t count)
{
    if (has_keys(side)) {
        /* The keys stay in the room of the side. That is safe: a side is filled, and its room
           written, only when all nodes above it are empty. */
        node->at = side->at;
        node->end = side->at += count;
    } else {
        node->run = side->run;
        node->run.end = side->run.first += count;
    }
}

/* Writes the keys and places of the first `count` events of a run to a room. */
static void keys_read(merge_room *to, const merge_run *run, uint32_t count, bool by_end)
{
    const stele_event *event = &run->batch->events[run->first];
    const uint64_t place = (uint64_t)run->input << 32 | run->first;
    /* Keys that the input has already computed are copied. */
    if (run->keys != NULL)
        for (uint32_t i = 0; i < count; i++)
            to->keys[i] = run->keys[run->first + i];
    else
        for (uint32_t i = 0; i < count; i++)
            to->keys[i] = flow_key(&event[i], by_end);
    for (uint32_t i = 0; i < count; i++)
        to->places[i] = place + i;
}

/* Reads keys of a node's run, if it has no others, into the room of the run's leaf, which is
   empty. */
static void node_read(const merge_flow *merge, merge_node *node)
{
    merge_run *run = &node->run;
    merge_room *room = merge->inputs[run->input].room;
    const uint32_t left = run->end - run->first, count = left < SIDE_KEYS ? left : SIDE_KEYS;
    keys_read(room, run, count, merge->by_end);
    run->first += count;
    node->at = room->keys;
    node->end = room->keys + count;
}

/* ---- Passing runs up ---- */

/* Moves the events of `side` that go before the first one of `other` to the node, if there are
   enough of them. */
static bool node_pass(merge_node *node, merge_node *side, const merge_node *other, bool wins_tie,
                      bool by_end)
{
    uint32_t count = part_count(side);
    if (is_empty(side))
        return false;
    /* An empty `other` has ended, since both sides were filled before: all of `side` goes. */
    if (!is_empty(other)) {
        const merge_held held = part_held(side, by_end), limit = part_held(other, by_end);
        count = run_before(&held, held_key(&limit, 0), wins_tie);
    }
    if (count != 0)
        part_take(node, side, count);
    return count != 0;
}

/* ---- Merging two sides ---- */

/* How many keys of a side one merge takes: both sides together must fit in a room. */
static size_t side_count(const merge_node *side)
{
    const size_t count = (size_t)(side->end - side->at);
    return count < SIDE_KEYS ? count : SIDE_KEYS;
}

/* One step of a merge: copies the key that goes next, with its place, to `to`. The mask of
   merge_step() selects the address without a branch. */
static inline void step_to(uint64_t *to, merge_place *at)
{
    const uintptr_t left = (uintptr_t)at->left, right = (uintptr_t)at->right;
    const uint64_t *from = (const uint64_t *)(left + ((right - left) & (uintptr_t)merge_step(at)));
    to[0] = from[0];
    to[NODE_KEYS] = from[NODE_KEYS];
}

/* Merges two sides until one of them has no more keys. The first half and the second half are
   merged in turn: their steps do not wait for each other. */
static void node_merge(merge_node *node)
{
    merge_node *left = node->sides[0], *right = node->sides[1];
    const merge_part part = merge_part_of(left->at, side_count(left), right->at, side_count(right));
    uint64_t *to = node->room->keys, *const end = to + part.count;
    merge_place first = part.at, second = part.middle;
    for (uint64_t *const middle = to + part.half; to != middle; to++) {
        step_to(to, &first);
        step_to(to + part.half, &second);
    }
    if (part.count % 2 != 0)
        step_to(end - 1, &second);
    left->at = second.left;
    right->at = second.right;
    node->at = node->room->keys;
    node->end = end;
}

/* Merges two sides, one of which has few keys, step by step. */
static void node_merge_few(merge_node *node)
{
    merge_node *left = node->sides[0], *right = node->sides[1];
    merge_place at = {left->at, right->at};
    uint64_t *to = node->room->keys, *const to_end = to + NODE_KEYS;
    while (at.left != left->end && at.right != right->end && to != to_end)
        step_to(to++, &at);
    left->at = at.left;
    right->at = at.right;
    node->at = node->room->keys;
    node->end = to;
}

/* ---- Filling nodes ---- */

/* Pulls the next segment of a leaf's input. The events of the last one were all delivered, so that
   the input may reuse their batch. An error ends the leaf only. */
static void leaf_fill(merge_flow *merge, merge_node *leaf)
{
    merge_input *in = &merge->inputs[leaf->input];
    stele_segment segment;
    const stele_status status = flow_next(in->from, &segment);
    if (status != STELE_OK) {
        if (merge->status == STELE_END)
            merge->status = status;
        leaf->is_ended = true;
        return;
    }
    in->batch = segment.batch;
    in->events = segment.batch->events;
    leaf->run = (merge_run){segment.batch, in->from->keys, leaf->input, segment.first,
                            segment.first + segment.count};
    /* A run of few events is seldom passed up, so its keys are read at once. */
    if (segment.count <= FEW_KEYS)
        node_read(merge, leaf);
}

static void node_fill(merge_flow *merge, merge_node *node);

/* Whether a node has keys, but at most FEW_KEYS: 0 - 1 wraps to a large number. */
static bool has_few_keys(const merge_node *node)
{
    return (size_t)(node->end - node->at) - 1 < FEW_KEYS;
}

/* Fills the sides of an empty node. Returns true if the sides are to be merged; otherwise the node
   has got the events that go first, or is at its end. */
static bool sides_fill(merge_flow *merge, merge_node *node)
{
    merge_node *left = node->sides[0], *right = node->sides[1];
    if (is_empty(left) && !left->is_ended)
        node_fill(merge, left);
    if (is_empty(right) && !right->is_ended)
        node_fill(merge, right);
    /* Keys of a side go before its run, so that keys of both sides can be merged regardless of
       runs. */
    if (has_keys(left) && has_keys(right) && (has_few_keys(left) || has_few_keys(right))) {
        node_merge_few(node);
        return false;
    }
    node->is_ended = is_empty(left) && is_empty(right);
    if (node->is_ended || node_pass(node, left, right, true, merge->by_end) ||
        node_pass(node, right, left, false, merge->by_end))
        return false;
    /* Both sides have events, and neither has a run that goes before the other: they are merged. */
    if (!has_keys(left))
        node_read(merge, left);
    if (!has_keys(right))
        node_read(merge, right);
    return true;
}

/* Fills an empty node. It stays empty if it is at its end. */
static void node_fill(merge_flow *merge, merge_node *node)
{
    if (node->sides[0] == NULL)
        leaf_fill(merge, node);
    else if (sides_fill(merge, node))
        node_merge(node);
}

/* ---- Segments of what the root holds ---- */

static inline uint32_t place_input(uint64_t place)
{
    return (uint32_t)(place >> 32);
}

/* Delivers the root's keys, as a segment for each stretch of events of one input. */
static stele_status give_keys(merge_flow *merge, merge_node *root)
{
    UNSET uint32_t starts[NODE_KEYS + 1];
    uint32_t count = 1;
    const uint64_t *const keys = root->at;
    const uint32_t key_count = (uint32_t)(root->end - keys);
    starts[0] = 0;
    for (uint32_t i = 1; i < key_count; i++) {
        /* The start is always written, and counts if the input differs from that of the event
           before. */
        starts[count] = i;
        count += place_input(place_of(&keys[i])) != place_input(place_of(&keys[i - 1]));
    }
    starts[count] = key_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t place = place_of(&keys[starts[i]]);
        const merge_input *in = &merge->inputs[place_input(place)];
        /* Those of many inputs lie far apart, and are in no cache any more. */
        __builtin_prefetch(in->batch);
        __builtin_prefetch(&in->batch->stream);
        __builtin_prefetch(&in->events[(uint32_t)place]);
        merge->segments[i] = (stele_segment){in->batch, (uint32_t)place, starts[i + 1] - starts[i]};
    }
    root->at = root->end;
    return flow_give(&merge->base, merge->segments, count, key_count);
}

/* Delivers the root's run as a segment. */
static stele_status give_run(merge_flow *merge, merge_node *root)
{
    merge_run *run = &root->run;
    merge->segments[0] = (stele_segment){run->batch, run->first, run->end - run->first};
    run->first = run->end;
    return flow_give(&merge->base, merge->segments, 1, merge->segments[0].count);
}

/* ---- The merging flow ---- */

static stele_status merge_pull(flow *self)
{
    merge_flow *merge = (merge_flow *)self;
    merge_node *root = merge->nodes;
    if (merge->count == 0 || root->is_ended)
        return merge->status;
    node_fill(merge, root);
    if (root->is_ended)
        return merge->status;
    return has_keys(root) ? give_keys(merge, root) : give_run(merge, root);
}

static void merge_close(flow *self)
{
    merge_flow *merge = (merge_flow *)self;
    for (size_t i = 0; i < merge->count; i++)
        flow_close(merge->inputs[i].from);
    free(merge->inputs);
    free(merge->nodes);
    free(merge->rooms);
    free(merge);
}

/* Makes the node at `*node` for `count` inputs from number `first` on, and the nodes below it after
   it. */
static merge_node *tree_make(merge_flow *merge, merge_node **node, uint32_t first, size_t count)
{
    merge_node *self = (*node)++;
    self->room = &merge->rooms[self - merge->nodes];
    self->input = first;
    if (count > 1) {
        const size_t half = count / 2;
        self->sides[0] = tree_make(merge, node, first, half);
        self->sides[1] = tree_make(merge, node, first + (uint32_t)half, count - half);
    } else {
        merge->inputs[first].room = self->room;
    }
    return self;
}

static merge_flow *merge_new(flow *const *from, size_t count)
{
    const size_t node_count = count == 0 ? 0 : 2 * count - 1;
    merge_flow *merge = calloc(1, sizeof *merge);
    merge_node *node;
    if (merge == NULL)
        return NULL;
    merge->inputs = calloc(count + 1, sizeof *merge->inputs);
    merge->nodes = node = calloc(node_count + 1, sizeof *merge->nodes);
    /* Not cleared: most of the bytes are never used. */
    merge->rooms = malloc((node_count + 1) * sizeof *merge->rooms);
    if (merge->inputs == NULL || merge->nodes == NULL || merge->rooms == NULL) {
        merge_close(&merge->base);
        return NULL;
    }
    for (merge->count = 0; merge->count < count; merge->count++)
        merge->inputs[merge->count].from = from[merge->count];
    if (count != 0)
        tree_make(merge, &node, 0, count);
    return merge;
}

stele_status flow_merge(flow *const *from, size_t count, bool by_end, flow **out)
{
    static const flow_ops ops = {merge_pull, merge_close};
    merge_flow *merge;
    if (count == 1) {
        *out = from[0];
        return STELE_OK;
    }
    if (count == 2)
        return flow_merge_two(from[0], from[1], by_end, out);
    *out = NULL;
    merge = merge_new(from, count);
    if (merge == NULL) {
        for (size_t i = 0; i < count; i++)
            flow_close(from[i]);
        return STELE_ERR_MEMORY;
    }
    merge->base.ops = &ops;
    merge->status = STELE_END;
    merge->by_end = by_end;
    *out = &merge->base;
    return STELE_OK;
}
