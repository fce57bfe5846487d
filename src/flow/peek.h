/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a producer's first events before it is decided how to read. */
#ifndef FLOW_PEEK_H
#define FLOW_PEEK_H

#include "model/trace.h"

/*
 * Makes a producer that replaces `from`, and owns it (also if the call fails). It gives the same
 * batches, of which the first one with events is made in advance. `first` points to that until the
 * first fill(); it is NULL if there are no events. Batches to be filled must have capacity
 * BATCH_EVENTS. Errors: STELE_ERR_MEMORY; errors of reading are returned by fill().
 */
stele_status producer_peek(producer *from, const stele_batch **first, producer **out);

#endif
