/* SPDX-License-Identifier: Apache-2.0 */
/* A producer that skips the blocks of its stream that a request does not need. */
#ifndef FLOW_SEEK_H
#define FLOW_SEEK_H

#include "model/seek.h"

/*
 * Makes a producer that replaces `from`, and owns it (also if the call fails). `from` must have
 * been started with the request; it is returned itself if no block can be skipped. Of the events
 * before `open_ns` only those that begin calls open at that time are needed; INT64_MIN: all events
 * of the request are. Errors: STELE_ERR_MEMORY.
 */
stele_status producer_seek(const stele_trace *trace, const produce_request *request,
                           int64_t open_ns, producer *from, producer **out);

#endif
