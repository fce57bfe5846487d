/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of fixed width, in either byte order and at any alignment. The caller makes sure
   that the bytes exist. */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include <stdint.h>
#include <string.h>

#define LOAD_DEFINE(bits)                                                 \
    static inline uint##bits##_t load_native##bits(const void *at)        \
    {                                                                     \
        uint##bits##_t value;                                             \
        memcpy(&value, at, sizeof value);                                 \
        return value;                                                     \
    }                                                                     \
    static inline void store_native##bits(void *at, uint##bits##_t value) \
    {                                                                     \
        memcpy(at, &value, sizeof value);                                 \
    }
LOAD_DEFINE(16)
LOAD_DEFINE(32)
LOAD_DEFINE(64)
#undef LOAD_DEFINE

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOAD_IS_LITTLE 1
#else
#define LOAD_IS_LITTLE 0
#endif

#define LOAD_DEFINE(bits, order, swaps)                                         \
    static inline uint##bits##_t load_##order##bits(const void *at)             \
    {                                                                           \
        const uint##bits##_t value = load_native##bits(at);                     \
        return (swaps) ? __builtin_bswap##bits(value) : value;                  \
    }                                                                           \
    static inline void store_##order##bits(void *at, uint##bits##_t value)      \
    {                                                                           \
        store_native##bits(at, (swaps) ? __builtin_bswap##bits(value) : value); \
    }
LOAD_DEFINE(16, le, !LOAD_IS_LITTLE)
LOAD_DEFINE(32, le, !LOAD_IS_LITTLE)
LOAD_DEFINE(64, le, !LOAD_IS_LITTLE)
LOAD_DEFINE(16, be, LOAD_IS_LITTLE)
LOAD_DEFINE(32, be, LOAD_IS_LITTLE)
LOAD_DEFINE(64, be, LOAD_IS_LITTLE)
#undef LOAD_DEFINE

static inline double load_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t store_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
