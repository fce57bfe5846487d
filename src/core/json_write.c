/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one JSON document to an output. */
#include <stele/json.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/output.h"
#include "core/text.h"

#define INDENT_MAX 64u /* deep nesting must not make long lines */

static void begin_line(stele_json *j)
{
    const uint32_t indent = j->depth < INDENT_MAX ? j->depth : INDENT_MAX;
    if (j->is_line)
        return;
    output_byte(j->out, '\n');
    for (uint32_t i = 0; i < indent; i++)
        output_write(j->out, "  ", 2);
}

/* After a bracket is closed there is a member before: that which was closed. So one bit is enough
   for any depth. */
static void begin_value(stele_json *j)
{
    if (j->depth == 0)
        return;
    if (j->has_members)
        output_byte(j->out, ',');
    j->has_members = true;
    begin_line(j);
}

static void put_string(stele_json *j, const char *bytes, size_t size)
{
    output_byte(j->out, '"');
    text_json(j->out, bytes, size);
    output_byte(j->out, '"');
}

void stele_json_value_of(stele_json *j, const char *key, size_t key_size)
{
    begin_value(j);
    put_string(j, key, key_size);
    output_text(j->out, j->is_line ? ":" : ": ");
}

void stele_json_value(stele_json *j, const char *key)
{
    if (key != NULL)
        stele_json_value_of(j, key, strlen(key));
    else
        begin_value(j);
}

void stele_json_open(stele_json *j, const char *key, char bracket)
{
    stele_json_value(j, key);
    output_byte(j->out, (uint8_t)bracket);
    j->depth++;
    j->has_members = false;
}

void stele_json_close(stele_json *j, char bracket)
{
    j->depth--;
    if (j->has_members)
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

void stele_json_uint(stele_json *j, const char *key, uint64_t value)
{
    stele_json_value(j, key);
    output_u64(j->out, value);
}

void stele_json_int(stele_json *j, const char *key, int64_t value)
{
    stele_json_value(j, key);
    output_printf(j->out, "%" PRId64, value);
}

void stele_json_number(stele_json *j, const char *key, double value)
{
    stele_json_value(j, key);
    if (isfinite(value))
        output_printf(j->out, "%.9g", value);
    else
        output_text(j->out, "null");
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
