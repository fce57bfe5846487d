/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash table: numbers of things by what they hash to. The things lie elsewhere, as a rule in an
 * array by number, and the one who asks compares them:
 *
 *     const uint32_t hash = hash_table_hash_bytes(&t, name, size);
 *     for (uint32_t at = hash, number; (number = hash_table_next(&t, hash, &at)) != HASH_NONE;)
 *         if (things[number] is it)
 *             return number;
 *     ...
 *     hash_table_put(&t, hash, number);     after a hash_table_reserve() that came before the hash
 *
 * Each table draws a key of its own, so that no input can be made of which everything falls into
 * one slot. What is put out must not depend on the order of slots. Nothing is taken out again.
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdbool.h>

#include "core/hash.h"

typedef struct hash_table_slot {
    uint32_t hash;
    uint32_t number; /* plus 1; 0: the slot is free */
} hash_table_slot;

/* A zeroed table is empty. */
typedef struct hash_table {
    hash_table_slot *slots; /* open addressing; half of them are free at least */
    uint32_t mask, count;
    hash_key key;
} hash_table;

#define HASH_NONE UINT32_MAX

/* Room for `count` numbers in all. Returns false if out of memory, or if there cannot be so many.
 */
bool hash_table_make_room(hash_table *t, size_t count);
void hash_table_free(hash_table *t);

/* Takes all numbers out, and keeps the room. */
void hash_table_clear(hash_table *t);

/* Room for one more, which must be there before it is hashed. Returns false if out of memory. */
static inline bool hash_table_reserve(hash_table *t)
{
    return (t->slots != NULL && t->count < (t->mask + 1) / 2) ||
           hash_table_make_room(t, (size_t)t->count + 1);
}

static inline uint32_t hash_table_hash_bytes(const hash_table *t, const void *bytes, size_t size)
{
    return (uint32_t)hash_keyed_bytes(t->key, bytes, size);
}

static inline uint32_t hash_table_hash_u64(const hash_table *t, uint64_t value)
{
    return (uint32_t)hash_keyed_u64(t->key, value);
}

static inline uint32_t hash_table_hash_pair(const hash_table *t, uint64_t a, uint64_t b)
{
    return (uint32_t)hash_keyed_pair(t->key, a, b);
}

/* The next number of this hash, HASH_NONE after the last one. `*at` is the hash at first. */
static inline uint32_t hash_table_next(const hash_table *t, uint32_t hash, uint32_t *at)
{
    if (t->slots == NULL)
        return HASH_NONE;
    for (;;) {
        const hash_table_slot *slot = &t->slots[(*at)++ & t->mask];
        if (slot->number == 0)
            return HASH_NONE;
        if (slot->hash == hash)
            return slot->number - 1;
    }
}

/* Puts a number in, beside others of the same hash. There must be room; see hash_table_reserve().
 */
static inline void hash_table_put(hash_table *t, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & t->mask;
    while (t->slots[at].number != 0)
        at = (at + 1) & t->mask;
    t->slots[at] = (hash_table_slot){hash, number + 1};
    t->count++;
}

#endif
