/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presents the trace to the model: as one stream, whose range of times and lateness are found by a
 * pass over all events. The packets stand in one file, roughly in the order in which the events
 * ended, so reading them stream by stream would read the file once for each stream.
 */
#include "formats/heph/read/producer.h"
#include "model/batch.h"
#include "model/saved_index.h"
#include "model/seek.h"
#include "model/times.h"

/* ---- Finding the stream ---- */

/* Extends the stream's range of times by an event, and raises its lateness when the event is
   earlier than `*latest_ns`, the latest time so far, by more than any event before. */
static void stream_take_event(stele_stream *stream, times *range, const stele_event *event,
                              int64_t *latest_ns)
{
    int64_t late_ns;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    if (range->count == 0)
        *latest_ns = event->time_ns;
    times_add(range, event->time_ns, event->offset, event->size);
    times_add_end(range, (int64_t)event->id, event->offset, event->size);
    if (__builtin_sub_overflow(*latest_ns, event->time_ns, &late_ns))
        late_ns = INT64_MAX;
    if (late_ns > stream->lateness_ns)
        stream->lateness_ns = late_ns;
    if (event->time_ns > *latest_ns)
        *latest_ns = event->time_ns;
}

/* What one pass over all events finds. */
typedef struct heph_found {
    times range;
    int64_t latest_ns;
    seek_builder blocks;
} heph_found;

/* Extends the range as stream_take_event() does for each event of a batch, if they are all near
   each other. Otherwise does nothing, and returns false. */
static bool take_near(stele_stream *stream, heph_found *found, const stele_batch *batch)
{
    times *t = &found->range;
    int64_t begin_ns = INT64_MAX, last_ns = INT64_MIN, end_ns = INT64_MIN;
    int64_t latest_ns = found->latest_ns;
    uint64_t late_ns = 0;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        const int64_t time_ns = event->time_ns, until_ns = (int64_t)event->id;
        uint64_t back_ns;
        if ((event->flags & STELE_FLAG_NO_TIME) != 0)
            return false;
        begin_ns = time_ns < begin_ns ? time_ns : begin_ns;
        last_ns = time_ns > last_ns ? time_ns : last_ns;
        end_ns = until_ns > end_ns ? until_ns : end_ns;
        latest_ns = time_ns > latest_ns ? time_ns : latest_ns;
        back_ns = (uint64_t)latest_ns - (uint64_t)time_ns;
        late_ns = back_ns > late_ns ? back_ns : late_ns;
    }
    if (batch->event_count == 0 || late_ns > INT64_MAX || !times_are_near(t, begin_ns, last_ns) ||
        (end_ns > t->end_ns && (uint64_t)end_ns - (uint64_t)t->end_ns > TIMES_REACH_LEAST))
        return false;
    times_widen(t, begin_ns, end_ns > last_ns ? end_ns : last_ns, batch->event_count);
    found->latest_ns = latest_ns;
    if ((int64_t)late_ns > stream->lateness_ns)
        stream->lateness_ns = (int64_t)late_ns;
    return true;
}

/* Notes by what indexing can continue at the block that was just begun, should the trace grow. */
static void note_resume(heph_resume *to, const heph_found *found, const stele_stream *stream)
{
    const times *t = &found->range;
    *to = (heph_resume){.can = t->far.count == 0 && !t->has_last && t->outlier_count == 0,
                        .count = t->count,
                        .begin_ns = t->begin_ns,
                        .end_ns = t->end_ns,
                        .latest_ns = found->latest_ns,
                        .lateness_ns = stream->lateness_ns,
                        .first_offset = t->first_offset,
                        .first_size = t->first_size};
}

static stele_status index_events(stele_stream *stream, heph_found *found, producer *from,
                                 heph_resume *resume)
{
    stele_batch *batch;
    stele_status status = stele_batch_new(0, &batch);
    if (status != STELE_OK)
        return status;
    while ((status = from->ops->fill(from, batch)) == STELE_OK) {
        const bool is_taken = take_near(stream, found, batch);
        for (uint32_t i = 0; !is_taken && i < batch->event_count; i++)
            stream_take_event(stream, &found->range, &batch->events[i], &found->latest_ns);
        const uint32_t count = found->blocks.stream->count;
        seek_builder_take(&found->blocks, batch);
        if (found->blocks.stream->count != count)
            note_resume(resume, found, stream);
    }
    stele_batch_free(batch);
    return status == STELE_END ? STELE_OK : status;
}

/* Continues at the last of some blocks. */
static stele_status begin_at_last(heph_trace *trace, heph_found *found, stele_stream *stream,
                                  seek_index *blocks, producer *from, diag_sink *silent)
{
    const heph_resume *r = &trace->resume;
    found->range.count = r->count;
    found->range.begin_ns = r->begin_ns;
    found->range.end_ns = r->end_ns;
    found->range.first_offset = r->first_offset;
    found->range.first_size = r->first_size;
    found->latest_ns = r->latest_ns;
    stream->lateness_ns = r->lateness_ns;
    return seek_builder_resume(&found->blocks, blocks, 0, from, silent);
}

/* One silent pass without names, tracks and fields, so that what it finds holds for what is read.
   It owns the blocks, if there are some, and continues at the last one. */
static stele_status index_stream(heph_trace *trace, stele_stream *stream, seek_index *blocks)
{
    const produce_request request = {.stream = PRODUCE_ALL,
                                     .columns = STELE_COLUMN_TIME | STELE_COLUMN_VALUE,
                                     .kinds = STELE_KINDS_ALL,
                                     .begin_ns = INT64_MIN,
                                     .end_ns = INT64_MAX,
                                     .window_size = trace->base.context->limits.window_size};
    heph_found found = {
        .range = {.diag = &trace->base.context->diag, .source = source_path(trace->base.source)}};
    diag_sink silent = {0};
    const bool is_continued = blocks != NULL;
    producer *from = NULL;
    stele_status status = STELE_ERR_MEMORY;
    if (!is_continued) {
        blocks = seek_index_new(1);
        trace->resume = (heph_resume){.can = true};
    }
    if (blocks != NULL)
        status = heph_producer_new(trace, &request, &silent, UINT32_MAX, &from);
    if (status == STELE_OK)
        status = is_continued
                     ? begin_at_last(trace, &found, stream, blocks, from, &silent)
                     : seek_builder_open(&found.blocks, blocks, 0, SEEK_BLOCK_SIZE, from, &silent);
    if (status == STELE_OK) {
        status = index_events(stream, &found, from, &trace->resume);
        seek_builder_close(&found.blocks);
        times_end(&found.range);
        stream->has_range = found.range.count != 0;
        stream->begin_ns = times_first(&found.range);
        stream->end_ns = found.range.end_ns;
    }
    if (from != NULL)
        from->ops->close(from);
    if (status == STELE_OK)
        trace->base.seek = blocks;
    else
        seek_index_free(blocks);
    return status;
}

static stele_status add_stream(heph_trace *trace, stele_stream *stream)
{
    stream->clock = heph_clock(trace);
    stream->has_lateness = true;
    stream->is_ordered = stream->lateness_ns == 0;
    return context_add_stream(trace->base.context, stream) != UINT32_MAX ? STELE_OK
                                                                         : STELE_ERR_MEMORY;
}

static stele_status heph_index(stele_trace *self)
{
    heph_trace *trace = (heph_trace *)self;
    stele_stream stream = {.trace = self->info.number};
    const stele_status status = index_stream(trace, &stream, NULL);
    return status == STELE_OK ? add_stream(trace, &stream) : status;
}

/* ---- The saved index ---- */

#define FLAG_RANGE  1u
#define FLAG_CLOCK  2u
#define FLAG_RESUME 4u

static stele_status heph_save_index(stele_trace *self, output *out)
{
    const heph_trace *trace = (const heph_trace *)self;
    const stele_stream *stream = stele_stream_get(self->context, self->stream_first);
    const heph_resume *r = &trace->resume;
    saved_put_u64(out, (stream->has_range ? FLAG_RANGE : 0) | (trace->has_epoch ? FLAG_CLOCK : 0) |
                           (r->can ? FLAG_RESUME : 0));
    saved_put_i64(out, stream->begin_ns);
    saved_put_i64(out, stream->end_ns);
    saved_put_i64(out, stream->lateness_ns);
    saved_put_u64(out, trace->epoch_ns);
    saved_put_u64(out, r->count);
    saved_put_i64(out, r->begin_ns);
    saved_put_i64(out, r->end_ns);
    saved_put_i64(out, r->latest_ns);
    saved_put_i64(out, r->lateness_ns);
    saved_put_u64(out, r->first_offset);
    saved_put_u64(out, r->first_size);
    return STELE_OK;
}

static bool take_resume(heph_resume *r, cursor *from)
{
    return saved_take_u64(from, &r->count) && saved_take_i64(from, &r->begin_ns) &&
           saved_take_i64(from, &r->end_ns) && saved_take_i64(from, &r->latest_ns) &&
           saved_take_i64(from, &r->lateness_ns) && saved_take_u64(from, &r->first_offset) &&
           saved_take_u64(from, &r->first_size) && r->begin_ns <= r->end_ns && r->lateness_ns >= 0;
}

/* What was saved of the trace and its stream. */
static bool take_saved(heph_trace *trace, stele_stream *stream, const uint8_t *bytes, size_t size)
{
    cursor from = cursor_make(bytes, size);
    heph_resume resume = {0};
    uint64_t flags, epoch_ns;
    if (!saved_take_u64(&from, &flags) || !saved_take_i64(&from, &stream->begin_ns) ||
        !saved_take_i64(&from, &stream->end_ns) || !saved_take_i64(&from, &stream->lateness_ns) ||
        !saved_take_u64(&from, &epoch_ns) || !take_resume(&resume, &from) ||
        cursor_left(&from) != 0 || stream->begin_ns > stream->end_ns || stream->lateness_ns < 0)
        return false;
    stream->has_range = (flags & FLAG_RANGE) != 0;
    resume.can = (flags & FLAG_RESUME) != 0;
    trace->resume = resume;
    trace->has_epoch = (flags & FLAG_CLOCK) != 0;
    trace->epoch_ns = epoch_ns;
    return true;
}

static stele_status heph_load_index(stele_trace *self, const uint8_t *bytes, size_t size)
{
    heph_trace *trace = (heph_trace *)self;
    stele_stream stream = {.trace = self->info.number};
    return take_saved(trace, &stream, bytes, size) ? add_stream(trace, &stream) : STELE_ERR_FORMAT;
}

static stele_status heph_extend_index(stele_trace *self, saved_sections *saved)
{
    heph_trace *trace = (heph_trace *)self;
    stele_stream stream = {.trace = self->info.number};
    const bool had_epoch = trace->has_epoch;
    seek_index *blocks;
    stele_status status;
    if (!take_saved(trace, &stream, saved->format.at, cursor_left(&saved->format)))
        return STELE_ERR_FORMAT;
    if (!trace->resume.can || saved->blocks.at == NULL || saved->opened.at == NULL)
        return STELE_ERR_UNSUPPORTED;
    blocks = seek_index_take(&saved->blocks, 1, &status);
    if (blocks == NULL)
        return status != STELE_OK ? status : STELE_ERR_FORMAT;
    if (!seek_opened_take(blocks, &saved->opened)) {
        seek_index_free(blocks);
        return STELE_ERR_FORMAT;
    }
    stream = (stele_stream){.trace = self->info.number};
    status = index_stream(trace, &stream, blocks);
    trace->has_epoch = status == STELE_OK ? trace->has_epoch : had_epoch;
    return status == STELE_OK ? add_stream(trace, &stream) : status;
}

/* ---- Opening and producing ---- */

static stele_status heph_produce(stele_trace *self, const produce_request *request, producer **out)
{
    heph_trace *trace = (heph_trace *)self;
    uint32_t stream = self->stream_first;
    *out = NULL;
    if (!self->is_indexed) {
        const stele_stream added = {.trace = self->info.number, .clock = heph_clock(trace)};
        stream = context_add_stream(self->context, &added);
        if (stream == UINT32_MAX)
            return STELE_ERR_MEMORY;
    }
    return heph_producer_new(trace, request, &self->context->diag, stream, out);
}

/* Looks for the first epoch in the head of the trace. */
static void find_epoch(heph_trace *trace, const uint8_t *head, size_t head_size)
{
    cursor c = cursor_make(head, head_size);
    while (!trace->has_epoch && cursor_left(&c) >= HEPH_HEADER_SIZE) {
        heph_packet packet;
        uint32_t size;
        const uint8_t *at = c.at;
        const stele_heph_kind kind = heph_packet_kind(at, &size);
        if (kind == STELE_HEPH_NONE || size < HEPH_HEADER_SIZE || cursor_take(&c, size) == NULL)
            return;
        if (kind == STELE_HEPH_METADATA &&
            heph_packet_decode(&packet, kind, trace->layout, at, size) == STELE_HEPH_SOUND)
            trace->has_epoch = stele_heph_option_epoch(&packet.option, &trace->epoch_ns);
    }
}

static stele_status heph_open(stele_trace *self)
{
    heph_trace *trace = (heph_trace *)self;
    input *in = source_input(self->source);
    const uint8_t *head;
    size_t head_size;
    stele_status status;
    if (in == NULL)
        return format_refuse_set(self);
    status = input_peek(in, &head, &head_size);
    if (status != STELE_OK)
        return status;
    self->info.is_big_endian = true;
    trace->layout = heph_layout_detect(head, head_size);
    find_epoch(trace, head, head_size);
    return trace_set_version(self, trace->layout == STELE_HEPH_SUBSTREAMS ? HEPH_VERSION
                                                                          : HEPH_VERSION_OLD)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

const trace_ops heph_ops = {.open = heph_open,
                            .index = heph_index,
                            .save_index = heph_save_index,
                            .load_index = heph_load_index,
                            .extend_index = heph_extend_index,
                            .produce = heph_produce,
                            .is_nearly_ordered = true};
