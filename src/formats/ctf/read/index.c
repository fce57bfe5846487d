/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads all packet headers, and finds the data streams. The first packet of every file is enough to
 * know which streams there are, so a caller that reads events in the order of the files needs no
 * more than that.
 */
#include <stdlib.h>

#include "core/hash.h"
#include "core/path.h"
#include "formats/ctf/read/content.h"
#include "formats/ctf/read/group.h"
#include "formats/ctf/read/known.h"
#include "formats/ctf/read/losses.h"
#include "formats/ctf/read/lttng_index.h"
#include "formats/ctf/read/spans.h"

#define INDEX_WINDOW_SIZE ((size_t)16 << 10)
#define FIRST_TRIED       64u  /* packets of a file in which a first event is searched for */
#define INDEX_EVENTS      256u /* events decoded at a time */

/* ---- Passes over the files ---- */

/* What a pass over the files looks for. */
typedef enum index_pass {
    INDEX_STREAMS, /* only the first packet of each file, to find the streams */
    INDEX_PACKETS, /* all packet headers, and the first events */
    INDEX_ENDS     /* the last events of files whose is_last_open is set */
} index_pass;

typedef struct indexer {
    ctf_trace *trace;
    ctf_programs **programs; /* by number of the subtrace; NULL until needed */
    ctf_decoder *decoder;    /* decoder for files of `subtrace` */
    /* The subtrace of the last file. */
    const ctf_subtrace *subtrace;
    stele_batch *batch;
    diag_sink told; /* the context's sink while this pass reports nothing */
    ctf_content content;
    index_pass pass;
    bool is_told; /* all findings are suppressed: they were reported when the streams were found */
} indexer;

/* Lets findings be reported again after hush(). */
static void speak(indexer *self)
{
    if (!self->is_told)
        self->trace->base.context->diag = self->told;
}

/* Suppresses findings: the reader of the packets reports what is wrong with them. */
static void hush(indexer *self)
{
    if (self->is_told)
        return;
    self->told = self->trace->base.context->diag;
    self->trace->base.context->diag.fn = NULL;
}

/* Learns the time of the packet's first event, if it has one that can be read. */
static stele_status learn_first(indexer *self, ctf_file *file, const ctf_packets *packets,
                                window *w, const ctf_packet *packet)
{
    bool is_clamped = false;
    stele_batch_clear(self->batch);
    stele_status status = content_enter(&self->content, packets, w, packet, packets->decoder);
    if (status == STELE_OK && content_events(&self->content, self->batch) == DECODE_MEMORY)
        status = STELE_ERR_MEMORY;
    if (self->batch->event_count != 0) {
        file->found.has_first_event = true;
        if (packet->head.clock != NULL)
            file->found.first_event_ns =
                clock_ns(packet->head.clock, self->batch->events[0].ticks, &is_clamped);
    }
    return status == STELE_ERR_FORMAT ? STELE_OK : status;
}

/* Learns the time of the last event, in the last packet that has one: a packet may end long after
   its last event. */
static stele_status learn_last(indexer *self, ctf_file *file, ctf_packets *packets, window *w)
{
    decode_outcome outcome = DECODE_OK;
    bool is_clamped = false;
    ctf_packet packet;
    stele_status status;
    unsigned last = 0;
    while (last < CTF_LAST_KEPT && file->found.last[last].content_bits <= file->first.events_at)
        last++;
    if (last == CTF_LAST_KEPT || file->first.clock == NULL)
        return STELE_OK;
    window_move(w, file->found.last[last].offset, UINT64_MAX);
    packets->clock = file->found.last[last].clock;
    status = packets_next(packets, w, &packet);
    if (status == STELE_OK)
        status = content_enter(&self->content, packets, w, &packet, packets->decoder);
    if (status == STELE_END || status == STELE_ERR_FORMAT || packet.head.clock == NULL)
        return status == STELE_END || status == STELE_ERR_FORMAT ? STELE_OK : status;
    while (status == STELE_OK && outcome == DECODE_OK) {
        stele_batch_clear(self->batch);
        outcome = content_events(&self->content, self->batch);
        if (outcome == DECODE_MEMORY)
            status = STELE_ERR_MEMORY;
        if (self->batch->event_count == 0)
            continue;
        file->found.has_last_event = true;
        file->found.last_event_ns =
            clock_ns(packet.head.clock, self->batch->events[self->batch->event_count - 1].ticks,
                     &is_clamped);
    }
    return status;
}

/* If the packet has no end time, decodes its events to learn the clock from which the next packet
   counts on. */
static stele_status learn_clock(indexer *self, ctf_packets *packets, window *w,
                                const ctf_packet *packet)
{
    decode_outcome outcome = DECODE_OK;
    stele_status status;
    if (!packet->head.counts_on || (packet->head.has & CTF_ROLE_PACKET_END) != 0)
        return STELE_OK;
    window_move(w, packet->offset, UINT64_MAX);
    packets->clock = packet->clock_start;
    status = packets_next(packets, w, &(ctf_packet){0});
    if (status == STELE_OK)
        status = content_enter(&self->content, packets, w, packet, packets->decoder);
    while (status == STELE_OK && outcome == DECODE_OK) {
        stele_batch_clear(self->batch);
        outcome = content_events(&self->content, self->batch);
        if (outcome == DECODE_MEMORY)
            status = STELE_ERR_MEMORY;
    }
    packets_leave(packets, packet, decoder_ticks(packets->decoder));
    return status == STELE_ERR_FORMAT ? STELE_OK : status;
}

/* Reads all packets by their headers, or just the first one. With `is_known`, which means that
   LTTng's index has been used, or a reader has noted all packets, it stops at the first event. */
static stele_status index_packets(indexer *self, ctf_file *file, ctf_decoder *decoder, window *w,
                                  bool is_known, bool is_quiet)
{
    ctf_packets packets;
    ctf_packet packet;
    stele_status status;
    uint64_t tried = 0, end;
    packets_init(&packets, self->trace, file, decoder, w->in->size);
    packets.is_quiet = is_quiet;
    while ((status = packets_next(&packets, w, &packet)) == STELE_OK) {
        if (self->pass == INDEX_STREAMS || (is_known && file->first.stream_class == NULL))
            file->first = packet.head;
        if (self->pass == INDEX_STREAMS)
            return STELE_OK;
        if (!is_known && file->found.packet_count == 0)
            file->first = packet.head;
        if (!is_known && !ctf_found_add(&file->found, &packet))
            return STELE_ERR_MEMORY;
        if (!file->found.has_first_event && tried++ < FIRST_TRIED &&
            packet.content_bits > packet.head.events_at)
            status = learn_first(self, file, &packets, w, &packet);
        if (status == STELE_OK)
            status = learn_clock(self, &packets, w, &packet);
        if (status != STELE_OK)
            return status;
        if (is_known && (file->found.has_first_event || tried >= FIRST_TRIED))
            break;
        end = packet.offset + packet.size;
        if (!window_skip(w, end - window_offset(w)))
            break;
    }
    if (status != STELE_OK && status != STELE_END)
        return status;
    file->found.is_first_unknown = tried != 0 && !file->found.has_first_event;
    file->found.is_last_open = file->found.has_end && file->first.clock != NULL;
    return file->found.is_last_open ? STELE_OK : learn_last(self, file, &packets, w);
}

/* Learns the time of the last event only. */
static stele_status index_end(indexer *self, ctf_file *file, ctf_decoder *decoder, window *w)
{
    ctf_packets packets;
    packets_init(&packets, self->trace, file, decoder, w->in->size);
    packets.is_quiet = true;
    file->found.is_last_open = false;
    return learn_last(self, file, &packets, w);
}

/* Takes what a reader has noted of all packets of a file, if it has. */
static bool take_noted(const ctf_trace *trace, ctf_file *file)
{
    ctf_noted *noted = trace->noted != NULL ? &trace->noted[file - trace->files] : NULL;
    if (noted == NULL || !noted->is_whole)
        return false;
    free(file->found.seeks);
    file->found = noted->found;
    *noted = (ctf_noted){0};
    return true;
}

/* Indexes one file. What is wrong with its packets is reported here only if none can be read, as no
   reader will come to them then. */
static stele_status index_window(indexer *self, ctf_file *file, ctf_decoder *decoder, window *w)
{
    bool is_known = false;
    stele_status status = STELE_OK;
    if (self->pass == INDEX_ENDS)
        return index_end(self, file, decoder, w);
    if (self->pass == INDEX_PACKETS)
        status = lttng_index_use(self->trace, file, &is_known);
    if (self->pass == INDEX_PACKETS && status == STELE_OK && !is_known)
        is_known = take_noted(self->trace, file);
    if (status == STELE_OK)
        status = index_packets(self, file, decoder, w, is_known, true);
    if (status == STELE_OK && is_known && file->first.counts_on) {
        lttng_index_forget(file);
        window_move(w, 0, UINT64_MAX);
        decoder_reset(decoder);
        status = index_packets(self, file, decoder, w, false, true);
    }
    if (status != STELE_OK || file->first.stream_class != NULL || file->size == 0 ||
        self->trace->is_growing)
        return status;
    speak(self);
    window_move(w, 0, UINT64_MAX);
    status = index_packets(self, file, decoder, w, is_known, false);
    hush(self);
    return status;
}

/* Makes `decoder` fit files of the subtrace. Returns false if out of memory. */
static bool take_decoder(indexer *self, const ctf_subtrace *subtrace)
{
    const ctf_trace *trace = self->trace;
    ctf_programs **programs = &self->programs[subtrace->number];
    if (self->decoder != NULL && self->subtrace == subtrace) {
        decoder_reset(self->decoder);
        return true;
    }
    if (*programs == NULL)
        *programs = programs_new(&subtrace->schema, trace->base.context, trace->base.info.number,
                                 STELE_COLUMN_TIME);
    decoder_free(self->decoder);
    self->decoder = *programs != NULL ? decoder_new(*programs) : NULL;
    self->subtrace = subtrace;
    return self->decoder != NULL;
}

static stele_status index_file(indexer *self, ctf_file *file)
{
    ctf_trace *trace = self->trace;
    window w;
    input *in = NULL;
    stele_status status;
    if (!take_decoder(self, ctf_schema_subtrace(trace, file->subtrace)))
        return STELE_ERR_MEMORY;
    speak(self);
    status = ctf_open_member(trace, file->member, &in);
    hush(self);
    if (status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_READ)
        return STELE_OK; /* reported; the other files can be read */
    if (status == STELE_OK && in->is_seekable && in->has_size) {
        file->size = in->size;
        status = window_open(&w, in, 0, UINT64_MAX, INDEX_WINDOW_SIZE,
                             trace->base.context->limits.record_size_max);
        if (status == STELE_OK) {
            status = index_window(self, file, self->decoder, &w);
            window_close(&w);
        }
    } else if (status == STELE_OK) {
        speak(self);
        ctf_report(trace, CTF415, file->path, CTF_NO_PLACE, 0, 0, "a file as it was recorded",
                   "one that is packed by itself");
        hush(self);
    }
    if (in != NULL)
        ctf_close_member(file->member, in);
    return status;
}

/* ---- Streams as the model has them ---- */

/* Sets the range of the events of all files. Files without events do not count, but files whose
   first packets show none may have events, so the range is then unknown. */
static void stream_range(const ctf_trace *trace, const ctf_stream *stream, stele_stream *out)
{
    bool has_some = false, is_sure = true, is_clamped = false;
    for (uint32_t i = 0; i < stream->file_count; i++) {
        const ctf_file *file = &trace->files[stream->files[i]];
        const ctf_clock *clock = file->first.clock;
        int64_t begin_ns, end_ns;
        is_sure = is_sure && !file->found.is_first_unknown &&
                  !(file->first.counts_on && stream->file_count > 1);
        if (clock == NULL || !file->found.has_first_event)
            continue;
        begin_ns = file->found.first_event_ns;
        end_ns = file->found.has_last_event ? file->found.last_event_ns
                 : file->found.has_end      ? clock_ns(clock, file->found.end_ticks, &is_clamped)
                                            : begin_ns;
        if (!has_some || begin_ns < out->begin_ns)
            out->begin_ns = begin_ns;
        if (!has_some || end_ns > out->end_ns)
            out->end_ns = end_ns;
        has_some = true;
        is_sure = is_sure && (file->found.has_last_event || file->found.has_end);
    }
    out->has_range = has_some && is_sure;
}

/* Sets the range from the begin of the first packet to the end of the last one, unless lttng-crash
   may have left that end open. */
static void stream_span(const ctf_trace *trace, const ctf_stream *stream, stele_stream *out)
{
    const ctf_file *first = &trace->files[stream->files[0]];
    const bool may_be_open =
        (ctf_schema_subtrace(trace, stream->subtrace)->mends & CTF_MEND_CRASH) != 0;
    bool is_clamped = false;
    uint64_t end_ticks = 0;
    int64_t event_ns = INT64_MIN;
    out->has_span = first->first.clock != NULL && (first->first.has & CTF_ROLE_PACKET_BEGIN) != 0;
    for (uint32_t i = 0; i < stream->file_count; i++) {
        const ctf_file *file = &trace->files[stream->files[i]];
        out->has_span &= file->found.has_end;
        end_ticks = file->found.end_ticks > end_ticks ? file->found.end_ticks : end_ticks;
        if (may_be_open && file->found.has_last_event && file->found.last_event_ns > event_ns)
            event_ns = file->found.last_event_ns;
    }
    if (!out->has_span)
        return;
    out->span_begin_ns = clock_ns(first->first.clock, first->first.begin_ticks, &is_clamped);
    out->span_end_ns = clock_ns(first->first.clock, end_ticks, &is_clamped);
    if (out->span_end_ns < event_ns)
        out->span_end_ns = event_ns;
}

/* Whether the two streams belong to the same trace, by its UUID. */
static bool is_recorded_with(const ctf_trace *trace, const ctf_stream *a, const ctf_stream *b)
{
    return ctf_schema_subtrace(trace, a->subtrace) == ctf_schema_subtrace(trace, b->subtrace);
}

stele_clock ctf_stream_clock(const ctf_stream *stream)
{
    const ctf_clock *clock = stream->type->clock;
    stele_clock out = {.domain = STELE_CLOCK_NONE};
    if (clock == NULL)
        return out;
    out.domain = STELE_CLOCK_NS;
    out.frequency_hz = clock->frequency_hz;
    out.has_wall = clock->is_wall;
    if (clock->has_uuid) {
        out.identity[0] = load_le64(clock->uuid);
        out.identity[1] = load_le64(clock->uuid + 8);
    } else if (stream->schema->has_uuid) { /* the clock is identified by the UUID of the trace */
        out.identity[0] = load_le64(stream->schema->uuid);
        out.identity[1] =
            load_le64(stream->schema->uuid + 8) ^ hash_bytes(clock->id.bytes, clock->id.size);
    }
    return out;
}

/* Number of the track that stands for a stream: it differs from the numbers of tracks in a trace
   that Stele wrote. */
static uint64_t track_number_of(const ctf_trace *trace, const ctf_stream *stream)
{
    const uint64_t key = trace->known != NULL ? stream->known : stream->key;
    return spans_are_marked(stream->schema) ? key | UINT64_C(1) << 63 : key;
}

/* Finds out whether the stream of a followed trace was published before. Returns STELE_ERR_MEMORY
   if out of memory. */
static stele_status recall(ctf_trace *trace, ctf_stream *stream, bool *is_known)
{
    *is_known = false;
    if (trace->known == NULL)
        return STELE_OK;
    stream->known = known_stream_of(trace->known, trace, stream);
    if (stream->known == CTF_NONE)
        return STELE_ERR_MEMORY;
    stream->number = trace->known->streams[stream->known].number;
    stream->track = trace->known->streams[stream->known].track;
    *is_known = stream->number != CTF_NONE;
    return STELE_OK;
}

static stele_status publish_new(ctf_trace *trace, ctf_stream *stream, uint32_t recording)
{
    stele_context *context = trace->base.context;
    const char *name = path_base(trace->files[stream->files[0]].name);
    stele_stream out = {.trace = trace->base.info.number,
                        .number = stream->id,
                        .clock = ctf_stream_clock(stream),
                        .is_ordered = true};
    out.name = stele_name_intern(context, name, strlen(name));
    stream->track =
        stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_STREAM,
                                                   .source = out.trace,
                                                   .number = track_number_of(trace, stream)});
    if (out.name == UINT32_MAX || stream->track == 0)
        return STELE_ERR_MEMORY;
    stele_track_set_name(context, stream->track, out.name);
    out.track = stream->track;
    out.recording = recording;
    stream_range(trace, stream, &out);
    stream_span(trace, stream, &out);
    stream->number = context_add_stream(context, &out);
    return stream->number != UINT32_MAX ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status publish(ctf_trace *trace, ctf_stream *stream, uint32_t recording)
{
    bool is_known;
    stele_status status = recall(trace, stream, &is_known);
    if (status != STELE_OK || is_known)
        return status;
    status = publish_new(trace, stream, recording);
    if (status == STELE_OK && trace->known != NULL) {
        trace->known->streams[stream->known].number = stream->number;
        trace->known->streams[stream->known].track = stream->track;
    }
    return status;
}

static bool is_wanted(const ctf_trace *trace, const ctf_file *file, index_pass pass)
{
    return ctf_schema_subtrace(trace, file->subtrace)->is_open &&
           (pass != INDEX_ENDS || file->found.is_last_open);
}

/* Makes one pass over all files that it is for. */
static stele_status index_files(ctf_trace *trace, index_pass pass)
{
    stele_context *context = trace->base.context;
    indexer self = {.trace = trace,
                    .told = context->diag,
                    .programs = calloc(trace->subtrace_count, sizeof *self.programs),
                    .pass = pass,
                    .is_told = trace->is_grouped};
    stele_status status =
        self.programs != NULL ? stele_batch_new(INDEX_EVENTS, &self.batch) : STELE_ERR_MEMORY;
    context->diag.fn = NULL;
    for (uint32_t i = 0; status == STELE_OK && i < trace->file_count; i++)
        if (is_wanted(trace, &trace->files[i], pass))
            status = index_file(&self, &trace->files[i]);
    context->diag = self.told;
    decoder_free(self.decoder);
    for (uint32_t i = 0; self.programs != NULL && i < trace->subtrace_count; i++)
        programs_free(self.programs[i]);
    free(self.programs);
    content_free(&self.content);
    stele_batch_free(self.batch);
    return status;
}

static stele_status publish_all(ctf_trace *trace)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0, recording = 0; status == STELE_OK && i < trace->stream_count; i++) {
        recording += i != 0 && !is_recorded_with(trace, &trace->streams[i - 1], &trace->streams[i]);
        status = publish(trace, &trace->streams[i], recording);
    }
    trace->is_published |= status == STELE_OK;
    return status;
}

stele_status ctf_find_first(ctf_trace *trace)
{
    stele_status status;
    if (trace->is_grouped)
        return STELE_OK;
    status = index_files(trace, INDEX_STREAMS);
    if (status == STELE_OK)
        status = ctf_make_streams(trace);
    trace->is_grouped = status == STELE_OK;
    return status;
}

stele_status ctf_group(ctf_trace *trace)
{
    const stele_status status = ctf_find_first(trace);
    return status == STELE_OK && !trace->is_published ? publish_all(trace) : status;
}

stele_status ctf_find_streams(stele_trace *base)
{
    return ctf_group((ctf_trace *)base);
}

/* Sets the ranges of streams that are published. */
static void set_ranges(const ctf_trace *trace)
{
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        const ctf_stream *stream = &trace->streams[i];
        stele_stream *out = context_stream(trace->base.context, stream->number);
        stream_range(trace, stream, out);
        stream_span(trace, stream, out);
    }
}

stele_status ctf_publish(ctf_trace *trace)
{
    stele_trace *base = &trace->base;
    if (!base->has_streams ||
        !trace_keep_streams(base, trace->streams[0].number, trace->stream_count))
        return publish_all(trace);
    set_ranges(trace);
    return STELE_OK;
}

void ctf_note_index(stele_trace *base)
{
    ctf_trace *trace = (ctf_trace *)base;
    if (trace->noted == NULL && trace->known == NULL && !trace->is_growing)
        trace->noted = calloc(trace->file_count, sizeof *trace->noted);
}

void ctf_forget_noted(ctf_trace *trace)
{
    for (uint32_t i = 0; trace->noted != NULL && i < trace->file_count; i++)
        free(trace->noted[i].found.seeks);
    free(trace->noted);
    trace->noted = NULL;
}

stele_status ctf_index(stele_trace *base)
{
    ctf_trace *trace = (ctf_trace *)base;
    stele_status status = index_files(trace, INDEX_PACKETS);
    ctf_forget_noted(trace);
    if (status == STELE_OK && !trace->is_grouped)
        status = ctf_make_streams(trace);
    if (status == STELE_OK)
        status = ctf_publish(trace);
    trace->is_grouped |= status == STELE_OK;
    return status;
}

stele_status ctf_find_ends(stele_trace *base)
{
    ctf_trace *trace = (ctf_trace *)base;
    const stele_status status = index_files(trace, INDEX_ENDS);
    set_ranges(trace);
    return status;
}
