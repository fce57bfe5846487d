/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema as the JSON metadata of CTF 2: one fragment each for the preamble, the trace,
   clocks, streams and events. */
#include <stele/json.h>

#include "core/text.h"
#include "core/wide.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_json_class.h"
#include "formats/ctf/metadata/print_json_where.h"
#include "formats/ctf/metadata/print_walk.h"

#define CLASSES_MAX ((uint64_t)32 << 20)

/* ---- Fragments of the sequence ---- */

static void fragment_begin(json_printer *j, const char *type)
{
    output_byte(j->out, 0x1e); /* record separator of RFC 7464 */
    ctf2_open(j, NULL, '{');
    ctf2_put_word(j, "type", type);
}

static void fragment_end(json_printer *j)
{
    ctf2_close(j, '}');
}

static void put_identity(json_printer *j, const ctf_identity *identity)
{
    ctf2_put_text(j, "namespace", identity->name_space);
    ctf2_put_text(j, "name", identity->name);
    ctf2_put_text(j, "uid", identity->uid);
}

static void put_scope(json_printer *j, const char *name, ctf_scope scope)
{
    const ctf_class *root = walk_root(&j->walk, scope);
    if (root == NULL)
        return;
    j->walk.scope = scope;
    ctf2_put_class(j, name, root);
}

static void put_preamble(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    fragment_begin(j, "preamble");
    ctf2_put_u64(j, "version", 2);
    if (schema->has_uuid) {
        ctf2_key(j, "uuid");
        for (unsigned i = 0; i < 16; i++) {
            output_text(j->out, i == 0 ? "[" : ", ");
            output_u64(j->out, schema->uuid[i]);
        }
        output_byte(j->out, ']');
    }
    ctf2_put_raw(j, "attributes", schema->preamble_attributes);
    ctf2_put_raw(j, "extensions", schema->preamble_extensions);
    fragment_end(j);
}

static void put_environment(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    if (schema->env_count == 0)
        return;
    ctf2_open(j, "environment", '{');
    for (uint32_t i = 0; i < schema->env_count; i++) {
        const ctf_env *env = &schema->env[i];
        stele_json_value_of(&j->json, env->name.bytes, env->name.size);
        if (env->is_text)
            ctf2_string(j, env->text);
        else
            ctf2_range_end(j, env->value, env->is_negative);
    }
    ctf2_close(j, '}');
}

/* In CTF 1.8 the UUID says which directories are parts of one trace; in CTF 2 name and uid do. */
static void put_trace_identity(json_printer *j, const ctf_schema *schema)
{
    if (schema->generation != CTF_1 || !schema->has_uuid) {
        put_identity(j, &schema->identity);
        return;
    }
    ctf2_put_word(j, "name", "");
    ctf2_put_word(j, "uid", uuid_format(schema->uuid).text);
}

static void put_trace(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    fragment_begin(j, "trace-class");
    put_trace_identity(j, schema);
    put_environment(j);
    put_scope(j, "packet-header-field-class", CTF_SCOPE_PACKET_HEADER);
    ctf2_put_raw(j, "attributes", schema->attributes);
    ctf2_put_raw(j, "extensions", schema->extensions);
    fragment_end(j);
}

/* Writes the offset of a clock. In CTF 2 its cycles are less than a second. */
static void put_offset(json_printer *j, const ctf_clock *clock)
{
    uint64_t cycles;
    const wide_i128 seconds =
        i128_divide_down(i128_of_i64(clock->offset_cycles), clock->frequency_hz, &cycles);
    if (clock->offset_s == 0 && clock->offset_cycles == 0)
        return;
    ctf2_open(j, "offset-from-origin", '{');
    ctf2_key(j, "seconds");
    output_i64(j->out, clock->offset_s + i128_clamp_i64(seconds));
    ctf2_put_u64(j, "cycles", cycles);
    ctf2_close(j, '}');
}

static void put_clock(json_printer *j, const ctf_clock *clock)
{
    j->where = clock->id;
    fragment_begin(j, "clock-class");
    ctf2_put_name(j, "id", clock->id);
    put_identity(j, &clock->identity);
    if (clock->has_uuid && clock->identity.uid.bytes == NULL)
        ctf2_put_word(j, "uid", uuid_format(clock->uuid).text);
    ctf2_put_text(j, "description", clock->description);
    ctf2_put_u64(j, "frequency", clock->frequency_hz);
    if (clock->has_precision)
        ctf2_put_u64(j, "precision", clock->precision);
    if (clock->has_accuracy)
        ctf2_put_u64(j, "accuracy", clock->accuracy);
    if (clock->is_unix_epoch || clock->is_wall) {
        ctf2_put_word(j, "origin", "unix-epoch");
    } else if (clock->origin.name.bytes != NULL) {
        ctf2_open(j, "origin", '{');
        put_identity(j, &clock->origin);
        ctf2_close(j, '}');
    }
    put_offset(j, clock);
    if (clock->has_uuid && clock->identity.uid.bytes != NULL)
        ctf2_lose(j, "UUIDs of clocks");
    ctf2_put_extra(j, clock->extra);
    fragment_end(j);
}

static void put_stream(json_printer *j, const ctf_stream_class *stream)
{
    j->where = stream->identity.name;
    j->walk.stream = stream;
    fragment_begin(j, "data-stream-class");
    ctf2_put_u64(j, "id", stream->id);
    put_identity(j, &stream->identity);
    if (stream->clock != NULL) {
        ctf2_put_name(j, "default-clock-class-id", stream->clock->id);
    }
    put_scope(j, "packet-context-field-class", CTF_SCOPE_PACKET_CONTEXT);
    put_scope(j, "event-record-header-field-class", CTF_SCOPE_EVENT_HEADER);
    put_scope(j, "event-record-common-context-field-class", CTF_SCOPE_COMMON_CONTEXT);
    ctf2_put_raw(j, "attributes", stream->attributes);
    ctf2_put_raw(j, "extensions", stream->extensions);
    fragment_end(j);
}

/* Writes log level and URI of CTF 1.8 as LTTng does in CTF 2. */
static void put_event_attributes(json_printer *j, const ctf_event_class *event)
{
    const char *level = event->has_log_level ? log_level_name(event->log_level) : NULL;
    if (event->extra->attributes.bytes != NULL) {
        ctf2_put_raw(j, "attributes", event->extra->attributes);
        return;
    }
    if (event->has_log_level && level == NULL)
        ctf2_lose(j, "log levels without a name");
    if (level == NULL && event->extra->emf_uri.bytes == NULL)
        return;
    ctf2_open(j, "attributes", '{');
    ctf2_open(j, "lttng.org,2009", '{');
    if (level != NULL)
        ctf2_put_word(j, "log-level", level);
    ctf2_put_text(j, "emf-uri", event->extra->emf_uri);
    ctf2_close(j, '}');
    ctf2_close(j, '}');
}

static void put_event(json_printer *j, const ctf_event_class *event)
{
    j->where = event->name;
    j->walk.event = event;
    fragment_begin(j, "event-record-class");
    ctf2_put_u64(j, "data-stream-class-id", j->walk.stream->id);
    ctf2_put_u64(j, "id", event->id);
    put_identity(j, &(ctf_identity){.name = event->name,
                                    .name_space = event->extra->name_space,
                                    .uid = event->extra->uid});
    put_scope(j, "specific-context-field-class", CTF_SCOPE_SPECIFIC_CONTEXT);
    put_scope(j, "payload-field-class", CTF_SCOPE_PAYLOAD);
    put_event_attributes(j, event);
    ctf2_put_raw(j, "extensions", event->extra->extensions);
    fragment_end(j);
    j->walk.event = NULL;
}

void print_json(schema_printer *p)
{
    const ctf_schema *schema = p->schema;
    json_printer j = {.p = p,
                      .out = p->out,
                      .json = {.out = p->out},
                      .walk = {.schema = schema, .budget = CLASSES_MAX}};
    if (!intern_init(&j.clashing, SIZE_MAX)) {
        p->out->status = STELE_ERR_MEMORY;
        return;
    }
    put_preamble(&j);
    put_trace(&j);
    for (uint32_t i = 0; i < schema->clock_count; i++)
        put_clock(&j, schema->clocks[i]);
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        put_stream(&j, schema->streams[s]);
        for (uint32_t i = 0; i < schema->streams[s]->event_count; i++)
            put_event(&j, &schema->streams[s]->events[i]);
        j.walk.stream = NULL;
    }
    for (uint32_t i = 0; i < schema->callsite_count; i++)
        print_lose(p, schema->callsites[i].name, "callsites");
    if (j.walk.is_exhausted)
        p->out->status = STELE_ERR_MEMORY;
    walk_free(&j.walk);
    intern_free(&j.clashing);
    text_set_free(&j.names);
}
