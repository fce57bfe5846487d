/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of the calls engine: the roots of their paths, and where their window begins and ends. */
#include "analysis/events/calls_state.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/events/calls.h"
#include "core/array.h"

#define TRACK_DEPTH_MAX 8

/* Appends text like "thread main (17) in process 4"; what does not fit is cut off. Returns its
   size. */
static size_t write_track(const stele_context *context, const stele_track *track, char *text,
                          size_t size)
{
    size_t used = 0;
    for (unsigned depth = 0; track != NULL && depth < TRACK_DEPTH_MAX && used < size; depth++) {
        const stele_text name = stele_name_text(context, NULL, track->name);
        used += (size_t)snprintf(text + used, size - used, "%s%s ", depth > 0 ? " in " : "",
                                 stele_track_kind_text(track->kind));
        if (used < size)
            used += (size_t)snprintf(
                text + used, size - used, name.size != 0 ? "%.*s (%" PRIu64 ")" : "%.*s%" PRIu64,
                (int)(name.size < size ? name.size : size), name.bytes, track->number);
        track = track->parent != 0 ? stele_track_get(context, track->parent) : NULL;
    }
    return used < size ? used : size - 1;
}

/* The tree node that is the parent of a track's outermost calls. */
static uint32_t track_root(stele_calls *s, uint32_t track)
{
    const stele_track *known = stele_track_get(s->context, track);
    if (s->options.has_tree && s->options.has_track_roots && known != NULL) {
        char text[256];
        const size_t size = write_track(s->context, known, text, sizeof text);
        const stele_name name = stele_name_intern(s->context, text, size);
        return calls_node_child(s, 0, name == UINT32_MAX ? 0 : name);
    }
    return 0;
}

static stack *track_stack(stele_calls *s, uint32_t track)
{
    if (track >= s->track_count) {
        stack *tracks = array_reach(s->tracks, sizeof *tracks, &s->track_count, track);
        if (tracks == NULL) {
            s->status = STELE_ERR_MEMORY;
            return NULL;
        }
        s->tracks = tracks;
    }
    return &s->tracks[track];
}

stack *calls_begin_track(stele_calls *s, uint32_t track, int64_t time_ns)
{
    stack *of = track_stack(s, track);
    if (of == NULL || !calls_grow_frames(s, of))
        return NULL;
    frame_set(&of->frames[0], INT64_MIN, 0, false);
    of->is_before = s->begin_ns != INT64_MIN;
    of->frames[0].node = of->is_before ? 0 : track_root(s, track);
    of->last_ns = time_ns;
    return of;
}

/* ---- Time window ---- */

void calls_enter_window(stele_calls *s, stack *of, uint32_t track)
{
    calls_expire_top(s, of, track, s->begin_ns);
    of->is_before = false;
    if (s->options.has_tree)
        of->frames[0].node = track_root(s, track);
    for (uint32_t i = 1; i <= of->depth; i++) {
        frame *const open = &of->frames[i];
        open->is_carried = open->begin_ns < s->begin_ns;
        s->counts.carried_count += open->is_carried;
        open->begin_ns = s->begin_ns;
        open->child_ns = 0;
        if (s->options.has_tree)
            open->node = calls_node_child(s, open[-1].node, open->name);
    }
    s->counts.call_count += of->depth;
    if (of->depth > s->counts.depth_max)
        s->counts.depth_max = of->depth;
}

void stele_calls_enter_window(stele_calls *s)
{
    for (uint32_t i = 0; i < s->track_count; i++) {
        if (s->tracks[i].frames != NULL && s->tracks[i].is_before)
            calls_enter_window(s, &s->tracks[i], i);
    }
}

void calls_finish_track(stele_calls *s, stack *of, uint32_t track)
{
    const stele_call_counts counts = s->counts;
    const bool is_cut = s->end_ns != INT64_MAX;
    if (of->frames != NULL && of->is_before && (is_cut || of->last_ns >= s->begin_ns))
        calls_enter_window(s, of, track);
    while (of->depth != 0) {
        const frame *top = stack_top(of);
        if (top->is_timed)
            calls_close_top(s, of, track, top->end_ns, STELE_CALL_RETURNED);
        else
            calls_close_top(s, of, track, is_cut ? s->end_ns : of->last_ns, STELE_CALL_OPEN);
    }
    if (of->is_before)
        s->counts = counts;
}
