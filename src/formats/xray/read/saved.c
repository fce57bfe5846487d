/* SPDX-License-Identifier: Apache-2.0 */
/* Saves and loads what indexing found; docs/index.md has the layout. Ranges are sorted by thread
   and time, so those of a thread follow each other. */
#include <stdlib.h>

#include "formats/xray/trace.h"
#include "model/saved_index.h"

/* The range before, to which the next one is saved as a difference. */
typedef struct range_before {
    uint64_t begin, first_tsc;
} range_before;

/* ---- Saving an index ---- */

static void put_distance(output *out, uint64_t *before, uint64_t value)
{
    saved_put_i64(out, (int64_t)(value - *before));
    *before = value;
}

static void put_thread(const xray_trace *trace, const xray_thread *thread, output *out)
{
    const stele_stream *stream = stele_stream_get(trace->base.context, thread->stream);
    saved_put_u64(out, thread->pid);
    saved_put_u64(out, thread->tid);
    saved_put_u64(out, thread->wrapped);
    saved_put_u64(out, stream->has_range);
    saved_put_i64(out, stream->begin_ns);
    saved_put_u64(out, (uint64_t)stream->end_ns - (uint64_t)stream->begin_ns);
}

static void put_ranges(const xray_trace *trace, uint32_t thread, size_t *at, output *out)
{
    const size_t first = *at;
    range_before before = {0};
    while (*at < trace->range_count && trace->ranges[*at].thread == thread)
        ++*at;
    saved_put_u64(out, *at - first);
    for (const xray_range *r = &trace->ranges[first]; r < &trace->ranges[*at]; r++) {
        put_distance(out, &before.begin, r->begin);
        put_distance(out, &before.first_tsc, r->first_tsc);
        saved_put_u64(out, (r->end - r->begin) << 1 | r->is_cut);
        if (trace->mode == XRAY_MODE_BASIC)
            saved_put_u64(out, r->last_tsc - r->first_tsc);
    }
}

stele_status xray_save_index(stele_trace *base, output *out)
{
    const xray_trace *trace = (const xray_trace *)base;
    size_t at = 0;
    if (trace->has_findings || trace->range_count == 0)
        return STELE_ERR_UNSUPPORTED;
    saved_put_u64(out, trace->outside.record_size);
    saved_put_u64(out, trace->outside.skipped_size);
    saved_put_u64(out, trace->thread_count);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        put_thread(trace, &trace->threads[i], out);
        put_ranges(trace, i, &at, out);
    }
    return STELE_OK;
}

/* ---- Loading an index ---- */

/* A thread as it was saved. */
typedef struct thread_found {
    uint32_t pid, tid, range_count;
    uint64_t wrapped, has_range, length_ns;
    int64_t begin_ns;
} thread_found;

static bool take_distance(cursor *from, uint64_t *before, uint64_t *value)
{
    int64_t distance;
    if (!saved_take_i64(from, &distance))
        return false;
    *value = *before += (uint64_t)distance;
    return true;
}

/* A range takes at least three bytes, which bounds their number. */
static bool take_thread(cursor *from, thread_found *found)
{
    return saved_take_u32(from, &found->pid) && saved_take_u32(from, &found->tid) &&
           saved_take_u64(from, &found->wrapped) && saved_take_u64(from, &found->has_range) &&
           saved_take_i64(from, &found->begin_ns) && saved_take_u64(from, &found->length_ns) &&
           saved_take_u32(from, &found->range_count) &&
           found->length_ns <= (uint64_t)INT64_MAX - (uint64_t)found->begin_ns &&
           found->range_count <= cursor_left(from) / 3;
}

static bool take_range(const xray_trace *trace, cursor *from, range_before *before, xray_range *r)
{
    const uint64_t size = source_input(trace->base.source)->size;
    uint64_t length, duration = 0;
    if (!take_distance(from, &before->begin, &r->begin) ||
        !take_distance(from, &before->first_tsc, &r->first_tsc) || !saved_take_u64(from, &length) ||
        (trace->mode == XRAY_MODE_BASIC && !saved_take_u64(from, &duration)))
        return false;
    r->last_tsc = r->first_tsc + duration;
    r->is_cut = length & 1;
    r->end = r->begin + (length >> 1);
    return r->begin < size && r->end > r->begin && (r->end <= size || r->is_cut);
}

/* Whether the thread at this index, if it is known already, is the saved one. */
static bool is_same_thread(const xray_trace *trace, uint32_t number, const thread_found *found)
{
    return number >= trace->thread_count ||
           (trace->threads[number].pid == found->pid && trace->threads[number].tid == found->tid);
}

/* Checks all threads and ranges before anything is added to the context. */
static bool check_threads(const xray_trace *trace, cursor from, uint32_t count, size_t *ranges)
{
    *ranges = 0;
    for (uint32_t i = 0; i < count; i++) {
        thread_found found;
        range_before before = {0};
        xray_range range = {0};
        if (!take_thread(&from, &found) || !is_same_thread(trace, i, &found))
            return false;
        for (uint32_t k = 0; k < found.range_count; k++)
            if (!take_range(trace, &from, &before, &range))
                return false;
        *ranges += found.range_count;
    }
    return cursor_left(&from) == 0;
}

/* Adds a thread of an index that was checked, with its ranges. Returns STELE_ERR_FORMAT if the
   index has the thread twice. */
static stele_status add_thread(xray_trace *trace, cursor *from, uint32_t number)
{
    thread_found found;
    range_before before = {0};
    stele_stream *stream;
    uint32_t known;
    take_thread(from, &found);
    known = xray_trace_thread(trace, found.pid, found.tid);
    if (known != number)
        return known == UINT32_MAX ? STELE_ERR_MEMORY : STELE_ERR_FORMAT;
    trace->threads[number].wrapped = found.wrapped;
    stream = context_stream(trace->base.context, trace->threads[number].stream);
    stream->has_range = found.has_range != 0;
    stream->begin_ns = found.begin_ns;
    stream->end_ns = (int64_t)((uint64_t)found.begin_ns + found.length_ns);
    for (uint32_t k = 0; k < found.range_count; k++) {
        xray_range *range = &trace->ranges[trace->range_count++];
        *range = (xray_range){.thread = number};
        take_range(trace, from, &before, range);
    }
    return STELE_OK;
}

/* Forgets the ranges, so that they can be looked for in the trace. */
static void forget_ranges(xray_trace *trace)
{
    free(trace->ranges);
    trace->ranges = NULL;
    trace->range_count = trace->range_capacity = 0;
    trace->outside = (stele_balance){0};
}

stele_status xray_load_index(stele_trace *base, const uint8_t *bytes, size_t size)
{
    xray_trace *trace = (xray_trace *)base;
    cursor from = cursor_make(bytes, size);
    stele_balance outside = {0};
    stele_status status = STELE_OK;
    uint32_t count;
    if (!saved_take_u64(&from, &outside.record_size) ||
        !saved_take_u64(&from, &outside.skipped_size) || !saved_take_u32(&from, &count) ||
        count > cursor_left(&from) || !check_threads(trace, from, count, &trace->range_capacity) ||
        trace->range_capacity == 0) {
        trace->range_capacity = 0;
        return STELE_ERR_FORMAT;
    }
    trace->ranges = calloc(trace->range_capacity, sizeof *trace->ranges);
    if (trace->ranges == NULL) {
        trace->range_capacity = 0;
        return STELE_ERR_MEMORY;
    }
    trace->outside = outside;
    if (!xray_trace_keep_threads(trace))
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < count && status == STELE_OK; i++)
        status = add_thread(trace, &from, i);
    if (status != STELE_OK) {
        forget_ranges(trace);
        return status;
    }
    xray_report_wrapped(trace);
    xray_identify_clock(trace);
    return xray_find_repeats(trace);
}
