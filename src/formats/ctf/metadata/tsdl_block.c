/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of the root: CTF 1.8.3, sections 7.2 to 8 and appendix C. */
#include <inttypes.h>

#include "formats/ctf/metadata/tsdl.h"

/* ---- The block "trace" ---- */

static bool version_is(tsdl *p, const attribute *a, uint32_t wanted, const char *expected)
{
    uint64_t value;
    if (!tsdl_value_u64(p, a, &value))
        return false;
    return value == wanted || tsdl_value_wrong(p, a, expected) == ATTRIBUTE_DONE;
}

static attribute_result trace_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_schema *schema = user;
    switch (a->name) {
    case WORD_MAJOR: return tsdl_value_done(version_is(p, a, 1, "1: this is CTF 1.8"));
    case WORD_MINOR: return tsdl_value_done(version_is(p, a, 8, "8: this is CTF 1.8"));
    case WORD_UUID:
        schema->has_uuid = true;
        if (!tsdl_value_uuid(p, a, schema->uuid))
            return ATTRIBUTE_BAD;
        if (p->m->is_packetized && p->m->has_uuid && memcmp(p->m->uuid, schema->uuid, 16) != 0)
            return tsdl_value_done(tsdl_fail(p, CTF110, a->value_place,
                                             "the UUID of the metadata's packets", "another one"));
        return ATTRIBUTE_DONE;
    case WORD_BYTE_ORDER:
        if (a->kind != VALUE_WORD || !tsdl_byte_order(p, a->text, false, &schema->is_big_endian))
            return tsdl_value_wrong(p, a, "le, be or network");
        if (p->m->is_packetized && p->m->is_big_endian != schema->is_big_endian)
            return tsdl_value_done(tsdl_fail(p, CTF110, a->value_place,
                                             "the byte order of the metadata's packets",
                                             "the other one"));
        schema->is_big_endian ^= p->m->is_order_other;
        return ATTRIBUTE_DONE;
    case WORD_PACKET_HEADER:
        return tsdl_value_done(tsdl_scope_type(p, a, NULL, &schema->packet_header));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

static bool trace_block(tsdl *p)
{
    const uint32_t place = tsdl_token(p)->offset;
    block b = {.name = "the trace", .fn = trace_attribute, .user = p->schema, .is_open = true};
    const char *lacks;
    if (p->has_trace)
        return tsdl_fail(p, CTF103, place, NULL, "a second trace block");
    p->has_trace = true;
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    lacks = p->m->salvages                    ? NULL
            : !block_has(&b, WORD_MAJOR)      ? "'major = 1;'"
            : !block_has(&b, WORD_MINOR)      ? "'minor = 8;'"
            : !block_has(&b, WORD_BYTE_ORDER) ? "'byte_order = le;' or be"
                                              : NULL;
    if (lacks != NULL)
        return tsdl_fail(p, CTF106, place, lacks, "a trace without it");
    p->schema->major = 1;
    p->schema->minor = 8;
    p->schema->has_byte_order = true;
    return true;
}

/* ---- The block "env" ---- */

static attribute_result env_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_env *added;
    int64_t value = 0;
    (void)user;
    if (p->lex.words[a->name].env != 0)
        return tsdl_value_done(tsdl_fail(p, CTF103, a->place, NULL, "'%.64s' a second time",
                                         tsdl_text(p, a->name).bytes));
    if (a->kind != VALUE_TEXT && a->kind != VALUE_INTEGER)
        return tsdl_value_wrong(p, a, "an integer or a text in quotes");
    if (a->kind == VALUE_INTEGER && !tsdl_value_i64(p, a, &value))
        return ATTRIBUTE_BAD;
    added = schema_add_env(p->schema);
    if (added == NULL)
        return ATTRIBUTE_BAD;
    *added = (ctf_env){.name = tsdl_text(p, a->name),
                       .is_text = a->kind == VALUE_TEXT,
                       .is_negative = value < 0,
                       .text = a->text,
                       .value = (uint64_t)value};
    p->lex.words[a->name].env = p->schema->env_count;
    return ATTRIBUTE_DONE;
}

static bool env_block(tsdl *p)
{
    block b = {.name = "the environment", .fn = env_attribute};
    return tsdl_next(p) && tsdl_block(p, &b);
}

/* ---- The block "clock" ---- */

/* The attributes of a clock before its name is known. */
typedef struct clock_said {
    ctf_clock clock;
    ctf_text name;
    uint64_t cycles; /* an offset that is too large for int64_t */
    uint32_t name_place;
} clock_said;

static attribute_result clock_attribute(tsdl *p, const attribute *a, void *user)
{
    clock_said *said = user;
    ctf_clock *clock = &said->clock;
    switch (a->name) {
    case WORD_NAME:
        said->name_place = a->value_place;
        return tsdl_value_done(tsdl_value_name(p, a, &said->name));
    case WORD_UUID:
        clock->has_uuid = true;
        return tsdl_value_done(tsdl_value_uuid(p, a, clock->uuid));
    case WORD_DESCRIPTION: return tsdl_value_done(tsdl_value_text(p, a, &clock->description));
    case WORD_FREQ:
        if (!tsdl_value_u64(p, a, &clock->frequency_hz))
            return ATTRIBUTE_BAD;
        return clock->frequency_hz != 0 ? ATTRIBUTE_DONE
                                        : tsdl_value_wrong(p, a, "a frequency above 0");
    case WORD_PRECISION:
        clock->has_precision = true;
        return tsdl_value_done(tsdl_value_u64(p, a, &clock->precision));
    case WORD_OFFSET_S: return tsdl_value_done(tsdl_value_i64(p, a, &clock->offset_s));
    case WORD_OFFSET:
        if (!a->is_negative && a->magnitude > INT64_MAX)
            return tsdl_value_done(tsdl_value_u64(p, a, &said->cycles));
        return tsdl_value_done(tsdl_value_i64(p, a, &clock->offset_cycles));
    case WORD_ABSOLUTE: return tsdl_value_done(tsdl_value_bool(p, a, &clock->is_unix_epoch));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

static bool clock_block(tsdl *p)
{
    const uint32_t place = tsdl_token(p)->offset;
    clock_said said = {.clock.frequency_hz = 1000000000};
    block b = {.name = "a clock", .fn = clock_attribute, .user = &said};
    ctf_clock *clock;
    uint32_t word;
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    if (!block_has(&b, WORD_NAME))
        return tsdl_fail(p, CTF106, place, "'name = NAME;'", "a clock without it");
    word = lexer_word(&p->lex, said.name.bytes, said.name.size);
    clock = word != UINT32_MAX ? tsdl_clock(p, word, place) : NULL;
    if (clock == NULL)
        return false;
    if (TABLE_AT(p->clocks, clock_state, clock->number)->is_declared)
        return tsdl_fail(p, CTF103, said.name_place, NULL, "another clock of the name '%.64s'",
                         said.name.bytes);
    *TABLE_AT(p->clocks, clock_state, clock->number) = (clock_state){place, true};
    if (said.cycles != 0) {
        if (__builtin_add_overflow(said.clock.offset_s,
                                   (int64_t)(said.cycles / said.clock.frequency_hz),
                                   &said.clock.offset_s))
            return tsdl_fail(p, CTF102, place, "an offset of 64 bits of seconds", "a larger one");
        said.clock.offset_cycles = (int64_t)(said.cycles % said.clock.frequency_hz);
    }
    said.clock.id = said.clock.identity.name = tsdl_text(p, word);
    said.clock.number = clock->number;
    said.clock.place.offset = place;
    *clock = said.clock;
    return true;
}

/* ---- The block "stream" ---- */

static attribute_result stream_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_stream_class *stream = user;
    switch (a->name) {
    case WORD_ID: stream->has_id = true; return tsdl_value_done(tsdl_value_u64(p, a, &stream->id));
    case WORD_EVENT_HEADER:
        return tsdl_value_done(tsdl_scope_type(p, a, stream, &stream->event_header));
    case WORD_EVENT_CONTEXT:
        return tsdl_value_done(tsdl_scope_type(p, a, stream, &stream->event_context));
    case WORD_PACKET_CONTEXT:
        return tsdl_value_done(tsdl_scope_type(p, a, stream, &stream->packet_context));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

static bool stream_block(tsdl *p)
{
    const uint32_t place = tsdl_token(p)->offset;
    ctf_stream_class *stream = schema_add_stream(p->schema);
    block b = {.name = "a stream", .fn = stream_attribute, .user = stream, .is_open = true};
    if (stream == NULL || !tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    stream->place.offset = place;
    if (schema_find_stream(p->schema, stream->id) != stream)
        return tsdl_fail(p, CTF103, place, NULL, "another stream with the id %" PRIu64, stream->id);
    return schema_place_streams(p->schema);
}

/* ---- The block "event" ---- */

static bool event_uri(tsdl *p, const attribute *a, ctf_event_class *event)
{
    ctf_event_extra extra;
    memset(&extra, 0, sizeof extra);
    if (!tsdl_value_text(p, a, &extra.emf_uri))
        return false;
    event->extra = schema_event_extra(p->schema, &extra);
    return event->extra != NULL;
}

static attribute_result event_attribute(tsdl *p, const attribute *a, void *user)
{
    late_event *late = user;
    ctf_event_class *event = &late->event;
    switch (a->name) {
    case WORD_NAME: return tsdl_value_done(tsdl_value_name(p, a, &event->name));
    case WORD_ID: return tsdl_value_done(tsdl_value_u64(p, a, &event->id));
    case WORD_STREAM_ID:
        late->has_stream_id = true;
        return tsdl_value_done(tsdl_value_u64(p, a, &late->stream_id));
    case WORD_LOGLEVEL:
        event->has_log_level = true;
        return tsdl_value_done(tsdl_value_i64(p, a, &event->log_level));
    case WORD_EMF_URI: return tsdl_value_done(event_uri(p, a, event));
    case WORD_CONTEXT: return tsdl_value_done(tsdl_scope_type(p, a, NULL, &event->context));
    case WORD_FIELDS: return tsdl_value_done(tsdl_scope_type(p, a, NULL, &event->payload));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

bool tsdl_event_give(tsdl *p, const ctf_event_class *event, uint64_t stream_id)
{
    ctf_stream_class *stream =
        (ctf_stream_class *)(uintptr_t)schema_find_stream(p->schema, stream_id);
    ctf_event_class *added;
    if (stream == NULL)
        return tsdl_fail(p, CTF104, event->place.offset, "a stream of the event's stream_id",
                         "none with the id %" PRIu64, stream_id);
    added = schema_add_event(stream);
    if (added != NULL)
        *added = *event;
    return added != NULL;
}

static bool event_block(tsdl *p)
{
    late_event read = {.event.place.offset = tsdl_token(p)->offset,
                       .event.name = {"", 0},
                       .event.extra = &schema_no_extra};
    block b = {.name = "an event", .fn = event_attribute, .user = &read, .is_open = true};
    late_event *late;
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    if (!read.has_stream_id) {
        if (p->homeless_place == UINT32_MAX)
            p->homeless_place = read.event.place.offset;
        if (p->schema->stream_count == 1)
            return tsdl_event_give(p, &read.event, p->schema->streams[0]->id);
    } else if (schema_find_stream(p->schema, read.stream_id) != NULL) {
        return tsdl_event_give(p, &read.event, read.stream_id);
    }
    late = tsdl_add(&p->late_events, sizeof *late);
    if (late != NULL)
        *late = read;
    return late != NULL;
}

/* ---- The block "callsite" ---- */

static attribute_result callsite_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_callsite *site = user;
    switch (a->name) {
    case WORD_NAME: return tsdl_value_done(tsdl_value_name(p, a, &site->name));
    case WORD_FUNC: return tsdl_value_done(tsdl_value_name(p, a, &site->function));
    case WORD_FILE: return tsdl_value_done(tsdl_value_text(p, a, &site->file));
    case WORD_LINE:
        site->has_line = true;
        return tsdl_value_done(tsdl_value_u64(p, a, &site->line));
    case WORD_IP: site->has_ip = true; return tsdl_value_done(tsdl_value_u64(p, a, &site->ip));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

static bool callsite_block(tsdl *p)
{
    ctf_callsite read = {.has_line = false}, *added;
    block b = {.name = "a callsite", .fn = callsite_attribute, .user = &read};
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    added = schema_add_callsite(p->schema);
    if (added != NULL)
        *added = read;
    return added != NULL;
}

/* ---- Blocks and declarations of the root ---- */

bool tsdl_root(tsdl *p)
{
    bool done;
    if (tsdl_is_mark(p, ';'))
        return tsdl_next(p);
    if (tsdl_token(p)->kind != TOKEN_WORD)
        return tsdl_unexpected(p, "a block or a declaration");
    scope_push(p);
    switch (tsdl_token(p)->word) {
    case WORD_TRACE: done = trace_block(p); break;
    case WORD_ENV: done = env_block(p); break;
    case WORD_CLOCK: done = clock_block(p); break;
    case WORD_STREAM: done = stream_block(p); break;
    case WORD_EVENT: done = event_block(p); break;
    case WORD_CALLSITE: done = callsite_block(p); break;
    default:
        p->scope--; /* names that are declared here stay known after it */
        return tsdl_declaration(p);
    }
    scope_pop(p);
    return done && tsdl_take_mark(p, ';');
}
