/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether scans of parts of a trace give the same rows as one scan of all of it. */
#include "tables/stage.h"

#include "core/sized.h"
#include "model/trace.h"

/* What a column needs to have the same values in a scan of a part. */
typedef enum told_by {
    TOLD_BY_EVENT,   /* the event alone */
    TOLD_BY_THREADS, /* events that have their thread in every record */
    TOLD_BY_INDEX,   /* an index that finds all threads */
    TOLD_BY_ALL      /* everything read before, so the column differs in parts */
} told_by;

static told_by who_tells(fill_fn *fill)
{
    static const struct {
        fill_fn *fill;
        told_by by;
    } told[] = {{fill_tid, TOLD_BY_THREADS},   {fill_pid, TOLD_BY_THREADS},
                {fill_track, TOLD_BY_INDEX},   {fill_thread, TOLD_BY_INDEX},
                {fill_process, TOLD_BY_INDEX}, {fill_stream, TOLD_BY_INDEX},
                {fill_span_id, TOLD_BY_ALL},   {fill_span_parent, TOLD_BY_ALL}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        if (told[i].fill == fill)
            return told[i].by;
    }
    return TOLD_BY_EVENT;
}

static bool can_tell(const stele_trace *trace, told_by by)
{
    switch (by) {
    case TOLD_BY_EVENT: return true;
    case TOLD_BY_THREADS: return trace->ops->has_own_threads;
    case TOLD_BY_INDEX: return trace->ops->indexes_threads;
    default: return false;
    }
}

static bool are_columns_told(const stele_trace *trace, const stele_scan_options *options,
                             table_id table)
{
    for (size_t i = 0; i < options->column_count; i++) {
        const column_entry *entry = table_column_find(table, options->columns[i].name);
        if (entry != NULL && !can_tell(trace, who_tells(entry->fill)))
            return false;
    }
    return true;
}

stele_status stele_scan_parts(stele_context *context, stele_trace *const *traces, size_t count,
                              const stele_scan_options *given, uint32_t most, uint32_t *part_count)
{
    stele_scan_options options;
    stele_request request;
    const table_entry *table;
    *part_count = 1;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_scan_options, request), given) ||
        options.table == NULL)
        return STELE_ERR_ARGUMENT;
    table = table_find(options.table);
    if (table == NULL || count != 1 ||
        !are_columns_told(traces[0], &options, (table_id)(table - table_entries)))
        return STELE_OK;
    sized_take(&request, sizeof request, SIZED_FIRST(stele_request, where), options.request);
    request.check = false;
    request.order = STELE_ORDER_NONE;
    if (table->source == SOURCE_SPANS) {
        /* Calls belong to their threads; other spans can begin on one thread and end on another. */
        if (table->kinds != STELE_CALLS_KINDS || !traces[0]->ops->indexes_threads)
            return STELE_OK;
        request.order = STELE_ORDER_STREAMS;
        request.from_start = true;
    } else if (table->source > SOURCE_NUMBERS) {
        return STELE_OK;
    }
    return stele_reader_parts(context, traces, count, &request, most, part_count);
}
