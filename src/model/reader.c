/* SPDX-License-Identifier: Apache-2.0 */
/* Reading several traces together: from a request to one flow of segments. */
#include <stdlib.h>

#include "model/batch.h"
#include "model/flow.h"

struct stele_reader {
    stele_context *context;
    flow *flow;
    stele_status status; /* of the last segment */
    stele_reader_stats stats;
    order_stats order;
    stele_trace **traces;
    size_t trace_count;
    producer **producers; /* owned by their flows */
    size_t producer_count;
};

static stele_status reader_produce(stele_reader *reader, stele_trace *trace,
                                   const produce_request *request, producer **out)
{
    producer **grown =
        realloc(reader->producers, (reader->producer_count + 1) * sizeof *reader->producers);
    stele_status status;
    if (grown == NULL)
        return STELE_ERR_MEMORY;
    reader->producers = grown;
    if (trace->is_consumed) {
        diag_report(&reader->context->diag, &core_codes[STE009], trace->info.path, STELE_NO_OFFSET,
                    0, "an input that can be read more than once", "it was read already");
        return STELE_ERR_UNSUPPORTED;
    }
    status = trace->ops->produce(trace, request, out);
    if (status != STELE_OK)
        return status;
    trace->is_consumed = !trace->info.is_seekable;
    reader->producers[reader->producer_count++] = *out;
    return STELE_OK;
}

/* All of a trace, in file order. */
static stele_status reader_add_trace(stele_reader *reader, stele_trace *trace,
                                     const stele_request *request, flow **out)
{
    producer *from;
    const stele_status status = reader_produce(
        reader, trace,
        &(produce_request){.stream = PRODUCE_ALL,
                           .columns = request->columns != 0 ? request->columns
                                                            : STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
                           .kinds = request->kinds != 0 ? request->kinds : STELE_KINDS_ALL,
                           .check = request->check,
                           .begin_ns = INT64_MIN,
                           .end_ns = INT64_MAX,
                           .window_size = reader->context->limits.window_size},
        &from);
    return status == STELE_OK ? flow_plain(from, 0, out) : status;
}

static stele_status reader_build(stele_reader *reader, const stele_request *request)
{
    flow **flows = calloc(reader->trace_count + 1, sizeof *flows);
    stele_status status = flows != NULL ? STELE_OK : STELE_ERR_MEMORY;
    size_t count = 0;
    while (status == STELE_OK && count < reader->trace_count) {
        status = reader_add_trace(reader, reader->traces[count], request, &flows[count]);
        count += status == STELE_OK;
    }
    if (status == STELE_OK) {
        status = flow_concat(flows, count, &reader->flow);
    } else {
        for (size_t i = 0; i < count; i++)
            flow_close(flows[i]);
    }
    free(flows);
    return status;
}

stele_status stele_reader_open(stele_context *context, stele_trace *const *traces, size_t count,
                               const stele_request *request, stele_reader **out)
{
    static const stele_request standard;
    stele_reader *reader = calloc(1, sizeof *reader);
    stele_status status;
    *out = NULL;
    if (reader == NULL)
        return STELE_ERR_MEMORY;
    reader->context = context;
    reader->trace_count = count;
    reader->traces = calloc(count + 1, sizeof *reader->traces);
    if (reader->traces == NULL) {
        stele_reader_close(reader);
        return STELE_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        reader->traces[i] = traces[i];
    status = reader_build(reader, request != NULL ? request : &standard);
    if (status != STELE_OK) {
        stele_reader_close(reader);
        return status;
    }
    *out = reader;
    return STELE_OK;
}

stele_status stele_reader_next(stele_reader *reader, stele_segment *segment)
{
    if (reader->status == STELE_OK)
        reader->status = flow_next(reader->flow, segment);
    if (reader->status == STELE_OK)
        reader->stats.event_count += segment->count;
    return reader->status;
}

void stele_reader_get_stats(const stele_reader *reader, stele_reader_stats *stats)
{
    bool is_total_known = true;
    *stats = reader->stats;
    stats->late_count = reader->order.late_count;
    stats->lateness_max_ns = reader->order.lateness_max_ns;
    stats->unordered_count = reader->order.unordered_count;
    stats->unordered_max_ns = reader->order.unordered_max_ns;
    for (size_t i = 0; i < reader->producer_count; i++) {
        stats->lost_count += reader->producers[i]->lost_count;
        stats->skipped_size += reader->producers[i]->skipped_size;
    }
    for (size_t i = 0; i < reader->trace_count; i++) {
        const input *in = source_input(reader->traces[i]->source);
        const uint64_t total = source_stored_size(reader->traces[i]->source);
        stats->byte_count += in != NULL ? in->stored_at : 0;
        stats->byte_total += total;
        is_total_known = is_total_known && total != 0;
    }
    if (!is_total_known)
        stats->byte_total = 0;
}

void stele_reader_close(stele_reader *reader)
{
    if (reader == NULL)
        return;
    flow_close(reader->flow);
    free(reader->producers);
    free(reader->traces);
    free(reader);
}
