/* SPDX-License-Identifier: Apache-2.0 */
/* Opens overviews that were saved. */
#include "analysis/events/overview.h"

stele_status stele_overview_load(stele_context *context, stele_trace *const *traces, size_t count,
                                 const void *bytes, size_t size, stele_overview **out)
{
    stele_overview *o;
    stele_status status = overview_new(context, traces, count, &o);
    *out = NULL;
    if (status == STELE_OK)
        status = input_open_memory(&context->diag, "overview", bytes, size, &o->kept);
    if (status == STELE_OK)
        status = overview_load_from(o, o->kept, 0, size);
    if (status != STELE_OK) {
        stele_overview_close(o);
        return status;
    }
    *out = o;
    return STELE_OK;
}
