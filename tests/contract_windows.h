/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of time that are read from the middle of a trace: the same events as when all that
 * stands before is read, no other findings, and those that the whole has in them. Blocks are as
 * small as they can be, so that reading goes on at every place where a producer has a state.
 */
#ifndef TESTS_CONTRACT_WINDOWS_H
#define TESTS_CONTRACT_WINDOWS_H

#include "contract_run.h"
#include "model/seek.h"

#define WINDOWS_TRIED 12u

/* Makes the smallest blocks, and takes them through their bytes. */
static inline void windows_index(run *r, stele_trace *trace)
{
    output *made;
    stele_status status = trace_index(trace);
    if (status != STELE_OK || !trace->is_indexed)
        return;
    seek_index_free(trace->seek);
    trace->seek = NULL;
    status = seek_build(trace, 1);
    run_fail(r, status == STELE_ERR_UNSUPPORTED ? STELE_OK : status);
    if (trace->seek == NULL || output_open_memory(&r->context->diag, &made) != STELE_OK)
        return;
    seek_index_put(trace->seek, made);
    seek_index_free(trace->seek);
    size_t size;
    const uint8_t *bytes = output_memory(made, &size);
    cursor from = cursor_make(bytes, size);
    trace->seek = seek_index_take(&from, trace->stream_count, &status);
    if (trace->seek == NULL || cursor_left(&from) != 0)
        r->broken = "blocks do not come back from their bytes";
    output_close(made);
}

/* Reads a range with such blocks, or without any. Returns how many blocks there were. */
static inline uint32_t windows_read(run *r, const run_input *in, const stele_request *request,
                                    bool is_indexed)
{
    stele_trace *trace;
    uint32_t blocks = 0;
    if (!run_begin(r))
        return 0;
    trace = run_open(r, in);
    if (trace != NULL && is_indexed && trace->info.is_seekable)
        windows_index(r, trace);
    if (trace != NULL && !is_indexed && trace->info.is_seekable) {
        run_fail(r, trace_index(trace));
        seek_index_free(trace->seek);
        trace->seek = NULL;
    }
    for (uint32_t i = 0; trace != NULL && trace->seek != NULL && i < trace->seek->stream_count; i++)
        blocks += trace->seek->streams[i].count;
    if (trace != NULL && r->status == STELE_OK && r->broken == NULL)
        run_pull(r, trace, request, run_input_limit(in), NULL, NULL);
    stele_trace_close(trace);
    run_end(r);
    return blocks;
}

static inline bool windows_is_among(const run *r, const run_finding *finding)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        if (r->findings[i].code == finding->code && r->findings[i].offset == finding->offset &&
            strcmp(r->findings[i].found, finding->found) == 0)
            return true;
    }
    return false;
}

/* Nothing is reported that is not when all is read. The other way there may be some: of bytes that
   were passed over, right after the range. */
static inline bool windows_have_same_findings(const run *plain, const run *sought)
{
    bool is_same = sought->finding_count <= plain->finding_count;
    for (size_t i = 0; i < sought->finding_count; i++)
        is_same &= windows_is_among(plain, &sought->findings[i]);
    return is_same;
}

static inline bool windows_have_same_events(const run *a, const run *b)
{
    if (a->event_count != b->event_count)
        return false;
    for (size_t i = 0; i < a->event_count; i++) {
        if (a->events[i].offset != b->events[i].offset ||
            !run_event_is_same(&a->events[i], &b->events[i]))
            return false;
    }
    return true;
}

/* How many events of a run begin in a range. */
static inline size_t windows_count(const run *r, int64_t begin_ns, int64_t end_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < r->event_count; i++)
        count += (r->events[i].flags & STELE_FLAG_NO_TIME) == 0 &&
                 r->events[i].time_ns >= begin_ns && is_before_end(r->events[i].time_ns, end_ns);
    return count;
}

/* NULL, or what does not hold of a range. */
static inline const char *windows_try(const run_input *in, const stele_request *request,
                                      const run *whole)
{
    run plain = {0}, sought = {0};
    const char *broken = NULL;
    int64_t end_ns;
    windows_read(&plain, in, request, false);
    windows_read(&sought, in, request, true);
    end_ns = plain.stats.range_end_ns;
    if (plain.status != sought.status || sought.broken != NULL)
        broken = sought.broken != NULL ? sought.broken : "reading from the middle fails";
    else if (!windows_have_same_events(&plain, &sought))
        broken = "read from the middle, a range has other events";
    else if (!windows_have_same_findings(&plain, &sought))
        broken = "read from the middle, a range has other findings";
    else if (plain.status == STELE_OK &&
             windows_count(whole, plain.stats.range_begin_ns, end_ns) !=
                 windows_count(&sought, plain.stats.range_begin_ns, end_ns))
        broken = "a range has other events than the whole has in it";
    run_free(&plain);
    run_free(&sought);
    return broken;
}

#endif
