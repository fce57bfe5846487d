/* SPDX-License-Identifier: Apache-2.0 */
/* A producer's events on the common scale of time, and only those that a filter lets pass. */
#ifndef FLOW_SELECT_H
#define FLOW_SELECT_H

#include "flow/pieces.h"
#include "query/filter.h"

typedef struct selection_of {
    int64_t shift_ns;  /* added to every time */
    int64_t offset_ns; /* the part of it that corrects the clock */
    double drift;      /* before that: times are stretched, from one of them on */
    int64_t drift_from_ns;
    filter *filter; /* the caller's, as what follows */
    pieces *pieces; /* NULL: the traces are not pieces of one */
    size_t index;   /* of the trace among them */
    uint64_t *filtered_count;
    uint64_t begin_place, end_place; /* of the events that are wanted; `end_place` 0: to the end */
} selection_of;

/*
 * A producer in the place of `from`, which it owns (also when it fails): shifts every time, then
 * takes out what does not pass and counts it, and what another piece of the trace gave.
 * It stands before any ordering, so that what nobody wants is neither sorted nor held.
 * STELE_ERR_MEMORY.
 */
stele_status producer_select(producer *from, const selection_of *how, producer **out);

#endif
