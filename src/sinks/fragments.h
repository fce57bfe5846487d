/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a line says of an event's kind, category, name and track, in the form in which a sink writes
 * it: made once for all events that have these in common. A table of a fixed size, in which new
 * ones take the place of others.
 */
#ifndef SINKS_FRAGMENTS_H
#define SINKS_FRAGMENTS_H

#include "core/hash.h"
#include "model/context.h"
#include "sinks/put.h"

#define FRAGMENT_COUNT 1024u
#define FRAGMENT_SIZE  236u        /* longer ones are not kept */
#define FRAGMENT_BLOCK 32u         /* they are copied in blocks of this size */
#define FRAGMENT_POOL  (64u << 10) /* of all of them; a full one is begun anew */

/* What a fragment is made from. Zeros stand for what it does not depend on. */
typedef struct fragment_key {
    stele_name name;
    uint32_t track;
    uint16_t category;
    uint8_t kind;
    uint8_t place; /* of the fragment in a line that has several */
} fragment_key;

typedef struct fragment {
    fragment_key key;
    uint32_t version; /* of the tracks' names that it was made from, see context_track_version() */
    uint16_t size;    /* 0: not made */
    uint32_t at;      /* in the pool */
} fragment;

typedef struct fragments {
    const stele_context *context;
    fragment *slots; /* FRAGMENT_COUNT */
    char *pool;      /* they stand close together, as few are in use at a time */
    uint32_t pool_used;
    hash_key secret;
} fragments;

/* False when memory is exhausted. */
bool fragments_init(fragments *table, const stele_context *context);
void fragments_free(fragments *table);

/* Keeps a copy, unless it is too long or has a name that is known in its batch only. */
void fragments_keep(fragments *table, fragment_key key, const void *bytes, size_t size);

/* One of the two places of a key: the other one is beside it, its number differs in the lowest bit.
 */
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

/* Appends the fragment; false when it has to be made. */
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
