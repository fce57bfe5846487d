/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/value.h"

#include <math.h>
#include <stdlib.h>

#include "core/load.h"
#include "core/text_double.h"
#include "sinks/put.h"

/* ---- Strings ---- */

static void put_escaped(output *out, const uint8_t *at, size_t size)
{
    const uint8_t *const end = at + size;
    const uint8_t *start = at; /* begin of the characters that need no escape */
    while (at != end) {
        const size_t length = text_utf8_length(at, (size_t)(end - at));
        char *to;
        if (length != 0 && *at != '\\') {
            at += length;
            continue;
        }
        text_json(out, start, (size_t)(at - start));
        to = (char *)output_reserve(out, 5);
        if (to == NULL)
            return;
        to = length == 0 ? text_hex(PUT(to, "\\\\x"), *at, 2) : PUT(to, "\\\\\\\\");
        output_advance(out, (size_t)(to - (char *)out->at));
        start = ++at;
    }
    text_json(out, start, (size_t)(end - start));
}

void json_string_escaped(output *out, const void *bytes, size_t size)
{
    output_byte(out, '"');
    put_escaped(out, bytes, size);
    output_byte(out, '"');
}

bool json_string(output *out, const void *bytes, size_t size)
{
    if (!text_is_utf8(bytes, size)) {
        json_string_escaped(out, bytes, size);
        return true;
    }
    output_byte(out, '"');
    text_json(out, bytes, size);
    output_byte(out, '"');
    return false;
}

void hex_put(output *out, const uint8_t *bytes, size_t size)
{
    while (size != 0) {
        const size_t piece = size < 4096 ? size : 4096;
        char *to = (char *)output_reserve(out, piece * 2);
        if (to == NULL)
            return;
        for (size_t i = 0; i < piece; i++)
            text_hex(to + i * 2, bytes[i], 2);
        output_advance(out, piece * 2);
        bytes += piece;
        size -= piece;
    }
}

/*
 * A byte of the absolute value of a two's complement number, least significant byte first. For a
 * negative number, zeros up to `lowest`, the first other byte, stay; that one is negated, and the
 * bytes after it are inverted.
 */
static uint8_t bigint_byte(const uint8_t *bytes, size_t at, size_t lowest, bool is_negative)
{
    if (!is_negative || at < lowest)
        return bytes[at];
    return (uint8_t)(at == lowest ? 0u - bytes[at] : ~(unsigned)bytes[at]);
}

void bigint_put(output *out, const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    size_t size = field->u.bytes.size, lowest = 0;
    const bool is_negative =
        (field->hint & STELE_HINT_SIGNED) != 0 && size != 0 && (bytes[size - 1] & 0x80) != 0;
    if (is_negative) {
        while (bytes[lowest] == 0)
            lowest++;
        output_byte(out, '-');
    }
    while (size > 1 && bigint_byte(bytes, size - 1, lowest, is_negative) == 0)
        size--;
    OUTPUT_LITERAL(out, "0x");
    if (size == 0)
        output_byte(out, '0');
    for (size_t at = size; at-- > 0;) {
        char *to = (char *)output_reserve(out, 2);
        const unsigned digits = at + 1 == size ? 1 : 2;
        if (to == NULL)
            return;
        output_advance(
            out, (size_t)(text_hex(to, bigint_byte(bytes, at, lowest, is_negative), digits) - to));
    }
}

/* ---- Scalars ---- */

/* Strings up to this size are copied by text_copy_plain() if they are plain. */
#define STRING_FEW ((size_t)256)

stele_status value_writer_init(value_writer *values, stele_context *context)
{
    *values = (value_writer){.context = context, .skipped = VALUE_SKIP_NONE};
    return name_forms_init(&values->names, context, json_string);
}

stele_status value_writer_init_inside(value_writer *values, stele_context *context)
{
    stele_status status = value_writer_init(values, context);
    values->is_inside = true;
    if (status == STELE_OK)
        status = output_open_memory(&context->diag, &values->scratch);
    values->names.inside = values->scratch;
    return status;
}

void value_writer_free(value_writer *values)
{
    name_forms_free(&values->names);
    output_close(values->scratch);
    member_marks_free(&values->marks);
}

static void quote_put(const value_writer *values, output *out)
{
    if (values->is_inside)
        OUTPUT_LITERAL(out, "\"\"");
    else
        output_byte(out, '"');
}

/* Begin and end text that has quotes and controls of its own: inside of a CSV cell it is
   collected first, then written with its quotes doubled. */
static output *inside_begin(value_writer *values, output *out)
{
    if (!values->is_inside)
        return out;
    values->scratch->at = values->scratch->buffer;
    return values->scratch;
}

static void inside_end(value_writer *values, output *out)
{
    const uint8_t *made;
    size_t size;
    if (!values->is_inside)
        return;
    made = output_memory(values->scratch, &size);
    text_csv_inside(out, made, size);
}

stele_status value_writer_status(const value_writer *values, const output *out)
{
    if (out->status != STELE_OK)
        return out->status;
    if (values->marks.is_exhausted)
        return STELE_ERR_MEMORY;
    return values->scratch != NULL && values->scratch->status != STELE_OK
               ? values->scratch->status
               : values->names.scratch->status;
}

void value_put_name(value_writer *values, output *out, const stele_batch *batch, stele_name name)
{
    if (name_forms_put(&values->names, out, batch, name)->is_changed)
        values->changes |= VALUE_ESCAPED;
}

static void value_put_double(value_writer *values, output *out, double value)
{
    if (isfinite(value)) {
        output_double(out, value);
        return;
    }
    quote_put(values, out);
    output_double(out, value);
    quote_put(values, out);
    values->changes |= VALUE_NOT_FINITE;
}

/* The first integer from which on doubles cannot represent every integer. */
#define EXACT_END (UINT64_C(1) << 53)

/* Writes an integer; if it is signed, `bits` is its two's complement. */
static void value_put_integer(value_writer *values, output *out, uint64_t bits, bool is_signed)
{
    const uint64_t size = is_signed && (int64_t)bits < 0 ? 0 - bits : bits;
    const bool is_text = values->is_for_doubles && size >= EXACT_END;
    if (is_text) {
        values->changes |= VALUE_TOO_LARGE;
        quote_put(values, out);
    }
    if (is_signed)
        output_i64(out, (int64_t)bits);
    else
        output_u64(out, bits);
    if (is_text)
        quote_put(values, out);
}

void value_put_u64(value_writer *values, output *out, uint64_t value)
{
    value_put_integer(values, out, value, false);
}

static void value_put_array(value_writer *values, output *out, const stele_batch *batch,
                            const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const size_t count = field->u.bytes.size / 8;
    output_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        const uint64_t element = load_native64(bytes + i * 8);
        if (i != 0)
            output_byte(out, ',');
        if (field->type == STELE_TYPE_UINTS || field->type == STELE_TYPE_INTS) {
            value_put_integer(values, out, element, field->type == STELE_TYPE_INTS);
        } else {
            double number;
            memcpy(&number, &element, sizeof number);
            value_put_double(values, out, number);
        }
    }
    output_byte(out, ']');
}

/* Writes bytes: for viewers, which have no type for them, as text if they are printable,
   otherwise as hexadecimal digits. */
static void put_bytes_of_field(value_writer *values, output *out, const stele_batch *batch,
                               const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const size_t size = field->u.bytes.size;
    if (values->is_for_doubles && text_is_printable(bytes, size)) {
        json_string(out, bytes, size);
        return;
    }
    quote_put(values, out);
    hex_put(out, bytes, size);
    quote_put(values, out);
}

/* Writes a string. Most strings are plain. */
static void put_string(value_writer *values, output *out, const uint8_t *bytes, size_t size)
{
    const size_t quote = 1 + values->is_inside;
    char *to = size <= STRING_FEW ? (char *)output_reserve(out, STRING_FEW + 8 + 4) : NULL;
    if (to != NULL) {
        memset(to, '"', 2);
        to = text_copy_plain(to + quote, bytes, size);
    }
    if (to != NULL) {
        memset(to, '"', 2);
        output_advance(out, (size_t)(to + quote - (char *)out->at));
        return;
    }
    if (json_string(inside_begin(values, out), bytes, size))
        values->changes |= VALUE_ESCAPED;
    inside_end(values, out);
}

void value_put_scalar(value_writer *values, output *out, const stele_batch *batch,
                      const stele_field *field)
{
    switch (field->type) {
    case STELE_TYPE_BOOL:
        if (values->has_bits)
            output_byte(out, field->u.u != 0 ? '1' : '0');
        else if (field->u.u != 0)
            OUTPUT_LITERAL(out, "true");
        else
            OUTPUT_LITERAL(out, "false");
        break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID: value_put_integer(values, out, field->u.u, false); break;
    case STELE_TYPE_INT: value_put_integer(values, out, field->u.u, true); break;
    case STELE_TYPE_FLOAT: value_put_double(values, out, field->u.f); break;
    case STELE_TYPE_NAME: value_put_name(values, out, batch, (stele_name)field->u.u); break;
    case STELE_TYPE_STRING:
        put_string(values, out, batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_BYTES: put_bytes_of_field(values, out, batch, field); break;
    case STELE_TYPE_BIGINT:
        quote_put(values, out);
        bigint_put(out, batch, field);
        quote_put(values, out);
        break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: value_put_array(values, out, batch, field); break;
    default: OUTPUT_LITERAL(out, "null"); break;
    }
}

/* ---- Members of objects ---- */

/* Writes a string without quotes, as part of another one. */
static void value_put_inside(value_writer *values, output *out, stele_text text)
{
    output *to = inside_begin(values, out);
    if (text_is_utf8(text.bytes, text.size)) {
        text_json(to, text.bytes, text.size);
    } else {
        put_escaped(to, (const uint8_t *)text.bytes, text.size);
        values->changes |= VALUE_ESCAPED;
    }
    inside_end(values, out);
}

/* Writes a value with its labels as one string for people, such as "2 (RUNNING)" or "0x7f0012
   (socket)". */
static void value_put_labelled(value_writer *values, output *out, const stele_batch *batch,
                               const stele_field *field)
{
    const bool is_for_doubles = values->is_for_doubles;
    values->is_for_doubles = false; /* the number is part of a string */
    quote_put(values, out);
    if (field->type == STELE_TYPE_POINTER)
        output_hex(out, field->u.u);
    else if (field->type == STELE_TYPE_STRING || field->type == STELE_TYPE_NAME)
        value_put_inside(values, out, stele_field_text(values->context, batch, field));
    else if (field->type == STELE_TYPE_BIGINT)
        bigint_put(out, batch, field);
    else if (field->type == STELE_TYPE_FLOAT)
        output_double(out, field->u.f);
    else
        value_put_scalar(values, out, batch, field); /* numbers, without quotes */
    for (unsigned i = 1; i <= field->label_count; i++) {
        if (i == 1)
            OUTPUT_LITERAL(out, " (");
        else
            OUTPUT_LITERAL(out, ", ");
        value_put_inside(values, out, stele_field_text(values->context, batch, field + i));
    }
    if (field->label_count != 0)
        output_byte(out, ')');
    quote_put(values, out);
    values->is_for_doubles = is_for_doubles;
}

static bool type_takes_labels(uint8_t type)
{
    return type < STELE_TYPE_UINTS && type != STELE_TYPE_BYTES;
}

void value_put(value_writer *values, output *out, const stele_batch *batch,
               const stele_field *field)
{
    const stele_field *member;
    if (field->type < STELE_TYPE_RUN_FIRST) {
        if (field->type == STELE_TYPE_POINTER ||
            (field->label_count != 0 && type_takes_labels(field->type)))
            value_put_labelled(values, out, batch, field);
        else
            value_put_scalar(values, out, batch, field);
        return;
    }
    member = field + 1 + field->label_count;
    if (field->type != STELE_TYPE_ARRAY) {
        output_byte(out, '{');
        value_put_members(values, out, batch, (uint32_t)(member - batch->fields),
                          field->u.run.length);
        output_byte(out, '}');
        return;
    }
    output_byte(out, '[');
    for (uint32_t at = 0; at < field->u.run.length; at += stele_field_length(member + at)) {
        if (at != 0)
            output_byte(out, ',');
        value_put(values, out, batch, member + at);
    }
    output_byte(out, ']');
}

/* Writes a repeated name with the member's number, such as "len#3". */
static void value_put_renamed(value_writer *values, output *out, const stele_batch *batch,
                              const stele_field *field, uint32_t place)
{
    quote_put(values, out);
    value_put_inside(values, out, stele_name_text(values->context, batch, field->name));
    output_byte(out, '#');
    output_u64(out, place);
    quote_put(values, out);
    values->changes |= VALUE_RENAMED;
}

bool value_has_members(const value_writer *values, const stele_batch *batch, uint32_t first,
                       uint32_t count)
{
    const stele_field *members = batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(members + at)) {
        if (field_is_shown(members + at) && members[at].name != values->skipped)
            return true;
    }
    return false;
}

/* Returns the kept form of a member's name; NULL if it has to be made, or was changed. */
static inline const name_form *name_kept(const value_writer *values, stele_name name)
{
    const name_form *form = name < values->names.count ? &values->names.items[name] : NULL;
    return form != NULL && form->bytes != NULL && !form->is_changed ? form : NULL;
}

static inline bool is_integer(const stele_field *field)
{
    return (field->type == STELE_TYPE_UINT || field->type == STELE_TYPE_INT) &&
           field->label_count == 0;
}

/* Writes a member that is an integer, as most are, after a comma unless it is the first. Returns
   false, without writing, for any other member. */
static inline bool put_number_member(value_writer *values, output *out, const stele_field *field,
                                     bool is_first)
{
    const bool is_negative = field->type == STELE_TYPE_INT && field->u.i < 0;
    const uint64_t size = is_negative ? 0 - field->u.u : field->u.u;
    const name_form *name;
    char *to;
    if (!is_integer(field) || (name = name_kept(values, field->name)) == NULL ||
        (size >= EXACT_END && values->is_for_doubles))
        return false;
    to = (char *)output_reserve(out, 3 + name->size + PUT_BLOCK + TEXT_U64_SIZE);
    if (to == NULL)
        return false;
    *to = ',';
    to = put_blocks(to + !is_first, name->bytes, name->size);
    to[0] = ':';
    to[1] = '-';
    to = text_u64(to + 1 + is_negative, size);
    output_advance(out, (size_t)(to - (char *)out->at));
    return true;
}

static inline bool is_skipped(const value_writer *values, const stele_field *field)
{
    return !field_is_shown(field) || field->name == values->skipped;
}

bool value_put_members(value_writer *values, output *out, const stele_batch *batch, uint32_t first,
                       uint32_t count)
{
    const stele_field *const members = batch->fields + first, *const end = members + count;
    const uint64_t repeated =
        members_find_repeated(&values->marks, values->context, members, count);
    bool is_first = true;
    uint32_t place = 0;
    for (const stele_field *field = members; field < end; field += stele_field_length(field)) {
        const unsigned bit = place < 63 ? place : 63;
        place++;
        if (is_skipped(values, field))
            continue;
        if (repeated == 0 && put_number_member(values, out, field, is_first)) {
            is_first = false;
            continue;
        }
        if (!is_first)
            output_byte(out, ',');
        is_first = false;
        if ((repeated >> bit & 1) != 0)
            value_put_renamed(values, out, batch, field, place);
        else
            value_put_name(values, out, batch, field->name);
        output_byte(out, ':');
        value_put(values, out, batch, field);
    }
    return !is_first;
}

void value_put_context(value_writer *values, output *out, const stele_batch *batch)
{
    quote_put(values, out);
    OUTPUT_LITERAL(out, "stele.context");
    quote_put(values, out);
    OUTPUT_LITERAL(out, ":{");
    value_put_members(values, out, batch, batch->context_first, batch->context_count);
    output_byte(out, '}');
}

void value_count_changes(value_writer *values, stele_writer *writer, stele_kind kind)
{
    static const struct {
        uint32_t change;
        const char *what;
    } texts[] = {{VALUE_ESCAPED, "bytes that are no UTF-8, as \\xHH"},
                 {VALUE_NOT_FINITE, "number that is not finite, as text"},
                 {VALUE_RENAMED, "second field of one name, renamed"},
                 {VALUE_TOO_LARGE, "integer from 2^53 on, as text"}};
    if (values->changes == 0)
        return;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if ((values->changes & texts[i].change) != 0)
            writer_lose(writer, kind, texts[i].what, LOSS_FORM, 1);
    }
    values->changes = 0;
}
