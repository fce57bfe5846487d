/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of babeltrace2's text output, byte for byte, for those who have scripts that read them:
 *
 *     [13:47:42.980760574] (+0.000000210) host prov:event: { cpu_id = 1 }, { vpid = 7 }, { a = 1 }
 *     time                 since the last env  name        packet          context       payload
 *
 * What a trace says of itself (its environment), of its event classes (log level), and whether an
 * event without fields has a payload at all, comes as raw fields of batches and events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/load.h"
#include "sinks/names.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/six.h"

#define NS_PER_S 1000000000u

typedef enum known_name {
    NAME_TRACE_ENV,
    NAME_HOSTNAME,
    NAME_DOMAIN,
    NAME_PROCNAME,
    NAME_VPID,
    NAME_LOG_LEVEL,
    NAME_EMF_URI,
    NAME_PACKET_CONTEXT,
    NAME_COMMON_CONTEXT,
    NAME_SPECIFIC_CONTEXT,
    NAME_PAYLOAD,
    NAME_COUNT
} known_name;

static const char *const known_names[NAME_COUNT] = {[NAME_TRACE_ENV] = "trace.env",
                                                    [NAME_HOSTNAME] = "hostname",
                                                    [NAME_DOMAIN] = "domain",
                                                    [NAME_PROCNAME] = "procname",
                                                    [NAME_VPID] = "vpid",
                                                    [NAME_LOG_LEVEL] = "loglevel",
                                                    [NAME_EMF_URI] = "model.emf.uri",
                                                    [NAME_PACKET_CONTEXT] = "stream.packet.context",
                                                    [NAME_COMMON_CONTEXT] = "stream.event.context",
                                                    [NAME_SPECIFIC_CONTEXT] = "event.context",
                                                    [NAME_PAYLOAD] = "event.fields"};

typedef struct pretty {
    stele_writer base;
    pretty_options options;
    stele_name names[NAME_COUNT];
    const stele_batch *batch; /* and what tells that it was filled again: */
    const stele_field *batch_fields;
    uint64_t batch_offset, batch_ticks;
    uint32_t batch_events;
    bool is_line_start; /* no comma is due */
    bool has_last;
    int64_t last_ns;
    uint64_t last_ticks;
    name_forms keys;                       /* "name = " */
    const stele_field *env[NAME_VPID + 1]; /* of the batch: by name; NULL: not there */
    const stele_field *packet;             /* its packet context, when something of it is shown */
    const stele_field *about[NAME_COUNT];  /* of the event: by name, what is no payload */
    bool has_second;                       /* `second_text` is of second_s */
    int64_t second_s;
    char second_text[40];
    size_t second_size;
} pretty;

/* ---- Small pieces ---- */

static void put_key(pretty *p, const char *name)
{
    output_text(p->base.out, name);
    OUTPUT_LITERAL(p->base.out, " = ");
}

static void put_comma(pretty *p)
{
    if (!p->is_line_start)
        OUTPUT_LITERAL(p->base.out, ", ");
}

static stele_text text_of(const pretty *p, const stele_field *field)
{
    return stele_field_text(p->base.context, p->batch, field);
}

/* What a character is written as behind a backslash; 0: as it is, 'x': as a number. */
static char escape_of(uint8_t c)
{
    static const char controls[] = "0xxxxxxabtnvfrxxxxxxxxxxxxxexxxx";
    if (c < 0x20)
        return controls[c];
    if (c == 0x7f)
        return 'x';
    return c == '\\' || c == '\'' || c == '"' || c == '?' ? (char)c : 0;
}

static void put_string(pretty *p, stele_text text)
{
    output *out = p->base.out;
    const uint8_t *at = (const uint8_t *)text.bytes;
    const uint8_t *zero = text.size != 0 ? memchr(at, 0, text.size) : NULL;
    const uint8_t *end = zero != NULL ? zero : at + text.size, *from = at;
    output_byte(out, '"');
    for (; at < end; at++) {
        const char escape = escape_of(*at);
        if (escape == 0)
            continue;
        output_put(out, from, (size_t)(at - from));
        from = at + 1;
        if (escape == 'x') {
            output_printf(out, "\\x%02x", *at);
        } else {
            output_byte(out, '\\');
            output_byte(out, (uint8_t)escape);
        }
    }
    if (at != from)
        output_put(out, from, (size_t)(at - from));
    output_byte(out, '"');
}

/* ---- Values ---- */

static void put_field(pretty *p, const stele_field *field, bool has_names);

static uint64_t low_bits(uint64_t value, unsigned count)
{
    return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

static void put_hex(output *out, uint64_t value)
{
    char text[2 + TEXT_HEX_SIZE], *to = text + sizeof text;
    do {
        *--to = "0123456789ABCDEF"[value & 15];
        value >>= 4;
    } while (value != 0);
    *--to = 'x';
    *--to = '0';
    output_put(out, to, (size_t)(text + sizeof text - to));
}

static void put_real(output *out, double value)
{
    char *to = (char *)output_reserve(out, SIX_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(six_put(to, value) - to));
}

static void put_integer(pretty *p, const stele_field *field)
{
    output *out = p->base.out;
    const unsigned width = field->width != 0 && field->width <= 64 ? field->width : 64;
    const bool is_signed = field->type == STELE_TYPE_INT;
    switch (field->hint & STELE_HINT_BASE_MASK) {
    case STELE_HINT_HEX: put_hex(out, low_bits(field->u.u, (width + 3) / 4 * 4)); break;
    case STELE_HINT_OCTAL:
        output_printf(out, "0%llo",
                      (unsigned long long)(is_signed ? low_bits(field->u.u, (width + 2) / 3 * 3)
                                                     : field->u.u));
        break;
    case STELE_HINT_BINARY:
        OUTPUT_LITERAL(out, "0b");
        for (unsigned bit = width; bit-- != 0;)
            output_byte(out, (field->u.u >> bit & 1) != 0 ? '1' : '0');
        break;
    default:
        if (is_signed)
            output_i64(out, field->u.i);
        else
            output_u64(out, field->u.u);
    }
}

static void put_enum(pretty *p, const stele_field *field)
{
    output *out = p->base.out;
    OUTPUT_LITERAL(out, "( ");
    if (field->label_count == 0)
        OUTPUT_LITERAL(out, "<unknown>");
    if (field->label_count > 1)
        OUTPUT_LITERAL(out, "{ ");
    for (unsigned i = 1; i <= field->label_count; i++) {
        if (i > 1)
            OUTPUT_LITERAL(out, ", ");
        put_string(p, text_of(p, field + i));
    }
    if (field->label_count > 1)
        OUTPUT_LITERAL(out, " }");
    OUTPUT_LITERAL(out, " : container = ");
    put_integer(p, field);
    OUTPUT_LITERAL(out, " )");
}

static int flag_compare(const void *a, const void *b)
{
    const stele_text *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

/* An integer, and the flags of a bit map that are set, by name. */
static void put_flags(pretty *p, const stele_field *field)
{
    stele_text flags[UINT8_MAX];
    put_integer(p, field);
    for (unsigned i = 0; i < field->label_count; i++)
        flags[i] = text_of(p, field + 1 + i);
    qsort(flags, field->label_count, sizeof *flags, flag_compare);
    for (unsigned i = 0; i < field->label_count; i++) {
        output_text(p->base.out, i == 0 ? " { " : ", ");
        put_string(p, flags[i]);
    }
    if (field->label_count != 0)
        OUTPUT_LITERAL(p->base.out, " }");
}

static void put_index(output *out, uint32_t index, bool has_names)
{
    output_put(out, ", ", index != 0 ? 2 : 0);
    if (index == 0)
        output_byte(out, ' ');
    if (has_names) {
        output_byte(out, '[');
        output_u64(out, index);
        OUTPUT_LITERAL(out, "] = ");
    }
}

/* Numbers of 8 bytes, one behind the other. */
static void put_packed(pretty *p, const stele_field *field, bool has_names)
{
    output *out = p->base.out;
    const uint8_t *at = p->batch->bytes + field->u.bytes.offset;
    output_byte(out, '[');
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++, at += 8) {
        stele_field element = {.width = field->width, .u.u = load_native64(at)};
        element.type = field->type == STELE_TYPE_UINTS  ? STELE_TYPE_UINT
                       : field->type == STELE_TYPE_INTS ? STELE_TYPE_INT
                                                        : STELE_TYPE_FLOAT;
        element.hint = field->hint & STELE_HINT_BASE_MASK;
        put_index(out, i, has_names);
        put_field(p, &element, has_names);
    }
    OUTPUT_LITERAL(out, " ]");
}

static void put_array(pretty *p, const stele_field *field, bool has_names)
{
    const stele_field *at = field + 1, *end = at + field->u.run.length;
    output_byte(p->base.out, '[');
    for (uint32_t i = 0; at < end; i++, at += stele_field_length(at)) {
        put_index(p->base.out, i, has_names);
        put_field(p, at, has_names);
    }
    OUTPUT_LITERAL(p->base.out, " ]");
}

/* Members from `at` to `end` that are shown, in braces. */
static void put_members(pretty *p, const stele_field *at, const stele_field *end, bool has_names)
{
    output *out = p->base.out;
    size_t before = 1;
    output_byte(out, '{');
    for (; at < end; at += stele_field_length(at)) {
        if ((at->hint & (STELE_HINT_RAW | STELE_HINT_CONTEXT)) != 0)
            continue;
        output_put(out, before == 1 ? " " : ", ", before);
        before = 2;
        if (has_names)
            name_forms_put(&p->keys, out, p->batch, at->name);
        put_field(p, at, has_names);
    }
    OUTPUT_LITERAL(out, " }");
}

static void put_blob(pretty *p, const stele_field *field)
{
    const uint8_t *at = p->batch->bytes + field->u.bytes.offset;
    OUTPUT_LITERAL(p->base.out, "{ ");
    for (uint32_t i = 0; i < field->u.bytes.size; i++)
        output_printf(p->base.out, "%02x ", at[i]);
    OUTPUT_LITERAL(p->base.out, "}");
}

static void put_big(pretty *p, const stele_field *field)
{
    const uint8_t *at = p->batch->bytes + field->u.bytes.offset;
    OUTPUT_LITERAL(p->base.out, "0x");
    for (uint32_t i = field->u.bytes.size; i-- != 0;)
        output_printf(p->base.out, "%02X", at[i]);
}

static void put_variant(pretty *p, const stele_field *field, bool has_names)
{
    OUTPUT_LITERAL(p->base.out, "{ ");
    if (field->u.run.length != 0)
        put_field(p, field + 1, has_names);
    OUTPUT_LITERAL(p->base.out, " }");
}

static void put_value(pretty *p, const stele_field *field, bool has_names)
{
    output *out = p->base.out;
    switch (field->type) {
    case STELE_TYPE_NULL: OUTPUT_LITERAL(out, "<none>"); break;
    case STELE_TYPE_BOOL: output_text(out, field->u.u != 0 ? "true" : "false"); break;
    case STELE_TYPE_FLOAT: put_real(out, field->u.f); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME: put_string(p, text_of(p, field)); break;
    case STELE_TYPE_BYTES: put_blob(p, field); break;
    case STELE_TYPE_BIGINT: put_big(p, field); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_packed(p, field, has_names); break;
    case STELE_TYPE_STRUCT:
        put_members(p, field + 1, field + 1 + field->u.run.length, has_names);
        break;
    case STELE_TYPE_ARRAY: put_array(p, field, has_names); break;
    case STELE_TYPE_VARIANT: put_variant(p, field, has_names); break;
    default:
        if ((field->hint & STELE_HINT_ENUM) != 0)
            put_enum(p, field);
        else
            put_flags(p, field);
    }
}

static void put_field(pretty *p, const stele_field *field, bool has_names)
{
    if ((field->hint & STELE_HINT_OPTIONAL) == 0) {
        put_value(p, field, has_names);
        return;
    }
    OUTPUT_LITERAL(p->base.out, "{ ");
    put_value(p, field, has_names);
    OUTPUT_LITERAL(p->base.out, " }");
}

/* ---- Time ---- */

/* Seconds as a date and a time of day, or false where there are none. */
static bool make_second(pretty *p, int64_t second_s)
{
    const time_t moment = (time_t)second_s;
    struct tm parts;
    if (second_s < 0 || p->options.seconds ||
        (p->options.gmt ? gmtime_r(&moment, &parts) : localtime_r(&moment, &parts)) == NULL)
        return false;
    p->second_size =
        p->options.date
            ? strftime(p->second_text, sizeof p->second_text, "%Y-%m-%d %H:%M:%S.", &parts)
            : strftime(p->second_text, sizeof p->second_text, "%H:%M:%S.", &parts);
    p->second_s = second_s;
    return true;
}

static void put_nine(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, 16);
    if (to != NULL)
        output_advance(out, (size_t)(text_padded(to, value, 9) - to));
}

static void put_wall(pretty *p, int64_t time_ns)
{
    output *out = p->base.out;
    const uint64_t size = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
    const int64_t second_s = time_ns / NS_PER_S;
    if (time_ns >= 0 && (!p->has_second || p->second_s != second_s))
        p->has_second = make_second(p, second_s);
    if (time_ns >= 0 && p->has_second) {
        output_put(out, p->second_text, p->second_size);
    } else {
        if (time_ns < 0)
            output_byte(out, '-');
        output_u64(out, size / NS_PER_S);
        output_byte(out, '.');
    }
    put_nine(out, size % NS_PER_S);
}

static void put_delta(pretty *p, const stele_event *event)
{
    output *out = p->base.out;
    const uint64_t delta = p->options.cycles ? event->ticks - p->last_ticks
                                             : (uint64_t)event->time_ns - (uint64_t)p->last_ns;
    if (p->options.cycles) {
        if (p->has_last)
            output_printf(out, "+%012llu", (unsigned long long)delta);
        else
            OUTPUT_LITERAL(out, "+????????????");
        return;
    }
    if (!p->has_last) {
        OUTPUT_LITERAL(out, "+?.?????????");
        return;
    }
    output_byte(out, '+');
    output_u64(out, delta / NS_PER_S);
    output_byte(out, '.');
    put_nine(out, delta % NS_PER_S);
}

static void put_time(pretty *p, const stele_event *event)
{
    output *out = p->base.out;
    const bool has_names = (p->options.names & PRETTY_NAME_HEADER) != 0;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    if (has_names)
        put_key(p, "timestamp");
    else
        output_byte(out, '[');
    if (p->options.cycles)
        output_printf(out, "%020llu", (unsigned long long)event->ticks);
    else
        put_wall(p, event->time_ns);
    if (!has_names)
        OUTPUT_LITERAL(out, "] ");
    if (!p->options.no_delta) {
        if (has_names) {
            OUTPUT_LITERAL(out, ", ");
            put_key(p, "delta");
        } else {
            output_byte(out, '(');
        }
        put_delta(p, event);
        if (!has_names)
            OUTPUT_LITERAL(out, ") ");
    }
    p->has_last = true;
    p->last_ns = event->time_ns;
    p->last_ticks = event->ticks;
    p->is_line_start = !has_names;
}

/* ---- The head of a line ---- */

/* The member of a structure, or the field of an event, of this name; NULL: none. */
static const stele_field *find(const pretty *p, const stele_field *at, const stele_field *end,
                               known_name name)
{
    for (; at != NULL && at < end; at += stele_field_length(at))
        if (at->name == p->names[name])
            return at;
    return NULL;
}

static const stele_field *find_context(const pretty *p, known_name name)
{
    const stele_field *at = p->batch->fields + p->batch->context_first;
    return find(p, at, at + p->batch->context_count, name);
}

/* Things of the environment are joined by ':' where they are without names. */
static void put_head_item(pretty *p, known_name name, const char *key, const stele_field *value,
                          bool *has_some)
{
    const bool has_names = (p->options.names & PRETTY_NAME_HEADER) != 0;
    put_comma(p);
    if (has_names)
        put_key(p, key);
    else if (*has_some)
        output_byte(p->base.out, ':');
    if (value->type == STELE_TYPE_UINT || value->type == STELE_TYPE_INT) {
        output_byte(p->base.out, '(');
        put_integer(p, value);
        output_byte(p->base.out, ')');
    } else {
        const stele_text text = text_of(p, value);
        output_put(p->base.out, text.bytes, text.size);
        if (name == NAME_LOG_LEVEL)
            output_printf(p->base.out, " (%lld)", (long long)value[-1].u.i);
    }
    *has_some = true;
}

/* babeltrace2 gives a trace the name of its host, or an empty one. */
static void put_trace_name(pretty *p)
{
    const stele_field *host = p->env[NAME_HOSTNAME];
    const bool has_names = (p->options.names & PRETTY_NAME_HEADER) != 0;
    if ((p->options.fields & PRETTY_FIELD_TRACE) == 0)
        return;
    put_comma(p);
    if (has_names)
        put_key(p, "trace");
    if (host != NULL) {
        const stele_text text = text_of(p, host);
        output_put(p->base.out, text.bytes, text.size);
    }
    if (has_names)
        OUTPUT_LITERAL(p->base.out, ", ");
}

static void put_head(pretty *p, const stele_event *event)
{
    static const struct {
        unsigned field;
        known_name name;
        const char *key;
    } items[] = {{PRETTY_FIELD_HOSTNAME, NAME_HOSTNAME, "trace:hostname"},
                 {PRETTY_FIELD_DOMAIN, NAME_DOMAIN, "trace:domain"},
                 {PRETTY_FIELD_PROCNAME, NAME_PROCNAME, "trace:procname"},
                 {PRETTY_FIELD_VPID, NAME_VPID, "trace:vpid"},
                 {PRETTY_FIELD_LOG_LEVEL, NAME_LOG_LEVEL, "loglevel"},
                 {PRETTY_FIELD_EMF, NAME_EMF_URI, "model.emf.uri"}};
    const bool has_names = (p->options.names & PRETTY_NAME_HEADER) != 0;
    const stele_text name = stele_name_text(p->base.context, p->batch, event->name);
    const stele_text category = stele_name_text(
        p->base.context, NULL, stele_category_name(p->base.context, event->category));
    bool has_some = false;
    put_trace_name(p);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const stele_field *value =
            items[i].name <= NAME_VPID ? p->env[items[i].name] : p->about[items[i].name];
        if ((p->options.fields & items[i].field) != 0 && value != NULL)
            put_head_item(p, items[i].name, items[i].key,
                          items[i].name == NAME_LOG_LEVEL && value->label_count != 0 ? value + 1
                                                                                     : value,
                          &has_some);
    }
    if (has_some && !has_names)
        output_byte(p->base.out, ' ');
    put_comma(p);
    p->is_line_start = true;
    if (has_names)
        put_key(p, "name");
    if (category.size != 0) {
        output_put(p->base.out, category.bytes, category.size);
        output_byte(p->base.out, ':');
    }
    if (name.size != 0)
        output_put(p->base.out, name.bytes, name.size);
    else
        OUTPUT_LITERAL(p->base.out, "<unknown>");
    output_put(p->base.out, has_names ? ", " : ": ", 2);
}

/* ---- Lines ---- */

static void put_scope(pretty *p, known_name name)
{
    put_comma(p);
    p->is_line_start = false;
    if ((p->options.names & PRETTY_NAME_SCOPE) != 0)
        put_key(p, known_names[name]);
}

/* Whether something of the structure is shown. */
static bool has_members(const stele_field *structure)
{
    const stele_field *at = structure + 1, *end = at + structure->u.run.length;
    for (; at < end; at += stele_field_length(at))
        if ((at->hint & STELE_HINT_RAW) == 0)
            return true;
    return false;
}

static void put_context(pretty *p, known_name name, const stele_field *structure)
{
    if (structure == NULL || structure->type != STELE_TYPE_STRUCT)
        return;
    put_scope(p, name);
    put_field(p, structure, (p->options.names & PRETTY_NAME_CONTEXT) != 0);
}

static void take_named(pretty *p, const stele_field *at, known_name first, known_name last)
{
    for (known_name name = first; name <= last; name++)
        if (at->name == p->names[name])
            p->about[name] = at;
}

/* What stands before the payload: contexts, and what the event class says. */
static const stele_field *take_about(pretty *p, const stele_field *at, const stele_field *end)
{
    memset(p->about, 0, sizeof p->about);
    for (; at < end && (at->hint & (STELE_HINT_RAW | STELE_HINT_CONTEXT)) != 0;
         at += stele_field_length(at)) {
        if (at->type == STELE_TYPE_STRUCT)
            take_named(p, at, NAME_COMMON_CONTEXT, NAME_SPECIFIC_CONTEXT);
        else if (at->type == STELE_TYPE_NULL)
            take_named(p, at, NAME_PAYLOAD, NAME_PAYLOAD);
        else
            take_named(p, at, NAME_LOG_LEVEL, NAME_EMF_URI);
    }
    return at;
}

static void put_line(pretty *p, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(p->batch, event, &first);
    const stele_field *at = p->batch->fields + first, *end = at + count;
    p->is_line_start = true;
    at = take_about(p, at, end);
    put_time(p, event);
    put_head(p, event);
    put_context(p, NAME_PACKET_CONTEXT, p->packet);
    put_context(p, NAME_COMMON_CONTEXT, p->about[NAME_COMMON_CONTEXT]);
    put_context(p, NAME_SPECIFIC_CONTEXT, p->about[NAME_SPECIFIC_CONTEXT]);
    if (p->about[NAME_PAYLOAD] != NULL) {
        put_scope(p, NAME_PAYLOAD);
        put_members(p, at, end, (p->options.names & PRETTY_NAME_PAYLOAD) != 0);
    }
    output_byte(p->base.out, '\n');
}

/* Batches come in several segments: what is in them is looked up once, as far as that is seen. */
static void take_batch(pretty *p, const stele_batch *batch)
{
    const stele_event *first = batch->events;
    const stele_field *env;
    if (p->batch == batch && p->batch_events == batch->event_count &&
        p->batch_offset == first->offset && p->batch_ticks == first->ticks &&
        p->batch_fields == batch->fields)
        return;
    p->batch = batch;
    p->batch_events = batch->event_count;
    p->batch_offset = first->offset;
    p->batch_ticks = first->ticks;
    p->batch_fields = batch->fields;
    env = find_context(p, NAME_TRACE_ENV);
    for (known_name name = NAME_HOSTNAME; name <= NAME_VPID; name++)
        p->env[name] = env != NULL ? find(p, env + 1, env + 1 + env->u.run.length, name) : NULL;
    p->packet = find_context(p, NAME_PACKET_CONTEXT);
    if (p->packet != NULL && !has_members(p->packet))
        p->packet = NULL;
}

static stele_status pretty_write(stele_writer *self, const stele_segment *segment)
{
    pretty *p = (pretty *)self;
    take_batch(p, segment->batch);
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind != STELE_KIND_LOST) /* told by findings, as babeltrace2 does */
            put_line(p, event);
    }
    return p->keys.scratch->status != STELE_OK ? p->keys.scratch->status : p->base.out->status;
}

static stele_status pretty_finish(stele_writer *self)
{
    return self->out->status;
}

static void pretty_close(stele_writer *self)
{
    name_forms_free(&((pretty *)self)->keys);
    free(self);
}

static bool key_form(output *out, const void *bytes, size_t size)
{
    output_put(out, bytes, size);
    OUTPUT_LITERAL(out, " = ");
    return false;
}

static bool pretty_init(pretty *p, stele_context *context)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        p->names[i] = stele_name_intern(context, known_names[i], strlen(known_names[i]));
        if (p->names[i] == UINT32_MAX)
            return false;
    }
    return name_forms_init(&p->keys, context, key_form) == STELE_OK;
}

static stele_status pretty_open(stele_context *context, output *out, const sink_options *options,
                                stele_writer **writer)
{
    static const writer_ops ops = {pretty_write, pretty_finish, pretty_close};
    pretty *p = calloc(1, sizeof *p);
    *writer = NULL;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    p->options = options != NULL ? options->pretty : (pretty_options){.fields = 0};
    if (!p->options.has_fields)
        p->options.fields = PRETTY_FIELDS_STANDARD;
    if (!p->options.has_names)
        p->options.names = PRETTY_NAMES_STANDARD;
    if (!pretty_init(p, context)) {
        pretty_close(&p->base);
        return STELE_ERR_MEMORY;
    }
    *writer = &p->base;
    return STELE_OK;
}

const sink sink_ctf_pretty = {.name = "ctf-pretty",
                              .title = "lines as babeltrace2 writes them",
                              .extensions = "",
                              .columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME |
                                         STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT |
                                         STELE_COLUMN_RAW,
                              .open = pretty_open};
