/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the producer of a trace's events (reader.c) for index.c, which opens and indexes the
   trace. */
#ifndef HEPH_READ_PRODUCER_H
#define HEPH_READ_PRODUCER_H

#include "formats/heph/trace.h"

/* Makes a producer. Findings go to `diag`; `stream` is the number of the trace's one stream, or
   UINT32_MAX before it has any. Returns STELE_ERR_MEMORY when memory is exhausted. */
stele_status heph_producer_new(heph_trace *trace, const produce_request *request, diag_sink *diag,
                               uint32_t stream, producer **out);

#endif
