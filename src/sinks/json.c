/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines: one event a line, all of it, as docs/json.md says. */
#include <stdlib.h>

#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

/* Of the shape of a line. Members may be added to it without a change of the number. */
#define JSON_VERSION "1"

typedef struct json_sink {
    stele_writer base;
    value_writer values;
    const stele_batch *batch; /* of the segment that is being written */
    const stele_stream *stream;
    bool has_wall;   /* wall_ns is known */
    int64_t wall_ns; /* at 0 of the batch's times */
} json_sink;

/* ---- Members ---- */

#define MEMBER_U64(out, key, value) \
    do {                            \
        OUTPUT_LITERAL((out), key); \
        output_u64((out), (value)); \
    } while (0)

#define MEMBER_I64(out, key, value) \
    do {                            \
        OUTPUT_LITERAL((out), key); \
        output_i64((out), (value)); \
    } while (0)

/* Those that are left out when they are 0. */
#define MEMBER_UNLESS_0(out, key, value)     \
    do {                                     \
        if ((value) != 0)                    \
            MEMBER_U64((out), key, (value)); \
    } while (0)

/*
 * Which members of an object hold strings in escaped form (see json_string()): collected while it
 * is written, told in its member "escaped".
 */
typedef struct escaped_members {
    const char *names[4];
    unsigned count;
} escaped_members;

static void escaped_note(json_sink *json, escaped_members *escaped, const char *member)
{
    if ((json->values.changes & VALUE_ESCAPED) == 0)
        return;
    json->values.changes = 0;
    escaped->names[escaped->count++] = member;
}

static void escaped_put(output *out, const escaped_members *escaped)
{
    if (escaped->count == 0)
        return;
    OUTPUT_LITERAL(out, ",\"escaped\":[");
    for (unsigned i = 0; i < escaped->count; i++) {
        if (i != 0)
            output_byte(out, ',');
        output_byte(out, '"');
        output_text(out, escaped->names[i]);
        output_byte(out, '"');
    }
    output_byte(out, ']');
}

static void member_name(json_sink *json, escaped_members *escaped, const char *member,
                        stele_name name)
{
    output *out = json->base.out;
    output_byte(out, '"');
    output_text(out, member);
    OUTPUT_LITERAL(out, "\":");
    value_put_name(&json->values, out, json->batch, name);
    escaped_note(json, escaped, member);
}

/* ---- Tracks ---- */

static void track_put(json_sink *json, uint32_t number)
{
    output *out = json->base.out;
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
    /* Parents are never cyclic: a track is made after its parent. */
    if (track->parent != 0 && track->parent < number) {
        OUTPUT_LITERAL(out, ",\"parent\":");
        track_put(json, track->parent);
    }
    escaped_put(out, &escaped);
    output_byte(out, '}');
}

static void member_track(json_sink *json, const char *key, uint32_t track)
{
    output_text(json->base.out, key);
    track_put(json, track);
}

/* ---- Fields ---- */

static void fields_put(json_sink *json, uint32_t first, uint32_t count, bool have_names);

/* The same words as in the model, but for packed arrays; both kinds of string are one. */
static const char *const type_texts[STELE_TYPE_COUNT] = {
    [STELE_TYPE_NULL] = "null",       [STELE_TYPE_BOOL] = "bool",
    [STELE_TYPE_UINT] = "uint",       [STELE_TYPE_INT] = "int",
    [STELE_TYPE_FLOAT] = "float",     [STELE_TYPE_POINTER] = "pointer",
    [STELE_TYPE_KOID] = "koid",       [STELE_TYPE_STRING] = "string",
    [STELE_TYPE_NAME] = "string",     [STELE_TYPE_BYTES] = "bytes",
    [STELE_TYPE_BIGINT] = "bigint",   [STELE_TYPE_UINTS] = "uint[]",
    [STELE_TYPE_INTS] = "int[]",      [STELE_TYPE_FLOATS] = "float[]",
    [STELE_TYPE_STRUCT] = "struct",   [STELE_TYPE_ARRAY] = "array",
    [STELE_TYPE_VARIANT] = "variant",
};

/* All labels are written in escaped form when one of them has to be. */
static void labels_put(json_sink *json, escaped_members *escaped, const stele_field *field)
{
    output *out = json->base.out;
    bool are_utf8 = true;
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(json->base.context, json->batch, field + i);
        are_utf8 = are_utf8 && text_is_utf8(label.bytes, label.size);
    }
    OUTPUT_LITERAL(out, ",\"labels\":[");
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(json->base.context, json->batch, field + i);
        if (i != 1)
            output_byte(out, ',');
        if (are_utf8)
            json_string(out, label.bytes, label.size);
        else
            json_string_escaped(out, label.bytes, label.size);
    }
    output_byte(out, ']');
    if (!are_utf8)
        escaped->names[escaped->count++] = "labels";
}

static void hints_put(output *out, const stele_field *field)
{
    static const char *const bases[] = {"", ",\"base\":16", ",\"base\":8", ",\"base\":2"};
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    if (field->width != 0)
        MEMBER_U64(out, ",\"bits\":", field->width);
    if (base < sizeof bases / sizeof *bases)
        output_text(out, bases[base]);
    if ((field->hint & STELE_HINT_UNRESOLVED) != 0)
        OUTPUT_LITERAL(out, ",\"unresolved\":true");
}

static void field_put(json_sink *json, const stele_field *field, bool has_name)
{
    output *out = json->base.out;
    escaped_members escaped = {.count = 0};
    output_byte(out, '{');
    if (has_name) {
        member_name(json, &escaped, "name", field->name);
        output_byte(out, ',');
    }
    OUTPUT_LITERAL(out, "\"type\":\"");
    output_text(out, field->type < STELE_TYPE_COUNT ? type_texts[field->type] : "null");
    OUTPUT_LITERAL(out, "\",\"value\":");
    if (field->type >= STELE_TYPE_RUN_FIRST) {
        const uint32_t place = (uint32_t)(field - json->batch->fields);
        fields_put(json, place + 1 + field->label_count, field->u.run.length,
                   field->type != STELE_TYPE_ARRAY);
    } else {
        value_put_scalar(&json->values, out, json->batch, field);
        escaped_note(json, &escaped, "value");
    }
    if (field->label_count != 0)
        labels_put(json, &escaped, field);
    hints_put(out, field);
    escaped_put(out, &escaped);
    output_byte(out, '}');
}

/* Members of structures and options of variants have names, elements of arrays have none. */
static void fields_put(json_sink *json, uint32_t first, uint32_t count, bool have_names)
{
    const stele_field *fields = json->batch->fields + first;
    bool is_first = true;
    output_byte(json->base.out, '[');
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (!field_is_shown(&fields[at]))
            continue;
        if (!is_first)
            output_byte(json->base.out, ',');
        is_first = false;
        field_put(json, &fields[at], have_names);
    }
    output_byte(json->base.out, ']');
}

/* ---- Events ---- */

static bool has_ns(const json_sink *json, const stele_event *event)
{
    return json->stream->clock.domain == STELE_CLOCK_NS && (event->flags & STELE_FLAG_NO_TIME) == 0;
}

static void times_put(json_sink *json, const stele_event *event)
{
    static const char *const domains[] = {"none", "ns", "ticks", "instructions"};
    const stele_clock *clock = &json->stream->clock;
    output *out = json->base.out;
    int64_t wall_ns;
    if (has_ns(json, event))
        MEMBER_I64(out, ",\"time_ns\":", event->time_ns);
    else
        OUTPUT_LITERAL(out, ",\"time_ns\":null");
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 || clock->domain == STELE_CLOCK_NONE)
        OUTPUT_LITERAL(out, ",\"ticks\":null");
    else
        MEMBER_U64(out, ",\"ticks\":", event->ticks);
    if (clock->domain != STELE_CLOCK_NS) {
        OUTPUT_LITERAL(out, ",\"clock\":\"");
        output_text(out, domains[clock->domain]);
        output_byte(out, '"');
    }
    if (json->has_wall && has_ns(json, event) &&
        !__builtin_add_overflow(json->wall_ns, event->time_ns, &wall_ns))
        MEMBER_I64(out, ",\"wall_ns\":", wall_ns);
}

static void complete_put(json_sink *json, const stele_event *event)
{
    output *out = json->base.out;
    MEMBER_U64(out, ",\"end_ticks\":", event->value);
    if (has_ns(json, event)) {
        bool is_negative;
        const uint64_t ns = time_distance((int64_t)event->id, event->time_ns, &is_negative);
        MEMBER_I64(out, ",\"end_ns\":", (int64_t)event->id);
        OUTPUT_LITERAL(out, ",\"dur_ns\":");
        if (is_negative)
            output_byte(out, '-');
        output_u64(out, ns);
    }
}

/* What `value` and `id` of the event mean, see event.h. */
static void kind_put(json_sink *json, const stele_event *event)
{
    output *out = json->base.out;
    switch (event->kind) {
    case STELE_KIND_COMPLETE: complete_put(json, event); break;
    case STELE_KIND_BEGIN:
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: MEMBER_UNLESS_0(out, ",\"function\":", event->id); break;
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END: MEMBER_U64(out, ",\"id\":", event->id); break;
    case STELE_KIND_SWITCH:
        member_track(json, ",\"outgoing\":", (uint32_t)event->value);
        member_track(json, ",\"incoming\":", (uint32_t)event->id);
        break;
    case STELE_KIND_WAKE: member_track(json, ",\"woken\":", (uint32_t)event->id); break;
    case STELE_KIND_LOG: MEMBER_UNLESS_0(out, ",\"severity\":", event->value); break;
    case STELE_KIND_BLOB:
        MEMBER_U64(out, ",\"payload_size\":", event->value);
        MEMBER_U64(out, ",\"payload_offset\":", event->id);
        break;
    case STELE_KIND_OBJECT:
        MEMBER_U64(out, ",\"object_kind\":", event->value);
        MEMBER_U64(out, ",\"object\":", event->id);
        break;
    case STELE_KIND_LOST:
        MEMBER_UNLESS_0(out, ",\"count\":", event->value);
        if (event->id != 0)
            MEMBER_I64(out, ",\"end_ns\":", (int64_t)event->id);
        break;
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT: MEMBER_U64(out, ",\"number\":", event->value); break;
    case STELE_KIND_INSN:
        MEMBER_U64(out, ",\"value\":", event->value);
        MEMBER_U64(out, ",\"pc\":", event->id);
        break;
    case STELE_KIND_METADATA:
        MEMBER_U64(out, ",\"value\":", event->value);
        MEMBER_U64(out, ",\"id\":", event->id);
        break;
    default: break;
    }
}

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

static void event_put(json_sink *json, const stele_event *event)
{
    output *out = json->base.out;
    escaped_members escaped = {.count = 0};
    uint32_t first;
    const uint32_t count = stele_event_fields(json->batch, event, &first);
    OUTPUT_LITERAL(out, "{\"v\":" JSON_VERSION ",\"kind\":\"");
    output_text(out, stele_kind_text(event->kind));
    output_byte(out, '"');
    times_put(json, event);
    output_byte(out, ',');
    member_name(json, &escaped, "name", event->name);
    if (event->category != 0) {
        output_byte(out, ',');
        member_name(json, &escaped, "category",
                    stele_category_name(json->base.context, event->category));
    }
    member_track(json, ",\"track\":", event->track);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        MEMBER_U64(out, ",\"cpu\":", event->cpu);
    kind_put(json, event);
    OUTPUT_LITERAL(out, ",\"fields\":");
    fields_put(json, first, count, true);
    if (json->batch->context_count != 0) {
        OUTPUT_LITERAL(out, ",\"context\":");
        fields_put(json, json->batch->context_first, json->batch->context_count, true);
    }
    MEMBER_U64(out, ",\"trace\":", json->stream->trace);
    MEMBER_U64(out, ",\"stream\":", json->batch->stream);
    MEMBER_U64(out, ",\"offset\":", event->offset);
    MEMBER_U64(out, ",\"size\":", event->size);
    flags_put(out, event->flags);
    escaped_put(out, &escaped);
    OUTPUT_LITERAL(out, "}\n");
}

/* ---- The sink ---- */

static stele_status json_write(stele_writer *self, const stele_segment *segment)
{
    static const stele_stream unknown = {.clock = {.domain = STELE_CLOCK_NS}};
    json_sink *json = (json_sink *)self;
    json->batch = segment->batch;
    json->stream = stele_stream_get(self->context, segment->batch->stream);
    if (json->stream == NULL)
        json->stream = &unknown;
    json->has_wall = stele_batch_wall(json->batch, &json->stream->clock, &json->wall_ns);
    for (uint32_t i = 0; i < segment->count; i++)
        event_put(json, &segment->batch->events[segment->first + i]);
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
    free(json);
}

static stele_status json_open(stele_context *context, output *out,
                              const stele_sink_options *options, stele_writer **writer)
{
    static const writer_ops ops = {json_write, json_finish, json_close};
    json_sink *json = calloc(1, sizeof *json);
    (void)options; /* everything is there, and exact, whatever is asked for */
    *writer = NULL;
    if (json == NULL)
        return STELE_ERR_MEMORY;
    json->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    if (value_writer_init(&json->values, context) != STELE_OK) {
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
