/* SPDX-License-Identifier: Apache-2.0 */
/* Reads attributes of blocks, and converts their values to numbers, words, texts and UUIDs. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/ctf/metadata/tsdl.h"

const char *tsdl_value_shown(const attribute *a, char text[FOUND_SIZE])
{
    if (a->kind == VALUE_INTEGER)
        snprintf(text, FOUND_SIZE, "%s%" PRIu64, a->is_negative ? "-" : "", a->magnitude);
    else if (a->kind == VALUE_TYPE)
        snprintf(text, FOUND_SIZE, "a type");
    else
        snprintf(text, FOUND_SIZE, a->kind == VALUE_TEXT ? "\"%.64s\"" : "'%.64s'", a->text.bytes);
    return text;
}

attribute_result tsdl_value_wrong(tsdl *p, const attribute *a, const char *expected)
{
    char text[FOUND_SIZE];
    tsdl_fail(p, CTF102, a->value_place, expected, "%s", tsdl_value_shown(a, text));
    return ATTRIBUTE_BAD;
}

bool tsdl_value_u64(tsdl *p, const attribute *a, uint64_t *value)
{
    *value = a->magnitude;
    return (a->kind == VALUE_INTEGER && (!a->is_negative || a->magnitude == 0)) ||
           tsdl_value_wrong(p, a, "an unsigned integer") == ATTRIBUTE_DONE;
}

bool tsdl_value_i64(tsdl *p, const attribute *a, int64_t *value)
{
    const uint64_t most = (uint64_t)INT64_MAX + a->is_negative;
    *value = (int64_t)(a->is_negative ? 0 - a->magnitude : a->magnitude);
    return (a->kind == VALUE_INTEGER && a->magnitude <= most) ||
           tsdl_value_wrong(p, a, "an integer of 64 bits with sign") == ATTRIBUTE_DONE;
}

bool tsdl_value_bool(tsdl *p, const attribute *a, bool *value)
{
    const bool is_word = a->kind == VALUE_WORD;
    const bool is_number = a->kind == VALUE_INTEGER && !a->is_negative && a->magnitude <= 1;
    *value = is_number ? a->magnitude == 1
                       : is_word && (ctf_text_is(a->text, "true") || ctf_text_is(a->text, "TRUE"));
    return is_number || *value ||
           (is_word && (ctf_text_is(a->text, "false") || ctf_text_is(a->text, "FALSE"))) ||
           tsdl_value_wrong(p, a, "true, false, 1 or 0") == ATTRIBUTE_DONE;
}

bool tsdl_value_text(tsdl *p, const attribute *a, ctf_text *text)
{
    *text = a->text;
    return a->kind == VALUE_TEXT || tsdl_value_wrong(p, a, "a text in quotes") == ATTRIBUTE_DONE;
}

bool tsdl_value_name(tsdl *p, const attribute *a, ctf_text *text)
{
    *text = a->text;
    return a->kind == VALUE_TEXT || a->kind == VALUE_WORD ||
           tsdl_value_wrong(p, a, "a name or a text in quotes") == ATTRIBUTE_DONE;
}

bool tsdl_value_align(tsdl *p, const attribute *a, uint32_t *alignment)
{
    uint64_t value;
    if (!tsdl_value_u64(p, a, &value))
        return false;
    *alignment = (uint32_t)value;
    return tsdl_is_alignment(value) ||
           tsdl_value_wrong(p, a, "a power of two of at most 2^30") == ATTRIBUTE_DONE;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads 12345678-1234-1234-1234-123456789abc. Returns false if the text is not a UUID. */
static bool uuid_read(ctf_text text, uint8_t uuid[16])
{
    const char *at = text.bytes;
    if (text.size != 36)
        return false;
    for (unsigned i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            if (*at++ != '-')
                return false;
        if (hex_value(at[0]) < 0 || hex_value(at[1]) < 0)
            return false;
        uuid[i] = (uint8_t)(hex_value(at[0]) << 4 | hex_value(at[1]));
        at += 2;
    }
    return true;
}

bool tsdl_value_uuid(tsdl *p, const attribute *a, uint8_t uuid[16])
{
    return (a->kind == VALUE_TEXT && uuid_read(a->text, uuid)) ||
           tsdl_value_wrong(p, a, "a UUID in quotes: 8, 4, 4, 4 and 12 hexadecimal digits") ==
               ATTRIBUTE_DONE;
}

bool tsdl_byte_order(const tsdl *p, ctf_text text, bool allows_native, bool *is_big_endian)
{
    if (ctf_text_is(text, "le"))
        *is_big_endian = false;
    else if (ctf_text_is(text, "be") || ctf_text_is(text, "network"))
        *is_big_endian = true;
    else if (allows_native && ctf_text_is(text, "native"))
        *is_big_endian = p->schema->is_big_endian;
    else
        return false;
    return true;
}

static bool value_integer(tsdl *p, attribute *a)
{
    a->kind = VALUE_INTEGER;
    if (tsdl_is_mark(p, '+') || tsdl_is_mark(p, '-')) {
        a->is_negative = tsdl_is_mark(p, '-');
        if (!tsdl_next(p))
            return false;
        if (tsdl_token(p)->kind != TOKEN_INTEGER)
            return tsdl_unexpected(p, "an integer");
    }
    a->magnitude = tsdl_token(p)->value;
    return tsdl_next(p);
}

static bool value_read(tsdl *p, attribute *a)
{
    switch (tsdl_token(p)->kind) {
    case TOKEN_TEXT:
    case TOKEN_CHARACTER:
        a->kind = VALUE_TEXT;
        a->text = tsdl_token(p)->text;
        return tsdl_next(p);
    case TOKEN_WORD:
        a->kind = VALUE_WORD;
        if (!tsdl_take_path(p, &a->word))
            return false;
        a->path_count = p->path.count;
        a->text = tsdl_text(p, a->word);
        return true;
    case TOKEN_INTEGER: return value_integer(p, a);
    case TOKEN_MARK:
        if (tsdl_is_mark(p, '+') || tsdl_is_mark(p, '-'))
            return value_integer(p, a);
        break;
    case TOKEN_END: break;
    }
    return tsdl_unexpected(p, "a value: an integer, a text in quotes or a word");
}

/* Returns the scope whose type the attribute gives. */
static ctf_scope scope_of(uint32_t name)
{
    switch (name) {
    case WORD_PACKET_HEADER: return CTF_SCOPE_PACKET_HEADER;
    case WORD_PACKET_CONTEXT: return CTF_SCOPE_PACKET_CONTEXT;
    case WORD_EVENT_HEADER: return CTF_SCOPE_EVENT_HEADER;
    case WORD_EVENT_CONTEXT: return CTF_SCOPE_COMMON_CONTEXT;
    case WORD_CONTEXT: return CTF_SCOPE_SPECIFIC_CONTEXT;
    case WORD_FIELDS: return CTF_SCOPE_PAYLOAD;
    default: return CTF_SCOPE_COUNT;
    }
}

/* Reads NAME = VALUE or NAME := TYPE. */
static bool attribute_read(tsdl *p, attribute *a)
{
    bool done;
    *a = (attribute){.place = tsdl_token(p)->offset};
    if (!tsdl_take_path(p, &a->name))
        return false;
    if (tsdl_is_mark(p, '=')) {
        if (!tsdl_next(p))
            return false;
        a->value_place = tsdl_token(p)->offset;
        return value_read(p, a);
    }
    if (!tsdl_is_mark(p, MARK_ASSIGN))
        return tsdl_unexpected(p, "'=' or ':='");
    if (!tsdl_next(p))
        return false;
    a->value_place = tsdl_token(p)->offset;
    a->kind = VALUE_TYPE;
    p->assigned = scope_of(a->name);
    done = tsdl_type(p, USE_ASSIGN, &a->type);
    p->assigned = CTF_SCOPE_COUNT;
    p->assigned_scope = 0;
    return done;
}

static bool attribute_give(tsdl *p, block *b, const attribute *a)
{
    const bool is_known = a->name < WORD_COUNT;
    _Static_assert(WORD_COUNT <= 64, "block.seen has a bit for each known word");
    if (is_known && block_has(b, a->name))
        return tsdl_fail(p, CTF103, a->place, NULL, "'%s' in %s a second time",
                         tsdl_text(p, a->name).bytes, b->name);
    switch (b->fn(p, a, b->user)) {
    case ATTRIBUTE_BAD: return false;
    case ATTRIBUTE_UNKNOWN:
        p->m->misnamed_place = a->place;
        p->m->is_misnamed_type = a->kind == VALUE_TYPE;
        metadata_report(p->m, &ctf_codes[CTF107], (ctf_place){a->place}, NULL, "'%.64s' in %s",
                        tsdl_text(p, a->name).bytes, b->name);
        break;
    case ATTRIBUTE_DONE:
        if (is_known)
            b->seen |= UINT64_C(1) << a->name;
        break;
    }
    return true;
}

bool tsdl_block(tsdl *p, block *b)
{
    if (!tsdl_take_mark(p, '{'))
        return false;
    while (!tsdl_is_mark(p, '}')) {
        attribute a;
        if (tsdl_is_mark(p, ';')) {
            if (!tsdl_next(p))
                return false;
        } else if (b->is_open && tsdl_is_declaration(p)) {
            if (!tsdl_declaration(p))
                return false;
        } else if (!attribute_read(p, &a) || !attribute_give(p, b, &a) || !tsdl_take_mark(p, ';')) {
            return false;
        }
    }
    return tsdl_next(p);
}

bool tsdl_scope_type(tsdl *p, const attribute *a, ctf_stream_class *stream, const ctf_class **type)
{
    if (a->kind != VALUE_TYPE || a->type->kind != CTF_STRUCT)
        return tsdl_value_wrong(p, a, "a structure, given by ':='") == ATTRIBUTE_DONE;
    *type = tsdl_with_roles(p, a->type, scope_of(a->name), stream);
    return *type != NULL;
}
