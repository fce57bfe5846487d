/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts different values with HyperLogLog: 1024 registers, with a standard error of 3.3%. Up to
 * DISTINCT_FEW values the count is exact. Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog: the
 * analysis of a near-optimal cardinality estimation algorithm", 2007.
 */
#ifndef ANALYSIS_EVENTS_DISTINCT_H
#define ANALYSIS_EVENTS_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISTINCT_FEW       16u
#define DISTINCT_REGISTERS 1024u

/* A counter; all zeros is one that has counted nothing. */
typedef struct distinct {
    uint8_t *registers; /* NULL: the counter is exact, and its values are in `few` */
    uint32_t few_count;
    uint64_t few[DISTINCT_FEW]; /* hashes of the values */
} distinct;

/* Counts a value, given by a hash all of whose bits are random. Returns false if out of memory. */
bool distinct_add(distinct *d, uint64_t hash);
uint64_t distinct_count(const distinct *d);
void distinct_free(distinct *d);

static inline bool distinct_is_exact(const distinct *d)
{
    return d->registers == NULL;
}

#endif
