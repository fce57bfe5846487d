/* SPDX-License-Identifier: Apache-2.0 */
/* When the index of a trace is saved, with its overview and what a scan found out. */
#include "view/kept.h"

bool viewer_can_keep(const viewer *v)
{
    return v->is_overview_whole && v->overview_status == STELE_END && v->trace_count == 1 &&
           v->options.where == NULL && v->options.keep != NULL && !v->options.no_pairs &&
           !v->options.align_starts;
}

/* Returns whether something was found by reading that is worth saving. */
static bool is_worth(const viewer *v)
{
    return (v->was_read || v->is_unsaved) && viewer_can_keep(v);
}

void viewer_set_keeper(viewer *v)
{
    v->has_keeper = true;
}

bool viewer_take_overview(viewer *v, stele_trace **trace, stele_overview **overview)
{
    const bool is_taken = is_worth(v);
    *trace = v->traces[0];
    *overview = v->is_late ? NULL : v->overview;
    v->was_read = v->was_read && !v->is_overview_whole;
    v->is_unsaved = v->is_unsaved && !is_taken;
    v->awaits_index = is_taken;
    return is_taken;
}

stele_status viewer_keep(viewer *v, stele_trace *trace, stele_overview *overview)
{
    view_kept kept = {.trace = trace, .overview = overview};
    stele_output *made = NULL;
    stele_status status = STELE_OK;
    if (overview != NULL && v->is_scanned && v->scan_status == STELE_OK)
        status = stele_output_open_memory(NULL, &made);
    /* What cannot be written down is not saved; the rest is. */
    if (made != NULL && kept_write(v, made) == STELE_OK)
        kept.bytes = stele_output_memory(made, &kept.size);
    if (status == STELE_OK)
        status = v->options.keep(&kept);
    if (status == STELE_ERR_ARGUMENT && kept.size != 0) { /* too much to be kept */
        kept.size = 0;
        status = v->options.keep(&kept);
    }
    stele_output_close(made);
    return status;
}

void viewer_end_keeping(viewer *v)
{
    v->awaits_index = false;
}

bool viewer_awaits(const viewer *v)
{
    return v->awaits_index || (v->has_keeper && is_worth(v)) ||
           (v->needs_index && !v->has_pictured);
}
