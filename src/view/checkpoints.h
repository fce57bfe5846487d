/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints: what is open at some moments of the traces, as events: begins of open spans, of
 * operations and of flows, and what last happened to each thread and CPU. A pass that begins in the
 * middle takes the events of a checkpoint first, and then knows what a pass from the start knows.
 */
#ifndef VIEW_CHECKPOINTS_H
#define VIEW_CHECKPOINTS_H

#include <stele/spans.h>

#define CHECKPOINT_FIELDS 6u

/* A copy of an event, with those of its fields that are numbers. */
typedef struct kept_event {
    stele_event event;
    stele_field fields[CHECKPOINT_FIELDS];
    uint32_t field_count;
    uint32_t stream;
} kept_event;

typedef struct checkpoint {
    /* time of the first event after the checkpoint; all events before the checkpoint are earlier */
    int64_t time_ns;
    kept_event *events;
    size_t count;
} checkpoint;

typedef struct checkpoints {
    checkpoint *at; /* the checkpoints, sorted by time */
    size_t count, capacity;
    size_t event_count; /* events in all checkpoints together */
    /* events between two checkpoints; doubles when there are too many checkpoints */
    uint64_t every;
    uint64_t since;   /* events since the last checkpoint */
    int64_t last_ns;  /* time of the event before */
    kept_event *open; /* operations and flows that are open, in the order in which they began */
    size_t open_count, open_capacity;
    kept_event *last;     /* the last event of each thread and CPU */
    uint32_t *last_track; /* the track of each event in `last` */
    size_t last_count, last_capacity;
    bool is_unusable; /* too much to keep, or out of memory: there are no checkpoints */
} checkpoints;

/* Takes events that are about to be given to `spans`, which has all events before them, and
   makes checkpoints where they are due. `tracks` is the number of tracks. */
void checkpoints_see(checkpoints *c, const stele_segment *segment, const stele_spans *spans,
                     uint32_t tracks);

/* Returns the last checkpoint at or before a time, NULL if there is none. */
const checkpoint *checkpoints_before(const checkpoints *c, int64_t time_ns);
void checkpoints_free(checkpoints *c);

/* Adds a copied event to a batch. Returns STELE_ERR_MEMORY if out of memory. */
stele_status checkpoint_put(stele_batch *batch, const kept_event *kept);

/* Copies an event of a batch into `*to`. */
void checkpoint_keep(kept_event *to, const stele_batch *batch, const stele_event *event);

#endif
