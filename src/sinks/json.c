/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON lines: one event a line, complete, as docs/json.md describes.
 *
 * The JSON is composed of fragments by hand, because it is written for every event: members that
 * are equal for all events of a batch, name or track are made once and copied in blocks, which a
 * writer of documents (<stele/json.h>) cannot do. Chrome's format (chrome.c) is written in the same
 * way.
 */
#include <stdlib.h>

#include "core/array.h"
#include "sinks/json_sink.h"

/* Version of a line's format. New members do not change it. */
#define JSON_VERSION "1"

/* ---- Members of an object ---- */

static void member_name(json_sink *json, escaped_members *escaped, const char *member,
                        stele_name name)
{
    output *out = json->out;
    output_byte(out, '"');
    output_text(out, member);
    OUTPUT_LITERAL(out, "\":");
    value_put_name(&json->values, out, json->batch, name);
    escaped_note(json, escaped, member);
}

/* ---- Tracks ---- */

static void track_put(json_sink *json, uint32_t number)
{
    output *out = json->out;
    const stele_track *track = stele_track_get(json->base.context, number);
    escaped_members escaped = {.count = 0};
    if (track == NULL) {
        OUTPUT_LITERAL(out, "null");
        return;
    }
    OUTPUT_LITERAL(out, "{\"kind\":\"");
    output_text(out, stele_track_kind_text(track->kind));
    MEMBER_U64(out, "\",\"number\":", track->number);
    output_byte(out, ',');
    member_name(json, &escaped, "name", track->name);
    /* Parents have lower numbers than their children, so this ends. */
    if (track->parent != 0 && track->parent < number) {
        OUTPUT_LITERAL(out, ",\"parent\":");
        track_put(json, track->parent);
    }
    escaped_put(out, &escaped);
    output_byte(out, '}');
}

static const uint8_t *scratch_end(json_sink *json, size_t *size)
{
    json->out = json->base.out;
    return output_memory(json->scratch, size);
}

/* Directs output to the scratch buffer, until scratch_end(). */
static void scratch_begin(json_sink *json)
{
    json->scratch->at = json->scratch->buffer;
    json->out = json->scratch;
}

/* Lists the names of a track and of those around it. Returns false if there are more than
   TRACK_DEPTH. */
static bool track_names(const json_sink *json, uint32_t number, stele_name *names)
{
    const stele_track *track = stele_track_get(json->base.context, number);
    memset(names, 0, TRACK_DEPTH * sizeof *names);
    for (unsigned i = 0; track != NULL; i++) {
        if (i == TRACK_DEPTH)
            return false;
        names[i] = track->name;
        track = track->parent < number ? stele_track_get(json->base.context, track->parent) : NULL;
        number = track != NULL ? number : 0;
    }
    return true;
}

static bool tracks_grow(json_sink *json, uint32_t number)
{
    track_part *tracks;
    if (number < json->track_count)
        return true;
    if (stele_track_get(json->base.context, number) == NULL)
        return false;
    tracks = array_reach(json->tracks, sizeof *tracks, &json->track_count, number);
    if (tracks == NULL)
        return false;
    json->tracks = tracks;
    return true;
}

static bool track_make(json_sink *json, track_part *part, uint32_t number)
{
    const uint8_t *made;
    size_t size;
    scratch_begin(json);
    track_put(json, number);
    made = scratch_end(json, &size);
    if (part->bytes == NULL || part->capacity < size) {
        char *grown = array_reserve_size(part->bytes, 1, &part->capacity, size + 16);
        if (grown == NULL)
            return false;
        part->bytes = grown;
    }
    memcpy(part->bytes, made, size);
    part->size = size;
    return true;
}

/* Writes the object of a track, from the cache if possible. */
static void member_track(json_sink *json, const char *key, uint32_t number)
{
    stele_name names[TRACK_DEPTH];
    track_part *part;
    output_text(json->out, key);
    if (json->out == json->scratch || !track_names(json, number, names) ||
        !tracks_grow(json, number)) {
        track_put(json, number);
        return;
    }
    part = &json->tracks[number];
    if (part->bytes == NULL || memcmp(part->names, names, sizeof names) != 0) {
        if (!track_make(json, part, number)) {
            track_put(json, number);
            return;
        }
        memcpy(part->names, names, sizeof names);
    }
    output_put(json->out, part->bytes, part->size);
}

/* ---- Events ---- */

static bool has_ns(const json_sink *json, const stele_event *event)
{
    return json->stream->clock.domain == STELE_CLOCK_NS && (event->flags & STELE_FLAG_NO_TIME) == 0;
}

/* Writes a number, which is often `known`, whose digits of `size` bytes are at `text`. */
static char *number_again(char *to, uint64_t value, const char *text, size_t size, int64_t known)
{
    char digits[TEXT_U64_SIZE];
    if (known < 0 || value != (uint64_t)known)
        return text_u64(to, value);
    /* all possible digits: a copy of constant size is faster */
    memcpy(digits, text, sizeof digits);
    memcpy(to, digits, sizeof digits);
    return to + size;
}

/* Writes the start of a line, up to the name. */
static char *times_put(json_sink *json, char *to, const stele_event *event)
{
    static const char *const domains[] = {"none", "ns", "ticks", "instructions"};
    const stele_clock *clock = &json->stream->clock;
    const kind_head *head = &json->kinds[event->kind < STELE_KIND_COUNT ? event->kind : 0];
    const bool is_ns = has_ns(json, event);
    const char *time = to + head->size;
    size_t size;
    int64_t wall_ns;
    memcpy(to, head->bytes, KIND_HEAD_SIZE);
    to += head->size;
    if (!is_ns)
        to = PUT(to, "null");
    else if (event->time_ns < 0)
        to = text_i64(to, event->time_ns);
    else
        to = text_u64_near(to, (uint64_t)event->time_ns, &json->time);
    size = (size_t)(to - time);
    to = PUT(to, ",\"ticks\":");
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 || clock->domain == STELE_CLOCK_NONE)
        to = PUT(to, "null");
    else if (is_ns && event->ticks == (uint64_t)event->time_ns)
        to = number_again(to, event->ticks, time, size, event->time_ns);
    else
        to = text_u64_near(to, event->ticks, &json->ticks);
    if (clock->domain != STELE_CLOCK_NS) {
        to = PUT(to, ",\"clock\":\"");
        to = put_bytes(to, domains[clock->domain], strlen(domains[clock->domain]));
        *to++ = '"';
    }
    if (!json->has_wall || !is_ns ||
        __builtin_add_overflow(json->wall_ns, event->time_ns, &wall_ns))
        return to;
    to = PUT(to, ",\"wall_ns\":");
    if (wall_ns < 0)
        return text_i64(to, wall_ns);
    return wall_ns == event->time_ns ? number_again(to, (uint64_t)wall_ns, time, size, wall_ns)
                                     : text_u64_near(to, (uint64_t)wall_ns, &json->wall);
}

static char *complete_put(json_sink *json, char *to, const stele_event *event)
{
    const int64_t end_ns = (int64_t)event->id;
    bool is_negative;
    uint64_t ns;
    size_t size;
    char *ticks;
    ticks = to = PUT(to, ",\"end_ticks\":");
    to = text_u64_near(to, event->value, &json->end);
    if (!has_ns(json, event))
        return to;
    size = (size_t)(to - ticks);
    ns = time_distance(end_ns, event->time_ns, &is_negative);
    to = PUT(to, ",\"end_ns\":");
    to = end_ns < 0 ? text_i64(to, end_ns)
                    : number_again(to, (uint64_t)end_ns, ticks, size,
                                   event->value > INT64_MAX ? -1 : (int64_t)event->value);
    to = PUT(to, ",\"dur_ns\":");
    *to = '-';
    return text_u64(to + is_negative, ns);
}

#define NUMBER_PUT(to, key, value) text_u64(PUT((to), key), (value))

static char *lost_put(char *to, const stele_event *event)
{
    if (event->value != 0)
        to = NUMBER_PUT(to, ",\"count\":", event->value);
    return event->id != 0 ? text_i64(PUT(to, ",\"end_ns\":"), (int64_t)event->id) : to;
}

/* Writes the members that are tracks, and reserves room for what follows. Returns the position in
   it; NULL if out of memory. */
static char *tracks_put(json_sink *json, char *to, const stele_event *event)
{
    output_advance(json->out, (size_t)(to - (char *)json->out->at));
    if (event->kind == STELE_KIND_SWITCH) {
        member_track(json, ",\"outgoing\":", (uint32_t)event->value);
        member_track(json, ",\"incoming\":", (uint32_t)event->id);
    } else {
        member_track(json, ",\"woken\":", (uint32_t)event->id);
    }
    return (char *)output_reserve(json->out, EVENT_SIZE);
}

/* Writes what `value` and `id` of the event mean; see event.h. */
static char *kind_put(json_sink *json, char *to, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_COMPLETE: return complete_put(json, to, event);
    case STELE_KIND_BEGIN:
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT:
        return event->id != 0 ? NUMBER_PUT(to, ",\"function\":", event->id) : to;
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END: return NUMBER_PUT(to, ",\"id\":", event->id);
    case STELE_KIND_SWITCH:
    case STELE_KIND_WAKE: return tracks_put(json, to, event);
    case STELE_KIND_LOG:
        return event->value != 0 ? NUMBER_PUT(to, ",\"severity\":", event->value) : to;
    case STELE_KIND_BLOB:
        to = NUMBER_PUT(to, ",\"payload_size\":", event->value);
        return NUMBER_PUT(to, ",\"payload_offset\":", event->id);
    case STELE_KIND_OBJECT:
        to = NUMBER_PUT(to, ",\"object_kind\":", event->value);
        return NUMBER_PUT(to, ",\"object\":", event->id);
    case STELE_KIND_LOST: return lost_put(to, event);
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT: return NUMBER_PUT(to, ",\"number\":", event->value);
    case STELE_KIND_INSN:
        to = NUMBER_PUT(to, ",\"value\":", event->value);
        return NUMBER_PUT(to, ",\"pc\":", event->id);
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE: return NUMBER_PUT(to, ",\"address\":", event->id);
    case STELE_KIND_METADATA:
        to = NUMBER_PUT(to, ",\"value\":", event->value);
        return NUMBER_PUT(to, ",\"id\":", event->id);
    default: return to;
    }
}

#define FLAGS_TOLD                                                                    \
    (STELE_FLAG_LATE | STELE_FLAG_UNRESOLVED | STELE_FLAG_NO_TIME | STELE_FLAG_PART | \
     STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

static void flags_put(output *out, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {{STELE_FLAG_LATE, "late"},        {STELE_FLAG_UNRESOLVED, "unresolved"},
                 {STELE_FLAG_NO_TIME, "no-time"},  {STELE_FLAG_PART, "part"},
                 {STELE_FLAG_DAMAGED, "damaged"},  {STELE_FLAG_CLAMPED, "clamped"},
                 {STELE_FLAG_REPEATED, "repeated"}};
    const char *const start = ",\"flags\":[\"", *before = start;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if ((flags & texts[i].flag) == 0)
            continue;
        output_text(out, before);
        output_text(out, texts[i].text);
        output_byte(out, '"');
        before = ",\"";
    }
    if (before != start)
        output_byte(out, ']');
}

static void batch_put(json_sink *json)
{
    output *out = json->out;
    if (json->batch->context_count != 0) {
        OUTPUT_LITERAL(out, ",\"context\":");
        json_put_fields(json, json->batch->context_first, json->batch->context_count, true);
    }
    MEMBER_U64(out, ",\"trace\":", json->stream->trace);
    MEMBER_U64(out, ",\"stream\":", json->batch->stream);
    OUTPUT_LITERAL(out, ",\"offset\":");
}

/* The members that all events of the batch share. Returns NULL if out of memory. */
static const batch_part *batch_part_get(json_sink *json)
{
    batch_part *part = batch_parts_slot(&json->parts, json->batch);
    const uint8_t *made;
    size_t size;
    if (batch_part_is_made(part, json->batch))
        return part;
    scratch_begin(json);
    batch_put(json);
    made = scratch_end(json, &size);
    return batch_part_keep(part, json->batch, made, size) ? part : NULL;
}

/* Writes name, category and track of an event. */
static void names_put(json_sink *json, escaped_members *escaped, const stele_event *event)
{
    output *out = json->out;
    OUTPUT_LITERAL(out, ",\"name\":");
    value_put_name(&json->values, out, json->batch, event->name);
    escaped_note(json, escaped, "name");
    if (event->category != 0) {
        OUTPUT_LITERAL(out, ",\"category\":");
        value_put_name(&json->values, out, json->batch,
                       stele_category_name(json->base.context, event->category));
        escaped_note(json, escaped, "category");
    }
    member_track(json, ",\"track\":", event->track);
}

/* Writes name, category and track, and keeps the text for other events if no part of it had to
   be escaped. */
static __attribute__((noinline)) void names_make(json_sink *json, escaped_members *escaped,
                                                 const stele_event *event, fragment_key key)
{
    const uint8_t *made;
    size_t size;
    scratch_begin(json);
    names_put(json, escaped, event);
    made = scratch_end(json, &size);
    if (escaped->count == 0 && json->scratch->status == STELE_OK)
        fragments_keep(&json->names, key, made, size);
    output_put(json->out, made, size);
}

/* Writes the line up to its fields. Returns false if out of memory. */
static inline bool event_put_head(json_sink *json, escaped_members *escaped,
                                  const stele_event *event)
{
    const fragment_key key =
        fragment_key_make(&json->names, event->name, event->track, event->category, 0, 0);
    const fragment *names = fragments_find(&json->names, key);
    output *out = json->out;
    char *to = (char *)output_reserve(out, 2 * EVENT_SIZE + FRAGMENT_ROOM);
    if (to == NULL)
        return false;
    to = times_put(json, to, event);
    if (names != NULL) {
        to = fragment_copy(&json->names, names, to);
    } else {
        output_advance(out, (size_t)(to - (char *)out->at));
        names_make(json, escaped, event, key);
        to = (char *)output_reserve(out, EVENT_SIZE);
        if (to == NULL)
            return false;
    }
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        to = NUMBER_PUT(to, ",\"cpu\":", event->cpu);
    to = kind_put(json, to, event);
    if (to == NULL)
        return false;
    to = PUT(to, ",\"fields\":");
    output_advance(out, (size_t)(to - (char *)out->at));
    return true;
}

static void event_put(json_sink *json, const batch_part *part, const stele_event *event)
{
    output *out = json->out;
    escaped_members escaped = {.count = 0};
    uint32_t first;
    const uint32_t count = stele_event_fields(json->batch, event, &first);
    char *to;
    if (!event_put_head(json, &escaped, event))
        return;
    json_put_fields(json, first, count, true);
    to = (char *)output_reserve(out, part->size + EVENT_SIZE);
    if (to == NULL)
        return;
    to = put_blocks(to, part->bytes, part->size);
    to = text_u64_near(to, event->offset, &json->offset);
    to = NUMBER_PUT(to, ",\"size\":", event->size);
    if ((event->flags & FLAGS_TOLD) == 0 && escaped.count == 0) {
        to = PUT(to, "}\n");
        output_advance(out, (size_t)(to - (char *)out->at));
        return;
    }
    output_advance(out, (size_t)(to - (char *)out->at));
    flags_put(out, event->flags);
    escaped_put(out, &escaped);
    OUTPUT_LITERAL(out, "}\n");
}

/* ---- Functions of the sink ---- */

static stele_status json_write(stele_writer *self, const stele_segment *segment)
{
    static const stele_stream unknown = {.clock = {.domain = STELE_CLOCK_NS}};
    json_sink *json = (json_sink *)self;
    const batch_part *part;
    json->batch = segment->batch;
    json->stream = stele_stream_get(self->context, segment->batch->stream);
    if (json->stream == NULL)
        json->stream = &unknown;
    json->has_wall = stele_batch_wall(json->batch, &json->stream->clock, &json->wall_ns);
    if (segment->count == 0)
        return self->out->status;
    part = batch_part_get(json);
    for (uint32_t i = 0; part != NULL && i < segment->count; i++)
        event_put(json, part, &segment->batch->events[segment->first + i]);
    if (part == NULL || json->scratch->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return value_writer_status(&json->values, self->out);
}

static stele_status json_finish(stele_writer *self)
{
    return self->out->status;
}

static void json_close(stele_writer *self)
{
    json_sink *json = (json_sink *)self;
    value_writer_free(&json->values);
    batch_parts_free(&json->parts);
    fragments_free(&json->names);
    for (uint32_t i = 0; i < json->track_count; i++)
        free(json->tracks[i].bytes);
    free(json->tracks);
    free(json->numbers);
    output_close(json->scratch);
    free(json);
}

/* Makes texts that begin lines, so that they can be copied in blocks of a fixed size. */
static void heads_make(json_sink *json)
{
    for (unsigned i = 0; i < STELE_KIND_COUNT; i++) {
        const char *text = stele_kind_text((stele_kind)i);
        char *to = PUT(json->kinds[i].bytes, "{\"v\":" JSON_VERSION ",\"kind\":\"");
        to = PUT(put_bytes(to, text, strlen(text)), "\",\"time_ns\":");
        json->kinds[i].size = (size_t)(to - json->kinds[i].bytes);
    }
}

static stele_status json_open(stele_context *context, output *out,
                              const stele_sink_options *options, stele_writer **writer)
{
    static const writer_ops ops = {json_write, json_finish, json_close};
    json_sink *json = calloc(1, sizeof *json);
    (void)options; /* JSON lines have everything exactly, so no option changes them */
    *writer = NULL;
    if (json == NULL)
        return STELE_ERR_MEMORY;
    json->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    json->out = out;
    heads_make(json);
    json_make_types(json);
    json->numbers = calloc(NUMBER_SLOTS, sizeof *json->numbers);
    if (json->numbers == NULL || !fragments_init(&json->names, context) ||
        value_writer_init(&json->values, context) != STELE_OK ||
        output_open_memory(&context->diag, &json->scratch) != STELE_OK) {
        json_close(&json->base);
        return STELE_ERR_MEMORY;
    }
    *writer = &json->base;
    return STELE_OK;
}

const sink_entry sink_json = {
    .name = "json",
    .title = "JSON lines: one event a line, complete and exact",
    .extensions = ".jsonl .ndjson",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = json_open,
};
