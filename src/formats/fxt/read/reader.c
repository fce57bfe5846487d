/* SPDX-License-Identifier: Apache-2.0 */
/* The producer: fills batches with events of one provider, or of all in the order of their
   records. */
#include <stdlib.h>

#include "formats/fxt/check.h"
#include "formats/fxt/read/events.h"
#include "formats/fxt/trace.h"
#include "model/await.h"

/* Bytes of payload of one blob event; longer payloads become several, flagged PART. */
#define PART_SIZE ((uint64_t)64 << 10)

typedef struct fxt_producer {
    producer base;
    fxt_trace *trace;
    record_walk walk;
    fxt_state state;
    fxt_events events;
    uint64_t only; /* key of the only provider; KEY_ALL for all */
    uint32_t only_index;
    uint32_t run;
    diag_sink *diag;
    bool is_checking;
    /* The current provider is not the requested one, which happens because runs may be joined. */
    bool is_foreign;
    bool is_ended;
    bool is_first;         /* no record was read yet */
    stele_balance foreign; /* balance of the parts of other providers that were walked over */
    /* The walk's balance when the current part of another provider began. */
    stele_balance entered;

    /* A payload that is delivered in parts. */
    stele_event part;   /* members that all parts share; `id` is the offset of the next one */
    uint64_t part_size; /* bytes of all parts */
    bool has_parts, is_record;

    /* Reading only the blocks that can have requested events. */
    const fxt_seek *seek;            /* NULL if everything is read */
    uint64_t begin_place, end_place; /* bounds of the request */
    /* Index of the block that is considered next. */
    uint32_t block;
    fxt_run stretch; /* the part of a sequence of wanted blocks that is still to be read */
    /* Next listed record. Those before `listed_stop` are read before the walk continues. */
    uint32_t listed;
    uint32_t listed_stop;
    bool has_piece; /* after these records the walk continues with `piece` */
    fxt_run piece;
    int64_t piece_last_ns; /* see fxt_block.last_ns */
    bool is_listed;        /* the current record is a listed one, which the walk has not counted */
    uint8_t bytes[STELE_FXT_RECORD_SIZE_MAX]; /* bytes of a listed record */
} fxt_producer;

#define KEY_ALL UINT64_MAX

/* ---- Payloads of blobs and records ---- */

/* Appends one part of the payload. Returns false if out of memory. */
static bool producer_part(fxt_producer *p, stele_batch *batch, stele_event *event)
{
    const uint64_t left = p->part_size - p->part.id;
    const uint64_t want = left < PART_SIZE ? left : PART_SIZE;
    uint64_t size = want;
    if ((p->events.columns & STELE_COLUMN_FIELDS) != 0) {
        if (want != 0 && window_need(&p->walk.window, (size_t)want) < want)
            size = (uint64_t)(p->walk.window.end - p->walk.window.at);
        if (!fxt_events_payload(&p->events, batch, event, p->is_record, p->walk.window.at,
                                (uint32_t)size))
            return false;
        walk_consume(&p->walk, size);
    }
    p->part.id += size;
    p->has_parts = size == want && p->part.id < p->part_size;
    if (p->has_parts)
        event->flags |= STELE_FLAG_PART;
    if (size < want)
        event->flags |= STELE_FLAG_DAMAGED; /* the input, a pipe, ended inside of the payload */
    return true;
}

/* Begins to deliver the payload of the event that was just made: at once if all of it is loaded,
   otherwise from the window, part by part. */
static bool producer_payload(fxt_producer *p, stele_batch *batch, stele_event *event,
                             const walk_record *at, const stele_fxt_record *r)
{
    const uint8_t *payload = r->payload;
    uint64_t size = r->payload_size, before;
    p->is_record = event->kind == STELE_KIND_METADATA;
    if (p->is_record) {
        payload = at->bytes;
        size = at->size;
    }
    if (payload == NULL)
        return true;
    before = (uint64_t)(payload - at->bytes);
    if (size <= PART_SIZE && before + size <= at->loaded)
        return fxt_events_payload(&p->events, batch, event, p->is_record, payload, (uint32_t)size);
    if (size > p->walk.step - before)
        size = p->walk.step - before; /* the trace ends inside of it */
    if (event->value != 0 && !p->is_record)
        event->value = size;
    p->part = *event;
    p->part.id = 0;
    p->part.field_count = 0;
    p->part_size = size;
    walk_consume(&p->walk, before);
    return producer_part(p, batch, event);
}

/* Appends a further part which, unlike the first, has no fields besides its bytes. */
static bool producer_next_part(fxt_producer *p, stele_batch *batch)
{
    stele_event *event = batch_push_event(batch);
    *event = p->part;
    event->field_first = batch->field_count;
    if ((p->events.columns & STELE_COLUMN_VALUE) == 0)
        event->id = 0;
    return producer_part(p, batch, event);
}

/* ---- Records as events ---- */

/* Whether the record has a payload. Unknown records are kept whole; provider events and records
   that the model represents otherwise are not. */
static bool has_payload(const stele_event *event, const stele_fxt_record *r)
{
    if (event->kind == STELE_KIND_BLOB)
        return true;
    return event->kind == STELE_KIND_METADATA && r->fault == STELE_FXT_FAULT_SUBTYPE &&
           r->type != STELE_FXT_EVENT;
}

/* Decodes a record. A large one with long names and arguments must be loaded further for that. */
static void producer_decode(fxt_producer *p, walk_record *at, stele_fxt_record *r)
{
    stele_fxt_decode(at->bytes, at->loaded, p->walk.is_big_endian, r);
    if (r->fault == STELE_FXT_FAULT_CUT && at->loaded < at->size && !p->walk.is_ended) {
        walk_load(&p->walk, at, WALK_LOADED_MAX);
        stele_fxt_decode(at->bytes, at->loaded, p->walk.is_big_endian, r);
    }
    walk_doubt(&p->walk, at, r);
}

static bool is_provider_record(const stele_fxt_record *r)
{
    return r->type == STELE_FXT_METADATA &&
           (r->subtype == STELE_FXT_PROVIDER_INFO || r->subtype == STELE_FXT_PROVIDER_SECTION);
}

/* Whether the record is in, or begins, a part that another producer reads. */
static bool is_others(const fxt_producer *p, const walk_record *at, const stele_fxt_record *r)
{
    if (p->only == KEY_ALL)
        return false;
    if (!is_provider_record(r) || fxt_state_refuses(&p->state, r, fxt_is_doubtful(at)))
        return p->is_foreign;
    return p->only != r->number &&
           (p->only != FXT_KEY_OTHER || fxt_map_get(&p->state.provider_by_id, 0, r->number) != 0);
}

static stele_balance walk_balance(const record_walk *k)
{
    return (stele_balance){.record_size = k->record_size, .skipped_size = k->skipped_size};
}

/* Notes that a part of another provider begins or ends with the record that was just read. Such
   parts are reported, and their bytes counted, by the producer of their provider. */
static void producer_cross(fxt_producer *p, const walk_record *at, bool is_foreign)
{
    stele_balance now = walk_balance(&p->walk);
    if (!p->is_listed)
        now.record_size -= at->extent;
    if (is_foreign) {
        p->entered = now;
    } else {
        p->foreign.record_size += now.record_size - p->entered.record_size;
        p->foreign.skipped_size += now.skipped_size - p->entered.skipped_size;
    }
    p->is_foreign = is_foreign;
    p->walk.diag = is_foreign ? NULL : p->diag;
}

/* Returns the number of the provider's stream, which is made if it is new, or UINT32_MAX if out of
   memory. */
static uint32_t producer_stream(fxt_producer *p, fxt_provider *provider)
{
    if (provider->stream == UINT32_MAX) {
        const fxt_stream *stream = fxt_trace_stream(p->trace, provider);
        if (stream == NULL)
            return UINT32_MAX;
        provider->stream = stream->stream;
        provider->last_ns = stream->begin_ns;
    }
    return provider->stream;
}

/* Makes an event of one record. Returns false if out of memory. */
static bool producer_record(fxt_producer *p, stele_batch *batch, walk_record *at)
{
    stele_fxt_record r;
    stele_event *event;
    bool is_foreign;
    producer_decode(p, at, &r);
    is_foreign = is_others(p, at, &r);
    p->state.diag = is_foreign ? NULL : p->diag;
    if (p->is_checking && !is_foreign)
        fxt_check_record(p->diag, p->state.source, &r, at, p->is_first);
    p->is_first = false;
    if (p->is_foreign && !is_provider_record(&r))
        return true;
    if (!fxt_events_add(&p->events, batch, at, &r, &event))
        return false;
    if (r.type == STELE_FXT_INITIALIZATION && !p->trace->base.is_indexed)
        return fxt_trace_note_clock(p->trace, p->state.current);
    if (event != NULL && has_payload(event, &r))
        return producer_payload(p, batch, event, at, &r);
    return true;
}

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
    *runs = p->only == KEY_ALL ? &whole : p->trace->streams[p->only_index].runs;
    return p->only == KEY_ALL ? 1 : p->trace->streams[p->only_index].run_count;
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
    if (p->only == KEY_ALL)
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
    const bool is_foreign = p->only != KEY_ALL && fxt_stream_key(p->state.current) != p->only;
    uint32_t stream;
    if (is_foreign != p->is_foreign)
        producer_cross(p, at, is_foreign);
    stream = producer_stream(p, p->state.current);
    if (p->seek != NULL && stream != UINT32_MAX)
        producer_set_last(p, fxt_seek_last_at(p->seek, at->offset));
    return stream;
}

/* Fills the batch until it is full, the provider changes, or the trace ends. */
static stele_status producer_run(fxt_producer *p, stele_batch *batch, fxt_provider **provider)
{
    walk_record at;
    while (!batch_is_full(batch)) {
        if (p->has_parts) {
            if (!producer_next_part(p, batch))
                return STELE_ERR_MEMORY;
            continue;
        }
        if (!p->is_foreign && !p->has_piece && p->listed == p->listed_stop &&
            fxt_events_add_hot(&p->events, batch, &p->walk))
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
        if (!producer_record(p, batch, &at))
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
    fxt_provider *provider = p->state.current;
    stele_status status;
    stele_batch_clear(batch);
    p->base.is_dry = false;
    batch->columns = p->events.columns;
    if (p->is_ended)
        return STELE_END;
    status = producer_run(p, batch, &provider);
    p->base.lost_count = p->events.lost_count;
    p->base.balance = walk_balance(&p->walk);
    p->base.balance.record_size -= p->foreign.record_size;
    p->base.balance.skipped_size -= p->foreign.skipped_size;
    if (status != STELE_OK)
        return status;
    if (batch->event_count == 0)
        return p->is_ended ? STELE_END : STELE_OK;
    batch->stream = producer_stream(p, provider);
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
    p->only = KEY_ALL;
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
