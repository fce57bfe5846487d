/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, function names, and the pass that finds the ranges of every thread. */
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "formats/xray/decode.h"
#include "formats/xray/trace.h"
#include "model/batch.h"

#define INDEX_WINDOW_SIZE ((size_t)4 << 10)

/* ---- Threads ---- */

static uint32_t *thread_slot(const xray_trace *trace, uint32_t pid, uint32_t tid)
{
    uint32_t at = (uint32_t)hash_u64((uint64_t)pid << 32 | tid) & trace->thread_slot_mask;
    for (;; at = (at + 1) & trace->thread_slot_mask) {
        uint32_t *slot = &trace->thread_slots[at];
        const xray_thread *thread = &trace->threads[*slot - 1];
        if (*slot == 0 || (thread->pid == pid && thread->tid == tid))
            return slot;
    }
}

static bool threads_grow(xray_trace *trace)
{
    const uint32_t capacity = trace->thread_capacity == 0 ? 64 : trace->thread_capacity * 2;
    xray_thread *threads = realloc(trace->threads, capacity * sizeof *threads);
    uint32_t *slots;
    if (threads == NULL)
        return false;
    trace->threads = threads;
    slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (slots == NULL)
        return false;
    free(trace->thread_slots);
    trace->thread_slots = slots;
    trace->thread_slot_mask = capacity * 2 - 1;
    trace->thread_capacity = capacity;
    for (uint32_t i = 0; i < trace->thread_count; i++)
        *thread_slot(trace, threads[i].pid, threads[i].tid) = i + 1;
    return true;
}

uint32_t xray_trace_thread(xray_trace *trace, uint32_t pid, uint32_t tid)
{
    stele_context *context = trace->base.context;
    xray_thread *thread;
    uint32_t process = 0, *slot;
    if (trace->thread_slots != NULL) {
        slot = thread_slot(trace, pid, tid);
        if (*slot != 0)
            return *slot - 1;
    }
    if (trace->thread_count == trace->thread_capacity && !threads_grow(trace))
        return UINT32_MAX;
    thread = &trace->threads[trace->thread_count];
    *thread = (xray_thread){.pid = pid, .tid = tid};
    if (pid != 0)
        process = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_PROCESS,
                                                             .source = trace->base.info.number,
                                                             .number = pid});
    thread->track = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_THREAD,
                                                               .parent = process,
                                                               .source = trace->base.info.number,
                                                               .number = tid});
    if (thread->track == 0 || (pid != 0 && process == 0))
        return UINT32_MAX;
    /* Counters of CPUs may disagree by a little; a small window puts that right. */
    thread->stream = context_add_stream(context, &(stele_stream){.trace = trace->base.info.number,
                                                                 .number = tid,
                                                                 .track = thread->track,
                                                                 .clock = trace->clock,
                                                                 .has_lateness = true,
                                                                 .lateness_ns = 1000});
    if (thread->stream == UINT32_MAX)
        return UINT32_MAX;
    *thread_slot(trace, pid, tid) = ++trace->thread_count;
    return trace->thread_count - 1;
}

/* ---- Functions ---- */

static bool function_names_reserve(xray_trace *trace, uint32_t function)
{
    uint32_t count = trace->function_name_count == 0 ? 1024 : trace->function_name_count;
    stele_name *names;
    while (count <= function)
        count *= 2;
    if (count == trace->function_name_count)
        return true;
    names = realloc(trace->function_names, count * sizeof *names);
    if (names == NULL)
        return false;
    memset(names + trace->function_name_count, 0,
           (count - trace->function_name_count) * sizeof *names);
    trace->function_names = names;
    trace->function_name_count = count;
    return true;
}

/* With shared objects the object's number stands above 24 bits of function: FORMAT.md "Function
   ids". */
stele_name xray_trace_function_slow(xray_trace *trace, stele_batch *batch, uint32_t function)
{
    char number[16];
    const int size = snprintf(number, sizeof number, "@(%u)", (unsigned)function);
    stele_text text = {number, (size_t)size};
    stele_name name;
    if (trace->base.resolve != NULL) {
        const stele_text resolved =
            trace->base.resolve(trace->base.resolve_user, function >> STELE_XRAY_OBJECT_SHIFT,
                                function & STELE_XRAY_FUNCTION_MASK);
        if (resolved.size != 0)
            text = resolved;
    }
    name = context_name(trace->base.context, batch, text.bytes, text.size, trace->base.info.path,
                        STELE_NO_OFFSET);
    if (function < XRAY_NAMED_FUNCTIONS_MAX && (name & STELE_NAME_LOCAL) == 0) {
        if (!function_names_reserve(trace, function))
            return UINT32_MAX;
        trace->function_names[function] = name;
    }
    return name;
}

/* ---- Ranges ---- */

static bool ranges_add(xray_trace *trace, const xray_range *range)
{
    if (trace->range_count == trace->range_capacity) {
        const size_t capacity = trace->range_capacity == 0 ? 256 : trace->range_capacity * 2;
        xray_range *ranges = realloc(trace->ranges, capacity * sizeof *ranges);
        if (ranges == NULL)
            return false;
        trace->ranges = ranges;
        trace->range_capacity = capacity;
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

static stele_status index_fdr(xray_trace *trace, window *w)
{
    xray_locator locator = {.trace = trace, .next = XRAY_HEADER_SIZE};
    xray_range range = {0};
    stele_status status;
    while ((status = xray_locate(&locator, w, &range)) == STELE_OK) {
        if (!ranges_add(trace, &range))
            return STELE_ERR_MEMORY;
    }
    return status == STELE_END ? STELE_OK : status;
}

/* Basic-mode records of a thread stand in blocks: neighbours become one range. */
static stele_status index_basic(xray_trace *trace, window *w)
{
    const bool big = trace->header.is_big_endian;
    xray_range range = {0};
    bool has_range = false;
    while (window_need(w, XRAY_BASIC_SIZE) >= XRAY_BASIC_SIZE) {
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
        range.end = at + XRAY_BASIC_SIZE;
        w->at += XRAY_BASIC_SIZE;
    }
    if (has_range && !ranges_add(trace, &range))
        return STELE_ERR_MEMORY;
    return w->status;
}

/* The counter at the end of a range. */
static uint64_t last_tsc(xray_trace *trace, window *w, const xray_range *range)
{
    uint64_t tsc = range->first_tsc;
    stele_xray_record records[256];
    if (trace->mode == XRAY_MODE_BASIC) {
        for (uint64_t at = range->end; at > range->begin; at -= XRAY_BASIC_SIZE) {
            window_move(w, at - XRAY_BASIC_SIZE, range->end);
            if (window_need(w, XRAY_BASIC_SIZE) >= XRAY_BASIC_SIZE &&
                xray_load16(trace->header.is_big_endian, w->at) == 0)
                return xray_load64(trace->header.is_big_endian, w->at + 8);
        }
        return tsc;
    }
    window_move(w, range->begin, range->end);
    while (window_need(w, XRAY_METADATA_SIZE) >= XRAY_FUNCTION_SIZE) {
        stele_xray_result result;
        size_t used;
        stele_xray_decode(&trace->header, &tsc, w->at, (size_t)(w->end - w->at), records, 256,
                          &used, &result);
        w->at += used;
        if (result == STELE_XRAY_SHORT && used == 0) {
            const size_t left = (size_t)(w->end - w->at);
            if (window_need(w, left + 1) <= left)
                break;
        } else if (result != STELE_XRAY_OK && result != STELE_XRAY_SHORT) {
            break;
        }
    }
    return tsc;
}

/* Sorts the ranges by thread and time, and gives every stream its range of time. */
static void order_ranges(xray_trace *trace, window *w)
{
    bool is_clamped = false;
    if (trace->range_count != 0)
        qsort(trace->ranges, trace->range_count, sizeof *trace->ranges, range_compare);
    for (size_t i = 0; i < trace->range_count; i++) {
        const xray_range *range = &trace->ranges[i];
        stele_stream *stream =
            context_stream(trace->base.context, trace->threads[range->thread].stream);
        const bool is_first = i == 0 || range[-1].thread != range->thread;
        const bool is_last = i + 1 == trace->range_count || range[1].thread != range->thread;
        if (is_first) {
            stream->has_range = true;
            stream->begin_ns = tick_rate_ns(&trace->rate, range->first_tsc, &is_clamped);
        }
        if (is_last)
            stream->end_ns = tick_rate_ns(&trace->rate, last_tsc(trace, w, range), &is_clamped);
    }
}

/* Buffers of a thread that stand against the order of time: the ring ran full. */
static void report_wrapped(xray_trace *trace)
{
    for (size_t i = 0; i < trace->range_count; i++) {
        const xray_range *range = &trace->ranges[i];
        xray_thread *thread = &trace->threads[range->thread];
        if (range->first_tsc < thread->last_tsc && !thread->is_wrapped_reported) {
            thread->is_wrapped_reported = true;
            diag_report(&trace->base.context->diag, &xray_codes[XRY011], trace->base.info.path,
                        range->begin, 0, "buffers in the order of time",
                        "a buffer of thread %u that is older than the one before it",
                        (unsigned)thread->tid);
        }
        thread->last_tsc = range->first_tsc;
    }
}

stele_status xray_index(stele_trace *base)
{
    xray_trace *trace = (xray_trace *)base;
    window w;
    stele_status status = window_open(
        &w, source_input(base->source), XRAY_HEADER_SIZE, UINT64_MAX,
        trace->mode == XRAY_MODE_FDR ? INDEX_WINDOW_SIZE : base->context->limits.window_size,
        base->context->limits.record_size_max);
    if (status != STELE_OK)
        return status;
    status = trace->mode == XRAY_MODE_FDR ? index_fdr(trace, &w) : index_basic(trace, &w);
    if (status == STELE_OK) {
        if (trace->mode == XRAY_MODE_FDR)
            report_wrapped(trace);
        order_ranges(trace, &w);
    }
    window_close(&w);
    return status;
}
