/* SPDX-License-Identifier: Apache-2.0 */
/* Call paths with their figures, of one trace or of two that are compared, as a tree. */
#ifndef ANALYSIS_EVENTS_PATHS_H
#define ANALYSIS_EVENTS_PATHS_H

#include "analysis/events/calls.h"

typedef struct paths paths;

typedef struct path_options {
    bool by_track;                 /* each track is a subtree, named after it */
    uint32_t depth_min, depth_end; /* of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;
    const stele_request *only; /* as call_options.only */
} path_options;

typedef struct path_figures {
    uint64_t count;       /* calls of exactly this path */
    uint64_t self_ns;     /* their time without callees */
    uint64_t total_count; /* with all longer paths */
    uint64_t total_ns;    /* the same: self times of the whole subtree */
} path_figures;

#define PATH_SIDES 2u

/* Node 0 is the root, above all outermost calls. Parents stand before their children. */
typedef struct path_node {
    stele_name name;
    uint32_t parent;
    uint32_t child, sibling; /* the first child, the next one of the parent; 0: none */
    uint32_t depth;          /* 0 is the root */
    uint64_t folded_count;   /* calls of deeper recursion that count here */
    path_figures sides[PATH_SIDES];
} path_node;

typedef struct path_tree {
    const path_node *nodes;
    uint32_t count;
    uint32_t depth_max;
    bool is_sampled; /* times are in units of the tracer */
} path_tree;

/* STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
stele_status paths_new(stele_context *context, const path_options *options, paths **out);
void paths_free(paths *p);
uint32_t paths_columns(const paths *p);
stele_status paths_add(paths *p, const stele_segment *segment);

/* As calls_set_window(). */
stele_status paths_set_window(paths *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open. What is added from now on counts for this side. */
stele_status paths_turn(paths *p, unsigned side);

/* Closes what is open, and gives the tree: children with more time (or calls) first. It holds until
   the next call. STELE_ERR_MEMORY. */
stele_status paths_tree(paths *p, bool by_count, path_tree *tree);
const call_counts *paths_get_counts(const paths *p);

/* The next node of a walk over the subtree of `root`, parents first; 0 at its end. */
static inline uint32_t path_next(const path_tree *tree, uint32_t node, uint32_t root)
{
    if (tree->nodes[node].child != 0)
        return tree->nodes[node].child;
    while (node != root && tree->nodes[node].sibling == 0)
        node = tree->nodes[node].parent;
    return node == root ? 0 : tree->nodes[node].sibling;
}

#endif
