/* SPDX-License-Identifier: Apache-2.0 */
/* The last events of a flow: copies of them, in memory that is bounded by their number. */
#ifndef ANALYSIS_EVENTS_TAIL_H
#define ANALYSIS_EVENTS_TAIL_H

#include "model/context.h"

typedef struct stele_tail stele_tail;

/* Keeps the last `count` events of what is added. STELE_ERR_MEMORY. */
stele_status stele_tail_new(uint64_t count, stele_tail **out);
void stele_tail_free(stele_tail *t);
stele_status stele_tail_add(stele_tail *t, const stele_segment *segment);

/* Takes out the oldest events that are kept; false when there are no more. The segment holds until
   the next call. Nothing is added any more. */
bool stele_tail_take(stele_tail *t, stele_segment *segment);

#endif
