/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/text_value.h"

#include "core/load.h"
#include "core/text_double.h"
#include "sinks/put.h"
#include "sinks/value.h"

#define BYTES_SHOWN 32

/* ---- Strings ---- */

/*
 * Whether a string without quotes would be read as something else: a number, a list, several words.
 */
static bool string_needs_quotes(const uint8_t *bytes, size_t size)
{
    static const bool quoted[256] = {
        ['"'] = true, ['\\'] = true, ['='] = true, [','] = true, ['{'] = true,
        ['}'] = true, ['['] = true,  [']'] = true, [0x7f] = true};
    bool is_ascii = true;
    if (size == 0 || bytes[0] == '(' || (bytes[0] >= '0' && bytes[0] <= '9') ||
        (bytes[0] == '-' && size > 1 && bytes[1] >= '0' && bytes[1] <= '9'))
        return true;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] <= ' ' || quoted[bytes[i]])
            return true;
        is_ascii &= bytes[i] < 0x80;
    }
    return !is_ascii && !text_is_utf8(bytes, size);
}

/* The letter of a short escape, such as 'n' for a line feed; 0 if there is none. */
static char short_escape(uint8_t byte)
{
    switch (byte) {
    case '"': return '"';
    case '\\': return '\\';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

static void put_escaped(output *out, const uint8_t *bytes, size_t size, bool in_quotes)
{
    const uint8_t *at = bytes, *start = at, *const end = at + size;
    for (; at != end; at++) {
        const char letter = short_escape(*at);
        if (letter == 0 || (!in_quotes && (letter == '"' || letter == '\\')))
            continue;
        text_visible(out, start, (size_t)(at - start));
        output_byte(out, '\\');
        output_byte(out, (uint8_t)letter);
        start = at + 1;
    }
    text_visible(out, start, (size_t)(end - start));
}

void text_put_visible(output *out, const void *bytes, size_t size)
{
    put_escaped(out, bytes, size, false);
}

/* Appends a string, in quotes if it needs them. Returns whether it was changed. */
static bool string_form(output *out, const void *bytes, size_t size)
{
    if (!string_needs_quotes(bytes, size)) {
        text_visible(out, bytes, size);
        return false;
    }
    output_byte(out, '"');
    put_escaped(out, bytes, size, true);
    output_byte(out, '"');
    return false;
}

/* ---- Values ---- */

static void put_integer(output *out, uint64_t value, unsigned base)
{
    char digits[2 + 64], *to = digits + sizeof digits;
    const unsigned shift = base == STELE_HINT_OCTAL ? 3 : 1;
    if (base == 0) {
        output_u64(out, value);
        return;
    }
    if (base != STELE_HINT_OCTAL && base != STELE_HINT_BINARY) {
        output_hex(out, value);
        return;
    }
    do {
        *--to = (char)('0' + (value & ((1u << shift) - 1)));
        value >>= shift;
    } while (value != 0);
    *--to = base == STELE_HINT_OCTAL ? 'o' : 'b';
    *--to = '0';
    output_write(out, to, (size_t)(digits + sizeof digits - to));
}

static void put_signed(output *out, int64_t value, unsigned base)
{
    if (base == 0 || value >= 0) {
        if (base == 0)
            output_i64(out, value);
        else
            put_integer(out, (uint64_t)value, base);
        return;
    }
    output_byte(out, '-');
    put_integer(out, 0 - (uint64_t)value, base);
}

/* Writes bytes as "<de ad be ef>", or if there are many as the first ones with the size, "<de ad
   ... 4096 bytes>"; printable bytes as "<"step 0 begin">". */
static void put_bytes_shortened(text_values *values, output *out, const stele_batch *batch,
                                const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const uint32_t size = field->u.bytes.size;
    output_byte(out, '<');
    if (text_is_printable(bytes, size)) {
        output_byte(out, '"');
        put_escaped(out, bytes, size, true);
        OUTPUT_LITERAL(out, "\">");
        return;
    }
    for (uint32_t i = 0; i < size && i < BYTES_SHOWN; i++) {
        if (i != 0)
            output_byte(out, ' ');
        hex_put(out, &bytes[i], 1);
    }
    if (size > BYTES_SHOWN) {
        OUTPUT_LITERAL(out, " ... ");
        output_u64(out, size);
        OUTPUT_LITERAL(out, " bytes");
        values->shortened_count++;
    }
    output_byte(out, '>');
}

static void put_array(output *out, const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    output_byte(out, '[');
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++) {
        const uint64_t element = load_native64(bytes + (size_t)i * 8);
        if (i != 0)
            output_byte(out, ' ');
        if (field->type == STELE_TYPE_UINTS) {
            put_integer(out, element, base);
        } else if (field->type == STELE_TYPE_INTS) {
            put_signed(out, (int64_t)element, base);
        } else {
            double number;
            memcpy(&number, &element, sizeof number);
            output_double(out, number);
        }
    }
    output_byte(out, ']');
}

static void put_scalar(text_values *values, output *out, const stele_batch *batch,
                       const stele_field *field)
{
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    switch (field->type) {
    case STELE_TYPE_BOOL: output_text(out, field->u.u != 0 ? "true" : "false"); break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_KOID: put_integer(out, field->u.u, base); break;
    case STELE_TYPE_INT: put_signed(out, field->u.i, base); break;
    case STELE_TYPE_FLOAT: output_double(out, field->u.f); break;
    case STELE_TYPE_POINTER: output_hex(out, field->u.u); break;
    case STELE_TYPE_NAME: name_forms_put(&values->names, out, batch, (stele_name)field->u.u); break;
    case STELE_TYPE_STRING:
        string_form(out, batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_BYTES: put_bytes_shortened(values, out, batch, field); break;
    case STELE_TYPE_BIGINT: bigint_put(out, batch, field); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_array(out, batch, field); break;
    default: OUTPUT_LITERAL(out, "null"); break;
    }
}

static void put_run(text_values *values, output *out, const stele_batch *batch,
                    const stele_field *field);

void text_put_value(text_values *values, output *out, const stele_batch *batch,
                    const stele_field *field)
{
    if (field->type < STELE_TYPE_RUN_FIRST)
        put_scalar(values, out, batch, field);
    else
        put_run(values, out, batch, field);
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(values->context, batch, field + i);
        if (i == 1)
            OUTPUT_LITERAL(out, " (");
        else
            OUTPUT_LITERAL(out, ", ");
        text_visible(out, label.bytes, label.size);
    }
    if (field->label_count != 0)
        output_byte(out, ')');
}

/* Appends a member that is a decimal integer without labels, as most are, with a name that is kept.
   Returns false, without writing, for any other member. */
static inline bool put_number_member(const text_values *values, output *out,
                                     const stele_field *field)
{
    const name_form *name =
        field->name < values->names.count ? &values->names.items[field->name] : NULL;
    char *to;
    if ((field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT) ||
        field->label_count != 0 || (field->hint & STELE_HINT_BASE_MASK) != 0 ||
        values->key_begin != NULL || name == NULL || name->bytes == NULL)
        return false;
    to = (char *)output_reserve(out, (size_t)name->size + PUT_BLOCK + 1 + TEXT_U64_SIZE);
    if (to == NULL)
        return false;
    to = put_blocks(to, name->bytes, name->size);
    *to++ = '=';
    to = field->type == STELE_TYPE_INT ? text_i64(to, field->u.i) : text_u64(to, field->u.u);
    output_advance(out, (size_t)(to - (char *)out->at));
    return true;
}

void text_put_member(text_values *values, output *out, const stele_batch *batch,
                     const stele_field *field)
{
    if (put_number_member(values, out, field))
        return;
    if (values->key_begin != NULL)
        output_text(out, values->key_begin);
    name_forms_put(&values->names, out, batch, field->name);
    if (values->key_begin != NULL)
        output_text(out, values->key_end);
    output_byte(out, '=');
    text_put_value(values, out, batch, field);
}

/* Writes an array as "[1 2 3]" or a structure as "{x=1, y=2}". */
static void put_run(text_values *values, output *out, const stele_batch *batch,
                    const stele_field *field)
{
    const stele_field *members = field + 1 + field->label_count;
    const bool is_array = field->type == STELE_TYPE_ARRAY;
    output_byte(out, is_array ? '[' : '{');
    for (uint32_t at = 0; at < field->u.run.length; at += stele_field_length(members + at)) {
        if (at != 0 && !is_array)
            output_byte(out, ',');
        if (at != 0)
            output_byte(out, ' ');
        if (is_array)
            text_put_value(values, out, batch, members + at);
        else
            text_put_member(values, out, batch, members + at);
    }
    output_byte(out, is_array ? ']' : '}');
}

stele_status text_values_init(text_values *values, stele_context *context)
{
    *values = (text_values){.context = context};
    return name_forms_init(&values->names, context, string_form);
}

void text_values_free(text_values *values)
{
    name_forms_free(&values->names);
}
