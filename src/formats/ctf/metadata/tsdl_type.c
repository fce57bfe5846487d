/* SPDX-License-Identifier: Apache-2.0 */
/* Reads types made of others, and names of types (CTF 1.8.3, sections 4.2 and 7.3). */
#include "formats/ctf/metadata/tsdl.h"

/* ---- Types by name ---- */

static bool is_type_word(const tsdl *p)
{
    const token *t = tsdl_token(p);
    return t->kind == TOKEN_WORD && t->word <= WORD_LAST_C_TYPE;
}

/* Joins words of C's types and stars, without "const", which changes no layout. */
bool tsdl_type_name(tsdl *p, uint32_t *word)
{
    uint32_t count = 0;
    bool is_own = false;
    p->key.count = 0;
    for (;;) {
        const bool is_const = tsdl_is_word(p, WORD_CONST);
        const bool is_star = tsdl_is_mark(p, '*') && count > 0;
        ctf_text text;
        if (!is_const && !is_star && !(is_type_word(p) && !is_own) &&
            !(tsdl_is_name(p) && count == 0))
            break;
        if (!is_const) {
            is_own |= is_star || tsdl_is_name(p);
            *word = is_star ? UINT32_MAX : tsdl_token(p)->word;
            text = is_star ? (ctf_text){"*", 1} : tsdl_text(p, *word);
            if ((count++ > 0 && !tsdl_key_add(p, (ctf_text){" ", 1})) || !tsdl_key_add(p, text))
                return false;
        }
        if (!tsdl_next(p))
            return false;
    }
    if (count == 0)
        return tsdl_unexpected(p, "a type");
    if (count > 1)
        *word = lexer_word(&p->lex, p->key.items, p->key.count);
    return *word != UINT32_MAX;
}

bool tsdl_named_type(tsdl *p, const ctf_class **type)
{
    const uint32_t place = tsdl_token(p)->offset;
    uint32_t word;
    const symbol *s;
    if (!tsdl_type_name(p, &word))
        return false;
    s = scope_find(p, SYMBOL_ALIAS, word);
    if (s == NULL)
        return tsdl_fail(p, CTF104, place, NULL, "the type '%.64s', which is not known here",
                         tsdl_text(p, word).bytes);
    *type = *TABLE_LAST(p->key, char) == '*' ? tsdl_pointer(p, s->type) : s->type;
    return *type != NULL;
}

bool tsdl_is_alignment(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0 && value <= UINT32_C(1) << 30;
}

/* ---- Arrays and sequences ---- */

/* Reads [LENGTH] or [PATH]; the current token is the opening bracket. */
static bool dimension_read(tsdl *p, bool is_reusable, dimension *d)
{
    const ctf_class *tag;
    uint32_t path;
    if (!tsdl_next(p))
        return false;
    *d = (dimension){.env = UINT32_MAX, .place = tsdl_token(p)->offset};
    if (tsdl_token(p)->kind == TOKEN_INTEGER) {
        d->length = tsdl_token(p)->value;
        return tsdl_next(p) && tsdl_take_mark(p, ']');
    }
    if (tsdl_token(p)->kind != TOKEN_WORD)
        return tsdl_unexpected(p, "a length: an unsigned integer or a field");
    if (!tsdl_take_path(p, &path))
        return false;
    if (TABLE_AT(p->path, path_step, 0)->word == WORD_ENV) {
        if (p->path.count != 2)
            return tsdl_fail(p, CTF102, d->place, "env.NAME", "something else");
        d->env = TABLE_AT(p->path, path_step, 1)->word;
        return tsdl_take_mark(p, ']');
    }
    d->length_at = tsdl_location(p, is_reusable, &tag);
    if (d->length_at == NULL)
        return false;
    if (tag != NULL && tag->kind != CTF_UINT && tag->kind != CTF_VARIANT)
        return tsdl_fail(p, CTF105, d->place, "an unsigned integer, for the length",
                         "a field of another type");
    return tsdl_take_mark(p, ']');
}

static const ctf_class *array_of(tsdl *p, const ctf_class *element, const dimension *d)
{
    const bool is_text = (element->kind == CTF_UINT || element->kind == CTF_INT) &&
                         !element->is_enum && element->encoding != CTF_NO_TEXT &&
                         element->size == 8 && element->alignment == 8;
    const bool is_dynamic = d->length_at != NULL;
    ctf_class *made = schema_take(p->schema, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->kind = (uint8_t)(is_text      ? (is_dynamic ? CTF_DYNAMIC_STRING : CTF_STATIC_STRING)
                           : is_dynamic ? CTF_DYNAMIC_ARRAY
                                        : CTF_STATIC_ARRAY);
    made->encoding = is_text ? element->encoding : (uint8_t)CTF_NO_TEXT;
    made->alignment = element->alignment;
    made->alignment_minimum = 1;
    made->place.offset = d->place;
    made->u.array.element = is_text ? NULL : element;
    made->u.array.length = d->length;
    made->u.array.length_at = d->length_at;
    if (d->env != UINT32_MAX) {
        env_length *late = tsdl_add(&p->env_lengths, sizeof *late);
        if (late == NULL)
            return NULL;
        *late = (env_length){made, d->env, d->place};
    }
    return made;
}

/* Reads all brackets after a name. As in C, the last ones are of the innermost array. */
static bool dimensions_read(tsdl *p, bool is_reusable, const ctf_class **type)
{
    p->dimensions.count = 0;
    while (tsdl_is_mark(p, '[')) {
        dimension read, *added;
        if (!dimension_read(p, is_reusable, &read))
            return false;
        if (p->dimensions.count == p->m->limits->depth_max)
            return tsdl_fail(p, CTF108, read.place, NULL, "more than %u dimensions",
                             (unsigned)p->m->limits->depth_max);
        added = tsdl_add(&p->dimensions, sizeof *added);
        if (added == NULL)
            return false;
        *added = read;
    }
    for (uint32_t i = p->dimensions.count; i > 0; i--) {
        *type = array_of(p, *type, TABLE_AT(p->dimensions, dimension, i - 1));
        if (*type == NULL)
            return false;
    }
    return true;
}

/* ---- Names of fields, options and types ---- */

/* Removes the one `_` that distinguishes names from keywords. */
static ctf_text shown_name(ctf_text written)
{
    const bool is_escaped = written.size > 0 && *written.bytes == '_';
    return (ctf_text){written.bytes + is_escaped, written.size - is_escaped};
}

static bool member_add(tsdl *p, uint32_t word, const ctf_class *type, uint32_t place)
{
    const body *b = TABLE_LAST(p->bodies, body);
    const ctf_text written = tsdl_text(p, word);
    ctf_member *added;
    if (!scope_define(p, b->is_variant ? SYMBOL_OPTION : SYMBOL_FIELD, word, type, place))
        return false;
    added = tsdl_add(&p->members, sizeof *added);
    if (added == NULL)
        return false;
    *added = (ctf_member){
        .name = shown_name(written), .written = written, .type = type, .place = {place}};
    return true;
}

/* Reads NAME [LENGTH]..., and gives the name its meaning. */
static bool declarator(tsdl *p, type_use use, const ctf_class *type)
{
    const uint32_t place = tsdl_token(p)->offset;
    uint32_t word;
    if (!tsdl_is_name(p))
        return tsdl_unexpected(p, use == USE_MEMBER ? "the name of the field, no keyword"
                                                    : "a name for the type, no keyword");
    word = tsdl_token(p)->word;
    if (type->kind == CTF_VARIANT && type->u.variant.selector == NULL)
        return tsdl_fail(p, CTF105, place, "a variant with a tag, variant <TAG>", "one without");
    if (type == p->unselectable)
        return tsdl_fail(p, CTF105, place, "a variant with an option that a label of its tag names",
                         "one with other options only");
    if (!tsdl_next(p) || !dimensions_read(p, use != USE_MEMBER, &type))
        return false;
    if (tsdl_is_mark(p, ':'))
        return tsdl_unexpected(p, "';' (bit-fields are integers of their size here)");
    return use == USE_MEMBER ? member_add(p, word, type, place)
                             : scope_define(p, SYMBOL_ALIAS, word, type, place);
}

/* Reads what follows the type of a field or of a typedef. */
static bool declarators(tsdl *p, type_use use, const ctf_class *type)
{
    if (use == USE_MEMBER && tsdl_is_mark(p, ';') && p->is_defined)
        return tsdl_next(p); /* only a type is declared, for later use */
    for (;;) {
        if (!declarator(p, use, type))
            return false;
        if (!tsdl_is_mark(p, ','))
            return tsdl_take_mark(p, ';');
        if (!tsdl_next(p))
            return false;
    }
}

/* Reads [LENGTH]... := NAME [LENGTH]...;. */
static bool alias(tsdl *p, const ctf_class *type)
{
    uint32_t word, place;
    if (!dimensions_read(p, true, &type) || !tsdl_take_mark(p, MARK_ASSIGN))
        return false;
    place = tsdl_token(p)->offset;
    if (type->kind == CTF_VARIANT && type->u.variant.selector == NULL)
        return tsdl_fail(p, CTF105, place, "a variant with a tag, variant <TAG>", "one without");
    return tsdl_type_name(p, &word) && dimensions_read(p, true, &type) &&
           scope_define(p, SYMBOL_ALIAS, word, type, place) && tsdl_take_mark(p, ';');
}

static bool use_finish(tsdl *p, type_use use, const ctf_class *type)
{
    return use == USE_ALIAS ? alias(p, type) : declarators(p, use, type);
}

/* ---- Structures and variants ---- */

static bool body_open(tsdl *p, const body *b)
{
    body *added;
    if (p->bodies.count >= p->m->limits->depth_max)
        return tsdl_fail(p, CTF108, b->place, NULL, "types within more than %u others",
                         (unsigned)p->m->limits->depth_max);
    added = tsdl_add(&p->bodies, sizeof *added);
    if (added == NULL)
        return false;
    scope_push(p);
    *added = *b;
    added->scope = p->scope;
    added->first_member = p->members.count;
    if (p->assigned != CTF_SCOPE_COUNT && p->assigned_scope == 0) {
        p->assigned_scope = p->scope;
        added->is_reusable = false; /* what it contains is found from its begin */
    }
    p->reusable_count += added->is_reusable;
    return tsdl_next(p);
}

static bool struct_begin(tsdl *p, type_use use, const ctf_class **type, bool *is_open)
{
    body b = {.place = tsdl_token(p)->offset, .name = UINT32_MAX};
    const symbol *s;
    if (!tsdl_next(p))
        return false;
    if (tsdl_is_name(p)) {
        b.name = tsdl_token(p)->word;
        if (!tsdl_next(p))
            return false;
    }
    *is_open = tsdl_is_mark(p, '{');
    if (*is_open) {
        b.is_reusable = b.name != UINT32_MAX || use == USE_TYPEDEF || use == USE_ALIAS;
        return body_open(p, &b);
    }
    if (b.name == UINT32_MAX)
        return tsdl_unexpected(p, "the name of a structure, or '{'");
    s = scope_find(p, SYMBOL_STRUCT, b.name);
    if (s == NULL)
        return tsdl_fail(p, CTF104, b.place, NULL, "'struct %.64s', which is not known here",
                         tsdl_text(p, b.name).bytes);
    *type = s->type;
    return true;
}

/* Reads <TAG>; the current token is the opening mark. */
static bool selector_read(tsdl *p, bool is_reusable, body *b)
{
    const uint32_t place = tsdl_token(p)->offset + 1;
    uint32_t path;
    if (!tsdl_next(p))
        return false;
    if (tsdl_token(p)->kind != TOKEN_WORD)
        return tsdl_unexpected(p, "the field that selects");
    if (!tsdl_take_path(p, &path))
        return false;
    b->selector = tsdl_location(p, is_reusable, &b->tag);
    if (b->selector == NULL)
        return false;
    if (b->tag != NULL && !b->tag->is_enum && b->tag->kind != CTF_VARIANT)
        return tsdl_fail(p, CTF105, place, "an enumeration, to select an option",
                         "a field of another type");
    return tsdl_take_mark(p, '>');
}

/* Makes a variant that was declared before, with another tag. */
static bool variant_reference(tsdl *p, const body *b, const ctf_class **type)
{
    const symbol *s = scope_find(p, SYMBOL_VARIANT, b->name);
    ctf_class *made;
    if (s == NULL)
        return tsdl_fail(p, CTF104, b->place, NULL, "'variant %.64s', which is not known here",
                         tsdl_text(p, b->name).bytes);
    *type = s->type;
    if (b->selector == NULL)
        return true;
    made = schema_take(p->schema, 1, sizeof *made);
    if (made == NULL)
        return false;
    *made = *s->type;
    made->u.variant.selector = b->selector;
    made->place.offset = b->place;
    *type = made;
    return true;
}

static bool variant_begin(tsdl *p, type_use use, const ctf_class **type, bool *is_open)
{
    body b = {.place = tsdl_token(p)->offset, .name = UINT32_MAX, .is_variant = true};
    if (!tsdl_next(p))
        return false;
    if (tsdl_is_name(p)) {
        b.name = tsdl_token(p)->word;
        if (!tsdl_next(p))
            return false;
    }
    b.is_reusable = b.name != UINT32_MAX || use == USE_TYPEDEF || use == USE_ALIAS;
    if (tsdl_is_mark(p, '<') && !selector_read(p, b.is_reusable, &b))
        return false;
    *is_open = tsdl_is_mark(p, '{');
    if (*is_open)
        return body_open(p, &b);
    if (b.name == UINT32_MAX)
        return tsdl_unexpected(p, "the name of a variant, or '{'");
    return variant_reference(p, &b, type);
}

/* Reads align(N) after the closing brace. */
static bool struct_alignment(tsdl *p, ctf_class *made)
{
    uint32_t place;
    uint64_t value;
    if (!tsdl_is_word(p, WORD_ALIGN))
        return true;
    if (!tsdl_next(p) || !tsdl_take_mark(p, '('))
        return false;
    place = tsdl_token(p)->offset;
    if (tsdl_token(p)->kind != TOKEN_INTEGER)
        return tsdl_unexpected(p, "an alignment in bits, an unsigned integer");
    value = tsdl_token(p)->value;
    if (!tsdl_is_alignment(value))
        return tsdl_fail(p, CTF102, place, "a power of two of at most 2^30", "%llu",
                         (unsigned long long)value);
    made->alignment_minimum = (uint32_t)value;
    return tsdl_next(p) && tsdl_take_mark(p, ')');
}

static bool has_option(const tsdl *p, const body *b, uint32_t word)
{
    const symbol *s = word != UINT32_MAX ? scope_find(p, SYMBOL_OPTION, word) : NULL;
    return s != NULL && s->scope == b->scope;
}

/* Whether a label of the tag names an option, with or without escapes. Otherwise no option can be
   selected. */
static bool is_selectable(tsdl *p, const body *b)
{
    for (uint32_t i = 0; i < b->tag->mapping_count; i++) {
        const ctf_text label = b->tag->mappings[i].name;
        const bool is_escaped = label.size != 0 && *label.bytes == '_';
        p->key.count = 0;
        if (!tsdl_key_add(p, (ctf_text){"_", 1}) || !tsdl_key_add(p, label) ||
            has_option(p, b, lexer_word(&p->lex, label.bytes, label.size)) ||
            has_option(p, b, lexer_word(&p->lex, p->key.items, p->key.count)) ||
            (is_escaped && has_option(p, b, lexer_word(&p->lex, label.bytes + 1, label.size - 1))))
            return true;
    }
    return false;
}

static bool struct_finish(tsdl *p, ctf_class *made, const ctf_class **type)
{
    if (!struct_alignment(p, made))
        return false;
    made->alignment = made->alignment_minimum;
    for (uint32_t i = 0; i < made->u.structure.count; i++)
        if (made->alignment < made->u.structure.members[i].type->alignment)
            made->alignment = made->u.structure.members[i].type->alignment;
    *type = class_pool_share_structure(&p->classes, p->schema, made);
    return *type != NULL;
}

static bool variant_finish(tsdl *p, const body *b, ctf_class *made, const ctf_class **type)
{
    const uint32_t count = made->u.variant.count;
    ctf_class *own = schema_take(p->schema, 1, sizeof *own);
    ctf_member *options = schema_take(p->schema, count, sizeof *options);
    if (count == 0)
        return tsdl_fail(p, CTF105, b->place, "a variant with options", "one without");
    if (own == NULL || options == NULL)
        return false;
    memcpy(options, made->u.variant.options, count * sizeof *options);
    *own = *made;
    own->u.variant.options = options;
    own->u.variant.selector = b->selector;
    own->selects_by_name = true;
    p->unselectable = b->tag != NULL && b->tag->is_enum && !is_selectable(p, b) ? own : NULL;
    *type = own;
    return true;
}

/* Ends a body; the current token is the closing brace. */
static bool body_close(tsdl *p, const ctf_class **type)
{
    const body b = *TABLE_LAST(p->bodies, body);
    const uint32_t count = p->members.count - b.first_member;
    const ctf_member *members =
        count != 0 ? TABLE_AT(p->members, ctf_member, b.first_member) : NULL;
    ctf_class made;
    if (!tsdl_next(p))
        return false;
    memset(&made, 0, sizeof made); /* the pool compares classes byte for byte */
    made.kind = b.is_variant ? CTF_VARIANT : CTF_STRUCT;
    made.alignment = made.alignment_minimum = 1;
    made.place.offset = b.place;
    if (b.is_variant) {
        made.u.variant.options = members;
        made.u.variant.count = count;
    } else {
        made.u.structure.members = members;
        made.u.structure.count = count;
    }
    if (!(b.is_variant ? variant_finish(p, &b, &made, type) : struct_finish(p, &made, type)))
        return false;
    p->members.count = b.first_member;
    p->reusable_count -= b.is_reusable;
    p->bodies.count--;
    scope_pop(p);
    p->is_defined = true;
    return b.name == UINT32_MAX ||
           scope_define(p, b.is_variant ? SYMBOL_VARIANT : SYMBOL_STRUCT, b.name, *type, b.place);
}

/* ---- Types of any kind ---- */

/* Reads a type without a body, or the begin of a type with one: `*is_open` is true then, and the
   body follows. */
static bool type_begin(tsdl *p, type_use use, const ctf_class **type, bool *is_open)
{
    *is_open = false;
    p->is_defined = false;
    while (tsdl_is_word(p, WORD_CONST))
        if (!tsdl_next(p))
            return false;
    if (tsdl_token(p)->kind != TOKEN_WORD)
        return tsdl_unexpected(p, "a type");
    switch (tsdl_token(p)->word) {
    case WORD_STRUCT: return struct_begin(p, use, type, is_open);
    case WORD_VARIANT: return variant_begin(p, use, type, is_open);
    case WORD_INTEGER: return tsdl_integer(p, type);
    case WORD_FLOATING_POINT: return tsdl_float(p, type);
    case WORD_STRING: return tsdl_string(p, type);
    case WORD_ENUM: return tsdl_enum(p, type);
    default: return tsdl_named_type(p, type);
    }
}

/* Steps over semicolons between the declarations of a body, and finds out what comes next. */
static bool body_next(tsdl *p, bool *is_closed)
{
    body *b = TABLE_LAST(p->bodies, body);
    while (tsdl_is_mark(p, ';'))
        if (!tsdl_next(p))
            return false;
    *is_closed = tsdl_is_mark(p, '}');
    b->use = tsdl_is_word(p, WORD_TYPEDEF)     ? USE_TYPEDEF
             : tsdl_is_word(p, WORD_TYPEALIAS) ? USE_ALIAS
                                               : USE_MEMBER;
    return *is_closed || b->use == USE_MEMBER || tsdl_next(p);
}

bool tsdl_type(tsdl *p, type_use use, const ctf_class **type)
{
    const uint32_t outermost = p->bodies.count;
    bool is_open, is_closed;
    for (;;) {
        if (!type_begin(p, p->bodies.count > outermost ? TABLE_LAST(p->bodies, body)->use : use,
                        type, &is_open))
            return false;
        /* Uses the finished type, and ends bodies, until a body contains another type. */
        for (;; is_open = false) {
            if (!is_open && p->bodies.count == outermost)
                return true;
            if (!is_open && !use_finish(p, TABLE_LAST(p->bodies, body)->use, *type))
                return false;
            if (!body_next(p, &is_closed))
                return false;
            if (!is_closed)
                break;
            if (!body_close(p, type))
                return false;
        }
    }
}

/* ---- Declarations of types ---- */

bool tsdl_is_declaration(const tsdl *p)
{
    return tsdl_is_word(p, WORD_TYPEDEF) || tsdl_is_word(p, WORD_TYPEALIAS) ||
           tsdl_is_word(p, WORD_STRUCT) || tsdl_is_word(p, WORD_VARIANT) ||
           tsdl_is_word(p, WORD_ENUM);
}

bool tsdl_declaration(tsdl *p)
{
    const type_use use = tsdl_is_word(p, WORD_TYPEDEF)     ? USE_TYPEDEF
                         : tsdl_is_word(p, WORD_TYPEALIAS) ? USE_ALIAS
                                                           : USE_ROOT;
    const ctf_class *type;
    if ((use != USE_ROOT && !tsdl_next(p)) || !tsdl_type(p, use, &type))
        return false;
    if (use != USE_ROOT)
        return use_finish(p, use, type);
    if (p->is_defined && tsdl_is_declaration(p)) {
        metadata_report(p->m, &ctf_codes[CTF109], (ctf_place){tsdl_token(p)->offset}, "';'",
                        "the next declaration");
        return true;
    }
    return tsdl_take_mark(p, ';');
}
