/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/distinct.h"

#include <math.h>
#include <stdlib.h>

#define INDEX_BITS 10u
#define HASH_SIZE  sizeof(uint64_t)

/* ---- Registers ---- */

/* Updates the register that the first bits of the hash select: it keeps the largest number of
   leading zeros seen in the bits after those. */
static void registers_add(uint8_t *registers, uint64_t hash)
{
    uint8_t *const at = &registers[hash >> (64 - INDEX_BITS)];
    const uint64_t rest = hash << INDEX_BITS | UINT64_C(1) << (INDEX_BITS - 1);
    const uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
    if (rank > *at)
        *at = rank;
}

/* ---- Hashes ---- */

/* What the table of hashes takes beyond its first size. */
static size_t size_beyond(const keyed *hashes)
{
    return hashes->entries != NULL ? keyed_end(hashes) * HASH_SIZE - DISTINCT_SIZE : 0;
}

/* Whether the next new hash makes the table larger. */
static bool is_full(const keyed *hashes)
{
    return hashes->used >= hashes->mask / 2;
}

/* How many places for hashes there are, some of which may be empty. */
static size_t places(const distinct *d)
{
    return d->hashes.entries != NULL ? keyed_end(&d->hashes) : d->few_count;
}

/* The hash at a place. Returns NULL if it is empty. */
static const uint64_t *hash_at(const distinct *d, size_t place)
{
    return d->hashes.entries != NULL ? keyed_at(&d->hashes, HASH_SIZE, place) : &d->few[place];
}

/* Goes over from hashes to registers. Returns false if out of memory. */
static bool give_up_exact(distinct *d, size_t *left)
{
    d->registers = calloc(DISTINCT_REGISTERS, 1);
    if (d->registers == NULL)
        return false;
    for (size_t i = 0; i < places(d); i++) {
        const uint64_t *hash = hash_at(d, i);
        if (hash != NULL)
            registers_add(d->registers, *hash);
    }
    *left += size_beyond(&d->hashes);
    keyed_free(&d->hashes);
    return true;
}

/* Adds a hash to the first few. Returns false if it is new and there is no place for it. */
static bool few_add(distinct *d, uint64_t hash)
{
    for (uint32_t i = 0; i < d->few_count; i++) {
        if (d->few[i] == hash)
            return true;
    }
    if (d->few_count == DISTINCT_FEW)
        return false;
    d->few[d->few_count++] = hash;
    return true;
}

static bool make_table(distinct *d)
{
    if (!keyed_init_bits(&d->hashes, HASH_SIZE, DISTINCT_BITS))
        return false;
    for (uint32_t i = 0; i < d->few_count; i++) {
        if (keyed_find(&d->hashes, HASH_SIZE, d->few[i]) == NULL)
            return false;
    }
    return true;
}

/* Adds a hash to the table, which has it afterwards unless registers were made because it is one
   too many, or because no memory is left for it. Returns false if out of memory. */
static bool table_add(distinct *d, uint64_t hash, size_t *left)
{
    const size_t before = size_beyond(&d->hashes);
    const uint64_t *known = keyed_slot(&d->hashes, HASH_SIZE, hash);
    if (*known == hash)
        return true;
    if (d->hashes.used == DISTINCT_EXACT)
        return give_up_exact(d, left);
    if (is_full(&d->hashes) && *left < (d->hashes.mask + 1) * HASH_SIZE) {
        d->is_short = true;
        return give_up_exact(d, left);
    }
    if (keyed_find(&d->hashes, HASH_SIZE, hash) == NULL)
        return false;
    *left -= size_beyond(&d->hashes) - before;
    return true;
}

bool distinct_add(distinct *d, uint64_t hash, size_t *left)
{
    hash += hash == 0;
    if (d->registers == NULL && d->hashes.entries == NULL) {
        if (few_add(d, hash))
            return true;
        if (!make_table(d))
            return false;
    }
    if (d->registers == NULL && !table_add(d, hash, left))
        return false;
    if (d->registers != NULL)
        registers_add(d->registers, hash);
    return true;
}

/* ---- All of them ---- */

bool distinct_merge(distinct *into, const distinct *from, size_t *left)
{
    into->is_short = into->is_short || from->is_short;
    for (size_t i = 0; from->registers == NULL && i < places(from); i++) {
        const uint64_t *hash = hash_at(from, i);
        if (hash != NULL && !distinct_add(into, *hash, left))
            return false;
    }
    if (from->registers == NULL)
        return true;
    if (into->registers == NULL && !give_up_exact(into, left))
        return false;
    for (uint32_t i = 0; i < DISTINCT_REGISTERS; i++) {
        if (from->registers[i] > into->registers[i])
            into->registers[i] = from->registers[i];
    }
    return true;
}

uint64_t distinct_count(const distinct *d)
{
    const double m = DISTINCT_REGISTERS;
    double sum = 0, estimate;
    unsigned empty = 0;
    if (d->registers == NULL)
        return d->hashes.entries != NULL ? d->hashes.used : d->few_count;
    for (unsigned i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += ldexp(1, -(int)d->registers[i]);
        empty += d->registers[i] == 0;
    }
    estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    if (estimate <= 2.5 * m && empty != 0)
        estimate = m * log(m / empty);
    return (uint64_t)(estimate + 0.5);
}

void distinct_free(distinct *d)
{
    keyed_free(&d->hashes);
    free(d->registers);
}
