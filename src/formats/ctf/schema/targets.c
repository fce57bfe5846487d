/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/targets.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/codes.h"

/* Roots of the scopes that have targets for one event class only. They stay when the targets are
   forgotten. */
enum { OWN_COMMON_CONTEXT = 1, OWN_SPECIFIC_CONTEXT, OWN_PAYLOAD, OWN_ROOTS = OWN_PAYLOAD };

/* Most steps of one walk: through shared classes a few lines of metadata can stand for more fields
   than anyone can read. */
#define WORK_MAX (UINT64_C(1) << 27)

void targets_free(struct ctf_targets *targets)
{
    if (targets == NULL)
        return;
    target_tree_free(&targets->shared);
    free(targets);
}

/* ---- Roots and trees of scopes ---- */

const ctf_class *target_scope_root(const target_walk *walk, ctf_scope scope)
{
    const ctf_stream_class *stream;
    if (scope == CTF_SCOPE_PACKET_HEADER)
        return walk->schema->packet_header;
    if (walk->stream >= walk->schema->stream_count)
        return NULL;
    stream = walk->schema->streams[walk->stream];
    switch (scope) {
    case CTF_SCOPE_PACKET_CONTEXT: return stream->packet_context;
    case CTF_SCOPE_EVENT_HEADER: return stream->event_header;
    case CTF_SCOPE_COMMON_CONTEXT: return stream->event_context;
    case CTF_SCOPE_SPECIFIC_CONTEXT: return walk->event != NULL ? walk->event->context : NULL;
    case CTF_SCOPE_PAYLOAD: return walk->event != NULL ? walk->event->payload : NULL;
    default: return NULL;
    }
}

target_tree *target_scope_tree(target_walk *walk, ctf_scope scope, uint32_t *root)
{
    switch (scope) {
    case CTF_SCOPE_PACKET_HEADER: *root = 1; return &walk->targets->shared;
    case CTF_SCOPE_PACKET_CONTEXT: *root = 2 + 2 * walk->stream; return &walk->targets->shared;
    case CTF_SCOPE_EVENT_HEADER: *root = 3 + 2 * walk->stream; return &walk->targets->shared;
    case CTF_SCOPE_COMMON_CONTEXT: *root = OWN_COMMON_CONTEXT; return &walk->own;
    case CTF_SCOPE_SPECIFIC_CONTEXT: *root = OWN_SPECIFIC_CONTEXT; return &walk->own;
    default: *root = OWN_PAYLOAD; return &walk->own;
    }
}

bool target_walk_open(target_walk *walk, const ctf_schema *schema, const stele_limits *limits,
                      struct ctf_targets *targets, metadata *m)
{
    *walk = (target_walk){.m = m,
                          .schema = schema,
                          .targets = targets,
                          .depth_max = limits->depth_max < TARGET_DEPTH_MAX ? limits->depth_max
                                                                            : TARGET_DEPTH_MAX};
    walk->frames = calloc((size_t)walk->depth_max + 1, sizeof *walk->frames);
    return walk->frames != NULL && target_tree_init(&walk->own, OWN_ROOTS);
}

void target_walk_close(target_walk *walk)
{
    target_tree_free(&walk->own);
    member_table_free(&walk->members);
    free(walk->frames);
    free(walk->users);
    free(walk->picks);
    *walk = (target_walk){0};
}

void target_walk_begin(target_walk *walk, uint32_t stream, const ctf_event_class *event)
{
    walk->stream = stream;
    walk->event = event;
    walk->user_count = 0;
    walk->pick_count = 0;
    walk->slot_count = walk->targets->slot_count;
    walk->field_count = 0;
    if (walk->m == NULL)
        walk->work = 0; /* the work was bounded when the whole schema was checked */
    target_tree_clear(&walk->own);
}

/* ---- Errors of a walk ---- */

static bool walk_exhausted(target_walk *walk)
{
    walk->is_exhausted = true;
    return false;
}

__attribute__((format(printf, 5, 6))) static bool walk_bad(target_walk *walk, ctf_code code,
                                                           ctf_place place, const char *expected,
                                                           const char *found, ...)
{
    char text[256];
    va_list arguments;
    walk->is_bad = true;
    if (walk->m == NULL)
        return false;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    metadata_report(walk->m, &ctf_codes[code], place, expected, "%s", text);
    return false;
}

/* Writes the location as "a.b.c" for findings, cut if it is too long. */
static const char *location_text(const ctf_location *at, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < at->step_count && used < size; i++) {
        const ctf_text step = at->steps[i];
        const int more = snprintf(text + used, size - used, "%s%.*s", i != 0 ? "." : "",
                                  step.bytes != NULL ? (int)step.size : 1,
                                  step.bytes != NULL ? step.bytes : "^");
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

/* ---- Search for the targets of locations ---- */

typedef enum target_need { NEED_LENGTH, NEED_SELECTOR, NEED_BOOL } target_need;

/* The search for the target of one location. */
typedef struct target_lookup {
    target_walk *walk;
    target_need need;
    target_user user;
    bool is_conditional; /* the target is inside of a field that may not be there */
    bool has_misfit;     /* a field was found that cannot be the target, perhaps besides others */
} target_lookup;

static bool target_fits(const ctf_class *type, target_need need)
{
    switch (type->kind) {
    case CTF_BOOL: return need == NEED_BOOL && type->size <= 64;
    case CTF_UINT: return need != NEED_BOOL && type->size <= 64;
    case CTF_INT: return need == NEED_SELECTOR && type->size <= 64;
    case CTF_VAR_UINT: return need != NEED_BOOL;
    case CTF_VAR_INT: return need == NEED_SELECTOR;
    default: return false;
    }
}

static bool lookup_add(target_lookup *look, target_tree *tree, uint32_t node, const ctf_class *type,
                       bool is_conditional)
{
    target_walk *walk = look->walk;
    const bool is_signed = type->kind == CTF_INT || type->kind == CTF_VAR_INT;
    const bool is_other = look->user.count != 0 && look->user.is_signed != is_signed;
    if (!target_fits(type, look->need) || (is_other && walk->schema->generation == CTF_2)) {
        look->has_misfit = true;
        return false;
    }
    tree->nodes[node].is_far |= walk->scope >= CTF_SCOPE_COMMON_CONTEXT;
    if (tree->nodes[node].slot == SLOT_NONE) {
        uint32_t *count = tree == &walk->own ? &walk->slot_count : &walk->targets->slot_count;
        tree->nodes[node].slot = (*count)++;
    }
    if (walk->pick_count == walk->pick_capacity) {
        uint32_t *grown = array_grow(walk->picks, sizeof *grown, &walk->pick_capacity, 16);
        if (grown == NULL)
            return walk_exhausted(walk);
        walk->picks = grown;
    }
    walk->picks[walk->pick_count++] = tree->nodes[node].slot;
    look->is_conditional |= is_conditional;
    if (look->user.count++ == 0) {
        look->user.slot = tree->nodes[node].slot;
        look->user.target = type;
        look->user.is_signed = is_signed;
    }
    return true;
}

/* Follows the steps from a field that precedes the user. Returns whether a target was found. */
static bool lookup_down(target_lookup *look, target_tree *tree, uint32_t node,
                        const ctf_class *type, const ctf_text *steps, uint32_t count,
                        bool is_conditional)
{
    target_walk *walk = look->walk;
    uint32_t index = 0;
    bool is_found = false, is_everywhere = true;
    if (node == TARGET_NONE)
        return walk_exhausted(walk);
    if (walk->work++ > WORK_MAX)
        return false;
    switch (type->kind) {
    case CTF_STRUCT:
        index = count != 0 && steps->bytes != NULL
                    ? member_find(&walk->members, type, *steps, &walk->is_exhausted)
                    : MEMBER_NONE;
        if (index == MEMBER_NONE)
            return false;
        return lookup_down(look, tree, target_tree_add(tree, node, index),
                           type->u.structure.members[index].type, steps + 1, count - 1,
                           is_conditional);
    case CTF_VARIANT: /* CTF 2 requires the field in all options */
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            const bool is_there = lookup_down(look, tree, target_tree_add(tree, node, i),
                                              type->u.variant.options[i].type, steps, count, true);
            is_found |= is_there;
            is_everywhere &= is_there;
        }
        return walk->schema->generation == CTF_2 ? is_everywhere : is_found;
    case CTF_OPTIONAL:     /* the target might not be there */
    case CTF_STATIC_ARRAY: /* which element is meant would be unclear */
    case CTF_DYNAMIC_ARRAY: return false;
    default:
        look->has_misfit |= count != 0; /* there is nothing inside of the field */
        return count == 0 && lookup_add(look, tree, node, type, is_conditional);
    }
}

/* Returns the node of a frame's field, making the nodes on the way to it, or TARGET_NONE if out of
   memory. */
static uint32_t frame_node(target_walk *walk, target_tree *tree, uint32_t root, uint32_t frame)
{
    uint32_t known = frame;
    while (known > 0 && walk->frames[known].node == TARGET_NONE)
        known--;
    if (walk->frames[known].node == TARGET_NONE)
        walk->frames[known].node = root;
    for (; known < frame; known++) {
        const target_frame *at = &walk->frames[known];
        walk->frames[known + 1].node = target_tree_add(tree, at->node, at->index);
        if (walk->frames[known + 1].node == TARGET_NONE) {
            walk->is_exhausted = true;
            return TARGET_NONE;
        }
    }
    return walk->frames[frame].node;
}

/* Follows the steps from a frame on: only members before the one that contains the user count.
   Returns whether a target was found. */
static bool lookup_open(target_lookup *look, uint32_t frame, const ctf_text *steps, uint32_t count)
{
    target_walk *walk = look->walk;
    uint32_t root;
    target_tree *tree = target_scope_tree(walk, walk->scope, &root);
    for (; frame < walk->depth; frame++) {
        const target_frame *at = &walk->frames[frame];
        uint32_t index;
        if (at->type->kind != CTF_STRUCT)
            continue;
        index = count != 0 && steps->bytes != NULL
                    ? member_find(&walk->members, at->type, *steps, &walk->is_exhausted)
                    : MEMBER_NONE;
        if (index == MEMBER_NONE || index > at->index)
            return false;
        steps++;
        count--;
        if (index < at->index) {
            const uint32_t node = frame_node(walk, tree, root, frame);
            return lookup_down(look, tree, target_tree_add(tree, node, index),
                               at->type->u.structure.members[index].type, steps, count, false);
        }
    }
    return false;
}

static bool lookup_scope(target_lookup *look, ctf_scope scope, const ctf_text *steps,
                         uint32_t count)
{
    const ctf_class *type = target_scope_root(look->walk, scope);
    uint32_t root;
    target_tree *tree = target_scope_tree(look->walk, scope, &root);
    return type != NULL && lookup_down(look, tree, root, type, steps, count, false);
}

static bool lookup_lexical(target_lookup *look, const ctf_location *at)
{
    target_walk *walk = look->walk;
    for (uint32_t frame = walk->depth; frame > 0; frame--) {
        if (walk->frames[frame - 1].type->kind == CTF_STRUCT &&
            lookup_open(look, frame - 1, at->steps, at->step_count))
            return true;
    }
    for (int scope = (int)walk->scope - 1; scope >= 0; scope--) {
        if (lookup_scope(look, (ctf_scope)scope, at->steps, at->step_count))
            return true;
    }
    return false;
}

/* Follows a relative location: from the structure around the user, one structure up for each
   leading NULL step. */
static bool lookup_relative(target_lookup *look, const ctf_location *at)
{
    target_walk *walk = look->walk;
    uint32_t frame = walk->depth, up = 0;
    while (up < at->step_count && at->steps[up].bytes == NULL)
        up++;
    for (uint32_t left = up + 1; left > 0; left--) {
        do {
            if (frame == 0)
                return false;
            frame--;
        } while (walk->frames[frame].type->kind != CTF_STRUCT);
    }
    return lookup_open(look, frame, at->steps + up, at->step_count - up);
}

static bool lookup_decoder(target_lookup *look, const ctf_location *at)
{
    switch (at->scope) {
    case CTF_SCOPE_LEXICAL: return lookup_lexical(look, at);
    case CTF_SCOPE_RELATIVE: return lookup_relative(look, at);
    default: break;
    }
    if (at->scope == look->walk->scope)
        return lookup_open(look, 0, at->steps, at->step_count);
    return at->scope < look->walk->scope &&
           lookup_scope(look, at->scope, at->steps, at->step_count);
}

static bool walk_push_user(target_walk *walk, const target_user *user)
{
    if (walk->user_count == walk->user_capacity) {
        target_user *grown = array_grow(walk->users, sizeof *grown, &walk->user_capacity, 16);
        if (grown == NULL)
            return walk_exhausted(walk);
        walk->users = grown;
    }
    walk->users[walk->user_count++] = *user;
    return true;
}

static bool walk_user(target_walk *walk, const ctf_location *at, target_need need)
{
    static const char *const needs[] = {"an earlier field that is an unsigned integer",
                                        "an earlier field that is an integer",
                                        "an earlier field that is a Boolean"};
    target_lookup look = {.walk = walk, .need = need};
    char text[160];
    look.user.first = walk->pick_count;
    if (at->scope == CTF_SCOPE_ENV) {
        look.user.constant = at->constant;
        return walk_push_user(walk, &look.user); /* USER_CONSTANT */
    }
    if (!lookup_decoder(&look, at) || look.has_misfit) {
        if (walk->is_exhausted)
            return false;
        return walk_bad(walk, CTF050, at->place, needs[need],
                        look.has_misfit ? "'%s' is of another kind" : "there is no '%s'",
                        location_text(at, text, sizeof text));
    }
    look.user.kind = USER_SLOT;
    if (look.is_conditional || look.user.count > 1) {
        look.user.kind = USER_PICK;
        look.user.slot = walk->slot_count++;
    } else {
        walk->pick_count = look.user.first;
    }
    return walk_push_user(walk, &look.user);
}

/* ---- Walking over the fields of a scope ---- */

static bool walk_class(target_walk *walk, const ctf_class *type);

static bool walk_children(target_walk *walk, const ctf_class *type, const ctf_member *members,
                          uint32_t count)
{
    target_frame *frame = &walk->frames[walk->depth];
    if (walk->depth == walk->depth_max)
        return walk_bad(walk, CTF052, type->place, NULL, "fields nest deeper than %u",
                        (unsigned)walk->depth_max);
    *frame = (target_frame){.type = type};
    walk->depth++;
    for (uint32_t i = 0; i < count; i++) {
        frame->index = i;
        if (!walk_class(walk, members[i].type))
            return false;
    }
    walk->depth--;
    return true;
}

static bool walk_child(target_walk *walk, const ctf_class *type, const ctf_class *child)
{
    return walk_children(walk, type, &(ctf_member){.type = child}, 1);
}

static bool walk_variant(target_walk *walk, const ctf_class *type)
{
    const ctf_class *tag;
    if (type->u.variant.selector == NULL)
        return walk_bad(walk, CTF053, type->place, "<tag>", "the variant has no tag");
    if (!walk_user(walk, type->u.variant.selector, NEED_SELECTOR))
        return false;
    tag = walk->users[walk->user_count - 1].target;
    if (type->selects_by_name && (tag == NULL || !tag->is_enum))
        return walk_bad(walk, CTF053, type->u.variant.selector->place, "an enumeration",
                        "the tag has no labels");
    return walk_children(walk, type, type->u.variant.options, type->u.variant.count);
}

static bool walk_array(target_walk *walk, const ctf_class *type)
{
    if (type->u.array.length_class != NULL) {
        if (!target_fits(type->u.array.length_class, NEED_LENGTH))
            return walk_bad(walk, CTF050, type->place, "a length that is an unsigned integer",
                            "it is of another kind");
    } else if (type->u.array.length_at != NULL) {
        if (!walk_user(walk, type->u.array.length_at, NEED_LENGTH))
            return false;
    }
    return type->u.array.element == NULL || walk_child(walk, type, type->u.array.element);
}

#define ROLES_INTEGER                                                                             \
    (CTF_ROLE_PACKET_MAGIC | CTF_ROLE_STREAM_CLASS_ID | CTF_ROLE_STREAM_ID |                      \
     CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH | CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END | \
     CTF_ROLE_DISCARDED | CTF_ROLE_SEQUENCE_NUMBER | CTF_ROLE_PACKET_BEGIN |                      \
     CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_EVENT_SIZE | CTF_ROLE_CPU)

static bool walk_roles(target_walk *walk, const ctf_class *type)
{
    const ctf_class *element = type->kind == CTF_STATIC_ARRAY ? type->u.array.element : NULL;
    if ((type->roles & ROLES_INTEGER) != 0 && !target_fits(type, NEED_LENGTH))
        return walk_bad(walk, CTF051, type->place, "an unsigned integer of 64 bits or less",
                        "it is of another kind");
    if ((type->roles & CTF_ROLE_UUID) == 0)
        return true;
    if (type->kind == CTF_STATIC_BLOB || (element != NULL && element->size == 8)) {
        if (type->u.array.length == 16)
            return true;
    }
    return walk_bad(walk, CTF051, type->place, "16 bytes", "a UUID cannot be in it");
}

static bool walk_class(target_walk *walk, const ctf_class *type)
{
    if (walk->work++ > WORK_MAX || walk->field_count++ > walk->targets->fields_max)
        return walk_bad(walk, CTF052, type->place, NULL,
                        "the fields are more than the limit of %llu",
                        (unsigned long long)walk->targets->fields_max);
    if (type->roles != 0 && !walk_roles(walk, type))
        return false;
    if (type->kind <= CTF_FLOAT && ((type->size | type->alignment) & 7) != 0)
        *(type->is_big_endian ? &walk->targets->has_big : &walk->targets->has_little) = true;
    switch (type->kind) {
    case CTF_STRUCT:
        return walk_children(walk, type, type->u.structure.members, type->u.structure.count);
    case CTF_VARIANT: return walk_variant(walk, type);
    case CTF_OPTIONAL:
        return walk_user(walk, type->u.optional.selector,
                         type->has_bool_selector ? NEED_BOOL : NEED_SELECTOR) &&
               walk_child(walk, type, type->u.optional.element);
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY:
    case CTF_DYNAMIC_STRING:
    case CTF_DYNAMIC_BLOB: return walk_array(walk, type);
    default: return true;
    }
}

bool target_walk_scope(target_walk *walk, ctf_scope scope)
{
    const ctf_class *root = target_scope_root(walk, scope);
    walk->scope = scope;
    walk->depth = 0;
    return root == NULL || walk_class(walk, root);
}

/* ---- Checks of a whole schema ---- */

static bool check_stream(target_walk *walk, uint32_t number)
{
    const ctf_stream_class *stream = walk->schema->streams[number];
    target_walk_begin(walk, number, NULL);
    if (!target_walk_scope(walk, CTF_SCOPE_PACKET_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_EVENT_HEADER))
        return false;
    for (uint32_t i = 0; i < stream->event_count; i++) {
        target_walk_begin(walk, number, &stream->events[i]);
        if (!target_walk_scope(walk, CTF_SCOPE_COMMON_CONTEXT) ||
            !target_walk_scope(walk, CTF_SCOPE_SPECIFIC_CONTEXT) ||
            !target_walk_scope(walk, CTF_SCOPE_PAYLOAD))
            return false;
    }
    return true;
}

/* Bytes of text that one field takes at least. Fields that are written out one by one are always
   allowed: the limit is for little text that stands for many fields. */
#define FIELD_TEXT_SIZE 8u

static uint64_t fields_limit(const metadata *m)
{
    const uint64_t written = m->size / FIELD_TEXT_SIZE;
    return written > m->limits->fields_max ? written : m->limits->fields_max;
}

bool schema_check(metadata *m, ctf_schema *schema)
{
    struct ctf_targets *targets = calloc(1, sizeof *targets);
    target_walk walk = {0};
    bool is_good = targets != NULL && schema->stream_count < UINT32_MAX / 4 &&
                   target_tree_init(&targets->shared, 1 + 2 * schema->stream_count);
    schema->targets = targets;
    if (is_good) {
        targets->slot_count = SLOT_FIRST;
        targets->fields_max = fields_limit(m);
        is_good = target_walk_open(&walk, schema, m->limits, targets, m);
    }
    if (is_good) {
        target_walk_begin(&walk, 0, NULL);
        is_good = target_walk_scope(&walk, CTF_SCOPE_PACKET_HEADER);
    }
    for (uint32_t i = 0; is_good && i < schema->stream_count; i++)
        is_good = check_stream(&walk, i);
    target_walk_close(&walk);
    return is_good;
}
