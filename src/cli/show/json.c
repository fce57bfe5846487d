/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/json.h"

#include <stele/text.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/show/print.h"

/* Everything up to the value: comma, line, key. */
static void json_begin(json *j, const char *key)
{
    const uint32_t bit = UINT32_C(1) << j->depth;
    if (j->depth > 0) {
        stele_output_text(j->out, j->has_members & bit ? ",\n" : "\n");
        print_spaces(j->out, (size_t)j->depth * 2);
    }
    j->has_members |= bit;
    if (key == NULL)
        return;
    stele_output_byte(j->out, '"'); /* it can be a name of the trace */
    stele_output_json(j->out, key, strlen(key));
    stele_output_text(j->out, "\": ");
}

void json_open(json *j, const char *key, char bracket)
{
    json_begin(j, key);
    stele_output_byte(j->out, (uint8_t)bracket);
    j->depth++;
    j->has_members &= ~(UINT32_C(1) << j->depth);
}

void json_close(json *j, char bracket)
{
    const bool had_members = (j->has_members >> j->depth & 1u) != 0;
    j->depth--;
    if (had_members) {
        stele_output_byte(j->out, '\n');
        print_spaces(j->out, (size_t)j->depth * 2);
    }
    stele_output_byte(j->out, (uint8_t)bracket);
    if (j->depth == 0)
        stele_output_byte(j->out, '\n');
}

void json_bytes(json *j, const char *key, const char *bytes, size_t size)
{
    json_begin(j, key);
    stele_output_byte(j->out, '"');
    stele_output_json(j->out, bytes, size);
    stele_output_byte(j->out, '"');
}

void json_text(json *j, const char *key, const char *text)
{
    if (text == NULL)
        json_null(j, key);
    else
        json_bytes(j, key, text, strlen(text));
}

void json_uint(json *j, const char *key, uint64_t value)
{
    json_begin(j, key);
    stele_output_printf(j->out, "%" PRIu64, value);
}

void json_int(json *j, const char *key, int64_t value)
{
    json_begin(j, key);
    stele_output_printf(j->out, "%" PRId64, value);
}

void json_number(json *j, const char *key, double value)
{
    json_begin(j, key);
    if (isfinite(value))
        stele_output_printf(j->out, "%.9g", value);
    else
        stele_output_text(j->out, "null");
}

void json_bool(json *j, const char *key, bool value)
{
    json_begin(j, key);
    stele_output_text(j->out, value ? "true" : "false");
}

void json_null(json *j, const char *key)
{
    json_begin(j, key);
    stele_output_text(j->out, "null");
}

void json_track(json *j, const stele_context *context, uint32_t number)
{
    const stele_track *track = stele_track_get(context, number);
    const stele_text name = stele_name_text(context, NULL, track != NULL ? track->name : 0);
    json_text(j, "kind", stele_track_kind_text(track != NULL ? track->kind : STELE_TRACK_NONE));
    json_uint(j, "number", track != NULL ? track->number : 0);
    json_bytes(j, "name", name.bytes, name.size);
}
