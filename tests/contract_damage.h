/* SPDX-License-Identifier: Apache-2.0 */
/* Damage of several bytes: bytes are overwritten, zeroed, inserted, deleted or doubled, or two
   blocks change places. A number determines all of it, so that a failure can be tried again. */
#ifndef TESTS_CONTRACT_DAMAGE_H
#define TESTS_CONTRACT_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"

#define DAMAGE_FEW   64u  /* most bytes that are overwritten, inserted or deleted */
#define DAMAGE_BLOCK 512u /* most bytes that are zeroed, doubled, or change places */

typedef enum damage_kind {
    DAMAGE_OVERWRITE,
    DAMAGE_ZERO,
    DAMAGE_SWAP,
    DAMAGE_INSERT, /* this kind and those after it change the size */
    DAMAGE_DELETE,
    DAMAGE_REPEAT,
    DAMAGE_KINDS
} damage_kind;

typedef struct damage {
    damage_kind kind;
    size_t at, size;
    size_t other; /* the second block of a swap, which is after the first */
    uint64_t seed;
} damage;

static inline uint64_t damage_random(damage *d)
{
    return d->seed = hash_u64(d->seed + UINT64_C(0x9e3779b97f4a7c15));
}

/* Makes the damage with a number, to the bytes between `from` and `to`. Returns false if there
   is no room for it. */
static inline bool damage_make(damage *d, uint64_t number, size_t from, size_t to, bool keeps_size)
{
    size_t size_max;
    *d = (damage){.seed = hash_u64(number + 1)};
    d->kind = (damage_kind)(number % (keeps_size ? DAMAGE_INSERT : DAMAGE_KINDS));
    size_max = d->kind == DAMAGE_ZERO || d->kind == DAMAGE_SWAP || d->kind == DAMAGE_REPEAT
                   ? DAMAGE_BLOCK
                   : DAMAGE_FEW;
    d->size = 2 + (size_t)(damage_random(d) % (size_max - 1));
    if (to - from < 2 * d->size)
        return false;
    d->at = from + (size_t)(damage_random(d) % (to - from - 2 * d->size + 1));
    d->other = d->at + d->size +
               (size_t)(damage_random(d) % (to - from - (d->at - from) - 2 * d->size + 1));
    return true;
}

static inline void damage_fill(damage *d, uint8_t *to)
{
    for (size_t i = 0; i < d->size; i++)
        to[i] = d->kind == DAMAGE_ZERO ? 0 : (uint8_t)damage_random(d);
}

/* Writes the damaged bytes, which are at most `d->size` bytes longer. Returns their size. */
static inline size_t damage_apply(damage d, const uint8_t *from, size_t size, uint8_t *to)
{
    const uint8_t *rest = from + d.at;
    memcpy(to, from, d.at);
    switch (d.kind) {
    case DAMAGE_INSERT:
        damage_fill(&d, to + d.at);
        memcpy(to + d.at + d.size, rest, size - d.at);
        return size + d.size;
    case DAMAGE_REPEAT:
        memcpy(to + d.at, rest, d.size);
        memcpy(to + d.at + d.size, rest, size - d.at);
        return size + d.size;
    case DAMAGE_DELETE:
        memcpy(to + d.at, rest + d.size, size - d.at - d.size);
        return size - d.size;
    case DAMAGE_SWAP:
        memcpy(to, from, size);
        memcpy(to + d.at, from + d.other, d.size);
        memcpy(to + d.other, rest, d.size);
        return size;
    default:
        memcpy(to, from, size);
        damage_fill(&d, to + d.at);
        return size;
    }
}

static inline bool damage_meets(size_t at, size_t size, uint64_t offset, uint64_t event_size)
{
    return offset < at + size && at < offset + event_size;
}

/* Finds where an undamaged part is after the damage. Returns false if it is damaged itself. */
static inline bool damage_place(const damage *d, uint64_t *offset, uint64_t size)
{
    const bool meets = damage_meets(d->at, d->size, *offset, size);
    switch (d->kind) {
    case DAMAGE_INSERT:
    case DAMAGE_REPEAT:
        if (*offset<d->at && * offset + size> d->at)
            return false;
        *offset += *offset >= d->at ? d->size : 0;
        return true;
    case DAMAGE_DELETE: *offset -= !meets && *offset > d->at ? d->size : 0; return !meets;
    case DAMAGE_SWAP:
        if (!meets)
            break;
        if (*offset < d->at || *offset + size > d->at + d->size)
            return false;
        *offset += d->other - d->at;
        return true;
    default: return !meets;
    }
    if (!damage_meets(d->other, d->size, *offset, size))
        return true;
    if (*offset < d->other || *offset + size > d->other + d->size)
        return false;
    *offset -= d->other - d->at;
    return true;
}

static inline void damage_text(const damage *d, char *text, size_t size)
{
    static const char *const names[DAMAGE_KINDS] = {"overwritten", "zeroed",    "swapped",
                                                    "inserted",    "taken out", "repeated"};
    snprintf(text, size, "%zu bytes %s, %zu, from", d->size, names[d->kind],
             d->kind == DAMAGE_SWAP ? d->other : 0);
}

#endif
