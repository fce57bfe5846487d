/* SPDX-License-Identifier: Apache-2.0 */
#include "view/viewer.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stele_status viewer_new(stele_context *context, stele_trace *const *traces, size_t count,
                        const viewer_options *options, viewer **out)
{
    viewer *v = calloc(1, sizeof *v);
    *out = v;
    if (v == NULL)
        return STELE_ERR_MEMORY;
    v->context = context;
    v->traces = traces;
    v->trace_count = count;
    v->options = *options;
    v->stats = (stele_reader_stats)STELE_INIT(stele_reader_stats);
    return STELE_OK;
}

void viewer_set_go_on(viewer *v, view_go_on_fn *fn, void *user)
{
    v->go_on = fn;
    v->go_on_user = user;
}

/* ---- Names of an answer ---------------------------------------------------------------------- */

bool viewer_begin_names(viewer *v)
{
    v->answer_number++;
    v->name_count = 0;
    return true;
}

static bool room_for_name(viewer *v, stele_name name)
{
    if (name >= v->name_capacity) {
        const size_t capacity = (size_t)stele_name_count(v->context) + 1024;
        uint32_t *grown = name < capacity ? realloc(v->name_used, capacity * sizeof *grown) : NULL;
        if (grown == NULL)
            return false;
        memset(grown + v->name_capacity, 0, (capacity - v->name_capacity) * sizeof *grown);
        v->name_used = grown;
        v->name_capacity = capacity;
    }
    if (v->name_count == v->names_capacity) {
        const size_t capacity = v->names_capacity * 2 + 64;
        stele_name *grown = realloc(v->names, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        v->names = grown;
        v->names_capacity = capacity;
    }
    return true;
}

stele_name viewer_use_name(viewer *v, stele_name name)
{
    if (name == 0 || (name & STELE_NAME_LOCAL) != 0)
        return 0;
    if (name < v->name_capacity && v->name_used[name] == v->answer_number)
        return name;
    if (!room_for_name(v, name))
        return 0;
    v->name_used[name] = v->answer_number;
    v->names[v->name_count++] = name;
    return name;
}

void viewer_put_names(viewer *v, stele_output *out)
{
    stele_output_text(out, "\"names\":{");
    for (size_t i = 0; i < v->name_count; i++) {
        const stele_text text = stele_name_text(v->context, NULL, v->names[i]);
        stele_output_printf(out, "%s\"%u\":", i != 0 ? "," : "", (unsigned)v->names[i]);
        view_put_text(out, text.bytes, text.size, VIEW_NAME_MAX);
    }
    stele_output_byte(out, '}');
}

/* ---- Text and numbers ------------------------------------------------------------------------ */

void view_put_text(stele_output *out, const char *bytes, size_t size, size_t most)
{
    const size_t shown = size < most ? size : most;
    size_t at = 0;
    stele_output_byte(out, '"');
    while (at < shown) {
        bool is_control = false;
        const size_t length = stele_character(bytes + at, size - at, &is_control);
        if (length == 0 || is_control) {
            for (size_t i = 0; i < (length != 0 ? length : 1); i++)
                stele_output_printf(out, "\\\\x%02X", (unsigned)(uint8_t)bytes[at + i]);
        } else {
            stele_output_json(out, bytes + at, length);
        }
        at += length != 0 ? length : 1;
    }
    if (at < size)
        stele_output_printf(out, "... (%zu of %zu bytes)", at, size);
    stele_output_byte(out, '"');
}

size_t view_format_int(char *to, int64_t value)
{
    char text[VIEW_INT_SIZE];
    size_t at = sizeof text;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (value < 0)
        text[--at] = '-';
    memcpy(to, text + at, sizeof text - at);
    return sizeof text - at;
}

void view_put_int(stele_output *out, int64_t value)
{
    char text[VIEW_INT_SIZE];
    stele_output_write(out, text, view_format_int(text, value));
}

void viewer_free(viewer *v)
{
    if (v == NULL)
        return;
    viewer_end_scan(v);
    checkpoints_free(&v->open);
    stele_overview_close(v->overview);
    stele_overview_close(v->filtered);
    free(v->filter);
    free(v->losses);
    free(v->known.tracks);
    free(v->counters);
    free(v->name_used);
    free(v->names);
    free(v);
}
