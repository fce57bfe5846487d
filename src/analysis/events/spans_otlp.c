/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes spans in the JSON of OpenTelemetry's protocol (OTLP): one object with one resource, whose
 * spans are written as they come. Numbers of 64 bits are strings there, ids are hexadecimal digits.
 *
 * The JSON is composed by hand because it is written for each span: a span has some ten attributes
 * of five strings each, most of them constants, and through <stele/json.h> it took 2.2 times the
 * instructions.
 */
#include <stele/spans.h>

#include <math.h>
#include <stdlib.h>

#include "core/load.h"
#include "core/text.h"
#include "model/context.h"

#define KIND_INTERNAL 1u

struct stele_otlp {
    stele_context *context;
    output *out;
    bool has_spans, has_attributes;
    uint64_t trace; /* upper half of the trace id, which all spans have in common */
    uint64_t unset_count;
};

#define LITERAL(out, text) output_write((out), (text), sizeof(text) - 1)

/* ---- Values ---------------------------------------------------------------------------------- */

static void put_text(output *out, const void *bytes, size_t size)
{
    output_byte(out, '"');
    stele_output_json(out, bytes, size);
    output_byte(out, '"');
}

static void put_string(output *out, const void *bytes, size_t size)
{
    LITERAL(out, "{\"stringValue\":");
    put_text(out, bytes, size);
    output_byte(out, '}');
}

/* Writes an integer. OTLP has signed integers of 64 bits only, so larger values become strings. */
static void put_integer(output *out, uint64_t bits, bool is_signed)
{
    const bool is_text = !is_signed && bits > INT64_MAX;
    if (is_text)
        LITERAL(out, "{\"stringValue\":\"");
    else
        LITERAL(out, "{\"intValue\":\"");
    if (is_signed)
        output_i64(out, (int64_t)bits);
    else
        output_u64(out, bits);
    LITERAL(out, "\"}");
}

static void put_double(output *out, double value)
{
    LITERAL(out, "{\"doubleValue\":");
    if (!isfinite(value))
        output_text(out, isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
        output_printf(out, "%.17g", value);
    output_byte(out, '}');
}

static void put_hexadecimal(output *out, const uint8_t *bytes, size_t size)
{
    LITERAL(out, "{\"stringValue\":\"");
    for (size_t i = 0; i < size; i++) {
        char digits[2];
        text_hex(digits, bytes[i], 2);
        output_write(out, digits, 2);
    }
    LITERAL(out, "\"}");
}

static void put_numbers(output *out, const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    LITERAL(out, "{\"arrayValue\":{\"values\":[");
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++) {
        const uint64_t element = load_native64(bytes + i * (size_t)8);
        if (i != 0)
            output_byte(out, ',');
        if (field->type == STELE_TYPE_FLOATS)
            put_double(out, load_double(element));
        else
            put_integer(out, element, field->type == STELE_TYPE_INTS);
    }
    LITERAL(out, "]}}");
}

static void put_members(stele_otlp *o, const stele_batch *batch, const stele_field *members,
                        uint32_t count, bool *has_some);
static void put_value(stele_otlp *o, const stele_batch *batch, const stele_field *field);

static void put_run(stele_otlp *o, const stele_batch *batch, const stele_field *field)
{
    const stele_field *members = field + 1 + field->label_count;
    bool has_some = false;
    if (field->type != STELE_TYPE_ARRAY) {
        LITERAL(o->out, "{\"kvlistValue\":{\"values\":[");
        put_members(o, batch, members, field->u.run.length, &has_some);
    } else {
        LITERAL(o->out, "{\"arrayValue\":{\"values\":[");
        for (uint32_t at = 0; at < field->u.run.length; at += stele_field_length(members + at)) {
            if (at != 0)
                output_byte(o->out, ',');
            put_value(o, batch, members + at);
        }
    }
    LITERAL(o->out, "]}}");
}

static void put_value(stele_otlp *o, const stele_batch *batch, const stele_field *field)
{
    output *out = o->out;
    stele_text text;
    switch (field->type) {
    case STELE_TYPE_BOOL:
        output_text(out, field->u.u != 0 ? "{\"boolValue\":true}" : "{\"boolValue\":false}");
        break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_KOID: put_integer(out, field->u.u, false); break;
    case STELE_TYPE_INT: put_integer(out, field->u.u, true); break;
    case STELE_TYPE_FLOAT: put_double(out, field->u.f); break;
    case STELE_TYPE_POINTER:
        LITERAL(out, "{\"stringValue\":\"");
        output_hex(out, field->u.u);
        LITERAL(out, "\"}");
        break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        text = stele_field_text(o->context, batch, field);
        put_string(out, text.bytes, text.size);
        break;
    case STELE_TYPE_BYTES:
    case STELE_TYPE_BIGINT:
        put_hexadecimal(out, batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_numbers(out, batch, field); break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT: put_run(o, batch, field); break;
    default: LITERAL(out, "{}"); break;
    }
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Writes the key of an attribute, up to its value. `place` makes the key of a repeated name
   unique; `after` is appended to the name. */
static void put_key(stele_otlp *o, const stele_batch *batch, stele_name name, uint32_t place,
                    const char *after, bool *has_some)
{
    const stele_text text = stele_name_text(o->context, batch, name);
    if (*has_some)
        output_byte(o->out, ',');
    *has_some = true;
    LITERAL(o->out, "{\"key\":\"");
    stele_output_json(o->out, text.bytes, text.size);
    if (place != 0) {
        output_byte(o->out, '#');
        output_u64(o->out, place);
    }
    output_text(o->out, after);
    LITERAL(o->out, "\",\"value\":");
}

/* How many members are compared to find out whether a name was used before. */
#define COMPARED_MAX 64u

static bool is_repeated(const stele_field *members, uint32_t at)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < at && compared < COMPARED_MAX; i += stele_field_length(members + i))
        if (compared++, members[i].name == members[at].name)
            return true;
    return false;
}

static void put_members(stele_otlp *o, const stele_batch *batch, const stele_field *members,
                        uint32_t count, bool *has_some)
{
    uint32_t place = 0;
    for (uint32_t at = 0; at < count; at += stele_field_length(members + at)) {
        const stele_field *field = &members[at];
        uint32_t number;
        place++;
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        number = is_repeated(members, at) ? place : 0;
        put_key(o, batch, field->name, number, "", has_some);
        put_value(o, batch, field);
        output_byte(o->out, '}');
        if (field->label_count != 0 && field->type < STELE_TYPE_RUN_FIRST) {
            const stele_text text = stele_field_text(o->context, batch, field + 1);
            put_key(o, batch, field->name, number, ".label", has_some);
            put_string(o->out, text.bytes, text.size);
            output_byte(o->out, '}');
        }
    }
}

static void put_own_text(stele_otlp *o, const char *key, const void *bytes, size_t size,
                         bool *has_some)
{
    output_text(o->out, *has_some ? ",{\"key\":\"" : "{\"key\":\"");
    *has_some = true;
    output_text(o->out, key);
    LITERAL(o->out, "\",\"value\":");
    put_string(o->out, bytes, size);
    output_byte(o->out, '}');
}

static void put_own_number(stele_otlp *o, const char *key, uint64_t value, bool *has_some)
{
    output_text(o->out, *has_some ? ",{\"key\":\"" : "{\"key\":\"");
    *has_some = true;
    output_text(o->out, key);
    LITERAL(o->out, "\",\"value\":");
    put_integer(o->out, value, false);
    output_byte(o->out, '}');
}

/* Writes thread and process of a track, with OpenTelemetry's names where it has some. */
static void put_track(stele_otlp *o, uint32_t number, bool *has_some)
{
    const stele_track *track = stele_track_get(o->context, number), *parent;
    stele_text name;
    if (track == NULL)
        return;
    parent = stele_track_get(o->context, track->parent);
    name = stele_name_text(o->context, NULL, track->name);
    if (track->kind == STELE_TRACK_THREAD) {
        put_own_number(o, "thread.id", track->number, has_some);
        if (name.size != 0)
            put_own_text(o, "thread.name", name.bytes, name.size, has_some);
    } else {
        const char *kind = stele_track_kind_text(track->kind);
        put_own_text(o, "stele.track", kind, strlen(kind), has_some);
        put_own_number(o, "stele.track.number", track->number, has_some);
    }
    if (parent != NULL && parent->kind == STELE_TRACK_PROCESS)
        put_own_number(o, "process.pid", parent->number, has_some);
}

static void put_attributes(stele_otlp *o, const stele_batch *batch, const stele_event *event,
                           const stele_span *span)
{
    const char *source = stele_span_source_text((stele_span_source)span->source);
    const char *end = stele_span_end_text((stele_span_end)span->end);
    bool has_some = false;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    LITERAL(o->out, "\"attributes\":[");
    put_members(o, batch, batch->fields + first, count, &has_some);
    put_track(o, span->track, &has_some);
    if (span->category != 0) {
        const stele_text text = stele_name_text(o->context, batch, span->category);
        put_own_text(o, "stele.category", text.bytes, text.size, &has_some);
    }
    put_own_text(o, "stele.source", source, strlen(source), &has_some);
    if (span->end != STELE_SPAN_RETURNED)
        put_own_text(o, "stele.ended", end, strlen(end), &has_some);
    output_byte(o->out, ']');
}

/* ---- Spans ----------------------------------------------------------------------------------- */

static void put_id(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, 16);
    if (to != NULL)
        output_advance(out, (size_t)(text_hex(to, value, 16) - to));
}

/* Writes a time as wall-clock time if that is known, else as time of the trace's clock. A
   negative time becomes 0 and is counted. */
static void put_time(stele_otlp *o, const char *key, int64_t time_ns, int64_t wall_ns)
{
    int64_t sum;
    if (__builtin_add_overflow(time_ns, wall_ns, &sum) || sum < 0) {
        o->unset_count++;
        sum = 0;
    }
    output_text(o->out, key);
    output_u64(o->out, (uint64_t)sum);
    output_byte(o->out, '"');
}

stele_status stele_otlp_add(stele_otlp *o, const stele_segment *segment, uint32_t index,
                            const stele_span *span)
{
    const stele_batch *batch = segment->batch;
    const stele_event *event = &batch->events[segment->first + index];
    const stele_stream *stream = stele_stream_get(o->context, span->stream);
    const stele_text name = stele_name_text(o->context, batch, event->name);
    int64_t wall_ns = 0;
    if (stream == NULL || !stele_batch_wall(batch, &stream->clock, &wall_ns))
        wall_ns = 0;
    if (!o->has_spans)
        o->trace = (uint64_t)span->begin_ns + (uint64_t)wall_ns;
    output_text(o->out, o->has_spans ? ",\n{\"traceId\":\"" : "\n{\"traceId\":\"");
    o->has_spans = true;
    put_id(o->out, o->trace);
    put_id(o->out, 1);
    LITERAL(o->out, "\",\"spanId\":\"");
    put_id(o->out, span->id);
    if (span->parent != 0) {
        LITERAL(o->out, "\",\"parentSpanId\":\"");
        put_id(o->out, span->parent);
    }
    LITERAL(o->out, "\",\"name\":");
    put_text(o->out, name.bytes, name.size);
    output_printf(o->out, ",\"kind\":%u,", KIND_INTERNAL);
    put_time(o, "\"startTimeUnixNano\":\"", span->begin_ns, wall_ns);
    put_time(o, ",\"endTimeUnixNano\":\"", span->end_ns, wall_ns);
    output_byte(o->out, ',');
    put_attributes(o, batch, event, span);
    LITERAL(o->out, ",\"status\":{}}");
    return o->out->status;
}

/* ---- Making and finishing -------------------------------------------------------------------- */

stele_status stele_otlp_new(stele_context *context, const char *service, stele_output *out,
                            stele_otlp **otlp)
{
    stele_otlp *o = calloc(1, sizeof *o);
    *otlp = NULL;
    if (o == NULL)
        return STELE_ERR_MEMORY;
    *o = (stele_otlp){.context = context, .out = out};
    LITERAL(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                 "\"value\":");
    put_string(out, service, strlen(service));
    LITERAL(out, "}]},\"scopeSpans\":[{\"scope\":{\"name\":\"stele\",\"version\":\"" STELE_VERSION
                 "\"},\"spans\":[");
    *otlp = o;
    return out->status;
}

stele_status stele_otlp_finish(stele_otlp *o)
{
    LITERAL(o->out, "\n]}]}]}\n");
    return o->out->status;
}

uint64_t stele_otlp_unset_count(const stele_otlp *o)
{
    return o->unset_count;
}

void stele_otlp_free(stele_otlp *o)
{
    free(o);
}
