/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints: what is known at some moments of the traces: begins of open spans, of operations and
 * of flows as events, what threads and CPUs do, and what the pairing of moments has learned. A pass
 * that begins in the middle takes a checkpoint first, and then knows what a pass from the start
 * knows.
 */
#ifndef VIEW_CHECKPOINTS_H
#define VIEW_CHECKPOINTS_H

#include <stele/sched.h>
#include <stele/spans.h>

#define CHECKPOINT_FIELDS 6u

/* A copy of an event, with those of its fields that are numbers. */
typedef struct kept_event {
    stele_event event;
    stele_field fields[CHECKPOINT_FIELDS];
    int64_t shift_ns; /* of its batch */
    uint32_t field_count;
    uint32_t stream;
} kept_event;

/* What a pairing has learned. Checkpoints that follow each other often have the same. */
typedef struct kept_facts {
    stele_pairing_fact *at;
    size_t count;
    size_t use_count; /* checkpoints that have it */
} kept_facts;

typedef struct checkpoint {
    /* time of the first event after the checkpoint; all events before the checkpoint are earlier */
    int64_t time_ns;
    kept_event *events;
    size_t count;
    stele_sched_now *now; /* what CPUs and threads do */
    size_t now_count;
    stele_pairing_fact *runs; /* which thread runs on each CPU, as the pairing sees it */
    size_t run_count;
    kept_facts *facts; /* what else the pairing has learned; NULL: nothing */
} checkpoint;

/* The engines that events go through, whose state checkpoints have. */
typedef struct checkpoint_engines {
    const stele_spans *spans;
    const stele_pairing *pairing; /* NULL: nothing is paired */
    const stele_sched *sched;     /* NULL: nobody asks what threads and CPUs do */
    uint32_t track_count;
} checkpoint_engines;

typedef struct checkpoints {
    checkpoint *at; /* the checkpoints, sorted by time */
    size_t count, capacity;
    size_t size; /* bytes of all checkpoints together */
    /* events between two checkpoints; doubles when there are too many checkpoints */
    uint64_t every;
    uint64_t since;   /* events since the last checkpoint */
    int64_t last_ns;  /* time of the event before */
    kept_event *open; /* operations and flows that are open, in the order in which they began */
    size_t open_count, open_capacity;
    int64_t *shifts; /* time shifts of batches, by their stream */
    uint32_t shift_count;
    bool is_unusable; /* too much to keep, or out of memory: there are no checkpoints */
} checkpoints;

/* Takes events that are about to be given to the engines, which have all events before them, and
   makes a checkpoint if one is due. */
void checkpoints_see(checkpoints *c, const stele_segment *segment,
                     const checkpoint_engines *engines);

/* Takes events after they were paired, to know which operations and flows are open. */
void checkpoints_follow(checkpoints *c, const stele_segment *segment);

/* Returns the last checkpoint at or before a time, NULL if there is none. */
const checkpoint *checkpoints_before(const checkpoints *c, int64_t time_ns);
void checkpoints_free(checkpoints *c);

/* Releases what a checkpoint has. */
void checkpoint_free(checkpoint *at);

/* Adds a copied event to a batch. Returns STELE_ERR_MEMORY if out of memory. */
stele_status checkpoint_put(stele_batch *batch, const kept_event *kept);

/* Copies an event of a batch into `*to`. */
void checkpoint_keep(kept_event *to, const stele_batch *batch, const stele_event *event);

#endif
