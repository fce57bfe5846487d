/* SPDX-License-Identifier: Apache-2.0 */
/* A producer's events on the common scale of time, and only those that a filter lets pass. */
#ifndef FLOW_SELECT_H
#define FLOW_SELECT_H

#include "query/filter.h"

/*
 * A producer in the place of `from`, which it owns (also when it fails): adds `shift_ns` to every
 * time (`offset_ns` of it to correct the clock), then takes out what does not pass and counts it.
 * It stands before any ordering, so that what nobody wants is neither sorted nor held. The filter
 * stays the caller's. STELE_ERR_MEMORY.
 */
stele_status producer_select(producer *from, int64_t shift_ns, int64_t offset_ns, filter *f,
                             uint64_t *filtered_count, producer **out);

#endif
