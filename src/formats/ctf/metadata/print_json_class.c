/* SPDX-License-Identifier: Apache-2.0 */
/* Writes field classes in the JSON metadata of CTF 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_json_class.h"
#include "formats/ctf/metadata/print_json_where.h"
#include "formats/ctf/metadata/print_walk.h"
#include "formats/ctf/schema/choices.h"

static void put_role(json_printer *j, bool *has_some, const char *name)
{
    if (!*has_some)
        ctf2_key(j, "roles");
    output_text(j->out, *has_some ? ", \"" : "[\"");
    output_text(j->out, name);
    output_byte(j->out, '"');
    *has_some = true;
}

/* Writes the roles of a class. In CTF 2 timestamps are of the default clock and lengths are in
   bits; the packet header has fewer roles than that of the RFC. */
static void put_roles(json_printer *j, const ctf_class *type)
{
    static const struct {
        uint16_t role;
        const char *name;
    } plain[] = {{CTF_ROLE_PACKET_MAGIC, "packet-magic-number"},
                 {CTF_ROLE_UUID, "metadata-stream-uuid"},
                 {CTF_ROLE_STREAM_CLASS_ID, "data-stream-class-id"},
                 {CTF_ROLE_STREAM_ID, "data-stream-id"},
                 {CTF_ROLE_TOTAL_LENGTH, "packet-total-length"},
                 {CTF_ROLE_CONTENT_LENGTH, "packet-content-length"},
                 {CTF_ROLE_DISCARDED, "discarded-event-record-counter-snapshot"},
                 {CTF_ROLE_SEQUENCE_NUMBER, "packet-sequence-number"},
                 {CTF_ROLE_EVENT_CLASS_ID, "event-record-class-id"}};
    const uint16_t lengths = CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH;
    const uint16_t of_headers =
        CTF_ROLE_PACKET_MAGIC | CTF_ROLE_UUID | CTF_ROLE_STREAM_CLASS_ID | CTF_ROLE_STREAM_ID;
    uint16_t roles = type->roles;
    bool has_some = false;
    if (j->walk.scope == CTF_SCOPE_PACKET_HEADER && (roles & ~of_headers) != 0) {
        ctf2_lose_layout(j, "what fields of packet headers mean");
        roles &= of_headers;
    }
    if (j->p->schema->length_unit != 1 && (roles & lengths) != 0) {
        ctf2_lose_layout(j, "packet sizes in bytes");
        roles &= (uint16_t)~lengths;
    }
    if ((roles & CTF_ROLE_EVENT_SIZE) != 0)
        ctf2_lose_layout(j, "sizes of events");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((roles & plain[i].role) != 0)
            put_role(j, &has_some, plain[i].name);
    if ((roles & CTF_ROLE_TIMESTAMP) != 0) {
        if (type->clock != NULL && j->walk.stream != NULL && type->clock != j->walk.stream->clock)
            ctf2_lose_layout(j, "timestamps of another clock than the default one");
        else
            put_role(j, &has_some,
                     (roles & CTF_ROLE_PACKET_END) != 0 ? "packet-end-default-clock-timestamp"
                                                        : "default-clock-timestamp");
    }
    if (has_some)
        output_byte(j->out, ']');
}

static void put_bits(json_printer *j, const ctf_class *type)
{
    ctf2_put_u64(j, "length", type->size);
    ctf2_put_word(j, "byte-order", type->is_big_endian ? "big-endian" : "little-endian");
    if (type->is_bit_reversed)
        ctf2_put_word(j, "bit-order", type->is_big_endian ? "first-to-last" : "last-to-first");
    if (type->alignment != 1)
        ctf2_put_u64(j, "alignment", type->alignment);
    if (type->unit_size != 0)
        ctf2_lose_layout(j, "units that bit fields may not cross");
}

static void put_integer(json_printer *j, const ctf_class *type)
{
    if (type->base != CTF_DECIMAL && type->base != CTF_BASE_NONE)
        ctf2_put_u64(j, "preferred-display-base", type->base);
    if (type->is_enum)
        ctf2_put_mappings(j, "mappings", type);
    put_roles(j, type);
}

/* Whether exponent and mantissa are split as in IEEE 754-2008, section 3.6: CTF 2 has no other. */
static bool float_is_usual(const ctf_class *type)
{
    switch (type->size) {
    case 16: return type->exponent_bits == 5;
    case 32: return type->exponent_bits == 8;
    case 64: return type->exponent_bits == 11;
    default:
        return type->size >= 128 && type->size % 32 == 0 &&
               type->exponent_bits == lround(4 * log2(type->size)) - 13;
    }
}

static void put_encoding(json_printer *j, const ctf_class *type)
{
    static const char *const names[] = {[CTF_UTF16LE] = "utf-16le",
                                        [CTF_UTF16BE] = "utf-16be",
                                        [CTF_UTF32LE] = "utf-32le",
                                        [CTF_UTF32BE] = "utf-32be"};
    if (type->encoding >= CTF_UTF16LE)
        ctf2_put_word(j, "encoding", names[type->encoding]);
}

/* Writes the length as a constant or as a location, and the "type" that goes with it. */
static void put_length(json_printer *j, const char *fixed, const char *dynamic,
                       const ctf_class *type)
{
    const ctf_location *at = type->u.array.length_at;
    print_target target;
    const bool is_fixed = at == NULL || at->scope == CTF_SCOPE_ENV;
    ctf2_put_word(j, "type", is_fixed ? fixed : dynamic);
    if (is_fixed)
        ctf2_put_u64(j, "length", at == NULL ? type->u.array.length : at->constant);
    else if (!ctf2_put_location(j, "length-field-location", at, &target))
        ctf2_lose_layout(j, "where a length is");
}

static void put_minimum(json_printer *j, uint32_t minimum)
{
    if (minimum > 1)
        ctf2_put_u64(j, "minimum-alignment", minimum);
}

static void put_array(json_printer *j, const ctf_class *type)
{
    if ((type->roles & CTF_ROLE_UUID) != 0) { /* in CTF 1.8 an array of 16 integers */
        ctf2_put_word(j, "type", "static-length-blob");
        ctf2_put_u64(j, "length", 16);
        put_roles(j, type);
        return;
    }
    put_length(j, "static-length-array", "dynamic-length-array", type);
    put_minimum(j, type->alignment_minimum);
    ctf2_put_class(j, "element-field-class", type->u.array.element);
}

static void put_member(json_printer *j, ctf_text name, const ctf_class *type,
                       const ctf_extra *extra)
{
    ctf2_open(j, NULL, '{');
    ctf2_put_name(j, "name", name);
    ctf2_put_extra(j, extra);
    ctf2_put_class(j, "field-class", type);
    ctf2_close(j, '}');
}

/* Writes an RFC sequence, whose length precedes its elements: in CTF 2 the length is a member of
   its own. */
static void put_sequence(json_printer *j, const ctf_member *member)
{
    char name[272];
    const int size =
        snprintf(name, sizeof name, "_%.*s_length",
                 member->name.size < 256 ? (int)member->name.size : 255, member->name.bytes);
    put_member(j, (ctf_text){name, (uint32_t)size}, member->type->u.array.length_class, NULL);
    ctf2_open(j, NULL, '{');
    ctf2_put_text(j, "name", member->name);
    ctf2_open(j, "field-class", '{');
    ctf2_put_word(j, "type", "dynamic-length-array");
    ctf2_open(j, "length-field-location", '{');
    ctf2_key(j, "path");
    output_byte(j->out, '[');
    ctf2_string(j, (ctf_text){name, (uint32_t)size});
    output_byte(j->out, ']');
    ctf2_close(j, '}');
    ctf2_put_class(j, "element-field-class", member->type->u.array.element);
    ctf2_close(j, '}');
    ctf2_close(j, '}');
}

static bool is_sequence(const ctf_class *type)
{
    return type->kind == CTF_DYNAMIC_ARRAY && type->u.array.length_class != NULL;
}

static void put_structure(json_printer *j, const ctf_class *type)
{
    const uint32_t depth = j->walk.depth;
    uint32_t alignment = type->alignment_minimum;
    ctf2_put_word(j, "type", "structure");
    put_minimum(j, type->alignment_minimum);
    if (depth == WALK_DEPTH_MAX) {
        ctf2_lose_layout(j, "structures nested so deep");
        return;
    }
    ctf2_check_names(j, type, type->u.structure.members, type->u.structure.count);
    ctf2_open(j, "member-classes", '[');
    j->walk.levels[depth].structure = type;
    j->walk.depth++;
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        j->walk.levels[depth].index = i;
        if (alignment < member->type->alignment)
            alignment = member->type->alignment;
        if (is_sequence(member->type))
            put_sequence(j, member);
        else
            put_member(j, ctf2_name_of(j, type, member), member->type, member->extra);
    }
    j->walk.depth--;
    ctf2_close(j, ']');
    if (alignment != type->alignment && type->alignment != 0)
        ctf2_lose_layout(j, "structures aligned less than their members");
}

static void put_optional(json_printer *j, const ctf_class *type)
{
    print_target target;
    ctf2_put_word(j, "type", "optional");
    if (!ctf2_put_location(j, "selector-field-location", type->u.optional.selector, &target))
        ctf2_lose_layout(j, "where a selector is");
    if (!type->has_bool_selector) {
        ctf2_put_ranges(j, type->u.optional.ranges, type->u.optional.range_count, false);
    }
    ctf2_put_class(j, "field-class", type->u.optional.element);
}

/* The labels of the tag that select each option of a CTF 1.8 variant, as lists. */
typedef struct selection {
    uint32_t *first; /* By option, the first label; RANGE_NONE if none selects it. */
    uint32_t *next;  /* by label, the next one that selects the same option */
} selection;

static bool selection_make(selection *s, const ctf_class *variant, const ctf_class *tag)
{
    const uint32_t count = variant->u.variant.count;
    s->first = malloc(count * sizeof *s->first + 1);
    s->next = choices_of_labels(variant, tag);
    if (s->first == NULL || s->next == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        s->first[i] = RANGE_NONE;
    for (uint32_t i = tag->mapping_count; i > 0; i--) {
        const uint32_t option = s->next[i - 1];
        if (option == RANGE_NONE)
            continue;
        s->next[i - 1] = s->first[option];
        s->first[option] = i - 1;
    }
    return true;
}

static void put_selection(json_printer *j, const selection *s, const ctf_class *tag,
                          uint32_t option)
{
    ctf2_key(j, "selector-field-ranges");
    output_byte(j->out, '[');
    for (uint32_t i = s->first[option]; i != RANGE_NONE; i = s->next[i])
        ctf2_ranges(j, tag->mappings[i].ranges, tag->mappings[i].range_count, tag->kind == CTF_INT,
                    i == s->first[option]);
    output_byte(j->out, ']');
}

static void put_options(json_printer *j, const ctf_class *type, const selection *s,
                        const ctf_class *tag)
{
    for (uint32_t i = 0; i < type->u.variant.count; i++) {
        const ctf_member *option = &type->u.variant.options[i];
        if (type->selects_by_name && s->first[i] == RANGE_NONE) {
            ctf2_lose(j, "options that no label selects"); /* no record has these options */
            continue;
        }
        ctf2_open(j, NULL, '{');
        ctf2_put_text(j, "name", ctf2_name_of(j, type, option));
        ctf2_put_extra(j, option->extra);
        if (type->selects_by_name)
            put_selection(j, s, tag, i);
        else
            ctf2_put_ranges(j, type->mappings[i].ranges, type->mappings[i].range_count, false);
        ctf2_put_class(j, "field-class", option->type);
        ctf2_close(j, '}');
    }
}

static void put_variant(json_printer *j, const ctf_class *type)
{
    print_target target = {0};
    selection s = {0};
    bool is_known;
    ctf2_put_word(j, "type", "variant");
    is_known = type->u.variant.selector != NULL &&
               ctf2_put_location(j, "selector-field-location", type->u.variant.selector, &target);
    if (!is_known)
        ctf2_lose_layout(j, "where a selector is");
    ctf2_check_names(j, type, type->u.variant.options, type->u.variant.count);
    ctf2_open(j, "options", '[');
    if (!type->selects_by_name || (is_known && selection_make(&s, type, target.type)))
        put_options(j, type, &s, target.type);
    else if (is_known)
        j->out->status = STELE_ERR_MEMORY;
    ctf2_close(j, ']');
    free(s.first);
    free(s.next);
}

static void put_number(json_printer *j, const ctf_class *type)
{
    static const char *const names[] = {[CTF_BIT_ARRAY] = "fixed-length-bit-array",
                                        [CTF_BIT_MAP] = "fixed-length-bit-map",
                                        [CTF_BOOL] = "fixed-length-boolean",
                                        [CTF_UINT] = "fixed-length-unsigned-integer",
                                        [CTF_INT] = "fixed-length-signed-integer",
                                        [CTF_FLOAT] = "fixed-length-floating-point-number",
                                        [CTF_VAR_UINT] = "variable-length-unsigned-integer",
                                        [CTF_VAR_INT] = "variable-length-signed-integer"};
    const bool is_odd = type->kind == CTF_FLOAT && !float_is_usual(type);
    if (is_odd)
        ctf2_lose(j, "floating point numbers of this split: bits instead");
    ctf2_put_word(j, "type", names[is_odd ? CTF_BIT_ARRAY : type->kind]);
    if (type->kind <= CTF_FLOAT)
        put_bits(j, type);
    if (type->kind == CTF_BIT_MAP)
        ctf2_put_mappings(j, "flags", type);
    else if (type->kind != CTF_FLOAT && type->kind >= CTF_UINT)
        put_integer(j, type);
}

void ctf2_put_class(json_printer *j, const char *name, const ctf_class *type)
{
    ctf2_open(j, name, '{');
    if (j->walk.budget == 0) {
        ctf2_lose_layout(j, "more classes than the limit");
    } else {
        j->walk.budget--;
        switch ((ctf_kind)type->kind) {
        case CTF_STRING:
            ctf2_put_word(j, "type", "null-terminated-string");
            put_encoding(j, type);
            break;
        case CTF_STATIC_STRING:
        case CTF_DYNAMIC_STRING:
            put_length(j, "static-length-string", "dynamic-length-string", type);
            put_encoding(j, type);
            break;
        case CTF_STATIC_BLOB:
        case CTF_DYNAMIC_BLOB:
            put_length(j, "static-length-blob", "dynamic-length-blob", type);
            if (type->extra != NULL)
                ctf2_put_text(j, "media-type", type->extra->media_type);
            put_roles(j, type);
            break;
        case CTF_STRUCT: put_structure(j, type); break;
        case CTF_STATIC_ARRAY: put_array(j, type); break;
        case CTF_DYNAMIC_ARRAY:
            if (is_sequence(type))
                ctf2_lose_layout(j, "sequences within arrays");
            put_array(j, type);
            break;
        case CTF_OPTIONAL: put_optional(j, type); break;
        case CTF_VARIANT: put_variant(j, type); break;
        default: put_number(j, type); break;
        }
        ctf2_put_extra(j, type->extra);
    }
    ctf2_close(j, '}');
}
