/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace-event JSON, for Perfetto's page and chrome://tracing. docs/conversion.md says what
 * becomes of each kind of event; where tracks stand is said in chrome_tracks.h.
 */
#include <stdlib.h>

#include "core/hash.h"
#include "sinks/chrome_links.h"
#include "sinks/chrome_tracks.h"
#include "sinks/column.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define EVENT_SIZE 160 /* of an event's fixed parts, all that is not names or arguments */

#define MARK_COUNT 4
static const char *const mark_texts[MARK_COUNT] = {"stele.unwound", "stele.unfinished",
                                                   "stele.before_ns", "stele.after_ns"};

typedef struct chrome_sink {
    stele_writer base;
    value_writer values;
    track_labels labels; /* as JSON strings */
    chrome_tracks tracks;
    chrome_links links;
    stele_name scope, data;
    stele_name marks[MARK_COUNT]; /* of what stele_picture says of a span in its last field */
    chrome_idle idle;
    bool has_events, has_args;
    bool has_last, is_exhausted;
    int64_t last_ns; /* the latest time of all */
    bool has_origin, has_wall;
    bool has_end;
    int64_t end_ns;    /* what runs at the end runs up to there */
    int64_t origin_ns; /* what times count from */
    int64_t wall_ns;   /* wall-clock time of that */
    const stele_batch *batch;
} chrome_sink;

static void lose(chrome_sink *chrome, const stele_event *event, const char *what,
                 loss_extent extent)
{
    writer_lose(&chrome->base, (stele_kind)event->kind, what, extent, 1);
}

/* ---- Times ---- */

/* Microseconds with three decimals, exact: "-0.001". */
static char *put_us(char *to, uint64_t ns, bool is_negative)
{
    char decimals[3];
    if (is_negative)
        *to++ = '-';
    if (ns < 1000)
        return text_padded(PUT(to, "0."), ns, 3);
    /* All digits at once, then the last three give way to the point. */
    to = text_u64(to, ns);
    memcpy(decimals, to - 3, 3);
    to[-3] = '.';
    memcpy(to - 2, decimals, 3);
    return to + 1;
}

/* Viewers read times as doubles: from the origin on these tell nanoseconds apart for 104 days. */
static char *put_ts(const chrome_sink *chrome, char *to, int64_t ns)
{
    bool is_negative;
    const uint64_t distance = time_distance(ns, chrome->origin_ns, &is_negative);
    return put_us(PUT(to, ",\"ts\":"), distance, is_negative);
}

static void note_time(chrome_sink *chrome, int64_t ns)
{
    if (!chrome->has_last || ns > chrome->last_ns)
        chrome->last_ns = ns;
    chrome->has_last = true;
}

/* ---- Pieces of an event ---- */

/* The separator and `{"ph":"X"`. */
static void begin_put(chrome_sink *chrome, char phase)
{
    char *to = (char *)output_reserve(chrome->base.out, EVENT_SIZE);
    const char *const start = to;
    if (to == NULL)
        return;
    if (chrome->has_events)
        *to++ = ',';
    to = PUT(to, "\n{\"ph\":\"");
    *to++ = phase;
    *to++ = '"';
    output_advance(chrome->base.out, (size_t)(to - start));
    chrome->has_events = true;
    chrome->has_args = false;
}

static void category_put(chrome_sink *chrome, const stele_event *event)
{
    if (event->category == 0)
        return;
    OUTPUT_LITERAL(chrome->base.out, ",\"cat\":");
    value_put_name(&chrome->values, chrome->base.out, chrome->batch,
                   stele_category_name(chrome->base.context, event->category));
}

/* The name, or for an event without one `standard`, or the address of its function. */
static void name_put(chrome_sink *chrome, const stele_event *event, const char *standard)
{
    output *out = chrome->base.out;
    OUTPUT_LITERAL(out, ",\"name\":");
    if (event->name != 0 || (standard == NULL && event->id == 0)) {
        value_put_name(&chrome->values, out, chrome->batch, event->name);
        return;
    }
    output_byte(out, '"');
    if (standard != NULL)
        output_text(out, standard);
    else
        output_hex(out, event->id);
    output_byte(out, '"');
}

/* `,"pid":1,"tid":2,"ts":3.004` */
static void place_put(chrome_sink *chrome, const chrome_track *track, int64_t ns)
{
    char *to = (char *)output_reserve(chrome->base.out, EVENT_SIZE);
    const char *const start = to;
    if (to == NULL)
        return;
    memcpy(to, track->place, CHROME_PLACE_SIZE);
    to = put_ts(chrome, to + track->place_size, ns);
    output_advance(chrome->base.out, (size_t)(to - start));
}

/* What separates the next argument from what is before it. */
static void arg_next(chrome_sink *chrome)
{
    if (chrome->has_args)
        output_byte(chrome->base.out, ',');
    else
        OUTPUT_LITERAL(chrome->base.out, ",\"args\":{");
    chrome->has_args = true;
}

static void arg_u64(chrome_sink *chrome, const char *key, uint64_t value)
{
    arg_next(chrome);
    output_text(chrome->base.out, key);
    value_put_u64(&chrome->values, chrome->base.out, value);
}

static void arg_id(chrome_sink *chrome, const char *key, uint64_t id)
{
    arg_next(chrome);
    output_text(chrome->base.out, key);
    output_byte(chrome->base.out, '"');
    output_hex(chrome->base.out, id);
    output_byte(chrome->base.out, '"');
}

/* The event's own name, where another one stands in its place. */
static void arg_name(chrome_sink *chrome, const stele_event *event)
{
    arg_next(chrome);
    OUTPUT_LITERAL(chrome->base.out, "\"stele.name\":");
    value_put_name(&chrome->values, chrome->base.out, chrome->batch, event->name);
}

static void arg_track(chrome_sink *chrome, const char *key, uint32_t track)
{
    const name_form *label = track_labels_get(&chrome->labels, track);
    arg_next(chrome);
    output_text(chrome->base.out, key);
    output_write(chrome->base.out, label->bytes, label->size);
}

static bool has_shown(const chrome_sink *chrome, uint32_t first, uint32_t count)
{
    const stele_field *fields = chrome->batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (field_is_shown(&fields[at]) && fields[at].name != chrome->values.skipped)
            return true;
    }
    return false;
}

static bool is_of_span(const stele_event *event)
{
    return event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_END ||
           event->kind == STELE_KIND_TAIL_EXIT || event->kind == STELE_KIND_COMPLETE;
}

/* Which mark the event of a span has as its last field; MARK_COUNT: none. */
static unsigned mark_of(const chrome_sink *chrome, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = is_of_span(event) ? stele_event_fields(chrome->batch, event, &first) : 0;
    unsigned i = count == 0 ? MARK_COUNT : 0;
    while (i < MARK_COUNT && chrome->batch->fields[first + count - 1].name != chrome->marks[i])
        i++;
    return i;
}

static void args_put_fields(chrome_sink *chrome, const stele_event *event)
{
    const stele_batch *batch = chrome->batch;
    output *out = chrome->base.out;
    uint32_t first;
    const uint32_t count =
        stele_event_fields(batch, event, &first) - (mark_of(chrome, event) != MARK_COUNT);
    if (has_shown(chrome, first, count)) {
        arg_next(chrome);
        value_put_members(&chrome->values, out, batch, first, count);
    }
    if (has_shown(chrome, batch->context_first, batch->context_count)) {
        arg_next(chrome);
        value_put_context(&chrome->values, out, batch);
    }
}

#define FLAGS_TOLD \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

static void args_put_flags(chrome_sink *chrome, unsigned flags)
{
    char text[CELL_SIZE];
    arg_next(chrome);
    OUTPUT_LITERAL(chrome->base.out, "\"stele.flags\":\"");
    output_write(chrome->base.out, text, (size_t)(cell_flags(text, flags & FLAGS_TOLD) - text));
    output_byte(chrome->base.out, '"');
}

/*
 * The CPU of an event that is part of a span is no argument, nor is what became of the span:
 * programs take spans of one name with other arguments for other functions, and an end with other
 * arguments for another's.
 */
static void beside_put(chrome_sink *chrome, const stele_event *event)
{
    const unsigned mark = mark_of(chrome, event);
    output *out = chrome->base.out;
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0) {
        OUTPUT_LITERAL(out, ",\"stele.cpu\":");
        output_u64(out, event->cpu);
    }
    if (mark != MARK_COUNT) {
        uint32_t first;
        const uint32_t count = stele_event_fields(chrome->batch, event, &first);
        OUTPUT_LITERAL(out, ",\"");
        output_text(out, mark_texts[mark]);
        OUTPUT_LITERAL(out, "\":");
        value_put_scalar(&chrome->values, out, chrome->batch,
                         &chrome->batch->fields[first + count - 1]);
    }
}

/* Fields, those of the batch's context, and what has no other place; then the end of the event. */
static void end_put(chrome_sink *chrome, const stele_event *event)
{
    args_put_fields(chrome, event);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0 && !is_of_span(event))
        arg_u64(chrome, "\"stele.cpu\":", event->cpu);
    if ((event->flags & FLAGS_TOLD) != 0)
        args_put_flags(chrome, event->flags);
    output_text(chrome->base.out, chrome->has_args ? "}}" : "}");
}

/* ---- Spans ---- */

/*
 * Ends of the complete events that are around the next one, the outermost lowest. One that begins
 * in the top one and ends after it lies across it.
 */
static void note_overlap(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    const int64_t end_ns = (int64_t)event->id;
    bool is_across = false;
    while (track->ends != 0) {
        const int64_t top_ns = (int64_t)chrome_top(&chrome->tracks, track->ends);
        if (top_ns > event->time_ns && top_ns >= end_ns)
            break;
        is_across |= top_ns > event->time_ns;
        chrome_pop(&chrome->tracks, &track->ends);
    }
    if (is_across)
        lose(chrome, event, "span across another one, which viewers draw badly", false);
    chrome_push(&chrome->tracks, &track->ends, (uint64_t)end_ns);
}

static void complete_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    output *out = chrome->base.out;
    bool is_negative;
    uint64_t ns = time_distance((int64_t)event->id, event->time_ns, &is_negative);
    char *to;
    begin_put(chrome, 'X');
    category_put(chrome, event);
    name_put(chrome, event, "");
    place_put(chrome, track, event->time_ns);
    to = (char *)output_reserve(out, EVENT_SIZE);
    if (to == NULL)
        return;
    to = PUT(to, ",\"dur\":");
    to = put_us(to, is_negative ? 0 : ns, false);
    output_advance(out, (size_t)(to - (char *)out->at));
    beside_put(chrome, event);
    if (is_negative) {
        lose(chrome, event, "end before its begin, drawn without length", false);
        arg_next(chrome);
        OUTPUT_LITERAL(out, "\"stele.dur_ns\":-");
        output_u64(out, ns);
    }
    note_time(chrome, is_negative ? event->time_ns : (int64_t)event->id);
    note_overlap(chrome, track, event);
    end_put(chrome, event);
}

/* What tells whether an end has the name of its begin; names of a batch by their bytes. */
static uint64_t span_name(const chrome_sink *chrome, const stele_event *event)
{
    uint64_t name = event->name;
    if ((event->name & STELE_NAME_LOCAL) != 0) {
        const stele_text text = stele_name_text(chrome->base.context, chrome->batch, event->name);
        name = STELE_NAME_LOCAL | (hash_bytes(text.bytes, text.size) & 0x7fffffff);
    }
    return name << 16 | event->category;
}

static void open_span(chrome_sink *chrome, chrome_track *track, uint64_t name)
{
    if (track->excess != 0 || !chrome_push(&chrome->tracks, &track->open, name))
        track->excess++;
}

static void begin_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    open_span(chrome, track, span_name(chrome, event));
    begin_put(chrome, 'B');
    category_put(chrome, event);
    name_put(chrome, event, NULL);
    place_put(chrome, track, event->time_ns);
    beside_put(chrome, event);
    end_put(chrome, event);
}

/*
 * Ends belong to the begin that is open on their thread, whatever their name. Perfetto's page wants
 * the same name or none, so an end of another name keeps it among its arguments.
 */
static void end_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    bool is_same = true;
    if (track->excess != 0) {
        track->excess--;
    } else if (track->open != 0) {
        is_same = chrome_pop(&chrome->tracks, &track->open) == span_name(chrome, event);
    } else {
        lose(chrome, event, "end without a begin, which viewers leave out", false);
    }
    begin_put(chrome, 'E');
    if (is_same && (event->name != 0 || event->category != 0)) {
        category_put(chrome, event);
        name_put(chrome, event, NULL);
    }
    place_put(chrome, track, event->time_ns);
    beside_put(chrome, event);
    if (!is_same && event->name != 0)
        arg_name(chrome, event);
    end_put(chrome, event);
}

static void moment_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       const char *standard, char scope);

static void idle_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    if (track == NULL) {
        chrome->is_exhausted = true;
        return;
    }
    moment_put(chrome, track, event, "idle", 't');
    arg_track(chrome, "\"outgoing\":", (uint32_t)event->value);
    end_put(chrome, event);
}

/* Perfetto's page shows what threads do from events of their own. */
static void state_put(chrome_sink *chrome, const chrome_running *running, int64_t end_ns)
{
    const chrome_track *thread = chrome_tracks_get(&chrome->tracks, running->thread);
    bool is_negative;
    const uint64_t ns = time_distance(end_ns, running->begin_ns, &is_negative);
    output *out = chrome->base.out;
    char *to;
    if (thread == NULL) {
        chrome->is_exhausted = true;
        return;
    }
    begin_put(chrome, 'T');
    OUTPUT_LITERAL(out, ",\"name\":\"Running\"");
    place_put(chrome, thread, running->begin_ns);
    to = (char *)output_reserve(out, EVENT_SIZE);
    if (to == NULL)
        return;
    to = put_us(PUT(to, ",\"dur\":"), is_negative ? 0 : ns, false);
    to = text_u64(PUT(to, ",\"args\":{\"cpu\":"), running->cpu);
    to = PUT(to, "}}");
    output_advance(out, (size_t)(to - (char *)out->at));
}

/* Ends what runs on the CPU; its track may have moved then. */
static void running_end(chrome_sink *chrome, chrome_track *track, int64_t end_ns, bool is_last)
{
    const chrome_running running = track->running;
    track->running.thread = 0;
    begin_put(chrome, 'E');
    place_put(chrome, track, end_ns);
    output_text(chrome->base.out, is_last ? ",\"args\":{\"stele.unfinished\":true}}" : "}");
    state_put(chrome, &running, end_ns);
}

/*
 * The thread that runs on a CPU is an open span on the CPU's track, until the next one runs. From
 * where a CPU is idle there is none.
 */
static void switch_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    const name_form *label;
    output *out = chrome->base.out;
    if (track->running.thread != 0) {
        running_end(chrome, track, event->time_ns, false);
        track = chrome_tracks_get(&chrome->tracks, event->track);
    }
    if (track == NULL ||
        chrome_is_idle(&chrome->idle, chrome->base.context, chrome->batch, event)) {
        idle_put(chrome, track, event);
        return;
    }
    track->running = (chrome_running){(uint32_t)event->id, track->tid, event->time_ns};
    begin_put(chrome, 'B');
    OUTPUT_LITERAL(out, ",\"cat\":\"sched\",\"name\":");
    label = track_labels_get(&chrome->labels, (uint32_t)event->id);
    output_write(out, label->bytes, label->size);
    place_put(chrome, track, event->time_ns);
    arg_track(chrome, "\"outgoing\":", (uint32_t)event->value);
    end_put(chrome, event);
}

/* ---- Flows and asynchronous operations ---- */

/*
 * The category and name of a flow, and those of the end of an operation, are those of the begin:
 * else viewers see no flow, and no end.
 */
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
    /* Flows are numbered from 1; one whose begin is not known is far from those. */
    const uint64_t mix = link != NULL ? link->mix : is_flow ? ~event->id & UINT64_C(1) << 63 : 0;
    output *out = chrome->base.out;
    begin_put(chrome, phase);
    if (as.category == 0)
        OUTPUT_LITERAL(out, ",\"cat\":\"\"");
    category_put(chrome, &as);
    name_put(chrome, &as, "");
    OUTPUT_LITERAL(out, ",\"id\":\"");
    output_hex(out, event->id ^ mix);
    output_byte(out, '"');
    place_put(chrome, track, event->time_ns);
    if (is_flow)
        OUTPUT_LITERAL(out, ",\"bp\":\"e\"");
    if (mix != 0)
        arg_id(chrome, "\"stele.id\":", event->id);
    if (as.name != event->name)
        arg_name(chrome, event);
    end_put(chrome, event);
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
    begin_put(chrome, 'C');
    category_put(chrome, event);
    name_put(chrome, event, "");
    if (event->id != 0) {
        OUTPUT_LITERAL(chrome->base.out, ",\"id\":\"");
        output_hex(chrome->base.out, event->id);
        output_byte(chrome->base.out, '"');
    }
    place_put(chrome, track, event->time_ns);
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (field_is_shown(&fields[at]) && !is_number(&fields[at]))
            lose(chrome, event, "value of a counter that is no number", false);
    }
    chrome->values.has_bits = true;
    end_put(chrome, event);
    chrome->values.has_bits = false;
}

/* ---- Moments ---- */

/* FXT says in a field to whom an instant matters: 0 to its thread, 1 its process, 2 everybody. */
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

/* An instant up to its arguments. */
static void moment_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       const char *standard, char scope)
{
    char text[] = ",\"s\":\"t\"";
    begin_put(chrome, 'i');
    category_put(chrome, event);
    name_put(chrome, event, standard);
    place_put(chrome, track, event->time_ns);
    text[6] = scope;
    output_write(chrome->base.out, text, sizeof text - 1);
}

static void blob_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    moment_put(chrome, track, event, "blob", 't');
    arg_u64(chrome, "\"stele.size\":", event->value);
    arg_u64(chrome, "\"stele.offset\":", event->id);
    lose(chrome, event, "payload of a blob", true);
    chrome->values.skipped = chrome->data;
    end_put(chrome, event);
    chrome->values.skipped = VALUE_SKIP_NONE;
}

static void wake_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    moment_put(chrome, track, event, "wake", 't');
    arg_track(chrome, "\"thread\":", (uint32_t)event->id);
    end_put(chrome, event);
}

static void lost_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    moment_put(chrome, track, event, "events lost", 'g');
    if (event->value != 0)
        arg_u64(chrome, "\"stele.count\":", event->value);
    if (event->id != 0) {
        bool is_negative;
        arg_u64(chrome, "\"stele.gap_ns\":",
                time_distance((int64_t)event->id, event->time_ns, &is_negative));
    }
    end_put(chrome, event);
}

/* Kinds that Chrome has no word for: instants with a number among their arguments. */
static void other_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    const bool has_number = event->kind == STELE_KIND_SYSCALL || event->kind == STELE_KIND_SNAPSHOT;
    moment_put(chrome, track, event, stele_kind_text(event->kind),
               event->kind == STELE_KIND_INSTANT ? instant_scope(chrome, event) : 't');
    if (has_number)
        arg_u64(chrome, "\"stele.number\":", event->value);
    if (event->kind == STELE_KIND_LOG && event->value != 0)
        arg_u64(chrome, "\"stele.severity\":", event->value);
    if (event->kind == STELE_KIND_INSN)
        arg_id(chrome, "\"stele.pc\":", event->id);
    end_put(chrome, event);
}

/* What says something about the trace is there for programs; viewers do not show it. */
static void metadata_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    output *out = chrome->base.out;
    begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"stele.");
    output_text(out, stele_kind_text(event->kind));
    output_byte(out, '"');
    place_put(chrome, track, event->time_ns);
    arg_name(chrome, event);
    arg_id(chrome, "\"stele.id\":", event->id);
    arg_u64(chrome, "\"stele.value\":", event->value);
    end_put(chrome, event);
}

/* ---- Events ---- */

static void event_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_COMPLETE: complete_put(chrome, track, event); break;
    case STELE_KIND_BEGIN: begin_span_put(chrome, track, event); break;
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: end_span_put(chrome, track, event); break;
    case STELE_KIND_COUNTER: counter_put(chrome, track, event); break;
    case STELE_KIND_ASYNC_BEGIN: linked_put(chrome, track, event, 'b'); break;
    case STELE_KIND_ASYNC_STEP: linked_put(chrome, track, event, 'n'); break;
    case STELE_KIND_ASYNC_END: linked_put(chrome, track, event, 'e'); break;
    case STELE_KIND_FLOW_BEGIN: linked_put(chrome, track, event, 's'); break;
    case STELE_KIND_FLOW_STEP: linked_put(chrome, track, event, 't'); break;
    case STELE_KIND_FLOW_END: linked_put(chrome, track, event, 'f'); break;
    case STELE_KIND_SWITCH: switch_put(chrome, track, event); break;
    case STELE_KIND_WAKE: wake_put(chrome, track, event); break;
    case STELE_KIND_BLOB: blob_put(chrome, track, event); break;
    case STELE_KIND_LOST: lost_put(chrome, track, event); break;
    case STELE_KIND_OBJECT:
    case STELE_KIND_METADATA: metadata_put(chrome, track, event); break;
    default: other_put(chrome, track, event); break;
    }
}

/* Times count from the first event, where the reader does not know an earlier one. */
static void note_origin(chrome_sink *chrome, int64_t time_ns)
{
    if (!chrome->has_origin)
        chrome->origin_ns = time_ns;
    chrome->has_origin = true;
}

static void note_wall(chrome_sink *chrome, const stele_clock *clock)
{
    chrome->has_wall = clock->has_wall && clock->domain == STELE_CLOCK_NS;
    chrome->wall_ns = clock->wall_ns;
}

static void note_clock(chrome_sink *chrome, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(chrome->base.context, segment->batch->stream);
    const char *what = NULL;
    if (stream == NULL)
        return;
    if (!chrome->has_wall)
        note_wall(chrome, &stream->clock);
    if (stream->clock.domain == STELE_CLOCK_TICKS)
        what = "ticks of unknown length, drawn as nanoseconds";
    else if (stream->clock.domain == STELE_CLOCK_INSNS)
        what = "count of instructions, drawn as nanoseconds";
    else if (stream->clock.domain == STELE_CLOCK_NONE)
        what = "order without times";
    else if (stream->clock.frequency_hz > 1000000000)
        what = "time below one nanosecond";
    if (what != NULL)
        writer_lose(&chrome->base, STELE_KIND_NONE, what, false, segment->count);
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
    chrome->batch = segment->batch;
    note_clock(chrome, segment);
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        chrome_track *track = chrome_tracks_get(&chrome->tracks, event->track);
        if (track == NULL) {
            chrome->is_exhausted = true;
            break;
        }
        note_origin(chrome, event->time_ns);
        note_time(chrome, event->time_ns);
        event_put(chrome, track, event);
        value_count_changes(&chrome->values, self, (stele_kind)event->kind);
        if ((event->flags & STELE_FLAG_CLAMPED) != 0)
            lose(chrome, event, "time beyond 64 bits of nanoseconds", false);
    }
    return chrome_status(chrome);
}

/* ---- The end ---- */

static void unfinished_put(chrome_sink *chrome, const chrome_track *track)
{
    begin_put(chrome, 'E');
    place_put(chrome, track, chrome->last_ns);
    OUTPUT_LITERAL(chrome->base.out, ",\"args\":{\"stele.unfinished\":true}}");
}

static void unfinished_put_all(chrome_sink *chrome)
{
    uint64_t count = 0;
    if (chrome->has_end && chrome->end_ns > chrome->last_ns)
        chrome->last_ns = chrome->end_ns;
    for (uint32_t i = 0; i < chrome->tracks.count; i++) {
        chrome_track *track = &chrome->tracks.items[i];
        for (; track->excess != 0; track->excess--, count++)
            unfinished_put(chrome, track);
        for (; track->open != 0; chrome_pop(&chrome->tracks, &track->open), count++)
            unfinished_put(chrome, track);
        if (track->running.thread != 0)
            running_end(chrome, track, chrome->last_ns, true);
    }
    if (count != 0)
        writer_lose(&chrome->base, STELE_KIND_BEGIN, "begin without an end, closed with the trace",
                    false, count);
}

/* A metadata event that names a process or thread, up to the name. */
static void naming_put(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid)
{
    output *out = chrome->base.out;
    begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"");
    output_text(out, what);
    OUTPUT_LITERAL(out, "\",\"pid\":");
    output_u64(out, pid);
    OUTPUT_LITERAL(out, ",\"tid\":");
    output_u64(out, tid);
    OUTPUT_LITERAL(out, ",\"args\":{\"name\":");
}

static void naming_put_track(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid,
                             uint32_t track, bool with_number)
{
    const stele_name name = stele_track_get(chrome->base.context, track)->name;
    output *out = chrome->base.out;
    naming_put(chrome, what, pid, tid);
    if (with_number || name == 0) {
        const name_form *label = track_labels_get(&chrome->labels, track);
        output_write(out, label->bytes, label->size);
    } else {
        value_put_name(&chrome->values, out, NULL, name);
    }
    OUTPUT_LITERAL(out, "}}");
}

/* Names are written at the end, when all of them are known; viewers look for them first. */
static void names_put(chrome_sink *chrome)
{
    for (uint32_t i = 0; i < chrome->tracks.group_count; i++) {
        const chrome_group *group = &chrome->tracks.groups[i];
        naming_put(chrome, "process_name", group->pid, 0);
        output_text(chrome->base.out, group->kind == STELE_TRACK_CPU ? "\"CPUs" : "\"other tracks");
        if (chrome->base.context->trace_count > 1) {
            OUTPUT_LITERAL(chrome->base.out, " of trace ");
            output_u64(chrome->base.out, group->source);
        }
        OUTPUT_LITERAL(chrome->base.out, "\"}}");
    }
    for (uint32_t i = 1; i < chrome->tracks.count; i++) {
        const chrome_track *item = &chrome->tracks.items[i];
        const stele_track *track = stele_track_get(chrome->base.context, i);
        if (item->has_pid &&
            (track->name != 0 || item->is_pid_replaced || track->kind != STELE_TRACK_PROCESS))
            naming_put_track(chrome, "process_name", item->pid, 0, i, item->is_pid_replaced);
        if (item->has_place &&
            (track->name != 0 || item->is_replaced || track->kind != STELE_TRACK_THREAD))
            naming_put_track(chrome, "thread_name", item->pid, item->tid, i, item->is_replaced);
    }
}

/* Viewers show processes and threads in this order: as the trace names them, CPUs first. */
static void order_put(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid,
                      uint64_t place)
{
    output *out = chrome->base.out;
    begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"");
    output_text(out, what);
    OUTPUT_LITERAL(out, "\",\"pid\":");
    output_u64(out, pid);
    OUTPUT_LITERAL(out, ",\"tid\":");
    output_u64(out, tid);
    OUTPUT_LITERAL(out, ",\"args\":{\"sort_index\":");
    output_u64(out, place);
    OUTPUT_LITERAL(out, "}}");
}

static void orders_put(chrome_sink *chrome)
{
    for (uint32_t i = 0; i < chrome->tracks.group_count; i++) {
        const chrome_group *group = &chrome->tracks.groups[i];
        order_put(chrome, "process_sort_index", group->pid, 0,
                  group->kind == STELE_TRACK_CPU ? 0 : chrome->tracks.count);
    }
    for (uint32_t i = 1; i < chrome->tracks.count; i++) {
        const chrome_track *item = &chrome->tracks.items[i];
        const stele_track *track = stele_track_get(chrome->base.context, i);
        if (item->has_pid)
            order_put(chrome, "process_sort_index", item->pid, 0, i);
        if (item->has_place)
            order_put(chrome, "thread_sort_index", item->pid, item->tid,
                      track->kind == STELE_TRACK_CPU ? track->number : i);
    }
}

/* What the trace as a whole says: when its times begin, on its own clock and by the wall clock. */
static void other_data_put(chrome_sink *chrome)
{
    output *out = chrome->base.out;
    int64_t wall_ns;
    char text[CELL_SIZE];
    OUTPUT_LITERAL(out, "\n],\"otherData\":{\"writer\":\"stele\"");
    if (chrome->has_origin) {
        OUTPUT_LITERAL(out, ",\"origin_ns\":\"");
        output_i64(out, chrome->origin_ns);
        output_byte(out, '"');
    }
    if (chrome->has_origin && chrome->has_wall &&
        !__builtin_add_overflow(chrome->wall_ns, chrome->origin_ns, &wall_ns)) {
        OUTPUT_LITERAL(out, ",\"origin_time\":\"");
        output_write(out, text, (size_t)(text_wall(text, wall_ns) - text));
        output_byte(out, '"');
    }
    OUTPUT_LITERAL(out, "}}\n");
}

static stele_status chrome_finish(stele_writer *self)
{
    chrome_sink *chrome = (chrome_sink *)self;
    unfinished_put_all(chrome);
    names_put(chrome);
    orders_put(chrome);
    chrome->values.changes = 0;
    other_data_put(chrome);
    return chrome_status(chrome);
}

static void chrome_close(stele_writer *self)
{
    chrome_sink *chrome = (chrome_sink *)self;
    value_writer_free(&chrome->values);
    track_labels_free(&chrome->labels);
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
    chrome->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    chrome_tracks_init(&chrome->tracks, context);
    chrome->scope = stele_name_intern(context, "scope", 5);
    chrome->data = stele_name_intern(context, "data", 4);
    for (unsigned i = 0; i < MARK_COUNT; i++)
        chrome->marks[i] = stele_name_intern(context, mark_texts[i], strlen(mark_texts[i]));
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
        track_labels_init(&chrome->labels, context, json_string) != STELE_OK) {
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
    .title = "Chrome trace events (JSON) for Perfetto's page and chrome://tracing",
    .extensions = ".json",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = chrome_open,
};
