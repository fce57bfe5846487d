/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls whom: the paths of a tree put together by function, and by caller and function. */
#ifndef ANALYSIS_EVENTS_CALLGRAPH_H
#define ANALYSIS_EVENTS_CALLGRAPH_H

#include "analysis/events/paths.h"

typedef struct stele_graph_function {
    stele_name name;
    uint32_t active; /* how often it is on the path at hand, while the graph is made */
    uint64_t count, self_ns;
    uint64_t total_ns; /* recursion counts once */
} stele_graph_function;

typedef struct stele_graph_edge {
    uint32_t from, to; /* numbers of functions */
    uint32_t active;
    uint64_t count;
    uint64_t total_ns; /* of the calls of `to` by `from`, recursion once */
} stele_graph_edge;

/* Both sorted by total time, largest first, then by number of calls and name. */
typedef struct stele_callgraph {
    stele_graph_function *functions;
    stele_graph_edge *edges;
    uint32_t function_count, edge_count;
    uint32_t function_capacity, edge_capacity;
} stele_callgraph;

/* Of side 0. STELE_ERR_MEMORY. */
stele_status stele_callgraph_make(const stele_context *context, const stele_path_tree *tree,
                                  stele_callgraph *graph);
void stele_callgraph_free(stele_callgraph *graph);

#endif
