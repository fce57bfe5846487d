/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of open calls of one track, with tables that find frames by their names. */
#ifndef ANALYSIS_EVENTS_CALL_STACK_H
#define ANALYSIS_EVENTS_CALL_STACK_H

#include <stele/event.h>

#include <stdbool.h>

#include "core/table.h"

typedef struct frame {
    int64_t begin_ns;
    int64_t end_ns; /* end of a COMPLETE event; INT64_MAX: not known yet */
    uint64_t child_ns;
    stele_name name;
    uint32_t node;
    uint32_t tag; /* see stele_call_span */
    bool is_wanted;
    bool is_repeated; /* a frame further out has the same name */
    bool is_carried;  /* the call began before the window */
    bool is_timed;    /* a COMPLETE event made it, so end_ns is known */
    bool is_indexed;  /* stack.deep was made with this frame as its last one */
} frame;

/*
 * The innermost frame of each name whose end is not known, among the frames 1 to `depth`. Exits
 * that end none of the last frames are looked up here. The index is valid as long as the frame at
 * `depth` is the one it was made with, because frames below that one cannot have changed then.
 */
typedef struct deep_index {
    hash_table names; /* indexes of frames, by name; empty until the first search */
    uint32_t depth;
    uint32_t last; /* the innermost frame of any name; 0: none */
} deep_index;

/* The open calls of one track, the innermost one last. */
typedef struct stack {
    frame *frames; /* frames[0] stands for what is outside of all calls, and is never popped */
    uint32_t depth, capacity; /* depth does not count frames[0] */
    uint32_t timed_depth;     /* how many frames on the stack are of COMPLETE events */
    uint32_t moved_depth;     /* the greatest depth from which frames moved down */
    uint32_t cut_depth; /* open calls that were not pushed because the stack is at its limit */
    int64_t last_ns;    /* the latest time or end of the track's events */
    bool is_before;     /* no event of the track was in the window yet, so nothing is counted */
    /* Index of the outermost frame of each name, which is valid as long as that frame is on the
       stack and has that name. Empty unless options.needs_recursion is set. */
    hash_table outermost;
    deep_index deep;
} stack;

/* Finds the innermost frame that an exit with this name ends. Returns 0 if there is none. The
   cost for each call does not grow with the depth when it is averaged over many calls. */
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

/* Whether an exit ends the frame. An exit without a name ends the frame that began last. */
static inline bool is_exit_of(const frame *of, stele_name name)
{
    return !of->is_timed && (of->name == name || name == 0);
}

/* Whether a frame between `from` and `at` has the name of the frame at `at`, and goes on when that
   begins. */
bool call_stack_goes_on(const stack *of, uint32_t from, uint32_t at);

/* How many names the table of outermost frames can take. */
static inline uint32_t outermost_room(const stack *of)
{
    return (of->outermost.mask + 1) / 2;
}

/* Whether a frame further out than the one at `at` has this name, and goes on when that begins.
   Frames must be asked about from the outside in, because each call enters its frame in the table,
   which must have a free slot. */
static inline bool is_further_out(stack *of, uint32_t at, stele_name name)
{
    const uint32_t hash = hash_table_hash_u32(&of->outermost, name);
    hash_table_slot *known = hash_table_slot_of(&of->outermost, hash);
    const uint32_t known_at = known->number - 1;
    if (known->number == 0)
        of->outermost.count++;
    else if (known_at == at)
        return false;
    else if (known_at < at && of->frames[known_at].name == name &&
             (of->frames[known_at].end_ns > of->frames[at].begin_ns ||
              call_stack_goes_on(of, known_at, at)))
        return true;
    known->hash = hash;
    known->number = at + 1;
    return false;
}

#endif
