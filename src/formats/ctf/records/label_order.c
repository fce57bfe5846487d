/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the order in which babeltrace2 shows the labels of a value. It keeps the labels of an
 * enumeration in a hash table, GNU's std::unordered_map, and shows them in the table's order, which
 * is the same on all 64-bit machines. All entries are in one chain; each bucket knows the entry
 * before its first one:
 *
 *  chain    head -> e -> d -> a -> c -> end      a new entry goes after the one that its bucket
 *  buckets     `2`     `0`      `7`              knows, in an empty bucket to the head
 *
 * When there are more entries than buckets, all are moved to a larger table in the order of the
 * chain.
 */
#include "formats/ctf/records/label_order.h"

#include <stdlib.h>

#include "core/load.h"

#define NOTHING UINT32_MAX

/* Numbers of buckets, each about twice the one before it. A table with the last number of buckets
   does not grow. */
static const uint32_t bucket_counts[] = {13,     29,     59,      127,     257,     541,     1109,
                                         2357,   5087,   10273,   20753,   42043,   85229,   172933,
                                         351061, 712697, 1447153, 2938679, 5967347, 12117689};

#define BUCKET_COUNTS (sizeof bucket_counts / sizeof *bucket_counts)

typedef struct label_map {
    const ctf_mapping *mappings;
    uint64_t *hashes; /* hash of each mapping's name */
    /* The mapping that follows each mapping in the chain, NOTHING at its end. One more element is
       the head. */
    uint32_t *next;
    /* By bucket, the entry in the chain before its first one; NOTHING if the bucket is empty. */
    uint32_t *before;
    uint32_t head; /* index of the head in `next`, which is the number of mappings */
    uint32_t count, buckets;
    unsigned step; /* index in bucket_counts of the number of buckets */
} label_map;

/* Computes MurmurHash64A with the seed of std::hash. */
static uint64_t label_hash(ctf_text text)
{
    static const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *at = (const uint8_t *)text.bytes;
    uint64_t hash = UINT64_C(0xc70f6907) ^ (text.size * factor), rest = 0;
    size_t left = text.size;
    for (; left >= 8; at += 8, left -= 8) {
        const uint64_t word = load_le64(at) * factor;
        hash = (hash ^ (word ^ word >> 47) * factor) * factor;
    }
    for (size_t i = left; i > 0; i--)
        rest = rest << 8 | at[i - 1];
    if (left != 0)
        hash = (hash ^ rest) * factor;
    hash = (hash ^ hash >> 47) * factor;
    return hash ^ hash >> 47;
}

static uint32_t bucket_of(const label_map *map, uint32_t mapping)
{
    return (uint32_t)(map->hashes[mapping] % map->buckets);
}

/* Returns the mapping in the table that has the name of this one, or NOTHING. */
static uint32_t label_find(const label_map *map, uint32_t mapping)
{
    const uint32_t bucket = bucket_of(map, mapping);
    if (map->before[bucket] == NOTHING)
        return NOTHING;
    for (uint32_t at = map->next[map->before[bucket]];
         at != NOTHING && bucket_of(map, at) == bucket; at = map->next[at]) {
        if (map->hashes[at] == map->hashes[mapping] &&
            ctf_text_equals(map->mappings[at].name, map->mappings[mapping].name))
            return at;
    }
    return NOTHING;
}

static void label_link(label_map *map, uint32_t mapping)
{
    const uint32_t bucket = bucket_of(map, mapping);
    if (map->before[bucket] == NOTHING) {
        const uint32_t first = map->next[map->head];
        if (first != NOTHING)
            map->before[bucket_of(map, first)] = mapping;
        map->before[bucket] = map->head;
    }
    map->next[mapping] = map->next[map->before[bucket]];
    map->next[map->before[bucket]] = mapping;
}

static void map_clear(label_map *map)
{
    memset(map->before, 0xff, map->buckets * sizeof *map->before);
    map->next[map->head] = NOTHING;
}

/* Moves all entries to a table of the next size, in the order of the chain. */
static void map_grow(label_map *map)
{
    uint32_t at = map->next[map->head];
    map->buckets = bucket_counts[++map->step];
    map_clear(map);
    while (at != NOTHING) {
        const uint32_t following = map->next[at];
        label_link(map, at);
        at = following;
    }
}

static void label_add(label_map *map, uint32_t mapping)
{
    if (map->count == map->buckets && map->step + 1 < BUCKET_COUNTS)
        map_grow(map);
    label_link(map, mapping);
    map->count++;
}

/* Puts the mappings of `order` into an empty table, each name once, and sets `order` to the chain
   of the table. Returns the number of its entries. */
static uint32_t map_pass(label_map *map, uint32_t *order, uint32_t count)
{
    uint32_t kept = 0;
    map->step = 0;
    map->buckets = bucket_counts[0];
    map->count = 0;
    map_clear(map);
    for (uint32_t i = 0; i < count; i++) {
        if (label_find(map, order[i]) == NOTHING)
            label_add(map, order[i]);
    }
    for (uint32_t at = map->next[map->head]; at != NOTHING; at = map->next[at])
        order[kept++] = at;
    return kept;
}

/* Returns the number of buckets that a table with this many entries grows to. */
static size_t buckets_needed(uint32_t count)
{
    size_t step = 0;
    while (bucket_counts[step] < count && step + 1 < BUCKET_COUNTS)
        step++;
    return bucket_counts[step];
}

bool label_order_find(uint32_t *ranks, const ctf_mapping *mappings, uint32_t count,
                      ctf_generation generation)
{
    const size_t size = (size_t)count + 1;
    label_map map = {.mappings = mappings,
                     .hashes = malloc(size * sizeof *map.hashes),
                     .next = malloc(size * sizeof *map.next),
                     .before = malloc(buckets_needed(count) * sizeof *map.before),
                     .head = count};
    uint32_t *order = malloc(size * sizeof *order);
    const bool is_ready =
        map.hashes != NULL && map.next != NULL && map.before != NULL && order != NULL;
    if (is_ready) {
        uint32_t kept;
        for (uint32_t i = 0; i < count; i++) {
            map.hashes[i] = label_hash(mappings[i].name);
            order[i] = i;
        }
        kept = map_pass(&map, order, count);
        /* babeltrace2 reads the JSON object into such a table first, and moves its entries to a
           second one. */
        if (generation == CTF_2)
            kept = map_pass(&map, order, kept);
        for (uint32_t i = 0; i < kept; i++)
            ranks[order[i]] = i;
        for (uint32_t i = 0; i < count; i++)
            ranks[i] = ranks[label_find(&map, i)];
    }
    free(map.hashes);
    free(map.next);
    free(map.before);
    free(order);
    return is_ready;
}
