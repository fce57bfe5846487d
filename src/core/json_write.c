/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON documents to outputs: the functions of <stele/json.h>. */
#include <stele/json.h>

#include <math.h>
#include <string.h>

#include "core/output.h"
#include "core/text.h"
#include "core/text_double.h"

#define INDENT_MAX 64u /* levels of indentation, so that deep nesting does not make long lines */

static void begin_line(stele_json *j)
{
    const uint32_t indent = j->depth < INDENT_MAX ? j->depth : INDENT_MAX;
    if (j->is_line && !j->breaks)
        return;
    output_byte(j->out, '\n');
    j->breaks = false;
    if (j->is_line)
        return;
    for (uint32_t i = 0; i < indent; i++)
        output_write(j->out, "  ", 2);
}

/* Begins a value: comma and new line where needed. One bit says for any depth whether a comma is
   needed: after a bracket was closed, its value is a member of the bracket around, so the bit is
   true. */
static void begin_value(stele_json *j)
{
    if (j->depth == 0)
        return;
    if (j->has_members)
        output_byte(j->out, ',');
    j->has_members = true;
    begin_line(j);
}

#define SHORT_TEXT 24u

/* Writes a string of up to SHORT_TEXT bytes that needs no escapes, which most keys and many values
   are: bytes are copied while they are checked. Returns false for other strings, of which it writes
   nothing. */
static bool put_short_string(stele_json *j, const char *bytes, size_t size)
{
    uint8_t *const to = output_reserve(j->out, SHORT_TEXT + 2);
    if (to == NULL)
        return true;
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)bytes[i];
        if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
            return false;
        to[i + 1] = byte;
    }
    to[0] = to[size + 1] = '"';
    output_advance(j->out, size + 2);
    return true;
}

static void put_string(stele_json *j, const char *bytes, size_t size)
{
    if (size <= SHORT_TEXT && put_short_string(j, bytes, size))
        return;
    output_byte(j->out, '"');
    text_json(j->out, bytes, size);
    output_byte(j->out, '"');
}

/* Writes a key that ends with "_ns" with the unit of the document's times instead. */
static void put_time_key(stele_json *j, const char *key, size_t size)
{
    output_byte(j->out, '"');
    text_json(j->out, key, size - 3);
    text_json(j->out, j->time_suffix, strlen(j->time_suffix));
    output_byte(j->out, '"');
}

void stele_json_value_of(stele_json *j, const char *key, size_t key_size)
{
    begin_value(j);
    if (key == NULL)
        return;
    if (j->time_suffix != NULL && key_size > 3 && memcmp(key + key_size - 3, "_ns", 3) == 0)
        put_time_key(j, key, key_size);
    else
        put_string(j, key, key_size);
    output_byte(j->out, ':');
    if (!j->is_line)
        output_byte(j->out, ' ');
}

void stele_json_value(stele_json *j, const char *key)
{
    stele_json_value_of(j, key, key != NULL ? strlen(key) : 0);
}

void stele_json_open(stele_json *j, const char *key, char bracket)
{
    stele_json_value(j, key);
    output_byte(j->out, (uint8_t)bracket);
    j->depth++;
    j->has_members = false;
}

void stele_json_break(stele_json *j)
{
    j->breaks = j->is_line;
}

void stele_json_close(stele_json *j, char bracket)
{
    j->depth--;
    if (j->has_members || j->breaks)
        begin_line(j);
    j->has_members = true;
    output_byte(j->out, (uint8_t)bracket);
    if (j->depth == 0)
        output_byte(j->out, '\n');
}

void stele_json_bytes(stele_json *j, const char *key, const char *bytes, size_t size)
{
    stele_json_value(j, key);
    put_string(j, bytes, size);
}

void stele_json_text(stele_json *j, const char *key, const char *text)
{
    if (text == NULL)
        stele_json_null(j, key);
    else
        stele_json_bytes(j, key, text, strlen(text));
}

/* Writes bytes that could control a terminal, or that are not UTF-8, as text like "\x1B". */
static void put_bytes_of_control(stele_json *j, const uint8_t *at, size_t length)
{
    for (size_t i = 0; i < length; i++)
        output_printf(j->out, "\\\\x%02X", (unsigned)at[i]);
}

void stele_json_shown(stele_json *j, const char *key, const char *bytes, size_t size,
                      size_t size_max)
{
    const uint8_t *const text = (const uint8_t *)bytes;
    const size_t shown = size < size_max ? size : size_max;
    size_t at = 0, from = 0; /* bytes from `from` to `at` are still to be written, unchanged */
    stele_json_value(j, key);
    output_byte(j->out, '"');
    while (at < shown) {
        const size_t length = text_utf8_length(text + at, size - at);
        const size_t step = length != 0 ? length : 1;
        if (length == 0 || text_is_control(text + at, length)) {
            text_json(j->out, text + from, at - from);
            put_bytes_of_control(j, text + at, step);
            from = at + step;
        }
        at += step;
    }
    text_json(j->out, text + from, at - from);
    if (at < size)
        output_printf(j->out, "... (%zu of %zu bytes)", at, size);
    output_byte(j->out, '"');
}

void stele_json_uint(stele_json *j, const char *key, uint64_t value)
{
    stele_json_value(j, key);
    output_u64(j->out, value);
}

void stele_json_int(stele_json *j, const char *key, int64_t value)
{
    stele_json_value(j, key);
    output_i64(j->out, value);
}

void stele_json_uint_text(stele_json *j, const char *key, uint64_t value)
{
    stele_json_value(j, key);
    output_byte(j->out, '"');
    output_u64(j->out, value);
    output_byte(j->out, '"');
}

void stele_json_int_text(stele_json *j, const char *key, int64_t value)
{
    stele_json_value(j, key);
    output_byte(j->out, '"');
    output_i64(j->out, value);
    output_byte(j->out, '"');
}

void stele_json_hex(stele_json *j, const char *key, uint64_t value, unsigned digits)
{
    char text[TEXT_HEX_SIZE];
    const char *end = text_hex(text, value, digits < TEXT_HEX_SIZE ? digits : TEXT_HEX_SIZE);
    stele_json_value(j, key);
    output_byte(j->out, '"');
    output_write(j->out, text, (size_t)(end - text));
    output_byte(j->out, '"');
}

void stele_json_number(stele_json *j, const char *key, double value)
{
    stele_json_value(j, key);
    if (isfinite(value))
        output_printf(j->out, "%.9g", value);
    else
        output_text(j->out, "null");
}

void stele_json_double(stele_json *j, const char *key, double value)
{
    stele_json_value(j, key);
    if (isfinite(value))
        output_double(j->out, value);
    else
        output_text(j->out, "null");
}

/* Elements for which room is reserved at once. */
#define ELEMENTS_AT_ONCE 64u

static void put_elements(stele_json *j, const int64_t *values, size_t count)
{
    char *to = (char *)output_reserve(j->out, ELEMENTS_AT_ONCE * (TEXT_U64_SIZE + 1) + 8);
    const char *const from = to;
    if (to == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        if (j->has_members)
            *to++ = ',';
        j->has_members = true;
        to = text_i64(to, values[i]);
    }
    output_advance(j->out, (size_t)(to - from));
}

void stele_json_int_elements(stele_json *j, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i += ELEMENTS_AT_ONCE) {
        const size_t left = count - i;
        const size_t some = left < ELEMENTS_AT_ONCE ? left : ELEMENTS_AT_ONCE;
        if (j->is_line && !j->breaks) {
            put_elements(j, values + i, some);
            continue;
        }
        for (size_t k = 0; k < some; k++)
            stele_json_int(j, NULL, values[i + k]);
    }
}

void stele_json_bool(stele_json *j, const char *key, bool value)
{
    stele_json_value(j, key);
    output_text(j->out, value ? "true" : "false");
}

void stele_json_null(stele_json *j, const char *key)
{
    stele_json_value(j, key);
    output_text(j->out, "null");
}

void stele_json_raw(stele_json *j, const char *key, const char *json, size_t size)
{
    stele_json_value(j, key);
    output_write(j->out, json, size);
}
