/* SPDX-License-Identifier: Apache-2.0 */
/* Reads types of the RFC v1.1 (section 4). */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/metadata/rfc_type.h"

/* The abstract types that all others inherit from, with the attributes that they must and may
   have. */
static const struct base_type {
    const char *name;
    rfc_kind kind;
    ctf_kind class_kind;
    uint16_t required, optional;
} base_types[] = {
    {"integer", RFC_INTEGER, CTF_UINT, A_SIZE, A_INTEGER},
    {"gcc_bitfield", RFC_BITFIELD, CTF_UINT, A_SIZE | A_UNIT_SIZE, A_INTEGER | A_MAP},
    {"enum", RFC_ENUM, CTF_UINT, A_SIZE | A_MAP, A_INTEGER},
    {"struct", RFC_STRUCT, CTF_STRUCT, A_FIELDS, A_ALIGN},
    {"array", RFC_ARRAY, CTF_STATIC_ARRAY, A_LENGTH | A_ELEM_TYPE, A_ALIGN},
    {"sequence", RFC_SEQUENCE, CTF_DYNAMIC_ARRAY, A_LENGTH_TYPE | A_ELEM_TYPE, A_ALIGN},
    {"string", RFC_STRING_TYPE, CTF_STRING, 0, A_ENCODING | A_ALIGN},
};

#define BASE_COUNT (sizeof base_types / sizeof *base_types)

static const struct base_type *base_find(ctf_text name)
{
    for (size_t i = 0; i < BASE_COUNT; i++)
        if (ctf_text_is(name, base_types[i].name))
            return &base_types[i];
    return NULL;
}

static const struct base_type *base_of(rfc_kind kind)
{
    return kind != RFC_NO_KIND ? &base_types[kind - 1] : NULL;
}

/* ---- Types that need no declaration ---- */

ctf_class *rfc_integer(ctf_schema *schema, uint32_t size, uint32_t alignment)
{
    ctf_class *type = schema_make_class(schema, CTF_UINT, alignment, size);
    if (type != NULL)
        type->is_big_endian = schema->is_big_endian;
    return type;
}

/* Returns the size in bits of intN_t, uintN_t and uint, which has 32, or 0 for other names. */
static uint32_t predefined_size(ctf_text name, bool *is_signed)
{
    const char *at = name.bytes, *end = at + name.size;
    uint32_t size = 0;
    *is_signed = name.size > 3 && *at != 'u';
    if (ctf_text_is(name, "uint"))
        return 32;
    at += !*is_signed;
    if (end - at < 6 || end - at > 7 || memcmp(at, "int", 3) != 0 || memcmp(end - 2, "_t", 2) != 0)
        return 0;
    for (at += 3; at < end - 2; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        size = size * 10 + (uint32_t)(*at - '0');
    }
    return size <= 64 ? size : 0;
}

/* Returns a type that was declared or needs no declaration. Returns NULL if there is none, or with
   `*is_lost` if out of memory. */
static const rfc_type *type_find(rfc_front *front, ctf_text name, bool *is_lost)
{
    const rfc_type *known = name_register_find(&front->types, name);
    rfc_type *type;
    bool is_signed;
    uint32_t size;
    *is_lost = false;
    if (known != NULL)
        return known;
    size = predefined_size(name, &is_signed);
    if (size == 0)
        return NULL;
    *is_lost = true;
    type = schema_take(front->schema, 1, sizeof *type);
    if (type == NULL)
        return NULL;
    *type = (rfc_type){.kind = RFC_INTEGER, .said = A_SIZE | A_SIGNED, .height = 1};
    type->made = rfc_integer(front->schema, size, rfc_alignment(front->m, size));
    if (type->made == NULL)
        return NULL;
    type->type = *type->made;
    type->type.kind = is_signed ? CTF_INT : CTF_UINT;
    *(ctf_class *)type->made = type->type;
    return name_register_put(&front->types, name, type) ? type : NULL;
}

/* ---- Lists of fields and of labels ---- */

static bool members_push(rfc_front *front, const ctf_member *member)
{
    if (front->member_count == front->member_capacity) {
        ctf_member *grown = array_grow(front->members, sizeof *grown, &front->member_capacity, 64);
        if (grown == NULL)
            return false;
        front->members = grown;
    }
    front->members[front->member_count++] = *member;
    return true;
}

/* Reads { TYPE, NAME }. The RFC's own text opens one with '[' and omits commas after others. */
static bool read_field(rfc_front *front, uint32_t *height)
{
    ctf_member member = {.place = front->place};
    ctf_text name;
    uint32_t inner = 0;
    if (rfc_is_mark(front, '[') ? !rfc_next(front) : !rfc_expect(front, '{', "'{' of a field"))
        return false;
    if (!rfc_type_use(front, &member.type, &inner) || !rfc_expect(front, ',', "','") ||
        !rfc_text(front, &name) || !rfc_accept(front, ','))
        return false;
    if (rfc_is_mark(front, ']') ? !rfc_next(front) : !rfc_expect(front, '}', "'}'"))
        return false;
    if (*height < inner)
        *height = inner;
    member.name = member.written = schema_text(front->schema, name.bytes, name.size);
    return member.name.bytes != NULL && members_push(front, &member) && rfc_accept(front, ',');
}

/* Renames the second of two members of the packet header that section 5 calls `checksum`: it is the
   scheme. */
static bool rename_scheme(rfc_front *front, ctf_member *member, ctf_text type_name)
{
    if (!ctf_text_is(type_name, "packet_header") || !ctf_text_is(member->name, "checksum"))
        return false;
    member->name = member->written = (ctf_text){"checksum_scheme", 15};
    return text_set_add(&front->names, member->name.bytes, member->name.size);
}

/* Returns what a structure must be aligned to for its member. Lengths inside of sequences count,
   too. */
static uint32_t member_alignment(const ctf_class *type)
{
    uint32_t alignment = type->alignment;
    for (; type->kind == CTF_STATIC_ARRAY || type->kind == CTF_DYNAMIC_ARRAY;
         type = type->u.array.element) {
        const ctf_class *length = type->u.array.length_class;
        if (alignment < type->alignment)
            alignment = type->alignment;
        if (length != NULL && alignment < length->alignment)
            alignment = length->alignment;
    }
    return alignment;
}

static bool take_members(rfc_front *front, uint32_t first, ctf_text type_name, ctf_class *type)
{
    const uint32_t count = front->member_count - first;
    ctf_member *members = schema_take(front->schema, count, sizeof *members);
    if (members == NULL || !text_set_start(&front->names, count + 1))
        return false;
    if (count != 0)
        memcpy(members, front->members + first, count * sizeof *members);
    front->member_count = first;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t alignment = member_alignment(members[i].type);
        if (type->alignment < alignment)
            type->alignment = alignment;
        if (text_set_add(&front->names, members[i].name.bytes, members[i].name.size) ||
            rename_scheme(front, &members[i], type_name))
            continue;
        metadata_report(front->m, &ctf_codes[CTF302], members[i].place,
                        "every field name once in a structure", "%.*s", (int)members[i].name.size,
                        members[i].name.bytes);
        return false;
    }
    type->u.structure.members = members;
    type->u.structure.count = count;
    return true;
}

/* Reads { { TYPE, NAME }, ... }. */
static bool read_fields(rfc_front *front, ctf_text type_name, ctf_class *type, uint32_t *height)
{
    const uint32_t first = front->member_count;
    if (!rfc_expect(front, '{', "'{' of a list of fields"))
        return false;
    while (!rfc_is_mark(front, '}'))
        if (!read_field(front, height))
            return false;
    return rfc_next(front) && take_members(front, first, type_name, type);
}

/* Reads { VALUE, "NAME" }. */
static bool read_mapping(rfc_front *front, ctf_mapping *mapping)
{
    ctf_range *range = schema_take(front->schema, 1, sizeof *range);
    ctf_text name;
    mapping->place = front->place;
    if (range == NULL || !rfc_expect(front, '{', "'{' of a value"))
        return false;
    if (front->word != RFC_NUMBER)
        return rfc_refuse(front, &ctf_codes[CTF300], "a number");
    *range = (ctf_range){front->integer, front->integer, front->is_negative};
    mapping->ranges = range;
    mapping->range_count = 1;
    if (!rfc_next(front) || !rfc_expect(front, ',', "','") || !rfc_text(front, &name) ||
        !rfc_accept(front, ',') || !rfc_expect(front, '}', "'}'"))
        return false;
    mapping->name = schema_text(front->schema, name.bytes, name.size);
    return mapping->name.bytes != NULL && rfc_accept(front, ',');
}

static bool read_map(rfc_front *front, ctf_class *type)
{
    ctf_mapping *copy;
    uint32_t count = 0;
    if (!rfc_expect(front, '{', "'{' of a list of values"))
        return false;
    while (!rfc_is_mark(front, '}')) {
        if (count == front->mapping_capacity) {
            ctf_mapping *grown =
                array_grow(front->mappings, sizeof *grown, &front->mapping_capacity, 64);
            if (grown == NULL)
                return false;
            front->mappings = grown;
        }
        if (!read_mapping(front, &front->mappings[count++]))
            return false;
    }
    type->mappings = copy = schema_take(front->schema, count, sizeof *copy);
    type->mapping_count = count;
    if (copy != NULL && count != 0)
        memcpy(copy, front->mappings, count * sizeof *copy);
    return copy != NULL && rfc_next(front);
}

/* ---- Attributes of types ---- */

static bool read_parent(rfc_front *front, rfc_type *parent)
{
    const struct base_type *base;
    const rfc_type *known;
    bool is_lost;
    if (front->word != RFC_NAME)
        return rfc_refuse(front, &ctf_codes[CTF300], "the name of a type");
    known = type_find(front, front->text, &is_lost);
    base = base_find(front->text);
    if (known != NULL)
        *parent = *known;
    else if (base != NULL)
        *parent = (rfc_type){.kind = (uint8_t)base->kind,
                             .is_abstract = true,
                             .type = {.kind = (uint8_t)base->class_kind,
                                      .base = CTF_DECIMAL,
                                      .alignment = 1,
                                      .alignment_minimum = 1}};
    else
        return !is_lost && rfc_refuse_name(front, "the name of a type");
    return rfc_next(front);
}

static bool read_signed(rfc_front *front, ctf_class *type)
{
    bool is_signed;
    if (!rfc_bool(front, &is_signed))
        return false;
    type->kind = is_signed ? CTF_INT : CTF_UINT;
    return true;
}

static bool read_byte_order(rfc_front *front, ctf_class *type)
{
    const bool is_big = rfc_is_name(front, "be") || rfc_is_name(front, "network");
    if (!is_big && !rfc_is_name(front, "le") && !rfc_is_name(front, "native"))
        return rfc_refuse(front, &ctf_codes[CTF301], "native, network, be or le");
    type->is_big_endian = is_big || (rfc_is_name(front, "native") && front->schema->is_big_endian);
    return rfc_next(front);
}

static bool read_size(rfc_front *front, uint32_t *size)
{
    uint64_t value;
    if (front->word == RFC_NUMBER && front->integer == 0)
        return rfc_refuse(front, &ctf_codes[CTF301], "a size of at least one bit");
    if (!rfc_number(front, UINT32_MAX / 2, &value))
        return false;
    *size = (uint32_t)value;
    return true;
}

static bool read_align(rfc_front *front, uint32_t *alignment)
{
    uint64_t value = front->integer;
    if (front->word == RFC_NUMBER && (value == 0 || (value & (value - 1)) != 0))
        return rfc_refuse(front, &ctf_codes[CTF301], "an alignment in bits that is a power of two");
    if (!rfc_number(front, UINT32_C(1) << 31, &value))
        return false;
    *alignment = (uint32_t)value;
    return true;
}

static bool read_encoding(rfc_front *front, ctf_class *type)
{
    type->encoding = rfc_is_name(front, "ASCII") ? CTF_ASCII : CTF_UTF8;
    if (!rfc_is_name(front, "ASCII") && !rfc_is_name(front, "UTF8"))
        return rfc_refuse(front, &ctf_codes[CTF301], "UTF8 or ASCII");
    return rfc_next(front);
}

static const char *const attribute_names[] = {"parent", "signed",    "byte_order",  "size",
                                              "align",  "unit_size", "map",         "fields",
                                              "length", "elem_type", "length_type", "encoding"};

#define ATTRIBUTE_COUNT (sizeof attribute_names / sizeof *attribute_names)

static uint16_t attribute_find(ctf_text name)
{
    for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++)
        if (ctf_text_is(name, attribute_names[i]))
            return (uint16_t)(1u << i);
    return 0;
}

/* Reads the value of an attribute into the type's own properties. */
static bool read_value(rfc_front *front, uint16_t attribute, ctf_text type_name, rfc_type *own)
{
    ctf_class *type = &own->type;
    switch (attribute) {
    case A_SIGNED: return read_signed(front, type);
    case A_BYTE_ORDER: return read_byte_order(front, type);
    case A_SIZE: return read_size(front, &type->size);
    case A_ALIGN: return read_align(front, &type->alignment_minimum);
    case A_UNIT_SIZE: return read_size(front, &type->unit_size);
    case A_MAP: return read_map(front, type);
    case A_FIELDS: return read_fields(front, type_name, type, &own->height);
    case A_LENGTH: return rfc_number(front, UINT64_MAX, &type->u.array.length);
    case A_ELEM_TYPE: return rfc_type_use(front, &type->u.array.element, &own->height);
    case A_LENGTH_TYPE: return rfc_type_use(front, &type->u.array.length_class, &(uint32_t){0});
    default: return read_encoding(front, type);
    }
}

/* Reads "NAME = VALUE;". */
static bool read_attribute(rfc_front *front, ctf_text type_name, rfc_type *own, rfc_type *parent)
{
    ctf_text name;
    ctf_place place;
    uint16_t attribute;
    if (!rfc_attribute(front, &name, &place))
        return false;
    attribute = attribute_find(name);
    if (attribute == 0 || (own->said & attribute) != 0) {
        metadata_report(front->m, &ctf_codes[attribute == 0 ? CTF303 : CTF302], place,
                        "an attribute of types, each one once", "%.*s", (int)name.size, name.bytes);
        return false;
    }
    own->said |= attribute;
    if (attribute == A_PARENT ? !read_parent(front, parent)
                              : !read_value(front, attribute, type_name, own))
        return false;
    return rfc_end_value(front);
}

/* Completes the type by the properties of its parent that it does not set itself. */
static void inherit(const rfc_type *parent, rfc_type *own)
{
    const ctf_class said = own->type;
    ctf_class *type = &own->type;
    const uint16_t own_said = own->said;
    *type = parent->type;
    type->place = said.place;
    own->kind = parent->kind;
    own->said |= parent->said;
    if (own->height < parent->height)
        own->height = parent->height;
    if (own_said & A_SIGNED)
        type->kind = said.kind;
    if (own_said & A_BYTE_ORDER)
        type->is_big_endian = said.is_big_endian;
    if (own_said & A_SIZE)
        type->size = said.size;
    if (own_said & A_ALIGN)
        type->alignment_minimum = said.alignment_minimum;
    if (own_said & A_FIELDS)
        type->alignment = said.alignment;
    if (own_said & A_UNIT_SIZE)
        type->unit_size = said.unit_size;
    if (own_said & A_MAP) {
        type->mappings = said.mappings;
        type->mapping_count = said.mapping_count;
    }
    if (own_said & A_FIELDS)
        type->u.structure = said.u.structure;
    if (own_said & A_LENGTH)
        type->u.array.length = said.u.array.length;
    if (own_said & A_ELEM_TYPE)
        type->u.array.element = said.u.array.element;
    if (own_said & A_LENGTH_TYPE)
        type->u.array.length_class = said.u.array.length_class;
    if (own_said & A_ENCODING)
        type->encoding = said.encoding;
    /* Enumerations and bit fields inherit from any integer, and only their attributes show what
       they are. */
    if (own->kind == RFC_INTEGER && (own->said & A_UNIT_SIZE) != 0)
        own->kind = RFC_BITFIELD;
    else if (own->kind == RFC_INTEGER && (own->said & A_MAP) != 0)
        own->kind = RFC_ENUM;
}

/* Checks that the type has the attributes that its kind needs, and only those that it may have. */
static bool attributes_check(rfc_front *front, const rfc_type *own)
{
    const struct base_type *base = base_of((rfc_kind)own->kind);
    const unsigned allowed = A_PARENT | base->required | base->optional;
    const unsigned missing = own->is_abstract ? 0 : base->required & ~(unsigned)own->said;
    const unsigned wrong = own->said & ~allowed;
    if (wrong != 0)
        metadata_report(front->m, &ctf_codes[CTF301], own->type.place,
                        "only attributes that its ancestors know", "\"%s\" in a type of kind %s",
                        attribute_names[__builtin_ctz(wrong)], base->name);
    else if (missing != 0)
        metadata_report(front->m, &ctf_codes[CTF301], own->type.place,
                        "all attributes that a concrete type needs",
                        "no \"%s\" in a type of kind %s", attribute_names[__builtin_ctz(missing)],
                        base->name);
    return (wrong | missing) == 0;
}

/* ---- Declarations and uses of types ---- */

static bool level_check(rfc_front *front, uint32_t height)
{
    return front->level + height <= metadata_depth_max(front->m) ||
           rfc_refuse(front, &ctf_codes[CTF207], "types nested less deep");
}

/* Reads { NAME = VALUE; ... }. Returns NULL after reporting, or if out of memory. */
static rfc_type *read_type(rfc_front *front, ctf_text name, bool is_abstract)
{
    rfc_type parent = {.kind = RFC_NO_KIND};
    rfc_type *own = schema_take(front->schema, 1, sizeof *own);
    if (own == NULL || !level_check(front, 1))
        return NULL;
    own->is_abstract = is_abstract;
    own->type = (ctf_class){.alignment = 1, .alignment_minimum = 1, .place = front->place};
    if (!rfc_expect(front, '{', "'{'"))
        return NULL;
    front->level++;
    while (!rfc_is_mark(front, '}'))
        if (!read_attribute(front, name, own, &parent))
            return NULL;
    front->level--;
    if (!rfc_next(front))
        return NULL;
    if (parent.kind == RFC_NO_KIND) {
        metadata_report(front->m, &ctf_codes[CTF301], own->type.place,
                        "a parent, from which a type inherits", "none");
        return NULL;
    }
    own->height++;
    inherit(&parent, own);
    if (!attributes_check(front, own) || (!is_abstract && !rfc_class_finish(front, own)))
        return NULL;
    return own;
}

bool rfc_type_declare(rfc_front *front, bool is_abstract)
{
    const ctf_text name = front->text;
    const ctf_place place = front->place;
    const rfc_type *known = name_register_find(&front->types, name);
    rfc_type *type;
    if (front->word != RFC_NAME)
        return rfc_refuse(front, &ctf_codes[CTF300], "the name of the type");
    if (!rfc_next(front))
        return false;
    if (base_find(name) != NULL) /* the text repeats what section 4 defines */
        return is_abstract ? rfc_skip_block(front) && rfc_accept(front, ';')
                           : rfc_refuse(front, &ctf_codes[CTF302], "a name that is not taken");
    type = read_type(front, name, is_abstract);
    if (type == NULL)
        return false;
    /* The RFC's own examples declare types twice. */
    if (known != NULL && known->type.place.offset != UINT32_MAX)
        metadata_report(front->m, &ctf_codes[CTF304], place, "every type declared once", "%.*s",
                        (int)name.size, name.bytes);
    return name_register_put(&front->types, name, type) && rfc_accept(front, ';');
}

bool rfc_type_use(rfc_front *front, const ctf_class **class, uint32_t *height)
{
    const rfc_type *type;
    bool is_lost;
    if (rfc_is_name(front, "type")) {
        type = rfc_next(front) ? read_type(front, (ctf_text){"", 0}, false) : NULL;
        if (type == NULL)
            return false;
    } else {
        if (front->word != RFC_NAME)
            return rfc_refuse(front, &ctf_codes[CTF300], "a type");
        type = type_find(front, front->text, &is_lost);
        if (type == NULL)
            return !is_lost && rfc_refuse_name(front, "the name of a type");
        if (type->made == NULL)
            return rfc_refuse(front, &ctf_codes[CTF301], "a concrete type");
        if (!level_check(front, type->height) || !rfc_next(front))
            return false;
    }
    *class = type->made;
    if (*height < type->height)
        *height = type->height;
    return true;
}

bool rfc_structure_use(rfc_front *front, const ctf_class **class)
{
    const ctf_place place = front->place;
    uint32_t height = 0;
    if (rfc_is_mark(front, '{')) {
        ctf_class *type = schema_take(front->schema, 1, sizeof *type);
        *class = type;
        if (type == NULL)
            return false;
        *type =
            (ctf_class){.kind = CTF_STRUCT, .alignment = 1, .alignment_minimum = 1, .place = place};
        if (!read_fields(front, (ctf_text){"", 0}, type, &height))
            return false;
        rfc_structure_finish(front->m, type);
        return true;
    }
    if (!rfc_type_use(front, class, &height))
        return false;
    if ((*class)->kind == CTF_STRUCT)
        return true;
    metadata_report(front->m, &ctf_codes[CTF301], place, "a type that inherits from struct",
                    "another one");
    return false;
}
