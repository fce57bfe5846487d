/* SPDX-License-Identifier: Apache-2.0 */
/* A fast hash of short strings for tables in memory; its values are never stored. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>

#include "core/load.h"
#include "core/wide.h"

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    const wide_u128 product = (wide_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Tables take the lowest bits, and a product is better mixed further up. */
static inline uint64_t hash_finish(uint64_t hash)
{
    return hash ^ hash >> 32;
}

static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    static const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15), k1 = UINT64_C(0xd6e8feb86659fd93);
    const uint8_t *at = bytes;
    size_t left = size;
    uint64_t hash = k0 ^ size, a = 0, b = 0;
    while (left > 16) {
        hash = hash_mix(load_native64(at) ^ k1, load_native64(at + 8) ^ hash);
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
    return hash_finish(hash_mix(a ^ k1, b ^ hash));
}

static inline uint64_t hash_u64(uint64_t value)
{
    return hash_finish(
        hash_mix(value ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93)));
}

#endif
