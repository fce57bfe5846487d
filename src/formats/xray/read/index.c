/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ranges of every thread, in one pass over the file. */
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/xray/read/grid.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/trace.h"
#include "model/times.h"

#define INDEX_WINDOW_SIZE ((size_t)4 << 10)

/* ---- Ranges of threads ---- */

static bool ranges_add(xray_trace *trace, const xray_range *range)
{
    if (trace->range_count == trace->range_capacity) {
        xray_range *ranges =
            array_grow_size(trace->ranges, sizeof *ranges, &trace->range_capacity, 256);
        if (ranges == NULL)
            return false;
        trace->ranges = ranges;
    }
    trace->ranges[trace->range_count++] = *range;
    return true;
}

static int range_compare(const void *left, const void *right)
{
    const xray_range *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->first_tsc != b->first_tsc)
        return a->first_tsc < b->first_tsc ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Counts the bytes between the ranges: they were skipped, or are headers and extents. */
static void count_outside(xray_trace *trace, uint64_t skipped_size)
{
    const uint64_t size = source_input(trace->base.source)->size;
    uint64_t inside = 0;
    for (size_t i = 0; i < trace->range_count; i++) {
        const xray_range *range = &trace->ranges[i];
        inside += (range->end < size ? range->end : size) - range->begin;
    }
    trace->outside =
        (stele_balance){.record_size = size - inside - skipped_size, .skipped_size = skipped_size};
}

static stele_status index_fdr(xray_trace *trace, window *w)
{
    xray_locator locator = {.trace = trace, .next = XRAY_HEADER_SIZE};
    xray_range range = {0};
    stele_status status;
    while ((status = xray_locate(&locator, w, &range)) == STELE_OK) {
        if (!ranges_add(trace, &range))
            return STELE_ERR_MEMORY;
    }
    if (status == STELE_END)
        count_outside(trace, locator.skipped);
    return status == STELE_END ? STELE_OK : status;
}

/* Makes ranges of basic-mode records: neighbouring records of a thread become one range. */
static stele_status index_basic(xray_trace *trace, window *w)
{
    const bool big = trace->header.is_big_endian;
    xray_range range = {0};
    bool has_range = false;
    uint64_t left, skipped = 0;
    xray_basic_past past = {.count = 0};
    while (window_need(w, XRAY_BASIC_SIZE) >= XRAY_BASIC_SIZE) {
        const unsigned skip = xray_basic_skip(trace, w, &past);
        if (skip != 0) {
            if (has_range && !ranges_add(trace, &range))
                return STELE_ERR_MEMORY;
            has_range = false;
            diag_report(&trace->base.context->diag, &xray_codes[XRY014], w->in->name,
                        window_offset(w), skip, XRAY_BASIC_EXPECTED, "other bytes");
            w->at += skip;
            skipped += skip;
            continue;
        }
        const bool is_argument = xray_load16(big, w->at) == 1;
        const uint32_t tid = xray_load32(big, w->at + (is_argument ? 8 : 16));
        const uint32_t pid =
            trace->header.version < 3 ? 0 : xray_load32(big, w->at + (is_argument ? 12 : 20));
        const uint32_t thread = xray_trace_thread(trace, pid, tid);
        const uint64_t at = window_offset(w);
        if (thread == UINT32_MAX)
            return STELE_ERR_MEMORY;
        if (has_range && thread != range.thread) {
            if (!ranges_add(trace, &range))
                return STELE_ERR_MEMORY;
            has_range = false;
        }
        if (!has_range) {
            range = (xray_range){.begin = at, .thread = thread};
            has_range = true;
        }
        if (range.first_tsc == 0 && !is_argument)
            range.first_tsc = xray_load64(big, w->at + 8);
        if (!is_argument)
            range.last_tsc = xray_load64(big, w->at + 8);
        range.end = at + XRAY_BASIC_SIZE;
        w->at += XRAY_BASIC_SIZE;
    }
    if (has_range && !ranges_add(trace, &range))
        return STELE_ERR_MEMORY;
    left = (uint64_t)(w->end - w->at);
    if (left != 0 && w->status == STELE_OK)
        diag_report(&trace->base.context->diag, &xray_codes[XRY017], w->in->name, window_offset(w),
                    left, "a record of 32 bytes", "the end of the file");
    count_outside(trace, skipped + left);
    return w->status;
}

/* Finds the least and the greatest counter of a range, whose last one need not be either: the
   counter of another CPU may be less. */
static void find_tsc(xray_trace *trace, window *w, const xray_range *range, uint64_t *least,
                     uint64_t *most)
{
    uint64_t tsc = range->first_tsc;
    stele_xray_record records[256];
    *least = *most = tsc;
    if (trace->mode == XRAY_MODE_BASIC) {
        *most = range->last_tsc;
        return;
    }
    window_move(w, range->begin, range->end);
    while (window_need(w, XRAY_METADATA_SIZE) >= XRAY_FUNCTION_SIZE) {
        stele_xray_result result;
        size_t used;
        const size_t count = stele_xray_decode(
            &trace->header, &tsc, w->at, (size_t)(w->end - w->at), records, 256, &used, &result);
        for (size_t i = 0; i < count; i++) {
            if (records[i].kind >= STELE_XRAY_NEW_BUFFER &&
                records[i].kind != STELE_XRAY_CUSTOM_EVENT &&
                records[i].kind != STELE_XRAY_TYPED_EVENT)
                continue; /* no event, and perhaps no counter yet */
            *least = records[i].tsc < *least ? records[i].tsc : *least;
            *most = records[i].tsc > *most ? records[i].tsc : *most;
        }
        w->at += used;
        if (result == STELE_XRAY_SHORT && used == 0) {
            const size_t left = (size_t)(w->end - w->at);
            if (window_need(w, left + 1) <= left)
                break;
        } else if (result != STELE_XRAY_OK && result != STELE_XRAY_SHORT) {
            break;
        }
    }
}

/* Sets the thread's range of time; `last` is its last range. Outliers are at either end, as ranges
   are sorted; the last of the other ranges gives the end. */
static void end_ranges(xray_trace *trace, window *w, stele_stream *stream, times *range_times,
                       size_t last)
{
    const xray_range *range = &trace->ranges[last];
    uint64_t least, most;
    bool is_clamped = false;
    times_end(range_times);
    while (range > trace->ranges && range[-1].thread == range->thread &&
           tick_rate_ns(&trace->rate, range->first_tsc, &is_clamped) > range_times->end_ns)
        range--;
    find_tsc(trace, w, range, &least, &most);
    times_add_end(range_times, tick_rate_ns(&trace->rate, most, &is_clamped), range->begin,
                  range->end - range->begin);
    if (least < range->first_tsc)
        times_add(range_times, tick_rate_ns(&trace->rate, least, &is_clamped), range->begin,
                  range->end - range->begin);
    times_end(range_times);
    trace->has_findings |= range_times->outlier_count != 0;
    stream->has_range = true;
    stream->begin_ns = times_first(range_times);
    stream->end_ns = range_times->end_ns;
}

/* Sorts the ranges by thread and time, and gives every stream its range of time. */
static void order_ranges(xray_trace *trace, window *w)
{
    times range_times = {0};
    bool is_clamped = false;
    if (trace->range_count != 0)
        qsort(trace->ranges, trace->range_count, sizeof *trace->ranges, range_compare);
    for (size_t i = 0; i < trace->range_count; i++) {
        const xray_range *range = &trace->ranges[i];
        stele_stream *stream =
            context_stream(trace->base.context, trace->threads[range->thread].stream);
        const bool is_first = i == 0 || range[-1].thread != range->thread;
        const bool is_last = i + 1 == trace->range_count || range[1].thread != range->thread;
        if (is_first)
            range_times =
                (times){.diag = &trace->base.context->diag, .source = trace->base.info.path};
        times_add(&range_times, tick_rate_ns(&trace->rate, range->first_tsc, &is_clamped),
                  range->begin, range->end - range->begin);
        if (is_last)
            end_ranges(trace, w, stream, &range_times, i);
    }
}

static void find_wrapped(xray_trace *trace)
{
    for (size_t i = 0; i < trace->range_count; i++) {
        const xray_range *range = &trace->ranges[i];
        xray_thread *thread = &trace->threads[range->thread];
        if (range->first_tsc < thread->last_tsc && thread->wrapped == 0)
            thread->wrapped = range->begin;
        thread->last_tsc = range->first_tsc;
    }
}

void xray_report_wrapped(xray_trace *trace)
{
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        if (trace->threads[i].wrapped == 0)
            continue;
        diag_report(&trace->base.context->diag, &xray_codes[XRY011], trace->base.info.path,
                    trace->threads[i].wrapped, 0, "buffers in the order of time",
                    "a buffer of thread %u that is older than the one before it",
                    (unsigned)trace->threads[i].tid);
    }
}

void xray_identify_clock(const xray_trace *trace)
{
    uint64_t pid = UINT64_MAX;
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (trace->threads[i].pid != 0 && trace->threads[i].pid < pid)
            pid = trace->threads[i].pid;
    for (uint32_t i = 0; pid != UINT64_MAX && i < trace->thread_count; i++) {
        stele_stream *stream = context_stream(trace->base.context, trace->threads[i].stream);
        stream->clock.identity[0] = UINT64_C(0x78726179) << 32 | pid;
        stream->clock.identity[1] = trace->header.frequency_hz;
    }
}

static uint64_t reported_count(const xray_trace *trace)
{
    const uint64_t *counts = trace->base.context->diag.counts;
    return counts[0] + counts[1] + counts[2];
}

stele_status xray_index(stele_trace *base)
{
    xray_trace *trace = (xray_trace *)base;
    const uint64_t before = reported_count(trace);
    window w;
    stele_status status = window_open(
        &w, source_input(base->source), XRAY_HEADER_SIZE, UINT64_MAX,
        trace->mode == XRAY_MODE_FDR ? INDEX_WINDOW_SIZE : base->context->limits.window_size,
        base->context->limits.record_size_max);
    if (status == STELE_OK && !xray_trace_keep_threads(trace)) {
        window_close(&w);
        status = STELE_ERR_MEMORY;
    }
    if (status != STELE_OK)
        return status;
    status = trace->mode == XRAY_MODE_FDR ? index_fdr(trace, &w) : index_basic(trace, &w);
    if (status == STELE_OK) {
        trace->has_findings = reported_count(trace) != before;
        if (trace->mode == XRAY_MODE_FDR)
            find_wrapped(trace);
        xray_report_wrapped(trace);
        order_ranges(trace, &w);
        xray_identify_clock(trace);
    }
    window_close(&w);
    return status == STELE_OK ? xray_find_repeats(trace) : status;
}

void xray_ranges_of(const xray_trace *trace, uint32_t stream, size_t *first, size_t *end)
{
    *first = *end = 0;
    if (stream == PRODUCE_ALL)
        return;
    while (*first < trace->range_count &&
           trace->threads[trace->ranges[*first].thread].stream != stream)
        ++*first;
    *end = *first;
    while (*end < trace->range_count && trace->threads[trace->ranges[*end].thread].stream == stream)
        ++*end;
}

bool xray_ranges_find(const xray_trace *trace, size_t *range, size_t end, uint64_t position,
                      uint64_t *rest)
{
    const uint64_t size = source_input(trace->base.source)->size;
    for (; *range < end; ++*range) {
        const xray_range *at = &trace->ranges[*range];
        const uint64_t range_size = (at->end < size ? at->end : size) - at->begin;
        *rest = position;
        if (position < range_size)
            return true;
        position -= range_size;
    }
    return false;
}
