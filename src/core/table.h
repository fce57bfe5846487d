/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of numbers. The things that the numbers stand for are elsewhere, usually in an
 * array, and the caller compares them:
 *
 *     const uint32_t hash = hash_table_hash_bytes(&t, name, size);
 *     for (uint32_t at = hash, number; (number = hash_table_next(&t, hash, &at)) != HASH_NONE;)
 *         if (things[number] is it)
 *             return number;
 *     ...
 *     hash_table_put(&t, hash, number);     after a hash_table_reserve() that came before the hash
 *
 * Each table has a random key of its own, so that no input can be made whose keys all fall into one
 * slot. Results of the program must not depend on the order of slots. Numbers for one key of 64
 * bits that are looked up for each instruction are better kept in a table of core/keyed.h.
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdbool.h>

#include "core/hash.h"

typedef struct hash_table_slot {
    uint32_t hash;
    uint32_t number; /* the number plus 1; 0: the slot is free */
} hash_table_slot;

/* A zeroed table is empty. */
typedef struct hash_table {
    hash_table_slot *slots; /* open addressing; at least half of them are free */
    uint32_t mask, count;
    hash_key key;
} hash_table;

#define HASH_NONE UINT32_MAX

/* Makes room for `count` numbers in all. Returns false if out of memory, or if `count` is too
   large. */
bool hash_table_make_room(hash_table *t, size_t count);
void hash_table_free(hash_table *t);

/* Removes all numbers, and keeps the room. */
void hash_table_clear(hash_table *t);

/* Makes room for one more number; to be called before its hash is computed, since the key may be
   chosen here. Returns false if out of memory. */
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

/* A cheaper hash than hash_table_hash_u64(), for what is looked up many million times. */
static inline uint32_t hash_table_hash_fast(const hash_table *t, uint64_t value)
{
    return (uint32_t)(hash_by_factor(t->key.second, value) >> 32);
}

/* A hash of 32 bits that no two numbers of 32 bits share: see hash_table_slot_of(). */
static inline uint32_t hash_table_hash_u32(const hash_table *t, uint32_t value)
{
    const uint32_t product = value * (uint32_t)t->key.second;
    return (product ^ product >> 16) * (uint32_t)HASH_CONSTANT;
}

/* Returns the next number with this hash; HASH_NONE after the last one. `*at` must be the hash
   before the first call. */
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

/* Adds a number, also if others have the same hash. There must be room: see
   hash_table_reserve(). */
static inline void hash_table_put(hash_table *t, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & t->mask;
    while (t->slots[at].number != 0)
        at = (at + 1) & t->mask;
    t->slots[at] = (hash_table_slot){hash, number + 1};
    t->count++;
}

/* For tables in which a hash belongs to one key only: returns the slot of a hash, or the free slot
   where its number would be put, which counts in `count`. There must be room. */
static inline hash_table_slot *hash_table_slot_of(const hash_table *t, uint32_t hash)
{
    uint32_t at = hash & t->mask;
    while (t->slots[at].number != 0 && t->slots[at].hash != hash)
        at = (at + 1) & t->mask;
    return &t->slots[at];
}

/* Puts the number `to` in the place of `from`, which must be in the table with this hash. */
static inline void hash_table_renumber(hash_table *t, uint32_t hash, uint32_t from, uint32_t to)
{
    uint32_t at = hash & t->mask;
    while (t->slots[at].number != from + 1 || t->slots[at].hash != hash)
        at = (at + 1) & t->mask;
    t->slots[at].number = to + 1;
}

/* Removes a number, which must be in the table with this hash. */
void hash_table_remove(hash_table *t, uint32_t hash, uint32_t number);

#endif
