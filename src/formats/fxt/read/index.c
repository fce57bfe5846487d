/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes a trace by one quick pass over headers and timestamps: finds its providers, where their
   records are, their ranges of time and order, and the objects that others refer to. */
#include <stdlib.h>

#include "core/array.h"
#include "core/hash.h"
#include "formats/fxt/read/span.h"
#include "formats/fxt/trace.h"
#include "model/saved_index.h"

/* Most runs of all streams; beyond that, pairs of them are joined. */
#define RUNS_MAX (256u << 10)

typedef struct indexer {
    fxt_trace *trace;
    record_walk walk;
    fxt_state state;
    fxt_span *spans; /* by index of the stream in the trace */
    uint32_t span_capacity;
    uint32_t run_count;
    uint64_t run_start;
    uint64_t block_offset; /* offset of the last block */
    /* Index of the current provider's stream; UINT32_MAX before the first. */
    uint32_t current;
} indexer;

/* ---- Runs of records ---- */

/* Halves the number of runs by joining pairs. Readers of the stream then also read what is between
   two runs, and skip it. */
static void coalesce(indexer *x)
{
    x->run_count = 0;
    for (uint32_t i = 0; i < x->trace->stream_count; i++) {
        fxt_stream *stream = &x->trace->streams[i];
        const uint32_t count = stream->run_count;
        stream->run_count = 0;
        for (uint32_t j = 0; j < count; j += 2) {
            const fxt_run *last = &stream->runs[j + 1 < count ? j + 1 : j];
            stream->runs[stream->run_count++] = (fxt_run){stream->runs[j].start, last->stop};
        }
        x->run_count += stream->run_count;
    }
}

static bool run_add(indexer *x, uint64_t start, uint64_t stop)
{
    fxt_stream *stream = &x->trace->streams[x->current];
    if (start == stop)
        return true;
    if (stream->run_count != 0 && stream->runs[stream->run_count - 1].stop == start) {
        stream->runs[stream->run_count - 1].stop = stop;
        return true;
    }
    if (stream->run_count == stream->run_capacity) {
        fxt_run *runs = array_grow(stream->runs, sizeof *runs, &stream->run_capacity, 4);
        if (runs == NULL)
            return false;
        stream->runs = runs;
    }
    stream->runs[stream->run_count++] = (fxt_run){start, stop};
    if (++x->run_count >= RUNS_MAX)
        coalesce(x);
    return true;
}

/* Makes the current provider's stream the one that records belong to. */
static bool enter_stream(indexer *x)
{
    fxt_stream *stream = fxt_trace_stream(x->trace, x->state.current);
    const uint32_t old = x->span_capacity;
    if (stream == NULL)
        return false;
    x->current = (uint32_t)(stream - x->trace->streams);
    if (x->current < old)
        return true;
    x->span_capacity = x->trace->stream_capacity;
    fxt_span *spans = array_fit(x->spans, sizeof *spans, x->span_capacity);
    if (spans == NULL)
        return false;
    memset(spans + old, 0, (x->span_capacity - old) * sizeof *spans);
    for (uint32_t i = old; i < x->span_capacity; i++) {
        spans[i].times.diag = &x->trace->base.context->diag;
        spans[i].times.source = x->walk.window.in->name;
        fxt_span_begin_block(&spans[i]);
    }
    x->spans = spans;
    return true;
}

/* ---- Times of records ---- */

static void note_time(indexer *x, const walk_record *at, uint64_t ticks)
{
    fxt_span_add(&x->spans[x->current], &x->state.current->clock, ticks, at);
}

/* Notes that a complete event lasts until its end. */
static void note_complete(indexer *x, const walk_record *at)
{
    stele_fxt_record r;
    if (stele_fxt_decode(at->bytes, at->loaded, x->walk.is_big_endian, &r) == STELE_FXT_OK)
        fxt_span_add_end(&x->spans[x->current], &x->state.current->clock, r.words[0], at);
}

/* Returns the last time of the current provider, or INT64_MIN if it had none. */
static int64_t last_time(const indexer *x)
{
    return x->current != UINT32_MAX && x->spans[x->current].times.count != 0
               ? x->spans[x->current].last_ns
               : INT64_MIN;
}

/* ---- Records that are indexed ---- */

static bool index_state(indexer *x, const walk_record *at)
{
    const fxt_provider *before = x->state.current;
    stele_fxt_record r;
    stele_fxt_decode(at->bytes, at->loaded, x->walk.is_big_endian, &r);
    fxt_state_apply(&x->state, &r, at->offset, fxt_is_doubtful(at));
    if (r.type == STELE_FXT_INITIALIZATION && x->current != UINT32_MAX)
        fxt_span_forget_ticks(&x->spans[x->current]);
    if (r.type == STELE_FXT_INITIALIZATION && r.word_count != 0 &&
        !fxt_trace_note_clock(x->trace, x->state.current))
        return false;
    if (x->state.current == before)
        return !x->state.is_exhausted;
    /* Records before the first provider are read together with its records. */
    if (x->current != UINT32_MAX) {
        if (!run_add(x, x->run_start, at->offset))
            return false;
        x->run_start = at->offset;
    }
    if (!enter_stream(x))
        return false;
    fxt_seek_change_provider(&x->trace->seek, at->offset, last_time(x));
    return true;
}

static bool index_object(indexer *x, const walk_record *at)
{
    stele_fxt_record r;
    stele_name name;
    stele_fxt_decode(at->bytes, at->loaded, x->walk.is_big_endian, &r);
    if (r.word_count == 0)
        return true;
    name = fxt_string_is_inline(r.name.ref)
               ? fxt_state_intern(&x->state, r.name.bytes,
                                  r.name.bytes != NULL ? fxt_string_size(r.name.ref) : 0)
               : fxt_state_string(&x->state, r.name.ref)->name;
    fxt_state_kernel_object(&x->state, &r, name);
    return !x->state.is_exhausted;
}

static void index_large(indexer *x, walk_record *at)
{
    stele_fxt_record r;
    stele_fxt_decode(at->bytes, at->loaded, x->walk.is_big_endian, &r);
    if (r.has_ticks)
        note_time(x, at, r.ticks);
}

/* Decodes a record whose header is unusual, to find out whether its size is right. */
static void index_doubt(indexer *x, walk_record *at)
{
    stele_fxt_record r;
    stele_fxt_decode(at->bytes, at->loaded, x->walk.is_big_endian, &r);
    if (r.fault != STELE_FXT_OK || r.used != r.size)
        fxt_seek_keep_block(&x->trace->seek);
    walk_doubt(&x->walk, at, &r);
}

/* Notes a record. Records before any provider record only make a stream if they contain events. */
static bool index_record(indexer *x, walk_record *at)
{
    const unsigned type = fxt_type(at->header);
    if (at->size > at->loaded || !fxt_span_is_tight(at, x->walk.is_big_endian))
        index_doubt(x, at);
    if (type <= STELE_FXT_THREAD)
        return index_state(x, at);
    if (x->current == UINT32_MAX && !enter_stream(x))
        return false;
    switch (type) {
    case STELE_FXT_KERNEL_OBJECT: return index_object(x, at);
    case STELE_FXT_EVENT:
    case STELE_FXT_SCHEDULING:
    case STELE_FXT_LOG:
    case STELE_FXT_PROFILER:
        if (at->loaded < 2 * FXT_WORD)
            return true;
        note_time(x, at, fxt_word(at->bytes + FXT_WORD, x->walk.is_big_endian));
        if (type == STELE_FXT_EVENT && fxt_bits(at->header, 16, 19) == STELE_FXT_DURATION_COMPLETE)
            note_complete(x, at);
        return true;
    case STELE_FXT_LARGE: index_large(x, at); return true;
    default: return true;
    }
}

/* ---- Blocks of the trace ---- */

/* Ends a block, with the times of all providers. */
static void block_end(indexer *x)
{
    fxt_seek *seek = &x->trace->seek;
    fxt_block *block;
    if (seek->block_count == 0)
        return;
    block = &seek->blocks[seek->block_count - 1];
    for (uint32_t i = 0; i < x->trace->stream_count; i++) {
        fxt_span *s = &x->spans[i];
        if (s->block_begin_ns < block->begin_ns)
            block->begin_ns = s->block_begin_ns;
        if (s->block_end_ns > block->end_ns)
            block->end_ns = s->block_end_ns;
        fxt_span_begin_block(s);
    }
}

/* Notes by what indexing can continue at the block that was just begun, should the trace grow. */
static void note_resume(const indexer *x)
{
    fxt_seek *seek = &x->trace->seek;
    seek->can_resume = x->trace->stream_count <= FXT_RESUME_MAX && seek->block_count != 0;
    seek->resume_count = seek->can_resume ? x->trace->stream_count : 0;
    for (uint32_t i = 0; i < seek->resume_count; i++) {
        const fxt_span *s = &x->spans[i];
        const times *t = &s->times;
        seek->can_resume &= t->far.count == 0 && !t->has_last && t->outlier_count == 0;
        seek->resume[i] = (fxt_resume){.count = t->count,
                                       .begin_ns = t->begin_ns,
                                       .end_ns = t->end_ns,
                                       .newest_ns = s->newest_ns,
                                       .last_ns = s->last_ns,
                                       .lateness_ns = s->lateness_ns,
                                       .first_offset = t->first_offset,
                                       .first_size = t->first_size};
    }
    seek->resume_is_whole = seek->can_resume && seek->blocks[seek->block_count - 1].is_whole;
    seek->resume_has_inline_threads = seek->has_inline_threads;
    seek->resume_has_lone_threads = seek->has_lone_threads;
}

/* Begins a block with the next record. */
static void block_begin(indexer *x)
{
    if (x->walk.is_lost)
        return;
    block_end(x);
    x->block_offset = window_offset(&x->walk.window) + x->walk.step;
    fxt_seek_begin_block(&x->trace->seek, x->block_offset, last_time(x));
    note_resume(x);
}

/* Indexes one record that is not a plain event. */
static bool index_next(indexer *x, walk_record *at)
{
    const uint64_t skipped_size = x->walk.skipped_size;
    int64_t last_ns;
    if (!walk_next(&x->walk, at))
        return false;
    last_ns = last_time(x);
    if (x->walk.skipped_size != skipped_size || at->is_damaged || x->walk.is_lost)
        fxt_seek_keep_block(&x->trace->seek);
    fxt_seek_note(&x->trace->seek, at, x->walk.is_big_endian, last_ns);
    return true;
}

static stele_status index_all(indexer *x)
{
    walk_record at;
    for (;;) {
        if (window_offset(&x->walk.window) + x->walk.step - x->block_offset >= FXT_BLOCK_SIZE)
            block_begin(x);
        if (x->current != UINT32_MAX &&
            fxt_span_add_hot(&x->spans[x->current], &x->state.current->clock, &x->walk,
                             x->block_offset + FXT_BLOCK_SIZE))
            continue;
        if (!index_next(x, &at))
            break;
        if (!index_record(x, &at))
            return STELE_ERR_MEMORY;
    }
    block_end(x);
    if (x->walk.window.status != STELE_OK)
        return x->walk.window.status;
    if (x->current != UINT32_MAX && !run_add(x, x->run_start, window_offset(&x->walk.window)))
        return STELE_ERR_MEMORY;
    return STELE_OK;
}

/* Computes the identity of the clocks. Pieces of one trace have the same first provider and tick
   rate; without both the clocks have no identity. */
static void index_identify(const indexer *x)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < x->state.provider_count && hash == 0; i++) {
        const fxt_provider *p = x->state.providers[i];
        const stele_text name = stele_name_text(x->state.context, NULL, p->name);
        if (p->is_announced || p->first_hz != 0)
            hash = hash_u64(p->id ^ hash_bytes(name.bytes, name.size) ^ p->first_hz) | 1;
    }
    for (uint32_t i = 0; hash != 0 && i < x->trace->stream_count; i++) {
        stele_stream *stream = context_stream(x->trace->base.context, x->trace->streams[i].stream);
        stream->clock.identity[0] = UINT64_C(0x667874);
        stream->clock.identity[1] = hash;
    }
}

/* Gives the model what was found. */
static void index_publish(const indexer *x)
{
    for (uint32_t i = 0; i < x->trace->stream_count; i++) {
        stele_stream *stream = context_stream(x->trace->base.context, x->trace->streams[i].stream);
        fxt_span *s = &x->spans[i];
        times_end(&s->times);
        x->trace->seek.has_outliers |= s->times.outlier_count != 0;
        x->trace->seek.has_lone_threads |= s->has_lone_threads;
        stream->is_ordered = s->lateness_ns == 0;
        stream->has_lateness = true;
        stream->lateness_ns = s->lateness_ns;
        stream->has_range = s->times.count != 0;
        stream->begin_ns = times_first(&s->times);
        stream->end_ns = s->times.end_ns;
        x->trace->streams[i].begin_ns = stream->begin_ns;
    }
    for (uint32_t i = 0; i < x->state.provider_count; i++) {
        const fxt_provider *p = x->state.providers[i];
        const uint32_t known = fxt_map_get(&x->trace->stream_by_key, 0, fxt_stream_key(p));
        if (known != 0)
            context_stream(x->trace->base.context, x->trace->streams[known - 1].stream)->name =
                p->name;
    }
}

stele_status fxt_trace_index(stele_trace *self)
{
    fxt_trace *trace = (fxt_trace *)self;
    input *in = source_input(self->source);
    indexer x = {.trace = trace, .current = UINT32_MAX};
    stele_status status =
        walk_open(&x.walk, in, trace->is_big_endian, self->context->limits.window_size, NULL);
    if (status != STELE_OK)
        return status;
    fxt_trace_forget_streams(trace);
    fxt_seek_free(&trace->seek);
    fxt_seek_begin_block(&trace->seek, 0, INT64_MIN);
    status =
        fxt_state_open(&x.state, self->context, &trace->shared, self->info.number, in->name, NULL)
            ? index_all(&x)
            : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        index_publish(&x);
    if (status == STELE_OK)
        index_identify(&x);
    if (trace->stream_count == 0 || !in->is_seekable)
        fxt_seek_free(&trace->seek);
    fxt_state_close(&x.state);
    walk_close(&x.walk);
    free(x.spans);
    return status;
}

/* ---- Saved indexes ---- */

/* Whether there are streams of records without a provider, or of providers beyond the limit: their
   events are not listed. */
static bool has_nameless(const fxt_trace *trace)
{
    bool has = false;
    for (uint32_t i = 0; i < trace->stream_count; i++)
        has |= trace->streams[i].key == FXT_KEY_IMPLICIT || trace->streams[i].key == FXT_KEY_OTHER;
    return has;
}

stele_status fxt_trace_save_index(stele_trace *self, output *out)
{
    const fxt_trace *trace = (const fxt_trace *)self;
    fxt_found *found;
    if (trace->stream_count == 0 || !fxt_seek_is_usable(&trace->seek) || trace->seek.has_outliers ||
        (trace->stream_count > 1 && has_nameless(trace)))
        return STELE_ERR_UNSUPPORTED;
    found = calloc(trace->stream_count, sizeof *found);
    if (found == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        const stele_stream *stream = stele_stream_get(self->context, trace->streams[i].stream);
        found[i] = (fxt_found){.has_range = stream->has_range,
                               .begin_ns = stream->begin_ns,
                               .end_ns = stream->end_ns,
                               .lateness_ns = stream->lateness_ns};
    }
    fxt_seek_put(&trace->seek, found, trace->stream_count, out);
    free(found);
    return STELE_OK;
}

/* Applies the listed records of state and objects, from which reading learns all that it needs from
   the index except for times. */
static stele_status replay(indexer *x, const fxt_seek *seek)
{
    uint8_t *bytes = malloc(STELE_FXT_RECORD_SIZE_MAX);
    stele_status status = bytes != NULL ? STELE_OK : STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < seek->listed_count && status == STELE_OK; i++) {
        walk_record at;
        if (fxt_listed_read(&seek->listed[i], x->walk.window.in, x->walk.is_big_endian, bytes, &at,
                            &status) &&
            !index_record(x, &at))
            status = STELE_ERR_MEMORY;
    }
    if (status == STELE_OK && x->current == UINT32_MAX && !enter_stream(x))
        status = STELE_ERR_MEMORY;
    free(bytes);
    return status;
}

static stele_status load_found(fxt_trace *trace, fxt_seek *seek, const fxt_found *found,
                               uint32_t found_count)
{
    stele_context *context = trace->base.context;
    input *in = source_input(trace->base.source);
    indexer x = {.trace = trace, .current = UINT32_MAX};
    stele_status status =
        walk_open(&x.walk, in, trace->is_big_endian, context->limits.window_size, NULL);
    if (status != STELE_OK)
        return status;
    fxt_trace_forget_streams(trace);
    status =
        fxt_state_open(&x.state, context, &trace->shared, trace->base.info.number, in->name, NULL)
            ? replay(&x, seek)
            : STELE_ERR_MEMORY;
    if (status == STELE_OK && !run_add(&x, x.run_start, in->size))
        status = STELE_ERR_MEMORY;
    if (status == STELE_OK && trace->stream_count != found_count)
        status = STELE_ERR_FORMAT;
    for (uint32_t i = 0; status == STELE_OK && i < found_count; i++) {
        x.spans[i].times.begin_ns = found[i].begin_ns;
        x.spans[i].times.end_ns = found[i].end_ns;
        x.spans[i].times.count = found[i].has_range;
        x.spans[i].lateness_ns = found[i].lateness_ns;
    }
    if (status == STELE_OK) {
        index_publish(&x);
        index_identify(&x);
    }
    fxt_state_close(&x.state);
    walk_close(&x.walk);
    free(x.spans);
    return status;
}

stele_status fxt_trace_load_index(stele_trace *self, const uint8_t *bytes, size_t size)
{
    fxt_trace *trace = (fxt_trace *)self;
    input *in = source_input(self->source);
    fxt_seek seek;
    fxt_found *found;
    uint32_t found_count;
    stele_status status;
    if (!fxt_seek_take(&seek, &found, &found_count, bytes, size, in->size))
        return STELE_ERR_FORMAT;
    if (fxt_seek_fits(&seek, in, trace->is_big_endian, found_count, &status))
        status = load_found(trace, &seek, found, found_count);
    else if (status == STELE_OK)
        status = STELE_ERR_FORMAT;
    free(found);
    fxt_seek_free(&trace->seek);
    if (status == STELE_OK)
        trace->seek = seek;
    else
        fxt_seek_free(&seek);
    return status;
}

/* ---- Continued when the trace has grown ---- */

/* Brings the indexer to where the last block begins, which is dropped and begun again. */
static stele_status resume(indexer *x, fxt_seek *seek)
{
    const fxt_block last = seek->blocks[seek->block_count - 1];
    const uint64_t end = x->walk.window.in->size;
    stele_status status;
    /* What was taken from bytes has room for one more of each. */
    seek->block_capacity = seek->block_count + 1;
    seek->listed_capacity = seek->listed_count + 1;
    seek->block_count--;
    seek->listed_count = last.listed;
    status = replay(x, seek);
    if (status == STELE_OK && x->trace->stream_count != seek->resume_count)
        status = STELE_ERR_UNSUPPORTED;
    if (status != STELE_OK)
        return status;
    for (uint32_t i = 0; i < seek->resume_count; i++) {
        const fxt_resume *r = &seek->resume[i];
        fxt_span *s = &x->spans[i];
        s->times.count = r->count;
        s->times.begin_ns = r->begin_ns;
        s->times.end_ns = r->end_ns;
        s->times.first_offset = r->first_offset;
        s->times.first_size = r->first_size;
        s->newest_ns = r->newest_ns;
        s->last_ns = r->last_ns;
        s->lateness_ns = r->lateness_ns;
    }
    seek->is_unusual = seek->resume_is_whole;
    seek->has_inline_threads = seek->resume_has_inline_threads;
    seek->has_lone_threads = seek->resume_has_lone_threads;
    x->trace->seek = *seek;
    *seek = (fxt_seek){.block_count = 0};
    x->block_offset = last.offset;
    fxt_seek_begin_block(&x->trace->seek, last.offset, last.last_ns);
    walk_move(&x->walk, last.offset, end);
    return STELE_OK;
}

static stele_status extend(fxt_trace *trace, fxt_seek *seek)
{
    stele_context *context = trace->base.context;
    input *in = source_input(trace->base.source);
    indexer x = {.trace = trace, .current = UINT32_MAX};
    stele_status status =
        walk_open(&x.walk, in, trace->is_big_endian, context->limits.window_size, NULL);
    if (status != STELE_OK)
        return status;
    fxt_trace_forget_streams(trace);
    fxt_seek_free(&trace->seek);
    status =
        fxt_state_open(&x.state, context, &trace->shared, trace->base.info.number, in->name, NULL)
            ? resume(&x, seek)
            : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = index_all(&x);
    if (status == STELE_OK) {
        index_publish(&x);
        index_identify(&x);
    } else {
        fxt_seek_free(&trace->seek);
    }
    fxt_state_close(&x.state);
    walk_close(&x.walk);
    free(x.spans);
    return status;
}

stele_status fxt_trace_extend_index(stele_trace *self, saved_sections *saved)
{
    fxt_trace *trace = (fxt_trace *)self;
    input *in = source_input(self->source);
    fxt_seek seek;
    fxt_found *found;
    uint32_t found_count;
    stele_status status;
    if (!fxt_seek_take(&seek, &found, &found_count, saved->format.at, cursor_left(&saved->format),
                       saved->old_size))
        return STELE_ERR_FORMAT;
    if (!seek.can_resume || !fxt_seek_is_usable(&seek))
        status = STELE_ERR_UNSUPPORTED;
    else if (fxt_seek_fits(&seek, in, trace->is_big_endian, found_count, &status))
        status = extend(trace, &seek);
    else if (status == STELE_OK)
        status = STELE_ERR_FORMAT;
    free(found);
    fxt_seek_free(&seek);
    return status;
}
