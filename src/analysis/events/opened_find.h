/* SPDX-License-Identifier: Apache-2.0 */
/* What is open in traces at the begin of a request. */
#ifndef ANALYSIS_EVENTS_OPENED_FIND_H
#define ANALYSIS_EVENTS_OPENED_FIND_H

#include <stele/reader.h>

/* `before_ns`: how much earlier it began. */
typedef stele_status opened_fn(void *user, const stele_batch *batch, const stele_event *event,
                               uint64_t before_ns);

/*
 * Gives the begins of spans, asynchronous operations, flows and running threads that are open at
 * the begin of the request, with the time and the ticks of that, and their own places: those of a
 * track from the outermost to the innermost. A COMPLETE event over the begin is in the request
 * itself, and not among them. Reads the traces from their start to there.
 */
stele_status opened_find(stele_context *context, stele_trace *const *traces, size_t count,
                         const stele_request *request, opened_fn *fn, void *user);

#endif
