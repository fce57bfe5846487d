/* SPDX-License-Identifier: Apache-2.0 */
/* Writes flame graphs for other programs: folded stacks, speedscope, pprof, Callgrind. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/flame_graph.h"
#include "cli/show/json.h"

/* ---- Folded stacks --------------------------------------------------------------------------- */

static void write_folded_name(const flame *f, stele_output *out, stele_name name)
{
    const stele_text text = stele_name_text(f->context, NULL, name);
    if (text.size == 0)
        stele_output_text(out, "(no name)");
    stele_output_plain(out, text.bytes, text.size, ";");
}

/* Writes the names from the outermost one to the node; `path` has room for the deepest path. */
static void write_folded_path(const flame *f, stele_output *out, uint32_t node, uint32_t *path)
{
    uint32_t depth = 0;
    for (; node != 0; node = f->tree->nodes[node].parent)
        path[depth++] = node;
    while (depth-- > 0) {
        write_folded_name(f, out, f->tree->nodes[path[depth]].name);
        if (depth > 0)
            stele_output_byte(out, ';');
    }
}

void flame_write_folded(const flame *f, stele_output *out)
{
    uint32_t *path = malloc((f->tree->depth_max + 1) * sizeof *path);
    if (path == NULL) {
        stele_output_fail(out, STELE_ERR_MEMORY);
        return;
    }
    for (uint32_t node = stele_path_next(f->tree, 0, 0); node != 0;
         node = stele_path_next(f->tree, node, 0)) {
        const uint64_t self = flame_self(f, &f->tree->nodes[node], 0);
        if (self == 0)
            continue;
        write_folded_path(f, out, node, path);
        stele_output_printf(out, " %" PRIu64 "\n", self);
    }
    free(path);
}

/* ---- Speedscope ------------------------------------------------------------------------------ */

static void put_name(const flame *f, json *j, const char *key, stele_name name)
{
    const stele_text text = stele_name_text(f->context, NULL, name);
    json_bytes(j, key, text.bytes, text.size);
}

/* Writes a frame for each name below the tracks, in the order of their first node. frames[name]
   becomes its number. */
static void put_frames(const flame *f, json *j, uint32_t *frames)
{
    uint32_t count = 0;
    json_open(j, "shared", '{');
    json_open(j, "frames", '[');
    for (uint32_t i = 1; i < f->tree->count; i++) {
        const stele_path_node *node = &f->tree->nodes[i];
        if (node->depth < 2 || frames[node->name] != UINT32_MAX)
            continue;
        json_break(j);
        json_open(j, NULL, '{');
        put_name(f, j, "name", node->name);
        json_close(j, '}');
        frames[node->name] = count++;
    }
    json_break(j);
    json_close(j, ']');
    json_close(j, '}');
}

static void put_stack(const flame *f, json *j, uint32_t node, const uint32_t *frames,
                      uint32_t *path)
{
    uint32_t depth = 0;
    for (; f->tree->nodes[node].depth > 1; node = f->tree->nodes[node].parent)
        path[depth++] = frames[f->tree->nodes[node].name];
    json_open(j, NULL, '[');
    while (depth-- > 0)
        json_uint(j, NULL, path[depth]);
    json_close(j, ']');
}

static void put_track(const flame *f, json *j, uint32_t track, const uint32_t *frames,
                      uint32_t *path)
{
    const stele_path_tree *tree = f->tree;
    json_open(j, NULL, '{');
    json_text(j, "type", "sampled");
    put_name(f, j, "name", tree->nodes[track].name);
    json_text(j, "unit",
              f->by_count || tree->is_sampled || f->unit != NULL ? "none" : "nanoseconds");
    json_uint(j, "startValue", 0);
    json_uint(j, "endValue", flame_total(f, &tree->nodes[track], 0));
    json_break(j);
    json_open(j, "samples", '[');
    for (uint32_t i = stele_path_next(tree, track, track); i != 0;
         i = stele_path_next(tree, i, track)) {
        if (flame_self(f, &tree->nodes[i], 0) != 0)
            put_stack(f, j, i, frames, path);
    }
    json_close(j, ']');
    json_break(j);
    json_open(j, "weights", '[');
    for (uint32_t i = stele_path_next(tree, track, track); i != 0;
         i = stele_path_next(tree, i, track)) {
        const uint64_t self = flame_self(f, &tree->nodes[i], 0);
        if (self != 0)
            json_uint(j, NULL, self);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_speedscope(const flame *f, json *j, uint32_t *frames, uint32_t *path)
{
    json_open(j, NULL, '{');
    json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_break(j);
    json_text(j, "exporter", "stele");
    json_text(j, "name", f->title);
    json_break(j);
    put_frames(f, j, frames);
    json_break(j);
    json_open(j, "profiles", '[');
    for (uint32_t track = f->tree->nodes[0].child; track != 0;
         track = f->tree->nodes[track].sibling) {
        json_break(j);
        put_track(f, j, track, frames, path);
    }
    json_break(j);
    json_close(j, ']');
    json_close(j, '}');
}

void flame_write_speedscope(const flame *f, stele_output *out)
{
    const size_t name_count = stele_name_count(f->context);
    uint32_t *frames = malloc((name_count + 1) * sizeof *frames);
    uint32_t *path = malloc((f->tree->depth_max + 1) * sizeof *path);
    json j = {.out = out, .is_line = true};
    if (frames == NULL || path == NULL) {
        stele_output_fail(out, STELE_ERR_MEMORY);
    } else {
        memset(frames, 0xff, (name_count + 1) * sizeof *frames);
        put_speedscope(f, &j, frames, path);
    }
    free(frames);
    free(path);
}

/* ---- Forms that the library writes ----------------------------------------------------------- */

void flame_write_pprof(const flame *f, bool has_tracks, stele_output *out)
{
    const stele_path_form form = {
        .struct_size = sizeof form, .has_tracks = has_tracks, .unit = f->unit};
    const stele_status status = stele_path_tree_write_pprof(f->context, f->tree, &form, out);
    if (status != STELE_OK)
        stele_output_fail(out, status);
}

void flame_write_callgrind(const flame *f, stele_output *out)
{
    const char *unit = f->unit == NULL && f->tree->is_sampled ? "units of the tracer" : f->unit;
    stele_callgraph *graph = NULL;
    stele_status status = stele_callgraph_new(f->context, f->tree, &graph);
    if (status == STELE_OK)
        status = stele_callgraph_write_callgrind(f->context, graph, unit, out);
    if (status != STELE_OK)
        stele_output_fail(out, status);
    stele_callgraph_free(graph);
}
