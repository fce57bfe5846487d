/* SPDX-License-Identifier: Apache-2.0 */
/* Random schemas, and the decoder that the real one is compared with: it reads one bit at a
   time, knows nothing of programs, and writes what it finds as text. */
#ifndef UNIT_CTF_RANDOM_H
#define UNIT_CTF_RANDOM_H

#include <math.h>
#include <stdarg.h>

#include "formats/ctf/records/decode.h"
#include "support.h"

/* ---- Notes: texts that grow ---- */

typedef struct notes {
    char text[1 << 16];
    size_t size;
} notes;

__attribute__((format(printf, 2, 3))) static inline void note(notes *n, const char *format, ...)
{
    va_list arguments;
    int more;
    va_start(arguments, format);
    more = vsnprintf(n->text + n->size, sizeof n->text - n->size, format, arguments);
    va_end(arguments);
    n->size += more > 0 ? (size_t)more : 0;
    if (n->size >= sizeof n->text)
        n->size = sizeof n->text - 1; /* the notes of both decoders are cut at the same size */
}

static inline void note_bytes(notes *n, const uint8_t *bytes, size_t size)
{
    note(n, "'");
    for (size_t i = 0; i < size; i++)
        note(n, "%02x", bytes[i]);
    note(n, "'");
}

static inline void note_float(notes *n, double value)
{
    if (isnan(value))
        note(n, "nan");
    else
        note(n, "%a", value);
}

/* ---- Random schemas ---- */

/* A field that later fields may depend on: a small unsigned integer. */
typedef struct known_field {
    ctf_scope scope;
    const ctf_text *steps;
    uint32_t count;
    const ctf_class *structure; /* the structure around the field */
} known_field;

typedef struct schema_maker {
    ctf_schema *schema;
    uint64_t seed;
    unsigned names;
    bool is_mixed, is_big_endian, is_in_bits;
    bool is_sound; /* labels are values of their field */
    bool is_plain; /* without integers of variable length, and with strings in UTF-8 only */
    ctf_scope scope;
    ctf_text path[16];
    uint32_t depth;
    known_field known[256];
    uint32_t known_count, fields;
} schema_maker;

static inline uint64_t pick(schema_maker *g, uint64_t count)
{
    return random_next(&g->seed) % count;
}

static inline ctf_text make_name(schema_maker *g)
{
    char text[16];
    const int size = snprintf(text, sizeof text, "f%u", g->names++);
    return schema_text(g->schema, text, (size_t)size);
}

static inline ctf_class *make_kind(schema_maker *g, ctf_kind kind)
{
    ctf_class *type = schema_take(g->schema, 1, sizeof *type);
    type->kind = (uint8_t)kind;
    type->alignment = type->alignment_minimum = 1;
    type->place.offset = UINT32_MAX;
    return type;
}

static inline ctf_mapping make_mapping(schema_maker *g, const char *name, uint64_t low,
                                       uint64_t high, bool is_signed)
{
    ctf_range *range = schema_take(g->schema, 1, sizeof *range);
    *range = (ctf_range){low, high, is_signed};
    return (ctf_mapping){
        .name = schema_text(g->schema, name, strlen(name)), .ranges = range, .range_count = 1};
}

/* Removes from labels what is beyond the range of the field. */
static inline void bound_labels(const ctf_class *type, ctf_mapping *mappings)
{
    const bool is_signed = type->kind == CTF_INT;
    const uint64_t most =
        type->kind == CTF_BIT_MAP ? type->size - 1 : UINT64_MAX >> (64 - type->size) >> is_signed;
    for (unsigned i = 0; i < 3; i++) {
        ctf_range *range = (ctf_range *)(uintptr_t)mappings[i].ranges;
        if (is_signed && (int64_t)range->low < 0)
            range->low = ~most;
        else if (range->low > most)
            range->low = most;
        if (range->high > most)
            range->high = most;
    }
}

static inline void make_labels(schema_maker *g, ctf_class *type)
{
    ctf_mapping *mappings = schema_take(g->schema, 3, sizeof *mappings);
    const bool is_signed = type->kind == CTF_INT;
    mappings[0] = make_mapping(g, "low", is_signed ? (uint64_t)-3 : 0, 3, is_signed);
    mappings[1] = make_mapping(g, "more", 2, 40, false);
    mappings[2] = make_mapping(g, "high", 7, UINT64_MAX, false);
    if (type->kind == CTF_BIT_MAP)
        mappings[0].ranges = make_mapping(g, "", 0, 3, false).ranges;
    type->mappings = mappings;
    type->mapping_count = 3;
    type->is_enum = true;
    if (g->is_sound)
        bound_labels(type, mappings);
}

static inline const ctf_class *make_fixed(schema_maker *g)
{
    static const ctf_kind kinds[] = {CTF_UINT, CTF_UINT,  CTF_INT,     CTF_INT,
                                     CTF_BOOL, CTF_FLOAT, CTF_BIT_MAP, CTF_BIT_ARRAY};
    ctf_class *type = make_kind(g, kinds[pick(g, 8)]);
    const uint32_t sizes[] = {8, 16, 32, 64};
    type->size = pick(g, 2) ? sizes[pick(g, 4)] : 1 + (uint32_t)pick(g, 64);
    if (pick(g, 12) == 0 && type->kind != CTF_FLOAT && type->kind != CTF_BIT_MAP)
        type->size = 65 + (uint32_t)pick(g, 100);
    type->alignment = 1u << (g->is_in_bits ? pick(g, 7) : 3 + pick(g, 4));
    if (!g->is_in_bits && type->size <= 64)
        type->size = sizes[pick(g, 4)];
    type->is_big_endian = g->is_mixed ? pick(g, 2) : g->is_big_endian;
    type->is_bit_reversed = pick(g, 10) == 0;
    type->base = CTF_DECIMAL;
    if (type->kind == CTF_FLOAT) {
        type->exponent_bits = (uint16_t)(2 + pick(g, 10));
        type->mantissa_bits = (uint16_t)(1 + pick(g, 53));
        if (pick(g, 2)) {
            type->exponent_bits = pick(g, 2) ? 8 : 11;
            type->mantissa_bits = type->exponent_bits == 8 ? 24 : 53;
        }
        type->size = (uint32_t)type->exponent_bits + type->mantissa_bits;
    }
    if (type->size <= 64 &&
        (type->kind == CTF_BIT_MAP ||
         (pick(g, 6) == 0 && type->kind != CTF_BOOL && type->kind != CTF_FLOAT)))
        make_labels(g, type);
    return type;
}

/* Returns a location of one of the known fields, NULL if there is none. */
static inline const ctf_location *make_location(schema_maker *g, const ctf_class *around)
{
    ctf_location *at = schema_take(g->schema, 1, sizeof *at);
    const known_field *known;
    if (g->known_count == 0)
        return NULL;
    known = &g->known[g->known_count - 1 - pick(g, g->known_count < 8 ? g->known_count : 8)];
    *at = (ctf_location){.scope = known->scope,
                         .steps = known->steps,
                         .step_count = known->count,
                         .place = {UINT32_MAX}};
    if (known->structure == around && around != NULL && pick(g, 2)) {
        at->scope = pick(g, 2) ? CTF_SCOPE_LEXICAL : CTF_SCOPE_RELATIVE;
        at->steps += at->step_count - 1;
        at->step_count = 1;
    }
    return at;
}

static inline const ctf_class *make_class(schema_maker *g, const ctf_class *around, bool is_known);

static inline ctf_member make_member(schema_maker *g, const ctf_class *around, bool is_known)
{
    const ctf_text name = make_name(g);
    ctf_member member = {.name = name, .written = name};
    g->path[g->depth++] = name;
    member.type = make_class(g, around, is_known);
    if (member.type->kind == CTF_UINT && member.type->size <= 8 && is_known &&
        g->known_count < 256) {
        ctf_text *steps = schema_take(g->schema, g->depth, sizeof *steps);
        memcpy(steps, g->path, g->depth * sizeof *steps);
        g->known[g->known_count++] = (known_field){g->scope, steps, g->depth, around};
    }
    g->depth--;
    return member;
}

static inline ctf_class *make_struct(schema_maker *g, bool is_known)
{
    ctf_class *type = make_kind(g, CTF_STRUCT);
    const uint32_t count = (uint32_t)pick(g, 6);
    ctf_member *members = schema_take(g->schema, count, sizeof *members);
    type->u.structure.members = members;
    type->u.structure.count = count;
    type->alignment = type->alignment_minimum = 1u << (pick(g, 8) == 0 ? pick(g, 6) : 0);
    for (uint32_t i = 0; i < count; i++) {
        members[i] = make_member(g, type, is_known);
        if (members[i].type->alignment > type->alignment)
            type->alignment = members[i].type->alignment;
    }
    return type;
}

/* Makes a small number, which can be a length or a selector. */
static inline const ctf_class *make_small(schema_maker *g)
{
    ctf_class *type = make_kind(g, CTF_UINT);
    type->size = g->is_in_bits ? 1 + (uint32_t)pick(g, 4) : 8;
    type->alignment = g->is_in_bits ? 1 : 8;
    type->is_big_endian = g->is_mixed ? pick(g, 2) : g->is_big_endian;
    type->base = CTF_DECIMAL;
    return type;
}

static inline const ctf_class *make_variant(schema_maker *g, const ctf_location *selector)
{
    ctf_class *type = make_kind(g, CTF_VARIANT);
    const uint32_t count = 1 + (uint32_t)pick(g, 3);
    ctf_member *options = schema_take(g->schema, count, sizeof *options);
    ctf_mapping *mappings = schema_take(g->schema, count, sizeof *mappings);
    for (uint32_t i = 0; i < count; i++) {
        options[i] = make_member(g, NULL, false);
        mappings[i] = make_mapping(g, "", i * 3, i + 1 == count ? UINT64_MAX : i * 3 + 2, false);
    }
    if (pick(g, 4) == 0)
        mappings[count - 1] = make_mapping(g, "", 14, 200, false);
    type->u.variant.options = options;
    type->u.variant.count = count;
    type->u.variant.selector = selector;
    type->mappings = mappings;
    type->mapping_count = count;
    return type;
}

static inline const ctf_class *make_optional(schema_maker *g, const ctf_location *selector)
{
    ctf_class *type = make_kind(g, CTF_OPTIONAL);
    type->u.optional.element = make_class(g, NULL, false);
    type->u.optional.selector = selector;
    type->u.optional.ranges = make_mapping(g, "", 2, 100, false).ranges;
    type->u.optional.range_count = 1;
    return type;
}

static inline const ctf_class *make_array(schema_maker *g, ctf_kind kind, const ctf_location *at)
{
    ctf_class *type = make_kind(g, kind);
    type->u.array.length = pick(g, 5);
    type->u.array.length_at = at;
    type->encoding = (uint8_t)(pick(g, 2) ? CTF_UTF8 : CTF_UTF8 + pick(g, 6));
    type->alignment = 8;
    if (kind == CTF_STATIC_ARRAY || kind == CTF_DYNAMIC_ARRAY) {
        type->encoding = CTF_NO_TEXT;
        type->u.array.element = make_class(g, NULL, false);
        type->alignment = type->u.array.element->alignment;
        if (pick(g, 6) == 0 && type->alignment < 32)
            type->alignment_minimum = type->alignment *= 2;
    }
    return type;
}

static inline const ctf_class *make_class(schema_maker *g, const ctf_class *around, bool is_known)
{
    const ctf_location *at = make_location(g, around);
    const uint64_t what = pick(g, 20);
    ctf_class *type;
    if (++g->fields > 60 || g->depth > 7 || what < 6)
        return is_known && pick(g, 2) ? make_small(g) : make_fixed(g);
    if (what < 8)
        return is_known ? make_small(g) : make_fixed(g);
    if (what < 10 && !g->is_plain) {
        type = make_kind(g, pick(g, 2) ? CTF_VAR_UINT : CTF_VAR_INT);
        type->alignment = 8;
        type->base = CTF_DECIMAL;
        return type;
    }
    if (what <= 10) {
        type = make_kind(g, CTF_STRING);
        type->alignment = 8;
        type->encoding = (uint8_t)(g->is_plain ? CTF_UTF8 : CTF_UTF8 + pick(g, 6));
        return type;
    }
    if (what == 11)
        return make_array(g, pick(g, 2) ? CTF_STATIC_STRING : CTF_STATIC_BLOB, NULL);
    if (what == 12)
        return make_array(g, CTF_STATIC_ARRAY, NULL);
    if (what == 13 || at == NULL)
        return make_struct(g, is_known);
    if (what == 14)
        return make_array(g, pick(g, 2) ? CTF_DYNAMIC_STRING : CTF_DYNAMIC_BLOB, at);
    if (what < 17)
        return make_array(g, CTF_DYNAMIC_ARRAY, at);
    return what < 19 ? make_variant(g, at) : make_optional(g, at);
}

/* Makes the structure of a scope; its last known fields are at the end of the list. */
static inline ctf_class *make_scope(schema_maker *g, ctf_scope scope)
{
    g->scope = scope;
    g->depth = 0;
    g->fields = 0;
    return make_struct(g, true);
}

/* Adds a member with a role before the others. */
static inline void add_role(schema_maker *g, ctf_class *structure, uint16_t role, uint32_t size)
{
    ctf_class *type = make_kind(g, CTF_UINT);
    const uint32_t count = structure->u.structure.count + 1;
    ctf_member *members = schema_take(g->schema, count, sizeof *members);
    type->size = size;
    type->roles = role;
    type->alignment = g->is_in_bits ? 1 : 8;
    type->base = CTF_DECIMAL;
    type->is_big_endian = g->is_big_endian;
    memcpy(members + 1, structure->u.structure.members, (count - 1) * sizeof *members);
    members[0] = (ctf_member){.name = make_name(g), .type = type};
    members[0].written = members[0].name;
    structure->u.structure.members = members;
    structure->u.structure.count = count;
    if (type->alignment > structure->alignment)
        structure->alignment = type->alignment;
}

/* Makes a schema of one stream with two event classes. */
static inline void make_stream(schema_maker *g, bool has_clock)
{
    ctf_schema *schema = g->schema;
    ctf_stream_class *stream = schema_add_stream(schema);
    ctf_class *header;
    g->is_in_bits = pick(g, 2);
    g->is_mixed = pick(g, 3) == 0;
    g->is_big_endian = pick(g, 2);
    schema->generation = CTF_2;
    schema->length_unit = 1;
    if (has_clock)
        stream->clock = schema_add_clock(schema);
    if (pick(g, 2))
        stream->packet_context = make_scope(g, CTF_SCOPE_PACKET_CONTEXT);
    header = make_scope(g, CTF_SCOPE_EVENT_HEADER);
    if (has_clock && pick(g, 2))
        add_role(g, header, CTF_ROLE_TIMESTAMP, 1 + (uint32_t)pick(g, 10));
    add_role(g, header, CTF_ROLE_EVENT_CLASS_ID, g->is_in_bits ? 1 : 8);
    stream->event_header = header;
    if (pick(g, 2))
        stream->event_context = make_scope(g, CTF_SCOPE_COMMON_CONTEXT);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t known = g->known_count;
        ctf_event_class *event = schema_add_event(stream);
        event->id = i;
        event->name = schema_text(schema, i == 0 ? "zero" : "one", i == 0 ? 4 : 3);
        if (pick(g, 2))
            event->context = make_scope(g, CTF_SCOPE_SPECIFIC_CONTEXT);
        event->payload = make_scope(g, CTF_SCOPE_PAYLOAD);
        g->known_count = known;
    }
    REQUIRE(schema_finish(schema));
}

/* ---- The decoder to compare with ---- */

typedef struct reference {
    const uint8_t *bytes;
    uint64_t at, end; /* in bits */
    int order;        /* byte order of the last bits: -1 none, 0 little, 1 big */
    bool is_bad;
    uint64_t values[1024]; /* by the number of the field's name */
    uint64_t id, clock;
    notes *to; /* NULL: entries are not written */
} reference;

static inline bool ref_left(reference *f, uint64_t bits)
{
    f->is_bad = f->is_bad || f->at > f->end || bits > f->end - f->at;
    return !f->is_bad;
}

static inline void ref_align(reference *f, uint64_t alignment)
{
    while (f->at % alignment != 0)
        f->at++;
    ref_left(f, 0);
}

/* Reads the bits of a fixed-length field, lowest first. */
static inline bool ref_bits(reference *f, const ctf_class *type, uint8_t *bits)
{
    if (f->order >= 0 && f->order != type->is_big_endian && f->at % 8 != 0)
        f->is_bad = true;
    if (!ref_left(f, type->size))
        return false;
    f->order = type->is_big_endian;
    for (uint32_t i = 0; i < type->size; i++) {
        const uint64_t at = f->at + i;
        const unsigned bit = (unsigned)(at % 8);
        const bool from_top = type->is_big_endian != type->is_bit_reversed;
        bits[from_top ? type->size - 1 - i : i] =
            f->bytes[at / 8] >> (type->is_big_endian ? 7 - bit : bit) & 1;
    }
    f->at += type->size;
    return true;
}

static inline uint64_t ref_number(const uint8_t *bits, uint32_t from, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = size; i > 0; i--)
        value = value << 1 | bits[from + i - 1];
    return value;
}

static inline double ref_float(const ctf_class *type, const uint8_t *bits)
{
    const uint32_t fraction_bits = type->mantissa_bits - 1u;
    const uint64_t fraction = ref_number(bits, 0, fraction_bits);
    const uint64_t exponent = ref_number(bits, fraction_bits, type->exponent_bits);
    const int bias = (1 << (type->exponent_bits - 1)) - 1;
    const double sign = bits[type->size - 1] ? -1 : 1;
    if (exponent == (UINT64_C(1) << type->exponent_bits) - 1)
        return fraction == 0 ? sign * HUGE_VAL : (double)NAN;
    if (exponent == 0)
        return sign * ldexp((double)fraction, 1 - bias - (int)fraction_bits);
    return sign * ldexp((double)(fraction + (UINT64_C(1) << fraction_bits)),
                        (int)exponent - bias - (int)fraction_bits);
}

static inline void ref_labels(notes *to, const ctf_class *type, uint64_t value)
{
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        const ctf_range *range = type->mappings[i].ranges;
        bool is_in = range->low <= value && value <= range->high;
        if (type->kind == CTF_INT && range->is_signed)
            is_in = (int64_t)range->low <= (int64_t)value && (int64_t)value <= (int64_t)range->high;
        else if (type->kind == CTF_INT)
            is_in = is_in && (int64_t)value >= 0;
        if (type->kind == CTF_BIT_MAP) {
            is_in = false;
            for (uint64_t bit = range->low; bit <= range->high && bit < 64; bit++)
                is_in |= value >> bit & 1;
        }
        if (is_in)
            note(to, "(%s)", type->mappings[i].name.bytes);
    }
}

static inline void ref_note_fixed(notes *to, const ctf_class *type, const uint8_t *bits,
                                  uint64_t value)
{
    bool any = false;
    if (type->kind == CTF_FLOAT) {
        note_float(to, ref_float(type, bits));
    } else if (type->kind == CTF_BOOL) {
        for (uint32_t i = 0; i < type->size; i++)
            any |= bits[i];
        note(to, "%s", any ? "true" : "false");
    } else if (type->size > 64) {
        const uint32_t top = type->kind == CTF_INT ? bits[type->size - 1] : 0;
        const uint32_t total =
            type->kind == CTF_INT ? (type->size + 7) / 8 * 8 : type->size / 8 * 8 + 8;
        note(to, "0x");
        for (uint32_t i = total; i > 0; i -= 4) {
            unsigned digit = 0;
            for (uint32_t k = 0; k < 4; k++)
                digit = digit << 1 | (i - 1 - k < type->size ? bits[i - 1 - k] : top);
            note(to, "%x", digit);
        }
    } else if (type->kind == CTF_INT) {
        note(to, "%lld", (long long)value);
        ref_labels(to, type, value);
    } else {
        note(to, "%llu", (unsigned long long)value);
        ref_labels(to, type, value);
    }
}

static inline void ref_fixed(reference *f, const ctf_class *type, unsigned name)
{
    uint8_t bits[256];
    uint64_t value;
    if (!ref_bits(f, type, bits))
        return;
    value = ref_number(bits, 0, type->size < 64 ? type->size : 64);
    if (type->kind == CTF_INT && type->size < 64 && bits[type->size - 1])
        value |= UINT64_MAX << type->size;
    f->values[name] = value;
    if ((type->roles & CTF_ROLE_EVENT_CLASS_ID) != 0)
        f->id = value;
    if ((type->roles & CTF_ROLE_TIMESTAMP) != 0) {
        uint64_t next = f->clock;
        if (type->size == 64)
            next = value;
        else
            while ((next & ((UINT64_C(1) << type->size) - 1)) != value)
                next++;
        f->clock = next;
    }
    if (f->to != NULL)
        ref_note_fixed(f->to, type, bits, value);
}

static inline void ref_varint(reference *f, const ctf_class *type)
{
    uint8_t bits[70 * 8] = {0};
    uint32_t count = 0;
    uint8_t byte;
    do {
        if (!ref_left(f, 8))
            return;
        byte = f->bytes[f->at / 8];
        f->at += 8;
        for (unsigned i = 0; i < 7; i++)
            bits[count++] = byte >> i & 1;
    } while ((byte & 0x80) != 0 && count + 7 <= sizeof bits);
    if ((byte & 0x80) == 0 && f->to != NULL) {
        ctf_class as = {.kind = type->kind == CTF_VAR_INT ? CTF_INT : CTF_UINT, .size = count};
        uint64_t value = ref_number(bits, 0, count < 64 ? count : 64);
        if (as.kind == CTF_INT && count < 64 && bits[count - 1])
            value |= UINT64_MAX << count;
        if (count == 70) { /* ten bytes may still hold 64 bits */
            bool fits = true;
            for (uint32_t i = 64; i < 70; i++)
                fits = fits && bits[i] == (as.kind == CTF_INT ? bits[63] : 0);
            if (fits)
                as.size = 64;
        }
        ref_note_fixed(f->to, &as, bits, value);
    }
}

/* Writes the code points of a text in any encoding as UTF-8. */
static inline void ref_note_text(notes *to, unsigned encoding, const uint8_t *from, size_t size)
{
    note(to, "'");
    for (size_t at = 0; at < size;) {
        uint32_t units[2] = {0, 0}, point;
        const size_t unit = encoding <= CTF_ASCII ? 1 : encoding <= CTF_UTF16BE ? 2 : 4;
        const bool big = encoding == CTF_UTF16BE || encoding == CTF_UTF32BE;
        for (size_t k = 0; k < 2 && at + (k + 1) * unit <= size; k++) {
            for (size_t i = 0; i < unit; i++)
                units[k] |= (uint32_t)from[at + k * unit + i] << (big ? (unit - 1 - i) * 8 : i * 8);
        }
        point = size - at < unit ? 0xfffd : units[0];
        at = size - at < unit ? size : at + unit;
        if (unit == 1) {
            note(to, "%02x", point);
            continue;
        }
        if (unit == 2 && point >> 10 == 0x36 && units[1] >> 10 == 0x37) {
            point = 0x10000 + ((point & 0x3ff) << 10 | (units[1] & 0x3ff));
            at += 2;
        }
        if (point > 0x10ffff || point >> 11 == 0x1b)
            point = 0xfffd;
        if (point < 0x80)
            note(to, "%02x", point);
        else if (point < 0x800)
            note(to, "%02x%02x", 0xc0 | point >> 6, 0x80 | (point & 63));
        else if (point < 0x10000)
            note(to, "%02x%02x%02x", 0xe0 | point >> 12, 0x80 | (point >> 6 & 63),
                 0x80 | (point & 63));
        else
            note(to, "%02x%02x%02x%02x", 0xf0 | point >> 18, 0x80 | (point >> 12 & 63),
                 0x80 | (point >> 6 & 63), 0x80 | (point & 63));
    }
    note(to, "'");
}

static inline size_t ref_unit(const ctf_class *type)
{
    return type->encoding <= CTF_ASCII ? 1 : type->encoding <= CTF_UTF16BE ? 2 : 4;
}

static inline bool ref_is_zero(const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (at[i] != 0)
            return false;
    }
    return true;
}

static inline void ref_string(reference *f, const ctf_class *type)
{
    const size_t unit = ref_unit(type);
    const uint64_t first = f->at / 8;
    for (;;) {
        if (!ref_left(f, unit * 8))
            return;
        f->at += unit * 8;
        if (ref_is_zero(f->bytes + f->at / 8 - unit, unit))
            break;
    }
    if (f->to != NULL)
        ref_note_text(f->to, type->encoding, f->bytes + first, (size_t)(f->at / 8 - unit - first));
}

static inline unsigned ref_number_of(ctf_text name)
{
    return name.size != 0 ? (unsigned)strtoul(name.bytes + 1, NULL, 10) : 1023;
}

static inline uint64_t ref_target(const reference *f, const ctf_location *at)
{
    return f->values[ref_number_of(at->steps[at->step_count - 1])];
}

static inline void ref_class(reference *f, const ctf_class *type, unsigned name);

static inline void ref_bytes(reference *f, const ctf_class *type)
{
    const uint64_t length = type->u.array.length_at != NULL ? ref_target(f, type->u.array.length_at)
                                                            : type->u.array.length;
    const uint8_t *from = f->bytes + f->at / 8;
    size_t size = 0;
    if (length > 1 << 20 || !ref_left(f, length * 8)) {
        f->is_bad = true;
        return;
    }
    f->at += length * 8;
    if (f->to == NULL)
        return;
    if (type->kind == CTF_STATIC_BLOB || type->kind == CTF_DYNAMIC_BLOB) {
        note_bytes(f->to, from, (size_t)length);
        return;
    }
    while (size + ref_unit(type) <= length && !ref_is_zero(from + size, ref_unit(type)))
        size += ref_unit(type);
    if (size + ref_unit(type) > length)
        size = (size_t)length;
    ref_note_text(f->to, type->encoding, from, size);
}

static inline void ref_array(reference *f, const ctf_class *type)
{
    const uint64_t length = type->u.array.length_at != NULL ? ref_target(f, type->u.array.length_at)
                                                            : type->u.array.length;
    if (f->to != NULL)
        note(f->to, "[");
    for (uint64_t i = 0; i < length && !f->is_bad; i++) {
        ref_class(f, type->u.array.element, 1023);
        if (f->to != NULL)
            note(f->to, ",");
    }
    if (f->to != NULL)
        note(f->to, "]");
}

static inline void ref_members(reference *f, const ctf_class *type)
{
    for (uint32_t i = 0; i < type->u.structure.count && !f->is_bad; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        if (f->to != NULL)
            note(f->to, "%s=", member->name.bytes);
        ref_class(f, member->type, ref_number_of(member->name));
        if (f->to != NULL)
            note(f->to, ";");
    }
}

static inline void ref_variant(reference *f, const ctf_class *type)
{
    const uint64_t tag = ref_target(f, type->u.variant.selector);
    for (uint32_t i = 0; i < type->u.variant.count; i++) {
        const ctf_range *range = type->mappings[i].ranges;
        if (range->low <= tag && tag <= range->high) {
            if (f->to != NULL)
                note(f->to, "<%s=", type->u.variant.options[i].name.bytes);
            ref_class(f, type->u.variant.options[i].type, 1023);
            if (f->to != NULL)
                note(f->to, ";>");
            return;
        }
    }
    f->is_bad = true;
}

static inline void ref_class(reference *f, const ctf_class *type, unsigned name)
{
    ref_align(f, type->alignment);
    if (f->is_bad)
        return;
    switch (type->kind) {
    case CTF_VAR_UINT:
    case CTF_VAR_INT: ref_varint(f, type); break;
    case CTF_STRING: ref_string(f, type); break;
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_BLOB:
    case CTF_DYNAMIC_BLOB: ref_bytes(f, type); break;
    case CTF_STRUCT:
        if (f->to != NULL)
            note(f->to, "{");
        ref_members(f, type);
        if (f->to != NULL)
            note(f->to, "}");
        break;
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY: ref_array(f, type); break;
    case CTF_VARIANT: ref_variant(f, type); break;
    case CTF_OPTIONAL: {
        const uint64_t value = ref_target(f, type->u.optional.selector);
        const ctf_range *range = type->u.optional.ranges;
        if (value >= range->low && value <= range->high)
            ref_class(f, type->u.optional.element, 1023);
        else if (f->to != NULL)
            note(f->to, "null");
        break;
    }
    default: ref_fixed(f, type, name); break;
    }
}

#endif
