/* SPDX-License-Identifier: Apache-2.0 */
/* The last events of a flow: copies of them, in memory that is bounded by their number. */
#ifndef ANALYSIS_EVENTS_TAIL_H
#define ANALYSIS_EVENTS_TAIL_H

#include "model/context.h"

typedef struct tail tail;

/* Keeps the last `count` events of what is added. STELE_ERR_MEMORY. */
stele_status tail_new(uint64_t count, tail **out);
void tail_free(tail *t);
stele_status tail_add(tail *t, const stele_segment *segment);

/* Takes out the oldest events that are kept; false when there are no more. The segment holds until
   the next call. Nothing is added any more. */
bool tail_take(tail *t, stele_segment *segment);

#endif
