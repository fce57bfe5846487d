/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a producer's events to the common scale of time, and keeps those that pass a filter. */
#ifndef FLOW_SELECT_H
#define FLOW_SELECT_H

#include "flow/pieces.h"
#include "query/filter.h"

typedef struct selection_of {
    int64_t shift_ns;  /* added to every time */
    int64_t offset_ns; /* the part of shift_ns that corrects the clock */
    double drift;      /* how much times are stretched before the shift: see batch_drift() */
    int64_t drift_from_ns;
    filter *filter; /* owned by the caller */
    pieces *pieces; /* NULL: the traces are not pieces of one */
    size_t index;   /* number of the trace among the pieces */
    /* Counts events that the filter leaves out. */
    uint64_t *filtered_count;
    /* Range of wanted events, by stele_event.offset; end_place 0: to the end. */
    uint64_t begin_place, end_place;
} selection_of;

/*
 * Makes a producer that replaces `from`, and owns it (also if the call fails): it shifts every
 * time, then removes events that do not pass the filter, which it counts, and those that another
 * piece has delivered. It comes before any ordering, so that events that are not wanted are neither
 * sorted nor held. Errors: STELE_ERR_MEMORY.
 */
stele_status producer_select(producer *from, const selection_of *how, producer **out);

#endif
