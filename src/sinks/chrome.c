/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes Chrome's trace-event JSON, for Perfetto's page and chrome://tracing. docs/conversion.md
 * describes what each kind of event becomes; chrome_tracks.h, which process and thread a track
 * becomes.
 *
 * The JSON is composed of fragments by hand, because it is written for every event, as JSON lines
 * are (json.c).
 */
#include <stdlib.h>

#include "sinks/chrome_sink.h"
#include "sinks/drawn.h"

/* Writes `,"id":"0x1f"`. */
static void chrome_id_put(chrome_sink *chrome, uint64_t id)
{
    output *out = chrome->base.out;
    char *to = (char *)output_reserve(out, CHROME_EVENT_SIZE);
    if (to == NULL)
        return;
    to = text_hex(PUT(to, ",\"id\":\"0x"), id, 1);
    *to++ = '"';
    output_advance(out, (size_t)(to - (char *)out->at));
}

/* ---- Flows and asynchronous operations ---- */

/* The event to write for one of a flow or operation. It gets the category and name of the begin,
   without which viewers show no arrow, or no end. */
static stele_event link_event(const chrome_link *link, const stele_event *event)
{
    stele_event as = *event;
    if (link != NULL && event->kind != STELE_KIND_ASYNC_STEP &&
        (link->name & STELE_NAME_LOCAL) == 0) {
        as.name = link->name;
        as.category = link->category;
    }
    return as;
}

static void linked_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       char phase)
{
    const bool is_flow = phase == 's' || phase == 't' || phase == 'f';
    const bool is_begin = phase == 's' || phase == 'b';
    const chrome_link *link = is_begin
                                  ? chrome_links_begin(&chrome->links, event, track->pid, is_flow)
                                  : chrome_links_follow(&chrome->links, event, track->pid, is_flow);
    const stele_event as = link_event(link, event);
    output *out = chrome->base.out;
    /* Flows are numbered from 1. One whose begin is unknown gets a number far from those. */
    const uint64_t mix = link != NULL ? link->mix : is_flow ? ~event->id & UINT64_C(1) << 63 : 0;
    chrome_title_put(chrome, &as, phase, "");
    chrome_id_put(chrome, event->id ^ mix);
    chrome_place_put(chrome, track, event->time_ns);
    if (is_flow)
        OUTPUT_LITERAL(out, ",\"bp\":\"e\"");
    if (mix != 0)
        chrome_arg_id(chrome, "\"stele.id\":", event->id);
    if (as.name != event->name)
        chrome_arg_name(chrome, event);
    chrome_end_put(chrome, event);
}

/* ---- Counters ---- */

static bool is_number(const stele_field *field)
{
    return field->label_count == 0 && field->type >= STELE_TYPE_BOOL &&
           field->type <= STELE_TYPE_KOID && field->type != STELE_TYPE_POINTER;
}

static void counter_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(chrome->batch, event, &first);
    const stele_field *fields = chrome->batch->fields + first;
    chrome_title_put(chrome, event, 'C', "");
    if (event->id != 0)
        chrome_id_put(chrome, event->id);
    chrome_place_put(chrome, track, event->time_ns);
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (field_is_shown(&fields[at]) && !is_number(&fields[at]))
            chrome_lose(chrome, event, "value of a counter that is not a number", false);
    }
    chrome->values.has_bits = true;
    chrome_end_put(chrome, event);
    chrome->values.has_bits = false;
}

/* ---- Instants and kinds without a counterpart ---- */

/*
 * The scope of an instant: FXT has it in a field, 0 for the thread, 1 for the process, 2 for all.
 */
static char instant_scope(const chrome_sink *chrome, const stele_event *event)
{
    static const char scopes[] = "tpg";
    const stele_batch *batch = chrome->batch;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at])) {
        const stele_field *field = &batch->fields[first + at];
        if (field->name == chrome->scope && field->type == STELE_TYPE_UINT &&
            field->label_count == 1 && field->u.u < 3)
            return scopes[field->u.u];
    }
    return 't';
}

static void blob_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    chrome_moment_put(chrome, track, event, "blob", 't');
    chrome_arg_u64(chrome, "\"stele.size\":", event->value);
    chrome_arg_u64(chrome, "\"stele.offset\":", event->id);
    chrome_lose(chrome, event, "payload of a blob", true);
    chrome->values.skipped = chrome->data;
    chrome_end_put(chrome, event);
    chrome->values.skipped = VALUE_SKIP_NONE;
}

static void wake_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    chrome_moment_put(chrome, track, event, "wake", 't');
    chrome_arg_track(chrome, "\"thread\":", (uint32_t)event->id);
    chrome_end_put(chrome, event);
}

static void lost_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    chrome_moment_put(chrome, track, event, "events lost", 'g');
    if (event->value != 0)
        chrome_arg_u64(chrome, "\"stele.count\":", event->value);
    if (event->id != 0) {
        bool is_negative;
        chrome_arg_u64(chrome, "\"stele.gap_ns\":",
                       time_distance((int64_t)event->id, event->time_ns, &is_negative));
    }
    chrome_end_put(chrome, event);
}

/* Writes an event of a kind that Chrome does not have: an instant, with its number among the
   arguments. */
static void other_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    const bool has_number = event->kind == STELE_KIND_SYSCALL || event->kind == STELE_KIND_SNAPSHOT;
    chrome_moment_put(chrome, track, event, stele_kind_text(event->kind),
                      event->kind == STELE_KIND_INSTANT ? instant_scope(chrome, event) : 't');
    if (has_number)
        chrome_arg_u64(chrome, "\"stele.number\":", event->value);
    if (event->kind == STELE_KIND_LOG && event->value != 0)
        chrome_arg_u64(chrome, "\"stele.severity\":", event->value);
    if (event->kind == STELE_KIND_INSN)
        chrome_arg_id(chrome, "\"stele.pc\":", event->id);
    chrome_end_put(chrome, event);
}

/* Writes metadata of the trace. Viewers do not show it, but programs can read it. */
static void metadata_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    output *out = chrome->base.out;
    chrome_begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"stele.");
    output_text(out, stele_kind_text(event->kind));
    output_byte(out, '"');
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        output_write(out, track->place, track->place_size);
    else
        chrome_place_put(chrome, track, event->time_ns);
    chrome_arg_name(chrome, event);
    chrome_arg_id(chrome, "\"stele.id\":", event->id);
    chrome_arg_u64(chrome, "\"stele.value\":", event->value);
    chrome_end_put(chrome, event);
}

/* ---- Events ---- */

static void event_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_COMPLETE: chrome_complete_put(chrome, track, event); break;
    case STELE_KIND_BEGIN: chrome_begin_span_put(chrome, track, event); break;
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: chrome_end_span_put(chrome, track, event); break;
    case STELE_KIND_COUNTER: counter_put(chrome, track, event); break;
    case STELE_KIND_ASYNC_BEGIN: linked_put(chrome, track, event, 'b'); break;
    case STELE_KIND_ASYNC_STEP: linked_put(chrome, track, event, 'n'); break;
    case STELE_KIND_ASYNC_END: linked_put(chrome, track, event, 'e'); break;
    case STELE_KIND_FLOW_BEGIN: linked_put(chrome, track, event, 's'); break;
    case STELE_KIND_FLOW_STEP: linked_put(chrome, track, event, 't'); break;
    case STELE_KIND_FLOW_END: linked_put(chrome, track, event, 'f'); break;
    case STELE_KIND_SWITCH: chrome_switch_put(chrome, track, event); break;
    case STELE_KIND_WAKE: wake_put(chrome, track, event); break;
    case STELE_KIND_BLOB: blob_put(chrome, track, event); break;
    case STELE_KIND_LOST: lost_put(chrome, track, event); break;
    case STELE_KIND_OBJECT:
    case STELE_KIND_METADATA: metadata_put(chrome, track, event); break;
    default: other_put(chrome, track, event); break;
    }
}

/* Whether the event is written without a time. */
static bool lacks_time(const chrome_sink *chrome, const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) != 0 &&
           (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA ||
            !chrome->base.timeless.has_time);
}

/* Notes the time of an event, if it has one. The first one is the origin of times, unless the
   reader has given an earlier one. */
static void note_time(chrome_sink *chrome, const stele_event *event)
{
    if (lacks_time(chrome, event))
        return;
    if (!chrome->has_origin)
        chrome->origin_ns = event->time_ns;
    chrome->has_origin = true;
    chrome_note_time(chrome, event->time_ns);
}

static void note_wall(chrome_sink *chrome, const stele_clock *clock)
{
    chrome->has_wall = clock->has_wall && clock->domain == STELE_CLOCK_NS;
    chrome->wall_ns = clock->wall_ns;
}

/* Notes what the clock of a segment's stream says. Returns whether its events have no times. */
static bool note_clock(chrome_sink *chrome, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(chrome->base.context, segment->batch->stream);
    const char *what;
    if (stream == NULL)
        return false;
    if (!chrome->has_wall)
        note_wall(chrome, &stream->clock);
    what = drawn_loss(&stream->clock);
    if (what != NULL)
        writer_lose(&chrome->base, STELE_KIND_NONE, what, false, segment->count);
    return stream->clock.domain == STELE_CLOCK_NONE;
}

static stele_status chrome_status(const chrome_sink *chrome)
{
    if (chrome->is_exhausted || chrome->labels.scratch->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return value_writer_status(&chrome->values, chrome->base.out);
}

static stele_status chrome_write(stele_writer *self, const stele_segment *segment)
{
    chrome_sink *chrome = (chrome_sink *)self;
    const bool has_no_times = note_clock(chrome, segment);
    stele_event placed;
    chrome->batch = segment->batch;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = timeless_event(&self->timeless, segment, i, &placed);
        chrome_track *track = chrome_tracks_get(&chrome->tracks, event->track);
        if (track == NULL) {
            chrome->is_exhausted = true;
            break;
        }
        if (has_no_times) {
            placed = event_at_place(event, chrome->place_count++);
            event = &placed;
        }
        note_time(chrome, event);
        event_put(chrome, track, event);
        if (chrome->values.changes != 0)
            value_count_changes(&chrome->values, self, (stele_kind)event->kind);
        if ((event->flags & STELE_FLAG_CLAMPED) != 0)
            chrome_lose(chrome, event, "time beyond 64 bits of nanoseconds", false);
    }
    timeless_end(&self->timeless, segment);
    return chrome_status(chrome);
}

/* ---- Finishing and opening ---- */

static stele_status chrome_finish(stele_writer *self)
{
    chrome_sink *chrome = (chrome_sink *)self;
    chrome_end_put_all(chrome);
    return chrome_status(chrome);
}

static void chrome_close(stele_writer *self)
{
    chrome_sink *chrome = (chrome_sink *)self;
    value_writer_free(&chrome->values);
    track_labels_free(&chrome->labels);
    fragments_free(&chrome->heads);
    output_close(chrome->scratch);
    chrome_tracks_free(&chrome->tracks);
    free(chrome);
}

static stele_status chrome_open(stele_context *context, output *out,
                                const stele_sink_options *options, stele_writer **writer)
{
    static const writer_ops ops = {chrome_write, chrome_finish, chrome_close};
    chrome_sink *chrome = calloc(1, sizeof *chrome);
    *writer = NULL;
    if (chrome == NULL)
        return STELE_ERR_MEMORY;
    chrome->base = (stele_writer){.ops = &ops,
                                  .context = context,
                                  .out = out,
                                  .owns_output = true,
                                  .timeless.is_wanted = true};
    chrome_tracks_init(&chrome->tracks, context);
    chrome->scope = context_own_name(context, "scope");
    chrome->data = context_own_name(context, "data");
    for (unsigned i = 0; i < CHROME_MARK_COUNT; i++) {
        chrome->marks[i] = context_own_name(context, chrome_mark_texts[i]);
        chrome->mark_bits |= UINT64_C(1) << (chrome->marks[i] & 63);
    }
    if (options != NULL && options->has_origin) {
        chrome->has_origin = true;
        chrome->origin_ns = options->origin_ns;
    }
    if (options != NULL && options->has_end) {
        chrome->has_end = true;
        chrome->end_ns = options->end_ns;
    }
    chrome_idle_init(&chrome->idle, context);
    if (value_writer_init(&chrome->values, context) != STELE_OK ||
        track_labels_init(&chrome->labels, context, json_string) != STELE_OK ||
        output_open_memory(&context->diag, &chrome->scratch) != STELE_OK ||
        !fragments_init(&chrome->heads, context)) {
        chrome_close(&chrome->base);
        return STELE_ERR_MEMORY;
    }
    chrome->values.is_for_doubles = true;
    OUTPUT_LITERAL(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    *writer = &chrome->base;
    return STELE_OK;
}

const sink_entry sink_chrome = {
    .name = "chrome",
    .title = "Chrome trace events (JSON), for chrome://tracing and other viewers",
    .extensions = ".json",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = chrome_open,
};
