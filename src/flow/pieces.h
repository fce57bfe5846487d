/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of one trace that are read together: what several of them hold is delivered once.
 *
 *     whole     ....[====== span ======]....
 *     pieces    ....[====== span ======]          both hold the span, and what is known of objects
 *                         [====== span ======]....
 *
 * Traces are pieces of one where their clocks are known to be one and their ranges or sizes differ;
 * a trace that is given twice is read twice. An event is the same where its kind, times, track,
 * name, values and fields are. Only events that may be in several pieces are compared: those that
 * say what holds without a time, and those that last, where the ranges of two pieces overlap.
 */
#ifndef FLOW_PIECES_H
#define FLOW_PIECES_H

#include "flow/relate.h"

typedef struct pieces pieces;

/* Of traces that relate() has related. NULL in `*out`: none of them are pieces of one.
   STELE_ERR_MEMORY. */
stele_status pieces_new(stele_context *context, const related *traces, size_t count, pieces **out);
void pieces_free(pieces *p);

/* Columns by which events are compared. */
#define PIECES_COLUMNS                                                                 \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE | \
     STELE_COLUMN_FIELDS)

/* Takes out of a batch of the trace with this index, whose times are on the common scale, what
   another trace gave before. */
stele_status pieces_batch(pieces *p, size_t index, stele_batch *batch);

/* Reports (STE016), once all was read, how many events were not given again. */
void pieces_report(const pieces *p, diag_sink *diag);

#endif
