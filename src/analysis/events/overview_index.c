/* SPDX-License-Identifier: Apache-2.0 */
/* Overviews in the index file of their trace. */
#include "analysis/events/overview.h"
#include "model/saved_index.h"

/* Whether the overview depends on the trace alone: no filter and no option changes it. */
bool overview_is_plain(const stele_overview *o, const stele_request *request)
{
    const stele_trace *trace = o->traces[0];
    const stele_trace_options *opened = &trace->options;
    if (o->trace_count != 1 || o->options.no_pairs ||
        (o->options.depth_max != 0 && o->options.depth_max != OVERVIEW_DEPTH_USUAL) ||
        opened->has_shift || opened->shift_ns != 0 || opened->setting_count != 0 ||
        trace->resolve != NULL)
        return false;
    return request == NULL ||
           (request->kinds == 0 && request->names.count == 0 && request->categories.count == 0 &&
            request->tracks.count == 0 && request->where == NULL && !request->check &&
            !request->align_starts && request->begin.kind == STELE_BOUND_NONE &&
            request->end.kind == STELE_BOUND_NONE);
}

bool overview_take_kept(stele_overview *o, stele_status *status)
{
    uint64_t offset, size;
    *status = STELE_OK;
    if (!saved_index_open(o->traces[0], &o->kept, &offset, &size))
        return false;
    if (size == 0)
        return false;
    *status = overview_load_from(o, o->kept, offset, size);
    if (*status == STELE_OK && o->is_plain) {
        overview_report_findings(o);
        return true;
    }
    if (*status == STELE_OK || *status == STELE_ERR_FORMAT || *status == STELE_ERR_READ) {
        saved_index_refuse(o->traces[0], o->kept->name,
                           "an index whose overview cannot be; the trace is read");
        *status = STELE_ERR_FORMAT;
    }
    return false;
}
