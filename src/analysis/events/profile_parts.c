/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of parts of a trace, put together. */
#include "analysis/events/profile_state.h"

#include "core/wide.h"

stele_status stele_profile_set_part(stele_profile *p)
{
    const stele_profile_options *o = &p->options;
    if (p->calls->only != NULL || o->by_path || o->has_self_spread || o->depth_min != 0 ||
        o->depth_end != UINT32_MAX)
        return STELE_ERR_UNSUPPORTED;
    p->is_part = true;
    calls_joint_begin(&p->joint, p->calls);
    return STELE_OK;
}

/* Takes from the total of a name what its calls have of it that are inside of others. */
static bool take_repeated(void *user, stele_name name, uint32_t track, uint64_t total_ns)
{
    entry *to = profile_entry(user, name, track);
    rare *r = to != NULL ? profile_rare(to) : NULL;
    if (r != NULL)
        r->repeated_ns += total_ns;
    return r != NULL;
}

/* Adds the rare figures of an entry; `carries` is set if the lower half of its squares did. */
static bool merge_rare(entry *into, const entry *from, bool carries)
{
    static const rare none;
    const rare *r = from->rare != NULL ? from->rare : &none;
    rare *to;
    if (from->rare == NULL && !carries)
        return true;
    to = profile_rare(into);
    if (to == NULL)
        return false;
    to->lost_count += r->lost_count;
    to->unended_count += r->unended_count;
    to->repeated_ns += r->repeated_ns;
    to->squares_high += r->squares_high + carries;
    return true;
}

static bool merge_entry(entry *into, const entry *from)
{
    into->self_ns += from->self_ns;
    into->sum_ns += from->sum_ns;
    into->self_squares += from->self_squares;
    if (!merge_rare(into, from, into->self_squares < from->self_squares))
        return false;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
    return tally_join(&into->durations, &from->durations);
}

stele_status stele_profile_merge(stele_profile *into, stele_profile *from,
                                 const stele_part_map *map)
{
    stele_status status;
    if (!from->is_part || into->is_part || from->options.by_track != into->options.by_track)
        return STELE_ERR_UNSUPPORTED;
    status =
        calls_join(into->calls, &into->joint, from->calls, &from->joint, map, take_repeated, into);
    for (size_t i = 0; status == STELE_OK && i < from->entry_count; i++) {
        const entry *of = profile_entry_at(from, i);
        entry *to = profile_entry(into, stele_part_map_name(map, of->name),
                                  stele_part_map_track(map, of->track));
        if (to == NULL || !merge_entry(to, of))
            status = STELE_ERR_MEMORY;
    }
    return status;
}
