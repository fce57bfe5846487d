/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of a trace must say of its calls so that they can be joined to those of the parts
 * before it: exits of calls that began there, and what was called while they were still open. Time
 * is divided for that, on each track, at the exits whose entries are not in the part.
 */
#ifndef ANALYSIS_EVENTS_CALLS_JOINT_H
#define ANALYSIS_EVENTS_CALLS_JOINT_H

#include "analysis/events/calls_state.h"
#include "model/times.h"

/* What happened on a track up to an exit without an entry, or up to the end of the part. */
typedef struct joint_stretch {
    uint64_t child_ns;  /* time of the outermost calls that ended */
    uint32_t depth_max; /* how many calls of the part were open at the same time */
    uint64_t *totals;   /* total_ns of the calls of each name that ended, by number of the name */
    uint32_t name_count;
    /* The exit; not set in the last stretch. */
    int64_t exit_ns;
    stele_name exit_name;
    stele_call_end exit_how;
} joint_stretch;

typedef struct joint_track {
    joint_stretch *stretches;
    uint32_t count, capacity;
    bool has_events;
    uint32_t stream;           /* the stream of all of its events */
    int64_t first_ns, last_ns; /* times of the first and the last event */
} joint_track;

typedef struct calls_joint {
    joint_track *tracks; /* by number */
    uint32_t track_count;
    times *streams; /* times of all events, by number of the stream */
    uint32_t stream_count;
    uint64_t total_count; /* totals of all stretches */
    bool is_stray;        /* the part has something that cannot be joined */
} calls_joint;

void calls_joint_free(calls_joint *j);

/* Lets an engine to which nothing was added yet report exits that end no call of the part. */
void calls_joint_begin(calls_joint *j, stele_calls *s);

/* Notes the times of a segment before its events are added. Returns false if out of memory. */
bool calls_joint_segment(calls_joint *j, const stele_segment *segment);

/* Notes calls that have ended. What the analysis adds to the totals of their names, unless they are
   shorter than it wants, is too much where a call of that name is around that began before the
   part. Returns false if out of memory. */
bool calls_joint_calls(calls_joint *j, const stele_call_span *calls, size_t count,
                       uint64_t duration_min_ns);

/* Takes that calls of a name on a track have added too much to its total. Returns false if out of
   memory. */
typedef bool calls_repeated_fn(void *user, stele_name name, uint32_t track, uint64_t total_ns);

/*
 * Adds what another engine has found in the next part: ends calls that were open, opens those that
 * are open at the end of the part, and counts. `joint` knows the times of the parts before; that of
 * the part is `from_joint`. Calls `fn` for recursion across the bound. Returns
 * STELE_ERR_UNSUPPORTED if the result would not be that of adding all events to one engine, or is
 * not known to be.
 */
stele_status calls_join(stele_calls *into, calls_joint *joint, const stele_calls *from,
                        const calls_joint *from_joint, const stele_part_map *map,
                        calls_repeated_fn *fn, void *user);

#endif
