/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/ctf_pretty_value.h"

#include <stdlib.h>

#include "core/swar.h"
#include "sinks/six.h"

#define PIECE_SIZE ((size_t)1024) /* bytes of a string for which room is made at a time */

/* ---- Buffer and text ---- */

char *pretty_make_room(output *out, char *to, size_t size)
{
    out->at = (uint8_t *)to;
    to = (char *)output_reserve(out, size);
    /* Out of memory, which the status says: the text is written to the start of the buffer and
       dropped. */
    return to != NULL ? to : (char *)out->buffer;
}

char *pretty_put_text(output *out, char *to, stele_text text)
{
    for (; text.size > PIECE_SIZE; text.bytes += PIECE_SIZE, text.size -= PIECE_SIZE) {
        to = pretty_room(out, to, PIECE_SIZE);
        to = put_bytes(to, text.bytes, PIECE_SIZE);
    }
    to = pretty_room(out, to, PIECE_SIZE + PRETTY_ROOM);
    return put_bytes(to, text.bytes, text.size);
}

/* ---- Strings ---- */

/* The character that is written after a backslash for `c`; 0: `c` itself is written, 'x': its
   number. */
static char escape_of(uint8_t c)
{
    static const char controls[] = "0xxxxxxabtnvfrxxxxxxxxxxxxxexxxx";
    if (c < 0x20)
        return controls[c];
    if (c == 0x7f)
        return 'x';
    return c == '\\' || c == '\'' || c == '"' || c == '?' ? (char)c : 0;
}

static char *put_escaped(char *to, uint8_t c)
{
    *to++ = '\\';
    *to++ = escape_of(c);
    return to[-1] == 'x' ? text_hex(to, c, 2) : to;
}

/* Marks each byte that needs an escape by its high bit; exact up to the first such byte. */
static uint64_t marks_of(uint64_t word)
{
    return swar_below(word, 0x20) | swar_equal(word, 0x7f) | swar_equal(word, '\\') |
           swar_equal(word, '\'') | swar_equal(word, '"') | swar_equal(word, '?');
}

/* Writes one character of several bytes, or a byte that is not UTF-8, as it is, like babeltrace2.
   Only controls of direction, lines and terminals become \xHH. Returns what follows. */
static const uint8_t *put_wide(char **to, const uint8_t *at, const uint8_t *end)
{
    const size_t length = text_utf8_length(at, (size_t)(end - at));
    const size_t size = length != 0 ? length : 1;
    const bool is_control = length != 0 && text_is_control(at, length);
    for (size_t i = 0; i < size; i++) {
        if (is_control)
            *to = text_hex(PUT(*to, "\\x"), at[i], 2);
        else
            *(*to)++ = (char)at[i];
    }
    return at + size;
}

/* Strings up to this size are copied by copy_plain() if they are plain. */
#define STRING_FEW 64u

/* Whether all eight characters are letters, digits and others that never need an escape. Some that
   need none, such as spaces, are not among them, which makes this cheaper than marks_of(). */
static inline bool is_plain(uint64_t word)
{
    return (swar_below(word, 0x28) | swar_equal(word, '\\') | swar_equal(word, '?') |
            ((word | (word + SWAR_EACH(1))) & SWAR_HIGH_BITS)) == 0;
}

/* Copies a string whose characters are plain. Returns the position after it, or NULL if the string
   has anything else. There must be room for 8 bytes more. */
static inline char *copy_plain(char *to, const uint8_t *at, size_t size)
{
    uint64_t word;
    for (; size >= SWAR_SIZE; size -= SWAR_SIZE, at += SWAR_SIZE, to += SWAR_SIZE) {
        word = load_le64(at);
        if (!is_plain(word))
            return NULL;
        store_le64(to, word);
    }
    word = swar_load_few(at, size, 'a');
    if (!is_plain(word))
        return NULL;
    store_le64(to, word);
    return to + size;
}

char *pretty_put_string(const pretty_values *v, char *to, stele_text text)
{
    const uint8_t *at = (const uint8_t *)text.bytes, *const end = at + text.size;
    to = pretty_room(v->out, to, PRETTY_ROOM + STRING_FEW);
    to = pretty_put_color(to, &v->colors.string);
    *to++ = '"';
    if (text.size <= STRING_FEW) {
        char *const plain_end = copy_plain(to, at, text.size);
        if (plain_end != NULL) {
            *plain_end = '"';
            return pretty_put_color(plain_end + 1, &v->colors.end);
        }
    }
    while (at != end) {
        const size_t left = (size_t)(end - at), size = left < SWAR_SIZE ? left : SWAR_SIZE;
        const uint64_t word = left < SWAR_SIZE ? swar_load_few(at, left, 'a') : load_le64(at);
        const size_t plain = swar_before(marks_of(word)), wide = swar_before(word & SWAR_HIGH_BITS);
        to = pretty_room(v->out, to, PRETTY_ROOM);
        store_le64(to, word);
        if (wide < plain && wide < size) {
            to += wide;
            at = put_wide(&to, at + wide, end);
            continue;
        }
        if (plain >= size) {
            at += size;
            to += size;
            continue;
        }
        at += plain;
        to += plain;
        if (*at == 0)
            break;
        to = put_escaped(to, *at++);
    }
    *to++ = '"';
    return pretty_put_color(to, &v->colors.end);
}

/* ---- Numbers ---- */

static uint64_t low_bits(uint64_t value, unsigned count)
{
    return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

static unsigned width_of(const stele_field *field)
{
    return field->width != 0 && field->width <= 64 ? field->width : 64;
}

uint64_t pretty_hex_bits(const stele_field *field)
{
    return low_bits(UINT64_MAX, (width_of(field) + 3) / 4 * 4);
}

static char *put_octal(char *to, uint64_t value)
{
    int shift = 63 - __builtin_clzll(value | 1);
    *to++ = '0';
    for (shift -= shift % 3; shift >= 0; shift -= 3)
        *to++ = (char)('0' + (value >> shift & 7));
    return to;
}

/* Writes an integer. It needs at most PRETTY_ROOM bytes. */
static char *put_integer(const pretty_values *v, char *to, const stele_field *field)
{
    const bool is_signed = field->type == STELE_TYPE_INT;
    to = pretty_put_color(to, &v->colors.number);
    switch (field->hint & STELE_HINT_BASE_MASK) {
    case STELE_HINT_HEX:
        to = text_hex_upper(PUT(to, "0x"), field->u.u & pretty_hex_bits(field));
        break;
    case STELE_HINT_OCTAL:
        to = put_octal(to, is_signed ? low_bits(field->u.u, (width_of(field) + 2) / 3 * 3)
                                     : field->u.u);
        break;
    case STELE_HINT_BINARY:
        to = PUT(to, "0b");
        for (unsigned bit = width_of(field); bit-- != 0;)
            *to++ = (field->u.u >> bit & 1) != 0 ? '1' : '0';
        break;
    default: to = is_signed ? text_i64(to, field->u.i) : text_u64(to, field->u.u);
    }
    return pretty_put_color(to, &v->colors.end);
}

static char *put_real(const pretty_values *v, char *to, double value)
{
    to = pretty_put_color(to, &v->colors.number);
    to = six_put(to, value);
    return pretty_put_color(to, &v->colors.end);
}

static char *put_bool(const pretty_values *v, char *to, bool value)
{
    to = pretty_put_color(to, &v->colors.number);
    to = value ? PUT(to, "true") : PUT(to, "false");
    return pretty_put_color(to, &v->colors.end);
}

static char *put_hex_byte(const pretty_values *v, char *to, uint8_t byte, const char digits[16])
{
    to = pretty_room(v->out, to, PRETTY_ROOM);
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
    return to;
}

static char *put_blob(const pretty_values *v, char *to, const stele_field *field)
{
    const uint8_t *at = v->batch->bytes + field->u.bytes.offset, *end = at + field->u.bytes.size;
    to = PUT(to, "{ ");
    while (at < end) {
        to = put_hex_byte(v, to, *at++, "0123456789abcdef");
        *to++ = ' ';
    }
    *to++ = '}';
    return to;
}

static char *put_big(const pretty_values *v, char *to, const stele_field *field)
{
    const uint8_t *at = v->batch->bytes + field->u.bytes.offset;
    to = PUT(to, "0x");
    for (uint32_t i = field->u.bytes.size; i-- != 0;)
        to = put_hex_byte(v, to, at[i], "0123456789ABCDEF");
    return to;
}

/* ---- Labels of enumerations and flags ---- */

static char *put_labels(const pretty_values *v, char *to, const stele_field *field)
{
    if (field->label_count == 0) {
        to = pretty_put_color(to, &v->colors.unknown);
        to = PUT(to, "<unknown>");
        return pretty_put_color(to, &v->colors.end);
    }
    if (field->label_count > 1)
        to = PUT(to, "{ ");
    for (unsigned i = 1; i <= field->label_count; i++) {
        if (i > 1)
            to = PUT(to, ", ");
        to = pretty_put_string(v, to, stele_field_text(v->context, v->batch, field + i));
    }
    return field->label_count > 1 ? PUT(to, " }") : to;
}

static char *put_enum(const pretty_values *v, char *to, const stele_field *field)
{
    to = put_labels(v, PUT(to, "( "), field);
    to = pretty_room(v->out, to, PRETTY_ROOM);
    to = put_integer(v, PUT(to, " : container = "), field);
    return PUT(to, " )");
}

static int flag_compare(const void *a, const void *b)
{
    const stele_text *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

/* Writes the names of the flags that are set in a bit map. */
static char *put_flags(const pretty_values *v, char *to, const stele_field *field)
{
    stele_text flags[UINT8_MAX];
    for (unsigned i = 0; i < field->label_count; i++)
        flags[i] = stele_field_text(v->context, v->batch, field + 1 + i);
    qsort(flags, field->label_count, sizeof *flags, flag_compare);
    for (unsigned i = 0; i < field->label_count; i++) {
        to = i == 0 ? PUT(to, " { ") : PUT(to, ", ");
        to = pretty_put_string(v, to, flags[i]);
    }
    return PUT(to, " }");
}

/* ---- Arrays and structures ---- */

static char *put_index(char *to, uint32_t index, bool has_names)
{
    if (index != 0)
        *to++ = ',';
    *to++ = ' ';
    if (has_names) {
        *to++ = '[';
        if (index < 10)
            *to++ = (char)('0' + index);
        else
            to = text_u64(to, index);
        to = PUT(to, "] = ");
    }
    return to;
}

/* Writes integers, decimal or hexadecimal, without colours. */
static char *put_integers(const pretty_values *v, char *to, const stele_field *field,
                          bool has_names)
{
    const uint8_t *at = v->batch->bytes + field->u.bytes.offset;
    const bool is_hex = (field->hint & STELE_HINT_BASE_MASK) != 0;
    const bool is_signed = field->type == STELE_TYPE_INTS;
    const uint64_t bits = pretty_hex_bits(field);
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++, at += 8) {
        const uint64_t value = load_native64(at);
        to = put_index(pretty_room(v->out, to, PRETTY_ROOM), i, has_names);
        to = is_hex      ? text_hex_upper(PUT(to, "0x"), value & bits)
             : is_signed ? text_i64(to, (int64_t)value)
                         : text_u64(to, value);
    }
    return to;
}

/* Writes an array of numbers of 8 bytes each. */
static char *put_packed(const pretty_values *v, char *to, const stele_field *field, bool has_names)
{
    const uint8_t *at = v->batch->bytes + field->u.bytes.offset;
    stele_field element = {.width = field->width, .hint = field->hint & STELE_HINT_BASE_MASK};
    element.type = field->type == STELE_TYPE_INTS ? STELE_TYPE_INT : STELE_TYPE_UINT;
    *to++ = '[';
    if (field->type != STELE_TYPE_FLOATS && element.hint <= STELE_HINT_HEX &&
        v->colors.end.size == 0)
        return PUT(put_integers(v, to, field, has_names), " ]");
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++, at += 8) {
        to = pretty_room(v->out, to, 2 * PRETTY_ROOM);
        to = put_index(to, i, has_names);
        element.u.u = load_native64(at);
        to = field->type == STELE_TYPE_FLOATS ? put_real(v, to, element.u.f)
                                              : put_integer(v, to, &element);
    }
    return PUT(to, " ]");
}

static char *put_array(pretty_values *v, char *to, const stele_field *field, bool has_names)
{
    const stele_field *at = field + 1, *end = at + field->u.run.length;
    *to++ = '[';
    for (uint32_t i = 0; at < end; i++, at += stele_field_length(at)) {
        to = put_index(pretty_room(v->out, to, PRETTY_ROOM), i, has_names);
        to = pretty_put_value(v, to, at, has_names);
    }
    return PUT(pretty_room(v->out, to, PRETTY_ROOM), " ]");
}

char *pretty_put_members(pretty_values *v, char *to, const stele_field *at, const stele_field *end,
                         size_t count, bool has_names)
{
    for (; at < end; at += stele_field_length(at)) {
        if (!pretty_is_shown(at))
            continue;
        to = pretty_room(v->out, to, PRETTY_ROOM);
        to = count++ != 0 ? PUT(to, ", ") : PUT(to, " ");
        if (has_names) {
            v->out->at = (uint8_t *)to;
            name_forms_put(&v->keys, v->out, v->batch, at->name);
            to = (char *)v->out->at;
        }
        to = pretty_put_value(v, to, at, has_names);
    }
    return to;
}

static char *put_variant(pretty_values *v, char *to, const stele_field *field, bool has_names)
{
    to = PUT(to, "{ ");
    if (field->u.run.length != 0)
        to = pretty_put_value(v, to, field + 1, has_names);
    return PUT(pretty_room(v->out, to, PRETTY_ROOM), " }");
}

static char *put_value(pretty_values *v, char *to, const stele_field *field, bool has_names)
{
    switch (field->type) {
    case STELE_TYPE_NULL: return PUT(to, "<none>");
    case STELE_TYPE_BOOL: return put_bool(v, to, field->u.u != 0);
    case STELE_TYPE_FLOAT: return put_real(v, to, field->u.f);
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        return pretty_put_string(v, to, stele_field_text(v->context, v->batch, field));
    case STELE_TYPE_BYTES: return put_blob(v, to, field);
    case STELE_TYPE_BIGINT: return put_big(v, to, field);
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: return put_packed(v, to, field, has_names);
    case STELE_TYPE_STRUCT:
        *to++ = '{';
        to = pretty_put_members(v, to, field + 1, field + 1 + field->u.run.length, 0, has_names);
        return PUT(pretty_room(v->out, to, PRETTY_ROOM), " }");
    case STELE_TYPE_ARRAY: return put_array(v, to, field, has_names);
    case STELE_TYPE_VARIANT: return put_variant(v, to, field, has_names);
    default:
        if ((field->hint & STELE_HINT_ENUM) != 0)
            return put_enum(v, to, field);
        to = put_integer(v, to, field);
        return field->label_count != 0 ? put_flags(v, to, field) : to;
    }
}

char *pretty_put_value(pretty_values *v, char *to, const stele_field *field, bool has_names)
{
    to = pretty_room(v->out, to, 2 * PRETTY_ROOM);
    if ((field->hint & STELE_HINT_OPTIONAL) == 0)
        return put_value(v, to, field, has_names);
    to = put_value(v, PUT(to, "{ "), field, has_names);
    return PUT(pretty_room(v->out, to, PRETTY_ROOM), " }");
}
