/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/class_pool.h"

#include <stdlib.h>

#include "core/array.h"

void class_pool_free(class_pool *pool)
{
    free(pool->classes);
    hash_table_free(&pool->numbers);
    *pool = (class_pool){0};
}

static uint32_t class_hash(const hash_table *numbers, const ctf_class *type)
{
    uint64_t hash = type->u.structure.count;
    if (type->kind != CTF_STRUCT)
        return hash_table_hash_bytes(numbers, type, sizeof *type);
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        hash ^= hash_keyed_bytes(numbers->key, member->written.bytes, member->written.size);
        hash = hash_keyed_pair(numbers->key, hash, (uint64_t)(uintptr_t)member->type);
    }
    return (uint32_t)hash;
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

const ctf_class *class_pool_share(class_pool *pool, ctf_schema *schema, const ctf_class *type)
{
    ctf_class *made;
    uint32_t hash;
    if (!hash_table_reserve(&pool->numbers))
        return NULL;
    hash = class_hash(&pool->numbers, type);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&pool->numbers, hash, &at)) != HASH_NONE;)
        if (class_is_like(pool->classes[number], type))
            return pool->classes[number];
    if (pool->count == pool->capacity) {
        const ctf_class **grown = array_grow(pool->classes, sizeof *grown, &pool->capacity, 64);
        if (grown == NULL)
            return NULL;
        pool->classes = grown;
    }
    made = schema_take(schema, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    memcpy(made, type, sizeof *made);
    hash_table_put(&pool->numbers, hash, pool->count);
    pool->classes[pool->count++] = made;
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
