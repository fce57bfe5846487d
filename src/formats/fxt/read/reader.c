/* SPDX-License-Identifier: Apache-2.0 */
/* The producer: fills batches with events of one provider, or of all in the order of their
   records. */
#include <stdlib.h>

#include "core/unset.h"
#include "formats/fxt/read/producer.h"
#include "model/await.h"

/* ---- Skipping of blocks ---- */

static bool is_wanted(const fxt_producer *p, const fxt_block *b)
{
    return b->offset >= p->begin_place && (p->end_place == 0 || b->offset < p->end_place) &&
           fxt_block_is_wanted(b, p->events.begin_ns, p->events.end_ns);
}

/* Skips blocks without requested events. Returns false if no wanted block follows. */
static bool producer_next_stretch(fxt_producer *p)
{
    const fxt_seek *seek = p->seek;
    while (p->block < seek->block_count && !is_wanted(p, &seek->blocks[p->block]))
        p->block++;
    if (p->block == seek->block_count)
        return false;
    p->stretch.start = seek->blocks[p->block].offset;
    p->piece_last_ns = seek->blocks[p->block].last_ns;
    while (p->block < seek->block_count && is_wanted(p, &seek->blocks[p->block]))
        p->block++;
    p->stretch.stop = p->block < seek->block_count ? seek->blocks[p->block].offset : UINT64_MAX;
    return true;
}

/* Gives the runs that are read: those of the provider, or the whole trace for all providers. */
static uint32_t producer_runs(const fxt_producer *p, const fxt_run **runs)
{
    static const fxt_run whole = {0, UINT64_MAX};
    *runs = p->only == FXT_KEY_ALL ? &whole : p->trace->streams[p->only_index].runs;
    return p->only == FXT_KEY_ALL ? 1 : p->trace->streams[p->only_index].run_count;
}

static void producer_set_piece(fxt_producer *p, const fxt_run *run)
{
    const uint64_t start = run->start > p->stretch.start ? run->start : p->stretch.start;
    p->piece = (fxt_run){start, run->stop < p->stretch.stop ? run->stop : p->stretch.stop};
    if (start != p->stretch.start)
        p->piece_last_ns = INT64_MIN; /* the record that the run begins with names the provider */
    p->listed_stop = fxt_seek_listed_before(p->seek, start);
    p->stretch.start = p->piece.stop;
    p->has_piece = true;
}

/* Prepares for what follows all runs: the remaining listed records and the end of the trace. What
   follows the end of a part belongs to other parts. Returns false if there is nothing. */
static bool producer_set_last_piece(fxt_producer *p)
{
    const uint64_t end = p->walk.window.in->size;
    if (p->end_place != 0 || p->listed == p->seek->listed_count)
        return false;
    p->listed_stop = p->seek->listed_count;
    p->piece = (fxt_run){end, end};
    p->piece_last_ns = INT64_MIN;
    p->has_piece = true;
    return true;
}

/* Finds the next piece of a run that is in wanted blocks. Returns false if there is none. */
static bool producer_next_piece(fxt_producer *p)
{
    const fxt_run *runs;
    const uint32_t count = producer_runs(p, &runs);
    while (p->run < count) {
        const fxt_run *run = &runs[p->run];
        if (p->stretch.start >= p->stretch.stop && !producer_next_stretch(p))
            break;
        if (run->stop <= p->stretch.start) {
            p->run++;
        } else if (run->start >= p->stretch.stop) {
            p->stretch.start = p->stretch.stop;
        } else {
            producer_set_piece(p, run);
            return true;
        }
    }
    p->run = count;
    return producer_set_last_piece(p);
}

static void producer_set_last(fxt_producer *p, int64_t last_ns)
{
    if (last_ns != INT64_MIN)
        p->state.current->last_ns = last_ns;
}

/* Moves to the piece. Records listed before it have been read, those listed in it are read in
   it. */
static void producer_enter_piece(fxt_producer *p)
{
    p->has_piece = false;
    p->listed = p->listed_stop = fxt_seek_listed_before(p->seek, p->piece.stop);
    producer_set_last(p, p->piece_last_ns);
    walk_move(&p->walk, p->piece.start, p->piece.stop);
}

/* Reads the next listed record. If the trace has changed since it was indexed, no record is
   given. */
static bool producer_load_listed(fxt_producer *p, walk_record *at)
{
    const fxt_listed *listed = &p->seek->listed[p->listed++];
    stele_status status;
    const bool is_read =
        fxt_listed_read(listed, p->walk.window.in, p->walk.is_big_endian, p->bytes, at, &status);
    if (status != STELE_OK)
        p->walk.window.status = status;
    if (is_read && !fxt_is_of_provider(at))
        producer_set_last(p, listed->last_ns);
    p->is_listed = is_read;
    return is_read;
}

/* Moves to the next run of the provider. Returns false after the last. */
static bool producer_next_run(fxt_producer *p)
{
    const fxt_stream *stream;
    if (p->seek != NULL)
        return producer_next_piece(p);
    if (p->only == FXT_KEY_ALL)
        return false;
    stream = &p->trace->streams[p->only_index];
    if (p->run == stream->run_count)
        return false;
    walk_move(&p->walk, stream->runs[p->run].start, stream->runs[p->run].stop);
    p->run++;
    return true;
}

/* Gives the next record, from the list or from the walk. Returns false if there is none for now. */
static bool producer_next_record(fxt_producer *p, walk_record *at)
{
    p->is_listed = false;
    if (p->listed < p->listed_stop)
        return producer_load_listed(p, at);
    if (p->has_piece)
        producer_enter_piece(p);
    return walk_next(&p->walk, at);
}

/* Called after a record that changed the current provider. Returns the number of its stream, or
   UINT32_MAX if out of memory. */
static uint32_t producer_change(fxt_producer *p, const walk_record *at)
{
    const bool is_foreign = p->only != FXT_KEY_ALL && fxt_stream_key(p->state.current) != p->only;
    uint32_t stream;
    if (is_foreign != p->is_foreign)
        fxt_producer_cross(p, at, is_foreign);
    stream = fxt_producer_stream(p, p->state.current);
    if (p->seek != NULL && stream != UINT32_MAX)
        producer_set_last(p, fxt_seek_last_at(p->seek, at->offset));
    return stream;
}

/* ---- Filling of batches ---- */

/* Adds events by the hot path, of records before the end of the part. */
static bool producer_add_hot(fxt_producer *p, stele_batch *batch)
{
    window *const w = &p->walk.window;
    const uint8_t *const end = w->end;
    const uint64_t left = p->part_end - window_offset(w);
    bool is_added;
    if (left < (uint64_t)(end - w->at))
        w->end = w->at + left;
    is_added = fxt_events_add_hot(&p->events, batch, &p->walk);
    w->end = end;
    return is_added;
}

static bool is_at_part_end(fxt_producer *p)
{
    if (p->part_end == UINT64_MAX || fxt_part_offset(p) < p->part_end)
        return false;
    p->base.part.end = fxt_part_offset(p);
    return true;
}

/* Fills the batch until it is full, the provider changes, or the trace ends. */
static stele_status producer_run(fxt_producer *p, stele_batch *batch, fxt_provider **provider)
{
    UNSET walk_record at;
    while (!batch_is_full(batch)) {
        if (p->has_parts) {
            if (!fxt_producer_next_part(p, batch))
                return STELE_ERR_MEMORY;
            continue;
        }
        p->is_ended = is_at_part_end(p);
        if (p->is_ended)
            return STELE_OK;
        if (!p->is_foreign && !p->has_piece && p->listed == p->listed_stop &&
            producer_add_hot(p, batch))
            continue;
        if (!producer_await(&p->base, &p->walk.window, batch, walk_want(&p->walk)))
            return STELE_OK;
        if (!producer_next_record(p, &at)) {
            if (p->walk.window.status != STELE_OK)
                return p->walk.window.status;
            if (p->listed < p->listed_stop || p->has_piece)
                continue;
            p->is_ended = !producer_next_run(p);
            if (p->is_ended)
                return STELE_OK;
            continue;
        }
        if (!fxt_producer_record(p, batch, &at))
            return STELE_ERR_MEMORY;
        if (p->state.current != *provider) {
            if (producer_change(p, &at) == UINT32_MAX)
                return STELE_ERR_MEMORY;
            if (batch->event_count != 0)
                return STELE_OK;
            *provider = p->state.current;
        }
    }
    return STELE_OK;
}

static stele_status producer_fill(producer *self, stele_batch *batch)
{
    fxt_producer *p = (fxt_producer *)self;
    fxt_provider *provider;
    stele_status status;
    stele_batch_clear(batch);
    p->base.is_dry = false;
    batch->columns = p->events.columns;
    if (p->is_before && (status = fxt_part_pass(p, batch)) != STELE_OK)
        return status;
    if (p->is_ended)
        return STELE_END;
    provider = p->state.current;
    status = producer_run(p, batch, &provider);
    p->base.part.mixed = p->state.has_inline_threads | (unsigned)p->state.has_lone_threads << 1;
    p->base.lost_count = p->events.lost_count;
    p->base.balance = fxt_producer_walked(&p->walk);
    p->base.balance.record_size -= p->foreign.record_size;
    p->base.balance.skipped_size -= p->foreign.skipped_size;
    if (status != STELE_OK)
        return status;
    if (batch->event_count == 0)
        return p->is_ended ? STELE_END : STELE_OK;
    batch->stream = fxt_producer_stream(p, provider);
    return batch->stream != UINT32_MAX ? STELE_OK : STELE_ERR_MEMORY;
}

static void producer_close(producer *self)
{
    fxt_producer *p = (fxt_producer *)self;
    walk_close(&p->walk);
    fxt_state_close(&p->state);
    free(p);
}

static const producer_ops fxt_producer_ops = {.fill = producer_fill, .close = producer_close};

/* Selects the stream of the request. Returns false if there is no such stream. */
static bool producer_select(fxt_producer *p, uint32_t stream)
{
    const fxt_trace *trace = p->trace;
    p->only = FXT_KEY_ALL;
    if (stream == PRODUCE_ALL) {
        p->is_ended = p->seek != NULL && !producer_next_piece(p);
        return true;
    }
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        if (trace->streams[i].stream == stream) {
            p->only = trace->streams[i].key;
            p->only_index = i;
            /* Records listed before the first run belong to other providers. */
            if (p->seek != NULL && trace->streams[i].run_count != 0 &&
                trace->streams[i].runs[0].start != 0) {
                p->is_foreign = true;
                p->walk.diag = NULL;
            }
            return producer_next_run(p) || (p->is_ended = true);
        }
    }
    return false;
}

bool fxt_trace_cut(const stele_trace *self, uint32_t part, uint32_t part_count,
                   uint64_t *begin_place, uint64_t *end_place)
{
    const fxt_trace *trace = (const fxt_trace *)self;
    return fxt_seek_cut(&trace->seek, part, part_count, begin_place, end_place);
}

stele_status fxt_trace_produce(stele_trace *self, const produce_request *request, producer **out)
{
    fxt_trace *trace = (fxt_trace *)self;
    stele_context *context = self->context;
    input *in = source_input(self->source);
    produce_request wanted = *request;
    fxt_producer *p = calloc(1, sizeof *p);
    stele_status status;
    *out = NULL;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base.ops = &fxt_producer_ops;
    p->trace = trace;
    p->diag = &context->diag;
    p->is_checking = request->check;
    p->is_first = true;
    if (request->check)
        wanted.columns |= STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    status = walk_open(&p->walk, in, trace->is_big_endian, request->window_size, &context->diag);
    if (status == STELE_OK && !fxt_state_open(&p->state, context, &trace->shared, self->info.number,
                                              in->name, &context->diag))
        status = STELE_ERR_MEMORY;
    if (status == STELE_OK)
        fxt_events_open(&p->events, &p->state, &wanted, trace->is_big_endian);
    if (status == STELE_OK)
        fxt_part_begin(p, request);
    if (!request->check && fxt_seek_is_usable(&trace->seek) &&
        (request->begin_ns != INT64_MIN || request->end_ns != INT64_MAX ||
         request->begin_place != 0 || request->end_place != 0)) {
        p->seek = &trace->seek;
        p->begin_place = request->begin_place;
        p->end_place = request->end_place;
    }
    if (status == STELE_OK && !producer_select(p, request->stream))
        status = STELE_ERR_ARGUMENT;
    if (status != STELE_OK) {
        producer_close(&p->base);
        return status;
    }
    *out = &p->base;
    return STELE_OK;
}
