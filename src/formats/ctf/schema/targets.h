/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out which fields others depend on: lengths of arrays, selectors of variants and optionals.
 * Each such field (a target) gets a slot, in which its value is kept while a packet is decoded;
 * each field that depends on one (a user) learns the slot.
 *
 * Classes are shared, so a target is not a class but a place: the way from the root of its scope
 * down to it. Targets are few, so their places form a sparse tree. Packet header, packet context
 * and event header have one tree for the whole trace, made by schema_check(), because they are
 * compiled before the event classes that may refer to them. The other scopes have one for each
 * event class.
 */
#ifndef CTF_TARGETS_H
#define CTF_TARGETS_H

#include <stele/context.h>

#include "formats/ctf/schema/schema.h"
#include "formats/ctf/schema/text.h"

/* Slots that every program has. */
enum { SLOT_TID, SLOT_PID, SLOT_VTID, SLOT_VPID, SLOT_CPU, SLOT_LENGTH, SLOT_FIRST };

#define SLOT_NONE   UINT32_MAX /* of nodes that are only on the way to targets */
#define TARGET_NONE 0u         /* a place without targets */

/* A place of the tree. */
typedef struct target_node {
    uint32_t parent, index; /* `index` is the number of the child within its parent */
    uint32_t slot;          /* SLOT_NONE if the node is only on the way to targets */
    /* Fields of another scope depend on it, if the tree is shared: those of event classes. */
    bool is_far;
    /* Nodes: the first child, and the next child of the same parent. */
    uint32_t child, sibling;
    uint32_t hash; /* its hash in target_tree.numbers */
} target_node;

typedef struct target_tree {
    target_node *nodes; /* 0 is no node; the roots follow */
    uint32_t count, capacity;
    uint32_t root_count;
    hash_table numbers; /* indexes of `nodes`, by parent and index; without the roots */
} target_tree;

/* Makes a tree with this many roots, whose nodes have the numbers from 1 on. Returns false if out
   of memory. */
bool target_tree_init(target_tree *tree, uint32_t roots);
void target_tree_free(target_tree *tree);

/* Removes all nodes but the roots. */
void target_tree_clear(target_tree *tree);

/* Returns the node of a child, or TARGET_NONE if it has no target. */
uint32_t target_tree_child(const target_tree *tree, uint32_t parent, uint32_t index);

/* Returns the node of a child, making it if necessary, or TARGET_NONE if out of memory. */
uint32_t target_tree_add(target_tree *tree, uint32_t parent, uint32_t index);

/* Finds members of structures with many members by name. A zeroed table is empty. */
typedef struct member_table {
    struct known_member *members;
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `members`, by structure and name */
} member_table;

#define MEMBER_NONE UINT32_MAX

/* Returns the number of the member with this written name, or MEMBER_NONE. Sets `*is_exhausted` if
   out of memory. */
uint32_t member_find(member_table *table, const ctf_class *structure, ctf_text written,
                     bool *is_exhausted);
void member_table_free(member_table *table);

struct ctf_targets {
    target_tree shared;
    uint32_t slot_count; /* slots of the shared tree and those that every program has */
    /* Limit of the fields of one event class; elements of an array count once. */
    uint64_t fields_max;
    bool has_big,
        /* Fields that do not begin and end with a byte occur in big-endian or little-endian
           order. */
        has_little;
};

void targets_free(struct ctf_targets *targets);

/* Whether the value is a constant, in one slot, or in the one of several slots that is set. */
typedef enum user_kind { USER_CONSTANT, USER_SLOT, USER_PICK } user_kind;

/* A field that depends on an earlier one. */
typedef struct target_user {
    uint8_t kind;   /* user_kind */
    bool is_signed; /* the target is a signed integer */
    /* Slot with the value; for USER_PICK the one that OP_PICK copies the set slot to. */
    uint32_t slot;
    /* Of USER_PICK: the slots of fields that may not be there, in target_walk.picks. */
    uint32_t first, count;
    uint64_t constant;
    /* Class of the target, or of the first of several; NULL for USER_CONSTANT. */
    const ctf_class *target;
} target_user;

/* A structure, variant, array or optional that contains the current field. */
typedef struct target_frame {
    const ctf_class *type;
    uint32_t index; /* index of its child that contains the current field */
    uint32_t node;  /* Node of the frame's field; TARGET_NONE if it has not been made. */
} target_frame;

/* Most levels of nested fields. Walks over fields are recursive and take some 200 bytes of stack a
   level, so this bounds the stack even if the user raises the limit. */
#define TARGET_DEPTH_MAX 20000u

/* A walk over all fields of a scope, which finds targets and users. */
typedef struct target_walk {
    metadata *m; /* for findings; NULL if the schema was checked before */
    const ctf_schema *schema;
    struct ctf_targets *targets;
    uint32_t stream; /* number of the stream class */
    const ctf_event_class *event;
    target_tree own; /* targets of the scopes of one event class */
    target_frame *frames;
    uint32_t depth, depth_max; /* Frames in use, and frames that there is room for. */
    ctf_scope scope;
    member_table members;
    target_user *users; /* in the order of the walk */
    uint32_t user_count, user_capacity;
    uint32_t *picks;
    uint32_t pick_count, pick_capacity;
    uint32_t slot_count; /* slots, including those of this event class */
    uint64_t field_count, work;
    bool is_exhausted; /* out of memory */
    bool is_bad;       /* an error was reported */
} target_walk;

/* Prepares a walk with the targets of a schema. Returns false if out of memory. target_walk_close()
   must be called in any case. */
bool target_walk_open(target_walk *walk, const ctf_schema *schema, const stele_limits *limits,
                      struct ctf_targets *targets, metadata *m);
void target_walk_close(target_walk *walk);

/* Forgets users and targets of the last event class, and moves to another one (NULL for the scopes
   outside of event classes). */
void target_walk_begin(target_walk *walk, uint32_t stream, const ctf_event_class *event);

/* Walks over a scope of the event class or stream: its users are appended. Returns false with
   is_bad or is_exhausted set. */
bool target_walk_scope(target_walk *walk, ctf_scope scope);

/* Returns the root structure of a scope, or NULL if it has none. */
const ctf_class *target_scope_root(const target_walk *walk, ctf_scope scope);

/* Returns the tree with the targets of a scope, and the scope's root in it. */
target_tree *target_scope_tree(target_walk *walk, ctf_scope scope, uint32_t *root);

/*
 * Checks what the front ends do not: whether the fields that give lengths and select options exist,
 * come earlier and are of the right kind, whether classes fit their roles, sizes and depths. Keeps
 * in the schema which fields others depend on. To be called once, after schema_finish(). Returns
 * false after an error was reported at its place in the metadata, or if out of memory (error_count
 * is then 0).
 */
bool schema_check(metadata *m, ctf_schema *schema);

#endif
