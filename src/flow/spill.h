/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted runs in temporary files. When a level has too many runs, they are merged to one run of the
   next level, so that reading all runs at once needs a bounded amount of memory. */
#ifndef FLOW_SPILL_H
#define FLOW_SPILL_H

#include "flow/run.h"
#include "flow/weave.h"

#define SPILL_LEVELS   16u
#define SPILL_RUNS_MAX 64u /* runs of a level, at most */
/* Runs of a level that are always allowed, even with little memory to read them. */
#define SPILL_RUNS_LEAST 4u
/* Blocks of runs have orders below this. */
#define SPILL_ORDER_MAX (SPILL_LEVELS * SPILL_RUNS_MAX)

typedef struct spill spill;

/* Makes a spill. Reading takes about `size_max` bytes for the runs of a level. Returns NULL if out
   of memory. */
spill *spill_new(stele_context *context, bool by_end, size_t size_max, block_pool *pool);
void spill_free(spill *s);

/* Writes all events of the weave as a run. Errors: STELE_ERR_WRITE, STELE_ERR_READ, STELE_ERR_LIMIT
   (more events than any disk holds), STELE_ERR_MEMORY. */
stele_status spill_write(spill *s, weave *from);

/* Adds all runs to the weave. */
stele_status spill_read(spill *s, weave *into);

#endif
