/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps one class of each kind that is alike: metadata may declare the same integer, or the same
   structure of such integers, thousands of times. */
#ifndef CTF_CLASS_POOL_H
#define CTF_CLASS_POOL_H

#include "core/table.h"
#include "formats/ctf/schema/schema.h"

/* A zeroed pool is empty. */
typedef struct class_pool {
    const ctf_class **classes;
    uint32_t count, capacity;
    hash_table numbers; /* maps the hash of a class to its index in `classes` */
} class_pool;

void class_pool_free(class_pool *pool);

/*
 * Returns the one class of the schema that is equal to `type` byte for byte, adding a copy if it is
 * new. For that `type` must have been cleared with memset() before it was filled in, and its place,
 * which differs between equal classes, must be UINT32_MAX. Returns NULL if out of memory.
 */
const ctf_class *class_pool_share(class_pool *pool, ctf_schema *schema, const ctf_class *type);

/* Like class_pool_share() for a structure, whose members may lie outside of the schema's arena.
   Structures that differ only in places count as equal; the pool keeps the places of the first. */
const ctf_class *class_pool_share_structure(class_pool *pool, ctf_schema *schema,
                                            const ctf_class *type);

#endif
