/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fragments: text of a line that depends only on an event's kind, category, name and track, made
 * once for all events that have these in common. The table has a fixed size; new fragments replace
 * others.
 */
#ifndef SINKS_FRAGMENTS_H
#define SINKS_FRAGMENTS_H

#include "core/hash.h"
#include "model/context.h"
#include "sinks/put.h"

#define FRAGMENT_COUNT 4096u
#define FRAGMENT_SIZE  236u         /* longer texts are not kept */
#define FRAGMENT_BLOCK 32u          /* fragments are copied in blocks of this size */
#define FRAGMENT_POOL  (256u << 10) /* bytes of all fragments; a full pool is emptied */

/* Bytes that fragment_copy() writes at most. */
#define FRAGMENT_ROOM (FRAGMENT_SIZE + FRAGMENT_BLOCK)

/* What a fragment depends on, in two words, because it is compared for each event. */
typedef struct fragment_key {
    uint64_t names; /* name and track */
    uint64_t rest;  /* category, kind, place and the version of track names */
} fragment_key;

typedef struct fragment {
    fragment_key key;
    uint32_t at;   /* offset in the pool */
    uint32_t size; /* in bytes; 0: the slot is free */
} fragment;

typedef struct fragments {
    const stele_context *context;
    fragment *slots; /* an array of FRAGMENT_COUNT */
    char *pool;      /* texts of all fragments, close together because few are in use at a time */
    uint32_t pool_used;
    hash_key secret;
} fragments;

/* Makes an empty table. Returns false if out of memory. */
bool fragments_init(fragments *table, const stele_context *context);
void fragments_free(fragments *table);

/* Makes the key of a fragment; 0 for members on which it does not depend. `place` is the number of
   the fragment in a line that has several. */
static inline fragment_key fragment_key_make(const fragments *table, stele_name name,
                                             uint32_t track, uint16_t category, uint8_t kind,
                                             uint8_t place)
{
    return (fragment_key){name | (uint64_t)track << 32,
                          category | (uint64_t)kind << 16 | (uint64_t)place << 24 |
                              (uint64_t)context_track_version(table->context) << 32};
}

/*
 * Keeps a copy of a text, unless it is too long or contains a name that is known only in its batch.
 */
void fragments_keep(fragments *table, fragment_key key, const void *bytes, size_t size);

/* The index of the first of a key's two slots; the index of the other differs in the lowest bit. */
static inline uint32_t fragments_slot(const fragments *table, fragment_key key)
{
    const uint64_t hash =
        hash_mix(key.names ^ table->secret.first, (key.rest & UINT32_MAX) ^ table->secret.second);
    return (uint32_t)(hash_finish(hash) % FRAGMENT_COUNT);
}

static inline bool fragment_is_of(const fragment *slot, fragment_key key)
{
    return slot->key.names == key.names && slot->key.rest == key.rest && slot->size != 0;
}

/* Returns the fragment; NULL if it has to be made. */
static inline const fragment *fragments_find(const fragments *table, fragment_key key)
{
    const uint32_t place = fragments_slot(table, key);
    if (fragment_is_of(&table->slots[place], key))
        return &table->slots[place];
    return fragment_is_of(&table->slots[place ^ 1], key) ? &table->slots[place ^ 1] : NULL;
}

/* Copies a fragment, and returns the position after it. */
static inline char *fragment_copy(const fragments *table, const fragment *from, char *to)
{
    const char *bytes = table->pool + from->at;
    for (size_t at = 0; at < from->size; at += FRAGMENT_BLOCK)
        memcpy(to + at, bytes + at, FRAGMENT_BLOCK);
    return to + from->size;
}

/* Appends a fragment to an output. Returns false if it is not in the table and must be made. */
static inline bool fragments_put(const fragments *table, output *out, fragment_key key)
{
    const fragment *from = fragments_find(table, key);
    char *to = from != NULL ? (char *)output_reserve(out, FRAGMENT_ROOM) : NULL;
    if (to == NULL)
        return false;
    output_advance(out, (size_t)(fragment_copy(table, from, to) - to));
    return true;
}

#endif
