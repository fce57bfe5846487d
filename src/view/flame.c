/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls whom in a stretch of time: the tree that flame graphs are drawn from. */
#include <stdlib.h>

#include "view/code.h"

#define NODES_MAX   6000u
#define SHARE_LEAST 5000u /* a node that takes less than 1/5000 of the whole cannot be seen */

typedef struct flame {
    const question *q;
    stele_paths *paths;
} flame;

static stele_status take_wanted(void *user, const stele_segment *segment)
{
    return stele_paths_add(((flame *)user)->paths, segment);
}

static stele_status take_events(void *user, const stele_segment *segment)
{
    return viewer_give_wanted(((flame *)user)->q, segment, take_wanted, user);
}

/* Takes spans and does nothing with them: moments are paired only where spans are taken, see
   view_reading. */
static stele_status ignore_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    (void)segment;
    (void)spans;
    return STELE_OK;
}

/* Returns whether a node is wide enough to be seen; then its parent is as well, as it is wider. */
static bool is_seen(const stele_path_tree *tree, uint32_t node)
{
    const uint64_t whole = tree->nodes[0].sides[0].total_ns;
    const uint64_t part = tree->nodes[node].sides[0].total_ns;
    return part != 0 && part >= whole / SHARE_LEAST;
}

static void put_node(stele_json *j, stele_name name, int64_t parent, uint64_t count,
                     uint64_t self_ns, uint64_t total_ns)
{
    stele_json_open(j, NULL, '[');
    stele_json_uint(j, NULL, name);
    stele_json_int(j, NULL, parent);
    stele_json_uint(j, NULL, count);
    stele_json_uint(j, NULL, self_ns);
    stele_json_uint(j, NULL, total_ns);
    stele_json_close(j, ']');
}

/* Writes [name, number of the parent, count, self, total] of each node, parents before children. */
static stele_status put_tree(viewer *v, stele_output *out, const stele_path_tree *tree, bool is_cut)
{
    uint32_t *numbers = calloc(tree->count != 0 ? tree->count : 1, sizeof *numbers);
    const stele_path_node *root = &tree->nodes[0];
    stele_json j = {.out = out, .is_line = true};
    uint32_t count = 1, left_out = 0;
    if (numbers == NULL)
        return STELE_ERR_MEMORY;
    viewer_begin_names(v);
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "total", root->sides[0].total_ns);
    stele_json_bool(&j, "sampled", tree->is_sampled);
    stele_json_bool(&j, "cut", is_cut);
    stele_json_open(&j, "nodes", '[');
    put_node(&j, 0, -1, 0, 0, root->sides[0].total_ns);
    for (uint32_t i = 1; i < tree->count; i++) {
        const stele_path_node *node = &tree->nodes[i];
        const bool has_parent = node->parent == 0 || numbers[node->parent] != 0;
        if (!has_parent || !is_seen(tree, i) || count == NODES_MAX) {
            left_out++;
            continue;
        }
        numbers[i] = count++;
        put_node(&j, viewer_use_name(v, node->name), numbers[node->parent],
                 node->sides[0].total_count, node->sides[0].self_ns, node->sides[0].total_ns);
    }
    stele_json_close(&j, ']');
    stele_json_uint(&j, "leftOut", left_out);
    viewer_put_names(v, &j, "names");
    stele_json_close(&j, '}');
    free(numbers);
    return STELE_OK;
}

/* Returns whether all traces are of instructions, whose calls are not events. */
static bool are_of_insns(const viewer *v)
{
    for (size_t i = 0; i < v->trace_count; i++) {
        if (!stele_trace_has_insns(v->traces[i]))
            return false;
    }
    return true;
}

static stele_status read_calls(viewer *v, flame *f)
{
    const question *q = f->q;
    view_reading r = {.q = q,
                      .where = q->where,
                      .span = ignore_spans,
                      .event = take_events,
                      .has_open = true,
                      .user = f};
    stele_status status;
    r.has_fields = (stele_paths_columns(f->paths) & STELE_COLUMN_FIELDS) != 0;
    status = stele_paths_set_window(f->paths, q->begin_ns, viewer_known_end(v, q->end_ns));
    return status == STELE_OK ? viewer_read(v, &r, q->begin_ns, q->end_ns) : status;
}

stele_status answer_flame(viewer *v, const question *q, stele_output *out)
{
    flame f = {.q = q};
    const stele_request only = {.where = q->where[0] != 0 ? q->where : v->options.where};
    const stele_path_options options = {.struct_size = sizeof options,
                                        .only = only.where != NULL ? &only : NULL};
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    bool is_cut = false;
    stele_status status = stele_paths_new(v->context, &options, &f.paths);
    if (status != STELE_OK)
        return status;
    status = are_of_insns(v) ? code_follow(v, q, f.paths, &is_cut) : read_calls(v, &f);
    if (status == STELE_OK)
        status = stele_paths_tree(f.paths, false, &tree);
    if (status == STELE_OK)
        status = put_tree(v, out, &tree, is_cut);
    stele_paths_free(f.paths);
    return status;
}
