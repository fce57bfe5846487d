/* SPDX-License-Identifier: Apache-2.0 */
/* The producers of the three kinds of XRay files. */
#ifndef XRAY_PRODUCERS_H
#define XRAY_PRODUCERS_H

#include "formats/xray/trace.h"

stele_status xray_produce_fdr(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_basic(xray_trace *trace, const produce_request *request, producer **out);
stele_status xray_produce_profile(xray_trace *trace, const produce_request *request,
                                  producer **out);

#endif
