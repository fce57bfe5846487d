/* SPDX-License-Identifier: Apache-2.0 */
/* The producer of a trace's events (reader.c), for what opens and indexes the trace (index.c). */
#ifndef HEPH_READ_PRODUCER_H
#define HEPH_READ_PRODUCER_H

#include "formats/heph/trace.h"

/* `diag`: where findings go; `stream`: the number of the trace's one stream, UINT32_MAX before it
   has any. STELE_ERR_MEMORY. */
stele_status heph_producer_new(heph_trace *trace, const produce_request *request, diag_sink *diag,
                               uint32_t stream, producer **out);

#endif
