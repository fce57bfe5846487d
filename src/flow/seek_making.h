/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the blocks of a trace while all of its streams are read for something else. */
#ifndef FLOW_SEEK_MAKING_H
#define FLOW_SEEK_MAKING_H

#include "model/seek.h"

/* Zeroed: no blocks are made. */
typedef struct seek_making {
    stele_trace *trace;
    seek_index *index;
    uint32_t left; /* how many streams were not read to their end */
} seek_making;

/* Begins to make the blocks of an indexed trace, unless it has some, or they take a pass of their
   own; seek_build() can make them later. A trace that is not indexed notes what indexing would find
   out. */
void seek_making_begin(seek_making *making, stele_trace *trace);

/* Ends making. Blocks that are not complete are dropped. */
void seek_making_end(seek_making *making);

/*
 * Makes a producer that replaces `from`, and owns it (also if the call fails). It passes on what
 * `from` delivers, which must be all of a stream of the trace, and makes blocks of it. With the end
 * of the last stream the trace has its blocks. Errors: STELE_ERR_MEMORY.
 */
stele_status producer_make_blocks(seek_making *making, uint32_t stream, producer *from,
                                  producer **out);

#endif
