/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts different values. Up to DISTINCT_EXACT of them are counted exactly, by their hashes; more,
 * or those for which no memory is left, are estimated with HyperLogLog: 1024 registers, with a
 * standard error of 3.3%. Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog: the analysis of a
 * near-optimal cardinality estimation algorithm", 2007.
 */
#ifndef ANALYSIS_EVENTS_DISTINCT_H
#define ANALYSIS_EVENTS_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/keyed.h"

#define DISTINCT_FEW       16u
#define DISTINCT_EXACT     1000u
#define DISTINCT_REGISTERS 1024u
#define DISTINCT_BITS      7u /* the first table of hashes has 2^7 slots */
/* Bytes that a counter takes at most where nothing is left beyond them. */
#define DISTINCT_SIZE (((1u << DISTINCT_BITS) + 1) * sizeof(uint64_t))

/* A counter; all zeros is one that has counted nothing. */
typedef struct distinct {
    uint8_t *registers; /* NULL: the counter is exact */
    keyed hashes;       /* `entries` is NULL: all are in `few` */
    uint32_t few_count;
    bool is_short; /* no memory was left to stay exact */
    uint64_t few[DISTINCT_FEW];
} distinct;

_Static_assert(DISTINCT_SIZE >= DISTINCT_REGISTERS, "registers take the place of the first table");

/*
 * Counts a value, given by a hash all of whose bits are random. What a counter needs beyond
 * DISTINCT_SIZE bytes to be exact is taken from `*left`, a number of bytes, and given back when it
 * no longer is. Returns false if out of memory.
 */
bool distinct_add(distinct *d, uint64_t hash, size_t *left);

/* Adds the values of another counter. The result is that of adding its values one by one, unless
   one of the two was short of memory. Returns false if out of memory. */
bool distinct_merge(distinct *into, const distinct *from, size_t *left);
uint64_t distinct_count(const distinct *d);
void distinct_free(distinct *d);

static inline bool distinct_is_exact(const distinct *d)
{
    return d->registers == NULL;
}

#endif
