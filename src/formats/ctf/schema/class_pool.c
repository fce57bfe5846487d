/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/class_pool.h"

#include <stdlib.h>

#include "core/hash.h"

void class_pool_free(class_pool *pool)
{
    free(pool->classes);
    free(pool->slots);
    *pool = (class_pool){0};
}

static uint64_t class_hash(const ctf_class *type)
{
    uint64_t hash = type->u.structure.count;
    if (type->kind != CTF_STRUCT)
        return hash_bytes(type, sizeof *type);
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        hash = hash_u64(hash ^ hash_bytes(member->written.bytes, member->written.size) ^
                        (uint64_t)(uintptr_t)member->type);
    }
    return hash;
}

static bool structure_is_like(const ctf_class *a, const ctf_class *b)
{
    const ctf_member *left = a->u.structure.members, *right = b->u.structure.members;
    if (a->u.structure.count != b->u.structure.count || a->extra != b->extra ||
        a->alignment_minimum != b->alignment_minimum)
        return false;
    for (uint32_t i = 0; i < a->u.structure.count; i++)
        if (left[i].type != right[i].type || left[i].extra != right[i].extra ||
            !ctf_text_equals(left[i].written, right[i].written) ||
            !ctf_text_equals(left[i].name, right[i].name))
            return false;
    return true;
}

static bool class_is_like(const ctf_class *a, const ctf_class *b)
{
    return a->kind == CTF_STRUCT && b->kind == CTF_STRUCT ? structure_is_like(a, b)
                                                          : memcmp(a, b, sizeof *a) == 0;
}

/* The slot of the class that is like `type`, or the free one for it. */
static uint32_t *pool_slot(const class_pool *pool, const ctf_class *type)
{
    uint32_t at = (uint32_t)class_hash(type) & pool->slot_mask;
    while (pool->slots[at] != 0 && !class_is_like(pool->classes[pool->slots[at] - 1], type))
        at = (at + 1) & pool->slot_mask;
    return &pool->slots[at];
}

/* Twice the room for classes, with two slots for each. */
static bool pool_grow(class_pool *pool)
{
    const uint32_t capacity = pool->capacity != 0 ? pool->capacity * 2 : 64;
    const ctf_class **classes = realloc(pool->classes, capacity * sizeof *classes);
    uint32_t *slots;
    if (classes == NULL)
        return false;
    pool->classes = classes;
    slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (slots == NULL)
        return false;
    free(pool->slots);
    pool->slots = slots;
    pool->slot_mask = capacity * 2 - 1;
    pool->capacity = capacity;
    for (uint32_t i = 0; i < pool->count; i++)
        *pool_slot(pool, classes[i]) = i + 1;
    return true;
}

const ctf_class *class_pool_share(class_pool *pool, ctf_schema *schema, const ctf_class *type)
{
    uint32_t *slot;
    ctf_class *made;
    if (pool->count == pool->capacity && !pool_grow(pool))
        return NULL;
    slot = pool_slot(pool, type);
    if (*slot != 0)
        return pool->classes[*slot - 1];
    made = schema_take(schema, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    memcpy(made, type, sizeof *made);
    pool->classes[pool->count++] = made;
    *slot = pool->count;
    return made;
}

const ctf_class *class_pool_share_structure(class_pool *pool, ctf_schema *schema,
                                            const ctf_class *type)
{
    const uint32_t count = pool->count, members = type->u.structure.count;
    const ctf_class *shared = class_pool_share(pool, schema, type);
    ctf_member *own;
    if (shared == NULL || pool->count == count)
        return shared;
    own = schema_take(schema, members, sizeof *own);
    if (own == NULL)
        return NULL;
    if (members != 0)
        memcpy(own, type->u.structure.members, members * sizeof *own);
    ((ctf_class *)(uintptr_t)shared)->u.structure.members = own;
    return shared;
}
