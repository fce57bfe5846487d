/* SPDX-License-Identifier: Apache-2.0 */
/* Classes that are alike are one: metadata say the same integer thousands of times, and the same
   structure of such integers. */
#ifndef CTF_CLASS_POOL_H
#define CTF_CLASS_POOL_H

#include "core/table.h"
#include "formats/ctf/schema/schema.h"

/* A zeroed pool is empty. */
typedef struct class_pool {
    const ctf_class **classes;
    uint32_t count, capacity;
    hash_table numbers; /* numbers of the classes by what they are */
} class_pool;

void class_pool_free(class_pool *pool);

/*
 * The one class of the schema that is like `type`, byte for byte: that was cleared with memset()
 * before it was filled in, and its place, which differs in any, is UINT32_MAX. Returns NULL if out
 * of memory.
 */
const ctf_class *class_pool_share(class_pool *pool, ctf_schema *schema, const ctf_class *type);

/* The same for a structure, the members of which need not be in the schema; what is alike may
   differ in places, and keeps the first ones. */
const ctf_class *class_pool_share_structure(class_pool *pool, ctf_schema *schema,
                                            const ctf_class *type);

#endif
