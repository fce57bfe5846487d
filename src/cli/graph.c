/* SPDX-License-Identifier: Apache-2.0 */
/* stele graph: shows who calls whom, as DOT for Graphviz or as a text tree. */
#include "cli/show/graph.h"

#include <stele/analysis.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

typedef struct graphing {
    cli *c;
    stele_output *out;
    const stele_path_tree *tree;
    uint64_t whole_ns;
    uint64_t total_min_ns; /* calls with a lower total are left out */
    uint64_t top;
} graphing;

static const char *time_text(const graphing *g, char *text, uint64_t ns)
{
    return g->tree->is_sampled ? print_count(text, ns) : print_length(text, g->c->times, ns);
}

/* ---- Text tree ------------------------------------------------------------------------------- */

#define COUNT_WIDTH 13
#define TIME_WIDTH  12

static void write_tree_heading(const graphing *g)
{
    if (!g->tree->is_sampled)
        print_time_unit(g->out, g->c->times);
    print_color(g->out, g->c->has_color, COLOR_BOLD);
    print_padded(g->out, "total", -TIME_WIDTH);
    print_padded(g->out, "share", -TIME_WIDTH + 2);
    print_padded(g->out, "self", -TIME_WIDTH);
    print_padded(g->out, "calls", -COUNT_WIDTH);
    stele_output_text(g->out, "  name");
    print_color(g->out, g->c->has_color, COLOR_NONE);
    stele_output_byte(g->out, '\n');
}

static void write_tree_node(const graphing *g, const stele_path_node *node)
{
    const stele_path_figures *figures = &node->sides[0];
    char text[PRINT_SIZE];
    print_padded(g->out, time_text(g, text, figures->total_ns), -TIME_WIDTH);
    print_padded(g->out, print_share(text, figures->total_ns, g->whole_ns), -TIME_WIDTH + 2);
    print_padded(g->out, time_text(g, text, figures->self_ns), -TIME_WIDTH);
    print_padded(g->out, print_count(text, figures->count), -COUNT_WIDTH);
    print_spaces(g->out, 2 * (size_t)node->depth);
    (g->c->is_screen ? naming_write_short : naming_write)(g->c->context, g->out, node->name);
    if (node->folded_count != 0)
        stele_output_printf(g->out, " (with %s of deeper recursion)",
                            print_things(text, node->folded_count, "call"));
    stele_output_byte(g->out, '\n');
}

/* Writes one line for a node and its siblings after it together. */
static void write_tree_rest(const graphing *g, uint32_t node)
{
    const uint32_t depth = g->tree->nodes[node].depth;
    uint64_t total_ns = 0, count = 0;
    char text[PRINT_SIZE];
    for (; node != 0; node = g->tree->nodes[node].sibling) {
        total_ns += g->tree->nodes[node].sides[0].total_ns;
        count++;
    }
    print_padded(g->out, time_text(g, text, total_ns), -TIME_WIDTH);
    print_padded(g->out, print_share(text, total_ns, g->whole_ns), -TIME_WIDTH + 2);
    print_spaces(g->out, TIME_WIDTH + COUNT_WIDTH + 2 * (size_t)depth);
    print_color(g->out, g->c->has_color, COLOR_DIM);
    stele_output_printf(g->out, "(%s more)", print_count(text, count));
    print_color(g->out, g->c->has_color, COLOR_NONE);
    stele_output_byte(g->out, '\n');
}

/* Writes the tree. Children are sorted by size, so those left out are the last of each list. */
static bool write_tree(const graphing *g)
{
    const stele_path_node *nodes = g->tree->nodes;
    /* how many children were written, by depth */
    uint64_t *shown = calloc((size_t)g->tree->depth_max + 2, sizeof *shown);
    uint32_t node = nodes[0].child;
    if (shown == NULL)
        return false;
    write_tree_heading(g);
    while (node != 0) {
        const uint32_t depth = nodes[node].depth;
        const stele_path_figures *figures = &nodes[node].sides[0];
        const bool is_shown = figures->total_ns + figures->total_count != 0 &&
                              figures->total_ns >= g->total_min_ns &&
                              (g->top == 0 || shown[depth] < g->top);
        if (is_shown) {
            shown[depth]++;
            shown[depth + 1] = 0;
            write_tree_node(g, &nodes[node]);
            node = stele_path_next(g->tree, node, 0);
            continue;
        }
        if (figures->total_ns + figures->total_count != 0)
            write_tree_rest(g, node);
        node = nodes[node].parent;
        while (node != 0 && nodes[node].sibling == 0)
            node = nodes[node].parent;
        node = nodes[node].sibling;
    }
    free(shown);
    return true;
}

/* ---- DOT for Graphviz ------------------------------------------------------------------------ */

/* Writes a name inside of a quoted string of DOT. */
static void write_dot_name(const graphing *g, stele_name name)
{
    const stele_text text = stele_name_text(g->c->context, NULL, name);
    if (text.size == 0)
        stele_output_text(g->out, "(no name)");
    stele_output_plain(g->out, text.bytes, text.size, "\"\\");
}

static void write_dot_function(const graphing *g, const stele_graph_function *function,
                               uint32_t number)
{
    char text[PRINT_SIZE];
    const double share = g->whole_ns == 0 ? 0 : (double)function->self_ns / (double)g->whole_ns;
    stele_output_printf(g->out, "  f%" PRIu32 " [label=\"", number);
    write_dot_name(g, function->name);
    stele_output_printf(g->out, "\\n%s", time_text(g, text, function->total_ns));
    stele_output_printf(g->out, " (%s)", print_share(text, function->total_ns, g->whole_ns));
    stele_output_printf(g->out, "\\nself %s", time_text(g, text, function->self_ns));
    stele_output_printf(g->out, " (%s)", print_share(text, function->self_ns, g->whole_ns));
    stele_output_printf(g->out, "\\n%s\", fillcolor=\"0.06 %.3f 1.000\"];\n",
                        print_things(text, function->count, "call"), 0.04 + 0.76 * share);
}

static void write_dot_edge(const graphing *g, const stele_graph_edge *edge)
{
    char text[PRINT_SIZE];
    const double share = g->whole_ns == 0 ? 0 : (double)edge->total_ns / (double)g->whole_ns;
    stele_output_printf(g->out, "  f%" PRIu32 " -> f%" PRIu32 " [label=\"%s", edge->from, edge->to,
                        time_text(g, text, edge->total_ns));
    stele_output_printf(g->out, "\\n%s\", penwidth=%.2f];\n",
                        print_things(text, edge->count, "call"), 0.5 + 4.5 * share);
}

static bool write_dot(const graphing *g)
{
    const stele_graph_function *functions;
    const stele_graph_edge *edges;
    stele_callgraph *graph;
    uint32_t function_count, edge_count, shown = 0, edges_shown = 0;
    if (!cli_check(g->c, stele_callgraph_new(g->c->context, g->tree, &graph), "graph"))
        return true;
    functions = stele_callgraph_functions(graph, &function_count);
    edges = stele_callgraph_edges(graph, &edge_count);
    stele_output_text(g->out,
                      "digraph calls {\n"
                      "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n"
                      "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    while (shown < function_count && functions[shown].total_ns >= g->total_min_ns &&
           (g->top == 0 || shown < g->top)) {
        write_dot_function(g, &functions[shown], shown);
        shown++;
    }
    for (uint32_t i = 0; i < edge_count; i++) {
        const stele_graph_edge *edge = &edges[i];
        if (edge->total_ns < g->total_min_ns || edge->from >= shown || edge->to >= shown)
            continue;
        write_dot_edge(g, edge);
        edges_shown++;
    }
    stele_output_printf(g->out,
                        "  // %" PRIu32 " of %" PRIu32 " functions and %" PRIu32 " of %" PRIu32
                        " edges are shown\n}\n",
                        shown, function_count, edges_shown, edge_count);
    stele_callgraph_free(graph);
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Parses --min-share, "0.5" or "0.5%", as a fraction of the whole. If it is not valid, reports
   it and returns false. */
bool graph_share(cli *c, double *share)
{
    const char *text = option_value(&c->options, OPTION_MIN_SHARE);
    char *end;
    *share = strtod(text, &end) / 100;
    if (end != text && *end == '%')
        end++;
    if (end == text || *end != 0 || !(*share >= 0 && *share <= 1))
        return cli_usage(c, "--min-share takes a percentage such as 0.5, not '%s'", text);
    return true;
}

static graphing graphing_make(cli *c, stele_output *out, const stele_path_tree *tree, double share)
{
    const uint64_t whole_ns = tree->nodes[0].sides[0].total_ns;
    return (graphing){.c = c,
                      .out = out,
                      .tree = tree,
                      .whole_ns = whole_ns,
                      .total_min_ns = (uint64_t)(share * (double)whole_ns),
                      .top = option_number(&c->options, OPTION_TOP)};
}

void graph_write_tree(cli *c, stele_output *out, const stele_path_tree *tree, double share)
{
    const graphing g = graphing_make(c, out, tree, share);
    if (!write_tree(&g))
        cli_check(c, STELE_ERR_MEMORY, "graph");
}

/* Sets whether the output is DOT: by option, or else by its name. If neither says so, reports it
   and returns false. */
static bool choose_form(cli *c, const char *path, bool *is_dot)
{
    const char *name = option_value(&c->options, OPTION_GRAPH_FORMAT);
    const char *end = path != NULL ? strrchr(path, '.') : NULL;
    *is_dot = strcmp(name, "dot") == 0;
    if (option_given(&c->options, OPTION_GRAPH_FORMAT) || path == NULL || strcmp(path, "-") == 0)
        return true;
    *is_dot = end != NULL && (strcmp(end, ".dot") == 0 || strcmp(end, ".gv") == 0);
    return *is_dot || (end != NULL && strcmp(end, ".txt") == 0) ||
           cli_usage(c,
                     "'%s' does not tell the form, as .dot, .gv and .txt (a tree) do: name it with "
                     "--format",
                     path);
}

static void show(cli *c, stele_paths *p, double share, bool is_dot)
{
    const options *o = &c->options;
    const char *path = option_value(o, OPTION_OUTPUT);
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_output *out;
    if (!cli_check(c, stele_paths_tree(p, false, &tree), "graph") || !calling_output(c, path, &out))
        return;
    if (is_dot) {
        const graphing g = graphing_make(c, out, &tree, share);
        if (!write_dot(&g))
            cli_check(c, STELE_ERR_MEMORY, "graph");
    } else {
        graph_write_tree(c, out, &tree, share);
    }
    calling_output_end(c, path, out);
    calling_remark_unusual(c, stele_paths_get_counts(p));
    stele_paths_report(p);
}

void command_GRAPH(cli *c)
{
    calling s = {.depth_min = 0};
    stele_paths *p = NULL;
    double share;
    bool is_dot;
    if (choose_form(c, option_value(&c->options, OPTION_OUTPUT), &is_dot) &&
        graph_share(c, &share) && calling_make(c, &s) &&
        calling_read_paths(c, &s, option_given(&c->options, OPTION_BY_THREAD), &p))
        show(c, p, share, is_dot);
    calling_remark_pairs(c, &s);
    stele_paths_free(p);
    calling_free(&s);
}
