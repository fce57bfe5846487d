/* SPDX-License-Identifier: Apache-2.0 */
#include "core/keyed.h"

#include <stdlib.h>

#include "core/hash.h"

#define BITS_FIRST 10u

bool keyed_init_bits(keyed *t, size_t entry_size, unsigned bits)
{
    t->entries = calloc(((size_t)1 << bits) + 1, entry_size);
    t->used = 0;
    t->has_zero = false;
    t->mask = ((size_t)1 << bits) - 1;
    t->shift = 64 - bits;
    t->factor = hash_key_make().second;
    return t->entries != NULL;
}

bool keyed_init(keyed *t, size_t entry_size)
{
    return keyed_init_bits(t, entry_size, BITS_FIRST);
}

void keyed_free(keyed *t)
{
    free(t->entries);
    *t = (keyed){0};
}

void keyed_clear(keyed *t, size_t entry_size)
{
    memset(t->entries, 0, keyed_end(t) * entry_size);
    t->used = 0;
    t->has_zero = false;
}

bool keyed_grow(keyed *t, size_t entry_size)
{
    keyed grown;
    if (!keyed_init_bits(&grown, entry_size, 64 - t->shift + 1))
        return false;
    for (size_t i = 0; i < keyed_end(t); i++) {
        const char *entry = keyed_at(t, entry_size, i);
        uint64_t key;
        if (entry == NULL)
            continue;
        memcpy(&key, entry, sizeof key);
        memcpy(keyed_slot(&grown, entry_size, key), entry, entry_size);
    }
    grown.used = t->used;
    grown.has_zero = t->has_zero;
    free(t->entries);
    *t = grown;
    return true;
}

bool keyed_make_room(keyed *t, size_t entry_size, size_t count)
{
    while (t->mask / 2 < count) {
        if (!keyed_grow(t, entry_size))
            return false;
    }
    return true;
}
