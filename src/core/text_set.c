/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text_set.h"

#include <stdlib.h>
#include <string.h>

struct text_slot {
    uint32_t group;
    const char *bytes;
    size_t size;
};

bool text_set_start(text_set *set, size_t count)
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

bool text_set_add(text_set *set, const char *bytes, size_t size)
{
    uint32_t slot = (uint32_t)hash_keyed_bytes(set->key, bytes, size) & set->mask;
    while (set->slots[slot].group == set->group) {
        const struct text_slot *there = &set->slots[slot];
        if (there->size == size && (size == 0 || memcmp(there->bytes, bytes, size) == 0))
            return false;
        slot = (slot + 1) & set->mask;
    }
    set->slots[slot] = (struct text_slot){set->group, bytes, size};
    return true;
}

void text_set_free(text_set *set)
{
    free(set->slots);
    *set = (text_set){.group = 0};
}
