/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a producer's first events before anything else is decided. */
#ifndef FLOW_PEEK_H
#define FLOW_PEEK_H

#include "model/trace.h"

/*
 * A producer in the place of `from`, which it owns (also when it fails): it gives the same, but its
 * first batch with events was made already. `first` stays valid until the first fill; it is NULL
 * when there are no events. It is to fill batches of BATCH_EVENTS. STELE_ERR_MEMORY; other errors
 * come up again when it is read.
 */
stele_status producer_peek(producer *from, const stele_batch **first, producer **out);

#endif
