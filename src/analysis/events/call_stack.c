/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/call_stack.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

/* How many frames below the top are compared one by one before deep_index is searched. */
#define NEAR_MAX 512u

static bool deep_is_valid(const stack *of)
{
    const deep_index *deep = &of->deep;
    return deep->slots != NULL && deep->depth <= of->depth && of->frames[deep->depth].is_indexed;
}

/* Makes the index of the frames 1 to `depth`. Returns false if out of memory. */
static bool deep_build(stack *of, uint32_t depth)
{
    deep_index *deep = &of->deep;
    uint32_t count = 1024;
    while (count / 2 <= depth)
        count *= 2;
    if (deep->slots == NULL || count != deep->slot_mask + 1) {
        frame_slot *slots = malloc(count * sizeof *slots);
        if (slots == NULL)
            return false;
        free(deep->slots);
        deep->slots = slots;
        deep->slot_mask = count - 1;
        deep->slot_factor = (uint32_t)hash_key_make().second;
    }
    memset(deep->slots, 0xff, count * sizeof *deep->slots);
    deep->last = 0;
    for (uint32_t i = 1; i <= depth; i++) {
        const frame *from = &of->frames[i];
        if (from->is_timed)
            continue;
        *slot_of(deep->slots, deep->slot_mask, deep->slot_factor, from->name) =
            (frame_slot){from->name, i};
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
    const frame_slot *known;
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
    known = slot_of(of->deep.slots, of->deep.slot_mask, of->deep.slot_factor, name);
    return known->name == name ? known->at : 0;
}
