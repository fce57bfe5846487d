/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the metadata stream of CTF 2 (CTF2-SPEC-2.0): a JSON text sequence (RFC 7464) of fragments,
 * each after the byte 0x1e:
 *
 *    0x1e {"type": "preamble", "version": 2, ...}
 *    0x1e {"type": "data-stream-class", ...}
 *    0x1e {"type": "event-record-class", ...}
 */
#include "formats/ctf/metadata/json_front.h"

#define RECORD_SEPARATOR 0x1e

enum {
    P_TYPE,
    P_ATTRIBUTES,
    P_EXTENSIONS,
    P_VERSION,
    P_UUID,
    P_NAMESPACE,
    P_NAME,
    P_UID,
    P_ID,
    P_FIELD_CLASS,
    P_ENVIRONMENT,
    P_PACKET_HEADER,
    P_DESCRIPTION,
    P_FREQUENCY,
    P_ORIGIN,
    P_OFFSET,
    P_PRECISION,
    P_ACCURACY,
    P_SECONDS,
    P_CYCLES,
    P_DEFAULT_CLOCK,
    P_PACKET_CONTEXT,
    P_EVENT_HEADER,
    P_COMMON_CONTEXT,
    P_STREAM_ID,
    P_SPECIFIC_CONTEXT,
    P_PAYLOAD,
    P_COUNT
};

static const json_property properties[P_COUNT] = {
    [P_TYPE] = {"type", JSON_STRING},
    [P_ATTRIBUTES] = {"attributes", JSON_OBJECT},
    [P_EXTENSIONS] = {"extensions", JSON_OBJECT},
    [P_VERSION] = {"version", JSON_INTEGER},
    [P_UUID] = {"uuid", JSON_ARRAY},
    [P_NAMESPACE] = {"namespace", JSON_STRING},
    [P_NAME] = {"name", JSON_STRING},
    [P_UID] = {"uid", JSON_STRING},
    [P_ID] = {"id", JSON_STRING | JSON_INTEGER},
    [P_FIELD_CLASS] = {"field-class", JSON_CLASS_KINDS},
    [P_ENVIRONMENT] = {"environment", JSON_OBJECT},
    [P_PACKET_HEADER] = {"packet-header-field-class", JSON_CLASS_KINDS},
    [P_DESCRIPTION] = {"description", JSON_STRING},
    [P_FREQUENCY] = {"frequency", JSON_INTEGER},
    [P_ORIGIN] = {"origin", JSON_STRING | JSON_OBJECT},
    [P_OFFSET] = {"offset-from-origin", JSON_OBJECT},
    [P_PRECISION] = {"precision", JSON_INTEGER},
    [P_ACCURACY] = {"accuracy", JSON_INTEGER},
    [P_SECONDS] = {"seconds", JSON_INTEGER},
    [P_CYCLES] = {"cycles", JSON_INTEGER},
    [P_DEFAULT_CLOCK] = {"default-clock-class-id", JSON_STRING},
    [P_PACKET_CONTEXT] = {"packet-context-field-class", JSON_CLASS_KINDS},
    [P_EVENT_HEADER] = {"event-record-header-field-class", JSON_CLASS_KINDS},
    [P_COMMON_CONTEXT] = {"event-record-common-context-field-class", JSON_CLASS_KINDS},
    [P_STREAM_ID] = {"data-stream-class-id", JSON_INTEGER},
    [P_SPECIFIC_CONTEXT] = {"specific-context-field-class", JSON_CLASS_KINDS},
    [P_PAYLOAD] = {"payload-field-class", JSON_CLASS_KINDS},
};

#define IDENTITY (JSON_BIT(P_NAMESPACE) | JSON_BIT(P_NAME) | JSON_BIT(P_UID))

/* ---- Properties that several fragments have ---- */

/* Reads an integer that is not negative; it becomes `none` if the value is missing. */
static bool read_u64(json_front *front, const json_value *value, uint64_t none, uint64_t *integer)
{
    *integer = value != NULL ? value->integer : none;
    return value == NULL || !value->is_negative ||
           json_refuse_value(front, value, "an integer that is not negative");
}

static bool read_identity(json_front *front, found_values found, ctf_identity *identity)
{
    return json_copy_text(front, found[P_NAMESPACE], &identity->name_space) &&
           json_copy_text(front, found[P_NAME], &identity->name) &&
           json_copy_text(front, found[P_UID], &identity->uid);
}

static bool read_common(json_front *front, found_values found, ctf_text *attributes,
                        ctf_text *extensions)
{
    return json_copy_object(front, found[P_ATTRIBUTES], attributes) &&
           json_extensions(front, found[P_EXTENSIONS], extensions);
}

#define ROLES_PACKET_HEADER \
    (CTF_ROLE_PACKET_MAGIC | CTF_ROLE_UUID | CTF_ROLE_STREAM_CLASS_ID | CTF_ROLE_STREAM_ID)
#define ROLES_PACKET_CONTEXT                                                                      \
    (CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH | CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END | \
     CTF_ROLE_DISCARDED | CTF_ROLE_SEQUENCE_NUMBER)
#define ROLES_EVENT_HEADER (CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIMESTAMP)

/* Reads the structure of a scope, whose fields may only have the given roles. `type` stays NULL if
   the value is missing. */
static bool read_scope(json_front *front, const json_value *value, unsigned roles,
                       const ctf_class **type)
{
    if (value == NULL)
        return true;
    front->roles_here = (uint16_t)roles;
    if (!json_class(front, value, type))
        return false;
    return (*type)->kind == CTF_STRUCT ||
           json_refuse_value(front, value, "a structure field class");
}

static ctf_text id_text(const uint64_t *id)
{
    return (ctf_text){(const char *)id, sizeof *id};
}

/* ---- Preamble of the metadata ---- */

static bool read_uuid(json_front *front, const json_value *array, uint8_t *uuid)
{
    if (array->size != 16)
        return json_refuse_value(front, array, "an array of 16 bytes");
    for (const json_value *byte = json_first(&front->tree, array); byte != NULL;
         byte = json_next(&front->tree, byte)) {
        if (byte->kind != JSON_INTEGER || byte->is_negative || byte->integer > 255)
            return json_refuse_value(front, byte, "a byte: 0 to 255");
        *uuid++ = (uint8_t)byte->integer;
    }
    return true;
}

static bool read_preamble(json_front *front, const json_value *fragment, found_values found)
{
    ctf_schema *schema = front->schema;
    if (schema->major != 0)
        return json_refuse(&front->tree, &ctf_codes[CTF206], fragment,
                           "one preamble, in front of everything", "another one");
    if (found[P_VERSION]->is_negative || found[P_VERSION]->integer != 2)
        return json_refuse_value(front, found[P_VERSION], "version 2");
    schema->major = 2;
    schema->has_uuid = found[P_UUID] != NULL;
    if (schema->has_uuid && !read_uuid(front, found[P_UUID], schema->uuid))
        return false;
    if (schema->has_uuid && front->m->is_packetized &&
        memcmp(schema->uuid, front->m->uuid, sizeof schema->uuid) != 0)
        return json_refuse_value(front, found[P_UUID],
                                 "the UUID of the packets that the metadata is in");
    return read_common(front, found, &schema->preamble_attributes, &schema->preamble_extensions);
}

/* ---- Field class alias ---- */

static bool read_alias(json_front *front, const json_value *fragment, found_values found)
{
    json_alias *alias = schema_take(front->schema, 1, sizeof *alias);
    ctf_text unused = {0};
    (void)fragment;
    if (alias == NULL || !json_extensions(front, found[P_EXTENSIONS], &unused))
        return false;
    if (name_register_find(&front->aliases, json_text(found[P_NAME])) != NULL)
        return json_refuse(&front->tree, &ctf_codes[CTF203], found[P_NAME],
                           "every alias defined once", NULL);
    front->roles_here = UINT16_MAX;
    if (!json_class(front, found[P_FIELD_CLASS], &alias->type))
        return false;
    alias->height = front->level_max;
    alias->roles = front->roles;
    return name_register_put(&front->aliases, json_text(found[P_NAME]), alias);
}

/* ---- Trace class ---- */

static bool read_environment(json_front *front, const json_value *object)
{
    for (const json_value *value = object != NULL ? json_first(&front->tree, object) : NULL;
         value != NULL; value = json_next(&front->tree, value)) {
        ctf_env *env;
        if ((value->kind & (JSON_STRING | JSON_INTEGER)) == 0)
            return json_refuse_value(front, value, "a string or an integer of 64 bits");
        env = schema_add_env(front->schema);
        if (env == NULL || !json_copy_text(front, value - 1, &env->name))
            return false;
        env->is_text = value->kind == JSON_STRING;
        env->is_negative = value->is_negative;
        if (!env->is_text)
            env->value = value->integer;
        else if (!json_copy_text(front, value, &env->text))
            return false;
    }
    return true;
}

static bool read_trace(json_front *front, const json_value *fragment, found_values found)
{
    ctf_schema *schema = front->schema;
    const unsigned roles =
        ROLES_PACKET_HEADER & ~(schema->has_uuid || front->m->salvages ? 0u : CTF_ROLE_UUID);
    const ctf_class *header = NULL;
    if (front->has_trace || schema->stream_count != 0)
        return json_refuse(&front->tree, &ctf_codes[CTF206], fragment,
                           "one trace class, in front of all data stream classes", "another one");
    front->has_trace = true;
    if (!read_identity(front, found, &schema->identity) ||
        !read_common(front, found, &schema->attributes, &schema->extensions) ||
        !read_environment(front, found[P_ENVIRONMENT]) ||
        !read_scope(front, found[P_PACKET_HEADER], roles, &header))
        return false;
    schema->packet_header = header;
    if ((front->roles & CTF_ROLE_PACKET_MAGIC) != 0 &&
        (header->u.structure.members[0].type->roles & CTF_ROLE_PACKET_MAGIC) == 0)
        return json_refuse(&front->tree, &ctf_codes[CTF202], found[P_PACKET_HEADER],
                           "the packet's magic number in front of all other members",
                           "another member in front of it");
    return true;
}

/* ---- Clock class ---- */

static bool read_origin(json_front *front, const json_value *origin, ctf_clock *clock)
{
    const json_value *found[P_COUNT] = {NULL};
    if (origin == NULL)
        return true;
    if (origin->kind == JSON_OBJECT)
        return json_properties(&front->tree, origin, properties, JSON_BIT(P_NAME) | JSON_BIT(P_UID),
                               JSON_BIT(P_NAMESPACE), found) &&
               read_identity(front, found, &clock->origin);
    clock->is_unix_epoch = ctf_text_is(json_text(origin), "unix-epoch");
    return clock->is_unix_epoch || json_refuse_value(front, origin, "\"unix-epoch\", or an object");
}

static bool read_offset(json_front *front, const json_value *offset, ctf_clock *clock)
{
    const json_value *found[P_COUNT] = {NULL};
    const json_value *seconds, *cycles;
    if (offset == NULL)
        return true;
    if (!json_properties(&front->tree, offset, properties, 0,
                         JSON_BIT(P_SECONDS) | JSON_BIT(P_CYCLES), found))
        return false;
    seconds = found[P_SECONDS];
    cycles = found[P_CYCLES];
    if (seconds != NULL) {
        if (!seconds->is_negative && seconds->integer > INT64_MAX)
            return json_refuse_value(front, seconds, "seconds within the signed 64-bit integers");
        clock->offset_s = (int64_t)seconds->integer;
    }
    if (cycles != NULL) {
        if (cycles->is_negative || cycles->integer >= clock->frequency_hz ||
            cycles->integer > INT64_MAX)
            return json_refuse_value(front, cycles, "cycles that are less than a second");
        clock->offset_cycles = (int64_t)cycles->integer;
    }
    return true;
}

static bool read_clock(json_front *front, const json_value *fragment, found_values found)
{
    ctf_clock *clock;
    ctf_text unused = {0};
    ctf_extra *extra = schema_take(front->schema, 1, sizeof *extra);
    if (found[P_ID]->kind != JSON_STRING)
        return json_refuse(&front->tree, &ctf_codes[CTF201], found[P_ID], "a string", NULL);
    if (name_register_find(&front->clocks, json_text(found[P_ID])) != NULL)
        return json_refuse(&front->tree, &ctf_codes[CTF203], found[P_ID],
                           "every clock class defined once", NULL);
    clock = schema_add_clock(front->schema);
    if (clock == NULL || extra == NULL)
        return false;
    clock->place = (ctf_place){fragment->place};
    clock->extra = extra;
    clock->has_precision = found[P_PRECISION] != NULL;
    clock->has_accuracy = found[P_ACCURACY] != NULL;
    if (!read_u64(front, found[P_FREQUENCY], 0, &clock->frequency_hz))
        return false;
    if (clock->frequency_hz == 0)
        return json_refuse_value(front, found[P_FREQUENCY], "a frequency of at least 1 Hz");
    return json_copy_text(front, found[P_ID], &clock->id) &&
           read_identity(front, found, &clock->identity) &&
           json_copy_text(front, found[P_DESCRIPTION], &clock->description) &&
           read_u64(front, found[P_PRECISION], 0, &clock->precision) &&
           read_u64(front, found[P_ACCURACY], 0, &clock->accuracy) &&
           read_origin(front, found[P_ORIGIN], clock) &&
           read_offset(front, found[P_OFFSET], clock) &&
           read_common(front, found, &extra->attributes, &unused) &&
           name_register_put(&front->clocks, json_text(found[P_ID]), clock);
}

/* ---- Data stream class ---- */

static bool read_default_clock(json_front *front, const json_value *id, ctf_stream_class *stream)
{
    if (id == NULL)
        return true;
    stream->clock = name_register_find(&front->clocks, json_text(id));
    if (stream->clock == NULL && front->m->salvages) {
        /* The clock class is the damaged part. */
        ctf_clock *assumed = schema_add_clock(front->schema);
        stream->clock = assumed;
        if (assumed == NULL || !json_copy_text(front, id, &assumed->id) ||
            !name_register_put(&front->clocks, json_text(id), assumed))
            return false;
    }
    return stream->clock != NULL ||
           json_refuse(&front->tree, &ctf_codes[CTF204], id, "the id of a clock class above", NULL);
}

/* Checks that a scope with timestamps has a default clock, which they are times of. */
static bool scope_check(json_front *front, const json_value *scope, const ctf_stream_class *stream)
{
    return (front->roles & CTF_ROLE_TIMESTAMP) == 0 || stream->clock != NULL ||
           json_refuse(&front->tree, &ctf_codes[CTF204], scope,
                       "\"default-clock-class-id\" where timestamps are", "none");
}

static bool read_stream(json_front *front, const json_value *fragment, found_values found)
{
    ctf_stream_class *stream;
    uint64_t id;
    if (found[P_ID] != NULL && found[P_ID]->kind != JSON_INTEGER)
        return json_refuse(&front->tree, &ctf_codes[CTF201], found[P_ID], "an integer", NULL);
    if (!read_u64(front, found[P_ID], 0, &id))
        return false;
    if (name_register_find(&front->streams, id_text(&id)) != NULL)
        return json_refuse(&front->tree, &ctf_codes[CTF203],
                           found[P_ID] != NULL ? found[P_ID] : fragment,
                           "every data stream class defined once", NULL);
    stream = schema_add_stream(front->schema);
    if (stream == NULL || !name_register_put(&front->streams, id_text(&id), stream))
        return false;
    stream->id = id;
    stream->has_id = found[P_ID] != NULL;
    stream->place = (ctf_place){fragment->place};
    return read_identity(front, found, &stream->identity) &&
           read_common(front, found, &stream->attributes, &stream->extensions) &&
           read_default_clock(front, found[P_DEFAULT_CLOCK], stream) &&
           read_scope(front, found[P_PACKET_CONTEXT], ROLES_PACKET_CONTEXT,
                      &stream->packet_context) &&
           read_scope(front, found[P_EVENT_HEADER], ROLES_EVENT_HEADER, &stream->event_header) &&
           scope_check(front, fragment, stream) &&
           read_scope(front, found[P_COMMON_CONTEXT], 0, &stream->event_context);
}

/* ---- Event record classes ---- */

/* Reads what the two known namespaces of attributes say about an event. Others are only kept as
   text. */
static bool read_event_attributes(json_front *front, const json_value *attributes,
                                  ctf_event_class *event, ctf_event_extra *extra)
{
    for (const json_value *space = attributes != NULL ? json_first(&front->tree, attributes) : NULL;
         space != NULL; space = json_next(&front->tree, space)) {
        if (space->kind != JSON_OBJECT || (!ctf_text_is(json_key(space), "lttng.org,2009") &&
                                           !ctf_text_is(json_key(space), "babeltrace.org,2020")))
            continue;
        for (const json_value *value = json_first(&front->tree, space); value != NULL;
             value = json_next(&front->tree, value)) {
            if (value->kind != JSON_STRING)
                continue;
            if (ctf_text_is(json_key(value), "log-level"))
                event->has_log_level = log_level_number(json_text(value), &event->log_level);
            else if (ctf_text_is(json_key(value), "emf-uri") &&
                     !json_copy_text(front, value, &extra->emf_uri))
                return false;
        }
    }
    return true;
}

static bool read_event(json_front *front, const json_value *fragment, found_values found)
{
    const ctf_stream_class *known;
    ctf_event_class event = {.place = {fragment->place}}, *added;
    ctf_event_extra extra;
    ctf_identity identity = {.name = {NULL, 0}};
    uint64_t stream_id;
    if (found[P_ID] != NULL && found[P_ID]->kind != JSON_INTEGER)
        return json_refuse(&front->tree, &ctf_codes[CTF201], found[P_ID], "an integer", NULL);
    if (!read_u64(front, found[P_ID], 0, &event.id) ||
        !read_u64(front, found[P_STREAM_ID], 0, &stream_id))
        return false;
    known = name_register_find(&front->streams, id_text(&stream_id));
    if (known == NULL)
        return json_refuse(&front->tree, &ctf_codes[CTF204],
                           found[P_STREAM_ID] != NULL ? found[P_STREAM_ID] : fragment,
                           "the id of a data stream class above (0 when not said)", NULL);
    memset(&extra, 0, sizeof extra);
    if (!read_identity(front, found, &identity) ||
        !read_common(front, found, &extra.attributes, &extra.extensions) ||
        !read_event_attributes(front, found[P_ATTRIBUTES], &event, &extra) ||
        !read_scope(front, found[P_SPECIFIC_CONTEXT], 0, &event.context) ||
        !read_scope(front, found[P_PAYLOAD], 0, &event.payload))
        return false;
    event.name = identity.name;
    extra.name_space = identity.name_space;
    extra.uid = identity.uid;
    event.extra = schema_event_extra(front->schema, &extra);
    added = schema_add_event((ctf_stream_class *)known);
    if (added == NULL || event.extra == NULL)
        return false;
    *added = event;
    return true;
}

/* ---- Fragments by their type ---- */

static const struct fragment_type {
    const char *name;
    uint32_t required, optional; /* properties besides "type", "attributes" and "extensions" */
    bool (*read)(json_front *front, const json_value *fragment, found_values found);
} fragment_types[] = {
    {"event-record-class", 0,
     IDENTITY | JSON_BIT(P_ID) | JSON_BIT(P_STREAM_ID) | JSON_BIT(P_SPECIFIC_CONTEXT) |
         JSON_BIT(P_PAYLOAD),
     read_event},
    {"field-class-alias", JSON_BIT(P_NAME) | JSON_BIT(P_FIELD_CLASS), 0, read_alias},
    {"data-stream-class", 0,
     IDENTITY | JSON_BIT(P_ID) | JSON_BIT(P_DEFAULT_CLOCK) | JSON_BIT(P_PACKET_CONTEXT) |
         JSON_BIT(P_EVENT_HEADER) | JSON_BIT(P_COMMON_CONTEXT),
     read_stream},
    {"clock-class", JSON_BIT(P_ID) | JSON_BIT(P_FREQUENCY),
     IDENTITY | JSON_BIT(P_DESCRIPTION) | JSON_BIT(P_ORIGIN) | JSON_BIT(P_OFFSET) |
         JSON_BIT(P_PRECISION) | JSON_BIT(P_ACCURACY),
     read_clock},
    {"trace-class", 0, IDENTITY | JSON_BIT(P_ENVIRONMENT) | JSON_BIT(P_PACKET_HEADER), read_trace},
    {"preamble", JSON_BIT(P_VERSION), JSON_BIT(P_UUID), read_preamble},
};

static bool read_fragment(json_front *front)
{
    const json_value *found[P_COUNT] = {NULL}, *fragment;
    const struct fragment_type *type;
    if (!json_read(&front->tree))
        return false;
    fragment = front->tree.values;
    if (fragment->kind != JSON_OBJECT)
        return json_refuse(&front->tree, &ctf_codes[CTF201], fragment, "an object", NULL);
    type = json_find_type(front, fragment, fragment_types,
                          sizeof fragment_types / sizeof *fragment_types, sizeof *fragment_types,
                          "the type of a fragment");
    if (type == NULL)
        return false;
    if (front->m->salvages && front->schema->major == 0 && type->read != read_preamble)
        front->schema->major = 2; /* the preamble is the damaged part */
    if (front->schema->major == 0 && type->read != read_preamble)
        return json_refuse(&front->tree, &ctf_codes[CTF206], fragment,
                           "the preamble in front of everything", "another fragment");
    front->level_max = 0;
    front->roles = 0;
    return json_properties(&front->tree, fragment, properties, JSON_BIT(P_TYPE) | type->required,
                           JSON_BIT(P_ATTRIBUTES) | JSON_BIT(P_EXTENSIONS) | type->optional,
                           found) &&
           type->read(front, fragment, found);
}

/* Steps over separators and blanks before the next fragment. `*has_more` says whether there is one.
   Returns false after reporting. */
static bool next_fragment(json_front *front, bool *has_more)
{
    const metadata *m = front->m;
    json_tree *tree = &front->tree;
    bool is_separated = false;
    for (; tree->at < m->size; tree->at++) {
        const char byte = m->text[tree->at];
        if (byte == RECORD_SEPARATOR)
            is_separated = true;
        else if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            break;
    }
    *has_more = tree->at < m->size;
    if (!*has_more || is_separated)
        return true;
    /* The separator of the first fragment is the damaged part. */
    if (front->m->salvages && front->schema->major == 0)
        return true;
    metadata_pass(front->m, tree->at);
    return json_refuse_here(tree, "the byte 0x1e in front of every fragment");
}

static bool read_fragments(json_front *front)
{
    bool has_more;
    for (;;) {
        if (!next_fragment(front, &has_more))
            return false;
        if (!has_more)
            break;
        metadata_pass(front->m, front->tree.at);
        if (!read_fragment(front))
            return false;
    }
    if (front->schema->major != 0)
        return true;
    metadata_report(front->m, &ctf_codes[CTF206], (ctf_place){0}, "a preamble",
                    "metadata without fragments");
    return false;
}

bool json_parse(metadata *m, ctf_schema *schema)
{
    json_front front = {.m = m, .schema = schema, .tree = json_of_metadata(m)};
    bool is_ok;
    if (m->size >= UINT32_MAX) {
        metadata_report(m, &ctf_codes[CTF207], (ctf_place){0}, "metadata of less than 4 GiB",
                        "more");
        return false;
    }
    schema->generation = CTF_2;
    schema->length_unit = 1;
    is_ok = name_register_init(&front.aliases) && name_register_init(&front.clocks) &&
            name_register_init(&front.streams) && read_fragments(&front) && schema_finish(schema) &&
            metadata_check_events(m, schema, &ctf_codes[CTF203]);
    name_register_free(&front.aliases);
    name_register_free(&front.clocks);
    name_register_free(&front.streams);
    text_set_free(&front.names);
    class_pool_free(&front.classes);
    json_tree_free(&front.tree);
    return is_ok;
}
