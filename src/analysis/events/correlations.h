/* SPDX-License-Identifier: Apache-2.0 */
/* Table by id of async operations and flows that are open at the same time. */
#ifndef ANALYSIS_EVENTS_CORRELATIONS_H
#define ANALYSIS_EVENTS_CORRELATIONS_H

#include <stele/event.h>

#include "core/table.h"

typedef struct correlation {
    uint64_t id;
    uint64_t offset;     /* offset of the event that opened the id first */
    uint32_t size;       /* size in bytes of the event that opened the id first */
    uint32_t open_count; /* begins without an end so far */
    stele_name name;     /* 0 if the name is known only within its batch */
} correlation;

/* The table; all zeros is an empty one. It holds up to CORRELATIONS_MAX ids. */
typedef struct correlations {
    correlation *entries; /* the ids that are open, in no order */
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `entries`, by id */
} correlations;

#define CORRELATIONS_MAX 65536u

void correlations_free(correlations *c);

/* Counts one more open event of the id. Returns STELE_ERR_LIMIT if CORRELATIONS_MAX ids are
   open, or STELE_ERR_MEMORY. */
stele_status correlations_open(correlations *c, const stele_event *event);

/* Finds the open events of an id. Returns NULL if none is open. */
correlation *correlations_find(const correlations *c, uint64_t id);

/* Ends one of the open events of the id of `entry`. Entries may move if it was the last one. */
void correlations_close(correlations *c, correlation *entry);

/* Sorts `entries` by offset. The table can only be freed after that. */
void correlations_sort(correlations *c);

#endif
