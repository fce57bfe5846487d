/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of call paths: a node is a name below the node of its caller, and node 0 stands for what
 * is outside of all calls. The tree has at most as many nodes as its limit; recursion that is too
 * deep is folded into the nodes above it.
 */
#ifndef ANALYSIS_EVENTS_CALL_TREE_H
#define ANALYSIS_EVENTS_CALL_TREE_H

#include <stele/analysis.h>

#include "core/table.h"

typedef struct call_tree {
    stele_call_node *nodes; /* owned; node 0 is the root */
    uint32_t count, capacity;
    uint32_t count_max;
    hash_table numbers; /* numbers of nodes, by parent and name */
} call_tree;

/* Makes the root; zero is a tree without one. Returns false if out of memory. */
bool call_tree_begin(call_tree *tree, uint32_t count_max);
void call_tree_free(call_tree *tree);

/*
 * Makes the node of `name` below `parent`, which call_tree_find() did not find. Once a limit is
 * reached, `*node` is a node that exists already, and `counts` says so. Returns false if out of
 * memory.
 */
bool call_tree_add(call_tree *tree, uint32_t parent, stele_name name, stele_call_counts *counts,
                   uint32_t *node);

/* Finds the node of `name` below `parent`. Returns HASH_NONE if there is none. */
static inline uint32_t call_tree_find(const call_tree *tree, uint32_t parent, stele_name name)
{
    const uint32_t hash = hash_table_hash_pair(&tree->numbers, parent, name);
    uint32_t at = hash, number;
    while ((number = hash_table_next(&tree->numbers, hash, &at)) != HASH_NONE) {
        if (tree->nodes[number].parent == parent && tree->nodes[number].name == name)
            break;
    }
    return number;
}

#endif
