/* SPDX-License-Identifier: Apache-2.0 */
/* Fast hashes for tables in memory; hash values are never stored. Data from an input is hashed with
   a random key, so that nobody can make an input whose keys all fall into one slot; hash tables do
   so themselves (core/table.h). Functions without a key are only for other purposes than tables. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>

#include "core/load.h"
#include "core/wide.h"

typedef struct hash_key {
    uint64_t first, second;
} hash_key;

/* A key of random bits. */
hash_key hash_key_make(void);

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    const wide_u128 product = u128_multiply(a, b);
    return u128_low(product) ^ u128_high(product);
}

/* Mixes the high half of a product into the low one, since tables use the lowest bits, and the bits
   of a product are mixed better further up. */
static inline uint64_t hash_finish(uint64_t hash)
{
    return hash ^ hash >> 32;
}

/* An odd number with well mixed bits: 2^64 divided by the golden ratio. */
#define HASH_CONSTANT UINT64_C(0x9e3779b97f4a7c15)

/* Hashes bytes. Both factors of each product depend on the key, so that a factor of 0, which would
   erase what was hashed before, occurs only by chance. */
static inline uint64_t hash_first_round(hash_key key, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    size_t left = size;
    uint64_t hash = key.first ^ size, a = 0, b = 0;
    while (left > 16) {
        hash = hash_mix(load_native64(at) ^ key.second, load_native64(at + 8) ^ hash);
        at += 16;
        left -= 16;
    }
    if (left >= 8) {
        a = load_native64(at);
        b = load_native64(at + left - 8);
    } else if (left >= 4) {
        a = load_native32(at);
        b = load_native32(at + left - 4);
    } else if (left > 0) {
        a = ((uint64_t)at[0] << 16) | ((uint64_t)at[left / 2] << 8) | at[left - 1];
    }
    return hash_mix(a ^ key.second, b ^ hash);
}

/* Mixes a hash once more, by a constant: a product with a random factor may leave numbers in
   sequence close together. */
static inline uint64_t hash_last_round(hash_key key, uint64_t hash)
{
    return hash_finish(hash_mix(hash ^ key.second, HASH_CONSTANT));
}

static inline uint64_t hash_keyed_bytes(hash_key key, const void *bytes, size_t size)
{
    return hash_last_round(key, hash_first_round(key, bytes, size));
}

static inline uint64_t hash_keyed_pair(hash_key key, uint64_t a, uint64_t b)
{
    return hash_last_round(key, hash_mix(a ^ key.first, b ^ key.second));
}

static inline uint64_t hash_keyed_u64(hash_key key, uint64_t value)
{
    return hash_keyed_pair(key, value, 0);
}

/* A cheaper hash by a random odd factor, for tables that use the highest bits. */
static inline uint64_t hash_by_factor(uint64_t factor, uint64_t value)
{
    const uint64_t product = value * factor;
    return (product ^ product >> 32) * HASH_CONSTANT;
}

static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    return hash_finish(
        hash_first_round((hash_key){HASH_CONSTANT, UINT64_C(0xd6e8feb86659fd93)}, bytes, size));
}

static inline uint64_t hash_u64(uint64_t value)
{
    return hash_finish(hash_mix(value ^ HASH_CONSTANT, UINT64_C(0xd6e8feb86659fd93)));
}

#endif
