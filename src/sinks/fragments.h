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

#define FRAGMENT_COUNT 1024u
#define FRAGMENT_SIZE  236u        /* longer texts are not kept */
#define FRAGMENT_BLOCK 32u         /* fragments are copied in blocks of this size */
#define FRAGMENT_POOL  (64u << 10) /* bytes of all fragments; a full pool is emptied */

/* What a fragment depends on; 0 for members on which it does not depend. */
typedef struct fragment_key {
    stele_name name;
    uint32_t track;
    uint16_t category;
    uint8_t kind;
    uint8_t place; /* number of the fragment in a line that has several */
} fragment_key;

typedef struct fragment {
    fragment_key key;
    uint32_t version; /* version of track names when it was made, see context_track_version() */
    uint16_t size;    /* in bytes; 0: the slot is free */
    uint32_t at;      /* offset in the pool */
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

/*
 * Keeps a copy of a text, unless it is too long or contains a name that is known only in its batch.
 */
void fragments_keep(fragments *table, fragment_key key, const void *bytes, size_t size);

/* The index of the first of a key's two slots; the index of the other differs in the lowest bit. */
static inline uint32_t fragments_slot(const fragments *table, fragment_key key)
{
    const uint64_t rest = key.category | (uint64_t)key.kind << 16 | (uint64_t)key.place << 24;
    const uint64_t names = key.name | (uint64_t)key.track << 32;
    const uint64_t hash = hash_mix(names ^ table->secret.first, rest ^ table->secret.second);
    return (uint32_t)(hash_finish(hash) % FRAGMENT_COUNT);
}

static inline bool fragment_is_of(const fragments *table, const fragment *slot, fragment_key key)
{
    return slot->key.name == key.name && slot->key.track == key.track &&
           slot->key.category == key.category && slot->key.kind == key.kind &&
           slot->key.place == key.place && slot->size != 0 &&
           slot->version == context_track_version(table->context);
}

/* Appends a fragment to an output. Returns false if it is not in the table and must be made. */
static inline bool fragments_put(const fragments *table, output *out, fragment_key key)
{
    const uint32_t place = fragments_slot(table, key);
    const fragment *slot = &table->slots[place];
    char *to;
    if (!fragment_is_of(table, slot, key)) {
        slot = &table->slots[place ^ 1];
        if (!fragment_is_of(table, slot, key))
            return false;
    }
    to = (char *)output_reserve(out, FRAGMENT_SIZE + FRAGMENT_BLOCK);
    if (to == NULL)
        return false;
    for (size_t at = 0; at < slot->size; at += FRAGMENT_BLOCK)
        memcpy(to + at, table->pool + slot->at + at, FRAGMENT_BLOCK);
    output_advance(out, slot->size);
    return true;
}

#endif
