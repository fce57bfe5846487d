/* SPDX-License-Identifier: Apache-2.0 */
/* The producers of the three kinds of XRay files. */
#ifndef XRAY_READ_PRODUCERS_H
#define XRAY_READ_PRODUCERS_H

#include "formats/xray/trace.h"

/* Opens the window of a new producer for the bytes from `begin` to `end`, and sets `*out` to it; on
   failure closes the producer. The caller has set `*out` to NULL. */
stele_status xray_producer_start(producer *self, window *w, const xray_trace *trace,
                                 const produce_request *request, uint64_t begin, uint64_t end,
                                 producer **out);

/* Whether a log can be read in parts: trace_ops.has_parts. */
bool xray_has_parts(const stele_trace *base);

stele_status xray_produce_fdr(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_basic(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_profile(xray_trace *trace, const produce_request *request,
                                  producer **out);

#endif
