/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics by name of how long calls take. The calls engine knows everything that they need,
 * takes whole segments and keeps no copies of events, so it is several times as fast as the spans
 * engine. Names that are local to their batch are looked up when a call begins.
 */
#include "analysis/events/stats_calls.h"

#include "analysis/events/calls.h"

/* The group of a name that is not local to a batch. Returns NULL if out of memory. */
static stats_group *group_of_name(stele_stats *s, stele_name name)
{
    stats_group *const known = stats_groups_named(&s->groups, name);
    if (known != NULL)
        return known;
    s->groups.keys[0] = (stele_value){
        .type = STELE_VALUE_TEXT, .name = name, .u.text = stele_name_text(s->context, NULL, name)};
    return stats_groups_find(&s->groups);
}

/* The group of an event. Returns NULL if out of memory. */
static stats_group *group_of_event(stele_stats *s, const stele_batch *batch,
                                   const stele_event *event)
{
    const stele_segment one = {batch, (uint32_t)(event - batch->events), 1};
    stele_expression_evaluate(s->by.items[0].e, &one, 0, NULL, &s->groups.keys[0]);
    return stats_groups_find(&s->groups);
}

/* The group of a call. If its name is local to a batch, its tag says which group; an exit
   without an entry has the group of the current event. Returns NULL if out of memory. */
static stats_group *group_of(stele_stats *s, const stele_call_span *call)
{
    if (call->tag != 0)
        return stats_group_numbered(&s->groups, call->tag - 1);
    if (call->end == STELE_CALL_ENTRY_LOST && s->call_event != NULL)
        return group_of_event(s, s->call_batch, s->call_event);
    return group_of_name(s, call->name);
}

static bool add_values(stele_stats *s, stats_group *group, const stele_call_span *call)
{
    for (uint32_t i = 0; i < s->of.count; i++) {
        const uint64_t value = s->is_self[i] ? call->self_ns : stele_call_duration_ns(call);
        if (!(value <= INT64_MAX
                  ? spread_add_count(&group->of[i], value, &s->groups.room)
                  : spread_add_int(&group->of[i], i128_of_u64(value), &s->groups.room)))
            return false;
    }
    return true;
}

static stele_status take(void *user, const stele_call_span *calls, size_t count)
{
    stele_stats *s = user;
    s->row_count += count;
    for (const stele_call_span *call = calls; call != calls + count; call++) {
        stats_group *group =
            call->tag == 0 && call->name != 0 ? stats_groups_named(&s->groups, call->name) : NULL;
        if (group == NULL)
            group = group_of(s, call);
        if (group == NULL)
            return STELE_ERR_MEMORY;
        group->about.row_count++;
        /* The duration of a call without an entry is not known. */
        if (call->end != STELE_CALL_ENTRY_LOST && !add_values(s, group, call))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static bool has_local_names(const stele_segment *segment)
{
    const stele_event *events = segment->batch->events + segment->first;
    stele_name all = 0;
    for (uint32_t i = 0; i < segment->count; i++)
        all |= events[i].name;
    return (all & STELE_NAME_LOCAL) != 0;
}

/* The tag for a call that begins with the event, 0 if it needs none. Returns false if out of
   memory. */
static bool tag_of(stele_stats *s, const stele_batch *batch, const stele_event *event,
                   uint32_t *tag)
{
    const bool begins = event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_COMPLETE;
    const stats_group *group;
    *tag = 0;
    if (!begins || (event->name & STELE_NAME_LOCAL) == 0 ||
        (event->flags & STELE_FLAG_REPEATED) != 0)
        return true;
    calls_expire(s->calls, event->track, event->time_ns);
    if (stele_calls_depth(s->calls, event->track) >= s->context->limits.call_depth_max)
        return true; /* the call is too deep to be followed, so it makes no row */
    group = group_of_event(s, batch, event);
    if (group != NULL)
        *tag = group->number != UINT32_MAX ? group->number + 1 : UINT32_MAX;
    return group != NULL;
}

/* Adds events one by one, so that it is known which event begins which call. */
static stele_status add_local(stele_stats *s, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    s->call_batch = segment->batch;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_segment one = {segment->batch, segment->first + i, 1};
        uint32_t tag;
        s->call_event = &segment->batch->events[one.first];
        if (!tag_of(s, segment->batch, s->call_event, &tag))
            return STELE_ERR_MEMORY;
        stele_calls_tag(s->calls, tag);
        status = stele_calls_add(s->calls, &one, NULL);
    }
    s->call_event = NULL;
    stele_calls_tag(s->calls, 0);
    return status;
}

stele_status stats_calls_add(stele_stats *s, const stele_segment *segment)
{
    return has_local_names(segment) ? add_local(s, segment)
                                    : stele_calls_add(s->calls, segment, NULL);
}

bool stats_calls_suffice(stele_stats *s)
{
    bool all = s->rows == STELE_STATS_CALLS && s->only == NULL && !s->has_distinct &&
               s->groups.every_ns == 0 && s->timeout_ns == 0 && s->is_by_name;
    for (uint32_t i = 0; i < s->of.count; i++) {
        s->is_self[i] = expression_is_self(s->of.items[i].e);
        all = all && (s->is_self[i] || expression_is_duration(s->of.items[i].e));
    }
    return all;
}

stele_status stats_calls_new(stele_stats *s)
{
    const stele_call_options options = {.struct_size = sizeof options, .has_tags = true};
    return stele_calls_new(s->context, &options, take, s, &s->calls);
}
