/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what is on the stack of each track at which time, to be read again for each output. */
#ifndef ANALYSIS_EVENTS_STACK_TIMES_H
#define ANALYSIS_EVENTS_STACK_TIMES_H

#include <stele/analysis.h>

#define STACK_CHUNK_MARKS 512u

/* The stack of a track from a time on: the calls on the path of a tree node. */
typedef struct stack_mark {
    int64_t time_ns;
    uint32_t node;
    uint32_t unused; /* 0, so that all bytes that are written have a value */
} stack_mark;

/* The marks of one track. Full chunks of them are in a temporary file, the last ones in memory. */
typedef struct stack_lane {
    uint32_t track;
    uint32_t node;             /* node of the last mark */
    int64_t first_ns, mark_ns; /* times of the first and the last mark */
    int64_t end_ns;            /* time of the last event */
    bool has_entered;          /* the calls that were open when the window began have been marked */
    uint64_t mark_count;
    stack_mark *held;
    uint32_t held_count;
    uint64_t *chunks; /* offsets of the chunks in the temporary file */
    uint32_t chunk_count, chunk_capacity;
} stack_lane;

struct stele_stack_times {
    stele_context *context;
    stele_stack_times_options options;
    stele_calls *calls;
    stack_lane *lanes; /* in the order in which the tracks first occurred */
    uint32_t lane_count, lane_capacity;
    uint32_t *lane_of; /* number of the lane from 1 on, by track; 0: none */
    uint32_t lane_of_count;
    int fd; /* temporary file of the chunks; -1: none was needed */
    uint64_t written;
    int64_t first_ns; /* time of the first mark of all tracks; INT64_MAX: there is none */
    int64_t begin_ns; /* begin of the window; INT64_MIN: it has none */
    bool is_counted;  /* times are numbers of instructions or ticks */
};

/* Ends the calls that are open. Call it before marks are read. */
stele_status stack_times_finish(stele_stack_times *times);

/*
 * Reads the chunk of marks that begins with mark `first`, a multiple of STACK_CHUNK_MARKS. `*count`
 * is how many marks it has. Returns STELE_ERR_READ, after it has reported a finding, if it cannot
 * be read.
 */
stele_status stack_lane_read(const stele_stack_times *times, const stack_lane *lane, uint64_t first,
                             stack_mark marks[STACK_CHUNK_MARKS], uint32_t *count);

#endif
