/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of time read from the middle of a trace: they have the same events as when everything
 * before is read, no other findings, and the events that the whole trace has in them. Blocks are as
 * small as possible, so that reading begins at every position where a producer has a state.
 */
#ifndef TESTS_CONTRACT_WINDOWS_H
#define TESTS_CONTRACT_WINDOWS_H

#include <stele/analysis.h>

#include "contract_run.h"
#include "model/seek.h"

#define WINDOWS_TRIED 12u

/* Makes the index with the smallest blocks, and passes it on as bytes. */
static inline void windows_index(run *r, stele_trace *trace)
{
    output *made;
    uint64_t blocks_size;
    size_t size;
    const uint8_t *bytes;
    cursor blocks, opened;
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
    blocks_size = output_offset(made);
    seek_opened_put(trace->seek, made);
    seek_index_free(trace->seek);
    bytes = output_memory(made, &size);
    blocks = cursor_make(bytes, (size_t)blocks_size);
    opened = cursor_make(bytes + blocks_size, size - (size_t)blocks_size);
    trace->seek = seek_index_take(&blocks, trace->stream_count, &status);
    if (trace->seek == NULL || cursor_left(&blocks) != 0 || !seek_opened_take(trace->seek, &opened))
        r->broken = "blocks do not come back from their bytes";
    output_close(made);
}

/* Reads a range with such blocks or without any. Returns how many blocks there were. */
static inline uint32_t windows_read(run *r, const run_input *in, const stele_request *request,
                                    bool is_indexed, run_segment_fn *fn, void *user)
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
        run_pull(r, trace, request, run_input_limit(in), fn, user);
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

/* Returns whether all findings of a range read from the middle are also found when everything is
   read. The latter may find more: about bytes right after the range, which were passed over. */
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

/* Returns how many events of a run begin in a range. Losses are left out, as the next packet
   tells that events were lost, and a range that ends before it does not read that packet. */
static inline size_t windows_count(const run *r, int64_t begin_ns, int64_t end_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < r->event_count; i++)
        count += (r->events[i].flags & STELE_FLAG_NO_TIME) == 0 &&
                 r->events[i].kind != STELE_KIND_LOST && r->events[i].time_ns >= begin_ns &&
                 is_before_end(r->events[i].time_ns, end_ns);
    return count;
}

/* ---- What is open ---- */

/* The picture of a range, in which spans that are open at its begin are begun. */
typedef struct windows_picture {
    run *r;
    int64_t begin_ns, end_ns;
    stele_picture *picture; /* NULL: nothing was given yet */
    uint64_t sum, count;
} windows_picture;

static inline stele_status windows_draw(void *user, const stele_segment *segment)
{
    windows_picture *p = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        uint64_t hash =
            run_hash_text(event->kind, stele_name_text(p->r->context, segment->batch, event->name));
        if ((event->flags & STELE_FLAG_NO_TIME) != 0)
            continue;
        hash =
            hash_mix(hash ^ (uint64_t)event->time_ns, run_hash_track(p->r->context, event->track));
        p->sum += hash;
        p->count++;
    }
    return STELE_OK;
}

static inline stele_status windows_add(void *user, const stele_segment *segment)
{
    windows_picture *p = user;
    stele_status status = STELE_OK;
    if (p->picture == NULL) {
        status = stele_picture_new(p->r->context, windows_draw, p, &p->picture);
        if (status == STELE_OK)
            status = stele_picture_set_window(p->picture, p->begin_ns, p->end_ns);
    }
    return status == STELE_OK ? stele_picture_add(p->picture, segment) : status;
}

/* Draws a range with blocks or without any. Finishes the picture before its context is freed. */
static inline void windows_draw_all(windows_picture *p, const run_input *in, stele_request request,
                                    bool is_indexed)
{
    stele_trace *trace;
    run r = {0};
    request.struct_size = sizeof request;
    request.from_start = request.open_only = true;
    request.kinds = STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) |
                    STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) | STELE_KIND_BIT(STELE_KIND_COMPLETE);
    p->r = &r;
    if (!run_begin(&r))
        return;
    trace = run_open(&r, in);
    if (trace != NULL && is_indexed && trace->info.is_seekable)
        windows_index(&r, trace);
    if (trace != NULL)
        run_pull(&r, trace, &request, run_input_limit(in), windows_add, p);
    if (p->picture != NULL)
        run_fail(&r, stele_picture_finish(p->picture));
    stele_picture_free(p->picture);
    stele_trace_close(trace);
    run_end(&r);
    run_free(&r);
}

static inline bool windows_show_the_same(const run_input *in, const stele_request *request,
                                         const run *plain)
{
    windows_picture whole = {.begin_ns = plain->stats.range_begin_ns,
                             .end_ns = plain->stats.range_end_ns};
    windows_picture sought = whole;
    windows_draw_all(&whole, in, *request, false);
    windows_draw_all(&sought, in, *request, true);
    return whole.sum == sought.sum && whole.count == sought.count;
}

/* Returns what does not hold for a range; NULL: all holds. */
static inline const char *windows_try(const run_input *in, const stele_request *request,
                                      const run *whole)
{
    run plain = {0}, sought = {0};
    const char *broken = NULL;
    int64_t end_ns;
    windows_read(&plain, in, request, false, NULL, NULL);
    windows_read(&sought, in, request, true, NULL, NULL);
    end_ns = plain.stats.range_end_ns;
    if (plain.status != sought.status || sought.broken != NULL)
        broken = sought.broken != NULL ? sought.broken : "reading from the middle fails";
    else if (!windows_have_same_events(&plain, &sought))
        broken = "read from the middle, a range has other events";
    else if (!windows_have_same_findings(&plain, &sought))
        broken = "read from the middle, a range has other findings";
    /* A damaged trace may say that its parts are at other times than their events. */
    else if (plain.status == STELE_OK && whole->finding_count == 0 &&
             windows_count(whole, plain.stats.range_begin_ns, end_ns) !=
                 windows_count(&sought, plain.stats.range_begin_ns, end_ns))
        broken = "a range has other events than the whole has in it";
    if (broken == NULL && plain.status == STELE_OK && !windows_show_the_same(in, request, &plain))
        broken = "read from the middle, a range shows other calls";
    run_free(&plain);
    run_free(&sought);
    return broken;
}

#endif
