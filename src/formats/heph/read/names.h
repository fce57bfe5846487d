/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache for the numbers of strings that occur again and again: a small table in front of the
 * context's pool. It saves the hashing and the following of pointers for every use of a string but
 * the first.
 */
#ifndef HEPH_READ_NAMES_H
#define HEPH_READ_NAMES_H

#include "core/load.h"
#include "model/context.h"

#define NAMES_SLOTS 1024u

typedef struct names_slot {
    /* The first and the last 8 bytes of the string, or what there is of them. */
    uint64_t first, last;
    /* The string, which lies in the pool. */
    const char *bytes;
    uint32_t size;
    stele_name name;
} names_slot;

typedef struct names_cache {
    names_slot slots[NAMES_SLOTS];
} names_cache;

/* Tells whether the bytes between the first 8 and the last 8 are the same. */
static inline bool names_match(const char *a, const char *b, uint32_t size)
{
    for (uint32_t i = 8; i + 8 < size; i += 8) {
        if (load_native64(a + i) != load_native64(b + i))
            return false;
    }
    return true;
}

/* Finds a string that the slot does not hold, and puts it there. This is apart from names_find() so
   that the common path needs few registers. */
stele_name names_learn(names_slot *slot, names_slot wanted, stele_context *context,
                       stele_batch *batch, const char *input_name);

/* Gives the number of a string as context_name() does. The string must not be empty. */
static inline stele_name names_find(names_cache *cache, stele_context *context, stele_batch *batch,
                                    const char *bytes, uint32_t size, const char *input_name)
{
    uint64_t first, last;
    names_slot *slot;
    if (size >= 8) {
        first = load_native64(bytes);
        last = load_native64(bytes + size - 8);
    } else if (size >= 4) {
        first = load_native32(bytes);
        last = load_native32(bytes + size - 4);
    } else {
        first = (uint8_t)bytes[0];
        last = (uint64_t)(uint8_t)bytes[size / 2] << 8 | (uint8_t)bytes[size - 1];
    }
    slot = &cache->slots[((first ^ last * 31 ^ size) * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (slot->first == first && slot->last == last && slot->size == size &&
        names_match(slot->bytes, bytes, size))
        return slot->name;
    return names_learn(slot, (names_slot){first, last, bytes, size, 0}, context, batch, input_name);
}

#endif
