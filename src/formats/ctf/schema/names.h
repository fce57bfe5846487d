/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of metadata, from a name to a thing, in constant time a name. */
#ifndef CTF_NAMES_H
#define CTF_NAMES_H

#include "core/intern.h"
#include "core/text_set.h"
#include "formats/ctf/schema/schema.h"

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
