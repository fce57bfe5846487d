/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is open in traces when a request begins. */
#ifndef ANALYSIS_EVENTS_OPENED_FIND_H
#define ANALYSIS_EVENTS_OPENED_FIND_H

#include <stele/reader.h>

/* Receives one event that began something, which happened `before_ns` nanoseconds before the begin
   of the request. */
typedef stele_status opened_fn(void *user, const stele_batch *batch, const stele_event *event,
                               uint64_t before_ns);

/*
 * Gives the begins of spans, asynchronous operations, flows and running threads that are open at
 * the begin of the request. Their time and ticks are changed to that begin; their offsets stay.
 * Those of a track come from the outermost to the innermost. A COMPLETE event that reaches over the
 * begin is in the request itself, and not given. `has_pairs`: moments that are paired by their
 * names count as begins and ends, too. Reads the traces from their start up to the begin.
 */
stele_status opened_find(stele_context *context, stele_trace *const *traces, size_t count,
                         const stele_request *request, bool has_pairs, opened_fn *fn, void *user);

/* The same at the end of the request, if that is a time before the last event. The events have the
   time and ticks of that end. */
stele_status opened_find_at_end(stele_context *context, stele_trace *const *traces, size_t count,
                                const stele_request *request, opened_fn *fn, void *user);

#endif
