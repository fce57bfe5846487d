/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of one trace that are read together: events that several of them have are delivered once.
 *
 *     whole     ....[====== span ======]....
 *     pieces    ....[====== span ======]          both hold the span, and what is known of objects
 *                         [====== span ======]....
 *
 * Traces are pieces of one if their clocks are known to be one and their ranges or sizes differ; a
 * trace that is given twice is read twice. Two events are equal if their kinds, times, tracks,
 * names, values and fields are. Only events that may be in several pieces are compared: those
 * without time, which say what holds always, and those that last, where the ranges of two pieces
 * overlap.
 */
#ifndef FLOW_PIECES_H
#define FLOW_PIECES_H

#include "flow/relate.h"

typedef struct pieces pieces;

/* Finds the pieces among traces that relate() has related. `*out` becomes NULL if there are none.
   Errors: STELE_ERR_MEMORY. */
stele_status pieces_new(stele_context *context, const related *traces, size_t count, pieces **out);
void pieces_free(pieces *p);

/* The columns that are compared. */
#define PIECES_COLUMNS                                                                 \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE | \
     STELE_COLUMN_FIELDS)

/* Removes from a batch of the trace with this index the events that another trace has delivered.
   The batch's times are on the common scale. */
stele_status pieces_batch(pieces *p, size_t index, stele_batch *batch);

/* Reports (STE016) how many events were left out. To be called when everything was read. */
void pieces_report(const pieces *p, diag_sink *diag);

#endif
