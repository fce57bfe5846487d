/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of metadata in tables: sets that find a name that is there twice, and registers from a name
 * to a thing. Both take constant time a name.
 */
#ifndef CTF_NAMES_H
#define CTF_NAMES_H

#include "core/intern.h"
#include "formats/ctf/schema/schema.h"

/* Used for one group of names after the other; a zeroed set is empty. */
typedef struct name_set {
    struct name_slot *slots;
    uint32_t mask; /* of the slots; 0: there are none */
    hash_key key;
    uint32_t group; /* slots of earlier groups are free */
} name_set;

/* Begins a group of up to `count` names. Returns false if out of memory. */
bool name_set_start(name_set *set, size_t count);

/* False: the name is there already. The bytes must live as long as the group. */
bool name_set_add(name_set *set, ctf_text name);
void name_set_free(name_set *set);

typedef struct name_register {
    intern names;
    const void **things; /* by the name's number; NULL: none */
    uint32_t capacity;
} name_register;

bool name_register_init(name_register *names);
void name_register_free(name_register *names);

/* NULL: there is none of this name. */
const void *name_register_find(const name_register *names, ctf_text name);

/* Puts the thing in place of what had the name before. Returns false if out of memory. */
bool name_register_put(name_register *names, ctf_text name, const void *thing);

#endif
