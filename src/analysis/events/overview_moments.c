/* SPDX-License-Identifier: Apache-2.0 */
/* Adds events to the lanes of moments of their tracks, many at a time. */
#include "analysis/events/overview.h"
#include "analysis/events/overview_take.h"

/*
 * Adds plain events of one track to the entry that is being made, as long as they go on in it; the
 * entry has things enough to be ended by a gap. Returns the first event that it did not take.
 */
static const stele_event *go_on(const stele_overview *o, overview_lane *l, const stele_event *event,
                                const stele_event *end, overview_seen *seen, int64_t *until_ns)
{
    const uint32_t track = event->track;
    const int64_t begin_ns = l->now.begin_ns;
    const stele_event *const first = event;
    const uint64_t left = l->grain - l->now.count;
    int64_t last_ns = l->last_ns, latest_ns = *until_ns;
    overview_seen own = *seen;
    stele_name same = LANE_NO_NAME; /* the name of the last events, which are counted together */
    uint64_t same_count = 0;
    if ((uint64_t)(end - event) > left)
        end = event + left;
    for (; event != end && event->track == track; event++) {
        const int64_t time_ns = event->time_ns;
        const uint64_t kind = STELE_KIND_BIT(event->kind);
        const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
        if ((event->flags & STELE_FLAG_NO_TIME) != 0 || (kind & OVERVIEW_KINDS_NOT_PLAIN) != 0 ||
            time_ns < last_ns ||
            lane_distance(last_ns, time_ns) >> LANE_GAP_SHIFT > lane_distance(begin_ns, last_ns))
            break;
        last_ns = time_ns;
        own.kinds |= kind;
        own.has_switch |= event->name == o->switch_name;
        if (event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > latest_ns)
            latest_ns = (int64_t)event->id;
        if (name != same && same_count != 0) {
            lane_count(l, same, same_count);
            same_count = 0;
        }
        same = name;
        same_count++;
    }
    if (same_count != 0)
        lane_count(l, same, same_count);
    l->now.count += (uint64_t)(event - first);
    l->now.end_ns = l->last_ns = last_ns;
    *until_ns = last_ns > latest_ns ? last_ns : latest_ns;
    *seen = own;
    return event;
}

/* Adds a plain event to the lane of its track. */
static inline stele_status add_moment(stele_overview *o, overview_node *n, const stele_event *event)
{
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    n->event_count++;
    overview_widen(n, event->time_ns, event->time_ns);
    return lane_add_moment(&n->moments, &o->store, event->time_ns, name);
}

const stele_event *overview_take_moments(stele_overview *o, const stele_event *event,
                                         const stele_event *end, uint32_t trace,
                                         overview_seen *seen)
{
    const stele_event *const first = event;
    int64_t begin_ns = event->time_ns, last_ns = begin_ns, until_ns = begin_ns;
    stele_status status = STELE_OK;
    overview_seen own = *seen;
    while (event != end && overview_is_plain_event(o, event) && status == STELE_OK) {
        const uint32_t number = overview_track_node(o, trace, event->track);
        const stele_event *const from = event;
        overview_node *n = &o->nodes[number];
        begin_ns = event->time_ns < begin_ns ? event->time_ns : begin_ns;
        if (event + 1 != end && event[1].track == event->track && number != 0 &&
            n->moments.now.count >= LANE_GAP_THINGS && lane_goes_on(&n->moments, event->time_ns)) {
            event = go_on(o, &n->moments, event, end, &own, &until_ns);
            n->event_count += (uint64_t)(event - from);
            overview_widen(n, from->time_ns, event[-1].time_ns);
        } else {
            const int64_t end_ns = overview_end_of(event);
            until_ns = end_ns > until_ns ? end_ns : until_ns;
            overview_see_event(o, &own, event);
            event++;
            status = number != 0 ? add_moment(o, n, from) : o->status;
        }
        last_ns = event[-1].time_ns > last_ns ? event[-1].time_ns : last_ns;
    }
    *seen = own;
    o->state.event_count += (uint64_t)(event - first);
    overview_widen_range(o, begin_ns, add_saturated(until_ns, 1));
    if (last_ns > o->state.known_ns)
        o->state.known_ns = last_ns;
    overview_keep_status(o, status);
    return event;
}

/* Kinds of events that more is made of than moments. */
#define KINDS_OF_MORE \
    (STELE_CALLS_KINDS | OVERVIEW_KINDS_LINKED | OVERVIEW_KINDS_SCHED | OVERVIEW_KINDS_NOT_PLAIN)

/* Whether an event is a moment that nobody else looks at. */
static inline bool is_mere_moment(const stele_overview *o, const stele_event *event)
{
    return (KINDS_OF_MORE & STELE_KIND_BIT(event->kind)) == 0 &&
           (event->flags & STELE_FLAG_NO_TIME) == 0 && event->name != o->switch_name &&
           event->time_ns >= o->range_begin_ns;
}

size_t overview_take_mere_moments(stele_overview *o, const stele_segment *segments, size_t count,
                                  uint32_t *part)
{
    int64_t begin_ns = INT64_MAX, last_ns = o->state.known_ns;
    uint64_t taken = 0;
    stele_status status = STELE_OK;
    size_t i = 0;
    for (*part = 0; i < count && status == STELE_OK; i++) {
        const stele_event *const events = segments[i].batch->events + segments[i].first;
        const uint32_t event_count = segments[i].count;
        uint32_t at = 0;
        overview_note_step_back(o, &segments[i], last_ns);
        for (; at < event_count && status == STELE_OK && is_mere_moment(o, &events[at]); at++) {
            const stele_event *event = &events[at];
            const uint32_t number = overview_track_node(o, o->trace_now, event->track);
            if (number == 0)
                break;
            begin_ns = event->time_ns < begin_ns ? event->time_ns : begin_ns;
            last_ns = event->time_ns > last_ns ? event->time_ns : last_ns;
            status = add_moment(o, &o->nodes[number], event);
        }
        taken += at;
        *part = at;
        if (at < event_count)
            break;
        *part = 0;
    }
    if (taken != 0)
        overview_widen_range(o, begin_ns, add_saturated(last_ns, 1));
    o->state.known_ns = last_ns;
    o->state.event_count += taken;
    overview_keep_status(o, status);
    return i;
}
