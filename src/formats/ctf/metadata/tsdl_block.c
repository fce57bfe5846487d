/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of the root: CTF 1.8.3, sections 7.2 to 8 and appendix C. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/ctf/metadata/tsdl.h"

/* ---- Values ---- */

const char *tsdl_value_shown(const attribute *a, char text[FOUND_SIZE])
{
    if (a->kind == VALUE_INTEGER)
        snprintf(text, FOUND_SIZE, "%s%" PRIu64, a->is_negative ? "-" : "", a->magnitude);
    else if (a->kind == VALUE_TYPE)
        snprintf(text, FOUND_SIZE, "a type");
    else
        snprintf(text, FOUND_SIZE, a->kind == VALUE_TEXT ? "\"%.64s\"" : "'%.64s'", a->text.bytes);
    return text;
}

attribute_result tsdl_value_wrong(tsdl *p, const attribute *a, const char *expected)
{
    char text[FOUND_SIZE];
    tsdl_fail(p, CTF102, a->value_place, expected, "%s", tsdl_value_shown(a, text));
    return ATTRIBUTE_BAD;
}

bool tsdl_value_u64(tsdl *p, const attribute *a, uint64_t *value)
{
    *value = a->magnitude;
    return (a->kind == VALUE_INTEGER && (!a->is_negative || a->magnitude == 0)) ||
           tsdl_value_wrong(p, a, "an unsigned integer") == ATTRIBUTE_DONE;
}

bool tsdl_value_i64(tsdl *p, const attribute *a, int64_t *value)
{
    const uint64_t most = (uint64_t)INT64_MAX + a->is_negative;
    *value = (int64_t)(a->is_negative ? 0 - a->magnitude : a->magnitude);
    return (a->kind == VALUE_INTEGER && a->magnitude <= most) ||
           tsdl_value_wrong(p, a, "an integer of 64 bits with sign") == ATTRIBUTE_DONE;
}

bool tsdl_value_bool(tsdl *p, const attribute *a, bool *value)
{
    const bool is_word = a->kind == VALUE_WORD;
    const bool is_number = a->kind == VALUE_INTEGER && !a->is_negative && a->magnitude <= 1;
    *value = is_number ? a->magnitude == 1
                       : is_word && (ctf_text_is(a->text, "true") || ctf_text_is(a->text, "TRUE"));
    return is_number || *value ||
           (is_word && (ctf_text_is(a->text, "false") || ctf_text_is(a->text, "FALSE"))) ||
           tsdl_value_wrong(p, a, "true, false, 1 or 0") == ATTRIBUTE_DONE;
}

bool tsdl_value_text(tsdl *p, const attribute *a, ctf_text *text)
{
    *text = a->text;
    return a->kind == VALUE_TEXT || tsdl_value_wrong(p, a, "a text in quotes") == ATTRIBUTE_DONE;
}

bool tsdl_value_name(tsdl *p, const attribute *a, ctf_text *text)
{
    *text = a->text;
    return a->kind == VALUE_TEXT || a->kind == VALUE_WORD ||
           tsdl_value_wrong(p, a, "a name or a text in quotes") == ATTRIBUTE_DONE;
}

bool tsdl_value_align(tsdl *p, const attribute *a, uint32_t *alignment)
{
    uint64_t value;
    if (!tsdl_value_u64(p, a, &value))
        return false;
    *alignment = (uint32_t)value;
    return tsdl_is_alignment(value) ||
           tsdl_value_wrong(p, a, "a power of two of at most 2^30") == ATTRIBUTE_DONE;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* 12345678-1234-1234-1234-123456789abc */
static bool uuid_read(ctf_text text, uint8_t uuid[16])
{
    const char *at = text.bytes;
    if (text.size != 36)
        return false;
    for (unsigned i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            if (*at++ != '-')
                return false;
        if (hex_value(at[0]) < 0 || hex_value(at[1]) < 0)
            return false;
        uuid[i] = (uint8_t)(hex_value(at[0]) << 4 | hex_value(at[1]));
        at += 2;
    }
    return true;
}

bool tsdl_value_uuid(tsdl *p, const attribute *a, uint8_t uuid[16])
{
    return (a->kind == VALUE_TEXT && uuid_read(a->text, uuid)) ||
           tsdl_value_wrong(p, a, "a UUID in quotes: 8, 4, 4, 4 and 12 hexadecimal digits") ==
               ATTRIBUTE_DONE;
}

bool tsdl_byte_order(const tsdl *p, ctf_text text, bool allows_native, bool *is_big_endian)
{
    if (ctf_text_is(text, "le"))
        *is_big_endian = false;
    else if (ctf_text_is(text, "be") || ctf_text_is(text, "network"))
        *is_big_endian = true;
    else if (allows_native && ctf_text_is(text, "native"))
        *is_big_endian = p->schema->is_big_endian;
    else
        return false;
    return true;
}

/* ---- Attributes ---- */

static bool value_integer(tsdl *p, attribute *a)
{
    a->kind = VALUE_INTEGER;
    if (tsdl_is_mark(p, '+') || tsdl_is_mark(p, '-')) {
        a->is_negative = tsdl_is_mark(p, '-');
        if (!tsdl_next(p))
            return false;
        if (tsdl_token(p)->kind != TOKEN_INTEGER)
            return tsdl_unexpected(p, "an integer");
    }
    a->magnitude = tsdl_token(p)->value;
    return tsdl_next(p);
}

static bool value_read(tsdl *p, attribute *a)
{
    switch (tsdl_token(p)->kind) {
    case TOKEN_TEXT:
    case TOKEN_CHARACTER:
        a->kind = VALUE_TEXT;
        a->text = tsdl_token(p)->text;
        return tsdl_next(p);
    case TOKEN_WORD:
        a->kind = VALUE_WORD;
        if (!tsdl_take_path(p, &a->word))
            return false;
        a->path_count = p->path.count;
        a->text = tsdl_text(p, a->word);
        return true;
    case TOKEN_INTEGER: return value_integer(p, a);
    case TOKEN_MARK:
        if (tsdl_is_mark(p, '+') || tsdl_is_mark(p, '-'))
            return value_integer(p, a);
        break;
    case TOKEN_END: break;
    }
    return tsdl_unexpected(p, "a value: an integer, a text in quotes or a word");
}

/* The scope whose type an attribute gives. */
static ctf_scope scope_of(uint32_t name)
{
    switch (name) {
    case WORD_PACKET_HEADER: return CTF_SCOPE_PACKET_HEADER;
    case WORD_PACKET_CONTEXT: return CTF_SCOPE_PACKET_CONTEXT;
    case WORD_EVENT_HEADER: return CTF_SCOPE_EVENT_HEADER;
    case WORD_EVENT_CONTEXT: return CTF_SCOPE_COMMON_CONTEXT;
    case WORD_CONTEXT: return CTF_SCOPE_SPECIFIC_CONTEXT;
    case WORD_FIELDS: return CTF_SCOPE_PAYLOAD;
    default: return CTF_SCOPE_COUNT;
    }
}

/* NAME = VALUE or NAME := TYPE */
static bool attribute_read(tsdl *p, attribute *a)
{
    bool done;
    *a = (attribute){.place = tsdl_token(p)->offset};
    if (!tsdl_take_path(p, &a->name))
        return false;
    if (tsdl_is_mark(p, '=')) {
        if (!tsdl_next(p))
            return false;
        a->value_place = tsdl_token(p)->offset;
        return value_read(p, a);
    }
    if (!tsdl_is_mark(p, MARK_ASSIGN))
        return tsdl_unexpected(p, "'=' or ':='");
    if (!tsdl_next(p))
        return false;
    a->value_place = tsdl_token(p)->offset;
    a->kind = VALUE_TYPE;
    p->assigned = scope_of(a->name);
    done = tsdl_type(p, USE_ASSIGN, &a->type);
    p->assigned = CTF_SCOPE_COUNT;
    p->assigned_scope = 0;
    return done;
}

static bool attribute_give(tsdl *p, block *b, const attribute *a)
{
    const bool is_known = a->name < WORD_COUNT;
    _Static_assert(WORD_COUNT <= 64, "block.seen has a bit for each known word");
    if (is_known && block_has(b, a->name))
        return tsdl_fail(p, CTF103, a->place, NULL, "'%s' in %s a second time",
                         tsdl_text(p, a->name).bytes, b->name);
    switch (b->fn(p, a, b->user)) {
    case ATTRIBUTE_BAD: return false;
    case ATTRIBUTE_UNKNOWN:
        p->m->misnamed_place = a->place;
        p->m->is_misnamed_type = a->kind == VALUE_TYPE;
        metadata_report(p->m, &ctf_codes[CTF107], (ctf_place){a->place}, NULL, "'%.64s' in %s",
                        tsdl_text(p, a->name).bytes, b->name);
        break;
    case ATTRIBUTE_DONE:
        if (is_known)
            b->seen |= UINT64_C(1) << a->name;
        break;
    }
    return true;
}

bool tsdl_block(tsdl *p, block *b)
{
    if (!tsdl_take_mark(p, '{'))
        return false;
    while (!tsdl_is_mark(p, '}')) {
        attribute a;
        if (tsdl_is_mark(p, ';')) {
            if (!tsdl_next(p))
                return false;
        } else if (b->is_open && tsdl_is_declaration(p)) {
            if (!tsdl_declaration(p))
                return false;
        } else if (!attribute_read(p, &a) || !attribute_give(p, b, &a) || !tsdl_take_mark(p, ';')) {
            return false;
        }
    }
    return tsdl_next(p);
}

/* A structure with its roles, as the type of a scope. */
static bool scope_type(tsdl *p, const attribute *a, ctf_stream_class *stream,
                       const ctf_class **type)
{
    if (a->kind != VALUE_TYPE || a->type->kind != CTF_STRUCT)
        return tsdl_value_wrong(p, a, "a structure, given by ':='") == ATTRIBUTE_DONE;
    *type = tsdl_with_roles(p, a->type, scope_of(a->name), stream);
    return *type != NULL;
}

/* ---- trace ---- */

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
    case WORD_PACKET_HEADER: return tsdl_value_done(scope_type(p, a, NULL, &schema->packet_header));
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

/* ---- env ---- */

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

/* ---- clock ---- */

/* What a clock says before its name is known. */
typedef struct clock_said {
    ctf_clock clock;
    ctf_text name;
    uint64_t cycles; /* an offset too large for a signed one */
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

/* ---- stream ---- */

static attribute_result stream_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_stream_class *stream = user;
    switch (a->name) {
    case WORD_ID: stream->has_id = true; return tsdl_value_done(tsdl_value_u64(p, a, &stream->id));
    case WORD_EVENT_HEADER: return tsdl_value_done(scope_type(p, a, stream, &stream->event_header));
    case WORD_EVENT_CONTEXT:
        return tsdl_value_done(scope_type(p, a, stream, &stream->event_context));
    case WORD_PACKET_CONTEXT:
        return tsdl_value_done(scope_type(p, a, stream, &stream->packet_context));
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

/* ---- event ---- */

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
    case WORD_CONTEXT: return tsdl_value_done(scope_type(p, a, NULL, &event->context));
    case WORD_FIELDS: return tsdl_value_done(scope_type(p, a, NULL, &event->payload));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

static bool event_give(tsdl *p, const ctf_event_class *event, uint64_t stream_id)
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
            return event_give(p, &read.event, p->schema->streams[0]->id);
    } else if (schema_find_stream(p->schema, read.stream_id) != NULL) {
        return event_give(p, &read.event, read.stream_id);
    }
    late = tsdl_add(&p->late_events, sizeof *late);
    if (late != NULL)
        *late = read;
    return late != NULL;
}

/* ---- callsite ---- */

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

/* ---- The root ---- */

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
        p->scope--; /* what is declared here stays known */
        return tsdl_declaration(p);
    }
    scope_pop(p);
    return done && tsdl_take_mark(p, ';');
}

/* ---- The end ---- */

/* Lengths that are entries of the environment. */
static bool finish_lengths(tsdl *p)
{
    for (uint32_t i = 0; i < p->env_lengths.count; i++) {
        const env_length *late = TABLE_AT(p->env_lengths, env_length, i);
        const uint32_t number = p->lex.words[late->word].env;
        const ctf_env *env = number != 0 ? &p->schema->env[number - 1] : NULL;
        if (env == NULL)
            return tsdl_fail(p, CTF104, late->place, NULL,
                             "env.%.64s, which the environment does not have",
                             tsdl_text(p, late->word).bytes);
        if (env->is_text || env->is_negative)
            return tsdl_fail(p, CTF105, late->place, "an unsigned integer, for the length",
                             "another value of env.%.64s", env->name.bytes);
        late->array->u.array.length = env->value;
    }
    return true;
}

bool tsdl_is_lttng(const tsdl *p)
{
    const ctf_env *tracer = schema_find_env(p->schema, "tracer_name");
    return tracer != NULL && tracer->is_text && strncmp(tracer->text.bytes, "lttng", 5) == 0;
}

/* Old versions of LTTng do not say that their clock counts from 1970. */
static void finish_lttng(tsdl *p)
{
    for (uint32_t i = 0; i < p->schema->clock_count; i++)
        if (ctf_text_is(p->schema->clocks[i]->id, "monotonic") && tsdl_is_lttng(p))
            p->schema->clocks[i]->is_unix_epoch = true;
}

static bool is_declared(const tsdl *p, const ctf_clock *clock)
{
    return clock->number >= p->clocks.count ||
           TABLE_AT(p->clocks, clock_state, clock->number)->is_declared;
}

/* Clocks that are only referred to: no matter where no time is of them. */
static uint32_t finish_clocks(tsdl *p)
{
    uint32_t declared = 0;
    for (uint32_t i = 0; i < p->clocks.count; i++) {
        if (is_declared(p, p->schema->clocks[i]))
            declared++;
        else
            metadata_report(p->m, &ctf_codes[CTF112],
                            (ctf_place){TABLE_AT(p->clocks, clock_state, i)->place}, NULL,
                            "the clock '%.64s'", p->schema->clocks[i]->id.bytes);
    }
    finish_lttng(p);
    return declared;
}

/* Of timestamps that name no clock: the only one; where there is none, one that counts ns. Returns
 * NULL if out of memory. */
static const ctf_clock *default_clock(tsdl *p)
{
    ctf_clock *made;
    for (uint32_t i = 0; i < p->schema->clock_count; i++)
        if (is_declared(p, p->schema->clocks[i]))
            return p->schema->clocks[i];
    made = schema_add_clock(p->schema);
    if (made != NULL) {
        made->id = made->identity.name = (ctf_text){"default", 7};
        made->place.offset = UINT32_MAX;
    }
    return made;
}

static bool finish_timestamps(tsdl *p)
{
    const uint32_t declared = finish_clocks(p);
    const ctf_clock *unnamed = NULL;
    for (uint32_t i = 0; i < p->timestamps.count; i++) {
        const timestamp *t = TABLE_AT(p->timestamps, timestamp, i);
        if (t->type->clock != NULL && !is_declared(p, t->type->clock) && !p->m->salvages)
            return tsdl_fail(p, CTF104, t->place, "a timestamp of a clock that is described",
                             "one of '%.64s'", t->type->clock->id.bytes);
        if (t->type->clock == NULL && declared > 1)
            return tsdl_fail(p, CTF104, t->place, "'map = clock.NAME.value;'",
                             "a timestamp that could be of several clocks");
        if (t->type->clock == NULL && unnamed == NULL && (unnamed = default_clock(p)) == NULL)
            return false;
        if (t->type->clock == NULL)
            t->type->clock = unnamed;
        if (t->stream->clock == NULL)
            t->stream->clock = t->type->clock;
    }
    return true;
}

/* A trace without a stream block has one stream, of which nothing is said. */
static bool finish_streams(tsdl *p)
{
    ctf_stream_class *stream;
    if (p->schema->stream_count != 0 || p->m->salvages)
        return true;
    stream = schema_add_stream(p->schema);
    if (stream != NULL)
        stream->place.offset = UINT32_MAX;
    return stream != NULL;
}

/* Events that came before their stream, or that do not name it. */
static bool finish_events(tsdl *p)
{
    if (p->homeless_place != UINT32_MAX && p->schema->stream_count > 1)
        return tsdl_fail(p, CTF106, p->homeless_place, "'stream_id = ID;'",
                         "an event without it in a trace of several streams");
    for (uint32_t i = 0; i < p->late_events.count; i++) {
        const late_event *late = TABLE_AT(p->late_events, late_event, i);
        if (p->m->salvages && p->schema->stream_count == 0)
            break;
        if (!event_give(p, &late->event,
                        late->has_stream_id ? late->stream_id : p->schema->streams[0]->id))
            return false;
    }
    return true;
}

static bool finish_ids(tsdl *p)
{
    for (uint32_t i = 0; i < p->schema->stream_count; i++) {
        const ctf_stream_class *stream = p->schema->streams[i];
        for (uint32_t k = 0; k < stream->event_count; k++) {
            const ctf_event_class *event = &stream->events[k];
            const ctf_event_class *same = schema_find_event(stream, event->id);
            if (same != event)
                return tsdl_fail(p, CTF103, same->place.offset, NULL,
                                 "another event with the id %" PRIu64, event->id);
        }
        if (stream->event_count > 1 &&
            !tsdl_has_role(stream->event_header, CTF_ROLE_EVENT_CLASS_ID))
            return tsdl_fail(p, CTF106, stream->events[1].place.offset,
                             "'id', an unsigned integer, in the event header of the stream",
                             "a second event without it");
    }
    return true;
}

bool tsdl_finish(tsdl *p)
{
    if (!p->has_trace)
        return tsdl_fail(p, CTF106, p->m->salvages ? UINT32_MAX : 0, "a trace block",
                         "metadata without it");
    if (p->schema->stream_count > 1 &&
        !tsdl_has_role(p->schema->packet_header, CTF_ROLE_STREAM_CLASS_ID))
        return tsdl_fail(p, CTF106, p->schema->streams[1]->place.offset,
                         "'stream_id', an unsigned integer, in the packet header",
                         "a second stream without it");
    return finish_lengths(p) && finish_timestamps(p) && finish_streams(p) && finish_events(p) &&
           schema_finish(p->schema) && finish_ids(p);
}
