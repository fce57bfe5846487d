/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the flow of segments that reader_open.c has made: segments, events, findings at the
   end, and statistics. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "flow/reader.h"
#include "model/batch.h"

/* Reports once that events were delivered late. */
static void report_late(stele_reader *reader)
{
    const order_stats *order = &reader->order;
    if (reader->is_late_reported || order->late_count == 0)
        return;
    reader->is_late_reported = true;
    diag_report(&reader->context->diag, &core_codes[STE007],
                reader->trace_count == 1 ? reader->readings[0].trace->info.path : NULL,
                STELE_NO_OFFSET, 0, NULL,
                "%" PRIu64 " event%s delivered late, by up to %" PRId64 " ns", order->late_count,
                order->late_count == 1 ? " was" : "s were", order->lateness_max_ns);
}

static void sum_balance(const stele_reader *reader, stele_reader_stats *stats)
{
    stats->has_content_size = true;
    for (size_t i = 0; i < reader->producer_count; i++)
        balance_add(&stats->balance, &reader->producers[i]->balance);
    for (size_t i = 0; i < reader->trace_count; i++) {
        const stele_trace *trace = reader->readings[i].trace;
        uint64_t size;
        balance_add(&stats->balance, &trace->balance);
        stats->has_content_size &= trace_content_size(trace, &size);
        stats->content_size += size;
    }
}

/* Whether every trace keeps a balance: each producer has counted bytes. */
static bool has_balance(const stele_reader *reader)
{
    for (size_t i = 0; i < reader->producer_count && reader->trace_count > 1; i++) {
        if (balance_total(&reader->producers[i]->balance) == 0)
            return false;
    }
    return true;
}

/* Checks once, at the end, that the balance adds up to the size of the inputs. */
static void check_balance(stele_reader *reader)
{
    stele_reader_stats stats = {0};
    if (reader->is_balance_checked || reader->is_bounded || reader->status != STELE_END)
        return;
    reader->is_balance_checked = true;
    sum_balance(reader, &stats);
    if (!stats.has_content_size || !has_balance(reader) ||
        stats.balance.record_size + stats.balance.padding_size == 0 ||
        balance_total(&stats.balance) == stats.content_size)
        return;
    diag_report(&reader->context->diag, &core_codes[STE013],
                reader->trace_count == 1 ? reader->readings[0].trace->info.path : NULL,
                STELE_NO_OFFSET, 0, "records, padding and skipped bytes that add up to the input",
                "%" PRIu64 " + %" PRIu64 " + %" PRIu64 " of %" PRIu64 " bytes",
                stats.balance.record_size, stats.balance.padding_size, stats.balance.skipped_size,
                stats.content_size);
}

/* Reports once, at the end, what the request asks for and no event has. */
static void report_filter(stele_reader *reader)
{
    if (reader->is_filter_reported || reader->is_part || reader->status != STELE_END)
        return;
    reader->is_filter_reported = true;
    filter_report(reader->filter, &reader->context->diag);
    if (reader->pieces != NULL)
        pieces_report(reader->pieces, &reader->context->diag);
}

/* Has the flow pull segments. Not inlined, so that the fast path of stele_reader_next() saves no
   registers. */
static __attribute__((noinline)) stele_status reader_pull(stele_reader *reader)
{
    if (reader->status == STELE_OK) /* an input in memory does not ask go_on itself */
        reader->status = reader->is_followed || diag_goes_on(&reader->context->diag, -1)
                             ? reader->flow->ops->pull(reader->flow)
                             : STELE_ERR_CLOSED;
    if (reader->status != STELE_OK) {
        report_late(reader);
        check_balance(reader);
        report_filter(reader);
    }
    return reader->status;
}

stele_status stele_reader_next(stele_reader *reader, stele_segment *segment)
{
    flow *from = reader->flow;
    if (reader->rest.count != 0) {
        *segment = reader->rest;
        reader->rest.count = 0;
        return STELE_OK;
    }
    if (from->at == from->end && reader_pull(reader) != STELE_OK)
        return reader->status;
    *segment = *from->at++;
    return STELE_OK;
}

stele_status stele_reader_next_segments(stele_reader *reader, const stele_segment **segments,
                                        size_t *count)
{
    flow *from = reader->flow;
    if (reader->rest.count != 0) {
        reader->given = reader->rest;
        reader->rest.count = 0;
        *segments = &reader->given;
        *count = 1;
        return STELE_OK;
    }
    if (from->at == from->end && reader_pull(reader) != STELE_OK)
        return reader->status;
    *segments = from->at;
    *count = (size_t)(from->end - from->at);
    from->at = from->end;
    return STELE_OK;
}

bool stele_reader_waits(const stele_reader *reader)
{
    for (size_t i = 0; i < reader->producer_count && reader->may_wait; i++) {
        if (reader->producers[i]->is_dry)
            return true;
    }
    return false;
}

stele_status stele_reader_read(stele_reader *reader, stele_event *events, size_t capacity,
                               size_t *count)
{
    flow *from = reader->flow;
    *count = 0;
    if (capacity == 0)
        return STELE_ERR_ARGUMENT;
    while (*count < capacity) {
        const size_t room = capacity - *count;
        stele_segment segment;
        if (reader->rest.count == 0) {
            if (from->at == from->end && reader_pull(reader) != STELE_OK)
                return *count != 0 && reader->status == STELE_END ? STELE_OK : reader->status;
            reader->rest = *from->at++;
        }
        segment = reader->rest;
        if (segment.count > room)
            segment.count = (uint32_t)room;
        memcpy(events + *count, segment.batch->events + segment.first,
               segment.count * sizeof *events);
        *count += segment.count;
        reader->rest.first += segment.count;
        reader->rest.count -= segment.count;
    }
    return STELE_OK;
}

/* Number of events of the segments that were taken. */
static uint64_t flow_taken(const flow *f)
{
    uint64_t count = f->event_count;
    for (const stele_segment *segment = f->at; segment != f->end; segment++)
        count -= segment->count;
    return count;
}

/* Adds how many bytes of the trace were consumed. Returns false if its size is not known. */
static bool add_progress(const reading *r, stele_reader_stats *stats)
{
    const input *in = source_input(r->trace->source);
    const uint64_t total = source_stored_size(r->trace->source);
    uint64_t count = in != NULL ? in->stored_at - r->stored_from : 0;
    /* Several streams may read the same bytes. */
    if (total != 0 && count > total)
        count = total;
    stats->byte_count += count;
    stats->byte_total += total;
    return in != NULL && total != 0;
}

static void collect_stats(const stele_reader *reader, stele_reader_stats *stats)
{
    bool is_total_known = true;
    *stats = reader->stats;
    if (reader->flow != NULL)
        stats->event_count = flow_taken(reader->flow) - reader->rest.count;
    stats->late_count = reader->order.late_count;
    stats->lateness_max_ns = reader->order.lateness_max_ns;
    stats->unordered_count = reader->order.unordered_count;
    stats->unordered_max_ns = reader->order.unordered_max_ns;
    for (size_t i = 0; i < reader->producer_count; i++) {
        stats->lost_count += reader->producers[i]->lost_count;
        stats->missing_count += reader->producers[i]->missing_count;
    }
    sum_balance(reader, stats);
    for (size_t i = 0; i < reader->trace_count; i++)
        is_total_known = add_progress(&reader->readings[i], stats) && is_total_known;
    if (!is_total_known)
        stats->byte_total = 0;
}

void stele_reader_get_stats(const stele_reader *reader, stele_reader_stats *stats)
{
    stele_reader_stats own;
    collect_stats(reader, &own);
    sized_give(stats, &own, sizeof own, SIZED_FIRST(stele_reader_stats, byte_total));
}

void stele_reader_close(stele_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->flow != NULL)
        report_late(reader);
    flow_close(reader->flow);
    for (size_t i = 0; i < reader->trace_count; i++) {
        producer *peeked = reader->readings[i].peeked;
        if (peeked != NULL)
            peeked->ops->close(peeked);
    }
    seek_making_end(&reader->making);
    filter_free(reader->filter);
    pieces_free(reader->pieces);
    for (size_t i = 0; i < reader->fields.count; i++)
        free(reader->fields.names[i]);
    free(reader->fields.names);
    free(reader->readings);
    free(reader->producers);
    free(reader);
}
