/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted runs in temporary files. Where there are many of a level, they become one of the next, so
 * that the memory for reading them all at once stays bounded.
 */
#ifndef FLOW_SPILL_H
#define FLOW_SPILL_H

#include "flow/run.h"
#include "flow/weave.h"

#define SPILL_LEVELS     16u
#define SPILL_RUNS_MAX   64u /* of a level */
#define SPILL_RUNS_LEAST 4u  /* of a level, where there is little memory to read them with */
#define SPILL_ORDER_MAX  (SPILL_LEVELS * SPILL_RUNS_MAX) /* the runs' blocks have lower orders */

typedef struct spill spill;

/* Reading takes about `size_max` bytes for the runs of a level. NULL when memory is exhausted. */
spill *spill_new(stele_context *context, bool by_end, size_t size_max, block_pool *pool);
void spill_free(spill *s);

/* Writes all that is in the weave as a run. STELE_ERR_WRITE, STELE_ERR_READ, STELE_ERR_LIMIT (more
   than any disk holds), STELE_ERR_MEMORY. */
stele_status spill_write(spill *s, weave *from);

/* Adds all runs to the weave. */
stele_status spill_read(spill *s, weave *into);

#endif
