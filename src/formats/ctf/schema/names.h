/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of declared names in metadata, which find the thing of a name in constant time. */
#ifndef CTF_NAMES_H
#define CTF_NAMES_H

#include "core/intern.h"
#include "core/text_set.h"
#include "formats/ctf/schema/schema.h"

typedef struct name_register {
    intern names;
    /* Indexed by the number of the name in `names`; NULL if it names nothing. */
    const void **things;
    uint32_t capacity;
} name_register;

bool name_register_init(name_register *names);
void name_register_free(name_register *names);

/* Returns NULL if the register has no such name. */
const void *name_register_find(const name_register *names, ctf_text name);

/* Registers the thing under the name, replacing what had that name before. Returns false if out of
   memory. */
bool name_register_put(name_register *names, ctf_text name, const void *thing);

#endif
