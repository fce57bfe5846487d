/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of the fields that others depend on, whose nodes are found by a hash table. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/schema/targets.h"

/* ---- Places of targets ---- */

static uint32_t node_find(const target_tree *tree, uint32_t parent, uint32_t index, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&tree->numbers, hash, &at)) != HASH_NONE;) {
        if (tree->nodes[number].parent == parent && tree->nodes[number].index == index)
            return number;
    }
    return TARGET_NONE;
}

bool target_tree_init(target_tree *tree, uint32_t roots)
{
    *tree = (target_tree){0};
    tree->nodes = array_reserve(NULL, sizeof *tree->nodes, &tree->capacity, (size_t)roots + 64);
    if (tree->nodes == NULL)
        return false;
    tree->root_count = roots;
    tree->count = roots + 1;
    for (uint32_t i = 0; i <= roots; i++)
        tree->nodes[i] = (target_node){.slot = SLOT_NONE};
    return true;
}

void target_tree_free(target_tree *tree)
{
    free(tree->nodes);
    hash_table_free(&tree->numbers);
    *tree = (target_tree){0};
}

void target_tree_clear(target_tree *tree)
{
    for (uint32_t i = tree->root_count + 1; i < tree->count; i++)
        hash_table_remove(&tree->numbers, tree->nodes[i].hash, i);
    tree->count = tree->root_count + 1;
    for (uint32_t i = 0; i < tree->count; i++)
        tree->nodes[i] = (target_node){.slot = SLOT_NONE};
}

uint32_t target_tree_child(const target_tree *tree, uint32_t parent, uint32_t index)
{
    if (parent == TARGET_NONE || tree->nodes[parent].child == TARGET_NONE)
        return TARGET_NONE;
    return node_find(tree, parent, index, hash_table_hash_pair(&tree->numbers, parent, index));
}

uint32_t target_tree_add(target_tree *tree, uint32_t parent, uint32_t index)
{
    uint32_t hash, node;
    if (!hash_table_reserve(&tree->numbers))
        return TARGET_NONE;
    hash = hash_table_hash_pair(&tree->numbers, parent, index);
    node = node_find(tree, parent, index, hash);
    if (node != TARGET_NONE)
        return node;
    if (tree->count == tree->capacity) {
        target_node *nodes = array_grow(tree->nodes, sizeof *nodes, &tree->capacity, 64);
        if (nodes == NULL)
            return TARGET_NONE;
        tree->nodes = nodes;
    }
    node = tree->count++;
    tree->nodes[node] = (target_node){.parent = parent,
                                      .index = index,
                                      .slot = SLOT_NONE,
                                      .sibling = tree->nodes[parent].child,
                                      .hash = hash};
    tree->nodes[parent].child = node;
    hash_table_put(&tree->numbers, hash, node);
    return node;
}

/* ---- Members of structures by name ---- */

/* A member of a structure. With index MEMBER_NONE it says that all members of the structure are in
   the table. */
struct known_member {
    const ctf_class *structure;
    uint32_t index;
};

#define MEMBERS_FEW 8u

static uint32_t structure_hash(const member_table *table, const ctf_class *structure)
{
    return hash_table_hash_u64(&table->numbers, (uint64_t)(uintptr_t)structure);
}

static uint32_t member_hash(const member_table *table, const ctf_class *structure, ctf_text written)
{
    return structure_hash(table, structure) ^
           hash_table_hash_bytes(&table->numbers, written.bytes, written.size);
}

/* Whether all members of a structure are in the table. */
static bool is_whole(const member_table *table, const ctf_class *structure)
{
    const uint32_t hash = structure_hash(table, structure);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&table->numbers, hash, &at)) != HASH_NONE;) {
        const struct known_member *of = &table->members[number];
        if (of->structure == structure && of->index == MEMBER_NONE)
            return true;
    }
    return false;
}

static uint32_t known_find(const member_table *table, const ctf_class *structure, ctf_text written)
{
    const uint32_t hash = member_hash(table, structure, written);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&table->numbers, hash, &at)) != HASH_NONE;) {
        const struct known_member *of = &table->members[number];
        if (of->structure == structure && of->index != MEMBER_NONE &&
            ctf_text_equals(structure->u.structure.members[of->index].written, written))
            return of->index;
    }
    return MEMBER_NONE;
}

/* Adds all members of a structure; of several with one name the first. Returns false if out of
   memory. */
static bool add_structure(member_table *table, const ctf_class *structure)
{
    const uint32_t count = structure->u.structure.count;
    const size_t wanted = (size_t)table->count + count + 1;
    struct known_member *members =
        array_reserve(table->members, sizeof *members, &table->capacity, wanted);
    if (members == NULL)
        return false;
    table->members = members;
    if (!hash_table_make_room(&table->numbers, wanted))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const ctf_text written = structure->u.structure.members[i].written;
        if (known_find(table, structure, written) != MEMBER_NONE)
            continue;
        members[table->count] = (struct known_member){structure, i};
        hash_table_put(&table->numbers, member_hash(table, structure, written), table->count++);
    }
    members[table->count] = (struct known_member){structure, MEMBER_NONE};
    hash_table_put(&table->numbers, structure_hash(table, structure), table->count++);
    return true;
}

uint32_t member_find(member_table *table, const ctf_class *structure, ctf_text written,
                     bool *is_exhausted)
{
    const ctf_member *members = structure->u.structure.members;
    const uint32_t count = structure->u.structure.count;
    if (count <= MEMBERS_FEW) {
        for (uint32_t i = 0; i < count; i++) {
            if (ctf_text_equals(members[i].written, written))
                return i;
        }
        return MEMBER_NONE;
    }
    if (!is_whole(table, structure) && !add_structure(table, structure)) {
        *is_exhausted = true;
        return MEMBER_NONE;
    }
    return known_find(table, structure, written);
}

void member_table_free(member_table *table)
{
    free(table->members);
    hash_table_free(&table->numbers);
    *table = (member_table){0};
}
