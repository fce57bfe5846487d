/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/call_stack.h"

/* How many frames below the top are compared one by one before deep_index is searched. */
#define NEAR_MAX 512u

static bool deep_is_valid(const stack *of)
{
    const deep_index *deep = &of->deep;
    return deep->names.slots != NULL && deep->depth <= of->depth &&
           of->frames[deep->depth].is_indexed;
}

/* Makes the index of the frames 1 to `depth`. Returns false if out of memory. */
static bool deep_build(stack *of, uint32_t depth)
{
    deep_index *deep = &of->deep;
    if (!hash_table_make_room(&deep->names, (size_t)depth + 1))
        return false;
    hash_table_clear(&deep->names);
    deep->last = 0;
    for (uint32_t i = 1; i <= depth; i++) {
        const uint32_t hash = hash_table_hash_u32(&deep->names, of->frames[i].name);
        hash_table_slot *slot = hash_table_slot_of(&deep->names, hash);
        if (of->frames[i].is_timed)
            continue;
        deep->names.count += slot->number == 0;
        *slot = (hash_table_slot){hash, i + 1};
        deep->last = i;
    }
    deep->depth = depth;
    of->frames[depth].is_indexed = true;
    return true;
}

uint32_t call_stack_find(stack *of, stele_name name)
{
    const uint32_t floor = of->depth > NEAR_MAX ? of->depth - NEAR_MAX : 0;
    uint32_t at = of->depth, end = 0;
    const hash_table_slot *known;
    for (; at > floor; at--) {
        if (is_exit_of(&of->frames[at], name))
            return at;
    }
    if (at == 0)
        return 0;
    if ((deep_is_valid(of) && at < of->deep.depth + 2 * NEAR_MAX) || deep_build(of, at))
        end = of->deep.depth;
    for (; at > end; at--) {
        if (is_exit_of(&of->frames[at], name))
            return at;
    }
    if (end == 0)
        return 0;
    if (name == 0)
        return of->deep.last;
    known = hash_table_slot_of(&of->deep.names, hash_table_hash_u32(&of->deep.names, name));
    return known->number != 0 ? known->number - 1 : 0;
}

bool call_stack_goes_on(const stack *of, uint32_t from, uint32_t at)
{
    const frame *const inner = &of->frames[at];
    const uint32_t floor = at - from > NEAR_MAX ? at - NEAR_MAX : from;
    for (uint32_t i = at - 1; i > floor; i--) {
        if (of->frames[i].name == inner->name && of->frames[i].end_ns > inner->begin_ns)
            return true;
    }
    return false;
}
