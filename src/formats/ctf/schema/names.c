/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/names.h"

#include <stdlib.h>

struct name_slot {
    uint32_t group;
    ctf_text name;
};

bool name_set_start(name_set *set, size_t count)
{
    size_t slots = 64;
    while (slots < count * 2)
        slots *= 2;
    if (set->mask != 0 && slots <= (size_t)set->mask + 1 && set->group != UINT32_MAX) {
        set->group++;
        return true;
    }
    free(set->slots);
    set->slots = slots - 1 <= UINT32_MAX ? calloc(slots, sizeof *set->slots) : NULL;
    set->mask = set->slots != NULL ? (uint32_t)(slots - 1) : 0;
    set->group = 1;
    set->key = hash_key_make();
    return set->slots != NULL;
}

bool name_set_add(name_set *set, ctf_text name)
{
    uint32_t slot = (uint32_t)hash_keyed_bytes(set->key, name.bytes, name.size) & set->mask;
    while (set->slots[slot].group == set->group) {
        if (ctf_text_equals(set->slots[slot].name, name))
            return false;
        slot = (slot + 1) & set->mask;
    }
    set->slots[slot] = (struct name_slot){set->group, name};
    return true;
}

void name_set_free(name_set *set)
{
    free(set->slots);
    *set = (name_set){0};
}

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
        const uint32_t capacity = number < 32 ? 64 : number * 2;
        const void **grown = realloc(names->things, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        memset(grown + names->capacity, 0, (capacity - names->capacity) * sizeof *grown);
        names->things = grown;
        names->capacity = capacity;
    }
    names->things[number] = thing;
    return true;
}
