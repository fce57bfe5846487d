/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of the fields that others depend on, kept as nodes in a hash table. */
#include <stdlib.h>

#include "core/hash.h"
#include "formats/ctf/schema/targets.h"

/* ---- Places of targets ---- */

static uint32_t tree_slot(const target_tree *tree, uint32_t parent, uint32_t index)
{
    uint32_t slot = (uint32_t)hash_keyed_pair(tree->key, parent, index) & tree->table_mask;
    while (tree->table[slot] != 0) {
        const target_node *node = &tree->nodes[tree->table[slot]];
        if (node->parent == parent && node->index == index)
            break;
        slot = (slot + 1) & tree->table_mask;
    }
    return slot;
}

/* Makes room for one more node. The hash table always has at least twice as many slots as nodes. */
static bool tree_grow(target_tree *tree)
{
    const uint32_t capacity = tree->capacity != 0 ? tree->capacity * 2 : 64;
    target_node *nodes = realloc(tree->nodes, capacity * sizeof *nodes);
    uint32_t *table;
    if (nodes == NULL)
        return false;
    if (tree->nodes == NULL)
        tree->key = hash_key_make();
    tree->nodes = nodes;
    table = calloc((size_t)capacity * 2, sizeof *table);
    if (table == NULL)
        return false;
    free(tree->table);
    tree->table = table;
    tree->table_mask = capacity * 2 - 1;
    tree->capacity = capacity;
    for (uint32_t i = tree->root_count + 1; i < tree->count; i++) {
        nodes[i].at = tree_slot(tree, nodes[i].parent, nodes[i].index);
        table[nodes[i].at] = i;
    }
    return true;
}

bool target_tree_init(target_tree *tree, uint32_t roots)
{
    *tree = (target_tree){0};
    while (tree->capacity < roots + 2) {
        if (!tree_grow(tree))
            return false;
    }
    tree->root_count = roots;
    tree->count = roots + 1;
    for (uint32_t i = 0; i <= roots; i++)
        tree->nodes[i] = (target_node){.slot = SLOT_NONE};
    return true;
}

void target_tree_free(target_tree *tree)
{
    free(tree->nodes);
    free(tree->table);
    *tree = (target_tree){0};
}

void target_tree_clear(target_tree *tree)
{
    for (uint32_t i = tree->root_count + 1; i < tree->count; i++)
        tree->table[tree->nodes[i].at] = 0;
    tree->count = tree->root_count + 1;
    for (uint32_t i = 0; i < tree->count; i++)
        tree->nodes[i] = (target_node){.slot = SLOT_NONE};
}

uint32_t target_tree_child(const target_tree *tree, uint32_t parent, uint32_t index)
{
    if (parent == TARGET_NONE || tree->nodes[parent].child == TARGET_NONE)
        return TARGET_NONE;
    return tree->table[tree_slot(tree, parent, index)];
}

uint32_t target_tree_add(target_tree *tree, uint32_t parent, uint32_t index)
{
    uint32_t node, slot;
    if (tree->count == tree->capacity && !tree_grow(tree))
        return TARGET_NONE;
    slot = tree_slot(tree, parent, index);
    if (tree->table[slot] != 0)
        return tree->table[slot];
    node = tree->count++;
    tree->nodes[node] = (target_node){.parent = parent,
                                      .index = index,
                                      .slot = SLOT_NONE,
                                      .sibling = tree->nodes[parent].child,
                                      .at = slot};
    tree->nodes[parent].child = node;
    return tree->table[slot] = node;
}

/* ---- Members of structures by name ---- */

/* A member of a structure. With index MEMBER_NONE the slot says that all members of the structure
   are in the table. */
struct member_slot {
    const ctf_class *structure; /* NULL if the slot is free */
    uint32_t index;
};

#define MEMBERS_FEW 8u

static uint32_t table_slot(const member_table *table, const ctf_class *structure, ctf_text written,
                           bool is_whole)
{
    const uint64_t own = hash_keyed_u64(table->key, (uint64_t)(uintptr_t)structure);
    uint32_t slot =
        (uint32_t)(is_whole ? own
                            : own ^ hash_keyed_bytes(table->key, written.bytes, written.size)) &
        table->mask;
    for (; table->slots[slot].structure != NULL; slot = (slot + 1) & table->mask) {
        const struct member_slot *at = &table->slots[slot];
        if (at->structure != structure || (at->index == MEMBER_NONE) != is_whole)
            continue;
        if (is_whole || ctf_text_equals(structure->u.structure.members[at->index].written, written))
            break;
    }
    return slot;
}

static void table_put(member_table *table, struct member_slot entry)
{
    const bool is_whole = entry.index == MEMBER_NONE;
    const ctf_text written =
        is_whole ? (ctf_text){NULL, 0} : entry.structure->u.structure.members[entry.index].written;
    const uint32_t slot = table_slot(table, entry.structure, written, is_whole);
    if (table->slots[slot].structure != NULL)
        return;
    table->slots[slot] = entry;
    table->count++;
}

static bool table_reserve(member_table *table, uint32_t more)
{
    const uint64_t wanted = ((uint64_t)table->count + more) * 2;
    const member_table old = *table;
    size_t slots = 64;
    if (old.slots != NULL && wanted <= old.mask)
        return true;
    while (slots <= wanted)
        slots *= 2;
    *table = (member_table){.slots = calloc(slots, sizeof *table->slots),
                            .mask = (uint32_t)(slots - 1),
                            .key = hash_key_make()};
    if (slots > UINT32_MAX || table->slots == NULL) {
        free(table->slots);
        *table = old;
        return false;
    }
    for (uint32_t i = 0; old.slots != NULL && i <= old.mask; i++) {
        if (old.slots[i].structure != NULL)
            table_put(table, old.slots[i]);
    }
    free(old.slots);
    return true;
}

uint32_t member_find(member_table *table, const ctf_class *structure, ctf_text written,
                     bool *is_exhausted)
{
    const ctf_member *members = structure->u.structure.members;
    const uint32_t count = structure->u.structure.count;
    const struct member_slot whole = {structure, MEMBER_NONE};
    uint32_t slot;
    if (count <= MEMBERS_FEW) {
        for (uint32_t i = 0; i < count; i++) {
            if (ctf_text_equals(members[i].written, written))
                return i;
        }
        return MEMBER_NONE;
    }
    if (!table_reserve(table, count + 1)) {
        *is_exhausted = true;
        return MEMBER_NONE;
    }
    slot = table_slot(table, structure, written, true);
    if (table->slots[slot].structure == NULL) {
        for (uint32_t i = 0; i < count; i++)
            table_put(table, (struct member_slot){structure, i});
        table_put(table, whole);
    }
    slot = table_slot(table, structure, written, false);
    return table->slots[slot].structure != NULL ? table->slots[slot].index : MEMBER_NONE;
}

void member_table_free(member_table *table)
{
    free(table->slots);
    *table = (member_table){0};
}
