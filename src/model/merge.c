/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging by a tree of merges of two. A leaf holds keys of an input's events; every node above
 * merges what the two below it hold until one of them runs dry, about a hundred events at a time
 * and without a branch that depends on times. What the root holds goes out as segments.
 *
 *                 root: a1 b1 c1 a2 c2 ..
 *                /                       \        on equal keys the left one goes first
 *        a1 b1 a2 b2 ..              c1 c2 ..
 *         /       \
 *     a1 a2 ..  b1 b2 ..                          keys of batches
 *
 * A node is filled only when it is empty and all of the nodes above it are, too. So all events of
 * a leaf that is filled were delivered, and its input can reuse their batch. Where all of one side
 * goes before the other, it is passed on as it lies.
 */
#include <stdlib.h>

#include "model/batch.h"
#include "model/flow.h"

#define LEAF_EVENTS 128u /* that a leaf holds */
#define SIDE_EVENTS 64u  /* that a merge takes of each side at once */
#define RUN_EVENTS  8    /* more than so many are passed on as they lie */
#define KEY_BIAS    (UINT64_C(1) << 63)
#define NODE_ROOM   (2 * SIDE_EVENTS + 1) /* the one behind the last is read, in vain */

typedef struct merge_entry {
    uint64_t key;   /* event_key(), moved so that it is never negative */
    uint64_t place; /* the input, and below it 32 bits of the event's number in its batch */
} merge_entry;

typedef struct merge_input {
    flow *from;
    stele_segment rest; /* of the current segment, what is not in the leaf yet */
} merge_input;

/* The entries from `at` on are sorted, and may lie in the room of a node below. */
typedef struct merge_node {
    const merge_entry *at, *end;
    merge_entry *room;           /* NODE_ROOM */
    struct merge_node *sides[2]; /* NULL: a leaf */
    uint32_t input;              /* of a leaf */
    bool is_ended;               /* it will stay empty */
} merge_node;

typedef struct merge_flow {
    flow base;
    stele_status status; /* STELE_END, or the first error of an input: told at the end */
    bool by_end;
    size_t count;
    merge_input *inputs;
    merge_node *nodes; /* 2 * count - 1, the root first */
    merge_entry *entries;
    stele_segment segments[NODE_ROOM];
} merge_flow;

_Static_assert(LEAF_EVENTS < NODE_ROOM, "each event may need a segment");

/* ---- Nodes ---- */

static inline bool is_empty(const merge_node *node)
{
    return node->at == node->end;
}

static inline bool goes_before(const merge_entry *entry, uint64_t limit, bool wins_tie)
{
    return entry->key < limit || (wins_tie && entry->key == limit);
}

static inline void read_keys(merge_entry *to, const stele_segment *from, uint32_t count,
                             uint64_t number, bool by_end)
{
    const stele_event *event = &from->batch->events[from->first];
    const uint64_t place = number << 32 | from->first;
    for (uint32_t i = 0; i < count; i++)
        to[i] = (merge_entry){(uint64_t)event_key(&event[i], by_end) ^ KEY_BIAS, place + i};
}

static void leaf_fill(merge_flow *merge, merge_node *leaf)
{
    merge_input *in = &merge->inputs[leaf->input];
    stele_segment *rest = &in->rest;
    uint32_t count;
    if (rest->count == 0) {
        const stele_status status = flow_next(in->from, rest);
        if (status != STELE_OK) {
            if (merge->status == STELE_END)
                merge->status = status;
            rest->count = 0;
            leaf->is_ended = true;
            return;
        }
    }
    count = rest->count < LEAF_EVENTS ? rest->count : LEAF_EVENTS;
    if (merge->by_end)
        read_keys(leaf->room, rest, count, leaf->input, true);
    else
        read_keys(leaf->room, rest, count, leaf->input, false);
    rest->first += count;
    rest->count -= count;
    leaf->at = leaf->room;
    leaf->end = leaf->room + count;
}

/*
 * The end of the entries of one side that go before the other's first one; `at` where they are too
 * few to be passed on by themselves.
 */
static const merge_entry *run_end(const merge_node *side, uint64_t limit, bool wins_tie)
{
    const merge_entry *first = side->at, *end = side->end;
    if (goes_before(end - 1, limit, wins_tie))
        return end;
    if (end - first <= RUN_EVENTS || !goes_before(first + RUN_EVENTS, limit, wins_tie))
        return side->at;
    while (first < end) {
        const merge_entry *middle = first + (end - first) / 2;
        if (goes_before(middle, limit, wins_tie))
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* Hands over what of one side goes before the other one, if that is worth it. */
static bool node_pass(merge_node *node, merge_node *side, const merge_node *other, bool wins_tie)
{
    const merge_entry *end;
    if (is_empty(side))
        return false;
    end = is_empty(other) ? side->end : run_end(side, other->at->key, wins_tie);
    if (end == side->at)
        return false;
    node->at = side->at;
    node->end = end;
    side->at = end;
    return true;
}

static const merge_entry *side_end(const merge_node *side)
{
    return side->end - side->at > (ptrdiff_t)SIDE_EVENTS ? side->at + SIDE_EVENTS : side->end;
}

/* All ones where `b` goes first. The compiler cannot know so, and make a branch of its use. */
static inline uint64_t mask_of(uint64_t a_key, uint64_t b_key)
{
    uint64_t mask = -(uint64_t)(b_key < a_key);
    __asm__("" : "+r"(mask));
    return mask;
}

static inline uint64_t either(uint64_t a, uint64_t b, uint64_t mask)
{
    return a ^ ((a ^ b) & mask);
}

/*
 * Merges until one of the sides runs dry. Which event goes cannot be guessed, so there is no branch
 * to be guessed wrongly, and the keys of both that may be next are loaded before it is known.
 */
static void node_merge(merge_node *node, merge_node *left, merge_node *right)
{
    const merge_entry *a = left->at, *const a_end = side_end(left);
    const merge_entry *b = right->at, *const b_end = side_end(right);
    uint64_t a_key = a->key, b_key = b->key;
    merge_entry *to = node->room;
    while (a != a_end && b != b_end) {
        const uint64_t a_next = a[1].key, b_next = b[1].key;
        const uint64_t mask = mask_of(a_key, b_key);
        to->key = either(a_key, b_key, mask);
        to->place = either(a->place, b->place, mask);
        to++;
        a += 1 + (int64_t)mask;
        b -= (int64_t)mask;
        a_key = either(a_next, a_key, mask);
        b_key = either(b_key, b_next, mask);
    }
    left->at = a;
    right->at = b;
    node->at = node->room;
    node->end = to;
}

/* Fills an empty node; it stays empty when it is at its end. */
static void node_fill(merge_flow *merge, merge_node *node)
{
    merge_node *left = node->sides[0], *right = node->sides[1];
    if (left == NULL) {
        leaf_fill(merge, node);
        return;
    }
    if (is_empty(left) && !left->is_ended)
        node_fill(merge, left);
    if (is_empty(right) && !right->is_ended)
        node_fill(merge, right);
    if (is_empty(left) && is_empty(right))
        node->is_ended = true;
    else if (!node_pass(node, left, right, true) && !node_pass(node, right, left, false))
        node_merge(node, left, right);
}

/* ---- The flow ---- */

static inline uint32_t place_input(uint64_t place)
{
    return (uint32_t)(place >> 32);
}

static inline uint32_t place_event(uint64_t place)
{
    return (uint32_t)place;
}

/* The entries as segments: as many events of one input as stand together. */
static uint32_t make_segments(merge_flow *merge, const merge_entry *at, const merge_entry *end)
{
    stele_segment *to = merge->segments;
    uint32_t number = place_input(at->place);
    to->first = place_event(at->place);
    if (end[-1].place - at->place == (uint64_t)(end - at) - 1) {
        to->batch = merge->inputs[number].rest.batch;
        to->count = (uint32_t)(end - at);
        return 1;
    }
    for (; at != end; at++) {
        const uint32_t last = number;
        number = place_input(at->place);
        to += number != last;
        to->batch = merge->inputs[number].rest.batch;
        to->count = place_event(at->place) + 1 - to->first;
        to[1].first = place_event(at[1].place);
    }
    return (uint32_t)(to - merge->segments) + 1;
}

static stele_status merge_pull(flow *self)
{
    merge_flow *merge = (merge_flow *)self;
    merge_node *root = merge->nodes;
    if (merge->count == 0 || root->is_ended)
        return merge->status;
    node_fill(merge, root);
    if (root->is_ended)
        return merge->status;
    const uint32_t count = make_segments(merge, root->at, root->end);
    root->at = root->end;
    return flow_give(self, merge->segments, count);
}

static void merge_close(flow *self)
{
    merge_flow *merge = (merge_flow *)self;
    for (size_t i = 0; i < merge->count; i++)
        flow_close(merge->inputs[i].from);
    free(merge->inputs);
    free(merge->nodes);
    free(merge->entries);
    free(merge);
}

/* Makes the node at `*node` over the inputs from `first` on, and those below behind it. */
static merge_node *tree_make(merge_node **node, merge_entry **room, uint32_t first, size_t count)
{
    merge_node *self = (*node)++;
    self->room = *room;
    self->input = first;
    *room += NODE_ROOM;
    if (count > 1) {
        const size_t half = count / 2;
        self->sides[0] = tree_make(node, room, first, half);
        self->sides[1] = tree_make(node, room, first + (uint32_t)half, count - half);
    }
    return self;
}

static merge_flow *merge_new(flow *const *from, size_t count)
{
    const size_t node_count = count == 0 ? 0 : 2 * count - 1;
    merge_flow *merge = calloc(1, sizeof *merge);
    if (merge == NULL)
        return NULL;
    merge->inputs = calloc(count + 1, sizeof *merge->inputs);
    merge->nodes = calloc(node_count + 1, sizeof *merge->nodes);
    merge->entries = calloc(node_count * NODE_ROOM + 1, sizeof *merge->entries);
    if (merge->inputs == NULL || merge->nodes == NULL || merge->entries == NULL) {
        merge_close(&merge->base);
        return NULL;
    }
    for (merge->count = 0; merge->count < count; merge->count++)
        merge->inputs[merge->count].from = from[merge->count];
    if (count != 0) {
        merge_node *node = merge->nodes;
        merge_entry *room = merge->entries;
        tree_make(&node, &room, 0, count);
    }
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
