/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields others depend on: lengths of arrays, selectors of variants and optionals. Each such
 * field (a target) gets a slot, which its value is kept in while a packet is decoded; each field
 * that depends on one (a user) learns the slot.
 *
 * Classes are shared, so a target is not a class but a place: the way from the root of its scope
 * down to it. Targets are few, so their places form a sparse tree. Packet header, packet context
 * and event header have theirs for the whole trace, made by schema_check(), for they are compiled
 * before the event classes that may refer to them. The others have theirs for one event class.
 */
#ifndef CTF_TARGETS_H
#define CTF_TARGETS_H

#include <stele/context.h>

#include "formats/ctf/schema/schema.h"
#include "formats/ctf/schema/text.h"

/* Slots that are always there. */
enum { SLOT_TID, SLOT_PID, SLOT_VTID, SLOT_VPID, SLOT_CPU, SLOT_LENGTH, SLOT_FIRST };

#define SLOT_NONE   UINT32_MAX
#define TARGET_NONE 0u /* a place with no target in it */

typedef struct target_node {
    uint32_t parent, index; /* the index-th child of its parent */
    uint32_t slot;          /* SLOT_NONE: only on the way to targets */
    bool is_far;            /* fields of an event class depend on it: of another scope, if shared */
    uint32_t child, sibling;
    uint32_t at; /* in the table */
} target_node;

typedef struct target_tree {
    target_node *nodes; /* 0 is none, then come the roots */
    uint32_t count, capacity;
    uint32_t root_count;
    uint32_t *table; /* by parent and index: the node; 0 is free */
    uint32_t table_mask;
    hash_key key;
} target_tree;

/* A tree with so many roots, numbered from 1. Returns false if out of memory. */
bool target_tree_init(target_tree *tree, uint32_t roots);
void target_tree_free(target_tree *tree);

/* Forgets everything but the roots. */
void target_tree_clear(target_tree *tree);

/* The node of a child; TARGET_NONE where there is no target. */
uint32_t target_tree_child(const target_tree *tree, uint32_t parent, uint32_t index);

/* The same, made where it is missing; TARGET_NONE: memory. */
uint32_t target_tree_add(target_tree *tree, uint32_t parent, uint32_t index);

/* Members of structures by name, for structures with many; a zeroed table is empty. */
typedef struct member_table {
    struct member_slot *slots;
    uint32_t count, mask;
    hash_key key;
} member_table;

#define MEMBER_NONE UINT32_MAX

/* The member that is written so; MEMBER_NONE. `*is_exhausted` is set when memory is. */
uint32_t member_find(member_table *table, const ctf_class *structure, ctf_text written,
                     bool *is_exhausted);
void member_table_free(member_table *table);

struct ctf_targets {
    target_tree shared;
    uint32_t slot_count; /* of the shared tree, with those that are always there */
    uint64_t fields_max; /* of one event class, arrays' elements once */
    bool has_big,
        has_little; /* fields that need not begin and end with a byte occur in the order */
};

void targets_free(struct ctf_targets *targets);

typedef enum user_kind { USER_CONSTANT, USER_SLOT, USER_PICK } user_kind;

/* A field that depends on a target. */
typedef struct target_user {
    uint8_t kind;          /* user_kind */
    bool is_signed;        /* the target is */
    uint32_t slot;         /* holds the value; of USER_PICK once one of the picks was put there */
    uint32_t first, count; /* USER_PICK: the slots of fields that are not always there */
    uint64_t constant;
    const ctf_class *target; /* the (first) target's class; NULL with USER_CONSTANT */
} target_user;

/* A compound field that is open on the way to the current one. */
typedef struct target_frame {
    const ctf_class *type;
    uint32_t index; /* of the open child */
    uint32_t node;  /* of the compound; TARGET_NONE: none made yet */
} target_frame;

/* Who walks over fields calls itself for each level, so whatever the limits say, the stack must
   suffice: it takes some 200 bytes a level. */
#define TARGET_DEPTH_MAX 20000u

typedef struct target_walk {
    metadata *m; /* for findings; NULL: the schema was checked before */
    const ctf_schema *schema;
    struct ctf_targets *targets;
    uint32_t stream; /* number of the stream class */
    const ctf_event_class *event;
    target_tree own; /* of the scopes of one event class */
    target_frame *frames;
    uint32_t depth, depth_max; /* frames in use, and that there are */
    ctf_scope scope;
    member_table members;
    target_user *users; /* in the order of the walk */
    uint32_t user_count, user_capacity;
    uint32_t *picks;
    uint32_t pick_count, pick_capacity;
    uint32_t slot_count; /* with those of this event class */
    uint64_t field_count, work;
    bool is_exhausted; /* memory */
    bool is_bad;       /* a finding was made */
} target_walk;

/* A walk with the targets of a schema. Returns false if out of memory. It is to be closed in any
 * case. */
bool target_walk_open(target_walk *walk, const ctf_schema *schema, const stele_limits *limits,
                      struct ctf_targets *targets, metadata *m);
void target_walk_close(target_walk *walk);

/* Forgets users and own targets, and goes to an event class (NULL: to the outer scopes). */
void target_walk_begin(target_walk *walk, uint32_t stream, const ctf_event_class *event);

/* Walks through a scope of it: users are appended. False: is_bad or is_exhausted. */
bool target_walk_scope(target_walk *walk, ctf_scope scope);

/* The root structure of a scope; NULL if there is none. */
const ctf_class *target_scope_root(const target_walk *walk, ctf_scope scope);

/* The tree that the targets of a scope are in, and its root there. */
target_tree *target_scope_tree(target_walk *walk, ctf_scope scope, uint32_t *root);

/*
 * Judges what the front ends leave: whether the fields that give lengths and select options exist,
 * come earlier and are of the right kind, whether roles can be what they say, sizes and depths.
 * Remembers in the schema which fields others depend on. To be called once, after schema_finish().
 * False: an error was reported at its place in the metadata, or (error_count 0) memory.
 */
bool schema_check(metadata *m, ctf_schema *schema);

#endif
