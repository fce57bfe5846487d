/* SPDX-License-Identifier: Apache-2.0 */
/* Opens producers of XRay files. */
#include "formats/xray/read/producers.h"

stele_status xray_producer_start(producer *self, window *w, const xray_trace *trace,
                                 const produce_request *request, uint64_t begin, uint64_t end,
                                 producer **out)
{
    const stele_status status =
        window_open(w, source_input(trace->base.source), begin, end, request->window_size,
                    trace->base.context->limits.record_size_max);
    if (status == STELE_OK)
        *out = self;
    else
        self->ops->close(self);
    return status;
}
