/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema as the TSDL metadata of CTF 1.8: the blocks of the trace, clocks, streams and
   events. */
#include <stdlib.h>

#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_tags.h"
#include "formats/ctf/metadata/print_tsdl_type.h"
#include "formats/ctf/metadata/print_walk.h"

#define CLASSES_MAX ((uint64_t)32 << 20)

/* ---- Types of scopes ---- */

static void scope_print(tsdl_printer *t, const char *name, ctf_scope scope)
{
    const ctf_class *type = walk_root(&t->walk, scope);
    if (type == NULL)
        return;
    t->walk.scope = scope;
    t->walk.depth = 0;
    ctf1_line(t);
    output_printf(t->out, "%s := ", name);
    ctf1_type(t, type);
    output_byte(t->out, ';');
}

/* ---- Blocks of the root ---- */

static void identity_lost(tsdl_printer *t, const ctf_identity *identity, bool keeps_name)
{
    if (!keeps_name)
        ctf1_lose_text(t, identity->name, "names of traces and streams");
    ctf1_lose_text(t, identity->name_space, "namespaces");
    ctf1_lose_text(t, identity->uid, "unique identifiers");
}

/* Whether print_json() made the identity from the UUID, so that nothing is lost without it. */
static bool is_told_by_uuid(const ctf_schema *schema)
{
    const ctf_identity *identity = &schema->identity;
    return schema->has_uuid && identity->name_space.bytes == NULL && identity->name.size == 0 &&
           ctf_text_is(identity->uid, uuid_format(schema->uuid).text);
}

/* Whether packets do not name their section, so that only their file does: CTF 1.8 can then have
   only one stream. */
static bool is_told_by_files(const ctf_schema *schema)
{
    return schema->generation == CTF_RFC && schema->stream_count > 1;
}

static void trace_block(tsdl_printer *t)
{
    const ctf_schema *schema = t->p->schema;
    t->where = (ctf_text){"trace", 5};
    ctf1_block_begin(t, "trace");
    ctf1_attribute_u64(t, "major", 1);
    ctf1_attribute_u64(t, "minor", 8);
    if (schema->has_uuid)
        ctf1_attribute_uuid(t, schema->uuid);
    ctf1_attribute(t, "byte_order");
    output_printf(t->out, "%s;", ctf1_byte_order(schema->is_big_endian));
    scope_print(t, "packet.header", CTF_SCOPE_PACKET_HEADER);
    ctf1_block_end(t);
    if (!is_told_by_uuid(schema))
        identity_lost(t, &schema->identity, false);
    ctf1_lose_text(t, schema->attributes, "attributes of the trace");
    ctf1_lose_text(t, schema->extensions, "extensions of the trace");
    ctf1_lose_text(t, schema->preamble_attributes, "attributes of the preamble");
    ctf1_lose_text(t, schema->preamble_extensions, "extensions of the preamble");
    if (schema->length_unit != 1)
        ctf1_lose_layout(t, "sizes of packets in bytes");
    if (is_told_by_files(schema))
        ctf1_lose_layout(t, "streams that the names of files tell apart");
    if (schema->discarded_at_begin)
        ctf1_lose_layout(t, "counters of discarded events as of the begin of packets");
}

/* Writes the name of an entry of the environment, which may be a keyword and knows no escapes. */
static void env_name(tsdl_printer *t, ctf_text name)
{
    if (name.size == 0 || (*name.bytes >= '0' && *name.bytes <= '9')) {
        output_byte(t->out, '_');
        ctf1_lose(t, "characters of names");
    }
    ctf1_name_characters(t, name);
}

static void env_block(tsdl_printer *t)
{
    const ctf_schema *schema = t->p->schema;
    t->where = (ctf_text){"environment", 11};
    if (schema->env_count == 0)
        return;
    ctf1_block_begin(t, "env");
    for (uint32_t i = 0; i < schema->env_count; i++) {
        const ctf_env *env = &schema->env[i];
        ctf1_line(t);
        env_name(t, env->name);
        output_text(t->out, " = ");
        if (env->is_text)
            ctf1_quoted(t, env->text);
        else
            output_i64(t->out, (int64_t)env->value);
        output_byte(t->out, ';');
    }
    ctf1_block_end(t);
}

/* Whether a uid has the form of a UUID, as print_json() makes it from one. */
static bool is_uuid(ctf_text uid)
{
    if (uid.bytes == NULL || uid.size != 36)
        return false;
    for (uint32_t i = 0; i < uid.size; i++) {
        const char c = uid.bytes[i];
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? c != '-'
                    : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

static void clock_block(tsdl_printer *t, const ctf_clock *clock)
{
    ctf_identity rest = clock->identity; /* the parts that CTF 1.8 cannot express */
    t->where = clock->id;
    ctf1_block_begin(t, "clock");
    ctf1_attribute(t, "name");
    ctf1_identifier(t, clock->id);
    output_byte(t->out, ';');
    if (clock->has_uuid) {
        ctf1_attribute_uuid(t, clock->uuid);
    } else if (is_uuid(rest.uid)) {
        ctf1_attribute_text(t, "uuid", rest.uid);
        rest.uid = (ctf_text){NULL, 0};
    }
    ctf1_attribute_text(t, "description", clock->description);
    ctf1_attribute_u64(t, "freq", clock->frequency_hz);
    if (clock->has_precision)
        ctf1_attribute_u64(t, "precision", clock->precision);
    if (clock->offset_s != 0)
        ctf1_attribute_i64(t, "offset_s", clock->offset_s);
    if (clock->offset_cycles != 0)
        ctf1_attribute_i64(t, "offset", clock->offset_cycles);
    if (clock->is_unix_epoch)
        output_text(t->out, "\n\tabsolute = TRUE;");
    ctf1_block_end(t);
    if (!ctf_text_equals(clock->identity.name, clock->id))
        ctf1_lose_text(t, clock->identity.name, "names of clocks");
    identity_lost(t, &rest, true);
    ctf1_lose_text(t, clock->origin.name, "origins of clocks");
    if (clock->has_accuracy)
        ctf1_lose(t, "accuracies of clocks");
    ctf1_lose_extra(t, clock->extra);
}

/* Whether packets name their stream class; babeltrace2 refuses ids if they do not. The only class
   of CTF 1.8, if it has no id, takes packets with any id. */
static bool has_stream_ids(const ctf_schema *schema)
{
    const ctf_class *header = schema->packet_header;
    if (schema->generation == CTF_1 && schema->stream_count == 1 && !schema->streams[0]->has_id)
        return false;
    for (uint32_t i = 0; header != NULL && i < header->u.structure.count; i++)
        if ((header->u.structure.members[i].type->roles & CTF_ROLE_STREAM_CLASS_ID) != 0)
            return true;
    return schema->stream_count > 1 || schema->streams[0]->id != 0;
}

static void event_block(tsdl_printer *t, const ctf_event_class *event)
{
    t->where = event->name;
    t->walk.event = event;
    ctf1_block_begin(t, "event");
    ctf1_attribute_text(t, "name", event->name.bytes != NULL ? event->name : (ctf_text){"", 0});
    ctf1_attribute_u64(t, "id", event->id);
    if (has_stream_ids(t->p->schema))
        ctf1_attribute_u64(t, "stream_id", t->walk.stream->id);
    if (event->has_log_level)
        ctf1_attribute_i64(t, "loglevel", event->log_level);
    ctf1_attribute_text(t, "model.emf.uri", event->extra->emf_uri);
    scope_print(t, "context", CTF_SCOPE_SPECIFIC_CONTEXT);
    scope_print(t, "fields", CTF_SCOPE_PAYLOAD);
    ctf1_block_end(t);
    t->walk.event = NULL;
    ctf1_lose_text(t, event->extra->name_space, "namespaces");
    ctf1_lose_text(t, event->extra->uid, "unique identifiers");
    ctf1_lose_text(t, event->extra->attributes, "attributes of events");
    ctf1_lose_text(t, event->extra->extensions, "extensions of events");
}

static void stream_block(tsdl_printer *t, const ctf_stream_class *stream)
{
    t->where = (ctf_text){"stream", 6};
    t->walk.stream = stream;
    ctf1_block_begin(t, "stream");
    if (has_stream_ids(t->p->schema))
        ctf1_attribute_u64(t, "id", stream->id);
    scope_print(t, "packet.context", CTF_SCOPE_PACKET_CONTEXT);
    scope_print(t, "event.header", CTF_SCOPE_EVENT_HEADER);
    scope_print(t, "event.context", CTF_SCOPE_COMMON_CONTEXT);
    ctf1_block_end(t);
    identity_lost(t, &stream->identity, false);
    ctf1_lose_text(t, stream->attributes, "attributes of streams");
    ctf1_lose_text(t, stream->extensions, "extensions of streams");
    for (uint32_t i = 0; i < stream->event_count; i++)
        event_block(t, &stream->events[i]);
    t->walk.stream = NULL;
}

static void callsite_block(tsdl_printer *t, const ctf_callsite *site)
{
    ctf1_block_begin(t, "callsite");
    ctf1_attribute_text(t, "name", site->name);
    ctf1_attribute_text(t, "func", site->function);
    ctf1_attribute_text(t, "file", site->file);
    if (site->has_line)
        ctf1_attribute_u64(t, "line", site->line);
    if (site->has_ip)
        ctf1_attribute_u64(t, "ip", site->ip);
    ctf1_block_end(t);
}

static void print_all(tsdl_printer *t)
{
    const ctf_schema *schema = t->p->schema;
    t->walk = (print_walk){.schema = schema, .budget = CLASSES_MAX};
    output_text(t->out, "/* CTF 1.8 */\n");
    trace_block(t);
    env_block(t);
    for (uint32_t i = 0; i < schema->clock_count; i++)
        clock_block(t, schema->clocks[i]);
    for (uint32_t i = 0; i < schema->stream_count; i++) {
        t->is_comment = i != 0 && is_told_by_files(schema);
        if (t->is_comment)
            output_text(t->out,
                        "\n/* Instead of the one above, for the files of another section:\n");
        stream_block(t, schema->streams[i]);
        if (t->is_comment)
            output_text(t->out, "*/\n");
    }
    for (uint32_t i = 0; i < schema->callsite_count; i++)
        callsite_block(t, &schema->callsites[i]);
    if (t->walk.is_exhausted)
        ctf1_out_of_memory(t);
    walk_free(&t->walk);
}

/* Writes the text without output, to collect the labels that fields need: fields precede what they
   select. */
static void try_all(tsdl_printer *t)
{
    const stele_status status = output_open_memory(t->p->out->diag, &t->out);
    if (status == STELE_OK) {
        t->is_trial = true;
        print_all(t);
        t->is_trial = false;
        output_close(t->out);
    } else {
        t->p->out->status = status;
    }
    t->out = t->p->out;
}

void print_tsdl(schema_printer *p)
{
    tsdl_printer *t = calloc(1, sizeof *t);
    print_tags *tags = tags_new();
    if (t == NULL || tags == NULL) {
        p->out->status = STELE_ERR_MEMORY;
    } else {
        *t = (tsdl_printer){.p = p, .out = p->out, .tags = tags};
        if (p->schema->generation != CTF_1)
            try_all(t);
        print_all(t);
    }
    tags_free(tags);
    free(t);
}
