/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines: one event a line, all of it, as docs/json.md says. */
#include <stdlib.h>

#include "core/array.h"
#include "sinks/fragments.h"
#include "sinks/parts.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

/* Of the shape of a line. Members may be added to it without a change of the number. */
#define JSON_VERSION "1"

#define KIND_HEAD_SIZE 48  /* of `{"v":1,"kind":"...","time_ns":`, with room */
#define TYPE_HEAD_SIZE 32  /* of `,"type":"...","value":`, with room */
#define EVENT_SIZE     256 /* of a line's numbers and their keys, up to its fields */
#define TRACK_DEPTH    4   /* of tracks whose objects are kept */

/* The object of a track, after its key, and the names it was made from: they can become known
   later. */
typedef struct track_part {
    char *bytes; /* NULL: not made */
    size_t size, capacity;
    stele_name names[TRACK_DEPTH]; /* its own, its parent's, ... */
} track_part;

/* A text that is copied in whole blocks, regardless of its length. */
typedef struct kind_head {
    char bytes[KIND_HEAD_SIZE];
    size_t size;
} kind_head;

typedef struct type_head {
    char bytes[TYPE_HEAD_SIZE];
    size_t size;
} type_head;

/* What is around the value of a named integer: `,{"name":"size","type":"uint","value":`, and
   `,"bits":64}`. */
#define NUMBER_SLOTS     256u
#define NUMBER_HEAD_SIZE 96u /* longer ones are not kept */
#define NUMBER_TAIL_SIZE 48u

typedef struct number_part {
    uint64_t key; /* of the name and of what else it was made from; 0: not made */
    uint8_t head_size, tail_size;
    char head[NUMBER_HEAD_SIZE], tail[NUMBER_TAIL_SIZE];
} number_part;

typedef struct json_sink {
    stele_writer base;
    output *out;     /* what is written to: the writer's, or `scratch` */
    output *scratch; /* of a part that is kept */
    value_writer values;
    fragments names;    /* of events, with their categories and tracks */
    batch_parts parts;  /* all between an event's fields and its offset */
    track_part *tracks; /* by number */
    uint32_t track_count;
    kind_head kinds[STELE_KIND_COUNT];
    type_head types[STELE_TYPE_COUNT];
    number_part *numbers;     /* NUMBER_SLOTS, by name */
    const stele_batch *batch; /* of the segment that is being written */
    const stele_stream *stream;
    bool has_wall;   /* wall_ns is known */
    int64_t wall_ns; /* at 0 of the batch's times */
    text_front wall, time;
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
    /* Parents are never cyclic: a track is made after its parent. */
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

/* What is written from now on goes to the scratch. */
static void scratch_begin(json_sink *json)
{
    json->scratch->at = json->scratch->buffer;
    json->out = json->scratch;
}

/* The names of a track and of what it belongs to; false when there are more than are kept. */
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
        char *grown = realloc(part->bytes, size + 16);
        if (grown == NULL)
            return false;
        part->bytes = grown;
        part->capacity = size + 16;
    }
    memcpy(part->bytes, made, size);
    part->size = size;
    return true;
}

/* The object of a track, out of those that are kept where it can be. */
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
    output *out = json->out;
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

static char *hints_put(char *to, const stele_field *field)
{
    static const char *const bases[] = {"", ",\"base\":16", ",\"base\":8", ",\"base\":2"};
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    if (field->width != 0)
        to = text_u64(PUT(to, ",\"bits\":"), field->width);
    if (base != 0 && base < sizeof bases / sizeof *bases)
        to = put_bytes(to, bases[base], strlen(bases[base]));
    if ((field->hint & STELE_HINT_UNRESOLVED) != 0)
        to = PUT(to, ",\"unresolved\":true");
    return to;
}

/* `{"name":"size","type":"uint","value":` */
static void field_head_put(json_sink *json, escaped_members *escaped, const stele_field *field,
                           bool has_name)
{
    const type_head *head = &json->types[field->type < STELE_TYPE_COUNT ? field->type : 0];
    output *out = json->out;
    char *to;
    if (has_name) {
        OUTPUT_LITERAL(out, "{\"name\":");
        value_put_name(&json->values, out, json->batch, field->name);
        escaped_note(json, escaped, "name");
    }
    to = (char *)output_reserve(out, 1 + TYPE_HEAD_SIZE);
    if (to == NULL)
        return;
    *to = has_name ? ',' : '{';
    memcpy(to + 1, head->bytes, TYPE_HEAD_SIZE);
    output_advance(out, 1 + head->size);
}

/* Not 0, as the types of integers are not. */
static uint64_t number_key(const stele_field *field)
{
    return field->name | (uint64_t)field->type << 32 | (uint64_t)field->width << 40 |
           (uint64_t)field->hint << 48;
}

/* Makes what is around the value; false where the name needs more than a copy. */
static __attribute__((noinline)) bool number_part_make(json_sink *json, number_part *part,
                                                       const stele_field *field)
{
    const type_head *head = &json->types[field->type];
    const stele_text name = stele_name_text(json->base.context, NULL, field->name);
    char *to;
    if ((field->name & STELE_NAME_LOCAL) != 0 ||
        name.size + head->size + sizeof ",{\"name\":\"\"," > NUMBER_HEAD_SIZE)
        return false;
    for (size_t i = 0; i < name.size; i++) {
        const uint8_t byte = (uint8_t)name.bytes[i];
        if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
            return false;
    }
    to = put_bytes(PUT(part->head, ",{\"name\":\""), name.bytes, name.size);
    to = put_bytes(PUT(to, "\","), head->bytes, head->size);
    part->head_size = (uint8_t)(to - part->head);
    to = hints_put(part->tail, field);
    *to++ = '}';
    part->tail_size = (uint8_t)(to - part->tail);
    part->key = number_key(field);
    return true;
}

/* A named integer without labels, which is what most fields are, after the bracket or comma that is
   before it; false for all others. */
static inline bool number_put(json_sink *json, const stele_field *field, char before)
{
    number_part *part = &json->numbers[field->name % NUMBER_SLOTS];
    char *to, *start;
    if ((field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT) ||
        field->label_count != 0)
        return false;
    if (part->key != number_key(field) && !number_part_make(json, part, field))
        return false;
    to = (char *)output_reserve(json->out, EVENT_SIZE);
    if (to == NULL)
        return true;
    start = to;
    to = put_blocks(to, part->head, part->head_size);
    *start = before;
    to = field->type == STELE_TYPE_INT ? text_i64(to, field->u.i) : text_u64(to, field->u.u);
    to = put_blocks(to, part->tail, part->tail_size);
    output_advance(json->out, (size_t)(to - (char *)json->out->at));
    return true;
}

static void field_put(json_sink *json, const stele_field *field, bool has_name)
{
    output *out = json->out;
    escaped_members escaped = {.count = 0};
    char *to;
    field_head_put(json, &escaped, field, has_name);
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
    to = (char *)output_reserve(out, EVENT_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(hints_put(to, field) - (char *)out->at));
    escaped_put(out, &escaped);
    output_byte(out, '}');
}

/* Members of structures and options of variants have names, elements of arrays have none. */
static void fields_put(json_sink *json, uint32_t first, uint32_t count, bool have_names)
{
    const stele_field *fields = json->batch->fields + first;
    char before = '[';
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (!field_is_shown(&fields[at]))
            continue;
        if (!have_names || !number_put(json, &fields[at], before)) {
            output_byte(json->out, (uint8_t)before);
            field_put(json, &fields[at], have_names);
        }
        before = ',';
    }
    if (before == '[')
        output_byte(json->out, '[');
    output_byte(json->out, ']');
}

/* ---- Events ---- */

static bool has_ns(const json_sink *json, const stele_event *event)
{
    return json->stream->clock.domain == STELE_CLOCK_NS && (event->flags & STELE_FLAG_NO_TIME) == 0;
}

/* A number that is often the one whose text, of `size` bytes, stands at `text` already. */
static char *number_again(char *to, uint64_t value, const char *text, size_t size, int64_t known)
{
    char digits[TEXT_U64_SIZE];
    if (known < 0 || value != (uint64_t)known)
        return text_u64(to, value);
    memcpy(digits, text, sizeof digits); /* all there can be: a size that is known copies faster */
    memcpy(to, digits, sizeof digits);
    return to + size;
}

/* From the line's begin up to its name. */
static void times_put(json_sink *json, const stele_event *event)
{
    static const char *const domains[] = {"none", "ns", "ticks", "instructions"};
    const stele_clock *clock = &json->stream->clock;
    const kind_head *head = &json->kinds[event->kind < STELE_KIND_COUNT ? event->kind : 0];
    char *to = (char *)output_reserve(json->out, EVENT_SIZE), *time;
    int64_t wall_ns;
    if (to == NULL)
        return;
    memcpy(to, head->bytes, KIND_HEAD_SIZE);
    time = to += head->size;
    if (!has_ns(json, event))
        to = PUT(to, "null");
    else if (event->time_ns < 0)
        to = text_i64(to, event->time_ns);
    else
        to = text_u64_near(to, (uint64_t)event->time_ns, &json->time);
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 || clock->domain == STELE_CLOCK_NONE)
        to = PUT(to, ",\"ticks\":null");
    else if (has_ns(json, event))
        to = number_again(PUT(to, ",\"ticks\":"), event->ticks, time, (size_t)(to - time),
                          event->time_ns);
    else
        to = text_u64(PUT(to, ",\"ticks\":"), event->ticks);
    if (clock->domain != STELE_CLOCK_NS) {
        to = PUT(to, ",\"clock\":\"");
        to = put_bytes(to, domains[clock->domain], strlen(domains[clock->domain]));
        *to++ = '"';
    }
    if (json->has_wall && has_ns(json, event) &&
        !__builtin_add_overflow(json->wall_ns, event->time_ns, &wall_ns))
        to = wall_ns < 0 ? text_i64(PUT(to, ",\"wall_ns\":"), wall_ns)
                         : text_u64_near(PUT(to, ",\"wall_ns\":"), (uint64_t)wall_ns, &json->wall);
    output_advance(json->out, (size_t)(to - (char *)json->out->at));
}

static void complete_put(json_sink *json, const stele_event *event)
{
    char *to = (char *)output_reserve(json->out, EVENT_SIZE), *ticks;
    if (to == NULL)
        return;
    ticks = to = PUT(to, ",\"end_ticks\":");
    to = text_u64(to, event->value);
    if (has_ns(json, event)) {
        const int64_t end_ns = (int64_t)event->id;
        const size_t size = (size_t)(to - ticks);
        bool is_negative;
        const uint64_t ns = time_distance(end_ns, event->time_ns, &is_negative);
        to = PUT(to, ",\"end_ns\":");
        to = end_ns < 0 ? text_i64(to, end_ns)
                        : number_again(to, (uint64_t)end_ns, ticks, size,
                                       event->value > INT64_MAX ? -1 : (int64_t)event->value);
        to = PUT(to, ",\"dur_ns\":");
        if (is_negative)
            *to++ = '-';
        to = text_u64(to, ns);
    }
    output_advance(json->out, (size_t)(to - (char *)json->out->at));
}

/* What `value` and `id` of the event mean, see event.h. */
static void kind_put(json_sink *json, const stele_event *event)
{
    output *out = json->out;
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

static void batch_put(json_sink *json)
{
    output *out = json->out;
    if (json->batch->context_count != 0) {
        OUTPUT_LITERAL(out, ",\"context\":");
        fields_put(json, json->batch->context_first, json->batch->context_count, true);
    }
    MEMBER_U64(out, ",\"trace\":", json->stream->trace);
    MEMBER_U64(out, ",\"stream\":", json->batch->stream);
    OUTPUT_LITERAL(out, ",\"offset\":");
}

/* The part of the batch, NULL if out of memory. */
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

/* Its name, category and track. */
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

/* The same, to be kept where nothing more is to be said of them. */
static void names_make(json_sink *json, escaped_members *escaped, const stele_event *event,
                       fragment_key key)
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

static void event_put(json_sink *json, const batch_part *part, const stele_event *event)
{
    const fragment_key names = {event->name, event->track, event->category, 0, 0};
    output *out = json->out;
    escaped_members escaped = {.count = 0};
    uint32_t first;
    const uint32_t count = stele_event_fields(json->batch, event, &first);
    char *to;
    times_put(json, event);
    if (!fragments_put(&json->names, out, names))
        names_make(json, &escaped, event, names);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        MEMBER_U64(out, ",\"cpu\":", event->cpu);
    kind_put(json, event);
    OUTPUT_LITERAL(out, ",\"fields\":");
    fields_put(json, first, count, true);
    to = (char *)output_reserve(out, part->size + EVENT_SIZE);
    if (to == NULL)
        return;
    to = text_u64(put_blocks(to, part->bytes, part->size), event->offset);
    to = text_u64(PUT(to, ",\"size\":"), event->size);
    output_advance(out, (size_t)(to - (char *)out->at));
    if (event->flags != 0)
        flags_put(out, event->flags);
    escaped_put(out, &escaped);
    OUTPUT_LITERAL(out, "}\n");
}

/* ---- The sink ---- */

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

/* Texts that are made once, so that they can be copied in blocks of a fixed size. */
static void heads_make(json_sink *json)
{
    for (unsigned i = 0; i < STELE_KIND_COUNT; i++) {
        const char *text = stele_kind_text((stele_kind)i);
        char *to = PUT(json->kinds[i].bytes, "{\"v\":" JSON_VERSION ",\"kind\":\"");
        to = PUT(put_bytes(to, text, strlen(text)), "\",\"time_ns\":");
        json->kinds[i].size = (size_t)(to - json->kinds[i].bytes);
    }
    for (unsigned i = 0; i < STELE_TYPE_COUNT; i++) {
        const char *text = type_texts[i] != NULL ? type_texts[i] : "null";
        char *to = PUT(json->types[i].bytes, "\"type\":\"");
        to = PUT(put_bytes(to, text, strlen(text)), "\",\"value\":");
        json->types[i].size = (size_t)(to - json->types[i].bytes);
    }
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
    json->out = out;
    heads_make(json);
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
