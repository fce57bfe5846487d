/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/names.h"

#include <stdlib.h>

#include "core/array.h"

bool name_register_init(name_register *names)
{
    names->things = NULL;
    names->capacity = 0;
    return intern_init(&names->names, SIZE_MAX);
}

void name_register_free(name_register *names)
{
    intern_free(&names->names);
    free(names->things);
    *names = (name_register){0};
}

const void *name_register_find(const name_register *names, ctf_text name)
{
    const uint32_t number = intern_find(&names->names, name.bytes, name.size);
    return number < names->capacity ? names->things[number] : NULL;
}

bool name_register_put(name_register *names, ctf_text name, const void *thing)
{
    const uint32_t number = intern_add(&names->names, name.bytes, name.size);
    if (number == INTERN_NONE)
        return false;
    if (number >= names->capacity) {
        const void **grown = array_reach(names->things, sizeof *grown, &names->capacity, number);
        if (grown == NULL)
            return false;
        names->things = grown;
    }
    names->things[number] = thing;
    return true;
}
