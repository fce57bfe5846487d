/* SPDX-License-Identifier: Apache-2.0 */
/* What is on the stack of each track from when on: collected, and read again for each output. */
#ifndef ANALYSIS_EVENTS_STACK_TIMES_H
#define ANALYSIS_EVENTS_STACK_TIMES_H

#include <stele/analysis.h>

#define STACK_CHUNK_MARKS 512u

/* From this time on the calls of the node's path are open. */
typedef struct stack_mark {
    int64_t time_ns;
    uint32_t node;
    uint32_t unused; /* 0, so that all bytes that are written have a value */
} stack_mark;

/* The marks of a track: full chunks lie in a temporary file, the last ones in memory. */
typedef struct stack_lane {
    uint32_t track;
    uint32_t node;             /* of the last mark */
    int64_t first_ns, mark_ns; /* of its first mark, of its last one */
    int64_t end_ns;            /* of its last event */
    bool has_entered;          /* what was open when the window began has its mark */
    uint64_t mark_count;
    stack_mark *held;
    uint32_t held_count;
    uint64_t *chunks; /* where they are in the file */
    uint32_t chunk_count, chunk_capacity;
} stack_lane;

struct stele_stack_times {
    stele_context *context;
    stele_stack_times_options options;
    stele_calls *calls;
    stack_lane *lanes; /* in the order in which their tracks came up */
    uint32_t lane_count, lane_capacity;
    uint32_t *lane_of; /* by track: its number from 1 on; 0: it has none */
    uint32_t lane_of_count;
    int fd; /* of the chunks; -1: none was written */
    uint64_t written;
    int64_t first_ns; /* of all marks; INT64_MAX: there is none */
    int64_t begin_ns; /* of the window; INT64_MIN: it has no begin */
};

/* Closes what is open. */
stele_status stack_times_finish(stele_stack_times *times);

/* Reads marks `first` and up to STACK_CHUNK_MARKS - 1 after it, of one chunk, where `first` is a
   multiple of that. Gives how many there are. STELE_ERR_READ, with a finding. */
stele_status stack_lane_read(const stele_stack_times *times, const stack_lane *lane, uint64_t first,
                             stack_mark marks[STACK_CHUNK_MARKS], uint32_t *count);

#endif
