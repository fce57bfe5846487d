/* SPDX-License-Identifier: Apache-2.0 */
/* The call graph: who calls whom, summed over all paths of calls. */
#include <stele/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/table.h"
#include "model/context.h"

#define NONE UINT32_MAX

struct stele_callgraph {
    stele_graph_function *functions;
    stele_graph_edge *edges;
    uint32_t function_count, edge_count;
    uint32_t function_capacity, edge_capacity;
};

/* State that is needed only while the graph is made. */
typedef struct making {
    stele_callgraph *graph;
    uint32_t *by_name;  /* number of the function, by name; NONE: it has none yet */
    hash_table numbers; /* numbers of edges, by caller and callee */
    /* function and edge of each call on the current path, by depth */
    uint32_t *function_at, *edge_at;
    uint32_t depth;
} making;

/* ---- Functions and edges --------------------------------------------------------------------- */

/*
 * Makes room for one more entry. Returns the list, which may have moved, or NULL if out of memory.
 */
static void *grown(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    return count < *capacity ? list : array_grow(list, size, capacity, 256);
}

static uint32_t function_of(making *m, stele_name name)
{
    stele_callgraph *g = m->graph;
    stele_graph_function *functions;
    if (m->by_name[name] != NONE)
        return m->by_name[name];
    functions = grown(g->functions, g->function_count, &g->function_capacity, sizeof *functions);
    if (functions == NULL)
        return NONE;
    g->functions = functions;
    g->functions[g->function_count] = (stele_graph_function){.name = name};
    m->by_name[name] = g->function_count;
    return g->function_count++;
}

static uint32_t edge_of(making *m, uint32_t from, uint32_t to)
{
    stele_callgraph *g = m->graph;
    stele_graph_edge *edges;
    uint32_t hash;
    if (!hash_table_reserve(&m->numbers))
        return NONE;
    hash = hash_table_hash_pair(&m->numbers, from, to);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&m->numbers, hash, &at)) != HASH_NONE;)
        if (g->edges[number].from == from && g->edges[number].to == to)
            return number;
    edges = grown(g->edges, g->edge_count, &g->edge_capacity, sizeof *edges);
    if (edges == NULL)
        return NONE;
    g->edges = edges;
    g->edges[g->edge_count] = (stele_graph_edge){.from = from, .to = to};
    hash_table_put(&m->numbers, hash, g->edge_count);
    return g->edge_count++;
}

/* ---- Walk over the tree of paths ------------------------------------------------------------- */

/* Removes the calls at `depth` and below it from the current path. */
static void leave(making *m, uint32_t depth)
{
    for (; m->depth >= depth; m->depth--) {
        m->graph->functions[m->function_at[m->depth]].active--;
        if (m->depth > 1)
            m->graph->edges[m->edge_at[m->depth]].active--;
    }
}

static bool enter(making *m, const stele_path_node *node)
{
    const stele_path_figures *figures = &node->sides[0];
    const uint32_t number = function_of(m, node->name);
    stele_graph_function *function;
    if (number == NONE)
        return false;
    function = &m->graph->functions[number];
    function->count += figures->count;
    function->self_ns += figures->self_ns;
    function->total_ns += function->active++ == 0 ? figures->total_ns : 0;
    if (node->depth > 1) {
        const uint32_t edge_number = edge_of(m, m->function_at[node->depth - 1], number);
        stele_graph_edge *edge;
        if (edge_number == NONE)
            return false;
        edge = &m->graph->edges[edge_number];
        edge->count += figures->count;
        edge->total_ns += edge->active++ == 0 ? figures->total_ns : 0;
        m->edge_at[node->depth] = edge_number;
    }
    m->function_at[node->depth] = number;
    m->depth = node->depth;
    return true;
}

static bool walk(making *m, const stele_path_tree *tree)
{
    bool is_ok = true;
    for (uint32_t i = stele_path_next(tree, 0, 0); i != 0 && is_ok;
         i = stele_path_next(tree, i, 0)) {
        leave(m, tree->nodes[i].depth);
        is_ok = enter(m, &tree->nodes[i]);
    }
    leave(m, 1);
    return is_ok;
}

/* ---- Sorting of functions and edges ---------------------------------------------------------- */

/* A function with its name's text: qsort() passes no argument on, so each element holds what the
   comparison needs. */
typedef struct ranked {
    stele_graph_function function;
    stele_text name;
    uint32_t number;
} ranked;

static int ranked_compare(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    const int order = text_compare(a->name, b->name);
    if (a->function.total_ns != b->function.total_ns)
        return a->function.total_ns > b->function.total_ns ? -1 : 1;
    if (a->function.count != b->function.count)
        return a->function.count > b->function.count ? -1 : 1;
    return order;
}

static int edge_compare(const void *left, const void *right)
{
    const stele_graph_edge *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : a->to < b->to ? -1 : 1;
}

static bool sort(const stele_context *context, stele_callgraph *g)
{
    ranked *ranks = malloc((g->function_count + 1) * sizeof *ranks);
    uint32_t *moved = malloc((g->function_count + 1) * sizeof *moved);
    const bool is_ok = ranks != NULL && moved != NULL;
    for (uint32_t i = 0; is_ok && i < g->function_count; i++)
        ranks[i] =
            (ranked){g->functions[i], stele_name_text(context, NULL, g->functions[i].name), i};
    if (is_ok && g->function_count != 0)
        qsort(ranks, g->function_count, sizeof *ranks, ranked_compare);
    for (uint32_t i = 0; is_ok && i < g->function_count; i++) {
        g->functions[i] = ranks[i].function;
        moved[ranks[i].number] = i;
    }
    for (uint32_t i = 0; is_ok && i < g->edge_count; i++) {
        g->edges[i].from = moved[g->edges[i].from];
        g->edges[i].to = moved[g->edges[i].to];
    }
    if (is_ok && g->edge_count != 0)
        qsort(g->edges, g->edge_count, sizeof *g->edges, edge_compare);
    free(ranks);
    free(moved);
    return is_ok;
}

stele_status stele_callgraph_new(const stele_context *context, const stele_path_tree *tree,
                                 stele_callgraph **out)
{
    const size_t name_count = stele_name_count(context), depth = tree->depth_max;
    making m = {.graph = calloc(1, sizeof *m.graph),
                .by_name = malloc((name_count + 1) * sizeof *m.by_name),
                .function_at = malloc((depth + 1) * sizeof *m.function_at),
                .edge_at = malloc((depth + 1) * sizeof *m.edge_at)};
    bool is_ok = m.graph != NULL && m.by_name != NULL && m.function_at != NULL && m.edge_at != NULL;
    if (is_ok)
        memset(m.by_name, 0xff, (name_count + 1) * sizeof *m.by_name);
    is_ok = is_ok && walk(&m, tree) && sort(context, m.graph);
    free(m.by_name);
    hash_table_free(&m.numbers);
    free(m.function_at);
    free(m.edge_at);
    *out = is_ok ? m.graph : NULL;
    if (!is_ok)
        stele_callgraph_free(m.graph);
    return is_ok ? STELE_OK : STELE_ERR_MEMORY;
}

const stele_graph_function *stele_callgraph_functions(const stele_callgraph *graph, uint32_t *count)
{
    *count = graph->function_count;
    return graph->functions;
}

const stele_graph_edge *stele_callgraph_edges(const stele_callgraph *graph, uint32_t *count)
{
    *count = graph->edge_count;
    return graph->edges;
}

void stele_callgraph_free(stele_callgraph *graph)
{
    if (graph == NULL)
        return;
    free(graph->functions);
    free(graph->edges);
    free(graph);
}
