/* SPDX-License-Identifier: Apache-2.0 */
/* Reads types with a single value (CTF 1.8.3, sections 4.1.2 to 4.1.9). */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/ctf/metadata/tsdl.h"

static uint32_t default_alignment(uint32_t size)
{
    return size % 8 == 0 ? 8 : 1;
}

/* ---- Integers ---- */

/* Bits of the largest integer; a larger size must be a mistake. */
#define SIZE_MAX_BITS ((uint32_t)1 << 30)

static bool integer_base(tsdl *p, const attribute *a, ctf_class *type)
{
    static const struct {
        const char *name;
        ctf_base base;
    } names[] = {{"decimal", CTF_DECIMAL}, {"dec", CTF_DECIMAL},   {"d", CTF_DECIMAL},
                 {"i", CTF_DECIMAL},       {"u", CTF_DECIMAL},     {"hexadecimal", CTF_HEX},
                 {"hex", CTF_HEX},         {"x", CTF_HEX},         {"X", CTF_HEX},
                 {"p", CTF_HEX},           {"octal", CTF_OCTAL},   {"oct", CTF_OCTAL},
                 {"o", CTF_OCTAL},         {"binary", CTF_BINARY}, {"bin", CTF_BINARY},
                 {"b", CTF_BINARY}};
    const uint64_t number = a->magnitude;
    if (a->kind == VALUE_INTEGER && !a->is_negative &&
        (number == 2 || number == 8 || number == 10 || number == 16)) {
        type->base = (uint8_t)number;
        return true;
    }
    for (size_t i = 0; a->kind == VALUE_WORD && i < sizeof names / sizeof *names; i++) {
        if (ctf_text_is(a->text, names[i].name)) {
            type->base = (uint8_t)names[i].base;
            return true;
        }
    }
    return tsdl_value_wrong(p, a, "decimal, hexadecimal, octal, binary, 10, 16, 8 or 2") ==
           ATTRIBUTE_DONE;
}

static bool text_encoding(tsdl *p, const attribute *a, ctf_class *type)
{
    const bool is_word = a->kind == VALUE_WORD;
    if (is_word && (ctf_text_is(a->text, "UTF8") || ctf_text_is(a->text, "utf8")))
        type->encoding = CTF_UTF8;
    else if (is_word && (ctf_text_is(a->text, "ASCII") || ctf_text_is(a->text, "ascii")))
        type->encoding = CTF_ASCII;
    else if (is_word && (ctf_text_is(a->text, "none") || ctf_text_is(a->text, "NONE")))
        type->encoding = CTF_NO_TEXT;
    else
        return tsdl_value_wrong(p, a, "none, UTF8 or ASCII") == ATTRIBUTE_DONE;
    return true;
}

/* Reads map = clock.NAME.value. */
static bool integer_map(tsdl *p, const attribute *a, ctf_class *type)
{
    const path_step *path = p->path.items;
    if (a->kind != VALUE_WORD || a->path_count != 3 || path[0].word != WORD_CLOCK ||
        !ctf_text_is(tsdl_text(p, path[2].word), "value"))
        return tsdl_value_wrong(p, a, "clock.NAME.value") == ATTRIBUTE_DONE;
    type->clock = tsdl_clock(p, path[1].word, path[1].place);
    return type->clock != NULL;
}

static attribute_result integer_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_class *type = user;
    uint64_t size;
    bool is_signed;
    switch (a->name) {
    case WORD_SIGNED:
        if (!tsdl_value_bool(p, a, &is_signed))
            return ATTRIBUTE_BAD;
        type->kind = is_signed ? CTF_INT : CTF_UINT;
        return ATTRIBUTE_DONE;
    case WORD_SIZE:
        if (!tsdl_value_u64(p, a, &size))
            return ATTRIBUTE_BAD;
        if (size == 0 || size > SIZE_MAX_BITS)
            return tsdl_value_wrong(p, a, "a size of 1 to 1,073,741,824 bits");
        type->size = (uint32_t)size;
        return ATTRIBUTE_DONE;
    case WORD_ALIGN: return tsdl_value_done(tsdl_value_align(p, a, &type->alignment));
    case WORD_BYTE_ORDER:
        if (a->kind != VALUE_WORD || !tsdl_byte_order(p, a->text, true, &type->is_big_endian))
            return tsdl_value_wrong(p, a, "le, be, network or native");
        return ATTRIBUTE_DONE;
    case WORD_BASE: return tsdl_value_done(integer_base(p, a, type));
    case WORD_ENCODING: return tsdl_value_done(text_encoding(p, a, type));
    case WORD_MAP: return tsdl_value_done(integer_map(p, a, type));
    default: return ATTRIBUTE_UNKNOWN;
    }
}

/* Prepares a class. It is zeroed to the last byte, because the pool compares bytes. */
static void scalar_begin(const tsdl *p, ctf_class *type, ctf_kind kind)
{
    memset(type, 0, sizeof *type);
    type->kind = (uint8_t)kind;
    type->is_big_endian = p->schema->is_big_endian;
    type->alignment_minimum = 1;
    type->place.offset = UINT32_MAX;
}

static bool missing(tsdl *p, uint32_t place, const char *in, const char *lacks)
{
    return tsdl_fail(p, CTF106, place, lacks, "%s without it", in);
}

bool tsdl_integer(tsdl *p, const ctf_class **type)
{
    const uint32_t place = tsdl_token(p)->offset;
    ctf_class made;
    block b = {.name = "an integer", .fn = integer_attribute, .user = &made};
    scalar_begin(p, &made, CTF_UINT);
    made.base = CTF_DECIMAL;
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    if (!block_has(&b, WORD_SIZE))
        return missing(p, place, b.name, "'size = BITS;'");
    if (!block_has(&b, WORD_ALIGN))
        made.alignment = default_alignment(made.size);
    *type = class_pool_share(&p->classes, p->schema, &made);
    return *type != NULL;
}

const ctf_class *tsdl_pointer(tsdl *p, const ctf_class *type)
{
    ctf_class made;
    if ((type->kind != CTF_INT && type->kind != CTF_UINT) || type->is_enum)
        return type;
    memcpy(&made, type, sizeof made);
    made.base = CTF_HEX;
    return class_pool_share(&p->classes, p->schema, &made);
}

/* ---- Floating point ---- */

/* How many bits a part of a number has, which decoding relies on. */
typedef struct digits {
    uint16_t least, most;
    const char *text;
} digits;

static const digits exponent = {2, 62, "2 to 62 bits"}, mantissa = {1, 4096, "1 to 4096 bits"};

static attribute_result float_digits(tsdl *p, const attribute *a, const digits *of, uint16_t *bits)
{
    uint64_t value;
    if (!tsdl_value_u64(p, a, &value))
        return ATTRIBUTE_BAD;
    if (value < of->least || value > of->most)
        return tsdl_value_wrong(p, a, of->text);
    *bits = (uint16_t)value;
    return ATTRIBUTE_DONE;
}

static attribute_result float_attribute(tsdl *p, const attribute *a, void *user)
{
    ctf_class *type = user;
    switch (a->name) {
    case WORD_EXP_DIG: return float_digits(p, a, &exponent, &type->exponent_bits);
    case WORD_MANT_DIG: return float_digits(p, a, &mantissa, &type->mantissa_bits);
    case WORD_ALIGN: return tsdl_value_done(tsdl_value_align(p, a, &type->alignment));
    case WORD_BYTE_ORDER:
        if (a->kind != VALUE_WORD || !tsdl_byte_order(p, a->text, true, &type->is_big_endian))
            return tsdl_value_wrong(p, a, "le, be, network or native");
        return ATTRIBUTE_DONE;
    default: return ATTRIBUTE_UNKNOWN;
    }
}

bool tsdl_float(tsdl *p, const ctf_class **type)
{
    const uint32_t place = tsdl_token(p)->offset;
    ctf_class made;
    block b = {.name = "a floating_point", .fn = float_attribute, .user = &made};
    scalar_begin(p, &made, CTF_FLOAT);
    if (!tsdl_next(p) || !tsdl_block(p, &b))
        return false;
    if (!block_has(&b, WORD_EXP_DIG))
        return missing(p, place, b.name, "'exp_dig = BITS;'");
    if (!block_has(&b, WORD_MANT_DIG))
        return missing(p, place, b.name, "'mant_dig = BITS;'");
    made.size = (uint32_t)made.exponent_bits + made.mantissa_bits;
    if (!block_has(&b, WORD_ALIGN))
        made.alignment = default_alignment(made.size);
    *type = class_pool_share(&p->classes, p->schema, &made);
    return *type != NULL;
}

/* ---- Strings ---- */

static attribute_result string_attribute(tsdl *p, const attribute *a, void *user)
{
    return a->name == WORD_ENCODING ? tsdl_value_done(text_encoding(p, a, user))
                                    : ATTRIBUTE_UNKNOWN;
}

bool tsdl_string(tsdl *p, const ctf_class **type)
{
    ctf_class made;
    block b = {.name = "a string", .fn = string_attribute, .user = &made};
    scalar_begin(p, &made, CTF_STRING);
    made.is_big_endian = false;
    made.encoding = CTF_UTF8;
    made.alignment = 8;
    if (!tsdl_next(p) || (tsdl_is_mark(p, '{') && !tsdl_block(p, &b)))
        return false;
    *type = class_pool_share(&p->classes, p->schema, &made);
    return *type != NULL;
}

/* ---- Enumerations ---- */

/* A range of the label number `mapping`. */
typedef struct label_range {
    uint32_t mapping;
    ctf_range range;
} label_range;

/*
 * Reports a value that the field cannot have. LTTng-UST writes values as they are in the traced
 * program, even if the field is too small: those stay as 64 bits, which no field has. In other
 * traces it is an error.
 */
static bool enum_excuse(tsdl *p, const ctf_class *type, uint32_t place, bool is_negative,
                        uint64_t magnitude)
{
    const ctf_code code = tsdl_is_lttng(p) ? CTF111 : CTF102;
    metadata_report(p->m, &ctf_codes[code], (ctf_place){place}, NULL,
                    "%s%" PRIu64 " does not fit %s integer of %" PRIu32 " bits",
                    is_negative ? "-" : "", magnitude,
                    type->kind == CTF_INT ? "a signed" : "an unsigned", type->size);
    return code == CTF111;
}

/* Reads an integer or character constant as 64 bits that the type can have. */
static bool enum_value(tsdl *p, const ctf_class *type, uint64_t *value)
{
    const bool is_signed = type->kind == CTF_INT;
    const bool is_negative = tsdl_is_mark(p, '-');
    const uint32_t place = tsdl_token(p)->offset;
    const unsigned bits = type->size < 64 ? type->size : 64;
    const uint64_t most =
        is_signed ? (UINT64_C(1) << (bits - 1)) - !is_negative : UINT64_MAX >> (64 - bits);
    uint64_t magnitude;
    if ((is_negative || tsdl_is_mark(p, '+')) && !tsdl_next(p))
        return false;
    if (tsdl_token(p)->kind != TOKEN_INTEGER && tsdl_token(p)->kind != TOKEN_CHARACTER)
        return tsdl_unexpected(p, "an integer");
    magnitude = tsdl_token(p)->value;
    if ((magnitude > most || (is_negative && !is_signed && magnitude != 0)) &&
        !enum_excuse(p, type, place, is_negative, magnitude))
        return false;
    *value = is_negative ? 0 - magnitude : magnitude;
    return tsdl_next(p);
}

/* Reads a label: a NAME, which may be a keyword, or a "TEXT". */
static bool enum_label(tsdl *p, uint32_t *word)
{
    const token *t = tsdl_token(p);
    *word = UINT32_MAX;
    if (t->kind == TOKEN_WORD)
        *word = t->word;
    else if (t->kind == TOKEN_TEXT)
        *word = lexer_word(&p->lex, t->text.bytes, t->text.size);
    else
        return tsdl_unexpected(p, "a label");
    return *word != UINT32_MAX && tsdl_next(p);
}

/* Gives the number of the label in p->mappings, adding it if it is new: ranges of one label are
   kept together. */
static bool enum_mapping(tsdl *p, uint32_t word, uint32_t place, uint32_t *number)
{
    const symbol *old = scope_find(p, SYMBOL_OPTION, word);
    ctf_mapping *added;
    if (old != NULL && old->scope == p->scope) {
        *number = old->number;
        return true;
    }
    *number = p->mappings.count;
    added = tsdl_add(&p->mappings, sizeof *added);
    if (added == NULL)
        return false;
    *added = (ctf_mapping){.name = tsdl_text(p, word), .place = {place}};
    if (!scope_define(p, SYMBOL_OPTION, word, NULL, place))
        return false;
    TABLE_LAST(p->symbols, symbol)->number = *number;
    return true;
}

/* Gives the value of a label without one: that after the label before. Returns false if the type
   has no such value. */
static bool enum_follows(const ctf_class *type, const label_range *before, uint64_t *value)
{
    const unsigned bits = type->size < 64 ? type->size : 64;
    const uint64_t most = UINT64_MAX >> (64 - bits) >> (type->kind == CTF_INT);
    *value = before != NULL ? before->range.high + 1 : 0;
    return before == NULL || (before->range.high != most && (type->kind == CTF_INT || *value != 0));
}

/* Reads LABEL [= VALUE [... VALUE]]. */
static bool enumerator(tsdl *p, const ctf_class *type)
{
    const uint32_t place = tsdl_token(p)->offset;
    const bool is_signed = type->kind == CTF_INT;
    const bool is_first = p->ranges.count == 0;
    label_range read = {.range.is_signed = is_signed}, *added;
    uint32_t word;
    bool follows =
        enum_follows(type, is_first ? NULL : TABLE_LAST(p->ranges, label_range), &read.range.low);
    if (!enum_label(p, &word) || !enum_mapping(p, word, place, &read.mapping))
        return false;
    if (tsdl_is_mark(p, '=')) {
        if (!tsdl_next(p) || !enum_value(p, type, &read.range.low))
            return false;
        follows = true;
    }
    if (!follows)
        return tsdl_fail(p, CTF102, place, "a label with a value",
                         "one after the largest value of the type");
    read.range.high = read.range.low;
    if (tsdl_is_mark(p, MARK_DOTS) && (!tsdl_next(p) || !enum_value(p, type, &read.range.high)))
        return false;
    if (is_signed ? (int64_t)read.range.low > (int64_t)read.range.high
                  : read.range.low > read.range.high)
        return tsdl_fail(p, CTF102, place, "a range whose lower value comes first",
                         "one the other way round");
    added = tsdl_add(&p->ranges, sizeof *added);
    if (added != NULL)
        *added = read;
    return added != NULL;
}

/* Gives each mapping its ranges, which are in the order of the text until then. */
static bool enum_finish(tsdl *p, ctf_class *made)
{
    const uint32_t count = p->mappings.count, range_count = p->ranges.count;
    ctf_mapping *mappings = schema_take(p->schema, count, sizeof *mappings);
    ctf_range *ranges = schema_take(p->schema, range_count, sizeof *ranges), *at = ranges;
    if (mappings == NULL || ranges == NULL)
        return false;
    memcpy(mappings, p->mappings.items, count * sizeof *mappings);
    for (uint32_t i = 0; i < range_count; i++)
        mappings[TABLE_AT(p->ranges, label_range, i)->mapping].range_count++;
    for (uint32_t i = 0; i < count; i++) {
        mappings[i].ranges = at;
        at += mappings[i].range_count;
        mappings[i].range_count = 0;
    }
    for (uint32_t i = 0; i < range_count; i++) {
        const label_range *r = TABLE_AT(p->ranges, label_range, i);
        ctf_mapping *m = &mappings[r->mapping];
        ranges[(size_t)(m->ranges - ranges) + m->range_count++] = r->range;
    }
    made->mappings = mappings;
    made->mapping_count = count;
    return true;
}

/* Reads { LABEL, ... } from the opening brace on. */
static bool enum_body(tsdl *p, ctf_class *made)
{
    p->mappings.count = p->ranges.count = 0;
    if (!tsdl_next(p))
        return false;
    scope_push(p);
    do {
        if (!enumerator(p, made))
            return false;
        if (!tsdl_is_mark(p, ','))
            break;
        if (!tsdl_next(p))
            return false;
    } while (!tsdl_is_mark(p, '}'));
    scope_pop(p);
    return tsdl_take_mark(p, '}') && enum_finish(p, made);
}

/* Reads the integer after the colon; without a colon it is "int". */
static bool enum_container(tsdl *p, uint32_t place, const ctf_class **type)
{
    if (tsdl_is_mark(p, ':')) {
        if (!tsdl_next(p))
            return false;
        place = tsdl_token(p)->offset;
        if (!(tsdl_is_word(p, WORD_INTEGER) ? tsdl_integer(p, type) : tsdl_named_type(p, type)))
            return false;
    } else {
        const symbol *s = scope_find(p, SYMBOL_ALIAS, WORD_INT);
        if (s == NULL)
            return tsdl_fail(p, CTF104, place, "a type 'int', which enumerations are of", "none");
        *type = s->type;
    }
    if (((*type)->kind != CTF_INT && (*type)->kind != CTF_UINT) || (*type)->is_enum)
        return tsdl_fail(p, CTF105, place, "an integer, for the values of the enumeration",
                         "another type");
    return true;
}

bool tsdl_enum(tsdl *p, const ctf_class **type)
{
    const uint32_t place = tsdl_token(p)->offset;
    uint32_t name = UINT32_MAX;
    const ctf_class *container;
    ctf_class *made;
    if (!tsdl_next(p))
        return false;
    if (tsdl_is_name(p)) {
        name = tsdl_token(p)->word;
        if (!tsdl_next(p))
            return false;
    }
    if (name != UINT32_MAX && !tsdl_is_mark(p, ':') && !tsdl_is_mark(p, '{')) {
        const symbol *s = scope_find(p, SYMBOL_ENUM, name);
        if (s == NULL)
            return tsdl_fail(p, CTF104, place, NULL, "'enum %.64s', which is not known here",
                             tsdl_text(p, name).bytes);
        *type = s->type;
        return true;
    }
    if (!enum_container(p, place, &container))
        return false;
    if (!tsdl_is_mark(p, '{'))
        return tsdl_unexpected(p, "'{' and the labels");
    made = schema_take(p->schema, 1, sizeof *made);
    if (made == NULL)
        return false;
    *made = *container;
    made->is_enum = true;
    made->place.offset = place;
    p->is_defined = true;
    *type = made;
    return enum_body(p, made) &&
           (name == UINT32_MAX || scope_define(p, SYMBOL_ENUM, name, made, place));
}
