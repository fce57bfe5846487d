/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of entries that begin with their key, a number other than 0. Sizes are given with
 * every call, so that the compiler knows them: looking up costs what it would cost by hand.
 *
 *     typedef struct line { uint64_t key; ... } line;
 *     line *found = keyed_find(&table, sizeof *found, key);
 */
#ifndef ANALYSIS_INSN_KEYED_H
#define ANALYSIS_INSN_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/hash.h"

typedef struct keyed {
    char *entries;
    size_t used, mask; /* mask: slots without one; a power of two */
    uint64_t factor;   /* odd, and random: nobody can know which keys meet */
    unsigned shift;    /* 64 without the bits of mask */
} keyed;

/* Returns false if out of memory. */
bool keyed_init(keyed *t, size_t entry_size);
void keyed_free(keyed *t);

/* Forgets all entries. */
void keyed_clear(keyed *t, size_t entry_size);

/* Twice the slots. Returns false if out of memory. */
bool keyed_grow(keyed *t, size_t entry_size);

/* The entry in slot `i`, up to mask; NULL: it is free. */
static inline void *keyed_at(const keyed *t, size_t entry_size, size_t i)
{
    char *entry = t->entries + i * entry_size;
    uint64_t key;
    memcpy(&key, entry, sizeof key);
    return key != 0 ? entry : NULL;
}

/* Where the key is, or would be. */
static inline void *keyed_slot(const keyed *t, size_t entry_size, uint64_t key)
{
    size_t i = (size_t)(hash_by_factor(t->factor, key) >> t->shift);
    for (;; i = (i + 1) & t->mask) {
        char *entry = t->entries + i * entry_size;
        uint64_t found;
        memcpy(&found, entry, sizeof found);
        if (found == key || found == 0)
            return entry;
    }
}

/* The entry of a key, a new one with zeros after the key if need be. Returns NULL if out of memory.
   Other entries may move. */
static inline void *keyed_find(keyed *t, size_t entry_size, uint64_t key)
{
    char *entry = keyed_slot(t, entry_size, key);
    uint64_t found;
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
