/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of programs: whether they can be read, and what has to be read for them. */
#ifndef FLOW_REQUEST_H
#define FLOW_REQUEST_H

#include <stele/reader.h>

/* Whether the request, and the traces that it is for, are as <stele/reader.h> describes them.
   Reports what is not. */
bool request_check(stele_context *context, stele_trace *const *traces, size_t count,
                   const stele_request *request);

/* Whether a stream, by its number in the context, is one that the request asks for. */
bool request_wants_stream(const stele_request *request, uint32_t stream);

/* Fills in what the request leaves to the library: kinds and columns, including those that its
   filter uses. Returns the status of the filter, which can have an expression that cannot be used.
 */
stele_status request_complete(stele_context *context, stele_request *request);

/* After how many milliseconds without input events are delivered that wait for others; 0: they wait
   as long as it takes. */
int64_t request_hold_ms(const stele_request *request, const stele_trace *trace);

#endif
