/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph in the format of Callgrind, for KCachegrind and callgrind_annotate: each function
 * with its own cost, and its calls with their number and what they cost in all.
 */
#include <stele/analysis.h>

#include <inttypes.h>
#include <stdlib.h>

#include "core/output.h"

/* Writes a function as its number, and with its name the first time, as the format allows. */
static void put_function(const stele_context *context, stele_output *out,
                         const stele_graph_function *functions, uint32_t number, bool *is_named)
{
    stele_text text;
    stele_output_printf(out, "(%" PRIu32 ")", number + 1);
    if (!is_named[number]) {
        text = stele_name_text(context, NULL, functions[number].name);
        stele_output_byte(out, ' ');
        if (text.size == 0)
            stele_output_text(out, "no name");
        stele_output_plain(out, text.bytes, text.size, "");
        is_named[number] = true;
    }
    stele_output_byte(out, '\n');
}

/* Sorts the edges by caller: those of function i are order[first[i]] to order[first[i + 1] - 1].
   The caller frees both arrays. Returns false if out of memory. */
static bool sort_edges(const stele_callgraph *graph, uint32_t **first, uint32_t **order)
{
    uint32_t function_count, edge_count;
    const stele_graph_edge *edges = stele_callgraph_edges(graph, &edge_count);
    stele_callgraph_functions(graph, &function_count);
    *first = calloc((size_t)function_count + 2, sizeof **first);
    *order = calloc((size_t)edge_count + 1, sizeof **order);
    if (*first == NULL || *order == NULL)
        return false;
    for (uint32_t i = 0; i < edge_count; i++)
        (*first)[edges[i].from + 2]++;
    for (uint32_t i = 2; i < function_count + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t i = 0; i < edge_count; i++)
        (*order)[(*first)[edges[i].from + 1]++] = i;
    return true;
}

static void put_head(stele_output *out, const char *unit)
{
    stele_output_text(out, "# callgrind format\nversion: 1\ncreator: stele\npositions: line\n");
    if (unit != NULL)
        stele_output_printf(out, "event: Cost : %s\n", unit);
    else
        stele_output_text(out, "event: Cost : nanoseconds\n");
    stele_output_text(out, "events: Cost\n\nfl=(1) ???\n");
}

stele_status stele_callgraph_write_callgrind(const stele_context *context,
                                             const stele_callgraph *graph, const char *unit,
                                             stele_output *out)
{
    uint32_t count, edge_count, *first = NULL, *order = NULL;
    const stele_graph_function *functions = stele_callgraph_functions(graph, &count);
    const stele_graph_edge *edges = stele_callgraph_edges(graph, &edge_count);
    bool *is_named = calloc((size_t)count + 1, sizeof *is_named);
    stele_status status = STELE_ERR_MEMORY;
    if (is_named != NULL && sort_edges(graph, &first, &order)) {
        put_head(out, unit);
        for (uint32_t i = 0; i < count; i++) {
            stele_output_text(out, "fn=");
            put_function(context, out, functions, i, is_named);
            stele_output_printf(out, "0 %" PRIu64 "\n", functions[i].self_ns);
            for (uint32_t at = first[i]; at < first[i + 1]; at++) {
                const stele_graph_edge *edge = &edges[order[at]];
                stele_output_text(out, "cfn=");
                put_function(context, out, functions, edge->to, is_named);
                stele_output_printf(out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n", edge->count,
                                    edge->total_ns);
            }
        }
        status = out->status;
    }
    free(is_named);
    free(first);
    free(order);
    return status;
}
