/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints: what is open at some moments of the traces, as events that say so: begins of open
 * spans, operations and flows, and what last happened to each thread and CPU. Whoever reads from
 * the middle takes those first, and knows what whoever reads from the start knows.
 */
#ifndef VIEW_CHECKPOINTS_H
#define VIEW_CHECKPOINTS_H

#include <stele/spans.h>

#define CHECKPOINT_FIELDS 6u

/* An event that is kept, with those of its fields that are numbers. */
typedef struct kept_event {
    stele_event event;
    stele_field fields[CHECKPOINT_FIELDS];
    uint32_t field_count;
    uint32_t stream;
} kept_event;

typedef struct checkpoint {
    int64_t time_ns; /* of the first event after it; those before it are earlier */
    kept_event *events;
    size_t count;
} checkpoint;

typedef struct checkpoints {
    checkpoint *at; /* by time */
    size_t count, capacity;
    size_t event_count; /* of all */
    uint64_t every;     /* events from one to the next; doubles when there are too many */
    uint64_t since;     /* events since the last one */
    int64_t last_ns;    /* of the event before */
    kept_event *open;   /* operations and flows that have begun, in the order of that */
    size_t open_count, open_capacity;
    kept_event *last;     /* by thread and CPU: what happened to it last */
    uint32_t *last_track; /* whose */
    size_t last_count, last_capacity;
    bool is_unusable; /* there is too much to keep, or memory */
} checkpoints;

/* Looks at events that are about to be given to `spans`, which has all those before them. `tracks`
   is how many tracks there are. */
void checkpoints_see(checkpoints *c, const stele_segment *segment, const stele_spans *spans,
                     uint32_t tracks);

/* The last checkpoint at or before a moment; NULL: there is none. */
const checkpoint *checkpoints_before(const checkpoints *c, int64_t time_ns);
void checkpoints_free(checkpoints *c);

/* Appends an event to a batch. STELE_ERR_MEMORY. */
stele_status checkpoint_put(stele_batch *batch, const kept_event *kept);

/* Keeps an event. */
void checkpoint_keep(kept_event *to, const stele_batch *batch, const stele_event *event);

#endif
