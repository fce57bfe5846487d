/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes call paths as a profile of pprof: a message of Protocol Buffers with a table of strings,
 * to which all else refers by index. Each function has one location. A sample is a path, the
 * innermost function first, with the number of its calls and their own time.
 */
#include <stele/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "core/proto.h"
#include "core/sized.h"
#include "core/text.h"
#include "model/context.h"

/* Field numbers of pprof's profile.proto. */
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_TEXT = 6, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

/* Indexes of the strings that come first in the table. */
enum { TEXT_EMPTY, TEXT_CALLS, TEXT_COUNT, TEXT_TIME, TEXT_UNIT, TEXT_THREAD, TEXT_FIRST_FREE };

typedef struct pprof {
    const stele_context *context;
    const stele_path_tree *tree;
    bool has_tracks;
    stele_output *out;
    proto message;
    output *scratch;     /* buffer for a name as it is shown to people */
    uint32_t *functions; /* number of the function and location of a name; 0: not written yet */
    uint32_t *texts;     /* index of the string of a track's name, by name; 0: not written yet */
    uint32_t function_count, text_count;
} pprof;

static void give(pprof *p)
{
    if (p->message.is_exhausted)
        stele_output_fail(p->out, STELE_ERR_MEMORY);
    else
        stele_output_write(p->out, p->message.bytes, p->message.size);
    proto_clear(&p->message);
}

static uint32_t put_text(pprof *p, const void *bytes, size_t size)
{
    proto_bytes(&p->message, PROFILE_TEXT, bytes, size);
    give(p);
    return p->text_count++;
}

static uint32_t put_name(pprof *p, stele_name name)
{
    const stele_text text = stele_name_text(p->context, NULL, name);
    const uint8_t *made;
    size_t size;
    if (text.size == 0)
        return put_text(p, "(no name)", 9);
    p->scratch->at = p->scratch->buffer;
    stele_output_visible(p->scratch, text.bytes, text.size);
    made = output_memory(p->scratch, &size);
    if (p->scratch->status != STELE_OK)
        stele_output_fail(p->out, STELE_ERR_MEMORY);
    return put_text(p, made, size);
}

/* ---- Strings, functions and locations ---- */

static void put_type(pprof *p, uint32_t name, uint32_t unit)
{
    const size_t mark = proto_begin(&p->message, PROFILE_TYPE);
    proto_uint(&p->message, TYPE_NAME, name);
    proto_uint(&p->message, TYPE_UNIT, unit);
    proto_end(&p->message, mark);
    give(p);
}

static void put_head(pprof *p, const char *measure, const char *unit)
{
    put_text(p, "", 0);
    put_text(p, "calls", 5);
    put_text(p, "count", 5);
    put_text(p, measure, strlen(measure));
    put_text(p, unit, strlen(unit));
    put_text(p, "thread", 6);
    put_type(p, TEXT_CALLS, TEXT_COUNT);
    put_type(p, TEXT_TIME, TEXT_UNIT);
    proto_uint(&p->message, PROFILE_DEFAULT_TYPE, TEXT_TIME);
    give(p);
}

static void put_function(pprof *p, stele_name name)
{
    const uint32_t text = put_name(p, name), number = ++p->function_count;
    size_t mark = proto_begin(&p->message, PROFILE_FUNCTION), inner;
    proto_uint(&p->message, FUNCTION_ID, number);
    proto_uint(&p->message, FUNCTION_NAME, text);
    proto_end(&p->message, mark);
    mark = proto_begin(&p->message, PROFILE_LOCATION);
    proto_uint(&p->message, LOCATION_ID, number);
    inner = proto_begin(&p->message, LOCATION_LINE);
    proto_uint(&p->message, LINE_FUNCTION, number);
    proto_end(&p->message, inner);
    proto_end(&p->message, mark);
    give(p);
    p->functions[name] = number;
}

/* ---- Samples ---- */

static void put_label(pprof *p, uint32_t track)
{
    const size_t mark = proto_begin(&p->message, SAMPLE_LABEL);
    proto_uint(&p->message, LABEL_KEY, TEXT_THREAD);
    proto_uint(&p->message, LABEL_TEXT, p->texts[p->tree->nodes[track].name]);
    proto_end(&p->message, mark);
}

static void put_sample(pprof *p, const stele_path_node *of)
{
    const stele_path_node *nodes = p->tree->nodes;
    const uint32_t outermost = p->has_tracks ? 1 : 0;
    const size_t mark = proto_begin(&p->message, PROFILE_SAMPLE);
    const stele_path_node *at = of;
    for (; at->depth > outermost; at = &nodes[at->parent])
        proto_uint(&p->message, SAMPLE_LOCATIONS, p->functions[at->name]);
    proto_uint(&p->message, SAMPLE_VALUES, of->sides[0].count);
    proto_uint(&p->message, SAMPLE_VALUES, of->sides[0].self_ns);
    if (p->has_tracks)
        put_label(p, (uint32_t)(at - nodes));
    proto_end(&p->message, mark);
    give(p);
}

static void put_node(pprof *p, const stele_path_node *node)
{
    if (p->has_tracks && node->depth == 1) {
        if (p->texts[node->name] == 0)
            p->texts[node->name] = put_name(p, node->name);
        return;
    }
    if (p->functions[node->name] == 0)
        put_function(p, node->name);
    if (node->sides[0].count != 0 || node->sides[0].self_ns != 0)
        put_sample(p, node);
}

stele_status stele_path_tree_write_pprof(stele_context *context, const stele_path_tree *tree,
                                         const stele_path_form *given, stele_output *out)
{
    const size_t name_count = (size_t)stele_name_count(context) + 1;
    stele_path_form form;
    pprof p = {.context = context, .tree = tree, .out = out};
    stele_status status;
    if (!sized_take(&form, sizeof form, SIZED_FIRST(stele_path_form, unit), given))
        return STELE_ERR_ARGUMENT;
    p.has_tracks = form.has_tracks;
    status = output_open_memory(&context->diag, &p.scratch);
    p.functions = calloc(name_count, sizeof *p.functions);
    p.texts = calloc(name_count, sizeof *p.texts);
    if (p.functions == NULL || p.texts == NULL)
        status = STELE_ERR_MEMORY;
    if (status == STELE_OK) {
        put_head(&p, form.unit != NULL ? form.unit : "time",
                 form.unit != NULL  ? "count"
                 : tree->is_sampled ? "units"
                                    : "nanoseconds");
        for (uint32_t i = 1; i < tree->count && out->status == STELE_OK; i++)
            put_node(&p, &tree->nodes[i]);
        status = out->status;
    }
    free(p.functions);
    free(p.texts);
    output_close(p.scratch);
    proto_free(&p.message);
    return status;
}
