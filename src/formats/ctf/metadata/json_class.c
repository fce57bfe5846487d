/* SPDX-License-Identifier: Apache-2.0 */
/* Reads field classes of CTF 2 (CTF2-SPEC-2.0, "Field classes"). */
#include <math.h>
#include <stdlib.h>

#include "formats/ctf/metadata/json_range.h"

enum {
    P_TYPE,
    P_ATTRIBUTES,
    P_EXTENSIONS,
    P_LENGTH,
    P_BYTE_ORDER,
    P_BIT_ORDER,
    P_ALIGNMENT,
    P_BASE,
    P_MAPPINGS,
    P_ROLES,
    P_FLAGS,
    P_ENCODING,
    P_MEDIA_TYPE,
    P_LENGTH_AT,
    P_MEMBERS,
    P_MINIMUM_ALIGNMENT,
    P_ELEMENT,
    P_CLASS,
    P_SELECTOR,
    P_SELECTOR_RANGES,
    P_OPTIONS,
    P_NAME,
    P_ORIGIN,
    P_PATH,
    P_COUNT
};

static const json_property properties[P_COUNT] = {
    [P_TYPE] = {"type", JSON_STRING},
    [P_ATTRIBUTES] = {"attributes", JSON_OBJECT},
    [P_EXTENSIONS] = {"extensions", JSON_OBJECT},
    [P_LENGTH] = {"length", JSON_INTEGER},
    [P_BYTE_ORDER] = {"byte-order", JSON_STRING},
    [P_BIT_ORDER] = {"bit-order", JSON_STRING},
    [P_ALIGNMENT] = {"alignment", JSON_INTEGER},
    [P_BASE] = {"preferred-display-base", JSON_INTEGER},
    [P_MAPPINGS] = {"mappings", JSON_OBJECT},
    [P_ROLES] = {"roles", JSON_ARRAY},
    [P_FLAGS] = {"flags", JSON_OBJECT},
    [P_ENCODING] = {"encoding", JSON_STRING},
    [P_MEDIA_TYPE] = {"media-type", JSON_STRING},
    [P_LENGTH_AT] = {"length-field-location", JSON_OBJECT},
    [P_MEMBERS] = {"member-classes", JSON_ARRAY},
    [P_MINIMUM_ALIGNMENT] = {"minimum-alignment", JSON_INTEGER},
    [P_ELEMENT] = {"element-field-class", JSON_CLASS_KINDS},
    [P_CLASS] = {"field-class", JSON_CLASS_KINDS},
    [P_SELECTOR] = {"selector-field-location", JSON_OBJECT},
    [P_SELECTOR_RANGES] = {"selector-field-ranges", JSON_ARRAY},
    [P_OPTIONS] = {"options", JSON_ARRAY},
    [P_NAME] = {"name", JSON_STRING},
    [P_ORIGIN] = {"origin", JSON_STRING},
    [P_PATH] = {"path", JSON_ARRAY},
};

/* ---- Properties that several kinds of classes have ---- */

/* Returns the number of the value among the words, or -1 after reporting. */
static int word_find(json_front *front, const json_value *value, const char *const *words,
                     const char *expected)
{
    for (int i = 0; words[i] != NULL; i++)
        if (ctf_text_is(json_text(value), words[i]))
            return i;
    json_refuse_value(front, value, expected);
    return -1;
}

static bool read_alignment(json_front *front, const json_value *value, uint32_t *alignment)
{
    *alignment = 1;
    if (value == NULL)
        return true;
    if (value->is_negative || value->integer == 0 || value->integer > UINT32_C(1) << 31 ||
        (value->integer & (value->integer - 1)) != 0)
        return json_refuse_value(front, value, "a power of two in bits, up to 2,147,483,648");
    *alignment = (uint32_t)value->integer;
    return true;
}

static bool read_base(json_front *front, const json_value *value, ctf_class *type)
{
    type->base = CTF_DECIMAL;
    if (value == NULL)
        return true;
    if (value->integer != 2 && value->integer != 8 && value->integer != 10 && value->integer != 16)
        return json_refuse_value(front, value, "the base 2, 8, 10 or 16");
    type->base = (uint8_t)value->integer;
    return true;
}

static bool read_encoding(json_front *front, const json_value *value, ctf_class *type)
{
    static const char *const names[] = {"utf-8",    "utf-16le", "utf-16be",
                                        "utf-32le", "utf-32be", NULL};
    static const uint8_t encodings[] = {CTF_UTF8, CTF_UTF16LE, CTF_UTF16BE, CTF_UTF32LE,
                                        CTF_UTF32BE};
    const int i = value != NULL ? word_find(front, value, names,
                                            "\"utf-8\", \"utf-16le\", \"utf-16be\", \"utf-32le\" "
                                            "or \"utf-32be\"")
                                : 0;
    type->encoding = i >= 0 ? encodings[i] : CTF_UTF8;
    return i >= 0;
}

static bool read_extra(json_front *front, found_values found, const ctf_extra **extra)
{
    ctf_extra *made;
    if (found[P_ATTRIBUTES] == NULL && found[P_EXTENSIONS] == NULL && found[P_MEDIA_TYPE] == NULL)
        return true;
    made = schema_take(front->schema, 1, sizeof *made);
    *extra = made;
    return made != NULL && json_copy_object(front, found[P_ATTRIBUTES], &made->attributes) &&
           json_extensions(front, found[P_EXTENSIONS], &made->extensions) &&
           json_copy_text(front, found[P_MEDIA_TYPE], &made->media_type);
}

/* ---- Locations of lengths and selectors ---- */

static bool read_step(json_front *front, const json_value *step, ctf_text *text)
{
    if (step->kind == JSON_NULL)
        return true; /* the step goes to the parent */
    if (step->kind != JSON_STRING)
        return json_refuse_value(front, step, "the name of a member, or null");
    return json_copy_text(front, step, text);
}

static bool read_location(json_front *front, const json_value *object,
                          const ctf_location **location)
{
    static const char *const origins[] = {
        [CTF_SCOPE_PACKET_HEADER] = "packet-header",
        [CTF_SCOPE_PACKET_CONTEXT] = "packet-context",
        [CTF_SCOPE_EVENT_HEADER] = "event-record-header",
        [CTF_SCOPE_COMMON_CONTEXT] = "event-record-common-context",
        [CTF_SCOPE_SPECIFIC_CONTEXT] = "event-record-specific-context",
        [CTF_SCOPE_PAYLOAD] = "event-record-payload",
        [CTF_SCOPE_COUNT] = NULL};
    const json_value *found[P_COUNT] = {NULL}, *last = NULL;
    ctf_location *made = schema_take(front->schema, 1, sizeof *made);
    ctf_text *steps;
    int origin = CTF_SCOPE_RELATIVE;
    *location = made;
    if (made == NULL || !json_properties(&front->tree, object, properties, JSON_BIT(P_PATH),
                                         JSON_BIT(P_ORIGIN), found))
        return false;
    if (found[P_ORIGIN] != NULL &&
        (origin = word_find(front, found[P_ORIGIN], origins, "the name of a scope")) < 0)
        return false;
    if (found[P_PATH]->size == 0)
        return json_refuse_value(front, found[P_PATH], "a path of at least one name");
    steps = schema_take(front->schema, found[P_PATH]->size, sizeof *steps);
    *made = (ctf_location){.scope = (ctf_scope)origin, .steps = steps, .place = {object->place}};
    if (steps == NULL)
        return false;
    for (const json_value *step = json_first(&front->tree, found[P_PATH]); step != NULL;
         step = json_next(&front->tree, step)) {
        const uint32_t count = made->step_count;
        steps[count] = (ctf_text){NULL, 0};
        if (!read_step(front, step, &steps[count]))
            return false;
        if (step->kind == JSON_NULL && count > 0 && steps[count - 1].bytes != NULL)
            made->step_count--; /* steps into a structure and back up cancel out */
        else
            made->step_count++;
        last = step;
    }
    return last->kind == JSON_STRING ||
           json_refuse_value(front, last, "a path that ends with a name");
}

/* ---- Roles of fields ---- */

static const struct {
    const char *name;
    uint16_t role;
} roles[] = {
    {"packet-magic-number", CTF_ROLE_PACKET_MAGIC},
    {"metadata-stream-uuid", CTF_ROLE_UUID},
    {"data-stream-class-id", CTF_ROLE_STREAM_CLASS_ID},
    {"data-stream-id", CTF_ROLE_STREAM_ID},
    {"packet-total-length", CTF_ROLE_TOTAL_LENGTH},
    {"packet-content-length", CTF_ROLE_CONTENT_LENGTH},
    {"default-clock-timestamp", CTF_ROLE_TIMESTAMP},
    {"packet-end-default-clock-timestamp", CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END},
    {"discarded-event-record-counter-snapshot", CTF_ROLE_DISCARDED},
    {"packet-sequence-number", CTF_ROLE_SEQUENCE_NUMBER},
    {"event-record-class-id", CTF_ROLE_EVENT_CLASS_ID},
};

static bool read_role(json_front *front, const json_value *value, ctf_class *type)
{
    const bool is_blob = type->kind == CTF_STATIC_BLOB;
    if (value->kind != JSON_STRING)
        return json_refuse_value(front, value, "the name of a role");
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (!ctf_text_is(json_text(value), roles[i].name))
            continue;
        if ((roles[i].role == CTF_ROLE_UUID) != is_blob)
            break;
        if (is_blob && type->u.array.length != 16)
            return json_refuse_value(front, value, "this role on a BLOB of 16 bytes");
        if (roles[i].role == CTF_ROLE_PACKET_MAGIC && (type->kind != CTF_UINT || type->size != 32))
            return json_refuse_value(front, value,
                                     "this role on a fixed-length integer of 32 bits");
        if ((roles[i].role & ~front->roles_here) != 0)
            return json_refuse_value(front, value, "a role that fields have here");
        if ((roles[i].role & front->roles & CTF_ROLE_PACKET_MAGIC) != 0)
            return json_refuse_value(front, value, "this role once");
        type->roles |= roles[i].role;
        return true;
    }
    return json_refuse_value(front, value,
                             is_blob ? "the role \"metadata-stream-uuid\""
                                     : "a role of unsigned integers");
}

static bool read_roles(json_front *front, const json_value *array, ctf_class *type)
{
    if (array == NULL)
        return true;
    for (const json_value *value = json_first(&front->tree, array); value != NULL;
         value = json_next(&front->tree, value))
        if (!read_role(front, value, type))
            return false;
    front->roles |= type->roles;
    return true;
}

/* ---- Numbers of fixed and of variable length ---- */

static bool read_bits(json_front *front, found_values found, ctf_class *type)
{
    static const char *const byte_orders[] = {"little-endian", "big-endian", NULL};
    static const char *const bit_orders[] = {"first-to-last", "last-to-first", NULL};
    const json_value *length = found[P_LENGTH];
    const int byte_order =
        word_find(front, found[P_BYTE_ORDER], byte_orders, "\"little-endian\" or \"big-endian\"");
    int bit_order = byte_order;
    if (byte_order < 0)
        return false;
    if (found[P_BIT_ORDER] != NULL &&
        (bit_order = word_find(front, found[P_BIT_ORDER], bit_orders,
                               "\"first-to-last\" or \"last-to-first\"")) < 0)
        return false;
    if (length->is_negative || length->integer == 0 || length->integer > UINT32_MAX / 2)
        return json_refuse_value(front, length, "a length of at least one bit");
    type->size = (uint32_t)length->integer;
    type->is_big_endian = byte_order != 0;
    type->is_bit_reversed = bit_order != byte_order;
    return read_alignment(front, found[P_ALIGNMENT], &type->alignment);
}

static bool read_bit_map(json_front *front, found_values found, ctf_class *type)
{
    if (found[P_FLAGS]->size == 0)
        return json_refuse_value(front, found[P_FLAGS], "at least one flag");
    if (!read_bits(front, found, type) ||
        !json_mappings(front, found[P_FLAGS], RANGE_UNSIGNED, type))
        return false;
    for (uint32_t i = 0; i < type->mapping_count; i++)
        for (uint32_t k = 0; k < type->mappings[i].range_count; k++)
            if (type->mappings[i].ranges[k].high >= type->size)
                return json_refuse_value(front, found[P_FLAGS],
                                         "flags of bits that the bit map has");
    return true;
}

static bool read_integer(json_front *front, found_values found, ctf_class *type)
{
    const bool is_signed = type->kind == CTF_INT || type->kind == CTF_VAR_INT;
    type->alignment = 8; /* of variable-length integers; read_bits() sets that of others */
    type->is_enum = found[P_MAPPINGS] != NULL;
    return (found[P_LENGTH] == NULL || read_bits(front, found, type)) &&
           read_base(front, found[P_BASE], type) && read_roles(front, found[P_ROLES], type) &&
           (!type->is_enum || json_mappings(front, found[P_MAPPINGS],
                                            is_signed ? RANGE_SIGNED : RANGE_UNSIGNED, type));
}

/* Reads a floating point number. Its lengths and their splits are those of the interchange formats
   of IEEE 754-2008, section 3.6. */
static bool read_float(json_front *front, found_values found, ctf_class *type)
{
    unsigned exponent;
    if (!read_bits(front, found, type))
        return false;
    switch (type->size) {
    case 16: exponent = 5; break;
    case 32: exponent = 8; break;
    case 64: exponent = 11; break;
    default:
        if (type->size < 128 || type->size % 32 != 0 || type->size > UINT16_MAX)
            return json_refuse_value(front, found[P_LENGTH],
                                     "16, 32, 64, 128, or a larger multiple of 32");
        exponent = (unsigned)lround(4 * log2(type->size)) - 13;
    }
    type->exponent_bits = (uint16_t)exponent;
    type->mantissa_bits = (uint16_t)(type->size - exponent);
    return true;
}

/* ---- Strings, BLOBs and arrays ---- */

static bool read_length(json_front *front, found_values found, ctf_class *type)
{
    if (found[P_LENGTH_AT] != NULL)
        return read_location(front, found[P_LENGTH_AT], &type->u.array.length_at);
    if (found[P_LENGTH]->is_negative)
        return json_refuse_value(front, found[P_LENGTH], "a length that is not negative");
    type->u.array.length = found[P_LENGTH]->integer;
    return true;
}

static bool read_string(json_front *front, found_values found, ctf_class *type)
{
    type->alignment = 8;
    return read_encoding(front, found[P_ENCODING], type) &&
           (type->kind == CTF_STRING || read_length(front, found, type));
}

static bool read_blob(json_front *front, found_values found, ctf_class *type)
{
    type->alignment = 8;
    return read_length(front, found, type) && read_roles(front, found[P_ROLES], type);
}

static bool read_array(json_front *front, found_values found, ctf_class *type)
{
    if (!read_alignment(front, found[P_MINIMUM_ALIGNMENT], &type->alignment_minimum) ||
        !read_length(front, found, type) ||
        !json_class(front, found[P_ELEMENT], &type->u.array.element))
        return false;
    type->alignment = type->u.array.element->alignment;
    if (type->alignment < type->alignment_minimum)
        type->alignment = type->alignment_minimum;
    return true;
}

/* ---- Structures ---- */

static bool read_member(json_front *front, const json_value *object, ctf_member *member)
{
    const json_value *found[P_COUNT] = {NULL};
    member->place = (ctf_place){object->place};
    if (!json_properties(&front->tree, object, properties, JSON_BIT(P_NAME) | JSON_BIT(P_CLASS),
                         JSON_BIT(P_ATTRIBUTES) | JSON_BIT(P_EXTENSIONS), found) ||
        !json_copy_text(front, found[P_NAME], &member->name) ||
        !read_extra(front, found, &member->extra))
        return false;
    member->written = member->name;
    return json_class(front, found[P_CLASS], &member->type);
}

/* Checks that each name occurs once; options may have no name. */
static bool names_check(json_front *front, const ctf_member *members, uint32_t count)
{
    if (count < 2)
        return true;
    if (!text_set_start(&front->names, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].name.bytes == NULL ||
            text_set_add(&front->names, members[i].name.bytes, members[i].name.size))
            continue;
        metadata_report(front->m, &ctf_codes[CTF203], members[i].place, "every name once", "%.*s",
                        (int)members[i].name.size, members[i].name.bytes);
        return false;
    }
    return true;
}

static bool read_structure(json_front *front, found_values found, ctf_class *type)
{
    const json_value *array = found[P_MEMBERS];
    ctf_member *members, *member;
    if (!read_alignment(front, found[P_MINIMUM_ALIGNMENT], &type->alignment_minimum))
        return false;
    type->alignment = type->alignment_minimum;
    if (array == NULL || array->size == 0)
        return true;
    member = members = schema_take(front->schema, array->size, sizeof *members);
    type->u.structure.members = members;
    type->u.structure.count = array->size;
    if (members == NULL)
        return false;
    for (const json_value *value = json_first(&front->tree, array); value != NULL;
         value = json_next(&front->tree, value), member++) {
        if (!read_member(front, value, member))
            return false;
        if (type->alignment < member->type->alignment)
            type->alignment = member->type->alignment;
    }
    return names_check(front, members, array->size);
}

/* ---- Optionals and variants ---- */

static bool read_optional(json_front *front, found_values found, ctf_class *type)
{
    const json_value *ranges = found[P_SELECTOR_RANGES];
    type->has_bool_selector = ranges == NULL;
    return read_location(front, found[P_SELECTOR], &type->u.optional.selector) &&
           (ranges == NULL || json_ranges(front, ranges, RANGE_ANY, &type->u.optional.ranges,
                                          &type->u.optional.range_count)) &&
           json_class(front, found[P_CLASS], &type->u.optional.element);
}

static bool read_option(json_front *front, const json_value *object, ctf_member *option,
                        ctf_mapping *mapping)
{
    const json_value *found[P_COUNT] = {NULL};
    option->place = mapping->place = (ctf_place){object->place};
    if (!json_properties(
            &front->tree, object, properties, JSON_BIT(P_CLASS) | JSON_BIT(P_SELECTOR_RANGES),
            JSON_BIT(P_NAME) | JSON_BIT(P_ATTRIBUTES) | JSON_BIT(P_EXTENSIONS), found) ||
        !json_copy_text(front, found[P_NAME], &option->name) ||
        !read_extra(front, found, &option->extra) ||
        !json_ranges(front, found[P_SELECTOR_RANGES], RANGE_ANY, &mapping->ranges,
                     &mapping->range_count))
        return false;
    option->written = mapping->name = option->name;
    return json_class(front, found[P_CLASS], &option->type);
}

static bool read_variant(json_front *front, found_values found, ctf_class *type)
{
    const json_value *array = found[P_OPTIONS];
    ctf_member *options, *option;
    ctf_mapping *mapping;
    if (array->size == 0)
        return json_refuse_value(front, array, "at least one option");
    option = options = schema_take(front->schema, array->size, sizeof *options);
    type->mappings = mapping = schema_take(front->schema, array->size, sizeof *mapping);
    type->mapping_count = type->u.variant.count = array->size;
    type->u.variant.options = options;
    if (options == NULL || mapping == NULL ||
        !read_location(front, found[P_SELECTOR], &type->u.variant.selector))
        return false;
    for (const json_value *value = json_first(&front->tree, array); value != NULL;
         value = json_next(&front->tree, value))
        if (!read_option(front, value, option++, mapping++))
            return false;
    return names_check(front, options, array->size) && json_options_check(front, type);
}

/* ---- Field classes by their type ---- */

#define BITS_REQUIRED (JSON_BIT(P_LENGTH) | JSON_BIT(P_BYTE_ORDER))
#define BITS_OPTIONAL (JSON_BIT(P_BIT_ORDER) | JSON_BIT(P_ALIGNMENT))
#define INTEGER       (JSON_BIT(P_BASE) | JSON_BIT(P_MAPPINGS))

static const struct class_type {
    const char *name;
    ctf_kind kind;
    uint32_t required, optional; /* properties besides "type", "attributes" and "extensions" */
    bool (*read)(json_front *front, found_values found, ctf_class *type);
} class_types[] = {
    {"fixed-length-unsigned-integer", CTF_UINT, BITS_REQUIRED,
     BITS_OPTIONAL | INTEGER | JSON_BIT(P_ROLES), read_integer},
    {"fixed-length-signed-integer", CTF_INT, BITS_REQUIRED, BITS_OPTIONAL | INTEGER, read_integer},
    {"structure", CTF_STRUCT, 0, JSON_BIT(P_MEMBERS) | JSON_BIT(P_MINIMUM_ALIGNMENT),
     read_structure},
    {"null-terminated-string", CTF_STRING, 0, JSON_BIT(P_ENCODING), read_string},
    {"fixed-length-floating-point-number", CTF_FLOAT, BITS_REQUIRED, BITS_OPTIONAL, read_float},
    {"fixed-length-bit-array", CTF_BIT_ARRAY, BITS_REQUIRED, BITS_OPTIONAL, read_bits},
    {"fixed-length-bit-map", CTF_BIT_MAP, BITS_REQUIRED | JSON_BIT(P_FLAGS), BITS_OPTIONAL,
     read_bit_map},
    {"fixed-length-boolean", CTF_BOOL, BITS_REQUIRED, BITS_OPTIONAL, read_bits},
    {"variable-length-unsigned-integer", CTF_VAR_UINT, 0, INTEGER | JSON_BIT(P_ROLES),
     read_integer},
    {"variable-length-signed-integer", CTF_VAR_INT, 0, INTEGER, read_integer},
    {"static-length-string", CTF_STATIC_STRING, JSON_BIT(P_LENGTH), JSON_BIT(P_ENCODING),
     read_string},
    {"dynamic-length-string", CTF_DYNAMIC_STRING, JSON_BIT(P_LENGTH_AT), JSON_BIT(P_ENCODING),
     read_string},
    {"static-length-blob", CTF_STATIC_BLOB, JSON_BIT(P_LENGTH),
     JSON_BIT(P_MEDIA_TYPE) | JSON_BIT(P_ROLES), read_blob},
    {"dynamic-length-blob", CTF_DYNAMIC_BLOB, JSON_BIT(P_LENGTH_AT), JSON_BIT(P_MEDIA_TYPE),
     read_blob},
    {"static-length-array", CTF_STATIC_ARRAY, JSON_BIT(P_LENGTH) | JSON_BIT(P_ELEMENT),
     JSON_BIT(P_MINIMUM_ALIGNMENT), read_array},
    {"dynamic-length-array", CTF_DYNAMIC_ARRAY, JSON_BIT(P_LENGTH_AT) | JSON_BIT(P_ELEMENT),
     JSON_BIT(P_MINIMUM_ALIGNMENT), read_array},
    {"optional", CTF_OPTIONAL, JSON_BIT(P_CLASS) | JSON_BIT(P_SELECTOR),
     JSON_BIT(P_SELECTOR_RANGES), read_optional},
    {"variant", CTF_VARIANT, JSON_BIT(P_OPTIONS) | JSON_BIT(P_SELECTOR), 0, read_variant},
};

static bool level_check(json_front *front, const json_value *value, uint32_t height)
{
    if (front->level + height > metadata_depth_max(front->m))
        return json_refuse(&front->tree, &ctf_codes[CTF207], value,
                           "field classes nested less deep", "deeper nesting than the limit");
    if (front->level_max < front->level + height)
        front->level_max = front->level + height;
    return true;
}

static bool use_alias(json_front *front, const json_value *name, const ctf_class **type)
{
    const json_alias *alias = name_register_find(&front->aliases, json_text(name));
    if (alias == NULL)
        return json_refuse(&front->tree, &ctf_codes[CTF204], name,
                           "the name of a field class alias above", NULL);
    if (!level_check(front, name, alias->height))
        return false;
    if ((alias->roles & ~front->roles_here) != 0 ||
        (alias->roles & front->roles & CTF_ROLE_PACKET_MAGIC) != 0)
        return json_refuse_value(front, name, "a class without roles that fields do not have here");
    front->roles |= alias->roles;
    *type = alias->type;
    return true;
}

/* Reads a field class object into `type`, which the caller has zeroed. */
static bool read_object(json_front *front, const json_value *object, ctf_class *type)
{
    const json_value *found[P_COUNT] = {NULL};
    const struct class_type *class_type =
        json_find_type(front, object, class_types, sizeof class_types / sizeof *class_types,
                       sizeof *class_types, "the type of a field class");
    if (class_type == NULL ||
        !json_properties(&front->tree, object, properties, JSON_BIT(P_TYPE) | class_type->required,
                         JSON_BIT(P_ATTRIBUTES) | JSON_BIT(P_EXTENSIONS) | class_type->optional,
                         found))
        return false;
    type->kind = (uint8_t)class_type->kind;
    type->alignment = type->alignment_minimum = 1;
    type->place.offset = object->place;
    return read_extra(front, found, &type->extra) && class_type->read(front, found, type);
}

/* Whether the class only says how bits are read, and cannot cause findings later, so that its place
   need not be kept. */
static bool is_plain(const ctf_class *type)
{
    return (type->kind < CTF_FLOAT || type->kind == CTF_VAR_UINT || type->kind == CTF_VAR_INT ||
            type->kind == CTF_STRING) &&
           type->roles == 0 && type->mapping_count == 0 && type->extra == NULL;
}

bool json_class(json_front *front, const json_value *value, const ctf_class **type)
{
    ctf_class read, *made;
    bool is_ok;
    if (value->kind == JSON_STRING)
        return use_alias(front, value, type);
    if (!level_check(front, value, 1))
        return false;
    memset(&read, 0, sizeof read);
    front->level++;
    is_ok = read_object(front, value, &read);
    front->level--;
    if (!is_ok)
        return false;
    if (is_plain(&read)) {
        read.place.offset = UINT32_MAX;
        *type = class_pool_share(&front->classes, front->schema, &read);
        return *type != NULL;
    }
    *type = made = schema_take(front->schema, 1, sizeof *made);
    if (made != NULL)
        memcpy(made, &read, sizeof read);
    return made != NULL;
}
