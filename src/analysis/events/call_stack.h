/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of open calls of one track: frames, names that are on it, and where a name is. */
#ifndef ANALYSIS_EVENTS_CALL_STACK_H
#define ANALYSIS_EVENTS_CALL_STACK_H

#include <stele/event.h>

#include <stdbool.h>

#include "core/hash.h"

typedef struct frame {
    int64_t begin_ns;
    int64_t end_ns; /* of a COMPLETE event; else INT64_MAX */
    uint64_t child_ns;
    stele_name name;
    uint32_t node;
    uint32_t tag; /* see stele_call_span */
    bool is_wanted;
    bool is_repeated; /* its name is further out, too */
    bool is_carried;  /* began before the window */
    bool is_timed;    /* of a COMPLETE event: end_ns is known */
    bool is_indexed;  /* stack.deep was made with this frame as its last one */
} frame;

/* Where a frame of a name is. UINT32_MAX names none. */
typedef struct frame_slot {
    stele_name name;
    uint32_t at;
} frame_slot;

/*
 * Where the innermost frame without a known end is, by name, among the frames 1 to `depth`: for
 * exits that are not of one of the last frames. It holds as long as the frame at `depth` is the one
 * it was made with, because frames below that one cannot have changed then.
 */
typedef struct deep_index {
    frame_slot *slots; /* by name, open addressing; NULL until it is needed */
    uint32_t slot_mask;
    uint32_t slot_factor; /* odd and random: nobody can know which names meet */
    uint32_t depth;
    uint32_t last; /* the innermost one of any name; 0: none */
} deep_index;

/* The stack of a track. */
typedef struct stack {
    frame *frames;            /* the first stands for what is outside of all calls, and stays */
    uint32_t depth, capacity; /* without that one */
    uint32_t timed_depth;     /* frames of COMPLETE events among them */
    uint32_t cut_depth;       /* entries beyond the limit that are open */
    int64_t last_ns;          /* the latest time or end of its events */
    bool is_before;           /* had no event in the window yet: nothing counts */
    /* Where the outermost frame of a name is, as long as the name is on the stack: else what is
       there has another name, or is gone. Open addressing; NULL unless recursion is asked for. */
    frame_slot *slots;
    uint32_t slot_mask, slot_count;
    uint32_t slot_factor; /* odd and random: nobody can know which names meet */
    deep_index deep;
} stack;

/* The innermost frame that an exit of this name ends; 0: there is none. Its cost does not grow with
   the depth, over many calls. */
uint32_t call_stack_find(stack *of, stele_name name);

static inline frame *stack_top(const stack *of)
{
    return &of->frames[of->depth];
}

static inline void frame_set(frame *made, int64_t begin_ns, stele_name name, bool is_wanted)
{
    made->begin_ns = begin_ns;
    made->end_ns = INT64_MAX;
    made->child_ns = 0;
    made->name = name;
    made->node = 0;
    made->tag = 0;
    made->is_wanted = is_wanted;
    made->is_repeated = false;
    made->is_carried = false;
    made->is_timed = false;
    made->is_indexed = false;
}

/* Whether an exit ends the frame. One without a name is that of whatever began last. */
static inline bool is_exit_of(const frame *of, stele_name name)
{
    return !of->is_timed && (of->name == name || name == 0);
}

/* The slot of a name in a table, or the free one where it belongs. */
static inline frame_slot *slot_of(frame_slot *slots, uint32_t mask, uint32_t factor,
                                  stele_name name)
{
    uint32_t at = (uint32_t)(hash_by_factor(factor, name) >> 32) & mask;
    while (slots[at].name != name && slots[at].name != UINT32_MAX)
        at = (at + 1) & mask;
    return &slots[at];
}

static inline bool slots_are_full(const stack *of)
{
    return of->slot_count * 2 >= of->slot_mask;
}

/* Whether the name of the frame at `at` is further out, after those further out were asked. */
static inline bool is_further_out(stack *of, uint32_t at, stele_name name)
{
    frame_slot *known = slot_of(of->slots, of->slot_mask, of->slot_factor, name);
    if (known->name != name)
        of->slot_count++;
    else if (known->at == at)
        return false;
    else if (known->at < at && of->frames[known->at].name == name)
        return true;
    *known = (frame_slot){name, at};
    return false;
}

#endif
