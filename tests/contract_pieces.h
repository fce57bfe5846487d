/* SPDX-License-Identifier: Apache-2.0 */
/* A trace cut by a copier into two or three pieces, at any times, and read from the pieces gives
   the events of the whole trace: each of them once, and no others. */
#ifndef TESTS_CONTRACT_PIECES_H
#define TESTS_CONTRACT_PIECES_H

#include <stele/writer.h>

#include "contract_archive.h"
#include "contract_run.h"
#include "core/output.h"

#define PIECES_MAX 3u

typedef struct piece_bytes {
    uint8_t *at;
    size_t size;
} piece_bytes;

/* Takes the bytes of an output in memory; of a folder, an archive of its files. */
static inline piece_bytes pieces_take(output *out)
{
    piece_bytes b = {NULL, 0};
    const uint8_t *from = output_memory(out, &b.size);
    if (out->is_folder) {
        archive a = {.at = NULL};
        archive_add_output(&a, out);
        archive_end(&a);
        b = (piece_bytes){a.at, a.size};
    } else {
        b.at = __real_malloc(b.size + 1);
        if (b.at == NULL)
            abort();
        memcpy(b.at, from, b.size);
    }
    output_close(out);
    return b;
}

static inline stele_status pieces_keep(void *user, const stele_segment *segment)
{
    return stele_copier_keep(user, segment);
}

/* Returns the part of a trace that a request asks for, written by the format's copier. */
static inline piece_bytes pieces_cut(run *r, const run_input *in, const stele_request *request,
                                     bool begins_open)
{
    const stele_copier_options options = {.struct_size = sizeof options,
                                          .cut = begins_open ? request : NULL};
    piece_bytes result = {NULL, 0};
    stele_copier *copied = NULL;
    output *out = NULL;
    stele_trace *trace;
    stele_status status;
    if (!run_begin(r))
        return result;
    trace = run_open(r, in);
    status = trace == NULL    ? STELE_END
             : in->is_archive ? output_open_folder(&r->context->diag, NULL, false, &out)
                              : output_open_memory(&r->context->diag, &out);
    if (status == STELE_OK)
        status = stele_copier_open(r->context, out, in->format, &trace, 1, &options, &copied);
    run_fail(r, status);
    if (status == STELE_OK) {
        run_pull(r, trace, request, run_input_limit(in), pieces_keep, copied);
        run_fail(r, stele_copier_finish(copied));
    }
    stele_copier_close(copied);
    stele_trace_close(trace);
    run_end(r);
    if (out != NULL)
        result = pieces_take(out);
    return result;
}

/* Reads several pieces as one trace. `is_shifted`: their clocks are said to be the same. */
static inline void pieces_read(run *r, const run_input *in, const piece_bytes *pieces, size_t count,
                               bool is_shifted)
{
    static const stele_request request = {.order = STELE_ORDER_FULL, .columns = STELE_COLUMNS_ALL};
    stele_trace *traces[PIECES_MAX] = {NULL};
    stele_reader *reader;
    stele_segment segment;
    stele_status status = STELE_OK;
    if (!run_begin(r))
        return;
    for (size_t i = 0; i < count && r->status == STELE_OK; i++) {
        run_input piece = *in;
        piece.bytes = pieces[i].at;
        piece.size = pieces[i].size;
        traces[i] = run_open(r, &piece);
        if (traces[i] != NULL && is_shifted)
            traces[i]->options.has_shift = true;
    }
    if (r->status == STELE_OK) {
        status = stele_reader_open(r->context, traces, count, &request, &reader);
        while (status == STELE_OK && (status = stele_reader_next(reader, &segment)) == STELE_OK) {
            for (uint32_t i = 0; i < segment.count; i++)
                run_add_event(r, segment.batch, &segment.batch->events[segment.first + i]);
        }
        run_fail(r, status);
        stele_reader_close(reader);
    }
    for (size_t i = 0; i < count; i++)
        stele_trace_close(traces[i]);
    run_end(r);
}

/*
 * Returns a sum over all that happened. Left out are losses, as what is in another piece is a gap
 * in the counters, and states, such as objects, metadata and snapshots, as a piece may repeat those
 * from before it. Times that count instructions begin anew in each piece, and a result does not
 * know its call.
 */
static inline uint64_t pieces_sum(const run *r, size_t *count)
{
    uint64_t sum = 0;
    bool has_insns = false;
    *count = 0;
    for (size_t i = 0; i < r->event_count && !has_insns; i++)
        has_insns = r->events[i].kind == STELE_KIND_INSN;
    for (size_t i = 0; i < r->event_count; i++) {
        run_event event = r->events[i];
        if (event.kind == STELE_KIND_LOST || event.kind == STELE_KIND_METADATA ||
            event.kind == STELE_KIND_OBJECT || event.kind == STELE_KIND_SNAPSHOT)
            continue;
        if (has_insns)
            event.columns[RUN_TIME] = 0;
        if (event.kind == STELE_KIND_SYSCALL)
            event.columns[RUN_VALUE] = 0;
        sum += hash_bytes(event.columns, sizeof event.columns) + event.kind;
        ++*count;
    }
    return sum;
}

/* Returns whether a copy has events that were not asked for, because records cannot be split. */
static inline bool pieces_have_more(const run *r)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        if (r->findings[i].code->severity == STELE_NOTE &&
            strstr(r->findings[i].found, " not asked for") != NULL)
            return true;
    }
    return false;
}

/* Returns whether pieces whose clocks are only said to be the same give events twice, as
   documented: what lasts over a cut is in both pieces, and what has no time is in all. */
static inline bool pieces_share_events(const run *r)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].kind == STELE_KIND_COMPLETE ||
            (r->events[i].flags & STELE_FLAG_NO_TIME) != 0)
            return true;
    return false;
}

/* Returns what is wrong with the pieces, read as one trace; NULL: nothing. `*is_refused`: their
   clocks are not known to be the same. */
static inline const char *pieces_compare(run *r, const run *whole, bool *is_refused)
{
    size_t has, wants;
    *is_refused = r->status == STELE_ERR_CLOCKS;
    if (*is_refused)
        return NULL;
    if (r->status != STELE_OK)
        return "pieces cannot be read together";
    if (pieces_sum(r, &has) == pieces_sum(whole, &wants))
        return NULL;
    return has < wants   ? "pieces have fewer events than the whole"
           : has > wants ? "pieces have more events than the whole"
                         : "pieces have other events than the whole";
}

/*
 * Returns what does not hold for a trace that is cut at these times, which rise; NULL: all holds.
 * With `begins_open`, spans open at a cut are begun there. Then each event is given once only if
 * the clocks of the pieces are known to be the same; if they are not, `*is_refused` is set.
 */
static inline const char *pieces_try(const run_input *in, const run *whole, const int64_t *times,
                                     size_t time_count, bool begins_open, bool *is_refused)
{
    piece_bytes pieces[PIECES_MAX] = {{NULL, 0}};
    const char *broken = NULL;
    bool has_more = false;
    size_t used = 0;
    run r = {0};
    *is_refused = false;
    for (size_t i = 0; i <= time_count && broken == NULL; i++) {
        stele_request request = {
            .struct_size = sizeof request, .order = STELE_ORDER_NONE, .columns = STELE_COLUMNS_ALL};
        if (i > 0)
            request.begin = (stele_bound){.kind = STELE_BOUND_START, .value = times[i - 1]};
        if (i < time_count)
            request.end = (stele_bound){.kind = STELE_BOUND_START, .value = times[i]};
        pieces[used] = pieces_cut(&r, in, &request, begins_open);
        if (r.status != STELE_OK || r.broken != NULL)
            broken = "a piece cannot be cut";
        has_more = has_more || pieces_have_more(&r);
        /* An empty archive is no trace. */
        if (in->is_archive && pieces[used].size <= ARCHIVE_EMPTY)
            __real_free(pieces[used].at);
        else
            used++;
    }
    if (broken == NULL && used > 1) {
        pieces_read(&r, in, pieces, used, false);
        broken = pieces_compare(&r, whole, is_refused);
        if (*is_refused && !begins_open && !has_more && !pieces_share_events(whole)) {
            pieces_read(&r, in, pieces, used, true);
            broken = pieces_compare(&r, whole, is_refused);
        }
    }
    for (size_t i = 0; i < used; i++)
        __real_free(pieces[i].at);
    run_free(&r);
    return broken;
}

#endif
