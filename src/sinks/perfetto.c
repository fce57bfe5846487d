/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Perfetto's own format, for its page and trace_processor. docs/conversion.md describes
   what each kind of event becomes; perfetto_sink.h, the structure of the file. */
#include <stdlib.h>

#include "core/hash.h"
#include "model/batch.h"
#include "sinks/drawn.h"
#include "sinks/perfetto_sink.h"

/* ---- Instants ---- */

/* Begins an instant, up to its arguments. */
static void instant_begin(perfetto_sink *p, perfetto_track *track, const stele_event *event,
                          const char *standard)
{
    perfetto_spans_flush(p, track, event->time_ns, false);
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), event->time_ns,
                         EVENT_TYPE_INSTANT);
    perfetto_name(p, event, standard);
}

static void put_blob(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    perfetto_lose(p, event, "payload of a blob", LOSS_DROPPED);
    instant_begin(p, track, event, "blob");
    perfetto_arg_u64(p, WORD_SIZE, event->value);
    perfetto_arg_u64(p, WORD_OFFSET, event->id);
    perfetto_args(p, event, p->data);
    perfetto_event_end(p);
}

/* Writes what `value` and `id` of the event's kind mean; see <stele/event.h>. */
static void put_numbers(perfetto_sink *p, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT: perfetto_arg_u64(p, WORD_NUMBER, event->value); break;
    case STELE_KIND_INSN:
        perfetto_arg_pointer(p, WORD_PC, event->id);
        perfetto_arg_pointer(p, WORD_OPCODE, event->value);
        break;
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE: perfetto_arg_pointer(p, WORD_ADDRESS, event->id); break;
    case STELE_KIND_OBJECT:
        perfetto_arg_pointer(p, WORD_ID, event->id);
        perfetto_arg_u64(p, WORD_KIND, event->value);
        break;
    case STELE_KIND_METADATA:
        perfetto_arg_u64(p, WORD_ID, event->id);
        perfetto_arg_u64(p, WORD_VALUE, event->value);
        break;
    case STELE_KIND_SAMPLE:
        if (event->value != 0)
            perfetto_arg_u64(p, WORD_CALLS, event->value);
        if (event->id != 0)
            perfetto_arg_u64(p, WORD_TIME, event->id);
        break;
    case STELE_KIND_SWITCH: perfetto_arg_track(p, WORD_THREAD, (uint32_t)event->id); break;
    case STELE_KIND_WAKE: perfetto_arg_track(p, WORD_THREAD, (uint32_t)event->id); break;
    case STELE_KIND_LOG:
        if (event->value != 0)
            perfetto_arg_u64(p, WORD_SEVERITY, event->value);
        break;
    default: break;
    }
}

static void put_instant(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    instant_begin(p, track, event, stele_kind_text(event->kind));
    put_numbers(p, event);
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
}

/* Writes a loss of events, on a sequence of its own, whose losses Perfetto counts. */
static void put_lost(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    bool is_negative;
    perfetto_sched_lost(p, event);
    perfetto_spans_flush(p, track, event->time_ns, false);
    perfetto_event_begin(p, SEQUENCE_LOSSES, perfetto_track_now(track), event->time_ns,
                         EVENT_TYPE_INSTANT);
    perfetto_name(p, event, "events lost");
    if (event->value != 0)
        perfetto_arg_u64(p, WORD_COUNT_LOST, event->value);
    if (event->id != 0)
        perfetto_arg_u64(p, WORD_GAP,
                         time_distance((int64_t)event->id, event->time_ns, &is_negative));
    perfetto_args(p, event, 0);
    proto_end(&p->packet, p->event_mark);
    proto_uint(&p->packet, PACKET_DROPPED_BEFORE, 1);
    perfetto_packet_end(p);
}

/* ---- Log messages ---- */

static void put_body(perfetto_sink *p, const stele_field *field)
{
    const stele_text text = stele_field_text(p->base.context, p->batch, field);
    size_t mark = proto_begin(&p->interned, INTERNED_LOG_BODY);
    proto_uint(&p->interned, INTERNED_IID, 1);
    perfetto_text(p, &p->interned, INTERNED_TEXT, text.bytes, text.size);
    proto_end(&p->interned, mark);
    mark = proto_begin(&p->packet, EVENT_LOG_MESSAGE);
    proto_uint(&p->packet, LOG_BODY_IID, 1);
    proto_end(&p->packet, mark);
}

/* Writes a log message. Perfetto's list has only those of threads; others become instants. */
static void put_log(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    const stele_track *on = stele_track_get(p->base.context, event->track);
    const stele_field *message = batch_field(p->batch, event, p->message);
    if (on == NULL || on->kind != STELE_TRACK_THREAD || message == NULL ||
        message->type != STELE_TYPE_STRING) {
        put_instant(p, track, event);
        return;
    }
    perfetto_spans_flush(p, track, event->time_ns, false);
    perfetto_event_begin(p, SEQUENCE_LOGS, perfetto_track_now(track), event->time_ns,
                         EVENT_TYPE_INSTANT);
    perfetto_name(p, event, "log");
    put_body(p, message);
    put_numbers(p, event);
    perfetto_args(p, event, p->message);
    perfetto_event_end(p);
}

/* ---- Operations and flows ---- */

/* The event to write for one of a flow or operation. Perfetto connects events by id, name and
   category, which must be those of the begin. */
static stele_event linked_event(const chrome_link *link, const stele_event *event)
{
    stele_event as = *event;
    if (link == NULL || (link->name & STELE_NAME_LOCAL) != 0)
        return as;
    as.category = link->category;
    if (event->kind != STELE_KIND_ASYNC_STEP)
        as.name = link->name;
    return as;
}

static void linked_begin(perfetto_sink *p, const perfetto_track *track, const stele_event *as,
                         char phase, uint64_t id)
{
    size_t mark;
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), as->time_ns,
                         EVENT_TYPE_NONE);
    perfetto_name(p, as, "");
    mark = proto_begin(&p->packet, EVENT_LEGACY);
    proto_uint(&p->packet, LEGACY_PHASE, (uint8_t)phase);
    proto_uint(&p->packet, LEGACY_ID, id);
    if (phase == 's' || phase == 't' || phase == 'f')
        proto_uint(&p->packet, LEGACY_BIND_ENCLOSING, 1);
    proto_end(&p->packet, mark);
}

/*
 * Writes the event's own name, category and id as arguments, if others are written in their place.
 */
static void put_own(perfetto_sink *p, const stele_event *event, const stele_event *as, uint64_t id)
{
    if (as->name != event->name)
        perfetto_arg_name(p, WORD_NAME, event->name);
    if (as->category != event->category)
        perfetto_arg_name(p, WORD_CATEGORY, stele_category_name(p->base.context, event->category));
    if (id != event->id)
        perfetto_arg_u64(p, WORD_ID, event->id);
}

static void put_async(perfetto_sink *p, perfetto_track *track, const stele_event *event, char phase)
{
    const chrome_link *link = phase == 'b'
                                  ? chrome_links_begin(&p->links, event, track->pid, false)
                                  : chrome_links_follow(&p->links, event, track->pid, false);
    const stele_event as = linked_event(link, event);
    const uint64_t id = event->id ^ (link != NULL ? link->mix : 0);
    linked_begin(p, track, &as, phase, id);
    put_own(p, event, &as, id);
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
}

/* Writes a begin or end of a span of no duration, for a flow that is in no span. */
static void put_mark(perfetto_sink *p, const perfetto_track *track, const stele_event *event,
                     unsigned type)
{
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), event->time_ns, type);
    if (type == EVENT_TYPE_BEGIN) {
        perfetto_name(p, event, stele_kind_text(event->kind));
        perfetto_args(p, event, 0);
    }
    perfetto_event_end(p);
}

/* Writes a flow, which connects spans. Perfetto keeps only name and category of its events,
   which are those of the begin. An event that has more than that is written as an instant too. */
static void put_flow(perfetto_sink *p, perfetto_track *track, const stele_event *event, char phase)
{
    const chrome_link *link = phase == 's'
                                  ? chrome_links_begin(&p->links, event, track->pid, true)
                                  : chrome_links_follow(&p->links, event, track->pid, true);
    const stele_event as = linked_event(link, event);
    /* Flows are numbered from 1. One whose begin is unknown gets a number far from those. */
    const uint64_t id = event->id ^ (link != NULL ? link->mix : ~event->id & UINT64_C(1) << 63);
    bool is_alone;
    perfetto_spans_flush(p, track, event->time_ns, false);
    is_alone = track->open == 0;
    if (is_alone)
        put_mark(p, track, event, EVENT_TYPE_BEGIN);
    linked_begin(p, track, &as, phase, id);
    perfetto_event_end(p);
    if (is_alone)
        put_mark(p, track, event, EVENT_TYPE_END);
    else if (event->field_count != 0 || as.name != event->name || as.category != event->category)
        put_instant(p, track, event);
}

/* ---- Counters ---- */

#define UUID_COUNTER (UINT64_C(1) << 63)

static bool is_number(const stele_field *field)
{
    return field->label_count == 0 && field->type >= STELE_TYPE_BOOL &&
           field->type <= STELE_TYPE_KOID && field->type != STELE_TYPE_POINTER;
}

static uint64_t name_hash(const perfetto_sink *p, stele_name name)
{
    const stele_text text = stele_name_text(p->base.context, p->batch, name);
    return hash_bytes(text.bytes, text.size);
}

/* The track of one series of a counter, "name:field", followed by the id if there is one. It is
   described again if another series has replaced it in the table. */
static uint64_t counter_track(perfetto_sink *p, uint64_t parent, const stele_event *event,
                              const stele_field *field)
{
    const uint64_t series = hash_mix(name_hash(p, event->name) ^ parent * HASH_CONSTANT,
                                     name_hash(p, field->name) ^ hash_u64(event->id));
    const uint64_t uuid = hash_u64(series) | UUID_COUNTER;
    uint64_t *slot = &p->counters[uuid % PERFETTO_COUNTERS_MAX];
    const stele_text name = stele_name_text(p->base.context, p->batch, event->name);
    const stele_text of = stele_name_text(p->base.context, p->batch, field->name);
    const uint8_t *made;
    size_t size, mark;
    if (*slot == uuid)
        return uuid;
    *slot = uuid;
    output_write(p->scratch, name.bytes, name.size);
    if (of.size != 0)
        output_byte(p->scratch, ':');
    output_write(p->scratch, of.bytes, of.size);
    if (event->id != 0) {
        output_byte(p->scratch, ':');
        output_u64(p->scratch, event->id);
    }
    made = output_memory(p->scratch, &size);
    p->is_exhausted |= p->scratch->status != STELE_OK;
    perfetto_packet_begin(p, SEQUENCE_EVENTS);
    mark = proto_begin(&p->packet, PACKET_TRACK_DESCRIPTOR);
    proto_uint(&p->packet, DESCRIPTOR_UUID, uuid);
    proto_uint(&p->packet, DESCRIPTOR_PARENT, parent);
    perfetto_text(p, &p->packet, DESCRIPTOR_NAME, made, size);
    proto_end(&p->packet, proto_begin(&p->packet, DESCRIPTOR_COUNTER));
    proto_end(&p->packet, mark);
    perfetto_packet_end(p);
    p->scratch->at = p->scratch->buffer;
    return uuid;
}

static void put_counter_value(perfetto_sink *p, const stele_event *event, const stele_field *field)
{
    const double value = field->type == STELE_TYPE_FLOAT ? field->u.f : (double)field->u.u;
    const bool is_signed = field->type == STELE_TYPE_INT;
    const uint64_t size = is_signed && field->u.i < 0 ? 0 - field->u.u : field->u.u;
    if (field->type != STELE_TYPE_FLOAT && size > UINT64_C(1) << 53)
        perfetto_lose(p, event, "value of a counter beyond 2^53, which Perfetto rounds",
                      LOSS_CHANGED);
    if (field->type == STELE_TYPE_FLOAT || (!is_signed && field->u.u > INT64_MAX))
        proto_double(&p->packet, EVENT_COUNTER_DOUBLE, value);
    else
        proto_uint(&p->packet, EVENT_COUNTER_INT, field->u.u);
}

/* The track that counters of a thread belong to: its process, where users expect them. */
static uint64_t counter_parent(perfetto_sink *p, const perfetto_track *track,
                               const stele_event *event)
{
    const stele_track *on = stele_track_get(p->base.context, event->track);
    const uint64_t own = track->uuid;
    if (on == NULL || on->kind != STELE_TRACK_THREAD || on->parent == 0)
        return own;
    track = perfetto_track_get(p, on->parent);
    return track != NULL ? track->uuid : own;
}

/* Writes a counter: each number is a series. Other fields of the event go with the first one. */
static void put_counter(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    const uint64_t parent = counter_parent(p, track, event);
    uint32_t first;
    const uint32_t count = stele_event_fields(p->batch, event, &first);
    const stele_field *fields = p->batch->fields + first;
    bool is_first = true;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        uint64_t uuid;
        if (!field_is_shown(&fields[at]) || !is_number(&fields[at]))
            continue;
        uuid = counter_track(p, parent, event, &fields[at]);
        perfetto_event_begin(p, SEQUENCE_EVENTS, uuid, event->time_ns, EVENT_TYPE_COUNTER);
        put_counter_value(p, event, &fields[at]);
        for (uint32_t i = 0; is_first && i < count; i += stele_field_length(fields + i))
            if (field_is_shown(&fields[i]) && !is_number(&fields[i]))
                perfetto_arg_field(p, &fields[i]);
        perfetto_event_end(p);
        is_first = false;
    }
    if (is_first)
        put_instant(p, perfetto_track_get(p, event->track), event);
}

/* ---- Events of any kind ---- */

static void put_event(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_COMPLETE: perfetto_complete(p, track, event); break;
    case STELE_KIND_BEGIN: perfetto_begin_span(p, track, event); break;
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: perfetto_end_span(p, track, event); break;
    case STELE_KIND_COUNTER: put_counter(p, track, event); break;
    case STELE_KIND_ASYNC_BEGIN: put_async(p, track, event, 'b'); break;
    case STELE_KIND_ASYNC_STEP: put_async(p, track, event, 'n'); break;
    case STELE_KIND_ASYNC_END: put_async(p, track, event, 'e'); break;
    case STELE_KIND_FLOW_BEGIN: put_flow(p, track, event, 's'); break;
    case STELE_KIND_FLOW_STEP: put_flow(p, track, event, 't'); break;
    case STELE_KIND_FLOW_END: put_flow(p, track, event, 'f'); break;
    case STELE_KIND_LOG: put_log(p, track, event); break;
    case STELE_KIND_BLOB: put_blob(p, track, event); break;
    case STELE_KIND_LOST: put_lost(p, track, event); break;
    default: put_instant(p, track, event); break;
    }
}

static void take_event(perfetto_sink *p, const stele_event *event)
{
    perfetto_track *track;
    if (!p->has_last || event->time_ns > p->last_ns)
        p->last_ns = event->time_ns;
    p->has_last = true;
    if (perfetto_sched(p, event) || p->is_exhausted)
        return;
    track = perfetto_track_get(p, event->track);
    if (track == NULL)
        return;
    put_event(p, track, event);
    if ((event->flags & STELE_FLAG_CLAMPED) != 0)
        perfetto_lose(p, event, "time beyond 64 bits of nanoseconds", LOSS_CHANGED);
}

/* ---- Clocks ---- */

/* Writes the clocks once. Times of the file are those of the trace's own clock; this says what
   wall-clock time they are. */
static void put_clock(perfetto_sink *p, int64_t time_ns)
{
    const uint64_t own = perfetto_time(p, time_ns);
    int64_t wall_ns = 0;
    const bool has_wall =
        p->has_wall && !__builtin_add_overflow(p->wall_ns, time_ns, &wall_ns) && wall_ns >= 0;
    size_t mark, inner;
    perfetto_packet_begin(p, SEQUENCE_EVENTS);
    mark = proto_begin(&p->packet, PACKET_CLOCK_SNAPSHOT);
    inner = proto_begin(&p->packet, SNAPSHOT_CLOCK);
    proto_uint(&p->packet, CLOCK_ID, SNAPSHOT_BOOTTIME);
    proto_uint(&p->packet, CLOCK_TIMESTAMP, own);
    proto_end(&p->packet, inner);
    if (has_wall) {
        inner = proto_begin(&p->packet, SNAPSHOT_CLOCK);
        proto_uint(&p->packet, CLOCK_ID, SNAPSHOT_REALTIME);
        proto_uint(&p->packet, CLOCK_TIMESTAMP, (uint64_t)wall_ns);
        proto_end(&p->packet, inner);
    }
    proto_uint(&p->packet, SNAPSHOT_PRIMARY, SNAPSHOT_BOOTTIME);
    proto_end(&p->packet, mark);
    perfetto_packet_end(p);
}

/* Prepares for the first event, which is at this time. If it is before the clock's zero, times
 * count from it. */
static void start(perfetto_sink *p, const stele_batch *batch, int64_t time_ns)
{
    const stele_stream *stream = stele_stream_get(p->base.context, batch->stream);
    if (!p->has_origin)
        p->origin_ns = time_ns;
    if (p->origin_ns < 0) {
        p->bias_ns = 0 - (uint64_t)p->origin_ns;
        writer_lose(&p->base, STELE_KIND_NONE, "times from the first event on", LOSS_FORM, 1);
    }
    if (stream != NULL)
        p->has_wall = stream->clock.domain == STELE_CLOCK_NS &&
                      stele_batch_wall(batch, &stream->clock, &p->wall_ns);
    put_clock(p, p->origin_ns);
}

static void note_clock(perfetto_sink *p, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(p->base.context, segment->batch->stream);
    const char *what;
    if (stream == NULL)
        return;
    what = drawn_loss(&stream->clock);
    if (what != NULL)
        writer_lose(&p->base, STELE_KIND_NONE, what, LOSS_CHANGED, segment->count);
}

/* ---- Functions of the sink ---- */

static stele_status perfetto_status(const perfetto_sink *p)
{
    if (p->is_exhausted || p->marks.is_exhausted || p->places.is_exhausted ||
        p->labels.scratch->status != STELE_OK || p->labels.raw->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return p->base.out->status;
}

static stele_status perfetto_write(stele_writer *self, const stele_segment *segment)
{
    perfetto_sink *p = (perfetto_sink *)self;
    const bool has_no_times = batch_lacks_times(self->context, segment->batch);
    stele_event placed;
    if (segment->count == 0)
        return perfetto_status(p);
    p->batch = segment->batch;
    note_clock(p, segment);
    for (uint32_t i = 0; i < segment->count && !p->is_exhausted; i++) {
        const stele_event *event = timeless_event(&self->timeless, segment, i, &placed);
        if (i == 0 && !p->is_started)
            start(p, segment->batch, event->time_ns);
        if (has_no_times) {
            placed = event_at_place(event, p->place_count++);
            event = &placed;
        }
        take_event(p, event);
        if (p->changes != 0)
            perfetto_count_changes(p, event);
    }
    timeless_end(&self->timeless, segment);
    return perfetto_status(p);
}

static stele_status perfetto_finish(stele_writer *self)
{
    perfetto_sink *p = (perfetto_sink *)self;
    perfetto_spans_finish(p);
    perfetto_tracks_rename(p);
    return perfetto_status(p);
}

static void perfetto_close(stele_writer *self)
{
    perfetto_sink *p = (perfetto_sink *)self;
    proto_free(&p->packet);
    proto_free(&p->interned);
    proto_free(&p->text);
    free(p->told);
    free(p->tracks);
    member_marks_free(&p->marks);
    chrome_tracks_free(&p->places);
    track_labels_free(&p->labels);
    kernel_free(p->kernel);
    output_close(p->scratch);
    free(p);
}

/* Appends a text as it is; perfetto_text() handles what is not valid UTF-8. */
static bool put_plain(output *out, const void *bytes, size_t size)
{
    output_write(out, bytes, size);
    return false;
}

static bool prepare(perfetto_sink *p)
{
    stele_context *context = p->base.context;
    p->message = context_own_name(context, "message");
    p->data = context_own_name(context, "data");
    p->cpu_id = context_own_name(context, "cpu_id");
    chrome_tracks_init(&p->places, context);
    p->places.has_one_tid_space = true;
    p->kernel = kernel_new(context);
    return track_labels_init(&p->labels, context, put_plain) == STELE_OK && p->kernel != NULL &&
           output_open_memory(&context->diag, &p->scratch) == STELE_OK;
}

static stele_status perfetto_open(stele_context *context, output *out,
                                  const stele_sink_options *options, stele_writer **writer)
{
    static const writer_ops ops = {perfetto_write, perfetto_finish, perfetto_close};
    perfetto_sink *p = calloc(1, sizeof *p);
    *writer = NULL;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base = (stele_writer){.ops = &ops,
                             .context = context,
                             .out = out,
                             .owns_output = true,
                             .timeless.is_wanted = true};
    if (!prepare(p)) {
        perfetto_close(&p->base);
        return STELE_ERR_MEMORY;
    }
    if (options != NULL && options->has_origin) {
        p->has_origin = true;
        p->origin_ns = options->origin_ns;
    }
    if (options != NULL && options->has_end) {
        p->has_end = true;
        p->end_ns = options->end_ns;
    }
    *writer = &p->base;
    return STELE_OK;
}

const sink_entry sink_perfetto = {
    .name = "perfetto",
    .title = "Perfetto's own format (protobuf), for its page and trace_processor",
    .extensions = ".pftrace .perfetto-trace",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = perfetto_open,
};
