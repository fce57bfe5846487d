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

/* The slot of the class that is like `type`, or the free one for it. */
static uint32_t *pool_slot(const class_pool *pool, const ctf_class *type)
{
    uint32_t at = (uint32_t)hash_bytes(type, sizeof *type) & pool->slot_mask;
    while (pool->slots[at] != 0 &&
           memcmp(pool->classes[pool->slots[at] - 1], type, sizeof *type) != 0)
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
