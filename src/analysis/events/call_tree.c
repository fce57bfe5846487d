/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/call_tree.h"

#include <stdlib.h>

#include "core/array.h"

static bool grow(call_tree *tree)
{
    stele_call_node *nodes = array_grow(tree->nodes, sizeof *nodes, &tree->capacity, 1024);
    if (nodes == NULL)
        return false;
    tree->nodes = nodes;
    return hash_table_make_room(&tree->numbers, tree->capacity);
}

bool call_tree_begin(call_tree *tree, uint32_t count_max)
{
    if (!grow(tree))
        return false;
    tree->count_max = count_max;
    tree->nodes[tree->count++] = (stele_call_node){0};
    return true;
}

void call_tree_free(call_tree *tree)
{
    free(tree->nodes);
    hash_table_free(&tree->numbers);
}

/* Finds the nearest node of this name from `end` towards the root. Returns 0 if there is none. */
static uint32_t find_above(const call_tree *tree, uint32_t end, stele_name name)
{
    while (end != 0 && tree->nodes[end].name != name)
        end = tree->nodes[end].parent;
    return end;
}

bool call_tree_add(call_tree *tree, uint32_t parent, stele_name name, stele_call_counts *counts,
                   uint32_t *node)
{
    const uint32_t above = find_above(tree, parent, name);
    if (above != 0 && tree->nodes[above].repeats == STELE_CALL_REPEATS_MAX) {
        tree->nodes[above].folded_count++;
        counts->folded_count++;
        *node = above;
        return true;
    }
    if (tree->count >= tree->count_max || tree->nodes[parent].depth == STELE_CALL_PATH_MAX) {
        counts->node_other_count++;
        *node = parent;
        return true;
    }
    if (tree->count == tree->capacity && !grow(tree))
        return false;
    tree->nodes[tree->count] =
        (stele_call_node){.parent = parent,
                          .name = name,
                          .depth = (uint16_t)(tree->nodes[parent].depth + 1),
                          .repeats = (uint16_t)(above != 0 ? tree->nodes[above].repeats + 1 : 1)};
    hash_table_put(&tree->numbers, hash_table_hash_pair(&tree->numbers, parent, name), tree->count);
    *node = tree->count++;
    return true;
}
