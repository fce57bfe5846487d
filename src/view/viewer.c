/* SPDX-License-Identifier: Apache-2.0 */
#include "view/viewer.h"

#include <stele/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/list.h"

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

/* ---- Names used in an answer ----------------------------------------------------------------- */

bool viewer_begin_names(viewer *v)
{
    v->answer_number++;
    v->name_count = 0;
    return true;
}

static bool room_for_name(viewer *v, stele_name name)
{
    if ((name & STELE_NAME_LOCAL) != 0)
        return false;
    if (name >= v->name_capacity) {
        uint32_t *grown = list_reach(v->name_used, sizeof *grown, &v->name_capacity, name);
        if (grown == NULL)
            return false;
        v->name_used = grown;
    }
    if (v->name_count == v->names_capacity) {
        stele_name *grown = list_grow(v->names, sizeof *grown, &v->names_capacity);
        if (grown == NULL)
            return false;
        v->names = grown;
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

void viewer_put_names(const viewer *v, stele_json *j, const char *key)
{
    stele_json_open(j, key, '{');
    for (size_t i = 0; i < v->name_count; i++) {
        const stele_text text = stele_name_text(v->context, NULL, v->names[i]);
        char number[12];
        snprintf(number, sizeof number, "%u", (unsigned)v->names[i]);
        stele_json_shown(j, number, text.bytes, text.size, VIEW_NAME_MAX);
    }
    stele_json_close(j, '}');
}

void view_put_text(stele_json *j, const char *key, const char *text)
{
    stele_json_shown(j, key, text, strlen(text), VIEW_VALUE_MAX);
}

void viewer_free(viewer *v)
{
    if (v == NULL)
        return;
    viewer_end_scan(v);
    checkpoints_free(&v->open);
    view_streams_free(&v->streams);
    stele_overview_close(v->overview);
    stele_overview_close(v->exact);
    stele_overview_close(v->filtered);
    free(v->filter);
    free(v->losses);
    free(v->known.tracks);
    free(v->counters);
    free(v->name_used);
    free(v->names);
    free(v);
}
