/* SPDX-License-Identifier: Apache-2.0 */
/* A producer that passes over the blocks of its stream that a request does not ask for. */
#ifndef FLOW_SEEK_H
#define FLOW_SEEK_H

#include "model/seek.h"

/*
 * A producer in the place of `from`, which it owns (also when it fails) and which was started with
 * the request: `from` itself where nothing can be passed over. Of the events before `open_ns` only
 * those that begin the calls that are open then need to be given; INT64_MIN: all that the request
 * asks for are. STELE_ERR_MEMORY.
 */
stele_status producer_seek(const stele_trace *trace, const produce_request *request,
                           int64_t open_ns, producer *from, producer **out);

#endif
