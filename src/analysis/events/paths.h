/* SPDX-License-Identifier: Apache-2.0 */
/* Call paths with their figures, of one trace or of two that are compared, as a tree. */
#ifndef ANALYSIS_EVENTS_PATHS_H
#define ANALYSIS_EVENTS_PATHS_H

#include "analysis/events/calls.h"

typedef struct stele_paths stele_paths;

typedef struct stele_path_options {
    bool by_track;                 /* each track is a subtree, named after it */
    uint32_t depth_min, depth_end; /* of the calls counted; depth_end 0: no limit */
    uint64_t duration_min_ns;
    const stele_request *only; /* as stele_call_options.only */
} stele_path_options;

typedef struct stele_path_figures {
    uint64_t count;       /* calls of exactly this path */
    uint64_t self_ns;     /* their time without callees */
    uint64_t total_count; /* with all longer paths */
    uint64_t total_ns;    /* the same: self times of the whole subtree */
} stele_path_figures;

#define STELE_PATH_SIDES 2u

/* Node 0 is the root, above all outermost calls. Parents stand before their children. */
typedef struct stele_path_node {
    stele_name name;
    uint32_t parent;
    uint32_t child, sibling; /* the first child, the next one of the parent; 0: none */
    uint32_t depth;          /* 0 is the root */
    uint64_t folded_count;   /* calls of deeper recursion that count here */
    stele_path_figures sides[STELE_PATH_SIDES];
} stele_path_node;

typedef struct stele_path_tree {
    const stele_path_node *nodes;
    uint32_t count;
    uint32_t depth_max;
    bool is_sampled; /* times are in units of the tracer */
} stele_path_tree;

/* STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
stele_status stele_paths_new(stele_context *context, const stele_path_options *options,
                             stele_paths **out);
void stele_paths_free(stele_paths *p);
uint32_t stele_paths_columns(const stele_paths *p);
stele_status stele_paths_add(stele_paths *p, const stele_segment *segment);

/* As stele_calls_set_window(). */
stele_status stele_paths_set_window(stele_paths *p, int64_t begin_ns, int64_t end_ns);

/* Closes what is open. What is added from now on counts for this side. */
stele_status stele_paths_turn(stele_paths *p, unsigned side);

/* Closes what is open, and gives the tree: children with more time (or calls) first. It holds until
   the next call. STELE_ERR_MEMORY. */
stele_status stele_paths_tree(stele_paths *p, bool by_count, stele_path_tree *tree);
const stele_call_counts *stele_paths_get_counts(const stele_paths *p);

/* The next node of a walk over the subtree of `root`, parents first; 0 at its end. */
static inline uint32_t stele_path_next(const stele_path_tree *tree, uint32_t node, uint32_t root)
{
    if (tree->nodes[node].child != 0)
        return tree->nodes[node].child;
    while (node != root && tree->nodes[node].sibling == 0)
        node = tree->nodes[node].parent;
    return node == root ? 0 : tree->nodes[node].sibling;
}

#endif
