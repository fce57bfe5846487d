/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds instructions to an overview. There are too many to make an event of each: they are read
 * after all events by a stele_insn_reader, and added to their lane about a thousand at a time.
 * Their time is their number.
 */
#include "analysis/events/overview.h"

#include "model/trace.h"

/* How many instructions without a gap are added to a lane as one thing. */
#define RUN_LENGTH 1024u

/* Whether the time of events is a number of instructions, which is so if the trace has no order
   of accesses among all threads. */
static bool is_timed_by_number(const stele_context *context, uint32_t trace)
{
    for (uint32_t i = 0; i < stele_stream_count(context); i++) {
        const stele_stream *stream = stele_stream_get(context, i);
        if (stream->trace == trace)
            return stream->clock.domain == STELE_CLOCK_INSNS;
    }
    return false;
}

bool overview_has_insns(const stele_overview *o, size_t trace)
{
    return stele_trace_has_insns(o->traces[trace]) && o->only == NULL && !o->has_track_filter &&
           o->traces[trace]->options.shift_ns == 0 &&
           is_timed_by_number(o->context, stele_trace_get_info(o->traces[trace])->number);
}

/* Counts the loads and stores of `count` instructions of a batch. */
static void count_accesses(const stele_insn_batch *batch, uint32_t first, uint32_t count,
                           lane_entry *run)
{
    for (uint32_t i = first; i < first + count; i++) {
        const stele_insn_access *access = stele_insn_accesses(batch, &batch->insns[i]);
        for (uint32_t k = 0; k < batch->insns[i].access_count; k++) {
            run->u.insns.store_count += access[k].is_store != 0;
            run->u.insns.load_count += access[k].is_store == 0;
        }
    }
}

static void add_run(stele_overview *o, uint32_t number, const stele_insn_batch *batch,
                    uint32_t first, uint32_t count)
{
    overview_node *n = &o->nodes[number];
    const int64_t begin_ns = (int64_t)(batch->number + first);
    lane_entry run = {.begin_ns = begin_ns, .end_ns = begin_ns + count, .count = 1, .sum = count};
    stele_status status;
    count_accesses(batch, first, count, &run);
    n->event_count += count;
    o->state.insn_count += count;
    overview_widen(n, run.begin_ns, run.end_ns);
    overview_widen_range(o, run.begin_ns, run.end_ns);
    status = lane_add(&n->moments, &o->store, &run);
    if (o->status == STELE_OK)
        o->status = status;
}

static void take_batch(stele_overview *o, uint32_t trace, const stele_insn_batch *batch)
{
    const uint32_t above = overview_track_node(o, trace, batch->track);
    const uint32_t number =
        above != 0 ? overview_child_node(o, above, STELE_OVERVIEW_INSNS, 0, 0, 0) : 0;
    if (number == 0 || batch->number > INT64_MAX - UINT32_MAX)
        return;
    for (uint32_t i = 0; i < batch->insn_count && o->status == STELE_OK; i += RUN_LENGTH) {
        const uint32_t left = batch->insn_count - i;
        add_run(o, number, batch, i, left < RUN_LENGTH ? left : RUN_LENGTH);
    }
}

static stele_status open_insns(stele_overview *o)
{
    stele_insn_options options = STELE_INIT(stele_insn_options);
    options.wants_accesses = true;
    if (o->range_begin_ns > 0)
        options.insn_begin = (uint64_t)o->range_begin_ns;
    if (o->range_end_ns != INT64_MAX)
        options.insn_end = o->range_end_ns > 0 ? (uint64_t)o->range_end_ns : 1;
    return stele_insn_reader_new(o->traces[o->insn_trace], &options, &o->insns);
}

stele_status overview_begin_insns(stele_overview *o)
{
    stele_trace *trace = o->traces[0];
    stele_status status;
    if (!o->options.is_early || !o->is_plain || !stele_trace_has_insns(trace) ||
        !trace->info.is_seekable)
        return STELE_OK;
    o->range_begin_ns = INT64_MIN;
    o->range_end_ns = INT64_MAX;
    status = open_insns(o); /* which also makes the streams known */
    o->is_insns_first = status == STELE_OK && overview_has_insns(o, 0);
    /* Of folders and packed files it is not known how many of their stored bytes were read. */
    if (o->is_insns_first && trace->info.has_size && trace->info.packing[0] == 0)
        o->insns_size = trace->info.size;
    if (!o->is_insns_first) {
        stele_insn_reader_free(o->insns);
        o->insns = NULL;
    }
    return status;
}

/* Half of the bytes are those of the first pass, and half those of the second. */
void overview_scale_bytes(const stele_overview *o, stele_reader_stats *stats)
{
    stele_insn_stats read = STELE_INIT(stele_insn_stats);
    if (o->insns_size == 0 || o->state.is_complete)
        return;
    stats->byte_total = o->insns_size;
    if (o->is_insns_first && o->insns != NULL) {
        stele_insn_reader_get_stats(o->insns, &read);
        stats->byte_count = balance_total(&read.balance);
        if (stats->byte_count > o->insns_size)
            stats->byte_count = o->insns_size;
        stats->byte_count /= 2;
    } else {
        stats->byte_count = o->insns_size / 2 + stats->byte_count / 2;
    }
}

bool overview_step_insns(stele_overview *o, uint64_t insn_max)
{
    uint64_t taken = 0;
    for (; o->insn_trace < o->trace_count && o->status == STELE_OK; o->insn_trace++) {
        const stele_insn_batch *batch;
        stele_status status = STELE_OK;
        if (!overview_has_insns(o, o->insn_trace))
            continue;
        if (o->insns == NULL)
            status = open_insns(o);
        while (status == STELE_OK && o->status == STELE_OK) {
            if (taken >= insn_max)
                return true;
            status = stele_insn_reader_next(o->insns, &batch);
            if (status != STELE_OK)
                break;
            taken += batch->insn_count;
            take_batch(o, stele_trace_get_info(o->traces[o->insn_trace])->number, batch);
        }
        stele_insn_reader_free(o->insns);
        o->insns = NULL;
        if (status != STELE_END && o->status == STELE_OK)
            o->status = status;
    }
    return false;
}
