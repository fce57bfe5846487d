/* SPDX-License-Identifier: Apache-2.0 */
/* Async operations and flows that are open at one time, by their id. */
#ifndef ANALYSIS_EVENTS_CORRELATIONS_H
#define ANALYSIS_EVENTS_CORRELATIONS_H

#include <stele/event.h>

#include "core/hash.h"

typedef struct correlation {
    uint64_t id;
    uint64_t offset;     /* of the event that opened it first */
    uint32_t size;       /* of that event */
    uint32_t open_count; /* begins without end so far; 0: this slot is free */
    stele_name name;     /* 0 when known in its batch only */
} correlation;

/* A zeroed table is empty; it holds up to CORRELATIONS_MAX. */
typedef struct correlations {
    correlation *slots; /* open addressing, half full at most */
    uint32_t slot_count, count;
    hash_key key;
} correlations;

#define CORRELATIONS_MAX 65536u

void correlations_free(correlations *c);

/* Opens one more under the id. STELE_ERR_LIMIT when there are too many, STELE_ERR_MEMORY. */
stele_status correlations_open(correlations *c, const stele_event *event);

/* What is open under the id. Returns NULL if nothing is. */
correlation *correlations_find(const correlations *c, uint64_t id);

/* Ends one of the events that are open under the id of `entry`. */
void correlations_close(correlations *c, correlation *entry);

/* Brings the open ones to the front of `slots`, in the order of their offsets. Nothing but
   correlations_free() may follow. */
void correlations_sort(correlations *c);

#endif
