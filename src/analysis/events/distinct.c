/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/distinct.h"

#include <math.h>
#include <stdlib.h>

#define INDEX_BITS 10u

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

bool distinct_add(distinct *d, uint64_t hash)
{
    if (d->registers != NULL) {
        registers_add(d->registers, hash);
        return true;
    }
    for (uint32_t i = 0; i < d->few_count; i++) {
        if (d->few[i] == hash)
            return true;
    }
    if (d->few_count < DISTINCT_FEW) {
        d->few[d->few_count++] = hash;
        return true;
    }
    d->registers = calloc(DISTINCT_REGISTERS, 1);
    if (d->registers == NULL)
        return false;
    for (uint32_t i = 0; i < d->few_count; i++)
        registers_add(d->registers, d->few[i]);
    registers_add(d->registers, hash);
    return true;
}

uint64_t distinct_count(const distinct *d)
{
    const double m = DISTINCT_REGISTERS;
    double sum = 0, estimate;
    unsigned empty = 0;
    if (d->registers == NULL)
        return d->few_count;
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
    free(d->registers);
}
