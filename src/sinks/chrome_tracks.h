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

#define CHROME_PLACE_SIZE 40 /* longest text of `,"pid":2147483647,"tid":2147483647` */

/* Most nodes of the stacks of all tracks together; see chrome_push(). */
#define CHROME_NODES_MAX (1u << 20)

/* The thread that runs on a CPU, and is an open span of the CPU's track. */
typedef struct chrome_running {
    uint32_t thread; /* track of the thread; 0: none */
    uint32_t cpu;
    int64_t begin_ns;
} chrome_running;

typedef struct chrome_track {
    bool has_pid, has_place; /* `pid`, or all of the following, is valid */
    bool is_replaced;        /* `tid` is not the number in the trace */
    bool is_pid_replaced;
    uint8_t place_size;
    char place[CHROME_PLACE_SIZE];
    uint32_t pid, tid;
    chrome_running running; /* the thread that runs, if the track is a CPU */
    uint32_t open;          /* stack of the names of open spans; 0: empty */
    uint32_t ends;          /* stack of the ends of COMPLETE events around the next one; 0: empty */
    uint64_t excess;        /* open spans, above those of `open`, for which there was no room */
} chrome_track;

/* A process that stands for all CPUs of one trace, or for all tracks without a process. */
typedef struct chrome_group {
    stele_track_kind kind; /* STELE_TRACK_CPU or STELE_TRACK_NONE */
    uint32_t source, pid;
} chrome_group;

typedef struct chrome_node {
    uint64_t value;
    uint32_t below;
} chrome_node;

typedef struct chrome_tracks {
    const stele_context *context;
    bool has_one_tid_space; /* thread numbers must be unique over all processes */
    chrome_track *items;    /* by track number */
    uint32_t count;
    chrome_group *groups;
    uint32_t group_count;
    uint64_t *taken; /* keys of the process and thread numbers in use */
    hash_table taken_numbers;
    uint32_t taken_count, taken_capacity;
    uint32_t next; /* next number that replaces one */
    chrome_node *nodes;
    uint32_t node_count, node_capacity, node_free;
    bool is_exhausted; /* out of memory; no room on the stacks does not count */
} chrome_tracks;

void chrome_tracks_init(chrome_tracks *tracks, const stele_context *context);
void chrome_tracks_free(chrome_tracks *tracks);

/* Part of chrome_tracks_get() for a track that is new. */
chrome_track *chrome_tracks_get_new(chrome_tracks *tracks, uint32_t track);

/* The process and thread of a track; 0 stands for events without one. Valid until the next call.
   Returns NULL if out of memory. */
static inline chrome_track *chrome_tracks_get(chrome_tracks *tracks, uint32_t track)
{
    return track < tracks->count && tracks->items[track].has_place
               ? &tracks->items[track]
               : chrome_tracks_get_new(tracks, track);
}

/* Names of the fields that say whether a thread is the idle one. */
typedef struct chrome_idle {
    stele_name weight, priority;
} chrome_idle;

void chrome_idle_init(chrome_idle *idle, stele_context *context);

/* Whether the CPU of a SWITCH event is idle from then on; see model/idle.h. */
bool chrome_is_idle(const chrome_idle *idle, const stele_context *context, const stele_batch *batch,
                    const stele_event *event);

/* Makes a node that was never used. Returns 0 if there is no room. */
uint32_t chrome_node_new(chrome_tracks *tracks);

/* Pushes a value on a stack. All stacks share one bounded pool. Returns false, without a change,
   if it is full. */
static inline bool chrome_push(chrome_tracks *tracks, uint32_t *stack, uint64_t value)
{
    uint32_t node = tracks->node_free;
    if (node != 0)
        tracks->node_free = tracks->nodes[node].below;
    else if ((node = chrome_node_new(tracks)) == 0)
        return false;
    tracks->nodes[node] = (chrome_node){value, *stack};
    *stack = node;
    return true;
}

static inline uint64_t chrome_pop(chrome_tracks *tracks, uint32_t *stack)
{
    chrome_node *node = &tracks->nodes[*stack];
    const uint32_t freed = *stack;
    *stack = node->below;
    node->below = tracks->node_free;
    tracks->node_free = freed;
    return node->value;
}

static inline uint64_t chrome_top(const chrome_tracks *tracks, uint32_t stack)
{
    return tracks->nodes[stack].value;
}

#endif
