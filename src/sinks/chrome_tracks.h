/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tracks stand in Chrome's world, which knows processes and threads with numbers below 2^31.
 *
 * track of kind     pid                               tid
 * thread            its process                       its number
 * process           its number                        0
 * stream            its number                        0
 * substream         its stream                        its number
 * provider          one made up                       0
 * CPU               one made up, "CPUs"               its number
 * other, none       one made up, "other tracks"       0
 *
 * A number that is too large, or that is taken (by the same number of another trace, say), is
 * replaced by a free one from 2,000,000,000 on; the real one then stands in the name.
 */
#ifndef SINKS_CHROME_TRACKS_H
#define SINKS_CHROME_TRACKS_H

#include "model/context.h"

#define CHROME_PLACE_SIZE 40 /* of `,"pid":2147483647,"tid":2147483647` */

/* Nodes of the stacks of all tracks together; see chrome_push(). */
#define CHROME_NODES_MAX (1u << 20)

/* The thread that is drawn as an open span of its CPU. */
typedef struct chrome_running {
    uint32_t thread; /* 0: none is */
    uint32_t cpu;
    int64_t begin_ns;
} chrome_running;

typedef struct chrome_track {
    bool has_pid, has_place; /* what is known of the following */
    bool is_replaced;        /* `tid` is not the real number */
    bool is_pid_replaced;
    uint8_t place_size;
    char place[CHROME_PLACE_SIZE];
    uint32_t pid, tid;
    chrome_running running; /* of a CPU */
    uint32_t open;          /* stack of names of open spans; 0: empty */
    uint32_t ends;          /* stack of ends of the complete events around the next one */
    uint64_t excess;        /* open spans that found no room on the stack, on top of it */
} chrome_track;

/* A process that stands for all CPUs, or for what has no place, of one trace. */
typedef struct chrome_group {
    stele_track_kind kind; /* CPU or NONE */
    uint32_t source, pid;
} chrome_group;

typedef struct chrome_node {
    uint64_t value;
    uint32_t below;
} chrome_node;

typedef struct chrome_tracks {
    const stele_context *context;
    bool has_one_tid_space; /* threads of two processes never have one number */
    chrome_track *items;    /* by track */
    uint32_t count;
    chrome_group *groups;
    uint32_t group_count;
    uint64_t *taken; /* pid and tid that are in use */
    hash_table taken_numbers;
    uint32_t taken_count, taken_capacity;
    uint32_t next; /* number to replace one with */
    chrome_node *nodes;
    uint32_t node_count, node_capacity, node_free;
    bool is_exhausted; /* memory, not room on the stacks */
} chrome_tracks;

void chrome_tracks_init(chrome_tracks *tracks, const stele_context *context);
void chrome_tracks_free(chrome_tracks *tracks);

/* See chrome_tracks_get(). */
chrome_track *chrome_tracks_get_new(chrome_tracks *tracks, uint32_t track);

/* The track with its place; 0 is fine. NULL when memory is exhausted. The pointer holds until the
   next call. */
static inline chrome_track *chrome_tracks_get(chrome_tracks *tracks, uint32_t track)
{
    return track < tracks->count && tracks->items[track].has_place
               ? &tracks->items[track]
               : chrome_tracks_get_new(tracks, track);
}

/* Names of fields that tell what is idle. */
typedef struct chrome_idle {
    stele_name weight, priority;
} chrome_idle;

void chrome_idle_init(chrome_idle *idle, stele_context *context);

/* Whether a SWITCH event says that its CPU idles from then on: see model/idle.h. */
bool chrome_is_idle(const chrome_idle *idle, const stele_context *context, const stele_batch *batch,
                    const stele_event *event);

/* Stacks share one bounded pool. False when there is no room: then nothing was pushed. */
bool chrome_push(chrome_tracks *tracks, uint32_t *stack, uint64_t value);
uint64_t chrome_pop(chrome_tracks *tracks, uint32_t *stack);

static inline uint64_t chrome_top(const chrome_tracks *tracks, uint32_t stack)
{
    return tracks->nodes[stack].value;
}

#endif
