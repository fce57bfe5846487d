/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/calls_joint.h"

#include <stdlib.h>

#include "core/array.h"

/* How many exits without an entry are followed on a track: more than programs nest calls, as a
 * rule.
 */
#define STRETCHES_MAX 256u
/* How many totals of names are kept, over all tracks. */
#define TOTALS_MAX (1u << 22)

/* Where calls are joined to. */
typedef struct joining {
    stele_calls *into;
    const stele_part_map *map;
    calls_repeated_fn *fn;
    void *user;
} joining;

void calls_joint_free(calls_joint *j)
{
    for (uint32_t i = 0; i < j->track_count; i++) {
        for (uint32_t k = 0; k < j->tracks[i].count; k++)
            free(j->tracks[i].stretches[k].totals);
        free(j->tracks[i].stretches);
    }
    free(j->tracks);
    free(j->streams);
    *j = (calls_joint){.track_count = 0};
}

/* ---- Times ---- */

static joint_track *track_at(calls_joint *j, uint32_t track)
{
    if (track >= j->track_count) {
        joint_track *grown = array_reach(j->tracks, sizeof *grown, &j->track_count, track);
        if (grown == NULL)
            return NULL;
        j->tracks = grown;
    }
    return &j->tracks[track];
}

static times *times_at(calls_joint *j, uint32_t stream)
{
    if (stream >= j->stream_count) {
        times *grown = array_reach(j->streams, sizeof *grown, &j->stream_count, stream);
        if (grown == NULL)
            return NULL;
        j->streams = grown;
    }
    return &j->streams[stream];
}

/* Notes events of calls on one track: they must be in the order of time, and of one stream. Returns
   the first event of another track or kind, NULL if out of memory. */
static const stele_event *note_track(calls_joint *j, const stele_event *event,
                                     const stele_event *end, uint32_t stream)
{
    const uint32_t track = event->track;
    joint_track *t = track_at(j, track);
    int64_t last_ns;
    bool is_late;
    if (t == NULL)
        return NULL;
    if (!t->has_events) {
        t->has_events = true;
        t->stream = stream;
        t->first_ns = t->last_ns = event->time_ns;
    }
    last_ns = t->last_ns;
    is_late = t->stream != stream;
    for (; event != end && event->track == track &&
           (STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) != 0;
         event++) {
        is_late |= event->time_ns < last_ns;
        last_ns = event->time_ns;
    }
    t->last_ns = last_ns;
    j->is_stray |= is_late;
    return event;
}

static bool note_tracks(calls_joint *j, const stele_event *event, const stele_event *end,
                        uint32_t stream)
{
    while (event != NULL && event != end)
        event = (STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) != 0
                    ? note_track(j, event, end, stream)
                    : event + 1;
    return event != NULL;
}

/* Adds times of events to those of their stream: all together, if they are near those. */
static void note_times(times *to, const stele_event *event, const stele_event *end)
{
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    for (const stele_event *at = event; at != end; at++) {
        const int64_t until_ns = at->kind == STELE_KIND_COMPLETE && (int64_t)at->id > at->time_ns
                                     ? (int64_t)at->id
                                     : at->time_ns;
        begin_ns = at->time_ns < begin_ns ? at->time_ns : begin_ns;
        end_ns = until_ns > end_ns ? until_ns : end_ns;
    }
    if (event != end && times_are_near(to, begin_ns, end_ns)) {
        times_widen(to, begin_ns, end_ns, (uint64_t)(end - event));
        return;
    }
    for (; event != end; event++) {
        times_add(to, event->time_ns, event->offset, event->size);
        if (event->kind == STELE_KIND_COMPLETE)
            times_add_end(to, (int64_t)event->id, event->offset, event->size);
    }
}

bool calls_joint_segment(calls_joint *j, const stele_segment *segment)
{
    const stele_event *const event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    const uint32_t stream = segment->batch->stream;
    unsigned flags = 0;
    uint64_t kinds = 0;
    times *const of = times_at(j, stream);
    if (of == NULL)
        return false;
    for (const stele_event *at = event; at != end; at++) {
        flags |= at->flags;
        kinds |= STELE_KIND_BIT(at->kind);
    }
    if ((flags & (STELE_FLAG_NO_TIME | STELE_FLAG_REPEATED)) != 0 ||
        (kinds & STELE_KIND_BIT(STELE_KIND_SAMPLE)) != 0)
        j->is_stray = true;
    note_times(of, event, end);
    return note_tracks(j, event, end, stream);
}

/* ---- Calls ---- */

/* The stretch of a track that has not ended. Returns NULL if out of memory. */
static joint_stretch *stretch_now(calls_joint *j, uint32_t track)
{
    joint_track *t = track_at(j, track);
    if (t == NULL || t->count != 0)
        return t != NULL ? &t->stretches[t->count - 1] : NULL;
    t->stretches = array_grow(NULL, sizeof *t->stretches, &t->capacity, 4);
    if (t->stretches == NULL)
        return NULL;
    t->stretches[t->count++] = (joint_stretch){.child_ns = 0};
    return t->stretches;
}

static bool note_total(calls_joint *j, joint_stretch *to, stele_name name, uint64_t total_ns)
{
    if (name >= to->name_count) {
        const uint32_t before = to->name_count;
        uint64_t *grown;
        if (name >= TOTALS_MAX || j->total_count >= TOTALS_MAX) {
            j->is_stray = true;
            return true;
        }
        grown = array_reach(to->totals, sizeof *grown, &to->name_count, name);
        if (grown == NULL)
            return false;
        to->totals = grown;
        j->total_count += to->name_count - before;
    }
    to->totals[name] += total_ns;
    return true;
}

bool calls_joint_calls(calls_joint *j, const stele_call_span *calls, size_t count,
                       uint64_t duration_min_ns)
{
    joint_stretch *to = NULL;
    uint32_t track = 0;
    for (const stele_call_span *call = calls; call != calls + count; call++) {
        const uint64_t total_ns =
            stele_call_duration_ns(call) >= duration_min_ns ? call->total_ns : 0;
        if (to == NULL || call->track != track)
            to = stretch_now(j, track = call->track);
        if (to == NULL)
            return false;
        if (call->depth >= to->depth_max)
            to->depth_max = call->depth + 1;
        if (call->name < to->name_count)
            to->totals[call->name] += total_ns;
        else if (total_ns != 0 && !note_total(j, to, call->name, total_ns))
            return false;
    }
    return true;
}

/* Notes how deep calls were that ended further out. */
static void note_moved(joint_stretch *in, const stack *of)
{
    in->depth_max = of->moved_depth > in->depth_max ? of->moved_depth : in->depth_max;
}

/* Ends the stretch of a track at an exit that ends no call of the part. */
static void take_exit(void *user, stele_calls *s, stack *of, uint32_t track, int64_t time_ns,
                      stele_name name, stele_call_end how)
{
    calls_joint *j = user;
    joint_stretch *ended, *next;
    joint_track *t;
    calls_flush(s); /* calls that ended before the exit are of the stretch that it ends */
    ended = stretch_now(j, track);
    if (ended == NULL) {
        s->status = STELE_ERR_MEMORY;
        return;
    }
    t = &j->tracks[track];
    if (of->depth != 0 || t->count == STRETCHES_MAX) {
        j->is_stray = true;
        return;
    }
    if (t->count == t->capacity) {
        next = array_grow(t->stretches, sizeof *next, &t->capacity, 4);
        if (next == NULL) {
            s->status = STELE_ERR_MEMORY;
            return;
        }
        t->stretches = next;
    }
    ended = &t->stretches[t->count - 1];
    ended->child_ns = of->frames[0].child_ns;
    note_moved(ended, of);
    of->moved_depth = 0;
    ended->exit_ns = time_ns;
    ended->exit_name = name;
    ended->exit_how = how;
    of->frames[0].child_ns = 0;
    t->stretches[t->count++] = (joint_stretch){.child_ns = 0};
}

void calls_joint_begin(calls_joint *j, stele_calls *s)
{
    s->missed = take_exit;
    s->missed_user = j;
}

/* ---- Joining ---- */

static bool is_open(const stack *of, stele_name name)
{
    for (uint32_t at = 1; at <= of->depth; at++)
        if (of->frames[at].name == name)
            return true;
    return false;
}

/* Tells of calls that are inside of calls of the same name on the stack. */
static bool tell_repeated(const joining *g, const stack *of, uint32_t track,
                          const joint_stretch *in)
{
    for (uint32_t i = 0; of->depth != 0 && i < in->name_count; i++) {
        const stele_name name = in->totals[i] != 0 ? stele_part_map_name(g->map, i) : 0;
        if (in->totals[i] == 0 || !is_open(of, name))
            continue;
        if (!g->fn(g->user, name, track, in->totals[i])) {
            g->into->status = STELE_ERR_MEMORY;
            return false;
        }
    }
    return true;
}

static bool join_stretch(const joining *g, stack *of, uint32_t track, const joint_stretch *in,
                         uint64_t child_ns)
{
    const uint32_t depth = of->depth + in->depth_max;
    if (depth > CALLS_OVERLAP_MAX || depth > g->into->options.depth_max ||
        !tell_repeated(g, of, track, in))
        return false;
    if (depth > g->into->counts.depth_max)
        g->into->counts.depth_max = depth;
    stack_top(of)->child_ns += child_ns;
    return true;
}

/* Pushes the calls that are open at the end of the part. */
static bool join_open(const joining *g, stack *of, const stack *from)
{
    for (uint32_t i = 1; i <= from->depth; i++) {
        const frame *open = &from->frames[i];
        if (!calls_open_top(g->into, of, open->begin_ns, open->is_timed ? &open->end_ns : NULL,
                            stele_part_map_name(g->map, open->name), open->is_wanted))
            return false;
        stack_top(of)->child_ns = open->child_ns;
    }
    return true;
}

static bool join_stack(const joining *g, uint32_t number, const stack *from, const joint_track *in)
{
    stele_calls *const into = g->into;
    stack *of = calls_track(into, number, in->first_ns);
    if (of == NULL)
        return false;
    calls_expire_top(into, of, number, in->first_ns);
    if (of->timed_depth != 0 || from->cut_depth != 0)
        return false;
    for (uint32_t i = 0; i + 1 < in->count; i++) {
        const joint_stretch *at = &in->stretches[i];
        const stele_event exit = {.track = number, .time_ns = at->exit_ns};
        if (!join_stretch(g, of, number, at, at->child_ns))
            return false;
        calls_take_end(into, of, &exit, stele_part_map_name(g->map, at->exit_name), at->exit_how);
    }
    if (in->count != 0) {
        joint_stretch *const last = &in->stretches[in->count - 1];
        note_moved(last, from);
        if (!join_stretch(g, of, number, last, from->frames[0].child_ns))
            return false;
    }
    if (from->last_ns > of->last_ns)
        of->last_ns = from->last_ns;
    return join_open(g, of, from);
}

/* Notes how far the events of a track reach, with those of part `from`. Returns false if `from` has
   events of the track that are before the last one of the parts so far, or are of another stream,
   or if out of memory. */
static bool join_track_times(calls_joint *into, uint32_t number, const joint_track *from,
                             const stele_part_map *map)
{
    const uint32_t stream = stele_part_map_stream(map, from->stream);
    joint_track *to = track_at(into, number);
    if (to == NULL || (to->has_events && (from->first_ns < to->last_ns || to->stream != stream)))
        return false;
    to->has_events = true;
    to->stream = stream;
    to->last_ns = from->last_ns;
    return true;
}

/* Whether all times are near each other, so that none is an outlier. */
static bool join_streams(calls_joint *into, const calls_joint *from, const stele_part_map *map)
{
    for (uint32_t i = 0; i < from->stream_count; i++) {
        const times *of = &from->streams[i];
        times *to = times_at(into, stele_part_map_stream(map, i));
        if (to == NULL || of->far.count != 0 || of->outlier_count != 0 || of->has_last)
            return false;
        if (of->count == 0)
            continue;
        if (to->count != 0 && !times_are_near(to, of->begin_ns, of->end_ns))
            return false;
        if (to->count == 0)
            *to = (times){.begin_ns = of->begin_ns, .end_ns = of->end_ns};
        times_widen(to, of->begin_ns, of->end_ns, of->count);
    }
    return true;
}

static void join_counts(stele_call_counts *into, const stele_call_counts *from)
{
    into->call_count += from->call_count;
    into->overlap_count += from->overlap_count;
    into->repeated_count += from->repeated_count;
    for (unsigned i = 0; i < sizeof into->by_end / sizeof into->by_end[0]; i++)
        into->by_end[i] += from->by_end[i];
}

stele_status calls_join(stele_calls *into, calls_joint *joint, const stele_calls *from,
                        const calls_joint *from_joint, const stele_part_map *map,
                        calls_repeated_fn *fn, void *user)
{
    const joining g = {into, map, fn, user};
    const calls_joint *const j = from_joint;
    if (j->is_stray || from->counts.cut_count != 0 || into->counts.cut_count != 0 ||
        !join_streams(joint, j, map))
        return STELE_ERR_UNSUPPORTED;
    join_counts(&into->counts, &from->counts);
    for (uint32_t i = 0; i < from->track_count; i++) {
        const uint32_t number = stele_part_map_track(map, i);
        if (from->tracks[i].frames == NULL || i >= j->track_count)
            continue;
        if (!join_track_times(joint, number, &j->tracks[i], map) ||
            !join_stack(&g, number, &from->tracks[i], &j->tracks[i]))
            return into->status != STELE_OK ? into->status : STELE_ERR_UNSUPPORTED;
    }
    calls_flush(into);
    return into->status;
}
