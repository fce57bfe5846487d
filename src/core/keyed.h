/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of entries that begin with their key, any number of 64 bits. The entries are in the
 * table itself, which saves a step where each instruction of a trace is looked up;
 * core/table.h serves what has other keys or stays where it is. The size of entries is given with
 * every call, so that the compiler knows it and the lookup is as fast as one written for the type.
 *
 *     typedef struct line { uint64_t key; ... } line;
 *     line *found = keyed_find(&table, sizeof *found, key);
 */
#ifndef CORE_KEYED_H
#define CORE_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/hash.h"

typedef struct keyed {
    /* Those of the slots, and one after them for the key 0, which marks free slots. */
    char *entries;
    size_t used, mask; /* mask: number of slots, a power of two, minus 1 */
    bool has_zero;     /* the key 0 was added */
    uint64_t factor;   /* odd and random, so that no input can be made whose keys collide */
    unsigned shift;    /* 64 minus the number of bits in mask */
} keyed;

/* Makes an empty table. Returns false if out of memory. */
bool keyed_init(keyed *t, size_t entry_size);

/* Makes an empty table of 2^bits slots, for tables of which there are many. Half of the slots are
   used before it grows. Returns false if out of memory. */
bool keyed_init_bits(keyed *t, size_t entry_size, unsigned bits);
void keyed_free(keyed *t);

/* Removes all entries. */
void keyed_clear(keyed *t, size_t entry_size);

/* Doubles the number of slots. Returns false if out of memory. */
bool keyed_grow(keyed *t, size_t entry_size);

/* Makes room for `count` entries in all. Returns false if out of memory. */
bool keyed_make_room(keyed *t, size_t entry_size, size_t count);

/* How many numbers keyed_at() takes. */
static inline size_t keyed_end(const keyed *t)
{
    return t->mask + 2;
}

/* The entry at `i`, from 0 to keyed_end() - 1. Returns NULL if there is none. */
static inline void *keyed_at(const keyed *t, size_t entry_size, size_t i)
{
    char *entry = t->entries + i * entry_size;
    uint64_t key;
    memcpy(&key, entry, sizeof key);
    return key != 0 || (i > t->mask && t->has_zero) ? entry : NULL;
}

/* The entry of a key, or the free one that it would be given. For the key 0 the two look the same,
   an entry of zeros. */
static inline void *keyed_slot(const keyed *t, size_t entry_size, uint64_t key)
{
    size_t i = (size_t)(hash_by_factor(t->factor, key) >> t->shift);
    if (__builtin_expect(key == 0, 0))
        return t->entries + (t->mask + 1) * entry_size;
    for (;; i = (i + 1) & t->mask) {
        char *entry = t->entries + i * entry_size;
        uint64_t found;
        memcpy(&found, entry, sizeof found);
        if (__builtin_expect(found == key, 1) || found == 0)
            return entry;
    }
}

/* Finds the entry of a key, or adds one with zeros after the key, which may move other entries.
   Returns NULL if out of memory. */
static inline void *keyed_find(keyed *t, size_t entry_size, uint64_t key)
{
    char *entry = keyed_slot(t, entry_size, key);
    uint64_t found;
    if (__builtin_expect(key == 0, 0)) {
        t->used += !t->has_zero;
        t->has_zero = true;
        return entry;
    }
    memcpy(&found, entry, sizeof found);
    if (found == key)
        return entry;
    if (t->used >= t->mask / 2) {
        if (!keyed_grow(t, entry_size))
            return NULL;
        entry = keyed_slot(t, entry_size, key);
    }
    memcpy(entry, &key, sizeof key);
    t->used++;
    return entry;
}

#endif
