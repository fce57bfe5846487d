/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of parts of a trace, put together. */
#include "analysis/events/stats_state.h"

static bool uses_track_names(const expression_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (expression_uses_track_names(list->items[i].e))
            return true;
    }
    return false;
}

bool stele_stats_can_merge(const stele_stats *s)
{
    return !s->has_begun && !s->uses_time && !s->groups.is_held && s->groups.every_ns == 0 &&
           s->only == NULL && !s->has_window && s->groups.other == NULL &&
           !uses_track_names(&s->by) && !uses_track_names(&s->of);
}

/* Sets the keys of the current row to those of a part's group. */
static void take_keys(stele_stats *into, const stats_group *from, const stele_part_map *map)
{
    stats_groups *g = &into->groups;
    for (uint32_t i = 0; i < g->by_count; i++) {
        stele_value *key = &g->keys[i];
        *key = from->about.keys[i];
        if (key->type != STELE_VALUE_TEXT)
            continue;
        key->track = stele_part_map_track(map, key->track);
        if ((key->name & STELE_NAME_LOCAL) != 0)
            continue;
        key->name = stele_part_map_name(map, key->name);
        key->u.text = stele_name_text(into->context, NULL, key->name);
    }
}

static stele_status merge_group(stele_stats *into, const stats_group *from,
                                const stele_part_map *map)
{
    stats_group *to;
    take_keys(into, from, map);
    to = stats_groups_find(&into->groups);
    if (to == NULL)
        return STELE_ERR_MEMORY;
    if (to->about.is_other)
        return STELE_ERR_UNSUPPORTED;
    to->about.row_count += from->about.row_count;
    for (uint32_t i = 0; i < into->of.count; i++) {
        if (!spread_can_merge(&to->of[i], &from->of[i]))
            return STELE_ERR_UNSUPPORTED;
        if (!spread_merge(&to->of[i], &from->of[i], &into->groups.room))
            return STELE_ERR_MEMORY;
        if (!spread_can_merge(&to->of[i], &from->of[i]))
            return STELE_ERR_UNSUPPORTED;
    }
    return STELE_OK;
}

stele_status stele_stats_merge(stele_stats *into, stele_stats *from, const stele_part_map *map)
{
    stele_status status = STELE_OK;
    if (!stele_stats_can_merge(into) || !stele_stats_can_merge(from) ||
        into->by.count != from->by.count || into->of.count != from->of.count ||
        into->has_distinct != from->has_distinct)
        return STELE_ERR_UNSUPPORTED;
    for (size_t i = 0; i < from->groups.count && status == STELE_OK; i++)
        status = merge_group(into, from->groups.items[i], map);
    if (status != STELE_OK)
        return status;
    for (uint32_t i = 0; i < into->by.count; i++)
        expression_merge(into->by.items[i].e, from->by.items[i].e);
    for (uint32_t i = 0; i < into->of.count; i++)
        expression_merge(into->of.items[i].e, from->of.items[i].e);
    into->row_count += from->row_count;
    if (from->time_ns > into->time_ns)
        into->time_ns = from->time_ns;
    if (from->has_origin && !into->has_origin)
        stele_stats_set_origin(into, from->origin_ns);
    return STELE_OK;
}
