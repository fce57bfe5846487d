/* SPDX-License-Identifier: Apache-2.0 */
/* The producers of the three kinds of XRay files. */
#ifndef XRAY_PRODUCERS_H
#define XRAY_PRODUCERS_H

#include "formats/xray/trace.h"

stele_status xray_produce_fdr(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_basic(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_profile(xray_trace *trace, const produce_request *request,
                                  producer **out);

/* The ranges of a stream in the trace's table, once indexed; none for PRODUCE_ALL. */
void xray_ranges_of(const xray_trace *trace, uint32_t stream, size_t *first, size_t *end);

#endif
