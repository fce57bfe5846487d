/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/print_walk.h"

const ctf_class *walk_root(const print_walk *walk, ctf_scope scope)
{
    switch (scope) {
    case CTF_SCOPE_PACKET_HEADER: return walk->schema->packet_header;
    case CTF_SCOPE_PACKET_CONTEXT: return walk->stream ? walk->stream->packet_context : NULL;
    case CTF_SCOPE_EVENT_HEADER: return walk->stream ? walk->stream->event_header : NULL;
    case CTF_SCOPE_COMMON_CONTEXT: return walk->stream ? walk->stream->event_context : NULL;
    case CTF_SCOPE_SPECIFIC_CONTEXT: return walk->event ? walk->event->context : NULL;
    case CTF_SCOPE_PAYLOAD: return walk->event ? walk->event->payload : NULL;
    default: return NULL;
    }
}

void walk_free(print_walk *walk)
{
    member_table_free(&walk->members);
}

/* Finds a member by its written name among the first `count` members. */
static const ctf_member *find(print_walk *walk, const ctf_class *structure, uint32_t count,
                              ctf_text written)
{
    const uint32_t index = member_find(&walk->members, structure, written, &walk->is_exhausted);
    return index < count ? &structure->u.structure.members[index] : NULL;
}

/* Follows the steps from number `first` on, beginning at a structure of which only the first
   `count` members count. */
static bool descend(print_walk *walk, const ctf_class *from, uint32_t count,
                    const ctf_location *location, uint32_t first, print_target *target)
{
    target->member_count = 0;
    target->type = from;
    for (uint32_t i = first; i < location->step_count; i++) {
        const ctf_member *member;
        if (target->type == NULL || target->type->kind != CTF_STRUCT ||
            location->steps[i].bytes == NULL || target->member_count == WALK_STEPS_MAX)
            return false;
        member = find(walk, target->type, i > first ? UINT32_MAX : count, location->steps[i]);
        if (member == NULL)
            return false;
        target->members[target->member_count++] = member;
        target->type = member->type;
    }
    return target->member_count != 0;
}

/* Resolves a name as CTF 1.8 does: among earlier members of the enclosing structures, outwards, and
   then in the scopes before, last first. */
static bool resolve_lexical(print_walk *walk, const ctf_location *location, print_target *target)
{
    for (uint32_t up = 0; up < walk->depth; up++) {
        const uint32_t level = walk->depth - 1 - up;
        const ctf_class *structure = walk->levels[level].structure;
        const uint32_t index = walk->levels[level].index;
        if (find(walk, structure, index, location->steps[0]) != NULL) {
            target->is_relative = true;
            target->up = up;
            return descend(walk, structure, index, location, 0, target);
        }
    }
    for (int scope = (int)walk->scope - 1; scope >= 0; scope--) {
        target->scope = (ctf_scope)scope;
        if (descend(walk, walk_root(walk, target->scope), UINT32_MAX, location, 0, target))
            return true;
    }
    return false;
}

static bool resolve_relative(print_walk *walk, const ctf_location *location, print_target *target)
{
    uint32_t up = 0;
    while (up < location->step_count && location->steps[up].bytes == NULL)
        up++;
    target->is_relative = true;
    target->up = up;
    return up < walk->depth &&
           descend(walk, walk->levels[walk->depth - 1 - up].structure,
                   walk->levels[walk->depth - 1 - up].index, location, up, target);
}

bool walk_resolve(print_walk *walk, const ctf_location *location, print_target *target)
{
    *target = (print_target){.scope = location->scope};
    if (location->step_count == 0)
        return false;
    switch (location->scope) {
    case CTF_SCOPE_ENV: return false;
    case CTF_SCOPE_LEXICAL: return resolve_lexical(walk, location, target);
    case CTF_SCOPE_RELATIVE: return resolve_relative(walk, location, target);
    default:
        return descend(walk, walk_root(walk, location->scope), UINT32_MAX, location, 0, target);
    }
}
