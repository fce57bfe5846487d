/* SPDX-License-Identifier: Apache-2.0 */
/* A schema as the JSON metadata of CTF 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"
#include "core/wide.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_walk.h"
#include "formats/ctf/schema/choices.h"
#include "formats/ctf/schema/names.h"

#define CLASSES_MAX ((uint64_t)32 << 20)
#define INDENT_MAX  64u /* deep nesting must not make long lines */

typedef struct json_printer {
    schema_printer *p;
    output *out;
    print_walk walk;
    unsigned indent;
    bool is_first;   /* of its object or array */
    ctf_text where;  /* the thing that losses are of */
    text_set names;  /* of one structure or variant */
    intern clashing; /* pointers to those of which two names differ by their escape alone */
} json_printer;

/* ---- JSON ---- */

static void line(json_printer *j)
{
    output_byte(j->out, '\n');
    for (unsigned i = 0; i < j->indent && i < INDENT_MAX; i++)
        output_text(j->out, "  ");
}

/* In front of an element of an array. */
static void element(json_printer *j)
{
    if (!j->is_first)
        output_byte(j->out, ',');
    j->is_first = false;
    line(j);
}

static void text(json_printer *j, ctf_text value)
{
    output_byte(j->out, '"');
    text_json(j->out, value.bytes, value.size);
    output_byte(j->out, '"');
}

static ctf_text c_text(const char *value)
{
    return (ctf_text){value, (uint32_t)strlen(value)};
}

static void key_text(json_printer *j, ctf_text key)
{
    element(j);
    text(j, key);
    output_text(j->out, ": ");
}

static void key(json_printer *j, const char *name)
{
    key_text(j, c_text(name));
}

static void begin(json_printer *j, char bracket)
{
    output_byte(j->out, (uint8_t)bracket);
    j->indent++;
    j->is_first = true;
}

static void end(json_printer *j, char bracket)
{
    j->indent--;
    if (!j->is_first)
        line(j);
    j->is_first = false;
    output_byte(j->out, (uint8_t)bracket);
}

static void put_text(json_printer *j, const char *name, ctf_text value)
{
    if (value.bytes == NULL)
        return;
    key(j, name);
    text(j, value);
}

static void put_word(json_printer *j, const char *name, const char *value)
{
    put_text(j, name, c_text(value));
}

static void put_u64(json_printer *j, const char *name, uint64_t value)
{
    key(j, name);
    output_u64(j->out, value);
}

/* JSON that the metadata had. */
static void put_raw(json_printer *j, const char *name, ctf_text value)
{
    if (value.bytes == NULL)
        return;
    key(j, name);
    output_write(j->out, value.bytes, value.size);
}

static void put_extra(json_printer *j, const ctf_extra *extra)
{
    if (extra == NULL)
        return;
    put_raw(j, "attributes", extra->attributes);
    put_raw(j, "extensions", extra->extensions);
}

static void lose(json_printer *j, const char *what)
{
    print_lose(j->p, j->where, what);
}

/* What makes packets read otherwise than they were written. */
static void lose_layout(json_printer *j, const char *what)
{
    print_lose_layout(j->p, j->where, what);
}

/* ---- Names ---- */

static bool is_clashing(const json_printer *j, const ctf_class *type)
{
    return intern_find(&j->clashing, (const char *)&type, sizeof type) != INTERN_NONE;
}

/* Of a member or option of the class: as people see it, where that tells it from the others. */
static ctf_text name_of(const json_printer *j, const ctf_class *type, const ctf_member *member)
{
    return is_clashing(j, type) ? member->written : member->name;
}

/* CTF 1.8 takes `a` and `_a` for two names, which look the same. */
static void check_names(json_printer *j, const ctf_class *type, const ctf_member *members,
                        uint32_t count)
{
    bool is_new = true;
    if (j->p->schema->generation != CTF_1 || count < 2)
        return;
    if (!text_set_start(&j->names, count)) {
        j->out->status = STELE_ERR_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < count && is_new; i++)
        is_new = text_set_add(&j->names, members[i].name.bytes, members[i].name.size);
    if (is_new)
        return;
    lose(j, "names that differ by an escape alone");
    if (intern_add(&j->clashing, (const char *)&type, sizeof type) == INTERN_NONE)
        j->out->status = STELE_ERR_MEMORY;
}

/* ---- Ranges and locations ---- */

static void range_end(json_printer *j, uint64_t value, bool is_signed)
{
    if (is_signed)
        output_i64(j->out, (int64_t)value);
    else
        output_u64(j->out, value);
}

/* [low, high], ... on one line; those of signed integers are signed whatever they say. */
static void ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed,
                   bool is_first)
{
    for (uint32_t i = 0; i < count; i++, range++) {
        output_text(j->out, i == 0 && is_first ? "[" : ", [");
        range_end(j, range->low, is_signed || range->is_signed);
        output_text(j->out, ", ");
        range_end(j, range->high, is_signed || range->is_signed);
        output_byte(j->out, ']');
    }
}

static void put_ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed)
{
    key(j, "selector-field-ranges");
    output_byte(j->out, '[');
    ranges(j, range, count, is_signed, true);
    output_byte(j->out, ']');
}

/* Mappings of one label: CTF 1.8 and the RFC may have several, CTF 2 has one with all ranges. */
typedef struct same_label {
    uint32_t next, last; /* mapping numbers; of the first one: the last. 0: none */
    bool is_first;
} same_label;

/* Returns NULL if out of memory. */
static same_label *labels_chain(const ctf_class *type)
{
    same_label *labels = calloc((size_t)type->mapping_count + 1, sizeof *labels);
    name_register known;
    bool is_ok = labels != NULL && name_register_init(&known);
    for (uint32_t i = 0; i < type->mapping_count && is_ok; i++) {
        const same_label *found = name_register_find(&known, type->mappings[i].name);
        same_label *first = found != NULL ? &labels[found - labels] : NULL;
        labels[i].is_first = first == NULL;
        if (first != NULL) {
            labels[first->last != 0 ? first->last : (uint32_t)(first - labels)].next = i;
            first->last = i;
        } else {
            is_ok = name_register_put(&known, type->mappings[i].name, &labels[i]);
        }
    }
    if (labels != NULL)
        name_register_free(&known);
    if (!is_ok) {
        free(labels);
        labels = NULL;
    }
    return labels;
}

static void put_mappings(json_printer *j, const char *name, const ctf_class *type)
{
    const bool is_signed = type->kind == CTF_INT || type->kind == CTF_VAR_INT;
    same_label *labels = labels_chain(type);
    if (labels == NULL) {
        j->out->status = STELE_ERR_MEMORY;
        return;
    }
    key(j, name);
    begin(j, '{');
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        bool is_first = true;
        if (!labels[i].is_first)
            continue;
        key_text(j, type->mappings[i].name);
        output_byte(j->out, '[');
        for (uint32_t k = i; is_first || k != 0; k = labels[k].next) {
            ranges(j, type->mappings[k].ranges, type->mappings[k].range_count, is_signed, is_first);
            is_first = false;
        }
        output_byte(j->out, ']');
    }
    end(j, '}');
    free(labels);
}

static const char *const origins[CTF_SCOPE_COUNT] = {"packet-header",
                                                     "packet-context",
                                                     "event-record-header",
                                                     "event-record-common-context",
                                                     "event-record-specific-context",
                                                     "event-record-payload"};

/* The structure that the path of a target begins in. */
static const ctf_class *target_root(const json_printer *j, const print_target *target)
{
    return target->is_relative ? j->walk.levels[j->walk.depth - 1 - target->up].structure
                               : walk_root(&j->walk, target->scope);
}

static void step(json_printer *j, bool is_first, ctf_text name)
{
    if (!is_first)
        output_text(j->out, ", ");
    if (name.bytes != NULL)
        text(j, name);
    else
        output_text(j->out, "null");
}

/* Of CTF 2 as it was written; of others, what it leads to. False: it cannot be said. */
static bool put_location(json_printer *j, const char *name, const ctf_location *location,
                         print_target *target)
{
    const bool is_known = walk_resolve(&j->walk, location, target);
    const bool is_written = j->p->schema->generation == CTF_2;
    const ctf_scope scope = is_written            ? location->scope
                            : target->is_relative ? CTF_SCOPE_RELATIVE
                                                  : target->scope;
    const ctf_class *within;
    if (!is_known && !is_written)
        return false;
    within = is_written ? NULL : target_root(j, target);
    key(j, name);
    begin(j, '{');
    if (scope < CTF_SCOPE_COUNT)
        put_word(j, "origin", origins[scope]);
    key(j, "path");
    output_byte(j->out, '[');
    if (is_written) {
        for (uint32_t i = 0; i < location->step_count; i++)
            step(j, i == 0, location->steps[i]);
    } else {
        for (uint32_t i = 0; i < target->up; i++)
            step(j, i == 0, (ctf_text){0});
        for (uint32_t i = 0; i < target->member_count; i++) {
            step(j, target->up + i == 0, name_of(j, within, target->members[i]));
            within = target->members[i]->type;
        }
    }
    output_byte(j->out, ']');
    end(j, '}');
    return true;
}

/* ---- Numbers ---- */

static void put_role(json_printer *j, bool *has_some, const char *name)
{
    if (!*has_some)
        key(j, "roles");
    output_text(j->out, *has_some ? ", \"" : "[\"");
    output_text(j->out, name);
    output_byte(j->out, '"');
    *has_some = true;
}

/* Timestamps are of the default clock in CTF 2, lengths in bits; the packet header only says which
   packet it is, where that of the RFC has everything. */
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
        lose_layout(j, "what fields of packet headers mean");
        roles &= of_headers;
    }
    if (j->p->schema->length_unit != 1 && (roles & lengths) != 0) {
        lose_layout(j, "packet sizes in bytes");
        roles &= (uint16_t)~lengths;
    }
    if ((roles & CTF_ROLE_EVENT_SIZE) != 0)
        lose_layout(j, "sizes of events");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((roles & plain[i].role) != 0)
            put_role(j, &has_some, plain[i].name);
    if ((roles & CTF_ROLE_TIMESTAMP) != 0) {
        if (type->clock != NULL && j->walk.stream != NULL && type->clock != j->walk.stream->clock)
            lose_layout(j, "timestamps of another clock than the default one");
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
    put_u64(j, "length", type->size);
    put_word(j, "byte-order", type->is_big_endian ? "big-endian" : "little-endian");
    if (type->is_bit_reversed)
        put_word(j, "bit-order", type->is_big_endian ? "first-to-last" : "last-to-first");
    if (type->alignment != 1)
        put_u64(j, "alignment", type->alignment);
    if (type->unit_size != 0)
        lose_layout(j, "units that bit fields may not cross");
}

static void put_integer(json_printer *j, const ctf_class *type)
{
    if (type->base != CTF_DECIMAL && type->base != CTF_BASE_NONE)
        put_u64(j, "preferred-display-base", type->base);
    if (type->is_enum)
        put_mappings(j, "mappings", type);
    put_roles(j, type);
}

/* The split of IEEE 754-2008, section 3.6, which is the only one of CTF 2. */
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

/* ---- Classes ---- */

static void put_class(json_printer *j, const ctf_class *type);

static void put_encoding(json_printer *j, const ctf_class *type)
{
    static const char *const names[] = {[CTF_UTF16LE] = "utf-16le",
                                        [CTF_UTF16BE] = "utf-16be",
                                        [CTF_UTF32LE] = "utf-32le",
                                        [CTF_UTF32BE] = "utf-32be"};
    if (type->encoding >= CTF_UTF16LE)
        put_word(j, "encoding", names[type->encoding]);
}

/* "length", or where it is; "type" says which. */
static void put_length(json_printer *j, const char *fixed, const char *dynamic,
                       const ctf_class *type)
{
    const ctf_location *at = type->u.array.length_at;
    print_target target;
    const bool is_fixed = at == NULL || at->scope == CTF_SCOPE_ENV;
    put_word(j, "type", is_fixed ? fixed : dynamic);
    if (is_fixed)
        put_u64(j, "length", at == NULL ? type->u.array.length : at->constant);
    else if (!put_location(j, "length-field-location", at, &target))
        lose_layout(j, "where a length is");
}

static void put_minimum(json_printer *j, uint32_t minimum)
{
    if (minimum > 1)
        put_u64(j, "minimum-alignment", minimum);
}

static void put_array(json_printer *j, const ctf_class *type)
{
    if ((type->roles & CTF_ROLE_UUID) != 0) { /* CTF 1.8: 16 integers */
        put_word(j, "type", "static-length-blob");
        put_u64(j, "length", 16);
        put_roles(j, type);
        return;
    }
    put_length(j, "static-length-array", "dynamic-length-array", type);
    put_minimum(j, type->alignment_minimum);
    key(j, "element-field-class");
    put_class(j, type->u.array.element);
}

static void put_member(json_printer *j, ctf_text name, const ctf_class *type,
                       const ctf_extra *extra)
{
    element(j);
    begin(j, '{');
    key(j, "name");
    text(j, name);
    put_extra(j, extra);
    key(j, "field-class");
    put_class(j, type);
    end(j, '}');
}

/* An RFC sequence has its length in front of it: here a member of its own. */
static void put_sequence(json_printer *j, const ctf_member *member)
{
    char name[272];
    const int size =
        snprintf(name, sizeof name, "_%.*s_length",
                 member->name.size < 256 ? (int)member->name.size : 255, member->name.bytes);
    put_member(j, (ctf_text){name, (uint32_t)size}, member->type->u.array.length_class, NULL);
    element(j);
    begin(j, '{');
    put_text(j, "name", member->name);
    key(j, "field-class");
    begin(j, '{');
    put_word(j, "type", "dynamic-length-array");
    key(j, "length-field-location");
    begin(j, '{');
    key(j, "path");
    output_byte(j->out, '[');
    text(j, (ctf_text){name, (uint32_t)size});
    output_byte(j->out, ']');
    end(j, '}');
    key(j, "element-field-class");
    put_class(j, member->type->u.array.element);
    end(j, '}');
    end(j, '}');
}

static bool is_sequence(const ctf_class *type)
{
    return type->kind == CTF_DYNAMIC_ARRAY && type->u.array.length_class != NULL;
}

static void put_structure(json_printer *j, const ctf_class *type)
{
    const uint32_t depth = j->walk.depth;
    uint32_t alignment = type->alignment_minimum;
    put_word(j, "type", "structure");
    put_minimum(j, type->alignment_minimum);
    if (depth == WALK_DEPTH_MAX) {
        lose_layout(j, "structures nested so deep");
        return;
    }
    check_names(j, type, type->u.structure.members, type->u.structure.count);
    key(j, "member-classes");
    begin(j, '[');
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
            put_member(j, name_of(j, type, member), member->type, member->extra);
    }
    j->walk.depth--;
    end(j, ']');
    if (alignment != type->alignment && type->alignment != 0)
        lose_layout(j, "structures aligned less than their members");
}

static void put_optional(json_printer *j, const ctf_class *type)
{
    print_target target;
    put_word(j, "type", "optional");
    if (!put_location(j, "selector-field-location", type->u.optional.selector, &target))
        lose_layout(j, "where a selector is");
    if (!type->has_bool_selector) {
        put_ranges(j, type->u.optional.ranges, type->u.optional.range_count, false);
    }
    key(j, "field-class");
    put_class(j, type->u.optional.element);
}

/* Of each option of a CTF 1.8 variant, the labels of the tag that select it. */
typedef struct selection {
    uint32_t *first; /* by option; RANGE_NONE: nothing selects it */
    uint32_t *next;  /* by label */
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
    key(j, "selector-field-ranges");
    output_byte(j->out, '[');
    for (uint32_t i = s->first[option]; i != RANGE_NONE; i = s->next[i])
        ranges(j, tag->mappings[i].ranges, tag->mappings[i].range_count, tag->kind == CTF_INT,
               i == s->first[option]);
    output_byte(j->out, ']');
}

static void put_options(json_printer *j, const ctf_class *type, const selection *s,
                        const ctf_class *tag)
{
    for (uint32_t i = 0; i < type->u.variant.count; i++) {
        const ctf_member *option = &type->u.variant.options[i];
        if (type->selects_by_name && s->first[i] == RANGE_NONE) {
            lose(j, "options that no label selects"); /* records never hold them */
            continue;
        }
        element(j);
        begin(j, '{');
        put_text(j, "name", name_of(j, type, option));
        put_extra(j, option->extra);
        if (type->selects_by_name)
            put_selection(j, s, tag, i);
        else
            put_ranges(j, type->mappings[i].ranges, type->mappings[i].range_count, false);
        key(j, "field-class");
        put_class(j, option->type);
        end(j, '}');
    }
}

static void put_variant(json_printer *j, const ctf_class *type)
{
    print_target target = {0};
    selection s = {0};
    bool is_known;
    put_word(j, "type", "variant");
    is_known = type->u.variant.selector != NULL &&
               put_location(j, "selector-field-location", type->u.variant.selector, &target);
    if (!is_known)
        lose_layout(j, "where a selector is");
    check_names(j, type, type->u.variant.options, type->u.variant.count);
    key(j, "options");
    begin(j, '[');
    if (!type->selects_by_name || (is_known && selection_make(&s, type, target.type)))
        put_options(j, type, &s, target.type);
    else if (is_known)
        j->out->status = STELE_ERR_MEMORY;
    end(j, ']');
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
        lose(j, "floating point numbers of this split: bits instead");
    put_word(j, "type", names[is_odd ? CTF_BIT_ARRAY : type->kind]);
    if (type->kind <= CTF_FLOAT)
        put_bits(j, type);
    if (type->kind == CTF_BIT_MAP)
        put_mappings(j, "flags", type);
    else if (type->kind != CTF_FLOAT && type->kind >= CTF_UINT)
        put_integer(j, type);
}

static void put_class(json_printer *j, const ctf_class *type)
{
    begin(j, '{');
    if (j->walk.budget == 0) {
        lose_layout(j, "more classes than the limit");
    } else {
        j->walk.budget--;
        switch ((ctf_kind)type->kind) {
        case CTF_STRING:
            put_word(j, "type", "null-terminated-string");
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
                put_text(j, "media-type", type->extra->media_type);
            put_roles(j, type);
            break;
        case CTF_STRUCT: put_structure(j, type); break;
        case CTF_STATIC_ARRAY: put_array(j, type); break;
        case CTF_DYNAMIC_ARRAY:
            if (is_sequence(type))
                lose_layout(j, "sequences within arrays");
            put_array(j, type);
            break;
        case CTF_OPTIONAL: put_optional(j, type); break;
        case CTF_VARIANT: put_variant(j, type); break;
        default: put_number(j, type); break;
        }
        put_extra(j, type->extra);
    }
    end(j, '}');
}

/* ---- Fragments ---- */

static void fragment_begin(json_printer *j, const char *type)
{
    output_byte(j->out, 0x1e);
    begin(j, '{');
    put_word(j, "type", type);
}

static void fragment_end(json_printer *j)
{
    end(j, '}');
    output_byte(j->out, '\n');
}

static void put_identity(json_printer *j, const ctf_identity *identity)
{
    put_text(j, "namespace", identity->name_space);
    put_text(j, "name", identity->name);
    put_text(j, "uid", identity->uid);
}

static void put_scope(json_printer *j, const char *name, ctf_scope scope)
{
    const ctf_class *root = walk_root(&j->walk, scope);
    if (root == NULL)
        return;
    j->walk.scope = scope;
    key(j, name);
    put_class(j, root);
}

static void put_preamble(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    fragment_begin(j, "preamble");
    put_u64(j, "version", 2);
    if (schema->has_uuid) {
        key(j, "uuid");
        for (unsigned i = 0; i < 16; i++) {
            output_text(j->out, i == 0 ? "[" : ", ");
            output_u64(j->out, schema->uuid[i]);
        }
        output_byte(j->out, ']');
    }
    put_raw(j, "attributes", schema->preamble_attributes);
    put_raw(j, "extensions", schema->preamble_extensions);
    fragment_end(j);
}

static void put_environment(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    if (schema->env_count == 0)
        return;
    key(j, "environment");
    begin(j, '{');
    for (uint32_t i = 0; i < schema->env_count; i++) {
        const ctf_env *env = &schema->env[i];
        key_text(j, env->name);
        if (env->is_text)
            text(j, env->text);
        else
            range_end(j, env->value, env->is_negative);
    }
    end(j, '}');
}

/* The UUID of CTF 1.8 tells which directories are one trace; in CTF 2 name and UID do. */
static void put_trace_identity(json_printer *j, const ctf_schema *schema)
{
    if (schema->generation != CTF_1 || !schema->has_uuid) {
        put_identity(j, &schema->identity);
        return;
    }
    put_word(j, "name", "");
    put_word(j, "uid", uuid_format(schema->uuid).text);
}

static void put_trace(json_printer *j)
{
    const ctf_schema *schema = j->p->schema;
    fragment_begin(j, "trace-class");
    put_trace_identity(j, schema);
    put_environment(j);
    put_scope(j, "packet-header-field-class", CTF_SCOPE_PACKET_HEADER);
    put_raw(j, "attributes", schema->attributes);
    put_raw(j, "extensions", schema->extensions);
    fragment_end(j);
}

/* The cycles of CTF 2 are less than a second. */
static void put_offset(json_printer *j, const ctf_clock *clock)
{
    uint64_t cycles;
    const wide_i128 seconds =
        i128_divide_down(i128_of_i64(clock->offset_cycles), clock->frequency_hz, &cycles);
    if (clock->offset_s == 0 && clock->offset_cycles == 0)
        return;
    key(j, "offset-from-origin");
    begin(j, '{');
    key(j, "seconds");
    output_i64(j->out, clock->offset_s + i128_clamp_i64(seconds));
    put_u64(j, "cycles", cycles);
    end(j, '}');
}

static void put_clock(json_printer *j, const ctf_clock *clock)
{
    j->where = clock->id;
    fragment_begin(j, "clock-class");
    key(j, "id");
    text(j, clock->id);
    put_identity(j, &clock->identity);
    if (clock->has_uuid && clock->identity.uid.bytes == NULL)
        put_word(j, "uid", uuid_format(clock->uuid).text);
    put_text(j, "description", clock->description);
    put_u64(j, "frequency", clock->frequency_hz);
    if (clock->has_precision)
        put_u64(j, "precision", clock->precision);
    if (clock->has_accuracy)
        put_u64(j, "accuracy", clock->accuracy);
    if (clock->is_unix_epoch || clock->is_wall) {
        put_word(j, "origin", "unix-epoch");
    } else if (clock->origin.name.bytes != NULL) {
        key(j, "origin");
        begin(j, '{');
        put_identity(j, &clock->origin);
        end(j, '}');
    }
    put_offset(j, clock);
    if (clock->has_uuid && clock->identity.uid.bytes != NULL)
        lose(j, "UUIDs of clocks");
    put_extra(j, clock->extra);
    fragment_end(j);
}

static void put_stream(json_printer *j, const ctf_stream_class *stream)
{
    j->where = stream->identity.name;
    j->walk.stream = stream;
    fragment_begin(j, "data-stream-class");
    put_u64(j, "id", stream->id);
    put_identity(j, &stream->identity);
    if (stream->clock != NULL) {
        key(j, "default-clock-class-id");
        text(j, stream->clock->id);
    }
    put_scope(j, "packet-context-field-class", CTF_SCOPE_PACKET_CONTEXT);
    put_scope(j, "event-record-header-field-class", CTF_SCOPE_EVENT_HEADER);
    put_scope(j, "event-record-common-context-field-class", CTF_SCOPE_COMMON_CONTEXT);
    put_raw(j, "attributes", stream->attributes);
    put_raw(j, "extensions", stream->extensions);
    fragment_end(j);
}

/* Log level and URI of CTF 1.8, the way LTTng says them in CTF 2. */
static void put_event_attributes(json_printer *j, const ctf_event_class *event)
{
    const char *level = event->has_log_level ? log_level_name(event->log_level) : NULL;
    if (event->extra->attributes.bytes != NULL) {
        put_raw(j, "attributes", event->extra->attributes);
        return;
    }
    if (event->has_log_level && level == NULL)
        lose(j, "log levels without a name");
    if (level == NULL && event->extra->emf_uri.bytes == NULL)
        return;
    key(j, "attributes");
    begin(j, '{');
    key(j, "lttng.org,2009");
    begin(j, '{');
    if (level != NULL)
        put_word(j, "log-level", level);
    put_text(j, "emf-uri", event->extra->emf_uri);
    end(j, '}');
    end(j, '}');
}

static void put_event(json_printer *j, const ctf_event_class *event)
{
    j->where = event->name;
    j->walk.event = event;
    fragment_begin(j, "event-record-class");
    put_u64(j, "data-stream-class-id", j->walk.stream->id);
    put_u64(j, "id", event->id);
    put_identity(j, &(ctf_identity){.name = event->name,
                                    .name_space = event->extra->name_space,
                                    .uid = event->extra->uid});
    put_scope(j, "specific-context-field-class", CTF_SCOPE_SPECIFIC_CONTEXT);
    put_scope(j, "payload-field-class", CTF_SCOPE_PAYLOAD);
    put_event_attributes(j, event);
    put_raw(j, "extensions", event->extra->extensions);
    fragment_end(j);
    j->walk.event = NULL;
}

void print_json(schema_printer *p)
{
    const ctf_schema *schema = p->schema;
    json_printer j = {.p = p, .out = p->out, .walk = {.schema = schema, .budget = CLASSES_MAX}};
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
